"""What a study of a university's founders says, computed from its counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ventureframe.display.wording import among, counted, money, number, percent, verb
from ventureframe.evidence.claims import Caveat, Claim, KeyFigure, Rule, carried
from ventureframe.evidence.populations import (
    FlaggedCompanies,
    FounderAlumni,
    Population,
    UniversitySpinouts,
)
from ventureframe.interface.fields import Currency
from ventureframe.studies.spinouts.study import TOP_TEN, Counts, Institution


def companies(count: int) -> str:
    """The count with its noun."""
    return counted(count, "company")


def populations(university: Institution, counts: Counts) -> tuple[Population, ...]:
    """The three populations side by side."""
    return (
        FounderAlumni(university.founder_alumni_total, "university record, founder_alumni_total"),
        UniversitySpinouts(university.spinout_count, "university record, spinout_count"),
        FlaggedCompanies(
            counts.flagged if counts.flag_known else None,
            "company records of the candidate pool, is_spinout",
            note=f"flag recorded for {number(counts.flag_known)} of {number(counts.pool)}",
        ),
    )


def answer(name: str, counts: Counts, currency: Currency) -> str:
    """The bottom line in two or three sentences."""
    c = counts
    if not c.pool and c.is_whole:
        return (
            f"No company has a founder whose education entry carries the UUID of {name} or names "
            "it, which is not evidence that there is none."
        )
    if not c.pool:
        return (
            f"The query by founder university name returned no company for {name}, "
            f"which is not evidence that it has none.{left_out(c)}"
        )
    if c.silence is not None:
        which = "Whether the only company" if c.pool == 1 else f"Which of the {companies(c.pool)}"
        verbs = verb(c.pool, "was", "were")
        return (
            f"{which} in the candidate pool of {name} {verbs} founded by its alumni is not known: "
            f"{c.silence}."
        )
    if not c.companies_evidenced:
        return (
            f"{_none(c.pool, name)} evidenced: the "
            "founder records returned hold no education entry with its UUID, which is not evidence "
            f"that there are none.{_same_name(c)}"
        )
    found = among(c.companies_evidenced, c.pool, "company", "companies")
    return (
        f"{found} in the candidate pool {verb(c.companies_evidenced, 'was', 'were')} "
        f"founded by alumni of {name}: {counted(c.founders_evidenced, 'founder')} with an "
        f"education entry there. {_funding(c, currency)}{_same_name(c)}"
    )


def left_out(counts: Counts) -> str:
    """What conditions left out of a pool in which nothing is left; nothing where it is not so."""
    said = [each.sentence for each in counts.dropped if each.leaves_out]
    return "" if counts.pool else "".join(f" {each}" for each in said)


def _none(pool: int, name: str) -> str:
    if pool == 1:
        return f"The only company in the candidate pool of {name} is not"
    return f"None of the {companies(pool)} in the candidate pool of {name} is"


def _funding(counts: Counts, currency: Currency) -> str:
    """What is known of the funding: of how many companies, how much together, and who leads."""
    c = counts
    if c.funding_most is None:
        it = verb(c.companies_evidenced, "it", "any of them")
        return f"Total funding in {currency} is not recorded for {it}."
    name, most = c.funding_most
    leader = f"{name or 'a company without a name'}, {money(most, currency)}"
    is_all = c.funding_known == c.companies_evidenced
    whole = f"{number(c.funding_known)} of the {number(c.companies_evidenced)}"
    of = f"Total funding is recorded for {_every(c.funding_known) if is_all else whole}"
    if c.funding_known == 1:
        return f"{of}: {leader}."
    total = money(c.funding_total, currency)
    held = (
        f"The ten largest hold {percent(c.funding_top_ten, c.funding_total or 0)} of it, led by"
        if c.funding_known > TOP_TEN
        else "The largest is"
    )
    return f"{of}: {total} together. {held} {leader}."


def _every(count: int) -> str:
    """All of so many companies that the sentence before has named."""
    return {1: "it", 2: "both"}.get(count, "all of them")


def key_figures(counts: Counts, currency: Currency) -> tuple[KeyFigure, ...]:
    """Companies, what is known of their funding, and how much of it the largest ten hold."""
    c = counts
    name, most = c.funding_most or ("", None)
    known = f"recorded for {number(c.funding_known)} of {companies(c.companies_evidenced)}"
    largest = (
        KeyFigure(
            "Held by the ten largest",
            percent(c.funding_top_ten, c.funding_total or 0),
            f"most: {name}, {money(most, currency)}",
        )
        if c.funding_known > TOP_TEN
        else KeyFigure("Largest known total", money(most, currency), name or "")
    )
    return (
        KeyFigure(
            "Companies founded by alumni",
            number(c.companies_evidenced) if c.silence is None else "not known",
            f"of {number(c.pool)} in the candidate pool",
        ),
        KeyFigure("Known total funding", money(c.funding_total, currency), known),
        largest,
    )


def _same_name(counts: Counts) -> str:
    """What the pool holds of another institution of that name, where it does."""
    count = counts.companies_same_name
    named = verb(count, "names", "name")
    return (
        f" {counted(count, 'further company')} {named} only another institution of that name."
        if count
        else ""
    )


def claims(university: Institution, counts: Counts) -> tuple[Claim, ...]:
    """What the study states, with the records that carry each statement."""
    c, name = counts, university.name
    return (
        Claim(
            f"{companies(c.companies_evidenced)} founded by alumni of {name}: a founder has an "
            "education entry there",
            carried(c.companies_evidenced, "established"),
            f"education entries of {counted(c.founders_evidenced, 'founder')} with "
            f"university_uuid {university.uuid}",
        ),
        Claim(
            f"{counted(c.companies_candidate, 'further company')} in the pool of {name}",
            "candidate",
            "education entries that name it without its UUID, or the education of no founder"
            if c.is_whole
            else "the company query by founder university name, which names no person and no entry",
        ),
        Claim(
            f"{counted(c.companies_same_name, 'further company')} in the "
            f"pool of {name} through another institution of that name",
            "same_name_other_id",
            f"education entries of {counted(c.founders_same_name, 'founder')} with this "
            "university_name and the UUID of another institution",
        ),
        Claim(
            f"{counted(c.founders_candidate, 'founder')} with an entry that names {name}",
            "candidate",
            "education entries with this university_name and an empty university_uuid",
        ),
        Claim(
            f"education of {number(c.founders_asked - c.founders_with_education)} of "
            f"{counted(c.founders_asked, 'founder')} in the pool of {name}",
            "not recorded",
            f"{number(c.founders_returned - c.founders_with_education)} returned without "
            f"entries, {number(c.founders_asked - c.founders_returned)} missing from the reply",
        ),
    )


ALUMNI: Final = Caveat(
    "Founded by alumni of a university means that at least one founder has an education entry "
    "there. It does not make a company a spinout of that university: no record names the "
    "university that a company came from.",
    "reading rule 4",
)
"""What every statement about companies and a university means."""


def caveats(name: str, counts: Counts, currency: Currency) -> tuple[Caveat, ...]:
    """What this study cannot tell, with its own numbers; each number names the university.

    Those that change the reading come first.
    """
    c = counts
    unknown = c.founders_asked - c.founders_with_education
    candidates = c.companies_candidate
    are = verb(candidates, "is a candidate", "are candidates")
    material: dict[str, Rule | None] = {
        f"The pool of {name}, {companies(c.pool)}, is found by {c.found_by[0]}; "
        f"{f'{number(candidates)} of them {are} without a link, and ' if candidates else ''}"
        f"an alumnus {c.found_by[1]} may be outside it.": "reading rule 2",
        f"Education records can be incomplete: {number(unknown)} of "
        f"{counted(c.founders_asked, 'founder')} in the pool of {name} "
        f"{verb(unknown, 'has', 'have')} none here, which is not evidence that "
        f"{verb(unknown, 'this founder', 'they')} did not study there.": "reading rule 3"
        if unknown
        else None,
    }
    others: dict[str, Rule | None] = {
        f"Total funding in {currency} is known for {number(c.funding_known)} of "
        f"{companies(c.companies_evidenced)} founded by alumni of {name}; the sum covers only "
        "these and no missing amount is filled.": "reading rule 3"
        if c.funding_known < c.companies_evidenced
        else None,
        f"{companies(c.companies_same_name)} in the pool of {name} and "
        f"{counted(c.founders_same_name, 'founder')} are set apart and are not candidates: the "
        "entries that name it carry the UUID of another institution of that name.": "reading rule 2"
        if c.founders_same_name
        else None,
        f"Years from study at {name} to founding are founding year minus the latest recorded "
        f"end_year of the founder's entries there, {c.known_years} of company and founder; "
        "negative values are kept.": "reading rule 3",
        "A company with several sector tags is counted in each sector, so sectors are not added "
        "up; one without such a tag is shown as not tagged.": "reading rule 3",
        "Founder alumni, the university-level aggregate spinout_count and the company spinout flag "
        "are three populations; none is a part or a check of another.": "reading rule 4",
        "Funding totals, founder roles and education records can be of different dates.": (
            "reading rule 8"
        ),
    }
    first, further = (
        [Caveat(text, rule, is_material=texts is material) for text, rule in texts.items() if rule]
        for texts in (material, others)
    )
    return (*first, ALUMNI, *_left_out(name, c), *further)


def _left_out(name: str, counts: Counts) -> Iterator[Caveat]:
    """What each condition leaves out of the pool, and where fetched of those evidenced."""
    asked = "" if counts.evidenced_dropped else " Their founders were not asked for."
    for each in counts.dropped:
        yield Caveat(f"Pool of {name}: {each.caveat.text}{asked}", each.caveat.rule)
    for each in counts.evidenced_dropped:
        yield Caveat(f"Pool of {name}: {each.caveat.text}", each.caveat.rule)
