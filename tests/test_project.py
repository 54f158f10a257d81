"""The project's own files agree with each other and carry nothing that does not
belong in them.
"""

import re
import subprocess
import tomllib
from itertools import chain

import pytest

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NAMED_BY_OWNER = [
    "requests",
    "pandas",
    "polars",
    "jupyterlab",
    "matplotlib",
    "ipywidgets",
    "nbval",
]
CONDA = {"python-duckdb": "duckdb"}
"""What conda calls a package otherwise."""
AT_THE_TOP = {
    *["pyproject.toml", "README.md", "notebooks", "src", "tests", "environment.yml"],
    *["LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "benchmarks"],
    *["CITATION.cff", "SECURITY.md", "docs", "mkdocs.yml"],
}


def bounds(lines: list[str]) -> dict[str, str]:
    """Package name → its lower bound."""
    return dict(line.split(">=") for line in lines if ">=" in line)


def conda_packages() -> dict[str, str]:
    text = (ROOT / "environment.yml").read_text("utf-8")
    named = bounds(re.findall(r"^  - (\S+)$", text, flags=re.MULTILINE))
    return {CONDA.get(name, name): least for name, least in named.items()}


def test_environment_and_pyproject_ask_for_the_same_packages() -> None:
    wanted = (
        bounds(PROJECT["dependencies"])
        | bounds(PROJECT["optional-dependencies"]["lab"])
        | {
            "python": PROJECT["requires-python"].removeprefix(">="),
        }
    )
    assert conda_packages() == wanted


def test_conda_hands_pip_the_project_alone() -> None:
    _, _, lines = (ROOT / "environment.yml").read_text("utf-8").partition("  - pip:\n")
    assert lines.split("\n") == [
        "      - -e .",
        "",
    ], "pip refuses an option in a list of packages"


def test_the_owners_seven_are_among_them() -> None:
    assert set(NAMED_BY_OWNER) <= set(conda_packages())


def test_every_package_is_pinned_for_a_repeatable_build() -> None:
    pins = (ROOT / ".ci" / "constraints.txt").read_text("utf-8")
    everything = chain(
        PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()
    )
    for name in bounds(list(everything)):
        assert re.search(
            rf"^{re.escape(name)}==", pins, flags=re.MULTILINE | re.IGNORECASE
        ), name


def tracked() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode:
        pytest.skip("not a git checkout, so there is no list of tracked files")
    return listing.stdout.splitlines()


def test_the_top_level_holds_only_what_the_owner_fixed() -> None:
    top = {name.split("/")[0] for name in tracked()}
    assert {name for name in top if not name.startswith(".")} <= AT_THE_TOP


def test_no_file_names_a_package_index_or_one_machines_path() -> None:
    host = re.compile(
        rb"://[a-z0-9.-]*(py" rb"pi|hosted|npm" rb"js|debian)[a-z0-9.-]*", re.IGNORECASE
    )
    machine = re.compile(rb"(?<![\w.])/(work|farm|root|home/\w+|Users/\w+)/|/tmp/\w")
    for name in tracked():
        content = (ROOT / name).read_bytes()
        assert not host.search(content), name
        assert not machine.search(content), name
