"""Companies founded by alumni of a university."""

from importlib import import_module
from typing import Any
from warnings import warn

from ventureframe.studies.spinouts.find import find
from ventureframe.studies.spinouts.question import Question, study
from ventureframe.studies.spinouts.study import Study

__all__ = ["Question", "Study", "find", "study"]


def by_institution(frames: Any, *, currency: Any) -> Any:
    """Call `vf.institutions.find(**frames, currency=…)`, the new name of this, for one version."""
    warn("use vf.institutions.find(**frames, currency=…)", DeprecationWarning, stacklevel=2)
    return import_module("ventureframe.studies.institutions").find(**frames, currency=currency)
