"""What two saves differ in, drawn: for each kind of record what is new, gone and changed."""

from ventureframe.display.figure import BLUE, GREY, ORANGE, Bar, Drawing, bars
from ventureframe.display.wording import number
from ventureframe.studies.changes.study import Study


def results(study: Study) -> Drawing:
    """Newly seen, no longer seen and changed records of each result."""
    rows = list[Bar]()
    for name, pair in study.pairs.items():
        for what, count, colour in (
            ("newly seen", pair.counts.newly_seen, BLUE),
            ("no longer seen", pair.counts.no_longer_seen, ORANGE),
            ("in both, changed", pair.counts.changed, GREY),
        ):
            note = "not claimed" if count is None else number(count)
            rows.append(Bar(f"{name.replace('-', ' ')}: {what}", count or 0, note, colour))
    texts = "; ".join(f"{bar.label} {bar.note}" for bar in rows)
    return Drawing(
        headline=f"What two fetches differ in, {study.day}",
        alt=f"Records by what differs between two fetches. {texts}.",
        notes=[study.day, "newly seen is not newly happened", study.subject],
        height=1.1 + 0.27 * len(rows),
        draw=lambda canvas: bars(canvas.subplots(), rows),
    )
