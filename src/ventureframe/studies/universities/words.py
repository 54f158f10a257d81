"""What a comparison of universities says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import Count, among, counted, money
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.studies.spinouts.words import ALUMNI, left_out
from ventureframe.studies.universities.study import Counts


def answer(c: Counts) -> str:
    """The bottom line: the companies and known funding of each, most first; and those shared."""
    parts, silent = [], ""
    for study in sorted(c.studies, key=lambda study: -study.counts.companies_evidenced):
        own, name, currency = study.counts, study.university.name, study.currency
        known = f"{money(own.funding_total, currency)} recorded for {own.funding_known}"
        known = known if own.funding_known else f"no total in {currency} recorded"
        evidenced = f"{own.companies_evidenced:company} ({known})"
        parts.append(f"{name} {evidenced if own.companies_evidenced else 'none recorded'}")
    for study in c.studies:
        silent += f" {study.university.name}:{text}" if (text := left_out(study.counts)) else ""
    shared = among(c.shared, c.companies, "company", "companies")
    were = f"{Count(max(c.shared, 1)):was|were}"
    tail = f" {shared} {were} founded by alumni of two or more of them."
    tail = tail if c.companies and len(c.studies) > 1 else ""
    return f"Companies founded by alumni: {'; '.join(parts)}.{tail}{silent}"


def key_figures(c: Counts) -> Iterator[tuple[str, str, str]]:
    """Companies, those of several universities, and where most funding is known."""
    universities = f"of {counted(len(c.studies), 'university')}"
    yield "Companies founded by alumni", f"{c.companies}", universities
    yield "Of two or more of them", f"{c.shared}", f"of {c.companies:company}"
    most = max(c.studies, key=lambda study: study.counts.funding_total or 0)
    known = f"recorded for {most.counts.funding_known} of {most.counts.companies_evidenced:company}"
    note = f"{most.university.name}, {known}" if most.counts.funding_known else ""
    yield "Most known total funding", money(most.counts.funding_total, most.currency), note


def caveats(c: Counts) -> Iterator[Caveat]:
    """What setting universities side by side cannot tell; what changes its reading first."""
    if len({getattr(study.question, "conditions", ()) for study in c.studies}) > 1:
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
