"""The network of university, founder and company, drawn from evidenced links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter
from statistics import fmean
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from ventureframe.display.figure import BLUE, GREY, INK, SOFT, Drawing, nothing, short
from ventureframe.display.marks import mark
from ventureframe.display.wording import counted, listed, number, verb

_COMPANIES: Final = 16
"""Most companies a network draws; the caption counts the others."""

Link = Mapping[str, Any]


def drawing(links: Sequence[Link], order: Sequence[str], *, not_joined: tuple[int, int]) -> Drawing:
    """The network of links (rows with university_uuid and university beside those of a link).

    `order` are the companies' ids, the most important first; at most 16 are drawn. `not_joined`
    counts the candidates, and the companies of another institution of the same name.
    """
    linked = {link["company_uuid"] for link in links}
    companies = [uuid for uuid in order if uuid in linked][:_COMPANIES]
    drawn = [link for link in links if link["company_uuid"] in companies]
    left_out = len(linked) - len(companies)
    people = counted(len({link["founder_uuid"] for link in links}), "founder")
    ventures = counted(len(linked), "company")
    said = "; ".join(
        f"{name} ({entry}) – "
        + ", ".join(sorted({e["company_name"] for e in drawn if e["founder_uuid"] == uuid}))
        for uuid, (name, entry) in list(_entries(drawn).items())[:12]
    )
    founders = _by_place(drawn, "founder_uuid", "company_uuid", companies)
    height = max(len(companies), len(founders), 1)
    return Drawing(
        headline=f"{people} with an entry joined to {ventures}",
        alt=f"Network of {people} and {ventures}. {said or 'No edge'}.",
        notes=[
            "each edge on the left is an education entry with the university's UUID",
            f"the {number(len(companies))} companies first in the list are drawn, "
            f"{number(left_out)} further {verb(left_out, 'is', 'are')} not"
            if left_out
            else None,
            _not_joined(*not_joined),
            "the table lists every edge with its entry",
        ],
        height=1.1 + 0.34 * height,
        draw=lambda canvas: _draw(canvas, drawn, companies, founders, height),
    )


def _not_joined(candidates: int, same_name: int) -> str | None:
    """How many stand outside the network, in words; None where none does."""
    other = f"{counted(same_name, 'company')} of another institution of that name"
    said = [counted(candidates, "candidate")] * bool(candidates) + [other] * bool(same_name)
    joined = verb(candidates + same_name, "is", "are")
    return f"{listed(said)} {joined} not joined" if said else None


def _draw(
    canvas: Canvas,
    links: Sequence[Link],
    companies: Sequence[str],
    founders: Sequence[str],
    height: int,
) -> None:
    axes = canvas.subplots()
    if not links:
        nothing(axes, "no education entry carries the university's UUID")
        return
    universities = _by_place(links, "university_uuid", "founder_uuid", founders)
    left, middle, right = (
        {uuid: (place + 0.5) * (height / len(ids)) for place, uuid in enumerate(ids)}
        for ids in (universities, founders, companies)
    )
    universities_named = {link["university_uuid"]: link["university"] for link in links}
    companies_named = {link["company_uuid"]: link["company_name"] for link in links}
    entries = _entries(links)
    names = (
        universities_named | companies_named | {uuid: name for uuid, (name, _) in entries.items()}
    )
    # the entries of a single university are not listed with its id
    no_id = set(universities_named) if len(universities_named) == 1 else set()
    for x, to, one, other, keys in (
        (0.0, 1.0, left, middle, ("university_uuid", "founder_uuid")),
        (2.0, 2.6, middle, right, ("founder_uuid", "company_uuid")),  # from past the names
    ):
        for begin, end in sorted(set(map(itemgetter(*keys), links))):
            ends = [one[begin], other[end]]
            axes.plot([x, to], ends, color=GREY, linewidth=0.9, zorder=1)
            ids = [each for each in (begin, end) if each not in no_id]
            mark(axes, f"{names[begin]} – {names[end]}", ids, (x, ends[0]), (to, ends[1]))
    for uuid, y in left.items():
        _beside(axes, (0.0, y), _folded(universities_named[uuid]), (-6, 0), ha="right")
    for uuid, y in middle.items():
        name, entry = entries[uuid]
        _beside(axes, (1.0, y), short(name, 26), (6, 4), fontsize=8.5, color=INK)
        _beside(axes, (1.0, y), short(entry, 29), (6, -6), fontsize=7.5, color=SOFT)
    for uuid, y in right.items():
        _beside(axes, (2.6, y), short(companies_named[uuid], 30), (6, 0))
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
    return sorted(places, key=lambda each: (fmean(places[each]), each))


def _beside(
    axes: Axes, at: tuple[float, float], text: str, shift: tuple[int, int], **style: Any
) -> None:
    axes.annotate(text, at, xytext=shift, textcoords="offset points", va="center", **style)


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
