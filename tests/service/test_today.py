"""What the rows of today's wire say, held against the tables of the sample."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests import fake
from tests.service.caller import Caller
from ventureframe_service.dataset import Dataset


@pytest.fixture(scope="module")
def today(small: Dataset) -> Iterator[Caller]:
    with fake.start(small) as running, Caller(running) as caller:
        yield caller


def table(small: Dataset, name: str) -> list[dict[str, Any]]:
    return small.tables[name].to_dicts()


def roles(small: Dataset) -> dict[tuple[str, str], bool]:
    """By company and founder whether the role is past."""
    return {
        (row["company_uuid"], row["founder_uuid"]): bool(row["is_past"])
        for row in table(small, "company_founders")
    }


def test_a_row_shows_five_current_founders_and_the_team_everybody_and_who_left(
    small: Dataset, today: Caller
) -> None:
    past = roles(small)
    rows = {row["uuid"]: row for row in today.rows("/data/companies", limit=500)}
    companies = [row for row in table(small, "companies") if len(row["founders"]) > 3]
    assert any(past[row["uuid"], each] for row in companies for each in row["founders"])
    assert any(len(row["founders"]) > 5 for row in companies)
    for company in companies:
        uuid, every = company["uuid"], company["founders"]
        current = [each for each in every if not past[uuid, each]]
        glance = rows[uuid]["founders"]
        assert glance["total"] == len(current)
        shown = [each["person"]["uuid"] for each in glance["items"]]
        assert shown == current[:5]
        assert rows[uuid]["available"] == ["founders"]
        path = f"/data/companies/{uuid}/team"
        said = {each["person"]["uuid"]: each["is_past"] for each in today.rows(path)}
        assert said == {each: past[uuid, each] for each in every}
        left = today.rows(path, role="founder", is_past="true")
        assert {each["person"]["uuid"] for each in left} == set(every) - set(current)
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
