"""Research notebooks and a helper for a startup, founder and investor data service."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ventureframe.connect import connect
from ventureframe.filters import all_of, any_of, company, founder, fund, job, news_item

if TYPE_CHECKING:
    from ventureframe import (
        errors,
        evidence,
        exposure,
        figures,
        hiring,
        panel,
        report,
        snapshots,
        spinouts,
        tables,
        universities,
    )

__all__ = [
    "all_of",
    "any_of",
    "company",
    "connect",
    "errors",
    "evidence",
    "exposure",
    "figures",
    "founder",
    "fund",
    "hiring",
    "job",
    "load",
    "news_item",
    "panel",
    "report",
    "snapshots",
    "spinouts",
    "tables",
    "universities",
]


def __getattr__(name: str) -> Any:
    """Load a room when it is first used: importing the package loads no frame or HTTP library."""
    if name == "load":
        return import_module(f"{__name__}.results").load
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
