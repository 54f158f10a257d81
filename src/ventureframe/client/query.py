"""A question about one list of records, as a frozen value."""

import dataclasses
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Self

from ventureframe.client.cost import cost
from ventureframe.client.fetch import fetch
from ventureframe.client.listing import Listing, Owner
from ventureframe.client.lookups import Investor
from ventureframe.client.result import Result
from ventureframe.client.walk import By, Progress, Walking
from ventureframe.errors import (
    UnknownField,
    UnsupportedOperator,
    UnsupportedValue,
    warn,
)
from ventureframe.interface import fields, filters
from ventureframe.interface.certificate import Cost
from ventureframe.interface.fields import Currency, Many

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
        request, ids = self.listing.request, self.listing.ids
        parts = [f"query of {request.pop('endpoint')}"]
        parts += [
            f"{name} {value}" for name, value in request.items() if value is not None
        ]
        return " · ".join(parts if ids is None else [*parts, f"{len(ids):,} ids"])

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

    def cost(self, counts: Any = ()) -> Cost:
        """Requests, seconds and credits of a fetch: what is certain, and at most.

        Repeats come on top, and a second walk where records move. One small request
        tells, and up to three where ids are few; `counts` can hold the answer.
        Raises as `count` does.
        """
        return cost(self.listing, counts)

    def count(self) -> int:
        """How many rows match, from one small request.

        Warns where the service stops counting there. Raises `UnreadableReply` where
        it reports no total, and `UnsupportedValue` for a query by ids.
        """
        if (ids := self.listing.ids) is not None:
            reason = "rows of several ids are not counted: fetch them instead"
            raise UnsupportedValue(f"{len(ids):,} ids", field="count", reason=reason)
        rows, page = self.listing.counted()
        if page.is_limited:
            at_least = f"at least {rows:,} match"
            warn(
                f"The service does not count {self.listing.endpoint} to the end:"
                f" {at_least}"
            )
        return rows

    def fetch(
        self,
        progress: bool | Progress | None = None,
        *,
        by: By = "offset",
        workers: int | None = None,
        folder: str | os.PathLike[str] | None = None,
        cancel: threading.Event | None = None,
        at_most: int | None = None,
    ) -> Result:
        """Every matching row, with the certificate that says whether it is every one.

        Parameters
        ----------
        progress
            True shows a bar; a function is told how many rows (or ids) are done, and
            the total.
        by
            `"cursor"` walks by cursor where the endpoint has one.
        workers
            Requests at the same time; None for as many as keep the service's rate.
        folder
            Keeps every reply: a fetch that ended early continues, and asks for no page
            twice.
        cancel
            Ends the fetch once set, as an interrupt does: the result is `short`, with a
            warning.
        at_most
            Ends the fetch before it sends more requests, repeats not counted: it is
            `short` then.

        A query by ids names the ids that the service does not know as
        `Result.missing`, and those without a row as `Result.without_records`. Where
        they fill many batches and the whole list has fewer pages, and no more rows
        where each has a price, they are picked from it: the certificate is that of
        the list.
        """
        listing = self.listing
        if at_most is not None:
            listing = self._with(connection=listing.connection.within(at_most)).listing
        listing = listing if folder is None else listing.kept_in(folder, by=by)
        return fetch(listing, progress, by, workers, cancel or threading.Event())

    def pages(
        self,
        progress: Progress | None = None,
        *,
        by: By = "offset",
        workers: int | None = None,
        folder: str | os.PathLike[str] | None = None,
        cancel: threading.Event | None = None,
    ) -> Walking:
        """The rows of a whole collection as they arrive: frames to loop over, none of
        them kept.

        The arguments are those of `fetch`. The rows of a second walk, by its `number`,
        replace those before; `found` has the `certificate` at the end. A query by ids
        is refused.

        >>> import ventureframe as vf
        >>> pages = vf.connect(environment={}).funds.pages()
        >>> sum(rows.height for rows in pages) == pages.found.certificate.distinct
        True
        """
        listing = self.listing
        if listing.ids is not None:
            reason = "rows of several ids are not read page by page: fetch them instead"
            raise UnsupportedValue(
                f"{len(listing.ids):,} ids", field="pages", reason=reason
            )
        by, stop = (
            (by if listing.paging.has_cursors else "offset"),
            cancel or threading.Event(),
        )
        listing = listing if folder is None else listing.kept_in(folder, by=by)
        return Walking(
            listing, listing.connection.session.clock, by, workers, stop, progress
        )

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
