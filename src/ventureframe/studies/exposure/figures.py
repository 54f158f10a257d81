"""What the figures of a study of LPs draw: who backs whom, funds by date, firms by country."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from ventureframe.display import figure
from ventureframe.display.figure import BLUE, GREY, GROUND, INK, SOFT, Drawing, nothing, short
from ventureframe.display.marks import mark
from ventureframe.display.wording import counted, in_words, money, number
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.states import REACHABLE
from ventureframe.studies.exposure.tables import NOT_FILLED

if TYPE_CHECKING:
    from ventureframe.studies.exposure.study import Study

_ROWS: Final = 30
"""Most managers, or countries, drawn by name; the caption counts the others."""
_LPS: Final = 16
_EMPTY: Final = 8
"""Most managers without records that a timeline draws below those with some."""
_HOLLOW: Final[Any] = {"facecolor": GROUND, "edgecolor": SOFT, "linestyle": (0, (2, 1.5))}
"""How an amount that is not reported is drawn."""
_LOST: Final[Any] = {"facecolor": GREY, "edgecolor": SOFT, "marker": "D"}
"""How an amount is drawn that is reported and not convertible."""

Row = Mapping[str, Any]


def _rows(study: Study, name: str) -> list[dict[str, Any]]:
    return study.frames[name].rows(named=True)


def backing(study: Study) -> Drawing:
    """Which of the LPs each manager was returned for, most shared managers first."""
    c = study.counts
    managers, lps = _rows(study, "managers")[:_ROWS], _rows(study, "lps")[:_LPS]
    edges = {(row["lp_uuid"], row["manager_uuid"]) for row in _rows(study, "backing")}
    best = [f"{row['manager_name']}: {row['lps']} of {c.lps}" for row in managers[:5]]
    return Drawing(
        headline=f"{number(c.managers_shared)} of {counted(c.managers, 'manager')} are backed "
        "by two or more of the LPs",
        alt=f"Matrix of {counted(c.lps, 'LP')} and {counted(c.managers, 'manager')}; "
        f"{number(c.managers_shared)} managers are backed by two or more. Most shared: "
        f"{'; '.join(best) or 'not known'}.",
        notes=[
            "a square: the manager was returned for the LP; blue: for several LPs, grey: for one",
            "an empty cell is not evidence against it",
            figure.undrawn(c.managers - len(managers), "further manager"),
            figure.undrawn(c.lps - len(lps), "further LP"),
        ],
        height=2.2 + 0.22 * len(managers),
        draw=lambda canvas: _matrix(canvas.subplots(), managers, lps, edges),
    )


def _matrix(
    axes: Axes, managers: Sequence[Row], lps: Sequence[Row], edges: Collection[tuple[str, str]]
) -> None:
    """A square where a manager was returned for an LP, and beside each row its number of LPs."""
    if not (lps and managers):
        nothing(axes, "no manager was returned")
        return
    cells = [
        (x, y, lp, manager)
        for y, manager in enumerate(managers)
        for x, lp in enumerate(lps)
        if (lp["lp_uuid"], manager["manager_uuid"]) in edges
    ]
    for is_shared, colour in ((True, BLUE), (False, GREY)):
        here = [(x, y) for x, y, _, manager in cells if (manager["lps"] > 1) == is_shared]
        if here:
            axes.scatter([x for x, _ in here], [y for _, y in here], marker="s", s=70, color=colour)
    for x, y, lp, manager in cells:
        ids = (lp["lp_uuid"], manager["manager_uuid"])
        mark(axes, f"{lp['lp_name']} – {manager['manager_name']}", ids, (x, y), area=70)
    names = [short(row["manager_name"]) for row in managers]
    marks = [
        short(row["lp_name"], 28) + (" (could not ask)" if row["answer"] == "could_not_ask" else "")
        for row in lps
    ]
    figure.matrix(axes, names, marks, beside=0.8)
    beside: Any = {"va": "center_baseline", "color": SOFT, "backgroundcolor": GROUND}
    for y, manager in enumerate(managers):
        axes.text(len(lps) - 0.3, y, counted(manager["lps"], "LP"), **beside)


def funds(study: Study) -> Drawing:
    """The fund vehicles of each manager by date: area by size, hollow where it is missing."""
    c = study.counts
    windows = sorted(_rows(study, "managers"), key=lambda row: -(row["funds"] or 0))
    dated: dict[str, list[Row]] = defaultdict(list)
    for edge in study.frames["fund_links"].drop_nulls("fund_date").rows(named=True):
        dated[edge["manager_uuid"]].append(edge)
    with_dates = [row for row in windows if row["manager_uuid"] in dated]
    with_dates.sort(key=lambda row: dated[row["manager_uuid"]][0]["fund_date"], reverse=True)
    others = [row for row in windows if row["manager_uuid"] not in dated]
    shown = [
        (row, dated.get(row["manager_uuid"], [])) for row in with_dates[:_ROWS] + others[:_EMPTY]
    ]
    named = "; ".join(
        f"{row['manager_name']}: {', '.join(_worded(each, study) for each in vehicles[:3])}"
        for row, vehicles in shown[:8]
        if vehicles
    )
    return Drawing(
        headline=f"{number(c.managers_with_funds)} of {counted(c.managers_asked, 'manager')} "
        f"asked returned funds {c.window}; {number(c.managers_empty)} returned no records",
        alt=f"Timeline of fund vehicles {c.window}. {named or 'No dated fund'}. "
        f"{counted(c.managers_empty, 'manager')} returned no records {c.window}.",
        notes=[
            f"area: fund size in {study.currency}, {c.sized}",
            *(
                f"{drawn}: size {in_words(state)}"
                for state, drawn in (("not_reported", "hollow"), ("not_convertible", "diamond"))
                if any(
                    each["fund_size_state"] == state for _, vehicles in shown for each in vehicles
                )
            ),
            rate_day(study.source, "funds"),
            figure.undrawn(c.funds - c.funds_dated, "fund without a date"),
            figure.undrawn(len(with_dates) - _ROWS, "further manager with funds"),
            figure.undrawn(len(others) - _EMPTY, "further manager without dated records"),
            f"to an LP a fund is {REACHABLE}",
        ],
        height=1.9 + 0.27 * len(shown),
        draw=lambda canvas: _timeline(canvas.subplots(), study, shown),
    )


def _worded(fund: Row, study: Study) -> str:
    size = money(
        fund["fund_size"], study.currency, null=f"size {in_words(fund['fund_size_state'])}"
    )
    return f"{fund['fund_name']} {fund['fund_date']} {size}"


def _timeline(axes: Axes, study: Study, shown: Sequence[tuple[Row, Sequence[Row]]]) -> None:
    """A line of circles per manager, and a strip for one without dated funds."""
    if not shown:
        nothing(axes, "no manager was returned")
        return
    points = [(y, each) for y, (_, vehicles) in enumerate(shown) for each in vehicles]
    sizes = [each["fund_size"] for _, each in points if each["fund_size"] is not None]
    most = max(sizes, default=0)
    # from the first year of the window, or of a record, to the end of the last of a record
    as_of = study.source.as_of if study.source else None
    years = [each["fund_date"].year for _, each in points] + ([as_of.year] if as_of else [])
    first = study.counts.since or min(years, default=2000)
    figure.lines(axes, [short(row["manager_name"]) for row, _ in shown])
    axes.set(xlim=(first - 0.15, max([*years, first]) + 1), ylim=(len(shown) - 0.4, -0.8))
    figure.whole_years(axes)
    _circles(axes, points, most=most or 1)
    _strips(axes, [(y, row) for y, (row, vehicles) in enumerate(shown) if not vehicles])
    missing = {each["fund_size_state"] for _, each in points} - {"converted"}
    _legend(axes, study.currency, most=most, missing=missing)


_FILLED: Final[Any] = {"color": BLUE, "alpha": 0.75}
_LARGEST: Final = 420
"""The area of the largest circle, in square points."""


def _circles(axes: Axes, points: Sequence[tuple[int, Row]], *, most: float) -> None:
    edge: Any = {"linewidth": 0.5, "edgecolor": GROUND, "zorder": 2}
    for y, fund in points:
        x, amount = figure.in_years(fund["fund_date"]), fund["fund_size"]
        if amount is None:
            is_lost = fund["fund_size_state"] == "not_convertible"
            dot = axes.scatter([x], [y], s=42, **(_LOST if is_lost else _HOLLOW), zorder=3)
        else:
            dot = axes.scatter([x], [y], s=max(_LARGEST * amount / most, 12), **_FILLED, **edge)
        dot.set_urls([figure.link(fund["source_url"])])
        area = float(dot.get_sizes()[0])
        mark(axes, fund["fund_name"], [fund["fund_id"]], (x, y), area=area)


def _strips(axes: Axes, rows: Sequence[tuple[int, Row]]) -> None:
    """A hatched strip with its words in the row of a manager without dated records."""
    left, right = axes.get_xlim()
    strip: Any = {"height": 0.5, "facecolor": GROUND, "edgecolor": GREY, "linewidth": 0}
    label: Any = {"va": "center", "color": INK, "fontsize": 8.5}
    box = {"facecolor": GROUND, "edgecolor": "none", "pad": 1.2}
    for y, row in rows:
        hatch = "////" if row["window"] == "no_records_returned" else "...."
        axes.barh(y, right - left, left=left, hatch=hatch, **strip)
        text = in_words(row["window"])
        axes.text(left + (right - left) * 0.012, y, text, bbox=box, **label)


def _legend(axes: Axes, currency: str, *, most: float, missing: Collection[str]) -> None:
    """The largest circle, one of a quarter of its area, and the marks of missing amounts."""
    amounts = [float(f"{most / part:.1g}") for part in (1, 4)] if most else []
    filled = {**_FILLED, "markeredgecolor": GROUND}
    looks: list[Any] = [
        {"markersize": (_LARGEST * each / most) ** 0.5, "label": money(each, currency)} | filled
        for each in amounts
    ]
    for state, sign, face in (("not_reported", "o", GROUND), ("not_convertible", "D", GREY)):
        if state in missing:
            look = {"marker": sign, "markerfacecolor": face, "markeredgecolor": SOFT}
            looks.append({"markersize": 6.5, "label": f"size {in_words(state)}"} | look)
    if looks:
        handles = [Line2D([], [], linestyle="", **({"marker": "o"} | each)) for each in looks]
        below: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.06), "frameon": False}
        spaced: Any = {"handletextpad": 0.8, "columnspacing": 2.4}
        axes.legend(handles=handles, ncols=len(handles), **below, **spaced)


def overlap(study: Study) -> Drawing:
    """How many managers each two of the LPs share."""
    lps, pairs = _rows(study, "lps")[:_LPS], _rows(study, "overlap")
    shared = {(row["lp_uuid"], row["other_lp_uuid"]): row["shared"] for row in pairs}
    best = [
        f"{row['lp_name']} and {row['other_lp_name']}: {number(row['shared'])}"
        for row in pairs[:5]
        if row["shared"]
    ]
    counts = [
        [row["managers"] if row is column else _either(shared, row, column) for column in lps]
        for row in lps
    ]
    most = counted(pairs[0]["shared"], "manager") if best else "No manager"
    verb = "are" if best and pairs[0]["shared"] > 1 else "is"
    return Drawing(
        headline=f"{most} {verb} shared by the two LPs that share most"
        if best
        else "No manager is shared by two of the LPs",
        alt=f"Matrix of the managers that each two of {counted(study.counts.lps, 'LP')} share. "
        f"{'; '.join(best) or 'None'}.",
        notes=[
            "grey: all managers of the LP; blue: managers of both",
            "an empty cell is not evidence against it",
            figure.undrawn(study.counts.lps - len(lps), "further LP"),
        ],
        height=1.8 + 0.34 * len(lps),
        draw=lambda canvas: _counts_of_pairs(canvas.subplots(), lps, counts),
    )


def _either(shared: Mapping[tuple[str, str], int | None], one: Row, other: Row) -> int | None:
    key = (one["lp_uuid"], other["lp_uuid"])
    return shared.get(key, shared.get(key[::-1]))


def _counts_of_pairs(
    axes: Axes, lps: Sequence[Row], counts: Sequence[Sequence[int | None]]
) -> None:
    if not lps:
        nothing(axes, "no LP")
        return
    for y, line in enumerate(counts):
        for x, count in enumerate(line):
            if count:
                colour = GREY if x == y else BLUE
                axes.scatter([x], [y], marker="s", s=300, color=colour, alpha=0.85, linewidth=0)
                ink: Any = {
                    "ha": "center",
                    "va": "center_baseline",
                    "color": INK if x == y else GROUND,
                }
                axes.text(x, y, number(count), **ink)
                pair = [lps[y], lps[x]]
                name = " – ".join(dict.fromkeys(lp["lp_name"] for lp in pair))
                mark(axes, name, [lp["lp_uuid"] for lp in pair], (x, y), area=300)
    names = [short(row["lp_name"], 28) for row in lps]
    figure.matrix(axes, names, names, beside=0.2)


def vintages(study: Study) -> Drawing:
    """The funds returned per year, those without a known size hollow."""
    every = _rows(study, "vintages")
    rows, c = [row for row in every if row["year"] is not None], study.counts
    most = max(rows, key=lambda row: row["funds"], default=None)
    peak = f"most in {most['year']} ({number(most['funds'])})" if most else "none dated"
    listing = "; ".join(f"{row['year']}: {row['funds']}" for row in rows)
    return Drawing(
        headline=f"{counted(c.funds_dated, 'dated fund')} {c.window}, {peak}",
        alt=f"Funds {c.window} by year, {peak}. {listing or 'None dated'}.",
        notes=[
            f"hollow: no size in {c.currency}; {c.sized}",
            figure.undrawn(c.funds - c.funds_dated, "fund without a date"),
            "the last year can be partial",
        ],
        height=2.8,
        draw=lambda canvas: _by_year(canvas.subplots(), rows),
    )


def _by_year(axes: Axes, rows: Sequence[Row]) -> None:
    if not rows:
        nothing(axes, "no dated fund was returned")
        return
    years, sized = [row["year"] for row in rows], [row["size_known"] for row in rows]
    rest = [row["funds"] - known for row, known in zip(rows, sized, strict=True)]
    axes.bar(years, sized, color=BLUE, width=0.8)
    axes.bar(years, rest, bottom=sized, width=0.8, **_HOLLOW)
    axes.locator_params(axis="y", integer=True, nbins=5)
    figure.whole_years(axes)
    axes.set_ylabel("funds returned")


def countries(study: Study) -> Drawing:
    """Managers by HQ country with the size of each one's latest dated fund, where that has one."""
    c, unknown = study.counts, "country not reported"
    every = [row | {"place": row["hq_country"] or unknown} for row in _rows(study, "countries")]
    shown = every[:_ROWS]
    sizes: dict[str | None, list[float]] = defaultdict(list)
    for row in study.frames["latest_funds"].drop_nulls("fund_size").rows(named=True):
        sizes[row["hq_country"]].append(row["fund_size"])
    names = ("managers", "dated", "latest_funds", "size_known", "not_convertible")
    _, dated, funds, sized, lost = (sum(row[name] for row in every) for name in names)
    known_of = f"{number(sized)} of {counted(funds, 'latest dated fund')}"
    said = "; ".join(
        f"{row['place']}: {counted(row['managers'], 'manager')}, size known for "
        f"{row['size_known']} of {counted(row['latest_funds'], 'latest dated fund')}"
        for row in shown
    )
    return Drawing(
        headline=f"The size is known for {known_of}; {counted(c.managers - dated, 'manager')} "
        "without a dated fund",
        alt=f"{said or 'No manager'}. Size of the latest dated fund in {study.currency}.",
        notes=[
            f"size of the latest dated fund in {study.currency}, known for {known_of} of "
            f"{counted(dated, 'manager')}, funds {c.window}",
            f"not convertible to {study.currency}: {number(lost)}" if lost else None,
            f"{counted(c.latest_several, 'manager')} with several funds of the latest date: all "
            "are drawn"
            if c.latest_several
            else None,
            NOT_FILLED,
            rate_day(study.source, "funds"),
            figure.undrawn(len(every) - len(shown), "further country"),
        ],
        height=1.9 + 0.3 * len(shown),
        draw=lambda canvas: _by_country(canvas, shown, sizes, study.currency),
    )


def _by_country(
    canvas: Canvas, rows: Sequence[Row], sizes: Mapping[str | None, list[float]], currency: str
) -> None:
    """Each country's counts on the left, and its sizes on a scale on the right."""
    lost = any(row["not_convertible"] for row in rows)
    left, right = canvas.subplots(1, 2, width_ratios=(1.6 if lost else 1.15, 2), sharey=True)
    if not rows:
        left.set_visible(False)
        nothing(right, "no manager was returned")
        return
    every = [sizes.get(row["hq_country"], []) for row in rows]
    _numbers(left, rows)
    for y, known in enumerate(every):
        right.scatter(known, [y] * len(known), s=40, color=BLUE, alpha=0.6, linewidth=0)
    for side in (*left.spines.values(), right.spines["left"]):
        side.set_visible(False)
    right.tick_params(axis="y", length=0)
    right.grid(axis="y", color=GREY, linewidth=0.3)
    amounts = [amount for known in every for amount in known]
    figure.log_of_money(right, amounts, currency, label="size of the latest dated fund")


def _numbers(axes: Axes, rows: Sequence[Row]) -> None:
    """Per country the managers, the latest funds without a size, and managers without a fund."""
    heads = ["managers", "size not\nreported", "no dated\nfund"]
    if any(row["not_convertible"] for row in rows):
        heads.append("not con-\nvertible")
    for x, head in enumerate(heads):
        axes.text(x, -0.75, head, ha="center", va="bottom", color=SOFT, fontsize=8.5)
    for y, row in enumerate(rows):
        lost = row["not_convertible"]
        unreported = row["latest_funds"] - row["size_known"] - lost
        counts = (row["managers"], unreported, row["managers"] - row["dated"], lost)
        for x, count in enumerate(counts[: len(heads)]):
            if count and x in (1, 2):
                axes.scatter([x], [y], s=340, **_HOLLOW)
            text = number(count) if count or not x else "·"
            axes.text(x, y, text, ha="center", va="center_baseline")
    axes.set_yticks(range(len(rows)), [short(row["place"], 26) for row in rows])
    axes.set(xlim=(-0.6, len(heads) - 0.4), ylim=(len(rows) - 0.4, -1.6))
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_visible(False)
