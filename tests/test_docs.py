"""The pages of the site: complete, linked, and their Python and shell lines hold."""

import doctest
import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest

import ventureframe as vf
from tests.conftest import ROOT
from ventureframe import cli
from ventureframe.connect import LIVE
from ventureframe.panel.form import Form
from ventureframe.report import find
from ventureframe.report.notebook import read

MADE = re.compile(r"(\.\./)*(figures|reference)/|.*notebooks/pictures/")
"""Written by `.ci/pages.py`, but for the one page of the reference that is not."""
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
PAGES = [
    ROOT / "README.md",
    ROOT / "docs/reference/environment.md",
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if not MADE.match(str(page.relative_to(ROOT / "docs")))
    ),
]
BLOCK = re.compile(
    r"^```python(?: title=\"(?P<file>[\w/.]+)\")?\n(?P<text>.*?)^```", re.M | re.S
)
# a result alone, as its cell shows it
LINE = re.compile(r"^(\w+)  # (\w+ · \d+ of .*)$", re.M)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_the_readme_shows_the_line_of_a_result() -> None:
    assert LINE.search(PAGES[0].read_text("utf-8"))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))], ids=name
)
def test_the_python_of_a_page_runs_and_gives_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block with a file's name is that file; one with >>> shows what comes out."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    monkeypatch.syspath_prepend(tmp_path)
    for block in BLOCK.finditer(page.read_text("utf-8")):
        text = block["text"]
        if block["file"]:
            (tmp_path / block["file"]).parent.mkdir(exist_ok=True)
            (tmp_path / block["file"]).write_text(text, "utf-8")
        elif text.startswith(">>>"):
            example = parser.get_doctest(text, names, name(page), str(page), 0)
            runner.run(example, clear_globs=False)
            names |= example.globs
        else:
            exec(compile(text, name(page), "exec"), names)
    assert runner.summarize(verbose=False).failed == 0
    for value, line in LINE.findall(page.read_text("utf-8")):
        assert names[value].line == line


SHELL = re.compile(r"^ *```sh\n(.*?)^ *```", re.M | re.S)
LINKS = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
pages = runpy.run_path(str(ROOT / ".ci" / "pages.py"))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of the pages made from the code, and of the one written by hand."""
    folder = tmp_path_factory.mktemp("docs")
    pages["reference"](folder)
    made = [
        page.read_text("utf-8") for page in sorted((folder / "reference").rglob("*.md"))
    ]
    return "\n".join(
        [*made, (ROOT / "docs/reference/environment.md").read_text("utf-8")]
    )


def commands() -> list[str]:
    texts = [text for page in PAGES for text in SHELL.findall(page.read_text("utf-8"))]
    lines = map(str.strip, "".join(texts).replace("\\\n", " ").splitlines())
    return sorted({line for line in lines if line.startswith("ventureframe ")})


@pytest.mark.parametrize("line", commands())
def test_a_shell_line_is_one_that_the_command_line_takes(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` behind the line is reached only if what stands before it was parsed."""
    _, *arguments = shlex.split(line, comments=True)
    known = {word for word in arguments if word.startswith("--")}
    with pytest.raises(SystemExit) as done:
        cli.main([*arguments, "--help"])
    said = capsys.readouterr().out
    assert done.value.code == 0
    if arguments[0] != "lab":  # what it does not know goes to JupyterLab
        assert {word for word in known if word not in said} == set()


def test_the_reference_names_everything_that_is_public(reference: str) -> None:
    variables = {
        name
        for path in (ROOT / "src").rglob("*.py")
        for name in re.findall(r"VENTUREFRAME_[A-Z_]*[A-Z]", path.read_text("utf-8"))
    }
    variables |= {f"VENTUREFRAME_{name}" for name in (*LIVE, "AUDIENCE")}
    heads = {f"## vf.{name}" for name in vf.__all__}
    heads |= {f"## {one.__name__}" for one in pages["classes"]()}
    heads |= {f"## study.{finding}" for finding in pages["EVERY"]}
    heads |= {
        f"## {name}.{finding}"
        for name in pages["STUDIES"]
        for finding in {*getattr(vf, name).Study.findings()} - {*pages["EVERY"]}
    }
    heads |= {f"## ventureframe {name}" for name in pages["COMMANDS"]}
    lines = {*reference.splitlines()}
    assert len(heads) > 100
    assert heads - lines == set()
    missing = {name for name in variables if f"`{name}`" not in reference}
    assert missing - {"VENTUREFRAME_SESSION"} == set()


def test_every_command_is_in_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    said = re.findall(r"^    ([a-z]+) ", capsys.readouterr().out, re.M)
    assert sorted(said) == sorted(pages["COMMANDS"])


def test_the_menu_lists_every_page_and_no_link_is_broken() -> None:
    menu = set(
        re.findall(r"- ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
    )
    own = {str(p.relative_to(ROOT / "docs")) for p in PAGES if p != ROOT / "README.md"}
    made = {f"reference/{name}.md" for name in pages["PAGES"]}
    assert menu == own | made
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for page in PAGES:
        for target in re.findall(
            r"\bmake (\w+)", "".join(SHELL.findall(page.read_text("utf-8")))
        ):
            assert f"\n{target}:" in makefile, (name(page), target)
        for link in LINKS.findall(page.read_text("utf-8")):
            where = (page.parent / link).resolve()
            assert (
                MADE.match(link)
                or where.is_file()
                or (ROOT / "notebooks" / where.with_suffix(".ipynb").name).is_file()
            ), (name(page), link)
    for link in LINKS.findall((ROOT / "docs/llms.txt").read_text("utf-8")):
        assert f"{link.removesuffix('.html')}.md" in menu, link


CONTROL = re.compile(r"\*\*(.+?)\*\*")
PICKED = re.compile(r"\*\*(\w+)\*\* type `([^`]+)` and press Enter")
KINDS: dict[str, Any] = {
    "University": "university",
    "Universities": "university",
    "LPs": "lp",
    "Location": "location",
}
OF_JUPYTER = {"Run", "Run All Cells", "Next:"}
"""What tutorials set in bold and no form has."""


def controls(question: str) -> set[str]:
    """What is written on the fields and buttons of a form, and on those of a table."""
    of_form = Form(
        vf.form(vf.connect(environment={}), getattr(vf, question).Question())
    )
    views, labels = [of_form.view], set[str]()
    while views:
        view = views.pop()
        views += getattr(view, "children", ())
        labels |= {getattr(view, one, None) or "" for one in ("label", "description")}
    script = (ROOT / "src/ventureframe/display/table.js").read_text("utf-8")
    style = (ROOT / "src/ventureframe/panel/form.css").read_text("utf-8")
    return labels | {*re.findall(r'"([A-Z][\w …]+)"', script + style)}


def asked_in(number: str) -> list[str]:
    """The question of a tutorial's notebook, where it has a form."""
    cells = read(find(number)).cells
    if not any("vf.form(" in cell.source for cell in cells):
        return []
    source = "".join(cell.source for cell in cells)
    return re.findall(r"vf\.(\w+)\.Question", source)[-1:]


SECTION = re.compile(r"(?<!\*)\*(\w[^*]*)\*(?!\*)")


@pytest.mark.parametrize("page", TUTORIALS, ids=name)
def test_a_section_that_a_tutorial_leads_to_is_in_the_notebook(page: Path) -> None:
    notebook = "".join(cell.source for cell in read(find(page.stem)).cells).lower()
    sections = SECTION.findall(page.read_text("utf-8"))
    assert [text for text in sections if text.lower() not in notebook] == []


@pytest.mark.parametrize("page", TUTORIALS, ids=name)
def test_what_a_tutorial_says_to_press_is_in_the_form(page: Path) -> None:
    known = OF_JUPYTER.union(*map(controls, asked_in(page.stem)))
    assert {*CONTROL.findall(page.read_text("utf-8"))} - known == set()


def test_what_the_page_on_forms_says_to_press_is_in_a_form() -> None:
    known = OF_JUPYTER.union(*map(controls, ("spinouts", "hiring", "mine")))
    text = (ROOT / "docs/how-to/form.md").read_text("utf-8")
    assert {*CONTROL.findall(text)} - known == set()


def test_what_a_tutorial_says_to_type_finds_what_it_names() -> None:
    service, picked = vf.connect(environment={}), 0
    for page in TUTORIALS:
        text = page.read_text("utf-8")
        for field, typed in PICKED.findall(text):
            first, *_ = service.similar(KINDS[field], typed)
            assert first["name"] in text, (name(page), typed, first["name"])
            picked += 1
    assert picked > 3


def test_every_notebook_has_its_tutorial() -> None:
    numbers = [path.stem[:2] for path in vf.report.notebooks()]
    assert [page.stem for page in TUTORIALS] == numbers == [*pages["TUTORIALS"]]
