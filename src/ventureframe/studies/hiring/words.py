"""What a study of hiring says, computed from its counts."""

import datetime as dt
from collections.abc import Iterator

from ventureframe.display.wording import Count, among, listed, number
from ventureframe.evidence.claims import Caveat, Claim, KeyFigure, carried
from ventureframe.interface.fields import Currency
from ventureframe.studies.hiring.study import Counts

OPERATIONAL = "operational"
"""The one status that the interface names."""


def answer(c: Counts) -> str:
    """The bottom line: who has most open jobs, who is flagged as hiring, and who posted last."""
    if not c.companies:
        none = "No company meets the conditions as recorded"
        reasons = (condition.sentence for condition in c.dropped if condition.leaves_out)
        return " ".join([f"{none}, which is not evidence that there is none.", *reasons])
    every = "the only company" if c.companies == 1 else f"the {c.companies:company}"
    said = f"{_open_jobs(c, every)} {_flag(c)} {_newest(c)}"
    if not (c.open_jobs_known or c.flag_known or c.postings):
        said = (
            f"Nothing is recorded of the hiring of {every}: no hiring flag, no count of open jobs "
            "and no posting, which is not evidence that none is hiring."
        )
    here = [f"{number(count)} {status}" for status, count, _ in c.statuses if status and count]
    if without := sum(count for status, count, _ in c.statuses if status is None):
        here.append(f"{number(without)} not recorded")
    return " ".join([f"{said} Status: {', '.join(here)}.", *_other_statuses(c)])


def _open_jobs(c: Counts, every: str) -> str:
    """Who reports most open jobs, and how many are counted by how many companies."""
    known = c.open_jobs_known
    if not known:
        return f"No count of open jobs is reported for {every}."
    firsts = (
        f"{name or 'a company without a name'} ({number(jobs)})" for name, jobs in c.most_open_jobs
    )
    most = f", most at {listed(firsts)}" if c.most_open_jobs and c.companies > 1 else ""
    who = among(known, c.companies, "company", "companies")
    return f"{who} {known:reports|report} {c.open_jobs:open job}{most}."


def _flag(c: Counts) -> str:
    """How many carry the hiring flag, and for how many it is recorded."""
    if not c.flag_known:
        return f"The hiring flag is not recorded for {c.companies:it|any of them}."
    if c.companies == 1:
        return f"It {c.hiring:carries|does not carry} the hiring flag."
    many = f"{c.hiring} {c.hiring:carries|carry}" if c.hiring else "None carries"
    return f"{many} the hiring flag (recorded for {c.flag_known})."


def _newest(c: Counts) -> str:
    """How many postings were returned, and the newest of them."""
    if not c.postings:
        return "No posting was returned, which is not evidence that there is none."
    when = f"{c.postings:without|all without} a date"
    if c.newest_posting is not None:
        name, day = c.newest_posting
        when = f"the newest of {_day(day)} at {name or 'a company without a name'}"
    return f"{c.returned} {c.postings:was|were} returned, {when}."


def _day(day: dt.date) -> str:
    return f"{day.day} {day:%B %Y}"


def _other_statuses(c: Counts) -> Iterator[str]:
    """What a condition on the status leaves out; nothing where there is none."""
    rest = [f"{number(left)} {status}" for status, _, left in c.statuses if status and left]
    named = f" ({', '.join(rest)})" if rest else ""
    for condition in c.dropped:
        if condition.field == "company_status":
            outside, missing = (
                "an unknown number of" if count is None else number(count)
                for count in (condition.outside, condition.not_recorded)
            )
            yield (
                f"The condition on the status leaves out {outside} companies with another "
                f"status{named} and {missing} without one."
            )


def key_figures(c: Counts) -> tuple[KeyFigure, ...]:
    """Open jobs, postings, and fresh rounds beside hiring."""
    newest = "" if c.newest_posting is None else f", newest {_day(c.newest_posting[1])}"
    fresh = KeyFigure(
        "Round within 12 months and hiring",
        number(c.fresh),
        f"of {c.rounds_dated:company} with a dated round; rounds requested for {c.rounds_asked}",
    )
    flag = KeyFigure("With the hiring flag", f"{c.hiring}", f"recorded for {c.flag_known}")
    return (
        KeyFigure(
            "Open jobs",
            number(c.open_jobs if c.open_jobs_known else None),
            f"reported by {c.open_jobs_known} of {c.companies:company}",
        ),
        KeyFigure(
            "Postings",
            f"{c.postings}",
            f"of {c.companies_with_postings:company}{newest}" if c.postings else "none returned",
        ),
        flag if c.fresh is None else fresh,
    )


def claims(c: Counts) -> tuple[Claim, ...]:
    """What the study states, with the records that carry each statement."""
    silent = c.companies - c.companies_with_postings
    return (
        Claim(
            f"{c.hiring:company} flagged as hiring",
            carried(c.hiring, "established"),
            "the hiring flag of the company record",
        ),
        Claim(
            f"{c.postings:posting} at {c.companies_with_postings:company}",
            carried(c.postings, "established"),
            "job records whose entity_id is the company",
        ),
        Claim(
            f"{c.postings_in_family:posting} in a role family",
            carried(c.postings_in_family, "candidate"),
            "a keyword in the title, from the list shown; a match of words",
        ),
        Claim(
            f"postings of {silent:company}", "not recorded", "no job record was returned for them"
        ),
    )


def caveats(c: Counts, currency: Currency, scope: str) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers and what the companies have in common."""
    every = f"the {c.companies:company} ({scope})"
    silent = c.companies - c.companies_with_postings
    if silent:
        yield Caveat(
            f"Of {every}, {silent} {silent:has|have} no posting here and may still be hiring: "
            "postings can be incomplete.",
            "reading rule 3",
            is_material=True,
        )
    if c.rounds_asked < c.companies:
        yield Caveat(
            f"Funding rounds were requested for {c.rounds_asked} of {every}, "
            f"the first of the ranking: {_of_rounds(c)}",
            "reading rule 3",
            is_material=True,
        )
    yield from _further(c, currency, scope, every)
    for condition in c.dropped:
        if condition.leaves_out:
            text, rule = condition.caveat.text, condition.caveat.rule
            yield Caveat(f"{scope}: {text[0].lower()}{text[1:]}", rule)


def _further(c: Counts, currency: Currency, scope: str, every: str) -> Iterator[Caveat]:
    """The caveats that do not change how the answer is read."""
    undated = c.postings - c.postings_dated
    if c.postings:
        some = among(c.postings_in_family, c.postings, "posting")
        yield Caveat(
            "A role family is a keyword in a title (the list is shown), which is not proof that "
            "the company needs the role; a title can also hold the company's own name. "
            f"{some} ({scope}) {c.postings_in_family:matches|match} a family, "
            "and one can match several.",
            "reading rule 3",
        )
    if c.companies:
        yield Caveat(
            "The hiring flag, the open jobs count and the postings can be of different dates, "
            "and no response says whether one is computed from another. "
            f"Of {every}, {_agreement(c)}.",
            "reading rule 8",
        )
    if operational := sum(here for status, here, _ in c.statuses if status == OPERATIONAL):
        yield Caveat(
            f"Of {every}, {number(operational)} are recorded as operational, "
            "which can mean that no closing and no acquisition is recorded.",
            "reading rule 3",
        )
    if c.companies:
        yield Caveat(
            f"Total funding in {currency} is known for {c.funding_known} of {every}; "
            "a missing amount is not filled. "
            "A total without a rate cannot be told from one that is not reported.",
            "reading rule 3",
        )
    if c.rounds_asked == c.companies > 0:
        yield Caveat(
            f"Funding rounds were requested for {every}: {_of_rounds(c)}", "reading rule 3"
        )
    if c.latest_several:
        yield Caveat(
            f"For {c.latest_several:company} ({scope}) several rounds share the latest date, "
            "so no amount is shown as the latest.",
            "reading rule 3",
        )
    if c.latest_not_convertible:
        yield Caveat(
            f"The latest round of {c.latest_not_convertible:company} ({scope}) is recorded in a "
            f"currency that is not converted to {currency}; its amount as announced is shown.",
            "reading rule 3",
        )
    if c.latest_above_total:
        yield Caveat(
            f"The latest round is larger than the company's total funding in {currency} for "
            f"{c.latest_above_total} of {c.latest_and_total:company} ({scope}) with both: the two "
            "can be converted at rates of different days and be updated at different times.",
            "reading rule 8",
        )
    if undated:
        yield Caveat(
            f"{undated:posting} without a date ({scope}) {undated:is|are} counted in no month.",
            "reading rule 3",
        )


def _of_rounds(c: Counts) -> str:
    """What requesting the rounds of some companies gave, and how many others were not asked for."""
    others = c.companies - c.rounds_asked
    none = c.rounds_asked - c.rounds_dated - c.rounds_undated
    kinds: dict[str, Count] = {
        "dated rounds": c.rounds_dated,
        "only rounds without a date": c.rounds_undated,
        "none, which is not evidence of none,": none,
    }
    returned = listed(f"{kind} for {count}" for kind, count in kinds.items() if count)
    rest = (
        f" Nothing was requested for the other {others}, so nothing is known of {others:it|them}."
    )
    return f"the service returned {returned or 'nothing'}.{rest if others else ''}"


def _agreement(c: Counts) -> str:
    """How far the three records of hiring agree in the data at hand."""
    known, posted, flagged = c.open_jobs_known, c.companies_with_postings, c.flagged_with_postings
    reported = (
        f"{known} {known:reports|report} a count, and for {c.counts_as_postings} of these it "
        "equals the number of postings returned"
    )
    seen = (
        f"{posted} {posted:has|have} a posting, and {flagged} of these "
        f"{flagged:carries|carry} the hiring flag"
    )
    reported = reported if known else "none reports a count"
    return f"{reported}; {seen if posted else 'none has a posting'}"
