"""A finding drawn: one SVG, with the numbers as alt text.

The same study gives the same bytes. Colours are Okabe and Ito's, told apart by every
kind of colour vision; what is not recorded is drawn hollow.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any, Final
from urllib.parse import quote

import matplotlib as mpl

from ventureframe.display.furniture import is_carried
from ventureframe.display.marks import (
    NARROW,
    WIDTH,
    Canvas,
    Picture,
    attributes,
)
from ventureframe.display.statement import compares
from ventureframe.display.wording import (
    capital,
    caption,
    counted,
    incomplete,
    mime_bundle,
    origin,
)
from ventureframe.errors import shortened, visible
from ventureframe.interface.files import ending, home, write_whole
from ventureframe.interface.source import Source

BLUE, ORANGE, GREY, INK, SOFT = "#0072b2", "#d55e00", "#a8b0b8", "#22282e", "#59636d"
GROUND = "#ffffff"
_STYLE: Final[Any] = {
    "font.family": "sans-serif",
    # where DejaVu is not installed, a reader's Verdana has nearly its widths
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": 9.5,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "text.hinting": "none",  # measured as a browser draws it
    "text.parse_math": False,
    "text.color": INK,
    "ytick.color": INK,
    "xtick.color": SOFT,
    "axes.labelcolor": SOFT,
    "axes.titlecolor": SOFT,
    "axes.edgecolor": GREY,
    "axes.facecolor": GROUND,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": GROUND,
    "hatch.linewidth": 0.6,
    # text stays text: the reader's fonts fill what DejaVu lacks, and names can be
    # searched
    "svg.fonttype": "none",
    "svg.hashsalt": "ventureframe",
}
# what matplotlib writes into a file of its own accord
_STAMPS: Final = {
    ".svg": ("Creator", "Date", "Format", "Type"),
    ".png": ("Software",),
    ".pdf": ("Creator", "Producer", "CreationDate"),
}
_LACKING = "Glyph .* missing from font|Matplotlib currently does not support"
_TAG = re.compile("<[^>]+>")
_NEEDLESS = re.compile(
    r' id="[\w.]+_\d+"| transform="rotate\(-0 [^"]*"|font-family: [^;]*; |(?<=\.\d\d)\d+'
)
"""What matplotlib writes into each tag and no reader sees; the font stands once,
above.
"""
_ROOT = '<svg font-family="DejaVu Sans, Verdana, sans-serif" stroke-linejoin="round" '
_SAFE = "'<>=:;,/?@+$!()*"
"""Characters that stay as they are in a data URL within a quoted attribute."""
TOP = 10
"""Most companies drawn by name; the caption counts the others."""


@dataclass(frozen=True, repr=False)
class Figure:
    """A drawn finding: its title, alt text (the finding with its numbers), caption and
    pictures, the `narrow` one for a phone.

    `drawing` is what it is drawn by. One that is `empty` is one line of a page.
    """

    title: str
    alt: str
    caption: str
    wide: Picture
    narrow: Picture
    drawing: Drawing = field(compare=False)
    source: Source | None

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return self.wide.svg

    @property
    def empty(self) -> str:
        """What is missing, if there is nothing to draw."""
        return capital(visible(self.drawing.empty))

    def save(self, path: str | Path) -> Path:
        """Write the picture as SVG, PNG or PDF, by the ending of the name.

        Equal figures give equal bytes. Raises `UnsupportedValue` for another ending,
        and `SaveError` where it cannot be written.
        """
        kind = ending(path, *_STAMPS, subject="a figure")
        content, _ = self.drawing.file(kind, self.source)
        return write_whole(home(path), content)

    def __repr__(self) -> str:
        return "\n".join(filter(None, (self.title, self.alt, self.caption)))

    def _repr_html_(self) -> str:
        is_carried()
        title = escape(self.title)
        if self.empty:
            text = escape(caption(*incomplete(self.source), f"{self.empty}."))
            return f'<p class="vf-none"><strong>{title}</strong> {text}</p>'
        return (
            f'<figure class="vf-figure"{attributes(self.wide, self.narrow)}>'
            '<picture><source media="screen and (max-width: 44rem)"'
            f' srcset="{_address(self.narrow.svg)}">'
            f'<img alt="{escape(self.alt)}" src="{_address(self.svg)}"></picture>'
            f"<figcaption><strong>{title}</strong> {escape(self.caption)}"
            "</figcaption></figure>"
        )

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        facts = {"empty": True} if self.empty else {}
        return mime_bundle(repr(self), self._repr_html_(), self.source, **facts)


@dataclass(frozen=True)
class Drawing:
    """What a figure draws: its headline, its alt text, the notes of its caption, and
    how.

    `draw` puts everything below the headline; `height` is in inches. `empty` is what
    the picture says where there is nothing to draw: it is then all that is drawn,
    under no other number. `values` are what is compared, None where not known: where
    no two of them differ, the alt text stands in place of a picture.
    """

    headline: str
    alt: str
    notes: Sequence[str | None]
    height: float
    draw: Callable[[Canvas], None]
    empty: str = ""
    values: Sequence[object] = ()

    def __post_init__(self) -> None:
        if self.values and not self.empty and not compares(self.values):
            object.__setattr__(self, "empty", self.alt.rstrip("."))

    def figure(self, title: str, source: Source | None) -> Figure:
        """Draw the figure under a title, with its source: equal drawings give equal
        bytes.

        The picture names its source, and says where its data are made up or
        incomplete, because it may be copied without its caption and its page.
        """
        notes = () if self.empty else self.notes
        return Figure(
            visible(title),
            visible(self.empty or self.alt),
            visible(caption(*incomplete(source), *notes)),
            self._picture(source, WIDTH),
            self._picture(source, NARROW),
            self,
            source,
        )

    def _picture(self, source: Source | None, width: float) -> Picture:
        svg, canvas = self.file(".svg", source, width)
        return Picture(_compact(svg.decode()), tuple(canvas.placed()), canvas.size)

    def file(
        self, kind: str, source: Source | None, width: float = WIDTH
    ) -> tuple[bytes, Canvas]:
        """Draw the picture in a format, undated; return it with its canvas."""
        headline = visible(self.empty or self.headline)
        # so many letters to an inch
        lines = wrap(headline, int(width * 10.2))
        foot = wrap(visible(origin(source)), int(width * 15.5))
        height = self.height + 0.19 * (len(lines) - 1)
        place: Any = {"x": 0.01, "ha": "left"}
        file = io.BytesIO()
        with mpl.rc_context(_STYLE), warnings.catch_warnings():
            # DejaVu measures a letter it lacks as a box; the reader's font draws it
            warnings.filterwarnings("ignore", _LACKING, UserWarning)
            canvas = Canvas(width, height)
            canvas.suptitle("\n".join(lines), fontsize=11, fontweight="bold", **place)
            canvas.supxlabel("\n".join(foot), fontsize=7.5, color=SOFT, **place)
            if not self.empty:
                self.draw(canvas)
            undated = dict.fromkeys(_STAMPS[kind])
            canvas.savefig(file, format=kind[1:], dpi=200, metadata=undated)
        return file.getvalue(), canvas


def _compact(svg: str) -> str:
    """Leave out of an SVG what no reader sees."""
    text = _TAG.sub(lambda tag: _NEEDLESS.sub("", tag[0]), svg)
    return re.sub(r"(?<=>)\s*\n\s*(?=<)|\s*\n", "", text).replace("<svg ", _ROOT, 1)


def _address(svg: str) -> str:
    """The picture as a data URL, a third shorter than in base 64."""
    quoted = _TAG.sub(lambda tag: tag[0].replace('"', "'"), svg)
    return f"data:image/svg+xml,{quote(quoted, _SAFE)}"


def undrawn(count: int, singular: str) -> str | None:
    """Count what is not drawn, as a note; None where everything is."""
    return f"{counted(count, singular)} not drawn" if count > 0 else None


def short(name: str, most: int = 44) -> str:
    """Return the name in one line, cut where it is longer than `most`."""
    return shortened(visible(name), most)
