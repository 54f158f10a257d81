"""What differs between two saves, or two tables."""

from ventureframe.studies.changes.find import Study, compare, find
from ventureframe.studies.changes.pair import Pair

__all__ = ["Pair", "Study", "compare", "find"]
