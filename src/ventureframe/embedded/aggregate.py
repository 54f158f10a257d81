"""Grouped measures: how many, how much, and how much is known of it.

A measure of a field says beside it how many rows of the group have the field recorded; where none
has, the measure is null. A row is in every group it has a value of: a company with three tags is
counted under each of them, so such counts do not add up to the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from ventureframe.embedded.engine.index import Found, Index
from ventureframe.interface.fields import Resource

COUNT: Final = "count"
_MEASURES: Final[Mapping[str, Callable[[pl.Expr], pl.Expr]]] = {
    "sum": pl.Expr.sum,
    "avg": pl.Expr.mean,
    "median": pl.Expr.median,
    "p25": lambda column: column.quantile(0.25, "linear"),
    "p75": lambda column: column.quantile(0.75, "linear"),
}

Keys = tuple[pl.Expr, ...]


def _plain(*names: str) -> dict[str, Keys]:
    return {name: (pl.col(name),) for name in names}


def _year(name: str) -> dict[str, Keys]:
    return {"year": (pl.col(name).dt.year().alias("year"),)}


def _member(column: str, **members: str) -> Keys:
    return tuple(
        pl.col(column).struct.field(member).alias(name) for name, member in members.items()
    )


GROUPS: Final[Mapping[str, Mapping[str, Keys]]] = {
    "companies": {
        **_plain("launch_date", "company_status", "is_startup", "is_spinout", "is_hiring"),
        **_plain("hq_city", "hq_country", "hq_continent"),
        "tag_id": _member("tags", tag_id="id", tag_name="name", tag_type="type"),
    },
    "funding-rounds": _plain("year", "month", "round_type"),
    "funds": {
        **_year("fund_date"),
        **_plain("fund_type", "is_closed"),
        "investor_id": _member("manager", investor_id="uuid", investor_name="name"),
    },
    "jobs": {**_year("date_posted"), **_plain("entity_id", "location")},
    "founders": {"university_uuid": _member("education", university_uuid="university_uuid")},
    "investors": _plain("hq_city", "hq_country"),
}
"""By source, what it can be grouped by, and the columns that make such a group."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of a request: `count`, or a word and a field, as in `median:total_funding`."""

    word: str
    field: str = ""

    @property
    def text(self) -> str:
        """The measure as a request writes it."""
        return f"{self.word}:{self.field}" if self.field else self.word

    @property
    def name(self) -> str:
        """The column that holds it."""
        return f"{self.word}_{self.field}" if self.field else self.word

    def to_columns(self) -> list[pl.Expr]:
        """The measure, and how many rows it was measured on."""
        if not self.field:
            return []
        column = pl.col(self.field)
        known = column.count().alias(f"known_{self.field}")
        if self.word == "count_distinct":
            return [known, column.drop_nulls().n_unique().alias(self.name)]
        measured = pl.when(column.count() > 0).then(_MEASURES[self.word](column))
        return [known, measured.alias(self.name)]


def measures(text: str, resource: Resource) -> tuple[Measure, ...]:
    """The measures of a `metric` parameter; `ValueError` says which there are."""
    known = measurable(resource)
    found = tuple(Measure(*part.partition(":")[::2]) for part in text.split(","))
    for measure in found:
        if measure != Measure(COUNT) and measure.field not in known.get(measure.word, ()):
            each = "; ".join(f"{word} of {', '.join(names)}" for word, names in known.items())
            raise ValueError(f"metric takes count; {each}; not {measure.text!r}")
    return tuple(dict.fromkeys(found))


def measurable(resource: Resource) -> dict[str, list[str]]:
    """By word, the fields it measures."""
    shown = [field for field in resource.returned if isinstance(field.type, str)]
    amounts = [field.name for field in shown if field.type in ("number", "integer")]
    return {"count_distinct": [field.name for field in shown], **dict.fromkeys(_MEASURES, amounts)}


def groups(text: str, source: str) -> tuple[str, ...]:
    """The one or two names of a `group_by` parameter; `ValueError` says which there are."""
    names, known = tuple(text.split(",")), GROUPS[source]
    if len(names) > 2 or len(set(names)) < len(names) or not set(names) <= set(known):
        raise ValueError(f"group_by takes one or two of {', '.join(known)}")
    return names


def ordered(sort: str, table: pl.DataFrame) -> pl.DataFrame:
    """The groups in the order of a `sort` parameter; `ValueError` says what it can be."""
    parts = sort.split(",") if sort else []
    names = [part.removeprefix("-") for part in parts]
    if not set(names) <= set(table.columns):
        raise ValueError(f"sort takes {', '.join(table.columns)}")
    descending = [part.startswith("-") for part in parts]
    if not names:
        return table
    return table.sort(names, descending=descending, nulls_last=True, maintain_order=True)


def aggregate(
    index: Index, found: Found, *, source: str, by: Sequence[str], measured: Sequence[Measure]
) -> pl.DataFrame:
    """One row a group, in the order of the groups, what is not recorded last."""
    keys = [key for name in by for key in GROUPS[source][name]]
    needed = [root for key in keys for root in key.meta.root_names()]
    needed += [each.field for each in measured if each.field]
    frame = index.table(found, list(dict.fromkeys(needed)))
    for column in frame.columns:
        if isinstance(frame.schema[column], pl.List):
            frame = frame.explode(column)
    columns = {
        column.meta.output_name(): column for each in measured for column in each.to_columns()
    }
    counted = frame.group_by(keys, maintain_order=True).agg(
        pl.len().alias(COUNT), *columns.values()
    )
    plain = counted.with_columns(pl.selectors.enum().cast(pl.String))
    return plain.sort([key.meta.output_name() for key in keys], nulls_last=True)
