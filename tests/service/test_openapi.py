"""The service keeps its own OpenAPI document, whatever schemathesis thinks of asking.

`VENTUREFRAME_FUZZ` says how many requests are made up for each operation in each
mode: a few unless it is set, 100 in CI, 600 (20,000 in all) to be thorough.
"""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import CheckFunction
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    negative_data_rejection,
    positive_data_acceptance,
)

from tests.service.caller import Caller, calling
from tests.service.openapi import document
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe_service.app import TOKEN_PATH
from ventureframe_service.dataset import Dataset
from ventureframe_service.endpoints import Endpoints
from ventureframe_service.engine.store import Store
from ventureframe_service.settings import Settings

ASKED = int(os.environ.get("VENTUREFRAME_FUZZ", "2"))
BROADER = {"filter", "sort", "cursor", "metric"}
"""Parameters that take more, or depend on more, than a schema of their own can say."""


def operations(caller: Caller, spoken: Settings) -> Iterator[Any]:
    store = Store(caller.running.dataset, profile=spoken.profile)
    endpoints = Endpoints(store, profile=spoken.profile, tier=spoken.tier)
    schema = schemathesis.openapi.from_dict(
        document(spoken.profile, endpoints, TOKEN_PATH)
    )
    schema.config.update(base_url=caller.running.base_url)
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        yield found.ok()


SPOKEN = {
    "interface": Settings(strict=True),
    "today": Settings(strict=True, profile=WIRE_2026_10_02),
    "today, free": Settings(strict=True, profile=WIRE_2026_10_02, tier="free"),
}


@pytest.fixture(scope="module")
def callers(small: Dataset) -> Iterator[dict[str, Caller]]:
    """Callers of strict services: they refuse what their document does not know."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(calling(small, spoken))
            for name, spoken in SPOKEN.items()
        }


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize("name", SPOKEN)
def test_no_question_breaks_the_service_or_its_contract(
    callers: dict[str, Caller], name: str, mode: Any
) -> None:
    caller = callers[name]
    headers = {name: str(caller.session.headers[name]) for name in HEADERS}
    statuses: Counter[int] = Counter()
    for operation in operations(caller, SPOKEN[name]):

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(
            max_examples=ASKED,
            deadline=None,
            derandomize=ASKED < 100,
            suppress_health_check=list(HealthCheck),
        )
        def ask(case: Any) -> None:
            reply = case.call(headers=headers, session=caller.session)
            statuses[reply.status_code] += 1
            case.validate_response(
                reply, headers=headers, excluded_checks=list(beyond(case, reply))
            )

        ask()
    assert sum(statuses.values()) > ASKED * 5
    assert max(statuses) < 500


HEADERS = ("Authorization", "X-Client-Id", "User-Agent")


def beyond(case: Any, reply: Any) -> Iterator[CheckFunction]:
    """The checks that cannot know what the service knows, or what was not sent as
    generated.
    """
    sent = {name for name, _ in parse_qsl(urlsplit(reply.request.url).query, True)}
    if sent != set(case.query or ()):
        yield negative_data_rejection
    parts = case.meta.components
    wrong = [part for part in parts if parts[part].mode is GenerationMode.NEGATIVE]
    if BROADER & set(case.query or ()) or wrong == [ParameterLocation.HEADER]:
        yield positive_data_acceptance
        yield negative_data_rejection
