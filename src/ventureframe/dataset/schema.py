"""The tables of a dataset, and what each must keep to.

A field of a resource is a column of its table. `TABLES` says where the two differ: what
the service computes and no folder holds, what only a folder holds, and what a column
refers to. A table that breaks its format is a `DatasetError` with file, column and
first wrong row.

Some of it only the wire of 2026-10-02 can say, and a folder may leave it out:
whether a founder's role is past (`company_founders.is_past`; null or no row means
that it is current), further posts of a founder at companies (`career`; the current
ones, which are no prior employers), and a founding date with the precision it came
in (`companies.launch_date_text`: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, whose year is
`launch_date`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import polars as pl

from ventureframe.interface import fields
from ventureframe.interface.fields import Field, Many, Record, Resource, Type


@dataclass(frozen=True)
class Table:
    """One table: the fields of its rows, its key, and what it refers to.

    `references` maps a column, or the member of a list column, to the table that
    must hold it.
    """

    fields: tuple[Field, ...]
    key: tuple[str, ...]
    references: Mapping[str, str]

    @cached_property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The type of each column."""
        return {field.name: _type(field.type) for field in self.fields}

    @cached_property
    def paths(self) -> Mapping[str, Field]:
        """The fields by name, and the members of records in a list by their path."""
        paths = dict[str, Field]()
        for field in self.fields:
            paths[field.name] = field
            if isinstance(field.type, Many) and isinstance(field.type.of, Record):
                for member in field.type.of.fields:
                    paths[f"{field.name}.{member.name}"] = member
        return paths

    @cached_property
    def required(self) -> frozenset[str]:
        """The columns that are never null."""
        return frozenset(field.name for field in self.fields if not field.nullable)


_TYPES: Mapping[str, pl.DataType] = {
    "uuid": pl.String(),
    "text": pl.String(),
    "identifier": pl.Int64(),
    "integer": pl.Int32(),
    "number": pl.Float64(),
    "flag": pl.Boolean(),
    "date": pl.Date(),
}
_LISTS: Mapping[str, Any] = {"uuids": Many("uuid"), "identifiers": Many("identifier")}
_RATES = 1e-12, 1e12


def _type(kind: Type) -> pl.DataType:
    if isinstance(kind, Record):
        return pl.Struct({member.name: _type(member.type) for member in kind.fields})
    return pl.List(_type(kind.of)) if isinstance(kind, Many) else _TYPES[kind]


def _table(
    columns: str = "",
    *,
    of: Resource | None = None,
    without: str = "",
    key: str = "",
    refers: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """The table of a resource, its fields `without` left out.

    `columns` lists those that no field has, or whose null or reference differs: `name
    type`, with `!` where it is never null, `-> table` where it refers to one.
    `refers` has the references of members, `column.member`. `key` is the resource's
    unless given.
    """
    members = {field.name: field for field in (of.fields if of else ())}
    for name in without.split():
        del members[name]
    references = dict(refers)
    for column in columns.split(", ") if columns else ():
        name, text, *target = column.split()
        kind = text.removesuffix("!")
        within = _RATES if kind == "number" else None
        type_ = _LISTS.get(kind, kind)
        members[name] = Field(name, type_, nullable=kind == text, within=within)
        if target:
            references[name] = target[1]
    keys = (key or (of.key if of else "id")).split()
    return Table(tuple(members.values()), tuple(keys), references)


TABLES: Mapping[str, Table] = {
    "companies": _table(
        "hq_location identifier -> locations, tag_id identifiers! -> tags, founders"
        " uuids! -> founders, total_funding_currency text, launch_date_text text",
        of=fields.COMPANIES,
        without=(
            "id hq_city hq_country hq_continent tags has_founder"
            " founder_university_name"
        ),
    ),
    "founders": _table(
        of=fields.FOUNDERS,
        without="id",
        refers={"education.university_uuid": "universities"},
    ),
    "universities": _table(
        "city text, country text", of=fields.UNIVERSITIES, without="hq_city hq_country"
    ),
    "investors": _table("is_lp flag!", of=fields.INVESTORS),
    "lp_managers": _table(
        "lp_uuid uuid! -> investors, manager_uuid uuid! -> investors",
        key="lp_uuid manager_uuid",
    ),
    "funds": _table(
        "manager_uuid uuid! -> investors, amount_currency text",
        of=fields.FUNDS,
        without="amount_source manager year investor_id",
    ),
    "funding_rounds": _table(
        "company_uuid uuid! -> companies, amount_currency text, investors uuids ->"
        " investors",
        of=fields.FUNDING_ROUNDS,
        without="amount_source",
    ),
    "news": _table(
        "title text!, entity_ids uuids! -> companies",
        of=fields.NEWS,
        without="entity_id",
    ),
    "jobs": _table("title text!, entity_id uuid -> companies", of=fields.JOBS),
    "company_founders": _table(
        "company_uuid uuid! -> companies, founder_uuid uuid! -> founders, is_past flag",
        key="company_uuid founder_uuid",
    ),
    "career": _table(
        "founder_uuid uuid! -> founders, position integer!, company_uuid uuid! ->"
        " companies, title text, is_past flag, start_date text, end_date text",
        key="founder_uuid position",
    ),
    "tags": _table("id identifier!, label text!, type text!"),
    "locations": _table(
        "id identifier!, name text!, type text!, parent_id identifier -> locations"
    ),
    "fx": _table("currency text!, date date!, per_eur number!", key="currency date"),
}
