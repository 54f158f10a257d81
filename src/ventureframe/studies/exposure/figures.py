"""What the figures of a study of LPs draw: who backs whom, funds by date, firms by
country.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import starmap
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ventureframe.display import figure
from ventureframe.display.figure import BLUE, GREY, GROUND, SOFT, Drawing, short
from ventureframe.display.marks import Canvas
from ventureframe.display.pictures import (
    Cell,
    Dot,
    Lane,
    in_years,
    matrix,
    timeline,
)
from ventureframe.display.table import is_year, vintage
from ventureframe.display.wording import counted, in_words, money, within
from ventureframe.evidence.claims import REACHABLE
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.exposure.study import Study

_ROWS, _LPS, _EMPTY = 30, 16, 8
"""Most managers or countries, most LPs, and most managers without records that are
drawn.
"""
_LARGEST: Final = 420  # the area of the largest circle, in square points
_HOLLOW: Final[Any] = {
    "facecolor": GROUND,
    "edgecolor": SOFT,
    "linestyle": (0, (2, 1.5)),
}
_MISSING: Final[Mapping[str, tuple[str, Any]]] = {
    "not_reported": ("hollow", {**_HOLLOW, "marker": "o"}),
    "not_convertible": (
        "diamond",
        {"facecolor": GREY, "edgecolor": SOFT, "marker": "D"},
    ),
}
"""How an amount of this state is drawn, in a word and as a dot."""
_KNOWN: Final[Any] = {"color": BLUE, "alpha": 0.75}
_BLANK: Final = (
    "an empty cell: no link is recorded, which does not mean that there is none"
)

Row = Mapping[str, Any]


def _rows(study: Study, name: str) -> list[dict[str, Any]]:
    return study.frames[name].rows(named=True)


def backing(study: Study) -> Drawing:
    """Which of the LPs back each manager, most shared managers first."""
    c = study.counts
    every, lps = _rows(study, "managers"), _rows(study, "lps")[:_LPS]
    shared = [row for row in every if row["lps"] > 1]
    managers = (shared or every)[:_ROWS]
    edges = set(study.frames["backing"].select("manager_uuid", "lp_uuid").rows())
    best = "; ".join(
        f"{row['manager_name']}: {row['lps']} of {c.lps}"
        for row in managers[:5]
        if row["lps"] > 1
    )
    y_of = {row["manager_uuid"]: y for y, row in enumerate(managers)}
    x_of = {row["lp_uuid"]: x for x, row in enumerate(lps)}
    drawn = [
        (y_of[manager], x_of[lp])
        for manager, lp in edges
        if manager in y_of and lp in x_of
    ]
    cells = [(x, y) for y, x in sorted(drawn)]

    def cell(x: int, y: int) -> Cell:
        lp, manager = lps[x], managers[y]
        name = f"{lp['lp_name']} – {manager['manager_name']}"
        return Cell(x, y, name=name, ids=(lp["lp_uuid"], manager["manager_uuid"]))

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        refused = {"could_not_ask": " (not read)"}
        above = [short(lp["lp_name"], 28) + refused.get(lp["answer"], "") for lp in lps]
        names = [short(row["manager_name"]) for row in managers]
        squares = list(starmap(cell, cells))
        matrix(axes, names, above, squares, margin=0.8)
        beside: Any = {
            "va": "center_baseline",
            "color": SOFT,
            "backgroundcolor": GROUND,
        }
        # and so said by the squares
        is_same = len({row["lps"] for row in managers}) == 1
        for y, manager in enumerate(() if is_same else managers):
            axes.text(len(lps) - 0.3, y, counted(manager["lps"], "LP"), **beside)

    return Drawing(
        headline=f"{c.managers:manager} of {c.subject}{c.shared}",
        alt=(
            f"Matrix of {c.lps:LP} and {c.managers:manager}{c.shared}. "
            f"Most shared: {best or 'none'}."
        ),
        notes=[
            "a square: the LP backs the manager",
            _BLANK,
            figure.undrawn(
                len(shared or every) - len(managers), "further manager of several LPs"
            ),
            (
                figure.undrawn(c.managers - len(shared), "manager of one LP")
                if shared
                else None
            ),
            figure.undrawn(c.lps - len(lps), "further LP"),
        ],
        height=2.2 + 0.22 * len(managers),
        draw=draw,
        empty="" if lps and managers else "no manager is recorded",
    )


def funds(study: Study) -> Drawing:
    """The fund vehicles of each manager by date: area by size, hollow where it is
    missing.
    """
    c = study.counts
    dated: dict[str, list[Row]] = defaultdict(list)
    for link in study.frames["fund_links"].drop_nulls("fund_date").rows(named=True):
        dated[link["manager_uuid"]].append(link)
    managers = sorted(_rows(study, "managers"), key=lambda row: -(row["funds"] or 0))
    others = [row for row in managers if row["manager_uuid"] not in dated]
    managers = [row for row in managers if row["manager_uuid"] in dated]
    managers.sort(
        key=lambda row: dated[row["manager_uuid"]][0]["fund_date"], reverse=True
    )
    shown = [(row, dated[row["manager_uuid"]]) for row in managers[:_ROWS]]
    shown += [(row, []) for row in others[:_EMPTY]]
    states = {fund["fund_size_state"] for _, vehicles in shown for fund in vehicles}
    is_drawn_by_year = any(
        is_year(fund["fund_date"]) for _, funds in shown for fund in funds
    )

    def worded(fund: Row) -> str:
        missing = f"size {in_words(fund['fund_size_state'])}"
        size = money(fund["fund_size"], study.currency, null=missing)
        return f"{fund['fund_name']} {vintage(fund['fund_date'])} {size}"

    first = [
        (row["manager_name"], vehicles[:3]) for row, vehicles in shown[:8] if vehicles
    ]
    named = "; ".join(
        f"{name}: {', '.join(map(worded, three))}" for name, three in first
    )
    return Drawing(
        headline=(
            f"Funds{c.window} are recorded for "
            f"{within(c.managers_with_funds, c.managers, 'manager')}"
        ),
        alt=(
            f"Timeline of fund vehicles{c.window}. {named or 'No dated fund'}. "
            f"For {c.managers_empty:manager} no fund is recorded."
        ),
        notes=[
            f"area: fund size in {study.currency}, {c.sized}" if c.funds else None,
            *(f"{_MISSING[s][0]}: size {in_words(s)}" for s in _MISSING if s in states),
            (
                "on a line over its year: only the year is known"
                if is_drawn_by_year
                else None
            ),
            rate_day(study.source, "funds") if c.funds_sized else None,
            figure.undrawn(c.funds - c.funds_dated, "fund without a date"),
            figure.undrawn(len(managers) - _ROWS, "further manager with funds"),
            figure.undrawn(
                len(others) - _EMPTY, "further manager without dated records"
            ),
            f"to an LP a fund is {REACHABLE}" if c.funds else None,
        ],
        height=1.9 + 0.27 * len(shown),
        draw=lambda canvas: _timeline(canvas.subplots(), study, shown, states),
        empty="" if shown else "no manager is recorded",
    )


def _timeline(
    axes: Axes,
    study: Study,
    shown: Sequence[tuple[Row, Sequence[Row]]],
    states: set[str],
) -> None:
    """A line of circles per manager, and a hatched strip with its words for one
    without funds.
    """
    funds = [fund for _, vehicles in shown for fund in vehicles]
    most = max((fund["fund_size"] or 0 for fund in funds), default=0)
    # from the first year of the window, or of a record, to the end of the last of a
    # record
    years = [fund["fund_date"].year for fund in funds]
    if study.source and study.source.as_of:
        years.append(study.source.as_of.year)
    first = study.counts.since or min(years, default=2000)

    def circle(fund: Row) -> Dot:
        amount = fund["fund_size"]
        if amount is None:
            look = {**_MISSING[fund["fund_size_state"]][1], "s": 42, "zorder": 3}
        else:
            area = max(_LARGEST * amount / (most or 1), 12)
            edge = {"linewidth": 0.5, "edgecolor": GROUND, "zorder": 2}
            look = {**_KNOWN, **edge, "s": area}
        return Dot(
            in_years(fund["fund_date"]),
            look,
            is_year=is_year(fund["fund_date"]),
            name=fund["fund_name"],
            id=fund["fund_id"],
            link=fund["source_url"],
        )

    lanes = list[Lane]()
    for row, vehicles in shown:
        lacks = "" if vehicles else in_words(row["window"])
        hatch = "////" if row["window"] == "no_records_returned" else "...."
        dots = list(map(circle, vehicles))
        lanes.append(Lane(row["manager_name"], dots, lacks=lacks, hatch=hatch))
    span = (first - 0.15, max([*years, first]) + 1)
    timeline(axes, lanes, span=span)
    # the legend: the largest circle, one of a quarter of its area, and the marks of
    # missing amounts
    handles = list[Line2D]()
    for part in (1, 4) if most else ():
        amount = float(f"{most / part:.1g}")
        size = (_LARGEST * amount / most) ** 0.5
        label = money(amount, study.currency)
        look = {**_KNOWN, "markeredgecolor": GROUND, "markersize": size}
        handles.append(Line2D([], [], linestyle="", marker="o", label=label, **look))
    for state, (_, dot) in _MISSING.items():
        if state in states:
            label = f"size {in_words(state)}"
            face = {"markerfacecolor": dot["facecolor"], "markeredgecolor": SOFT}
            look = {**face, "marker": dot["marker"], "markersize": 6.5}
            handles.append(Line2D([], [], linestyle="", label=label, **look))
    if handles:
        axes.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.06),
            frameon=False,
            ncols=len(handles),
            handletextpad=0.8,
            columnspacing=2.4,
        )
