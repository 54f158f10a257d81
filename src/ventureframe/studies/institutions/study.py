"""The study of every university: its numbers, and its findings as they are listed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name

import polars as pl

from ventureframe.display.finding import Exhibit
from ventureframe.display.wording import Count, listed
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import of
from ventureframe.interface.fields import Currency, fold
from ventureframe.studies.columns import UNIVERSITY_ID
from ventureframe.studies.ranks import METHOD, Most
from ventureframe.studies.spinouts.study import (
    COMPANIES,
    FOUNDERS,
    KNOWN,
    LINK,
    SIDE_BY_SIDE,
    UNIVERSITY,
    OfAlumni,
)

FOLDED = pl.col("university").map_elements(fold, pl.String)
NAME = pl.coalesce("university", "university_uuid")
IS_COUNTED = pl.col("companies_evidenced") > 0
_IS_NAMED = pl.col("companies_candidate") > 0
_HAS_ID = pl.col("university_uuid").is_not_null()
_HAS_NAME = pl.col("university_name").is_not_null()


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The numbers over all institutions; a company or founder at several is counted
    once.

    `names_shared`: institutions whose name, case ignored, another one has.
    `funding_known`: institutions with a known total of at least one company.
    `named_only`: institutions without a company that entries without an identifier
    name. `most`: numbers of companies, each with the institutions that have so many,
    at most three of them; none where more have the largest number.
    """

    currency: Currency
    institutions: Count = of(institutions=pl.len())
    institutions_evidenced: Count = of(institutions=IS_COUNTED.sum())
    named_only: Count = of(institutions=(_IS_NAMED & ~IS_COUNTED).sum())
    names_shared: Count = of(names=FOLDED.drop_nulls().is_duplicated().sum())
    funding_known: Count = of(institutions=(pl.col("funding_known") > 0).sum())
    entries: Count = of(entries=pl.sum("entries"))
    entries_with_id: Count = of(entries=pl.col("entries").filter(_HAS_ID).sum())
    entries_with_name: Count = of(entries=pl.col("entries").filter(_HAS_NAME).sum())
    entries_named_only: Count = of(
        entries=pl.col("entries").filter(_HAS_NAME & ~_HAS_ID).sum()
    )
    companies_evidenced: Count = of(companies=pl.len())
    founders_evidenced: Count
    most: Most


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(OfAlumni):
    """What the records show about founders of every university; `linked` reads
    `links`, once.
    """

    population = (
        "companies with a present or former founder who studied at any university, by"
        " its identifier"
    )
    measures = ("total_funding", "groups")
    lead = ("institutions", "institutions", "university", "companies_evidenced")
    currency: Currency
    counts: Counts
    linked: Callable[[], pl.DataFrame]

    def report(self, out: str | Path, **signed: str | None) -> Path:
        """Write the findings as one file, in place of one that is there, and return
        its path: HTML unless `out` ends with .pdf or .xlsx. A folder gets a file of
        its name.

        `by`, `date` and `note` stand on its first page. Raises `ReportError`.

        >>> import ventureframe as vf
        >>> every = vf.institutions.find(**vf.bulk.open(), currency="EUR")
        >>> every.report("every-university.html")  # doctest: +SKIP
        """
        # imported only where a report is written
        write = resolve_name("ventureframe.report.build:write")
        path: Path = write(self, out, **signed)
        return path

    @property
    def withheld(self) -> str:
        """What the service did not show when the dataset was pulled, where no entry
        is in it.
        """
        if self.source is None or self.counts.entries:
            return ""
        closed = [
            f"{gap.part} of {gap.collection}"
            for gap in self.source.incomplete
            if gap.kind == "withheld" and gap.part in self.lists
        ]
        return f"The service does not show {listed(closed)}." if closed else ""

    institutions = Exhibit(
        "Universities by companies with a founder who studied there",
        (
            *SIDE_BY_SIDE,
            KNOWN[1],
            *COMPANIES[1:],
            FOUNDERS[0],
            UNIVERSITY_ID,
        ),
        lambda study: [METHOD, rate_day(study.source, "totals")],
        "ventureframe.studies.institutions.figures:institutions",
        lead=len(SIDE_BY_SIDE),
        foremost=("universities with a company", IS_COUNTED),
        meaning=(
            "A row per institution; a share is of ten companies or more. The frame also"
            " has the ends as numbers: place_low, …"
        ),
        order="companies",
    )
    links = Exhibit(
        "Education entries at a university",
        (UNIVERSITY, *LINK[:-2], UNIVERSITY_ID, *LINK[-2:]),
        rows=lambda study: study.linked(),
        nothing="No education entry carries the identifier of a university.",
    )
