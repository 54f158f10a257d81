"""What differs between two saves, or two tables."""

from ventureframe.studies.changes.find import Study, compare, find
from ventureframe.studies.changes.pair import Pair
from ventureframe.studies.changes.question import Question, study

__all__ = ["Pair", "Question", "Study", "compare", "find", "study"]
