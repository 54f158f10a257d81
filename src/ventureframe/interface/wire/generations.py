"""The generations of the wire: today's, of 2026-10-02, as a table, and both by name."""

import functools
from collections.abc import Mapping, Set
from typing import cast

from ventureframe.errors import ConfigurationError
from ventureframe.interface import fields
from ventureframe.interface.fields import Field, Resource
from ventureframe.interface.wire.profile import (
    INTERFACE,
    At,
    Each,
    Form,
    Glance,
    Limit,
    Of,
    Parts,
    Profile,
    Rule,
    Shape,
    Term,
    Where,
)


def _at(text: str) -> dict[str, At]:
    """Rules by field: `field=path:form` where the path has another name, the value a
    form.
    """
    rules = dict[str, At]()
    for word in text.split():
        name, _, place = word.partition("=")
        path, _, form = place.partition(":")
        rules[name] = At(path or name, cast("Form", form or "plain"))
    return rules


_HQ = Where("role", "hq", ("founding", "office"))


def _institution(prefix: str = "") -> dict[str, Rule]:
    places = f"{prefix}locations"
    return {
        **_at(f"uuid={prefix}uuid name={prefix}name website_domain={prefix}domain"),
        "hq_city": Of(places, "city.name", _HQ),
        "hq_country": Of(places, "country.name", _HQ),
    }


_STUDY = _at(
    "university_uuid=university.uuid university_name=university.name:filled"
    " degree=degree.name major=majors:names"
    " start_year=start_date:year end_year=end_date:year"
)
_POST = _at(
    "company_uuid=company.uuid name=company.name:filled title=raw_title"
    " start_year=start_date:year end_year=end_date:year"
)
_VEHICLE: dict[str, Rule] = {
    **_at("id name fund_type amount is_closed source_url fund_date"),
    "amount_source": Parts("amount_source", _at("amount currency")),
}
_COMPANIES = Of(
    "entities",
    "entity.uuid",
    Where("entity.subtype", "company", ("university", "gov_ngo", "investor")),
)
_FULL = {"view": "full"}
_SUMMARY = {"view": "summary"}
_SEEN_AT = _at("available locked")


_LISTS = {"education": "education", "prior_employers": "career"}
_SHAPES: Mapping[str, Shape] = {
    "companies": Shape(
        fields.COMPANIES,
        {
            **_institution(),
            **_at(
                "tagline signal_rating company_status=status"
                " launch_date=launch_date:year team_size=employees_count"
                " is_hiring=jobs.is_hiring total_funding=funding.total"
            ),
            "hq_continent": Of("locations", "continent.name", _HQ),
            "tags": Each("taxonomy", _at("id name type")),
            "is_startup": At("classifications", label="startup"),
            "is_spinout": At("classifications", label="spinout"),
            "open_jobs_count": At("jobs.open_count", unless_null="jobs.is_hiring"),
            "founders": Of("founders.items", "person.uuid"),
        },
        extras=_at("launch_date_text=launch_date:precise available locked"),
        glances={"founders": Glance("team", "founders", is_of_some=True)},
        blocks={
            "founders": "founders",
            "total_funding": "funding?",
            "is_hiring": "jobs",
        },
        parameters=_FULL,
        summary=_SUMMARY,
    ),
    "founders": Shape(
        fields.FOUNDERS,
        {
            **_at("uuid name=name:filled"),
            "education": Each("education.items", _STUDY),
            "prior_employers": Each(
                "career.items", _POST, where=Where("is_past", value=True)
            ),
            "profile_links": Parts("links", _at("linkedin twitter")),
        },
        extras={
            **_SEEN_AT,
            "posts": Each(
                "career.items", _at("company_uuid=company.uuid is_founder is_past")
            ),
        },
        glances={field: Glance(name, name) for field, name in _LISTS.items()},
        blocks=_LISTS,
        parameters=_FULL,
        summary=_SUMMARY,
    ),
    "team": Shape(
        Resource(
            "team", "team member", (Field("founder_uuid", "uuid", nullable=False),)
        ),
        _at("founder_uuid=person.uuid"),
        extras=_at("name=person.name is_past is_founder"),
        parameters={"role": "founder"},
    ),
    "education": Shape(fields.EDUCATION, _STUDY),
    "career": Shape(fields.CAREER, _POST, extras=_at("is_past")),
    "university": Shape(
        fields.UNIVERSITIES,
        _institution()
        | _at(
            "founder_alumni_total=alumni.founders_count spinout_count=spinouts_count"
        ),
        extras=_SEEN_AT,
        blocks={"founder_alumni_total": "alumni?"},
    ),
    "investor": Shape(fields.INVESTORS, _institution()),
    "lp-funds": Shape(fields.INVESTORS, _institution("investor.")),
    "funds": Shape(
        fields.FUNDS,
        {**_VEHICLE, "manager": Parts("manager", _at("uuid name=name:filled"))},
    ),
    "manager-funds": Shape(fields.FUNDS, _VEHICLE),
    "funding-rounds": Shape(
        fields.FUNDING_ROUNDS,
        {
            **_at("id year month amount"),
            "round_type": At("standardized_round", second="round_type"),
            "investors": Each(
                "investors", _at("uuid=investor.uuid name=investor.name:filled")
            ),
        },
        blocks={"investors": "investors"},
    ),
    "news": Shape(
        fields.NEWS,
        {
            **_at("id title publish_date url source"),
            "entity_ids": _COMPANIES,
            "entity_id": _COMPANIES,
        },
    ),
    "jobs": Shape(
        fields.JOBS,
        _at(
            "id title url date_posted entity_id=entity.uuid location=formatted_location"
        ),
    ),
    "tags": Shape(
        fields.TAGS,
        _at("kind filter_key label value entities_count")
        | {"source_type": At("source_type", second="pinned_sub_type")},
    ),
    "locations": Shape(
        fields.LOCATIONS,
        _at("id name parent_name entities_count")
        | {"type": At("type", words={"state": "region"})},
    ),
}

WIRE_2026_10_02 = Profile(
    name="2026-10-02",
    api_version="2026-10-02",
    finds_companies=True,
    rate=5.0,
    paths={
        **INTERFACE.paths,
        "locations": "/reference/filters/hq_location/values",
        "tag-values": "/reference/filters/taxonomy_id/values",
        "team": "/data/companies/{id}/team",
        **{name: f"/data/people/{{id}}/{name}" for name in ("education", "career")},
    },
    limits={
        **INTERFACE.limits,
        **dict.fromkeys(("aggregates", "team", "education", "career"), Limit(25, 500)),
        "funding-rounds": Limit(100, 500),
    },
    shapes=_SHAPES,
    uncounted=frozenset({"funding-rounds"}),
    filters={
        "uuid": Term("id"),
        "tag_id": Term("taxonomy_id"),
        "company_status": Term("status"),
        "is_startup": Term("classification", label="startup"),
        "is_spinout": Term("classification", label="spinout"),
        "founder_university_name": Term("founder__university.id", kind="university"),
    },
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
WIRES: Mapping[str, Profile] = {
    wire.name: wire for wire in (INTERFACE, WIRE_2026_10_02)
}
"""The generations by name, the oldest first."""


@functools.cache
def distinctive_keys(shape: Shape) -> tuple[Set[str], Set[str]]:
    """Return the keys of rows that only another generation has, and those that only
    this one has.
    """
    native = {key.name for key in shape.read.fields}
    shapes = [Shape(shape.resource)]
    if not shape.columns:
        shapes = [item for item in _SHAPES.values() if item.resource is shape.resource]
    foreign = {key.name for item in shapes for key in item.read.fields}
    return foreign - native, native - foreign


def named(name: str | Profile) -> Profile:
    """Return the generation with this name; `ConfigurationError` lists what there
    is.
    """
    if isinstance(name, Profile):
        return name
    if name in WIRES:
        return WIRES[name]
    raise ConfigurationError(
        f"There is no wire {name!r}. The generations are {' and '.join(WIRES)}.",
        settings=("wire",),
    )
