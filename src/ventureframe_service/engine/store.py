"""Every collection of a dataset as an index: what a reply shows and a filter reads of its rows."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Final

import polars as pl

from ventureframe.dataset import places
from ventureframe.dataset.rates import Rates
from ventureframe.interface import fields
from ventureframe.interface.wire.profile import INTERFACE, Profile
from ventureframe_service.dataset import Dataset
from ventureframe_service.engine import glance
from ventureframe_service.engine.glance import Glances
from ventureframe_service.engine.index import Index, pairs

Tables = Mapping[str, pl.DataFrame]

_AMOUNTS: Final = {"companies": "total_funding", "funds": "amount", "funding_rounds": "amount"}
_SOURCE: Final = pl.when(pl.col("amount").is_not_null()).then(
    pl.struct("amount", currency="amount_currency")
)
"""The amount as announced; null where none is recorded."""


class Store:
    """Every collection of a dataset, by the name of its resource."""

    def __init__(self, dataset: Dataset, *, profile: Profile = INTERFACE) -> None:
        self.dataset = dataset
        shown = glance.glanced(dataset.tables) if profile.shapes else Glances(dataset.tables)
        tables, self.entries = shown.tables, shown.entries
        cut = shown.cut
        self._rates = rates = Rates(tables["fx"], as_of=dataset.description.as_of)
        self._native = {
            code
            for table, amount in _AMOUNTS.items()
            for code in tables[table].drop_nulls(amount)[f"{amount}_currency"].drop_nulls().unique()
        }
        universities, is_shown = tables["universities"], _returned(tables["founders"])
        self.companies = _companies(tables, rates, profile, cut=cut.get("companies"))
        people = cut.get("founders")
        self.founders = Index(
            fields.FOUNDERS,
            tables["founders"].filter(is_shown),
            cut=None if people is None else people.filter(is_shown),
        )
        self.universities = Index(
            fields.UNIVERSITIES,
            universities.rename({"city": "hq_city", "country": "hq_country"}),
            cut=cut.get("universities"),
        )
        managers = tables["investors"].lazy().select(manager_uuid="uuid").with_row_index("row")
        backed = tables["lp_managers"].lazy().join(managers, on="manager_uuid")
        self.investors = Index(
            fields.INVESTORS,
            tables["investors"],
            postings={"lp_uuid": backed.select("row", value="lp_uuid")},
            cut=cut.get("investors"),
        )
        self.funds = _funds(tables, rates)
        self.funding_rounds = _funding_rounds(tables, rates)
        news, jobs = tables["news"], tables["jobs"]
        self.news = Index(
            fields.NEWS,
            news.with_columns(entity_id=pl.col("entity_ids").list.first()),
            postings={"entity_id": pairs(news, "entity_ids")},
            cut=cut.get("news"),
        )
        self.jobs = Index(
            fields.JOBS,
            jobs,
            postings={"entity_id": pairs(jobs, "entity_id")},
            cut=cut.get("jobs"),
        )

    def can_show(self, currency: str) -> bool:
        """Whether any amount of the dataset can be shown in the currency, or none is recorded.

        Amounts that a service converted are shown in the currency they were converted to.
        """
        if self.dataset.converted_to is not None:
            return currency == self.dataset.converted_to
        return not self._native or currency in self._native or self._rates.has(currency)

    def warm(self) -> None:
        """Makes what the first queries of a day would have to wait for."""
        self.companies.warm("-total_funding", "-signal_rating")
        self.funds.warm("-fund_date")
        self.news.warm("-publish_date")
        self.jobs.warm("-date_posted")


def _converted(
    rates: Rates, frame: pl.DataFrame, amount: str, day: pl.Series | None = None
) -> Mapping[str, Callable[[str], pl.Series]]:
    native, currency = frame[amount], frame[f"{amount}_currency"]
    converted = f"{amount}_converted"
    if converted in frame.columns:  # a pull: as the service converted it
        return {amount: lambda _to: frame[converted].alias(amount)}
    return {amount: lambda to: rates.convert(native, currency, to=to, day=day)}


def _returned(founders: pl.DataFrame) -> pl.Series:
    """A flag a founder: whether a reply shows the record."""
    if "is_withheld" not in founders.columns:
        return pl.Series([True]).new_from_index(0, founders.height)
    return ~founders["is_withheld"].fill_null(value=False)


def _companies(
    tables: Tables, rates: Rates, profile: Profile, *, cut: pl.DataFrame | None
) -> Index:
    frame, tags, tag = tables["companies"], tables["tags"], pl.element()
    within = places.above(tables["locations"])
    shown = frame.with_columns(
        *places.headquarters(within),
        tags=pl.col("tag_id").list.eval(
            pl.struct(
                id=tag,
                name=places.looked_up(tag, tags["id"], places.labels(tags["label"])),
                type=places.looked_up(tag, tags["id"], places.labels(tags["type"])),
            )
        ),
        has_founder=pl.col("founders").list.len() > 0,
    )
    located = frame.lazy().select(id="hq_location").with_row_index("row")
    known = (*fields.COMPANIES.fields, *profile.own_filters)
    return Index(
        dataclasses.replace(fields.COMPANIES, fields=known),
        shown,
        postings={
            "hq_location": located.join(within.lazy(), on="id"),
            "tag_id": pairs(frame, "tag_id"),
            "founder_university_name": glance.studied(frame, tables["founders"], "university_name"),
            **glance.postings(frame, tables["founders"], profile),
        },
        money=_converted(rates, frame, "total_funding"),
        cut=cut,
        labels=[term.key for term in profile.filters.values() if term.label],
    )


def _firm(uuid: pl.Expr, investors: pl.DataFrame) -> pl.Expr:
    return pl.struct(uuid=uuid, name=places.looked_up(uuid, investors["uuid"], investors["name"]))


def _funds(tables: Tables, rates: Rates) -> Index:
    """Fund vehicles; their amount is filtered as recorded (interface, conventions)."""
    frame = tables["funds"]
    return Index(
        fields.FUNDS,
        frame.with_columns(
            amount_source=_SOURCE,
            manager=_firm(pl.col("manager_uuid"), tables["investors"]),
            year=pl.col("fund_date").dt.year(),
        ),
        postings={"investor_id": pairs(frame, "manager_uuid")},
        money=_converted(rates, frame, "amount", frame["fund_date"]),
        native=["amount"],
    )


def _funding_rounds(tables: Tables, rates: Rates) -> Index:
    """Rounds; `company_uuid` finds those of a company. A round is dated the first of its month."""
    frame = tables["funding_rounds"]
    day = frame.select(pl.date("year", pl.col("month").fill_null(1), 1)).to_series()
    firms = pl.col("investors").list.eval(_firm(pl.element(), tables["investors"]))
    return Index(
        fields.FUNDING_ROUNDS,
        frame.with_columns(amount_source=_SOURCE, investors=firms),
        postings={"company_uuid": pairs(frame, "company_uuid")},
        money=_converted(rates, frame, "amount", day),
    )
