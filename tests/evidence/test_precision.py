"""Places carry intervals that hold where records are missing, and young years are
not read.
"""

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from ventureframe.studies.ranks import placed
from ventureframe.studies.young import FOUNDING, marked, note, peak

DAY = dt.date(2013, 6, 17)


def pairs(**companies: range | list[int]) -> pl.DataFrame:
    rows = [
        (at, f"{firm:03}", float(firm))
        for at, firms in companies.items()
        for firm in firms
    ]
    schema = {
        "university_uuid": pl.String,
        "company_uuid": pl.String,
        "total_funding": pl.Float64,
    }
    return pl.DataFrame(rows, schema, orient="row")


PLACES = [
    ("nothing", pairs(), []),
    ("alone", pairs(a=range(3)), ["1"]),
    ("far apart", pairs(a=range(200), b=range(200, 260), c=[260]), ["1", "2", "3"]),
    (
        "equal counts",
        pairs(a=range(40), b=range(40, 80), c=range(80, 82)),
        ["1–2", "1–2", "3"],
    ),
    # one company more than another decides where all others are shared, and not where
    # none is
    ("the same companies", pairs(a=range(30), b=range(30)), ["1–2", "1–2"]),
    ("one more of shared ones", pairs(a=range(31), b=range(30)), ["1", "2"]),
    ("one more of others", pairs(a=range(31), b=range(40, 70)), ["1–2", "1–2"]),
]


@pytest.mark.parametrize(
    ("rows", "places"), [case[1:] for case in PLACES], ids=[c[0] for c in PLACES]
)
def test_places_are_as_far_apart_as_the_companies_carry(
    rows: pl.DataFrame, places: list[str]
) -> None:
    table = placed(rows)
    assert table["place"].to_list() == places
    # order and repeats change nothing
    assert placed(pl.concat([rows[::-1], rows])).equals(table)
    assert table.filter(
        ~pl.col("share").is_between("share_low", "share_high")
    ).is_empty()


def test_a_share_is_of_ten_companies_or_more_and_not_of_all() -> None:
    shares = placed(pairs(a=range(30), b=range(30, 40), c=range(40, 49)))
    assert shares["share_between"].is_null().to_list() == [False, False, True]
    alone = placed(pairs(a=range(30)))
    assert alone["share_between"].to_list() == [None]


YEARS = {2006: 5, 2007: 40, 2008: 9, 2009: 3, 2010: 4, 2011: 60, 2012: 70, 2013: 2}
HATCHED = "Hatched: 2009 and later are not yet fully recorded"
PEAKS = [
    (DAY, {}, ", most up to 2008: 40 in 2007", HATCHED),
    (dt.date(2020, 1, 1), {}, "", None),  # 70 and 60 are not told apart
    (dt.date(2020, 1, 1), {2012: 170}, ", most: 170 in 2012", None),
    (DAY, {2008: 39}, "", HATCHED),
    (
        None,
        {},
        "",
        "the day of the data is not stated: late years may not be fully recorded",
    ),
]


@pytest.mark.parametrize(("day", "changed", "most", "said"), PEAKS)
def test_no_peak_is_read_in_years_that_are_still_arriving_or_where_it_can_be_chance(
    day: dt.date | None, changed: dict[int, int], most: str, said: str
) -> None:
    counts = YEARS | changed
    years = pl.DataFrame({"year": [*counts], "n": [*counts.values()]})
    rows = marked(years, "year", day, FOUNDING)
    assert (peak(rows, "year", "n"), note(rows, "year")) == (most, said)


@pytest.mark.real
def test_the_growth_of_young_years_is_as_measured(real_data: Path) -> None:
    june, october = (
        pl.read_parquet(real_data / name / "companies.parquet")["launch_date"]
        for name in ("venture-2013", "venture-2013-10")
    )
    before, after = (dict(year.value_counts().rows()) for year in (june, october))
    years = [DAY.year - back for back in range(len(FOUNDING))]
    assert [round(after[year] / before[year] - 1, 2) for year in years] == list(
        FOUNDING
    )
    older = range(2005, min(years))
    grown = sum(after[year] for year in older) / sum(before[year] for year in older)
    assert grown < 1.05
