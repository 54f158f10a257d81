"""The founders that a pull asks for by id, where their list is refused."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import polars as pl
import pytest

from ventureframe.bulk.asked import Founders


@pytest.mark.parametrize(
    "ids",
    [
        [],
        [None, None],
        ["a", "", "a", None, "ü", "\N{PARTY POPPER}", "b-a"],
        [f"{number * 7919 % 5_000:05}" for number in range(10_000)],
    ],
)
def test_founders_are_asked_for_once_each_in_one_order_and_in_full_batches(
    tmp_path: Path, ids: Sequence[str | None]
) -> None:
    every = pl.DataFrame({"founder_uuid": pl.Series(ids, dtype=pl.String)})
    files = [tmp_path / name for name in ("one.parquet", "two.parquet")]
    for file, rows in zip(files, (every, every.reverse()), strict=True):
        rows.write_parquet(file)
    founders = Founders(files)
    batches = list(founders.batches(50))
    assert sorted(chain(*batches)) == sorted({each for each in ids if each is not None})
    assert founders.count == sum(map(len, batches))
    assert all(len(each) == 50 for each in batches[:-1])
    assert batches == list(Founders(files[::-1]).batches(50))


def test_founders_are_read_a_part_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "one.parquet"
    pl.DataFrame({"founder_uuid": ["a1", "b1", "a2"]}).write_parquet(file)
    batches = Founders([file]).batches(1)
    assert [next(batches), next(batches)] == [["a1"], ["b1"]]
    pl.DataFrame({"founder_uuid": ["a1", "b1", "c2"]}).write_parquet(file)
    assert list(batches) == [["c2"]], "what ends otherwise is read when its turn comes"
