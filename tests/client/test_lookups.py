"""Look-ups are exact: one record that matches, else an error that lists the near
misses.
"""

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from tests.client.stand_in import Answer, Asked, Connect, StandIn, full, uuid
from ventureframe.client.lookups import (
    Investor,
    Location,
    Tag,
    University,
    similar,
)
from ventureframe.client.service import Service
from ventureframe.errors import (
    EvidenceWarning,
    LookupFailed,
    UnreadableReply,
    UnsupportedValue,
)
from ventureframe.interface.fields import INVESTORS, UNIVERSITIES
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE, Profile

FOUND = {
    "uuid": uuid(1),
    "type": "university",
    "name": "Oak University",
    "website_domain": "oak.edu",
}
ENTITY = {
    **full(UNIVERSITIES, **FOUND),
    "founder_alumni_total": 12,
    "hq_city": "Oakville",
}


@pytest.fixture
def named(stand_in: StandIn) -> Callable[..., None]:
    """Lets the stand-in find rows by search and one entity by id."""

    def find(*rows: dict[str, object], entity: object = ENTITY) -> None:
        def answer(asked: Asked) -> Answer:
            if asked.path == "/data/search":
                return Answer({"data": list(rows)})
            return Answer({"data": entity, "currency": "USD"})

        stand_in.data = answer

    return find


def test_a_university_is_found_by_name_and_domain(
    stand_in: StandIn, service: Service, named: Callable[..., None]
) -> None:
    named(FOUND, {**FOUND, "uuid": uuid(2), "website_domain": "oak.example"}, FOUND)
    assert service.university("Oak University", domain="OAK.edu") == University(
        uuid(1), "Oak University", "oak.edu", "Oakville", None, 12, None
    )
    search, entity = stand_in.data_asked
    assert search.parameters == {
        "q": "Oak University",
        "types": "university",
        "limit": "20",
    }
    assert entity.path == f"/data/entities/{uuid(1)}"


def test_the_nearest_record_is_named_and_all_are_candidates_with_what_differs(
    service: Service, named: Callable[..., None]
) -> None:
    named(
        {**FOUND, "uuid": uuid(3), "name": "Oak College", "website_domain": None},
        {**FOUND, "website_domain": "oak.ac.uk"},
        {**FOUND, "uuid": uuid(2), "name": "Oak university"},
    )
    with pytest.raises(LookupFailed) as caught:
        service.university("Oak University", domain="oak.edu")
    assert (
        str(caught.value)
        == "No university is called 'Oak University' and has the domain 'oak.edu'."
        " Did you mean Oak university (oak.edu)?"
    )
    name, domain, both = caught.value.candidates
    assert (name["differs"], domain["differs"]) == (("name",), ("website_domain",))
    assert both["differs"] == ("name", "website_domain")
    assert both["named"] == ("Oak College", uuid(3))


def test_the_record_with_the_domain_is_the_nearest_whatever_the_name_finds(
    stand_in: StandIn, service: Service
) -> None:
    named_so = {**FOUND, "name": "Oakmoor", "website_domain": "oakmoor.edu"}
    meant = {**FOUND, "uuid": uuid(2), "name": "Oak Institute of Technology"}

    def answer(asked: Asked) -> Answer:
        is_by_domain = asked.parameters["q"] == "oak.edu"
        return Answer({"data": [named_so, meant] if is_by_domain else []})

    stand_in.data = answer
    with pytest.raises(
        LookupFailed, match=r"mean Oak Institute of Technology \(oak.edu\)"
    ):
        service.university("OIT", domain="oak.edu")


def test_a_name_alone_is_enough_where_one_record_has_it(
    service: Service, named: Callable[..., None]
) -> None:
    college = {**FOUND, "uuid": uuid(2), "name": "Oak College"}
    named(FOUND, college)
    assert service.university("Oak University").uuid == uuid(1)
    others = [{**FOUND, "uuid": uuid(number)} for number in range(2, 8)]
    named(FOUND, *others)
    advice = r": Oak University \(0{8}-.*\. Give its domain as well, or its UUID in"
    with pytest.raises(LookupFailed, match=advice) as caught:
        service.university("Oak University")
    assert len(caught.value.candidates) == 7
    named({**FOUND, "type": "investor"})
    with pytest.raises(LookupFailed, match=r"Nothing similar was found: check the"):
        service.university("Oak University")


def test_a_uuid_stands_in_place_of_a_domain_or_of_name_and_domain(
    stand_in: StandIn, service: Service, named: Callable[..., None]
) -> None:
    firm = {**full(INVESTORS), **FOUND, "type": "investor", "website_domain": None}
    named(entity=firm)
    found = Investor(uuid(1), "Oak University", None, None, None)
    for look_up in (service.lp, service.manager):
        assert look_up(uuid(1).upper()) == found
        assert look_up("Oak University", domain=uuid(1)) == found
    paths = {asked.path for asked in stand_in.data_asked}
    assert paths == {f"/data/entities/{uuid(1)}"}
    with pytest.raises(LookupFailed, match=r"is called 'Elm'. Did you mean Oak "):
        service.lp("Elm", domain=uuid(1))
    wrong = "is not of type 'university' but of type 'investor'"
    with pytest.raises(LookupFailed, match=wrong):
        service.university(uuid(1))


def tag(
    number: object, label: str, source_type: str | None = "technology"
) -> dict[str, object]:
    return {
        "kind": "value",
        "filter_key": "tag_id",
        "label": label,
        "value": number,
        "source_type": source_type,
    }


def test_a_tag_is_found_by_label_and_type_with_case_ignored(
    stand_in: StandIn, service: Service
) -> None:
    rows = [
        tag("5", "robotics"),
        tag("6", "Robotics", "sector"),
        {"kind": "filter", "filter_key": "is_startup", "label": "Robotics"},
        {**tag("operational", "Robotics"), "filter_key": "company_status"},
    ]
    stand_in.data = lambda _: Answer({"data": rows})
    assert service.tag("Robotics", type="Technology") == Tag(
        5, "robotics", "technology"
    )
    assert stand_in.data_asked[0].parameters == {
        "q": "Robotics",
        "scope": "companies",
        "limit_per_row": "10",
        "limit": "50",
    }


def test_tags_that_match_or_nearly_match_are_listed(
    stand_in: StandIn, service: Service
) -> None:
    rows = [tag("5", "E-Commerce", "sector"), tag("6", "E-commerce")]
    stand_in.data = lambda _: Answer({"data": rows})
    listed = r"E-Commerce \(sector\); E-commerce \(technology\)\. Give its type as well"
    with pytest.raises(LookupFailed, match=listed):
        service.tag("E-Commerce")
    stand_in.data = lambda _: Answer({"data": [tag("5", "Robotics", None)]})
    with pytest.raises(LookupFailed, match=r"Robotics \(nothing else recorded\)"):
        service.tag("Robotics", type="sector")


@pytest.mark.parametrize("profile", [INTERFACE, WIRE_2026_10_02])
def test_a_label_that_is_too_short_to_search_is_found_in_the_list_of_tags(
    stand_in: StandIn, connect: Connect, profile: Profile
) -> None:
    names = {"5": "AIOps", 6: "ai", 8: "tv"}
    rows = [{"id": id_, "name": names[id_], "type": "technology"} for id_ in names]
    stand_in.data = lambda _: Answer({"data": rows, "page": {"has_more": False}})
    service = Service(connect(profile))
    assert service.tag("AI", type="technology") == Tag(6, "ai", "technology")
    path = f"/reference/filters/{profile.tag_key}/values"
    assert {asked.path for asked in stand_in.data_asked} == {path}
    assert stand_in.data_asked[0].parameters == {"q": "AI", "limit": "1000"}
    listed = [row["named"][0] for row in similar(service, "tag", "AI")]
    assert listed == ["ai", "AIOps", "tv"]
    with pytest.raises(UnsupportedValue, match="searches from 2 characters on"):
        service.tag("C")


GEORGIAS = [("Georgia", "country", 5), ("Georgia", "region", 6), ("Ohio", "region", 7)]


def atlanta(parent: str, kind: str, number: int) -> dict[str, Any]:
    row = {"id": number, "name": "Atlanta", "type": "city"}
    return {**row, "parent_name": parent, "parent_type": kind}


def test_a_place_is_told_apart_by_the_place_it_is_within_or_by_its_id(
    stand_in: StandIn, service: Service
) -> None:
    rows = [atlanta(*each) for each in GEORGIAS]
    stand_in.data = lambda _: Answer({"data": rows, "page": {"has_more": False}})
    found = service.location("atlanta", type="city", within="ohio")
    assert found == Location(7, "Atlanta", "city", "Ohio", "region")
    assert service.location("Atlanta", within="Ohio") == found
    assert service.location("Atlanta", type="7") == found
    assert "type" not in stand_in.data_asked[-1].parameters
    wrong = [
        (
            {"type": "city", "within": "Georgia"},
            r"More than one .*: Atlanta \(city, Georgia \(country\), id 5\);"
            r" Atlanta \(city, Georgia \(region\), id 6\)\. .*its id ",
        ),
        ({"type": "9"}, r"No location is called 'Atlanta' and has the id '9'. Did you"),
        ({"within": "Utah"}, r"lies in 'Utah'. Did you mean Atlanta"),
    ]
    for given, says in wrong:
        with pytest.raises(LookupFailed, match=says):
            service.location("Atlanta", **given)


def test_a_place_is_taken_with_a_warning_where_there_can_be_others(
    stand_in: StandIn, service: Service
) -> None:
    rows = [atlanta("Georgia", "region", 1)]
    stand_in.data = lambda _: Answer({"data": rows, "page": {"has_more": True}})
    with pytest.warns(EvidenceWarning, match="may have more locations for 'Atlanta'"):
        assert service.location("Atlanta", type="city").id == 1
    with pytest.raises(LookupFailed, match="returned only its first matches"):
        service.location("Atlanta", within="Texas")
    assert service.location("Atlanta", type="1").id == 1


RECORDS: list[tuple[object, type[Exception], str]] = [
    (None, UnreadableReply, f"is not the record of the uuid {uuid(1)}"),
    ({}, UnreadableReply, f"is not the record of the uuid {uuid(1)}"),
    (
        {**ENTITY, "uuid": uuid(2)},
        UnreadableReply,
        f"is not the record of the uuid {uuid(1)}",
    ),
    ({**ENTITY, "name": "Elm University"}, LookupFailed, "No university is called"),
    ({**ENTITY, "website_domain": "elm.edu"}, LookupFailed, "No university is called"),
]


@pytest.mark.parametrize(("entity", "error", "message"), RECORDS)
def test_another_record_than_the_one_searched_for_is_refused(
    service: Service,
    named: Callable[..., None],
    entity: object,
    error: type[Exception],
    message: str,
) -> None:
    named(FOUND, entity=entity)
    with pytest.raises(error, match=message):
        service.university("Oak University", domain="oak.edu")
    named(FOUND, entity={**ENTITY, "website_domain": None})
    found = service.university("Oak University", domain="oak.edu")
    assert found.website_domain is None


@pytest.mark.parametrize("found", ["../dataset", "{" + uuid(1) + "}", "", 7])
def test_what_a_search_calls_a_uuid_and_is_none_reaches_no_path(
    stand_in: StandIn, service: Service, named: Callable[..., None], found: object
) -> None:
    named({**FOUND, "uuid": found})
    with pytest.raises(UnreadableReply, match="'uuid'"):
        service.university("Oak University", domain="oak.edu")
    assert [asked.path for asked in stand_in.data_asked] == ["/data/search"]


def test_a_uuid_is_the_same_however_search_and_record_write_it(
    stand_in: StandIn, service: Service, named: Callable[..., None]
) -> None:
    written = uuid(0xABC).upper().replace("-", "")
    named({**FOUND, "uuid": written}, entity={**ENTITY, "uuid": written})
    assert service.university("Oak University", domain="oak.edu").uuid == uuid(0xABC)
    assert service.university(written).uuid == uuid(0xABC)
    paths = {asked.path for asked in stand_in.data_asked[1:]}
    assert paths == {f"/data/entities/{uuid(0xABC)}"}


FULL: list[dict[str, Any]] = [
    {"data": [tag(str(each), f"Robots {each}", "sector") for each in range(1, 10)]},
    {"data": [], "page": {"has_more": True}},
]


@pytest.mark.parametrize("body", FULL)
def test_a_tag_that_matches_is_taken_and_a_near_miss_says_that_there_can_be_more(
    stand_in: StandIn, service: Service, body: dict[str, Any]
) -> None:
    found = [*body["data"], tag("77", "Robotics")]
    stand_in.data = lambda _: Answer({**body, "data": found})
    assert service.tag("Robotics", type="technology").id == 77
    with pytest.raises(LookupFailed, match="first matches: give the name in full"):
        service.tag("Robot", type="technology")


def test_an_error_beside_a_record_is_an_error(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = lambda _: Answer({"data": ENTITY, "errors": [{"message": "part"}]})
    with pytest.raises(UnreadableReply, match="has an error beside its rows"):
        service.university(uuid(1))


@pytest.mark.parametrize("key", ["subtype", "organization_subtype"])
def test_a_hit_whose_type_is_general_is_known_by_its_subtype(
    service: Service, named: Callable[..., None], key: str
) -> None:
    general = {"type": "organization", key: "university"}
    named({**FOUND, **general}, {**FOUND, **general, "uuid": uuid(2), key: "x"})
    assert service.university("Oak University", domain="oak.edu").uuid == uuid(1)


@pytest.mark.parametrize("is_cut", [True, False])
def test_a_short_label_says_among_how_many_tags_it_was_looked_up(
    stand_in: StandIn, service: Service, *, is_cut: bool
) -> None:
    rows = [{"id": 6, "name": "AI", "type": "technology"}]
    rows += [{"id": n, "name": f"T{n}", "type": "sector"} for n in range(100, 199)]
    stand_in.data = lambda _: Answer({"data": rows, "page": {"has_more": is_cut}})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert service.tag("AI").id == 6
    said = [str(each.message) for each in caught]
    among = "was looked up among the first 100 that the service lists: others may"
    assert [among in text for text in said] == [True] * is_cut
