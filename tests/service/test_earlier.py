"""The sample at an earlier day: nothing dated later, some entered late, the same every time."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from ventureframe.connect import connect
from ventureframe.errors import ConfigurationError
from ventureframe_service.sample.earlier import earlier
from ventureframe_service.sample.sample import sample

DAY = dt.date(2026, 3, 31)


def test_an_earlier_day_has_nothing_of_later_ones_and_lacks_what_was_entered_late() -> None:
    now = sample(companies=400)
    then = earlier(now, DAY)
    assert then.description.as_of == DAY
    for table, column in (("jobs", "date_posted"), ("news", "publish_date"), ("fx", "date")):
        days = then.tables[table][column].drop_nulls()
        assert days.max() <= DAY  # type: ignore[operator]
    late = now.tables["companies"].join(then.tables["companies"], on="uuid", how="anti")
    assert 0 < late.height < 60
    assert late.filter(pl.col("launch_date") < DAY.year).height > 0
    both = now.tables["companies"].join(then.tables["companies"], on="uuid")
    for column in ("total_funding", "company_status", "team_size", "open_jobs_count"):
        assert both.filter(pl.col(column).ne_missing(pl.col(f"{column}_right"))).height > 0, column
    gone = then.tables["jobs"].join(now.tables["jobs"], on="id", how="anti")
    assert gone.height > 0
    again = earlier(sample(companies=400), DAY)
    assert all(frame.equals(again.tables[name]) for name, frame in then.tables.items())


def test_only_the_sample_has_an_earlier_day() -> None:
    with pytest.raises(ConfigurationError, match="compare two saves instead"):
        connect(environment={"VENTUREFRAME_DATA": "somewhere"}, sample_day=DAY)
    with pytest.raises(ConfigurationError, match="'soon' is not a day"):
        connect(environment={}, sample_day="soon")
