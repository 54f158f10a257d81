"""What a study of a university's founders says, computed from its counts."""

from typing import Final

from ventureframe.display.wording import Count, among, money, number
from ventureframe.evidence.claims import (
    Caveat,
    Claim,
    FlaggedCompanies,
    FounderAlumni,
    KeyFigure,
    Population,
    UniversitySpinouts,
    carried,
)
from ventureframe.interface.fields import Currency
from ventureframe.studies.spinouts.study import TOP_TEN, Counts, Institution


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
    c, pool, evidenced = counts, Count(counts.pool), Count(counts.companies_evidenced)
    others = Count(c.companies_same_name)
    same_name = (
        f" {others:further company} {others:names|name} only another institution of that name."
    )
    same_name = same_name if others else ""
    if not pool and c.is_whole:
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
        f"{evidenced:was|were} founded by alumni of {name}: {Count(c.founders_evidenced):founder} "
        f"with an education entry there. {_funding(c, currency)}{same_name}"
    )


def left_out(counts: Counts) -> str:
    """What conditions left out of a pool in which nothing is left; nothing where it is not so."""
    left = [condition.sentence for condition in counts.dropped if condition.leaves_out]
    return "" if counts.pool else "".join(f" {sentence}" for sentence in left)


def _funding(counts: Counts, currency: Currency) -> str:
    """What is known of the funding: of how many companies, how much together, and who leads."""
    c, known, evidenced = counts, Count(counts.funding_known), Count(counts.companies_evidenced)
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


def key_figures(counts: Counts, currency: Currency) -> tuple[KeyFigure, ...]:
    """Companies, what is known of their funding, and how much of it the largest ten hold."""
    c, evidenced = counts, Count(counts.companies_evidenced)
    name, most = c.funding_most or ("", None)
    largest = KeyFigure("Largest known total", money(most, currency), name or "")
    if c.funding_known > TOP_TEN:
        note = f"most: {name}, {money(most, currency)}"
        largest = KeyFigure("Held by the ten largest", c.held_by_ten, note)
    return (
        KeyFigure(
            "Companies founded by alumni",
            f"{evidenced}" if c.silence is None else "not known",
            f"of {number(c.pool)} in the candidate pool",
        ),
        KeyFigure(
            "Known total funding",
            money(c.funding_total, currency),
            f"recorded for {number(c.funding_known)} of {evidenced:company}",
        ),
        largest,
    )


def claims(university: Institution, counts: Counts) -> tuple[Claim, ...]:
    """What the study states, with the records that carry each statement."""
    c, name = counts, university.name
    evidenced, same_name = Count(c.founders_evidenced), Count(c.founders_same_name)
    silent = Count(c.founders_asked - c.founders_with_education)
    empty = Count(c.founders_returned - c.founders_with_education)
    missing = Count(c.founders_asked - c.founders_returned)
    pool_basis = (
        "education entries that name it without its UUID, or the education of no founder"
        if c.is_whole
        else "the company query by founder university name, which names no person and no entry"
    )
    return (
        Claim(
            f"{Count(c.companies_evidenced):company} founded by alumni of {name}: a founder has an "
            "education entry there",
            carried(c.companies_evidenced, "established"),
            f"education entries of {evidenced:founder} with university_uuid {university.uuid}",
        ),
        Claim(
            f"{Count(c.companies_candidate):further company} in the pool of {name}",
            "candidate",
            pool_basis,
        ),
        Claim(
            f"{Count(c.companies_same_name):further company} in the pool of {name} through another "
            "institution of that name",
            "same_name_other_id",
            f"education entries of {same_name:founder} with this university_name and the UUID of "
            "another institution",
        ),
        Claim(
            f"{Count(c.founders_candidate):founder} with an entry that names {name}",
            "candidate",
            "education entries with this university_name and an empty university_uuid",
        ),
        Claim(
            f"education of {silent} of {Count(c.founders_asked):founder} in the pool of {name}",
            "not recorded",
            f"{empty} returned without entries, {missing} missing from the reply",
        ),
    )


ALUMNI: Final = Caveat(
    "Founded by alumni of a university means that at least one founder has an education entry "
    "there. It does not make a company a spinout of that university: no record names the "
    "university that a company came from.",
    "reading rule 4",
)
"""What every statement about companies and a university means."""


_ALWAYS: Final = (
    Caveat(
        "A company with several sector tags is counted in each sector, so sectors are not "
        "added up; one without such a tag is shown as not tagged.",
        "reading rule 3",
    ),
    Caveat(
        "Founder alumni, the university-level aggregate spinout_count and the company spinout "
        "flag are three populations; none is a part or a check of another.",
        "reading rule 4",
    ),
    Caveat(
        "Funding totals, founder roles and education records can be of different dates.",
        "reading rule 8",
    ),
)
"""What no study of this kind can tell, whatever its numbers."""


def caveats(name: str, counts: Counts, currency: Currency) -> tuple[Caveat, ...]:
    """What this study cannot tell, with its own numbers; each number names the university.

    Those that change the reading come first: how the pool was found, and how much is silent.
    """
    c, pool, asked = counts, Count(counts.pool), Count(counts.founders_asked)
    silent = Count(c.founders_asked - c.founders_with_education)
    candidates, same_name = Count(c.companies_candidate), Count(c.founders_same_name)
    known, evidenced = Count(c.funding_known), Count(c.companies_evidenced)
    found_by, missed = c.found_by
    links = f"{candidates} of them {candidates:is a candidate|are candidates} without a link, and "
    caveats = [
        Caveat(
            f"The pool of {name}, {pool:company}, is found by {found_by}; "
            f"{links if candidates else ''}an alumnus {missed} may be outside it.",
            "reading rule 2",
            is_material=True,
        )
    ]
    if silent:
        caveats.append(
            Caveat(
                f"Education records can be incomplete: {silent} of {asked:founder} in the pool of "
                f"{name} {silent:has|have} none here, which is not evidence that "
                f"{silent:this founder|they} did not study there.",
                "reading rule 3",
                is_material=True,
            )
        )
    caveats.append(ALUMNI)
    unasked = "" if c.evidenced_dropped else " Their founders were not asked for."
    for of, tail in ((c.dropped, unasked), (c.evidenced_dropped, "")):
        for caveat in (condition.caveat for condition in of):
            caveats.append(Caveat(f"Pool of {name}: {caveat.text}{tail}", caveat.rule))
    if known < evidenced:
        caveats.append(
            Caveat(
                f"Total funding in {currency} is known for {known} of {evidenced:company} founded "
                f"by alumni of {name}; the sum covers only these and no missing amount is filled.",
                "reading rule 3",
            )
        )
    if same_name:
        caveats.append(
            Caveat(
                f"{Count(c.companies_same_name):company} in the pool of {name} and "
                f"{same_name:founder} are set apart and are not candidates: the entries that name "
                "it carry the UUID of another institution of that name.",
                "reading rule 2",
            )
        )
    return (
        *caveats,
        Caveat(
            f"Years from study at {name} to founding are founding year minus the latest recorded "
            f"end_year of the founder's entries there, {c.known_years} of company and founder; "
            "negative values are kept.",
            "reading rule 3",
        ),
        *_ALWAYS,
    )
