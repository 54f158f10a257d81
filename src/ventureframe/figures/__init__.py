"""Findings drawn: `figures.X(study)` for each study, and the figure they are made of."""

from ventureframe.figures.exposure import countries, matrix, timeline
from ventureframe.figures.figure import Figure
from ventureframe.figures.hiring import funding_and_hiring, postings, ranking, roles
from ventureframe.figures.spinouts import funding, funnel, states, years

__all__ = [
    "Figure",
    "countries",
    "funding",
    "funding_and_hiring",
    "funnel",
    "matrix",
    "postings",
    "ranking",
    "roles",
    "states",
    "timeline",
    "years",
]
