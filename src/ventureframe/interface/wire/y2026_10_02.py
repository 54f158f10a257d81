"""The wire of 2026-10-02: its paths, names and limits, and how it writes the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ventureframe.interface import fields
from ventureframe.interface.fields import Field, Many
from ventureframe.interface.wire.profile import INTERFACE, Limit, Profile
from ventureframe.interface.wire.shape import (
    At,
    Block,
    Each,
    Either,
    Filled,
    Glance,
    Has,
    Known,
    Moment,
    Named,
    Names,
    Of,
    Parts,
    Precise,
    Rule,
    Shape,
    Year,
    keys,
)
from ventureframe.interface.wire.terms import ByRecord, Label, Renamed

_PLACE: Final = "{id:n=#name name!}"
_LOCATIONS: Final = (
    f"locations![role! city{_PLACE} state{_PLACE} country{_PLACE} continent{_PLACE} lat:n lon:n]"
)
_COMPANY_REF: Final = "{uuid:u! type=organization subtype=company name!= image dealroom_url}"
_FIRM_REF: Final = _COMPANY_REF.replace("company", "investor")
_UNIVERSITY_REF: Final = _COMPANY_REF.replace("company", "university")
_PERSON_REF: Final = "{uuid:u! type=person subtype name!= image dealroom_url classifications[]}"
_TAGS: Final = "taxonomy![id:i! name! type]"
_CODED: Final = "[id:n name code]"
_INVESTING: Final = (
    f"types{_CODED} stages{_CODED} deal_size{{min:n max:n}} "
    "investments={count:n total_invested:n preferred_round last_round_date}"
)
_PORTFOLIO: Final = (
    "rank:n portfolio{rounds_count:n total_valuation:n companies={total:i=0 sort items["
    f"is_lead:f rounds_count:n last_round_date company{_COMPANY_REF}]}}}} "
    "exits{count:n total_value:n pct:n} match{companies_count:n invested:n}"
)
_INVESTOR_BLOCK: Final = f"investor{{{_INVESTING} {_PORTFOLIO}}}"
_ORGANIZATION: Final = (
    "uuid:u! type=organization subtype=investor domain name! tagline about image dealroom_url "
    "links={website linkedin twitter instagram angellist crunchbase} "
    f"{_LOCATIONS} roles[] {_TAGS} "
    "launch_date closing_date employees_count:n added_at updated_at"
)
_STINT: Final = (
    "raw_title titles[] is_founder:f=true is_executive:f=false is_partner:f=false "
    "is_past:f!=false start_date end_date"
)
_STUDIES: Final = f"degree{_PLACE} majors![id:n=#name name!] start_date end_date"
_SEEN: Final = "available![] locked~[]"
_MONEY: Final = "funding{total:n total_vc:n rounds_count:n}"
_JOBS: Final = "jobs={is_hiring:f open_count:n!=0}"
_TRAFFIC: Final = "traffic{monthly_visits:n growth_3m:n}"
_ANY_ORGANIZATION: Final = (
    f"{_ORGANIZATION} classifications~[] employee_count_1y_growth:n~ status~ signal_rating:n~ "
    "unicorn_type~ became_unicorn_date~ became_thoroughbred_date~ exit_date~ spinouts_count:n~ "
    f"investor~{{{_INVESTING}}} {_MONEY.replace('funding', 'funding~')} "
    f"valuation~{{value:n year:n month:n}} {_JOBS.replace('jobs=', 'jobs~=')} "
    f"types~{_CODED} stages~{_CODED} deal_size~{{min:n max:n}} "
    "investments~={count:n total_invested:n preferred_round last_round_date}"
)
"""An organisation within another row: what its row has depends on its subtype."""

_COMPANY: Final = keys(
    f"{_ORGANIZATION.replace('investor', 'company')} classifications![] "
    "employee_count_1y_growth:n status signal_rating:n unicorn_type became_unicorn_date "
    f"became_thoroughbred_date exit_date {_INVESTOR_BLOCK} {_MONEY} "
    f"valuation{{value:n year:n month:n}} {_JOBS} revenue{{value:n year:n}} {_TRAFFIC} "
    "patents{count:n} founders={total:i!=0 sort=-is_strong_founder,-launch_date "
    f"items![{_STINT} person!{_PERSON_REF}]}} {_SEEN}"
)
_PERSON: Final = (
    "uuid:u! type=person subtype name!= tagline about image dealroom_url "
    "links!={linkedin twitter angellist crunchbase} "
    f"{_LOCATIONS} roles=founder[] classifications[] {_TAGS} gender signal_rating:n "
)
_FOUNDER: Final = keys(
    f"{_PERSON} {_INVESTOR_BLOCK} added_at updated_at "
    "founded_companies{count:n total_funding:n} "
    "career={total:i!=0 sort=-is_founder,is_past,-start_date items!["
    f"{_STINT.replace('=true', '=false')} company!{_COMPANY_REF}]}} "
    f"education={{total:i!=0 sort=-start_date items![{_STUDIES} university!{_UNIVERSITY_REF}]}} "
    f"{_SEEN}"
)
_UNIVERSITY: Final = keys(
    f"{_ORGANIZATION.replace('investor', 'university')} spinouts_count:n {_INVESTOR_BLOCK} "
    "patents{count:n} alumni{count:n founders_count:n founded_companies_count:n "
    f"unicorn_companies_count:n}} {_SEEN}"
)
_INVESTOR: Final = keys(
    f"{_ORGANIZATION} signal_rating:n {_INVESTING} investor {_PORTFOLIO} {_SEEN}"
)
_FUND: Final = (
    "id:i! name fund_type amount:n amount_source!={amount:n currency} fund_date:d is_closed:f "
    "source_url"
)
_ROUND: Final = keys(
    "id:i! amount:n year:n month:n round_type standardized_round valuation:n is_verified:f "
    f"is_vc_round:f is_exit:f investors[is_lead:f investor!{_FIRM_REF}] source_url"
)
_ROUNDS: Final = frozenset(
    ("Pre-Seed", "Seed", "Series A", "Series B", "Series C", "Series D", "Series E", "Series F+")
) | {"Growth", "Bridge", "Debt", "Grant", "IPO", "Secondary", "Other"}
_NEWS: Final = keys(
    "id:i! url slug= title summary preview image_url image_source source!= article_type category "
    "news_types[id:n name] is_news:f=true type=public status=published publish_date:d amount:n "
    "round_type deal_date sector hq_country enriched_summary importance_score:n "
    "is_pinned:f=false source_urls[] references[] video_urls[] pitch_deck_urls[] "
    "author_entity_id:n author_kind created_at updated_at "
    f"entities![mention_role is_primary:f entity!{_COMPANY_REF}]"
)
_JOB: Final = keys(
    f"id:i! entity!{_COMPANY_REF} title url source job_type formatted_location post_language "
    "latitude:n longitude:n date_posted:d city_unique_id:n state_unique_id:n "
    "country_unique_id:n continent_unique_id:n city_region_unique_ids:n[]"
)
_HIT: Final = keys(
    "uuid:u! type! entity_type=organization name! tagline image is_unicorn:f "
    "investor_rank:n website_domain hq_city hq_country"
)
_TAG: Final = keys(
    "kind=value filter_key=taxonomy_id filter_picker_key=taxonomy_id filter_label=Taxonomy "
    "pinned_sub_type~ label! value:i! entities_count:n~ source_type~"
)
_VALUE: Final = keys(
    "id:i! code name! entities_count:n type~ parent_name~ parent_type~ state_name~ lat:n~ lon:n~ "
    "description~ image~ hq_city~ hq_country~ website_domain~"
)


def _same(*names: str) -> Mapping[str, Rule]:
    return {name: At(name) for name in names}


def _hq(kind: str, prefix: str = "") -> Of:
    return Of(f"{prefix}locations", f"{kind}.name", where=("role", "hq"))


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
    "university_name": Filled("university.name"),
    "degree": At("degree.name"),
    "major": Names("majors"),
    "start_year": Year("start_date"),
    "end_year": Year("end_date"),
}
_POST: Final[Mapping[str, Rule]] = {
    "company_uuid": At("company.uuid"),
    "name": Filled("company.name"),
    "title": At("raw_title"),
}
_VEHICLE: Final[Mapping[str, Rule]] = {
    **_same("id", "name", "fund_type", "amount", "is_closed", "source_url"),
    "fund_date": Moment("fund_date"),
    "amount_source": Parts("amount_source", {"amount": At("amount"), "currency": At("currency")}),
}
_IS_COMPANY: Final = ("entity.subtype", "company")
_SEEN_AT: Final = _same("available", "locked")


def _entries(name: str, member: str) -> fields.Resource:
    """The entries of a list of founders, as a resource of their own."""
    kind = fields.FOUNDERS[member].type
    assert isinstance(kind, Many)  # noqa: S101  # both lists are
    assert isinstance(kind.of, fields.Record)  # noqa: S101
    return fields.Resource(name, name, kind.of.fields)


TEAM: Final = fields.Resource(
    "team", "team member", (Field("founder_uuid", "uuid", "the founder", nullable=False),)
)
_SHAPES: Final[Mapping[str, Shape]] = {
    "companies": Shape(
        fields.COMPANIES,
        _COMPANY,
        {
            **_same("uuid", "name", "tagline", "signal_rating"),
            "website_domain": At("domain"),
            "hq_city": _hq("city"),
            "hq_country": _hq("country"),
            "hq_continent": _hq("continent"),
            "launch_date": Year("launch_date"),
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
        extras={
            "founders_total": At("founders.total"),
            "launch_date_text": Precise("launch_date"),
            **_SEEN_AT,
        },
        glances={"founders": Glance("team", "founders.total", "founders.items", is_of_some=True)},
        blocks={
            "founders": Block("founders", "founders", total="total"),
            "total_funding": Block("funding", "funding", is_object=False),
            "is_hiring": Block("jobs", "jobs"),
        },
    ),
    "founders": Shape(
        fields.FOUNDERS,
        _FOUNDER,
        {
            "uuid": At("uuid"),
            "name": Filled("name"),
            "education": Each("education.items", _STUDY),
            "prior_employers": Each("career.items", _POST, where=("is_past", True)),
            "profile_links": Parts("links", {"linkedin": At("linkedin"), "twitter": At("twitter")}),
        },
        extras={
            "education_total": At("education.total"),
            "prior_employers_total": At("career.total"),
            **_SEEN_AT,
        },
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
        keys(f"{_STINT} person!{{{_PERSON} investor{{{_INVESTING}}} added_at updated_at}}"),
        {"founder_uuid": At("person.uuid")},
        extras={"name": At("person.name"), "is_past": At("is_past")},
    ),
    "education": Shape(
        _entries("education", "education"),
        keys(f"{_STUDIES} university!{{{_ANY_ORGANIZATION.replace('investor', 'university', 1)}}}"),
        _STUDY,
    ),
    "university": Shape(
        fields.UNIVERSITIES,
        _UNIVERSITY,
        {
            **_institution(),
            "founder_alumni_total": At("alumni.founders_count"),
            "spinout_count": At("spinouts_count"),
        },
        extras=_SEEN_AT,
        blocks={"founder_alumni_total": Block("alumni", "alumni", is_object=False)},
    ),
    "investor": Shape(fields.INVESTORS, _INVESTOR, _institution()),
    "lp-funds": Shape(
        fields.INVESTORS,
        keys(f"investor!{{{_ANY_ORGANIZATION.replace('roles', 'roles=fund_manager')}}}"),
        _institution("investor."),
    ),
    "funds": Shape(
        fields.FUNDS,
        keys(f"{_FUND} manager!{_FIRM_REF}"),
        {**_VEHICLE, "manager": Parts("manager", {"uuid": At("uuid"), "name": Filled("name")})},
    ),
    "manager-funds": Shape(fields.FUNDS, keys(_FUND), _VEHICLE),
    "funding-rounds": Shape(
        fields.FUNDING_ROUNDS,
        _ROUND,
        {
            **_same("id", "year", "month", "amount"),
            "round_type": Either("standardized_round", "round_type", _ROUNDS),
            "investors": Each(
                "investors", {"uuid": At("investor.uuid"), "name": Filled("investor.name")}
            ),
        },
        blocks={"investors": Block("investors", "investors")},
    ),
    "news": Shape(
        fields.NEWS,
        _NEWS,
        {
            **_same("id", "title", "publish_date", "url", "source"),
            "entity_id": Of("entities", "entity.uuid", where=_IS_COMPANY),
            "entity_ids": Each("entities", At("entity.uuid"), where=_IS_COMPANY),
        },
    ),
    "jobs": Shape(
        fields.JOBS,
        _JOB,
        {
            **_same("id", "title", "url"),
            "date_posted": Moment("date_posted"),
            "entity_id": At("entity.uuid"),
            "location": At("formatted_location"),
        },
    ),
    "search": Shape(fields.SEARCH, _HIT, _same(*(each.name for each in fields.SEARCH.returned))),
    "tags": Shape(
        fields.TAGS,
        _TAG,
        {
            **_same("kind", "filter_key", "label", "value"),
            "source_type": Either("source_type", "pinned_sub_type"),
        },
    ),
    "locations": Shape(
        fields.LOCATIONS,
        _VALUE,
        {
            **_same("id", "name", "parent_name"),
            "type": Named("type", {"state": "region"}),
        },
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
        "funding-rounds": Limit(100, 500),
        "aggregates": Limit(25, 500),
        "team": Limit(25, 500),
        "education": Limit(25, 500),
        "career": Limit(25, 500),
    },
    shapes={
        **_SHAPES,
        "career": Shape(
            _entries("career", "prior_employers"),
            keys(
                f"{_STINT.replace('=true', '=false')} "
                f"company!{{{_ANY_ORGANIZATION.replace('investor', 'company', 1)}}}"
            ),
            _POST,
            extras={"is_past": At("is_past")},
        ),
    },
    fixed={
        "companies": {"view": "full"},
        "founders": {"view": "full"},
        "team": {"role": "founder"},
    },
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
        Field(
            "classification", Many("text"), "labels of the company", returned=False, filters=True
        ),
        Field(
            "founder__university.id",
            Many("uuid"),
            "a founder studied there",
            returned=False,
            filters=True,
        ),
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
