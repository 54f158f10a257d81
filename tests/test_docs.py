"""The pages of the site: complete, linked, and their Python and shell lines hold."""

import contextlib
import doctest
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
BLOCK = re.compile(r"^```python(?: title=\"(?P<file>[\w/.]+)\")?\n(?P<text>.*?)^```", re.M | re.S)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@contextlib.contextmanager
def importing(folder: Path) -> Iterator[None]:
    """Modules that a page writes are imported from its folder, and forgotten afterwards."""
    before = {*sys.modules}
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for module in {*sys.modules} - before:
            if getattr(sys.modules[module], "__file__", None) and str(folder) in str(
                sys.modules[module].__file__
            ):
                del sys.modules[module]


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
    with importing(tmp_path):
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
