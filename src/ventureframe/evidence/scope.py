"""What is counted: the line under each answer, and what its measures cannot say."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ventureframe.evidence.claims import Caveat, limit

MOST = 37
"""Most words of the line: "What is counted:" before it makes 40. Conditions are named
whatever it takes.
"""
MEASURES: Final = {
    "total_funding": "total funding: all recorded to date, from all investors",
    "rounds": "rounds: each company's own list",
    "fund_size": "fund size: the whole fund's, as the service converts it",
}
"""What the measures of a study are of; others have only a notice."""
_MAIN = "signal_"
_NOTICES: Final = {
    _MAIN: (
        "Companies are filtered or sorted by the service's signal scores. The rating is"
        " the mean of profile completeness, team (with its education), growth and"
        " timing: to choose by it or a part is to choose well-filled profiles."
    ),
    r"\[lte?\]": "An upper bound leaves out records of which no value is recorded.",
    "hq_location": (
        "Several places can have one name: one is taken, by its identifier. Companies"
        " in places within it count, too."
    ),
    "tag_id": "A tag can exist under several types: one is taken, by its identifier.",
    "launch_date.*total_funding": (
        "Total funding is all recorded to date: it is not that of a year or period."
    ),
    "groups": "A company in several groups counts in each, so groups do not add up.",
    "years": "A year that is not over on the day of the data is partial.",
}
"""By a pattern of requests and measures, what they cannot say."""


def line(
    population: str,
    conditions: Iterable[str],
    measures: Iterable[str],
    dated: str,
) -> str:
    """The line: population, conditions, dates, then as many measures as 40 words allow.

    >>> line("companies", ["founded since 2005"], ["rounds"], "data of 3 May 2013")
    "companies founded since 2005; data of 3 May 2013; rounds: each company's own list."
    """
    text = ", ".join([population, *conditions])
    if population.endswith("companies"):
        text = text.replace("companies, ", "companies ", 1)
    if dated:
        text = f"{text}; {dated}"
    for name in measures:
        if name in MEASURES:
            longer = f"{text}; {MEASURES[name]}"
            if len(longer.split()) <= MOST:
                text = longer
    return f"{text}."


def notices(requests: Iterable[str], measures: Iterable[str]) -> Iterator[Caveat]:
    """What these requests and measures cannot say, each in a sentence of its own."""
    text = " ".join((*requests, *measures))
    for pattern, sentence in _NOTICES.items():
        if re.search(pattern, text):
            yield limit(3, is_material=pattern == _MAIN)(sentence)
