"""Wires nobody has seen: what becomes of figures where a service changes its replies or
what it takes.

`python -m tests.wires --seeds 300` tries so many changes and says what came of each.
"""
