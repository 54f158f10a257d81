"""No request breaks the service: schemathesis asks every endpoint for anything.

`VENTUREFRAME_FUZZ` says how many requests are made up for each endpoint: a few unless
it is set, 100 in CI. `make test` leaves them out; refusals by name are in
test_endpoints.
"""

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import content_type_conformance

from tests.service.caller import Caller
from ventureframe.interface.wire.profile import INTERFACE
from ventureframe_service.aggregate import GROUPS

ASKED: Final = int(os.environ.get("VENTUREFRAME_FUZZ", "4"))
UNKNOWN: Final = "00000000-0000-4000-8000-000000000000"
LIKELY: Final[Mapping[str, list[str]]] = {
    "filter": [
        "launch_date[gte]:2015",
        "tag_id[in_all]:1|2",
        "or(name[eq]:a,and(id[eq]:x,is_startup[neq]:true))",
        "and(total_funding[lte]:1e308,year[gte]:-1)",
        "entity_id[in_any]:" + "|".join(["0" * 32] * 600),
        "and(" * 40,
    ],
    "sort": ["-launch_date", "name,-name", "total_funding,,", "-"],
    "cursor": ["W10", "bnVsbA", "WyJhIiwgLTEsIDFd", "\u00e9"],
    "limit": ["0", "1", "500", "501", "-1", "1e3", "\u0661", "9" * 40],
    "offset": ["0", "999999999999999", "9" * 16],
    "currency": ["EUR", "CHF", ""],
    "metric": ["count", "sum:total_funding", "median:team_size", "sum:name", ":"],
    "group_by": ["launch_date", "tag_id,hq_country", "tag_id,tag_id", ","],
    "id": [UNKNOWN, UNKNOWN.upper(), "none"],
    "types": ["university", "investor,university", "fund"],
    "scope": ["companies", "founders", "nothing"],
    "type": ["country", "sector", "planet"],
    "include_total": ["true", "yes"],
    "include_counts": ["true", "yes"],
    "limit_per_row": ["0", "3", "99"],
    "q": ["", "a", "\x00", "\U0001f600", "x" * 500],
}
"""What is likely in a parameter of some endpoint; others ignore it."""


def schema(paths: Mapping[str, str]) -> Any:
    """What the service takes: any text in every parameter, likely ones among them."""
    operations: dict[str, Any] = {}
    for name, path in paths.items():
        for source in GROUPS if name == "aggregates" else ("",):
            operations[path.replace("{source}", source)] = {
                "get": {
                    "parameters": [
                        *(parameter(each, "query") for each in LIKELY if each != "id"),
                        *([parameter("id", "path")] if "{id}" in path else []),
                    ],
                    "responses": {
                        "default": {
                            "description": "",
                            "content": {"application/json": {}},
                        }
                    },
                }
            }
    return schemathesis.openapi.from_dict(
        {
            "openapi": "3.1.0",
            "info": {"title": "any text", "version": "1"},
            "paths": operations,
        }
    )


def parameter(name: str, place: str) -> dict[str, Any]:
    likely: dict[str, Any] = {"enum": LIKELY[name]}
    any_text = {"anyOf": [likely, {"type": "string"}]}
    text = likely if place == "path" else any_text
    return {"name": name, "in": place, "required": place == "path", "schema": text}


@pytest.mark.slow
def test_no_request_breaks_the_service(caller: Caller) -> None:
    headers = {name: str(value) for name, value in caller.session.headers.items()}
    asked = schema(INTERFACE.paths)
    asked.config.update(base_url=caller.running.base_url)
    statuses: Counter[int] = Counter()
    for found in asked.get_all_operations():
        assert isinstance(found, Ok)

        @given(case=found.ok().as_strategy(generation_mode=GenerationMode.POSITIVE))
        @settings(
            max_examples=ASKED,
            deadline=None,
            derandomize=ASKED < 100,
            suppress_health_check=list(HealthCheck),
        )
        def ask(case: Any) -> None:
            reply = case.call(headers=headers, session=caller.session)
            statuses[reply.status_code] += 1
            case.validate_response(reply, checks=[content_type_conformance])
            assert reply.status_code == 200 or "error" in reply.json()

        ask()
    assert {200, 400, 404} <= set(statuses)
    assert max(statuses) < 500
