"""What a fetch takes, stated before it is sent: counted, else estimated."""

import contextlib
import math
from dataclasses import replace

from ventureframe.client.listing import Listing
from ventureframe.client.paging import Step
from ventureframe.errors import NotFound
from ventureframe.interface.certificate import Cost
from ventureframe.interface.reply import Page

# rows of one record's list that is not counted: companies of two real datasets have
# 0.7 and 1.6 founders, and of one 0.5 rounds
EACH = 1.2
_LONG = 0.03  # of founders, who have more posts than a row shows (0.02 of one dataset)
_LISTS, _SAMPLE = 6, 20  # lists that are counted, records in a sample
# the upper end: so many times the rows of an estimate, and so many more a list
_TIMES, _FEW = 4, 10
CHECK = Cost(3, 0.0, 4, most=Cost(8, 0.0, 8))
"""What it takes to count what one condition leaves out."""


def cost(
    listing: Listing, count: tuple[int, Page] | None = None, many: float | None = None
) -> Cost:
    """Return what a fetch takes.

    A whole list is counted by one small request, unless `count` has the answer; of
    the lists of several records, a few are. `many`: of about so many records, of which
    the listing has some.
    """
    ids, profile = listing.ids, listing.connection.profile
    size = 1 if listing.endpoint.ids == "path" else profile.ids_per_request
    number = upper = 1.0 if ids is None else len(ids)
    if many is not None:
        number, upper = many, _TIMES * many
    is_billed = listing.connection.source.as_of is None
    price = listing.price if is_billed else None
    rows, most, most_lists = EACH * number, upper, upper / size
    if ids is not None and listing.endpoint.ids == "key":
        rows = number
    else:
        if listing.paging.has_totals and ids != ():
            rows, price = _counted(listing, number, price, count)
        most_lists = number / size
        most = _TIMES * rows + _FEW * math.ceil(most_lists)
    about = _cost(listing, number / size, rows, price)
    if ids is None:
        number = upper = most = rows
    end = _cost(listing, most_lists, most, price)
    for name in listing.lists:
        lists, each = number, EACH
        if not listing.shape.glances[name].is_of_some:
            lists, each = _LONG * number, _FEW
        about += _cost(listing, lists, each * lists, price)
        end += _cost(listing, upper, _TIMES * each * lists + upper, price)
    return about if about == end else replace(about, most=end)


def sample(listing: Listing, many: int | None) -> list[str]:
    """Return the ids of a few of so many records, from the middle of their list."""
    if listing.ids is not None or not many:
        ids = listing.ids or ()
        return list(ids[:: math.ceil(len(ids) / _SAMPLE) or 1])
    few = min(_SAMPLE, many // 5 + 1)
    step = Step(few, (many - few) // 2)
    return listing.read([listing.ask(step)]).frame["uuid"].to_list()


def _cost(listing: Listing, lists: float, rows: float, price: float | None) -> Cost:
    """Return what equal lists take: consecutive pages share a row, which is billed."""
    number, rate = math.ceil(lists), listing.connection.session.pace.rate
    pages = replace(listing, wanted=None).pages_of(math.ceil(rows / max(1, number)))
    requests = number * pages
    if not listing.paging.has_totals:  # and an empty page after each that is not
        requests += min(number, math.ceil(rows))
    spent = None if price is None else price * (rows + number * (pages - 1))
    return Cost(requests, rate and requests / rate, spent)


def _counted(
    listing: Listing,
    number: float,
    price: float | None,
    count: tuple[int, Page] | None,
) -> tuple[float, float | None]:
    """Return the rows of so many lists, as of some of them, and the price of one."""
    parts, rows, ids = listing.parts(), 0, 0
    for part in parts[:: math.ceil(len(parts) / _LISTS)]:
        ids += len(part.ids or "1")
        with contextlib.suppress(NotFound):
            total, page = count or part.counted()
            rows += total
            if page.reply.credits and page.rows:
                price = page.reply.credits / page.rows
    return rows * number / ids, price
