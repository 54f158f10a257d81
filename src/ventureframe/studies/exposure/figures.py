"""What the figures of a study of LPs draw: who backs whom, and funds by date."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ventureframe.display import figure
from ventureframe.display.figure import BLUE, GREY, GROUND, SOFT, Drawing, short
from ventureframe.display.pictures import (
    Cell,
    Dot,
    Lane,
    in_years,
    matrix,
    timeline,
)
from ventureframe.display.table import is_year, vintage
from ventureframe.display.wording import (
    NOT_RECORDED,
    counted,
    in_words,
    listed,
    money,
)
from ventureframe.evidence.claims import REACHABLE
from ventureframe.interface.fields import Currency
from ventureframe.studies.exposure.study import Counts, Study

_NAMES = pl.col("^.*_name$").fill_null(NOT_RECORDED)  # as tables show it

_ROWS, _LPS, _EMPTY = 30, 16, 8
"""Most managers, most LPs, and most managers without records that are drawn."""
_LARGEST = 420  # the area of the largest circle, in square points
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
_EDGE: Final[Any] = {"linewidth": 0.5, "edgecolor": GROUND, "zorder": 2}
_BLANK = "an empty cell: no link is recorded, which does not mean that there is none"

Row = Mapping[str, Any]


def _rows(study: Study, name: str) -> list[dict[str, Any]]:
    return study.frames[name].with_columns(_NAMES).rows(named=True)


def backing(study: Study) -> Drawing:
    """Which of the LPs back each manager, most shared managers first."""
    c = study.counts
    every, lps = _rows(study, "managers"), _rows(study, "lps")[:_LPS]
    shared = [row for row in every if row["lps"] > 1]
    rows, further = every, "further manager"
    if shared:
        rows, further = shared, "further manager of several LPs"
    managers = rows[:_ROWS]
    notes: list[str | None] = ["a square: the LP backs the manager"]
    if any(row["lps"] < c.lps for row in managers):
        notes.append(_BLANK)
    notes.append(figure.undrawn(len(rows) - len(managers), further))
    notes.append(figure.undrawn(c.managers - len(rows), "manager of one LP"))
    notes.append(figure.undrawn(c.lps - len(lps), "further LP"))
    return Drawing(
        headline=f"{c.managers:manager} of {c.subject}{c.shared}",
        alt=_alt_of_backing(c, lps, shared),
        notes=notes,
        height=2.2 + 0.22 * len(managers),
        draw=lambda canvas: _squares(canvas.subplots(), study, lps, managers),
        empty="" if lps and managers else "no manager is recorded",
    )


def _alt_of_backing(c: Counts, lps: Sequence[Row], shared: Sequence[Row]) -> str:
    """The managers of each LP in numbers, and some of those that several LPs back."""
    backed = [f"{lp['lp_name']} backs {lp['managers']}" for lp in lps if lp["managers"]]
    alt = f"Matrix of {c.lps:LP} and {c.managers:manager}: {listed(backed)}."
    names = [f"{row['manager_name']}: {row['lps']} of {c.lps}" for row in shared[:5]]
    if not names:
        return alt
    return f"{alt} Backed by several LPs, for example: {'; '.join(names)}."


def _squares(
    axes: Axes, study: Study, lps: Sequence[Row], managers: Sequence[Row]
) -> None:
    """A square for each LP and manager, and beside a manager how many LPs back it."""
    edges = set(study.frames["backing"].select("lp_uuid", "manager_uuid").rows())
    cells = list[Cell]()
    for y, manager in enumerate(managers):
        for x, lp in enumerate(lps):
            ids = (lp["lp_uuid"], manager["manager_uuid"])
            if ids in edges:
                name = f"{lp['lp_name']} – {manager['manager_name']}"
                cells.append(Cell(x, y, name=name, ids=ids))
    above = [_heading(lp) for lp in lps]
    names = [short(row["manager_name"]) for row in managers]
    matrix(axes, names, above, cells)
    if len({row["lps"] for row in managers}) == 1:
        return  # the squares say so
    for y, manager in enumerate(managers):
        axes.text(
            len(lps) - 0.3,
            y,
            counted(manager["lps"], "LP"),
            va="center_baseline",
            color=SOFT,
            backgroundcolor=GROUND,
        )


def _heading(lp: Row) -> str:
    name = short(lp["lp_name"], 28)
    return f"{name} (not read)" if lp["answer"] == "could_not_ask" else name


def funds(study: Study) -> Drawing:
    """The fund vehicles of each manager by date: area by size, hollow where it is
    missing.
    """
    c = study.counts
    dated: dict[str, list[Row]] = defaultdict(list)
    links = study.frames["fund_links"].drop_nulls("fund_date").with_columns(_NAMES)
    for link in links.rows(named=True):
        dated[link["manager_uuid"]].append(link)
    managers = list[tuple[Row, Sequence[Row]]]()
    others = list[tuple[Row, Sequence[Row]]]()
    for row in sorted(_rows(study, "managers"), key=lambda row: -(row["funds"] or 0)):
        vehicles = dated[row["manager_uuid"]]
        (managers if vehicles else others).append((row, vehicles))
    managers.sort(key=lambda pair: pair[1][0]["fund_date"], reverse=True)
    shown = [*managers[:_ROWS], *others[:_EMPTY]]
    funds = [fund for _, vehicles in shown for fund in vehicles]
    notes = [
        *_notes_on_sizes(study, funds),
        figure.undrawn(c.funds - c.funds_dated, "fund without a date"),
        figure.undrawn(len(managers) - _ROWS, "further manager with dated funds"),
        figure.undrawn(len(others) - _EMPTY, "other manager"),
        f"each fund is {REACHABLE}",
    ]
    return Drawing(
        headline=f"{c.funds:fund}{c.window} of {c.managers_with_funds:manager}",
        alt=_alt_of_funds(study, shown[:8]),
        notes=notes,
        height=1.9 + 0.27 * len(shown),
        draw=lambda canvas: _timeline(canvas.subplots(), study, shown, funds),
        empty="" if funds else f"no dated fund{c.window} is among the records read",
    )


def _alt_of_funds(study: Study, shown: Sequence[tuple[Row, Sequence[Row]]]) -> str:
    c = study.counts
    managers = list[str]()
    for row, vehicles in shown:
        funds = [_in_words(fund, study.currency) for fund in vehicles[:3]]
        if funds:
            managers.append(f"{row['manager_name']}: {', '.join(funds)}")
    alt = f"Timeline of fund vehicles{c.window}. {'; '.join(managers) or 'No dated fund'}."
    if not c.managers_empty:
        return alt
    return f"{alt} For {c.managers_empty:manager} no fund{c.window} is recorded."


def _in_words(fund: Row, currency: Currency) -> str:
    missing = f"size {in_words(fund['fund_size_state'])}"
    size = money(fund["fund_size"], currency, null=missing)
    return f"{fund['fund_name']} {vintage(fund['fund_date'])} {size}"


def _notes_on_sizes(study: Study, funds: Sequence[Row]) -> Iterator[str]:
    if study.counts.funds_sized:
        yield f"area: {study.counts.sized}"
    for state in _missing(funds):
        yield f"{_MISSING[state][0]}: size {in_words(state)}"
    if any(is_year(fund["fund_date"]) for fund in funds):
        yield "on a line over its year: only the year is known"


def _missing(funds: Sequence[Row]) -> list[str]:
    """The states of the sizes that are missing, in the order of the legend."""
    states = {fund["fund_size_state"] for fund in funds}
    return [state for state in _MISSING if state in states]


def _timeline(
    axes: Axes,
    study: Study,
    shown: Sequence[tuple[Row, Sequence[Row]]],
    funds: Sequence[Row],
) -> None:
    """A line of circles per manager, and a hatched strip with its words for one
    without funds.
    """
    most = max((fund["fund_size"] or 0 for fund in funds), default=0)
    lanes = list[Lane]()
    for row, vehicles in shown:
        lacks = "" if vehicles else in_words(row["window"])
        hatch = "////" if row["window"] == "no_records_returned" else "...."
        dots = [_circle(fund, most) for fund in vehicles]
        lanes.append(Lane(row["manager_name"], dots, lacks=lacks, hatch=hatch))
    # from the first year of the window, or of a record, to the end of the last one
    years = [fund["fund_date"].year for fund in funds]
    if study.source and study.source.as_of:
        years.append(study.source.as_of.year)
    first = study.counts.since or min(years, default=2000)
    timeline(axes, lanes, span=(first - 0.15, max([*years, first]) + 1))
    handles = [*_known_sizes(most, study.currency)]
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


def _circle(fund: Row, most: float) -> Dot:
    amount = fund["fund_size"]
    if amount is None:
        look = {**_MISSING[fund["fund_size_state"]][1], "s": 42, "zorder": 3}
    else:
        area = max(_LARGEST * amount / (most or 1), 12)
        look = {**_KNOWN, **_EDGE, "s": area}
    day = fund["fund_date"]
    return Dot(
        in_years(day),
        look,
        is_year=is_year(day),
        name=fund["fund_name"],
        id=fund["fund_id"],
    )


def _known_sizes(most: float, currency: Currency) -> Iterator[Line2D]:
    """The largest circle in the legend, and one of a quarter of its area."""
    for part in (1, 4) if most else ():
        amount = float(f"{most / part:.1g}")
        yield Line2D(
            [],
            [],
            linestyle="",
            marker="o",
            label=money(amount, currency),
            markeredgecolor=GROUND,
            markersize=(_LARGEST * amount / most) ** 0.5,
            **_KNOWN,
        )
