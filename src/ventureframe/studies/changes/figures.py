"""What two saves differ in, drawn: for each kind of record what is new, gone and
changed.
"""

from ventureframe.display.figure import BLUE, GREY, ORANGE, Drawing
from ventureframe.display.pictures import Bar, bars
from ventureframe.display.wording import number
from ventureframe.studies.changes.records import SEEN
from ventureframe.studies.changes.study import Study

_COLOURS = (BLUE, ORANGE, GREY)


def results(study: Study) -> Drawing:
    """Records newly seen, no longer listed and changed, of each result."""
    rows, totals = list[Bar](), dict[str, int]()
    for name, pair in study.pairs.items():
        kind = name.replace("-", " ")
        counts = {SEEN[seen]: count for seen, count in pair.seen.items()}
        counts["in both, changed"] = pair.counts.changed
        totals[kind] = sum(filter(None, counts.values()))
        for (what, count), colour in zip(counts.items(), _COLOURS, strict=True):
            note = "not claimed" if count is None else number(count)
            if count != 0:
                rows.append(Bar(f"{kind}: {what}", count or 0, note, colour))
    headline = "Records that are new, gone or changed"
    for kind, total in totals.items():
        if len(totals) > 1 and 2 * total > sum(totals.values()):
            headline = f"More than half of the differences are in {kind}"
    texts = (
        "; ".join(f"{bar.label} {bar.note}" for bar in rows)
        or "No change is established"
    )
    return Drawing(
        headline=headline,
        alt=f"Records by what differs between two fetches. {texts}.",
        notes=[study.day],
        height=1.1 + 0.27 * len(rows),
        draw=lambda canvas: bars(canvas.subplots(), rows),
        empty="" if rows else "no change is established",
    )
