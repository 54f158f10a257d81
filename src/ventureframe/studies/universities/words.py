"""What a comparison of universities says, computed from its counts."""

from collections.abc import Iterator
from typing import Any

from ventureframe.display.wording import Count, among, counted, money, within
from ventureframe.evidence.claims import Caveat, material
from ventureframe.evidence.dropped import which
from ventureframe.studies.spinouts.words import ALUMNI, LABEL
from ventureframe.studies.universities.study import Counts

# universities in the answer, those of most companies; the table has all
_NAMED = 3


def answer(c: Counts) -> str:
    """The bottom line: companies and known funding of the largest; and what they
    share.
    """
    if c.is_hidden:
        unknown = "Which companies have a founder who studied there is not known"
        return f"{unknown}. {c.studies[0].withheld}"
    left = [which(study.counts.dropped) * study.is_empty for study in c.studies]
    if all(left):
        whom = c.studies[0].university.name if len(left) == 1 else "these universities"
        return f"No company {left[0]} is found for {whom}."
    rest = Count(len(c.studies) - _NAMED)
    table = f" {rest:more university} {rest:is|are} in the table." if rest > 0 else ""
    shared = "No company here has recorded founders from two of them."
    if c.shared:
        several = among(c.shared, c.companies, "company")
        shared = f"{several} {c.shared:has|have} founders from several of them."
    tail = f" {shared}" if c.companies and len(c.studies) > 1 else ""
    largest = sorted(c.studies, key=lambda study: -study.counts.companies_evidenced)
    parts = "; ".join(map(_part, largest[:_NAMED]))
    return f"Companies with a founder who studied there: {parts}.{table}{tail}"


def _part(study: Any) -> str:
    """A university's companies and what is known of their funding, or what left out
    all of them.
    """
    c, name, currency = study.counts, study.university.name, study.currency
    if c.companies_evidenced:
        total = money(c.funding_total, currency, null=f"no total in {currency}")
        whom = f" for {c.funding_known}" if c.funding_known else ""
        return f"{name} {c.companies_evidenced} ({total} recorded{whom})"
    if c.silence is not None:
        return f"{name} not known ({c.silence})"
    if not (left := which(c.dropped)):
        return f"{name} none recorded"
    return f"{name} none {left}"


def key_figures(c: Counts) -> Iterator[tuple[str, str, str, bool]]:
    """Companies, those of several universities, and the known funding of all
    together; and whether the answer says the number.
    """
    companies = "not known" if c.is_hidden else f"{c.companies}"
    is_alone, of = len(c.studies) == 1, counted(len(c.studies), "university")
    is_shared = bool(c.shared) and not is_alone
    is_said = c.is_hidden or is_shared or (is_alone and c.companies > 0)
    yield LABEL, companies, f"of {of}", is_said
    if c.is_hidden:
        return
    of = f"of {c.companies:company}" if c.companies else ""
    yield "With founders from several of them", f"{c.shared}", of, is_shared
    known = f"recorded for {within(c.funding_known, c.companies, 'company')}"
    total = money(c.funding_total if c.funding_known else None, c.studies[0].currency)
    yield "Known total funding", total, known if c.funding_known else "", is_alone


def caveats(c: Counts) -> Iterator[Caveat]:
    """What setting universities side by side cannot tell; what changes its reading
    first.
    """
    questions = [study.question for study in c.studies if study.question]
    if len({asked.conditions for asked in questions}) > 1:
        text = "The companies of the universities were chosen by different conditions."
        yield Caveat(text, "filter conventions", is_material=True)
    yield material(3)(
        """The records of some universities are more complete than those of others: a
        smaller number can mean fewer records."""
    )
    if c.shared:
        yield material(2)(
            f"""{c.shared:company} {c.shared:has|have} founders from several of them
            and {c.shared:counts|count} at each, so the columns are not added up."""
        )
    yield ALUMNI
