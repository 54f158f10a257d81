"""Companies founded by alumni of a university."""

from ventureframe.studies.spinouts.find import Study, find
from ventureframe.studies.spinouts.question import Question, study

__all__ = ["Question", "Study", "find", "study"]
