"""Replies of the fake have the shapes that the schema file of the newer wire states,
whoever asks for what.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from tests import fake
from tests.conftest import ROOT
from tests.fake import Tier
from tests.fake.rows import LOCKED
from tests.service.caller import Caller
from ventureframe_service.dataset import Dataset

SPEC = ROOT.parent / "shared" / "spec" / "wire-2026-10-02.schema.json"
SCOPES = ("companies", "founders", "funds", "news", "jobs")
REFERENCE, AGGREGATE = "/reference/filters", "/analytics/aggregate"
LISTS: Final = (
    *(
        (f"reply_{name}", f"/data/{name}?limit=25&include_total=true")
        for name in SCOPES
    ),
    ("reply_search", "/data/search?q=university&limit=20"),
    *(("reply_filters", f"{REFERENCE}?scope={scope}") for scope in SCOPES),
    (
        "reply_filter_search",
        f"{REFERENCE}/search?scope=companies&q=tech&limit_per_row=10",
    ),
    ("reply_filter_values", f"{REFERENCE}/hq_location/values?q=eur"),
    ("reply_aggregate", f"{AGGREGATE}/companies?group_by=launch_year,status"),
    ("reply_aggregate", f"{AGGREGATE}/founders?group_by=university.id"),
)
"""Questions to the lists, each with the shape of its reply."""
NESTED: Final = (
    ("reply_company_rounds", "companies", "uuid", "/data/companies/{}/funding-rounds"),
    ("reply_lp_funds", "lp_managers", "lp_uuid", "/data/investors/{}/lp-funds"),
    ("reply_manager_funds", "funds", "manager_uuid", "/data/investors/{}/funds"),
)
"""The shape of a reply, the table and column of the ids in its path, and the path."""
CUT_SHORT: Final = (
    ("reply_company_team", "companies", "uuid", "/data/companies/{}/team?role=founder"),
    ("reply_person_education", "founders", "uuid", "/data/people/{}/education"),
)
"""The lists that rows cut short; a post has no schema beside the glance of careers."""
ENTITIES: Final = tuple(
    ("reply_entity", table, "uuid", "/data/entities/{}")
    for table in ("companies", "founders", "universities", "investors")
)


@pytest.fixture(scope="module")
def stated() -> dict[str, Any]:
    """The schema file; a test that needs it says when it is absent."""
    if not SPEC.is_file():
        pytest.skip(
            "the schema of today's wire is not beside this checkout (../shared/spec)"
        )
    found: dict[str, Any] = json.loads(SPEC.read_text(encoding="utf-8"))
    return found


@contextmanager
def served(small: Dataset, tier: Tier = "premium") -> Iterator[Caller]:
    with fake.start(small, tier=tier) as running, Caller(running) as caller:
        yield caller


SUMMARIES: Final = [
    (f"reply_{name}", f"/data/{name}?limit=25&view=summary")
    for name in ("companies", "founders")
]


def wrong(stated: dict[str, Any], shape: str, reply: Any) -> str:
    """What the schema does not allow of a reply; nothing where it allows all."""
    schema = {"$ref": f"#/$defs/{shape}", "$defs": stated["$defs"]}
    error = best_match(Draft202012Validator(schema).iter_errors(reply))
    return "" if error is None else f"{error.json_path}: {error.message[:300]}"


def lists(small: Dataset) -> Iterator[tuple[str, str]]:
    """The lists, and the founders whose education is longer than a row shows."""
    yield from LISTS
    people = small.tables["founders"]
    long = people.filter(people["education"].list.len() > 5)["uuid"].head(9)
    assert not long.is_empty()
    yield "reply_founders", f"/data/founders?filter=id[in_any]:{'|'.join(long)}"


def nested(
    small: Dataset, paths: tuple[tuple[str, str, str, str], ...]
) -> Iterator[tuple[str, str]]:
    """The address of each of these paths for some of the records it is about."""
    for shape, table, column, path in paths:
        rows = small.tables[table]
        if "is_withheld" in rows.columns:
            rows = rows.filter(~rows["is_withheld"])
        for uuid in rows.gather_every(max(1, rows.height // 8)).head(8)[column]:
            yield shape, path.format(uuid)


def test_every_reply_to_a_premium_key_has_the_stated_shape(
    stated: dict[str, Any], small: Dataset
) -> None:
    with served(small) as caller:
        every = nested(small, NESTED + CUT_SHORT + ENTITIES)
        for shape, address in (*lists(small), *SUMMARIES, *every):
            assert not wrong(stated, shape, caller.page(address)), address


def unlocked(row: dict[str, Any], blocks: tuple[str, ...]) -> dict[str, Any]:
    """A row as if its locked blocks were there and empty."""
    sorts = {
        "founders": "-is_strong_founder,-launch_date",
        "education": "-start_date",
        "career": "-is_founder,is_past,-start_date",
    }
    assert {row[name] for name in blocks} == {None}
    assert row["locked"] == list(blocks)
    empty = {name: {"total": 0, "sort": sorts[name], "items": []} for name in blocks}
    return row | empty


def test_a_free_key_gets_null_for_a_full_block_and_the_stated_shape_otherwise(
    stated: dict[str, Any], small: Dataset
) -> None:
    with served(small, "free") as caller:
        for shape, address in (*lists(small), *nested(small, NESTED)):
            reply = caller.page(address)
            if "view" in reply:
                assert reply["page"]["tier"] == "free"
                blocks = LOCKED[shape.removeprefix("reply_")]
                reply["data"] = [unlocked(row, blocks) for row in reply["data"]]
            assert not wrong(stated, shape, reply), address
            if "rounds" in shape:
                assert {row["investors"] for row in reply["data"]} <= {None}
        for _, address in nested(small, CUT_SHORT):
            refused = caller.get(address)
            assert refused.status_code == 403
            assert not wrong(stated, "reply_error", refused.json())


NOBODY = "00000000-0000-0000-0000-000000000000"
ERRORS: Final = (
    ("/data/companies?limit=501", 422, "VALIDATION_ERROR", "limit"),
    ("/data/companies?filter=tag_id[eq]:1", 400, "UNKNOWN_FILTER", "taxonomy_id"),
    ("/data/companies?filter=((", 400, "FILTER_PARSE_ERROR", "filter"),
    ("/data/companies?view=brief", 400, "VALIDATION_ERROR", "view"),
    (f"/data/entities/{NOBODY}", 404, "NOT_FOUND", "null"),
)
"""An address, the status and code of its refusal, and what the details name: a
parameter, or the filter that replaces the one asked for.
"""


def test_a_refusal_has_the_stated_shape_and_says_what_to_ask_instead(
    stated: dict[str, Any], small: Dataset
) -> None:
    with served(small) as caller:
        for address, status, code, named in ERRORS:
            reply = caller.get(address)
            error = reply.json()["error"]
            assert (reply.status_code, error["code"]) == (status, code), address
            assert f'"{named}"' in json.dumps(error["details"]) or named == "null"
            assert (named == "null") is (error["details"] is None)
            assert not wrong(stated, "reply_error", reply.json())
        url = f"{caller.running.base_url}/data/companies"
        refused = caller.session.post(url, timeout=10)
        assert refused.status_code == 405
        assert not wrong(stated, "reply_error", refused.json())
