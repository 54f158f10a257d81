"""What a study of a university's founders says, computed from its counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from ventureframe.display.wording import counted, money, number
from ventureframe.evidence.claims import Caveat, Claim, Rule, carried
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.populations import (
    FlaggedCompanies,
    FounderAlumni,
    Population,
    UniversitySpinouts,
)
from ventureframe.interface.fields import Currency


class Institution(Protocol):
    """What an analysis needs of a university, as its record has it; `client.University` is one."""

    @property
    def uuid(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def founder_alumni_total(self) -> int | None: ...
    @property
    def spinout_count(self) -> int | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of one study; each stands beside the number it was counted among.

    `dropped` is what conditions on numbers left out of the pool, `evidenced_dropped` what they left
    out of the evidenced companies where those were fetched. `is_by_id` says that the pool was found
    by the identifiers of the institutions of the name, `is_whole` that it was found in whole
    collections. `funding_total` is the sum of the known
    totals of evidenced companies in the study's currency, None where none is known.
    """

    pool: int
    pool_with_founder: int
    founders_asked: int
    founders_returned: int
    founders_with_education: int
    founders_evidenced: int
    founders_candidate: int
    founders_same_name: int
    companies_evidenced: int
    companies_same_name: int
    funding_known: int
    funding_total: float | None
    years_known: int
    years_of: int
    flagged: int
    flag_known: int
    founders_withheld: int = 0
    companies_withheld: int = 0
    is_by_id: bool = False
    is_whole: bool = False
    dropped: tuple[Dropped, ...] = ()
    evidenced_dropped: tuple[Dropped, ...] = ()

    @property
    def companies_candidate(self) -> int:
        """Companies of the pool that are neither evidenced nor only of another institution."""
        return self.pool - self.companies_evidenced - self.companies_same_name

    @property
    def companies_not_same_name(self) -> int:
        """Companies with a founder recorded, without those of another institution of that name."""
        return self.pool_with_founder - self.companies_same_name

    @property
    def founders_not_same_name(self) -> int:
        """Founders with education recorded, without those at another institution of that name."""
        return self.founders_with_education - self.founders_same_name


def companies(count: int) -> str:
    """The count with its noun."""
    return counted(count, "company", "companies")


def funding_known(counts: Counts) -> str:
    """For how many evidenced companies the total funding is known, of how many."""
    return f"known for {number(counts.funding_known)} of {companies(counts.companies_evidenced)}"


def years_known(counts: Counts) -> str:
    """For how many pairs the years are known, of how many."""
    return f"known for {number(counts.years_known)} of {counted(counts.years_of, 'pair')}"


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
            f"The query by founder university name returned 0 companies for {name}, "
            "which is not evidence that it has none."
        )
    if not c.companies_evidenced:
        return (
            f"Of the {companies(c.pool)} in the candidate pool of {name}, 0 are evidenced: the "
            "founder records returned hold no education entry with its UUID, which is not evidence "
            f"that there are none.{_same_name(c)}"
        )
    total = (
        f"Total funding is recorded for {number(c.funding_known)} of the "
        f"{number(c.companies_evidenced)}: {money(c.funding_total, currency)}."
        if c.funding_known
        else f"Total funding in {currency} is recorded for none of them."
    )
    were = "was" if c.companies_evidenced == 1 else "were"
    return (
        f"{number(c.companies_evidenced)} of the {companies(c.pool)} in the candidate pool {were} "
        f"founded by alumni of {name}: {counted(c.founders_evidenced, 'founder')} with an "
        f"education entry there. {total}{_same_name(c)}"
    )


def _same_name(counts: Counts) -> str:
    """What the pool holds of another institution of that name, where it does."""
    count = counts.companies_same_name
    verb = "names" if count == 1 else "name"
    return (
        f" {counted(count, 'further company', 'further companies')} {verb} only another "
        "institution of that name."
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
            f"{counted(c.companies_candidate, 'further company', 'further companies')} "
            f"in the pool of {name}",
            "candidate",
            "education entries that name it without its UUID, or the education of no founder"
            if c.is_whole
            else "the company query by founder university name, which names no person and no entry",
        ),
        Claim(
            f"{counted(c.companies_same_name, 'further company', 'further companies')} in the "
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


_BY_NAME: Final = ("name only", "recorded under another spelling")
_BY_ID: Final = (
    "the identifier of every institution of that name",
    "whose education entry carries no identifier",
)
_IN_WHOLE: Final = (
    "the university's UUID or its name in an education entry of a founder",
    "recorded under another spelling and without the UUID",
)


def _found_by(counts: Counts) -> tuple[str, str]:
    """How the pool was found, and whom that can miss."""
    return _IN_WHOLE if counts.is_whole else _BY_ID if counts.is_by_id else _BY_NAME


def pool_found(counts: Counts) -> str:
    """How the candidate pool was found, in words."""
    return f"found by {_found_by(counts)[0]}"


def caveats(name: str, counts: Counts, currency: Currency) -> tuple[Caveat, ...]:
    """What this study cannot tell, with its own numbers; each number names the university."""
    c = counts
    candidates = "is a candidate" if c.companies_candidate == 1 else "are candidates"
    same_name: Mapping[str, Rule] = {
        f"{companies(c.companies_same_name)} in the pool of {name} and "
        f"{counted(c.founders_same_name, 'founder')} are set apart and are not candidates: the "
        "entries that name it carry the UUID of another institution of that name.": "reading rule 2"
    }
    said: Mapping[str, Rule] = {
        f"The pool of {name}, {companies(c.pool)}, is found by {_found_by(c)[0]}; "
        f"{number(c.companies_candidate)} of them {candidates} without a link, and "
        f"an alumnus {_found_by(c)[1]} may be outside it.": "reading rule 2",
        **(same_name if c.founders_same_name else {}),
        "Education records can be incomplete: "
        f"{number(c.founders_asked - c.founders_with_education)} of "
        f"{counted(c.founders_asked, 'founder')} in the pool of {name} have none here, which is "
        "not evidence that they did not study there.": "reading rule 3",
        f"Total funding in {currency} is known for {number(c.funding_known)} of "
        f"{companies(c.companies_evidenced)} founded by alumni of {name}; the sum covers only "
        "these and no missing amount is filled.": "reading rule 3",
        f"Years from study at {name} to founding are founding year minus the latest recorded "
        f"end_year of the founder's entries there, {years_known(c)} of company and founder; "
        "negative values are kept.": "reading rule 3",
        "A company with several sector tags is counted in each sector, so sectors are not added "
        "up; one without such a tag is shown as not tagged.": "reading rule 3",
        "Founder alumni, the university-level aggregate spinout_count and the company spinout flag "
        "are three populations; none is a part or a check of another.": "reading rule 4",
        "Funding totals, founder roles and education records can be of different dates.": (
            "reading rule 8"
        ),
    }
    first, *further = (Caveat(text, rule) for text, rule in said.items())
    return (ALUMNI, first, *_left_out(name, c), *further)


def _left_out(name: str, counts: Counts) -> Iterator[Caveat]:
    """What each condition leaves out of the pool, and where fetched of those evidenced."""
    asked = "" if counts.evidenced_dropped else " Their founders were not asked for."
    for each in counts.dropped:
        yield Caveat(f"Pool of {name}: {each.caveat.text}{asked}", each.caveat.rule)
    for each in counts.evidenced_dropped:
        yield Caveat(f"Pool of {name}: {each.caveat.text}", each.caveat.rule)
