"""A list of your own: what the records say about its companies."""

from ventureframe.studies.mine.find import find
from ventureframe.studies.mine.question import Question, decide, study
from ventureframe.studies.mine.study import Study

__all__ = ["Question", "Study", "decide", "find", "study"]
