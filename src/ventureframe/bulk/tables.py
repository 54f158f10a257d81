"""The rows of a collection as flat tables: its own, and one for each of its lists."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import polars as pl

from ventureframe.client.frames import child
from ventureframe.interface.fields import COMPANIES, FOUNDERS, FUNDS, RESOURCES


class Order(NamedTuple):
    """How a table is sorted: by `key`, then `within` it; `date` is what its years are told by."""

    key: str
    within: str | None = None
    date: str | None = None


TABLES: Final[Mapping[str, Mapping[str, Order]]] = {
    "companies": {
        "companies": Order("uuid"),
        "company_founders": Order("company_uuid", "position"),
        "company_tags": Order("company_uuid", "position"),
    },
    "founders": {
        "founders": Order("uuid"),
        "education": Order("founder_uuid", "position"),
        "prior_employers": Order("founder_uuid", "position"),
    },
    "funds": {"funds": Order("id")},
    "news": {"news": Order("id", date="publish_date")},
    "jobs": {"jobs": Order("id", date="date_posted")},
}
"""By collection, the tables that a pull of it writes."""
COLLECTIONS: Final = tuple(TABLES)
"""The collections that a service lists, in the order in which they are pulled."""


def flat(
    collection: str, rows: pl.DataFrame, *, currency: str | None, is_current: bool
) -> dict[str, pl.DataFrame]:
    """The tables of these rows; `is_current` says that companies list current founders only.

    companies: the columns of a result, `total_funding_currency` beside the total; company_founders:
    company_uuid, founder_uuid, is_past (null where that is not known), position; company_tags:
    company_uuid, tag_id, name, type, position. founders: `education_count` and
    `prior_employers_count` say how many entries are listed, null where no list is recorded;
    education and prior_employers: founder_uuid, position and the members of an entry. funds:
    manager_uuid and manager_name, `amount` and `amount_currency` as announced,
    `amount_converted` in `amount_converted_currency`. News and jobs are as a result has them.
    """
    resource = RESOURCES[collection]
    declared = [each.name for each in resource.returned]
    rows = rows.select(*declared, *sorted(set(rows.columns) - set(declared)))
    if resource is COMPANIES:
        known = pl.col("total_funding").is_not_null()
        money = pl.when(known).then(pl.lit(currency)).alias("total_funding_currency")
        founders = child(rows, resource, "founders").unique(
            ["company_uuid", "founder_uuid"], keep="first", maintain_order=True
        )
        is_past = pl.lit(value=False) if is_current else pl.lit(None, pl.Boolean)
        return {
            "companies": rows.drop("tags", "founders").with_columns(money),
            "company_founders": founders.with_columns(is_past=is_past),
            "company_tags": child(rows, resource, "tags").rename({"id": "tag_id"}),
        }
    if resource is FOUNDERS:
        lists = ("education", "prior_employers")
        counts = {f"{name}_count": pl.col(name).list.len().cast(pl.Int64) for name in lists}
        own = rows.with_columns(**counts).drop(lists)
        return {"founders": own, **{name: child(rows, resource, name) for name in lists}}
    if resource is FUNDS:
        return {"funds": _funds(rows, currency)}
    return {collection: rows}


def _funds(rows: pl.DataFrame, currency: str | None) -> pl.DataFrame:
    """Funds with their announced amount, the converted one beside it."""
    native, manager = pl.col("amount_source").struct, pl.col("manager").struct
    is_known = pl.col("amount").is_not_null()
    return rows.with_columns(
        amount_converted=pl.col("amount"),
        amount_converted_currency=pl.when(is_known).then(pl.lit(currency)),
        amount=native.field("amount"),
        amount_currency=native.field("currency"),
        manager_uuid=manager.field("uuid"),
        manager_name=manager.field("name"),
    ).drop("amount_source", "manager", "manager_source", strict=False)
