"""Lists that a wire cuts short in a row, read to their end.

That takes one request or more for each record.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ventureframe.client.listing import Listing, Owner, endpoint
from ventureframe.client.paging import Stop
from ventureframe.client.translate import POSTS, WITHHELD, more
from ventureframe.client.walk import Walk, walk_each
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.wire.profile import Each, Glance

_SAMPLE = 5  # lists: where all of the first are withheld, no other is requested


@dataclass
class CompletedRows:
    """Rows with their lists read to the end, as far as that was wanted and allowed."""

    frame: pl.DataFrame
    # lists that were not read, and how many rows have more entries
    partial: tuple[tuple[str, int], ...] = ()
    requests: int = 0
    credits: float = 0.0
    is_short: bool = False  # an end was not reached
    is_unequal: bool = False  # a record was sent with two contents
    absent: frozenset[str] = frozenset()  # what rows or entries leave out
    doubts: tuple[Doubt, ...] = ()


def read_whole(
    listing: Listing, whole: CompletedRows, *, workers: int | None, cancel: Stop
) -> None:
    """Read to its end each requested list that rows cut short."""
    for name, glance in listing.shape.glances.items():
        if more(name) in whole.frame.columns:
            _read_list(whole, listing, name, glance, workers=workers, cancel=cancel)


def _read_list(
    whole: CompletedRows,
    listing: Listing,
    name: str,
    glance: Glance,
    *,
    workers: int | None,
    cancel: Stop,
) -> None:
    """Put one list into `whole`; note there what is still partial, absent or short."""
    rows, key = whole.frame, listing.endpoint.resource.key
    has_more = rows[more(name)].fill_null(0) > 0
    is_cut = has_more | glance.is_of_some
    wanted = rows.filter(is_cut & (name in listing.lists))[key].to_list()
    listed = endpoint(glance.endpoint, listing.connection.profile)
    part = Listing(listing.connection, listed, folder=listing.folder)
    parts = [replace(part, owner=Owner(uuid)) for uuid in wanted]
    entries, counts = dict[str, list[Any]](), dict[str, int]()
    row_entries = dict(zip(rows[key], rows[name].to_list(), strict=True))
    if not (glance.is_of_some or name == "prior_employers"):
        lengths = rows[more(name)] + rows[name].list.len().fill_null(0)
        counts = dict(zip(rows[key], lengths, strict=True))
    ended, withheld, unequal = set[str](), set[str](), 0
    walks = walk_each(parts[:_SAMPLE], workers=workers, cancel=cancel)
    refused = [walk for walk in walks if walk.refusal and walk.refusal.status == 403]
    if len(refused) == _SAMPLE:
        withheld.update(wanted)  # as the first ones: no other is requested
    else:
        walks += walk_each(parts[_SAMPLE:], workers=workers, cancel=cancel)
    for uuid, walk in zip(wanted, walks, strict=False):
        status = walk.refusal.status if walk.refusal else None
        if status == 403:
            withheld.add(uuid)
        if status in (403, 404):
            whole.requests += 1
        elif walk.frames:
            read, is_whole = _entries(whole, listing, name, walk)
            if not walk.certificate.is_cancelled:  # else a row may show more
                entries[uuid] = read
            if is_whole:
                ended.add(uuid)
                is_lacking = any(entry not in read for entry in row_entries[uuid] or ())
                unequal += is_lacking or counts.get(uuid, len(read)) != len(read)
    if unequal:
        text = (
            f"For {unequal:,} of {rows.height:,} {listing.endpoint.resource.name} the"
            f" row counts or shows other entries of {name} than their list has: the"
            " list was taken."
        )
        whole.doubts += (Doubt("list", text),)
    whole.is_short |= len(ended) + len(withheld) < len(wanted)
    is_read = rows[key].is_in(list(entries))
    if (is_cut & ~is_read).any():
        whole.partial += ((name, int((has_more & ~is_read).sum())),)
    if wanted:
        rows = _with_lists(
            rows, key, name, entries=entries, withheld=withheld, ended=ended
        )
    whole.frame = rows.drop(more(name), POSTS, strict=False)


def _entries(
    whole: CompletedRows, listing: Listing, name: str, walk: Walk
) -> tuple[list[Any], bool]:
    """Return the entries of one list, and whether it is whole.

    Of a team the entries are its founders; it is not whole where one is there twice.
    """
    certificate, absent = walk.certificate, walk.absent
    whole.requests += certificate.pages
    whole.credits += certificate.credits or 0
    whole.doubts += walk.doubts
    is_whole = certificate.verdict in ("complete", "total_not_reported")
    rows = pl.concat(walk.frames, how="diagonal_relaxed")
    if "is_founder" in rows.columns:
        rows = rows.filter(pl.col("is_founder").ne_missing(other=False))
    if "founder_uuid" in rows.columns:
        is_whole &= not rows["founder_uuid"].is_duplicated().any()
    rule = listing.shape.columns[name]
    if isinstance(rule, Each) and rule.where:
        path = rule.where.path
        if rows[path].null_count():  # such entries do not say whether they belong
            absent |= {path}
        rows = rows.filter(pl.col(path) == rule.where.value)
    if isinstance(rule, Each):
        whole.absent |= {f"{name}.{member}" for member in absent}
        return rows.select(*rule.of).to_dicts(), is_whole
    return rows.to_series().unique(maintain_order=True).to_list(), is_whole


def _with_lists(
    rows: pl.DataFrame,
    key: str,
    name: str,
    *,
    entries: Mapping[str, list[Any]],
    withheld: Collection[str],
    ended: Collection[str],
) -> pl.DataFrame:
    """Put in the lists that were read, and mark the rows whose list is withheld.

    A row whose list was read to its end loses the mark.
    """
    lists = rows[name].to_list()
    marks: list[list[str] | None] = [None] * rows.height
    if WITHHELD in rows.columns:
        marks = rows[WITHHELD].to_list()
    for number, uuid in enumerate(rows[key]):
        lists[number] = entries.get(uuid, lists[number])
        remaining = [mark for mark in marks[number] or () if mark != name]
        if uuid in withheld:
            marks[number] = [*remaining, name]
        elif uuid in ended:
            marks[number] = remaining
    rows = rows.with_columns(
        pl.Series(name, lists, rows.schema[name]),
        pl.Series(WITHHELD, marks, pl.List(pl.String)),
    )
    return rows if any(marks) else rows.drop(WITHHELD)
