"""Each kind of value is read from text and from literals, and nothing else is taken
for it.
"""

import pytest

from ventureframe.evidence.members import KINDS

UUID = "80870339-4dca-518d-a4c3-473381b589de"


TAKEN: dict[str, list[tuple[object, object]]] = {
    "text": [("7", "7"), ("5 € \n{x}", "5 € \n{x}")],
    "entries": [
        ("Fintech, sector", [("Fintech", "sector")]),
        ("A, B & Co, ab.example", [("A, B & Co", "ab.example")]),
        ("Alone", [("Alone", None)]),
        (f"A, B & Co, {UUID}", [("A, B & Co", UUID)]),
        ("A, Inc, a.example; B", [("A, Inc", "a.example"), ("B", None)]),
        (["A, a.example", ("B, Inc", None)], [("A", "a.example"), ("B, Inc", None)]),
        ("(('A', 'a.example'),)", [("A", "a.example")]),
    ],
    "place": [
        ("Europe, continent", ("Europe", "continent")),
        (
            "Washington, DC, city, United States",
            ("Washington, DC", "city", "United States"),
        ),
        ("Cambridge, England", ("Cambridge", None, "England")),
        (
            "city, region, city, Essex, England",
            ("city, region", "city", "Essex, England"),
        ),
        ("('Europe', 'continent')", ("Europe", "continent")),
        (("London", "city", "Ontario"), ("London", "city", "Ontario")),
    ],
    "year": [("2005", 2005)],
    "texts": [
        ("operational", ["operational"]),
        ("acquired, closed", ["acquired", "closed"]),
        ("['closed']", ["closed"]),
    ],
    "years": [
        ("2005-2015", (2005, 2015)),
        ("2005 -", (2005, None)),
        ("-2015", (None, 2015)),
        ((2005, 2015), (2005, 2015)),
    ],
    "amounts": [("1000000-2.5e6", (1e6, 2.5e6)), ((None, 5), (None, 5.0))],
    "score": [("60", 60.0)],
    "flag": [("yes", True), ("no", False), ("False", False), (True, True)],
    "currency": [("EUR", "EUR")],
}
"""By kind, what is given and the value that is read from it."""


@pytest.mark.parametrize("kind", TAKEN)
def test_a_value_is_read_from_text_or_from_a_literal(kind: str) -> None:
    for given, value in TAKEN[kind]:
        assert KINDS[kind].read(given) == value, given


REFUSED: dict[str, list[object]] = {
    "text": [7],
    "entries": ["", ", amitim.com", "Amitim, ", 5, [("A", 1)], [("A", "b", "c")]],
    "place": [", city", ("London", "city", "a", "b")],
    "year": ["soon", "2005.5", True],
    "texts": [",", 5, [5]],
    "years": ["2005", "2005-2010-2015", "then-now", (2005, "now")],
    "amounts": ["many"],
    "score": ["high", True],
    "flag": ["maybe", 1, []],
    "currency": ["CHF", []],
}


@pytest.mark.parametrize("kind", REFUSED)
def test_anything_else_is_refused_with_what_is_taken(kind: str) -> None:
    for given in REFUSED[kind]:
        with pytest.raises(ValueError):  # noqa: PT011  # the caller names what is taken
            KINDS[kind].read(given)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [None, "None", "none", "any"])
def test_no_condition_is_none_whatever_the_kind(kind: str, given: str | None) -> None:
    assert KINDS[kind].read(given) is None
