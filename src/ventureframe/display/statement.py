"""Which figures, tiles and sections a page shows: only those that say something.

A figure compares, so it needs two known values that differ. A tile needs a value; a
single tile is written as a line. A section needs a part that is not empty. Anything
else becomes a sentence, or is left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ventureframe.display.wording import NOT_RECORDED


def compares(values: Iterable[object]) -> bool:
    """Whether two of the values are known and differ.

    >>> compares([3, 1, None]), compares([3, 3]), compares([3, None]), compares([])
    (True, False, False, False)
    """
    return len({value for value in values if value is not None}) > 1


def has_value(tile: Any) -> bool:
    """Whether the tile tells a value."""
    return bool(tile.value != NOT_RECORDED)


def stands(parts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a section with these facts of its outputs shows anything."""
    return not parts or not all(part.get("empty") for part in parts)


def tiles(figures: Sequence[Any]) -> str:
    """The tiles beside an answer as HTML: a single one as a line, none as nothing."""
    if not figures:
        return ""
    if len(figures) == 1:
        return f'\n<p class="vf-single">{escape(str(figures[0]))}.</p>'
    parts = ""
    for tile in figures:
        value, label, note = map(escape, (tile.value, tile.label, tile.note))
        strong = f'<strong style="display:block;font-size:1.5em">{value}</strong>'
        parts += f"<div>{strong}{label}<br>{note}</div>"
    style = "display:flex;flex-wrap:wrap;gap:0.8em 2.5em"
    return f'\n<div class="vf-key" style="{style}">{parts}</div>'
