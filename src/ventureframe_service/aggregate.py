"""Grouped measures: how many, how much, and how much is known of it.

A measure of a field says beside it how many rows of the group have the field
recorded; where none has, the measure is null. A row is counted once in every group
it has a value of: a company with three tags is in three groups, so such counts do
not add up to the number of rows. Rows without any value form a group of their own,
null.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import polars as pl

from ventureframe.interface.fields import Resource
from ventureframe_service.engine.index import Found, Index

COUNT: Final = "count"
_DISTINCT: Final = "count_distinct"
_MEASURES: Final[Mapping[str, Callable[[pl.Expr], pl.Expr]]] = {
    _DISTINCT: lambda column: column.drop_nulls().n_unique(),
    "sum": lambda column: pl.when(column.count() > 0).then(column.sum()),
    "avg": pl.Expr.mean,
    "median": pl.Expr.median,
    "p25": lambda column: column.quantile(0.25, "linear"),
    "p75": lambda column: column.quantile(0.75, "linear"),
}

Keys = tuple[pl.Expr, ...]


def _plain(names: str, *, year: str = "") -> dict[str, Keys]:
    own: dict[str, Keys] = (
        {"year": (pl.col(year).dt.year().alias("year"),)} if year else {}
    )
    return {**own, **{name: (pl.col(name),) for name in names.split()}}


def _member(column: str, **members: str) -> Keys:
    record = pl.col(column).struct
    return tuple(record.field(member).alias(name) for name, member in members.items())


GROUPS: Final[Mapping[str, Mapping[str, Keys]]] = {
    "companies": {
        **_plain("launch_date company_status is_startup is_spinout is_hiring"),
        **_plain("hq_city hq_country hq_continent"),
        "tag_id": _member("tags", tag_id="id", tag_name="name", tag_type="type"),
    },
    "funding-rounds": _plain("year month round_type"),
    "funds": {
        **_plain("fund_type is_closed", year="fund_date"),
        "investor_id": _member("manager", investor_id="uuid", investor_name="name"),
    },
    "jobs": _plain("entity_id location", year="date_posted"),
    "founders": {
        "university_uuid": _member("education", university_uuid="university_uuid")
    },
    "investors": {
        **_plain("hq_city hq_country"),
        "lp_uuid": _member(
            "lps", **{name: name for name in ("lp_uuid", "lp_name", "lp_domain")}
        ),
    },
}
"""By source, what it can be grouped by, and the columns that make such a group."""


def measures(text: str, resource: Resource) -> tuple[str, ...]:
    """The measures of a `metric` parameter, such as `median:total_funding`, each once.

    `ValueError` says which there are.
    """
    known, parts = measurable(resource), text.split(",")
    for part in parts:
        word, _, field = part.partition(":")
        if part != COUNT and field not in known.get(word, ()):
            words = "; ".join(
                f"{word} of {', '.join(names)}" for word, names in known.items()
            )
            raise ValueError(f"metric takes count; {words}; not {part!r}")
    return tuple(dict.fromkeys(parts))


def measurable(resource: Resource) -> dict[str, list[str]]:
    """By word, the fields it measures."""
    shown = [field for field in resource.returned if isinstance(field.type, str)]
    amounts = [field.name for field in shown if field.type in ("number", "integer")]
    return dict.fromkeys(_MEASURES, amounts) | {
        _DISTINCT: [field.name for field in shown]
    }


def groups(text: str, source: str) -> tuple[str, ...]:
    """The one or two names of a `group_by` parameter; `ValueError` says which there
    are.
    """
    names, known = tuple(text.split(",")), GROUPS[source]
    if len(names) > 2 or len(set(names)) < len(names) or not set(names) <= set(known):
        raise ValueError(f"group_by takes one or two of {', '.join(known)}")
    return names


def ordered(sort: str, table: pl.DataFrame) -> pl.DataFrame:
    """The groups in the order of a `sort` parameter; `ValueError` says what it can
    be.
    """
    if not sort:
        return table
    descending = [part.startswith("-") for part in sort.split(",")]
    names = [part.removeprefix("-") for part in sort.split(",")]
    if not set(names) <= set(table.columns):
        raise ValueError(f"sort takes {', '.join(table.columns)}")
    return table.sort(
        names, descending=descending, nulls_last=True, maintain_order=True
    )


def aggregate(
    index: Index,
    found: Found,
    *,
    source: str,
    by: Sequence[str],
    measured: Sequence[str],
) -> pl.DataFrame:
    """One row a group, in the order of the groups, what is not recorded last."""
    keys = [key for name in by for key in GROUPS[source][name]]
    columns = {COUNT: pl.len()}
    for word, _, field in (
        measure.partition(":") for measure in measured if measure != COUNT
    ):
        columns[f"known_{field}"] = pl.col(field).count()
        columns[f"{word}_{field}"] = _MEASURES[word](pl.col(field))
    roots = (
        root for key in (*keys, *columns.values()) for root in key.meta.root_names()
    )
    frame = _one_value_a_row(index.table(found, list(dict.fromkeys(roots))), keys)
    counted = frame.group_by(keys, maintain_order=True).agg(**columns)
    plain = counted.with_columns(pl.selectors.enum().cast(pl.String))
    return plain.sort([key.meta.output_name() for key in keys], nulls_last=True)


def _one_value_a_row(frame: pl.DataFrame, keys: Sequence[pl.Expr]) -> pl.DataFrame:
    """Each list as its different values, one a row; null where none of them is
    recorded.
    """
    # values differ where their keys do, so two degrees at one university are one value
    for column, kind in frame.schema.items():
        if isinstance(kind, pl.List):
            own = [key for key in keys if key.meta.root_names() == [column]]
            names = [key.meta.output_name() for key in own]
            flat = frame.with_row_index("row").explode(column, empty_as_null=True)
            keyed = (
                flat.select("row", *own).with_row_index("place").unique(["row", *names])
            )
            first = pl.col(names[0])
            kept = keyed.filter(first.is_not_null() | (first.count().over("row") == 0))
            frame = flat[kept["place"].sort()].drop("row")
    return frame
