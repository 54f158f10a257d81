"""The tables of a dataset: derived from the interface's fields, with what a folder keeps otherwise.

A field of a resource is a column of its table. `_DIFFERENCES` says where the two differ: what the
service computes and no folder holds, what only a folder holds, and what a column refers to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from ventureframe.interface import fields
from ventureframe.interface.fields import Many, Record, Resource


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns, those that are never null, its key, and what it refers to.

    `references` maps a column, or the member of a list column, to the table that must hold it.
    """

    columns: Mapping[str, pl.DataType]
    required: frozenset[str]
    key: tuple[str, ...]
    references: Mapping[str, str]

    @property
    def empty(self) -> pl.DataFrame:
        """The table without a row."""
        return pl.DataFrame(schema=dict(self.columns))


_TYPES: Final[Mapping[str, pl.DataType]] = {
    "uuid": pl.String(),
    "text": pl.String(),
    "identifier": pl.Int64(),
    "integer": pl.Int32(),
    "number": pl.Float64(),
    "flag": pl.Boolean(),
    "date": pl.Date(),
    "uuids": pl.List(pl.String),
    "identifiers": pl.List(pl.Int64),
}


def _type(kind: fields.Type) -> pl.DataType:
    if isinstance(kind, Record):
        return pl.Struct({member.name: _type(member.type) for member in kind.fields})
    return pl.List(_type(kind.of)) if isinstance(kind, Many) else _TYPES[kind]


@dataclass(frozen=True, slots=True)
class _Differs:
    """How a table differs from its resource.

    `without` names fields that are not columns. `own` lists columns that no field has, or whose
    null or reference differs: `name type`, with `!` where it is never null, `-> table` where it
    refers to one. `key` is the resource's unless given.
    """

    resource: Resource | None = None
    without: str = ""
    own: str = ""
    inner: Mapping[str, str] | None = None
    key: str = ""

    def table(self) -> Table:
        every = () if self.resource is None else self.resource.fields
        kept = [field for field in every if field.name not in self.without.split()]
        columns = {field.name: _type(field.type) for field in kept}
        required = {field.name for field in kept if not field.nullable}
        references = dict(self.inner or {})
        for part in filter(None, self.own.split(", ")):
            name, kind, *target = part.split()
            columns[name] = _TYPES[kind.removesuffix("!")]
            required |= {name} if kind.endswith("!") else set()
            references |= {name: target[1]} if target else {}
        key = self.key or (self.resource.key if self.resource is not None else "id")
        return Table(columns, frozenset(required), tuple(key.split()), references)


_DIFFERENCES: Final[Mapping[str, _Differs]] = {
    "companies": _Differs(
        fields.COMPANIES,
        without="id hq_city hq_country hq_continent tags has_founder founder_university_name",
        own="hq_location identifier -> locations, tag_id identifiers! -> tags, "
        "founders uuids! -> founders, total_funding_currency text",
    ),
    "founders": _Differs(
        fields.FOUNDERS, without="id", inner={"education.university_uuid": "universities"}
    ),
    "universities": _Differs(
        fields.UNIVERSITIES, without="hq_city hq_country", own="city text, country text"
    ),
    "investors": _Differs(fields.INVESTORS, own="is_lp flag!"),
    "lp_managers": _Differs(
        own="lp_uuid uuid! -> investors, manager_uuid uuid! -> investors",
        key="lp_uuid manager_uuid",
    ),
    "funds": _Differs(
        fields.FUNDS,
        without="amount_source manager year investor_id",
        own="manager_uuid uuid! -> investors, amount_currency text",
    ),
    "funding_rounds": _Differs(
        fields.FUNDING_ROUNDS,
        without="amount_source",
        own="company_uuid uuid! -> companies, amount_currency text, investors uuids -> investors",
    ),
    "news": _Differs(
        fields.NEWS,
        without="entity_id",
        own="title text!, entity_ids uuids! -> companies",
    ),
    "jobs": _Differs(fields.JOBS, own="title text!, entity_id uuid -> companies"),
    "tags": _Differs(own="id identifier!, label text!, type text!"),
    "locations": _Differs(
        own="id identifier!, name text!, type text!, parent_id identifier -> locations"
    ),
    "fx": _Differs(own="currency text!, date date!, per_eur number!", key="currency date"),
}

TABLES: Final[Mapping[str, Table]] = {
    name: differs.table() for name, differs in _DIFFERENCES.items()
}
"""The tables of a dataset, by name."""
