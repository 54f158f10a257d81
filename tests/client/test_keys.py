"""Keys are counted the same however many there are, in memory or in files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ventureframe.client.keys import Keys

MANY = 200_000


@pytest.mark.parametrize("is_filed", [False, True])
def test_repeated_keys_are_found_in_memory_and_in_files(tmp_path: Path, is_filed: bool) -> None:
    one, two = (Keys(tmp_path / name if is_filed else None) for name in ("one", "two"))
    chunks = [range(MANY), range(MANY, 2 * MANY), range(10)]
    for at, numbers in enumerate(chunks):
        one.add(pl.Series(numbers), at)
    two.add(pl.Series(range(2 * MANY - 5, 2 * MANY + 5)))
    assert bool(list(tmp_path.iterdir())) == is_filed
    assert (one.count, one.distinct(), one.distinct(two)) == (
        2 * MANY + 10,
        2 * MANY,
        2 * MANY + 5,
    )
    stale = one.stale(0)
    assert sorted(stale.of(0, 2)["key"]) == sorted(pl.Series(range(10)).hash())
    assert stale.of(0, 2)["at"].to_list() == [0] * 10
    assert one.stale(1).count == 0, "chunks before the first are not looked at"


def test_keys_are_the_same_in_one_order_however_they_are_cut(tmp_path: Path) -> None:
    one, two, other = Keys(), Keys(tmp_path / "two"), Keys()
    one.add(pl.Series(range(MANY * 2)))
    for start in range(0, MANY * 2, MANY // 2):
        two.add(pl.Series(range(start, start + MANY // 2)))
    other.add(pl.Series(range(MANY * 2)).reverse())
    assert one.is_same(two)
    assert not one.is_same(other)
