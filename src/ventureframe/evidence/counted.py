"""What is counted: the line under each answer, and what its measures cannot say."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ventureframe.evidence.claims import Caveat, limit, material

MOST = 40
"""Most words of the line; conditions are named whatever it takes."""
MEASURES: Final[Mapping[str, str]] = {
    "total_funding": "total funding: all recorded to date, from all investors",
    "rounds": "rounds: each company's own list",
    "fund_size": "fund size: the whole fund's, as the service converts it",
}
"""What the measures of a study are of; others have only a notice."""
_NOTICES: Final = (
    (
        "signal_",
        material(3),
        "Companies are filtered or sorted by the service's signal scores. The rating is"
        " the mean of profile completeness, team (with its education), growth and"
        " timing: to choose by it or a part is to choose well-filled profiles.",
    ),
    (
        r"\[lte?\]",
        limit(3),
        "An upper bound leaves out records of which no value is recorded.",
    ),
    (
        "hq_location",
        limit(3),
        "Several places can have one name: one is taken, by its identifier. Companies"
        " in places within it count, too.",
    ),
    (
        "tag_id",
        limit(3),
        "A tag can exist under several types: one is taken, by its identifier.",
    ),
    (
        "launch_date.*total_funding",
        limit(3),
        "Total funding is all recorded to date: it is not that of a year or period.",
    ),
    (
        "groups",
        limit(3),
        "A company in several groups counts in each, so groups do not add up.",
    ),
    ("years", limit(3), "A year that is not over on the day of the data is partial."),
)
"""By a pattern of requests and measures, what they cannot say."""


def line(
    population: str,
    conditions: Iterable[str],
    measures: Iterable[str],
    *,
    dated: str,
) -> str:
    """The line: population, conditions, dates, then as many measures as 40 words allow.

    >>> line("companies", ["founded since 2005"], ["rounds"], dated="data of 3 May 2013")
    "companies founded since 2005; data of 3 May 2013; rounds: each company's own list."
    """
    named, comma = [*conditions], ", " if " " in population else " "
    text = comma.join([population, *named[:1]])
    text = ", ".join([text, *named[1:]])
    if dated:
        text = f"{text}; {dated}"
    for name in measures:
        longer = f"{text}; {MEASURES.get(name, name)}"
        is_short = len(longer.split()) <= MOST - 3  # "What is counted:"
        if name in MEASURES and is_short:
            text = longer
    return f"{text}."


def notices(asked: Iterable[str], measures: Iterable[str]) -> Iterator[Caveat]:
    """What these requests and measures cannot say, each in a sentence of its own."""
    text = " ".join((*asked, *measures))
    for pattern, caveat, sentence in _NOTICES:
        if re.search(pattern, text):
            yield caveat(sentence)
