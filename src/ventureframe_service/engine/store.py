"""Every collection of a dataset as an index: what a reply shows and a filter reads
of its rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from ventureframe.dataset import places
from ventureframe.dataset.rates import Rates
from ventureframe.interface import fields
from ventureframe.interface.fields import Resource, fold
from ventureframe_service.dataset import Dataset
from ventureframe_service.engine.index import Convert, Index, pairs

_AMOUNTS = {
    "companies": "total_funding",
    "funds": "amount",
    "funding_rounds": "amount",
}
_ANNOUNCED = pl.struct("amount", currency="amount_currency")
_SOURCE = pl.when(pl.col("amount").is_not_null()).then(_ANNOUNCED)  # else null


@dataclass(frozen=True)
class Collection:
    """The rows of a resource, and what an index makes of them."""

    resource: Resource
    rows: pl.DataFrame
    postings: Mapping[str, pl.LazyFrame] = field(default_factory=dict)
    money: Mapping[str, Convert] = field(default_factory=dict)
    is_filtered_as_recorded: bool = False  # of an amount, that is


class Store:
    """Every collection of a dataset: `indexes` by the name of its resource."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset, self._tables = dataset, dataset.tables
        self._rates = Rates(self._tables["fx"], as_of=dataset.description.as_of)
        native = set[str]()
        for table, amount in _AMOUNTS.items():
            recorded = self._tables[table].drop_nulls(amount)
            native.update(recorded[f"{amount}_currency"].drop_nulls().unique())
        self._currencies = {*native, *self._rates.latest} if native else native
        self.indexes = dict[str, Index]()
        for make in (
            self._companies,
            self._founders,
            self._universities,
            self._investors,
            self._funds,
            self._rounds,
            self._news,
            self._jobs,
        ):
            collection = make()
            self.indexes[collection.resource.name] = _index(collection)

    def can_show(self, currency: str) -> bool:
        """Whether any amount of the dataset can be shown in the currency, or none is
        recorded.

        Amounts that a service converted are shown in the currency they were
        converted to.
        """
        if self.dataset.converted_to is not None:
            return currency == self.dataset.converted_to
        return not self._currencies or currency in self._currencies

    def _companies(self) -> Collection:
        rows, tags = self._tables["companies"], self._tables["tags"]
        within = places.above(self._tables["locations"])
        tag, ids = pl.element(), tags["id"]
        label = places.looked_up(tag, ids, places.labels(tags["label"]))
        kind = places.looked_up(tag, ids, places.labels(tags["type"]))
        entry = pl.struct(id=tag, name=label, type=kind)
        tagged = self._named("tags", pl.col("tag_id").list.eval(entry))
        has_founder = pl.col("founders").list.len() > 0
        companies = rows.with_columns(places.headquarters(within))
        companies = companies.with_columns(tags=tagged, has_founder=has_founder)
        located = rows.lazy().select(id="hq_location").with_row_index("row")
        postings = {"hq_location": located.join(within.lazy(), on="id")}
        postings["tag_id"] = pairs(rows, "tag_id")
        postings["founder_university_name"] = self.studied("university_name")
        money = self._money(rows, "total_funding")
        return Collection(fields.COMPANIES, companies, postings, money)

    def _founders(self) -> Collection:
        return Collection(fields.FOUNDERS, returned(self._tables["founders"]))

    def _universities(self) -> Collection:
        hq = {"city": "hq_city", "country": "hq_country"}
        rows = self._tables["universities"].rename(hq)
        return Collection(fields.UNIVERSITIES, rows)

    def _investors(self) -> Collection:
        firms, edges = self._tables["investors"], self._tables["lp_managers"]
        managers = firms.lazy().select(manager_uuid="uuid").with_row_index("row")
        backed = edges.lazy().join(managers, on="manager_uuid")
        lps = firms.select(lp_uuid="uuid", lp_name="name", lp_domain="website_domain")
        named = edges.join(lps, on="lp_uuid").group_by(uuid="manager_uuid")
        backers = named.agg(lps=pl.struct(lps.columns))
        rows = firms.join(backers, on="uuid", how="left", maintain_order="left")
        postings = {"lp_uuid": backed.select("row", value="lp_uuid")}
        return Collection(fields.INVESTORS, rows, postings)

    def _funds(self) -> Collection:
        """The amount of a fund is filtered as recorded (interface, conventions)."""
        funds = self._tables["funds"]
        manager = self._named("investors", self._firm(pl.col("manager_uuid")))
        year = pl.col("fund_date").dt.year()
        rows = funds.with_columns(amount_source=_SOURCE, manager=manager, year=year)
        postings = {"investor_id": pairs(funds, "manager_uuid")}
        money = self._money(funds, "amount", "fund_date")
        return Collection(
            fields.FUNDS, rows, postings, money, is_filtered_as_recorded=True
        )

    def _rounds(self) -> Collection:
        """A round is dated the first of its month."""
        rounds = self._tables["funding_rounds"]
        firms = pl.col("investors").list.eval(self._firm(pl.element()))
        investors = self._named("investors", firms)
        rows = rounds.with_columns(amount_source=_SOURCE, investors=investors)
        day = pl.date("year", pl.col("month").fill_null(1), 1)
        postings = {"company_uuid": pairs(rounds, "company_uuid")}
        money = self._money(rounds.with_columns(day=day), "amount", "day")
        return Collection(fields.FUNDING_ROUNDS, rows, postings, money)

    def _news(self) -> Collection:
        news = self._tables["news"]
        rows = news.with_columns(entity_id=pl.col("entity_ids").list.first())
        return Collection(fields.NEWS, rows, {"entity_id": pairs(news, "entity_ids")})

    def _jobs(self) -> Collection:
        jobs = self._tables["jobs"]
        return Collection(fields.JOBS, jobs, {"entity_id": pairs(jobs, "entity_id")})

    def studied(self, member: str) -> pl.LazyFrame:
        """Return the rows of companies by a member of their founders' education
        entries; text is folded.
        """
        value = pl.element().struct.field(member)
        founders = self._tables["founders"].lazy()
        values = pl.col("education").list.eval(value)
        entries = founders.select(founder="uuid", value=values)
        entries = entries.explode("value").drop_nulls()
        folded = pl.col("value").map_batches(_fold, return_dtype=pl.String)
        rows = pairs(self._tables["companies"], "founders").rename({"value": "founder"})
        joined = rows.join(entries.with_columns(folded), on="founder")
        return joined.select("row", "value")

    def _named(self, table: str, value: pl.Expr) -> pl.Expr:
        """Return the value, which names records of a table; null where the folder lacks
        it.
        """
        return pl.lit(None) if table in self.dataset.absent else value

    def _firm(self, uuid: pl.Expr) -> pl.Expr:
        """Return an investor as another row refers to it."""
        firms = self._tables["investors"]
        name = places.looked_up(uuid, firms["uuid"], firms["name"])
        return pl.struct(uuid=uuid, name=name)

    def _money(
        self, rows: pl.DataFrame, amount: str, day: str | None = None
    ) -> Mapping[str, Convert]:
        """Return what makes the column of an amount in a currency."""
        converted = f"{amount}_converted"
        if converted in rows.columns:  # a pull: as the service converted it
            return {amount: lambda _to: rows[converted].alias(amount)}
        own_day = pl.lit(None, pl.Date) if day is None else pl.col(day)
        rows = rows.with_columns(own_day.alias("day"))
        native = rows.select("day", amount=amount, currency=f"{amount}_currency")
        amounts = native.to_struct()
        return {amount: lambda to: self._rates.convert(amounts, to=to)}


def returned(founders: pl.DataFrame) -> pl.DataFrame:
    """Return the founders of whom a reply shows the record."""
    if "is_withheld" not in founders.columns:
        return founders
    return founders.filter(~pl.col("is_withheld").fill_null(value=False))


def _index(collection: Collection) -> Index:
    money = collection.money
    return Index(
        collection.resource,
        collection.rows,
        postings=collection.postings,
        money=money,
        native=money if collection.is_filtered_as_recorded else (),
    )


def _fold(texts: pl.Series) -> pl.Series:
    written = texts.unique()
    folded = pl.Series([fold(text) for text in written], dtype=pl.String)
    return texts.replace_strict(written, folded)
