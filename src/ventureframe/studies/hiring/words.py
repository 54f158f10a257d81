"""What a study of hiring says, computed from its counts."""

from collections.abc import Iterator, Sequence

from ventureframe.display.wording import among, day_in_words, listed, number, within
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.evidence.dropped import sentences
from ventureframe.studies.hiring.roles import ROLES, kind, wider
from ventureframe.studies.hiring.study import Counts

_NO_NAME = "a company without a name"


def answer(c: Counts) -> str:
    """The bottom line: who is flagged as hiring, who has open jobs, and who posted
    last.
    """
    if not c.companies:
        return f"No company was found. {sentences(c.dropped)}".strip()
    texts = [*_flags(c), *_open_jobs(c)]
    if c.roles and c.postings:
        texts.insert(0, _matches(c))
    else:
        texts.append(_postings(c))
    is_silent = not (c.flag_known or c.open_jobs_known or c.postings)
    if is_silent and c.funding_known:
        firms = within(c.funding_known, c.companies, "company")
        texts.insert(0, f"Total funding is known for {firms}.")
    return " ".join(texts)


def _flags(c: Counts) -> Iterator[str]:
    """How many companies are flagged as hiring, unless they were chosen by that."""
    if "is_hiring" in c.chosen_by:
        return
    some = among(c.hiring, c.companies, "company")
    are = "are" if c.hiring > 1 else "is"
    silent = c.companies - c.flag_known
    if not c.flag_known:
        yield "No hiring flag is recorded."
    elif silent:
        yield f"{some} {are} flagged as hiring ({silent} {silent:has|have} no flag)."
    else:
        yield f"{some} {are} flagged as hiring."


def _open_jobs(c: Counts) -> Iterator[str]:
    """How many open jobs the companies count, unless these are the postings."""
    if _counts_alike(c):
        return
    firms = within(c.open_jobs_known, c.companies, "company")
    jobs, some, most = c.open_jobs, c.with_open_jobs, c.most_open_jobs
    where = "all" if some == c.open_jobs_known else f"{some}"
    if not c.open_jobs_known:
        yield "No count of open jobs is recorded."
    elif not jobs:
        yield f"Open jobs are counted for {firms}: none."
    elif some == 1:
        name = most[0][0] or _NO_NAME
        yield f"Open jobs are counted for {firms}: {jobs}, at {name}."
    elif some == len(most):
        yield f"Open jobs are counted for {firms}: {jobs}, at {_numbers(most)}."
    elif most:
        yield (
            f"Open jobs are counted for {firms}: {jobs} at {where} of them, most at"
            f" {_numbers(most)}."
        )
    else:
        yield f"Open jobs are counted for {firms}: {jobs} at {where} of them."


def _counts_alike(c: Counts) -> bool:
    """Whether the companies count as many open jobs as there are postings."""
    return not c.counts_differ and c.open_jobs == c.postings > 0


def _matches(c: Counts) -> str:
    """How many postings match the roles, at whom, and the newest."""
    matched, firms, most = c.matched, c.companies_matching, c.most_matching
    if not c.postings_in_family:
        return f"{matched}."
    if c.postings_in_family == 1:
        return f"{matched}, of {_newest(c)}."
    if firms == len(most):
        return f"{matched}, at {_numbers(most)}, the newest of {_newest(c)}."
    if not most:
        return f"{matched}, at {firms:company}, the newest of {_newest(c)}."
    return (
        f"{matched}, at {firms:company}, most at {_numbers(most)}, the newest of"
        f" {_newest(c)}."
    )


def _postings(c: Counts) -> str:
    """How many postings there are, at how many companies, and the newest."""
    if not c.jobs_read:
        return "No job records were read."
    firms = within(c.companies_with_postings, c.jobs_read, c.whose_jobs)
    if c.companies == 1 and not c.postings:
        return "No posting is recorded."
    if not c.postings:
        return f"Postings are recorded for {firms}."
    if c.postings == 1:
        return f"One posting is recorded, of {_newest(c)}."
    most = c.most_open_jobs
    if _counts_alike(c) and 0 < len(most) < c.companies_with_postings:
        return (
            f"{c.postings} postings are recorded for {firms}, most at"
            f" {_numbers(most)}, the newest of {_newest(c)}."
        )
    return (
        f"{c.postings} postings are recorded for {firms}, the newest of {_newest(c)}."
    )


def _newest(c: Counts) -> str:
    """The day of the newest of these postings, and their companies."""
    day = "an unknown day"
    if c.newest_day is not None:
        day = day_in_words(c.newest_day)
    if len(c.newest_at) > 3:
        return f"{day} ({len(c.newest_at)} companies)"
    return f"{day} ({listed(name or _NO_NAME for name in c.newest_at)})"


def _numbers(firsts: Sequence[tuple[str | None, int]]) -> str:
    """Companies with a number each: `Acme (3) and Beta (1)`."""
    return listed(f"{name or _NO_NAME} ({number(n)})" for name, n in firsts)


def key_figures(c: Counts) -> Iterator[tuple[str, str, str, bool]]:
    """Postings, fresh rounds beside hiring and the recorded statuses; and whether the
    answer says the number.
    """
    if c.postings:
        firms = within(c.companies_with_postings, c.jobs_read, c.whose_jobs)
        yield "Postings", f"{c.postings}", f"at {firms}", not c.roles
    if c.is_fresh_known:
        label = f"Round since {c.fresh_since}, with open jobs or postings"
        note = f"of {c.fresh_known:company of which it is known}"
        yield label, f"{c.fresh}", note, False
    statuses = [
        f"{number(count)} {name or 'without a status'}"
        for name, count in c.statuses
        if name != "operational"
    ]
    has_status = bool(c.statuses) and c.statuses[0] != (None, c.companies)
    is_asked = "company_status" in c.chosen_by
    if statuses and has_status and c.companies > 1 and not is_asked:
        note = f"of {c.companies:company}; {listed(statuses)}"
        yield "Recorded as operational", f"{c.operational}", note, False


def claims(c: Counts) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    if "is_hiring" not in c.chosen_by:
        flagged = f"{c.hiring:company} flagged as hiring"
        yield c.hiring, flagged, "established", "the company's hiring flag"
    posted = f"{c.postings:posting} at {c.companies_with_postings:company}"
    basis = "job records that name the company by its identifier"
    yield c.postings, posted, "established", basis
    matched = f"{c.postings_in_family:posting} matching {c.looked_for}"
    keyword = "a keyword in the title, from the list shown"
    yield c.postings_in_family, matched, "candidate", keyword
    silent = c.jobs_read - c.companies_with_postings
    none = "no job record that was read names the company"
    yield silent, f"Postings of {silent:company}", "not recorded", none


def caveats(c: Counts) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers."""
    if c.companies_with_postings < c.jobs_read:
        yield material(3)(
            """That no posting is recorded for a company does not mean that there is
            none."""
        )
    for role in c.roles:
        yield from _wider(role)
    yield from _rounds(c)
    unfunded = c.companies - c.funding_known
    foreign, above = c.latest_not_convertible, c.latest_above_total
    of_records = {
        """A posting is a job record: the job can be filled by now, and older postings
            can be gone from the data.""": c.postings,
        f"""A posting matches {c.looked_for} by a keyword in its title, which is no
            proof that the company needs the role. One posting can match
            several.""": c.postings,
        """A company recorded as operational can have closed or been acquired without a
            record of it.""": c.operational,
        f"""Total funding in {c.currency} is unknown for
            {within(unfunded, c.companies, "company")}: none is recorded, or it cannot
            be converted.""": unfunded,
        f"""Several rounds can be the latest of {c.latest_several:company}, so no amount
            is shown as the latest.""": c.latest_several,
        f"""For {foreign:company} the latest round is in a currency that is not
            converted to {c.currency}; its amount is shown as announced.""": foreign,
    }
    of_dates = {
        f"""The count of open jobs is not the number of postings at
            {c.counts_differ:company}: the two can be of different
            dates.""": c.counts_differ,
        f"""Postings are recorded for {c.unflagged_with_postings:company} flagged as not
            hiring: the two can be of different
            dates.""": c.unflagged_with_postings,
        f"""The latest round is larger than total funding at
            {within(above, c.latest_and_total, "company with both")}: they can be
            converted or updated on different days.""": above,
    }
    for rule, texts in ((3, of_records), (8, of_dates)):
        yield from (limit(rule)(text) for text, count in texts.items() if count)
    # a value that does not meet a condition is no limit, one that is not recorded is
    yield from (
        drop.caveat for drop in c.dropped if drop.leaves_out and drop.not_recorded != 0
    )


def _wider(role: str) -> Iterator[Caveat]:
    """Which family is wider than the words chosen, with three of its keywords."""
    family_and_keywords = wider(role)
    if family_and_keywords is None:
        return
    family, keywords = family_and_keywords
    some = listed(f"“{word}”" for word in keywords[:3])
    yield material(3)(
        f"“{role}” is one {kind(role)}; the role family “{family}” has"
        f" {len(ROLES[family])} keywords, among them {some}."
    )


def _rounds(c: Counts) -> Iterator[Caveat]:
    """For how many companies rounds were looked up, and a dated one is recorded."""
    firms = within(c.rounds_asked, c.companies, "company")
    is_any = c.rounds_dated + c.rounds_undated > 0
    if c.companies and not c.rounds_asked:
        yield limit(3)("Funding rounds were not looked up.")
    elif c.rounds_asked < c.companies:
        is_all = c.rounds_dated == c.rounds_asked > 1
        dated = "all" if is_all else c.rounds_dated or "none"
        yield limit(3, is_material=is_any)(
            f"""Funding rounds were looked up for {firms}, the first by {c.order}. A
            dated round is recorded for {dated} of those."""
        )
    elif c.companies and not c.rounds_dated:
        yield limit(3)("No dated funding round is recorded.")
    elif c.rounds_dated < c.companies:
        firms = within(c.rounds_dated, c.companies, "company")
        yield limit(3)(f"A dated funding round is recorded for {firms}.")
    if c.rounds_undated:
        yield limit(3)(
            f"""Only funding rounds without a date are recorded for
            {c.rounds_undated:company}."""
        )
