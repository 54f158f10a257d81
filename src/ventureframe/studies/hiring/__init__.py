"""Companies that are hiring."""

from ventureframe.studies.hiring.find import find
from ventureframe.studies.hiring.question import Question, study
from ventureframe.studies.hiring.study import Study

__all__ = ["Question", "Study", "find", "study"]
