"""A dataset behind filter, sort, page and convert: one place for every collection.

Rows are numbered in the order of their key, so that ties fall to the id and an id is found by
bisection. A question is answered by the rows that its rarest name leaves, or by one flag a row; a
sort is one order of all rows, which is kept; a page is cut from both only as far as it needs.
What a reply shows is held ready in columns, and written as JSON for the rows of a page at once.
"""

from __future__ import annotations

import io
import operator
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import reduce
from typing import Any, Final, Generic, TypeVar

import numpy as np
import polars as pl

from ventureframe.embedded.dataset import Dataset, Description
from ventureframe.embedded.engine.values import (
    ALL,
    Flags,
    Places,
    Postings,
    Rows,
    Scalars,
    Values,
    Where,
    holds,
    narrowed,
    read,
)
from ventureframe.embedded.money import Rates
from ventureframe.interface import fields
from ventureframe.interface.fields import Field, Resource
from ventureframe.interface.filters import Clause, Filter, Group

__all__ = ["Collection", "Dataset", "Description", "Found", "Store"]

Kept = TypeVar("Kept")
Convert = Callable[[str], pl.Series]

_RARE: Final = 8
"""Rows are looked at one by one where a name leaves less than one in so many."""


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


class Found:
    """The rows that answer a question: how many, and any stretch of them in their order.

    They are those of `order` that `flags` marks; without flags all of it.
    """

    def __init__(self, order: Rows, flags: Flags | None = None) -> None:
        self._order = order
        self._flags = flags
        self.total = len(order) if flags is None else int(np.count_nonzero(flags))

    def page(self, offset: int, limit: int) -> Rows:
        """So many rows, `offset` of them skipped."""
        if self._flags is None:
            return self._order[offset : offset + limit]
        if offset >= self.total:
            return self._order[:0]
        needed = min(offset + limit, self.total)
        reach = int(1.1 * len(self._order) * needed / self.total) + 1024
        while True:
            places = np.flatnonzero(self._flags[self._order[:reach]])
            if len(places) >= needed:
                return self._order[places[offset:needed]]
            reach *= 2

    @property
    def every(self) -> Rows:
        """All of them."""
        return self.page(0, self.total)


class Collection:
    """The rows of one resource: found by filter and sort, shown in a currency.

    `frame` holds the columns of a row as a reply shows them. `money` gives the column of an amount
    in a currency; `values` makes what a filter asks of a field where that is not its column.
    """

    def __init__(
        self,
        resource: Resource,
        frame: pl.DataFrame,
        *,
        values: Mapping[str, Callable[[], Values]] | None = None,
        money: Mapping[str, Convert] | None = None,
    ) -> None:
        self.resource = resource
        self._frame = frame.select(field.name for field in resource.returned)
        self._make = values or {}
        self._money = money or {}
        self._every: Rows = np.arange(frame.height, dtype=np.uint32)
        self._values: Recent[Values] = Recent(64)
        self._orders: Recent[Rows] = Recent(24)
        self._results: Recent[Found] = Recent(32)
        self._converted: Recent[pl.DataFrame] = Recent(8)
        numbers = pl.int_range(frame.height, dtype=pl.UInt32, eager=True)
        self._by_key = Postings(frame[resource.key], numbers, height=frame.height)

    def frame(self, currency: str = "USD") -> pl.DataFrame:
        """The columns of every row, amounts in `currency`."""
        if not self._money:
            return self._frame
        return self._converted.get(
            currency,
            lambda: self._frame.with_columns(
                **{name: convert(currency) for name, convert in self._money.items()}
            ),
        )

    def find(
        self, question: Filter | None = None, *, sort: str = "", currency: str = "USD"
    ) -> Found:
        """The rows that satisfy `question`, in the order of `sort`; nulls last, ties by id."""
        key = (str(question) if question is not None else "", sort, currency)
        return self._results.get(key, lambda: self._found(question, sort, currency))

    def to_json(self, rows: Rows, *, currency: str = "USD", without: str | None = None) -> bytes:
        """These rows as a JSON list, in their order."""
        part = self.frame(currency)[pl.Series(rows)]
        text = io.BytesIO()
        (part if without is None else part.drop(without)).write_json(text)
        return text.getvalue()

    def by_key(self, key: str) -> Rows:
        """The row with this key, or none."""
        return self._by_key.rows([key])

    def warm(self, *sorts: str) -> None:
        """Makes what the first questions would have to wait for."""
        for name in self._make:
            self._field_values(name, "USD")
        for sort in sorts:
            self._order(sort, "USD")

    def _found(self, question: Filter | None, sort: str, currency: str) -> Found:
        if question is None:
            return Found(self._order(sort, currency))
        rows = self._narrowed(question, currency)
        if rows is None or len(rows) > len(self._every) // _RARE:
            flags = self._flags(question, currency, ALL)
            return Found(self._order(sort, currency), flags)
        rows = rows[self._flags(question, currency, rows)]
        return Found(rows[self._sorted(sort, currency, rows)] if sort else rows)

    def _narrowed(self, question: Filter, currency: str) -> Rows | None:
        """Rows among which all that satisfy the question are, if some name says so."""
        if isinstance(question, Clause):
            field = self._field(question)
            return narrowed(question, read(question, field), self._field_values(field, currency))
        if not isinstance(question, Group) or question.word == "or":
            return None
        parts = (self._narrowed(part, currency) for part in question.parts)
        return min((part for part in parts if part is not None), key=len, default=None)

    def _flags(self, question: Filter, currency: str, where: Where) -> Flags:
        if isinstance(question, Group):
            join = operator.and_ if question.word == "and" else operator.or_
            return reduce(join, (self._flags(part, currency, where) for part in question.parts))
        if not isinstance(question, Clause):
            raise TypeError(f"{question!r} is no filter")
        field = self._field(question)
        return holds(question, read(question, field), self._field_values(field, currency), where)

    def _field(self, clause: Clause) -> Field:
        return self.resource.get(clause.field) or Field(
            clause.field, "uuid", "the record that the path names, which no request can ask for"
        )

    def _field_values(self, field: Field | str, currency: str) -> Values:
        name = field if isinstance(field, str) else field.alias_of or field.name
        if name == self.resource.key:
            return self._by_key
        if name in self._make:
            return self._values.get(name, self._make[name])
        key = (name, currency if name in self._money else "")
        return self._values.get(key, lambda: Scalars(self.frame(currency)[name]))

    def _order(self, sort: str, currency: str) -> Rows:
        if not sort:
            return self._every
        return self._orders.get((sort, currency), lambda: self._sorted(sort, currency, ALL))

    def _sorted(self, sort: str, currency: str, where: Where) -> Rows:
        """The places of these rows in the order of `sort`."""
        parts = sort.split(",")
        frame = self.frame(currency)
        columns = [frame[part.removeprefix("-")] for part in parts]
        if not isinstance(where, slice):
            columns = [column[pl.Series(where)] for column in columns]
        named = [column.alias(str(place)) for place, column in enumerate(columns)]
        order = pl.arg_sort_by(
            [column.name for column in named],
            descending=[part.startswith("-") for part in parts],
            nulls_last=[True] * len(parts),
            maintain_order=True,
        )
        return pl.DataFrame(named).select(order.cast(pl.UInt32)).to_series().to_numpy()


class Store:
    """Every collection of a dataset, by the name of its resource."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        tables = dataset.tables
        self._rates = rates = Rates(tables["fx"], as_of=dataset.description.as_of)
        self._native = _native_currencies(tables)
        firms = _firms(tables["investors"])
        self.companies = _companies(tables, rates)
        self.founders = _founders(tables["founders"])
        self.universities = Collection(
            fields.UNIVERSITIES,
            tables["universities"].rename({"city": "hq_city", "country": "hq_country"}),
        )
        self.investors = _investors(tables["investors"], tables["lp_managers"])
        self.funds = _funds(tables["funds"], rates, firms)
        self.funding_rounds = _funding_rounds(tables["funding_rounds"], rates, firms)
        self.news = _news(tables["news"])
        self.jobs = _jobs(tables["jobs"])

    def can_show(self, currency: str) -> bool:
        """Whether any amount of the dataset can be shown in the currency, or none is recorded."""
        return not self._native or currency in self._native or self._rates.has(currency)

    def warm(self) -> None:
        """Makes what the first questions of a day would have to wait for."""
        self.companies.warm("-total_funding", "-signal_rating")
        self.funds.warm("-fund_date")
        self.news.warm("-publish_date")
        self.jobs.warm("-date_posted")


def _native_currencies(tables: Mapping[str, pl.DataFrame]) -> set[str]:
    """The currencies in which amounts are recorded."""
    amounts = (
        ("companies", "total_funding", "total_funding_currency"),
        ("funds", "amount", "amount_currency"),
        ("funding_rounds", "amount", "amount_currency"),
    )
    return {
        code
        for table, amount, currency in amounts
        for code in tables[table].drop_nulls([amount, currency])[currency].unique()
    }


def _looked_up(values: pl.Expr, keys: pl.Series, found: pl.Series) -> pl.Expr:
    """For each value what stands beside it among `keys`; null where it is not among them."""
    return values.replace_strict(keys, found, default=None, return_dtype=found.dtype)


def _labels(texts: pl.Series) -> pl.Series:
    """Texts of which there are few, each held once."""
    return texts.cast(pl.Enum(texts.drop_nulls().unique().sort()))


def _companies(tables: Mapping[str, pl.DataFrame], rates: Rates) -> Collection:
    frame, tags, places = tables["companies"], tables["tags"], tables["locations"]
    parents = dict(places.select("id", "parent_id").iter_rows())
    seats = _headquarters(places)
    tag = pl.element()
    shown = frame.with_columns(
        *(
            _looked_up(pl.col("hq_location"), seats["id"], _labels(seats[name])).alias(name)
            for name in seats.columns[1:]
        ),
        tags=pl.col("tag_id").list.eval(
            pl.struct(
                id=tag,
                name=_looked_up(tag, tags["id"], _labels(tags["label"])),
                type=_looked_up(tag, tags["id"], _labels(tags["type"])),
            )
        ),
    )
    return Collection(
        fields.COMPANIES,
        shown,
        values={
            "has_founder": lambda: Scalars(frame["founders"].list.len() > 0),
            "hq_location": lambda: Places(frame["hq_location"], parents),
            "tag_id": lambda: Postings.of(frame["tag_id"]),
            "founder_university_name": lambda: _universities_of(frame, tables["founders"]),
            "signal_timing": lambda: Scalars(frame["signal_timing"]),
            "signal_team": lambda: Scalars(frame["signal_team"]),
        },
        money={
            "total_funding": lambda currency: rates.convert(
                frame["total_funding"], frame["total_funding_currency"], to=currency
            )
        },
    )


def _headquarters(locations: pl.DataFrame) -> pl.DataFrame:
    """For each place, the city, country and continent it is or lies in."""
    rows = {row["id"]: row for row in locations.iter_rows(named=True)}
    found = []
    for place in rows:
        names: dict[str, Any] = {"id": place, "hq_city": None, "hq_country": None}
        names["hq_continent"] = None
        at = rows.get(place)
        while at is not None:
            if f"hq_{at['type']}" in names:
                names[f"hq_{at['type']}"] = at["name"]
            at = rows.get(at["parent_id"])
        found.append(names)
    text = dict.fromkeys(("hq_city", "hq_country", "hq_continent"), pl.String)
    return pl.DataFrame(found, schema={"id": pl.Int64, **text})


def _universities_of(companies: pl.DataFrame, founders: pl.DataFrame) -> Postings:
    """The companies by the names of universities in their founders' education."""
    names = (
        founders.lazy()
        .select("uuid", entry="education")
        .explode("entry", empty_as_null=False, keep_nulls=False)
        .select("uuid", value=pl.col("entry").struct.field("university_name"))
        .drop_nulls()
    )
    flat = (
        companies.lazy()
        .select(uuid="founders")
        .with_row_index("row")
        .explode("uuid", empty_as_null=False, keep_nulls=False)
        .join(names, on="uuid")
        .sort("row")
        .collect()
    )
    return Postings(flat["value"], flat["row"], height=companies.height)


def _founders(frame: pl.DataFrame) -> Collection:
    if "is_withheld" in frame.columns:
        frame = frame.filter(~pl.col("is_withheld").fill_null(value=False))
    return Collection(fields.FOUNDERS, frame)


def _investors(frame: pl.DataFrame, links: pl.DataFrame) -> Collection:
    """Investors; `lp_uuid` finds the managers recorded for an LP."""
    numbered = frame.select(manager_uuid="uuid").with_row_index("row")
    backed = links.join(numbered, on="manager_uuid").sort("row")
    return Collection(
        fields.INVESTORS,
        frame,
        values={"lp_uuid": lambda: Postings(backed["lp_uuid"], backed["row"], height=frame.height)},
    )


def _firms(investors: pl.DataFrame) -> Callable[[pl.Expr], pl.Expr]:
    """What turns the UUID of an investor into its UUID and name."""
    return lambda uuid: pl.struct(
        uuid=uuid, name=_looked_up(uuid, investors["uuid"], investors["name"])
    )


_SOURCE: Final = pl.when(pl.col("amount").is_not_null()).then(
    pl.struct("amount", currency="amount_currency")
)
"""The amount as announced; null where none is recorded."""


def _funds(frame: pl.DataFrame, rates: Rates, firms: Callable[[pl.Expr], pl.Expr]) -> Collection:
    return Collection(
        fields.FUNDS,
        frame.with_columns(amount_source=_SOURCE, manager=firms(pl.col("manager_uuid"))),
        values={
            "amount": lambda: Scalars(frame["amount"]),
            "year": lambda: Scalars(frame["fund_date"].dt.year()),
            "investor_id": lambda: Postings.of(frame["manager_uuid"]),
        },
        money={
            "amount": lambda currency: rates.convert(
                frame["amount"], frame["amount_currency"], to=currency, day=frame["fund_date"]
            )
        },
    )


def _funding_rounds(
    frame: pl.DataFrame, rates: Rates, firms: Callable[[pl.Expr], pl.Expr]
) -> Collection:
    """Rounds; `company_uuid` finds those of a company. A round is dated the first of its month."""
    day = frame.select(pl.date("year", pl.col("month").fill_null(1), 1)).to_series()
    return Collection(
        fields.FUNDING_ROUNDS,
        frame.with_columns(
            amount_source=_SOURCE, investors=pl.col("investors").list.eval(firms(pl.element()))
        ),
        values={"company_uuid": lambda: Postings.of(frame["company_uuid"])},
        money={
            "amount": lambda currency: rates.convert(
                frame["amount"], frame["amount_currency"], to=currency, day=day
            )
        },
    )


def _news(frame: pl.DataFrame) -> Collection:
    """News; a filter by `entity_id` finds an article by any company it is linked to."""
    return Collection(
        fields.NEWS,
        frame.with_columns(entity_id=pl.col("entity_ids").list.first()),
        values={"entity_id": lambda: Postings.of(frame["entity_ids"])},
    )


def _jobs(frame: pl.DataFrame) -> Collection:
    return Collection(
        fields.JOBS, frame, values={"entity_id": lambda: Postings.of(frame["entity_id"])}
    )
