"""The managers that LPs back, and their funds."""

from ventureframe.studies.exposure.find import Study, find
from ventureframe.studies.exposure.question import Question, study

__all__ = ["Question", "Study", "find", "study"]
