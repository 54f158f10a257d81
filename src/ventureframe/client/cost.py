"""What a fetch takes, stated before it is sent."""

from ventureframe.client.listing import Listing
from ventureframe.interface.certificate import Cost
from ventureframe.interface.reply import Page


def cost(listing: Listing, count: tuple[int, Page] | None = None) -> Cost:
    """Return what a fetch takes; a whole list is counted, unless `count` has it.

    Records by id take one request a batch. A list of which nothing tells the number
    of rows takes one request or more.
    """
    if listing.ids is None and listing.paging.has_totals:
        return _of_whole_list(listing, *(count or listing.counted()))
    requests = len(listing.parts())
    is_by_key = listing.takes.ids == "key"
    rows = len(listing.ids or ()) if is_by_key else 0
    is_open = requests > 0 and (bool(listing.lists) or not is_by_key)
    return _cost(listing, requests, rows, listing.price, is_open=is_open)


def _of_whole_list(listing: Listing, total: int, page: Page) -> Cost:
    """Return the cost of so many rows, by what the counting page took for its row."""
    pages = listing.pages_of(total)
    rows = total + pages - 1  # consecutive pages share one
    price = listing.price
    if page.reply.credits is not None and page.rows:
        price = page.reply.credits / page.rows
    requests = pages
    for name in listing.lists:
        if listing.shape.glances[name].is_of_some:  # so every record is requested
            requests += total
    is_open = total > 0 and bool(listing.lists)
    return _cost(listing, requests, rows, price, is_open=is_open)


def _cost(
    listing: Listing, requests: int, rows: int, price: float | None, *, is_open: bool
) -> Cost:
    connection = listing.connection
    rate = None if connection.is_embedded else connection.session.pace.rate
    seconds = requests / rate if rate else None
    spent = price if price is None else price * rows
    return Cost(requests, seconds, spent, is_open)
