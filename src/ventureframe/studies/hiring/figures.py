"""What the figures of a study of hiring draw: who, when, with what funding, and for which roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Canvas

from ventureframe.display import figure
from ventureframe.display.figure import BLUE, GREY, GROUND, INK, TOP, Drawing, nothing, short
from ventureframe.display.marks import mark
from ventureframe.display.wording import Count, counted, money, number
from ventureframe.evidence.rates import rate_day

if TYPE_CHECKING:
    from ventureframe.studies.hiring.study import Study

Row = dict[str, Any]


def ranking(study: Study) -> Drawing:
    """The companies with most open jobs, and how much of what this rests on is recorded."""
    c = study.counts
    top = study.frames["ranking"].head(TOP).drop_nulls("open_jobs_count").rows(named=True)
    labels = {
        "company_status": "status",
        "is_hiring": "hiring flag",
        "open_jobs_count": "open jobs count",
        "signal_rating": "signal rating",
        "total_funding": f"total funding in {study.currency}",
    }
    coverage = study.frames["coverage"].filter(record="company").rows_by_key("field", unique=True)
    covered = [(label, *coverage[field][1:]) for field, label in labels.items()]
    shown = "; ".join(f"{row['company_name']}: {row['open_jobs_count']}" for row in top)

    def draw(canvas: Canvas) -> None:
        heights = (max(len(top), 2), len(covered) + 0.5)
        above, below = canvas.subplots(2, 1, height_ratios=heights)
        _open_jobs(above, top)
        _shares(below, covered)

    return Drawing(
        headline=f"{c.hiring} of {c.companies:company} {c.hiring:carries|carry} the hiring flag; "
        f"{number(c.open_jobs_known)} count {counted(c.open_jobs, 'open job')}",
        alt=f"Open jobs as the company records report them. {shown or 'None reported'}. "
        + "; ".join(f"{name} recorded for {known} of {of}" for name, known, of in covered)
        + ".",
        notes=[
            f"open jobs reported by {c.open_jobs_known} of {c.companies:company}, "
            f"not reported by {c.companies - c.open_jobs_known}",
            figure.undrawn(c.open_jobs_known - len(top), "further company with a count"),
            "beside: postings returned",
            rate_day(study.source, "totals"),
        ],
        height=2.4 + 0.27 * (len(top) + len(covered)),
        draw=draw,
    )


def _open_jobs(axes: Axes, rows: Sequence[Row]) -> None:
    if not rows:
        nothing(axes, "no company reports a count of open jobs")
        return
    posted = [
        counted(row["postings"], "posting") if row["postings"] else "no posting returned"
        for row in rows
    ]
    values = [row["open_jobs_count"] for row in rows]
    notes = [f"{value} open · {each}" for value, each in zip(values, posted, strict=True)]
    names = [row["company_name"] for row in rows]
    ids = [row["company_uuid"] for row in rows]
    figure.bars(axes, names, values, colours=BLUE, notes=notes, ids=ids, reach=1.7)


def _shares(axes: Axes, covered: Sequence[tuple[str, int, int]]) -> None:
    """How much is recorded: a filled part of a hollow bar per field."""
    names = [name for name, _, _ in covered]
    shares = [known / of if of else 0 for _, known, of in covered]
    notes = [f"recorded for {number(known)} of {number(of)}" for _, known, of in covered]
    figure.bars(axes, names, [1.0] * len(names), colours=GROUND, notes=notes, reach=1.9)
    axes.barh(range(len(names)), shares, color=GREY, height=0.66)


def recent(study: Study) -> Drawing:
    """The latest round and the newest posting of each company, on one line of time."""
    c, every = study.counts, study.frames["recent"]
    rows = [row for row in every.rows(named=True) if row["latest_posting"] is not None]
    shown = rows[:TOP]
    named = "; ".join(
        f"{row['company_name']}: round {_round(row)}, posting {row['latest_posting']}"
        for row in shown[:8]
    )
    fresh = "not known" if c.fresh is None else number(c.fresh)
    return Drawing(
        headline=f"A round within 12 months, and hiring: {fresh} of {Count(every.height):company}",
        alt=f"Latest round and newest posting of {Count(len(shown)):company}. {named or 'None'}.",
        notes=[
            "square: latest dated round; circle: newest posting; filled: fresh and hiring",
            figure.undrawn(every.height - len(rows), "company without a dated posting"),
            figure.undrawn(len(rows) - len(shown), "further company"),
        ],
        height=1.6 + 0.27 * max(len(shown), 1),
        draw=lambda canvas: _lines_of_time(canvas.subplots(), shown),
    )


def _round(row: Row) -> str:
    month = row["latest_round_month"]
    return str(row["latest_round_year"]) + ("" if month is None else f"-{month:02}")


def _lines_of_time(axes: Axes, rows: Sequence[Row]) -> None:
    """Per company a line from its latest round to its newest posting; undated months in June."""
    if not rows:
        nothing(axes, "no company has a dated round and a dated posting")
        return
    for y, row in enumerate(rows):
        posted = figure.in_years(row["latest_posting"])
        funded = row["latest_round_year"] + ((row["latest_round_month"] or 6) - 0.5) / 12
        axes.plot([funded, posted], [y, y], color=GREY, linewidth=1)
        mark(axes, row["company_name"], [row["company_uuid"]], (funded, y), (posted, y))
        face = BLUE if row["is_fresh"] else GROUND
        axes.scatter([funded], [y], marker="s", s=36, facecolor=face, edgecolor=BLUE, zorder=3)
        axes.scatter([posted], [y], s=36, facecolor=face, edgecolor=BLUE, zorder=3)
    figure.lines(axes, [short(row["company_name"]) for row in rows])
    figure.whole_years(axes, most=8)


def months(study: Study) -> Drawing:
    """Postings returned per month."""
    c, rows = study.counts, study.frames["months"].rows(named=True)

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        if not rows:
            nothing(axes, "no dated posting was returned")
            return
        bars = axes.bar(range(len(rows)), [row["postings"] for row in rows], color=BLUE, width=0.8)
        for bar, row in zip(bars, rows, strict=True):
            if row["is_partial"]:
                bar.set(facecolor=GROUND, edgecolor=BLUE, hatch="////")
        ticks = range(0, len(rows), 1 + len(rows) // 13)
        axes.set_xticks(ticks, [f"{rows[each]['month']:%b %Y}" for each in ticks], rotation=30)
        axes.locator_params(axis="y", integer=True, nbins=5)
        axes.set_ylabel("postings returned")

    most = max(rows, key=lambda row: row["postings"], default=None)
    peak = f"most in {most['month']:%B %Y} ({number(most['postings'])})" if most else "none dated"
    listing = "; ".join(f"{row['month']:%Y-%m}: {row['postings']}" for row in rows[-24:])
    return Drawing(
        headline=f"{c.returned}, {peak}",
        alt=f"Postings returned per month, {peak}. {listing or 'None dated'}.",
        notes=[c.dated, study.partial, "the first month can be partly covered"],
        height=3.0,
        draw=draw,
    )


_LABELLED: Final = 10
_MISSING: Final = 8


def funding_and_hiring(study: Study) -> Drawing:
    """Total funding against open jobs: the ten with most open jobs named, the missing beside."""
    currency = study.currency
    counting = study.frames["ranking"].drop_nulls("open_jobs_count").rows(named=True)
    known = [row for row in counting if row["total_funding"] is not None]
    missing = [row for row in counting if row["total_funding"] is None]
    named, uncounted = known[:_LABELLED], study.counts.companies - len(counting)

    def draw(canvas: Canvas) -> None:
        axes, beside = canvas.subplots(1, 2, width_ratios=(2, 1.25))
        _scatter(axes, known, len(named), currency)
        beside.axis("off")
        text = "\n".join(_beside(named, missing, uncounted))
        beside.text(0, 1, text, va="top", transform=beside.transAxes, linespacing=1.45)

    said = "; ".join(
        f"{row['company_name']}: {row['open_jobs_count']} open jobs, "
        f"{money(row['total_funding'], currency)}"
        for row in named
    )
    without = ", ".join(row["company_name"] for row in missing[:_MISSING])
    both_of = f"{number(len(known))} of {counted(study.counts.companies, 'company')}"
    return Drawing(
        headline=f"{both_of} have both; {number(len(missing))} count open jobs and have no total",
        alt=f"Scatter of {counted(len(known), 'company')} with both recorded. "
        f"{said or 'None'}. Without a total: {number(len(missing))}"
        f"{f' ({without})' if without else ''}. Without a count of open jobs: {number(uncounted)}.",
        notes=[
            f"both recorded for {both_of}",
            f"total funding in {currency}",
            f"numbered: the {number(len(named))} with most open jobs" if named else None,
            f"○ and its open jobs: no total funding returned ({number(len(missing))})",
            rate_day(study.source, "totals"),
            "the two can be of different dates",
        ],
        height=5.4 if known else 3.6,
        draw=draw,
    )


def _scatter(axes: Axes, known: Sequence[Row], numbered: int, currency: str) -> None:
    if not known:
        nothing(axes, "no company has both recorded")
        return
    amounts = [row["total_funding"] for row in known]
    jobs = [row["open_jobs_count"] for row in known]
    colours = [BLUE] * numbered + [GREY] * (len(known) - numbered)
    axes.scatter(amounts, jobs, s=26, c=colours, alpha=0.8, linewidth=0)
    for row, spot in zip(known, zip(amounts, jobs, strict=True), strict=True):
        mark(axes, row["company_name"], [row["company_uuid"]], spot)
    figure.log_of_money(axes, amounts, currency, label="total funding")
    axes.set_ylim(-0.03 * max([*jobs, 1]), max([*jobs, 1]) * 1.1)
    axes.locator_params(axis="y", integer=True, nbins=6)
    axes.set_ylabel("open jobs")
    for place, spot in enumerate(zip(amounts[:numbered], jobs, strict=False), 1):
        # to the left and the right in turn, so that the numbers of close points stay apart
        side, ha = (4, "left") if place % 2 else (-4, "right")
        axes.annotate(
            str(place), spot, xytext=(side, 3), textcoords="offset points", ha=ha, fontsize=8.5
        )


def _beside(named: Sequence[Row], missing: Sequence[Row], uncounted: int) -> Iterator[str]:
    """The lines beside the scatter: what its numbers mean, and who is not in it."""
    for place, row in enumerate(named, 1):
        yield f"{place}  {short(row['company_name'], 22)}"
    if missing:
        yield from ("", f"without a total: {number(len(missing))}")
    for row in missing[:_MISSING]:
        yield f"○  {short(row['company_name'], 20)} · {row['open_jobs_count']}"
    if len(missing) > _MISSING:
        yield f"    and {number(len(missing) - _MISSING)} more"
    if uncounted:
        yield from ("", f"no count of open jobs: {number(uncounted)}")


def roles(study: Study) -> Drawing:
    """Postings by role family and company, for the companies with most matched postings."""
    cells, families = study.frames["role_companies"], study.frames["roles"].rows(named=True)
    matched = cells.group_by("company_name", "company_uuid").agg(pl.col("postings").sum())
    matched = matched.sort(-pl.col("postings"), "company_name", "company_uuid", nulls_last=True)
    shown = matched.head(TOP)
    of = {(family, uuid): postings for family, uuid, _, postings in cells.rows()}
    table = {
        row["family"]: [of.get((row["family"], uuid), 0) for uuid in shown["company_uuid"]]
        for row in families
    }
    table = {family: values for family, values in table.items() if any(values)}
    said = "; ".join(
        f"{row['family']}: {row['postings']} at {row['companies']}"
        for row in families
        if row["postings"]
    )
    left, share = len(matched) - len(shown), study.counts.in_family
    return Drawing(
        headline=f"{share} name a role family by keyword",
        alt=f"Heat map of postings by role family and company. Postings and companies per family: "
        f"{said or 'none'}.",
        notes=[
            f"{share} match a keyword of the list, some several",
            "a keyword match is not proof of need, an empty cell not of its absence",
            figure.undrawn(left, "further company"),
        ],
        height=2.1 + 0.3 * len(table),
        draw=lambda canvas: _heat(canvas.subplots(), table, shown["company_name"].to_list()),
    )


def _heat(axes: Axes, table: Mapping[str, Sequence[int]], names: Sequence[str]) -> None:
    """Families by companies, shaded by count; an empty cell has no shade and no number."""
    if not table:
        nothing(axes, "no title has a keyword of the list")
        return
    most = max(map(max, table.values()))
    for y, values in enumerate(table.values()):
        for x, value in enumerate(values):
            if value:
                shade = 0.25 + 0.75 * value / most
                colour = [1 - shade * (1 - part) for part in to_rgb(BLUE)]
                axes.barh(y, 0.94, left=x - 0.47, height=0.9, color=colour)
                ink = GROUND if shade > 0.55 else INK
                axes.text(x, y, str(value), ha="center", va="center_baseline", color=ink)
    figure.matrix(axes, list(table), [short(name, 22) for name in names], beside=0.6)
