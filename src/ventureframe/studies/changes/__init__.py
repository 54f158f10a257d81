"""What differs between two saves."""

from ventureframe.studies.changes.find import Comparison, Comparisons, compare

__all__ = ["Comparison", "Comparisons", "compare"]
