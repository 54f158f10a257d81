"""What stands in a text of JSON, by its bytes: passes of NumPy, without the interpreter's lock.

The text is JSON that a reader has accepted. A quote and a colon end a key; inside a value the
quote has a backslash before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

_QUOTE, _COLON, _SPACE, _BACKSLASH, _N = (ord(each) for each in '": \\n')
_UUID: Final = np.frombuffer(b"hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh", np.uint8)
UUID_LENGTH: Final = len(_UUID)
_AS_IN_UUID: Final = np.zeros(256, np.uint8)
_AS_IN_UUID[np.frombuffer(b"0123456789abcdef", np.uint8)] = ord("h")
_AS_IN_UUID[ord("-")] = ord("-")

Letters = np.ndarray[Any, np.dtype[np.uint8]]


def keys_written(text: bytes) -> int:
    r"""How many keys the text has, where no space stands before a colon (else it is too few).

    >>> keys_written(rb'{"a":"b: c","d" :{"e": "\":1"}}')
    2
    """
    letters = np.frombuffer(text, np.uint8)
    return len(_ends(letters)) if b"\\" in text else int(np.count_nonzero(_closed(letters)))


def nulls_written(text: bytes, names: Iterable[str]) -> dict[str, int]:
    """How many keys of each name have a null.

    >>> nulls_written(b'{"a":null,"b": null,"c":"null","d":null}', ["a", "b", "c"])
    {'a': 1, 'b': 1, 'c': 0}
    """
    letters = np.frombuffer(text, np.uint8)
    ends = _ends(letters)
    after = ends + 2
    ends = ends[letters[after + (letters[after] == _SPACE)] == _N]
    return {name: _named(letters, ends, name.encode()) for name in names}


def _named(letters: Letters, ends: Any, name: bytes) -> int:
    """How many of the keys that end there have the name."""
    quoted = b'"' + name
    for back in sorted(range(1, len(quoted) + 1), key=lambda back: back not in (1, len(quoted))):
        ends = ends[letters[ends - back] == quoted[-back]]
    return len(ends)


def are_uuids(letters: Letters) -> bool:
    """Whether the letters are UUIDs in lower case with hyphens, one after the other.

    >>> are_uuids(np.frombuffer(b"00c0ffee-0000-4000-8000-00000000cafe" * 2, np.uint8))
    True
    """
    if len(letters) % len(_UUID):
        return False
    return bool((_AS_IN_UUID[letters].reshape(-1, len(_UUID)) == _UUID).all())


def _closed(letters: Letters) -> Any:
    """Where a quote stands before a colon."""
    return (letters[:-1] == _QUOTE) & (letters[1:] == _COLON)


def _ends(letters: Letters) -> Any:
    """Where keys end."""
    found = np.flatnonzero(_closed(letters))
    return found[letters[found - 1] != _BACKSLASH]
