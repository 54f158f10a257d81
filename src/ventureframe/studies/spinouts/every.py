"""How every institution is shown: counts, sentences, tables and the figure."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from matplotlib.figure import Figure as Canvas

from ventureframe.display.figure import BLUE, TOP, Drawing, bars, undrawn
from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import counted, money, number, percent
from ventureframe.evidence.claims import Caveat, Claim, KeyFigure, Rule
from ventureframe.evidence.rates import rate_day
from ventureframe.interface.fields import Currency
from ventureframe.studies.spinouts import tables
from ventureframe.studies.spinouts.words import ALUMNI, companies

if TYPE_CHECKING:
    from ventureframe.studies.spinouts.institutions import Institutions


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


def _entries(count: int) -> str:
    return counted(count, "education entry")


def answer(counts: Counts) -> str:
    """The bottom line in two sentences."""
    c = counts
    return (
        f"{companies(c.companies_evidenced)} founded by alumni of "
        f"{counted(c.institutions_evidenced, 'institution')}: "
        f"{counted(c.founders_evidenced, 'founder')} with an education entry there. "
        f"{number(c.entries_with_id)} of {_entries(c.entries)} carry the UUID of an institution."
    )


def key_figures(counts: Counts) -> tuple[KeyFigure, ...]:
    """Institutions, companies, and entries that carry the UUID of an institution."""
    c = counts
    return (
        KeyFigure(
            "Institutions with an evidenced company",
            number(c.institutions_evidenced),
            f"of {number(c.institutions)}",
        ),
        KeyFigure(
            "Companies founded by alumni",
            number(c.companies_evidenced),
            f"by {counted(c.founders_evidenced, 'founder')}",
        ),
        KeyFigure(
            "Education entries with a UUID",
            percent(c.entries_with_id, c.entries),
            f"{number(c.entries_with_id)} of {number(c.entries)}",
        ),
    )


def claims(counts: Counts) -> tuple[Claim, ...]:
    """What the study states, with the records that carry each statement."""
    c = counts
    return (
        Claim(
            f"{companies(c.companies_evidenced)} founded by alumni of "
            f"{counted(c.institutions_evidenced, 'institution')}",
            "established",
            f"education entries of {counted(c.founders_evidenced, 'founder')} with a "
            "university_uuid",
        ),
        Claim(
            f"{_entries(c.entries_named_only)} with the name of an institution and no UUID",
            "candidate",
            "university_name of the entry; the university_uuid is empty",
        ),
    )


def caveats(counts: Counts, currency: Currency) -> tuple[Caveat, ...]:
    """What a table of every institution cannot tell, with its own numbers."""
    c = counts
    said: Mapping[str, Rule] = {
        "Ranks order what these records hold, not institutions: a lower rank can be a smaller "
        f"record. {number(c.institutions - c.institutions_evidenced)} of "
        f"{counted(c.institutions, 'institution')} have no evidenced company here and no rank, "
        "which is not evidence that they have none.": "reading rule 3",
        f"Total funding in {currency} is known for at least one company of "
        f"{number(c.funding_known)} of {counted(c.institutions_evidenced, 'institution')}; sums, "
        "medians and the rank by funding cover known totals only.": "reading rule 3",
        "A company with founders of several institutions counts at each, so the columns are not "
        "added up.": "reading rule 2",
        f"{counted(c.entries_named_only, 'entry')} of {number(c.entries)} name an "
        "institution without a UUID: they are candidates of each institution of that name and "
        "count nowhere as evidence.": "reading rule 2",
        f"{counted(c.names_shared, 'institution')} share a name with another one; only the UUID "
        "tells them apart.": "reading rule 2",
    }
    first, second, *further = (Caveat(text, rule) for text, rule in said.items())
    material = (dataclasses.replace(each, is_material=True) for each in (first, second))
    return (*material, ALUMNI, *further)


def _known(study: Institutions) -> str:
    c = study.counts
    return (
        f"a total is known at {number(c.funding_known)} of "
        f"{counted(c.institutions_evidenced, 'institution')}"
    )


def _figure(study: Institutions) -> Drawing:
    """The institutions with the most evidenced companies, with what is known of their funding."""
    rows = study.frames["institutions"].head(TOP)
    rows = rows.filter(rows["companies_evidenced"] > 0)
    names = [name or uuid for name, uuid in rows.select("university", "university_uuid").rows()]
    found = rows["companies_evidenced"].to_list()
    known, totals = rows["funding_known"].to_list(), rows["funding_total"].to_list()
    notes = [
        f"{number(n)} · {money(total, study.currency)} ({number(k)} known)"
        if k
        else f"{number(n)} · no total known"
        for n, k, total in zip(found, known, totals, strict=True)
    ]

    def draw(canvas: Canvas) -> None:
        bars(canvas.subplots(), names, found, colours=BLUE, notes=notes, reach=1.9)

    said = "; ".join(f"{name}: {note}" for name, note in zip(names, notes, strict=True))
    c = study.counts
    return Drawing(
        headline=f"{companies(c.companies_evidenced)} evidenced at "
        f"{counted(c.institutions_evidenced, 'institution')}",
        alt=f"Companies evidenced and the sum of their known totals. {said}.",
        notes=[
            "companies evidenced, then the sum of the known totals",
            undrawn(c.institutions_evidenced - len(names), "institution"),
            rate_day(study.source, "totals"),
            "a smaller number can be a smaller record",
        ],
        height=1.2 + 0.36 * max(len(names), 1),
        draw=draw,
    )


_UNIVERSITY: Final = Column("university", "Institution", null="no name recorded")
_UNIVERSITY_ID: Final = Column("university_uuid", "Institution UUID", "id")
INSTITUTIONS: Final = Exhibit(
    "Companies founded by alumni of {subject}",
    (
        Column("rank", "Rank by companies", "number", null="–"),
        *(_UNIVERSITY, tables.EVIDENCED),
        *columns("number", companies_evidenced="Companies evidenced"),
        *columns(
            "number", companies_candidate="Candidates", companies_same_name="Same name, other id"
        ),
        Column("funding_known", "With a total", "number"),
        *columns("money", funding_total="Sum of known totals", funding_median="Median known total"),
        Column("funding_rank", "Rank by known totals", "number", null="–"),
        Column("founded_known", "With a founding year", "number"),
        *columns("year", first_founded="First founded", last_founded="Last founded"),
        _UNIVERSITY_ID,
    ),
    lambda study: [
        "ranked within what these records hold: a lower rank can be a smaller record",
        _known(study),
        "a company at several institutions counts at each: columns are not added up",
        rate_day(study.source, "totals"),
    ],
    "ventureframe.studies.spinouts.every:_figure",
)
LINKS: Final = Exhibit(
    "Education entries that carry the UUID of an institution",
    (
        *(_UNIVERSITY, tables.COMPANY, tables.FOUNDER, *tables.ENTRY),
        *(_UNIVERSITY_ID, tables.COMPANY_ID, tables.FOUNDER_ID),
    ),
    lambda study: [
        f"{counted(study.counts.founders_evidenced, 'founder')}, "
        f"{companies(study.counts.companies_evidenced)}",
        "entries are counted from 0",
    ],
)
