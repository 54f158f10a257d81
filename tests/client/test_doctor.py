"""The doctor asks little, and says what holds of a wire's table."""

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

import ventureframe as vf
from tests.client.stand_in import SECRET, Answer, Asked, StandIn, collection, company, full, uuid
from tests.service.sample.sample import sample
from ventureframe import cli, doctor
from ventureframe.client.auth import Credentials, Secret
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.doctor import Finding
from ventureframe.interface.fields import FUNDS
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE, At, Each, Limit, Profile
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
    service.connection.session.profile = service.connection.profile = profile
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
    assert {each.name for each in found} >= COMMON | own
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
    assert f"use vf.connect(wire={spoken.name!r})" in only.findings[0].seen


REQUEST = "the request is understood"
ANSWERED = "the answer is what was asked for"
Case = tuple[Profile, dict[str, Any], str, str]


def cases(wire: Profile) -> Iterator[Case]:
    """A profile that differs from what the service does, and what is said of it."""
    paths = {"paths": {**wire.paths, "news": "/data/articles"}}
    limits = {"limits": {**wire.limits, "jobs": Limit(25, 5000)}}
    yield wire, {"cursor_parameter": "after"}, "cursor in 'after'", "same rows"
    yield wire, {"founders_filter": "uuids"}, REQUEST, "UNKNOWN_FILTER"
    yield wire, limits, REQUEST, "422"
    yield wire, paths, REQUEST, "404"
    yield wire, {"client_id_header": None}, REQUEST, "400"
    yield wire, {"tag_key": "label_id"}, "tags of the filter label_id", wire.tag_key
    yield wire, {"groups": {"company_status": "x"}}, REQUEST, "group_by"


def shaped(**columns: Any) -> dict[str, Any]:
    """A table that reads these columns of companies elsewhere."""
    shape = WIRE_2026_10_02.shapes["companies"]
    other = dataclasses.replace(shape, columns={**shape.columns, **columns})
    return {"shapes": {**WIRE_2026_10_02.shapes, "companies": other}}


TODAY: list[Case] = [
    (WIRE_2026_10_02, {"kind_key": "type"}, "its kind in 'type'", "'organization'"),
    (WIRE_2026_10_02, {"uncounted": frozenset()}, "page.total", "None"),
    (WIRE_2026_10_02, {"api_version": "2026-10-09"}, "version 2026-10-09", "2026-10-02 is"),
    (
        WIRE_2026_10_02,
        shaped(tags=Each("topics", {"id": At("id")})),
        "fields of companies",
        "without tags",
    ),
    (
        WIRE_2026_10_02,
        shaped(is_hiring=At("employees_count"), team_size=At("signal_rating")),
        ANSWERED,
        "'employees_count'",
    ),
]


@pytest.mark.parametrize(
    ("wire", "change", "name", "seen"), [*cases(INTERFACE), *cases(WIRE_2026_10_02), *TODAY]
)
def test_a_service_that_chose_otherwise_is_named(
    embedded: dict[str, Service], wire: Profile, change: dict[str, Any], name: str, seen: str
) -> None:
    findings = wrong(answers(embedded[wire.name], dataclasses.replace(wire, **change)))
    assert any(seen in finding.seen for finding in findings if finding.name == name)
    assert str(findings[0]).startswith(f"DOES NOT HOLD: {findings[0].name} (")


def test_what_a_key_does_not_see_is_withheld_and_no_fault_of_the_wire() -> None:
    settings = Settings(profile=WIRE_2026_10_02, tier="free")
    with start(sample(companies=300), settings) as running:
        session = Session(
            base_url=running.base_url,
            auth_url=running.auth_url,
            credentials=Credentials(running.client_id, Secret(running.client_secret)),
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
    return {answer.name: answer for answer in doctor.examine(service)}


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


def strangers(asked: Asked) -> Answer:
    """Ignores the ids of a filter."""
    start = 50 if "filter" in asked.parameters else 0
    return Answer({"data": [company(start + 1)], "page": {"total": 1, "limit": 2}})


UNSORTED = [
    company(1, is_startup=False, team_size=3),
    company(2, is_startup=True, team_size=5),
    company(3, is_startup=True, team_size=9),
]
SHAPES: list[tuple[Callable[[Asked], Answer], str, str, str]] = [
    (answering(page={}), "companies", "page.total", "None"),
    (answering(page={"total": 1}), "companies", "page.total", "1 beside 2 rows"),
    (answering(currency="JPY"), "companies", ANSWERED, "'JPY'"),
    (answering(data=[{**company(1), "name": 5}]), "companies", ANSWERED, "5 in 'name'"),
    (answering(data=[{"uuid": uuid(1)}]), "companies", "fields of companies", "without name, tag"),
    (answering(data={"rows": []}), "companies", ANSWERED, "no list of records"),
    (strangers, "companies, by id", ANSWERED, "as if the service ignored the ids"),
    (
        collection(UNSORTED),
        "companies, filter and sort",
        ANSWERED,
        "with is_startup False where is_startup[eq]:true was asked for",
    ),
    (collection(UNSORTED[1:]), "companies, filter and sort", ANSWERED, "not in the order asked"),
]


@pytest.mark.parametrize(("answer", "probe", "name", "seen"), SHAPES)
def test_an_answer_of_another_shape_is_named(
    stand_in: StandIn,
    service: Service,
    *,
    answer: Callable[[Asked], Answer],
    probe: str,
    name: str,
    seen: str,
) -> None:
    stand_in.data = answer
    findings = wrong([examined(service)[probe]])
    assert any(seen in finding.seen for finding in findings if finding.name == name)


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
        "not seen: it can be asked (no earlier answer gave what it names)"
    )
    sent = " ".join(f"{asked.path} {asked.parameters}" for asked in stand_in.data_asked)
    assert not any(key in sent for key in (uuid(5), uuid(6)))


def test_one_request_that_is_lost_ends_nothing(stand_in: StandIn, service: Service) -> None:
    stand_in.data = lambda asked: (
        Answer(close=True) if asked.path == "/data/jobs" else companies(asked)
    )
    found = examined(service)
    assert wrong([found["jobs, by id"]])
    assert list(found)[-1] == "aggregates"


def test_a_spent_or_refused_key_ends_it(stand_in: StandIn, service: Service) -> None:
    stand_in.data = lambda _: Answer({"error": {"code": "CREDITS_EXHAUSTED"}}, 402)
    (answer,) = doctor.examine(service)
    assert "buy more" in str(answer)


@pytest.mark.parametrize("status", [200, 401])
def test_what_a_refusal_echoes_is_scrubbed(
    stand_in: StandIn, service: Service, status: int
) -> None:
    def echo(asked: Asked) -> Answer:
        shown = f"{asked.headers['authorization']} {SECRET}"
        return Answer({"error": {"code": "VALIDATION_ERROR", "message": shown}}, 400)

    stand_in.data = echo
    if status == 401:
        stand_in.token = lambda _: Answer({"error": "invalid_client", "more": SECRET}, status)
    text = "\n".join(map(str, doctor.examine(service)))
    assert "DOES NOT HOLD" in text
    assert not any(secret in text for secret in (SECRET, "token-1", stand_in.address))
    assert ("[hidden]" in text) == (status == 200)


def test_the_command_prints_each_finding_and_a_sum(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "USER_AGENT", "DATA"):
        monkeypatch.delenv(f"VENTUREFRAME_{name}", raising=False)
    assert cli.main(["doctor", "--wire", "2026-10-02"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("embedded service · SYNTHETIC")
    assert "wire 2026-10-02" in text.splitlines()[0]
    assert text.splitlines()[2].startswith("  holds: wire 2026-10-02")
    assert "holds: page.total" in text
    assert text.rstrip().endswith("nothing is contradicted")


@pytest.mark.parametrize("option", ["--record", "--compare"])
def test_options_that_are_gone_say_so(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", option, "folder"]) == 1
    assert "--record and --compare are gone: run `ventureframe doctor`" in capsys.readouterr().err
