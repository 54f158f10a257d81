"""The kinds of picture: bars, years, strip, matrix and timeline.

Each draws the values that it is given on axes, and knows no study. What is not recorded
is drawn hollow, and what is still arriving hatched.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from textwrap import wrap
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from ventureframe.display.figure import (
    BLUE,
    GREY,
    GROUND,
    INK,
    SOFT,
    Drawing,
    short,
)
from ventureframe.display.marks import WIDTH, mark
from ventureframe.display.wording import scaled
from ventureframe.errors import visible

_LETTER = 5.1
"""The width of a letter in points, as far as a note must fit beside its bar."""
_MANY = 10
"""Fewest amounts that take a logarithmic scale."""


class Bar(NamedTuple):
    """One bar: its label, its length, the note at its end, its colour, and the id of
    its rows. A length that is not known is a hollow circle.
    """

    label: str
    value: float | None
    note: str
    colour: str = BLUE
    id: str | None = None


def bar_chart(
    rows: Sequence[Bar],
    *,
    headline: str,
    alt: str,
    notes: Sequence[str | None],
    empty: str = "no record that was read belongs here",
) -> Drawing:
    """Make the `Drawing` of one panel of bars; the alt text lists them after `alt`.

    `empty` is said where there are no bars.
    """
    values = "; ".join(f"{bar.label}: {bar.note}" for bar in rows)
    return Drawing(
        headline=headline,
        alt=f"{alt} {values or 'None'}.",
        notes=notes,
        height=1.2 + 0.3 * len(rows),
        draw=lambda canvas: bars(canvas.subplots(), rows),
        empty="" if rows else empty,
        values=[bar.value for bar in rows],
    )


def bars(axes: Axes, rows: Sequence[Bar]) -> None:
    """Draw horizontal bars from the top, each with its note at its end.

    The notes say the values, so no scale does. White bars are hollow, and a bar with an
    id opens its rows.
    """
    thick = 0.66
    if _is_narrow(axes):
        thick = 0.3
        rows = [bar._replace(label=f"{bar.label}: {bar.note}", note="") for bar in rows]
    values = [bar.value or 0 for bar in rows]
    colours = [bar.colour for bar in rows]
    drawn = axes.barh(range(len(rows)), values, color=colours, height=thick)
    _named(axes, [bar.label for bar in rows])
    axes.xaxis.set_visible(False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_xlim(0, _end_of_scale(axes, rows))
    for place, bar in enumerate(rows):
        if bar.colour == GROUND:
            drawn[place].set(edgecolor=SOFT, linestyle=(0, (3, 2)))
        if bar.value is None:
            unknown(axes, 0.012 * max([1, *values]), place)
        axes.annotate(
            bar.note,
            (values[place], place),
            xytext=(12 if bar.value is None else 4, 0),
            textcoords="offset points",
            va="center",
            color=INK,
        )
        # the area is that of a dot as high as a bar
        mark(axes, bar.label, [bar.id], (0, place), (values[place], place), area=200)


def unknown(axes: Axes, x: float, y: float) -> None:
    """Draw what is not known: hollow, so that it is no zero."""
    axes.scatter([x], [y], s=30, facecolor=GROUND, edgecolor=SOFT)


def _is_narrow(axes: Axes) -> bool:
    return getattr(axes.get_figure(), "is_narrow", False)


def _named(axes: Axes, names: Sequence[str]) -> None:
    """Write each name left of its line, in a narrow picture whole and above it."""
    axes.set_yticks(range(len(names)), [short(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.8)
    axes.tick_params(axis="y", length=0)
    if not _is_narrow(axes):
        return
    axes.tick_params(axis="y", labelleft=False)
    texts = ["\n".join(wrap(visible(name), 57)) for name in names]
    above = axes.get_yaxis_transform()  # from the left edge, over a line
    for place, text in enumerate(texts):
        axes.text(0, place - 0.25, text, transform=above, va="bottom")
    lines = 1 + max(text.count("\n") for text in texts)
    canvas: Any = axes.get_figure()
    canvas.set_figheight(canvas.get_figheight() + 0.19 * lines * len(names))


def _end_of_scale(axes: Axes, rows: Sequence[Bar]) -> float:
    """Return where the scale ends, so that every note ends within its panel."""
    panels = getattr(axes.get_gridspec(), "ncols", 1)
    longest_label = max((len(short(bar.label)) for bar in rows), default=0)
    width = (72 * WIDTH - _LETTER * (longest_label + 2)) / panels
    longest = max([1, *(bar.value or 0 for bar in rows)])
    ends = [1.02]
    for bar in rows:
        note = _LETTER * (len(bar.note) + 1)
        if width > 1.12 * note:
            ends.append((bar.value or 0) / longest * width / (width - note))
    return longest * max(ends)


def years(
    axes: Axes,
    places: Sequence[int],
    values: Sequence[float | None],
    *,
    title: str,
    young: Iterable[bool | None],
    colour: str = BLUE,
) -> None:
    """Draw a column over each year, hatched where its records are still arriving, and
    a hollow circle where the value is not known.
    """
    columns = axes.bar(
        places, [value or 0 for value in values], color=colour, width=0.8
    )
    for place, value in zip(places, values, strict=True):
        if value is None:
            unknown(axes, place, 0)
    for column, is_young in zip(columns, young, strict=True):
        if is_young:
            edge = column.get_facecolor()
            column.set(facecolor=GROUND, edgecolor=edge, hatch="////")
    axes.set_title(title)
    is_whole = all(isinstance(value, int) for value in values)
    axes.locator_params(axis="y", integer=is_whole, nbins=4)
    axes.ticklabel_format(axis="y", style="plain")
    _whole_years(axes)


class Strip(NamedTuple):
    """One line of a strip: its name, its dots, its median, and the note at its end.

    A dot is the id of its rows, what is said of it, and its amount.
    """

    name: str
    dots: Sequence[tuple[str, str, float]]
    median: float | None
    note: str


def strip(axes: Axes, rows: Sequence[Strip], currency: str) -> None:
    """Draw a dot for each total funding, a line for each name, and a bar at its
    median.
    """
    amounts = list[float]()
    for y, row in enumerate(rows):
        values = [amount for _, _, amount in row.dots]
        for uuid, text, amount in row.dots:
            mark(axes, text, [uuid], (amount, y))
        axes.scatter(
            values, [y] * len(values), s=26, color=BLUE, alpha=0.45, linewidth=0
        )
        if row.median is not None:
            axes.scatter([row.median], [y], marker="|", s=260, color=INK, zorder=3)
        axes.annotate(
            row.note,
            (1.01, y),
            xycoords=("axes fraction", "data"),
            va="center",
            color=SOFT,
        )
        amounts += values
    _named(axes, [row.name for row in rows])
    _lines(axes)
    _scale_of_money(axes, amounts, currency)


def matrix(
    axes: Axes,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[tuple[int, int, int]],
) -> None:
    """Draw a square for each column, row and number, darker for a larger number, names
    above and to the left.
    """
    most = max(number for *_, number in cells)
    for column, row, number in cells:
        shade = 0.25 + 0.75 * number / most
        colour = [1 - shade * (1 - part) for part in to_rgb(BLUE)]
        axes.barh(row, 0.94, left=column - 0.47, height=0.9, color=colour)
        axes.text(
            column,
            row,
            str(number),
            ha="center",
            va="center_baseline",
            color=GROUND if shade > 0.55 else INK,
        )
    angle, letters = (90, 24) if _is_narrow(axes) else (40, 44)
    axes.set_yticks(range(len(rows)), [short(name, letters) for name in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    _lines(axes)
    axes.set_xlim(-0.6, len(columns) + 0.4)
    places = range(len(columns))
    axes.set_xticks(places, columns, rotation=angle, ha="left", rotation_mode="anchor")
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelcolor=INK)
    axes.grid(axis="x", color=GREY, linewidth=0.3)
    axes.spines[:].set_visible(False)


class Dot(NamedTuple):
    """One event of a timeline: its date and how it is drawn.

    `look` is what `Axes.scatter` takes, with `s` as the area. An event of which only
    the year is known stands on a line over its year. A dot with an id opens its rows.
    """

    day: float
    look: Mapping[str, Any]
    is_year: bool = False
    name: str | None = None
    id: str | None = None


class Lane(NamedTuple):
    """One line of a timeline: its name and its dots; the id where a line joins them."""

    name: str
    dots: Sequence[Dot] = ()
    joined: str | None = None


def timeline(
    axes: Axes,
    lanes: Sequence[Lane],
    *,
    span: tuple[float, float] | None = None,
) -> None:
    """Draw the dots of each lane by date, on a scale of years.

    `span` is the first and the last year, else what the dots need.
    """
    _named(axes, [lane.name for lane in lanes])
    _lines(axes)
    if span is not None:
        axes.set_xlim(span)
    _whole_years(axes)
    for y, lane in enumerate(lanes):
        if lane.joined is not None:
            ends = [lane.dots[0].day, lane.dots[-1].day]
            axes.plot(ends, [y, y], color=GREY, linewidth=1)
            mark(axes, lane.name, [lane.joined], (ends[0], y), (ends[1], y))
        for dot in lane.dots:
            x = dot.day
            if dot.is_year:
                axes.plot([x, x + 1], [y, y], color=SOFT, linewidth=1)
                x += 0.5
            axes.scatter([x], [y], **dot.look)
            mark(axes, dot.name, [dot.id], (x, y), area=float(dot.look["s"]))


def in_years(day: date) -> float:
    """Return the day as a place on a scale of years: 1 January 2021 is 2021.0."""
    return day.year + (day.timetuple().tm_yday - 1) / 366


def _lines(axes: Axes) -> None:
    """Draw a thin line across for each name, for dots to stand on."""
    axes.grid(axis="y", color=GREY, linewidth=0.3)
    axes.set_axisbelow(True)


def _whole_years(axes: Axes) -> None:
    """Set a scale of whole years below."""
    axes.locator_params(axis="x", integer=True)
    axes.ticklabel_format(axis="x", style="plain", useOffset=False)


def _scale_of_money(axes: Axes, amounts: Sequence[float], currency: str) -> None:
    """Set a scale of amounts, logarithmic where many of them lie far apart.

    On a logarithmic one, amounts of zero stand at its left end.
    """
    above = [amount for amount in amounts if amount > 0] or [1.0]
    least, most = min(above), max(above)
    unit = currency
    if len(above) >= _MANY and most > 100 * least:
        unit = f"{currency}, logarithmic"
        lowest = 10.0 ** math.floor(math.log10(least))
        start = -0.2 if min(amounts) <= 0 else 0.7
        axes.set_xscale("symlog", linthresh=lowest)
        axes.set_xlim(start * lowest, 1.3 * most)
        axes.minorticks_off()
    else:
        axes.set_xlim(-0.02 * most, 1.08 * most)
        axes.locator_params(axis="x", nbins=4)
    axes.xaxis.set_major_formatter(lambda tick, _: scaled(tick))
    axes.set_xlabel(f"total funding ({unit})")
