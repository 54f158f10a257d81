"""What the figures of a study of a university's founders draw."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Patch

from ventureframe.display.figure import (
    BLUE,
    GREY,
    GROUND,
    INK,
    ORANGE,
    SOFT,
    TOP,
    Bar,
    Drawing,
    bar_chart,
    bars,
    lines,
    log_of_money,
    nothing,
    short,
    undrawn,
    whole_years,
)
from ventureframe.display.marks import mark
from ventureframe.display.wording import counted, listed, money, number, verb
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.spinouts.study import TOP_TEN, Study


def funnel(study: Study) -> Drawing:
    """From the candidate pool to evidence, with what was left behind at each step."""
    c, steps = study.counts, study.frames["funnel"].rows(named=True)
    units = {step["unit"]: [one for one in steps if one["unit"] == step["unit"]] for step in steps}

    def note(step: Mapping[str, Any]) -> str:
        why = step["lost_because"]
        if step["lost"] is None and why is not None:
            return f"{number(step['count'])} · {why}: number not known"
        lost = f" · −{number(step['lost'])} {why}" if step["lost"] else ""
        return number(step["count"]) + lost

    def draw(canvas: Canvas) -> None:
        panels = canvas.subplots(len(units), 1, height_ratios=list(map(len, units.values())))
        for axes, (unit, group) in zip(panels, units.items(), strict=True):
            rows = [Bar(step["step"], step["count"] or 0, note(step), GREY) for step in group]
            bars(axes, [*rows[:-1], rows[-1]._replace(colour=BLUE)], reach=2.1)
            axes.set_title(unit.capitalize())

    listed = "; ".join(f"{number(step['count'])} {step['unit']} {step['step']}" for step in steps)
    candidates, others = number(c.companies_candidate), number(c.companies_same_name)
    are = verb(c.companies_candidate, "is", "are")
    return Drawing(
        headline=f"{number(c.companies_evidenced)} of {number(c.pool)} companies and "
        f"{number(c.founders_evidenced)} of {number(c.founders_asked)} founders are evidenced",
        alt=f"Funnel of {study.subject}: {listed}.",
        notes=[
            f"{number(c.companies_evidenced)} of {counted(c.pool, 'company')} in the pool are "
            "evidenced",
            f"{candidates} {are} possible but not evidenced" if c.companies_candidate else None,
            f"{others} only of another institution of that name" if c.companies_same_name else None,
        ],
        height=1.2 + 0.36 * len(steps),
        draw=draw,
    )


_WIDTHS: Final = (1, 2, 5, 10, 20, 50, 100, 1000, 10_000)
"""In whole years, how wide a bar of the histogram can be; one bar starts at zero."""


def years(study: Study) -> Drawing:
    """Years from the latest recorded end of study to founding, where both are known."""
    known: list[int] = study.frames["years"]["years"].drop_nulls().to_list()
    before = sum(year < 0 for year in known)

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        if not known:
            nothing(axes, "no pair with both years recorded")
        else:
            width = next(width for width in _WIDTHS if max(known) - min(known) < 45 * width)
            shift = 0.45 if width == 1 else 0  # a bar of one year stands over its year
            counts = Counter(year // width * width for year in known)
            for start, count in sorted(counts.items()):
                colour = ORANGE if start < 0 else BLUE
                axes.bar(start - shift, count, width=width * 0.9, align="edge", color=colour)
            axes.axvline(-shift, color=INK, linewidth=0.8)
            axes.locator_params(axis="y", integer=True, nbins=5)
            axes.locator_params(axis="x", integer=True)
        if before:
            orange = [Patch(color=ORANGE, label="founded before the recorded end of study")]
            axes.legend(handles=orange, loc="lower right", bbox_to_anchor=(1, 0.98), frameon=False)
        axes.set(xlabel="years from end of study to founding")
        axes.set(ylabel="pairs of company and founder")

    median = f"median {statistics.median(known):g} years" if known else "median not known"
    spread = f"From {number(min(known))} to {number(max(known))}. " if known else ""
    said = f"{study.counts.known_years} of company and founder"
    return Drawing(
        headline=f"From study to founding: {median}",
        alt=f"Histogram of years from the end of study to founding, {said}. {median.capitalize()}. "
        f"{spread}{number(before)} founded before the recorded end of study.",
        notes=[
            said,
            "founding year minus the latest recorded end of study there",
            f"orange: {number(before)} founded before it",
        ],
        height=3.2,
        draw=draw,
    )


def funding(study: Study) -> Drawing:
    """Total funding of the evidenced companies that have most, and how many report none."""
    c, currency = study.counts, str(study.currency)
    known = study.frames["companies"].drop_nulls("total_funding").head(TOP)
    rows = [
        Bar(name, amount, money(amount, currency), id=uuid)
        for name, amount, uuid in known["company_name", "total_funding", "company_uuid"].rows()
    ]
    further, missing = c.funding_known - len(rows), c.companies_evidenced - c.funding_known

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        without = Bar(f"{number(missing)} without a total", 0, "not reported")
        bars(axes, [*rows, without], reach=1.28)
        most = max([1, *(bar.value for bar in rows)])
        axes.scatter([most * 0.012], [len(rows)], s=30, facecolor=GROUND, edgecolor=SOFT)
        axes.texts[-1].set_position((12, 0))

    shown = "; ".join(f"{bar.label}: {bar.note}" for bar in rows)
    known_of = c.known_funding
    top = f"; ten largest: {c.held_by_ten}" if c.funding_known > TOP_TEN else ""
    total = money(c.funding_total, currency, null="No total")
    return Drawing(
        headline=f"{total} {known_of}{top}",
        alt=f"Total funding in {currency}, {known_of}. {shown or 'No amount is known'}. "
        f"{f'{number(further)} further with a total; ' if further else ''}"
        f"{number(missing)} not reported.",
        notes=[
            f"total funding in {currency}, {known_of}",
            rate_day(study.source, "totals"),
            f"{number(further)} further companies with a smaller total are not drawn"
            if further
            else None,
            "hollow: not reported, never zero",
        ],
        height=1.2 + 0.27 * len(rows),
        draw=draw,
    )


def _by(study: Study, *, name: str, field: str, noun: str) -> Drawing:
    """Companies per value of a field, and at the bar what is known of their funding."""
    c, rows = study.counts, study.frames[name].rows(named=True)
    shown = [
        Bar(
            label=row[field] or f"{noun} not recorded",
            value=row["companies"],
            note=f"{number(row['companies'])} · {known_total(row, study.currency)}",
            colour=BLUE if row[field] else GROUND,
        )
        for row in rows[:TOP]
    ]
    known = sum(row["companies"] for row in rows if row[field])
    most = f", most: {shown[0].label} ({number(shown[0].value)})" if known else ""
    return bar_chart(
        shown,
        headline=f"The {noun} is recorded for {number(known)} of "
        f"{counted(c.companies_evidenced, 'company')}{most}",
        alt=f"Companies by {noun}.",
        notes=[
            "companies, then the sum of the known totals",
            rate_day(study.source, "totals"),
            "hollow: not recorded",
            undrawn(len(rows) - len(shown), f"further {noun}"),
        ],
        height=1.2 + 0.3 * max(len(shown), 1),
        reach=1.9,
    )


statuses: Final = partial(_by, name="statuses", field="company_status", noun="status")
places: Final = partial(_by, name="places", field="hq_country", noun="country")


def known_total(row: Mapping[str, Any], currency: str) -> str:
    """The sum of the known totals of a row, and how many are known."""
    if not row["funding_known"]:
        return "no total known"
    return f"{money(row['funding_total'], currency)} ({number(row['funding_known'])} known)"


def founded(study: Study) -> Drawing:
    """The evidenced companies by founding year, and the sum of their known totals."""
    c, every = study.counts, study.frames["founded"].rows(named=True)
    rows = [row for row in every if row["launch_date"] is not None]
    dated = sum(row["companies"] for row in rows)
    most = max(rows, key=lambda row: row["companies"], default=None)
    peak = f"most in {most['launch_date']} ({number(most['companies'])})" if most else "none known"

    def draw(canvas: Canvas) -> None:
        above, below = canvas.subplots(2, 1, sharex=True)
        if not rows:
            below.set_visible(False)
            nothing(above, "no founding year recorded")
            return
        years = [row["launch_date"] for row in rows]
        above.bar(years, [row["companies"] for row in rows], color=BLUE, width=0.8)
        above.set_title("companies founded")
        above.locator_params(axis="y", integer=True, nbins=4)
        millions = [(row["funding_total"] or 0) / 1e6 for row in rows]
        below.bar(years, millions, color=GREY, width=0.8)
        below.set_title(f"sum of the known totals, million {study.currency}")
        below.locator_params(axis="y", nbins=4)
        below.ticklabel_format(axis="y", style="plain")
        whole_years(below)

    listing = "; ".join(
        f"{row['launch_date']}: {row['companies']}, {known_total(row, study.currency)}"
        for row in rows
        if row["companies"]
    )
    return Drawing(
        headline=f"The founding year is recorded for {number(dated)} of "
        f"{counted(c.companies_evidenced, 'company')}, {peak}",
        alt=f"Companies by founding year with the sum of their known totals. {listing or 'None'}.",
        notes=[
            f"total funding in {study.currency}, {c.known_funding}, by the year of founding",
            rate_day(study.source, "totals"),
            undrawn(c.companies_evidenced - dated, "company without a founding year"),
        ],
        height=3.6,
        draw=draw,
    )


def sectors(study: Study) -> Drawing:
    """The known totals of the evidenced companies in each sector, with the median of each."""
    c, currency = study.counts, str(study.currency)
    amounts = study.frames["sector_companies"].group_by("sector").agg(*OF_A_POINT)
    rows = study.frames["sectors"].join(
        amounts, on="sector", how="left", nulls_equal=True, maintain_order="left"
    )
    shown = rows.head(TOP).rows(named=True)
    said = "; ".join(
        f"{row['sector'] or 'not tagged'}: {counted(row['companies'], 'company')}, "
        f"{row['funding_known']} with a total{median_of(row, currency)}"
        for row in shown
    )
    return Drawing(
        headline=f"{counted(rows['sector'].count(), 'sector')} among "
        f"{counted(c.companies_evidenced, 'evidenced company')}; "
        f"a total is known for {number(c.funding_known)}",
        alt=f"Known totals in {currency} by sector. {said or 'No company'}.",
        notes=[
            f"total funding in {currency}, {c.known_funding}",
            rate_day(study.source, "totals"),
            f"a bar: the median, where {FEWEST} or more totals are known",
            "a company with several sectors is in each of them",
            undrawn(len(rows) - len(shown), "further sector"),
        ],
        height=1.6 + 0.27 * len(shown),
        draw=lambda canvas: spread(
            canvas, shown, [row["sector"] or "not tagged" for row in shown], currency
        ),
    )


OF_A_POINT: Final = ("company_uuid", "company_name", "total_funding")
"""What `spread` draws of each company, as lists of equal length."""
FEWEST: Final = 5
"""Fewer known totals than these have no median drawn; their points are."""


def median_of(row: Mapping[str, Any], currency: str) -> str:
    """The median of the known totals of a row, in words; nothing where too few are known."""
    is_drawn = row["funding_known"] >= FEWEST
    return f", median {money(row['median'], currency)}" if is_drawn else ""


def spread(
    canvas: Canvas, rows: Sequence[Mapping[str, Any]], labels: Sequence[str], currency: str
) -> None:
    """A line of points per row, its known totals; the median of enough of them is marked."""
    axes = canvas.subplots()
    if not rows:
        nothing(axes, "no company is evidenced")
        return
    every: list[float] = []
    for y, row in enumerate(rows):
        points = zip(*map(row.__getitem__, OF_A_POINT), strict=True)
        companies_known = [point for point in points if point[2] is not None]
        for uuid, name, amount in companies_known:
            mark(axes, f"{name}: {money(amount, currency)}", [uuid], (amount, y))
        known = [amount for _, _, amount in companies_known]
        every += known
        axes.scatter(known, [y] * len(known), s=26, color=BLUE, alpha=0.45, linewidth=0)
        if row["funding_known"] >= FEWEST:
            axes.scatter([row["median"]], [y], marker="|", s=260, color=INK, zorder=3)
        note = f"{row['funding_known']} of {row['companies']} known"
        axes.annotate(note, (1.01, y), xycoords=("axes fraction", "data"), va="center", color=SOFT)
    lines(axes, [short(label, 28) for label in labels])
    log_of_money(axes, every, currency, label="total funding")


def network(study: Study) -> Drawing:
    """The university, its founders and their companies with the entries that join them."""
    own = {"university_uuid": study.university.uuid, "university": study.university.name}
    links = [own | link for link in study.frames["links"].rows(named=True)]
    c, order = study.counts, study.frames["companies"]["company_uuid"].to_list()
    return joined(links, order, not_joined=(c.companies_candidate, c.companies_same_name))


_COMPANIES: Final = 16
"""Most companies a network draws; the caption counts the others."""

Link = Mapping[str, Any]


def joined(links: Sequence[Link], order: Sequence[str], *, not_joined: tuple[int, int]) -> Drawing:
    """The network of links (rows with university_uuid and university beside those of a link).

    `order` are the companies' ids, the most important first; at most 16 are drawn. `not_joined`
    counts the candidates, and the companies of another institution of the same name.
    """
    linked = {link["company_uuid"] for link in links}
    shown = [uuid for uuid in order if uuid in linked][:_COMPANIES]
    drawn = [link for link in links if link["company_uuid"] in shown]
    left_out = len(linked) - len(shown)
    people = counted(len({link["founder_uuid"] for link in links}), "founder")
    ventures = counted(len(linked), "company")
    said = "; ".join(
        f"{name} ({entry}) – "
        + ", ".join(sorted({e["company_name"] for e in drawn if e["founder_uuid"] == uuid}))
        for uuid, (name, entry) in list(_entries(drawn).items())[:12]
    )
    founders = _by_place(drawn, "founder_uuid", "company_uuid", shown)
    candidates, others = not_joined
    outside = [counted(candidates, "candidate")] * bool(candidates)
    if others:
        outside.append(f"{counted(others, 'company')} of another institution of that name")
    are = verb(candidates + others, "is", "are")
    height = max(len(shown), len(founders), 1)
    return Drawing(
        headline=f"{people} with an entry joined to {ventures}",
        alt=f"Network of {people} and {ventures}. {said or 'No edge'}.",
        notes=[
            "each edge on the left is an education entry with the university's UUID",
            f"the {number(len(shown))} companies first in the list are drawn, "
            f"{number(left_out)} further {verb(left_out, 'is', 'are')} not"
            if left_out
            else None,
            f"{listed(outside)} {are} not joined" if outside else None,
            "the table lists every edge with its entry",
        ],
        height=1.1 + 0.34 * height,
        draw=lambda canvas: _draw(canvas.subplots(), drawn, shown, founders, height),
    )


def _draw(
    axes: Axes, links: Sequence[Link], shown: Sequence[str], founders: Sequence[str], height: int
) -> None:
    if not links:
        nothing(axes, "no education entry carries the university's UUID")
        return
    universities = _by_place(links, "university_uuid", "founder_uuid", founders)
    left, middle, right = (
        {uuid: (place + 0.5) * (height / len(ids)) for place, uuid in enumerate(ids)}
        for ids in (universities, founders, shown)
    )
    entries = _entries(links)
    names = {uuid: name for uuid, (name, _) in entries.items()}
    for link in links:
        names[link["university_uuid"]] = link["university"]
        names[link["company_uuid"]] = link["company_name"]
    # the entries of a single university are not listed with its id
    no_id = set(left) if len(left) == 1 else set()
    for x, to, one, other, keys in (
        (0.0, 1.0, left, middle, ("university_uuid", "founder_uuid")),
        (2.0, 2.6, middle, right, ("founder_uuid", "company_uuid")),  # from past the names
    ):
        for begin, end in sorted(set(map(itemgetter(*keys), links))):
            ends = [one[begin], other[end]]
            axes.plot([x, to], ends, color=GREY, linewidth=0.9, zorder=1)
            ids = [each for each in (begin, end) if each not in no_id]
            mark(axes, f"{names[begin]} – {names[end]}", ids, (x, ends[0]), (to, ends[1]))
    beside = partial(axes.annotate, textcoords="offset points", va="center")
    for uuid, y in left.items():
        beside(_folded(names[uuid]), (0.0, y), xytext=(-6, 0), ha="right")
    for uuid, y in middle.items():
        name, entry = entries[uuid]
        beside(short(name, 26), (1.0, y), xytext=(6, 4), fontsize=8.5, color=INK)
        beside(short(entry, 29), (1.0, y), xytext=(6, -6), fontsize=7.5, color=SOFT)
    for uuid, y in right.items():
        beside(short(names[uuid], 30), (2.6, y), xytext=(6, 0))
    for x, places, colour in ((0.0, left, BLUE), (1.0, middle, SOFT), (2.6, right, INK)):
        axes.scatter([x] * len(places), list(places.values()), s=22, color=colour, zorder=3)
        for uuid, y in places.items():
            mark(axes, names[uuid], {uuid} - no_id, (x, y))
    axes.set(xlim=(-0.62, 3.4), ylim=(height, 0))
    axes.axis("off")


def _by_place(links: Sequence[Link], key: str, beside: str, order: Sequence[str]) -> list[str]:
    """The ids by the mean place of what they are joined to, so that few lines cross."""
    places = defaultdict(set)
    for link in links:
        places[link[key]].add(order.index(link[beside]))
    return sorted(places, key=lambda each: (statistics.fmean(places[each]), each))


def _entries(links: Sequence[Link]) -> dict[str, tuple[str, str]]:
    """Per founder the name and the entries behind the edges, in words."""
    said: dict[str, tuple[str, dict[str, None]]] = {}
    for link in links:
        name = link["founder_name"] or "name not reported"
        parts = (link["degree"], link["end_year"])
        entry = " ".join(str(part) for part in parts if part is not None)
        said.setdefault(link["founder_uuid"], (name, {}))[1][entry or "no degree, no year"] = None
    return {uuid: (name, "; ".join(entries)) for uuid, (name, entries) in said.items()}


def _folded(name: str) -> str:
    """A long name over two lines."""
    words, half = name.split(), len(name) // 2
    if len(name) < 18 or len(words) < 2:
        return short(name, 24)
    cut = min(range(1, len(words)), key=lambda at: abs(len(" ".join(words[:at])) - half))
    return "\n".join(short(" ".join(part), 24) for part in (words[:cut], words[cut:]))
