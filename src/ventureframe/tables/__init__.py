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
    sectors,
    states,
    years,
)
from ventureframe.tables.table import Column, Table
from ventureframe.tables.universities import network, shared_companies, universities

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
    "network",
    "populations",
    "postings",
    "ranking",
    "roles",
    "sectors",
    "shared_companies",
    "shared_managers",
    "sources",
    "states",
    "universities",
    "windows",
    "years",
]
