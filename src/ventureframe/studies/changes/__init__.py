"""What differs between two saves of one question."""

from ventureframe.studies.changes.find import compare
from ventureframe.studies.changes.pair import Pair
from ventureframe.studies.changes.question import Question, study
from ventureframe.studies.changes.study import Study

__all__ = ["Pair", "Question", "Study", "compare", "study"]
