"""A notebook run with parameters and written as one HTML file, a PDF or a workbook."""

from ventureframe.report.build import build, build_all
from ventureframe.report.notebook import (
    find,
    notebooks,
    notebooks_folder,
    opened_in,
    reports,
)

__all__ = [
    "build",
    "build_all",
    "find",
    "notebooks",
    "notebooks_folder",
    "opened_in",
    "reports",
]
