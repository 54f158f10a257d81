"""What two saves differ in, drawn: for each kind of record what is new, gone and changed."""

from ventureframe.display.figure import BLUE, GREY, ORANGE, Bar, Drawing, bars
from ventureframe.display.wording import number
from ventureframe.studies.changes.records import SEEN
from ventureframe.studies.changes.study import Study


def results(study: Study) -> Drawing:
    """Records newly seen, no longer listed and changed, of each result."""
    rows = list[Bar]()
    for name, pair in study.pairs.items():
        counts = [*pair.seen.values(), pair.counts.changed]
        words = (*SEEN.values(), "in both, changed")
        for what, count, colour in zip(words, counts, (BLUE, ORANGE, GREY), strict=True):
            note = "not claimed" if count is None else number(count)
            label = f"{name.replace('-', ' ')}: {what}"
            rows += [Bar(label, count or 0, note, colour)] * (count != 0)  # None: not claimed
    texts = "; ".join(f"{bar.label} {bar.note}" for bar in rows)
    return Drawing(
        headline="What two fetches differ in",
        alt=f"Records by what differs between two fetches. {texts}.",
        notes=[study.day, *study.doubt, study.subject],
        height=1.1 + 0.27 * len(rows),
        draw=lambda canvas: bars(canvas.subplots(), rows),
    )
