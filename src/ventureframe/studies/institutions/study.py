"""The study of every institution: its numbers, and the class that lists its findings."""

from dataclasses import dataclass

from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency
from ventureframe.studies.institutions import tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers over all institutions; a company or founder at several is counted once.

    `names_shared`: institutions whose name, case ignored, another one has. `funding_known`:
    institutions with a known total of at least one company.
    """

    institutions: int
    institutions_evidenced: int
    names_shared: int
    funding_known: int
    entries: int
    entries_with_id: int
    entries_with_name: int
    entries_named_only: int
    founders_evidenced: int
    companies_evidenced: int


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show about the founders of every institution."""

    currency: Currency
    counts: Counts

    about = "companies founded by alumni"

    institutions = tables.INSTITUTIONS
    links = tables.LINKS
