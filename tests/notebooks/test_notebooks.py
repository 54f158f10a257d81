"""What every committed notebook is like, read from its JSON, and that its outputs
still hold.
"""

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode

from ventureframe import report
from ventureframe.report.notebook import HIDDEN, LEAD, NEEDS_KEY, SHOWN, TAG, WIDGET

PATHS = report.notebooks()
LONGEST = 10
WIDEST = 88

pytestmark = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def cells(path: Path, kind: str) -> list[Any]:
    notebook = nbformat.read(path, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def outputs(path: Path) -> list[Any]:
    return [output for cell in cells(path, "code") for output in cell.outputs]


def needs_key(path: Path) -> bool:
    return any(
        NEEDS_KEY in cell.metadata.get("tags", ()) for cell in cells(path, "code")
    )


def test_it_has_one_title_and_no_heading_twice(path: Path) -> None:
    text = "\n".join(cell.source for cell in cells(path, "markdown"))
    headings = re.findall(r"^(#+) (.+)$", text, re.MULTILINE)
    assert [level for level, _ in headings].count("#") == 1
    assert headings[0][0] == "#"
    assert len({name for _, name in headings}) == len(headings)


def test_it_was_run_from_top_to_bottom_without_errors(path: Path) -> None:
    code = cells(path, "code")
    if needs_key(path):
        assert not [cell for cell in code if cell.outputs or cell.execution_count]
        return
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert {output.output_type for output in outputs(path)} <= {
        "display_data",
        "execute_result",
    }


def test_its_outputs_are_those_of_a_run(
    path: Path, executed: Callable[[str], NotebookNode]
) -> None:
    if needs_key(path):
        return
    before, after = nbformat.read(path, as_version=4), executed(path.stem)
    for kept, now in zip(before.cells, after.cells, strict=True):
        assert now == kept, f"make notebooks: {kept.source}"


def test_what_a_view_reads_is_set_once_so_that_a_fetch_draws_it_as_it_was(
    path: Path,
) -> None:
    nodes = [
        node
        for cell in cells(path, "code")
        for node in ast.walk(ast.parse(cell.source))
    ]
    views = [
        inner
        for node in nodes
        if isinstance(node, ast.Lambda)
        for inner in ast.walk(node)
    ]
    named = [node for node in nodes if isinstance(node, ast.Name)]
    stored = [each.id for each in named if isinstance(each.ctx, ast.Store)]
    read = {each.id for each in views if isinstance(each, ast.Name)}
    assert [name for name in read if stored.count(name) > 1] == []


def test_cells_are_a_few_lines_that_define_nothing(path: Path) -> None:
    unwanted = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While)
    for cell in cells(path, "code"):
        nodes = list(ast.walk(ast.parse(cell.source)))
        views = [
            node.args[0]
            for node in nodes
            if isinstance(node, ast.Call) and _shows(node)
        ]
        assert all(node in views for node in nodes if isinstance(node, ast.Lambda)), (
            cell.source
        )
        is_literal = TAG in cell.metadata.get("tags", ())
        assert is_literal or len(cell.source.splitlines()) <= LONGEST, cell.source
        assert max(map(len, cell.source.splitlines())) <= WIDEST, cell.source
        assert not any(isinstance(node, unwanted) for node in nodes)
        assert not re.search(
            r"https?://|requests|secret|token", cell.source, re.IGNORECASE
        )


def _shows(call: ast.Call) -> bool:
    """Whether it displays what one line makes of the study: the one place for a
    function.
    """
    return ast.unparse(call.func) == "form.show"


def test_a_notebook_with_a_form_ends_by_hand_and_with_lines_that_follow_the_form(
    path: Path,
) -> None:
    code = [cell.source for cell in cells(path, "code")]
    if not any("form = vf.form(" in source for source in code):
        return
    assert "assert " in code[-2]
    assert code[-1].count("form.show(") == 3
    assert [source.count("form.answer") for source in code].count(1) == 1


def test_it_keeps_nothing_that_differs_from_run_to_run(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert set(notebook.metadata) - {"ventureframe"} == {"kernelspec", "language_info"}
    assert set(notebook.metadata.get("ventureframe", {})) <= {"question"}
    assert notebook.metadata.language_info == {"name": "python"}
    assert not [output for output in outputs(path) if WIDGET in output.data]
    text = path.read_text("utf-8")
    assert not re.search(r"127\.0\.0\.1|localhost|/home/|/tmp/|0x[0-9a-f]{6}", text)
    assert text == nbformat.writes(notebook) + "\n"


def test_tags_are_known_and_tables_and_figures_are_described(path: Path) -> None:
    tags = {
        tag for cell in cells(path, "code") for tag in cell.metadata.get("tags", ())
    }
    assert tags <= {TAG, LEAD, SHOWN, HIDDEN, NEEDS_KEY}
    html = "".join(output.data.get("text/html", "") for output in outputs(path))
    assert html.count("<img ") == len(re.findall(r'<img alt="[^"]{20,}"', html))
    assert html.count("<figure") == html.count("<figcaption>")
    assert "SYNTHETIC" in html or needs_key(path)


def test_a_section_of_a_report_shows_what_it_describes(path: Path) -> None:
    if path not in report.reports():
        return
    sections = dict[str, list[Any]]()
    heading = "before the first"
    for cell in nbformat.read(path, as_version=4).cells:
        if HIDDEN in cell.metadata.get("tags", ()):
            continue
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            heading = cell.source.partition("\n")[0]
        sections.setdefault(heading, []).append(cell)
    for heading, section in list(sections.items())[1:]:
        code = [cell for cell in section if cell.cell_type == "code"]
        assert any(cell.outputs for cell in code) or heading == "## The question", (
            heading
        )
