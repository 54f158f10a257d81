"""The universities with the most companies."""

from typing import Any

from ventureframe.display.figure import TOP, Drawing, undrawn
from ventureframe.display.pictures import Bar, bar_chart
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.institutions.study import IS_COUNTED, NAME
from ventureframe.studies.ranks import METHOD, ranked
from ventureframe.studies.spinouts.figures import known_total


def institutions(study: Any) -> Drawing:
    """The universities with the most companies, with what is known of their funding."""
    c, rows = study.counts, study.frames["institutions"].filter(IS_COUNTED)
    columns = ("funding_known", "funding_total")
    rows = rows.select(NAME, "companies_evidenced", "place", *columns)[:TOP].rows()
    bars = [
        Bar(name, companies, f"{companies:,}{ranked(place)} · {known_total(*funding)}")
        for name, companies, place, *funding in rows
    ]
    return bar_chart(
        bars,
        headline="Companies with a founder who studied there, by university",
        alt=(
            "Companies with a founder who studied there, and the sum of their known"
            " totals."
        ),
        notes=[
            (
                "companies, their rank, and the sum of the known totals in"
                f" {study.currency}"
            ),
            METHOD,
            undrawn(c.institutions_evidenced - len(bars), "further university"),
            rate_day(study.source, "totals"),
        ],
        empty="no company is counted",
    )
