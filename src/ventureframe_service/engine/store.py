"""Every collection of a dataset as an index: what a reply shows and a filter reads
of its rows.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import polars as pl

from ventureframe.dataset import places
from ventureframe.dataset.rates import Rates
from ventureframe.interface import fields
from ventureframe.interface.fields import Resource, fold
from ventureframe_service.dataset import Dataset
from ventureframe_service.engine.index import Index, pairs

_AMOUNTS: Final = {
    "companies": "total_funding",
    "funds": "amount",
    "funding_rounds": "amount",
}
_ANNOUNCED: Final = pl.struct("amount", currency="amount_currency")
_SOURCE: Final = pl.when(pl.col("amount").is_not_null()).then(_ANNOUNCED)  # else null

Collection = tuple[Resource, pl.DataFrame, dict[str, Any]]  # the arguments of an index


class Store:
    """Every collection of a dataset: `indexes` by the name of its resource."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset, self._tables = dataset, dataset.tables
        self._rates = Rates(self._tables["fx"], as_of=dataset.description.as_of)
        codes = (
            self._tables[table].drop_nulls(amount)[f"{amount}_currency"]
            for table, amount in _AMOUNTS.items()
        )
        self._native = {
            code for column in codes for code in column.drop_nulls().unique()
        }
        self.indexes = {
            resource.name: Index(resource, rows, **more)
            for resource, rows, more in (self._companies(), *self._others())
        }

    def can_show(self, currency: str) -> bool:
        """Whether any amount of the dataset can be shown in the currency, or none is
        recorded.

        Amounts that a service converted are shown in the currency they were
        converted to.
        """
        if self.dataset.converted_to is not None:
            return currency == self.dataset.converted_to
        return not self._native or currency in self._native or self._rates.has(currency)

    def _companies(self) -> Collection:
        rows, founders, tags = (
            self._tables[name] for name in ("companies", "founders", "tags")
        )
        within, tag = places.above(self._tables["locations"]), pl.element()
        label = places.looked_up(tag, tags["id"], places.labels(tags["label"]))
        kind = places.looked_up(tag, tags["id"], places.labels(tags["type"]))
        shown = rows.with_columns(
            *places.headquarters(within),
            tags=pl.col("tag_id").list.eval(pl.struct(id=tag, name=label, type=kind)),
            has_founder=pl.col("founders").list.len() > 0,
        )
        located = rows.lazy().select(id="hq_location").with_row_index("row")
        postings = {
            "hq_location": located.join(within.lazy(), on="id"),
            "tag_id": pairs(rows, "tag_id"),
            "founder_university_name": studied(rows, founders, "university_name"),
        }
        money = self._money(rows, "total_funding")
        return fields.COMPANIES, shown, {"postings": postings, "money": money}

    def _others(self) -> Iterator[Collection]:
        """Every resource but companies; a round is dated the first of its month."""
        tables, firms = self._tables, self._tables["investors"]
        news, jobs, funds = (tables[name] for name in ("news", "jobs", "funds"))
        yield fields.FOUNDERS, returned(tables["founders"]), {}
        hq = {"city": "hq_city", "country": "hq_country"}
        yield fields.UNIVERSITIES, tables["universities"].rename(hq), {}
        managers = firms.lazy().select(manager_uuid="uuid").with_row_index("row")
        backed = tables["lp_managers"].lazy().join(managers, on="manager_uuid")
        lps = backed.select("row", value="lp_uuid")
        known = firms.select(lp_uuid="uuid", lp_name="name", lp_domain="website_domain")
        edges = (
            tables["lp_managers"]
            .join(known, on="lp_uuid")
            .group_by(uuid="manager_uuid")
        )
        of = edges.agg(lps=pl.struct(known.columns))
        rows = firms.join(of, on="uuid", how="left", maintain_order="left")
        yield fields.INVESTORS, rows, {"postings": {"lp_uuid": lps}}
        first, linked = pl.col("entity_ids").list.first(), pairs(news, "entity_ids")
        yield (
            fields.NEWS,
            news.with_columns(entity_id=first),
            {"postings": {"entity_id": linked}},
        )
        yield fields.JOBS, jobs, {"postings": {"entity_id": pairs(jobs, "entity_id")}}
        manager, year = (
            _firm(pl.col("manager_uuid"), firms),
            pl.col("fund_date").dt.year(),
        )
        shown = funds.with_columns(amount_source=_SOURCE, manager=manager, year=year)
        # the amount of a fund is filtered as recorded (interface, conventions)
        own = {
            "postings": {"investor_id": pairs(funds, "manager_uuid")},
            "native": ["amount"],
        }
        yield (
            fields.FUNDS,
            shown,
            own | {"money": self._money(funds, "amount", "fund_date")},
        )
        rounds = tables["funding_rounds"]
        investors = pl.col("investors").list.eval(_firm(pl.element(), firms))
        shown = rounds.with_columns(amount_source=_SOURCE, investors=investors)
        dated = rounds.with_columns(
            day=pl.date("year", pl.col("month").fill_null(1), 1)
        )
        own = {"postings": {"company_uuid": pairs(rounds, "company_uuid")}}
        yield (
            fields.FUNDING_ROUNDS,
            shown,
            own | {"money": self._money(dated, "amount", "day")},
        )

    def _money(
        self, rows: pl.DataFrame, amount: str, day: str | None = None
    ) -> dict[str, Callable[[str], pl.Series]]:
        """What makes the column of an amount in a currency."""
        converted, days = f"{amount}_converted", None if day is None else rows[day]
        if converted in rows.columns:  # a pull: as the service converted it
            return {amount: lambda _to: rows[converted].alias(amount)}
        native, codes = rows[amount], rows[f"{amount}_currency"]
        return {amount: lambda to: self._rates.convert(native, codes, to=to, day=days)}


def _firm(uuid: pl.Expr, investors: pl.DataFrame) -> pl.Expr:
    return pl.struct(
        uuid=uuid, name=places.looked_up(uuid, investors["uuid"], investors["name"])
    )


def returned(founders: pl.DataFrame) -> pl.DataFrame:
    """The founders of whom a reply shows the record."""
    if "is_withheld" not in founders.columns:
        return founders
    return founders.filter(~pl.col("is_withheld").fill_null(value=False))


def studied(
    companies: pl.DataFrame, founders: pl.DataFrame, member: str
) -> pl.LazyFrame:
    """The rows of companies by a member of their founders' education entries; text
    is folded.
    """
    values = pl.col("education").list.eval(pl.element().struct.field(member))
    entries = (
        founders.lazy()
        .select(founder="uuid", value=values)
        .explode("value")
        .drop_nulls()
    )
    entries = entries.with_columns(
        pl.col("value").map_batches(_folded, return_dtype=pl.String)
    )
    rows = (
        companies.lazy()
        .select(founder="founders")
        .with_row_index("row")
        .explode("founder")
    )
    return rows.join(entries, on="founder").select("row", "value")


def _folded(texts: pl.Series) -> pl.Series:
    written = texts.unique()
    return texts.replace_strict(written, pl.Series(map(fold, written), dtype=pl.String))
