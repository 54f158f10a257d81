"""What a study of hiring says, computed from its counts."""

from __future__ import annotations

from dataclasses import dataclass

from ventureframe.display.wording import counted, number
from ventureframe.evidence.claims import Caveat, Claim, Rule
from ventureframe.interface.fields import Currency


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of one study; each stands beside the number it was counted among.

    `open_jobs` is the sum of the open job counts that are recorded; `postings` are job records.
    """

    companies: int
    flag_known: int
    hiring: int
    open_jobs_known: int
    open_jobs: int
    postings: int
    postings_dated: int
    postings_in_family: int
    companies_with_postings: int
    companies_with_news: int
    funding_known: int
    rounds_asked: int
    rounds_found: int


def companies(count: int) -> str:
    """The count with its noun."""
    return counted(count, "company", "companies")


def postings(counts: Counts) -> str:
    """How many postings of how many companies were returned."""
    return f"{counted(counts.postings, 'posting')} of {companies(counts.companies_with_postings)}"


def dated(counts: Counts) -> str:
    """How many postings have a date, of how many."""
    return f"{number(counts.postings_dated)} of {counted(counts.postings, 'posting')} dated"


def in_family(counts: Counts) -> str:
    """How many postings match a keyword of a role family, of how many."""
    return f"{number(counts.postings_in_family)} of {counted(counts.postings, 'posting')}"


def answer(counts: Counts) -> str:
    """The bottom line in one sentence."""
    c = counts
    if not c.companies:
        return "0 companies meet the conditions as recorded, which is not evidence of none."
    return (
        f"{number(c.hiring)} of {companies(c.companies)} carry the hiring flag (recorded for "
        f"{number(c.flag_known)}); {postings(c)} were returned, and "
        f"{counted(c.open_jobs, 'open job')} are counted by the "
        f"{number(c.open_jobs_known)} that report a count."
    )


def claims(counts: Counts) -> tuple[Claim, ...]:
    """What the study states, with the records that carry each statement."""
    c = counts
    return (
        Claim(
            f"{companies(c.hiring)} flagged as hiring",
            "established",
            "the hiring flag of the company record",
        ),
        Claim(
            f"{counted(c.postings, 'posting')} at {companies(c.companies_with_postings)}",
            "established",
            "job records whose entity_id is the company",
        ),
        Claim(
            f"{counted(c.postings_in_family, 'posting')} in a role family",
            "candidate",
            "a keyword in the title, from the list shown; a match of words",
        ),
        Claim(
            f"postings of {number(c.companies - c.companies_with_postings)} companies",
            "not recorded",
            "no job record was returned for them",
        ),
    )


def caveats(counts: Counts, currency: Currency) -> tuple[Caveat, ...]:
    """What this study cannot tell, with its own numbers."""
    c = counts
    silent, undated = c.companies - c.companies_with_postings, c.postings - c.postings_dated
    rules: dict[str, Rule | None] = {
        f"{companies(silent)} without a posting here may be hiring: postings can be "
        "incomplete.": "reading rule 3",
        "A role family is a keyword in a title (the list is shown), which is not proof that "
        "the company needs the role; a title can also hold the company's own name. "
        f"{number(c.postings - c.postings_in_family)} of {counted(c.postings, 'posting')} "
        "match no family, and one can match several.": "reading rule 3",
        "The hiring flag, the open jobs count and the postings are three records that can be "
        "of different dates; none is computed from another.": "reading rule 8",
        f"Total funding in {currency} is known for {number(c.funding_known)} of "
        f"{companies(c.companies)}; a missing amount is not filled.": "reading rule 3",
        f"Funding rounds were asked for {number(c.rounds_asked)} of {companies(c.companies)}, "
        "the first of the ranking, and a dated round was returned for "
        f"{number(c.rounds_found)}; of the others nothing was asked, so nothing is "
        "known.": "reading rule 3",
        f"{counted(undated, 'posting')} without a date in no month.": "reading rule 3"
        if undated
        else None,
    }
    return tuple(Caveat(text, rule) for text, rule in rules.items() if rule)
