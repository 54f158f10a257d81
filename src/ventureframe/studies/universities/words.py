"""What a comparison of universities says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import Count, among, money
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.studies.spinouts.words import ALUMNI
from ventureframe.studies.universities.study import Counts


def answer(c: Counts) -> str:
    """The bottom line: the companies and known funding of each, most first; and those shared."""
    universities = zip(c.names, c.evidenced, c.funding_known, c.funding_total, strict=True)
    parts = []
    for name, evidenced, known, total in sorted(universities, key=lambda row: -row[1]):
        funding = f"{money(total, c.currency)} recorded for {known}"
        funding = funding if known else f"no total in {c.currency} recorded"
        companies = f"{evidenced:company} ({funding})" if evidenced else "none recorded"
        parts.append(f"{name} {companies}")
    shared = among(c.shared, c.companies, "company", "companies")
    were = f"{Count(max(c.shared, 1)):was|were}"
    tail = f" {shared} {were} founded by alumni of two or more of them."
    tail = tail if c.companies and len(c.names) > 1 else ""
    left = zip(c.names, c.left_out, strict=True)
    silent = "".join(f" {name}:{sentence}" for name, sentence in left if sentence)
    return f"Companies founded by alumni: {'; '.join(parts)}.{tail}{silent}"


def key_figures(c: Counts) -> Iterator[tuple[str, str, str]]:
    """Companies, those of several universities, and where most funding is known."""
    yield "Companies founded by alumni", f"{c.companies}", f"of {Count(len(c.names)):university}"
    yield "Of two or more of them", f"{c.shared}", f"of {c.companies:company}"
    totals = [total or 0.0 for total in c.funding_total]
    most = totals.index(max(totals))
    known = f"recorded for {c.funding_known[most]} of {c.evidenced[most]:company}"
    note = f"{c.names[most]}, {known}" if c.funding_known[most] else ""
    yield "Most known total funding", money(c.funding_total[most], c.currency), note


def caveats(c: Counts) -> Iterator[Caveat]:
    """What setting universities side by side cannot tell; what changes its reading first."""
    if not c.is_asked_alike:
        text = "The pools of the universities were narrowed by different conditions."
        yield Caveat(text, "filter conventions", is_material=True)
    yield material(3)("""The records of some universities are more complete than those of others: a
        smaller number can mean fewer records. The coverage of each is shown beside it.""")
    yield limit(2, is_material=bool(c.shared))(f"""A company with founders of two universities
        counts at both ({c.shared} here), so the columns are not added up.""")
    yield ALUMNI
    yield limit(4)("""Founder alumni and the university-level aggregate spinout_count are other
        populations than the evidenced companies; they are shown as reported for each university
        and not divided by one another.""")
