"""What a wire that cuts lists short shows: some entries in a row, all of them apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from ventureframe.interface.wire.profile import Profile
from ventureframe.interface.wire.terms import ByRecord, Label

MOST: Final = 5
"""Entries of a list that a row shows."""
EXTRAS: Final = (
    "founders_total",
    "education_total",
    "prior_employers_total",
    "available",
    "launch_date_text",
)
"""Columns beside the interface's that such a wire shows, where a frame has them."""

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True, slots=True)
class Glances:
    """The tables with their lists cut short, and every entry of those lists.

    `entries` have the record they belong to in `owner`. `founders` and `education` of companies
    and of founders are whole.
    """

    tables: Tables
    entries: Mapping[str, pl.DataFrame]
    founders: pl.Series
    education: pl.Series


def whole(tables: Tables) -> Glances:
    """The tables as they are, for a wire that shows every entry."""
    return Glances(tables, {}, tables["companies"]["founders"], tables["founders"]["education"])


def cut(tables: Tables) -> Glances:
    """The tables as a wire shows them that shows the first entries of a list.

    A row of companies has current founders only; an entry of education or career that names no
    record is not said at all, nor a posting without a company.
    """
    companies, founders = tables["companies"], tables["founders"]
    team = _team(companies, tables["company_founders"], founders)
    current = team.filter(~pl.col("is_past")).group_by("owner", maintain_order=True).agg("uuid")
    held = companies.select(owner="uuid").join(
        current, on="owner", how="left", maintain_order="left"
    )
    shown = held["uuid"].fill_null(pl.Series([[]], dtype=pl.List(pl.String)))
    entries = {
        "team": team,
        "education": _entries(founders, "education", "university_uuid"),
        "career": _entries(founders, "prior_employers", "company_uuid"),
    }
    people = founders.with_columns(
        *_first(founders, entries["education"], "education"),
        *_first(founders, entries["career"], "prior_employers"),
    )
    universities, rounds = tables["universities"], tables["funding_rounds"]
    changed = {
        "companies": companies.with_columns(
            founders=shown.list.head(MOST),
            founders_total=shown.list.len().cast(pl.Int64),
            available=_available(founders=shown.list.len() > 0),
        ),
        "founders": people.with_columns(
            available=_available(
                education=people["education_total"] > 0, career=people["prior_employers_total"] > 0
            )
        ),
        "universities": universities.with_columns(
            available=_available(alumni=universities["founder_alumni_total"].is_not_null())
        ),
        "funding_rounds": rounds.with_columns(pl.col("investors").fill_null([])),
        "jobs": tables["jobs"].drop_nulls("entity_id"),
    }
    return Glances({**tables, **changed}, entries, companies["founders"], founders["education"])


def postings(
    companies: pl.DataFrame, glances: Glances, profile: Profile
) -> Mapping[str, pl.LazyFrame]:
    """Rows and values of what the wire filters companies by in other words than the interface."""
    found: dict[str, pl.LazyFrame] = {}
    rows = companies.lazy().with_row_index("row")
    for name, term in profile.filters.items():
        if isinstance(term, ByRecord):
            found[term.key] = studied(glances, "university_uuid")
        if isinstance(term, Label):
            labelled = rows.filter(name).select("row", value=pl.lit(term.label))
            before = found.get(term.key)
            found[term.key] = labelled if before is None else pl.concat([before, labelled])
    return found


def studied(glances: Glances, member: str) -> pl.LazyFrame:
    """The rows of companies by a member of their founders' education entries."""
    founders = glances.tables["founders"]["uuid"]
    values = glances.education.list.eval(pl.element().struct.field(member))
    entries = pl.LazyFrame({"founder": founders, "value": values}).explode("value").drop_nulls()
    rows = pl.LazyFrame({"founder": glances.founders}).with_row_index("row").explode("founder")
    return rows.join(entries, on="founder").select("row", "value")


def _team(companies: pl.DataFrame, roles: pl.DataFrame, founders: pl.DataFrame) -> pl.DataFrame:
    """Each founder of each company (`owner`), with name, and whether the role is past."""
    pairs = companies.select(owner="uuid", uuid="founders").explode("uuid").drop_nulls("uuid")
    known = roles.select(owner="company_uuid", uuid="founder_uuid", is_past="is_past")
    named = founders.select("uuid", "name")
    return (
        pairs.join(known, on=["owner", "uuid"], how="left", maintain_order="left")
        .join(named, on="uuid", how="left", maintain_order="left")
        .with_columns(pl.col("is_past").fill_null(value=False))
    )


def _entries(founders: pl.DataFrame, column: str, key: str) -> pl.DataFrame:
    """The entries of a list that name a record, each with the founder (`owner`) it belongs to."""
    flat = founders.select(owner="uuid", entry=column).explode("entry").drop_nulls("entry")
    return flat.unnest("entry").drop_nulls(key)


def _first(founders: pl.DataFrame, entries: pl.DataFrame, column: str) -> list[pl.Series]:
    """The first entries of each founder's list, and how many there are."""
    members = entries.select("owner", entry=pl.struct(pl.exclude("owner")))
    lists = members.group_by("owner", maintain_order=True).agg("entry")
    held = founders.select(owner="uuid").join(lists, on="owner", how="left", maintain_order="left")
    found = held["entry"]
    return [
        found.list.head(MOST).alias(column),
        found.list.len().fill_null(0).cast(pl.Int64).alias(f"{column}_total"),
    ]


def _available(**blocks: pl.Series) -> pl.Series:
    """For each row the blocks that hold data."""
    frame = pl.DataFrame(blocks)
    names = (pl.when(name).then(pl.lit(name)) for name in blocks)
    return frame.select(pl.concat_list(*names).list.drop_nulls()).to_series()
