"""Prints a pin for the lowest version of each dependency that pyproject.toml allows.

Arguments name the optional groups whose dependencies are wanted, too.
"""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
groups = [project["optional-dependencies"][name] for name in sys.argv[1:]]
for requirement in sum(groups, project["dependencies"]):
    if found := re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement):
        print(f"{found[1]}=={found[2]}")
