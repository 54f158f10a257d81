"""Replies recorded as keys and types say what has changed, and hold nothing of a value."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import ventureframe as vf
from tests.client.stand_in import Answer, Asked, StandIn, collection, company, uuid
from ventureframe import cli, doctor
from ventureframe.client.service import Service
from ventureframe.doctor import Recording, changed
from ventureframe.doctor.recording import Types, types_of
from ventureframe.errors import SaveError
from ventureframe.interface.wire.profile import INTERFACE, Profile
from ventureframe.interface.wire.y2026_10_02 import WIRE_2026_10_02

DAY = "2026-11-22"


def recorded(service: Service, rows: int = 20) -> Recording:
    return Recording.of(doctor.examine(service, rows=rows), day=DAY)


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


def test_a_recording_names_wire_and_day_and_the_types_at_each_path(
    recording: Recording, wire: Profile, tmp_path: Path
) -> None:
    plain = plain_of(recording.write(tmp_path / "new"))
    assert (plain["wire"], plain["day"]) == (wire.name, DAY)
    assert plain["replies"].keys() == recording.replies.keys()
    companies = plain["replies"]["companies"]
    assert companies["data[].name"] == "text"
    assert companies["data[].tagline"] in ("text", "null or text")


def plain_of(folder: Path) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads((folder / "replies.json").read_text("utf-8"))
    return plain


# --- each kind of change, in a reply as in the table


Edit = Callable[[Types], Types]


def rename(old: str, new: str) -> Edit:
    """The types with what is at a path, and below it, at another one."""
    return lambda types: {
        (new + path.removeprefix(old) if is_at(path, old) else path): each
        for path, each in types.items()
    }


def drop(old: str) -> Edit:
    return lambda types: {path: each for path, each in types.items() if not is_at(path, old)}


def put(name: str, *kinds: str) -> Edit:
    return lambda types: {**drop(name)(types), name: " or ".join(kinds)}


def is_at(path: str, place: str) -> bool:
    return path == place or path.startswith((f"{place}.", f"{place}[]"))


class Case(NamedTuple):
    """A change to the types of an endpoint's replies, and what is said of it."""

    endpoint: str
    edit: Edit
    kind: str
    path: str
    said: str


TABLE = "interface/wire/y2026_10_02.py"
CASES = [
    Case(
        "companies",
        rename("data[].taxonomy", "data[].topics"),
        "renamed",
        "taxonomy",
        "is now 'topics'. Write 'topics' for 'taxonomy' in shapes['companies'] "
        f"in {TABLE}, for tags",
    ),
    Case(
        "companies",
        rename("data[].locations[].city", "data[].locations[].town"),
        "renamed",
        "locations.city",
        "is now 'town'. Write 'town' for 'city'",
    ),
    Case(
        "founders",
        drop("data[].education.items[].university"),
        "gone",
        "education.items.university",
        f"Say where it stands now in shapes['founders'] in {TABLE}, for education",
    ),
    Case(
        "companies",
        put("data[].employees_count", "text"),
        "retyped",
        "employees_count",
        "was number and is text. Correct its type in shapes['companies']",
    ),
    Case(
        "companies",
        put("data[].founders", "list"),
        "retyped",
        "founders",
        "was object and is list. Correct its type",
    ),
    Case("jobs", put("data[].salary", "number"), "new", "salary", "Nothing has to change"),
    Case("news", drop("data[].slug"), "gone", "slug", "No field is read from it"),
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
    types = case.edit(today.replies[case.endpoint])
    new = dataclasses.replace(today, replies={**today.replies, case.endpoint: types})
    (found,) = changed(today, new) if against == "a recording" else changed(new)
    assert (found.kind, found.path) == (case.kind, case.path)
    assert str(found).startswith(f"{case.endpoint}: {case.path!r} ")
    assert case.said in str(found)


def test_what_is_beside_the_rows_is_compared_too(today: Recording) -> None:
    replies = {**today.replies, "companies": drop("page.next_cursor")(today.replies["companies"])}
    del replies["news"]
    found = changed(today, Recording(today.wire, DAY, replies))
    assert [(each.endpoint, each.path, each.kind) for each in found] == [
        ("companies", "page.next_cursor", "gone"),
        ("news", "data", "gone"),
    ]
    assert "if a member of Profile names it" in str(found[0])


def test_one_wire_is_seen_to_be_not_the_other(today: Recording) -> None:
    found = changed(Recording.of_table(INTERFACE), today)
    assert {"hq_city", "founders"} <= {each.path for each in found if each.endpoint == "companies"}


def test_an_interface_field_under_another_key_asks_for_a_shape() -> None:
    old, new = (
        Recording("interface", DAY, {"jobs": types_of([{"data": [{"id": 1, name: "a"}]}])})
        for name in ("title", "headline")
    )
    (found,) = changed(old, new)
    assert "Write 'headline' for 'title' in a shape for 'jobs'" in str(found)
    empty: tuple[list[object], dict[str, object]] = ([], {"rows": []})
    unread = [Recording("interface", DAY, {"jobs": types_of([{"data": data}])}) for data in empty]
    assert "'data' was list and is object" in str(*changed(*unread))


# --- what is kept of a reply


MAP = {"": "map", "*": "number"}
TYPES: list[tuple[object, Mapping[str, str]]] = [
    (None, {"": "null"}),
    ([1, 2.5, None], {"": "list", "[]": "null or number"}),
    ([], {"": "list"}),
    (
        [{"id": 1}, {"id": "1", "name": None}],
        {"": "list", "[]": "object", "[].id": "number or text", "[].name": "absent or null"},
    ),
    (
        [{"by_day": {}}, {"by_day": None}],
        {"": "list", "[]": "object", "[].by_day": "empty or null"},
    ),
    ({uuid(1): 5, uuid(2): None}, {"": "map", "*": "null or number"}),
    ({"2026-01-01": 5}, MAP),
    ({"4711": 5}, MAP),
    ({"Anna Marked": 5}, MAP),
    ({"anna@marked.example": 5}, MAP),
    ({"USD": 1.1, "EUR": 1}, MAP),
    ({"0f3a9c2b7d": 5}, MAP),
    ({"growth_3m": 0.5}, {"": "object", "growth_3m": "number"}),
    ([{"fintech": 5}, {"biotech": 6}], {"": "list", "[]": "map", "[].*": "number"}),
]


@pytest.mark.parametrize(("value", "plain"), TYPES)
def test_types_and_keys_are_kept_and_keys_that_are_data_are_not(
    value: object, plain: Mapping[str, str]
) -> None:
    assert types_of([value]) == plain


def test_types_are_the_same_in_any_order_of_the_rows() -> None:
    rows: list[object] = [{"id": 1, "name": "a"}, {"id": "2"}, None, {uuid(3): 1}, {"id": None}]
    assert types_of(rows) == types_of(rows[::-1])


WORDS = re.compile(
    r"(absent|empty|flag|list|map|null|number|object|text)( or (list|map|null|number|object|text))*"
)
PATH = re.compile(r"([a-z_][a-zA-Z0-9_]*|\*|\[\]|\.)*")


def test_no_recording_holds_a_text_that_is_not_a_path_of_keys_or_a_type(
    recording: Recording, tmp_path: Path
) -> None:
    plain = plain_of(recording.write(tmp_path / "new"))
    assert plain.keys() == {"wire", "day", "replies"}
    for types in plain["replies"].values():
        for path, kinds in types.items():
            assert PATH.fullmatch(path), path
            assert WORDS.fullmatch(kinds), kinds


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
    companies = plain_of(folder)["replies"]["companies"]
    assert companies["data[].scores"] == "empty or map"
    assert "data[].scores.*" in companies


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
    for none in ("a\0b", "\ud800", "x" * 5000, str(tmp_path / "notes.txt" / "x")):
        assert cli.main(["doctor", "--record", none]) == 1
        assert capsys.readouterr().err.startswith("ventureframe: ")


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
        text = path.read_text("utf-8").replace(".taxonomy", ".topics")
        (new / path.name).write_text(text)
    assert cli.main(["doctor", "--compare", str(old), str(new)]) == 1
    assert "companies: 'taxonomy' is now 'topics'." in capsys.readouterr().out


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "USER_AGENT", "DATA"):
        monkeypatch.delenv(f"VENTUREFRAME_{name}", raising=False)
