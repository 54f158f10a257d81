"""How much of a list is in the records."""

from typing import Any

from ventureframe.display.figure import Drawing
from ventureframe.display.pictures import Bar, bar_chart


def grades(study: Any) -> Drawing:
    """The rows of each grade."""
    rows = study.frames["grades"].select("grade", "rows", "meaning").rows()
    ends = dict.fromkeys(
        f"{end}" for end in (study.counts.at_least, study.counts.at_most)
    )
    return bar_chart(
        [Bar(grade, many, f"{many:,} · {meaning}") for grade, many, meaning in rows],
        headline=(
            f"{' to '.join(ends)} of {study.counts.list_rows:row} are in the records"
        ),
        alt="Rows of the list by grade.",
        notes=[
            "a row that is not found can still be in the records under another name"
        ],
        height=1.2 + 0.36 * max(len(rows), 1),
        reach=2.6,
    )
