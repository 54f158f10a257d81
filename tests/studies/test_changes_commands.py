"""`snapshot` saves a collection on the command line; `compare` says what two saves differ in."""

from __future__ import annotations

from pathlib import Path

import pytest

import ventureframe as vf
from ventureframe import cli
from ventureframe.embedded.sample.sample import sample


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    sample(companies=60).write(folder)
    return folder


def test_two_saves_of_one_question_are_compared(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("first", "second"):
        asked = ["--filter", "launch_date[gte]:2005", "--currency", "GBP", "--data", str(data)]
        assert cli.main(["snapshot", "companies", *asked, "--out", str(tmp_path / name)]) == 0
    said = capsys.readouterr().out
    assert f"{tmp_path / 'first'}: companies · " in said
    assert "complete" in said
    saved = vf.load(tmp_path / "second")
    assert saved.provenance.filter == "launch_date[gte]:2005"
    assert saved.provenance.currency == "GBP"
    assert cli.main(["compare", str(tmp_path / "first"), str(tmp_path / "second")]) == 0
    said = capsys.readouterr().out
    assert f"0 of {len(saved)} in both with a changed field." in said
    assert "Newly seen is not newly happened" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["snapshot", "companies", "--filter", "size[gte]:5"], "no field 'size'"),
        (["snapshot", "companies", "--filter", "nonsense"], "filter text cannot be read"),
        (["compare", "nowhere", "nothing"], "nowhere: is not a folder"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_no_folder(
    data: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    out = tmp_path / "out"
    more = ["--data", str(data), "--out", str(out)] if arguments[0] == "snapshot" else []
    assert cli.main([*arguments, *more]) == 1
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_a_report_says_what_two_saves_of_one_collection_differ_in(
    data: Path, tmp_path: Path
) -> None:
    for name in ("before", "after"):
        folder = str(tmp_path / name)
        assert cli.main(["snapshot", "funds", "--data", str(data), "--out", folder]) == 0
    given = [f"--set={name}={tmp_path / name}" for name in ("before", "after")]
    page = tmp_path / "changed.html"
    assert cli.main(["report", "04_what_changed", *given, "--out", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "What differs: funds" in text
    assert "0 funds newly seen, 0 funds no longer seen" in text
