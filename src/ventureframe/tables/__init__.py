"""Findings listed: `tables.X(study)` for each study, and the table they are made of."""

from ventureframe.tables.findings import caveats, claims, coverage, sources
from ventureframe.tables.spinouts import (
    candidates,
    companies,
    funnel,
    links,
    populations,
    states,
    years,
)
from ventureframe.tables.table import Column, Table

__all__ = [
    "Column",
    "Table",
    "candidates",
    "caveats",
    "claims",
    "companies",
    "coverage",
    "funnel",
    "links",
    "populations",
    "sources",
    "states",
    "years",
]
