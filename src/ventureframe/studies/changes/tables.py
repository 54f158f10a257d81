"""The differences between two fetches by name, those that matter most first."""

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any, Final

import polars as pl

from ventureframe.display.wording import in_words, money
from ventureframe.studies.changes.pair import Pair
from ventureframe.studies.changes.records import CONVERTED, NAMED, SEEN, SHOWN

_LARGEST: Final = 10
_FIRST: Final = (
    *(
        "funding-rounds newly_seen",
        "companies total_funding",
        "companies company_status",
    ),
    *("funds newly_seen", "companies newly_seen", "companies no_longer_seen"),
    *(
        "jobs newly_seen",
        "news newly_seen",
        "companies founders",
        "companies is_hiring",
    ),
    *("companies open_jobs_count", "companies team_size", "jobs no_longer_seen"),
)
"""What matters most of what can differ, in this order; all else comes after it."""
# who is named with it
_OWNER: Final = {"funding-rounds": "company_uuid", "jobs": "entity_id"}
# its place, less is earlier, and what is shown
_Row = tuple[int, float, tuple[str | None, ...]]


def largest(study: Any) -> pl.DataFrame:
    """The ten differences that matter most: what was raised before all, the larger
    sum first.
    """
    names = dict[str, str]()
    for pair in study.pairs.values():
        held = (side.to_polars() for side in (pair.old, pair.new))
        for rows in held if pair.noun == "company" and not pair.is_table else ():
            names.update(rows.select("uuid", "name").iter_rows())
    every = [row for pair in study.pairs.values() for row in _rows(pair, names)]
    shown = [row for _, _, row in sorted(every, key=itemgetter(0, 1))[:_LARGEST]]
    schema = dict.fromkeys(("record", "kind", "what", "before", "after"), pl.String())
    return pl.DataFrame(shown, schema, orient="row")


def _rows(pair: Pair, names: Mapping[str, str]) -> Iterator[_Row]:
    """The first ten differences of each kind, those of the largest amounts."""
    resource, code = pair.new.resource.name, pair.new.provenance.currency or ""
    named, owner = SHOWN.get(resource, NAMED)[0].name, _OWNER.get(resource, "")
    converted = CONVERTED.get(resource, "")
    for seen, said in SEEN.items():
        rows = pair.frames.get(seen, pl.DataFrame())
        amount = pl.col(converted) if converted in rows else pl.lit(None)
        for row in _first(rows, amount.cast(pl.Float64)):
            record = ": ".join(
                filter(None, (names.get(row.get(owner, "")), row.get(named)))
            )
            value = money(row["moved"], code) if row["moved"] else None
            ends = (None, value) if seen == "newly_seen" else (value, None)
            shown = record or str(row[pair.key[-1]]), pair.noun, said, *ends
            yield _place(f"{resource} {seen}"), -(row["moved"] or 0), shown
    new, old = (
        pl.col(end).cast(pl.Float64, strict=False).fill_null(0)
        for end in ("new", "old")
    )
    for (field,), rows in pair.frames["field_changes"].group_by(
        "field", maintain_order=True
    ):
        for row in _first(rows, new - old):
            before, after = row["before"], row["after"]
            if field == converted:
                before, after = (
                    each and money(float(each), code)
                    for each in (row["old"], row["new"])
                )
            shown = row["record"], pair.noun, in_words(field), before, after
            yield _place(f"{resource} {field}"), -row["moved"], shown


def _first(rows: pl.DataFrame, moved: pl.Expr) -> Iterator[dict[str, Any]]:
    if len(rows):
        every = rows.with_columns(moved=moved).sort(
            "moved", descending=True, nulls_last=True
        )
        yield from every.head(_LARGEST).iter_rows(named=True)


def _place(what: str) -> int:
    return _FIRST.index(what) if what in _FIRST else len(_FIRST)
