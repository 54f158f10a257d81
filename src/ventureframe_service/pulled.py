"""The tables of a dataset from a folder of pulled parts.

A pull holds what a service lists. What it does not list is made from what the rows
name: universities from education entries, investors from the managers of funds, tags
and places from companies; such a record has its id and its name only. Founders that
companies list and the service did not return are withheld ones.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from ventureframe.dataset.schema import TABLES
from ventureframe.errors import DatasetError

Tables = dict[str, pl.DataFrame]
_HQ = {"continent": "hq_continent", "country": "hq_country", "city": "hq_city"}
"""The columns that name the places of a headquarters, the widest first."""
_UNCHANGED = "jobs", "funding_rounds", "investors"
"""Tables whose rows are those of the format."""
_Path = tuple[str | None, ...]  # the names of a place, the widest first


def tables(pulled: Mapping[str, pl.DataFrame]) -> Tables:
    """Return the tables of the format that the tables of pulls hold or name."""
    made: Tables = {}
    if "companies" in pulled:
        made |= _with_lists(pulled)
    if "founders" in pulled:
        made |= _founders(pulled)
    if "funds" in pulled:
        made |= _funds(pulled["funds"])
    if "news" in pulled:
        entity = pl.concat_list("entity_id").list.drop_nulls()
        made["news"] = pulled["news"].with_columns(pl.coalesce("entity_ids", entity))
    made |= {name: pulled[name] for name in _UNCHANGED if name in pulled}
    return {name: _cast(name, frame) for name, frame in made.items()}


def read(files: list[Path]) -> pl.DataFrame:
    """Return the rows of Parquet files; `DatasetError` where one is no such file."""
    try:
        return pl.read_parquet(files, glob=False, hive_partitioning=False).rechunk()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DatasetError("cannot be read as Parquet", file=files[0].name) from error


def _cast(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    kinds = TABLES[name].columns
    return frame.cast({name: kinds[name] for name in frame.columns if name in kinds})


def _with_lists(pulled: Mapping[str, pl.DataFrame]) -> Tables:
    """Return the companies with lists of founders and tags, and tables of what they
    name.
    """
    companies, tags = pulled["companies"], pulled["company_tags"]
    pairs, places = pulled["company_founders"], _places(companies)
    founder = pl.col("founder_uuid").alias("founders")
    for listed in (
        _listed(pairs, "company_uuid", founder),
        _listed(tags, "company_uuid", pl.col("tag_id")),
    ):
        companies = companies.join(listed, on="uuid", how="left", maintain_order="left")
    companies = companies.with_columns(pl.col("founders", "tag_id").fill_null([]))
    hq = list(_HQ.values())
    located = places.select(*hq, hq_location="id")
    companies = companies.join(
        located, on=hq, how="left", nulls_equal=True, maintain_order="left"
    )
    labels = tags.group_by("tag_id", maintain_order=True).last()
    kind = pl.col("type").fill_null("unknown")
    return {
        "companies": companies.drop(hq),
        "company_founders": pairs,
        "tags": labels.select(id="tag_id", label="name", type=kind),
        "locations": places.select("id", "name", "type", "parent_id"),
    }


def _listed(entries: pl.DataFrame, owner: str, value: pl.Expr) -> pl.DataFrame:
    """Return one list for each owner (`uuid`), its entries in their order."""
    ordered = entries.lazy().sort(owner, "position")
    return ordered.group_by(uuid=owner, maintain_order=True).agg(value).collect()


def _founders(pulled: Mapping[str, pl.DataFrame]) -> Tables:
    founders = pulled["founders"]
    for name in ("education", "prior_employers"):
        if name not in pulled:
            continue
        entry = pl.struct(pl.exclude("founder_uuid", "position")).alias(name)
        listed = _listed(pulled[name], "founder_uuid", entry)
        joined = founders.join(listed, on="uuid", how="left", maintain_order="left")
        is_empty = pl.col(f"{name}_count") == 0
        none = pl.lit([], joined.schema[name])
        entries = pl.when(is_empty).then(none).otherwise(name)
        founders = joined.with_columns(entries.alias(name))
    if "company_founders" in pulled:
        listed = pulled["company_founders"].select(uuid="founder_uuid").unique()
        unknown = listed.join(founders, on="uuid", how="anti")
        unknown = unknown.with_columns(is_withheld=True)
        founders = pl.concat([founders, unknown], how="diagonal")
    named = pulled["education"].drop_nulls(["university_uuid", "university_name"])
    counted = named.group_by(uuid="university_uuid", name="university_name").len()
    ordered = counted.sort("uuid", "len", "name", descending=[False, True, False])
    most_used = ordered.unique("uuid", keep="first", maintain_order=True)
    return {"founders": founders, "universities": most_used.select("uuid", "name")}


def _funds(funds: pl.DataFrame) -> Tables:
    """Return the funds of known managers, and the managers; which are LPs is not
    recorded.
    """
    named = funds.select(uuid="manager_uuid", name="manager_name").drop_nulls()
    managers = named.unique("uuid", keep="first").with_columns(is_lp=False)
    return {"funds": funds.drop_nulls("manager_uuid"), "investors": managers}


def _places(companies: pl.DataFrame) -> pl.DataFrame:
    """Return every place with those above it: its path (`hq_…`), name, kind, id and its
    parent's id.
    """
    paths = set[_Path]()
    for continent, country, city in companies.select(_HQ.values()).unique().rows():
        paths.add((continent, None, None))
        paths.add((continent, country, None))
        paths.add((continent, country, city))
    rows = []
    for path in paths - {(None, None, None)}:
        level = max(at for at, name in enumerate(path) if name is not None)
        parent = (*path[:level], *[None] * (len(path) - level))
        kind = list(_HQ)[level]
        rows.append((*path, path[level], kind, _id(path), _id(parent)))
    texts = dict.fromkeys((*_HQ.values(), "name", "type"), pl.String)
    numbers = {"id": pl.Int64, "parent_id": pl.Int64}
    return pl.DataFrame(rows, {**texts, **numbers}, orient="row")


def _id(path: _Path) -> int | None:
    """Return a number for a place, the same in every pull; None for no place."""
    if not any(path):
        return None
    text = "\x1f".join(name or "" for name in path)
    digest = hashlib.blake2b(text.encode(), digest_size=6)
    return int.from_bytes(digest.digest())
