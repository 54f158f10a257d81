"""What a comparison of universities says, computed from its counts."""

from ventureframe.display.wording import Count, among, counted, money, number
from ventureframe.evidence.claims import Caveat, KeyFigure
from ventureframe.studies.spinouts.words import ALUMNI
from ventureframe.studies.universities.study import Counts


def answer(counts: Counts) -> str:
    """The bottom line: the companies and known funding of each, most first; and those shared."""
    c = counts
    most_first = sorted(
        zip(c.names, c.evidenced, c.funding_known, c.funding_total, strict=True),
        key=lambda university: -university[1],
    )
    parts = []
    for name, evidenced, known, total in most_first:
        funding = f"{money(total, c.currency)} recorded for {number(known)}"
        funding = funding if known else f"no total in {c.currency} recorded"
        many = f"{counted(evidenced, 'company')} ({funding})" if evidenced else "none recorded"
        parts.append(f"{name} {many}")
    shared, were = among(c.shared, c.companies, "company", "companies"), Count(max(c.shared, 1))
    tail = f" {shared} {were:was|were} founded by alumni of two or more of them."
    tail = tail if c.companies and len(c.names) > 1 else ""
    left = zip(c.names, c.left_out, strict=False)
    silent = "".join(f" {name}:{sentence}" for name, sentence in left if sentence)
    return f"Companies founded by alumni: {'; '.join(parts)}.{tail}{silent}"


def key_figures(counts: Counts) -> tuple[KeyFigure, ...]:
    """Companies, those of several universities, and where most funding is known."""
    c = counts
    found, universities = counted(c.companies, "company"), counted(len(c.names), "university")
    totals = [total or 0.0 for total in c.funding_total]
    most = totals.index(max(totals))
    return (
        KeyFigure("Companies founded by alumni", number(c.companies), f"of {universities}"),
        KeyFigure("Of two or more of them", number(c.shared), f"of {found}"),
        KeyFigure(
            "Most known total funding",
            money(c.funding_total[most], c.currency),
            f"{c.names[most]}, recorded for {number(c.funding_known[most])} of "
            f"{counted(c.evidenced[most], 'company')}"
            if c.funding_known[most]
            else "",
        ),
    )


def caveats(counts: Counts) -> tuple[Caveat, ...]:
    """What setting universities side by side cannot tell; what changes its reading first."""
    apart = Caveat(
        "The pools of the universities were narrowed by different conditions.",
        "filter conventions",
        is_material=True,
    )
    return (
        *(() if counts.is_asked_alike else (apart,)),
        Caveat(
            "The records of some universities are more complete than those of others: a smaller "
            "number can mean fewer records. The coverage of each is shown beside it.",
            "reading rule 3",
            is_material=True,
        ),
        Caveat(
            "A company with founders of two universities counts at both "
            f"({number(counts.shared)} here), so the columns are not added up.",
            "reading rule 2",
            is_material=bool(counts.shared),
        ),
        ALUMNI,
        Caveat(
            "Founder alumni and the university-level aggregate spinout_count are other populations "
            "than the evidenced companies; they are shown as reported for each university and not "
            "divided by one another.",
            "reading rule 4",
        ),
    )
