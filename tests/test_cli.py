"""The command line: one sentence and a non-zero exit for what cannot be done."""

import contextlib
import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import ventureframe as vf
from tests.fake import serving
from tests.service.sample.sample import sample
from ventureframe.cli import main
from ventureframe.dataset import manifest

ONE = "report 01_university_spinouts --out x.html"
COMMAND = [sys.executable, "-m", "ventureframe.cli"]


def test_lab_opens_jupyterlab_on_the_notebooks_with_further_arguments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, command: called.append(command))
    assert main(["lab", "--no-browser", "--port", "8899"]) == 0
    root, first, hook, *further = called[0][1:]
    assert hook.endswith("pre_save_hook=ventureframe.report.notebook.before_save")
    assert further == ["--no-browser", "--port", "8899"]
    folder = Path(root.removeprefix("--ServerApp.root_dir="))
    assert (folder / first.removeprefix("--LabApp.default_url=/lab/tree/")).is_file()


def test_the_version_is_said_by_the_package_and_both_ways_to_run_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"ventureframe {vf.__version__}\n"
    run = [sys.executable, "-m", "ventureframe", "--version"]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert said == f"ventureframe {vf.__version__}\n"


@pytest.mark.parametrize(
    ("status", "line", "message"),
    [
        (2, "report 00_start_here --out x.html --colour red", "--colour red"),
        (2, "report 00_start_here --out x.html --set name", "NAME=VALUE"),
        (2, "pull jobs --out p --workers -1", "not a whole number of 1 or more"),
        (2, "snapshot companies --out ''", "is a variable of the shell not set?"),
        (1, "report nowhere --out x.html", "no notebook 'nowhere'"),
        (1, f"report --all --out {__file__}/x", "cannot be written: "),
        (1, f"{ONE} --currency GBP --set currency=EUR", "two currencies are asked for"),
    ],
)
def test_what_cannot_be_read_or_done_ends_in_one_sentence(
    status: int,
    line: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended: str | int | None
    with contextlib.chdir(tmp_path):
        try:
            ended = main(shlex.split(line))
        except SystemExit as error:
            ended = error.code
    written = capsys.readouterr().err
    assert ended == status
    assert written.startswith("ventureframe")
    assert message in written
    assert written.count("\n") == 1
    assert ("--help lists what it takes" in written) == (status == 2)
    assert not list(tmp_path.iterdir())


@pytest.mark.real
def test_what_changed_does_not_show_the_sample_where_other_data_is_given(
    real_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.html"
    data = str(real_data / "startups-2026")
    for name, message in (
        ("04", "Two fetches are compared: give their folders as"),
        ("02", "ventureframe: Nothing is chosen yet: fill in LPs (--lp).\n"),
    ):
        assert main(["report", name, "--data", data, "--out", str(out)]) == 1
        assert message in capsys.readouterr().err
        assert not out.exists()


FULL = "ventureframe: the answer is not written: No space left on device\n"


@pytest.mark.parametrize(
    ("line", "status", "sentence"),
    [
        ("{} pull jobs --out p > /dev/full", 1, FULL),
        ("{} report | true; exit ${{PIPESTATUS[0]}}", 141, ""),
    ],
)
def test_a_command_whose_answer_cannot_be_written_ends_with_its_status(
    tmp_path: Path, line: str, status: int, sentence: str
) -> None:
    run = "set -o pipefail; " + line.format(shlex.join(COMMAND))
    ended = subprocess.run(
        ["bash", "-c", run],
        check=False,
        timeout=120,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (status, sentence)


def test_a_warning_is_one_sentence_on_stderr(tmp_path: Path) -> None:
    command = [*COMMAND, "snapshot", "founders", "--out", "founders"]
    with serving(sample(companies=20), tier="free") as settings:
        ended = subprocess.run(
            command,
            check=False,
            timeout=120,
            cwd=tmp_path,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
        )
    assert ended.returncode == 0
    (line,) = ended.stderr.splitlines()
    assert line.startswith(
        "ventureframe: Check the key: the service answers as if none"
    )


def test_a_letter_that_the_encoding_of_stdout_lacks_is_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["snapshot", "funds", "--out", str(tmp_path / "\u00f6")]) == 0
    assert b"\\xf6: funds" in written.getvalue()


def test_a_pull_says_what_it_costs_and_what_it_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["pull", "companies", "jobs", "--out", str(tmp_path), "--currency", "EUR"]
    assert main([*asked, "--out", f"{tmp_path}-short", "--at-most", "3"]) == 1
    error = capsys.readouterr().err
    assert "The pull of companies is incomplete: at_most= is reached" in error
    assert "is reached: allow more requests" in error
    assert main([*asked, "--filter", "is_startup[eq]:true"]) == 1
    assert "--filter 'companies=is_startup[eq]:true'" in capsys.readouterr().err
    assert main([*asked, "--filter", "companies=is_startup[eq]:true"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("companies: 2 requests")
    assert "companies · 926 rows · complete · pulled 2026-06-30" in said
    save = f"snapshot companies --data {tmp_path} --out {tmp_path / 's'}"
    assert main(save.split()) == 0
    assert "926 of 926 distinct" in capsys.readouterr().out
    asked = ["pull", "companies", "--out", str(tmp_path / "both")]
    conditions = ("is_startup[eq]:true", "launch_date[gte]:2020")
    asked += [f"--filter=companies={condition}" for condition in conditions]
    assert main(asked) == 0
    (pull,) = manifest.opened(tmp_path / "both").pulls
    assert pull.filter == f"and({conditions[0]},{conditions[1]})"
    years = pl.read_parquet(
        [tmp_path / "both" / part.file for part in pull.tables["companies"]]
    )
    assert years["launch_date"].min() == 2020
    assert 0 < pull.rows < 809, "fewer than startups alone"
