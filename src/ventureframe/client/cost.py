"""What a fetch takes, said before it is sent: what is certain, and at most."""

import dataclasses
from collections.abc import Sequence

from ventureframe.client.listing import COUNTED_FROM, Listing
from ventureframe.interface.certificate import Cost
from ventureframe.interface.reply import Page


def cost(listing: Listing, counts: Sequence[tuple[int, Page]] = ()) -> Cost:
    """What a fetch takes, by the rows that `counts` tells, or else a small request or a few."""
    parts, ids, kind = listing.parts(), len(listing.ids or ()), listing.takes.ids
    least, most = len(parts), len(parts)
    records, rows, end = (0, ids), 0, ids if kind == "key" else None
    if not listing.paging.has_totals or (kind == "path" and ids):
        most, end = 2 * least, None  # an empty page each, or a second one
    elif listing.ids is None or (kind == "link" and least < COUNTED_FROM):
        counts = counts or [part.counted() for part in parts]
        least = most = sum(listing.pages_of(total) for total, _ in counts)
        records = (sum(total for total, _ in counts),) * 2
        rows = end = records[0] + least - len(counts)
    elif least >= COUNTED_FROM:
        whole, batches = listing.entire(), least
        pages = whole[0].pages_of(whole[1]) if whole else batches
        if whole and whole[0].is_picked(whole[1]):
            least, rows, end = 1 + pages, whole[1] + pages, whole[1] + pages + (end or 0)
            most = least + batches * (kind == "key")
        else:
            least, rows, end = 1 + batches, 1, end and 1 + end
            most = 1 + batches * (1 if kind == "key" else pages)
    glances = listing.shape.glances if listing.shape else {}
    for name in listing.lists:
        least += records[0] if glances[name].is_of_some else 0
        most, end = most + records[1], None if records[1] else end
    connection, price = listing.connection, listing.price
    rate = None if connection.is_embedded else connection.session.pace.rate
    for _, page in counts:  # a row of each was sent
        if page.reply.credits is not None and page.rows:
            price = page.reply.credits / page.rows
    certain, upper = (
        Cost(sent, sent / rate if rate else None, price and billed and price * billed)
        for sent, billed in ((least, rows), (most, end))
    )
    return certain if certain == upper else dataclasses.replace(certain, at_most=upper)
