"""The institutions with the most evidenced companies."""

from typing import Any

from ventureframe.display.figure import TOP, Bar, Drawing, bars, undrawn
from ventureframe.display.wording import counted, number
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.spinouts.figures import known_total


def institutions(study: Any) -> Drawing:
    """The institutions with the most evidenced companies, with what is known of their funding."""
    c, rows = study.counts, study.frames["institutions"].head(TOP)
    rows = rows.filter(rows["companies_evidenced"] > 0)
    drawn = [
        Bar(
            row["university"] or row["university_uuid"],
            row["companies_evidenced"],
            f"{number(row['companies_evidenced'])} · {known_total(row, study.currency)}",
        )
        for row in rows.iter_rows(named=True)
    ]
    said = "; ".join(f"{bar.label}: {bar.note}" for bar in drawn)
    return Drawing(
        headline=f"{counted(c.companies_evidenced, 'company')} evidenced at "
        f"{counted(c.institutions_evidenced, 'institution')}",
        alt=f"Companies evidenced and the sum of their known totals. {said}.",
        notes=[
            "companies evidenced, then the sum of the known totals",
            undrawn(c.institutions_evidenced - len(drawn), "institution"),
            rate_day(study.source, "totals"),
            "a smaller number can be a smaller record",
        ],
        height=1.2 + 0.36 * max(len(drawn), 1),
        draw=lambda canvas: bars(canvas.subplots(), drawn, reach=1.9),
    )
