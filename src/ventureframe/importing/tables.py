"""The tables of a dataset from rows that name each other, as spreadsheets have them.

Ids are made of what is named, so that the same row has the same id in each import.
"""

import uuid
from collections.abc import Mapping

import polars as pl
from polars import col

from ventureframe_service.pulled import Tables, with_lists

_PLACE = pl.int_range(pl.len()).alias("position")


def made(held: Mapping[str, pl.DataFrame], said: list[str]) -> Tables:
    """Make the tables of companies, founders and funding rounds, and those that they
    name, of rows with their `position`.

    A company's id is made of its domain, or of its name and position where it has none
    of its own. Cells of tags and founders hold several, between semicolons or bars.
    Rows that name no company, or one of several, are added to what is `said`.
    """
    companies = held["companies"]
    site = pl.when(col("website_domain").is_unique()).then("website_domain")
    own = pl.coalesce(site, pl.concat_str("name", "position", separator=" "))
    companies = companies.with_columns(uuid=pl.coalesce("uuid", _id(own)))
    named = companies.filter(col("name").is_unique())
    named = named.select(company="name", company_uuid="uuid")
    for kind in ("founders", "funding_rounds"):
        alone = held[kind].join(named, on="company", how="anti")
        for line, company in alone.select("position", "company").rows():
            who = f"{kind}, line {line}: {company or 'an empty cell'}"
            said.append(f"{who} names no single company of the tables")
    founders = held["founders"].join(named, on="company", how="left")
    people = pl.concat([founders, _entries(companies, "founder_names")], how="diagonal")
    owner = pl.coalesce("company_uuid", col("position").cast(pl.String))
    person = pl.concat_str("name", owner, separator=" ")
    people = people.with_columns(founder_uuid=_id(person))
    people = people.unique("founder_uuid", keep="first", maintain_order=True)
    people = people.with_columns(_PLACE)
    tags = _entries(companies, "tags").with_columns(type=pl.lit("tag"))
    number = _id(col("name")).str.replace("-", "").str.head(12)
    tables = with_lists(
        {
            "companies": companies.drop("founder_names", "tags"),
            "company_founders": people.drop_nulls("company_uuid").drop("name"),
            "company_tags": tags.with_columns(tag_id=number.str.to_integer(base=16)),
        }
    )
    tables["founders"] = people.select("name", uuid="founder_uuid")
    rounds = held["funding_rounds"].join(named, on="company", maintain_order="left")
    tables["funding_rounds"] = rounds.with_row_index("id", 1)
    return {
        name: rows.drop("position", "company", strict=False)
        for name, rows in tables.items()
    }


def _entries(companies: pl.DataFrame, column: str) -> pl.DataFrame:
    """The names in a column whose cells hold several, one a row."""
    names = col(column).str.replace_all(r"\s*[;|]\s*", ";").str.split(";")
    rows = companies.select(company_uuid="uuid", name=names).explode("name")
    rows = rows.filter(col("name") != "").unique(maintain_order=True)
    return rows.with_columns(_PLACE)


def _id(texts: pl.Expr) -> pl.Expr:
    """An id made of each text."""
    return texts.map_elements(
        lambda text: str(uuid.uuid5(uuid.NAMESPACE_URL, text)), return_dtype=pl.String
    )
