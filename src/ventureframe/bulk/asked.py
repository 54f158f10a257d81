"""What a pull asks for: a query for each collection."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from ventureframe.bulk.flat import COLLECTIONS
from ventureframe.client.query import Query
from ventureframe.client.service import Service
from ventureframe.errors import UnknownField
from ventureframe.interface import filters
from ventureframe.interface.filters import Filter


def with_lists(query: Query) -> Query:
    """The query with every list of a company that the wire shows in part."""
    shape = query.connection.profile.shapes.get(query.endpoint)
    cut = () if shape is None or query.shows_every_kind else tuple(shape.glances)
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
        if currency is not None and query.takes.takes_currency:
            query = query.currency(service.checked_currency(currency))
        queries[name] = query
    return queries
