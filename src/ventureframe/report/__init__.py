"""A notebook run with parameters and written as one self-contained HTML file.

The curated notebooks are found by name; any other notebook by its path.
"""

from ventureframe.report.build import build, build_all, refresh
from ventureframe.report.notebook import find, notebooks, notebooks_folder

__all__ = ["build", "build_all", "find", "notebooks", "notebooks_folder", "refresh"]
