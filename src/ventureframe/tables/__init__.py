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
from ventureframe.tables.glossary import glossary
from ventureframe.tables.hiring import growth, months, news, postings, ranking, roles
from ventureframe.tables.snapshots import (
    changes,
    field_changes,
    newly_seen,
    no_longer_seen,
    tally,
)
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
    "changes",
    "claims",
    "companies",
    "coverage",
    "field_changes",
    "fund_types",
    "funds",
    "funnel",
    "glossary",
    "growth",
    "links",
    "lps",
    "managers",
    "months",
    "network",
    "newly_seen",
    "news",
    "no_longer_seen",
    "populations",
    "postings",
    "ranking",
    "roles",
    "sectors",
    "shared_companies",
    "shared_managers",
    "sources",
    "states",
    "tally",
    "universities",
    "windows",
    "years",
]
