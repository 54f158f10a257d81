"""How much of a list is in the records."""

from ventureframe.display.figure import Drawing
from ventureframe.display.pictures import Bar, bar_chart
from ventureframe.studies.mine.study import Study


def grades(study: Study) -> Drawing:
    """The rows of each grade."""
    rows = study.frames["grades"].select("grade", "rows", "meaning").rows()
    bars = [Bar(grade, many, f"{many:,} · {meaning}") for grade, many, meaning in rows]
    return bar_chart(
        bars if len(bars) > 1 else [],
        headline="How the rows of your list were matched",
        alt="Rows of the list by grade.",
        notes=[],
        height=1.2 + 0.36 * len(rows),
        empty="every row has the same grade",
    )
