"""What the figures of a study of LPs draw: who backs whom, and funds by date."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ventureframe.display import figure
from ventureframe.display.figure import BLUE, GREY, GROUND, SOFT, Drawing
from ventureframe.display.pictures import (
    Bar,
    Dot,
    Lane,
    bar_chart,
    in_years,
    timeline,
)
from ventureframe.display.table import is_year, vintage
from ventureframe.display.wording import (
    in_words,
    money,
    number,
)
from ventureframe.evidence.claims import REACHABLE
from ventureframe.evidence.rows import NAMES, Row
from ventureframe.interface.fields import Currency
from ventureframe.studies.exposure.study import Study

_ROWS, _LPS = 30, 16
"""Most managers and most LPs that are drawn."""
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


def lps(study: Study) -> Drawing:
    """The managers of each LP, and how many of them another LP backs."""
    c, bars = study.counts, list[Bar]()
    owners = study.frames["lps"].with_columns(NAMES).head(_LPS)
    for row in owners.rows(named=True):
        managers, shared = row["managers"], row["managers_shared"]
        note = in_words(row["answer"]) if managers is None else number(managers)
        if shared:
            note += f", {number(shared)} shared with another"
        bars.append(Bar(row["lp_name"], managers, note, id=row["lp_uuid"]))
    return bar_chart(
        bars,
        headline=f"{c.managers:manager} of {c.subject}{c.shared}",
        alt="Managers of each LP.",
        notes=[figure.undrawn(c.lps - len(bars), "further LP")],
    )


def funds(study: Study) -> Drawing:
    """The fund vehicles of each manager by date: area by size, hollow where it is
    missing.
    """
    c = study.counts
    dated: dict[str, list[Row]] = defaultdict(list)
    links = study.frames["fund_links"].drop_nulls("fund_date").with_columns(NAMES)
    for link in links.rows(named=True):
        dated[link["manager_uuid"]].append(link)
    firms = study.frames["managers"].with_columns(NAMES)
    managers = [
        (row, dated[row["manager_uuid"]])
        for row in firms.rows(named=True)
        if row["manager_uuid"] in dated
    ]
    # the latest fund first, of equal dates the manager of more funds
    managers.sort(
        key=lambda pair: (pair[1][0]["fund_date"], pair[0]["funds"]), reverse=True
    )
    drawn = managers[:_ROWS]
    funds = [fund for _, vehicles in drawn for fund in vehicles]
    notes = [
        *_notes_on_sizes(study, funds),
        figure.undrawn(c.funds - c.funds_dated, "fund without a date"),
        figure.undrawn(len(managers) - _ROWS, "further manager with dated funds"),
        figure.undrawn(c.managers - len(managers), "manager without a dated fund"),
        f"each fund is {REACHABLE}",
    ]
    return Drawing(
        headline=f"{c.funds:fund}{c.window} of {c.managers_with_funds:manager}",
        alt=_alt_of_funds(study, drawn[:8]),
        notes=notes,
        height=1.9 + 0.27 * len(drawn),
        draw=lambda canvas: _timeline(canvas.subplots(), study, drawn, funds),
        empty="" if funds else f"no dated fund{c.window} is among the records read",
        values=[(fund["fund_date"], fund["fund_size"]) for fund in funds],
    )


def _alt_of_funds(study: Study, drawn: Sequence[tuple[Row, Sequence[Row]]]) -> str:
    c = study.counts
    managers = list[str]()
    for row, vehicles in drawn:
        funds = ", ".join(_in_words(fund, study.currency) for fund in vehicles[:3])
        managers.append(f"{row['manager_name']}: {funds}")
    alt = f"Fund vehicles{c.window}. {'; '.join(managers)}."
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
    states = {fund["fund_size_state"] for fund in funds}
    for state, (word, _) in _MISSING.items():
        if state in states:
            yield f"{word}: size {in_words(state)}"
    if any(is_year(fund["fund_date"]) for fund in funds):
        yield "on a line over its year: only the year is known"


def _timeline(
    axes: Axes,
    study: Study,
    drawn: Sequence[tuple[Row, Sequence[Row]]],
    funds: Sequence[Row],
) -> None:
    """A line of circles per manager."""
    most = max(fund["fund_size"] or 0 for fund in funds)
    lanes = list[Lane]()
    for row, vehicles in drawn:
        dots = [_circle(fund, most) for fund in vehicles]
        lanes.append(Lane(row["manager_name"], dots))
    # from the first year of the window, or of a record, to the end of the last one
    years = [fund["fund_date"].year for fund in funds]
    if study.source and study.source.as_of:
        years.append(study.source.as_of.year)
    first = study.counts.since or min(years)
    timeline(axes, lanes, span=(first - 0.15, max(*years, first) + 1))
    handles = [*_known_sizes(most, study.currency)]
    if handles:
        axes.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, 0),
            borderaxespad=2.8,  # below the years, however low the picture is
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
