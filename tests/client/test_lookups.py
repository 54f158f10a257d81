"""Look-ups are exact: one record that matches, else an error that lists the near
misses.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ventureframe as vf
from tests.client.stand_in import Answer, Asked, Connect, StandIn, company, full, uuid
from tests.fake import connected_on
from ventureframe.client.lookups import (
    Investor,
    Kind,
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
from ventureframe.evidence.question import Records
from ventureframe.interface.fields import INVESTORS, LOCATIONS, UNIVERSITIES
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


def test_an_investor_of_the_same_name_and_domain_is_no_university(
    service: Service, named: Callable[..., None]
) -> None:
    named({**FOUND, "type": "investor"})
    with pytest.raises(
        LookupFailed, match=r"nothing similar was found. Check the spelling"
    ):
        service.university("Oak University", domain="oak.edu")


def test_near_misses_say_what_differed(
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
        == "No university has name 'Oak University' and domain 'oak.edu': give them"
        " exactly as in one record. Near misses: Oak university, oak.edu (name"
        " differs); Oak University, oak.ac.uk (domain differs); Oak College,"
        f" {uuid(3)} (name and domain differ)."
    )
    assert [row["differs"] for row in caught.value.candidates] == [
        ("name",),
        ("website_domain",),
        ("name", "website_domain"),
    ]


def test_the_record_with_the_domain_comes_first_whatever_the_name_finds(
    stand_in: StandIn, service: Service
) -> None:
    named_so = {**FOUND, "name": "Oakmoor", "website_domain": "oakmoor.edu"}
    meant = {**FOUND, "uuid": uuid(2), "name": "Oak Institute of Technology"}

    def answer(asked: Asked) -> Answer:
        return Answer(
            {"data": [named_so, meant] if asked.parameters["q"] == "oak.edu" else []}
        )

    stand_in.data = answer
    with pytest.raises(
        LookupFailed, match=r"Near misses: Oak Institute of Technology, oak.edu"
    ):
        service.university("OIT", domain="oak.edu")


def test_what_a_text_finds_is_listed_with_what_names_each(
    service: Service, named: Callable[..., None]
) -> None:
    named(
        FOUND,
        {**FOUND, "uuid": uuid(2)},
        {**FOUND, "uuid": uuid(3), "name": "Oak College", "website_domain": None},
        {
            **FOUND,
            "uuid": uuid(4),
            "name": "Oak School",
            "website_domain": "oak.example",
        },
    )
    assert [row["named"] for row in similar(service, "university", "oak")] == [
        ("Oak University", uuid(1)),
        ("Oak University", uuid(2)),
        ("Oak College", uuid(3)),
        ("Oak School", "oak.example"),
    ]


def test_a_name_alone_is_enough_where_one_record_has_it(
    service: Service, named: Callable[..., None]
) -> None:
    others = (
        {**FOUND, "uuid": uuid(2), "name": "Oak College"},
        {
            **FOUND,
            "uuid": uuid(3),
        },
    )
    named(FOUND, others[0])
    assert service.university("Oak University").uuid == uuid(1)
    named(FOUND, {**others[1], "website_domain": "oak.ac.uk"})
    with pytest.raises(
        LookupFailed, match=r"give its domain as well\. They are: Oak University, o"
    ):
        service.university("Oak University")
    named(FOUND, others[1])
    with pytest.raises(
        LookupFailed, match=r"give the UUID of the one that is meant in place of"
    ):
        service.university("Oak University")
    named(others[0])
    with pytest.raises(
        LookupFailed, match=r"No university has name 'Oak University': give them"
    ):
        service.university("Oak University")


def test_several_records_of_one_name_and_domain_are_listed(
    service: Service, named: Callable[..., None]
) -> None:
    named(*({**FOUND, "uuid": uuid(number)} for number in range(7)))
    with pytest.raises(
        LookupFailed,
        match=(
            r"Several records match a university.*: give the UUID of the one.* and 2"
            r" more"
        ),
    ) as caught:
        service.university("Oak University", domain="oak.edu")
    assert len(caught.value.candidates) == 7


@pytest.mark.parametrize("entity", [None, [], {}, {**ENTITY, "uuid": uuid(2)}])
def test_another_record_than_the_one_asked_for_is_named(
    service: Service, named: Callable[..., None], entity: object
) -> None:
    named(FOUND, entity=entity)
    with pytest.raises(UnreadableReply, match=f"is not the record {uuid(1)}"):
        service.university("Oak University", domain="oak.edu")


def test_a_university_of_a_shared_name_and_domain_is_taken_by_its_uuid(
    stand_in: StandIn, service: Service, named: Callable[..., None]
) -> None:
    named(entity=ENTITY)
    assert service.university(uuid(1).upper()).name == "Oak University"
    assert [asked.path for asked in stand_in.data_asked] == [
        f"/data/entities/{uuid(1)}"
    ]
    named(entity={**ENTITY, "type": "investor"})
    with pytest.raises(
        LookupFailed, match="is not of type 'university' but of type 'investor'"
    ):
        service.university(uuid(1))


def test_lps_and_managers_are_investors_found_in_the_same_way(
    service: Service, named: Callable[..., None]
) -> None:
    row = {**full(INVESTORS), **FOUND, "type": "investor"}
    named(row, entity=row)
    expected = Investor(uuid(1), "Oak University", "oak.edu", None, None)
    assert service.lp("Oak University", domain="oak.edu") == expected
    assert service.manager("Oak University", domain="oak.edu") == expected
    named(entity=row)
    assert service.lp(uuid(1)) == expected


@pytest.mark.parametrize("name", ["Oak University", None])
def test_a_uuid_stands_in_place_of_a_domain_or_of_name_and_domain(
    stand_in: StandIn, service: Service, named: Callable[..., None], name: str | None
) -> None:
    named(
        entity={**full(INVESTORS), **FOUND, "type": "investor", "website_domain": None}
    )
    found = service.lp(name, domain=uuid(1)) if name else service.lp(uuid(1))
    assert found == service.lp(uuid(1))
    assert {asked.path for asked in stand_in.data_asked} == {
        f"/data/entities/{uuid(1)}"
    }
    with pytest.raises(
        LookupFailed, match=r"No investor has name 'Elm': .*Oak .*\(name differs\)"
    ):
        service.lp("Elm", domain=uuid(1))


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


def test_two_tags_that_differ_in_case_only_are_listed(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = lambda _: Answer(
        {"data": [tag("5", "E-Commerce"), tag("6", "E-commerce")]}
    )
    with pytest.raises(
        LookupFailed, match=r"give the id .* are: E-Commerce, 5; E-commerce, 6"
    ):
        service.tag("E-Commerce", type="technology")


def test_a_tag_of_another_type_is_a_near_miss(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = lambda _: Answer({"data": [tag("5", "Robotics", None)]})
    with pytest.raises(LookupFailed, match=r"Robotics, 5 \(type differs\)"):
        service.tag("Robotics", type="sector")


def named_tag(number: object, name: str, kind: str = "technology") -> dict[str, object]:
    """A tag as the list of a filter's values has it."""
    return {
        "id": number,
        "code": None,
        "name": name,
        "entities_count": None,
        "type": kind,
    }


@pytest.mark.parametrize("profile", [INTERFACE, WIRE_2026_10_02])
def test_a_label_that_is_too_short_to_search_is_found_in_the_list_of_tags(
    stand_in: StandIn, connect: Connect, profile: Profile
) -> None:
    rows = [
        named_tag("5", "AIOps") | {"entities_count": 7},
        named_tag(6, "ai"),
        named_tag(7, "TV"),
        named_tag(8, "tv", "x"),
    ]
    stand_in.data = lambda _: Answer({"data": rows, "page": {"has_more": False}})
    service = Service(connect(profile))
    assert service.tag("AI", type="technology") == Tag(6, "ai", "technology")
    path = f"/reference/filters/{profile.tag_key}/values"
    assert {asked.path for asked in stand_in.data_asked} == {path}
    asked = {"q": "AI", "limit": "1000", "include_counts": "true"}
    assert stand_in.data_asked[0].parameters == asked
    assert [(row["named"], row["records"]) for row in similar(service, "tag", "AI")][
        :2
    ] == [
        (("ai", "technology"), None),
        (("AIOps", "technology"), 7),
    ]
    with pytest.raises(
        LookupFailed, match=r"give its type as well. They are: TV, tech.*; tv, x"
    ):
        service.tag("TV")
    with pytest.raises(
        UnsupportedValue, match=r"from 2 characters on; a tag's id can stand in pl"
    ):
        service.tag("C")


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_service_that_lists_no_tags_shows_those_of_companies_and_an_id_names_any(
    stand_in: StandIn, service: Service, status: int
) -> None:
    def answer(asked: Asked) -> Answer:
        if asked.path != "/data/companies":
            return Answer(
                {"error": {"code": "UNKNOWN_FILTER", "message": "no"}}, status
            )
        tags = [{"id": 6, "name": "AI", "type": "technology"}]
        if asked.parameters.get("filter") == "tag_id[in_any]:9":
            tags.append({"id": 9, "name": "ML", "type": "technology"})
        return Answer(
            {"data": [company(1, tags=tags), company(2, tags=tags)], "currency": "USD"}
        )

    stand_in.data = answer
    assert service.tag("AI", type="technology") == Tag(6, "AI", "technology")
    assert service.tag("ml", type="9") == Tag(9, "ML", "technology")
    tried = (
        "lists no tags, so for fewer than 3 characters the tags of 100 companies were"
        " read"
    )
    with pytest.raises(
        LookupFailed, match=f"{tried}. A tag's id can stand in place of its type"
    ):
        service.tag("ML", type="technology")
    with pytest.raises(
        LookupFailed, match=r"'AI' and id 9.*ML, technology \(label differs\)"
    ):
        service.tag("AI", type="9")


@pytest.mark.parametrize("wire", ["interface", "2026-10-02"])
def test_ai_and_ml_are_tags_of_a_dataset_on_either_wire(
    real_data: Path, wire: str
) -> None:
    data = real_data / "startups-2026"
    tags = [("AI", "technology"), ("ML", "technology")]
    with connected_on(wire, data) as service:
        for label in ("AI", "ml"):
            found = service.tag(label, type="technology")
            assert service.tag(label, type=str(found.id)) == found
            assert ("technology", label.upper()) == (found.type, found.label)
        question = vf.hiring.Question(tags=tags, rounds_of=0)
        wanted = vf.company.tag_id.in_all(
            [service.tag(label, type=kind).id for label, kind in tags]
        )
        counted = f"{service.companies.where(wanted).count():,} companies"
        assert counted in question.count(Records(service))


GEORGIAS = [("Georgia", "country", 5), ("Georgia", "region", 6), ("Ohio", "region", 7)]


def atlanta(parent: str, kind: str | None, number: int) -> dict[str, Any]:
    row = {"id": number, "name": "Atlanta", "type": "city", "parent_name": parent}
    return row if kind is None else {**row, "parent_type": kind}


def places(asked: Asked) -> Answer:
    rows = [atlanta(*each) for each in GEORGIAS]
    start = int(asked.parameters["offset"])
    return Answer({"data": rows[start : start + 1], "page": {"has_more": start < 2}})


def test_a_place_is_told_apart_by_the_place_it_is_within(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = places
    found = service.location("atlanta", type="city", within="ohio")
    assert found == Location(7, "Atlanta", "city", "Ohio", "region")
    with pytest.raises(
        LookupFailed,
        match=r"add the place it is within, written as it is here\. They are: "
        r"Atlanta, city, Georgia \(country\); Atlanta, city, Georgia \(region\);"
        r" Atlanta, city, O",
    ):
        service.location("Atlanta", type="city")


@pytest.mark.parametrize(
    ("within", "number"),
    [
        ("Georgia (region)", 6),
        ("georgia (Country)", 5),
        ("Georgia [6]", 6),
        ("Georgia (country) [5]", 5),
        ("[7]", 7),
    ],
)
def test_places_within_two_places_of_one_name_are_told_apart_by_its_type_or_by_their_id(
    stand_in: StandIn, service: Service, within: str, number: int
) -> None:
    stand_in.data = places
    found = service.location("Atlanta", type="city", within=within)
    assert found.id == number
    assert service.location(found.name, type=found.type, within=found.named[2]) == found


@pytest.mark.parametrize(
    ("within", "says"),
    [
        (
            "Georgia",
            (
                r"Several .*: add .*Georgia \(country\); Atlanta, city, Georgia"
                r" \(region\)\."
            ),
        ),
        (
            "Georgia (region) [5]",
            r"No location .*Georgia \(country\) \(type of the .* d",
        ),
        (
            "[8]",
            (
                r"No location has name 'Atlanta' and type 'city' and id 8:"
                r" .*\(country\) \(id d"
            ),
        ),
    ],
)
def test_a_place_that_is_not_told_apart_is_listed_with_its_parents_and_their_types(
    stand_in: StandIn, service: Service, within: str, says: str
) -> None:
    stand_in.data = places
    with pytest.raises(LookupFailed, match=says):
        service.location("Atlanta", type="city", within=within)


def test_a_service_that_does_not_say_what_a_parent_is_has_its_places_told_apart_by_id(
    stand_in: StandIn, service: Service
) -> None:
    rows = [atlanta("Georgia", None, number) for number in (5, 6)]
    stand_in.data = lambda _: Answer({"data": rows, "page": {"has_more": False}})
    with pytest.raises(
        LookupFailed, match=r"Atlanta, city, Georgia \[5\]; .*Georgia \["
    ):
        service.location("Atlanta", type="city", within="Georgia")
    found = service.location("Atlanta", type="city", within="Georgia [6]")
    assert found == Location(6, "Atlanta", "city", "Georgia", None)


def test_a_picked_place_is_found_by_its_id_among_the_places_of_its_name(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = places
    assert service.location("atlanta", within="[6]").parent_type == "region"
    assert "type" not in stand_in.data_asked[-1].parameters
    with pytest.raises(
        LookupFailed, match=r"No location has name 'Atlanta' and id 9: .*Ohio"
    ):
        service.location("Atlanta", within="[9]")
    assert service.location("Atlanta", within="Ohio").id == 7
    with pytest.raises(
        LookupFailed, match="add the place it is within, written as it is here"
    ):
        service.location("Atlanta")


def test_pages_of_places_that_repeat_come_to_an_end(
    stand_in: StandIn, service: Service
) -> None:
    row = {"id": 5, "name": "Cambridge", "type": "city", "parent_name": None}
    stand_in.data = lambda _: Answer({"data": [row], "page": {"has_more": True}})
    with pytest.warns(EvidenceWarning, match="can have more locations for 'Cambridge'"):
        assert service.location("Cambridge", type="city").id == 5
    assert len(stand_in.data_asked) == 2


@pytest.mark.parametrize(
    "entity",
    [
        {"name": "Elm University"},
        {"website_domain": "elm.edu"},
        {"name": "Elm", "website_domain": "e"},
    ],
)
def test_a_record_of_another_name_or_domain_than_the_one_searched_for_is_refused(
    service: Service, named: Callable[..., None], entity: dict[str, object]
) -> None:
    named(FOUND, entity={**ENTITY, **entity})
    with pytest.raises(LookupFailed, match="No university has"):
        service.university("Oak University", domain="oak.edu")


def test_a_record_without_a_domain_is_the_one_searched_for(
    service: Service, named: Callable[..., None]
) -> None:
    named(FOUND, entity={**ENTITY, "website_domain": None})
    assert service.university("Oak University", domain="oak.edu").website_domain is None


@pytest.mark.parametrize(
    "found", ["../dataset", "{" + uuid(1) + "}", uuid(1)[:-1], "", 7]
)
def test_what_a_search_calls_a_uuid_and_is_none_reaches_no_path(
    stand_in: StandIn, service: Service, named: Callable[..., None], found: object
) -> None:
    named({**FOUND, "uuid": found})
    with pytest.raises(UnreadableReply, match="'uuid'"):
        service.university("Oak University", domain="oak.edu")
    assert [asked.path for asked in stand_in.data_asked] == ["/data/search"]


@pytest.mark.parametrize("write", [str.upper, lambda it: it.replace("-", "")])
def test_a_uuid_is_the_same_however_search_and_record_write_it(
    stand_in: StandIn,
    service: Service,
    named: Callable[..., None],
    write: Callable[[str], str],
) -> None:
    written = write(uuid(0xABC))
    named({**FOUND, "uuid": written}, entity={**ENTITY, "uuid": written})
    assert service.university("Oak University", domain="oak.edu").uuid == uuid(0xABC)
    assert service.university(written).uuid == uuid(0xABC)
    assert {asked.path for asked in stand_in.data_asked[1:]} == {
        f"/data/entities/{uuid(0xABC)}"
    }


FULL = [
    (
        {"data": [tag(str(each), f"Robots {each}", "sector") for each in range(1, 10)]},
        10,
    ),
    ({"data": [], "page": {"has_more": True}}, 1),
    ({"data": [], "page": {"next_cursor": "x"}}, 1),
    ({"data": [], "page": {"total": 3}}, 1),
    ({"data": [], "page": {"limit": 1}}, 1),
]


@pytest.mark.parametrize(("body", "rows"), FULL)
def test_a_tag_that_matches_exactly_is_taken_and_a_near_miss_says_that_there_can_be_more(
    stand_in: StandIn, service: Service, body: dict[str, Any], rows: int
) -> None:
    found = [*body["data"], tag("77", "Robotics")]
    assert len(found) == rows
    stand_in.data = lambda _: Answer({**body, "data": found})
    assert service.tag("Robotics", type="technology").id == 77
    assert service.tag("Robotics").id == 77
    with pytest.raises(
        LookupFailed, match="can have more than it returned: give the name in full"
    ):
        service.tag("Robot", type="technology")


def test_places_are_asked_for_until_a_page_brings_no_other(
    stand_in: StandIn, service: Service
) -> None:
    """A namesake on the second page is found where the first does not say that it is
    the last.
    """
    rows = [atlanta("Georgia", "region", 1), atlanta("Texas", "region", 2)]

    def one_at_a_time(asked: Asked) -> Answer:
        start = int(asked.parameters["offset"])
        return Answer({"data": rows[start : start + 1], "has_more": start < 1})

    stand_in.data = one_at_a_time
    with pytest.raises(LookupFailed, match="Several records match a location"):
        service.location("Atlanta", type="city")
    assert [asked.parameters["offset"] for asked in stand_in.data_asked] == [
        "0",
        "1",
        "2",
    ]


def test_pages_of_places_without_end_are_an_error(
    stand_in: StandIn, service: Service
) -> None:
    def endless(asked: Asked) -> Answer:
        row = atlanta("Georgia", "region", int(asked.parameters["offset"]))
        return Answer({"data": [row], "page": {"has_more": True}})

    stand_in.data = endless
    with pytest.raises(
        UnreadableReply, match="more than 20 pages of places for 'Atlanta'"
    ):
        service.location("Atlanta", type="city")
    assert len(stand_in.data_asked) == 20


@pytest.mark.parametrize("name", ["error", "errors"])
def test_an_error_beside_a_record_is_an_error(
    stand_in: StandIn, service: Service, name: str
) -> None:
    stand_in.data = lambda _: Answer({"data": ENTITY, name: [{"message": "partial"}]})
    with pytest.raises(UnreadableReply, match="has an error beside its rows"):
        service.university(uuid(1))


def test_places_without_a_name_are_near_misses_too(
    stand_in: StandIn, service: Service
) -> None:
    nameless = full(LOCATIONS, id=7)
    stand_in.data = lambda _: Answer({"data": [nameless], "page": {"has_more": False}})
    with (
        pytest.warns(EvidenceWarning, match="leave out name"),
        pytest.raises(LookupFailed, match="none recorded"),
    ):
        service.location("London", type="city")


FIRST: list[tuple[Kind, str, tuple[str, ...], int, str]] = [
    ("university", "oxf", ("University of Oxford", "ox.ac.uk"), 26, "founder"),
    ("university", "sta", ("Stanford University", "stanford.edu"), 239, "founder"),
    ("lp", "ami", ("Amitim", "amitim.com"), 61, "manager"),
    ("lp", "", ("Amitim", "amitim.com"), 61, "manager"),
    ("tag", "bio", ("biotech", "sector"), 2942, "company"),
    ("tag", "", ("web", "sector"), 9005, "company"),
    ("location", "cambridge", ("Cambridge", "city", "Massachusetts"), 400, "company"),
    ("location", "", ("United States", "country", "North America"), 27572, "company"),
]


@pytest.mark.parametrize("wire", ["interface", "2026-10-02"])
def test_what_is_found_is_ranked_by_records_and_says_how_many(
    real_data: Path, wire: str
) -> None:
    with connected_on(wire, real_data / "venture-2013") as service:
        for kind, text, *expected in FIRST:
            found = service.similar(kind, text)
            assert [found[0][name] for name in ("named", "records", "of")] == expected
        lps = [(row["name"], row["records"]) for row in service.similar("lp")]
        assert (len(lps), lps[-1]) == (11, ("Yelin Lapidot", 1))
        cambridges = {
            ("Cambridge", "city", "United Kingdom"),
            ("Cambridge", "city", "Ohio"),
        }
        assert cambridges < {
            row["named"] for row in service.similar("location", "cambridge")
        }
        with pytest.raises(
            LookupFailed, match=r"University of Oxford, ox.ac.uk · 26 founders \(na"
        ):
            service.university("Oxford", domain="ox.ac.uk")


def test_where_lps_are_not_counted_any_investor_is_offered_and_a_refusal_is_not_asked_again(
    stand_in: StandIn, service: Service
) -> None:
    def answer(asked: Asked) -> Answer:
        if asked.path == "/data/search":
            return Answer({"data": [{**FOUND, "type": "investor"}]})
        return Answer({"error": {"code": "NOT_FOUND", "message": "no"}}, 404)

    stand_in.data = answer
    for _ in range(2):
        assert [row["records"] for row in similar(service, "lp", "oak")] == [None]
    assert sum("aggregate" in each.path for each in stand_in.data_asked) == 1


def test_a_filter_by_the_name_of_a_place_says_how_to_get_the_place(
    service: Service,
) -> None:
    with pytest.raises(
        UnsupportedValue, match=r'id of a place: svc\.location\("United States", t'
    ):
        service.companies.where(vf.company.hq_location == "United States")
