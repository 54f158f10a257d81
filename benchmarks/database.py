"""The rows of a dataset folder as an SQLite database, indexed as a careful user
would.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import polars as pl

INDEXES = """
create unique index companies_uuid on companies(uuid);
create index companies_funding on companies(total_funding desc, uuid);
create index companies_rating on companies(signal_rating desc, uuid);
create index companies_flags on companies(is_startup, company_status, is_hiring, launch_date);
create index companies_status on companies(company_status, launch_date);
create index companies_team on companies(signal_team, signal_timing, signal_rating);
create index companies_country on companies(country_id);
create index companies_continent on companies(continent_id);
create index company_tags_tag on company_tags(tag, company);
create index company_universities_name on company_universities(name, company);
create unique index founders_uuid on founders(uuid);
create index funds_manager on funds(manager_uuid, fund_date desc);
create index news_companies_company on news_companies(company, news);
analyze;
"""


def make_database(folder: Path) -> Path:
    """Makes the database beside the dataset unless it is there."""
    path = folder.with_suffix(".db")
    if path.exists():
        return path
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with sqlite3.connect(part) as connection:
        connection.execute("pragma journal_mode=off")
        connection.execute("pragma synchronous=off")
        for name, frame in _frames(folder).items():
            _insert(connection, name, frame)
        connection.executescript(INDEXES)
        connection.execute(
            "create virtual table names using fts5(uuid, name, type,"
            " tokenize='trigram')"
        )
        connection.execute("insert into names select uuid, name, type from searched")
    connection.close()
    part.replace(path)
    return path


def _insert(connection: sqlite3.Connection, name: str, frame: pl.DataFrame) -> None:
    key = "id integer primary key" if "id" in frame.columns else None
    columns = ", ".join(
        key if key and column == "id" else column for column in frame.columns
    )
    connection.execute(f"create table {name} ({columns})")
    holes = ", ".join("?" * frame.width)
    for part in frame.iter_slices(50_000):
        connection.executemany(f"insert into {name} values ({holes})", part.iter_rows())


def _frames(folder: Path) -> dict[str, pl.DataFrame]:
    def read(name: str) -> pl.DataFrame:
        return pl.read_parquet(folder / f"{name}.parquet")

    def text(column: str) -> pl.Expr:
        """A nested column as text, as such a user keeps it."""
        kept = pl.struct(value=column).struct.json_encode()
        return kept.str.slice(9).str.strip_suffix("}").alias(column)

    numbered = (
        read("companies")
        .with_row_index("id", offset=1)
        .with_columns(pl.col("id").cast(pl.Int64))
    )
    places = _above(read("locations"))
    flags = pl.col(pl.Boolean).cast(pl.Int64)
    links = numbered.select("id", uuid="founders").explode("uuid", keep_nulls=False)
    entries = (
        read("founders")
        .select("uuid", entry="education")
        .explode("entry", keep_nulls=False)
    )
    named = entries.select(
        "uuid", name=pl.col("entry").struct.field("university_name")
    ).drop_nulls()
    tags = (
        numbered.select(company="id", tag="tag_id")
        .explode("tag", keep_nulls=False)
        .drop_nulls()
    )
    news = read("news")
    firms = read("investors").select("uuid", "name", type=pl.lit("investor"))
    schools = read("universities").select("uuid", "name", type=pl.lit("university"))
    return {
        "companies": (
            numbered.join(places, left_on="hq_location", right_on="place", how="left")
            .with_columns(flags)
            .with_columns(text("tag_id"), text("founders"))
        ),
        "company_tags": tags,
        "company_universities": (
            links.join(named, on="uuid").select("name", company="id").unique()
        ),
        "founders": (
            read("founders").with_columns(
                text("education"), text("prior_employers"), text("profile_links")
            )
        ),
        "funds": read("funds").with_columns(pl.col("fund_date").cast(pl.String), flags),
        "news": news.with_columns(
            pl.col("publish_date").cast(pl.String), text("entity_ids")
        ),
        "news_companies": (
            news.select(news="id", company="entity_ids")
            .explode("company", keep_nulls=False)
            .drop_nulls()
        ),
        "searched": pl.concat([schools, firms]),
    }


def _above(places: pl.DataFrame) -> pl.DataFrame:
    """Of each city its country and its continent."""
    up = places.select("id", "parent_id")
    return (
        places.select(place="id", city_id="id", country_id="parent_id")
        .join(up, left_on="country_id", right_on="id", how="left")
        .rename({"parent_id": "continent_id"})
    )
