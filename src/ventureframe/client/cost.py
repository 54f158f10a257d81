"""What a fetch takes, said before it is sent: what is certain, and at most."""

import dataclasses
from collections.abc import Sequence

from ventureframe.client.listing import COUNTED_FROM, Listing
from ventureframe.interface.certificate import Cost
from ventureframe.interface.reply import Page


def cost(listing: Listing, counts: Sequence[tuple[int, Page]] = ()) -> Cost:
    """Return what a fetch takes, from the row counts in `counts`, or else from small
    requests.

    No bound of the credits is given where nothing reports how many rows a list has:
    the lists of an owner in the path, and the further entries of lists that rows cut
    short.
    """
    parts, ids, kind = listing.parts(), len(listing.ids or ()), listing.takes.ids
    least = most = batches = len(parts)
    records, rows, end = (0, ids), 0, ids if kind == "key" else None
    credited = list[Page]()  # pages that say what their rows cost
    if not listing.paging.has_totals or (kind == "path" and ids):
        most, end = 2 * least, None  # an empty page each, or a second one
    elif listing.ids is None or (kind == "link" and batches < COUNTED_FROM):
        counts = counts or [part.counted() for part in parts]
        credited = [page for _, page in counts]
        least = most = sum(listing.pages_of(total) for total, _ in counts)
        records = (sum(total for total, _ in counts),) * 2
        rows = end = records[0] + least - len(counts)
    elif batches >= COUNTED_FROM:
        least, most, end, is_picked = 1 + batches, 1 + 2 * batches, None, False
        if whole := listing.entire():
            pages, credited = whole[0].pages_of(whole[1]), [whole[2]]
            is_picked, every = whole[0].is_picked(whole[1]), whole[1] + pages
            least, rows = (1 + pages, every) if is_picked else (least, 1)
            # a row with several columns of ids can belong to several batches
            copies = batches if len(listing.takes.id_columns) > 1 else 1
            most, end = (
                (least, rows)
                if is_picked
                else (least + copies * pages, 1 + copies * every)
            )
        if kind == "key":
            most, end = least + batches * is_picked, rows + ids
    glances = listing.shape.glances if listing.shape else {}
    for name in listing.lists:
        least += records[0] if glances[name].is_of_some else 0
        most, end = most + records[1], None if records[1] else end
    connection, price = listing.connection, listing.price
    rate = None if connection.is_embedded else connection.session.pace.rate
    for page in credited:
        if page.reply.credits is not None and page.rows:
            price = page.reply.credits / page.rows
    certain, upper = (
        Cost(sent, sent / rate if rate else None, price and billed and price * billed)
        for sent, billed in ((least, rows), (most, end))
    )
    return certain if certain == upper else dataclasses.replace(certain, at_most=upper)
