"""The study of every institution: its numbers, and its findings as they are listed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import polars as pl

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import Count
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import of
from ventureframe.interface.fields import Currency, fold
from ventureframe.studies.spinouts.study import COMPANIES, FOUNDERS, LINK, TOTALS, OfAlumni

FOLDED: Final = pl.col("university").map_elements(fold, pl.String)
_HAS_ID: Final = pl.col("university_uuid").is_not_null()
_HAS_NAME: Final = pl.col("university_name").is_not_null()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers over all institutions; a company or founder at several is counted once.

    `names_shared`: institutions whose name, case ignored, another one has. `funding_known`:
    institutions with a known total of at least one company.
    """

    institutions: Count = of(institutions=pl.len())
    institutions_evidenced: Count = of(institutions=(pl.col("companies_evidenced") > 0).sum())
    names_shared: Count = of(institutions=FOLDED.drop_nulls().is_duplicated().sum())
    funding_known: Count = of(institutions=(pl.col("funding_known") > 0).sum())
    entries: Count = of(entries=pl.sum("entries"))
    entries_with_id: Count = of(entries=pl.col("entries").filter(_HAS_ID).sum())
    entries_with_name: Count = of(entries=pl.col("entries").filter(_HAS_NAME).sum())
    entries_named_only: Count = of(entries=pl.col("entries").filter(_HAS_NAME & ~_HAS_ID).sum())
    companies_evidenced: Count = of(companies=pl.len())
    founders_evidenced: Count


_UNIVERSITY: Final = Column("university", "Institution", null="no name recorded")
_UNIVERSITY_ID: Final = Column("university_uuid", "Institution UUID", "id")


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(OfAlumni):
    """What the records show about founders of every institution; `linked` reads `links`, once."""

    currency: Currency
    counts: Counts
    linked: Callable[[], pl.DataFrame]

    institutions = Exhibit(
        "Companies founded by alumni of {subject}",
        (
            Column("rank", "Rank by companies", "number", null="–"),
            *(_UNIVERSITY, FOUNDERS[0], *COMPANIES, *TOTALS[1:]),
            Column("funding_median", "Median known total", "money"),
            Column("funding_rank", "Rank by known totals", "number", null="–"),
            Column("founded_known", "With a founding year", "number"),
            *columns("year", first_founded="First founded", last_founded="Last founded"),
            _UNIVERSITY_ID,
        ),
        lambda study: [
            "ranked within what these records hold: a lower rank can be a smaller record",
            f"a total is known at {study.counts.funding_known} of "
            f"{study.counts.institutions_evidenced:institution}",
            "a company at several institutions counts at each: columns are not added up",
            rate_day(study.source, "totals"),
        ],
        "ventureframe.studies.institutions.figures:institutions",
    )
    links = Exhibit(
        "Education entries that carry the UUID of an institution",
        (_UNIVERSITY, *LINK[:-2], _UNIVERSITY_ID, *LINK[-2:]),
        lambda study: [
            f"{study.counts.founders_evidenced:founder}, "
            f"{study.counts.companies_evidenced:company}",
            "entries are counted from 0",
        ],
        rows=lambda study: study.linked(),
    )
