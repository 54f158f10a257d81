"""The doctor asks little, says what holds of a wire's table, and what to change where not."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pytest

import ventureframe as vf
from tests.client.stand_in import SECRET, Answer, Asked, StandIn, collection, company, full, uuid
from tests.service.sample.sample import sample
from ventureframe import cli, doctor
from ventureframe.client.auth import Credentials
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.doctor import Finding
from ventureframe.errors import WireWarning
from ventureframe.interface.fields import FUNDS
from ventureframe.interface.wire.profile import INTERFACE, Limit, Profile
from ventureframe.interface.wire.shape import At, Each
from ventureframe.interface.wire.y2026_10_02 import WIRE_2026_10_02
from ventureframe_service.run import start
from ventureframe_service.settings import Settings

WIRES = [INTERFACE, WIRE_2026_10_02]
BOTH = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)


@pytest.fixture(scope="module")
def embedded() -> Iterator[dict[str, Service]]:
    """The embedded service on each wire."""
    with contextlib.ExitStack() as stack:
        made = {
            each.name: stack.enter_context(vf.connect(wire=each, environment={})) for each in WIRES
        }
        yield made


def answers(service: Service, profile: Profile) -> list[doctor.Answer]:
    """What the doctor finds where the client takes the service for one of this profile."""
    service.connection.session.profile = profile
    return list(doctor.examine(service))


def wrong(found: Iterable[doctor.Answer]) -> list[Finding]:
    return [finding for each in found for finding in each.findings if finding.holds is False]


COMMON = {
    "wire",
    "companies",
    "companies, by cursor",
    "companies, by a founder's university",
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
CUT_SHORT = {"a company's team", "a founder's education", "a founder's career"}


@pytest.mark.parametrize(
    ("wire", "own"), [(INTERFACE, set[str]()), (WIRE_2026_10_02, CUT_SHORT)], ids=["old", "new"]
)
def test_all_of_its_table_holds_for_the_embedded_service(
    embedded: dict[str, Service], wire: Profile, own: set[str]
) -> None:
    found = answers(embedded[wire.name], wire)
    assert not wrong(found), "\n".join(map(str, found))
    assert {each.probe.name for each in found} >= COMMON | own
    assert all(each.request.startswith("GET") for each in found)
    assert len(found) <= 25


@BOTH
def test_the_generation_is_named_first(embedded: dict[str, Service], wire: Profile) -> None:
    first, *_ = answers(embedded[wire.name], wire)
    assert first.findings[0].name == f"wire {wire.name}"
    assert wire.tag_key in first.findings[0].seen


@pytest.mark.parametrize(("spoken", "tried"), [WIRES, WIRES[::-1]], ids=["new", "old"])
def test_a_service_of_another_generation_is_named_and_asked_nothing_else(
    embedded: dict[str, Service], spoken: Profile, tried: Profile
) -> None:
    (only,) = answers(embedded[spoken.name], tried)
    assert only.findings[0].holds is False
    assert only.findings[0].change.startswith(f"vf.connect(wire={spoken.name!r})")


def limits(wire: Profile, endpoint: str, maximum: int) -> dict[str, object]:
    return {"limits": {**wire.limits, endpoint: Limit(25, maximum)}}


def paths(wire: Profile, endpoint: str, path: str) -> dict[str, object]:
    return {"paths": {**wire.paths, endpoint: path}}


class Case(NamedTuple):
    """A profile that differs from what the service does, and what is said of it."""

    wire: Profile
    change: dict[str, Any]
    name: str
    seen: str
    advice: str

    def __str__(self) -> str:
        return f"{self.wire.name} {' '.join(self.change)}"


REQUEST = "the request is understood"


def cases(wire: Profile) -> Iterator[Case]:
    articles, large = paths(wire, "news", "/data/articles"), limits(wire, "jobs", 5000)
    yield Case(wire, {"cursor_parameter": "after"}, "cursor in 'after'", "same rows", "cursor_end")
    yield Case(wire, {"founders_filter": "uuids"}, REQUEST, "UNKNOWN_FILTER", "the parameter")
    yield Case(wire, large, REQUEST, "422", "smaller maximum")
    yield Case(wire, articles, REQUEST, "404", "Profile(paths=…)")
    yield Case(wire, {"client_id_header": None}, REQUEST, "400", "client_id_header")
    yield Case(
        wire, {"tag_key": "label_id"}, "tags of the filter label_id", wire.tag_key, "tag_key"
    )
    yield Case(wire, {"groups": {"company_status": "x"}}, REQUEST, "group_by", "the parameter")


def today(change: dict[str, Any], name: str, seen: str, advice: str) -> Case:
    return Case(WIRE_2026_10_02, change, name, seen, advice)


CASES = [
    *cases(INTERFACE),
    *cases(WIRE_2026_10_02),
    today({"kind_key": "type"}, "its kind in 'type'", "'organization'", "Profile(kind_key=…)"),
    today({"uncounted": frozenset()}, "page.total", "None", "total not reported"),
    today({"api_version": "2026-10-09"}, "version 2026-10-09", "2026-10-02 is", "update"),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_service_that_chose_otherwise_is_named_with_the_change_to_make(
    embedded: dict[str, Service], case: Case
) -> None:
    tried = dataclasses.replace(case.wire, **case.change)
    found = wrong(answers(embedded[case.wire.name], tried))
    named = [each for each in found if each.name == case.name]
    assert any(case.seen in each.seen and case.advice in each.change for each in named)
    assert str(found[0]).startswith(f"DOES NOT HOLD: {found[0].name} (")
    assert f"→ {found[0].change}" in str(found[0])


def test_a_wrong_shape_is_named_with_the_line_to_change(embedded: dict[str, Service]) -> None:
    shape = WIRE_2026_10_02.shapes["companies"]
    columns = {**shape.columns, "tags": Each("topics", {"id": At("id")})}
    other = dataclasses.replace(shape, columns=columns)
    shapes = {**WIRE_2026_10_02.shapes, "companies": other}
    tried = dataclasses.replace(WIRE_2026_10_02, shapes=shapes)
    found = wrong(answers(embedded[WIRE_2026_10_02.name], tried))
    choice = next(each for each in found if each.name == "fields of companies")
    assert choice.seen.startswith("without tags; has about, ")
    assert "taxonomy, " in choice.seen
    assert "shapes['companies'] in interface/wire/y2026_10_02.py" in choice.change


def test_a_value_of_another_type_is_named_with_the_table_to_correct(
    embedded: dict[str, Service],
) -> None:
    shape = WIRE_2026_10_02.shapes["companies"]
    columns = {
        **shape.columns,
        "is_hiring": At("employees_count"),
        "team_size": At("signal_rating"),
    }
    other = dataclasses.replace(shape, columns=columns)
    shapes = {**WIRE_2026_10_02.shapes, "companies": other}
    tried = dataclasses.replace(WIRE_2026_10_02, shapes=shapes)
    choice = wrong(answers(embedded[WIRE_2026_10_02.name], tried))[0]
    assert choice.name == "types of companies"
    assert "'employees_count'" in choice.seen
    assert "correct the type in interface/wire/y2026_10_02.py" in choice.change


def test_what_a_key_does_not_see_is_withheld_and_no_fault_of_the_wire() -> None:
    settings = Settings(profile=WIRE_2026_10_02, tier="free")
    with start(sample(companies=300), settings) as running:
        credentials = Credentials(running.client_id, running.client_secret)
        session = Session(
            base_url=running.base_url,
            auth_url=running.auth_url,
            credentials=credentials,
            user_agent="analysts/1.0",
            profile=WIRE_2026_10_02,
        )
        with Service(session) as service:
            found = examined(service)
    assert "not seen: founders of companies (withheld from 2 of 2 rows" in str(found["companies"])
    (closed,) = found["a founder's education"].findings
    assert (closed.name, closed.holds) == ("the key may read it", False)
    assert "ask the owner" in closed.seen
    assert not wrong([found["companies"], found["founders, by id"]])


def examined(service: Service) -> dict[str, doctor.Answer]:
    return {each.probe.name: each for each in doctor.examine(service)}


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
    (answering(page={"total": 1}), "page.total", "1 beside 2 rows"),
    (answering(currency="JPY"), "types of companies", "'JPY'"),
    (answering(data=[{**company(1), "name": 5}]), "types of companies", "5 in 'name'"),
    (answering(data=[{"uuid": uuid(1)}]), "fields of companies", "without name, tagline"),
    (answering(data=[{**company(1), "founders": {uuid(7): 1}}]), "types of companies", "list"),
    (answering(data={"rows": []}), "types of companies", "no list of records under 'data'"),
]


@pytest.mark.parametrize(("answer", "name", "seen"), SHAPES)
def test_an_answer_of_another_shape_is_named(
    stand_in: StandIn, service: Service, answer: Callable[[Asked], Answer], name: str, seen: str
) -> None:
    stand_in.data = answer
    (found,) = wrong([examined(service)["companies"]])
    assert found.name == name
    assert seen in found.seen


def test_a_service_that_ignores_the_ids_is_named(stand_in: StandIn, service: Service) -> None:
    def answer(asked: Asked) -> Answer:
        start = 50 if "filter" in asked.parameters else 0
        return Answer({"data": [company(start + 1)], "page": {"total": 1, "limit": 2}})

    stand_in.data = answer
    choice = examined(service)["companies, by id"].findings[0]
    assert choice.holds is False
    assert choice.seen == "1 rows for 1 ids, 1 of others"


def test_no_key_of_an_object_is_taken_for_an_id(stand_in: StandIn, service: Service) -> None:
    keyed = company(1, founders=[uuid(2)], scores={uuid(5): {uuid(6): "a score"}})
    fund = full(FUNDS, id=1, manager={"uuid": uuid(4), "name": None, uuid(5): "a key"})

    def answer(asked: Asked) -> Answer:
        rows = {"/data/companies": [keyed], "/data/funds": [fund]}.get(asked.path, [])
        return Answer({"data": rows, "page": {"total": len(rows)}})

    stand_in.data = answer
    found = examined(service)
    assert f"filter=id[in_any]:{uuid(2)}&" in found["founders, by id"].request
    assert f"/data/investors/{uuid(4)}/funds" in found["a manager's funds"].request
    assert str(found["record by id: investor"].findings[0]) == (
        "not seen: it can be asked (no earlier answer gave investor)"
    )
    sent = " ".join(f"{each.path} {each.parameters}" for each in stand_in.data_asked)
    assert not any(each in sent for each in (uuid(5), uuid(6)))


def test_a_value_that_is_no_id_is_named_and_asks_for_nothing(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = answering(data=[company(1, founders=[uuid(2), "founder-3"])])
    found = examined(service)
    assert "'founder-3'" in wrong([found["companies"]])[0].seen
    assert found["companies, by id"].request == "not sent"


def test_a_filter_or_a_sort_that_is_ignored_is_named(stand_in: StandIn, service: Service) -> None:
    rows = [company(1, is_startup=None, team_size=5), company(2, is_startup=True, team_size=9)]
    stand_in.data = collection(rows)
    kept, order, *_ = examined(service)["companies, filter and sort"].findings
    assert (kept.holds, order.holds) == (False, False)
    assert kept.seen == "1 of 2 rows are startups"


def test_one_request_that_is_lost_ends_nothing(stand_in: StandIn, service: Service) -> None:
    def answer(asked: Asked) -> Answer:
        return Answer(close=True) if asked.path == "/data/jobs" else companies(asked)

    stand_in.data = answer
    found = examined(service)
    assert wrong([found["jobs, by id"]])
    assert list(found)[-1] == "aggregates"


def test_a_filter_that_has_another_key_now_is_named(stand_in: StandIn, service: Service) -> None:
    def answer(asked: Asked) -> Answer:
        if asked.parameters.get("filter", "").startswith("is_startup"):
            details = {"replaced_by": "classification"}
            said = {"code": "UNKNOWN_FILTER", "message": "no such filter", "details": details}
            return Answer({"error": said}, 400)
        return companies(asked)

    stand_in.data = answer
    (choice,) = examined(service)["companies, filter and sort"].findings
    assert (
        choice.change
        == "name the filter 'classification' in `filters` of interface/wire/profile.py"
    )


def test_the_end_of_a_version_is_named_with_its_day(stand_in: StandIn, service: Service) -> None:
    headers = {"API-Version": "2026-10-02", "Sunset": "2026-11-08", "X-Credits-Used": "2"}
    stand_in.data = lambda asked: dataclasses.replace(companies(asked), headers=headers)
    with pytest.warns(WireWarning):
        found = examined(service)
    (choice,) = [each for each in found["wire"].findings if "stays in service" in each.name]
    assert choice.holds is False
    assert "2026-11-08" in choice.seen


def test_a_spent_key_ends_it(stand_in: StandIn, service: Service) -> None:
    stand_in.data = lambda _: Answer({"error": {"code": "CREDITS_EXHAUSTED"}}, 402)
    (found,) = doctor.examine(service)
    assert "buy more" in str(found)


@pytest.mark.parametrize(
    ("status", "body", "requests"),
    [(401, {"error": "invalid_client"}, 1), (200, {"access_token": 5}, None)],
)
def test_a_refused_key_ends_it_and_no_secret_is_said(
    stand_in: StandIn, service: Service, status: int, body: object, requests: int | None
) -> None:
    stand_in.token = lambda _: Answer(body, status)
    found = list(doctor.examine(service))
    said = "\n".join(map(str, found))
    assert SECRET not in said
    assert stand_in.address not in said
    assert "DOES NOT HOLD" in said
    if requests is not None:
        assert len(found) == requests
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
    assert cli.main(["doctor", "--wire", "2026-10-02"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("embedded service · SYNTHETIC")
    assert "wire 2026-10-02" in said.splitlines()[0]
    assert said.splitlines()[2].startswith("  holds: wire 2026-10-02")
    assert "holds: page.total" in said
    assert said.rstrip().endswith("nothing is contradicted")
