"""Findings listed: `tables.X(study)` for each study, and the table they are made of."""

from ventureframe.tables.exposure import (
    backing,
    fund_types,
    funds,
    lps,
    managers,
    shared_managers,
    windows,
)
from ventureframe.tables.findings import caveats, claims, coverage, sources
from ventureframe.tables.hiring import growth, months, postings, ranking, roles
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
    "backing",
    "candidates",
    "caveats",
    "claims",
    "companies",
    "coverage",
    "fund_types",
    "funds",
    "funnel",
    "growth",
    "links",
    "lps",
    "managers",
    "months",
    "populations",
    "postings",
    "ranking",
    "roles",
    "shared_managers",
    "sources",
    "states",
    "windows",
    "years",
]
