"""`ventureframe report`: a notebook's parameters are options of their own."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from tests.client.test_cost import SAMPLE, Billing
from tests.fake import environment_of, start_on
from tests.processes import running

from ventureframe.cli import main
from ventureframe.connect import connect
from ventureframe.errors import ConfigurationError
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.report import notebooks

PARAMETERS = (
    'lps = [("X", "x.example")]\nsince = 2021\ncurrency = "USD"\norder = "name"'
)


@pytest.fixture
def notebook(tmp_path: Path) -> str:
    """A notebook with the parameters of a question and one of its own; it prints
    them.
    """
    cells = [
        new_markdown_cell("# Who backs whom?\n\nA question."),
        new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
        new_code_cell("print([lps, since, currency, order])"),
    ]
    metadata = {"ventureframe": {"question": "exposure"}}
    nbformat.write(
        new_notebook(cells=cells, metadata=metadata), tmp_path / "small.ipynb"
    )
    return str(tmp_path / "small.ipynb")


def test_options_reach_the_notebook_whose_name_stands_behind_them(
    notebook: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "r.html")
    options = [
        "--lp",
        "A, B & Co, ab.example",
        "--lp",
        "C",
        "--since",
        "None",
        "--order=size",
    ]
    assert main(["report", *options, "--currency", "EUR", "--out", out, notebook]) == 0
    assert capsys.readouterr().out == f"{out}\n"
    said = (
        "[[(&#39;A, B &amp; Co&#39;, &#39;ab.example&#39;), (&#39;C&#39;, None)], None,"
        " &#39;EUR"
    )
    assert said in Path(out).read_text("utf-8")
    assert "EUR&#39;, &#39;size&#39;]" in Path(out).read_text("utf-8")


@pytest.mark.parametrize(
    ("formats", "names"),
    [([], ["small.html"]), (["--format", "html,xlsx"], ["small.html", "small.xlsx"])],
)
def test_a_folder_that_a_slash_ends_is_made(
    tmp_path: Path,
    notebook: str,
    capsys: pytest.CaptureFixture[str],
    formats: list[str],
    names: list[str],
) -> None:
    out = tmp_path / "reports.2026"
    if formats:
        notebook = "03"
    assert main(["report", notebook, *formats, "--out", f"{out}/"]) == 0
    if formats:
        names = [name.replace("small", "03_hiring_signals") for name in names]
    assert sorted(path.name for path in out.iterdir()) == names
    assert capsys.readouterr().out.splitlines() == [str(out / name) for name in names]
    with pytest.raises(SystemExit):
        main(["report", notebook, "--out", ""])
    assert "--out: it is empty" in capsys.readouterr().err


def test_name_date_and_note_stand_on_page_one_as_given(
    notebook: str, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    signed = ["--by", "Ann <A&B>", "--date", "3 June", "--note", "For Monday"]
    assert main(["report", notebook, *signed, "--out", str(page)]) == 0
    header, *_ = page.read_text("utf-8").partition("</header>")
    assert '<p class="vf-signed">Ann &lt;A&amp;B&gt; · 3 June</p>' in header
    assert '<p class="vf-note">For Monday</p>' in header


def test_help_lists_the_parameters_with_types_and_defaults(
    notebook: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as ended:
        main(["report", notebook, "--help"])
    assert ended.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Who backs whom? A question." in said
    assert (
        "--lp LP name and website domain, or UUID, of each; takes names, each with its"
        in said
    )
    assert "(default: X, x.example); may be given several times" in said
    assert (
        "--since SINCE the first year of the funds; takes a year such as 2005"
        " (default: 20" in said
    )
    assert "--order ORDER takes text such as 'name' (default: name)" in said
    assert said.count("--currency {USD,EUR,GBP} currency of all amounts") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--since", "soon"],
            "parameter 'since' of the notebook takes a year such as 2005, not 'soon'",
        ),
        (
            ["--set", "since=soon"],
            "parameter 'since' of the notebook takes a year such as 2005, not 'soon'",
        ),
        (
            ["--since", "1", "--set", "since=2"],
            "'since' is given by --since and by --set",
        ),
    ],
)
def test_what_a_parameter_does_not_take_ends_in_one_sentence(
    notebook: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    assert main(["report", notebook, "--out", str(tmp_path / "r.html"), *options]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_an_option_that_a_notebook_lacks_is_refused_with_the_nearest(
    notebook: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report", notebook, "--out", "r.html", "--sinec", "2005"])
    assert ended.value.code == 2
    assert (
        "unrecognized arguments: --sinec 2005; did you mean --since?"
        in capsys.readouterr().err
    )


def test_the_list_names_every_notebook_its_question_and_its_parameters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["report"]) == 0
    said = capsys.readouterr().out
    assert [part.partition(":")[0] for part in said.strip().split("\n\n")] == [
        path.stem for path in notebooks()
    ]
    assert "02_lp_exposure: LP exposure\n  Which managers do these LPs back" in said
    assert "--since (2021 or later); --currency (USD)" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--tag", "x"], "--tag is an option of notebooks 03 and 09: name it first"),
        (["--list", "a.csv"], "--list is an option of notebook 08: name it first"),
        (["--nothing"], "unrecognized arguments: --nothing."),
        (["--currency", "EUR"], "name a notebook, such as 01, or give --all"),
    ],
)
def test_an_option_without_a_notebook_says_which_one_it_is_of(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["report", *words])
    assert says in capsys.readouterr().err


def test_help_of_each_notebook_ends_with_an_example_of_it_and_a_number_is_enough(
    capsys: pytest.CaptureFixture[str],
) -> None:
    examples = dict[str, str]()
    for number in ("1", "2", "3", "8"):
        with pytest.raises(SystemExit):
            main(["report", number, "--help"])
        said = " ".join(capsys.readouterr().out.split())
        examples[number] = said.partition("example: ventureframe report ")[2]
    assert examples["1"] == "01 --university 'Harrowmere University'"
    assert examples["2"].startswith("02 --lp '")
    assert examples["3"] == "03 --tag 'Robotics, technology'"
    assert examples["8"] == "08 --list list.csv"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    "sent", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_an_interrupted_report_ends_in_one_line_and_leaves_no_file(
    sent: signal.Signals, tmp_path: Path
) -> None:
    cells = [
        new_markdown_cell("# Long?\n\nA question."),
        new_code_cell("open('began', 'w').close(); import time; time.sleep(600)"),
    ]
    nbformat.write(new_notebook(cells=cells), tmp_path / "long.ipynb")
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from ventureframe.cli import main; sys.exit(main(['report', 'long.ipynb']))"
    )
    command = [sys.executable, "-c", program]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with running(command, cwd=tmp_path, **pipes) as process:
        while not (tmp_path / "began").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(sent)
        printed, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert (printed, said) == ("", "ventureframe: interrupted\n")
    assert not list(tmp_path.glob("*.html"))


def test_a_service_that_cannot_be_reached_is_named_before_what_is_not_chosen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = "http://127.0.0.1:9"
    for name in ("CLIENT_ID", "CLIENT_SECRET", "USER_AGENT"):
        monkeypatch.setenv(f"VENTUREFRAME_{name}", "nobody-knows")
    monkeypatch.setenv("VENTUREFRAME_BASE_URL", closed)
    monkeypatch.setenv("VENTUREFRAME_AUTH_URL", f"{closed}/token")
    assert main(["report", "01"]) == 1
    said = capsys.readouterr().err
    assert "127.0.0.1:9" in said
    assert "Nothing is chosen" not in said


@pytest.fixture(autouse=True)
def unbounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound that a command sets in its environment ends with the test."""
    monkeypatch.setenv("VENTUREFRAME_AT_MOST", "")


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Iterator[Billing]:
    """A service of today's wire on a real socket, which the environment names."""
    billing = Billing(WIRE_2026_10_02)
    with start_on(billing.wire.name, SAMPLE, around=billing.around) as service:
        for name, value in environment_of(service).items():
            monkeypatch.setenv(name, value)
        yield billing


@pytest.mark.parametrize(
    ("bound", "status"),
    [
        ("--at-most-credits 2", 1),
        ("--at-most-credits 120", 1),
        pytest.param("--at-most-credits 400", 0, marks=pytest.mark.slow),
        pytest.param("--at-most 30", 1, marks=pytest.mark.slow),
    ],
)
def test_over_a_live_service_the_cost_comes_first_and_a_bound_ends_the_report(
    live: Billing,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    bound: str,
    status: int,
) -> None:
    page, (option, most) = tmp_path / "r.html", bound.split()
    study = ["report", "03", "--tag", "Robotics, technology", "--out", str(page)]
    assert main([*study, option, most]) == status
    lines = capsys.readouterr().err.splitlines()
    # connecting sends a free request that no bound counts: here and in the kernel
    taken = live.credits if "credits" in option else live.requests - 2
    assert 0 < taken <= int(most)
    assert page.exists() == (status == 0)
    if status:
        reached = f"{option.strip('-').replace('-', '_')}= is reached: allow more "
        assert lines[-1].startswith(f"ventureframe: {reached}")
    if int(most) > 2:  # which the count needs
        cost = r"50 companies, then .*: .*53 requests.* · about 198 credits"
        assert re.fullmatch(cost, lines[0])


def test_over_the_sample_no_cost_is_said(
    notebook: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bound = ["--at-most-credits", "1", "--out", str(tmp_path / "r.html")]
    assert main(["report", notebook, *bound]) == 0
    assert "request" not in capsys.readouterr().err


def test_a_notebook_without_a_question_says_that_its_cost_is_not_known(
    live: Billing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [
        new_markdown_cell("# How many?\n\nA question."),
        new_code_cell("import ventureframe as vf\nlen(vf.connect().companies.fetch())"),
    ]
    path = tmp_path / "own.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    bound = ["--at-most-credits", "50", "--out", str(tmp_path / "r.html")]
    assert main(["report", str(path), *bound]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "What the notebook requests: cost not known beforehand",
        "ventureframe: at_most_credits= is reached: allow more credits",
    ]
    assert 0 < live.credits <= 50


@pytest.mark.parametrize("bounds", ["soon", "1", "1 2 3", "-"])
def test_a_bound_of_a_session_that_is_none_is_refused(
    live: Billing, monkeypatch: pytest.MonkeyPatch, bounds: str
) -> None:
    monkeypatch.setenv("VENTUREFRAME_AT_MOST", bounds)
    with pytest.raises(ConfigurationError, match="AT_MOST to requests and credits"):
        connect()
