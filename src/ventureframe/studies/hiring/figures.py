"""What the figures of a study of hiring draw: who, when, with what funding, and for which roles."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from ventureframe.display import figure
from ventureframe.display.figure import BLUE, GREY, GROUND, INK, TOP, Bar, Drawing, nothing, short
from ventureframe.display.marks import Canvas, mark
from ventureframe.display.wording import counted, in_words, money, number
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.hiring.study import Study

_LABELLED, _MISSING = 10, 8
"""Most companies that are numbered in a scatter, and most that are listed beside it."""

Row = Mapping[str, Any]


def ranking(study: Study) -> Drawing:
    """The companies with most open jobs, and how much of what this rests on is recorded."""
    c, coverage = study.counts, study.frames["coverage"].filter(record="company")
    top = study.frames["ranking"].head(TOP).drop_nulls("open_jobs_count").rows(named=True)
    recorded = {field: (known, of) for _, field, known, of in coverage.rows()}
    labels = {"company_status": "status", "is_hiring": "hiring flag", "open_jobs_count": ""}
    labels |= {"signal_rating": "", "total_funding": f"total funding in {study.currency}"}
    covered = [(text or in_words(name), *recorded[name]) for name, text in labels.items()]
    jobs = list[Bar]()
    for row in top:
        many, posted = row["open_jobs_count"], counted(row["postings"], "posting")
        note = f"{many} open · {posted if row['postings'] else 'no posting returned'}"
        jobs.append(Bar(row["company_name"], many, note, id=row["company_uuid"]))
    counts = "; ".join(f"{bar.label}: {bar.value}" for bar in jobs)
    shares = "; ".join(f"{label} recorded for {known} of {of}" for label, known, of in covered)

    def draw(canvas: Canvas) -> None:
        heights = (max(len(top), 2), len(covered) + 0.5)
        above, below = canvas.subplots(2, 1, height_ratios=heights)
        if top:
            figure.bars(above, jobs, reach=1.7)
        else:
            nothing(above, "no company reports a count of open jobs")
        # a filled part of a hollow bar per field
        notes = [f"recorded for {number(known)} of {number(of)}" for _, known, of in covered]
        hollow = [Bar(row[0], 1.0, note, GROUND) for row, note in zip(covered, notes, strict=True)]
        figure.bars(below, hollow, reach=1.9)
        parts = [known / of if of else 0 for _, known, of in covered]
        below.barh(range(len(parts)), parts, color=GREY, height=0.66)

    return Drawing(
        headline=f"{c.hiring} of {c.companies:company} {c.hiring:carries|carry} the hiring flag; "
        f"{c.open_jobs_known} count {c.open_jobs:open job}",
        alt=f"Open jobs as the company records report them. {counts or 'None reported'}. {shares}.",
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


def recent(study: Study) -> Drawing:
    """The latest round and the newest posting of each company, on one line of time."""
    companies = study.frames["recent"]
    # a round without a month stands in June
    start = pl.col("latest_round_year") + (pl.col("latest_round_month").fill_null(6) - 0.5) / 12
    rows = companies.with_columns(start=start).drop_nulls("latest_posting").rows(named=True)
    shown, fresh = rows[:TOP], study.counts.fresh

    def listed(row: Row) -> str:
        month = row["latest_round_month"]
        day = f"{row['latest_round_year']}{'' if month is None else f'-{month:02}'}"
        return f"{row['company_name']}: round {day}, posting {row['latest_posting']}"

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        for y, row in enumerate(shown):
            start, end = row["start"], figure.in_years(row["latest_posting"])
            axes.plot([start, end], [y, y], color=GREY, linewidth=1)
            mark(axes, row["company_name"], [row["company_uuid"]], (start, y), (end, y))
            dot: Any = {"facecolor": BLUE if row["is_fresh"] else GROUND, "edgecolor": BLUE}
            for x, shape in ((start, "s"), (end, "o")):
                axes.scatter([x], [y], marker=shape, s=36, zorder=3, **dot)
        figure.lines(axes, [short(row["company_name"]) for row in shown])
        figure.whole_years(axes, most=8)

    return Drawing(
        headline="A round within 12 months, and hiring: "
        f"{'not known' if fresh is None else fresh} of {counted(companies.height, 'company')}",
        alt=f"Latest round and newest posting of {counted(len(shown), 'company')}. "
        f"{'; '.join(map(listed, shown[:8])) or 'None'}.",
        notes=[
            "square: latest dated round; circle: newest posting; filled: fresh and hiring",
            figure.undrawn(companies.height - len(rows), "company without a dated posting"),
            figure.undrawn(len(rows) - len(shown), "further company"),
        ],
        height=1.6 + 0.27 * max(len(shown), 1),
        draw=draw,
        empty="" if shown else "no company has a dated round and a dated posting",
    )


def months(study: Study) -> Drawing:
    """Postings returned per month."""
    c, rows = study.counts, study.frames["months"].rows(named=True)
    most = max(rows, key=lambda row: row["postings"], default=None)
    peak = f"most in {most['month']:%B %Y} ({number(most['postings'])})" if most else "none dated"
    listing = "; ".join(f"{row['month']:%Y-%m}: {row['postings']}" for row in rows[-24:])

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        bars = axes.bar(range(len(rows)), [row["postings"] for row in rows], color=BLUE, width=0.8)
        for bar, row in zip(bars, rows, strict=True):
            if row["is_partial"]:
                bar.set(facecolor=GROUND, edgecolor=BLUE, hatch="////")
        ticks = range(0, len(rows), 1 + len(rows) // 13)
        axes.set_xticks(ticks, [f"{rows[tick]['month']:%b %Y}" for tick in ticks], rotation=30)
        axes.locator_params(axis="y", integer=True, nbins=5)
        axes.set_ylabel("postings returned")

    return Drawing(
        headline=f"{c.returned}, {peak}",
        alt=f"Postings returned per month, {peak}. {listing or 'None dated'}.",
        notes=[c.dated, study.partial, "the first month can be partly covered"],
        height=3.0,
        draw=draw,
        empty="" if rows else "no dated posting was returned",
    )


def funding_and_hiring(study: Study) -> Drawing:
    """Total funding against open jobs: the ten with most open jobs named, the missing beside."""
    c, currency = study.counts, study.currency
    counting = study.frames["ranking"].drop_nulls("open_jobs_count").rows(named=True)
    known = [row for row in counting if row["total_funding"] is not None]
    missing = [row for row in counting if row["total_funding"] is None]
    named, uncounted, lost = known[:_LABELLED], c.companies - len(counting), number(len(missing))

    def draw(canvas: Canvas) -> None:
        axes, right = canvas.subplots(1, 2, width_ratios=(2, 1.25))
        _scatter(axes, known, len(named), currency)
        right.axis("off")
        # what the numbers mean, and who is not in it
        beside = [f"{at}  {short(row['company_name'], 22)}" for at, row in enumerate(named, 1)]
        beside += ["", f"without a total: {lost}"] if missing else []
        for row in missing[:_MISSING]:
            beside.append(f"○  {short(row['company_name'], 20)} · {row['open_jobs_count']}")
        if len(missing) > _MISSING:
            beside.append(f"    and {number(len(missing) - _MISSING)} more")
        beside += ["", f"no count of open jobs: {uncounted}"] if uncounted else []
        place: Any = {"va": "top", "transform": right.transAxes, "linespacing": 1.45}
        right.text(0, 1, "\n".join(beside), **place)

    about = [(row["company_name"], row["open_jobs_count"], row["total_funding"]) for row in named]
    listing = "; ".join(f"{a}: {jobs} open jobs, {money(b, currency)}" for a, jobs, b in about)
    without = ", ".join(row["company_name"] for row in missing[:_MISSING])
    both = f"{number(len(known))} of {c.companies:company}"
    return Drawing(
        headline=f"{both} have both; {lost} count open jobs and have no total",
        alt=f"Scatter of {counted(len(known), 'company')} with both recorded. "
        f"{listing or 'None'}. Without a total: {lost}"
        f"{f' ({without})' if without else ''}. Without a count of open jobs: {uncounted}.",
        notes=[
            *(f"both recorded for {both}", f"total funding in {currency}"),
            f"numbered: the {number(len(named))} with most open jobs" if named else None,
            f"○ and its open jobs: no total funding returned ({lost})",
            *(rate_day(study.source, "totals"), "the two can be of different dates"),
        ],
        height=5.4 if known else 3.6,
        draw=draw,
    )


def _scatter(axes: Axes, known: Sequence[Row], numbered: int, currency: str) -> None:
    """A dot per company, the first ones numbered."""
    if not known:
        nothing(axes, "no company has both recorded")
        return
    spots = [(row["total_funding"], row["open_jobs_count"]) for row in known]
    amounts, jobs = zip(*spots, strict=True)
    colours = [BLUE] * numbered + [GREY] * (len(known) - numbered)
    axes.scatter(amounts, jobs, s=26, c=colours, alpha=0.8, linewidth=0)
    figure.log_of_money(axes, amounts, currency, label="total funding")
    most = max([*jobs, 1])
    axes.set_ylim(-0.03 * most, most * 1.1)
    axes.locator_params(axis="y", integer=True, nbins=6)
    axes.set_ylabel("open jobs")
    for place, (row, spot) in enumerate(zip(known, spots, strict=True), 1):
        mark(axes, row["company_name"], [row["company_uuid"]], spot)
        if place <= numbered:
            # to the right and the left in turn, so that the numbers of close points stay apart
            x, side = (4, "left") if place % 2 else (-4, "right")
            text: Any = {"xytext": (x, 3), "textcoords": "offset points", "ha": side}
            axes.annotate(str(place), spot, fontsize=8.5, **text)


def roles(study: Study) -> Drawing:
    """Postings by role family and company, for the companies with most matched postings."""
    cells, families = study.frames["role_companies"], study.frames["roles"]
    counts = (
        families.filter(pl.col("postings") > 0).select("family", "postings", "companies").rows()
    )
    matched = cells.group_by("company_name", "company_uuid").agg(pl.col("postings").sum())
    matched = matched.sort(-pl.col("postings"), "company_name", "company_uuid", nulls_last=True)
    shown = matched.head(TOP)
    of, uuids = {row[:2]: row[-1] for row in cells.rows()}, shown["company_uuid"]
    table = {family: [of.get((family, uuid), 0) for uuid in uuids] for family, *_ in counts}
    table = {family: values for family, values in table.items() if any(values)}
    share = study.counts.in_family
    listing = "; ".join(f"{family}: {posted} at {firms}" for family, posted, firms in counts)

    def draw(canvas: Canvas) -> None:
        axes, most = canvas.subplots(), max(map(max, table.values()))
        cells = [(x, y, n) for y, values in enumerate(table.values()) for x, n in enumerate(values)]
        for x, y, count in cells:
            if count:
                shade = 0.25 + 0.75 * count / most
                colour = [1 - shade * (1 - part) for part in to_rgb(BLUE)]
                axes.barh(y, 0.94, left=x - 0.47, height=0.9, color=colour)
                ink = GROUND if shade > 0.55 else INK
                axes.text(x, y, str(count), ha="center", va="center_baseline", color=ink)
        names = [short(name, 22) for name in shown["company_name"]]
        figure.matrix(axes, list(table), names, beside=0.6)

    return Drawing(
        headline=f"{share} name a role family by keyword",
        alt="Heat map of postings by role family and company. Postings and companies per family: "
        f"{listing or 'none'}.",
        notes=[
            f"{share} match a keyword of the list, some several",
            "a keyword match is not proof of need, an empty cell not of its absence",
            figure.undrawn(len(matched) - len(shown), "further company"),
        ],
        height=2.1 + 0.3 * len(table),
        draw=draw,
        empty="" if table else "no title has a keyword of the list",
    )
