"""Keys and nulls are counted by the bytes of a text as a JSON parser counts them."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from ventureframe.client import scan

ROWS = [
    {"a": None, "name": 'he said "b": null', "é": None, "last_name": None},
    {"a": "null", "name": None, "é": {"a": None, "name": "\\"}, "other": [None, {"é": None}]},
]


def parsed(text: str) -> tuple[int, Counter[str]]:
    """The number of keys, and by name how many are null."""
    pairs: list[tuple[str, object]] = []

    def note(found: list[tuple[str, object]]) -> dict[str, object]:
        pairs.extend(found)
        return dict(found)

    json.loads(text, object_pairs_hook=note)
    return len(pairs), Counter(name for name, value in pairs if value is None)


@pytest.mark.parametrize("spaced", [False, True])
def test_keys_and_nulls_are_counted_wherever_a_long_text_is_divided(*, spaced: bool) -> None:
    separators = (", ", ": ") if spaced else (",", ":")
    one = json.dumps(ROWS, ensure_ascii=False, separators=separators)
    for shift in range(0, len(one.encode()), 3):
        padding = "x" * (131_072 - shift)
        text = f'[{{"padding":"{padding}"}},{one},{one}]'
        number, nulls = parsed(text)
        assert scan.keys_written(text.encode()) == number
        assert scan.nulls_written(text.encode(), ["a", "name", "é", "b"]) == {
            "a": nulls["a"],
            "name": nulls["name"],
            "é": nulls["é"],
            "b": 0,
        }


@pytest.mark.parametrize(
    "wrong",
    [
        "00C0FFEE-0000-4000-8000-00000000cafe",
        "00c0ffee000040008000-00000000cafe---",
        "h0c0ffee-0000-4000-8000-00000000cafe",
        "00c0ffee-0000-4000-8000-00000000caf\u00e9",
        "00c0ffee-0000-4000-8000-00000000caf",
    ],
)
def test_only_uuids_in_lower_case_with_hyphens_are_uuids(wrong: str) -> None:
    plain = b"00c0ffee-0000-4000-8000-00000000cafe"
    assert scan.are_uuids(plain * 3)
    assert not scan.are_uuids(plain + wrong.encode() + plain)
