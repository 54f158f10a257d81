"""What the figures of a study of hiring draw: who, when, and for which
roles.
"""

import polars as pl

from ventureframe.display import figure
from ventureframe.display.figure import (
    BLUE,
    GROUND,
    TOP,
    Drawing,
    short,
)
from ventureframe.display.marks import Canvas
from ventureframe.display.pictures import (
    Bar,
    Dot,
    Lane,
    bar_chart,
    in_years,
    matrix,
    timeline,
)
from ventureframe.display.wording import counted, within
from ventureframe.evidence.rows import NAMES, Row, highest_first
from ventureframe.studies.hiring.study import Study


def ranking(study: Study) -> Drawing:
    """The companies with most open jobs, or with most postings that match the chosen
    roles.
    """
    c, column = study.counts, "matching" if study.counts.roles else "open_jobs_count"
    rows, bars = study.frames["ranking"].filter(pl.col(column) > 0), list[Bar]()
    for row in rows.head(TOP).with_columns(NAMES).rows(named=True):
        jobs, posted = row[column], row["postings"]
        note = "" if posted in (jobs, None) else f" · {counted(posted, 'posting')}"
        bars.append(
            Bar(row["company_name"], jobs, f"{jobs}{note}", id=row["company_uuid"])
        )
    headline = f"{c.open_jobs:open job} at {c.with_open_jobs:company}"
    ending = "with open jobs"
    alt = "Open jobs as the company records report them."
    if c.roles:
        headline, ending = c.matched, "with a match"
        alt = "Postings that match."
    further = figure.undrawn(len(rows) - len(bars), f"further company {ending}")
    empty = f"no company {ending}"
    if not (c.roles or c.open_jobs_known):
        empty = "no count of open jobs is recorded"
    return bar_chart(bars, headline=headline, alt=alt, notes=[further], empty=empty)


def recent(study: Study) -> Drawing:
    """The latest round and the newest posting of each company, on one line of time."""
    companies = study.frames["recent"].with_columns(NAMES)
    # a round without a month stands in June
    start = (
        pl.col("latest_round_year")
        + (pl.col("latest_round_month").fill_null(6) - 0.5) / 12
    )
    rows = (
        companies.with_columns(start=start)
        .drop_nulls("latest_posting")
        .rows(named=True)
    )
    drawn, c = rows[:TOP], study.counts

    def listed(row: Row) -> str:
        month = row["latest_round_month"]
        day = f"{row['latest_round_year']}{'' if month is None else f'-{month:02}'}"
        return f"{row['company_name']}: round {day}, posting {row['latest_posting']}"

    def lane(row: Row) -> Lane:
        face = BLUE if row["is_fresh"] else GROUND
        look = {"s": 36, "zorder": 3, "facecolor": face, "edgecolor": BLUE}
        latest_round = Dot(row["start"], {**look, "marker": "s"})
        posting = Dot(in_years(row["latest_posting"]), {**look, "marker": "o"})
        dots = (latest_round, posting)
        return Lane(row["company_name"], dots, joined=row["company_uuid"])

    def draw(canvas: Canvas) -> None:
        timeline(canvas.subplots(), list(map(lane, drawn)))

    headline = "Latest dated round and newest posting"
    if c.is_fresh_known:
        firms = within(c.fresh, c.fresh_known, "company of which it is known")
        headline = f"Round since {c.fresh_since}, with open jobs or postings: {firms}"
    described = "; ".join(map(listed, drawn[:8]))
    companies_shown = counted(len(drawn), "company")
    undated = companies.height - len(rows)
    notes = [
        "square: latest dated round, in June where no month is recorded",
        "circle: newest posting",
        "filled: fresh round, and open jobs or postings",
        figure.undrawn(undated, "company without a dated posting"),
        figure.undrawn(len(rows) - len(drawn), "further company"),
    ]
    return Drawing(
        headline=headline,
        alt=f"Latest round and newest posting of {companies_shown}. {described}.",
        notes=notes,
        height=1.6 + 0.27 * len(drawn),
        draw=draw,
        empty="" if drawn else "no company has a dated round and a dated posting",
        values=[(row["start"], row["latest_posting"]) for row in drawn],
    )


def roles(study: Study) -> Drawing:
    """Postings by role family and company, for the companies with most matched
    postings.
    """
    pairs = study.frames["role_companies"]
    families = study.frames["roles"].filter(pl.col("postings") > 0)
    by_name = ("company_name", "company_uuid")
    companies = pairs.group_by(by_name).agg(pl.sum("postings"))
    companies = highest_first(companies, "postings", *by_name)
    columns = companies.head(TOP).with_columns(NAMES).with_row_index("column")
    places = columns.select("company_uuid", "column")
    drawn = pairs.join(places, on="company_uuid").rows(named=True)
    drawn_families = {row["family"] for row in drawn}
    lines = [family for family in families["family"] if family in drawn_families]
    cells = [
        (row["column"], lines.index(row["family"]), row["postings"]) for row in drawn
    ]
    counts = families.select("family", "postings", "companies").rows()
    listing = "; ".join(
        f"{family}: {posted} at {firms}" for family, posted, firms in counts
    )

    def draw(canvas: Canvas) -> None:
        names = [short(name, 22) for name in columns["company_name"]]
        matrix(canvas.subplots(), lines, names, cells)

    return Drawing(
        headline=study.counts.matched,
        alt=(
            "Postings by role family and company. Postings and companies per family:"
            f" {listing}."
        ),
        notes=[
            "a keyword is not proof of need, an empty cell not of its absence",
            "a posting can match several",
            figure.undrawn(len(companies) - len(columns), "further company"),
        ],
        height=2.1 + 0.3 * len(lines),
        draw=draw,
        empty=""
        if lines
        else "no posting that was read has a keyword of the list in its title",
        values=[number for *_, number in cells],
    )
