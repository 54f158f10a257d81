"""Companies that are hiring."""

from ventureframe.studies.hiring.find import Study, find
from ventureframe.studies.hiring.question import Question, study

__all__ = ["Question", "Study", "find", "study"]
