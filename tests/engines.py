"""The same frames on every engine that is tested, and what two of them must have in
common.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import polars as pl
import pytest
from hypothesis import settings

SAIL: Final = pytest.param("sail", marks=pytest.mark.engines)
ENGINES: Final = (
    "lazy polars",
    pytest.param("duckdb", marks=pytest.mark.engines),
    SAIL,
)
"""What is compared with eager polars; `make test` leaves out what is marked
`engines`.
"""
also_quickly_on_duckdb: Final = pytest.mark.parametrize(
    "engine", ["lazy polars", "duckdb", SAIL], indirect=True
)
"""The one test of a study that computes on DuckDB in `make test`, too."""


def few() -> settings:
    """Fewer generated worlds than elsewhere: each is computed on two engines."""
    return settings(max_examples=max(2, settings().max_examples // 8))


@dataclass(frozen=True)
class Engine:
    """An engine by its name, and as `bulk.open` is given it."""

    name: str
    opens: Any

    def holding(self, frames: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
        """The frames as the engine holds them."""
        if self.name == "lazy polars":
            return {name: frame.lazy() for name, frame in frames.items()}
        if self.name == "duckdb":
            import duckdb

            connection = duckdb.connect()
            return {
                name: connection.from_arrow(frame.to_arrow())
                for name, frame in frames.items()
            }
        if self.name == "sail":
            return {
                name: self._spark_frame(frame.to_arrow())
                for name, frame in frames.items()
            }
        return dict(frames)

    def _spark_frame(self, table: Any) -> Any:
        from pyspark.sql.pandas.types import from_arrow_schema

        return self.opens.createDataFrame(table, schema=from_arrow_schema(table.schema))


def fingerprints(frames: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """By name the SHA-256 of a frame's columns, types, rows and their order."""
    return {
        name: (
            hashlib.sha256(
                f"{frame.schema}\n{frame.write_ndjson()}".encode()
            ).hexdigest()
        )
        for name, frame in frames.items()
    }


def assert_same(one: Any, other: Any) -> None:
    """Two studies count and say the same and have the same frames."""
    for name in ("counts", "answer", "statements", "limits"):
        assert getattr(one, name) == getattr(other, name), name
    assert fingerprints(one.frames) == fingerprints(other.frames)
