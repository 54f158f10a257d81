"""The marks of a figure: places in its picture that open the rows they stand for."""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ventureframe.errors import visible

Point = tuple[float, float]
WIDTH, NARROW = 7.4, 4.1
"""Inches of a picture, and of the one for a phone. The style sheets give them 40rem
and 22rem of a screen, so that the smallest text has 9 px.
"""
LEAST = 5.0
"""The radius in points within which a mark can be hit, however small it is drawn."""


@dataclass(frozen=True)
class Mark:
    """A dot, or an edge between two: its name, the ids of its rows, and where it is.

    A row belongs to the mark if it has all of `ids`. `ends` are one or two places in
    points from the upper left corner of the picture, `radius` is in points.
    """

    label: str
    ids: tuple[str, ...]
    ends: tuple[Point, ...]
    radius: float = LEAST


class Picture(NamedTuple):
    """An SVG, the marks that a reader can open in it, and its size in points."""

    svg: str
    marks: tuple[Mark, ...]
    size: Point


class Canvas(Figure):
    """A figure that remembers its marks, placed on the scales of their axes until it
    is drawn.
    """

    def __init__(self, width: float, height: float) -> None:
        super().__init__(figsize=(width, height), layout="constrained")
        self.marked: list[tuple[Axes, Mark]] = []
        self.is_narrow = width == NARROW

    @property
    def size(self) -> Point:
        """Width and height in points."""
        width, height = self.get_size_inches()
        return 72 * float(width), 72 * float(height)

    def placed(self) -> Iterator[Mark]:
        """The marks as they lie in the picture; call it after the picture is drawn."""
        width, height = self.size
        for axes, mark in self.marked:
            to_fraction = axes.transData + self.transFigure.inverted()
            ends = list[Point]()
            for end in mark.ends:
                x, y = to_fraction.transform(end)
                down = round(height * (1 - float(y)), 1)
                ends.append((round(width * float(x), 1), down))
            if all(map(math.isfinite, chain(*ends))):
                yield replace(mark, ends=tuple(ends))


def mark(
    axes: Axes,
    label: str | None,
    ids: Iterable[object],
    *ends: Point,
    area: float = 0.0,
) -> None:
    """Make the dot or edge at `ends`, in the data of the axes, open the rows with all
    these ids.

    `area` is that of the dot in square points, as `Axes.scatter` takes it. Without
    any id there is no row to open, and no mark.
    """
    rows = tuple(dict.fromkeys(str(uuid) for uuid in ids if uuid is not None))
    canvas = axes.get_figure()
    if rows and isinstance(canvas, Canvas):
        name = visible(label or "name not recorded")
        radius = max(math.sqrt(area / math.pi), LEAST)
        canvas.marked.append((axes, Mark(name, rows, ends, radius)))


def attributes(wide: Picture, narrow: Picture) -> str:
    """The marks as the script reads them: label, ids, radius, and the coordinates in
    both pictures; "" where none are.
    """
    if not wide.marks:
        return ""
    rows = list[object]()
    for mark, small in zip(wide.marks, narrow.marks, strict=True):
        places = [*chain(*mark.ends)], [*chain(*small.ends)]
        rows.append((mark.label, mark.ids, round(mark.radius, 1), *places))
    sizes = " ".join(f"{part:g}" for part in (*wide.size, *narrow.size))
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    # in single quotes, because every double quote would take six characters
    text = escape(text, quote=False).replace("'", "&#39;")
    return f" data-sizes=\"{sizes}\" data-marks='{text}'"
