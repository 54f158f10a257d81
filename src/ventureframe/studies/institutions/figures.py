"""The institutions with the most evidenced companies."""

from typing import Any

import polars as pl

from ventureframe.display.figure import TOP, Bar, Drawing, bar_chart, undrawn
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.spinouts.figures import known_total


def institutions(study: Any) -> Drawing:
    """The institutions with the most evidenced companies, with what is known of their funding."""
    c, rows = study.counts, study.frames["institutions"].filter(pl.col("companies_evidenced") > 0)
    name = pl.coalesce("university", "university_uuid")
    rows = rows.select(name, "companies_evidenced", "funding_known", "funding_total", "currency")
    bars = [Bar(name, n, f"{n:,} · {known_total(*known)}") for name, n, *known in rows[:TOP].rows()]
    return bar_chart(
        bars,
        headline=f"{c.companies_evidenced:company} evidenced at "
        f"{c.institutions_evidenced:institution}",
        alt="Companies evidenced and the sum of their known totals.",
        notes=[
            "companies evidenced, then the sum of the known totals",
            undrawn(c.institutions_evidenced - len(bars), "institution"),
            rate_day(study.source, "totals"),
            "a smaller number can be a smaller record",
        ],
        height=1.2 + 0.36 * max(len(bars), 1),
        reach=1.9,
    )
