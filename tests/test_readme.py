"""The README's Python is run as it stands, and what it says comes out is what comes out."""

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def test_the_readmes_python_runs_and_gives_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL):
        exec(compile(block, "README.md", "exec"), names)
    with contextlib.closing(names["svc"]):
        shown = re.search(r"^found  # (.*)$", README, flags=re.MULTILINE)
        assert shown is not None
        assert getattr(names["found"], "line") == shown[1]  # noqa: B009  # an object of the README


def test_files_and_targets_named_in_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"\bmake (\w+)", README):
        assert f"\n{target}:" in makefile, target
    for file in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / file).is_file(), file
