"""The doctor asks little, and its first line names what a service does otherwise."""

import contextlib
import copy
import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.client.rows import WIRES
from tests.client.stand_in import Answer, StandIn
from tests.fake import serving, start, start_on
from tests.faults import connected
from tests.service.sample.sample import sample
from ventureframe import cli, doctor
from ventureframe.client.service import Service
from ventureframe.errors import RequestRejected
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.generations import WIRE_2026_10_02

TODAY = WIRE_2026_10_02.name
BOTH = pytest.mark.parametrize("wire", WIRES)
Parameters = dict[str, str]
Content = dict[str, Any]


@pytest.fixture(scope="module")
def embedded() -> Iterator[dict[str, Service]]:
    """The embedded service on each wire, and as a key sees it that is not a premium
    one.
    """
    with contextlib.ExitStack() as stack:
        made = {}
        for name, wire in WIRES.items():
            running = stack.enter_context(start_on(name, sample(companies=300)))
            made[name] = stack.enter_context(connected(running, profile=wire))
        running = stack.enter_context(start(sample(companies=300), tier="free"))
        made["free"] = stack.enter_context(connected(running, profile=WIRE_2026_10_02))
        yield made


def lines(examination: doctor.Examination) -> list[str]:
    return repr(examination).splitlines()


@BOTH
def test_of_a_healthy_service_a_line_says_that_all_is_well(
    embedded: dict[str, Service], wire: str
) -> None:
    said, found = doctor.cost(embedded[wire]), doctor.examine(embedded[wire])
    line, *others = lines(found)
    assert line.startswith(f"All is well (wire {wire}")
    assert all(line.startswith("Not checked, because no record") for line in others)
    assert said.requests <= 20
    assert found.checked.keys() >= {
        *("generation", "totals", "offset", "cursor", "ids", "sort", "currency"),
        "filter",
    }
    asked = {*found.checked, *found.unchecked}
    assert ("education" in asked) == (wire == TODAY)


@dataclasses.dataclass
class Lying:
    """A session that changes what is asked, or what is answered, on its way."""

    session: Any
    ask: Any
    answer: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)

    def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        **bounds: Any,
    ) -> Reply:
        asked = dict(parameters or {})
        if self.ask:
            self.ask(path, asked)
        reply: Reply = self.session.get(path, asked, **bounds)
        if self.answer:
            content = json.loads(reply.body)
            body = self.answer(path, dict(parameters or {}), content)
            body = json.dumps(content).encode() if body is None else body
            reply = dataclasses.replace(reply, body=body)
        return reply


def without(name: str, only: str = "") -> Callable[[str, Parameters], object]:
    """A service that ignores a parameter, or those of it that begin so."""
    return lambda _, asked: (
        asked.pop(name, "") if asked.get(name, "").startswith(only) else None
    )


def in_dollars(_path: str, asked: Parameters) -> None:
    asked.update({"currency": "USD"} if "currency" in asked else {})


def echoing(_path: str, asked: Parameters, content: Content) -> None:
    content.update({"currency": asked["currency"]} if "currency" in asked else {})


def at(path: str, change: Callable[[Content], object]) -> Any:
    """A change of the answers of one path."""
    return lambda its, _asked, content: (
        change(content) and None if its.endswith(path) else None
    )


def locking(content: Content) -> None:
    content["page"]["locked"] = [
        {
            "field": "founders",
            "reason": "premium only",
            "unlock": "Upgrade to see founders",
        }
    ]


def renaming(content: Content) -> None:
    for row in content["data"]:
        row.pop("name")


def counting_one(content: Content) -> None:
    content["page"]["total"] = 1


PLANTS: dict[str, tuple[Any, Any]] = {
    "Offset is ignored or refused": (without("offset"), None),
    "Ids are ignored or refused": (without("filter", "id[in_any]"), None),
    "Ids are ignored or refused: .* news of": (without("filter", "entity_"), None),
    "The sort order is ignored": (without("sort"), None),
    "Cursors are ignored or refused": (without("cursor"), None),
    "Filters are ignored or refused": (without("filter", "launch_date"), None),
    "Currencies are ignored": (in_dollars, echoing),
    "The service answers as if no key were sent, .* includes. companies": (
        None,
        at("/companies", locking),
    ),
    "Totals are wrong: .* 1 beside 2 companies": (None, at("/companies", counting_one)),
    "A proxy or a login page": (None, lambda *_: b"<html>Sign in</html>"),
    "Columns are missing: .* name of companies": (None, at("/companies", renaming)),
}


@BOTH
@pytest.mark.parametrize("line", PLANTS)
def test_the_first_line_names_what_a_service_does_otherwise(
    embedded: dict[str, Service], wire: str, line: str
) -> None:
    service = copy.copy(embedded[wire])
    service.connection = copy.copy(service.connection)
    service.connection.session = Lying(service.connection.session, *PLANTS[line])  # type: ignore[assignment]
    found = doctor.examine(service)
    assert re.match(line, lines(found)[0]), found
    assert not re.search(r"Profile\(|shapes\[", repr(found))


@pytest.mark.parametrize(("spoken", "tried"), [tuple(WIRES), tuple(WIRES)[::-1]])
def test_a_service_of_another_generation_is_named_and_asked_nothing_else(
    embedded: dict[str, Service], spoken: str, tried: str
) -> None:
    session = copy.copy(embedded[spoken].connection.session)
    session.profile = WIRES[tried]
    found = doctor.examine(Service(session))
    assert re.match(f"The service speaks another .*wire='{spoken}'", lines(found)[0])
    assert found.checked.keys() == {"generation", "list of filters"}


def test_a_key_that_sees_less_is_named_with_what_is_withheld(
    embedded: dict[str, Service],
) -> None:
    line, *others = lines(doctor.examine(embedded["free"]))
    refused = r"Not as expected: (education|career)\. .* answered 403 FORBIDDEN"
    assert all(re.match(refused, other) for other in others)
    assert line.startswith("The service answers as if no key were sent, or its plan")
    assert "companies; founders" in line


def test_what_no_record_shows_is_not_checked_and_not_wrong(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = lambda _: Answer({"data": [], "page": {"total": 0}})
    found = doctor.examine(service)
    assert {"last page", "currency", "cursor", "ids"} <= {*found.unchecked}
    assert not {"totals", "currency", "sort", "ids"} & found.wrong.keys()


def test_a_spent_key_ends_it(stand_in: StandIn, service: Service) -> None:
    stand_in.data = lambda _: Answer({"error": {"code": "CREDITS_EXHAUSTED"}}, 402)
    assert "buy more" in repr(doctor.examine(service))
    assert len(stand_in.data_asked) == 1


def test_the_command_says_before_what_it_sends_and_then_what_it_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VENTUREFRAME_DATA", raising=False)
    with serving(sample(companies=300)) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert cli.main(["doctor", "--wire", TODAY]) == 0
    service, said, *found = capsys.readouterr().out.splitlines()
    assert service.startswith("live service · ")
    assert re.fullmatch(r"To be sent: \d+ requests · about \d+ credits\.", said)
    assert found[0].startswith("All is well")


def test_the_edge_of_a_network_that_refuses_is_named_and_not_the_key(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = lambda _: Answer(b"<html>Access denied</html>", 403)
    line, *_ = lines(doctor.examine(service))
    assert line.startswith("A proxy or a login page, or the edge of a network, answers")
    assert "VENTUREFRAME_USER_AGENT" in line
    assert "the key was not looked at" in line
    with pytest.raises(RequestRejected, match="address of this machine is let in"):
        service.companies.count()


@pytest.mark.parametrize("refuses", [True, False])
def test_a_version_that_is_not_served_is_named(
    embedded: dict[str, Service], *, refuses: bool
) -> None:
    service = copy.copy(embedded[TODAY])
    service.connection = copy.copy(service.connection)
    session = copy.copy(service.connection.session)
    service.connection.session = session
    session.asks_version = not refuses
    if not refuses:
        session.profile = service.connection.profile = dataclasses.replace(
            WIRE_2026_10_02, api_version="2026-09-01"
        )
    said = "2026-10-02 is refused" if refuses else "is served, not 2026-09-01"
    line, *_ = lines(doctor.examine(service))
    assert line.startswith("The version asked for is not the one that is served")
    assert said in line


@pytest.mark.parametrize(
    ("wire", "new"), [("interface", " (keys that are not known: title)"), (TODAY, "")]
)
def test_a_key_that_was_renamed_is_named_with_its_new_name_where_all_keys_are_known(
    embedded: dict[str, Service], wire: str, new: str
) -> None:
    def rename(content: Content) -> None:
        for row in content["data"]:
            row["title"] = row.pop("name")

    service = copy.copy(embedded[wire])
    service.connection = copy.copy(service.connection)
    session = Lying(service.connection.session, None, at("/companies", rename))
    service.connection.session = session  # type: ignore[assignment]
    line, *_ = lines(doctor.examine(service))
    assert line.endswith(f"recorded. name of companies{new}")


def test_a_list_without_a_row_is_not_checked(embedded: dict[str, Service]) -> None:
    def leave_none(content: Content) -> None:
        content["data"], content["page"]["total"] = [], 0

    service = copy.copy(embedded["interface"])
    service.connection = copy.copy(service.connection)
    session = Lying(service.connection.session, None, at("/jobs", leave_none))
    service.connection.session = session  # type: ignore[assignment]
    found = doctor.examine(service)
    assert "jobs" in found.unchecked
    assert "jobs" not in found.checked


def test_orders_and_currencies_that_no_record_shows_are_not_checked(
    tmp_path: Path,
) -> None:
    data = sample(companies=60)
    nothing = data.tables["companies"].with_columns(
        total_funding=pl.lit(None, pl.Float64)
    )
    folder = dataclasses.replace(data, tables={**data.tables, "companies": nothing})
    with vf.connect(environment={}, data=folder.write(tmp_path / "none")) as svc:
        found = doctor.examine(svc)
        assert found.wrong == {}
        assert {"sort", "currency"} <= {*found.unchecked}
    with vf.connect(environment={}, currency="EUR") as svc:
        svc.pull("companies", out=tmp_path / "pull")
    with vf.connect(environment={}, data=tmp_path / "pull") as svc:
        found = doctor.examine(svc)
        assert "currency" not in found.wrong
        assert "currency" in found.unchecked
