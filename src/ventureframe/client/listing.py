"""One list of the service as a walk reads it: what its requests say and what its rows must be."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

import polars as pl

from ventureframe.client import contradictions, decode_fast
from ventureframe.client.connection import Connection, sent
from ventureframe.client.decode import Chunk
from ventureframe.client.pages import Step
from ventureframe.client.result import owners
from ventureframe.client.resume import Folder
from ventureframe.interface import fields, filters
from ventureframe.interface.fields import Currency, Resource
from ventureframe.interface.reply import Reply


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a list endpoint takes (interface, "Endpoint table").

    `ids` says how it takes ids: the records' own (`key`), those of records that rows are linked
    to (`link`), or one owner's in the path (`path`); None where it takes none. `id_columns` hold
    those ids in a frame; `added` are the columns that only the request tells.
    """

    resource: Resource
    takes_filter_and_sort: bool = True
    takes_currency: bool = False
    has_totals: bool = True
    ids: Literal["key", "link", "path"] | None = None
    id_columns: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


ENDPOINTS: Final[Mapping[str, Endpoint]] = {
    "companies": Endpoint(fields.COMPANIES, takes_currency=True, ids="key", id_columns=("uuid",)),
    "founders": Endpoint(fields.FOUNDERS, ids="key", id_columns=("uuid",)),
    "funds": Endpoint(fields.FUNDS, takes_currency=True, added=("manager_source",)),
    "news": Endpoint(fields.NEWS, ids="link", id_columns=("entity_id", "entity_ids")),
    "jobs": Endpoint(fields.JOBS, ids="link", id_columns=("entity_id",)),
    "lp-funds": Endpoint(
        fields.INVESTORS,
        takes_filter_and_sort=False,
        ids="path",
        id_columns=("lp_uuid",),
        added=("lp_uuid",),
    ),
    "manager-funds": Endpoint(
        fields.FUNDS,
        takes_currency=True,
        ids="path",
        id_columns=("manager.uuid",),
        added=("manager_source",),
    ),
    "funding-rounds": Endpoint(
        fields.FUNDING_ROUNDS,
        takes_filter_and_sort=False,
        takes_currency=True,
        ids="path",
        id_columns=("company_uuid",),
        added=("company_uuid",),
    ),
}


class Owner(NamedTuple):
    """The record whose list is asked for, and its name where that is known."""

    uuid: str
    name: str | None = None


@dataclass(frozen=True)
class Listing:
    """A list endpoint with everything that one walk asks of it.

    `owner` is the record in the path, `ids` at most one batch of those that the rows must have or
    be linked to; `kept` is where replies are kept.
    """

    connection: Connection = field(compare=False)
    endpoint: str
    owner: Owner | None = None
    ids: tuple[str, ...] | None = None
    filter: filters.Filter | None = None
    sort: str | None = None
    currency: Currency | None = None
    kept: Folder | None = field(default=None, compare=False)

    @property
    def takes(self) -> Endpoint:
        """What the endpoint takes."""
        return ENDPOINTS[self.endpoint]

    @property
    def resource(self) -> Resource:
        """The resource whose rows are returned."""
        return self.takes.resource

    @property
    def path(self) -> str:
        """The path of its requests; `{id}` stands for an owner that is not chosen yet."""
        path = self.connection.profile.paths[self.endpoint]
        return path if self.owner is None else path.replace("{id}", self.owner.uuid)

    @property
    def amounts_in(self) -> Currency | None:
        """The currency of amounts; None for rows that have none."""
        return (self.currency or self.connection.currency) if self.takes.takes_currency else None

    @property
    def at_most(self) -> int | None:
        """The largest number of rows there can be: one per id, where records are asked by id."""
        return len(self.ids) if self.ids is not None and self.takes.ids == "key" else None

    @property
    def limit(self) -> int:
        """Rows to ask for at a time."""
        return self.at_most or self.connection.profile.limits[self.endpoint].maximum

    @property
    def has_totals(self) -> bool:
        """Whether the endpoint counts its rows."""
        return self.takes.has_totals

    @property
    def asked(self) -> tuple[str, ...]:
        """The ids that it is asked about: its batch, or its owner."""
        return self.ids or (() if self.owner is None else (self.owner.uuid,))

    @property
    def owner_column(self) -> str | None:
        """The column that says whose row it is, where the same record can have several owners."""
        return self.takes.id_columns[0].partition(".")[0] if self.takes.ids == "path" else None

    def where(self, *conditions: filters.Filter) -> Listing:
        """The same with the conditions added."""
        own = () if self.filter is None else (self.filter,)
        joined = filters.all_of(*own, *conditions)
        return dataclasses.replace(self, filter=filters.check(joined, self.resource))

    def ask(self, step: Step) -> Reply:
        """One page, from the folder of kept replies where it is there."""
        asked = {
            "filter": self._sent_filter(),
            "sort": self.sort,
            "currency": self.amounts_in,
            "limit": step.limit,
            "offset": step.offset,
            self.connection.profile.cursor_parameter: step.cursor,
            "include_total": "true" if step.has_total else None,
        }
        if self.kept is None:
            return self.connection.get(self.path, asked)
        get, named = self.connection.session.get, sent(asked)
        name = json.dumps([self.path, step.walk, named])
        return self.connection.noted(self.kept.reply(name, lambda: get(self.path, named)))

    def read(self, replies: Sequence[Reply]) -> Chunk:
        """The rows of several pages; `UnreadableReply` where one is not what was asked for."""
        profile, money = self.connection.profile, self.amounts_in
        chunk = decode_fast.decode(replies, self.resource, profile=profile, currency=money)
        if self.ids is not None:
            self._refuse_strangers(chunk, self.ids)
        if self.filter is not None:
            contradictions.refuse(chunk, self.filter, self.resource, currency=money)
        return chunk

    def with_owner(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with what the path tells and its rows do not (`Endpoint.added`)."""
        uuid, name = self.owner or (None, None)
        if "manager_source" not in self.takes.added:
            texts = {each: pl.lit(uuid, pl.String) for each in self.takes.added}
            return frame.with_columns(**texts)
        known = pl.col("manager").struct.field("uuid").is_not_null()
        source: pl.Expr = pl.when(known).then(pl.lit("row"))
        if self.owner is not None:
            names = pl.struct(uuid=pl.lit(uuid), name=pl.lit(name, pl.String))
            frame, source = frame.with_columns(manager=names), pl.lit("path")
        return frame.with_columns(manager_source=source.cast(pl.String))

    def _sent_filter(self) -> filters.Filter | None:
        if self.ids is None:
            return self.filter
        is_key = self.takes.ids == "key"
        name = self.connection.profile.founders_filter if is_key else self.takes.id_columns[0]
        wanted = filters.Clause(name, "in_any", self.ids)
        return wanted if self.filter is None else filters.all_of(wanted, self.filter)

    def _refuse_strangers(self, chunk: Chunk, ids: tuple[str, ...]) -> None:
        """Raises `UnreadableReply` where a row belongs to none of the ids."""
        found = owners(chunk.frame, self.takes.id_columns)
        theirs = found.list.set_intersection(list(ids)).list.len()
        strangers = found.filter((found.list.len() > 0) & (theirs == 0))
        if not strangers.len():
            return
        what, ignored = "records of others than those asked for", "filter"
        if self.takes.ids == "key":
            what, ignored = "records that were not asked for", "ids"
        raise chunk.reply.unreadable(
            f"has {what} ({strangers[0][0]}), as if the service ignored the {ignored}"
        )
