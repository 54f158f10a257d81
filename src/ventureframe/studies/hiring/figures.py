"""The figures of a study of hiring: who, when, with what funding, and for which roles."""

from __future__ import annotations

from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Canvas

from ventureframe.display.figure import (
    BLUE,
    GREY,
    GROUND,
    INK,
    SOFT,
    TOP,
    Figure,
    bars,
    drawn,
    listed,
    log_of_money,
    nothing,
    short,
    without_scale,
)
from ventureframe.display.wording import caption, counted, money, number
from ventureframe.studies.hiring.find import Study

_LABELLED: Final = 10
_MISSING: Final = 8
_FIELDS: Final = {
    "is_hiring": "hiring flag",
    "open_jobs_count": "open jobs count",
    "signal_rating": "signal rating",
}
Row = dict[str, Any]


def ranking(study: Study) -> Figure:
    """The companies with most open jobs, and how much of what this rests on is recorded."""
    c = study.counts
    first = [row for row in listed(study.companies)[:TOP] if row["open_jobs_count"] is not None]
    covered = [
        (_FIELDS.get(row["field"], f"total funding in {study.currency}"), row["known"], row["of"])
        for row in listed(study.coverage)
        if row["record"] == "company" and row["field"] in (*_FIELDS, study.funding)
    ]

    def draw(canvas: Canvas) -> None:
        heights = (max(len(first), 2), len(covered) + 0.5)
        top, below = canvas.subplots(2, 1, height_ratios=heights)
        if not first:
            nothing(top, "no company reports a count of open jobs")
        else:
            notes = [f"{row['open_jobs_count']} open · {_posted(row)}" for row in first]
            values = [row["open_jobs_count"] for row in first]
            names = [row["company_name"] for row in first]
            bars(top, names, values, colours=[BLUE] * len(first), notes=notes)
            top.set_xlim(0, max([*values, 1]) * 1.7)
            without_scale(top)
        _covered(below, covered)

    shown = "; ".join(f"{row['company_name']}: {row['open_jobs_count']}" for row in first)
    unknown = c.companies - c.open_jobs_known
    return Figure(
        title=f"Companies with most open jobs: {study.subject}",
        alt=f"Open jobs as the company records report them. {shown or 'None reported'}. "
        + "; ".join(f"{name} recorded for {known} of {of}" for name, known, of in covered)
        + ".",
        caption=caption(
            f"open jobs reported by {number(c.open_jobs_known)} of "
            f"{counted(c.companies, 'company', 'companies')}, not reported by {number(unknown)}",
            f"{number(c.open_jobs_known - len(first))} further companies with a count not drawn"
            if c.open_jobs_known > len(first)
            else None,
            "beside: postings returned",
            source=study.source,
        ),
        svg=drawn(
            draw,
            finding=f"{number(c.hiring)} of {counted(c.companies, 'company', 'companies')} carry "
            f"the hiring flag; {number(c.open_jobs_known)} count "
            f"{counted(c.open_jobs, 'open job')}",
            source=study.source,
            height=2.4 + 0.27 * (len(first) + len(covered)),
        ),
    )


def _posted(row: Row) -> str:
    return counted(row["postings"], "posting") if row["postings"] else "no posting returned"


def _covered(axes: Axes, covered: list[tuple[str, int, int]]) -> None:
    """How much is recorded: a filled part of a hollow bar per field."""
    names = [name for name, _, _ in covered]
    shares = [known / of if of else 0 for _, known, of in covered]
    notes = [f"recorded for {number(known)} of {number(of)}" for _, known, of in covered]
    bars(axes, names, [1.0] * len(names), colours=[GROUND] * len(names), notes=notes)
    for patch in axes.patches:
        patch.set(edgecolor=SOFT, linestyle=(0, (3, 2)))
    axes.barh(range(len(names)), shares, color=GREY, height=0.66)
    axes.set_xlim(0, 1.9)
    without_scale(axes)


def postings(study: Study) -> Figure:
    """Postings returned per month."""
    c, rows = study.counts, listed(study.months)

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        if not rows:
            nothing(axes, "no dated posting was returned")
            return
        axes.bar(range(len(rows)), [row["postings"] for row in rows], color=BLUE, width=0.8)
        step = 1 + len(rows) // 13
        ticks = range(0, len(rows), step)
        axes.set_xticks(ticks, [f"{rows[each]['month']:%b %Y}" for each in ticks], rotation=30)
        axes.locator_params(axis="y", integer=True, nbins=5)
        axes.set_ylabel("postings returned")

    most = max(rows, key=lambda row: row["postings"], default=None)
    peak = f"most in {most['month']:%B %Y} ({number(most['postings'])})" if most else "none dated"
    listing = "; ".join(f"{row['month']:%Y-%m}: {row['postings']}" for row in rows[-24:])
    return Figure(
        title=f"Postings per month: {study.subject}",
        alt=f"Postings returned per month, {peak}. {listing or 'None dated'}.",
        caption=caption(
            f"{number(c.postings_dated)} of {counted(c.postings, 'posting')} dated",
            "the first and the last month can be partly covered",
            source=study.source,
        ),
        svg=drawn(
            draw,
            finding=f"{counted(c.postings, 'posting')} of "
            f"{counted(c.companies_with_postings, 'company', 'companies')}, {peak}",
            source=study.source,
            height=3.0,
        ),
    )


def funding_and_hiring(study: Study) -> Figure:
    """Total funding against open jobs: the ten with most open jobs named, the missing beside."""
    c = study.counts
    counting = [row for row in listed(study.companies) if row["open_jobs_count"] is not None]
    known = [row for row in counting if row[study.funding] is not None]
    missing = [row for row in counting if row[study.funding] is None]
    named, uncounted = known[:_LABELLED], c.companies - len(counting)

    def draw(canvas: Canvas) -> None:
        axes, beside = canvas.subplots(1, 2, width_ratios=(2, 1.25))
        _scatter(axes, study, known, named)
        beside.axis("off")
        lines = [f"{place}  {short(row['company_name'], 22)}" for place, row in enumerate(named, 1)]
        lines += ["", f"without a total: {number(len(missing))}"] if missing else []
        lines += [
            f"○  {short(row['company_name'], 20)} · {row['open_jobs_count']}"
            for row in missing[:_MISSING]
        ]
        further = len(missing) - _MISSING
        lines += [f"    and {number(further)} more"] if further > 0 else []
        lines += ["", f"no count of open jobs: {number(uncounted)}"] if uncounted else []
        beside.text(0, 1, "\n".join(lines), va="top", transform=beside.transAxes, linespacing=1.45)

    said = "; ".join(
        f"{row['company_name']}: {row['open_jobs_count']} open jobs, "
        f"{money(row[study.funding], study.currency)}"
        for row in named
    )
    without = ", ".join(row["company_name"] for row in missing[:_MISSING])
    return Figure(
        title=f"Total funding against open jobs: {study.subject}",
        alt=f"Scatter of {counted(len(known), 'company', 'companies')} with both recorded. "
        f"{said or 'None'}. Without a total: {number(len(missing))}"
        f"{' (' + without + ')' if without else ''}. Without a count of open jobs: "
        f"{number(uncounted)}.",
        caption=caption(
            f"both recorded for {number(len(known))} of "
            f"{counted(c.companies, 'company', 'companies')}",
            f"total funding in {study.currency}",
            f"numbered: the {number(len(named))} with most open jobs" if named else None,
            f"○ and its open jobs: total funding not reported ({number(len(missing))})",
            "the two can be of different dates",
            source=study.source,
        ),
        svg=drawn(
            draw,
            finding=f"{number(len(known))} of {counted(c.companies, 'company', 'companies')} have "
            f"both; {number(len(missing))} count open jobs and report no total",
            source=study.source,
            height=5.4 if known else 3.6,
        ),
    )


def _scatter(axes: Axes, study: Study, known: list[Row], named: list[Row]) -> None:
    if not known:
        nothing(axes, "no company has both recorded")
        return
    amounts = [row[study.funding] for row in known]
    jobs = [row["open_jobs_count"] for row in known]
    colours = [BLUE] * len(named) + [GREY] * (len(known) - len(named))
    axes.scatter(amounts, jobs, s=26, c=colours, alpha=0.8, linewidth=0)
    log_of_money(axes, amounts, study.currency, label="total funding")
    axes.set_ylim(-0.03 * max([*jobs, 1]), max([*jobs, 1]) * 1.1)
    axes.locator_params(axis="y", integer=True, nbins=6)
    axes.set_ylabel("open jobs")
    for place, row in enumerate(named, 1):
        spot = (row[study.funding], row["open_jobs_count"])
        # to the left and the right in turn, so that the numbers of close points stay apart
        side, ha = (4, "left") if place % 2 else (-4, "right")
        axes.annotate(
            str(place), spot, xytext=(side, 3), textcoords="offset points", ha=ha, fontsize=8.5
        )


def roles(study: Study) -> Figure:
    """Postings by role family and company, for the companies with most matched postings."""
    c, cells = study.counts, listed(study.role_companies)
    names: dict[str, str] = {}
    matched: dict[str, int] = {}
    for cell in cells:
        names[cell["company_uuid"]] = cell["company_name"]
        matched[cell["company_uuid"]] = matched.get(cell["company_uuid"], 0) + cell["postings"]
    companies = sorted(matched, key=lambda uuid: (-matched[uuid], names[uuid], uuid))[:TOP]
    counts = {
        (cell["family"], cell["company_uuid"]): cell["postings"]
        for cell in cells
        if cell["company_uuid"] in companies
    }
    shown = {family for family, _ in counts}
    families = [row["family"] for row in listed(study.roles) if row["family"] in shown]

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        if not companies:
            nothing(axes, "no title has a keyword of the list")
            return
        values = [[counts.get((family, uuid), 0) for uuid in companies] for family in families]
        _heat(axes, values)
        axes.set_yticks(range(len(families)), families)
        marks = [short(names[uuid], 22) for uuid in companies]
        axes.set_xticks(
            range(len(companies)), marks, rotation=40, ha="left", rotation_mode="anchor"
        )
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.tick_params(axis="x", labelcolor=INK)
        for side in axes.spines.values():
            side.set_visible(False)

    said = "; ".join(
        f"{row['family']}: {row['postings']} at {row['companies']}"
        for row in listed(study.roles)
        if row["postings"]
    )
    left = len(matched) - len(companies)
    share = f"{number(c.postings_in_family)} of {counted(c.postings, 'posting')}"
    return Figure(
        title=f"Role families by company: {study.subject}",
        alt=f"Heat map of postings by role family and company. Postings and companies per family: "
        f"{said or 'none'}.",
        caption=caption(
            f"{share} match a keyword of the list, some several",
            "a keyword match is not proof of need, an empty cell not of its absence",
            f"{counted(left, 'further company', 'further companies')} not drawn" if left else None,
            source=study.source,
        ),
        svg=drawn(
            draw,
            finding=f"{share} name a role family by keyword",
            source=study.source,
            height=2.1 + 0.3 * len(families),
        ),
    )


def _heat(axes: Axes, values: list[list[int]]) -> None:
    """Cells shaded by count with the count in each; an empty cell has no shade and no number."""
    most = max(max(row) for row in values)
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            if value:
                shade = 0.25 + 0.75 * value / most
                colour = [1 - shade * (1 - part) for part in to_rgb(BLUE)]
                axes.barh(y, 0.94, left=x - 0.47, height=0.9, color=colour)
                ink = GROUND if shade > 0.55 else INK
                axes.text(x, y, str(value), ha="center", va="center_baseline", color=ink)
    axes.set(xlim=(-0.6, len(values[0]) - 0.4 + 0.6), ylim=(len(values) - 0.4, -0.6))
    axes.set_axisbelow(True)
    axes.grid(color=GREY, linewidth=0.3)
