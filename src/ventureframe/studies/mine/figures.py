"""How much of a list is in the records."""

from ventureframe.display.figure import Drawing
from ventureframe.display.pictures import Bar, bar_chart
from ventureframe.studies.mine.study import Study


def grades(study: Study) -> Drawing:
    """The rows of each grade."""
    rows = study.frames["grades"].select("grade", "rows", "meaning").rows()
    bars = [Bar(grade, many, f"{many:,} · {meaning}") for grade, many, meaning in rows]
    c = study.counts
    some = f"{c.at_least}"
    if c.at_least != c.at_most:
        some = f"{c.at_least} to {c.at_most}"
    return bar_chart(
        bars,
        headline=f"{some} of {c.list_rows:row} are in the records",
        alt="Rows of the list by grade.",
        notes=[
            "a row that is not found can still be in the records under another name"
        ],
        height=1.2 + 0.36 * max(len(rows), 1),
    )
