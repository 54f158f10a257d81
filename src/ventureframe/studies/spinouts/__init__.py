"""Companies founded by alumni of a university."""

from ventureframe.studies.spinouts.find import find
from ventureframe.studies.spinouts.institutions import Institutions, by_institution
from ventureframe.studies.spinouts.question import Question, study
from ventureframe.studies.spinouts.study import Study

__all__ = ["Institutions", "Question", "Study", "by_institution", "find", "study"]
