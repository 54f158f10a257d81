"""What a study of a university's founders says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import among, listed, money, within
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.evidence.dropped import sentences, which
from ventureframe.interface.fields import Currency
from ventureframe.studies.spinouts.study import TOP_TEN, Counts, Institution

_NAMESAKE = "another institution of the same name"


def answer(university: Institution, c: Counts, currency: Currency) -> str:
    """The bottom line in two or three sentences."""
    name, pool, linked = university.name, c.pool, c.companies_evidenced
    apart = c.companies_same_name
    if not pool:
        nothing = f"""No company in these records has a founder who studied at {name}.
        The records
            can be incomplete."""
        left = which(c.dropped)
        if not left:
            return nothing
        return f"No company {left} is found for {name}. {sentences(c.dropped)}"
    same = among(apart, pool, "company")
    others = (
        f" {same} {apart:has|have} a founder who studied at {_NAMESAKE}."
        if apart
        else ""
    )
    if c.companies_withheld:
        others += (
            f" The service does not show the founders of {c.companies_withheld} of"
            " them."
        )
    if c.silence is not None:
        every = "the only company" if pool == 1 else f"any of the {pool:company}"
        return f"""Whether a founder of {every} found for {name} studied there is not
        known:
            {c.silence}."""
    if not linked:
        none = f"None of the {pool:company}" if pool > 1 else "The only company"
        has = "has a founder" if pool > 1 else "has no founder"
        return (
            f"{none} found for {name} {has} recorded as having studied there.{others}"
        )
    people = f"{c.founders_evidenced} {c.founders_evidenced:person|people}"
    have = f"{linked:company} have a founder who studied at {name} ({people})."
    if linked == 1:
        whose = (
            "a founder"
            if c.founders_evidenced == 1
            else f"{c.founders_evidenced:founder}"
        )
        have = f"One company has {whose} who studied at {name}."
    if c.companies_candidate:
        have += (
            f" For {c.companies_candidate:more company} this is possible but not"
            " recorded."
        )
    return f"{have} {_funding(c, currency)}{others}"


def _funding(c: Counts, currency: Currency) -> str:
    """What is known of the funding: of how many companies, how much together, and
    who leads.
    """
    known, evidenced = c.funding_known, c.companies_evidenced
    if c.funding_most is None:
        return (
            f"Total funding in {currency} is not recorded for"
            f" {evidenced:it|any of them}."
        )
    name, most = c.funding_most
    leader = f"{name or 'a company without a name'}, {money(most, currency)}"
    everyone = {1: "it", 2: "both"}.get(known, "all of them")
    whom = everyone if known == evidenced else f"{known} of the {evidenced}"
    if known == 1:
        return f"Total funding is recorded for {whom}: {leader}."
    held = f"The ten largest hold {c.held_by_ten} of it, led by"
    lead = held if known > TOP_TEN else "The largest is"
    total = money(c.funding_total, currency)
    return f"Total funding is recorded for {whom}: {total} together. {lead} {leader}."


def key_figures(
    _: Institution, c: Counts, currency: Currency
) -> Iterator[tuple[str, str, str, bool]]:
    """Companies, what is known of their funding, and how much of it the largest ten
    hold; and whether the answer says the number.
    """
    linked = f"{c.companies_evidenced}" if c.silence is None else "not known"
    yield (
        LABEL,
        linked,
        f"{c.founders_evidenced:founder}" if c.companies_evidenced else "",
        c.silence is not None or bool(c.companies_evidenced),
    )
    if not c.companies_evidenced:
        return
    known = f"recorded for {within(c.funding_known, c.companies_evidenced, 'company')}"
    is_said = c.funding_most is not None
    yield "Known total funding", money(c.funding_total, currency), known, is_said
    name, most = c.funding_most or ("", None)
    if c.funding_known > TOP_TEN:
        yield (
            "Held by the ten largest",
            c.held_by_ten,
            f"most: {name}, {money(most, currency)}",
            is_said,
        )
    else:
        yield "Largest known total", money(most, currency), name or "", is_said


def claims(
    university: Institution, c: Counts, _: Currency
) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    name, silent, own = university.name, c.founders_silent, "its identifier"
    people = f"education entries of {c.founders_evidenced:founder} that carry {own}"
    linked = f"{c.companies_evidenced:company} with a founder who studied at {name}"
    yield c.companies_evidenced, linked, "established", f"{people}, {university.uuid}"
    why = f"the service does not show {c.hidden}"
    why = why if c.hidden else f"no education entry of a founder carries {own}"
    basis = f"found by {c.found_by[0]}; {why}"
    further = f"{c.companies_candidate:further company} found for {name}"
    yield c.companies_candidate, further, "candidate", basis
    entries = (
        f"education entries of {c.founders_same_name:founder} with this name and"
        " another"
    )
    further = f"{c.companies_same_name:further company} of {_NAMESAKE} as {name}"
    yield c.companies_same_name, further, "same_name_other_id", f"{entries} identifier"
    named = f"{c.founders_candidate:founder} with an education entry that names {name}"
    yield c.founders_candidate, named, "candidate", "the entry carries no identifier"
    missing, kept = c.founders_asked - c.founders_returned, c.founders_withheld
    names = "without an education entry", "without a record", "not shown by the service"
    parts = zip((silent - missing - kept, missing, kept), names, strict=True)
    some = within(silent, c.founders_asked, "founder")
    education = f"Education of {some} found for {name}"
    yield (
        silent,
        education,
        "not recorded",
        listed(f"{n} {what}" for n, what in parts if n),
    )


LABEL = "Companies with a founder who studied there"
ALUMNI = material(4)(
    """A company counts when at least one founder studied there; the data do
    not say whether it is a spinout."""
)
"""What every statement about companies and a university means."""
SECTORS = limit(3)(
    """A company with several sector tags is counted in each sector, so
    sectors are not added up; one without such a tag is shown as not tagged."""
)


def caveats(university: Institution, c: Counts, currency: Currency) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers; each number names the
    university.

    Those that change the reading come first: what counts, and whose education is not
    recorded.
    """
    name, (found_by, missed), linked = (
        university.name,
        c.found_by,
        c.companies_evidenced,
    )
    silent, same_name = c.founders_silent, c.founders_same_name
    yield ALUMNI
    if silent:
        whom = among(silent, c.founders_asked, "founder")
        kept = (
            f" or shown to this key ({c.founders_withheld})"
            if c.founders_withheld
            else ""
        )
        maybe = f"{silent:this may be an alumnus|some may be alumni}, too."
        yield material(3)(
            f"""For {whom[0].lower()}{whom[1:]} of the companies found for {name} no
            education is recorded{kept}; {maybe}"""
        )
    yield limit(2)(f"Companies are found by {found_by}; alumni {missed} are missing.")
    for condition in c.dropped:
        if condition.leaves_out:
            yield limit(3)(f"{name}: {condition.caveat.text}")
    if 0 < c.funding_known < linked:
        yield limit(3)(
            f"""Total funding in {currency} is recorded for {c.funding_known} of the
            {linked:company} of {name}; the sum is of these only."""
        )
    if same_name:
        yield limit(2)(
            f"""{same_name:founder} found for {name} {same_name:is|are} not counted: the
            education recorded is of {_NAMESAKE}."""
        )
    if c.years_known:
        yield limit(3)(
            f"""From study at {name} to founding is the founding year minus the last
            recorded year of study there; {c.known_years}. Negative values are kept."""
        )
    if linked:
        yield SECTORS
    yield limit(4)(
        """Founder alumni, the university's own spinout count and the spinout flag of a
        company count different things; none is a part or a check of another."""
    )
    yield limit(8)(
        "Funding totals, founders and education can be recorded as of different dates."
    )
