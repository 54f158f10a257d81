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
