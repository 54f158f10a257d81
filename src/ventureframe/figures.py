"""A finding drawn: SVG on its own light ground, with the finding and its numbers as alt text.

The same study gives the same bytes. Colours are Okabe and Ito's, told apart by every kind of
colour vision; what is not recorded is drawn hollow.
"""

from __future__ import annotations

import base64
import io
import statistics
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import matplotlib as mpl
import narwhals as nw
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Patch

from ventureframe.evidence import STATES, State
from ventureframe.spinouts import Study
from ventureframe.wording import Source, caption, counted, made_up, money, number

BLUE: Final = "#0072B2"
ORANGE: Final = "#D55E00"
GREY: Final = "#A8B0B8"
INK: Final = "#22282E"
SOFT: Final = "#59636D"
GROUND: Final = "#FFFFFF"

_STYLE: Final[Any] = {
    "font.family": "sans-serif",
    # where DejaVu is not installed, a reader's Verdana has nearly its widths
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": 9.5,
    "text.color": INK,
    "text.parse_math": False,
    "axes.labelcolor": SOFT,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titlecolor": SOFT,
    "xtick.color": SOFT,
    "ytick.color": INK,
    "hatch.linewidth": 0.6,
    "figure.facecolor": GROUND,
    "axes.facecolor": GROUND,
    # text stays text: the reader's fonts fill what DejaVu lacks, and names can be searched
    "svg.fonttype": "none",
    "svg.hashsalt": "ventureframe",
}
_WIDTH: Final = 7.4
_TOP: Final = 15
"""Most companies drawn by name; the caption counts the others."""


@dataclass(frozen=True, slots=True, repr=False)
class Figure:
    """A drawn finding: its title, alt text (the finding with its numbers), caption and SVG."""

    title: str
    alt: str
    caption: str
    svg: str

    def __repr__(self) -> str:
        return "\n".join(filter(None, (self.title, self.alt, self.caption)))

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.svg.encode()).decode("ascii")
        return (
            f'<figure class="vf-figure"><img alt="{escape(self.alt)}" '
            f'src="data:image/svg+xml;base64,{data}">'
            f"<figcaption><strong>{escape(self.title)}</strong> {escape(self.caption)}"
            "</figcaption></figure>"
        )


def _drawn(
    draw: Callable[[Canvas], None], *, finding: str, height: float, source: Source | None
) -> str:
    """The SVG of what `draw` puts below the finding: no date, no random ids, no math in names.

    A figure of made-up data says so itself, for it may be copied without its caption.
    """
    finding = "\n".join([finding, *made_up(source)])
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # a letter that DejaVu lacks is measured as a box and drawn by the reader's own font
        warnings.filterwarnings("ignore", r"Glyph .* missing from font", UserWarning)
        warnings.filterwarnings("ignore", r"Matplotlib currently does not support", UserWarning)
        canvas = Canvas(figsize=(_WIDTH, height), layout="constrained")
        canvas.suptitle(finding, x=0.01, ha="left", fontsize=11, fontweight="bold")
        draw(canvas)
        text = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        canvas.savefig(text, format="svg", metadata=nothing)
    return text.getvalue()


def _bars(
    axes: Axes,
    labels: Sequence[str],
    values: Sequence[float],
    *,
    colours: Sequence[str],
    notes: Sequence[str],
) -> None:
    """Horizontal bars from the top, each with its note at its end; an empty scale stays drawn."""
    rows = range(len(labels))
    axes.barh(rows, values, color=list(colours), height=0.66)
    axes.set_yticks(rows, list(map(_short, labels)))
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlim(0, max([*values, 1]) * 1.02)
    for row, value, note in zip(rows, values, notes, strict=True):
        axes.annotate(
            note, (value, row), xytext=(4, 0), textcoords="offset points", va="center", color=INK
        )


def _without_scale(axes: Axes) -> None:
    """Counts stand at the bars, so the axis below them would say them twice."""
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)


def _short(name: str, most: int = 34) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def funnel(study: Study) -> Figure:
    """From the candidate pool to evidence, with what was left behind at each step."""
    steps = nw.from_native(study.funnel, eager_only=True).rows(named=True)
    units = ("companies", "founders")
    groups = [[step for step in steps if step["unit"] == unit] for unit in units]

    def draw(canvas: Canvas) -> None:
        heights = [len(group) for group in groups]
        panels = canvas.subplots(2, 1, height_ratios=heights, sharex=False)
        for axes, unit, group in zip(panels, units, groups, strict=True):
            last = len(group) - 1
            _bars(
                axes,
                [step["step"] for step in group],
                [step["count"] for step in group],
                colours=[BLUE if row == last else GREY for row in range(len(group))],
                notes=[_count_and_lost(step) for step in group],
            )
            axes.set_title(unit.capitalize())
            axes.set_xlim(0, max([step["count"] for step in group] + [1]) * 2.1)
            _without_scale(axes)

    c = study.counts
    said = "; ".join(f"{number(step['count'])} {step['unit']} {step['step']}" for step in steps)
    return Figure(
        title=f"From pool to evidence: {study.university.name}",
        alt=f"Funnel of {study.university.name}: {said}.",
        caption=caption(
            f"{number(c.companies_evidenced)} of {counted(c.pool, 'company', 'companies')} in the "
            "pool are evidenced",
            "the rest are candidates, not refuted",
            source=study.source,
        ),
        svg=_drawn(
            draw,
            finding=f"{number(c.companies_evidenced)} of {number(c.pool)} companies and "
            f"{number(c.founders_evidenced)} of {number(c.founders_asked)} founders are evidenced",
            source=study.source,
            height=3.9,
        ),
    )


def _count_and_lost(step: Mapping[str, Any]) -> str:
    lost = f" · −{number(step['lost'])} {step['lost_because']}" if step["lost"] else ""
    return number(step["count"]) + lost


_STATE_COLOURS: Final[Mapping[State, str]] = {"evidenced": BLUE, "other_institutions_only": GREY}


def states(study: Study) -> Figure:
    """How many founders were observed in each state; unrecorded ones are drawn hollow."""
    seen = study.observed

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        counts = list(seen.values())
        labels = [state.replace("_", " ") for state in seen]
        _bars(
            axes,
            labels,
            counts,
            colours=[_STATE_COLOURS.get(state, GROUND) for state in seen],
            notes=[number(count) for count in counts],
        )
        for bar, state in zip(axes.patches, seen, strict=True):
            if state not in _STATE_COLOURS:
                bar.set(edgecolor=SOFT, linestyle=(0, (3, 2)))
        axes.set_xlim(0, max([*counts, 1]) * 1.15)
        _without_scale(axes)

    said = "; ".join(f"{number(count)}: {STATES[state]}" for state, count in seen.items())
    asked = counted(study.counts.founders_asked, "founder")
    open_ones = sum(count for state, count in seen.items() if state not in _STATE_COLOURS)
    return Figure(
        title=f"What was observed of the founders asked: {study.university.name}",
        alt=f"Observation states of {asked}. {said}.",
        caption=caption(
            f"{asked} asked",
            "hollow: the record does not tell",
            source=study.source,
        ),
        svg=_drawn(
            draw,
            finding=f"For {number(open_ones)} of {asked} the record does not tell",
            source=study.source,
            height=2.6,
        ),
    )


def years(study: Study) -> Figure:
    """Years from the latest recorded end of study to founding, where both are known."""
    c = study.counts
    column = nw.from_native(study.years, eager_only=True)["years"].drop_nulls()
    known: list[int] = column.to_list()
    before = sum(year < 0 for year in known)

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        _histogram(axes, known)
        if before:
            orange = Patch(color=ORANGE, label="founded before the recorded end of study")
            axes.legend(
                handles=[orange], loc="lower right", bbox_to_anchor=(1, 0.98), frameon=False
            )
        axes.set_xlabel("years from end of study to founding")
        axes.set_ylabel("pairs of company and founder")

    median = f"median {statistics.median(known):g} years" if known else "median not known"
    spread = f"From {number(min(known))} to {number(max(known))}. " if known else ""
    said = f"known for {number(c.years_known)} of {counted(c.years_of, 'pair')}"
    return Figure(
        title=f"Years from study to founding: {study.university.name}",
        alt=f"Histogram of years from the end of study to founding, {said} of company and "
        f"founder. {median.capitalize()}. {spread}{number(before)} founded before the recorded end "
        "of study.",
        caption=caption(
            f"{said} of company and founder",
            "founding year minus the latest recorded end of study there",
            f"orange: {number(before)} founded before it",
            source=study.source,
        ),
        svg=_drawn(
            draw, finding=f"From study to founding: {median}", source=study.source, height=3.2
        ),
    )


_WIDTHS: Final = (1, 2, 5, 10, 20, 50, 100, 1000, 10_000)


def _histogram(axes: Axes, values: Sequence[int]) -> None:
    """Whole years in bars of one width that starts at zero; years before it in orange."""
    if not values:
        axes.set(xticks=[], yticks=[])
        axes.text(0.5, 0.5, "no pair with both years recorded", ha="center", color=SOFT)
        return
    width = next(width for width in _WIDTHS if max(values) - min(values) < 45 * width)
    counts = Counter(value // width * width for value in values)
    shift = 0.45 if width == 1 else 0  # a bar of one year stands over its year
    for start, count in sorted(counts.items()):
        colour = ORANGE if start < 0 else BLUE
        axes.bar(start - shift, count, width=width * 0.9, align="edge", color=colour)
    axes.axvline(-shift, color=INK, linewidth=0.8)
    axes.locator_params(axis="y", integer=True, nbins=5)
    axes.locator_params(axis="x", integer=True)


def funding(study: Study) -> Figure:
    """Total funding of the evidenced companies that have most, and how many report none."""
    c, currency = study.counts, study.currency
    rows = nw.from_native(study.companies, eager_only=True)
    known = rows.filter(~nw.col(study.funding).is_null()).head(_TOP)
    names: list[str] = known["company_name"].to_list()
    amounts: list[float] = known[study.funding].to_list()
    further, missing = c.funding_known - len(names), c.companies_evidenced - c.funding_known

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        labels = [*names, f"{number(missing)} without a total"]
        notes = [*(money(amount, currency) for amount in amounts), "not reported"]
        _bars(axes, labels, [*amounts, 0], colours=[BLUE] * len(labels), notes=notes)
        scale = max([*amounts, 1])
        axes.scatter([scale * 0.012], [len(names)], s=30, facecolor=GROUND, edgecolor=SOFT)
        axes.texts[-1].set_position((12, 0))
        axes.set_xlim(0, scale * 1.28)
        _without_scale(axes)

    shown = "; ".join(
        f"{name}: {money(amount, currency)}" for name, amount in zip(names, amounts, strict=True)
    )
    known_of = (
        f"known for {number(c.funding_known)} of "
        f"{counted(c.companies_evidenced, 'company', 'companies')}"
    )
    return Figure(
        title=f"Total funding of companies with an evidenced founder: {study.university.name}",
        alt=f"Total funding in {currency}, {known_of}. {shown or 'No amount is known'}. "
        f"{number(further)} further with a total; {number(missing)} not reported.",
        caption=caption(
            f"total funding in {currency}, {known_of}",
            f"{number(further)} further companies with a smaller total are not drawn"
            if further
            else None,
            "hollow: not reported, never zero",
            source=study.source,
        ),
        svg=_drawn(
            draw,
            finding=f"Sum of known totals {money(c.funding_total, currency)}, {known_of}",
            source=study.source,
            height=1.2 + 0.27 * len(names),
        ),
    )
