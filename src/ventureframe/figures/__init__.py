"""Findings drawn: `figures.X(study)` for each study, and the figure they are made of."""

from ventureframe.figures.exposure import countries, matrix, timeline
from ventureframe.figures.figure import Figure
from ventureframe.figures.hiring import funding_and_hiring, postings, ranking, roles
from ventureframe.figures.snapshots import changes
from ventureframe.figures.spinouts import funding, funnel, sectors, states, years
from ventureframe.figures.universities import network, side_by_side

__all__ = [
    "Figure",
    "changes",
    "countries",
    "funding",
    "funding_and_hiring",
    "funnel",
    "matrix",
    "network",
    "postings",
    "ranking",
    "roles",
    "sectors",
    "side_by_side",
    "states",
    "timeline",
    "years",
]
