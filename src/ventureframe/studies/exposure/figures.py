"""The figures of a study of LPs: who backs whom, what was raised when, and where the firms are."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from ventureframe.display.figure import (
    BLUE,
    GREY,
    GROUND,
    INK,
    SOFT,
    Figure,
    drawn,
    listed,
    log_of_money,
    nothing,
    short,
)
from ventureframe.display.wording import caption, counted, money, number
from ventureframe.evidence.findings import REACHABLE
from ventureframe.studies.exposure.find import Study

_ROWS: Final = 30
"""Most managers drawn by name; the caption counts the others."""
_LPS: Final = 16
_EMPTY: Final = 8
"""Most managers without records that a timeline draws below those with some."""

Row = Mapping[str, Any]


def matrix(study: Study) -> Figure:
    """Which of the LPs each manager was returned for, most shared managers first."""
    c = study.counts
    managers, lps = listed(study.managers)[:_ROWS], listed(study.lps)[:_LPS]
    edges = {(row["lp_uuid"], row["manager_uuid"]) for row in listed(study.links)}

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        if not (lps and managers):
            nothing(axes, "no manager was returned")
            return
        for shared, colour in ((True, BLUE), (False, GREY)):
            here = [
                (x, y)
                for y, manager in enumerate(managers)
                for x, lp in enumerate(lps)
                if (lp["lp_uuid"], manager["manager_uuid"]) in edges
                and (manager["lps"] > 1) == shared
            ]
            if here:
                axes.scatter(
                    [x for x, _ in here], [y for _, y in here], marker="s", s=70, color=colour
                )
        _grid(axes, managers, lps)

    best = [f"{row['manager_name']}: {row['lps']} of {c.lps}" for row in managers[:5]]
    left = len(edges) and c.managers - len(managers)
    return Figure(
        title=f"LPs and the managers they back: {study.subject}",
        alt=f"Matrix of {counted(c.lps, 'LP')} and {counted(c.managers, 'manager')}; "
        f"{number(c.managers_shared)} managers are backed by two or more. Most shared: "
        f"{'; '.join(best) or 'not known'}.",
        caption=caption(
            "a square: the manager was returned for the LP; blue: for several LPs, grey: for one",
            "an empty cell is not evidence against it",
            f"{counted(left, 'further manager')} not drawn" if left > 0 else None,
            f"{counted(c.lps - len(lps), 'further LP')} not drawn" if c.lps > len(lps) else None,
            source=study.source,
        ),
        svg=drawn(
            draw,
            finding=f"{number(c.managers_shared)} of {counted(c.managers, 'manager')} are backed "
            "by two or more of the LPs",
            source=study.source,
            height=2.2 + 0.22 * len(managers),
        ),
    )


def _grid(axes: Axes, managers: Sequence[Row], lps: Sequence[Row]) -> None:
    axes.set(xlim=(-0.6, len(lps) - 0.4 + 0.8), ylim=(len(managers) - 0.4, -0.6))
    axes.set_yticks(range(len(managers)), [short(row["manager_name"]) for row in managers])
    marks = [
        short(row["lp_name"], 28) + ("" if row["answer"] != "could_not_ask" else " (could not ask)")
        for row in lps
    ]
    axes.set_xticks(range(len(lps)), marks, rotation=40, ha="left", rotation_mode="anchor")
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.tick_params(axis="x", labelcolor=INK)
    axes.set_axisbelow(True)
    axes.grid(color=GREY, linewidth=0.3)
    for y, manager in enumerate(managers):
        axes.text(
            len(lps) - 0.3,
            y,
            counted(manager["lps"], "LP"),
            va="center_baseline",
            color=SOFT,
            backgroundcolor=GROUND,
        )
    for side in axes.spines.values():
        side.set_visible(False)


def timeline(study: Study) -> Figure:
    """The fund vehicles of each manager by date: area by size, hollow where it is missing."""
    c = study.counts
    dated: dict[str, list[Row]] = {}
    for edge in listed(study.fund_links):
        if edge["fund_date"] is not None:
            dated.setdefault(edge["manager_uuid"], []).append(edge)
    windows = listed(study.windows)
    raised = [row for row in windows if row["manager_uuid"] in dated]
    raised.sort(key=lambda row: dated[row["manager_uuid"]][0]["fund_date"], reverse=True)
    others = [row for row in windows if row["manager_uuid"] not in dated]
    shown = raised[:_ROWS] + others[:_EMPTY]
    points = [
        (y, fund) for y, row in enumerate(shown) for fund in dated.get(row["manager_uuid"], ())
    ]
    sizes = [fund[study.size] for _, fund in points if fund[study.size] is not None]
    missing = len(points) - len(sizes)

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        if not shown:
            nothing(axes, "no manager was returned")
            return
        axes.set(xlim=_span(study, points), ylim=(len(shown) - 0.4, -0.8))
        axes.set_yticks(range(len(shown)), [short(row["manager_name"]) for row in shown])
        axes.locator_params(axis="x", integer=True)
        axes.ticklabel_format(axis="x", style="plain", useOffset=False)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="y", color=GREY, linewidth=0.3)
        axes.set_axisbelow(True)
        _circles(axes, points, study.size, most=max(sizes, default=0) or 1)
        _strips(axes, shown, dated)
        _legend(axes, study, most=max(sizes, default=0), has_missing=bool(missing))

    named = "; ".join(
        f"{row['manager_name']}: "
        + ", ".join(_said(fund, study) for fund in dated[row["manager_uuid"]][:3])
        for row in raised[:8]
    )
    undated = c.funds - c.funds_dated
    further = (len(raised[_ROWS:]), len(others[_EMPTY:]))
    return Figure(
        title=f"Fund vehicles {c.window} by manager: {study.subject}",
        alt=f"Timeline of fund vehicles {c.window}. {named or 'No dated fund'}. "
        f"{counted(c.managers_empty, 'manager')} returned no records {c.window}.",
        caption=caption(
            f"area: fund size in {study.currency}, known for {number(c.funds_sized)} of "
            f"{counted(c.funds, 'fund')}",
            "hollow: size not reported" if missing else None,
            f"{counted(undated, 'fund')} without a date not drawn" if undated else None,
            f"{number(further[0])} further managers with funds not drawn" if further[0] else None,
            f"{number(further[1])} further managers without dated records not drawn"
            if further[1]
            else None,
            f"to an LP a fund is {REACHABLE}",
            source=study.source,
        ),
        svg=drawn(
            draw,
            finding=f"{number(c.managers_with_funds)} of {counted(c.managers_asked, 'manager')} "
            f"asked returned funds {c.window}; {number(c.managers_empty)} returned no records",
            source=study.source,
            height=1.9 + 0.27 * len(shown),
        ),
    )


def _said(fund: Row, study: Study) -> str:
    return f"{fund['fund_name']} {fund['fund_date']} {money(fund[study.size], study.currency)}"


def _span(study: Study, points: Sequence[tuple[int, Row]]) -> tuple[float, float]:
    """From the first year asked for, or of a record, to the end of the last year of a record."""
    as_of = None if study.source is None else study.source.as_of
    years = [fund["fund_date"].year for _, fund in points] + ([as_of.year] if as_of else [])
    first = study.counts.since or min(years, default=2000)
    return first - 0.15, max([*years, first]) + 1


def _year(day: dt.date) -> float:
    return day.year + (day.timetuple().tm_yday - 1) / 366


def _circles(axes: Axes, points: Sequence[tuple[int, Row]], size: str, *, most: float) -> None:
    for y, fund in points:
        x, amount = _year(fund["fund_date"]), fund[size]
        if amount is None:
            axes.scatter(
                [x], [y], s=42, facecolor=GROUND, edgecolor=SOFT, linestyle=(0, (2, 1.5)), zorder=3
            )
        else:
            axes.scatter(
                [x],
                [y],
                s=max(420 * amount / most, 12),
                color=BLUE,
                alpha=0.75,
                linewidth=0.5,
                edgecolor=GROUND,
                zorder=2,
            )


def _strips(axes: Axes, shown: Sequence[Row], dated: Mapping[str, object]) -> None:
    """A hatched strip with its words in the row of a manager without dated records."""
    left, right = axes.get_xlim()
    for y, row in enumerate(shown):
        if row["manager_uuid"] in dated:
            continue
        axes.barh(
            y,
            right - left,
            left=left,
            height=0.5,
            facecolor=GROUND,
            edgecolor=GREY,
            hatch="////" if row["window"] == "no_records_returned" else "....",
            linewidth=0,
        )
        said = "records without a date" if row["funds"] else row["window"].replace("_", " ")
        axes.text(
            left + (right - left) * 0.012,
            y,
            said,
            va="center",
            color=INK,
            fontsize=8.5,
            bbox={"facecolor": GROUND, "edgecolor": "none", "pad": 1.2},
        )


def _legend(axes: Axes, study: Study, *, most: float, has_missing: bool) -> None:
    handles = []
    for part in (1, 4) if most else ():
        amount = float(f"{most / part:.1g}")
        handles.append(
            Line2D(
                [],
                [],
                linestyle="",
                marker="o",
                color=BLUE,
                alpha=0.75,
                markeredgecolor=GROUND,
                markersize=(420 * amount / most) ** 0.5,
                label=money(amount, study.currency),
            )
        )
    if has_missing:
        handles.append(
            Line2D(
                [],
                [],
                linestyle="",
                marker="o",
                markerfacecolor=GROUND,
                markeredgecolor=SOFT,
                markersize=6.5,
                label="size not reported",
            )
        )
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


def countries(study: Study) -> Figure:
    """Managers by HQ country with the size of each one's latest dated fund, where that has one."""
    c, size = study.counts, f"latest_{study.size}"
    places: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in listed(study.managers):
        places[row["hq_country"] or "country not reported"].append(row)
    unknown = "country not reported"
    order = sorted(places, key=lambda name: (name == unknown, -len(places[name]), name))
    shown = order[:_ROWS]
    known = {name: [row[size] for row in places[name] if row[size] is not None] for name in order}
    no_size = {
        name: sum(row["latest_fund_date"] is not None and row[size] is None for row in places[name])
        for name in order
    }
    no_fund = {name: sum(row["latest_fund_date"] is None for row in places[name]) for name in order}

    def draw(canvas: Canvas) -> None:
        left, right = canvas.subplots(1, 2, width_ratios=(1.15, 2), sharey=True)
        if not shown:
            left.set_visible(False)
            nothing(right, "no manager was returned")
            return
        heads = ("managers", "size not\nreported", "no dated\nfund")
        for x, head in enumerate(heads):
            left.text(x, -0.75, head, ha="center", va="bottom", color=SOFT)
        for y, name in enumerate(shown):
            for x, count in enumerate((len(places[name]), no_size[name], no_fund[name])):
                if x and count:
                    left.scatter(
                        [x], [y], s=340, facecolor=GROUND, edgecolor=SOFT, linestyle=(0, (2, 1.5))
                    )
                left.text(
                    x,
                    y,
                    number(count) if count or not x else "·",
                    ha="center",
                    va="center_baseline",
                )
            right.scatter(
                known[name], [y] * len(known[name]), s=40, color=BLUE, alpha=0.6, linewidth=0
            )
        left.set_yticks(range(len(shown)), [short(name, 26) for name in shown])
        left.set(xlim=(-0.6, 2.6), ylim=(len(shown) - 0.4, -1.6))
        left.tick_params(axis="y", length=0)
        for side in (*left.spines.values(), right.spines["left"]):
            side.set_visible(False)
        left.xaxis.set_visible(False)
        right.tick_params(axis="y", length=0)
        right.grid(axis="y", color=GREY, linewidth=0.3)
        log_of_money(
            right,
            [each for name in shown for each in known[name]],
            study.currency,
            label="size of the latest dated fund",
        )

    sized, dated = sum(map(len, known.values())), c.managers - sum(no_fund.values())
    said = "; ".join(
        f"{name}: {counted(len(places[name]), 'manager')}, size known for {len(known[name])}"
        for name in shown
    )
    return Figure(
        title=f"Managers by headquarters country: {study.subject}",
        alt=f"{said or 'No manager'}. Size of the latest dated fund in {study.currency}.",
        caption=caption(
            f"size of the latest dated fund in {study.currency}, known for {number(sized)} of "
            f"{counted(dated, 'manager')} with a dated fund {c.window}",
            "a missing size stays missing even where an older fund has one",
            f"{counted(len(order) - len(shown), 'further country', 'further countries')} not drawn"
            if len(order) > len(shown)
            else None,
            source=study.source,
        ),
        svg=drawn(
            draw,
            finding=f"The latest dated fund has a size for {number(sized)} of "
            f"{counted(dated, 'manager')} with one; {number(c.managers - dated)} have none",
            source=study.source,
            height=1.9 + 0.3 * len(shown),
        ),
    )
