"""Whole collections in a folder: pulled from a service, and opened on an engine."""

from ventureframe.bulk.open import Frames, open  # noqa: A004  # vf.bulk.open(folder)

__all__ = ["Frames", "open"]
