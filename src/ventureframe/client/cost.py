"""What a fetch takes, stated before it is sent: counted, else estimated."""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace

from ventureframe.client.listing import Listing
from ventureframe.client.paging import Step
from ventureframe.errors import NotFound
from ventureframe.interface.certificate import Cost

# rows of one record's list that is not counted: companies of two real datasets have
# 0.7 and 1.6 founders, and of one 0.5 rounds
EACH = 1.2
# of founders, who have more posts than a row shows: none, and 0.02 of two datasets
_LONG = 0.015
# lists that are counted, of several records and of one each; records in a sample
_BATCHES, _SAMPLE = 6, 20
# the upper end: so many times the rows of an estimate, and so many more a list
_TIMES, _FEW = 4, 10
CHECK = Cost(3, 0.0, 4, most=Cost(8, 0.0, 8))
"""What it takes to count what one condition leaves out."""


def cost(listing: Listing, count: int | None = None, many: float | None = None) -> Cost:
    """Return what a fetch takes.

    A whole list is counted by one small request, unless `count` is its number; of
    the lists of several records, some are. `many`: of about so many records, of which
    the listing has some.
    """
    ids, size = listing.ids, 1
    if listing.endpoint.ids != "path":
        size = listing.connection.profile.ids_per_request
    number = upper = 1.0 if ids is None else len(ids)
    if many is not None:
        number, upper = many, _TIMES * many
    rows, most, most_lists = number, upper, upper / size
    if ids is None or listing.endpoint.ids != "key":
        rows = _counted(listing, number) if count is None else count
        most_lists = number / size
        most = _TIMES * rows + _FEW * math.ceil(most_lists)
    about = _cost(listing, number / size, rows)
    if ids is None and listing.paging.has_totals:
        number = upper = most = rows
    end = _cost(listing, most_lists, most)
    for name in listing.lists:
        lists, length = number, EACH
        if not listing.shape.glances[name].is_of_some:
            lists, length = _LONG * number, _FEW
        about += _cost(listing, lists, length * lists)
        end += _cost(listing, upper, _TIMES * length * lists + upper)
    return about if about == end else replace(about, most=end)


def sample(listing: Listing, many: int | None) -> Sequence[str]:
    """Return the ids of records, or of a few in the middle of a whole list."""
    if listing.ids is not None or not many:
        return listing.ids or ()
    few = min(_SAMPLE, many // 5 + 1)
    step = Step(few, (many - few) // 2)
    return listing.read([listing.ask(step)]).frame["uuid"].to_list()


def _cost(listing: Listing, lists: float, rows: float) -> Cost:
    """Return what equal lists take: consecutive pages share a row, which is billed."""
    number, rate = math.ceil(lists), listing.connection.session.pace.rate
    paging = replace(listing, wanted=None).paging
    rows_of_each = math.ceil(rows / max(1, number))
    pages = max(1, math.ceil((rows_of_each - 1) / max(1, paging.limit - 1)))
    requests = number * pages
    if not paging.has_totals:  # and an empty page after each that is not
        requests += min(number, math.ceil(rows))
    price, spent = listing.connection.price(listing.priced_as), None
    if price is not None:
        spent = price * (rows + number * (pages - 1))
    return Cost(requests, rate and requests / rate, spent)


def _counted(listing: Listing, number: float) -> float:
    """Return the rows of so many lists, as of some of them.

    Where the service counts none, a fifth of them is read.
    """
    parts, rows, ids = listing.parts(), 0, 0
    has_totals = listing.paging.has_totals
    few = _SAMPLE if listing.endpoint.ids == "path" else _BATCHES
    if not has_totals:
        few = min(few, len(parts) // 5)
    if not parts or not few:
        return EACH * number
    for part in parts[:: math.ceil(len(parts) / few)]:
        ids += len(part.ids or "1")
        with contextlib.suppress(NotFound):
            if has_totals:
                rows += part.counted()[0]
            else:
                page = part.ask(Step(part.paging.limit, 0))
                rows += part.read([page]).frame.height
    return rows * number / ids
