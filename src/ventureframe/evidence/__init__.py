"""States, claims, caveats, populations, questions and studies: what every question
carries.
"""

from ventureframe.evidence.claims import (
    AMOUNTS,
    EDGES,
    REACHABLE,
    STATES,
    WINDOWS,
    Caveat,
    Claim,
    FlaggedCompanies,
    FounderAlumni,
    Population,
    UniversitySpinouts,
)
from ventureframe.evidence.dropped import Dropped, dropped
from ventureframe.evidence.question import Question, Records
from ventureframe.evidence.study import Study

__all__ = ["AMOUNTS", "EDGES", "REACHABLE", "STATES", "WINDOWS", "Caveat", "Claim"]
__all__ += ["FlaggedCompanies", "FounderAlumni", "Population", "UniversitySpinouts"]
__all__ += ["Dropped", "Question", "Records", "Study", "dropped"]
