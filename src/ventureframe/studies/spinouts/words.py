"""What a study of a university's founders says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import condition, listed, money, within
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.evidence.dropped import sentences
from ventureframe.studies.spinouts.study import TOP_TEN, Counts, kinds_not_counted


def answer(c: Counts) -> str:
    """The bottom line: companies counted, their funding, and those not counted."""
    name, pool, linked = c.university.name, c.pool, c.companies_evidenced
    if not pool and c.dropped:
        all_of = listed(condition(drop.condition, c.currency) for drop in c.dropped)
        return f"No company {all_of} is found for {name}. {sentences(c.dropped)}"
    if not pool:
        return f"""No company is found for {name} by {c.found_by[0]}. The records can
            be incomplete."""
    if c.silence:
        return f"""It is not known where the founders of {pool:company} found for
            {name} studied: {c.silence}."""
    parts = [
        f"""No company is counted for {name}: no education entry that was read carries
        its identifier."""
    ]
    if linked:
        people = f"{c.founders_evidenced:founder}"
        parts = [
            f"{linked:company} {linked:has|have} a founder who studied at {name}"
            f" ({people}).",
            _funding(c),
        ]
    parts += _not_counted(c)
    return " ".join(parts[:3])  # the key figures have the rest


def _funding(c: Counts) -> str:
    """For how many companies the total is known, how much that is, and who has most."""
    funded, linked, leaders = c.funding_known, c.companies_evidenced, c.funding_leaders
    if not funded:
        return f"No total funding is known in {c.currency} for {linked:it|any of them}."
    whom, most = within(funded, linked, "company"), money(c.funding_most, c.currency)
    if funded == 1:
        return f"Total funding is known for {whom}: {most}, at {leaders}."
    total = money(c.funding_total, c.currency)
    return f"""Total funding is known for {whom}: {total} together, the largest {most}
        at {leaders}."""


def _not_counted(c: Counts) -> Iterator[str]:
    """The companies found and not counted, by what their founders' education says."""
    name = c.university.name
    company = "further company" if c.companies_evidenced else "company"
    named, alike, unread = c.companies_named, c.companies_same_name, c.companies_unread
    if named:
        yield f"""{named:{company}} {named:has|have} a founder whose education names
            {name} without its identifier: {named:a candidate|candidates}, not
            counted."""
    if alike:
        yield f"""{alike:{company}} {alike:has|have} a founder of another institution
            of that name only: not counted."""
    if unread:
        yield f"For {unread:{company}}, no education entry that was read names {name}."


def key_figures(c: Counts) -> Iterator[tuple[str, str, str, bool]]:
    """Companies counted, what is known of the funding, and those not counted or how
    much of it the largest ten hold; and whether the answer says the number.
    """
    linked, not_counted = c.companies_evidenced, kinds_not_counted(c)
    people = f"{c.founders_evidenced:founder}" if linked else ""
    yield LABEL, "not known" if c.silence else f"{linked}", people, True
    if c.funding_known:
        total = money(c.funding_total, c.currency)
        yield "Known total funding", total, c.known_funding, True
    if len(not_counted) > 1:
        kinds = listed(not_counted)
        yield "Companies found, not counted", f"{c.pool - linked}", kinds, False
    elif c.funding_known > TOP_TEN:
        yield "Held by the ten largest", c.held_by_ten, "of the known total", False


def claims(c: Counts) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    name, linked, named = c.university.name, c.companies_evidenced, c.companies_named
    alike, unread, silent = c.companies_same_name, c.companies_unread, c.founders_silent
    yield (
        linked,
        f"{linked:company} with a founder who studied at {name}",
        "established",
        f"""education entries of {c.founders_evidenced:founder} that carry its
        identifier, {c.university.uuid}""",
    )
    yield (
        named,
        f"{named:company} with a founder whose education names {name}",
        "candidate",
        "the entry carries no identifier",
    )
    yield (
        alike,
        f"{alike:company} with a founder of another institution named {name} only",
        "same_name_other_id",
        "education entries with this name and another identifier",
    )
    hidden = f"the service does not show {c.hidden}"
    yield (
        unread,
        f"Founders who studied at {name}, of {unread:company} found by {c.found_by[0]}",
        "not recorded",
        hidden if c.hidden else "no education entry that was read names it",
    )
    yield (
        silent,
        f"Education of {within(silent, c.founders_asked, 'founder')} found for {name}",
        "not recorded",
        "no education entry was read",
    )


LABEL = "Companies with a founder who studied there"
ALUMNI = material(4)(
    """A company counts when at least one present or former founder studied there; the
    data do not say whether it is a spinout."""
)
"""What every statement about companies and a university means."""


def caveats(c: Counts) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers; each number names the
    university.

    Those that change the reading come first: what counts, and whose education is not
    recorded.
    """
    name, (found_by, missed) = c.university.name, c.found_by
    named, alike = c.founders_candidate, c.founders_same_name
    yield ALUMNI
    if c.gaps:
        yield material(3)(f"Alumni of {name} may be left out: {listed(c.gaps)}.")
    yield limit(2)(f"Companies are found by {found_by}. {missed}")
    for drop in c.dropped:
        if drop.leaves_out:
            yield limit(3)(f"{name}: {drop.caveat.text}")
    if 0 < c.funding_known < c.companies_evidenced:
        yield limit(3)(
            f"""Sums for {name} leave out totals that are not recorded or not
            convertible to {c.currency}."""
        )
    if named:
        yield limit(2)(
            f"""{named:founder} found for {name} {named:is a candidate|are candidates}:
            an education entry names it without its identifier."""
        )
    if alike:
        yield limit(2)(
            f"""{alike:founder} found for {name} {alike:is|are} not counted: the
            education recorded is of another institution of the same name."""
        )
    if c.years_known:
        yield limit(3)(
            f"""From study at {name} to founding is the founding year minus the last
            recorded year of study there; {c.known_years}. Negative values are kept."""
        )
    yield limit(4)(
        """Founder alumni, the university's own spinout count and the spinout flag of a
        company count different things; none is a part or a check of another."""
    )
    yield limit(8)(
        "Funding totals, founders and education can be recorded as of different dates."
    )
