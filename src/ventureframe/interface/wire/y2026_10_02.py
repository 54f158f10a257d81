"""The wire of 2026-10-02: its paths, names and limits, and how it writes the rows."""

from collections.abc import Mapping
from typing import Final, Literal

from ventureframe.interface import fields
from ventureframe.interface.fields import Field, Many
from ventureframe.interface.wire.profile import INTERFACE, Limit, Profile
from ventureframe.interface.wire.shape import (
    At,
    Block,
    Each,
    Either,
    Glance,
    Has,
    Known,
    Named,
    Names,
    Of,
    Parts,
    Rule,
    Shape,
)
from ventureframe.interface.wire.terms import ByRecord, Label, Renamed

_ROUNDS: Final = frozenset(
    ("Pre-Seed", "Seed", "Series A", "Series B", "Series C", "Series D", "Series E", "Series F+")
) | {"Growth", "Bridge", "Debt", "Grant", "IPO", "Secondary", "Other"}


def _same(*names: str) -> Mapping[str, Rule]:
    return {name: At(name) for name in names}


def _hq(kind: str, prefix: str = "") -> Of:
    return Of(f"{prefix}locations", f"{kind}.name", where=("role", "hq"))


def _filter(name: str, kind: Literal["text", "uuid"], meaning: str) -> Field:
    return Field(name, Many(kind), meaning, returned=False, filters=True)


def _institution(prefix: str = "") -> Mapping[str, Rule]:
    return {
        "uuid": At(f"{prefix}uuid"),
        "name": At(f"{prefix}name"),
        "website_domain": At(f"{prefix}domain"),
        "hq_city": _hq("city", prefix),
        "hq_country": _hq("country", prefix),
    }


_STUDY: Final[Mapping[str, Rule]] = {
    "university_uuid": At("university.uuid"),
    "university_name": At("university.name", "filled"),
    "degree": At("degree.name"),
    "major": Names("majors"),
    "start_year": At("start_date", "year"),
    "end_year": At("end_date", "year"),
}
_POST: Final[Mapping[str, Rule]] = {
    "company_uuid": At("company.uuid"),
    "name": At("company.name", "filled"),
    "title": At("raw_title"),
}
_VEHICLE: Final[Mapping[str, Rule]] = {
    **_same("id", "name", "fund_type", "amount", "is_closed", "source_url"),
    "fund_date": At("fund_date", "moment"),
    "amount_source": Parts("amount_source", {"amount": At("amount"), "currency": At("currency")}),
}
_IS_COMPANY: Final = ("entity.subtype", "company")
_FULL: Final = {"view": "full"}
_SEEN_AT: Final = _same("available", "locked")


def _entries(name: str, member: str) -> fields.Resource:
    """The entries of a list of founders, as a resource of their own."""
    kind = fields.FOUNDERS[member].type
    assert isinstance(kind, Many) and isinstance(kind.of, fields.Record)  # noqa: S101, PT018
    return fields.Resource(name, name, kind.of.fields)


TEAM: Final = fields.Resource(
    "team", "team member", (Field("founder_uuid", "uuid", "the founder", nullable=False),)
)
_SHAPES: Final[Mapping[str, Shape]] = {
    "companies": Shape(
        fields.COMPANIES,
        {
            **_same("uuid", "name", "tagline", "signal_rating"),
            "website_domain": At("domain"),
            "hq_city": _hq("city"),
            "hq_country": _hq("country"),
            "hq_continent": _hq("continent"),
            "launch_date": At("launch_date", "year"),
            "team_size": At("employees_count"),
            "tags": Each("taxonomy", _same("id", "name", "type")),
            "total_funding": At("funding.total"),
            "company_status": At("status"),
            "is_startup": Has("classifications", "startup"),
            "is_spinout": Has("classifications", "spinout"),
            "is_hiring": At("jobs.is_hiring"),
            "open_jobs_count": Known("jobs.open_count", where="jobs.is_hiring"),
            "founders": Each("founders.items", At("person.uuid")),
        },
        extras={"launch_date_text": At("launch_date", "precise"), **_SEEN_AT},
        glances={"founders": Glance("team", "founders.total", "founders.items", is_of_some=True)},
        blocks={
            "founders": Block("founders", "founders", total="total"),
            "total_funding": Block("funding", "funding", is_object=False),
            "is_hiring": Block("jobs", "jobs"),
        },
    ),
    "founders": Shape(
        fields.FOUNDERS,
        {
            "uuid": At("uuid"),
            "name": At("name", "filled"),
            "education": Each("education.items", _STUDY),
            "prior_employers": Each("career.items", _POST, where=("is_past", True)),
            "profile_links": Parts("links", {"linkedin": At("linkedin"), "twitter": At("twitter")}),
        },
        extras=_SEEN_AT,
        glances={
            "education": Glance("education", "education.total", "education.items"),
            "prior_employers": Glance("career", "career.total", "career.items"),
        },
        blocks={
            "education": Block("education", "education", total="total"),
            "prior_employers": Block("career", "career", total="total"),
        },
    ),
    "team": Shape(
        TEAM,
        {"founder_uuid": At("person.uuid")},
        extras={"name": At("person.name"), "is_past": At("is_past")},
    ),
    "education": Shape(_entries("education", "education"), _STUDY),
    "career": Shape(
        _entries("career", "prior_employers"), _POST, extras={"is_past": At("is_past")}
    ),
    "university": Shape(
        fields.UNIVERSITIES,
        {
            **_institution(),
            "founder_alumni_total": At("alumni.founders_count"),
            "spinout_count": At("spinouts_count"),
        },
        extras=_SEEN_AT,
        blocks={"founder_alumni_total": Block("alumni", "alumni", is_object=False)},
    ),
    "investor": Shape(fields.INVESTORS, _institution()),
    "lp-funds": Shape(fields.INVESTORS, _institution("investor.")),
    "funds": Shape(
        fields.FUNDS,
        {
            **_VEHICLE,
            "manager": Parts("manager", {"uuid": At("uuid"), "name": At("name", "filled")}),
        },
    ),
    "manager-funds": Shape(fields.FUNDS, _VEHICLE),
    "funding-rounds": Shape(
        fields.FUNDING_ROUNDS,
        {
            **_same("id", "year", "month", "amount"),
            "round_type": Either("standardized_round", second="round_type", known=_ROUNDS),
            "investors": Each(
                "investors", {"uuid": At("investor.uuid"), "name": At("investor.name", "filled")}
            ),
        },
        blocks={"investors": Block("investors", "investors")},
    ),
    "news": Shape(
        fields.NEWS,
        {
            **_same("id", "title", "publish_date", "url", "source"),
            "entity_id": Of("entities", "entity.uuid", where=_IS_COMPANY),
            "entity_ids": Each("entities", At("entity.uuid"), where=_IS_COMPANY),
        },
    ),
    "jobs": Shape(
        fields.JOBS,
        {
            **_same("id", "title", "url"),
            "date_posted": At("date_posted", "moment"),
            "entity_id": At("entity.uuid"),
            "location": At("formatted_location"),
        },
    ),
    "search": Shape(fields.SEARCH, _same(*(each.name for each in fields.SEARCH.returned))),
    "tags": Shape(
        fields.TAGS,
        {
            **_same("kind", "filter_key", "label", "value"),
            "source_type": Either("source_type", second="pinned_sub_type"),
        },
        optional=frozenset({"source_type", "pinned_sub_type"}),
    ),
    "locations": Shape(
        fields.LOCATIONS,
        {**_same("id", "name", "parent_name"), "type": Named("type", words={"state": "region"})},
        optional=frozenset({"type", "parent_name"}),
    ),
}

WIRE_2026_10_02: Final = Profile(
    name="2026-10-02",
    api_version="2026-10-02",
    rate=5.0,
    paths={
        **INTERFACE.paths,
        "locations": "/reference/filters/hq_location/values",
        "team": "/data/companies/{id}/team",
        "education": "/data/people/{id}/education",
        "career": "/data/people/{id}/career",
    },
    limits={
        **INTERFACE.limits,
        **dict.fromkeys(("aggregates", "team", "education", "career"), Limit(25, 500)),
        "funding-rounds": Limit(100, 500),
    },
    shapes=_SHAPES,
    fixed={"companies": _FULL, "founders": _FULL, "team": {"role": "founder"}},
    uncounted=frozenset({"funding-rounds"}),
    filters={
        "uuid": Renamed("id"),
        "tag_id": Renamed("taxonomy_id"),
        "company_status": Renamed("status"),
        "is_startup": Label("classification", "startup"),
        "is_spinout": Label("classification", "spinout"),
        "founder_university_name": ByRecord("founder__university.id", "university"),
    },
    own_filters=(
        _filter("classification", "text", "labels of the company"),
        _filter("founder__university.id", "uuid", "a founder studied there"),
    ),
    sorts={"company_status": "status", "team_size": "employees_count"},
    groups={
        "launch_date": "launch_year",
        "tag_id": "taxonomy_id",
        "company_status": "status",
        "university_uuid": "university.id",
    },
    sources=frozenset({"companies", "founders", "investors", "funding-rounds"}),
    tag_key="taxonomy_id",
    place_types={"region": "state"},
    kind_key="subtype",
)
"""Today's wire, against the interface: renamed, nested, and three lists cut short."""
