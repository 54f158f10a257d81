"""The managers that LPs back, and their funds."""

from ventureframe.studies.exposure.find import Study, find, study

__all__ = ["Study", "find", "study"]
