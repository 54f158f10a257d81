"""What the figures of a study of founders draw: shared employers and universities."""

from typing import Any

import polars as pl

from ventureframe.display.figure import TOP, Drawing, undrawn
from ventureframe.display.pictures import Bar, bar_chart
from ventureframe.display.wording import NOT_RECORDED, Count
from ventureframe.studies.founders.study import UNIVERSITY
from ventureframe.studies.ranks import METHOD


def employers(study: Any) -> Drawing:
    """The shared employers of most companies."""
    known = study.counts.companies_with_employer
    return _bars(study.frames["employers"], "earlier employer", known)


def studies(study: Any) -> Drawing:
    """The shared universities of most companies."""
    ranked = study.frames["studies"].filter(kind=UNIVERSITY)
    return _bars(ranked, "university", study.counts.companies_with_university)


def _bars(ranked: pl.DataFrame, what: str, known: Count) -> Drawing:
    """Bars of companies, of those with an organisation of the kind recorded."""
    shown = ranked.select("organisation", "companies", "place", "organisation_uuid")
    bars = list[Bar]()
    for name, many, place, key in shown.head(TOP).rows():
        part = f"{many:,} of {known}" if many < known else f"all {known}"
        bars.append(Bar(name or NOT_RECORDED, many, f"{part} · rank {place}", id=key))
    return bar_chart(
        bars,
        headline=f"Companies by shared {what}",
        alt=f"Companies with a founder's {what}, of those where one is recorded.",
        notes=[
            METHOD,
            undrawn(len(ranked) - len(bars), f"further shared {what}"),
        ],
        empty=f"no {what} is shared by two founders",
    )
