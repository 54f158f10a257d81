"""Prints a pin for the lowest version of each dependency that pyproject.toml allows."""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
wanted = [*project["dependencies"], *(project["optional-dependencies"][name] for name in sys.argv[1:])]
for requirement in wanted:
    if found := re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement):
        print(f"{found[1]}=={found[2]}")
