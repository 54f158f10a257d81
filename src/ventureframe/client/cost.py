"""What a fetch takes, stated before it is sent."""

from ventureframe.client.listing import Listing
from ventureframe.interface.certificate import Cost
from ventureframe.interface.reply import Page


def cost(listing: Listing, count: tuple[int, Page] | None = None) -> Cost:
    """Return what a fetch takes; a whole list is counted, unless `count` has it.

    Records by id take one request a batch. A list of which nothing tells the number
    of rows takes one request or more. A service of this package bills nothing.
    """
    connection, price = listing.connection, None
    if listing.ids is None and listing.paging.has_totals:
        total, page = count or listing.counted()
        pages = listing.pages_of(total)
        requests, rows = pages, total + pages - 1  # consecutive pages share one
        if page.reply.credits is not None and page.rows:
            price = page.reply.credits / page.rows
        for name in listing.lists:
            requests += total * listing.shape.glances[name].is_of_some
        is_open = total > 0 and bool(listing.lists)
    else:
        requests = len(listing.parts())
        is_by_key = listing.endpoint.ids == "key"
        rows = len(listing.ids or ()) if is_by_key else 0
        is_open = requests > 0 and (bool(listing.lists) or not is_by_key)
    if price is None and connection.source.as_of is None:
        price = connection.profile.prices.get(listing.endpoint.name)
    rate = None if connection.is_embedded else connection.session.pace.rate
    return Cost(
        requests,
        seconds=requests / rate if rate else None,
        credits=None if price is None else price * rows,
        is_open=is_open,
    )
