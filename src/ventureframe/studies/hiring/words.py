"""What a study of hiring says, computed from its counts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ventureframe.display.wording import among, counted, listed, number, verb
from ventureframe.evidence.claims import Caveat, Claim, KeyFigure, Rule, carried
from ventureframe.evidence.dropped import Dropped
from ventureframe.interface.fields import Currency

OPERATIONAL: Final = "operational"
"""The one status that the interface names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of one study; each stands beside the number it was counted among.

    `open_jobs` is the sum of the open job counts that are recorded; `postings` are job records.
    `most_open_jobs` are the first companies by that count, `newest_posting` the company of the
    latest one and its day, `fresh` the companies with a round within twelve months and open jobs
    or postings (None: the day of the data is not stated).
    `statuses` has per recorded status (None: not recorded) the companies here and those that a
    condition on the status leaves out (None: not known).
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
    rounds_dated: int
    rounds_undated: int
    latest_several: int
    latest_not_convertible: int
    latest_and_total: int
    latest_above_total: int
    fresh: int | None
    most_open_jobs: tuple[tuple[str | None, int], ...]
    newest_posting: tuple[str | None, dt.date] | None
    counts_as_postings: int
    flagged_with_postings: int
    statuses: tuple[tuple[str | None, int, int | None], ...]
    dropped: tuple[Dropped, ...]


def companies(count: int) -> str:
    """The count with its noun."""
    return counted(count, "company")


def flagged(counts: Counts) -> str:
    """How many companies carry the hiring flag, of how many."""
    carry = verb(counts.hiring, "carries", "carry")
    return f"{number(counts.hiring)} of {companies(counts.companies)} {carry} the hiring flag"


def postings(counts: Counts) -> str:
    """How many postings of how many companies were returned."""
    return f"{counted(counts.postings, 'posting')} of {companies(counts.companies_with_postings)}"


def dated(counts: Counts) -> str:
    """How many postings have a date, of how many."""
    return f"{number(counts.postings_dated)} of {counted(counts.postings, 'posting')} dated"


def in_family(counts: Counts) -> str:
    """How many postings match a keyword of a role family, of how many."""
    return f"{number(counts.postings_in_family)} of {counted(counts.postings, 'posting')}"


def by_status(counts: Counts) -> str:
    """How many companies have each recorded status, and how many have none."""
    known = [f"{number(here)} {status}" for status, here, _ in counts.statuses if status and here]
    without = sum(here for status, here, _ in counts.statuses if status is None)
    return ", ".join([*known, *([f"{number(without)} not recorded"] if without else [])])


def answer(counts: Counts) -> str:
    """The bottom line: who has most open jobs, who is flagged as hiring, and who posted last."""
    c = counts
    if not c.companies:
        said = (
            "No company meets the conditions as recorded, which is not evidence that there is none."
        )
        return " ".join([said, *(each.sentence for each in c.dropped if each.leaves_out)])
    if not (c.open_jobs_known or c.flag_known or c.postings):
        said = (
            f"Nothing is recorded of the hiring of {_all(c)}: no hiring flag, no count of open "
            "jobs and no posting, which is not evidence that none is hiring."
        )
    else:
        said = f"{_open_jobs(c)} {_flag(c)} {_newest(c)}"
    left = " ".join(_other_statuses(c))
    return f"{said} Status: {by_status(c)}.{left and f' {left}'}"


def _all(counts: Counts) -> str:
    many = counts.companies
    return "the only company" if many == 1 else f"the {companies(many)}"


def _open_jobs(counts: Counts) -> str:
    """Who reports most open jobs, and how many are counted by how many companies."""
    c = counts
    if not c.open_jobs_known:
        return f"No count of open jobs is reported for {_all(c)}."
    is_one = c.companies == 1
    said = (
        f"{among(c.open_jobs_known, c.companies, 'company', 'companies')} "
        f"{verb(c.open_jobs_known, 'reports', 'report')} {counted(c.open_jobs, 'open job')}"
    )
    named = [f"{name or 'a company without a name'} ({number(n)})" for name, n in c.most_open_jobs]
    return f"{said}, most at {listed(named)}." if named and not is_one else f"{said}."


def _flag(counts: Counts) -> str:
    """How many carry the hiring flag, and for how many it is recorded."""
    c = counts
    if not c.flag_known:
        it = verb(c.companies, "it", "any of them")
        return f"The hiring flag is not recorded for {it}."
    if c.companies == 1:
        return f"It {verb(c.hiring, 'carries', 'does not carry')} the hiring flag."
    return (
        f"{number(c.hiring) if c.hiring else 'None'} "
        f"{verb(c.hiring, 'carries', 'carry') if c.hiring else 'carries'} the hiring flag "
        f"(recorded for {number(c.flag_known)})."
    )


def _newest(counts: Counts) -> str:
    """How many postings were returned, and the newest of them."""
    c = counts
    if not c.postings:
        return "No posting was returned, which is not evidence that there is none."
    said = f"{postings(c)} {verb(c.postings, 'was', 'were')} returned"
    if c.newest_posting is None:
        return f"{said}, {verb(c.postings, 'without', 'all without')} a date."
    name, day = c.newest_posting
    at = name or "a company without a name"
    return f"{said}, the newest of {_day(day)} at {at}."


def _day(day: dt.date) -> str:
    return f"{day.day} {day:%B %Y}"


def key_figures(counts: Counts) -> tuple[KeyFigure, ...]:
    """Open jobs, postings, and fresh rounds beside hiring."""
    c = counts
    newest = "" if c.newest_posting is None else f", newest {_day(c.newest_posting[1])}"
    fresh = KeyFigure(
        "Round within 12 months and hiring",
        number(c.fresh),
        f"of {companies(c.rounds_dated)} with a dated round; rounds requested for "
        f"{number(c.rounds_asked)}",
    )
    flag = KeyFigure(
        "With the hiring flag", number(c.hiring), f"recorded for {number(c.flag_known)}"
    )
    return (
        KeyFigure(
            "Open jobs",
            number(c.open_jobs if c.open_jobs_known else None),
            f"reported by {number(c.open_jobs_known)} of {companies(c.companies)}",
        ),
        KeyFigure(
            "Postings",
            number(c.postings),
            f"of {companies(c.companies_with_postings)}{newest}" if c.postings else "none returned",
        ),
        flag if c.fresh is None else fresh,
    )


def _other_statuses(counts: Counts) -> Iterator[str]:
    """What a condition on the status leaves out; nothing where there is none."""
    for each in counts.dropped:
        if each.field == "company_status":
            rest = [
                f"{number(left)} {status}" for status, _, left in counts.statuses if status and left
            ]
            named = f" ({', '.join(rest)})" if rest else ""
            yield (
                f"The condition on the status leaves out {_known(each.outside)} companies with "
                f"another status{named} and {_known(each.not_recorded)} without one."
            )


def _known(count: int | None) -> str:
    return "an unknown number of" if count is None else number(count)


def claims(counts: Counts) -> tuple[Claim, ...]:
    """What the study states, with the records that carry each statement."""
    c = counts
    return (
        Claim(
            f"{companies(c.hiring)} flagged as hiring",
            carried(c.hiring, "established"),
            "the hiring flag of the company record",
        ),
        Claim(
            f"{counted(c.postings, 'posting')} at {companies(c.companies_with_postings)}",
            carried(c.postings, "established"),
            "job records whose entity_id is the company",
        ),
        Claim(
            f"{counted(c.postings_in_family, 'posting')} in a role family",
            carried(c.postings_in_family, "candidate"),
            "a keyword in the title, from the list shown; a match of words",
        ),
        Claim(
            f"postings of {companies(c.companies - c.companies_with_postings)}",
            "not recorded",
            "no job record was returned for them",
        ),
    )


def caveats(counts: Counts, currency: Currency, scope: str) -> tuple[Caveat, ...]:
    """What this study cannot tell, with its own numbers and what the companies have in common."""
    c = counts
    every = f"the {companies(c.companies)} ({scope})"
    silent, undated = c.companies - c.companies_with_postings, c.postings - c.postings_dated
    material: dict[str, Rule | None] = {
        f"Of {every}, {number(silent)} {verb(silent, 'has', 'have')} no posting here and may still "
        "be hiring: postings can be incomplete.": "reading rule 3" if silent else None,
        f"Funding rounds were requested for {number(c.rounds_asked)} of {every}, the first of the "
        f"ranking: {_of_rounds(c)}": "reading rule 3" if c.rounds_asked < c.companies else None,
    }
    rules: dict[str, Rule | None] = {
        "A role family is a keyword in a title (the list is shown), which is not proof that "
        "the company needs the role; a title can also hold the company's own name. "
        f"{among(c.postings_in_family, c.postings, 'posting')} ({scope}) "
        f"{verb(c.postings_in_family, 'matches', 'match')} a family, and one can match several.": (
            "reading rule 3" if c.postings else None
        ),
        _agreement(c, every): "reading rule 8" if c.companies else None,
        f"Of {every}, {number(_operational(c))} are recorded as operational, which can mean that "
        "no closing and no acquisition is recorded.": "reading rule 3" if _operational(c) else None,
        f"Total funding in {currency} is known for {number(c.funding_known)} of {every}; a missing "
        "amount is not filled. A total without a rate cannot be told from one that is not "
        "reported.": "reading rule 3" if c.companies else None,
        f"Funding rounds were requested for {every}: {_of_rounds(c)}": "reading rule 3"
        if c.rounds_asked == c.companies > 0
        else None,
        f"For {companies(c.latest_several)} ({scope}) several rounds share the latest date, so no "
        "amount is shown as the latest.": "reading rule 3" if c.latest_several else None,
        f"The latest round of {companies(c.latest_not_convertible)} ({scope}) is recorded in a "
        f"currency that is not converted to {currency}; its amount as announced is shown.": None
        if not c.latest_not_convertible
        else "reading rule 3",
        f"The latest round is larger than the company's total funding in {currency} for "
        f"{number(c.latest_above_total)} of {companies(c.latest_and_total)} ({scope}) with "
        "both: the two can be converted at rates of different days and be updated at different "
        "times.": "reading rule 8" if c.latest_above_total else None,
        f"{counted(undated, 'posting')} without a date ({scope}) {verb(undated, 'is', 'are')} "
        "counted in no month.": "reading rule 3" if undated else None,
    }
    said = [Caveat(text, rule) for text, rule in rules.items() if rule]
    main = [Caveat(text, rule, is_material=True) for text, rule in material.items() if rule]
    return (*main, *said, *(_of(scope, each) for each in c.dropped if each.leaves_out))


def _of(scope: str, dropped: Dropped) -> Caveat:
    """The caveat of a condition, which says what the companies have in common."""
    text = dropped.caveat.text
    return Caveat(f"{scope}: {text[0].lower()}{text[1:]}", dropped.caveat.rule)


def _of_rounds(counts: Counts) -> str:
    """What requesting the rounds of some companies gave, and how many others were not asked for."""
    c, others = counts, counts.companies - counts.rounds_asked
    none = c.rounds_asked - c.rounds_dated - c.rounds_undated
    unknown = (
        f" Nothing was requested for the other {number(others)}, so nothing is known of "
        f"{verb(others, 'it', 'them')}."
    )
    said = (
        ("dated rounds", c.rounds_dated),
        ("only rounds without a date", c.rounds_undated),
        ("none, which is not evidence of none,", none),
    )
    returned = listed(f"{what} for {number(count)}" for what, count in said if count)
    return f"the service returned {returned or 'nothing'}.{unknown if others else ''}"


def _agreement(counts: Counts, every: str) -> str:
    """How far the three records of hiring agree in the data at hand."""
    c, known, posted = counts, counts.open_jobs_known, counts.companies_with_postings
    reported, seen = "none reports a count", "none has a posting"
    if known:
        reported = (
            f"{number(known)} {verb(known, 'reports', 'report')} a count, and for "
            f"{number(c.counts_as_postings)} of these it equals the number of postings returned"
        )
    if posted:
        flagged = c.flagged_with_postings
        seen = (
            f"{number(posted)} {verb(posted, 'has', 'have')} a posting, and {number(flagged)} of "
            f"these {verb(flagged, 'carries', 'carry')} the hiring flag"
        )
    return (
        "The hiring flag, the open jobs count and the postings can be of different dates, and no "
        f"response says whether one is computed from another. Of {every}, {reported}; {seen}."
    )


def _operational(counts: Counts) -> int:
    return sum(here for status, here, _ in counts.statuses if status == OPERATIONAL)
