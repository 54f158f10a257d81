"""The tables of a dataset as the frames that studies take, each of them a lazy one of polars."""

import datetime as dt
from collections.abc import Mapping
from typing import Final, get_args

import polars as pl

from ventureframe.dataset import places
from ventureframe.dataset.rates import Rates
from ventureframe.dataset.schema import TABLES
from ventureframe.errors import DatasetError
from ventureframe.interface import fields
from ventureframe.interface.source import NotThere

Tables = Mapping[str, pl.LazyFrame]

_MADE_OF: Final = {
    "company_founders": "companies",
    "company_tags": "companies",
    "education": "founders",
    "news_companies": "news",
    "rounds": "funding_rounds",
    "lps": "lp_managers",
}
"""The table that a frame is made of, where it is not the one of its name."""
_PULLED: Final = ("companies", "founders", "jobs", "news", "funds")
_NO_LIST: Final = "not asked for: a pull holds what a service lists, and these it does not list"


def frames(tables: Tables, as_of: dt.date, *, is_pull: bool) -> dict[str, pl.LazyFrame | NotThere]:
    """Every frame by its name; of a pull, a table that is missing was not asked for.

    A table that another dataset misses is empty (`spec/dataset.md`); one without records of
    universities has no such frame.
    """
    news, firms = _whole("news", tables), _whole("investors", tables)
    if "entity_id" not in news.collect_schema():
        news = news.with_columns(entity_id=pl.col("entity_ids").list.first())
    linked = news.filter(pl.col("entity_ids").list.len() > 0)
    rounds = _whole("funding_rounds", tables).drop("investors", strict=False)
    month = pl.date("year", pl.col("month").fill_null(1), 1)  # or the first of the year
    own = ("uuid", "name", "website_domain", "hq_city", "hq_country")
    managers = firms.select(*own, manager_uuid="uuid")
    backed = _whole("lp_managers", tables).select("lp_uuid", "manager_uuid")
    made: dict[str, pl.LazyFrame | NotThere] = {
        **_companies(tables),
        **_founders(tables),
        "jobs": _whole("jobs", tables),
        "news": news.drop("entity_ids"),
        "news_companies": linked.select(news_item_id="id", entity_id="entity_ids").explode(
            "entity_id"
        ),
        "funds": _with_amounts(_whole("funds", tables), pl.col("fund_date"), tables, as_of),
        "universities": _whole("universities", tables),
        "rounds": _with_amounts(rounds, month, tables, as_of),
        "lps": firms.filter("is_lp").drop("is_lp"),
        "lp_managers": backed.join(managers, on="manager_uuid", how="left").drop("manager_uuid"),
    }
    if "universities" not in tables:
        del made["universities"]
    for name in made if is_pull else ():
        table = _MADE_OF.get(name, name)
        if table not in tables:
            why = f"the folder holds no pull of {table}: pull them as well"
            made[name] = NotThere(name, why if table in _PULLED else _NO_LIST)
    return made


def _companies(tables: Tables) -> dict[str, pl.LazyFrame]:
    companies = _whole("companies", tables)
    if "hq_country" not in companies.collect_schema():
        within = places.above(_whole("locations", tables).collect())
        names = [name.cast(pl.String) for name in places.headquarters(within)]
        companies = companies.with_columns(names)
    tagged = _entries("company_tags", "company_uuid", companies, "tag_id", tables)
    if "name" not in tagged.collect_schema():
        labels = _whole("tags", tables).select(tag_id="id", name="label", type="type")
        tagged = tagged.join(labels, on="tag_id", how="left")
    pairs = _entries("company_founders", "company_uuid", companies, "founders", tables)
    return {
        "companies": companies.drop("founders", "tag_id", strict=False),
        "company_founders": pairs.rename({"founders": "founder_uuid"}, strict=False),
        "company_tags": tagged.select("company_uuid", "name", "type"),
    }


def _founders(tables: Tables) -> dict[str, pl.LazyFrame]:
    founders = _whole("founders", tables)
    if "is_withheld" in founders.collect_schema():
        founders = founders.filter(~pl.col("is_withheld").fill_null(value=False))
    education = _entries("education", "founder_uuid", founders, "education", tables)
    return {"founders": founders.select("uuid", "name"), "education": education}


def _with_amounts(rows: pl.LazyFrame, day: pl.Expr, tables: Tables, as_of: dt.date) -> pl.LazyFrame:
    """The rows with their amount as announced in `amount_source`, and as `amount_in_` currencies.

    The service converts at the last rate on or before the day of a record (undated: of the
    dataset); what a pull has converted already stays as it is.
    """
    known = pl.when(pl.col("amount").is_not_null())
    native = known.then(pl.struct("amount", currency="amount_currency"))
    own = ["amount", "amount_currency"]
    if "amount_converted" in rows.collect_schema():
        own += ["amount_converted", "amount_converted_currency"]
        code = pl.col("amount_converted_currency")
        kept = rows.select(code.drop_nulls().unique()).collect().to_series()
        amounts = [pl.col("amount_converted").alias(f"amount_in_{each}") for each in kept]
        return rows.with_columns(native.alias("amount_source"), *amounts).drop(own)
    rows = rows.with_columns(_day=day)
    pairs = rows.select("amount_currency", "_day").unique().collect()
    fx, ones = Rates(_whole("fx", tables).collect(), as_of=as_of), pl.repeat(1.0, pairs.height)
    native_of, days = pairs["amount_currency"], pairs["_day"]
    pairs = pairs.with_columns(
        fx.convert(pl.select(ones).to_series(), native_of, to=code, day=days).alias(
            f"amount_in_{code}"
        )
        for code in get_args(fields.Currency)
    )
    rated = rows.join(pairs.lazy(), on=["amount_currency", "_day"], how="left", nulls_equal=True)
    converted = pl.col("^amount_in_.*$") * pl.col("amount")
    return rated.with_columns(native.alias("amount_source"), converted).drop(*own, "_day")


def _whole(name: str, tables: Tables) -> pl.LazyFrame:
    """The table with every column of its format that is not a list, null where it has none."""
    columns = TABLES[name].columns
    if name not in tables:
        return pl.LazyFrame(schema=dict(columns))
    there = tables[name].collect_schema()
    return tables[name].with_columns(
        pl.lit(None, kind).alias(column)
        for column, kind in columns.items()
        if column not in there and not isinstance(kind, pl.List)
    )


def _entries(
    name: str, owner: str, rows: pl.LazyFrame, column: str, tables: Tables
) -> pl.LazyFrame:
    """A row per entry of the list column, which rules; else the flat table of that name."""
    if column not in rows.collect_schema():
        if name not in tables:
            raise DatasetError(f"has neither a list nor a table {name!r}", file=f"{name}.parquet")
        return tables[name]
    entry = pl.col(column)
    flat = (
        rows.filter(entry.list.len() > 0)
        .select(pl.col("uuid").alias(owner), entry, position=pl.int_ranges(entry.list.len()))
        .explode(column, "position")
    )
    kind = flat.collect_schema()[column]
    return flat.drop_nulls(column).unnest(column) if isinstance(kind, pl.Struct) else flat
