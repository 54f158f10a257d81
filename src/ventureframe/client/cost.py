"""What a fetch takes, stated before it is sent: counted, else estimated."""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace

from ventureframe.client.listing import Listing
from ventureframe.client.paging import Step
from ventureframe.errors import NotFound
from ventureframe.interface.certificate import Cost

EACH = 1.2
"""Rows of a record's list that is not counted: companies of two real datasets have 0.7
and 1.6 founders, companies of one of them 0.5 rounds.
"""
_LONG = 0.015
"""The share of founders with more posts than a row shows: none and 0.02 in these."""
# lists that are counted: of several records each, and of one record each
_BATCHES, _SAMPLE = 6, 20
# the upper end is so many times the estimated rows, and so many more for each list
_TIMES, _EXTRA = 4, 10
CHECK = Cost(3, 0.0, 4, most=Cost(8, 0.0, 8))
"""What it takes to count the records that one condition leaves out."""


def cost(
    listing: Listing, count: int | None = None, records: float | None = None
) -> Cost:
    """Return what a fetch takes.

    A whole list is counted by one small request, unless `count` is its number; of the
    lists of several records some are counted. `records` is about the number of records
    to fetch, of which the listing may have only some.
    """
    ids, size = listing.ids, 1
    if listing.endpoint.ids != "path":
        size = listing.connection.profile.ids_per_request
    number = upper = 1.0 if ids is None else len(ids)
    if records is not None:
        number, upper = records, _TIMES * records
    rows, most, most_lists = number, upper, upper / size
    if ids is None or listing.endpoint.ids != "key":
        rows = _estimate_rows(listing, number) if count is None else count
        most_lists = number / size
        most = _TIMES * rows + _EXTRA * math.ceil(most_lists)
    about = _cost_of_lists(listing, number / size, rows)
    if ids is None and listing.paging.has_totals:
        number = upper = most = rows
    end = _cost_of_lists(listing, most_lists, most)
    for name in listing.lists:
        lists, length = number, EACH
        if not listing.shape.glances[name].is_of_some:
            lists, length = _LONG * number, _EXTRA
        about += _cost_of_lists(listing, lists, length * lists)
        end += _cost_of_lists(listing, upper, _TIMES * length * lists + upper)
    return about if about == end else replace(about, most=end)


def sample(listing: Listing, count: int | None) -> Sequence[str]:
    """Return the ids of the listing, or of some rows in the middle of a whole list.

    `count` is the number of rows of that list.
    """
    if listing.ids is not None or not count:
        return listing.ids or ()
    size = min(_SAMPLE, count // 5 + 1)
    reply = listing.ask(Step(size, (count - size) // 2))
    return listing.read([reply]).frame["uuid"].to_list()


def _cost_of_lists(listing: Listing, lists: float, rows: float) -> Cost:
    """Return what equal lists take; the row that two pages share is billed twice."""
    number, rate = math.ceil(lists), listing.connection.session.pace.rate
    paging = replace(listing, wanted=None).paging
    rows_of_each = math.ceil(rows / max(1, number))
    pages = max(1, math.ceil((rows_of_each - 1) / max(1, paging.limit - 1)))
    requests = number * pages
    if not paging.has_totals:  # an empty page ends each list that has rows
        requests += min(number, math.ceil(rows))
    price, spent = listing.connection.price(listing.priced_as), None
    if price is not None:
        spent = price * (rows + number * (pages - 1))
    return Cost(requests, rate and requests / rate, spent)


def _estimate_rows(listing: Listing, number: float) -> float:
    """Estimate the rows of the lists of so many records by counting some of them.

    Where the service counts none, at most a fifth of the lists is read.
    """
    parts, rows, ids = listing.parts(), 0, 0
    has_totals = listing.paging.has_totals
    size = _SAMPLE if listing.endpoint.ids == "path" else _BATCHES
    if not has_totals:
        size = min(size, len(parts) // 5)
    if not parts or not size:
        return EACH * number
    for part in parts[:: math.ceil(len(parts) / size)]:
        ids += len(part.ids or "1")
        with contextlib.suppress(NotFound):
            if has_totals:
                rows += part.counted()[0]
            else:
                page = part.ask(Step(part.paging.limit, 0))
                rows += part.read([page]).frame.height
    return rows * number / ids
