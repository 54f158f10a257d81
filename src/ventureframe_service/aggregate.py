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
from ventureframe_service.engine.index import Index, Matches

COUNT = "count"
_DISTINCT = "count_distinct"
_MEASURES: Final[Mapping[str, Callable[[pl.Expr], pl.Expr]]] = {
    _DISTINCT: lambda column: column.drop_nulls().n_unique(),
    "sum": lambda column: pl.when(column.count() > 0).then(column.sum()),
    "avg": pl.Expr.mean,
    "median": pl.Expr.median,
    "p25": lambda column: column.quantile(0.25, "linear"),
    "p75": lambda column: column.quantile(0.75, "linear"),
}

Keys = Mapping[str, pl.Expr]
"""The columns that identify a group."""


def _columns(*names: str) -> dict[str, Keys]:
    return {name: {name: pl.col(name)} for name in names}


def _year(date: str) -> dict[str, Keys]:
    return {"year": {"year": pl.col(date).dt.year()}}


def _members(record: str, **members: str) -> Keys:
    return {
        name: pl.col(record).struct.field(member) for name, member in members.items()
    }


GROUPS: Final[Mapping[str, Mapping[str, Keys]]] = {
    "companies": {
        **_columns("launch_date", "company_status"),
        **_columns("is_startup", "is_spinout", "is_hiring"),
        **_columns("hq_city", "hq_country", "hq_continent"),
        "tag_id": _members("tags", tag_id="id", tag_name="name", tag_type="type"),
    },
    "funding-rounds": _columns("year", "month", "round_type"),
    "funds": {
        **_year("fund_date"),
        **_columns("fund_type", "is_closed"),
        "investor_id": _members("manager", investor_id="uuid", investor_name="name"),
    },
    "jobs": {**_year("date_posted"), **_columns("entity_id", "location")},
    "founders": {
        "university_uuid": _members("education", university_uuid="university_uuid")
    },
    "investors": {
        **_columns("hq_city", "hq_country"),
        "lp_uuid": _members(
            "lps", lp_uuid="lp_uuid", lp_name="lp_name", lp_domain="lp_domain"
        ),
    },
}
"""By source, what it can be grouped by, and the columns that make such a group."""


def measures(text: str, resource: Resource) -> tuple[str, ...]:
    """Return the measures of a `metric` parameter, such as `median:total_funding`, each
    once.

    `ValueError` says which there are.
    """
    columns = [field for field in resource.returned if isinstance(field.type, str)]
    numbers = [field.name for field in columns if field.type in ("number", "integer")]
    measurable = dict.fromkeys(_MEASURES, numbers)
    measurable[_DISTINCT] = [field.name for field in columns]
    parts = text.split(",")
    for part in parts:
        word, _, field = part.partition(":")
        if part != COUNT and field not in measurable.get(word, ()):
            words = [
                f"{word} of {', '.join(names)}" for word, names in measurable.items()
            ]
            raise ValueError(f"metric takes count; {'; '.join(words)}; not {part!r}")
    return tuple(dict.fromkeys(parts))


def groups(text: str, source: str) -> tuple[str, ...]:
    """Return the one or two names of a `group_by` parameter; `ValueError` says which
    there are.
    """
    names, choices = tuple(text.split(",")), GROUPS[source]
    is_known = all(name in choices for name in names)
    is_repeated = len(set(names)) < len(names)
    if len(names) > 2 or is_repeated or not is_known:
        raise ValueError(f"group_by takes one or two of {', '.join(choices)}")
    return names


def ordered(sort: str, table: pl.DataFrame) -> pl.DataFrame:
    """Return the groups in the order of a `sort` parameter; `ValueError` says what it
    can be.
    """
    if not sort:
        return table
    parts = sort.split(",")
    names = [part.removeprefix("-") for part in parts]
    if not set(names) <= set(table.columns):
        raise ValueError(f"sort takes {', '.join(table.columns)}")
    descending = [part.startswith("-") for part in parts]
    return table.sort(
        names, descending=descending, nulls_last=True, maintain_order=True
    )


def aggregate(
    index: Index,
    matches: Matches,
    *,
    source: str,
    by: Sequence[str],
    measured: Sequence[str],
) -> pl.DataFrame:
    """Return one row a group, in the order of the groups, what is not recorded last."""
    keys = {name: key for group in by for name, key in GROUPS[source][group].items()}
    columns = {COUNT: pl.len()}
    for measure in measured:
        word, _, field = measure.partition(":")
        if field:
            columns[f"known_{field}"] = pl.col(field).count()
            columns[f"{word}_{field}"] = _MEASURES[word](pl.col(field))
    read = dict[str, None]()  # in order, each once
    for expression in (*keys.values(), *columns.values()):
        read.update(dict.fromkeys(expression.meta.root_names()))
    frame = index.table(matches, list(read))
    for column, kind in frame.schema.items():
        if isinstance(kind, pl.List):
            listed = {
                name: key
                for name, key in keys.items()
                if key.meta.root_names() == [column]
            }
            frame = _explode(frame, column, listed)
    counted = frame.group_by(**keys, maintain_order=True).agg(**columns)
    plain = counted.with_columns(pl.selectors.enum().cast(pl.String))
    return plain.sort(list(keys), nulls_last=True)


def _explode(frame: pl.DataFrame, column: str, keys: Keys) -> pl.DataFrame:
    """Put the different values of a list in rows; null where none of them is recorded.

    Values differ where their keys do: two degrees at one university are one value.
    """
    flat = frame.with_row_index("row").explode(column, empty_as_null=True)
    keyed = flat.select("row", **keys).with_row_index("place")
    keyed = keyed.unique(["row", *keys])
    first = pl.col(next(iter(keys)))
    has_none = first.count().over("row") == 0
    chosen = keyed.filter(first.is_not_null() | has_none)
    return flat[chosen["place"].sort()].drop("row")
