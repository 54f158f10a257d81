"""Every collection of a dataset as an index: what a reply shows and a filter reads of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import polars as pl

from ventureframe.embedded.dataset import Dataset
from ventureframe.embedded.engine.index import Convert, Index
from ventureframe.embedded.engine.postings import Postings
from ventureframe.embedded.money import Rates
from ventureframe.interface import fields

Tables = Mapping[str, pl.DataFrame]

_AMOUNTS: Final = (
    ("companies", "total_funding", "total_funding_currency"),
    ("funds", "amount", "amount_currency"),
    ("funding_rounds", "amount", "amount_currency"),
)
_SOURCE: Final = pl.when(pl.col("amount").is_not_null()).then(
    pl.struct("amount", currency="amount_currency")
)
"""The amount as announced; null where none is recorded."""


class Store:
    """Every collection of a dataset, by the name of its resource."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        tables = dataset.tables
        self._rates = rates = Rates(tables["fx"], as_of=dataset.description.as_of)
        self._native = {
            code
            for table, amount, currency in _AMOUNTS
            for code in tables[table].drop_nulls([amount, currency])[currency].unique()
        }
        self.companies = _companies(tables, rates)
        self.founders = _founders(tables["founders"])
        self.universities = Index(
            fields.UNIVERSITIES,
            tables["universities"].rename({"city": "hq_city", "country": "hq_country"}),
        )
        self.investors = _investors(tables)
        self.funds = _funds(tables, rates)
        self.funding_rounds = _funding_rounds(tables, rates)
        self.news = _news(tables["news"])
        jobs = tables["jobs"]
        self.jobs = Index(
            fields.JOBS, jobs, postings={"entity_id": lambda: Postings.of(jobs["entity_id"])}
        )

    def can_show(self, currency: str) -> bool:
        """Whether any amount of the dataset can be shown in the currency, or none is recorded."""
        return not self._native or currency in self._native or self._rates.has(currency)

    def warm(self) -> None:
        """Makes what the first queries of a day would have to wait for."""
        self.companies.warm("-total_funding", "-signal_rating")
        self.funds.warm("-fund_date")
        self.news.warm("-publish_date")
        self.jobs.warm("-date_posted")


def _looked_up(values: pl.Expr, keys: pl.Series, found: pl.Series) -> pl.Expr:
    """For each value what stands beside it among `keys`; null where it is not among them."""
    return values.replace_strict(keys, found, default=None, return_dtype=found.dtype)


def _labels(texts: pl.Series) -> pl.Series:
    """A column with few different texts, each held once."""
    return texts.cast(pl.Enum(texts.drop_nulls().unique().sort()))


def _converted(
    rates: Rates, frame: pl.DataFrame, amount: str, currency: str, day: pl.Series | None = None
) -> Mapping[str, Convert]:
    return {amount: lambda to: rates.convert(frame[amount], frame[currency], to=to, day=day)}


def _companies(tables: Tables, rates: Rates) -> Index:
    frame, tags, places = tables["companies"], tables["tags"], tables["locations"]
    above = _above(places)
    seats = _headquarters(places, above)
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
        has_founder=pl.col("founders").list.len() > 0,
    )
    return Index(
        fields.COMPANIES,
        shown,
        postings={
            "hq_location": lambda: _within(frame["hq_location"], above),
            "tag_id": lambda: Postings.of(frame["tag_id"]),
            "founder_university_name": lambda: _universities_of(frame, tables["founders"]),
        },
        money=_converted(rates, frame, "total_funding", "total_funding_currency"),
    )


def _above(locations: pl.DataFrame) -> Mapping[int, list[int]]:
    """For each place itself and the places it lies in, the nearest first."""
    parents = dict(locations.select("id", "parent_id").iter_rows())
    found = {}
    for place in parents:
        found[place] = [place]
        while (parent := parents[found[place][-1]]) in parents:
            found[place].append(parent)
    return found


def _headquarters(locations: pl.DataFrame, above: Mapping[int, list[int]]) -> pl.DataFrame:
    """For each place, the city, country and continent it is or lies in."""
    named = {
        id_: (f"hq_{kind}", name)
        for id_, name, kind in locations.select("id", "name", "type").iter_rows()
    }
    text = dict.fromkeys(("hq_city", "hq_country", "hq_continent"), pl.String)
    rows = [{"id": place} | dict(named[each] for each in line) for place, line in above.items()]
    return pl.DataFrame(rows, schema={"id": pl.Int64, **text})


def _within(places: pl.Series, above: Mapping[int, list[int]]) -> Postings:
    """The rows by their place and by every place that it lies in."""
    pairs = pl.DataFrame(
        {"id": list(above), "value": list(above.values())},
        schema={"id": pl.Int64, "value": pl.List(pl.Int64)},
    )
    rows = places.alias("id").to_frame().with_row_index("row")
    joined = rows.join(pairs, on="id", maintain_order="left").explode("value")
    return Postings(joined, height=len(places))


def _universities_of(companies: pl.DataFrame, founders: pl.DataFrame) -> Postings:
    """The companies by the names of universities in their founders' education."""
    names = (
        founders.lazy()
        .select("uuid", entry="education")
        .explode("entry", empty_as_null=False, keep_nulls=False)
        .select("uuid", value=pl.col("entry").struct.field("university_name"))
        .drop_nulls()
    )
    pairs = (
        companies.lazy()
        .select(uuid="founders")
        .with_row_index("row")
        .explode("uuid", empty_as_null=False, keep_nulls=False)
        .join(names, on="uuid")
        .sort("row")
        .collect()
    )
    return Postings(pairs, height=companies.height)


def _founders(frame: pl.DataFrame) -> Index:
    if "is_withheld" in frame.columns:
        frame = frame.filter(~pl.col("is_withheld").fill_null(value=False))
    return Index(fields.FOUNDERS, frame)


def _investors(tables: Tables) -> Index:
    """Investors; `lp_uuid` finds the managers recorded for an LP."""
    frame = tables["investors"]
    numbered = frame.select(manager_uuid="uuid").with_row_index("row")
    backed = tables["lp_managers"].join(numbered, on="manager_uuid").sort("row")
    pairs = backed.select("row", value="lp_uuid")
    return Index(
        fields.INVESTORS,
        frame,
        postings={"lp_uuid": lambda: Postings(pairs, height=frame.height)},
    )


def _firms(investors: pl.DataFrame) -> Callable[[pl.Expr], pl.Expr]:
    """What turns the UUID of an investor into its UUID and name."""
    return lambda uuid: pl.struct(
        uuid=uuid, name=_looked_up(uuid, investors["uuid"], investors["name"])
    )


def _funds(tables: Tables, rates: Rates) -> Index:
    """Fund vehicles; their amount is filtered as recorded (interface, conventions)."""
    frame, firm = tables["funds"], _firms(tables["investors"])
    return Index(
        fields.FUNDS,
        frame.with_columns(
            amount_source=_SOURCE,
            manager=firm(pl.col("manager_uuid")),
            year=pl.col("fund_date").dt.year(),
        ),
        postings={"investor_id": lambda: Postings.of(frame["manager_uuid"])},
        money=_converted(rates, frame, "amount", "amount_currency", frame["fund_date"]),
        native=["amount"],
    )


def _funding_rounds(tables: Tables, rates: Rates) -> Index:
    """Rounds; `company_uuid` finds those of a company. A round is dated the first of its month."""
    frame, firm = tables["funding_rounds"], _firms(tables["investors"])
    day = frame.select(pl.date("year", pl.col("month").fill_null(1), 1)).to_series()
    return Index(
        fields.FUNDING_ROUNDS,
        frame.with_columns(
            amount_source=_SOURCE, investors=pl.col("investors").list.eval(firm(pl.element()))
        ),
        postings={"company_uuid": lambda: Postings.of(frame["company_uuid"])},
        money=_converted(rates, frame, "amount", "amount_currency", day),
    )


def _news(frame: pl.DataFrame) -> Index:
    """News; a filter by `entity_id` finds an article by any company it is linked to."""
    return Index(
        fields.NEWS,
        frame.with_columns(entity_id=pl.col("entity_ids").list.first()),
        postings={"entity_id": lambda: Postings.of(frame["entity_ids"])},
    )
