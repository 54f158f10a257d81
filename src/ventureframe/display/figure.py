"""A finding drawn: one SVG in the colours of light and dark, with the numbers as alt
text.

The same study gives the same bytes. Colours are Okabe and Ito's, told apart by every
kind of colour vision; what is not recorded is drawn hollow.
"""

import base64
import io
import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any, Final, Literal, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

from ventureframe.display.furniture import is_carried
from ventureframe.display.marks import Canvas, Mark, Point, attributes, mark
from ventureframe.display.wording import (
    caption,
    counted,
    incomplete,
    origin,
    scaled,
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
_WIDTH: Final = 7.4
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
        and `SaveError` where it cannot be written.
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
        headline = wrap(visible(self.headline), int(_WIDTH * 10.2))
        named = "\n".join(wrap(visible(origin(source)), int(_WIDTH * 15.5)))
        height, file = self.height + 0.19 * max(len(headline) - 1, 0), io.BytesIO()
        with mpl.rc_context(_STYLE), warnings.catch_warnings():
            # a letter that DejaVu lacks is measured as a box and drawn by the reader's
            # own font
            for text in (
                "Glyph .* missing from font",
                "Matplotlib currently does not support",
            ):
                warnings.filterwarnings("ignore", text, UserWarning)
            canvas = Canvas(figsize=(_WIDTH, height), layout="constrained")
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


class Bar(NamedTuple):
    """One bar: its label, its length, the note at its end, its colour, and the id of
    its rows.
    """

    label: str
    value: float
    note: str
    colour: str = BLUE
    id: str | None = None


def bar_chart(
    rows: Sequence[Bar], *, alt: str, reach: float = 1.02, **drawing: Any
) -> Drawing:
    """Make the `Drawing` of bars with notes, given as rows; the alt text lists them
    after `alt`.
    """
    alt = f"{alt} {'; '.join(f'{bar.label}: {bar.note}' for bar in rows) or 'None'}."
    drawing.setdefault("empty", "" if rows else "no record")
    drawing["draw"] = lambda canvas: bars(canvas.subplots(), rows, reach=reach)
    return Drawing(alt=alt, **drawing)


def bars(axes: Axes, rows: Sequence[Bar], *, reach: float = 1.02) -> None:
    """Horizontal bars from the top, each with its note at its end; white ones are
    hollow.

    The longest bar ends at 1 / `reach` of the width, or before, where a note needs
    space. The notes say the values, so no scale does. A bar with an id opens its
    rows.
    """
    places, values = range(len(rows)), [bar.value for bar in rows]
    for drawn in axes.barh(
        places, values, color=[bar.colour for bar in rows], height=0.66
    ):
        if drawn.get_facecolor() == to_rgba(GROUND):
            drawn.set(edgecolor=SOFT, linestyle=(0, (3, 2)))
    axes.set_yticks(places, [short(bar.label) for bar in rows])
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_visible(False)
    axes.spines[["left", "bottom"]].set_visible(False)
    # every note ends within the width, as letters are wide in points; panels share the
    # labels
    place, longest, letter = axes.get_subplotspec(), max([*values, 1]), 5.1
    across = 1 if place is None else place.get_gridspec().ncols
    beside = max((len(short(bar.label)) for bar in rows), default=0)
    width = (72 * _WIDTH - letter * (beside + 2)) / across
    notes = ((bar.value / longest, letter * (len(bar.note) + 1)) for bar in rows)
    ends = (at * width / (width - note) for at, note in notes if width > 1.12 * note)
    axes.set_xlim(0, longest * max([reach, 1.0, *ends]))
    how: Any = {
        "xytext": (4, 0),
        "textcoords": "offset points",
        "va": "center",
        "color": INK,
    }
    for at, (label, value, note, _, uuid) in enumerate(rows):
        axes.annotate(note, (value, at), **how)
        # a dot as high as a bar
        mark(axes, label, [uuid], (0, at), (value, at), area=200)


def matrix(
    axes: Axes, rows: Sequence[str], columns: Sequence[str], *, beside: float
) -> None:
    """A grid for squares at (column, row): names above and to the left, space at the
    right.
    """
    lines(axes, rows)
    axes.set_xlim(-0.6, len(columns) - 0.4 + beside)
    axes.set_xticks(
        range(len(columns)), columns, rotation=40, ha="left", rotation_mode="anchor"
    )
    axes.xaxis.tick_top()
    axes.tick_params(axis="x", length=0, labelcolor=INK)
    axes.grid(axis="x", color=GREY, linewidth=0.3)
    axes.spines[:].set_visible(False)


def lines(axes: Axes, names: Sequence[str]) -> None:
    """A thin line across for each name, from the top, for marks to stand on."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", color=GREY, linewidth=0.3)
    axes.set_axisbelow(True)


def hatch(bars: Sequence[Any], young: Iterable[bool | None]) -> None:
    """Hatch the bars of what is still arriving; the caption says so."""
    for bar in (bar for bar, is_young in zip(bars, young, strict=True) if is_young):
        is_hollow = bar.get_facecolor() == to_rgba(GROUND)
        edge = bar.get_edgecolor() if is_hollow else bar.get_facecolor()
        bar.set(facecolor=GROUND, edgecolor=edge, hatch="////")


def whole_years(axes: Axes, most: int | None = None) -> None:
    """A scale of whole years below, of at most so many."""
    bins: Any = {} if most is None else {"nbins": most}
    axes.locator_params(axis="x", integer=True, **bins)
    axes.ticklabel_format(axis="x", style="plain", useOffset=False)


def in_years(day: date) -> float:
    """The day as a place on a scale of years: 1 January 2021 is 2021.0."""
    return day.year + (day.timetuple().tm_yday - 1) / 366


def link(address: str | None) -> str | None:
    """The address that a mark of a figure may open: a page on the web, and nothing
    else.
    """
    return (
        address if (address or "").lower().startswith(("https://", "http://")) else None
    )


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


def scale_of_money(
    axes: Axes, amounts: Sequence[float], currency: str, *, label: str
) -> None:
    """A scale of amounts, its ticks in words: logarithmic where many amounts lie far
    apart.

    On a logarithmic one, amounts of zero stand at its left end.
    """
    above = [amount for amount in amounts if amount > 0] or [1.0]
    is_logarithmic = len(above) >= _MANY and max(above) > 100 * min(above)
    if is_logarithmic:
        low, high = (
            math.floor(math.log10(min(above))),
            math.ceil(math.log10(max(above))),
        )
        axes.set_xscale("symlog", linthresh=10.0**low)
        axes.set_xlim(
            10.0**low * (0.7 if min([*amounts, 1]) > 0 else -0.2), 10.0**high * 1.3
        )
        # a tick to an inch
        powers = range(low, high + 1, 1 + (high - low) // int(_WIDTH))
        axes.set_xticks([10.0**power for power in powers])
        axes.minorticks_off()
    else:
        axes.set_xlim(-0.02 * max(above), 1.08 * max(above))
        axes.locator_params(axis="x", nbins=4)
    axes.xaxis.set_major_formatter(lambda tick, _: scaled(tick))
    axes.set_xlabel(f"{label} ({currency}{', logarithmic' if is_logarithmic else ''})")
