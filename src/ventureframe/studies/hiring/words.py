"""What a study of hiring says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import among, listed, number
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.studies.hiring.study import Counts

_NO_NAME = "a company without a name"


def answer(c: Counts) -> str:
    """The bottom line: who has most open jobs, who is flagged as hiring, and who posted last."""
    if not c.companies:
        left = " ".join(drop.sentence for drop in c.dropped if drop.leaves_out)
        return f"""No company meets the conditions as recorded, which is not evidence that there
            is none. {left}"""
    every = "the only company" if c.companies == 1 else f"the {c.companies:company}"
    jobs = f"No count of open jobs is reported for {every}."
    if known := c.open_jobs_known:
        firsts = listed(f"{name or _NO_NAME} ({number(jobs)})" for name, jobs in c.most_open_jobs)
        most = f", most at {firsts}" if firsts and c.companies > 1 else ""
        who = among(known, c.companies, "company", "companies")
        jobs = f"{who} {known:reports|report} {c.open_jobs:open job}{most}."
    flag = f"The hiring flag is not recorded for {c.companies:it|any of them}."
    if c.flag_known and c.companies == 1:
        flag = f"It {c.hiring:carries|does not carry} the hiring flag."
    elif c.flag_known:
        many = f"{c.hiring} {c.hiring:carries|carry}" if c.hiring else "None carries"
        flag = f"{many} the hiring flag (recorded for {c.flag_known})."
    posted = "No posting was returned, which is not evidence that there is none."
    if c.postings:
        when = f"{c.postings:without|all without} a date"
        if c.newest_posting is not None:
            name, day = c.newest_posting
            when = f"the newest of {day.day} {day:%B %Y} at {name or _NO_NAME}"
        posted = f"{c.returned} {c.postings:was|were} returned, {when}."
    hiring = f"{jobs} {flag} {posted}"
    if not (c.open_jobs_known or c.flag_known or c.postings):
        hiring = f"""Nothing is recorded of the hiring of {every}: no hiring flag, no count of open
            jobs and no posting, which is not evidence that none is hiring."""
    here = [f"{number(count)} {status}" for status, count, _ in c.statuses if status and count]
    if without := sum(count for status, count, _ in c.statuses if status is None):
        here.append(f"{number(without)} not recorded")
    rest = ", ".join(f"{number(left)} {name}" for name, _, left in c.statuses if name and left)
    text = f"{hiring} Status: {', '.join(here)}."
    for drop in c.dropped:
        if drop.field == "company_status":
            counts = (drop.outside, drop.not_recorded)
            none = "an unknown number of"
            outside, missing = (none if count is None else number(count) for count in counts)
            text += f""" The condition on the status leaves out {outside} companies with another
                status{f" ({rest})" if rest else ""} and {missing} without one."""
    return text


def key_figures(c: Counts) -> Iterator[tuple[str, str, str]]:
    """Open jobs, postings, and fresh rounds beside hiring."""
    known = f"reported by {c.open_jobs_known} of {c.companies:company}"
    yield "Open jobs", number(c.open_jobs if c.open_jobs_known else None), known
    _, day = c.newest_posting or (None, None)
    newest = f", newest {day.day} {day:%B %Y}" if day else ""
    posted = f"of {c.companies_with_postings:company}{newest}" if c.postings else "none returned"
    yield "Postings", f"{c.postings}", posted
    dated = f"of {c.rounds_dated:company} with a dated round"
    fresh = f"{c.fresh}", f"{dated}; rounds requested for {c.rounds_asked}"
    flag = "With the hiring flag", f"{c.hiring}", f"recorded for {c.flag_known}"
    yield flag if c.fresh is None else ("Round within 12 months and hiring", *fresh)


def claims(c: Counts) -> Iterator[tuple[str, str, str]]:
    """What the study states, with the records that carry each statement."""
    flagged, silent = f"{c.hiring:company} flagged", c.companies - c.companies_with_postings
    yield f"{flagged} as hiring", "established", "the hiring flag of the company record"
    posted = f"{c.postings:posting} at {c.companies_with_postings:company}"
    yield posted, "established", "job records whose entity_id is the company"
    matched = f"{c.postings_in_family:posting} in a role family"
    match = "a keyword in the title, from the list shown; a match of words"
    yield matched, "candidate" if c.postings_in_family else "not recorded", match
    none = f"postings of {silent:company}", "not recorded"
    yield *none, "no job record was returned for them"


def caveats(c: Counts) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers and what the companies have in common."""
    if c.companies:
        yield from _of_companies(c, c.scope, f"the {c.companies:company} ({c.scope})")
    for caveat in (drop.caveat for drop in c.dropped if drop.leaves_out):
        text = f"{c.scope}: {caveat.text[0].lower()}{caveat.text[1:]}"
        yield Caveat(text, caveat.rule)


def _of_companies(c: Counts, scope: str, every: str) -> Iterator[Caveat]:
    if silent := c.companies - c.companies_with_postings:
        yield material(3)(f"""Of {every}, {silent} {silent:has|have} no posting here and may still
            be hiring: postings can be incomplete.""")
    if c.rounds_asked < c.companies:
        yield material(3)(f"""Funding rounds were requested for {c.rounds_asked} of {every}, the
            first of the ranking: {_of_rounds(c)}""")
    if c.postings:
        matched, some = c.postings_in_family, among(c.postings_in_family, c.postings, "posting")
        yield limit(3)(f"""A role family is a keyword in a title (the list is shown), which is not
            proof that the company needs the role; a title can also hold the company's own name.
            {some} ({scope}) {matched:matches|match} a family, and one can match several.""")
    known, posted, flagged = c.open_jobs_known, c.companies_with_postings, c.flagged_with_postings
    counting, carrying = "none reports a count", "none has a posting"
    if known:
        equal = f"for {c.counts_as_postings} of these it equals the number of postings returned"
        counting = f"{known} {known:reports|report} a count, and {equal}"
    if posted:
        these = f"{flagged} of these {flagged:carries|carry} the hiring flag"
        carrying = f"{posted} {posted:has|have} a posting, and {these}"
    yield limit(8)(f"""The hiring flag, the open jobs count and the postings can be of different
        dates, and no response says whether one is computed from another. Of {every},
        {counting}; {carrying}.""")
    if operational := sum(here for status, here, _ in c.statuses if status == "operational"):
        yield limit(3)(f"""Of {every}, {number(operational)} are recorded as operational, which can
            mean that no closing and no acquisition is recorded.""")
    yield limit(3)(f"""Total funding in {c.currency} is known for {c.funding_known} of {every}; a
        missing amount is not filled. A total without a rate cannot be told from one that is not
        reported.""")
    if c.rounds_asked == c.companies:
        yield limit(3)(f"Funding rounds were requested for {every}: {_of_rounds(c)}")
    if c.latest_several:
        yield limit(3)(f"""For {c.latest_several:company} ({scope}) several rounds share the latest
            date, so no amount is shown as the latest.""")
    if c.latest_not_convertible:
        yield limit(3)(f"""The latest round of {c.latest_not_convertible:company} ({scope}) is
            recorded in a currency that is not converted to {c.currency}; its amount as announced
            is shown.""")
    if c.latest_above_total:
        yield limit(8)(f"""The latest round is larger than the company's total funding in
            {c.currency} for {c.latest_above_total} of {c.latest_and_total:company} ({scope}) with
            both: the two can be converted at rates of different days and be updated at different
            times.""")
    if undated := c.postings - c.postings_dated:
        yield limit(3)(f"""{undated:posting} without a date ({scope}) {undated:is|are} counted in
            no month.""")


def _of_rounds(c: Counts) -> str:
    """What requesting the rounds of some companies gave, and how many others were not asked for."""
    others = c.companies - c.rounds_asked
    kinds = {
        "dated rounds": c.rounds_dated,
        "only rounds without a date": c.rounds_undated,
        "none, which is not evidence of none,": c.rounds_asked - c.rounds_dated - c.rounds_undated,
    }
    returned = listed(f"{kind} for {count}" for kind, count in kinds.items() if count)
    rest = (
        f" Nothing was requested for the other {others}, so nothing is known of {others:it|them}."
    )
    return f"the service returned {returned or 'nothing'}.{rest if others else ''}"
