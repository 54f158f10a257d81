"""What the figures of a study of hiring draw: who, when, with what funding, and for
which roles.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from matplotlib.axes import Axes

from ventureframe.display import figure, pictures
from ventureframe.display.figure import (
    BLUE,
    GREY,
    GROUND,
    TOP,
    Drawing,
    short,
)
from ventureframe.display.marks import Canvas, mark
from ventureframe.display.pictures import (
    Bar,
    Cell,
    Dot,
    Lane,
    bar_chart,
    in_years,
    matrix,
    timeline,
)
from ventureframe.display.wording import counted, money, number, within
from ventureframe.evidence import young
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.hiring.study import Study

_LABELLED, _MISSING = 10, 8
"""Most companies that are numbered in a scatter, and most that are listed beside it."""

Row = Mapping[str, Any]


def ranking(study: Study) -> Drawing:
    """The companies with most open jobs, or with most postings that match the chosen
    roles.
    """
    c, column = study.counts, "matching" if study.counts.roles else "open_jobs_count"
    rows, jobs = study.frames["ranking"].drop_nulls(column), list[Bar]()
    rows = rows.filter(pl.col(column) > 0) if c.roles else rows
    for row in rows.head(TOP).rows(named=True):
        many, posted = row[column], row["postings"]
        note = "" if posted == many else f" · {counted(posted, 'posting')}"
        jobs.append(
            Bar(row["company_name"], many, f"{many}{note}", id=row["company_uuid"])
        )
    known = (
        f"{c.open_jobs:open job} at {within(c.open_jobs_known, c.companies, 'company')}"
    )
    what = "with a match" if c.roles else "with a count"
    return bar_chart(
        jobs,
        headline=c.matched if c.roles else known,
        alt=(
            "Postings that match."
            if c.roles
            else "Open jobs as the company records report them."
        ),
        notes=[figure.undrawn(len(rows) - len(jobs), f"further company {what}")],
        height=1.2 + 0.27 * len(jobs),
        reach=1.7,
        empty=f"no company {what}",
    )


def recent(study: Study) -> Drawing:
    """The latest round and the newest posting of each company, on one line of time."""
    companies = study.frames["recent"]
    # a round without a month stands in June
    start = (
        pl.col("latest_round_year")
        + (pl.col("latest_round_month").fill_null(6) - 0.5) / 12
    )
    rows = (
        companies.with_columns(start=start)
        .drop_nulls("latest_posting")
        .rows(named=True)
    )
    shown, fresh = rows[:TOP], study.counts.fresh

    def listed(row: Row) -> str:
        month = row["latest_round_month"]
        day = f"{row['latest_round_year']}{'' if month is None else f'-{month:02}'}"
        return f"{row['company_name']}: round {day}, posting {row['latest_posting']}"

    def lane(row: Row) -> Lane:
        face = BLUE if row["is_fresh"] else GROUND
        look = {"s": 36, "zorder": 3, "facecolor": face, "edgecolor": BLUE}
        latest_round = Dot(row["start"], {**look, "marker": "s"})
        posting = Dot(in_years(row["latest_posting"]), {**look, "marker": "o"})
        dots = (latest_round, posting)
        return Lane(row["company_name"], dots, joined=row["company_uuid"])

    def draw(canvas: Canvas) -> None:
        timeline(canvas.subplots(), list(map(lane, shown)), ticks=8)

    return Drawing(
        headline=(
            "A round within 12 months, and hiring: "
            f"{'not known' if fresh is None else within(fresh, companies.height, 'company')}"
        ),
        alt=(
            f"Latest round and newest posting of {counted(len(shown), 'company')}. "
            f"{'; '.join(map(listed, shown[:8])) or 'None'}."
        ),
        notes=[
            (
                "square: latest dated round; circle: newest posting; filled: fresh and"
                " hiring"
            ),
            figure.undrawn(
                companies.height - len(rows), "company without a dated posting"
            ),
            figure.undrawn(len(rows) - len(shown), "further company"),
        ],
        height=1.6 + 0.27 * max(len(shown), 1),
        draw=draw,
        empty="" if shown else "no company has a dated round and a dated posting",
    )


def months(study: Study) -> Drawing:
    """Postings per month."""
    c, table = study.counts, study.frames["months"]
    rows, peak = (
        table.rows(named=True),
        young.peak(table, "month", "postings", "{:%B %Y}"),
    )
    listing = "; ".join(
        f"{row['month']:%Y-%m}: {row['postings']}" for row in rows[-24:]
    )

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        bars = axes.bar(
            range(len(rows)), [row["postings"] for row in rows], color=BLUE, width=0.8
        )
        for bar, is_young in zip(bars, table["still_arriving"], strict=True):
            if is_young:
                pictures.hatch(bar)
        ticks = range(0, len(rows), 1 + len(rows) // 13)
        axes.set_xticks(
            ticks, [f"{rows[tick]['month']:%b %Y}" for tick in ticks], rotation=30
        )
        axes.locator_params(axis="y", integer=True, nbins=5)
        axes.set_ylabel("postings")

    return Drawing(
        headline=f"{c.postings:posting} at {c.companies_with_postings:company}{peak}",
        alt=f"Postings per month. {listing or 'None dated'}.",
        notes=[
            young.note(table, "month", "{:%B %Y}"),
            "postings still listed: earlier months show fewer",
        ],
        height=3.0,
        draw=draw,
        empty="" if rows else "no dated posting is recorded",
    )


def funding_and_hiring(study: Study) -> Drawing:
    """Total funding against open jobs: the ten with most open jobs named, the
    missing beside.
    """
    c, currency = study.counts, study.currency
    counting = study.frames["ranking"].drop_nulls("open_jobs_count").rows(named=True)
    known = [row for row in counting if row["total_funding"] is not None]
    missing = [row for row in counting if row["total_funding"] is None]
    named, uncounted, lost = (
        known[:_LABELLED],
        c.companies - len(counting),
        number(len(missing)),
    )

    def draw(canvas: Canvas) -> None:
        axes, right = canvas.subplots(1, 2, width_ratios=(2, 1.25))
        _scatter(axes, known, len(named), currency)
        right.axis("off")
        # what the numbers mean, and who is not in it
        beside = [
            f"{at}  {short(row['company_name'], 22)}" for at, row in enumerate(named, 1)
        ]
        beside += ["", f"without a total: {lost}"] if missing else []
        for row in missing[:_MISSING]:
            beside.append(
                f"○  {short(row['company_name'], 20)} · {row['open_jobs_count']}"
            )
        if len(missing) > _MISSING:
            beside.append(f"    and {number(len(missing) - _MISSING)} more")
        beside += ["", f"no count of open jobs: {uncounted}"] if uncounted else []
        place: Any = {"va": "top", "transform": right.transAxes, "linespacing": 1.45}
        right.text(0, 1, "\n".join(beside), **place)

    about = [
        (row["company_name"], row["open_jobs_count"], row["total_funding"])
        for row in named
    ]
    listing = "; ".join(
        f"{a}: {jobs} open jobs, {money(b, currency)}" for a, jobs, b in about
    )
    without = ", ".join(row["company_name"] for row in missing[:_MISSING])
    return Drawing(
        headline=f"Both are recorded for {within(len(known), c.companies, 'company')}",
        alt=(
            f"Scatter of {counted(len(known), 'company')} with both recorded."
            f" {listing or 'None'}. Without a total:"
            f" {lost}{f' ({without})' if without else ''}. Without a count of open"
            f" jobs: {uncounted}."
        ),
        notes=[
            f"total funding in {currency}",
            (
                f"numbered: the {number(len(named))} with most open jobs"
                if len(named) > 1
                else None
            ),
            (
                f"○ and its open jobs: no total funding recorded ({lost})"
                if missing
                else None
            ),
            *(rate_day(study.source, "totals"), "the two can be of different dates"),
        ],
        height=5.4 if known else 3.6,
        draw=draw,
    )


def _scatter(axes: Axes, known: Sequence[Row], numbered: int, currency: str) -> None:
    """A dot per company, the first ones numbered."""
    if not known:
        axes.text(0.5, 0.5, "no company has both recorded")
        return
    spots = [(row["total_funding"], row["open_jobs_count"]) for row in known]
    amounts, jobs = zip(*spots, strict=True)
    colours = [BLUE] * numbered + [GREY] * (len(known) - numbered)
    axes.scatter(amounts, jobs, s=26, c=colours, alpha=0.8, linewidth=0)
    pictures.scale_of_money(axes, amounts, currency, label="total funding")
    most = max([*jobs, 1])
    axes.set_ylim(-0.03 * most, most * 1.1)
    axes.locator_params(axis="y", integer=True, nbins=6)
    axes.set_ylabel("open jobs")
    for place, (row, spot) in enumerate(zip(known, spots, strict=True), 1):
        mark(axes, row["company_name"], [row["company_uuid"]], spot)
        if place <= numbered:
            # to the right and the left in turn, so that the numbers of close points
            # stay apart
            x, side = (4, "left") if place % 2 else (-4, "right")
            text: Any = {"xytext": (x, 3), "textcoords": "offset points", "ha": side}
            axes.annotate(str(place), spot, fontsize=8.5, **text)


def roles(study: Study) -> Drawing:
    """Postings by role family and company, for the companies with most matched
    postings.
    """
    cells = study.frames["role_companies"]
    families = study.frames["roles"].filter(pl.col("postings") > 0)
    counts = families.select("family", "postings", "companies").rows()
    matched = cells.group_by("company_name", "company_uuid").agg(
        pl.col("postings").sum()
    )
    matched = matched.sort(
        -pl.col("postings"), "company_name", "company_uuid", nulls_last=True
    )
    shown = matched.head(TOP)
    of, uuids = {row[:2]: row[-1] for row in cells.rows()}, shown["company_uuid"]
    table = {
        family: [of.get((family, uuid), 0) for uuid in uuids] for family, *_ in counts
    }
    table = {family: values for family, values in table.items() if any(values)}
    listing = "; ".join(
        f"{family}: {posted} at {firms}" for family, posted, firms in counts
    )

    def draw(canvas: Canvas) -> None:
        cells = [
            Cell(x, y, count)
            for y, counts in enumerate(table.values())
            for x, count in enumerate(counts)
            if count
        ]
        names = [short(name, 22) for name in shown["company_name"]]
        matrix(canvas.subplots(), list(table), names, cells, margin=0.6)

    return Drawing(
        headline=study.counts.matched,
        alt=(
            "Heat map of postings by role family and company. Postings and companies"
            f" per family: {listing or 'none'}."
        ),
        notes=[
            "a keyword is not proof of need, an empty cell not of its absence",
            "a posting can match several",
            figure.undrawn(len(matched) - len(shown), "further company"),
        ],
        height=2.1 + 0.3 * len(table),
        draw=draw,
        empty="" if table else "no title has a keyword of the list",
    )
