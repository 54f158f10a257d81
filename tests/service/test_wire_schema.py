"""Replies on today's wire have the shapes that its schema file states, whoever asks
for what.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests import fake
from tests.conftest import ROOT
from tests.fake import Tier
from tests.service.caller import Caller
from tests.service.sample.sample import sample
from ventureframe_service.dataset import Dataset

SPEC = ROOT.parent / "shared" / "spec" / "wire-2026-10-02.schema.json"
WORLDS = (
    *("sample", "venture-2013"),
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("startups-2026", "venture-2013-10")
    ),
)
LOCKED = {
    "companies": {"founders"},
    "founders": {"education", "career"},
}
"""Blocks that a free key gets as null although the schema has objects there."""


@pytest.fixture(scope="module")
def stated() -> dict[str, Any]:
    """The schema file; a test that needs it says when it is absent."""
    if not SPEC.is_file():
        pytest.skip(
            "the schema of today's wire is not beside this checkout (../shared/spec)"
        )
    found: dict[str, Any] = json.loads(SPEC.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module", params=WORLDS)
def world(request: pytest.FixtureRequest) -> Dataset:
    if request.param == "sample":
        return sample(companies=400)
    folder: Path = request.getfixturevalue("real_data")
    return Dataset.open(folder / request.param)


@contextmanager
def served(world: Dataset, tier: Tier = "premium") -> Iterator[Caller]:
    with fake.start(world, tier=tier) as running, Caller(running) as caller:
        yield caller


def wrong(stated: dict[str, Any], shape: str, reply: Any) -> list[str]:
    """What of a reply the schema does not allow: the path and the value."""
    schema = {"$ref": f"#/$defs/{shape}", "$defs": stated["$defs"]}
    found = Draft202012Validator(schema).iter_errors(reply)
    return [
        f"{error.json_path}: {error.message[:300]} {said(error)}" for error in found
    ]


def said(error: Any) -> list[str]:
    """What each of several allowed shapes misses."""
    return [f"{each.json_path}: {each.message[:200]}" for each in error.context or ()][
        :12
    ]


def keys(world: Dataset, table: str, column: str = "uuid") -> list[Any]:
    rows = world.tables[table]
    if "is_withheld" in rows.columns:
        rows = rows.filter(~rows["is_withheld"])
    if rows.is_empty():
        return []
    found = rows.gather_every(max(1, rows.height // 8))
    return list(found.head(8)[column])


def pages(world: Dataset) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Questions to the lists, each with the shape of its reply and the view that it
    is in.
    """
    many = {"limit": "25", "include_total": "true"}
    for name in ("companies", "founders"):
        for view in ("full", "summary"):
            yield f"reply_{name}", f"/data/{name}", {**many, "view": view}
    people = world.tables["founders"]
    long = people.filter(people["education"].list.len() > 5)["uuid"].head(9).to_list()
    if long:
        asked = "|".join(long)
        yield "reply_founders", "/data/founders", {"filter": f"id[in_any]:{asked}"}
    yield "reply_companies", "/data/companies", {**many, "sort": "-employees_count"}
    for name in ("funds", "news", "jobs"):
        yield f"reply_{name}", f"/data/{name}", many
    yield "reply_search", "/data/search", {"q": "university", "limit": "20"}
    yield "reply_search", "/data/search", {"q": "ventures", "types": "investor"}
    for scope in ("companies", "founders", "news", "jobs", "funds"):
        yield "reply_filters", "/reference/filters", {"scope": scope}
    found = {"scope": "companies", "q": "tech", "limit_per_row": "10"}
    yield "reply_filter_search", "/reference/filters/search", found
    for name in ("eur", "lon", "cal"):
        yield (
            "reply_filter_values",
            "/reference/filters/hq_location/values",
            {"q": name},
        )
    for source, by in (
        ("companies", "hq_country"),
        ("companies", "launch_year,status"),
        ("founders", "university.id"),
        ("funding-rounds", "year"),
    ):
        path = f"/analytics/aggregate/{source}"
        yield "reply_aggregate", path, {"metric": "count", "group_by": by}


def nested(world: Dataset) -> Iterator[tuple[str, str]]:
    for uuid in keys(world, "companies"):
        yield "reply_company_rounds", f"/data/companies/{uuid}/funding-rounds"
    for uuid in keys(world, "lp_managers", "lp_uuid"):
        yield "reply_lp_funds", f"/data/investors/{uuid}/lp-funds"
    for uuid in keys(world, "funds", "manager_uuid"):
        yield "reply_manager_funds", f"/data/investors/{uuid}/funds"


def cut_short(world: Dataset) -> Iterator[tuple[str, str]]:
    """The lists that rows cut short; a post has no schema beside the glance of
    careers.
    """
    for uuid in keys(world, "companies"):
        yield "reply_company_team", f"/data/companies/{uuid}/team?role=founder"
    for uuid in keys(world, "founders"):
        yield "reply_person_education", f"/data/people/{uuid}/education"


def test_every_reply_to_a_premium_key_has_the_stated_shape(
    stated: dict[str, Any], world: Dataset
) -> None:
    with served(world) as caller:
        for shape, path, query in pages(world):
            assert wrong(stated, shape, caller.page(path, **query)) == [], (path, query)
        for shape, path in (*nested(world), *cut_short(world)):
            assert wrong(stated, shape, caller.page(path)) == [], path
        for table in ("companies", "founders", "universities", "investors"):
            for uuid in keys(world, table)[:3]:
                reply = caller.page(f"/data/entities/{uuid}")
                assert wrong(stated, "reply_entity", reply) == [], (table, uuid)


def unlocked(row: dict[str, Any], blocks: set[str]) -> dict[str, Any]:
    """A row as if its locked blocks were there and empty."""
    sorts = {"founders": "-is_strong_founder,-launch_date", "education": "-start_date"}
    sorts["career"] = "-is_founder,is_past,-start_date"
    empty = {
        name: {"total": 0, "sort": sort, "items": []} for name, sort in sorts.items()
    }
    assert {name: row[name] for name in blocks} == dict.fromkeys(blocks)
    assert set(row["locked"]) == blocks
    return row | {name: empty.get(name) for name in blocks}


def test_a_free_key_gets_null_for_a_full_block_and_the_stated_shape_otherwise(
    stated: dict[str, Any], world: Dataset
) -> None:
    with served(world, "free") as caller:
        for shape, path, query in pages(world):
            reply = caller.page(path, **query)
            if blocks := (
                LOCKED.get(path.rpartition("/")[2]) if "view" in reply else None
            ):
                assert reply["page"]["tier"] == "free"
                if reply["view"] == "full":
                    reply["data"] = [unlocked(row, blocks) for row in reply["data"]]
            assert wrong(stated, shape, reply) == [], (path, query)
        for shape, path in nested(world):
            reply = caller.page(path)
            assert wrong(stated, shape, reply) == [], path
            if "rounds" in path:
                assert {row["investors"] for row in reply["data"]} <= {None}
        for _, path in cut_short(world):
            refused = caller.get(path)
            assert refused.status_code == 403
            assert wrong(stated, "reply_error", refused.json()) == []


def test_a_free_key_still_sees_which_blocks_hold_data() -> None:
    world = sample(companies=60)
    with served(world) as premium, served(world, "free") as free:
        for path in ("/data/companies", "/data/founders"):
            open_, locked = (each.rows(path, limit=500) for each in (premium, free))
            assert [row["available"] for row in open_] == [
                row["available"] for row in locked
            ]
            assert any(row["available"] for row in locked)
            assert not any("locked" in row for row in open_)


ERRORS: tuple[tuple[str, int, str, Any], ...] = (
    ("/data/companies?limit=501", 422, "VALIDATION_ERROR", [{"path": "limit"}]),
    ("/data/companies?limit=x", 400, "VALIDATION_ERROR", [{"path": "limit"}]),
    *(
        (f"/data/companies?filter={old}", 400, "UNKNOWN_FILTER", {"replaced_by": new})
        for old, new in (
            ("tag_id[eq]:1", "taxonomy_id"),
            ("is_startup[eq]:true", "classification"),
            ("is_spinout[eq]:true", "classification"),
            ("company_status[eq]:operational", "status"),
            ("founder_university_name[eq]:A", "founder__university.id"),
            ("and(launch_date[gte]:2015,or(tag_id[eq]:1,id[eq]:x))", "taxonomy_id"),
        )
    ),
    (
        "/data/companies?filter=nothing[eq]:1",
        400,
        "UNKNOWN_FILTER",
        [{"path": "filter"}],
    ),
    ("/data/companies?filter=((", 400, "FILTER_PARSE_ERROR", [{"path": "filter"}]),
    ("/data/companies?view=brief", 400, "VALIDATION_ERROR", [{"path": "view"}]),
    ("/data/entities/12", 400, "VALIDATION_ERROR", [{"path": "id"}]),
    ("/data/entities/00000000-0000-0000-0000-000000000000", 404, "NOT_FOUND", None),
    (
        "/data/companies/00000000-0000-0000-0000-000000000000/team",
        404,
        "NOT_FOUND",
        None,
    ),
    ("/data/nothing", 404, "NOT_FOUND", None),
    ("/analytics/aggregate/jobs?group_by=year", 404, "NOT_FOUND", None),
)


def test_a_refusal_has_the_stated_shape_and_says_what_to_ask_instead(
    stated: dict[str, Any], today: Caller
) -> None:
    for address, status, code, details in ERRORS:
        reply = today.get(address)
        error = reply.json()["error"]
        assert (reply.status_code, error["code"]) == (status, code), address
        assert wrong(stated, "reply_error", reply.json()) == []
        if isinstance(details, list):
            assert [part["path"] for part in error["details"]] == [
                p["path"] for p in details
            ]
        elif details is not None:
            assert details.items() <= error["details"].items()
        else:
            assert error["details"] is None


def test_another_method_is_refused_in_the_stated_shape(
    stated: dict[str, Any], today: Caller
) -> None:
    address = f"{today.running.base_url}/data/companies"
    for method in ("POST", "PUT", "DELETE"):
        reply = today.session.request(method, address, timeout=10)
        assert reply.status_code == 405
        assert wrong(stated, "reply_error", reply.json()) == []


@pytest.fixture(scope="module")
def today() -> Iterator[Caller]:
    with served(sample(companies=400)) as caller:
        yield caller
