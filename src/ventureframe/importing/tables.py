"""The tables of a dataset from rows that name each other, as spreadsheets have them.

Ids are made of what is named, so that the same row has the same id in each import.
"""

import uuid
from collections.abc import Mapping

import polars as pl
from polars import col
from polars import selectors as cs

from ventureframe_service import pulled

_KEY = col("company").str.to_lowercase()


def made(held: Mapping[str, pl.DataFrame], said: list[str]) -> pulled.Tables:
    """Make the tables of a dataset of rows with their `line`.

    A company's id is made of its name and domain. Companies that stand above already
    are left out, and so are rows that name no company, or one of several; each is
    added to what is `said`.
    """
    companies = held["companies"]
    is_new = pl.struct(_KEY, "website_domain").is_first_distinct() & _KEY.is_not_null()
    left = [(companies.filter(~is_new), "has no name, or stands above already")]
    own = _id(pl.concat_str(_KEY, "website_domain", ignore_nulls=True))
    companies = companies.filter(is_new).with_columns(company_uuid=own)
    named = companies.filter(_KEY.is_unique()).select("company_uuid", key=_KEY)
    linked = dict[str, pl.DataFrame]()
    for table in ("founders", "funding_rounds"):
        rows = held[table].with_columns(key=_KEY)
        rows = rows.join(named, on="key", how="left", maintain_order="left")
        alone = rows.filter(col("company_uuid").is_null())
        left.append((alone, "names no company, or several of one name"))
        linked[table] = rows.drop_nulls("company_uuid")
    nameless = linked["founders"].filter(col("name").is_null())
    for rows, reason in [*left, (nameless, "names no founder")]:
        for line, company in rows.select("line", "company").rows():
            said.append(f"{line}, is left out, as it {reason}: {company or 'nothing'}")
    listed = _entries(companies, "founder_names")
    founders = pl.concat([linked["founders"], listed], how="diagonal")
    person = _id(pl.concat_str("name", "company_uuid"))
    founders = founders.with_columns(founder_uuid=person).drop_nulls("name")
    people = founders.unique("founder_uuid", keep="first", maintain_order=True)
    schools = _entries(founders.drop("company_uuid"), "universities")
    schools = schools.rename({"name": "university_name"}).with_row_index("position")
    tags = _entries(companies, "tags").with_row_index("position")
    number = _id(col("name")).str.slice(24).str.to_integer(base=16)
    return pulled.tables(
        {
            "companies": companies.rename({"company": "name", "company_uuid": "uuid"}),
            "company_founders": people.with_row_index("position"),
            "company_tags": tags.with_columns(tag_id=number, type=pl.lit("tag")),
            "founders": people.select(
                "name", uuid="founder_uuid", education_count=None
            ),
            "education": schools.with_columns(
                university_uuid=_id("university " + col("university_name"))
            ),
            "funding_rounds": linked["funding_rounds"].with_row_index("id", 1),
        }
    )


def _entries(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """The entries of a column of lists, one a row, each as its `name`."""
    owners = rows.select(cs.ends_with("_uuid"), name=column).explode("name")
    return owners.filter(col("name") != "").unique(maintain_order=True)


def _id(texts: pl.Expr) -> pl.Expr:
    """An id made of each text."""
    return texts.map_elements(
        lambda text: str(uuid.uuid5(uuid.NAMESPACE_URL, text)), return_dtype=pl.String
    )
