"""A question about one list of records, as a frozen value."""

import dataclasses
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Self

from ventureframe.client.cost import cost
from ventureframe.client.fetch import fetch
from ventureframe.client.listing import Listing, Owner
from ventureframe.client.lookups import Investor
from ventureframe.client.paging import By, Progress
from ventureframe.client.result import Result
from ventureframe.client.walk import Walk
from ventureframe.errors import (
    UnknownField,
    UnsupportedOperator,
    UnsupportedValue,
    warn,
)
from ventureframe.interface import fields, filters
from ventureframe.interface.certificate import Cost
from ventureframe.interface.fields import Currency, Many
from ventureframe.interface.reply import Page

_ALONE: Final = "a filter or sort does not combine with ids"
_BATCHES: Final = "batches come one after the other: sort the frame instead"


@dataclass(frozen=True, repr=False)
class Query:
    """A question about one collection: frozen, and nothing is sent until `count` or
    `fetch`.

    >>> import ventureframe as vf
    >>> q = vf.connect().companies.where(vf.company.launch_date >= 2005).sort("-total_funding")
    >>> q.currency("EUR")
    query of /data/companies · filter launch_date[gte]:2005 · sort -total_funding · currency EUR
    """

    listing: Listing

    def __repr__(self) -> str:
        parts = [f"query of {self.listing.path}"]
        for name, value in self.listing.request.items():
            if name != "endpoint" and value is not None:
                parts.append(f"{name} {value}")
        if self.listing.ids is not None:
            parts.append(f"{len(self.listing.ids):,} ids")
        return " · ".join(parts)

    def where(self, *conditions: filters.Filter) -> Self:
        """This query with conditions added, all of which must hold; raises
        `QueryError`.
        """
        listing = self.listing
        if not conditions:
            return self
        if not listing.takes.takes_filter:
            raise UnsupportedOperator(
                "filter", field="rows", resource=listing.endpoint, known=()
            )
        if listing.paging.at_most is not None:
            raise UnsupportedValue(str(conditions[0]), field="filter", reason=_ALONE)
        before = () if listing.filter is None else (listing.filter,)
        checked = filters.check(filters.all_of(*before, *conditions), listing.resource)
        return self._with(filter=checked)

    def sort(self, by: str) -> Self:
        """This query in another order: a sortable field, `-` before it for
        descending.
        """
        listing = self.listing
        if not listing.takes.takes_filter:
            raise UnsupportedValue(
                by, field="sort", reason=f"{listing.endpoint} cannot be sorted"
            )
        if listing.owners is not None:
            raise UnsupportedValue(by, field="sort", reason=_BATCHES)
        return self._with(sorted_by=listing.resource.check_sort(by))

    def currency(self, code: Currency) -> Self:
        """This query with amounts in USD, EUR or GBP; raises `UnsupportedValue`."""
        if not self.listing.takes.takes_currency:
            reason = f"{self.listing.endpoint} has no amounts"
            raise UnsupportedValue(code, field="currency", reason=reason)
        return self._with(converted_to=self.listing.connection.checked_currency(code))

    def with_all(self, *lists: str) -> Self:
        """This query with every entry of these list fields, where a wire cuts them
        short in a row.

        Today's shows five current founders of a company: the others are asked for
        company by company. A founder's education need not be named. Raises
        `UnknownField`.
        """
        listing, resource = self.listing, self.listing.resource
        known = [
            field.name for field in resource.returned if isinstance(field.type, Many)
        ]
        for name in lists:
            if name not in known:
                raise UnknownField(
                    name, resource=resource.name, known=known, use="complete"
                )
        cut = [
            name for name in lists if listing.shape and name in listing.shape.glances
        ]
        return self._with(lists=tuple(dict.fromkeys((*listing.lists, *cut))))

    def cost(self, count: tuple[int, Page] | None = None) -> Cost:
        """Return the requests, seconds and credits of a fetch, repeats not counted.

        A whole list is counted by one small request, unless `count` holds the
        answer. Raises as `count` does.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).funds.cost()
        1 request
        """
        return cost(self.listing, count)

    def count(self) -> int:
        """Return how many rows match, from one small request.

        Warns where the service stops counting there. Raises `UnreadableReply` where
        it reports no total, and `UnsupportedValue` for a query by ids.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).funds.count()
        312
        """
        self._refuse_ids("count", "rows of several ids are not counted")
        rows, page = self.listing.counted()
        if page.is_limited:
            where = f"The service does not count {self.listing.endpoint} to the end"
            warn(f"{where}: at least {rows:,} match")
        return rows

    def fetch(
        self,
        progress: bool | Progress | None = None,
        *,
        by: By = "offset",
        workers: int | None = None,
        cancel: threading.Event | None = None,
        at_most: int | None = None,
    ) -> Result:
        """Return every matching row, with the certificate of its completeness.

        Parameters
        ----------
        progress
            True shows a bar; a function is told how many rows (or ids) are done, and
            the total.
        by
            `"cursor"` pages by cursor where the endpoint has one.
        workers
            Requests at the same time; None for as many as keep the service's rate.
        cancel
            Ends the fetch once set, as an interrupt does: the result is `short`, with a
            warning.
        at_most
            Ends the fetch before it sends more requests, repeats not counted: it is
            `short` then.

        A query by ids names the ids that the service does not know as
        `Result.missing`, and those without a row as `Result.without_records`. The
        list is read once: where records moved meanwhile, the verdict is `drifted`.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).funds.fetch().is_complete
        True
        """
        listing = self.listing
        if at_most is not None:
            bounded = listing.connection.within(at_most)
            listing = dataclasses.replace(listing, connection=bounded)
        return fetch(listing, progress, by, workers, cancel or threading.Event())

    def pages(
        self,
        progress: Progress | None = None,
        *,
        by: By = "offset",
        workers: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Walk:
        """Return the rows of a whole collection page by page: frames to loop over.

        No frame is kept. The arguments are those of `fetch`; the `certificate` is
        whole once the loop is over. A query by ids is refused.

        >>> import ventureframe as vf
        >>> pages = vf.connect(environment={}).funds.pages()
        >>> sum(rows.height for rows in pages) == pages.certificate.distinct
        True
        """
        self._refuse_ids("pages", "rows of several ids are not read page by page")
        clock = self.listing.connection.session.clock
        stop = cancel or threading.Event()
        return Walk(self.listing, clock, by, workers, stop, progress)

    def _refuse_ids(self, method: str, reason: str) -> None:
        """Raise `UnsupportedValue` where records or their rows are requested by id."""
        if self.listing.ids is not None:
            given = f"{len(self.listing.ids):,} ids"
            reason = f"{reason}: fetch them instead"
            raise UnsupportedValue(given, field=method, reason=reason)

    def _with(self, **changes: Any) -> Self:
        return dataclasses.replace(
            self, listing=dataclasses.replace(self.listing, **changes)
        )


def of_each(query: Query, records: Iterable[Investor | str]) -> Query:
    """The same of each of the records, in batches of at most 50: their own rows, or
    those they own.

    Raises `UnsupportedValue` where one is not a UUID, and for a sorted query.
    """
    if isinstance(records, str) or not isinstance(records, Iterable):
        raise UnsupportedValue(records, field="ids", reason="give a list of ids")
    listing = query.listing
    if listing.sorted_by is not None:
        raise UnsupportedValue(listing.sorted_by, field="sort", reason=_BATCHES)
    names = {owner.uuid.lower(): owner.name for owner in map(owner_of, records)}
    owners = tuple(Owner(uuid, name) for uuid, name in names.items())
    return Query(dataclasses.replace(listing, owner=None, owners=owners))


class RecordQuery(Query):
    """Records, which can also be asked for by their own ids."""

    def by_id(self, uuids: Iterable[str]) -> Query:
        """The records with these UUIDs, in batches of at most 50; raises
        `UnsupportedValue`.
        """
        if self.listing.filter is not None or self.listing.sorted_by is not None:
            raise UnsupportedValue(str(self), field="by_id", reason=_ALONE)
        return of_each(self, uuids)


class NewsQuery(Query):
    """News items, which can also be asked for by the companies they are about."""

    about = of_each


class JobQuery(Query):
    """Job postings, which can also be asked for by the companies they are at."""

    at = of_each


def owner_of(record: Investor | str) -> Owner:
    """The id of a record, given as one or as a UUID, and its name where that is
    known.
    """
    uuid, name = getattr(record, "uuid", record), getattr(record, "name", None)
    return Owner(fields.INVESTORS["uuid"].write(uuid), name)
