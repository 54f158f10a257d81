"""Companies founded by alumni of a university."""

from ventureframe.studies.spinouts.find import Study, find, study

__all__ = ["Study", "find", "study"]
