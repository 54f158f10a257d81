"""A finding drawn: one SVG in the colours of light and dark, with the numbers as alt
text.

The same study gives the same bytes. Colours are Okabe and Ito's, told apart by every
kind of colour vision; what is not recorded is drawn hollow.
"""

import base64
import io
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any, Final, Literal

import matplotlib as mpl
from matplotlib.axes import Axes

from ventureframe.display.furniture import is_carried
from ventureframe.display.marks import Canvas, Mark, Point, attributes
from ventureframe.display.wording import (
    caption,
    counted,
    incomplete,
    origin,
    shown,
)
from ventureframe.errors import visible
from ventureframe.interface.files import ending, write_whole
from ventureframe.interface.source import Source

Format = Literal["svg", "png", "pdf"]

BLUE, ORANGE, GREY, INK, SOFT = "#0072B2", "#D55E00", "#A8B0B8", "#22282E", "#59636D"
GROUND: Final = "#FFFFFF"
_DARK: Final = {
    BLUE: "#5AA9E0",
    ORANGE: "#F08C44",
    GREY: "#5E6872",
    INK: "#E4E8EC",
    "#000000": "#E4E8EC",
    SOFT: "#9AA5B1",
    GROUND: "#14181D",
}
"""What each colour is where a page is dark."""

_STYLE: Final[Any] = {
    "font.family": "sans-serif",
    # where DejaVu is not installed, a reader's Verdana has nearly its widths
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "text.hinting": "none",  # measured as a browser draws it
    "axes.edgecolor": GREY,
    "axes.titlelocation": "left",
    "hatch.linewidth": 0.6,
    **dict.fromkeys(("font.size", "axes.titlesize"), 9.5),
    **dict.fromkeys(("text.color", "ytick.color"), INK),
    **dict.fromkeys(("axes.labelcolor", "axes.titlecolor", "xtick.color"), SOFT),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor"), GROUND),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "text.parse_math"), False),
    # text stays text: the reader's fonts fill what DejaVu lacks, and names can be
    # searched
    "svg.fonttype": "none",
    "svg.hashsalt": "ventureframe",
}
# what matplotlib writes into a file of its own accord
_STAMPS: Final[Mapping[Format, Sequence[str]]] = {
    "svg": ("Creator", "Date", "Format", "Type"),
    "png": ("Software",),
    "pdf": ("Creator", "Producer", "CreationDate"),
}
WIDTH: Final = 7.4
"""Inches; the style sheets keep 40rem of a screen for it, so that its smallest text
has 9 px.
"""
_MANY: Final = 10
"""Fewest amounts that take a logarithmic scale."""
TOP: Final = 15
"""Most companies drawn by name; the caption counts the others."""


@dataclass(frozen=True, slots=True, repr=False)
class Figure:
    """A drawn finding: its title, alt text (the finding with its numbers), caption and
    SVG.

    `marks` are what a reader can open in it, `size` is in points, `draw` gives the
    bytes of its file in a format. A figure that is `empty` of something says so in
    one line of a page.
    """

    title: str
    alt: str
    caption: str
    svg: str
    source: Source | None = None
    marks: tuple[Mark, ...] = ()
    size: Point = (0.0, 0.0)
    empty: str = ""
    draw: Callable[[Format], bytes] | None = field(default=None, compare=False)

    def save(self, path: str | Path) -> Path:
        """Write the picture as SVG, PNG or PDF, by the ending of the name.

        Equal figures give equal bytes. Raises `UnsupportedValue` for another ending,
        and `OSError` where the folder cannot be written to.
        """
        kind: Any = ending(path, *(f".{kind}" for kind in _STAMPS), what="a figure")[1:]
        # only a figure made by hand has none
        assert self.draw is not None  # noqa: S101
        write_whole(Path(path), self.draw(kind))
        return Path(path)

    def __repr__(self) -> str:
        return "\n".join(filter(None, (self.title, self.alt, self.caption)))

    def _repr_html_(self) -> str:
        is_carried()
        title, alt, about = map(escape, (self.title, self.alt, self.caption))
        if self.empty:
            said = caption(*incomplete(self.source), f"{self.empty}.")
            return f'<p class="vf-none"><strong>{title}</strong> {escape(said)}</p>'
        data = base64.b64encode(_themed(self.svg).encode()).decode("ascii")
        return (
            f'<figure class="vf-figure"{attributes(self.marks, self.size)}>'
            f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption><strong>{title}</strong> {about}</figcaption></figure>"
        )

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        facts = {"empty": True} if self.empty else {}
        return shown(repr(self), self._repr_html_(), self.source, **facts)


def _themed(svg: str) -> str:
    """The picture with its colours as variables, which follow the page that it
    stands in.
    """
    names = {colour.lower(): f"--c{at}" for at, colour in enumerate(_DARK)}
    values = [f"{name}:{colour}" for colour, name in names.items()]
    dark = [
        f"{name}:{colour}"
        for name, colour in zip(names.values(), _DARK.values(), strict=True)
    ]
    svg = re.sub('fill="(#[0-9a-f]{6})"', r'style="fill: \1"', svg)
    svg = re.sub("|".join(names), lambda colour: f"var({names[colour[0]]})", svg)
    look = "@media (prefers-color-scheme: dark)"
    style = f":root{{{';'.join(values)}}}{look}{{:root{{{';'.join(dark)}}}}}"
    return svg.replace("</style>", f"{style}</style>", 1)


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a figure draws: its headline, its alt text, the notes of its caption, and
    how.

    `draw` puts everything below the headline; `height` is in inches. `empty` is what
    the picture says where there is nothing to draw: it is then all that is drawn,
    under no other number.
    """

    headline: str
    alt: str
    notes: Sequence[str | None]
    height: float
    draw: Callable[[Canvas], None]
    empty: str = ""

    def __post_init__(self) -> None:
        if self.empty:
            object.__setattr__(self, "headline", "Nothing to draw")
            object.__setattr__(self, "notes", ())

    def figure(self, title: str, source: Source | None) -> Figure:
        """Draw the figure under a title, with its source: equal drawings give equal
        bytes.

        The picture names its source, and says where its data are made up or
        incomplete, because it may be copied without its caption and its page.
        """
        (file, canvas), about = (
            self._file("svg", source),
            caption(*incomplete(source), *self.notes),
        )
        title, alt, about = map(visible, (title, self.alt, about))
        marks, draw = tuple(canvas.placed()), lambda kind: self._file(kind, source)[0]
        size, empty = canvas.size, self.empty[:1].upper() + self.empty[1:]
        return Figure(
            title, alt, about, file.decode(), source, marks, size, empty, draw
        )

    def _file(self, kind: Format, source: Source | None) -> tuple[bytes, Canvas]:
        """The picture in a format, undated, and its canvas with the marks."""
        # so many letters of the headline and of the source to an inch, and inches to a
        # line
        headline = wrap(visible(self.headline), int(WIDTH * 10.2))
        named = "\n".join(wrap(visible(origin(source)), int(WIDTH * 15.5)))
        height, file = self.height + 0.19 * max(len(headline) - 1, 0), io.BytesIO()
        with mpl.rc_context(_STYLE), warnings.catch_warnings():
            # a letter that DejaVu lacks is measured as a box and drawn by the reader's
            # own font
            for text in (
                "Glyph .* missing from font",
                "Matplotlib currently does not support",
            ):
                warnings.filterwarnings("ignore", text, UserWarning)
            canvas = Canvas(figsize=(WIDTH, height), layout="constrained")
            canvas.suptitle(
                "\n".join(headline), x=0.01, ha="left", fontsize=11, fontweight="bold"
            )
            canvas.supxlabel(named, x=0.01, ha="left", fontsize=7.5, color=SOFT)
            if self.empty:
                nothing(canvas.subplots(), self.empty)
            else:
                self.draw(canvas)
            canvas.savefig(
                file, format=kind, dpi=200, metadata=dict.fromkeys(_STAMPS[kind])
            )
        return file.getvalue(), canvas


def undrawn(count: int, singular: str) -> str | None:
    """The note that counts what is not drawn; None where everything is."""
    return f"{counted(count, singular)} not drawn" if count > 0 else None


def short(name: str, most: int = 44) -> str:
    """The name as it is drawn: in one line, and cut where it is longer than `most`."""
    name = visible(name)
    return name if len(name) <= most else name[: most - 1] + "…"


def nothing(axes: Axes, said: str) -> None:
    """An empty panel that says what it is empty of."""
    axes.set(xticks=[], yticks=[])
    axes.text(
        0.5, 0.5, said, ha="center", va="center", color=SOFT, transform=axes.transAxes
    )
