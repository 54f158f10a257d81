"""Every institution at once, from whole collections."""

from ventureframe.studies.institutions.find import find
from ventureframe.studies.institutions.study import Study

__all__ = ["Study", "find"]
