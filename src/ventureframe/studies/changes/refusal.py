"""Why two saves are not compared: the wrong order, another question, or other data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from ventureframe.client.result import Result, Saved
from ventureframe.errors import FetchesNotComparable
from ventureframe.interface.source import Source
from ventureframe.studies.changes.pair import Pair, day, moment

_QUESTION: Final[Mapping[str, Callable[[Result], object]]] = {
    "records differ": lambda result: result.resource.name,
    "endpoint differs": lambda result: result.provenance.endpoint,
    "filter differs": lambda result: result.provenance.filter,
    "currency differs": lambda result: result.provenance.currency,
    "columns of the requested ids differ": lambda result: ", ".join(result.details.asked_by),
}
"""What two fetches of one question have in common, under the words for a difference."""
_SAME_QUESTION: Final = "Fetch both with the same question, filter and currency"
_SAME_DATA: Final = "Compare two fetches of one service, or of two versions of one dataset"


def refuse(
    first: Saved, second: Saved, pairs: Mapping[str, Pair], *, names: tuple[str, str]
) -> None:
    """Raises `FetchesNotComparable` unless the saves are of one question and of the same data.

    `names` are what the error calls the two.
    """
    question = _other_study(first, second) or _other_question(first, second, pairs)
    reasons = (
        (_SAME_DATA, _of_sources(pairs) if _is_mixed(pairs) else None),
        (_SAME_QUESTION, question),
        (_SAME_DATA, None if question or _is_shared(pairs) else _of_sources(pairs)),
        ("Give the earlier one first", _wrong_order(pairs)),
    )
    for advice, reason in reasons:
        if reason is not None:
            raise FetchesNotComparable(reason, first=names[0], second=names[1], advice=advice)


def _other_study(first: Saved, second: Saved) -> str | None:
    """How the studies differ; a save holds their parameters as JSON."""
    if first.study != second.study:
        kinds = (f"a {each.study} study" if each.study else "no study" for each in (first, second))
        return "the first is {}, the second {}".format(*kinds)
    one, other = (
        {name: json.dumps(value) for name, value in each.parameters.items() if value is not None}
        for each in (first, second)
    )
    differ = sorted(name for name in one | other if one.get(name) != other.get(name))
    said = (f"{name} ({one.get(name, 'none')}, {other.get(name, 'none')})" for name in differ)
    return f"the studies differ in {' and '.join(said)}" if differ else None


def _other_question(first: Saved, second: Saved, pairs: Mapping[str, Pair]) -> str | None:
    if not pairs:
        held = (", ".join(each.results) or "nothing" for each in (first, second))
        return "they hold no result of one name ({}; {})".format(*held)
    differences = (
        f"the {what} ({of(pair.old) or 'none'}, {of(pair.new) or 'none'})"
        for pair in pairs.values()
        for what, of in _QUESTION.items()
        if of(pair.old) != of(pair.new)
    )
    return next(differences, None)


def _sources(pairs: Mapping[str, Pair]) -> list[Source]:
    """Of each pair the first source and the second."""
    return [each.provenance.source for pair in pairs.values() for each in (pair.old, pair.new)]


def _is_mixed(pairs: Mapping[str, Pair]) -> bool:
    return len({bool(source.synthetic) for source in _sources(pairs)}) > 1


def _is_shared(pairs: Mapping[str, Pair]) -> bool:
    """Whether both are of the same data: by name or, as versions have it, by ids in both."""
    filled = [pair for pair in pairs.values() if 0 not in pair.sizes]
    is_named_so = len({source.name for source in _sources(pairs)}) == 1
    return is_named_so or not filled or any(pair.in_both for pair in filled)


def _of_sources(pairs: Mapping[str, Pair]) -> str:
    said = (
        f"the {which} is of {source.name!r}{', SYNTHETIC sample data' if source.synthetic else ''}"
        for which, source in zip(("first", "second"), _sources(pairs), strict=False)
    )
    return f"they are of other data: {'; '.join(said)}"


def _wrong_order(pairs: Mapping[str, Pair]) -> str | None:
    for pair in pairs.values():
        old, new = moment(pair.old), moment(pair.new)
        if old is not None and new is not None and old > new:
            return f"the first ({day(pair.old)}) is later than the second ({day(pair.new)})"
    return None
