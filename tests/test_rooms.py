"""The rooms stay in order: imports run one way, and nothing heavy comes in before it is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ventureframe

SOURCE = Path(ventureframe.__file__).parent
GROUND = ("errors", "fields", "filters", "wire")
ROOMS = (
    *GROUND,
    "auth",
    "session",
    "resume",
    "frames",
    "decoding",
    "contradictions",
    "paging",
    "saves",
    "results",
    "aggregates",
    "bands",
    "client",
    "service",
    "connect",
    "doctor",
    "wording",
    "evidence",
    "dates",
    "rows",
    "sentences",
    "snapshots",
    "spinouts",
    "universities",
    "exposure",
    "roles",
    "hiring",
    "tables",
    "figures",
    "panel",
    "report",
    "cli",
)
"""From the bottom to the top: a room imports only rooms named before it."""


def room_of(file: Path) -> str:
    return file.relative_to(SOURCE).with_suffix("").parts[0]


def imports(file: Path) -> Iterator[str]:
    """The rooms that a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "ventureframe":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ventureframe."):
            yield str(node.module).split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("ventureframe."):
                    yield alias.name.split(".")[1]


FILES = sorted(file for file in SOURCE.rglob("*.py") if file != SOURCE / "__init__.py")


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_room_imports_only_rooms_below_it(file: Path) -> None:
    room = room_of(file)
    assert room in ROOMS, "a new room has a place in the order"
    below = set(ROOMS[: ROOMS.index(room)]) | {room}
    assert set(imports(file)) <= below


def test_the_service_shares_only_the_ground_with_the_client() -> None:
    allowed = {*GROUND, "service"}
    for file in (SOURCE / "service").glob("*.py"):
        assert set(imports(file)) <= allowed, file.name


def test_analyses_never_see_http() -> None:
    analyses = ROOMS[ROOMS.index("wording") : ROOMS.index("figures") + 1]
    for file in FILES:
        if room_of(file) in analyses:
            assert set(imports(file)).isdisjoint({"session", "auth", "paging", "wire"}), file.name


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = [
        "requests",
        "pandas",
        "polars",
        "pyarrow",
        "numpy",
        "matplotlib",
        "ipywidgets",
        "IPython",
        "narwhals",
        "starlette",
        "uvicorn",
        "nbclient",
        "nbconvert",
    ]
    program = "import sys, ventureframe; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(heavy).isdisjoint(loaded)


def test_every_public_name_is_there_and_the_list_is_sorted() -> None:
    assert ventureframe.__all__ == sorted(ventureframe.__all__)
    for name in ventureframe.__all__:
        assert getattr(ventureframe, name) is not None
    assert callable(ventureframe.connect), "the function, not the room of that name"
