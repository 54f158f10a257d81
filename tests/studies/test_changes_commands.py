"""`snapshot` saves a collection on the command line; `compare` says what two saves
differ in.
"""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import ventureframe as vf
from tests.service.sample.sample import sample
from ventureframe import cli
from ventureframe.errors import FetchesNotComparable
from ventureframe_service.dataset import Dataset


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    sample(companies=60).write(folder)
    return folder


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["snapshot", "companies", "--filter", "size[gte]:5"], "no field 'size'"),
        (
            ["snapshot", "companies", "--filter", "nonsense"],
            "filter text cannot be read",
        ),
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
    more = (
        ["--data", str(data), "--out", str(out)] if arguments[0] == "snapshot" else []
    )
    assert cli.main([*arguments, *more]) == 1
    assert message in capsys.readouterr().err
    assert not out.exists()


def snapshot(folder: Path, *options: str) -> str:
    """The folder, once `ventureframe snapshot` has saved companies there."""
    assert cli.main(["snapshot", "companies", *options, "--out", str(folder)]) == 0
    return str(folder)


def changed(before: str, after: str, page: Path) -> int:
    """What `ventureframe report 04_what_changed` of two saves ends with."""
    given = (
        f"--set={name}={value}"
        for name, value in (("before", before), ("after", after))
    )
    return cli.main(["report", "04_what_changed", *given, "--out", str(page)])


def test_the_commands_of_the_readme_report_saves_and_ask_no_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["--filter", "launch_date[gte]:2005", "--currency", "GBP", "--data"]
    for name in ("a", "b"):
        made = sample(companies=60 if name == "a" else 70)
        real: dict[str, Any] = {
            "name": f"oak {name}",
            "description": "",
            "attribution": (),
            "synthetic": False,
        }
        about = dataclasses.replace(made.description, **real)
        Dataset.of(about, made.tables).write(tmp_path / "data" / name)
    first, second = (
        snapshot(tmp_path / name, *asked, str(tmp_path / "data" / name))
        for name in ("a", "b")
    )
    # which nothing can ask
    monkeypatch.setenv("VENTUREFRAME_BASE_URL", "https://data.example")
    page = tmp_path / "changed.html"
    assert changed(first, second, page) == 0
    text = page.read_text(encoding="utf-8")
    assert "What changed most: Companies" in text
    assert "10 companies are newly seen since " in text
    assert "SYNTHETIC" not in text
    assert ">oak a</td>" in text
    assert ">oak b</td>" in text
    assert "amounts in GBP" in text
    assert "EUR" not in text
    assert str(tmp_path) not in text
    assert "<dd>a</dd>" in text


def test_two_saves_that_cannot_be_compared_end_the_command_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with vf.connect(environment={}, sample_day="2026-03-31") as march:
        earlier = str(march.companies.fetch().save(tmp_path / "march"))
    later = snapshot(tmp_path / "june")
    assert cli.main(["compare", earlier, later]) == 0
    message = (
        "the first (30 June 2026) is later than the second (31 March 2026). Give the"
        " earlier"
    )
    assert cli.main(["compare", later, earlier]) == 1
    assert message in capsys.readouterr().err
    question = vf.changes.Question(before=later, after=earlier)
    with (
        vf.connect(environment={}) as svc,
        pytest.raises(FetchesNotComparable) as error,
    ):
        question.study(svc)
    assert message in str(error.value)
