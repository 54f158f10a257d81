"""Short forms of names: what people, or its domain, call an institution for short."""

import re

from ventureframe.interface.fields import plain

_SILENT = "of|the|and|for|in|at|de|der|des|di|du|la|le|et|und|y|e|&"
"""Words of a name that its short form leaves out."""
_GAP, _REST = "[ –-]", "[^ –-]*"
_NEXT_WORD = rf"{_REST}{_GAP}(?:(?:{_SILENT}) )*"
_INITIALS = 6
"""The most words that give their first letter alone."""


def letters(text: str) -> str:
    """Return the letters and digits of a text as they stand in a domain.

    >>> letters("TU Delft")
    'tudelft'
    """
    return "".join(filter(str.isalnum, plain(text)))


def short_for(text: str) -> str:
    """Return the pattern of the names that a text is short for: words give their
    initials in order, the last of them can give more, and so can those of further
    words.

    It is for names as `plain` writes them, with a blank at either end.

    >>> for name in ("university of california, berkeley", "university of california"):
    ...     bool(re.search(short_for("UC Berkeley"), f" {name} "))
    True
    False
    """
    first, *later = plain(text).split() or [""]
    typed = letters(first)
    ways = [
        _NEXT_WORD.join([*typed[:initials], typed[initials:]])
        for initials in range(min(len(typed), _INITIALS))
    ]
    further = [rf"{_REST}{_GAP}(?:.*{_GAP})?{re.escape(word)}" for word in later]
    begin = rf"^ (?:(?:{_SILENT}) )*(?:{'|'.join(ways)})"
    return rf"{begin}{''.join(further)}{_REST} (?:at .*)?$"


def words_of(text: str) -> str:
    """Return the pattern of the names in which each word of a text begins a word, in
    order.

    >>> name = "georgia institute of technology"
    >>> re.search(words_of("Georgia Tech"), f" {name} ") is not None
    True
    """
    return " " + ".* ".join(map(re.escape, plain(text).split()))
