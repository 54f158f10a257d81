"""What the figures of a study of a university's founders draw."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import polars as pl
from matplotlib.patches import Patch

from ventureframe.display import figure
from ventureframe.display.figure import BLUE, GREY, GROUND, INK, ORANGE, SOFT, TOP, Bar, Drawing
from ventureframe.display.marks import Canvas, mark
from ventureframe.display.wording import Count, counted, listed, money, number
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.spinouts.study import OF_A_POINT, TOP_TEN, Study

Row = Mapping[str, Any]


def funnel(study: Study) -> Drawing:
    """From the candidate pool to evidence, with what was left behind at each step."""
    c, candidates = study.counts, study.counts.companies_candidate
    units, described = defaultdict[str, list[Bar]](list), list[str]()
    for name, unit, count, lost, why in study.frames["funnel"].rows():
        note = f" · −{number(lost)} {why}" if lost else ""
        note = f" · {why}: number not known" if lost is None and why is not None else note
        units[unit].append(Bar(name, count or 0, f"{number(count)}{note}", GREY))
        described.append(f"{number(count)} {unit} {name}")

    def draw(canvas: Canvas) -> None:
        panels = canvas.subplots(len(units), 1, height_ratios=list(map(len, units.values())))
        for axes, (unit, rows) in zip(panels, units.items(), strict=True):
            figure.bars(axes, [*rows[:-1], rows[-1]._replace(colour=BLUE)], reach=2.1)
            axes.set_title(unit.capitalize())

    evidenced, others = c.companies_evidenced, c.companies_same_name
    return Drawing(
        headline=f"{evidenced} of {c.pool} companies and {c.founders_evidenced} of "
        f"{c.founders_asked} founders are evidenced",
        alt=f"Funnel of {study.subject}: {'; '.join(described)}.",
        notes=[
            f"{evidenced} of {c.pool:company} in the pool are evidenced",
            f"{candidates} {candidates:is|are} possible but not evidenced" if candidates else None,
            f"{others} only of another institution of that name" if others else None,
        ],
        height=1.2 + 0.36 * len(described),
        draw=draw,
    )


def years(study: Study) -> Drawing:
    """Years from the latest recorded end of study to founding, where both are known."""
    known: list[int] = study.frames["years"]["years"].drop_nulls().to_list()
    before = number(sum(year < 0 for year in known))

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        widths = (1, 2, 5, 10, 20, 50, 100, 1000, 10_000)  # of a bar; one starts at zero
        width = next(width for width in widths if max(known) - min(known) < 45 * width)
        shift = 0.45 if width == 1 else 0  # a bar of one year stands over its year
        for start, count in sorted(Counter(year // width * width for year in known).items()):
            colour = ORANGE if start < 0 else BLUE
            axes.bar(start - shift, count, width=width * 0.9, align="edge", color=colour)
        axes.axvline(-shift, color=INK, linewidth=0.8)
        axes.locator_params(axis="y", integer=True, nbins=5)
        axes.locator_params(axis="x", integer=True)
        if min(known) < 0:
            orange = [Patch(color=ORANGE, label="founded before the recorded end of study")]
            axes.legend(handles=orange, loc="lower right", bbox_to_anchor=(1, 0.98), frameon=False)
        across, up = "years from end of study to founding", "pairs of company and founder"
        axes.set(xlabel=across, ylabel=up)

    median = f"median {statistics.median(known):g} years" if known else "median not known"
    span = f"From {number(min(known))} to {number(max(known))}. " if known else ""
    pairs = f"{study.counts.known_years} of company and founder"
    minus = "founding year minus the latest recorded end of study there"
    return Drawing(
        headline=f"From study to founding: {median}",
        alt=f"Histogram of years from the end of study to founding, {pairs}. "
        f"{median.capitalize()}. {span}{before} founded before the recorded end of study.",
        notes=[pairs, minus, f"orange: {before} founded before it"],
        height=3.2,
        draw=draw,
        empty="" if known else "no pair with both years recorded",
    )


def funding(study: Study) -> Drawing:
    """Total funding of the evidenced companies that have most, and how many report none."""
    c, currency = study.counts, study.currency
    known = study.frames["companies"].drop_nulls("total_funding").select(OF_A_POINT).head(TOP)
    rows = [Bar(name, n, money(n, currency), id=uuid) for uuid, name, n in known.rows()]
    further, missing = c.funding_known - len(rows), c.companies_evidenced - c.funding_known

    def draw(canvas: Canvas) -> None:
        axes, most = canvas.subplots(), max([1, *(bar.value for bar in rows)])
        figure.bars(axes, [*rows, Bar(f"{missing} without a total", 0, "not reported")], reach=1.28)
        axes.scatter([most * 0.012], [len(rows)], s=30, facecolor=GROUND, edgecolor=SOFT)
        axes.texts[-1].set_position((12, 0))

    shown = "; ".join(f"{bar.label}: {bar.note}" for bar in rows) or "No amount is known"
    top = f"; ten largest: {c.held_by_ten}" if c.funding_known > TOP_TEN else ""
    smaller = f"{further} further companies with a smaller total are not drawn"
    total = money(c.funding_total, currency, null="No total")
    return Drawing(
        headline=f"{total} {c.known_funding}{top}",
        alt=f"Total funding in {currency}, {c.known_funding}. {shown}. "
        f"{f'{further} further with a total; ' if further else ''}{missing} not reported.",
        notes=[*_funding(study), smaller if further else None, "hollow: not reported, never zero"],
        height=1.2 + 0.27 * len(rows),
        draw=draw,
    )


def _funding(study: Study, after: str = "") -> tuple[str, str]:
    """The notes on amounts: for how many companies they are known, and at which rate."""
    known = f"total funding in {study.currency}, {study.counts.known_funding}{after}"
    return known, rate_day(study.source, "totals")


def _by(study: Study, *, name: str, noun: str) -> Drawing:
    """Companies per value of a field, and at the bar what is known of their funding."""
    rows, missing = study.frames[name].rows(), f"{noun} not recorded"
    bars = [
        Bar(value or missing, n, f"{n:,} · {known_total(*known)}", BLUE if value else GROUND)
        for value, n, *known in rows[:TOP]
    ]
    known = Count(sum(row[1] for row in rows if row[0]))
    most = f", most: {bars[0].label} ({number(bars[0].value)})" if known else ""
    evidenced = f"{study.counts.companies_evidenced:company}"
    shown = "companies, then the sum of the known totals"
    undrawn = figure.undrawn(len(rows) - len(bars), f"further {noun}")
    return figure.bar_chart(
        bars,
        headline=f"The {noun} is recorded for {known} of {evidenced}{most}",
        alt=f"Companies by {noun}.",
        notes=[shown, rate_day(study.source, "totals"), "hollow: not recorded", undrawn],
        height=1.2 + 0.3 * max(len(bars), 1),
        reach=1.9,
    )


statuses: Final = partial(_by, name="statuses", noun="status")
places: Final = partial(_by, name="places", noun="country")


def known_total(known: int, total: float | None, currency: str) -> str:
    """The sum of the known totals of some companies, and how many are known."""
    return f"{money(total, currency)} ({known:,} known)" if known else "no total known"


def founded(study: Study) -> Drawing:
    """The evidenced companies by founding year, and the sum of their known totals."""
    evidenced = study.counts.companies_evidenced
    rows = study.frames["founded"].drop_nulls("launch_date")
    years, companies = rows["launch_date"].to_list(), rows["companies"].to_list()
    dated, most = Count(sum(companies)), max(companies, default=0)
    peak = f"most in {years[companies.index(most)]} ({most:,})" if most else "none known"

    def draw(canvas: Canvas) -> None:
        above, below = canvas.subplots(2, 1, sharex=True)
        above.bar(years, companies, color=BLUE, width=0.8)
        above.set_title("companies founded")
        above.locator_params(axis="y", integer=True, nbins=4)
        millions = rows["funding_total"].fill_null(0) / 1e6
        below.bar(years, millions.to_list(), color=GREY, width=0.8)
        below.set_title(f"sum of the known totals, million {study.currency}")
        below.locator_params(axis="y", nbins=4)
        below.ticklabel_format(axis="y", style="plain")
        figure.whole_years(below)

    shown = "; ".join(f"{year}: {n}, {known_total(*known)}" for year, n, *known in rows.rows() if n)
    undated = figure.undrawn(evidenced - dated, "company without a founding year")
    return Drawing(
        headline=f"The founding year is recorded for {dated} of {evidenced:company}, {peak}",
        alt=f"Companies by founding year with the sum of their known totals. {shown or 'None'}.",
        notes=[*_funding(study, ", by the year of founding"), undated],
        height=3.6,
        draw=draw,
        empty="" if years else "no founding year recorded",
    )


def sectors(study: Study) -> Drawing:
    """The known totals of the evidenced companies in each sector, with the median of each."""
    c, points = study.counts, study.frames["sector_companies"].group_by("sector").agg(*OF_A_POINT)
    kept: Any = {"how": "left", "nulls_equal": True, "maintain_order": "left"}
    table = study.frames["sectors"].join(points, on="sector", **kept)
    rows = table.with_columns(label=pl.col("sector").fill_null("not tagged"))[:TOP].rows(named=True)
    shown = (
        f"{row['label']}: {counted(row['companies'], 'company')}, {row['funding_known']} with a "
        f"total{median_of(row, study.currency)}"
        for row in rows
    )
    several = "a company with several sectors is in each of them"
    undrawn = figure.undrawn(table.height - len(rows), "further sector")
    return Drawing(
        headline=f"{counted(table['sector'].count(), 'sector')} among "
        f"{c.companies_evidenced:evidenced company}; a total is known for {c.funding_known}",
        alt=f"Known totals in {study.currency} by sector. {'; '.join(shown) or 'No company'}.",
        notes=[*_funding(study), MEDIAN, several, undrawn],
        height=1.6 + 0.27 * len(rows),
        draw=lambda canvas: spread(canvas, rows, study.currency),
        empty="" if rows else "no company is evidenced",
    )


_FEWEST: Final = 5  # known totals that have a median drawn; the points of fewer are drawn too
MEDIAN: Final = f"a bar: the median, where {_FEWEST} or more totals are known"


def median_of(row: Row, currency: str) -> str:
    """The median of the known totals of a row, in words; nothing where too few are known."""
    is_drawn = row["funding_known"] >= _FEWEST
    return f", median {money(row['median'], currency)}" if is_drawn else ""


def spread(canvas: Canvas, rows: Sequence[Row], currency: str) -> None:
    """A line of points per row, its known totals; the median of enough of them is marked.

    A row has label, companies, median and the lists of `OF_A_POINT`.
    """
    axes, amounts = canvas.subplots(), list[float]()
    for y, row in enumerate(rows):
        points = zip(*map(row.__getitem__, OF_A_POINT), strict=True)
        known = [point for point in points if point[2] is not None]
        for uuid, name, amount in known:
            mark(axes, f"{name}: {money(amount, currency)}", [uuid], (amount, y))
        totals = [amount for _, _, amount in known]
        amounts += totals
        axes.scatter(totals, [y] * len(known), s=26, color=BLUE, alpha=0.45, linewidth=0)
        if len(known) >= _FEWEST:
            axes.scatter([row["median"]], [y], marker="|", s=260, color=INK, zorder=3)
        note, at = f"{len(known)} of {row['companies']} known", ("axes fraction", "data")
        axes.annotate(note, (1.01, y), xycoords=at, va="center", color=SOFT)
    figure.lines(axes, [figure.short(row["label"], 28) for row in rows])
    figure.log_of_money(axes, amounts, currency, label="total funding")


def network(study: Study) -> Drawing:
    """The university, its founders and their companies with the entries that join them."""
    c, own, order = study.counts, study.university, study.frames["companies"]["company_uuid"]
    here = {"university_uuid": pl.lit(own.uuid), "university": pl.lit(own.name)}
    links = study.frames["links"].with_columns(**here)
    return joined(links, order.to_list(), c.companies_candidate, c.companies_same_name)


_COMPANIES: Final = 16  # a network draws at most; the caption counts the others
_TIERS: Final = ("university_uuid", "founder_uuid", "company_uuid")
_NAMES: Final = ("university", "founder_name", "company_name")


def joined(links: pl.DataFrame, order: Sequence[str], candidates: int, others: int) -> Drawing:
    """The network of links, with university_uuid and university beside the columns of a link.

    `order` are the companies' ids, the most important first; at most 16 are drawn. Not joined are
    the candidates, and the `others`: companies of another institution of the same name.
    """
    linked = set(links["company_uuid"])
    shown = [uuid for uuid in order if uuid in linked][:_COMPANIES]
    undrawn = Count(len(linked) - len(shown))
    founders = counted(links["founder_uuid"].n_unique(), "founder")
    companies = counted(len(linked), "company")
    entry = pl.concat_str("degree", "end_year", separator=" ", ignore_nulls=True)
    entry = entry.replace("", "no degree, no year").alias("entry")
    links = links.filter(pl.col("company_uuid").is_in(shown))
    links = links.with_columns(pl.col("founder_name").fill_null("name not reported"))
    people = links.group_by("founder_uuid", maintain_order=True).agg(
        pl.first("founder_name"),
        entry.unique(maintain_order=True).str.join("; "),
        pl.col("company_name").unique().sort().str.join(", "),
    )
    edges = "; ".join(f"{name} ({entry}) – {firms}" for _, name, entry, firms in people[:12].rows())
    same_name = f"{counted(others, 'company')} of another institution of that name"
    outside = [counted(candidates, "candidate")] * bool(candidates) + [same_name] * bool(others)
    are = "is" if candidates + others == 1 else "are"
    further = f"{undrawn} further {undrawn:is|are} not"
    return Drawing(
        headline=f"{founders} with an entry joined to {companies}",
        alt=f"Network of {founders} and {companies}. {edges or 'No edge'}.",
        notes=[
            "each edge on the left is an education entry with the university's UUID",
            f"the {len(shown)} companies first in the list are drawn, {further}"
            if undrawn
            else None,
            f"{listed(outside)} {are} not joined" if outside else None,
            "the table lists every edge with its entry",
        ],
        height=1.1 + 0.34 * max(len(shown), people.height, 1),
        draw=lambda canvas: _draw(canvas, links, people, shown),
        empty="" if people.height else "no education entry carries the university's UUID",
    )


def _draw(canvas: Canvas, links: pl.DataFrame, people: pl.DataFrame, shown: Sequence[str]) -> None:
    axes, height = canvas.subplots(), max(len(shown), people.height)
    founders = _by_place(links, "founder_uuid", "company_uuid", shown)
    universities = _by_place(links, "university_uuid", "founder_uuid", founders)
    tiers = (0.0, universities, BLUE), (1.0, founders, SOFT), (2.6, shown, INK)
    ys = {uuid: (n + 0.5) * (height / len(t[1])) for t in tiers for n, uuid in enumerate(t[1])}
    columns = zip(_TIERS, _NAMES, strict=True)
    names = {uuid: name for pair in columns for uuid, name in links.select(pair).rows()}
    # the entries of a single university are not listed with its id
    no_id = set(universities) if len(universities) == 1 else set()
    for keys, x, to in ((_TIERS[:2], 0.0, 1.0), (_TIERS[1:], 2.0, 2.6)):  # from past the names
        for begin, end in links.select(keys).unique().sort(keys).rows():
            axes.plot([x, to], [ys[begin], ys[end]], color=GREY, linewidth=0.9, zorder=1)
            opens = [uuid for uuid in (begin, end) if uuid not in no_id]
            mark(axes, f"{names[begin]} – {names[end]}", opens, (x, ys[begin]), (to, ys[end]))
    write, short = partial(axes.annotate, textcoords="offset points", va="center"), figure.short
    for uuid in universities:
        write(_folded(names[uuid]), (0.0, ys[uuid]), xytext=(-6, 0), ha="right")
    entries = dict(people.select("founder_uuid", "entry").rows())
    for uuid in founders:
        place = (1.0, ys[uuid])
        write(short(names[uuid], 26), place, xytext=(6, 4), fontsize=8.5, color=INK)
        write(short(entries[uuid], 29), place, xytext=(6, -6), fontsize=7.5, color=SOFT)
    for uuid in shown:
        write(short(names[uuid], 30), (2.6, ys[uuid]), xytext=(6, 0))
    for x, ids, colour in tiers:
        axes.scatter([x] * len(ids), [ys[uuid] for uuid in ids], s=22, color=colour, zorder=3)
        for uuid in ids:
            mark(axes, names[uuid], {uuid} - no_id, (x, ys[uuid]))
    axes.set(xlim=(-0.62, 3.4), ylim=(height, 0))
    axes.axis("off")


def _by_place(links: pl.DataFrame, key: str, beside: str, order: Sequence[str]) -> list[str]:
    """The ids by the mean place of what they are joined to, so that few lines cross."""
    place = pl.col(beside).replace_strict(order, range(len(order)))
    places = links.unique([key, beside]).group_by(key).agg(place.mean().alias("place"))
    return places.sort("place", key)[key].to_list()


def _folded(name: str) -> str:
    """A long name over two lines."""
    words, half = name.split(), len(name) // 2
    if len(name) < 18 or len(words) < 2:
        return figure.short(name, 24)
    cut = min(range(1, len(words)), key=lambda at: abs(len(" ".join(words[:at])) - half))
    return "\n".join(figure.short(" ".join(part), 24) for part in (words[:cut], words[cut:]))
