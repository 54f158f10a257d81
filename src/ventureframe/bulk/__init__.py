"""Whole collections in a folder: pulled from a service, and opened on an engine."""
