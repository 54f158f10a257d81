"""What two saves differ in, drawn: for each kind of record what is new, gone and changed."""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from ventureframe.display.figure import BLUE, GREY, ORANGE, Figure, bars, drawn, without_scale
from ventureframe.display.wording import caption, number
from ventureframe.studies.changes.find import Comparison, Comparisons

_DRAWN = (("newly seen", BLUE), ("no longer seen", ORANGE), ("in both, changed", GREY))


def changes(found: Comparisons) -> Figure:
    """Newly seen, no longer seen and changed records, for each result of a study."""
    rows = [
        (f"{name.replace('-', ' ')}: {what}", count, colour, part)
        for name, part in found.items()
        for (what, colour), count in zip(_DRAWN, _counts(part), strict=True)
    ]

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        bars(
            axes,
            [label for label, *_ in rows],
            [count or 0 for _, count, *_ in rows],
            colours=[colour for *_, colour, _ in rows],
            notes=["not claimed" if count is None else number(count) for _, count, *_ in rows],
        )
        without_scale(axes)

    said = "; ".join(
        f"{label} {'not claimed' if count is None else number(count)}" for label, count, *_ in rows
    )
    return Figure(
        title=f"What differs: {found.subject}",
        alt=f"Records by what differs between two fetches. {said or 'Nothing was compared'}.",
        caption=caption(
            found.span, "newly seen is not newly happened", found.subject, source=found.source
        ),
        svg=drawn(
            draw,
            finding=f"What two fetches differ in, {found.span}",
            source=found.source,
            height=1.1 + 0.27 * len(rows),
        ),
    )


def _counts(part: Comparison) -> tuple[int | None, int | None, int | None]:
    came = None if part.newly_seen is None else len(part.newly_seen)
    went = None if part.no_longer_seen is None else len(part.no_longer_seen)
    return came, went, None if part.incomparable else part.changed_in_both
