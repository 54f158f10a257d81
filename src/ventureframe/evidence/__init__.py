"""States, claims, caveats, populations, questions and studies: what every question carries."""

from ventureframe.evidence.claims import Caveat, Claim
from ventureframe.evidence.populations import (
    FlaggedCompanies,
    FounderAlumni,
    Population,
    UniversitySpinouts,
)
from ventureframe.evidence.question import Question, Records, Unclear
from ventureframe.evidence.states import EDGES, REACHABLE, STATES, WINDOWS
from ventureframe.evidence.study import Study

__all__ = [
    "EDGES",
    "REACHABLE",
    "STATES",
    "WINDOWS",
    "Caveat",
    "Claim",
    "FlaggedCompanies",
    "FounderAlumni",
    "Population",
    "Question",
    "Records",
    "Study",
    "Unclear",
    "UniversitySpinouts",
]
