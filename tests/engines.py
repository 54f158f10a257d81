"""The same frames on every engine that is tested, and what two of them must have in common."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import duckdb
import polars as pl
from hypothesis import settings

ENGINES: Final = ("lazy polars", "duckdb", "sail")
"""What is compared with eager polars."""
FEW: Final = settings(max_examples=max(2, settings().max_examples // 8))
"""Of generated worlds, each of which is computed on four engines."""


def on(engine: str, frames: Mapping[str, pl.DataFrame], sail: Any) -> dict[str, Any]:
    """The frames as the engine holds them."""
    if engine == "lazy polars":
        return {name: frame.lazy() for name, frame in frames.items()}
    if engine == "duckdb":
        connection = duckdb.connect()
        return {name: connection.from_arrow(frame.to_arrow()) for name, frame in frames.items()}
    if engine == "sail":
        return {name: _spark_frame(sail, frame.to_arrow()) for name, frame in frames.items()}
    return dict(frames)


def _spark_frame(sail: Any, table: Any) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return sail.createDataFrame(table, schema=from_arrow_schema(table.schema))


def fingerprints(frames: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """By name the SHA-256 of a frame's columns, types, rows and their order."""
    return {
        name: hashlib.sha256(f"{frame.schema}\n{frame.write_ndjson()}".encode()).hexdigest()
        for name, frame in frames.items()
    }
