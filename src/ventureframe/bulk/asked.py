"""What a pull asks for: a query for each collection."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from ventureframe.bulk.flat import COLLECTIONS
from ventureframe.client.query import Query
from ventureframe.client.service import Service
from ventureframe.errors import UnknownField
from ventureframe.interface import filters
from ventureframe.interface.filters import Filter


def with_lists(query: Query) -> Query:
    """The query with every list of a company that the wire shows in part."""
    listing = query.listing
    shape = listing.connection.profile.shapes.get(listing.endpoint)
    cut = () if shape is None or listing.shows_every_kind else tuple(shape.glances)
    return query.with_all(*cut)


def asked(
    service: Service,
    collections: Sequence[str],
    *,
    where: Filter | str | Mapping[str, Filter | str] | None,
    since: dt.date | None,
    currency: str | None,
) -> dict[str, Query]:
    """What to ask for each collection, in the order in which they are pulled."""
    wanted = collections or COLLECTIONS
    for name in wanted:
        if name not in COLLECTIONS:
            raise UnknownField(name, resource="a service", known=COLLECTIONS, use="pull")
    by_name = where if isinstance(where, Mapping) else dict.fromkeys(wanted, where)
    queries: dict[str, Query] = {}
    for name in (each for each in COLLECTIONS if each in wanted):
        query: Query = getattr(service, name)
        only = by_name.get(name)
        if only is not None:
            query = query.where(filters.parse(only) if isinstance(only, str) else only)
        if since is not None and name == "funds":
            query = query.where(filters.fund.year >= since.year)
        if currency is not None and query.listing.takes.takes_currency:
            query = query.currency(service.connection.checked_currency(currency))
        queries[name] = query
    return queries


@dataclass(frozen=True)
class Founders:
    """The founders that files of `company_founders` list, by id, each once and always in one order.

    Only ids with the same last character are in memory at a time.
    """

    files: Sequence[Path]

    @cached_property
    def count(self) -> int:
        """How many there are."""
        return sum(map(len, self._lots()))

    def batches(self, size: int) -> Iterator[list[str]]:
        """Their ids, so many together."""
        ids = (each for lot in self._lots() for each in lot.sort())
        while batch := list(itertools.islice(ids, size)):
            yield batch

    def _lots(self) -> Iterator[pl.Series]:
        listed = pl.scan_parquet(list(self.files), hive_partitioning=False)
        found = listed.select("founder_uuid").drop_nulls()
        last = pl.col("founder_uuid").str.slice(-1)
        for end in found.select(last.unique().sort()).collect(engine="streaming").to_series():
            yield found.filter(last == end).unique().collect(engine="streaming").to_series()
