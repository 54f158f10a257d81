"""What differs between two saves, or two tables."""

from ventureframe.studies.changes.find import compare, find
from ventureframe.studies.changes.pair import Pair
from ventureframe.studies.changes.question import Question, study
from ventureframe.studies.changes.study import Study

__all__ = ["Pair", "Question", "Study", "compare", "find", "study"]
