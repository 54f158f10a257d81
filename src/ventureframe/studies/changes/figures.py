"""What two saves differ in, drawn: for each kind of record what is new, gone and changed."""

from __future__ import annotations

from ventureframe.display.figure import BLUE, GREY, ORANGE, Drawing, bars
from ventureframe.display.wording import number
from ventureframe.studies.changes.study import Study


def results(study: Study) -> Drawing:
    """Newly seen, no longer seen and changed records of each result."""
    rows = [
        (f"{name.replace('-', ' ')}: {what}", getattr(pair.counts, count), colour)
        for name, pair in study.pairs.items()
        for what, count, colour in (
            ("newly seen", "newly_seen", BLUE),
            ("no longer seen", "no_longer_seen", ORANGE),
            ("in both, changed", "changed", GREY),
        )
    ]
    labels, counts, colours = zip(*rows, strict=True)
    notes = ["not claimed" if count is None else number(count) for count in counts]
    lengths = [count or 0 for count in counts]
    said = "; ".join(map(" ".join, zip(labels, notes, strict=True)))
    return Drawing(
        headline=f"What two fetches differ in, {study.day}",
        alt=f"Records by what differs between two fetches. {said}.",
        notes=[study.day, "newly seen is not newly happened", study.subject],
        height=1.1 + 0.27 * len(rows),
        draw=lambda canvas: bars(canvas.subplots(), labels, lengths, colours=colours, notes=notes),
    )
