"""Replies recorded as keys and types say what has changed, and hold nothing of a value."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import pytest

import ventureframe as vf
from tests.client.stand_in import Answer, Asked, StandIn, collection, company, uuid
from ventureframe import cli, doctor
from ventureframe.client.service import Service
from ventureframe.doctor import Outline, Recording, changed
from ventureframe.doctor.outline import merged, outline, tidied
from ventureframe.errors import SaveError
from ventureframe.interface.wire.profile import INTERFACE, Profile
from ventureframe.interface.wire.y2026_10_02 import WIRE_2026_10_02

DAY = "2026-11-22"


def recorded(service: Service, rows: int = 20) -> Recording:
    findings = doctor.examine(service, rows=rows)
    return Recording.of(findings, wire=service.profile.name, day=DAY)


@pytest.fixture(scope="module", params=[INTERFACE, WIRE_2026_10_02], ids=lambda wire: wire.name)
def wire(request: pytest.FixtureRequest) -> Profile:
    made: Profile = request.param
    return made


@pytest.fixture(scope="module")
def recording(wire: Profile) -> Recording:
    with vf.connect(wire=wire, environment={}) as service:
        return recorded(service)


def test_a_recording_replays_without_a_difference(
    recording: Recording, wire: Profile, tmp_path: Path
) -> None:
    read = Recording.read(recording.write(tmp_path / "new"))
    assert read == recording
    assert changed(recording, read) == ()
    with vf.connect(wire=wire, environment={}) as service:
        assert changed(read, recorded(service)) == ()


def test_the_embedded_service_answers_as_the_table_of_its_wire_says(
    recording: Recording, wire: Profile
) -> None:
    table = Recording.of_table(wire)
    assert changed(table, recording) == ()
    assert recording.replies.keys() >= table.replies.keys()


def test_there_is_one_file_per_endpoint_with_wire_and_day(
    recording: Recording, wire: Profile, tmp_path: Path
) -> None:
    folder = recording.write(tmp_path / "new")
    assert {path.stem for path in folder.iterdir()} == recording.replies.keys()
    plain = json.loads((folder / "companies.json").read_text("utf-8"))
    assert (plain["wire"], plain["day"], plain["endpoint"]) == (wire.name, DAY, "companies")
    assert "api-version" in plain["headers"]
    row = plain["reply"]["keys"]["data"]["each"]["keys"]
    assert row["name"] == "text"
    assert row["tagline"] in ("text", "null or text")


# --- each kind of change, in a reply as in the table


def at(reply: Outline, path: str, change: Callable[[dict[str, Outline]], None]) -> Outline:
    """The outline with the keys at a path changed; lists on the way are entered."""
    if reply.each is not None:
        return dataclasses.replace(reply, each=at(reply.each, path, change))
    keys, (first, _, rest) = dict(reply.keys), path.partition(".")
    if first:
        keys[first] = at(keys[first], rest, change)
    else:
        change(keys)
    return dataclasses.replace(reply, keys=keys)


def rename(old: str, new: str) -> Callable[[dict[str, Outline]], None]:
    return lambda keys: keys.update({new: keys.pop(old)})


def drop(name: str) -> Callable[[dict[str, Outline]], None]:
    def dropped(keys: dict[str, Outline]) -> None:
        del keys[name]

    return dropped


def put(name: str, *types: str) -> Callable[[dict[str, Outline]], None]:
    return lambda keys: keys.update({name: Outline(frozenset(types))})


class Case(NamedTuple):
    """A change to the keys at a path in an endpoint's replies, and what is said of it."""

    endpoint: str
    within: str
    change: Callable[[dict[str, Outline]], None]
    kind: str
    path: str
    said: str


TABLE = "interface/wire/y2026_10_02.py"
CASES = [
    Case(
        "companies",
        "data",
        rename("taxonomy", "topics"),
        "renamed",
        "taxonomy",
        "is now 'topics'. Write 'topics' for 'taxonomy' in shapes['companies'] "
        f"in {TABLE}, for tags",
    ),
    Case(
        "companies",
        "data.locations",
        rename("city", "town"),
        "renamed",
        "locations.city",
        "is now 'town'. Write 'town' for 'city'",
    ),
    Case(
        "founders",
        "data.education.items",
        drop("university"),
        "gone",
        "education.items.university",
        f"Say where it stands now in shapes['founders'] in {TABLE}, for education",
    ),
    Case(
        "companies",
        "data",
        put("employees_count", "text"),
        "retyped",
        "employees_count",
        "was number and is text. Correct its type in shapes['companies']",
    ),
    Case(
        "companies",
        "data",
        put("founders", "list"),
        "retyped",
        "founders",
        "was object and is list. Correct its type",
    ),
    Case("jobs", "data", put("salary", "number"), "new", "salary", "Nothing has to change"),
    Case("news", "data", drop("slug"), "gone", "slug", "No field is read from it"),
]


@pytest.fixture(scope="module")
def today() -> Recording:
    with vf.connect(wire=WIRE_2026_10_02, environment={}) as service:
        return recorded(service)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path} {case.kind}")
@pytest.mark.parametrize("against", ["a recording", "the table"])
def test_each_kind_of_change_is_one_sentence_with_what_to_change(
    today: Recording, case: Case, against: str
) -> None:
    changed_reply = at(today.replies[case.endpoint], case.within, case.change)
    new = dataclasses.replace(today, replies={**today.replies, case.endpoint: changed_reply})
    old = today if against == "a recording" else Recording.of_table(WIRE_2026_10_02)
    (found,) = changed(old, new)
    assert (found.kind, found.path) == (case.kind, case.path)
    assert str(found).startswith(f"{case.endpoint}: {case.path!r} ")
    assert case.said in str(found)


def test_what_is_beside_the_rows_is_compared_too(today: Recording) -> None:
    replies = dict(today.replies)
    replies["companies"] = at(replies["companies"], "page", drop("next_cursor"))
    del replies["news"]
    headers = (today.headers or frozenset()) - {"api-version"} | {"sunset", "x-cache"}
    found = changed(today, Recording(today.wire, DAY, replies, headers))
    assert [(each.endpoint, each.path, each.kind) for each in found] == [
        ("companies", "page.next_cursor", "gone"),
        ("news", "data", "gone"),
        ("every reply", "header api-version", "gone"),
        ("every reply", "header sunset", "new"),
    ]
    assert "Update ventureframe before that day" in str(found[-1])


def test_one_wire_is_seen_to_be_not_the_other(today: Recording) -> None:
    found = changed(Recording.of_table(INTERFACE), today)
    assert {"hq_city", "founders"} <= {each.path for each in found if each.endpoint == "companies"}


def test_an_interface_field_under_another_key_asks_for_a_shape() -> None:
    old, new = (
        Recording("interface", DAY, {"jobs": outline({"data": [{"id": 1, name: "a"}]})})
        for name in ("title", "headline")
    )
    (found,) = changed(old, new)
    assert "Write 'headline' for 'title' in a shape for 'jobs'" in str(found)
    empty: tuple[list[object], dict[str, object]] = ([], {})
    unread = [Recording("interface", DAY, {"jobs": outline({"data": data})}) for data in empty]
    assert "'data' was list and is object" in str(*changed(*unread))


# --- what is kept of a reply


BY_TAG = {"types": "list", "each": {"types": "map", "each": "number"}}
OUTLINES: list[tuple[object, object]] = [
    (None, "null"),
    ([1, 2.5, None], {"types": "list", "each": "null or number"}),
    ([], "list"),
    ([{"id": 1}, {"id": "1", "name": None}], ["object", {"id": "number or text", "name": "null"}]),
    ({uuid(1): 5, uuid(2): None}, {"types": "map", "each": "null or number"}),
    ({"2026-01-01": 5}, {"types": "map", "each": "number"}),
    ({"4711": 5}, {"types": "map", "each": "number"}),
    ({"Anna Marked": 5}, {"types": "map", "each": "number"}),
    ({"anna@marked.example": 5}, {"types": "map", "each": "number"}),
    ({"USD": 1.1, "EUR": 1}, {"types": "map", "each": "number"}),
    ({"0f3a9c2b7d": "x"}, {"types": "map", "each": "text"}),
    ({"growth_3m": 0.5}, ["object", {"growth_3m": "number"}]),
    (
        [{"fintech": 5}, {"biotech": 6}],
        {"types": "list", "each": {"types": "map", "each": "number"}},
    ),
]


@pytest.mark.parametrize(("value", "plain"), OUTLINES)
def test_types_and_keys_are_kept_and_keys_that_are_data_are_not(
    value: object, plain: object
) -> None:
    found = tidied(outline(value))
    if isinstance(plain, list):
        found = found.each or found
        assert found.types == {plain[0]}
        assert {name: each.to_plain() for name, each in found.keys.items()} == plain[1]
    else:
        assert found.to_plain() == plain
    assert Outline.from_plain(found.to_plain()) == found


def test_outlines_are_the_same_in_any_order_of_the_rows() -> None:
    rows: list[object] = [{"id": 1, "name": "a"}, {"id": "2"}, None, {uuid(3): 1}, {"id": None}]
    parts = [outline(row) for row in rows]
    assert reduce(merged, parts) == reduce(merged, parts[::-1])


def texts(plain: object) -> Iterator[str]:
    if isinstance(plain, dict):
        for name, each in plain.items():
            yield name
            yield from texts(each)
    elif isinstance(plain, list):
        for each in plain:
            yield from texts(each)
    else:
        yield str(plain)


WORDS = re.compile(
    r"(null|flag|number|text|list|object|map)( or (null|flag|number|text|list|map|object))*"
)


def test_no_file_holds_a_text_that_is_not_a_key_a_type_or_a_header(
    recording: Recording, tmp_path: Path
) -> None:
    allowed = {"wire", "day", "endpoint", "headers", "reply", "types", "keys", "each", "optional"}
    for path in recording.write(tmp_path / "new").iterdir():
        plain = json.loads(path.read_text("utf-8"))
        allowed_here = allowed | {recording.wire, DAY, path.stem, *plain["headers"]}
        for text in set(texts(plain)) - allowed_here:
            assert WORDS.fullmatch(text) or re.fullmatch(r"[a-z][a-z0-9_]*", text), text


def test_marked_values_and_keys_reach_no_file(
    stand_in: StandIn, service: Service, tmp_path: Path
) -> None:
    marked = company(
        7_654_321,
        name="Marked Name",
        tagline="marked-tagline",
        total_funding=987_654.25,
        tags=[{"id": 987_654, "name": "marked-tag", "type": "sector"}],
        scores={uuid(7_654_321): 5, "marked@key.example": {"Marked Person": "marked-value"}},
    )
    headers = {"X-Marked": "marked-header", "X-Credits-Used": "3"}

    def answer(asked: Asked) -> Answer:
        found = collection([marked, company(2, scores={})])(asked)
        return dataclasses.replace(found, headers=headers)

    stand_in.data = answer
    folder = recorded(service).write(tmp_path / "new")
    text = "".join(path.read_text("utf-8") for path in folder.iterdir())
    for secret in ("arked N", "marked-t", "arked P", "@key", "marked-h", "987", uuid(7_654_321)):
        assert secret not in text
    assert stand_in.address.partition("//")[2] not in text
    scores = json.loads((folder / "companies.json").read_text("utf-8"))["reply"]["keys"]["data"]
    assert scores["each"]["keys"]["scores"]["types"] == "map"


# --- files and the command


def test_a_folder_that_holds_something_is_refused_before_anything_is_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert cli.main(["doctor", "--record", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert not said.out
    assert "choose a new folder" in said.err
    with pytest.raises(SaveError, match="is not a recording"):
        Recording.read(tmp_path)


def test_the_command_records_and_says_what_has_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], clean_environment: None
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    assert cli.main(["doctor", "--wire", "2026-10-02", "--record", str(old)]) == 0
    assert f"recorded without values: {old}" in capsys.readouterr().out
    assert cli.main(["doctor", "--compare", str(old)]) == 0
    assert capsys.readouterr().out == "nothing has changed\n"
    new.mkdir()
    for path in old.iterdir():
        text = path.read_text("utf-8").replace('"taxonomy"', '"topics"')
        (new / path.name).write_text(text)
    assert cli.main(["doctor", "--compare", str(old), str(new)]) == 1
    assert "companies: 'taxonomy' is now 'topics'." in capsys.readouterr().out


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "USER_AGENT", "DATA"):
        monkeypatch.delenv(f"VENTUREFRAME_{name}", raising=False)
