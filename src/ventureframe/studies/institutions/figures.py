"""The universities with the most companies."""

from typing import Any

import polars as pl

from ventureframe.display.figure import TOP, Drawing, undrawn
from ventureframe.display.pictures import Bar, bar_chart
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.ranks import METHOD
from ventureframe.studies.spinouts.figures import known_total


def institutions(study: Any) -> Drawing:
    """The universities with the most companies, with what is known of their funding."""
    c, rows = (
        study.counts,
        study.frames["institutions"].filter(pl.col("companies_evidenced") > 0),
    )
    name = pl.coalesce("university", "university_uuid")
    known = ("funding_known", "funding_total")
    rows = rows.select(name, "companies_evidenced", "place", *known)[:TOP].rows()
    bars = [
        Bar(name, n, f"{n:,} · place {at} · {known_total(*of)}")
        for name, n, at, *of in rows
    ]
    return bar_chart(
        bars,
        headline=(
            f"{c.companies_evidenced:company}, {c.institutions_evidenced:university}"
        ),
        alt=(
            "Companies with a founder who studied there, and the sum of their known"
            " totals."
        ),
        notes=[
            (
                "companies, their place by these, and the sum of the known totals in"
                f" {study.currency}"
            ),
            METHOD,
            undrawn(c.institutions_evidenced - len(bars), "university"),
            rate_day(study.source, "totals"),
        ],
        height=1.2 + 0.36 * max(len(bars), 1),
    )
