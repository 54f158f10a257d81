"""What the figures of several universities draw: their bars side by side, and the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from matplotlib.figure import Figure as Canvas

from ventureframe.display.figure import BLUE, GREY, GROUND, Drawing, bars
from ventureframe.display.wording import counted, money, number
from ventureframe.studies.spinouts import network as _network
from ventureframe.studies.spinouts.words import companies

if TYPE_CHECKING:
    from ventureframe.studies.universities.find import Study

_UNIVERSITIES: Final = 20
"""Most universities drawn: the first of those given."""


def universities(study: Study) -> Drawing:
    """Evidenced companies within the pool of each university, and the sum of known totals."""
    rows = study.frames["universities"].rows(named=True)[:_UNIVERSITIES]
    c, currency = study.counts, str(study.currency)
    said = "; ".join(
        f"{row['university']}: {number(row['companies_evidenced'])} of {number(row['pool'])} "
        f"companies evidenced, {number(row['founders_evidenced'])} founders, known totals "
        f"{money(row['funding_total'], currency)} ({row['funding_known']} known)"
        for row in rows
    )
    found = companies(c.companies)
    return Drawing(
        headline=f"{found} evidenced at {counted(len(c.names), 'university', 'universities')}, "
        f"{number(c.shared)} at several",
        alt=f"{said}.",
        notes=[
            f"{number(c.shared)} of {found} at two or more",
            "hollow: in the pool, a candidate only",
            f"total funding in {currency}",
            "a smaller number can be a smaller record",
        ],
        height=1.5 + 0.42 * len(rows),
        draw=lambda canvas: _side_by_side(canvas, rows, currency),
    )


def _side_by_side(canvas: Canvas, rows: Sequence[Mapping[str, Any]], currency: str) -> None:
    left, right = canvas.subplots(1, 2, sharey=True, width_ratios=(1.4, 1))
    names = [row["university"] for row in rows]
    pool = [row["pool"] for row in rows]
    found = [row["companies_evidenced"] for row in rows]
    notes = [f"{number(a)} of {number(b)}" for a, b in zip(found, pool, strict=True)]
    bars(left, names, pool, colours=GROUND, notes=notes, reach=1.5)
    left.barh(range(len(rows)), found, color=BLUE, height=0.66)
    left.set_title("companies evidenced, of the pool")
    totals = [row["funding_total"] or 0 for row in rows]
    said = [
        f"{money(row['funding_total'], currency)} · {row['funding_known']} known"
        if row["funding_known"]
        else "not reported"
        for row in rows
    ]
    bars(right, names, totals, colours=GREY, notes=said, reach=2.9)
    right.set_title("sum of the known totals")
    left.invert_yaxis()  # both panels inverted the axis they share


def network(study: Study) -> Drawing:
    """The universities, their founders and their companies with the entries that join them."""
    links = study.frames["links"].rows(named=True)
    return _network.drawing(links, study.frames["companies"]["company_uuid"].to_list())
