"""Rows that arrive in any order lie sorted over all parts, each record once."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from ventureframe.bulk.parts import GROUP, PART, Table
from ventureframe.client.keys import Keys


def shuffled(count: int) -> pl.DataFrame:
    """Rows with a text key in random order."""
    numbers = pl.Series(random.Random(7).sample(range(count), count))
    key = numbers.cast(pl.String).str.zfill(7)
    return pl.DataFrame({"uuid": key, "value": numbers})


@pytest.mark.parametrize(
    ("count", "runs"),
    [
        (0, 9),
        (1, 9),
        (39_999, 9),
        (PART, 9),
        (PART + 1, 3),
        pytest.param(450_000, 2, marks=pytest.mark.slow),
    ],
)
def test_parts_are_sorted_as_a_whole_in_row_groups_of_one_size(
    tmp_path: Path, count: int, runs: int
) -> None:
    table = Table(tmp_path / "runs", "t", "uuid", together=1 << 20, side_by_side=runs)
    rows = shuffled(count)
    for at, chunk in enumerate(rows.iter_slices(10_000)):
        table.add(chunk, at)
    if not count:
        table.add(rows.cast({"uuid": pl.String, "value": pl.Int64}), 0)
    parts = table.write(tmp_path / "t", Path("t"))
    assert [part.rows for part in parts[:-1]] == [PART] * (len(parts) - 1)
    assert sum(part.rows for part in parts) == count
    read = pl.concat([pl.read_parquet(tmp_path / part.file) for part in parts])
    assert read.equals(rows.sort("uuid"))
    for part in parts:
        about = pq.read_metadata(tmp_path / part.file)
        groups = [about.row_group(at).num_rows for at in range(about.num_row_groups)]
        assert all(each == GROUP for each in groups[:-1])
    assert all(one.last < two.first for one, two in pairwise(parts) if one.last and two.first)


def test_a_record_sent_again_is_kept_as_it_was_last_sent_in_its_new_year(tmp_path: Path) -> None:
    table = Table(tmp_path / "runs", "t", "id", date="day")
    days = pl.Series(["2024-05-01", "2025-05-01", None]).str.to_date()
    table.add(pl.DataFrame({"id": [1, 2, 3], "day": days}), 0)
    table.add(pl.DataFrame({"id": [1], "day": days.slice(1, 1), "more": ["x"]}), 1)
    keys = Keys()
    keys.add(pl.Series([1, 2, 3]), 0)
    keys.add(pl.Series([1]), 1)
    parts = table.write(tmp_path / "t", Path("t"), stale=keys.stale(0))
    found = {part.file.split("/")[1]: part.rows for part in parts if part.rows}
    assert found == {"year=2025": 2, "year=__HIVE_DEFAULT_PARTITION__": 1}
    read = pl.concat([pl.read_parquet(tmp_path / part.file) for part in parts])
    assert read.filter(id=1)["more"].to_list() == ["x"], "a column that came later is in all parts"
    assert table.write(tmp_path / "u", Path("u"), first=1)[0].rows == 1
