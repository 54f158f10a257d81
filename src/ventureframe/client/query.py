"""A question about one collection, as an immutable value: it sends nothing until fetched."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from ventureframe.client import fetch
from ventureframe.client.listing import Listing, Owner
from ventureframe.client.pages import Step
from ventureframe.client.records import Investor
from ventureframe.client.result import Result
from ventureframe.client.walk import By, Progress
from ventureframe.errors import UnsupportedOperator, UnsupportedValue
from ventureframe.interface import fields, filters
from ventureframe.interface.fields import Currency, Resource

_UUID = fields.INVESTORS["uuid"]


@dataclass(frozen=True, repr=False)
class Query:
    """A question about one collection: frozen, and nothing is sent until `count` or `fetch`.

    `listing` is what it asks for: filter, sort and currency. `owners` are the records whose rows
    it asks for, or whose own rows; None where it asks for the whole collection.

    >>> import ventureframe as vf
    >>> q = vf.connect().companies.where(vf.company.launch_date >= 2005).sort("-total_funding")
    >>> q.currency("EUR")
    query of /data/companies · filter launch_date[gte]:2005 · sort -total_funding · currency EUR
    """

    listing: Listing
    owners: tuple[Owner, ...] | None = None

    def __repr__(self) -> str:
        listing = self.listing
        asked = {"filter": listing.filter, "sort": listing.sort, "currency": listing.amounts_in}
        shown = [f"{name} {value}" for name, value in asked.items() if value is not None]
        number = [] if self.owners is None else [f"{len(self.owners):,} ids"]
        return " · ".join([f"query of {listing.path}", *shown, *number])

    @property
    def resource(self) -> Resource:
        """The resource whose rows are returned."""
        return self.listing.resource

    @property
    def ids(self) -> tuple[str, ...] | None:
        """The ids asked for, of records or of their owners; None for a whole collection."""
        return None if self.owners is None else tuple(owner.uuid for owner in self.owners)

    def where(self, *conditions: filters.Filter) -> Self:
        """This query with the conditions added: all of them must hold.

        Raises `UnknownField`, `UnsupportedOperator` or `UnsupportedValue`.
        """
        if not conditions:
            return self
        if not self.listing.takes.takes_filter_and_sort:
            endpoint = self.listing.endpoint
            raise UnsupportedOperator("filter", field="rows", resource=endpoint, known=())
        if self._is_by_key:
            raise _not_with_ids(str(conditions[0]), "filter")
        return self._changed(self.listing.where(*conditions))

    def sort(self, by: str) -> Self:
        """This query in another order: a sortable field's name, `-` before it for descending.

        Raises `UnknownField` or `UnsupportedValue`.
        """
        endpoint = self.listing.endpoint
        if not self.listing.takes.takes_filter_and_sort:
            raise UnsupportedValue(by, field="sort", reason=f"{endpoint} cannot be sorted")
        if self.owners is not None:
            raise _not_sorted(by)
        return self._changed(dataclasses.replace(self.listing, sort=self.resource.check_sort(by)))

    def currency(self, code: Currency) -> Self:
        """This query with amounts in another currency: USD, EUR or GBP.

        Raises `UnsupportedValue`, also where the rows have no amounts.
        """
        listing = self.listing
        if not listing.takes.takes_currency:
            reason = f"{listing.endpoint} has no amounts"
            raise UnsupportedValue(code, field="currency", reason=reason)
        checked = listing.connection.checked_currency(code)
        return self._changed(dataclasses.replace(listing, currency=checked))

    def count(self) -> int:
        """How many rows match, from one small request.

        Raises `UnreadableReply` where the service reports no total, and `UnsupportedValue` for a
        query by ids, whose batches can have rows in common.
        """
        if self.owners is not None:
            reason = "rows of several ids are not counted: fetch them instead"
            raise UnsupportedValue(f"{len(self.owners):,} ids", field="count", reason=reason)
        step = Step(1, 0, None, has_total=self.listing.has_totals)
        (page,) = self.listing.read([self.listing.ask(step)]).pages
        if page.total is None:
            raise page.reply.unreadable("reports no total", advice="Fetch the rows instead")
        return page.total

    def fetch(
        self,
        progress: bool | Progress | None = None,
        *,
        by: By = "offset",
        workers: int = 1,
        folder: str | os.PathLike[str] | None = None,
        cancel: threading.Event | None = None,
    ) -> Result:
        """Every matching row, with the certificate that says whether it is every one.

        Parameters
        ----------
        progress
            True shows a bar; a function is told how much is done (rows, or ids where the query
            asks by ids) and the total.
        by
            `"cursor"` walks by cursor where the endpoint has one.
        workers
            Requests at the same time, which helps where answers take long and the service allows
            it.
        folder
            Keeps every reply: a fetch that ended early continues where it was, and asks for no
            page twice.
        cancel
            Once set, ends the fetch with the rows received so far, as an interrupt from the
            keyboard does: the result is `short`, and a warning says so.

        A query by ids names the ids that the service does not know as `Result.missing`, and those
        without a row as `Result.without_records`.
        """
        return fetch.fetch(
            self.listing,
            self._parts(),
            self.ids,
            progress=progress,
            by=by,
            workers=workers,
            folder=folder,
            cancel=cancel,
        )

    @property
    def _is_by_key(self) -> bool:
        return self.owners is not None and self.listing.takes.ids == "key"

    def _parts(self) -> tuple[Listing, ...]:
        """The lists to walk."""
        if self.owners is None:
            return (self.listing,)
        if self.listing.takes.ids == "path":
            return tuple(dataclasses.replace(self.listing, owner=owner) for owner in self.owners)
        ids, size = self.ids or (), self.listing.connection.profile.batch
        batches = (ids[start : start + size] for start in range(0, len(ids), size))
        return tuple(dataclasses.replace(self.listing, ids=batch) for batch in batches)

    def _changed(self, listing: Listing) -> Self:
        return dataclasses.replace(self, listing=listing)


class RecordQuery(Query):
    """Records, which can also be asked for by their own ids."""

    def by_id(self, uuids: Iterable[str]) -> Query:
        """The records with these ids, asked for in batches of at most 50.

        Raises `UnsupportedValue` where an id is not a UUID, and for a filtered or sorted query.
        """
        if self.listing.filter is not None or self.listing.sort is not None:
            raise _not_with_ids(str(self), "by_id")
        return of_each(self, uuids)


class NewsQuery(Query):
    """News items, which can also be asked for by the companies they are about."""

    def about(self, companies: Iterable[str]) -> Query:
        """The news about these companies, asked for in batches of at most 50."""
        return of_each(self, companies)


class JobQuery(Query):
    """Job postings, which can also be asked for by the companies they are at."""

    def at(self, companies: Iterable[str]) -> Query:
        """The jobs at these companies, asked for in batches of at most 50."""
        return of_each(self, companies)


def of_each(query: Query, records: Iterable[Investor | str]) -> Query:
    """The same asked about each of the records: their own rows, or the rows they own.

    Raises `UnsupportedValue` where one is not a UUID, and for a sorted query.
    """
    if isinstance(records, str):
        raise UnsupportedValue(records, field="ids", reason="give a list of ids, not text")
    if query.listing.sort is not None:
        raise _not_sorted(query.listing.sort)
    owners = {owner.uuid.lower(): owner.name for owner in map(owner_of, records)}
    return Query(query.listing, tuple(Owner(uuid, name) for uuid, name in owners.items()))


def owner_of(record: Investor | str) -> Owner:
    """The id of a record, given as one or as a UUID, and its name where that is known."""
    if isinstance(record, str):
        return Owner(_UUID.write(record))
    return Owner(_UUID.write(record.uuid), record.name)


def _not_with_ids(value: str, field: str) -> UnsupportedValue:
    reason = "a filter or sort does not combine with ids"
    return UnsupportedValue(value, field=field, reason=reason)


def _not_sorted(by: str) -> UnsupportedValue:
    reason = "batches come one after the other: sort the frame instead"
    return UnsupportedValue(by, field="sort", reason=reason)
