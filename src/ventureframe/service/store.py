"""A dataset behind filter, sort, page and convert: one place for every collection.

Rows are numbered in the order of their key, so that ties fall to the id and an id is found by
bisection. A filter becomes one flag a row, a sort one order of all rows; both are kept, and so is
the result of the last few questions, of which the next page is a slice.
"""

from __future__ import annotations

import operator
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import reduce
from typing import Any, Final, Generic, TypeVar

import polars as pl

from ventureframe import fields
from ventureframe.fields import Field, Resource
from ventureframe.filters import Clause, Filter, Group
from ventureframe.service.dataset import Dataset, Description
from ventureframe.service.money import Rates
from ventureframe.service.values import Places, Postings, Scalars, Values, holds

__all__ = ["Collection", "Dataset", "Description", "Store"]

Row = dict[str, Any]
Kept = TypeVar("Kept")

_MASKS: Final = 256
_ORDERS: Final = 24
_RESULTS: Final = 16


class Recent(Generic[Kept]):
    """The last few things made, by what they were made for."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What was made for `key`; made now where it is not kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return made


class Collection:
    """The rows of one resource: found by filter and sort, shown in a currency.

    `values` makes what a filter asks of a field that is no plain column; `money` gives a field in
    a currency; `show` turns gathered rows into what a reply holds, amounts already converted.
    """

    def __init__(
        self,
        resource: Resource,
        frame: pl.DataFrame,
        *,
        show: Callable[[pl.DataFrame], list[Row]],
        values: Mapping[str, Callable[[], Values]] | None = None,
        money: Mapping[str, Callable[[str], pl.Series]] | None = None,
        native: frozenset[str] = frozenset(),
    ) -> None:
        self.resource = resource
        self._frame = frame
        self._show = show
        self._make = values or {}
        self._money = money or {}
        self._native = native
        self._values: Recent[Values] = Recent(64)
        self._masks: Recent[pl.Series] = Recent(_MASKS)
        self._orders: Recent[pl.Series] = Recent(_ORDERS)
        self._results: Recent[pl.Series] = Recent(_RESULTS)
        self._converted: Recent[pl.Series] = Recent(16)
        self._by_key = Postings(frame[resource.key], self.every_row, height=frame.height)

    @property
    def every_row(self) -> pl.Series:
        """The number of every row, in the order of the key."""
        return pl.int_range(self._frame.height, dtype=pl.UInt32, eager=True)

    def find(
        self, question: Filter | None = None, *, sort: str = "", currency: str = "USD"
    ) -> pl.Series:
        """The rows that satisfy `question`, in the order of `sort`; nulls last, ties by id."""
        key = (str(question) if question is not None else "", sort, currency)
        return self._results.get(key, lambda: self._found(question, sort, currency))

    def rows(self, found: pl.Series, *, currency: str = "USD") -> list[Row]:
        """What a reply shows of these rows, in their order."""
        part = self._frame.select(pl.all().gather(found))
        amounts = [self._column(name, currency).gather(found).alias(name) for name in self._money]
        native = {f"{name}_native": pl.col(name) for name in self._money}
        return self._show(part.with_columns(**native).with_columns(amounts))

    def by_key(self, key: str) -> pl.Series:
        """The row with this key, or none."""
        return self._by_key.rows([key])

    def _found(self, question: Filter | None, sort: str, currency: str) -> pl.Series:
        if question is None:
            return self._order(sort, currency)
        mask = self._mask(question, currency)
        if not sort:
            return mask.arg_true()
        order = self._order(sort, currency)
        return order.filter(mask.gather(order))

    def _mask(self, question: Filter, currency: str) -> pl.Series:
        if isinstance(question, Group):
            join = operator.and_ if question.word == "and" else operator.or_
            return reduce(join, (self._mask(part, currency) for part in question.parts))
        if not isinstance(question, Clause):
            raise TypeError(f"{question!r} is no filter")
        key = (str(question), currency)
        return self._masks.get(key, lambda: self._clause_mask(question, currency))

    def _clause_mask(self, clause: Clause, currency: str) -> pl.Series:
        field = self.resource.get(clause.field) or _owner(clause.field)
        name = field.alias_of or field.name
        return holds(clause, field, self._field_values(name, currency))

    def _field_values(self, name: str, currency: str) -> Values:
        if name == self.resource.key:
            return self._by_key
        if name in self._make:
            return self._values.get(name, self._make[name])
        if name in self._native:
            return Scalars(self._frame[name])
        return Scalars(self._column(name, currency))

    def _column(self, name: str, currency: str) -> pl.Series:
        if name in self._money:
            return self._converted.get((name, currency), lambda: self._money[name](currency))
        return self._frame[name]

    def _order(self, sort: str, currency: str) -> pl.Series:
        if not sort:
            return self.every_row
        return self._orders.get((sort, currency), lambda: self._sorted(sort, currency))

    def _sorted(self, sort: str, currency: str) -> pl.Series:
        parts = sort.split(",")
        columns = [
            self._column(part.removeprefix("-"), currency).alias(str(position))
            for position, part in enumerate(parts)
        ]
        order = pl.arg_sort_by(
            [column.name for column in columns],
            descending=[part.startswith("-") for part in parts],
            nulls_last=[True] * len(parts),
            maintain_order=True,
        )
        return pl.DataFrame(columns).select(order.cast(pl.UInt32)).to_series()


def _owner(name: str) -> Field:
    """The field by which a nested list is found, which no filter of a request can name."""
    return Field(name, "uuid", "the record that the path names", operators=("eq",))


class Store:
    """Every collection of a dataset, by the name of its resource."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        tables = dataset.tables
        rates = Rates(tables["fx"], as_of=dataset.description.as_of)
        firms = dict(tables["investors"].select("uuid", "name").iter_rows())
        self.companies = _companies(tables, rates)
        self.founders = _founders(tables["founders"])
        self.universities = _plain(
            fields.UNIVERSITIES,
            tables["universities"].rename({"city": "hq_city", "country": "hq_country"}),
        )
        self.investors = _investors(tables["investors"], tables["lp_managers"])
        self.funds = _funds(tables["funds"], rates, firms)
        self.funding_rounds = _funding_rounds(tables["funding_rounds"], rates, firms)
        self.news = _news(tables["news"])
        self.jobs = _jobs(tables["jobs"])


def _plain(resource: Resource, frame: pl.DataFrame) -> Collection:
    """A collection whose rows are its columns."""
    return Collection(resource, _shown(resource, frame), show=_as_is)


def _as_is(part: pl.DataFrame) -> list[Row]:
    return part.to_dicts()


def _shown(resource: Resource, frame: pl.DataFrame, *also: str) -> pl.DataFrame:
    """The columns of a row, in order, and those that only the filter needs."""
    return frame.select(
        *(field.name for field in resource.returned if field.name in frame.columns), *also
    )


def _with_days(frame: pl.DataFrame) -> pl.DataFrame:
    """Days as the wire writes them; their text sorts as they do."""
    return frame.with_columns(pl.selectors.date().cast(pl.String))


def _several(frame: pl.DataFrame, column: str) -> Callable[[], Postings]:
    """What makes the postings of a list column of `frame`."""

    def make() -> Postings:
        flat = (
            frame.select(pl.col(column).alias("value"))
            .with_row_index("row")
            .explode("value", keep_nulls=False)
            .drop_nulls()
        )
        return Postings(flat["value"], flat["row"], height=frame.height)

    return make


def _one(frame: pl.DataFrame, column: str) -> Callable[[], Postings]:
    """What makes the postings of a plain column of `frame`."""

    def make() -> Postings:
        flat = frame.select(pl.col(column).alias("value")).with_row_index("row").drop_nulls()
        return Postings(flat["value"], flat["row"], height=frame.height)

    return make


def _companies(tables: Mapping[str, pl.DataFrame], rates: Rates) -> Collection:
    frame = tables["companies"]
    tags = {
        row["id"]: {"id": row["id"], "name": row["label"], "type": row["type"]}
        for row in tables["tags"].iter_rows(named=True)
    }
    places = _headquarters(tables["locations"])
    parents = dict(tables["locations"].select("id", "parent_id").iter_rows())

    def show(part: pl.DataFrame) -> list[Row]:
        return [_company(row, tags=tags, places=places) for row in part.iter_rows(named=True)]

    return Collection(
        fields.COMPANIES,
        _shown(
            fields.COMPANIES,
            frame,
            *("hq_location", "tag_id", "signal_timing", "signal_team"),
        ),
        show=show,
        values={
            "has_founder": lambda: Scalars(frame["founders"].list.len() > 0),
            "hq_location": lambda: Places(frame["hq_location"], parents),
            "tag_id": _several(frame, "tag_id"),
            "founder_university_name": lambda: _universities_of(frame, tables["founders"]),
        },
        money={
            "total_funding": lambda currency: rates.convert(
                frame["total_funding"], frame["total_funding_currency"], to=currency
            )
        },
    )


_NOWHERE: Final[Mapping[str, str | None]] = {
    "hq_city": None,
    "hq_country": None,
    "hq_continent": None,
}


def _company(
    row: Row, *, tags: Mapping[int, Row], places: Mapping[int, Mapping[str, str | None]]
) -> Row:
    row["tags"] = [tags.get(tag, {"id": tag, "name": None, "type": None}) for tag in row["tag_id"]]
    row.update(places.get(row["hq_location"], _NOWHERE))
    return {field.name: row[field.name] for field in fields.COMPANIES.returned}


def _headquarters(locations: pl.DataFrame) -> dict[int, Mapping[str, str | None]]:
    """For each place, the city, country and continent it is or lies in."""
    rows = {row["id"]: row for row in locations.iter_rows(named=True)}
    found: dict[int, Mapping[str, str | None]] = {}
    for place in rows:
        names = dict(_NOWHERE)
        at = rows.get(place)
        while at is not None:
            if f"hq_{at['type']}" in names:
                names[f"hq_{at['type']}"] = at["name"]
            at = rows.get(at["parent_id"])
        found[place] = names
    return found


def _universities_of(companies: pl.DataFrame, founders: pl.DataFrame) -> Postings:
    """The companies by the names of universities in their founders' education."""
    names = (
        founders.lazy()
        .select("uuid", entry="education")
        .explode("entry", keep_nulls=False)
        .select("uuid", value=pl.col("entry").struct.field("university_name"))
        .drop_nulls()
    )
    flat = (
        companies.lazy()
        .select(uuid="founders")
        .with_row_index("row")
        .explode("uuid", keep_nulls=False)
        .join(names, on="uuid")
        .collect()
    )
    return Postings(flat["value"], flat["row"], height=companies.height)


def _founders(frame: pl.DataFrame) -> Collection:
    if "is_withheld" in frame.columns:
        frame = frame.filter(~pl.col("is_withheld").fill_null(value=False))
    return _plain(fields.FOUNDERS, frame)


def _investors(frame: pl.DataFrame, links: pl.DataFrame) -> Collection:
    """Investors; `lp_uuid` finds the managers recorded for an LP."""
    numbered = frame.select(manager_uuid="uuid").with_row_index("row")
    backed = links.join(numbered, on="manager_uuid")
    return Collection(
        fields.INVESTORS,
        _shown(fields.INVESTORS, frame),
        show=_as_is,
        values={"lp_uuid": lambda: Postings(backed["lp_uuid"], backed["row"], height=frame.height)},
    )


def _funds(frame: pl.DataFrame, rates: Rates, firms: Mapping[str, str]) -> Collection:
    def show(part: pl.DataFrame) -> list[Row]:
        return [_fund(row, firms) for row in part.iter_rows(named=True)]

    return Collection(
        fields.FUNDS,
        _with_days(frame).select(
            *_shown(fields.FUNDS, frame).columns,
            "amount_currency",
            "manager_uuid",
            year=frame["fund_date"].dt.year(),
        ),
        show=show,
        values={"investor_id": _one(frame, "manager_uuid")},
        money={
            "amount": lambda currency: rates.convert(
                frame["amount"], frame["amount_currency"], to=currency, day=frame["fund_date"]
            )
        },
        native=frozenset({"amount"}),
    )


def _fund(row: Row, firms: Mapping[str, str]) -> Row:
    row["amount_source"] = _native(row)
    row["manager"] = _firm(row["manager_uuid"], firms)
    return {field.name: row[field.name] for field in fields.FUNDS.returned}


def _native(row: Row) -> Row | None:
    """The amount as announced; null where none is recorded."""
    if row["amount_native"] is None:
        return None
    return {"amount": row["amount_native"], "currency": row["amount_currency"]}


def _firm(uuid: str, firms: Mapping[str, str]) -> Row:
    return {"uuid": uuid, "name": firms.get(uuid)}


def _funding_rounds(frame: pl.DataFrame, rates: Rates, firms: Mapping[str, str]) -> Collection:
    """Rounds; `company_uuid` finds those of a company. A round is dated the first of its month."""
    day = frame.select(
        pl.date("year", pl.col("month").fill_null(1), 1),
    ).to_series()

    def show(part: pl.DataFrame) -> list[Row]:
        return [_funding_round(row, firms) for row in part.iter_rows(named=True)]

    return Collection(
        fields.FUNDING_ROUNDS,
        _shown(fields.FUNDING_ROUNDS, frame, "amount_currency", "company_uuid"),
        show=show,
        values={"company_uuid": _one(frame, "company_uuid")},
        money={
            "amount": lambda currency: rates.convert(
                frame["amount"], frame["amount_currency"], to=currency, day=day
            )
        },
    )


def _funding_round(row: Row, firms: Mapping[str, str]) -> Row:
    row["amount_source"] = _native(row)
    if row["investors"] is not None:
        row["investors"] = [_firm(uuid, firms) for uuid in row["investors"]]
    return {field.name: row[field.name] for field in fields.FUNDING_ROUNDS.returned}


def _news(frame: pl.DataFrame) -> Collection:
    """News; a filter by `entity_id` finds an article by any company it is linked to."""
    first = frame.with_columns(entity_id=pl.col("entity_ids").list.first())
    return Collection(
        fields.NEWS,
        _shown(fields.NEWS, _with_days(first)),
        show=_as_is,
        values={"entity_id": _several(frame, "entity_ids")},
    )


def _jobs(frame: pl.DataFrame) -> Collection:
    return Collection(
        fields.JOBS,
        _shown(fields.JOBS, _with_days(frame)),
        show=_as_is,
        values={"entity_id": _one(frame, "entity_id")},
    )
