"""What differs between two saves."""

from ventureframe.studies.changes.find import Study, compare
from ventureframe.studies.changes.pair import Pair

__all__ = ["Pair", "Study", "compare"]
