"""What a study of hiring says, computed from its counts."""

from collections.abc import Iterator, Sequence

from ventureframe.display.wording import Count, among, listed, number, within
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.evidence.dropped import sentences, which
from ventureframe.studies.hiring.study import Counts

_NO_NAME = "a company without a name"


def answer(c: Counts) -> str:
    """The bottom line: who is flagged as hiring, who has open jobs, and who posted
    last.
    """
    if not c.companies:
        left_out = which(c.dropped) or "in the data"
        text = f"No company {left_out} meets the conditions. {sentences(c.dropped)}"
        return text.strip()
    every = f"{c.companies:the only company|the {c.companies:company}}"
    if not (c.open_jobs_known or c.flag_known or c.postings):
        nothing = "no hiring flag, no count of open jobs and no posting"
        text = f"Nothing is recorded of hiring at {every}: {nothing}."
        return " ".join((text, *_status(c)))
    said = [_flagged(c, every)]
    most = _most(c)
    if c.open_jobs_known and not _counts_alike(c):
        said.append(_reported(c, most))
        most = ""
    if c.roles and c.postings:
        said.insert(0, _matched(c))
    else:
        said.append(_posted(c, most))
    return " ".join((*said, *_status(c)))


def _most(c: Counts) -> str:
    """Where most of the open jobs are, after a comma; nothing of one company."""
    if c.companies == 1 or not c.most_open_jobs:
        return ""
    name, jobs = c.most_open_jobs[0]
    if jobs == c.open_jobs:
        return f", all at {name or _NO_NAME}"
    return f", most {_at(c.most_open_jobs)}"


def _reported(c: Counts, most: str) -> str:
    """How many open jobs the records of the companies count."""
    known = c.open_jobs_known
    some = f"{c.companies:It|They}" if known == c.companies else f"{known} of them"
    many = f"{c.open_jobs:open job}" if c.open_jobs else "no open job"
    return f"{some} {known:reports|report} {many}{most}."


def _flagged(c: Counts, every: str) -> str:
    """How many companies are flagged as hiring."""
    if not c.flag_known:
        return f"No hiring flag is recorded for {every}."
    silent = c.companies - c.flag_known
    rest = f" (not recorded for {silent})" if silent else ""
    if not c.hiring and c.companies == 1:
        return "The only company is not flagged as hiring."
    some = among(c.hiring, c.companies, "company")
    are = "are" if c.hiring > 1 else "is"
    return f"{some} {are} flagged as hiring{rest}."


def _counts_alike(c: Counts) -> bool:
    """Whether the companies count as many open jobs as there are postings."""
    is_each_alike = c.open_jobs_known == c.counts_as_postings
    return is_each_alike and c.open_jobs == c.postings > 0


def _at(firsts: Sequence[tuple[str | None, int]]) -> str:
    """At which companies how many are: `at Acme (3) and Beta (1)`, or `at Acme and
    Beta`.
    """
    has_many = any(many > 1 for _, many in firsts)
    each = (
        f"{name or _NO_NAME}{f' ({number(n)})' if has_many else ''}"
        for name, n in firsts
    )
    return f"at {listed(each)}" if firsts else ""


def _matched(c: Counts) -> str:
    """How many postings match the roles, at whom, and the newest."""
    many, some = c.companies_matching, c.postings_in_family
    if not some:
        return f"{c.matched}."
    firsts, every = _at(c.most_matching), f"at {many:company}"
    where = (
        firsts
        if many <= len(c.most_matching)
        else f"{every}{firsts and f', most {firsts}'}"
    )
    if c.companies == 1 or some == 1:
        where = f"at {c.most_matching[0][0] or _NO_NAME}"
    return f"{c.matched}: {where}, {_newest(c, some, many)}."


def _newest(c: Counts, postings: Count, companies: Count) -> str:
    """The day of the newest of the postings, and whose it is where they are of
    several.
    """
    if c.newest_posting is None:
        return f"{postings:without|all without} a date"
    name, day = c.newest_posting
    at = f" ({name or _NO_NAME})" if companies > 1 else ""
    return f"{postings:of|the newest of} {day.day} {day:%B %Y}{at}"


def _posted(c: Counts, most: str) -> str:
    """How many postings there are, at whom, and the newest."""
    if not c.postings:
        return f"No posting is linked to {c.companies:it|them}."
    where = f"{c.companies:it|{c.companies_with_postings:company}}"
    when = _newest(c, c.postings, c.companies_with_postings)
    if c.newest_posting is not None and c.companies_with_postings == 1 < c.companies:
        where, most = c.newest_posting[0] or _NO_NAME, ""
    return f"{c.postings:posting} {c.postings:is|are} linked to {where}{most}, {when}."


def _status(c: Counts) -> Iterator[str]:
    """How many companies have each status, and how many a condition on it leaves
    out.
    """
    here = [f"{number(count)} {name or 'not recorded'}" for name, count in c.statuses]
    chosen = [drop for drop in c.dropped if drop.field == "company_status"]
    if len(here) > 1 or not chosen:
        yield f"Status: {', '.join(here)}."
    yield from (drop.sentence for drop in chosen if drop.leaves_out)


def key_figures(c: Counts) -> Iterator[tuple[str, str, str, bool]]:
    """Open jobs, postings, and fresh rounds beside hiring; and whether the answer says
    the number.
    """
    if not c.companies:
        return
    known = within(c.open_jobs_known, c.companies, "company")
    is_said = c.open_jobs > 0 and not (c.roles and _counts_alike(c))
    jobs = number(c.open_jobs if c.open_jobs_known else None)
    yield "Open jobs", jobs, f"recorded for {known}", is_said
    posted = f"at {c.companies_with_postings:company}" if c.postings else ""
    if c.newest_posting and not c.roles:  # else it is of those that match
        _, day = c.newest_posting
        posted = f"{posted}, newest {day.day} {day:%B %Y}"
    yield "Postings", f"{c.postings}", posted, c.postings > 0 and not c.roles
    if c.fresh is not None and c.rounds_dated:
        dated = f"of {c.rounds_dated:company} with a dated round"
        yield "Round within 12 months and hiring", f"{c.fresh}", dated, False
        return
    known = within(c.flag_known, c.companies, "company")
    flagged = number(c.hiring if c.flag_known else None)
    yield "Flagged as hiring", flagged, f"recorded for {known}", c.hiring > 0


def claims(c: Counts) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    flagged = f"{c.hiring:company} flagged as hiring"
    yield c.hiring, flagged, "established", "the company's hiring flag"
    posted = f"{c.postings:posting} at {c.companies_with_postings:company}"
    basis = "job records that name the company by its identifier"
    yield c.postings, posted, "established", basis
    some, roles = c.postings_in_family, " or ".join(c.roles)
    matched = f"{some:posting} {f'for {roles}' if roles else 'in a role family'}"
    match, none = (
        "a keyword in the title, from the list shown",
        "no job record names the company",
    )
    yield c.postings_in_family, matched, "candidate", match
    silent = c.companies - c.companies_with_postings
    yield silent, f"Postings of {silent:company}", "not recorded", none


def caveats(c: Counts) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers."""
    if silent := c.companies - c.companies_with_postings:
        whom = within(silent, c.companies, "company")
        yield material(3)(
            f"""For {whom} no posting is recorded; {silent:it|they} may still be
            hiring."""
        )
    yield from _rounds(c)
    differing = c.open_jobs_known - c.counts_as_postings
    unflagged = c.companies_with_postings - c.flagged_with_postings
    operational = Count(sum(n for status, n in c.statuses if status == "operational"))
    unfunded = c.companies - c.funding_known
    foreign, above = c.latest_not_convertible, c.latest_above_total
    of_dates = {
        f"""For {differing:company} the count of open jobs is not the number of
            postings: the two
            can be of different dates.""": differing,
        f"""{unflagged:company with a posting} {unflagged:is|are} not flagged as
            hiring: the two can
            be of different dates.""": unflagged,
        f"""For {above:company} of {c.latest_and_total} with both, the latest round is
            larger than
            total funding: they can be converted or updated on different days.""": above,
    }
    of_records = {
        """Postings are the openings listed on the day of the data. One that is no
            longer listed is
            closed or filled, so earlier months show fewer than there were.""": c.postings,
        f"""{"A match" if c.roles else "A role family"} is a keyword in a title, from
            the list
            shown, and no proof that the company needs the role. {c.matched}; one can
            match
            several.""": c.postings,
        f"""{operational:company} {operational:is|are} recorded as operational, which
            can mean only
            that no closing and no acquisition is recorded.""": operational,
        f"""Total funding in {c.currency} is unknown for
            {within(unfunded, c.companies, "company")}: none is recorded, or it cannot be
            converted.""": unfunded,
        f"""For {c.latest_several:company} several rounds can be the latest, so no
            amount is shown
            as the latest.""": c.latest_several,
        f"""The latest round of {foreign:company} is in a currency that is not
            converted to
            {c.currency}; its amount is shown as announced.""": foreign,
    }
    for rule, texts in ((3, of_records), (8, of_dates)):
        yield from (limit(rule)(text) for text, many in texts.items() if many)
    # a value that does not meet a condition is no limit, one that is not recorded is
    yield from (
        drop.caveat for drop in c.dropped if drop.leaves_out and drop.not_recorded != 0
    )


def _rounds(c: Counts) -> Iterator[Caveat]:
    """For which companies rounds are shown, and for how many any is recorded."""
    asked, rest = c.rounds_asked, c.companies - c.rounds_asked
    firms = f"{asked:company|{asked:company}}"
    which = f"first {firms} of the ranking" if rest else firms
    others = (
        f" {rest:The other one was|The other {rest} were} not looked up."
        if rest
        else ""
    )
    none = asked - c.rounds_dated - c.rounds_undated
    kinds = {
        "a dated funding round": c.rounds_dated,
        "only undated rounds": c.rounds_undated,
    }
    kinds["no round on record"] = none
    has = listed(
        f"{count} {count:has|have} {kind}" for kind, count in kinds.items() if count
    )
    text = (
        f"The {which} {has[2:]}.{others}"
        if asked == 1
        else f"Of the {which}, {has}.{others}"
    )
    if none == asked:
        text = f"No funding round of the {which} is recorded in this data.{others}"
    if not asked:
        text = "Funding rounds are not part of this study."
    if c.rounds_dated < c.companies:
        yield limit(3, is_material=none < asked < c.companies)(text)
