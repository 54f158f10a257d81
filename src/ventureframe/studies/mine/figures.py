"""When the companies of a list last raised money."""

from ventureframe.display.figure import TOP, Drawing, undrawn
from ventureframe.display.pictures import Bar, bar_chart
from ventureframe.display.wording import Count, number, within
from ventureframe.studies.mine.study import Study


def last_rounds(study: Study) -> Drawing:
    """The companies by the year of their last recorded round, the latest first."""
    years = study.frames["companies"]["latest_round_year"].drop_nulls()
    rows = years.value_counts().sort("latest_round_year", descending=True)
    known = within(Count(len(years)), study.counts.companies, "company")
    return bar_chart(
        [Bar(f"{year}", many, number(many)) for year, many in rows.head(TOP).rows()],
        headline="Companies of the list by the year of their last round",
        alt="Companies of the list by the year of their last round.",
        notes=[
            f"a round with its year is recorded for {known}",
            undrawn(rows.height - TOP, "earlier year"),
        ],
        empty="no round with its year was read",
    )
