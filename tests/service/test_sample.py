"""The sample is the same everywhere, says that it is synthetic, and holds its traps."""

import datetime as dt

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tests.service.sample.earlier import earlier
from tests.service.sample.sample import sample as make
from ventureframe.connect import connect
from ventureframe.errors import ConfigurationError
from ventureframe_service.dataset import DAY, EARLIER, sample


@pytest.mark.parametrize("day", [DAY, EARLIER])
def test_the_sample_in_the_package_is_what_its_generator_makes(day: dt.date) -> None:
    made = make() if day == DAY else earlier(make(), day)
    kept = sample(day)
    assert kept.description == made.description
    for name, rows in made.tables.items():
        assert_frame_equal(kept.tables[name], rows)


def test_the_sample_is_read_once_and_its_tables_cannot_be_put_in_place_of() -> None:
    assert sample() is sample()
    with pytest.raises(TypeError):
        sample().tables["jobs"] = pl.DataFrame()  # type: ignore[index]


def test_an_earlier_day_has_nothing_of_later_ones_and_lacks_what_was_entered_late() -> (
    None
):
    now, then = sample().tables, sample(EARLIER).tables
    for table, column in (
        ("jobs", "date_posted"),
        ("news", "publish_date"),
        ("fx", "date"),
    ):
        assert then[table][column].drop_nulls().max() <= EARLIER, table  # type: ignore[operator]
    late = now["companies"].join(then["companies"], on="uuid", how="anti")
    assert 0 < late.height < 60
    assert late.filter(pl.col("launch_date") < EARLIER.year).height > 0
    both = now["companies"].join(then["companies"], on="uuid")
    for column in ("total_funding", "company_status", "team_size", "open_jobs_count"):
        assert (
            both.filter(pl.col(column).ne_missing(pl.col(f"{column}_right"))).height > 0
        ), column
    assert then["jobs"].join(now["jobs"], on="id", how="anti").height > 0


@pytest.mark.parametrize(
    ("day", "environment", "message"),
    [
        (EARLIER, {"VENTUREFRAME_DATA": "somewhere"}, "compare two saves instead"),
        ("soon", {}, "'soon' is not a day"),
        ("2026-03-30", {}, "as of 2026-03-31 or 2026-06-30, not of 2026-03-30"),
    ],
)
def test_only_the_sample_has_an_earlier_day_and_only_one(
    day: dt.date | str, environment: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        connect(environment=environment, sample_day=day)


def test_the_sample_says_that_it_is_synthetic_and_fills_every_table() -> None:
    assert sample().description.synthetic
    assert "SYNTHETIC" in repr(sample())
    assert [name for name, rows in sample().tables.items() if rows.is_empty()] == []


def test_the_traps_are_there() -> None:
    tables = sample().tables
    companies, founders = tables["companies"], tables["founders"]
    universities = tables["universities"]
    entries = founders.select(pl.col("education").explode(keep_nulls=False)).unnest(
        "education"
    )
    named = universities.group_by("name", "website_domain").len()
    assert universities["name"].is_duplicated().sum() == 4
    assert named["len"].max() == 2
    assert founders["education"].null_count() > 100
    assert founders["education"].list.len().eq(0).sum() > 50
    assert entries["university_uuid"].null_count() > 300
    assert founders["is_withheld"].sum() > 50
    assert companies["total_funding"].null_count() > 400
    assert set(companies["total_funding_currency"].drop_nulls()) >= {
        "USD",
        "EUR",
        "GBP",
        "ISK",
    }
    assert "ISK" not in set(tables["fx"]["currency"])
    flagged = companies.filter("is_spinout").explode("founders")
    studied = founders.select(founders="uuid", entry="education").explode("entry")
    pairs = flagged.join(studied, on="founders").unnest("entry")
    at = pairs.group_by("uuid").agg(pl.col("university_uuid").n_unique())
    assert at["university_uuid"].max() > 1, "a flag says nothing of where"  # type: ignore[operator]
    for mark in (",", '"', "$", "<", "若"):
        assert companies["name"].str.contains(mark, literal=True).any(), mark
