"""The package as a whole: its public names, and nothing heavy is loaded before it is
used.

The order of imports by folder is checked by `lint-imports` (pyproject.toml,
importlinter).
"""

import subprocess
import sys

import ventureframe

HEAVY = {
    *("requests", "urllib3", "cattrs", "rapidfuzz"),
    *("pandas", "polars", "pyarrow", "numpy", "narwhals", "matplotlib"),
    *("ipywidgets", "IPython", "starlette", "uvicorn", "nbclient", "nbconvert"),
}


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import sys, ventureframe; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert HEAVY.isdisjoint(loaded)


def test_every_public_name_is_there_and_the_list_is_sorted() -> None:
    assert ventureframe.__all__ == sorted(ventureframe.__all__)
    for name in ventureframe.__all__:
        assert getattr(ventureframe, name) is not None
    assert callable(ventureframe.connect), "the function, not the module of that name"


def test_a_fetch_to_polars_loads_no_pandas() -> None:
    program = (
        "import sys, ventureframe as vf;"
        "vf.connect(environment={}).companies.fetch().to_polars(); print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "pandas" not in loaded
