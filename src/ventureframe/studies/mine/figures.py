"""How much of a list is in the records."""

from ventureframe.display.figure import Drawing
from ventureframe.display.pictures import Bar, bar_chart
from ventureframe.display.wording import label, number
from ventureframe.studies.mine.study import Study


def grades(study: Study) -> Drawing:
    """The rows of each grade."""
    rows = study.frames["grades"].select("grade", "rows").rows()
    return bar_chart(
        [Bar(label(grade), count, number(count)) for grade, count in rows],
        headline="How the rows of your list were matched",
        alt="Rows of the list by grade.",
        notes=[],
    )
