"""The institutions with the most evidenced companies."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure as Canvas

from ventureframe.display.figure import BLUE, TOP, Drawing, bars, undrawn
from ventureframe.display.wording import counted, money, number
from ventureframe.evidence.rates import rate_day


def institutions(study: Any) -> Drawing:
    """The institutions with the most evidenced companies, with what is known of their funding."""
    c, rows = study.counts, study.frames["institutions"].head(TOP)
    rows = rows.filter(rows["companies_evidenced"] > 0)
    names = [name or uuid for name, uuid in rows.select("university", "university_uuid").rows()]
    numbers = rows["companies_evidenced"].to_list()
    known = rows.select("companies_evidenced", "funding_known", "funding_total").rows()
    notes = [
        f"{number(companies)} · {money(total, study.currency)} ({number(of)} known)"
        if of
        else f"{number(companies)} · no total known"
        for companies, of, total in known
    ]

    def draw(canvas: Canvas) -> None:
        bars(canvas.subplots(), names, numbers, colours=BLUE, notes=notes, reach=1.9)

    drawn = "; ".join(f"{name}: {note}" for name, note in zip(names, notes, strict=True))
    return Drawing(
        headline=f"{counted(c.companies_evidenced, 'company')} evidenced at "
        f"{counted(c.institutions_evidenced, 'institution')}",
        alt=f"Companies evidenced and the sum of their known totals. {drawn}.",
        notes=[
            "companies evidenced, then the sum of the known totals",
            undrawn(c.institutions_evidenced - len(names), "institution"),
            rate_day(study.source, "totals"),
            "a smaller number can be a smaller record",
        ],
        height=1.2 + 0.36 * max(len(names), 1),
        draw=draw,
    )
