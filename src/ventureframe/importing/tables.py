"""The tables of a dataset from rows that name each other, as spreadsheets have them.

Ids are made of what is named, so that the same row has the same id in each import.
"""

import uuid
from collections.abc import Mapping

from polars import DataFrame, Expr, String, col, concat, concat_str, lit, struct

from ventureframe_service import pulled

_KEY = col.company.str.to_lowercase()


def made(rows: Mapping[str, DataFrame], notices: list[str]) -> pulled.Tables:
    """Make the tables of a dataset of rows with their `line`.

    A company's id is made of its name and domain. Companies that stand above already
    are left out, and so are rows that name no company, or one of several; each is
    added to the `notices`.
    """

    def keep(rows: DataFrame, is_kept: Expr, reason: str) -> DataFrame:
        left_out = rows.filter(~is_kept).select("line", "company")
        for line, company in left_out.rows():
            text = f"{line}, is left out, as it {reason}: {company or 'nothing'}"
            notices.append(text)
        return rows.filter(is_kept)

    is_new = struct(_KEY, "website_domain").is_first_distinct() & _KEY.is_not_null()
    reason = "has no name, or stands above already"
    companies = keep(rows["companies"].with_columns(key=_KEY), is_new, reason)
    company = _id(concat_str("key", "website_domain", ignore_nulls=True))
    companies = companies.with_columns(company_uuid=company)
    named = companies.filter(col.key.is_unique()).select("company_uuid", "key")
    parts = dict[str, DataFrame]()
    for table in ("founders", "funding_rounds"):
        part = rows[table].with_columns(key=_KEY)
        part = part.join(named, on="key", how="left", maintain_order="left")
        reason = "names no company, or several of one name"
        parts[table] = keep(part, col.company_uuid.is_not_null(), reason)
    people = keep(parts["founders"], col.name.is_not_null(), "names no founder")
    people = concat([people, _entries(companies, "founder_names")], how="diagonal")
    people = people.with_columns(founder_uuid=_id(concat_str("name", "company_uuid")))
    founders = people.unique("founder_uuid", keep="first", maintain_order=True)
    schools = _entries(people.drop("company_uuid"), "universities")
    schools = schools.rename({"name": "university_name"}).with_row_index("position")
    university = _id("university " + col.university_name)
    tags = _entries(companies, "tags").with_row_index("position")
    digits = _id(col.name).str.slice(24)
    tags = tags.with_columns(tag_id=digits.str.to_integer(base=16), type=lit("tag"))
    companies = companies.rename({"company": "name", "company_uuid": "uuid"})
    records = founders.select("name", uuid="founder_uuid", education_count=None)
    tables = {"companies": companies, "company_tags": tags, "founders": records}
    tables["company_founders"] = founders.with_row_index("position")
    tables["education"] = schools.with_columns(university_uuid=university)
    tables["funding_rounds"] = parts["funding_rounds"].with_row_index("id", 1)
    return pulled.tables(tables)


def _entries(rows: DataFrame, column: str) -> DataFrame:
    """The entries of a column of lists, one a row, each as its `name`."""
    owners = rows.select("^.+_uuid$", name=column).explode("name")
    return owners.filter(col.name != "").unique(maintain_order=True)


def _id(texts: Expr) -> Expr:
    """An id made of each text."""

    def id_of(text: str) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, text))

    return texts.map_elements(id_of, return_dtype=String)
