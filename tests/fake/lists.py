"""What a wire that cuts lists short shows: some entries in a row, all of them apart."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import polars as pl

from ventureframe.dataset import places
from ventureframe_service.engine.store import returned

MOST: Final = 5  # entries of a list that a row shows

_WHOLE: Final = pl.struct(pl.exclude("owner"))
_NAMED: Final = pl.struct(uuid="founder_uuid", name="name")
_LP, _MANAGER = pl.lit(["limited_partner"]), pl.lit(["investor", "fund_manager"])
# an LP, or a manager of funds
_ROLES: Final = pl.when("is_lp").then(_LP).otherwise(_MANAGER)
_PLACES: Final = {
    "city": "city",
    "region": "state",
    "country": "country",
    "continent": "continent",
}
"""The kinds of places, and what this wire calls them."""

Tables = Mapping[str, pl.DataFrame]


class Lists(NamedTuple):
    """The tables of a wire that shows the first entries of a list."""

    tables: Tables  # without postings that name no company
    shown: Tables  # by table its key and the columns as a row shows them
    entries: Tables  # by endpoint every entry of a list, and its record as `owner`


def cut_lists(tables: Tables) -> Lists:
    """The lists of a dataset as a row shows them, and whole.

    A row of companies has current founders only; an entry that names no record is not
    said at all, nor a posting without a company.
    """
    companies, founders = tables["companies"], tables["founders"]
    jobs = tables["jobs"].drop_nulls("entity_id")
    team = _team(companies, tables["company_founders"], founders)
    universities = _reference(pl.col("university_uuid"), tables["universities"])
    # of the institution where the entry has none
    name = pl.coalesce("university_name", universities.struct.field("name"))
    studies = _entries(founders, "education", "university_uuid")
    studies = studies.with_columns(university_name=name)
    posts = _posts(founders, tables["career"], companies, team)
    people = returned(founders)
    current = team.filter(~pl.col("is_past")).select("owner", entry=_NAMED)
    teams = companies.select(
        "uuid",
        "launch_date_text",
        *_first(companies, current, "founders"),
        locations=_locations(companies, tables["locations"]),
    )
    shown = {
        "companies": teams,
        "founders": pl.DataFrame(
            [
                people["uuid"],
                *_first(people, studies.select("owner", entry=_WHOLE), "education"),
                *_first(people, posts.select("owner", entry=_WHOLE), "prior_employers"),
            ]
        ),
        "investors": tables["investors"].select("uuid", roles=_ROLES),
        "news": tables["news"].select(
            "id", pl.col("entity_ids").list.eval(_reference(pl.element(), companies))
        ),
        "jobs": jobs.select("id", entity_id=_reference(pl.col("entity_id"), companies)),
    }
    entries = {"team": team, "education": studies, "career": posts}
    return Lists({**tables, "jobs": jobs}, shown, entries)


def _reference(uuid: pl.Expr, named: pl.DataFrame) -> pl.Expr:
    """A record as another row refers to it: by UUID and name."""
    name = uuid.replace_strict(
        named["uuid"], named["name"], default=None, return_dtype=pl.String
    )
    return pl.struct(uuid=uuid, name=name)


def _team(
    companies: pl.DataFrame, roles: pl.DataFrame, founders: pl.DataFrame
) -> pl.DataFrame:
    """Each founder of each company (`owner`), with name, and whether the role is past.

    It is past where no role says otherwise and the company is among the founder's
    prior employers.
    """
    pairs = companies.select(owner="uuid", founder_uuid="founders")
    pairs = pairs.explode("founder_uuid").drop_nulls("founder_uuid")
    held = roles.select("founder_uuid", "is_past", owner="company_uuid")
    key = ["owner", "founder_uuid"]
    team = pairs.join(held, on=key, how="left", maintain_order="left")
    names = founders.select("name", founder_uuid="uuid")
    team = team.join(names, on="founder_uuid", how="left", maintain_order="left")
    prior = _entries(founders, "prior_employers", "company_uuid")
    left = prior.select(
        founder_uuid="owner", owner="company_uuid", has_left=True
    ).unique()
    left = left.join(held, on=key, how="anti")
    team = team.join(left, on=key, how="left", maintain_order="left")
    is_past = pl.coalesce("is_past", "has_left", pl.lit(value=False))
    return team.with_columns(is_past).drop("has_left")


def _entries(founders: pl.DataFrame, column: str, key: str) -> pl.DataFrame:
    """The entries of a list that name a record, each with the founder (`owner`) it
    belongs to.
    """
    flat = (
        founders.select(owner="uuid", entry=column).explode("entry").drop_nulls("entry")
    )
    return flat.unnest("entry").drop_nulls(key)


def _posts(
    founders: pl.DataFrame,
    career: pl.DataFrame,
    companies: pl.DataFrame,
    team: pl.DataFrame,
) -> pl.DataFrame:
    """Every post of a founder (`owner`) at a company: as a founder, then others,
    present first.
    """
    prior = _entries(founders, "prior_employers", "company_uuid").with_columns(
        is_past=True
    )
    named = _reference(pl.col("company_uuid"), companies).struct.field("name")
    posts = career.sort("founder_uuid", "position").with_columns(
        name=named,
        owner="founder_uuid",
        is_past=pl.col("is_past").fill_null(value=False),
    )
    posts = pl.concat([posts.drop("founder_uuid", "position"), prior], how="diagonal")
    role = team.select(
        "is_past", owner="founder_uuid", company_uuid="owner", is_founder=True
    )
    same = ["owner", "company_uuid", "is_past"]
    posts = posts.join(role, on=same, how="left", maintain_order="left")
    others = role.join(posts, on=same, how="anti").with_columns(name=named)
    every = pl.concat([posts, others], how="diagonal")
    every = every.with_columns(pl.col("is_founder").fill_null(value=False))
    return every.sort(
        "is_founder", pl.col("is_past").not_(), descending=True, maintain_order=True
    )


def _first(owners: pl.DataFrame, entries: pl.DataFrame, name: str) -> list[pl.Series]:
    """The first entries of each owner's list, as a row shows them, and how many it
    has.
    """
    lists = entries.group_by("owner", maintain_order=True).agg("entry")
    held = owners.select(owner="uuid").join(
        lists, on="owner", how="left", maintain_order="left"
    )
    whole = held["entry"]
    total = whole.list.len().fill_null(0).cast(pl.Int64)
    return [
        whole.list.head(MOST).fill_null([]).alias(name),
        total.alias(f"{name}_total"),
    ]


def _locations(companies: pl.DataFrame, locations: pl.DataFrame) -> pl.Series:
    """For each company the list that holds its headquarters; empty where none is
    recorded.
    """
    within, located = places.above(locations), locations.select("id")
    for kind, written in _PLACES.items():
        place = pl.struct(id="value", name="name").alias(written)
        column = within.filter(type=kind).unique("id", keep="last").select("id", place)
        located = located.join(column, on="id", how="left", maintain_order="left")
    nowhere = pl.lit(None, pl.Float64)
    entry = pl.struct(
        pl.lit("hq").alias("role"), *_PLACES.values(), lat=nowhere, lon=nowhere
    )
    located = located.select(hq_location="id", locations=pl.concat_list(entry))
    hq = companies.select("hq_location")
    rows = hq.join(located, on="hq_location", how="left", maintain_order="left")
    return rows["locations"].fill_null([])
