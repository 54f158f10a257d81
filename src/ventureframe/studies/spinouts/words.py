"""What a study of a university's founders says, computed from its counts."""

from collections.abc import Iterator
from typing import Final

from ventureframe.display.wording import among, money
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.interface.fields import Currency
from ventureframe.studies.spinouts.study import FOUND_BY, TOP_TEN, Counts, Institution


def answer(university: Institution, c: Counts, currency: Currency) -> str:
    """The bottom line in two or three sentences."""
    name, pool, evidenced, others = university.name, c.pool, c.companies_evidenced, ""
    if apart := c.companies_same_name:
        named = "only another institution of that name"
        others = f"{apart:further company} {apart:names|name} {named}."
    if not pool and c.found_by == FOUND_BY["whole"]:
        return f"""No company has a founder whose education entry carries the UUID of {name} or
            names it, which is not evidence that there is none."""
    if not pool:
        return f"""The query by founder university name returned no company for {name}, which is
            not evidence that it has none.{left_out(c)}"""
    if c.silence is not None:
        which = "Whether the only company" if pool == 1 else f"Which of the {pool:company}"
        return f"""{which} in the candidate pool of {name} {pool:was|were} founded by its alumni is
            not known: {c.silence}."""
    if not evidenced:
        none = "The only company" if pool == 1 else f"None of the {pool:company}"
        return f"""{none} in the candidate pool of {name} is{" not" * (pool == 1)} evidenced: the
            founder records returned hold no education entry with its UUID, which is not evidence
            that there are none. {others}"""
    return f"""{among(evidenced, pool, "company", "companies")} in the candidate pool
        {evidenced:was|were} founded by alumni of {name}: {c.founders_evidenced:founder} with an
        education entry there. {_funding(c, currency)} {others}"""


def left_out(c: Counts) -> str:
    """What conditions left out of a pool in which nothing is left; nothing where it is not so."""
    return "" if c.pool else "".join(f" {one.sentence}" for one in c.dropped if one.leaves_out)


def _funding(c: Counts, currency: Currency) -> str:
    """What is known of the funding: of how many companies, how much together, and who leads."""
    known, evidenced = c.funding_known, c.companies_evidenced
    if c.funding_most is None:
        return f"Total funding in {currency} is not recorded for {evidenced:it|any of them}."
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


def key_figures(_: Institution, c: Counts, currency: Currency) -> Iterator[tuple[str, str, str]]:
    """Companies, what is known of their funding, and how much of it the largest ten hold."""
    known = f"recorded for {c.funding_known} of {c.companies_evidenced:company}"
    evidenced = f"{c.companies_evidenced}" if c.silence is None else "not known"
    yield "Companies founded by alumni", evidenced, f"of {c.pool} in the candidate pool"
    yield "Known total funding", money(c.funding_total, currency), known
    name, most = c.funding_most or ("", None)
    if c.funding_known > TOP_TEN:
        yield "Held by the ten largest", c.held_by_ten, f"most: {name}, {money(most, currency)}"
    else:
        yield "Largest known total", money(most, currency), name or ""


def claims(university: Institution, c: Counts, _: Currency) -> Iterator[tuple[str, str, str]]:
    """What the study states, with the records that carry each statement."""
    name, entries, silent = university.name, "education entries", c.founders_silent
    yield (
        f"""{c.companies_evidenced:company} founded by alumni of {name}: a founder has an education
            entry there""",
        "established",
        f"{entries} of {c.founders_evidenced:founder} with university_uuid {university.uuid}",
    )
    by_name = "the company query by founder university name, which names no person and no entry"
    whole = f"{entries} that name it without its UUID, or the education of no founder"
    pooled, namesake = f"in the pool of {name}", "another institution of that name"
    basis = whole if c.found_by == FOUND_BY["whole"] else by_name
    yield f"{c.companies_candidate:further company} {pooled}", "candidate", basis
    yield (
        f"{c.companies_same_name:further company} {pooled} through {namesake}",
        "same_name_other_id",
        f"""{entries} of {c.founders_same_name:founder} with this university_name and the UUID of
            another institution""",
    )
    basis = f"{entries} with this university_name and an empty university_uuid"
    yield f"{c.founders_candidate:founder} with an entry that names {name}", "candidate", basis
    missing = c.founders_asked - c.founders_returned
    basis = f"{silent - missing} returned without entries, {missing} missing from the reply"
    yield f"education of {silent} of {c.founders_asked:founder} {pooled}", "not recorded", basis


ALUMNI: Final = limit(4)("""Founded by alumni of a university means that at least one founder has an
    education entry there. It does not make a company a spinout of that university: no record names
    the university that a company came from.""")
"""What every statement about companies and a university means."""


def caveats(university: Institution, c: Counts, currency: Currency) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers; each number names the university.

    Those that change the reading come first: how the pool was found, and how much is silent.
    """
    name, (found_by, missed), evidenced = university.name, c.found_by, c.companies_evidenced
    silent, candidates, same_name = c.founders_silent, c.companies_candidate, c.founders_same_name
    links = f"{candidates} of them {candidates:is a candidate|are candidates} without a link, and "
    yield material(2)(f"""The pool of {name}, {c.pool:company}, is found by {found_by};
        {links if candidates else ""}an alumnus {missed} may be outside it.""")
    if silent:
        yield material(3)(f"""Education records can be incomplete: {silent} of
            {c.founders_asked:founder} in the pool of {name} {silent:has|have} none here, which is
            not evidence that {silent:this founder|they} did not study there.""")
    yield ALUMNI
    unasked = "" if c.evidenced_dropped else " Their founders were not asked for."
    for condition in (*c.dropped, *c.evidenced_dropped):
        yield limit(3)(f"Pool of {name}: {condition.caveat.text}{unasked}")
    if c.funding_known < evidenced:
        yield limit(3)(f"""Total funding in {currency} is known for {c.funding_known} of
            {evidenced:company} founded by alumni of {name}; the sum covers only these and no
            missing amount is filled.""")
    if same_name:
        yield limit(2)(f"""{c.companies_same_name:company} in the pool of {name} and
            {same_name:founder} are set apart and are not candidates: the entries that name it carry
            the UUID of another institution of that name.""")
    yield limit(3)(f"""Years from study at {name} to founding are founding year minus the latest
        recorded end_year of the founder's entries there, {c.known_years} of company and founder;
        negative values are kept.""")
    yield limit(3)("""A company with several sector tags is counted in each sector, so sectors are
        not added up; one without such a tag is shown as not tagged.""")
    yield limit(4)("""Founder alumni, the university-level aggregate spinout_count and the company
        spinout flag are three populations; none is a part or a check of another.""")
    yield limit(8)("""Funding totals, founder roles and education records can be of different
        dates.""")
