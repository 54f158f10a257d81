"""What two saves differ in, drawn: for each kind of record what is new, gone and changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure as Canvas

from ventureframe.display.figure import BLUE, GREY, ORANGE, Drawing, bars, without_scale
from ventureframe.display.wording import number

if TYPE_CHECKING:
    from ventureframe.studies.changes.find import Study


def results(study: Study) -> Drawing:
    """Newly seen, no longer seen and changed records of each result."""
    rows = [
        (f"{name.replace('-', ' ')}: {what}", count, colour)
        for name, pair in study.pairs.items()
        for what, count, colour in (
            ("newly seen", pair.counts.newly_seen, BLUE),
            ("no longer seen", pair.counts.no_longer_seen, ORANGE),
            ("in both, changed", pair.counts.changed, GREY),
        )
    ]
    labels = [label for label, *_ in rows]
    notes = ["not claimed" if count is None else number(count) for _, count, _ in rows]

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        counts, colours = [count or 0 for _, count, _ in rows], [colour for *_, colour in rows]
        bars(axes, labels, counts, colours=colours, notes=notes)
        without_scale(axes)

    said = "; ".join(f"{label} {note}" for label, note in zip(labels, notes, strict=True))
    return Drawing(
        headline=f"What two fetches differ in, {study.days}",
        alt=f"Records by what differs between two fetches. {said or 'Nothing was compared'}.",
        notes=[study.days, "newly seen is not newly happened", study.subject],
        height=1.1 + 0.27 * len(rows),
        draw=draw,
    )
