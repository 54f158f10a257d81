"""How large the package may be, how far a fetch travels in it, and what Tab shows.

The numbers fall: whoever makes a folder smaller lowers its number. A feature raises those of the
folders that it touches by its stated budget, and by nothing more.
"""

import subprocess
import sys
from pathlib import Path

import pytest

import ventureframe as vf

SOURCE = Path(__file__).parents[1] / "src"
LINES = {
    "ventureframe": 1_337,
    "ventureframe/bulk": 889,
    "ventureframe/client": 4_786,
    "ventureframe/dataset": 493,
    "ventureframe/display": 1_546,
    "ventureframe/evidence": 1_917,
    "ventureframe/interface": 1_925,
    "ventureframe/matching": 886,
    "ventureframe/panel": 1_192,
    "ventureframe/report": 1_016,
    "ventureframe/studies": 6_590,
    "ventureframe_service": 2_262,
}
"""Lines of Python that each folder may have, its own folders included; of the first, its files."""
NAMES = {"Query": 12, "Service": 20, "Result": 15}
"""How many names Tab may show on each."""
FILES, FUNCTIONS = 16, 91
"""How many files and named functions a fetch may pass."""


def lines(folder: str) -> int:
    pattern = "*.py" if folder == "ventureframe" else "**/*.py"
    return sum(
        len(path.read_text("utf-8").splitlines()) for path in (SOURCE / folder).glob(pattern)
    )


@pytest.mark.parametrize("folder", LINES)
def test_a_folder_has_no_more_lines_than_its_number(folder: str) -> None:
    assert lines(folder) <= LINES[folder]


def test_every_folder_has_a_number() -> None:
    inside = {f"ventureframe/{path.parent.name}" for path in SOURCE.glob("ventureframe/*/*.py")}
    assert inside | {path.name for path in SOURCE.iterdir()} == set(LINES)


def test_tab_shows_what_an_analyst_uses() -> None:
    with vf.connect(environment={}) as svc:
        query = svc.companies.where(vf.company.launch_date >= 2026)
        shown = {"Service": svc, "Query": query, "Result": query.fetch()}
    for kind, most in NAMES.items():
        names = [name for name in dir(shown[kind]) if not name.startswith("_")]
        assert 0 < len(names) <= most, (kind, names)


TRIP = """
import pathlib, sys, threading
import ventureframe as vf

home = f"{pathlib.Path(vf.__file__).parent}/"
passed = set()


def profile(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(home) and not code.co_name.startswith("<"):
        passed.add((code.co_filename, code.co_qualname))


query = vf.connect(environment={}).companies.where(vf.company.launch_date >= 2005)
query = query.sort("-total_funding").currency("EUR")
query.fetch()
sys.setprofile(profile)
threading.setprofile(profile)
query.fetch()
sys.setprofile(None)
print(len({file for file, _ in passed}), len(passed))
"""


def test_a_fetch_passes_few_files_and_functions() -> None:
    """The service runs in threads of its own, begun before anything is counted."""
    done = subprocess.run([sys.executable, "-c", TRIP], capture_output=True, text=True, check=True)
    files, functions = map(int, done.stdout.split())
    assert 0 < files <= FILES
    assert 0 < functions <= FUNCTIONS
