"""Who is hiring."""

from ventureframe.studies.hiring.find import Study, find, study

__all__ = ["Study", "find", "study"]
