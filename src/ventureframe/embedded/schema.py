"""The tables of a dataset: derived from the interface's fields, with what a folder keeps otherwise.

A field of a resource is a column of its table. `TABLES` says where the two differ: what the
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


def _table(
    own: str = "", *, of: Resource | None = None, without: str = "", key: str = "", **inner: str
) -> Table:
    """The table of a resource, its fields `without` left out.

    `own` lists columns that no field has, or whose null or reference differs: `name type`, with
    `!` where it is never null, `-> table` where it refers to one. `inner` are the references of
    members: `column__member="table"`. `key` is the resource's unless given.
    """
    kept = [field for field in of.fields if field.name not in without.split()] if of else []
    columns = {field.name: _type(field.type) for field in kept}
    required = {field.name for field in kept if not field.nullable}
    references = {member.replace("__", "."): table for member, table in inner.items()}
    for part in filter(None, own.split(", ")):
        name, kind, *target = part.split()
        columns[name] = _TYPES[kind.removesuffix("!")]
        required |= {name} if kind.endswith("!") else set()
        references |= {name: target[1]} if target else {}
    keys = (key or (of.key if of else "id")).split()
    return Table(columns, frozenset(required), tuple(keys), references)


TABLES: Final[Mapping[str, Table]] = {
    "companies": _table(
        "hq_location identifier -> locations, tag_id identifiers! -> tags, "
        "founders uuids! -> founders, total_funding_currency text",
        of=fields.COMPANIES,
        without="id hq_city hq_country hq_continent tags has_founder founder_university_name",
    ),
    "founders": _table(of=fields.FOUNDERS, without="id", education__university_uuid="universities"),
    "universities": _table(
        "city text, country text", of=fields.UNIVERSITIES, without="hq_city hq_country"
    ),
    "investors": _table("is_lp flag!", of=fields.INVESTORS),
    "lp_managers": _table(
        "lp_uuid uuid! -> investors, manager_uuid uuid! -> investors", key="lp_uuid manager_uuid"
    ),
    "funds": _table(
        "manager_uuid uuid! -> investors, amount_currency text",
        of=fields.FUNDS,
        without="amount_source manager year investor_id",
    ),
    "funding_rounds": _table(
        "company_uuid uuid! -> companies, amount_currency text, investors uuids -> investors",
        of=fields.FUNDING_ROUNDS,
        without="amount_source",
    ),
    "news": _table(
        "title text!, entity_ids uuids! -> companies", of=fields.NEWS, without="entity_id"
    ),
    "jobs": _table("title text!, entity_id uuid -> companies", of=fields.JOBS),
    "tags": _table("id identifier!, label text!, type text!"),
    "locations": _table(
        "id identifier!, name text!, type text!, parent_id identifier -> locations"
    ),
    "fx": _table("currency text!, date date!, per_eur number!", key="currency date"),
}
"""The tables of a dataset, by name."""
