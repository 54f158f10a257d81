"""What a study computes in polars is the same for any order of rows, library and
engine.
"""

import random
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ventureframe.errors import UnsupportedValue
from ventureframe.evidence import rows

COLUMNS = {"id": pl.Int64, "name": pl.String, "amount": pl.Float64}
TABLES = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from([None, "", "a", "b"]),
        st.sampled_from([None, 0.5, 1.0, float("nan")]),
    ),
    max_size=8,
)


@given(table=TABLES, seed=st.integers(0, 99))
def test_one_row_per_key_is_left_and_the_same_for_any_order_of_rows(
    table: list[Any], seed: int
) -> None:
    shuffled = [*table, *table[:2]]
    random.Random(seed).shuffle(shuffled)
    frames = [pl.DataFrame(some, COLUMNS, orient="row") for some in (table, shuffled)]
    first, second = (
        rows.distinct(frame, COLUMNS, key=["id"]).sort("id") for frame in frames
    )
    assert first.equals(second)
    assert first["id"].to_list() == sorted({row[0] for row in table})
    assert not first["amount"].is_nan().any()


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_more_rows_than_a_study_computes_with_are_refused(
    engine: str,
) -> None:
    wide: Any = pl.LazyFrame({"n": range(rows.MOST + 1)})
    if engine == "duckdb":
        wide = pytest.importorskip("duckdb").sql(
            f"SELECT range AS n FROM range({rows.MOST + 1})"
        )
    with pytest.raises(
        UnsupportedValue, match=r"'jobs' cannot be 'over 2,000,000 rows'.*by country"
    ):
        rows.narrow({"jobs": rows.lazy(wide)}, by="country")
