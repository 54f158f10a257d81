"""What a study of a university's founders says, computed from its counts."""

from collections.abc import Iterator
from typing import Final

from ventureframe.display.wording import among, money
from ventureframe.evidence.claims import Caveat, Claim, KeyFigure, carried
from ventureframe.evidence.populations import (
    FlaggedCompanies,
    FounderAlumni,
    Population,
    UniversitySpinouts,
)
from ventureframe.interface.fields import Currency
from ventureframe.studies.spinouts.study import TOP_TEN, WHOLE, Counts, Institution


def populations(university: Institution, c: Counts) -> tuple[Population, ...]:
    """The three populations side by side."""
    flagged, note = "company records of the candidate pool, is_spinout", "flag recorded for"
    return (
        FounderAlumni(university.founder_alumni_total, "university record, founder_alumni_total"),
        UniversitySpinouts(university.spinout_count, "university record, spinout_count"),
        FlaggedCompanies(
            c.flagged if c.flag_known else None, flagged, f"{note} {c.flag_known} of {c.pool}"
        ),
    )


def answer(name: str, c: Counts, currency: Currency) -> str:
    """The bottom line in two or three sentences."""
    pool, evidenced, others = c.pool, c.companies_evidenced, c.companies_same_name
    same_name = (
        f" {others:further company} {others:names|name} only another institution of that name."
        if others
        else ""
    )
    if not pool and c.found_by == WHOLE:
        return (
            f"No company has a founder whose education entry carries the UUID of {name} or names "
            "it, which is not evidence that there is none."
        )
    if not pool:
        return (
            f"The query by founder university name returned no company for {name}, "
            f"which is not evidence that it has none.{left_out(c)}"
        )
    if c.silence is not None:
        which = "Whether the only company" if pool == 1 else f"Which of the {pool:company}"
        return (
            f"{which} in the candidate pool of {name} {pool:was|were} founded by its alumni is not "
            f"known: {c.silence}."
        )
    if not evidenced:
        none = "The only company" if pool == 1 else f"None of the {pool:company}"
        return (
            f"{none} in the candidate pool of {name} is{' not' * (pool == 1)} evidenced: the "
            "founder records returned hold no education entry with its UUID, which is not evidence "
            f"that there are none.{same_name}"
        )
    return (
        f"{among(evidenced, pool, 'company', 'companies')} in the candidate pool "
        f"{evidenced:was|were} founded by alumni of {name}: {c.founders_evidenced:founder} with an "
        f"education entry there. {_funding(c, currency)}{same_name}"
    )


def left_out(c: Counts) -> str:
    """What conditions left out of a pool in which nothing is left; nothing where it is not so."""
    left = [condition.sentence for condition in c.dropped if condition.leaves_out]
    return "" if c.pool else "".join(f" {sentence}" for sentence in left)


def _funding(c: Counts, currency: Currency) -> str:
    """What is known of the funding: of how many companies, how much together, and who leads."""
    known, evidenced = c.funding_known, c.companies_evidenced
    if c.funding_most is None:
        return f"Total funding in {currency} is not recorded for {evidenced:it|any of them}."
    name, most = c.funding_most
    leader = f"{name or 'a company without a name'}, {money(most, currency)}"
    everyone = {1: "it", 2: "both"}.get(known, "all of them")
    recorded = f"Total funding is recorded for {everyone}"
    if known < evidenced:
        recorded = f"Total funding is recorded for {known} of the {evidenced}"
    if known == 1:
        return f"{recorded}: {leader}."
    held = f"The ten largest hold {c.held_by_ten} of it, led by"
    lead = held if known > TOP_TEN else "The largest is"
    return f"{recorded}: {money(c.funding_total, currency)} together. {lead} {leader}."


def key_figures(c: Counts, currency: Currency) -> tuple[KeyFigure, ...]:
    """Companies, what is known of their funding, and how much of it the largest ten hold."""
    name, most = c.funding_most or ("", None)
    largest = KeyFigure("Largest known total", money(most, currency), name or "")
    if c.funding_known > TOP_TEN:
        note = f"most: {name}, {money(most, currency)}"
        largest = KeyFigure("Held by the ten largest", c.held_by_ten, note)
    evidenced = f"{c.companies_evidenced}" if c.silence is None else "not known"
    known = f"recorded for {c.funding_known} of {c.companies_evidenced:company}"
    return (
        KeyFigure("Companies founded by alumni", evidenced, f"of {c.pool} in the candidate pool"),
        KeyFigure("Known total funding", money(c.funding_total, currency), known),
        largest,
    )


def claims(university: Institution, c: Counts) -> Iterator[Claim]:
    """What the study states, with the records that carry each statement."""
    name, entries = university.name, "education entries"
    yield Claim(
        f"{c.companies_evidenced:company} founded by alumni of {name}: a founder has an education "
        "entry there",
        carried(c.companies_evidenced, "established"),
        f"{entries} of {c.founders_evidenced:founder} with university_uuid {university.uuid}",
    )
    yield Claim(
        f"{c.companies_candidate:further company} in the pool of {name}",
        "candidate",
        f"{entries} that name it without its UUID, or the education of no founder"
        if c.found_by == WHOLE
        else "the company query by founder university name, which names no person and no entry",
    )
    yield Claim(
        f"{c.companies_same_name:further company} in the pool of {name} through another "
        "institution of that name",
        "same_name_other_id",
        f"{entries} of {c.founders_same_name:founder} with this university_name and the UUID of "
        "another institution",
    )
    yield Claim(
        f"{c.founders_candidate:founder} with an entry that names {name}",
        "candidate",
        f"{entries} with this university_name and an empty university_uuid",
    )
    silent, missing = c.founders_silent, c.founders_asked - c.founders_returned
    yield Claim(
        f"education of {silent} of {c.founders_asked:founder} in the pool of {name}",
        "not recorded",
        f"{silent - missing} returned without entries, {missing} missing from the reply",
    )


ALUMNI: Final = Caveat(
    "Founded by alumni of a university means that at least one founder has an education entry "
    "there. It does not make a company a spinout of that university: no record names the "
    "university that a company came from.",
    "reading rule 4",
)
"""What every statement about companies and a university means."""


def caveats(name: str, c: Counts, currency: Currency) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers; each number names the university.

    Those that change the reading come first: how the pool was found, and how much is silent.
    """
    silent, candidates, same_name = c.founders_silent, c.companies_candidate, c.founders_same_name
    found_by, missed = c.found_by
    links = f"{candidates} of them {candidates:is a candidate|are candidates} without a link, and "
    yield Caveat(
        f"The pool of {name}, {c.pool:company}, is found by {found_by}; "
        f"{links if candidates else ''}an alumnus {missed} may be outside it.",
        "reading rule 2",
        is_material=True,
    )
    if silent:
        yield Caveat(
            f"Education records can be incomplete: {silent} of {c.founders_asked:founder} in the "
            f"pool of {name} {silent:has|have} none here, which is not evidence that "
            f"{silent:this founder|they} did not study there.",
            "reading rule 3",
            is_material=True,
        )
    yield ALUMNI
    unasked = "" if c.evidenced_dropped else " Their founders were not asked for."
    tails = [(each, unasked) for each in c.dropped] + [(each, "") for each in c.evidenced_dropped]
    for condition, tail in tails:
        caveat = condition.caveat
        yield Caveat(f"Pool of {name}: {caveat.text}{tail}", caveat.rule)
    if c.funding_known < c.companies_evidenced:
        yield Caveat(
            f"Total funding in {currency} is known for {c.funding_known} of "
            f"{c.companies_evidenced:company} founded by alumni of {name}; the sum covers only "
            "these and no missing amount is filled.",
            "reading rule 3",
        )
    if same_name:
        yield Caveat(
            f"{c.companies_same_name:company} in the pool of {name} and {same_name:founder} are "
            "set apart and are not candidates: the entries that name it carry the UUID of another "
            "institution of that name.",
            "reading rule 2",
        )
    yield Caveat(
        f"Years from study at {name} to founding are founding year minus the latest recorded "
        f"end_year of the founder's entries there, {c.known_years} of company and founder; "
        "negative values are kept.",
        "reading rule 3",
    )
    yield Caveat(
        "A company with several sector tags is counted in each sector, so sectors are not added "
        "up; one without such a tag is shown as not tagged.",
        "reading rule 3",
    )
    yield Caveat(
        "Founder alumni, the university-level aggregate spinout_count and the company spinout flag "
        "are three populations; none is a part or a check of another.",
        "reading rule 4",
    )
    yield Caveat(
        "Funding totals, founder roles and education records can be of different dates.",
        "reading rule 8",
    )
