"""What founders did before, where they studied, and what else they founded."""

from ventureframe.studies.founders.find import find
from ventureframe.studies.founders.question import Question, study
from ventureframe.studies.founders.study import Study

__all__ = ["Question", "Study", "find", "study"]
