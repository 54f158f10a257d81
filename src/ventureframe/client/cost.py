"""What a fetch takes, stated before it is sent: by counts, and by a small sample."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import polars as pl

from ventureframe.client.listing import Listing
from ventureframe.client.paging import Step
from ventureframe.client.translate import more
from ventureframe.errors import NotFound
from ventureframe.interface.certificate import Cost
from ventureframe.interface.reply import Page

T = TypeVar("T")

_ROWS = 20  # in a sample
_LISTS = 6  # that are counted, of several
_TIMES = 3  # as many, or as long, as in a sample lists are at most taken to be
_FEW = 10  # rows that any list may have
_RARE = 5  # lists that a sample may miss


@dataclass(frozen=True)
class _Size:
    """What lists take: requests, and rows, each as often as it is billed."""

    requests: float
    rows: float
    price: float | None = None  # credits of a row

    def cost(self, listing: Listing) -> Cost:
        """Return it at the rate of the service."""
        connection, requests = listing.connection, math.ceil(self.requests)
        rate = None if connection.is_embedded else connection.session.pace.rate
        return Cost(
            requests,
            seconds=requests / rate if rate else None,
            credits=None if self.price is None else self.price * self.rows,
        )


def cost(
    listing: Listing,
    count: tuple[int, Page] | None = None,
    many: int | None = None,
    rows: pl.DataFrame | None = None,
) -> Cost:
    """Return what a fetch takes: counted where it can be, else estimated.

    A whole list is counted by one small request, unless `count` has the answer. Of
    several lists a few are counted; those within rows are estimated from `rows`, or
    from a sample. `many`: of so many ids, of which the listing has some. A service of
    this package bills nothing.
    """
    upper = 0
    if listing.ids is None:
        if listing.paging.has_totals:
            count = count or listing.counted()
            many = upper = count[0]
        size = most = _size(listing, count)
    else:
        if many is None or not listing.ids:
            many = upper = len(listing.ids)
        else:
            upper = 2 * many + _FEW  # it was estimated, too
        if listing.endpoint.ids == "key":
            price, batch = _price_by_id(listing), _batch(listing)
            size = _Size(math.ceil(many / batch), many, price)
            most = _Size(math.ceil(upper / batch), upper, price)
        else:
            size, most = _several(listing, many)
    total = size.cost(listing)
    if most != size:
        total = replace(total, most=most.cost(listing))
    if many and listing.lists:
        if rows is None:
            rows = sample(listing, many)
        size, most = replace(size, rows=many), replace(most, rows=upper)
        for name in listing.lists:
            own, own_most = _within(listing, name, rows, size, most)
            total += replace(own.cost(listing), most=own_most.cost(listing))
    return total


def sample(listing: Listing, many: int) -> pl.DataFrame:
    """Return a few of so many rows, by one request; of a whole list from its middle."""
    few, start = max(1, min(_ROWS, many // 5)), 0
    if listing.wanted is None:
        start = (many - few) // 2
    else:
        listing = replace(listing, wanted=tuple(_some(listing.wanted, few)))
    return listing.read([listing.ask(Step(few, start))]).frame


def _some(values: Sequence[T], most: int) -> Sequence[T]:
    """Return at most so many of the values, evenly spread."""
    return values[:: max(1, math.ceil(len(values) / most))]


def _price(listing: Listing, page: Page | None = None) -> float | None:
    """Return the credits of a row: as the page was billed, or as the wire has it."""
    if page is not None and page.reply.credits is not None:
        return page.reply.credits / max(1, page.rows)
    if listing.connection.source.as_of is not None:
        return None
    return listing.connection.profile.prices.get(listing.endpoint.name)


def _price_by_id(listing: Listing) -> float | None:
    """Return the credits of a record; one is requested where the wire has no price."""
    price = _price(listing)
    if price is None and listing.wanted and listing.connection.source.as_of is None:
        one = replace(listing, wanted=listing.wanted[:1])
        (page,) = one.read([one.ask(Step(1, 0))]).pages
        price = _price(one, page)
    return price


def _size(listing: Listing, count: tuple[int, Page] | None = None) -> _Size:
    """Return what one list takes; where it has no total, its first page is read."""
    if listing.paging.has_totals:
        total, page = count or listing.counted()
        pages = listing.pages_of(total)
        # consecutive pages share one row
        rows = total + pages - 1 if total else 0
        return _Size(pages, rows, _price(listing, page))
    (page,) = listing.read([listing.ask(Step(listing.paging.limit, 0))]).pages
    return _Size(1 + (page.rows > 0), page.rows, _price(listing, page))


def _several(listing: Listing, many: int) -> tuple[_Size, _Size]:
    """Return what the lists of so many records take, and what they take at most."""
    parts, sizes, counted = listing.parts(), list[_Size](), 0
    for part in _some(parts, _LISTS):
        counted += len(part.ids or ())
        try:
            sizes.append(_size(part))
        except NotFound:
            sizes.append(_Size(1, 0))
    billed = [size for size in sizes if size.rows]
    price = billed[0].price if billed else _price(listing)
    rows, own = sum(size.rows for size in sizes), price
    if price is None and sizes:
        own = sizes[0].price  # of no row
    if counted == many:
        size = _Size(sum(size.requests for size in sizes), rows, own)
        return size, size
    number = math.ceil(many / _batch(listing))
    rows *= many / counted
    # a list without a total is read until an empty page
    ends = 0 if listing.paging.has_totals else number
    pages = listing.pages_of(math.ceil(rows / number))
    requests = number * pages + ends * len(billed) / len(sizes)
    size = _Size(requests, rows, own)
    # the records of a list, beside those of a list that is counted
    larger = many / number * len(sizes) / counted
    longest = max(size.rows for size in sizes)
    most = max(_FEW + _batch(listing), _TIMES * larger * longest)
    pages = listing.pages_of(math.ceil(most))
    return size, _Size(number * pages + ends, number * most, price)


def _batch(listing: Listing) -> int:
    """Return how many ids one request takes."""
    is_in_path = listing.endpoint.ids == "path"
    return 1 if is_in_path else listing.connection.profile.ids_per_request


def _within(
    listing: Listing, name: str, rows: pl.DataFrame, size: _Size, most: _Size
) -> tuple[_Size, _Size]:
    """Return what the lists `name` of a list take, as in these rows, and at most."""
    further = rows[more(name)].fill_null(0)
    entries = further + rows[name].list.len().fill_null(0)
    is_of_some = listing.shape.glances[name].is_of_some
    if not is_of_some:
        entries = entries.filter(further > 0)
    lengths, known = entries.to_list(), max(1, len(rows))
    share, mean = len(lengths) / known, sum(lengths) / known
    own = _Size(size.rows * share, size.rows * mean, size.price)
    share = min(1, _TIMES * share + _RARE / known)
    longest = max([_FEW, *(_TIMES * length for length in lengths)])
    lists = most.rows * share
    return own, _Size(lists, lists * longest, size.price)
