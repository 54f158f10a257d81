"""Says what of a wire's table holds for a service."""

from ventureframe.doctor.examine import Answer, Finding, examine

__all__ = ["Answer", "Finding", "examine"]
