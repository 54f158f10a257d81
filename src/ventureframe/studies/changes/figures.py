"""What two saves differ in, drawn: for each kind of record what is new, gone and
changed.
"""

from ventureframe.display.figure import BLUE, GREY, ORANGE, Drawing
from ventureframe.display.pictures import Bar, bars
from ventureframe.display.wording import number
from ventureframe.studies.changes.records import SEEN
from ventureframe.studies.changes.study import Study


def results(study: Study) -> Drawing:
    """Records newly seen, no longer listed and changed, of each result."""
    rows, totals = list[Bar](), dict[str, int]()
    for name, pair in study.pairs.items():
        kind = name.replace("-", " ")
        counts = [*pair.seen.values(), pair.counts.changed]
        words = (*SEEN.values(), "in both, changed")
        for what, count, colour in zip(
            words, counts, (BLUE, ORANGE, GREY), strict=True
        ):
            note = "not claimed" if count is None else number(count)
            totals[kind] = totals.get(kind, 0) + (count or 0)
            bar = Bar(f"{kind}: {what}", count or 0, note, colour)
            rows += [bar] * (count != 0)  # None: not claimed
    most = [kind for kind, many in totals.items() if 2 * many > sum(totals.values())]
    is_one = len(totals) == 1 or not most
    texts = "; ".join(f"{bar.label} {bar.note}" for bar in rows) or "No difference"
    return Drawing(
        headline=(
            "What two fetches differ in"
            if is_one
            else f"More than half of the differences are in {most[0]}"
        ),
        alt=f"Records by what differs between two fetches. {texts}.",
        notes=[study.day, *study.doubt, study.subject],
        height=1.1 + 0.27 * len(rows),
        draw=lambda canvas: bars(canvas.subplots(), rows),
        empty="" if rows else "no difference",
    )
