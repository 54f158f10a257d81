"""A folder that somebody crafted, damaged or writes into at the same time costs no
file.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.client.stand_in import StandIn, collection, company, keeping
from tests.client.test_saves import made
from ventureframe.client import saves
from ventureframe.client.result import load, opened, save
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, SaveError, UnsupportedValue
from ventureframe.interface.fields import COMPANIES
from ventureframe.interface.files import Sealed, locked

DIGEST = "0123456789abcdef"
NAMES = (
    "../thesis.txt",
    "../up-0123456789abcdef.parquet",
    "a/b-0123456789abcdef.parquet",
    "a\\b-0123456789abcdef.parquet",
    "a-0123456789abcdef.parquet\n",
    "a\x00-0123456789abcdef.parquet",
    "",
    "a" * 70 + "-0123456789abcdef.parquet",
    "thesis.txt",
    5,
    None,
    ["a"],
    "\ud800",
)


def result() -> Any:
    import polars as pl

    return made(COMPANIES, pl.DataFrame({"number": [1]}))


@pytest.fixture
def thesis(tmp_path: Path) -> Path:
    """A file of somebody else, beside the folder of a save."""
    file = tmp_path / "thesis.txt"
    file.write_text("mine")
    return file


def every_file(folder: Path) -> dict[str, bytes]:
    return {
        str(each): each.read_bytes() for each in folder.rglob("*") if each.is_file()
    }


def test_a_save_over_a_crafted_folder_deletes_no_file_that_a_save_would_not_have(
    tmp_path: Path, thesis: Path, subtests: pytest.Subtests
) -> None:
    folder = tmp_path / "save"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine, too")
    for name in (str(thesis), *NAMES):
        about = {
            "tables": {"a": {"table": {"file": name, "sha256": DIGEST}}},
            "study": None,
        }
        (folder / "manifest.json").write_text(
            json.dumps(saves.SEALED.seal(_formatted(about)))
        )
        before = every_file(tmp_path)
        with subtests.test(name=ascii(name)):
            with pytest.raises(
                SaveError, match=r"which no save has|cannot be read as JSON"
            ):
                save({"a": result()}, folder, overwrite=True)
            with pytest.raises(
                SaveError, match=r"which no save has|cannot be read as JSON"
            ):
                load(folder)
            assert every_file(tmp_path) == before


def _dataset(folder: Path) -> None:
    (folder / "dataset.json").write_text('{"synthetic": true}')


def _pull(folder: Path) -> None:
    Sealed("ventureframe pull", 1).write(folder, {"pulls": []})


def _of_a_later_version(folder: Path) -> None:
    Sealed(saves.SEALED.format, 99).write(folder, {"tables": {}})


@pytest.mark.parametrize("make", [_dataset, _pull, _of_a_later_version])
def test_a_save_refuses_a_folder_of_something_else_before_a_byte_is_written(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path)
    before = every_file(tmp_path), tmp_path.stat().st_mtime_ns
    with pytest.raises(SaveError, match="Choose an empty folder, or a new one"):
        result().save(tmp_path, overwrite=True)
    assert (every_file(tmp_path), tmp_path.stat().st_mtime_ns) == before


def _formatted(about: dict[str, Any]) -> dict[str, Any]:
    return {"format": saves.SEALED.format, "version": saves.SEALED.version, **about}


def test_a_link_out_of_the_folder_is_neither_read_nor_deleted(
    tmp_path: Path, thesis: Path
) -> None:
    folder = result().save(tmp_path / "save")
    (file,) = folder.glob("*.parquet")
    outside = file.rename(tmp_path / file.name)
    file.symlink_to(outside)
    for crafted in (
        lambda: load(folder),
        lambda: result().save(folder, overwrite=True),
    ):
        with pytest.raises(SaveError, match="which no save has"):
            crafted()
    assert outside.exists()


def _nested(folder: Path) -> None:
    (folder / "manifest.json").write_text(
        '{"format": ' + "[" * 100_000 + "]" * 100_000 + "}"
    )


def _crafted(**facts: Any) -> Callable[[Path], object]:
    return lambda folder: (folder / "manifest.json").write_text(
        json.dumps(
            saves.SEALED.seal(_formatted({"study": None, "parameters": {}, **facts}))
        )
    )


def _written(text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / "manifest.json").write_text(text)


ODD: dict[str, Callable[[Path], object]] = {
    "nested without end": _nested,
    "a number of 5,000 digits": _written('{"format": ' + "9" * 5_000 + "}"),
    "a number that is infinite": _written(
        '{"format": "ventureframe save", "version": 1e999}'
    ),
    "not a number": _written('{"format": "ventureframe save", "version": NaN}'),
    "half a character": _written('{"format": "ventureframe save", "a": "\\ud800"}'),
    "not UTF-8": (
        lambda folder: (folder / "manifest.json").write_bytes(b'{"format": "\xe9"}')
    ),
    "a folder": lambda folder: (folder / "manifest.json").mkdir(),
    "a pipe": lambda folder: os.mkfifo(folder / "manifest.json"),
    "tables of another kind": _crafted(tables=5),
    "no tables": _crafted(),
    "a table of another kind": _crafted(tables={"a": [1]}),
    "a table without a file": _crafted(tables={"a": {"table": {}}}),
    "a version of another kind": _written(
        '{"format": "ventureframe save", "version": [[1]]}'
    ),
    "parameters of another kind": _crafted(tables={}, parameters=[1]),
}


def test_an_odd_manifest_is_a_named_error_to_read_and_to_replace(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name, odd in ODD.items():
        folder = tmp_path / name
        folder.mkdir()
        odd(folder)
        with subtests.test(name):
            with pytest.raises(SaveError):
                opened(folder)
            if name != "parameters of another kind":
                with pytest.raises(SaveError):
                    result().save(folder, overwrite=True)


@pytest.mark.parametrize("path", ["a" * 300, "a/" * 3_000, "nul\x00byte"])
def test_an_impossible_path_is_a_named_error(tmp_path: Path, path: str) -> None:
    with pytest.raises(SaveError):
        result().save(tmp_path / path)
    with pytest.raises(SaveError):
        load(tmp_path / path)


HOLDS = """
import sys
from pathlib import Path
from ventureframe.interface.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_that_saves_into_a_folder_ends_in_one_sentence(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", HOLDS, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(SaveError, match="is being written by another process"):
            result().save(tmp_path)
        other.kill()
    assert load(result().save(tmp_path)) == result(), "a killed process holds nothing"
    assert {each.suffix for each in tmp_path.iterdir()} == {".json", ".parquet"}


def test_two_threads_do_not_hold_one_lock(tmp_path: Path) -> None:
    with locked(tmp_path):
        with pytest.raises(SaveError), locked(tmp_path):
            raise AssertionError
        assert (tmp_path / ".lock").exists(), "it still belongs to the first"
    with locked(tmp_path):
        pass


@pytest.mark.parametrize(
    "at",
    [
        0,
        70,
        200,
        -3,
        *({"bytes": odd} for odd in (-1, 2**62, 2**80, 1e999)),
        {"reply": 5},
    ],
)
def test_a_kept_reply_that_was_changed_is_said_and_requested_again(
    stand_in: StandIn, service: Service, tmp_path: Path, at: int | dict[str, Any]
) -> None:
    stand_in.data = collection([company(number) for number in range(3)])
    fetched = keeping(service.companies, tmp_path).fetch()
    (kept,) = tmp_path.glob("*.reply")
    content = bytearray(kept.read_bytes())
    if isinstance(at, int):
        content[at] ^= 1
    else:
        _, head, packed = bytes(content).split(b"\n", 2)
        changed = json.dumps(json.loads(head) | at).encode() + b"\n" + packed
        content = bytearray(
            hashlib.sha256(changed).hexdigest().encode() + b"\n" + changed
        )
    kept.write_bytes(content)
    stand_in.asked.clear()
    with pytest.warns(
        EvidenceWarning, match="is not what was written: it is requested again"
    ):
        again = keeping(service.companies, tmp_path).fetch()
    assert again.to_polars().equals(fetched.to_polars())
    assert len(stand_in.data_asked) == 1


def test_a_kept_reply_of_another_question_is_not_an_answer_to_this_one(
    stand_in: StandIn, service: Service, tmp_path: Path
) -> None:
    stand_in.data = collection([company(number) for number in range(700)])
    fetched = keeping(service.companies, tmp_path).fetch()
    first, second = sorted(tmp_path.glob("*.reply"))
    first.write_bytes(second.read_bytes())
    with pytest.warns(EvidenceWarning, match="is requested again"):
        again = keeping(service.companies, tmp_path).fetch()
    assert again.to_polars().equals(fetched.to_polars())


@pytest.mark.parametrize(
    "text", ["[]", "[" * 100_000, '{"started": 5}', '{"started": "x"}']
)
def test_an_odd_question_is_refused(
    service: Service, tmp_path: Path, text: str
) -> None:
    (tmp_path / "question.json").write_text(text)
    with pytest.raises(UnsupportedValue, match=r"question\.json that cannot be read"):
        keeping(service.companies, tmp_path).fetch()
