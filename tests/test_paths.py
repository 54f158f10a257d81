"""A path means the same wherever it is given: `~` is home, and a folder with a long
name is one.
"""

import os
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import ventureframe as vf
from tests.service.sample.sample import sample
from ventureframe import report
from ventureframe.cli import main
from ventureframe.errors import DatasetError, SaveError, UnsupportedValue
from ventureframe.report.run import run
from ventureframe.watch import read


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "me"
    folder.mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    sample(companies=5).write(folder / "data")
    return folder


def test_a_tilde_is_home_wherever_a_path_is_given(home: Path) -> None:
    with vf.connect(data="~/data", environment={}) as svc:
        companies = svc.companies.fetch()
        svc.pull("companies", out="~/pulled")
    named = {"VENTUREFRAME_DATA": "~/data"}
    with vf.connect(environment=named) as svc:
        assert svc.companies.count() == 5
    assert vf.bulk.open("~/pulled")["companies"].collect().height == 5
    assert companies.save("~/saved") == home / "saved"
    assert vf.load("~/saved") == companies
    out = ["--out", "~/snapshot"]
    assert main(["snapshot", "companies", "--data", "~/data", *out]) == 0
    assert (home / "snapshot").is_dir()
    assert not any(Path.cwd().iterdir())


def test_a_path_with_a_null_character_is_refused_wherever_one_is_given(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    odd = "a\0b"
    with vf.connect(data="data", environment={}) as svc:
        funds = svc.funds.fetch()
        study = vf.hiring.study(svc, rounds_of=0)
        form = vf.form(svc, vf.hiring.Question(founded=2010))
        every = vf.institutions.find(**vf.bulk.open("data"), currency="EUR")
        calls: list[Callable[[], object]] = [
            lambda: vf.connect(data=odd, environment={}),
            lambda: vf.bulk.open(odd),
            lambda: vf.load(odd),
            lambda: vf.changes.compare(odd, funds),
            lambda: svc.pull("funds", out=odd),
            lambda: funds.save(odd),
            lambda: study.save(odd),
            lambda: study.save(f"{odd}.xlsx"),
            lambda: study.ranking.to_csv(f"{odd}.csv"),
            lambda: study.ranking.to_excel(f"{odd}.xlsx"),
            lambda: study.ranking.plot().save(f"{odd}.svg"),
            lambda: every.report(f"{odd}.html"),
            lambda: form.report(f"{odd}.html"),
            lambda: form.keep(f"{odd}.toml"),
            lambda: report.build("01", out=f"{odd}.html"),
            lambda: report.build("01", out="r.html", question=odd),
            lambda: [*report.build_all(["01"], out=odd, failed=[])],
        ]
        before = {path.name for path in home.glob("[!.]*")}
        for call in calls:
            with pytest.raises(UnsupportedValue, match=r"'path' cannot be 'a.x00b"):
                call()
        assert {path.name for path in home.glob("[!.]*")} == before
    block = vf.mine.Question(list=f"Company\n{odd}")
    assert "Company" in block.written


def test_a_file_that_is_a_folder_is_not_written(home: Path) -> None:
    with vf.connect(data=home / "data", environment={}) as svc:
        form = vf.form(svc, vf.hiring.Question(founded=2010))
        for out in (".", home):
            with pytest.raises(SaveError, match="cannot be written"):
                form.keep(out)


def test_lab_serves_the_folder_it_is_given_and_refuses_one_that_is_none(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, command: called.append(command))
    monkeypatch.setenv("VENTUREFRAME_DATA", "")
    assert main(["lab", "--data", "~/data", "--no-browser"]) == 0
    assert os.environ["VENTUREFRAME_DATA"] == str(home / "data")
    assert called[0][-1] == "--no-browser"
    assert main(["lab", "--data", str(home)]) == 1
    assert "is not a dataset folder" in capsys.readouterr().err
    assert len(called) == 1


def test_a_notebook_runs_where_temporary_files_have_a_long_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("temporary-" * 12)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    notebook = new_notebook(cells=[new_code_cell("1 + 1")])
    done: nbformat.NotebookNode = run(notebook, name="long", progress=False)
    assert done.cells[0].outputs[0].data["text/plain"] == "2"


def test_a_saved_question_finds_its_list_from_any_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, there = home / "desk", home / "there"
    for folder in (desk, there):
        folder.mkdir()
        (folder / "pipeline.csv").write_text("Company\nNo Such Firm\n")
    monkeypatch.chdir(desk)
    written = vf.mine.Question(list="pipeline.csv").written
    (desk / "mine.toml").write_text(written)
    (there / "mine.toml").write_text(written.replace(f"{desk}/", ""))
    monkeypatch.chdir(home)
    for folder in (desk, there):
        assert read(folder / "mine.toml").parameters["list"] == str(
            folder / "pipeline.csv"
        )
    block = vf.mine.Question(list="Company\tCity\nA/S\tOslo")
    (there / "block.toml").write_text(block.written)
    assert read(there / "block.toml") == block


def test_a_watch_goes_on_where_its_question_is_named_from_another_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    (home / "pipeline.csv").write_text("Company\nNo Such Firm\n")
    (home / "mine.toml").write_text('question = "mine"\nlist = "pipeline.csv"\n')
    keep = ["--keep", str(home / "kept"), "--data", str(home / "data")]
    assert main(["watch", "mine.toml", *keep]) == 0
    kept = home / "kept" / "question.toml"
    kept.write_text(kept.read_text().replace(f"{home}/", ""))  # as before
    monkeypatch.chdir("/")
    assert main(["watch", str(home / "mine.toml"), *keep]) == 0


def test_a_folder_of_nobody_is_named_as_it_was_given(home: Path) -> None:
    with pytest.raises(DatasetError, match=r"^~nobody-here/data: is not a folder"):
        vf.bulk.open("~nobody-here/data")
