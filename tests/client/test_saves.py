"""What is saved comes back equal, whole or not at all, and never as something it is
not.
"""

import datetime as dt
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.client.rows import drawn, page_of
from tests.client.stand_in import (
    SECRET,
    StandIn,
    collection,
    company,
    full,
    uuid,
)
from ventureframe.client.result import Result, Saved, load, opened, save
from ventureframe.client.service import Service
from ventureframe.errors import SaveError
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import (
    COMPANIES,
    FOUNDERS,
    FUNDING_ROUNDS,
    FUNDS,
    JOBS,
    NEWS,
    Resource,
)
from ventureframe.interface.files import locked
from ventureframe.interface.filters import company as where
from ventureframe.interface.source import Provenance, Source

ROWS = [
    company(
        number,
        total_funding=None if number % 3 else 0.1 + number,
        founders=[uuid(7), uuid(8)] if number % 2 else [],
        tags=[{"id": 44, "name": "Robotics", "type": None}] if number % 2 else [],
        **{"mas\ncot": "Füchsin"},
    )
    for number in range(12)
]


@pytest.fixture
def fetched(stand_in: StandIn, service: Service) -> Result:
    stand_in.data = collection(ROWS)
    return service.companies.where(where.launch_date >= 2000).currency("EUR").fetch()


def test_a_result_comes_back_equal(fetched: Result, tmp_path: Path) -> None:
    folder = fetched.save(tmp_path / "runs" / "companies")
    back = load(folder)
    assert back == fetched
    assert repr(back) == repr(fetched)
    assert back.to_polars("tags").equals(fetched.to_polars("tags"))
    assert back.to_pandas().dtypes.equals(fetched.to_pandas().dtypes)
    assert back.details.unknown_keys == ("mas\\ncot",)


def test_the_manifest_says_what_was_asked_and_holds_no_secret(
    fetched: Result, stand_in: StandIn, tmp_path: Path
) -> None:
    fetched.save(tmp_path)
    text = (tmp_path / "manifest.json").read_text()
    about = json.loads(text)["tables"]["companies"]
    assert about["provenance"]["filter"] == "launch_date[gte]:2000"
    assert about["certificate"]["verdict"] == "complete"
    every = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for hidden in (SECRET, "token-1", stand_in.address, "client-7"):
        assert hidden.encode() not in every


def test_several_results_are_a_study_with_its_parameters(
    fetched: Result, stand_in: StandIn, service: Service, tmp_path: Path
) -> None:
    stand_in.data = collection([full(FOUNDERS, uuid=uuid(7))])
    people = service.founders.by_id([uuid(7), uuid(8)]).fetch()
    held = {"pool": fetched, "founders": people}
    parameters = {"university": {"uuid": uuid(1), "name": "Oak"}, "currency": "EUR"}
    saved = Saved(held, "spinouts", parameters)
    save(saved, tmp_path)
    back = opened(tmp_path)
    assert back == saved
    assert back.results["founders"].missing == (uuid(8),)
    assert load(tmp_path, "pool") == fetched
    with pytest.raises(SaveError, match="holds 'pool', 'founders': name one of them"):
        load(tmp_path)


def test_a_part_has_a_plain_name(fetched: Result, tmp_path: Path) -> None:
    for name in ("../up", "a/b", "", "Pool", "."):
        with pytest.raises(SaveError, match="cannot hold a table named"):
            save(Saved({name: fetched}), tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_save_is_kept_unless_it_is_to_be_overwritten(
    fetched: Result, tmp_path: Path
) -> None:
    fetched.save(tmp_path)
    before = every_file(tmp_path)
    with pytest.raises(SaveError, match="already holds a save"):
        made(COMPANIES, fetched.to_polars()).save(tmp_path)
    assert every_file(tmp_path) == before


def _cut(folder: Path) -> None:
    table = next(folder.glob("*.parquet"))
    table.write_bytes(table.read_bytes()[:-9])


def _swap(folder: Path) -> None:
    rows = pl.DataFrame({"uuid": ["x"] * 12})
    rows.write_parquet(next(folder.glob("*.parquet")))


def written(content: str | bytes | dict[str, Any]) -> Callable[[Path], object]:
    """Damage that replaces the manifest; members stand beside format and version."""
    if isinstance(content, dict):
        about = {"format": "ventureframe save", "version": 2, "study": None}
        content = json.dumps(about | {"parameters": {}} | content)
    text = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / "manifest.json").write_bytes(text)


def changed(**facts: object) -> Callable[[Path], object]:
    """Damage that changes what the manifest says of the table."""

    def change(folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["tables"]["companies"] |= facts
        (folder / "manifest.json").write_text(json.dumps(manifest))

    return change


def named(file: object) -> Callable[[Path], object]:
    table = {"file": file, "rows": 1, "columns": {}}
    return written({"tables": {"a": {"table": table}}})


UNREADABLE = "cannot be read as JSON"
NOT_LISTED = "does not list tables as a save does"
UNKNOWN = "does not describe results that this version of ventureframe"
DAMAGE: list[tuple[Callable[[Path], object], str]] = [
    (_cut, "is missing or cannot be read"),
    (lambda each: next(each.glob("*.parquet")).unlink(), "is missing or cannot be"),
    (_swap, "has other rows or columns than were written"),
    (lambda each: (each / "manifest.json").unlink(), "it has no manifest.json"),
    (written("{"), UNREADABLE),
    (written(b"\xff\xfe"), UNREADABLE),
    (written("[" * 100_000), UNREADABLE),
    (written('{"name": "pwa"}'), "another program"),
    (written({"version": 3}), "in version 3 of the format"),
    (written({"tables": 5}), NOT_LISTED),
    (written({"tables": {"a": {"table": {}}}}), NOT_LISTED),
    (changed(resource="planets"), UNKNOWN),
    (changed(mood=1), UNKNOWN),
]


def test_a_damaged_or_foreign_folder_is_named(
    fetched: Result, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (damage, message) in enumerate(DAMAGE):
        folder = fetched.save(tmp_path / str(number))
        damage(folder)
        with subtests.test(message):
            with pytest.raises(SaveError, match=message) as caught:
                opened(folder)
            assert str(caught.value).startswith(str(folder))


@pytest.mark.parametrize("path", ["a" * 300, "a/" * 3_000, "october"])
def test_a_path_without_a_save_is_named(
    fetched: Result, tmp_path: Path, path: str
) -> None:
    with pytest.raises(SaveError):
        load(tmp_path / path)
    if path != "october":
        with pytest.raises(SaveError):
            fetched.save(tmp_path / path)


FILES = (
    "../thesis.txt",
    "../up-0123456789abcdef.parquet",
    "a\\b-0123456789abcdef.parquet",
    "a-0123456789abcdef.parquet\n",
    "thesis.txt",
)


@pytest.mark.parametrize("file", FILES, ids=ascii)
def test_a_crafted_manifest_reads_and_deletes_no_other_file(
    fetched: Result, tmp_path: Path, file: str
) -> None:
    folder = tmp_path / "save"
    folder.mkdir()
    for thesis in (tmp_path / "thesis.txt", folder / "thesis.txt"):
        thesis.write_text("mine")
    named(file)(folder)
    before = every_file(tmp_path)
    with pytest.raises(SaveError, match="which no save has"):
        load(folder)
    assert every_file(tmp_path) == before
    fetched.save(folder, overwrite=True)
    assert (tmp_path / "thesis.txt").exists()
    assert (folder / "thesis.txt").exists()


def every_file(folder: Path) -> dict[Path, tuple[bytes, int]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("dataset.json", '{"synthetic": true}'),
        ("manifest.json", '{"format": "ventureframe pull", "version": 2}'),
        ("manifest.json", '{"format": "ventureframe save", "version": 99}'),
        ("thesis", "mine"),
    ],
)
def test_a_save_refuses_a_folder_of_something_else_before_a_byte_is_written(
    fetched: Result, tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    before = every_file(tmp_path)
    with pytest.raises(SaveError, match="Choose an empty folder, or a new one"):
        fetched.save(tmp_path, overwrite=True)
    with pytest.raises(SaveError, match="cannot be written: "):
        save(Saved({"companies": fetched}), tmp_path / name)
    assert every_file(tmp_path) == before


@pytest.mark.parametrize("last", [".parquet", ".json"])
def test_a_save_that_ends_at_any_file_is_one_sentence_and_the_old_one_stays(
    fetched: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    folder = fetched.save(tmp_path / "save")
    replace = Path.replace

    def full(draft: Path, path: Path) -> Path:
        if path.suffix == last:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return replace(draft, path)

    monkeypatch.setattr(Path, "replace", full)
    other = made(COMPANIES, fetched.to_polars().head(3))
    with pytest.raises(SaveError, match="cannot be written: No space left on device"):
        other.save(folder, overwrite=True)
    assert other != load(folder) == fetched
    monkeypatch.undo()
    assert load(other.save(folder, overwrite=True)) == other
    assert len(list(folder.iterdir())) == 2, "the older rows are gone"


HOLDS = """
import sys
from pathlib import Path
from ventureframe.interface.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_is_locked_by_one_process_or_thread_and_free_once_it_is_killed(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", HOLDS, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with (
            pytest.raises(SaveError, match="is being written by another process"),
            locked(tmp_path),
        ):
            raise AssertionError
        other.kill()
    with locked(tmp_path), pytest.raises(SaveError), locked(tmp_path):
        raise AssertionError
    assert list(tmp_path.iterdir()) == []


def made(resource: Resource, frame: pl.DataFrame) -> Result:
    """A result over a frame that no service gave."""
    certificate = Certificate(1, 1, 1, 0, 1, 0, 0.25, "complete")
    source = Source("oak", as_of=dt.date(2026, 6, 30), attribution=("a", "b"))
    about = Provenance("/data/x", None, None, None, "interface", source, None, "0")
    return Result(resource, certificate, about, frame)


@pytest.mark.parametrize(
    "resource",
    [COMPANIES, FOUNDERS, FUNDS, FUNDING_ROUNDS, NEWS, JOBS],
    ids=lambda each: each.name,
)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_value_of_every_field_survives(
    resource: Resource, data: st.DataObject, tmp_path: Path
) -> None:
    sent = json.loads(json.dumps(data.draw(drawn(resource)), default=str))
    result = made(resource, page_of(sent, resource).frame)
    assert load(result.save(tmp_path / "s", overwrite=True)) == result
