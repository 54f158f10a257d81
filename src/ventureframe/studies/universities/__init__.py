"""Several universities side by side."""

from ventureframe.studies.universities.find import Comparison, compare

__all__ = ["Comparison", "compare"]
