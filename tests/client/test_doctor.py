"""The doctor asks little, says which choices hold, and what to change where one does not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import ventureframe as vf
from tests.client.stand_in import SECRET, Answer, Asked, StandIn, collection, company, uuid
from ventureframe import cli, doctor
from ventureframe.client.service import Service
from ventureframe.doctor import Choice
from ventureframe.interface.wire.profile import INTERFACE, Limit, Profile


def wrong(profile: Profile) -> list[Choice]:
    """What the doctor finds wrong with the embedded service under another profile."""
    with vf.connect(environment={}) as service:
        service.session.profile = profile
        findings = list(doctor.examine(service))
    return [choice for each in findings for choice in each.choices if choice.holds is False]


def test_every_choice_of_the_profile_holds_for_the_embedded_service() -> None:
    with vf.connect(environment={}) as service:
        findings = list(doctor.examine(service))
    assert all(finding.holds for finding in findings), "\n".join(map(str, findings))
    assert {finding.endpoint for finding in findings} >= {
        "companies",
        "companies, by cursor",
        "founders, by id",
        "search by name: university",
        "record by id: university",
        "an investor's managers",
        "a manager's funds",
        "a company's rounds",
        "news, by id",
        "jobs, by id",
        "tags",
        "locations",
        "aggregates",
    }
    assert len(findings) <= 20


def limits(endpoint: str, maximum: int) -> dict[str, object]:
    return {"limits": {**INTERFACE.limits, endpoint: Limit(25, maximum)}}


def paths(endpoint: str, path: str) -> dict[str, object]:
    return {"paths": {**INTERFACE.paths, endpoint: path}}


CHANGES: list[tuple[dict[str, Any], str, str, str]] = [
    ({"cursor_parameter": "after"}, "cursor in 'after'", "the same rows", "cursor_endpoints"),
    ({"next_cursor": "next"}, "page.next", "none, though there are more rows", "cursor_endpoints"),
    ({"founders_filter": "uuids"}, "the request is understood", "UNKNOWN_FILTER", "the parameter"),
    (limits("jobs", 5000), "the request is understood", "422", "smaller maximum"),
    (paths("news", "/data/articles"), "the request is understood", "404", "Profile(paths=…)"),
    ({"client_id_header": None}, "the request is understood", "400", "client_id_header"),
]


@pytest.mark.parametrize(("change", "name", "seen", "advice"), CHANGES)
def test_a_service_that_chose_otherwise_is_named_with_the_change_to_make(
    change: dict[str, Any], name: str, seen: str, advice: str
) -> None:
    found = wrong(dataclasses.replace(INTERFACE, **change))
    assert any(each.name == name and seen in each.seen and advice in each.change for each in found)
    assert str(found[0]).startswith(f"DOES NOT HOLD: {found[0].name} (")
    assert f"→ {found[0].change}" in str(found[0])


def companies(asked: Asked) -> Answer:
    """A service with companies and nothing else."""
    if asked.path == "/data/companies":
        return collection([company(number) for number in range(5)])(asked)
    return Answer({"data": []})


def answering(**envelope: object) -> Callable[[Asked], Answer]:
    def answer(asked: Asked) -> Answer:
        body = companies(asked).body
        assert isinstance(body, dict)
        return Answer(body | envelope)

    return answer


SHAPES: list[tuple[Callable[[Asked], Answer], str, str]] = [
    (answering(page={}), "page.total", "None"),
    (answering(currency="JPY"), "currency of the reply", "'JPY'"),
    (answering(data=[{**company(1), "name": 5}]), "types of companies", "5 in 'name'"),
    (answering(data=[{"uuid": uuid(1)}]), "fields of companies", "without name, tagline"),
    (answering(data=[company(number) for number in range(9)]), "limit 2", "9 rows"),
    (answering(page={"limit": 1, "total": 5}), "limit 2", "page.limit 1"),
    (answering(data={"rows": []}), "rows under 'data'", "no list"),
]


@pytest.mark.parametrize(("answer", "name", "seen"), SHAPES)
def test_an_answer_of_another_shape_is_named(
    stand_in: StandIn, service: Service, answer: Callable[[Asked], Answer], name: str, seen: str
) -> None:
    stand_in.data = answer
    first = next(iter(doctor.examine(service)))
    assert not first.holds
    (choice,) = [each for each in first.choices if each.name == name]
    assert seen in choice.seen


def test_a_service_that_ignores_the_ids_is_named(stand_in: StandIn, service: Service) -> None:
    def answer(asked: Asked) -> Answer:
        start = 50 if "filter" in asked.parameters else 0
        return Answer({"data": [company(start + 1)], "page": {"total": 1, "limit": 2}})

    stand_in.data = answer
    findings = {each.endpoint: each for each in doctor.examine(service)}
    choice = findings["companies, by id"].choices[0]
    assert choice.holds is False
    assert choice.seen == "1 rows for 1 ids, 1 of others"


@pytest.mark.parametrize(
    ("status", "body", "requests"),
    [(401, {"error": "invalid_client"}, 1), (200, {"access_token": 5}, None)],
)
def test_a_refused_key_ends_it_and_no_secret_is_said(
    stand_in: StandIn, service: Service, status: int, body: object, requests: int | None
) -> None:
    stand_in.token = lambda _: Answer(body, status)
    findings = list(doctor.examine(service))
    said = "\n".join(map(str, findings))
    assert SECRET not in said
    assert stand_in.address not in said
    assert "DOES NOT HOLD" in said
    if requests is not None:
        assert len(findings) == requests
        assert "token_body='form' or 'basic'" in said


def test_what_an_error_echoes_is_scrubbed(stand_in: StandIn, service: Service) -> None:
    def echo(asked: Asked) -> Answer:
        shown = f"{asked.headers['authorization']} {SECRET}"
        return Answer({"error": {"code": "VALIDATION_ERROR", "message": shown}}, 400)

    stand_in.data = echo
    said = "\n".join(map(str, doctor.examine(service)))
    assert SECRET not in said
    assert "token-1" not in said
    assert "[hidden]" in said


def test_the_command_prints_each_finding_and_a_sum(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "USER_AGENT", "DATA"):
        monkeypatch.delenv(f"VENTUREFRAME_{name}", raising=False)
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("embedded service · SYNTHETIC")
    assert "holds: page.total" in said
    assert said.rstrip().endswith("no choice is contradicted")
