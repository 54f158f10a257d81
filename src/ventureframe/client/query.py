"""A question about one list of records, as a frozen value."""

import dataclasses
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from ventureframe.client import frames
from ventureframe.client.cost import cost
from ventureframe.client.fetch import fetch
from ventureframe.client.listing import Listing, Owner
from ventureframe.client.lookups import Investor
from ventureframe.client.paging import By, Progress, Stop, check_positive
from ventureframe.client.result import Result
from ventureframe.client.walk import Walk
from ventureframe.errors import (
    UnsupportedOperator,
    UnsupportedValue,
    warn,
)
from ventureframe.interface import fields, filters
from ventureframe.interface.certificate import Cost
from ventureframe.interface.fields import Currency
from ventureframe.interface.gone import Renamed

_ALONE = "a filter or sort cannot be combined with ids"
_BATCHES = "ids are read in batches: sort the frame instead"


@dataclass(frozen=True, repr=False)
class Query(Renamed):
    """A question about one collection, frozen: it sends nothing until it is counted,
    costed or fetched.

    >>> import ventureframe as vf
    >>> q = vf.connect().companies.where(vf.company.launch_date >= 2005)
    >>> q.sort("name").currency("EUR")
    query of /data/companies · filter launch_date[gte]:2005 · sort name · currency EUR
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
        """Return this query with conditions that must all hold as well.

        Raises `QueryError` for a condition that the collection cannot be asked.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).funds.where(vf.fund.year >= 2024).count()
        6
        """
        listing = self.listing
        if not conditions:
            return self
        if not listing.endpoint.takes_filter:
            raise UnsupportedOperator(
                "filter", field="rows", resource=listing.endpoint.name, known=()
            )
        if listing.endpoint.ids == "key" and listing.ids is not None:
            raise UnsupportedValue(str(conditions[0]), field="filter", reason=_ALONE)
        if listing.filter is not None:
            conditions = (listing.filter, *conditions)
        condition = filters.check(
            filters.all_of(*conditions), listing.endpoint.resource
        )
        return self._with(filter=condition)

    def sort(self, by: str) -> Self:
        """Return this query in the order of a field, with `-` before it descending.

        Raises `QueryError` for a field that does not sort.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).companies.sort("-launch_date")
        query of /data/companies · sort -launch_date · currency USD
        """
        listing = self.listing
        if not listing.endpoint.takes_filter:
            raise UnsupportedValue(
                by, field="sort", reason=f"{listing.endpoint.name} cannot be sorted"
            )
        if listing.wanted is not None:
            raise UnsupportedValue(by, field="sort", reason=_BATCHES)
        return self._with(sorted_by=listing.endpoint.resource.check_sort(by))

    def currency(self, code: Currency) -> Self:
        """Return this query with amounts in USD, EUR or GBP.

        Raises `UnsupportedValue` for another currency, and where there are no amounts.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).funds.currency("GBP")
        query of /data/funds · currency GBP
        """
        listing = self.listing
        if not listing.endpoint.takes_currency:
            raise UnsupportedValue(
                code,
                field="currency",
                reason=f"{listing.endpoint.name} has no amounts",
            )
        return self._with(converted_to=listing.connection.checked_currency(code))

    def with_all(self, *lists: str) -> Self:
        """Return this query with every entry of these list fields.

        The wire of 2026-10-02 shows five current founders of a company: the others are
        requested company by company. A founder's education is always read in full.
        Raises `UnknownField`.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).companies.with_all("founders").cost()
        5 requests
        """
        for name in lists:
            frames.list_of(self.listing.endpoint.resource, name, "complete")
        unread = tuple(name for name in self.listing.unread if name not in lists)
        query = self._with(unread=unread)
        wanted = {*query.listing.lists, *lists}
        glances = query.listing.shape.glances
        return query._with(lists=tuple(name for name in glances if name in wanted))

    def without(self, *lists: str) -> Self:
        """Return this query without need of these list fields.

        Where the wire has rows without them, at a lower price, these are requested:
        the fields are `not_requested`, and no columns of the result. Other rows come
        whole. Raises `UnknownField`.

        >>> import ventureframe as vf
        >>> len(vf.connect(environment={}).companies.without("founders").fetch())
        2000
        """
        for name in lists:
            frames.list_of(self.listing.endpoint.resource, name, "leave out")
        remaining = tuple(name for name in self.listing.lists if name not in lists)
        return self._with(unread=(*self.listing.unread, *lists), lists=remaining)

    def cost(self, rows: int | None = None, *, many: float | None = None) -> Cost:
        """Return the requests, seconds and credits of a fetch, repeats not counted.

        A whole list is counted by one small request, unless the number of its `rows`
        is given. Of the lists of several records a few are counted, and those within
        rows are not: an estimate, with an upper end. `many` is about the number of
        records, of which the query has some. Raises as `count` does.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).funds.cost()
        1 request
        """
        check_positive(least=0, rows=rows or 0)
        return cost(self.listing, rows, many)

    def count(self) -> int:
        """Return how many rows match, from one small request.

        Warns where the service stops counting there. Raises `UnreadableReply` where
        it reports no total, and `UnsupportedValue` for a query by ids.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).funds.count()
        123
        """
        self._refuse_ids("count")
        rows, is_limited = self.listing.counted()
        if is_limited:
            name = self.listing.endpoint.name
            warn(
                f"The service does not count {name} to the end: at least {rows:,} match"
            )
        return rows

    def fetch(
        self,
        progress: bool | Progress | None = None,
        *,
        by: By = "offset",
        workers: int | None = None,
        cancel: threading.Event | None = None,
        at_most: int | None = None,
        at_most_credits: int | None = None,
    ) -> Result:
        """Return every matching row, with the certificate of its completeness.

        A query by ids names the ids that the service does not know as
        `Result.missing`, and those without a row as `Result.without_records`. The
        list is read once: if records changed meanwhile, the verdict is `drifted`.

        Parameters
        ----------
        progress
            True shows a bar; a function is told how many rows (or ids) are done, and
            the total.
        by
            `"cursor"` pages by cursor where the endpoint has one.
        workers
            Requests at the same time; None for as many as the service's rate allows.
        cancel
            Ends the fetch once set, as an interrupt does: the result is `short`, with a
            warning.
        at_most
            The most requests to send, repeats not counted; a fetch that needs more is
            `short`.
        at_most_credits
            The most credits to spend; a fetch that needs more is `short`. No request
            is sent that can cost more than remains: the last one asks for fewer rows.
            A service that does not report what it billed is taken to bill the prices
            of its documents. Data served from a folder is free.

        Examples
        --------
        >>> import ventureframe as vf
        >>> vf.connect(environment={}).funds.fetch().is_complete
        True
        """
        query, connection = self, self.listing.connection
        if (at_most, at_most_credits) != (None, None):
            query = self._with(connection=connection.within(at_most, at_most_credits))
        return fetch(query.listing, progress, by, workers, Stop(cancel))

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
        self._refuse_ids("pages")
        return Walk(self.listing, by, workers, Stop(cancel), progress)

    def _refuse_ids(self, method: str) -> None:
        """Raise `UnsupportedValue` where records or their rows are requested by id."""
        if self.listing.ids is not None:
            raise UnsupportedValue(
                f"{len(self.listing.ids):,} ids",
                field=method,
                reason="rows of several ids are not counted or paged: fetch them"
                " instead",
            )

    def _with(self, **changes: Any) -> Self:
        return dataclasses.replace(
            self, listing=dataclasses.replace(self.listing, **changes)
        )


def of_each(query: Query, records: Iterable[Investor | str]) -> Query:
    """Return the query of these records or of what belongs to them, in batches.

    A batch has at most 50. Raises `UnsupportedValue` where a record is not a UUID, and
    for a sorted query.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> svc.news.about(svc.companies.fetch().to_polars()["uuid"].head(2))
    query of /data/news · 2 ids
    """
    if isinstance(records, str) or not isinstance(records, Iterable):
        raise UnsupportedValue(records, field="ids", reason="give a list of ids")
    listing = query.listing
    if listing.sorted_by is not None:
        raise UnsupportedValue(listing.sorted_by, field="sort", reason=_BATCHES)
    owners = {owner.uuid: owner for owner in map(owner_of, records)}
    return Query(listing)._with(owner=None, wanted=tuple(owners.values()))


class RecordQuery(Query):
    """Records, which can also be asked for by their own ids."""

    def by_id(self, uuids: Iterable[str]) -> Query:
        """Return the query of the records with these UUIDs, in batches of at most 50.

        Raises `UnsupportedValue` where one is not a UUID, and for a filter or a sort.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).founders.by_id([])
        query of /data/founders · 0 ids
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
    """Return the id of a record or a UUID, with the name where that is known."""
    uuid, name = getattr(record, "uuid", record), getattr(record, "name", None)
    return Owner(fields.INVESTORS["uuid"].write(uuid), name)
