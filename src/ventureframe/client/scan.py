"""What stands in a text of JSON, by its bytes: passes of NumPy, without the interpreter's lock.

The text is JSON that a reader has accepted. A quote and a colon end a key; inside a value the
quote has a backslash before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

_QUOTE, _COLON, _SPACE, _BACKSLASH, _N = (ord(each) for each in '": \\n')
_PIECE: Final = 1 << 17
"""Letters that are looked at together: as many as stay near the processor."""
_UUID: Final = b"hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"
_AS_IN_UUID: Final = bytes.maketrans(b"h0123456789abcdef", b"?hhhhhhhhhhhhhhhh")

Letters = np.ndarray[Any, np.dtype[np.uint8]]


def keys_written(text: bytes) -> int:
    r"""How many keys the text has, where no space stands before a colon (else it is too few).

    >>> keys_written(rb'{"a":"b: c","d" :{"e": "\":1"}}')
    2
    """
    pieces = _pieces(np.frombuffer(text, np.uint8))
    return sum(int(np.count_nonzero(_ends(*each[:3]))) for _, each in pieces)


def nulls_written(text: bytes, names: Iterable[str]) -> dict[str, int]:
    """How many keys of each name have a null.

    >>> nulls_written(b'{"a":null,"b": null,"c":"null","d":null}', ["a", "b", "c"])
    {'a': 1, 'b': 1, 'c': 0}
    """
    letters = np.frombuffer(text, np.uint8)
    found = [np.zeros(0, np.intp)]
    for start, (before, own, after, second, third) in _pieces(letters):
        is_null = (second == _N) | ((second == _SPACE) & (third == _N))
        found.append(np.flatnonzero(_ends(before, own, after) & is_null) + start)
    ends = np.concatenate(found)
    last = letters[ends - 1]
    quoted = {name: f'"{name}'.encode() for name in names}
    return {name: _ending(letters, ends[last == key[-1]], key) for name, key in quoted.items()}


def are_uuids(text: bytes) -> bool:
    """Whether the text is UUIDs in lower case with hyphens, one after the other.

    >>> are_uuids(b"00c0ffee-0000-4000-8000-00000000cafe" * 2), are_uuids(b"00c0ffee")
    (True, False)
    """
    return text.translate(_AS_IN_UUID) == _UUID * (len(text) // len(_UUID))


def _pieces(letters: Letters) -> Iterator[tuple[int, list[Letters]]]:
    """The letters in pieces: where each starts, the letters before its own, its own, three after.

    No key ends with the first letter, or with one of the last three.
    """
    for start in range(1, len(letters) - 3, _PIECE):
        stop = min(start + _PIECE, len(letters) - 3)
        yield start, [letters[start + by : stop + by] for by in range(-1, 4)]


def _ends(before: Letters, own: Letters, after: Letters) -> Any:
    """Which of the letters are the quote at the end of a key."""
    return (own == _QUOTE) & (after == _COLON) & (before != _BACKSLASH)


def _ending(letters: Letters, ends: Any, key: bytes) -> int:
    """Before how many of the places the key stands."""
    for back in range(len(key), 0, -1):
        ends = ends[letters[ends - back] == key[-back]]
    return len(ends)
