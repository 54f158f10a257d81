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
    total = study.counts.companies_with_employer
    return _bars(study.frames["employers"], "earlier employer", total)


def studies(study: Any) -> Drawing:
    """The shared universities of most companies."""
    ranked = study.frames["studies"].filter(kind=UNIVERSITY)
    return _bars(ranked, "university", study.counts.companies_with_university)


def _bars(ranked: pl.DataFrame, noun: str, total: Count) -> Drawing:
    """Bars of companies, of those with an organisation of the kind recorded."""
    rows = ranked.select("organisation", "companies", "place", "organisation_uuid")
    bars = list[Bar]()
    for name, companies, place, key in rows.head(TOP).rows():
        part = f"{companies:,} of {total}" if companies < total else f"all {total}"
        bars.append(
            Bar(name or NOT_RECORDED, companies, f"{part} · rank {place}", id=key)
        )
    return bar_chart(
        bars,
        headline=f"Companies by shared {noun}",
        alt=f"Companies with a founder's {noun}, of those where one is recorded.",
        notes=[
            METHOD,
            undrawn(len(ranked) - len(bars), f"further shared {noun}"),
        ],
        empty=f"no {noun} is shared by two founders",
    )
