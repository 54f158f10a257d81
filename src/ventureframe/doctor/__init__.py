"""Says which choices of a wire a service keeps, and in what its replies have changed."""

from ventureframe.doctor.answer import Choice
from ventureframe.doctor.examine import Finding, examine
from ventureframe.doctor.outline import Outline
from ventureframe.doctor.recording import Change, Recording, changed, emptied, opened

__all__ = [
    "Change",
    "Choice",
    "Finding",
    "Outline",
    "Recording",
    "changed",
    "emptied",
    "examine",
    "opened",
]
