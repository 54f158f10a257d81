"""The differences between two fetches by name, those that matter most first."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from polars import DataFrame

from ventureframe.display.wording import label, money
from ventureframe.studies.changes.pair import Pair
from ventureframe.studies.changes.records import CONVERTED, SEEN, shown

_LARGEST = 10
_FIRST = (
    "funding-rounds newly_seen",
    "companies total_funding",
    "companies company_status",
    "funds newly_seen",
    "companies newly_seen",
    "companies no_longer_seen",
    "jobs newly_seen",
    "news newly_seen",
    "companies founders",
    "companies is_hiring",
    "companies open_jobs_count",
    "companies team_size",
    "jobs no_longer_seen",
)
"""What matters most of what can differ, in this order; all else comes after it."""
# who is named with it
_OWNER = {"funding-rounds": "company_uuid", "jobs": "entity_id"}


Difference = tuple[str, float, tuple[str | None, ...]]
"""What differs, how far its amount moved, and its row."""


def largest(study: Any) -> DataFrame:
    """The ten differences that matter most: what was raised before all, the larger
    sum first.
    """
    names = dict[str, str]()
    for pair in study.pairs.values():
        for side in (pair.old, pair.new) if pair.noun == "company" else ():
            names.update(side.to_polars().select("uuid", "name").iter_rows())
    differences = list[Difference]()
    for pair in study.pairs.values():
        differences += [*_of_records(pair, names), *_of_fields(pair)]
    differences.sort(key=_place)
    rows = [row for *_, row in differences[:_LARGEST]]
    schema = dict.fromkeys(("record", "kind", "what", "before", "after"), pl.String())
    return DataFrame(rows, schema, orient="row")


def _place(difference: Difference) -> tuple[int, float]:
    """Where it is listed: what matters most first, then the larger amount."""
    what, moved, _ = difference
    return _FIRST.index(what) if what in _FIRST else len(_FIRST), -moved


def _of_records(pair: Pair, names: Mapping[str, str]) -> Iterator[Difference]:
    """The first ten records that are new, and that are gone, by their amounts."""
    resource, code = pair.new.resource.name, pair.new.provenance.currency or ""
    for seen, words in SEEN.items():
        rows = pair.frames.get(seen, DataFrame())
        amount = pl.col(pair.amount) if pair.amount in rows else pl.lit(None)
        for row in _first(rows, amount.cast(pl.Float64)):
            owner = names.get(str(row.get(_OWNER.get(resource, ""))))
            name = row.get(shown(resource)[0].name)
            record = ": ".join(filter(None, (owner, name))) or str(row[pair.key[-1]])
            value = money(row["moved"], code) if row["moved"] else ""
            ends = ("", value) if seen == "newly_seen" else (value, "")
            cells = (record, pair.noun, words, *ends)
            yield f"{resource} {seen}", row["moved"] or 0, cells


def _of_fields(pair: Pair) -> Iterator[Difference]:
    """The first ten records of each changed field, by how far its number moved."""
    resource, code = pair.new.resource.name, pair.new.provenance.currency or ""
    old, new = (
        pl.col(end).cast(pl.Float64, strict=False).fill_null(0)
        for end in ("old", "new")
    )
    changes = pair.frames["field_changes"]
    for (field,), rows in changes.group_by("field", maintain_order=True):
        for row in _first(rows, new - old):
            ends = (row["before"], row["after"])
            if field == CONVERTED.get(resource):
                ends = (_money(row["old"], code), _money(row["new"], code))
            cells = (row["record"], pair.noun, label(str(field)), *ends)
            yield f"{resource} {field}", row["moved"], cells


def _money(text: str | None, code: str) -> str | None:
    return None if text is None else money(float(text), code)


def _first(rows: DataFrame, moved: pl.Expr) -> Iterator[dict[str, Any]]:
    if len(rows):
        rows = rows.with_columns(moved=moved)
        rows = rows.sort("moved", descending=True, nulls_last=True)
        yield from rows.head(_LARGEST).iter_rows(named=True)
