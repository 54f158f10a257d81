"""What the figures of several universities draw: their bars side by side, and the
network.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

import polars as pl

from ventureframe.display import figure
from ventureframe.display.figure import BLUE, GREY, INK, SOFT, Drawing
from ventureframe.display.marks import Canvas, mark
from ventureframe.display.pictures import Bar, bars
from ventureframe.display.wording import counted, money, number
from ventureframe.evidence.ranks import METHOD
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.spinouts import figures as spinouts
from ventureframe.studies.universities.study import Study

_UNIVERSITIES: Final = 20  # the first of those given are drawn


def universities(study: Study) -> Drawing:
    """The companies counted at each university with its place, and the sum of known
    totals.
    """
    rows = study.frames["universities"].rows(named=True)[:_UNIVERSITIES]
    c, currency = study.counts, study.currency
    evidenced, totals, described = list[Bar](), list[Bar](), list[str]()
    for row in rows:
        name, known, total = (
            row["university"],
            row["funding_known"],
            row["funding_total"],
        )
        many = row["companies_evidenced"]
        place = f" · place {row['place']}" if row["place"] else ""
        evidenced.append(
            Bar(name, many, f"{number(many)}{place}", id=row["university_uuid"])
        )
        note = f"{money(total, '')} · {known} known" if known else "not reported"
        totals.append(Bar(name, total or 0, note, GREY))
        described.append(
            f"{name}: {counted(many, 'company')} counted{place}, "
            f"{counted(row['founders_evidenced'], 'founder')}, "
            f"known totals {money(total, currency)} ({known} known)"
        )

    def draw(canvas: Canvas) -> None:
        left, right = canvas.subplots(1, 2, sharey=True)
        bars(left, evidenced)
        left.set_title("companies counted")
        bars(right, totals)
        right.set_title(f"sum of the known totals ({currency})")
        left.invert_yaxis()  # both panels inverted the axis they share

    return Drawing(
        headline=(
            f"{c.companies:company} at {counted(len(c.studies), 'university')}, "
            f"{c.shared} at several"
        ),
        alt=f"{'; '.join(described)}.",
        notes=[
            METHOD if any(row["place"] for row in rows) else None,
            rate_day(study.source, "totals"),
        ],
        height=1.5 + 0.42 * len(rows),
        draw=draw,
        empty="" if any(row["pool"] for row in rows) else "no company is found",
    )


def spread(study: Study) -> Drawing:
    """The known totals of the companies of each university, with the median of each."""
    c, currency = study.counts, study.currency
    rows = (
        study.frames["spread"]
        .rename({"university": "label"})
        .rows(named=True)[:_UNIVERSITIES]
    )
    known = sum(each.counts.funding_known for each in study.studies)
    described = (
        f"{row['label']}: {row['funding_known']} of"
        f" {counted(row['companies'], 'company')} with a"
        f" total{spinouts.median_of(row, currency)}"
        for row in rows
    )
    rate = rate_day(study.source, "totals")
    several = "a company of several universities counts at each"
    return Drawing(
        headline=(
            f"{counted(known, 'known total')} at"
            f" {counted(len(c.studies), 'university')}"
        ),
        alt=(
            f"Known totals in {currency} by university."
            f" {'; '.join(described) or 'No company'}."
        ),
        notes=[f"total funding in {currency}", rate, spinouts.MEDIAN, several],
        height=1.6 + 0.3 * len(rows),
        draw=lambda canvas: spinouts.spread(canvas, rows, currency),
        empty="" if rows else "no company is counted",
    )


_COMPANIES: Final = 16  # a network draws at most; the caption counts the others
_TIERS: Final = ("university_uuid", "founder_uuid", "company_uuid")
_NAMES: Final = ("university", "founder_name", "company_name")


def network(study: Study) -> Drawing:
    """The companies of several universities, with the founders and entries that join
    them.
    """
    order, c = study.frames["shared"]["company_uuid"].to_list(), study.counts
    shown = order[:_COMPANIES]
    entry = pl.concat_str("degree", "end_year", separator=" ", ignore_nulls=True)
    entry = entry.replace("", "no degree, no year").alias("entry")
    links = study.frames["links"].filter(pl.col("company_uuid").is_in(shown))
    links = links.with_columns(pl.col("founder_name").fill_null("name not reported"))
    people = links.group_by("founder_uuid", maintain_order=True).agg(
        pl.first("founder_name"),
        entry.unique(maintain_order=True).str.join("; "),
        pl.col("company_name").unique().sort().str.join(", "),
    )
    edges = "; ".join(
        f"{name} ({entry}) – {firms}" for _, name, entry, firms in people[:12].rows()
    )
    joins = counted(people.height, "founder")
    return Drawing(
        headline=f"{c.shared:company} with founders from several of the universities",
        alt=(
            f"Network of {joins} and {counted(len(shown), 'company')}."
            f" {edges or 'No edge'}."
        ),
        notes=[
            "a line on the left is an education entry with the university's identifier",
            figure.undrawn(c.shared - len(shown), "further company"),
        ],
        height=1.1 + 0.34 * max(len(shown), people.height, 1),
        draw=lambda canvas: _draw(canvas, links, people, shown),
        empty=(
            ""
            if people.height
            else "no company has founders from several of the universities"
        ),
    )


def _draw(
    canvas: Canvas, links: pl.DataFrame, people: pl.DataFrame, shown: Sequence[str]
) -> None:
    axes, height = canvas.subplots(), max(len(shown), people.height)
    founders = _by_place(links, "founder_uuid", "company_uuid", shown)
    universities = _by_place(links, "university_uuid", "founder_uuid", founders)
    tiers = (0.0, universities, BLUE), (1.0, founders, SOFT), (2.6, shown, INK)
    ys = {
        uuid: (n + 0.5) * (height / len(t[1]))
        for t in tiers
        for n, uuid in enumerate(t[1])
    }
    columns = zip(_TIERS, _NAMES, strict=True)
    names = {uuid: name for pair in columns for uuid, name in links.select(pair).rows()}
    # from past the names
    for keys, x, to in ((_TIERS[:2], 0.0, 1.0), (_TIERS[1:], 2.0, 2.6)):
        for begin, end in links.select(keys).unique().sort(keys).rows():
            axes.plot(
                [x, to], [ys[begin], ys[end]], color=GREY, linewidth=0.9, zorder=1
            )
            edge = f"{names[begin]} – {names[end]}"
            mark(axes, edge, [begin, end], (x, ys[begin]), (to, ys[end]))
    write, short = (
        partial(axes.annotate, textcoords="offset points", va="center"),
        figure.short,
    )
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
        axes.scatter(
            [x] * len(ids), [ys[uuid] for uuid in ids], s=22, color=colour, zorder=3
        )
        for uuid in ids:
            mark(axes, names[uuid], [uuid], (x, ys[uuid]))
    axes.set(xlim=(-0.62, 3.4), ylim=(height, 0))
    axes.axis("off")


def _by_place(
    links: pl.DataFrame, key: str, beside: str, order: Sequence[str]
) -> list[str]:
    """The ids by the mean place of what they are joined to, so that few lines cross."""
    place = pl.col(beside).replace_strict(order, range(len(order)))
    places = links.unique([key, beside]).group_by(key).agg(place.mean().alias("place"))
    return places.sort("place", key)[key].to_list()


def _folded(name: str) -> str:
    """A long name over two lines."""
    words, half = name.split(), len(name) // 2
    if len(name) < 18 or len(words) < 2:
        return figure.short(name, 24)
    cut = min(
        range(1, len(words)), key=lambda at: abs(len(" ".join(words[:at])) - half)
    )
    return "\n".join(
        figure.short(" ".join(part), 24) for part in (words[:cut], words[cut:])
    )
