"""Universities side by side, and the network of university, founder and company."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from ventureframe.display.figure import (
    BLUE,
    GREY,
    GROUND,
    INK,
    SOFT,
    Figure,
    bars,
    drawn,
    listed,
    nothing,
    short,
    without_scale,
)
from ventureframe.display.wording import caption, counted, money, number
from ventureframe.studies.spinouts.find import Study
from ventureframe.studies.universities.find import Comparison

_UNIVERSITIES: Final = 20
_COMPANIES: Final = 16
"""Most companies a network draws; the caption counts the others."""


def side_by_side(study: Comparison) -> Figure:
    """Evidenced companies within the pool of each university, and the sum of known totals."""
    rows = listed(study.universities)[:_UNIVERSITIES]

    def draw(canvas: Canvas) -> None:
        left, right = canvas.subplots(1, 2, sharey=True, width_ratios=(1.4, 1))
        names = [row["university"] for row in rows]
        pool = [row["pool"] for row in rows]
        found = [row["companies_evidenced"] for row in rows]
        notes = [f"{number(a)} of {number(b)}" for a, b in zip(found, pool, strict=True)]
        bars(left, names, pool, colours=[GROUND] * len(rows), notes=notes)
        for patch in left.patches:
            patch.set(edgecolor=SOFT, linestyle=(0, (3, 2)))
        left.barh(range(len(rows)), found, color=BLUE, height=0.66)
        left.set_xlim(0, max([*pool, 1]) * 1.5)
        left.set_title("companies evidenced, of the pool")
        totals = [row["funding_total"] or 0 for row in rows]
        said = [
            f"{money(row['funding_total'], study.currency)} · {row['funding_known']} known"
            if row["funding_known"]
            else "not reported"
            for row in rows
        ]
        bars(right, names, totals, colours=[GREY] * len(rows), notes=said)
        right.set_xlim(0, max([*totals, 1]) * 2.9)
        right.set_title("sum of the known totals")
        left.invert_yaxis()  # both panels inverted the axis they share
        without_scale(left)
        without_scale(right)

    said = "; ".join(
        f"{row['university']}: {number(row['companies_evidenced'])} of {number(row['pool'])} "
        f"companies evidenced, {number(row['founders_evidenced'])} founders, known totals "
        f"{money(row['funding_total'], study.currency)} ({row['funding_known']} known)"
        for row in rows
    )
    c = study.counts
    return Figure(
        title="Universities side by side",
        alt=f"{said}.",
        caption=caption(
            f"{number(c.shared)} of {counted(c.companies, 'company', 'companies')} at two or more",
            "hollow: in the pool, a candidate only",
            f"total funding in {study.currency}",
            "a smaller number can be a smaller record",
            source=study.source,
        ),
        svg=drawn(
            draw,
            finding=f"{counted(c.companies, 'company', 'companies')} evidenced at "
            f"{counted(len(c.names), 'university', 'universities')}, {number(c.shared)} at several",
            source=study.source,
            height=1.5 + 0.42 * len(rows),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Column:
    """The nodes of one kind, from the top: their places by id."""

    x: float
    places: Mapping[str, float]

    @classmethod
    def of(cls, x: float, ids: Sequence[str], height: float) -> _Column:
        step = height / max(len(ids), 1)
        return cls(x, {each: (place + 0.5) * step for place, each in enumerate(ids)})


def network(study: Study | Comparison) -> Figure:
    """University, founder and company with the education entries that join the first two."""
    links = _links(study)
    order = [row["company_uuid"] for row in listed(study.companies)]
    linked = {link["company_uuid"] for link in links}
    companies = [uuid for uuid in order if uuid in linked][:_COMPANIES]
    shown = [link for link in links if link["company_uuid"] in companies]
    rank = {uuid: place for place, uuid in enumerate(companies)}
    founders = _by_place(shown, "founder_uuid", "company_uuid", rank)
    rank = {uuid: place for place, uuid in enumerate(founders)}
    universities = _by_place(shown, "university_uuid", "founder_uuid", rank)
    height = max(len(companies), len(founders), 1)

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        if not shown:
            nothing(axes, "no education entry carries the university's UUID")
            return
        left, middle, right = (
            _Column.of(x, ids, height)
            for x, ids in ((0.0, universities), (1.0, founders), (2.6, companies))
        )
        _edges(axes, left, middle, {(e["university_uuid"], e["founder_uuid"]) for e in shown})
        past_names = dataclasses.replace(middle, x=2.0)
        _edges(axes, past_names, right, {(e["founder_uuid"], e["company_uuid"]) for e in shown})
        names = {e["university_uuid"]: e["university"] for e in shown}
        for uuid, y in left.places.items():
            axes.annotate(
                _folded(names[uuid]),
                (left.x, y),
                xytext=(-6, 0),
                ha="right",
                textcoords="offset points",
                va="center",
            )
        entries = _entries(shown)
        for uuid, y in middle.places.items():
            _label(axes, middle.x, y, *entries[uuid])
        names = {e["company_uuid"]: e["company_name"] for e in shown}
        for uuid, y in right.places.items():
            axes.annotate(
                short(names[uuid], 30),
                (right.x, y),
                xytext=(6, 0),
                va="center",
                textcoords="offset points",
            )
        for column, colour in ((left, BLUE), (middle, SOFT), (right, INK)):
            places = column.places.values()
            axes.scatter([column.x] * len(places), list(places), s=22, color=colour, zorder=3)
        axes.set(xlim=(-0.62, 3.4), ylim=(height, 0))
        axes.axis("off")

    left_out = len(linked) - len(companies)
    said = "; ".join(
        f"{name} ({entry}) – "
        + ", ".join(sorted({e["company_name"] for e in shown if e["founder_uuid"] == uuid}))
        for uuid, (name, entry) in list(_entries(shown).items())[:12]
    )
    people = len({link["founder_uuid"] for link in links})
    return Figure(
        title=f"University, founder, company: {study.subject}",
        alt=f"Network of {counted(people, 'founder')} and "
        f"{counted(len(linked), 'company', 'companies')}. {said or 'No edge'}.",
        caption=caption(
            "each edge on the left is an education entry with the university's UUID",
            f"the {number(len(companies))} companies first in the list are drawn, "
            f"{number(left_out)} further are not"
            if left_out
            else None,
            "the table lists every edge with its entry",
            source=study.source,
        ),
        svg=drawn(
            draw,
            finding=f"{counted(people, 'founder')} with an entry joined to "
            f"{counted(len(linked), 'company', 'companies')}",
            source=study.source,
            height=1.1 + 0.34 * height,
        ),
    )


def _links(study: Study | Comparison) -> list[dict[str, Any]]:
    links = listed(study.links)
    if isinstance(study, Comparison):
        return links
    own = {"university_uuid": study.university.uuid, "university": study.university.name}
    return [own | link for link in links]


def _by_place(
    links: Sequence[Mapping[str, Any]], key: str, beside: str, rank: Mapping[str, int]
) -> list[str]:
    """The ids by the mean place of what they are joined to, so that few lines cross."""
    places = defaultdict(set)
    for link in links:
        places[link[key]].add(rank[link[beside]])
    return sorted(places, key=lambda each: (sum(places[each]) / len(places[each]), each))


def _edges(axes: Axes, one: _Column, other: _Column, pairs: set[tuple[str, str]]) -> None:
    for left, right in sorted(pairs):
        ends = [one.places[left], other.places[right]]
        axes.plot([one.x, other.x], ends, color=GREY, linewidth=0.9, zorder=1)


def _entries(links: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, str]]:
    """Per founder the name and the entries behind the edges, in words."""
    said: dict[str, tuple[str, dict[str, None]]] = {}
    for link in links:
        name = link["founder_name"] or "name not reported"
        parts = (link["degree"], link["end_year"])
        entry = " ".join(str(part) for part in parts if part is not None)
        said.setdefault(link["founder_uuid"], (name, {}))[1][entry or "no degree, no year"] = None
    return {uuid: (name, "; ".join(entries)) for uuid, (name, entries) in said.items()}


def _label(axes: Axes, x: float, y: float, name: str, entries: str) -> None:
    lines = ((short(name, 26), 4, 8.5, INK), (short(entries, 29), -6, 7.5, SOFT))
    for text, shift, size, colour in lines:
        axes.annotate(
            text,
            (x, y),
            xytext=(6, shift),
            textcoords="offset points",
            va="center",
            fontsize=size,
            color=colour,
        )


def _folded(name: str) -> str:
    """A long name over two lines."""
    words, half = name.split(), len(name) // 2
    if len(name) < 18 or len(words) < 2:
        return short(name, 24)
    cut = min(range(1, len(words)), key=lambda at: abs(len(" ".join(words[:at])) - half))
    return "\n".join(short(" ".join(part), 24) for part in (words[:cut], words[cut:]))
