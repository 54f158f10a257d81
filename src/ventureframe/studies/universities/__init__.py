"""Several universities side by side."""

from ventureframe.studies.universities.find import compare
from ventureframe.studies.universities.question import Question, study
from ventureframe.studies.universities.study import Study

__all__ = ["Question", "Study", "compare", "study"]
