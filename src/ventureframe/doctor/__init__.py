"""Says what of a wire's table holds for a service, and in what its replies have changed."""

from ventureframe.doctor.examine import Answer, Finding, examine
from ventureframe.doctor.recording import Change, Recording, changed, emptied

__all__ = ["Answer", "Change", "Finding", "Recording", "changed", "emptied", "examine"]
