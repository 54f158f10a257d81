"""The managers that LPs back, and their funds."""

from ventureframe.studies.exposure.find import find
from ventureframe.studies.exposure.question import Question, study
from ventureframe.studies.exposure.study import Study

__all__ = ["Question", "Study", "find", "study"]
