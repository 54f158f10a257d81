"""A second, narrow drawing of a figure, which a page shows on a phone.

It is drawn only in a kernel that makes a page, which loads this as an IPython extension: a notebook
is not read on a phone, and its figures are redrawn after every fetch.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any, Final

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from ventureframe.display.furniture import shell

WIDTH: Final = 4.2
"""In inches; a phone shows its 302 points about as wide."""
SCREEN: Final = "screen and (max-width: 40rem)"
"""The screens that get it."""
_WANTED: Final = "ventureframe narrow"
_SLACK: Final = 2.0
_APART: Final = 15.0
"""Points between two names that stand aslant."""


def load_ipython_extension(kernel: Any) -> None:
    """From now on figures have a narrow drawing, too."""
    kernel.meta[_WANTED] = True


def is_wanted() -> bool:
    """Whether this runs in a kernel that makes a page."""
    return bool(getattr(shell(), "meta", {}).get(_WANTED))


def has_room(figure: Figure) -> bool:
    """Whether all text of a figure, as it was drawn, is inside it, and none is over another."""
    figure.set_layout_engine("none")  # a second layout would move what is measured
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    level: list[Bbox] = []
    aslant: list[Bbox] = []
    for text in _texts(figure):
        box = text.get_window_extent()
        (aslant if text.get_rotation() % 90 else level).append(box)
        if not (box.x0 > -_SLACK and box.x1 < figure.bbox.width + _SLACK):
            return False
    starts = sorted(box.x0 for box in aslant)
    near = _APART * figure.dpi / 72
    return not (
        any(_is_over(one, other) for one, other in combinations(level, 2))
        or any(later - earlier < near for earlier, later in pairwise(starts))
    )


def _texts(figure: Figure) -> Iterator[Text]:
    """Each text that is drawn: of ticks those within the scale."""
    axes = [axis for each in figure.axes for axis in (each.xaxis, each.yaxis)]
    ticks = [(axis, tick) for axis in axes for tick in axis.get_major_ticks()]
    of_axes = {label for axis in axes for label in axis.findobj(Text)}
    named = [axis.label for axis in axes if axis.get_visible()]
    for axis, tick in ticks:
        low, high = sorted(axis.get_view_interval())
        if axis.get_visible() and low <= tick.get_loc() <= high:
            named += [tick.label1, tick.label2]
    others = (text for text in figure.findobj(Text) if text not in of_axes)
    for text in (*named, *others):
        if text.get_visible() and text.get_text().strip():
            yield text


def _is_over(one: Bbox, other: Bbox) -> bool:
    """Whether two texts share more than an edge."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    return bool(across > _SLACK and down > 2 * _SLACK)
