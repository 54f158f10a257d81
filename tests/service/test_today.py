"""What the rows of today's wire say, held against the tables of the sample."""

from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest

from tests import fake
from tests.service.caller import Caller
from ventureframe_service.dataset import Dataset


@pytest.fixture(scope="module")
def today(small: Dataset) -> Iterator[Caller]:
    with fake.start(small) as running, Caller(running) as caller:
        yield caller


@pytest.fixture(scope="module")
def rows(today: Caller) -> dict[str, dict[str, Any]]:
    return {row["uuid"]: row for row in today.rows("/data/companies", limit=500)}


def table(small: Dataset, name: str) -> list[dict[str, Any]]:
    return small.tables[name].to_dicts()


def roles(small: Dataset) -> dict[tuple[str, str], bool]:
    """By company and founder whether the role is past."""
    return {
        (row["company_uuid"], row["founder_uuid"]): bool(row["is_past"])
        for row in table(small, "company_founders")
    }


def test_a_row_shows_five_current_founders_by_name_and_counts_all_of_them(
    small: Dataset, rows: dict[str, dict[str, Any]]
) -> None:
    past = roles(small)
    names = {row["uuid"]: row["name"] or "" for row in table(small, "founders")}
    long = 0
    for company in table(small, "companies"):
        current = [
            each for each in company["founders"] if not past[company["uuid"], each]
        ]
        glance = rows[company["uuid"]]["founders"]
        people = [
            (each["person"]["uuid"], each["person"]["name"]) for each in glance["items"]
        ]
        assert glance["total"] == len(current)
        assert people == [(each, names[each]) for each in current[:5]]
        assert rows[company["uuid"]]["available"] == (["founders"] if current else [])
        long += len(current) > 5
    assert long > 0


def test_the_team_has_every_founder_and_says_who_left(
    small: Dataset, today: Caller
) -> None:
    past = roles(small)
    hard = [row for row in table(small, "companies") if len(row["founders"]) > 3]
    assert any(past[row["uuid"], each] for row in hard for each in row["founders"])
    for company in hard:
        path = f"/data/companies/{company['uuid']}/team"
        said = {each["person"]["uuid"]: each["is_past"] for each in today.rows(path)}
        assert said == {
            each: past[company["uuid"], each] for each in company["founders"]
        }
        left = today.rows(path, role="founder", is_past="true")
        assert {each["person"]["uuid"] for each in left} == {
            each for each in said if said[each]
        }
        assert today.rows(path, role="partner") == []


def test_a_team_is_sorted_by_name_and_takes_the_order_that_rows_announce(
    small: Dataset, today: Caller
) -> None:
    company = max(table(small, "companies"), key=lambda row: len(row["founders"]))
    path = f"/data/companies/{company['uuid']}/team"
    names = [each["person"]["name"] for each in today.rows(path, sort="name")]
    assert names == sorted(names)
    announced = "-is_strong_founder,-launch_date"
    assert today.rows(path, sort=announced) == today.rows(path)
    status, code, details = today.error(path, sort="age")
    assert (status, code) == (400, "VALIDATION_ERROR")
    assert details == [{"path": "sort", "message": "sort is one of name"}]


def test_the_older_wire_serves_every_founder_and_every_entry(
    small: Dataset, caller: Caller, today: Caller
) -> None:
    companies = {row["uuid"]: row for row in caller.rows("/data/companies", limit=500)}
    for company in table(small, "companies"):
        assert companies[company["uuid"]]["founders"] == company["founders"]
    long = small.tables["founders"].filter(
        pl.col("education").list.len() > 5, ~pl.col("is_withheld")
    )
    assert long.height
    for person in long.to_dicts():
        asked = f"id[eq]:{person['uuid']}"
        [older] = caller.rows("/data/founders", filter=asked)
        [newer] = today.rows("/data/founders", filter=asked)
        path = f"/data/people/{person['uuid']}/education"
        every = [entry["university_uuid"] for entry in person["education"]]
        assert [entry["university_uuid"] for entry in older["education"]] == every
        assert newer["education"]["total"] == 6
        shown = [entry["university"]["uuid"] for entry in newer["education"]["items"]]
        assert shown == every[:5]
        assert [entry["university"]["uuid"] for entry in today.rows(path)] == every
        assert every[5] not in shown


def test_a_career_has_current_posts_and_prior_employers_that_are_companies(
    small: Dataset, today: Caller
) -> None:
    people = {row["uuid"]: row for row in today.rows("/data/founders", limit=500)}
    posts: dict[str, list[tuple[str, bool]]] = {}
    for post in table(small, "career"):
        posts.setdefault(post["founder_uuid"], []).append((post["company_uuid"], False))
    for person in table(small, "founders"):
        for post in person["prior_employers"] or ():
            if post["company_uuid"]:
                posts.setdefault(person["uuid"], []).append(
                    (post["company_uuid"], True)
                )
    roles = {
        (role["founder_uuid"], role["company_uuid"], bool(role["is_past"]))
        for role in table(small, "company_founders")
    }
    for uuid, company, is_past in sorted(roles):
        if (company, is_past) not in posts.setdefault(uuid, []):
            posts[uuid].append((company, is_past))
    checked = 0
    for uuid, expected in posts.items():
        if uuid in people:
            glance = people[uuid]["career"]
            shown = [
                (each["company"]["uuid"], each["is_past"]) for each in glance["items"]
            ]
            every = today.rows(f"/data/people/{uuid}/career")
            assert glance["total"] == len(expected)
            listed = [(each["company"]["uuid"], each["is_past"]) for each in every]
            assert shown == listed[:5]
            assert sorted(listed) == sorted(expected)
            is_role = [(uuid, *post) in roles for post in listed]
            assert [each["is_founder"] for each in every] == is_role
            kinds = [
                (not founder, past)
                for founder, (_, past) in zip(is_role, listed, strict=True)
            ]
            assert kinds == sorted(kinds), "as a founder first, then present posts"
            assert all(each["company"]["name"] for each in (*every, *glance["items"]))
            checked += 1
    assert checked > 50


def test_a_founding_date_keeps_its_precision(
    small: Dataset, rows: dict[str, dict[str, Any]]
) -> None:
    for company in table(small, "companies"):
        assert rows[company["uuid"]]["launch_date"] == company["launch_date_text"]


def test_headquarters_name_the_places_by_the_ids_that_filters_take(
    small: Dataset, rows: dict[str, dict[str, Any]]
) -> None:
    places = {row["id"]: row for row in table(small, "locations")}
    kinds = {
        "city": "city",
        "region": "state",
        "country": "country",
        "continent": "continent",
    }
    for company in table(small, "companies"):
        expected = dict.fromkeys(("city", "state", "country", "continent"))
        place = places.get(company["hq_location"])
        while place is not None:
            expected[kinds[place["type"]]] = {"id": place["id"], "name": place["name"]}
            place = places.get(place["parent_id"])
        found = rows[company["uuid"]]["locations"]
        if company["hq_location"] is None:
            assert found == []
        else:
            assert found == [{"role": "hq", **expected, "lat": None, "lon": None}]


def test_news_and_postings_name_their_companies(small: Dataset, today: Caller) -> None:
    names = {row["uuid"]: row["name"] for row in table(small, "companies")}
    articles = {row["id"]: row for row in table(small, "news")}
    for row in today.rows("/data/news", limit=2000):
        found = [
            (each["entity"]["uuid"], each["entity"]["name"]) for each in row["entities"]
        ]
        assert found == [
            (uuid, names[uuid]) for uuid in articles[row["id"]]["entity_ids"]
        ]
    for row in today.rows("/data/jobs", limit=200):
        assert row["entity"]["name"] == names[row["entity"]["uuid"]]
        assert row["date_posted"] is None or row["date_posted"].endswith(
            "T00:00:00.000Z"
        )


def test_a_summary_leaves_out_what_only_a_full_row_has(today: Caller) -> None:
    for path, full in {
        "/data/companies": "founders",
        "/data/founders": "education",
    }.items():
        reply = today.page(path, view="summary")
        assert reply["view"] == "summary"
        assert full in today.page(path)["data"][0]
        for row in reply["data"]:
            assert not {full, "available", "career", "revenue"} & row.keys()


def test_investors_have_the_role_that_the_dataset_says(
    small: Dataset, today: Caller
) -> None:
    for investor in table(small, "investors")[::7]:
        row = today.page(f"/data/entities/{investor['uuid']}")["data"]
        assert ("limited_partner" in row["roles"]) == investor["is_lp"]
        assert ("fund_manager" in row["roles"]) != investor["is_lp"]


def test_a_tag_search_gives_three_values_unless_told_otherwise(today: Caller) -> None:
    path = "/reference/filters/search"
    assert len(today.rows(path, q="tech", scope="companies")) <= 3
    wanted = {"q": "tics", "scope": "companies"}
    assert len(today.rows(path, **wanted, limit_per_row=10)) >= len(
        today.rows(path, **wanted)
    )
    assert today.error(path, q="tech", limit_per_row=11)[0] == 422


def test_a_total_is_never_counted_for_rounds(small: Dataset, today: Caller) -> None:
    uuid = small.tables["funding_rounds"]["company_uuid"][0]
    page = today.page(f"/data/companies/{uuid}/funding-rounds", include_total="true")[
        "page"
    ]
    assert page["total"] is None
