"""Companies founded by alumni of a university."""

from ventureframe.studies.spinouts.find import find
from ventureframe.studies.spinouts.question import Question, study
from ventureframe.studies.spinouts.study import Study

__all__ = ["Question", "Study", "find", "study"]
