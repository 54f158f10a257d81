"""Several universities side by side."""

from ventureframe.studies.universities.find import Study, compare
from ventureframe.studies.universities.question import Question, study

__all__ = ["Question", "Study", "compare", "study"]
