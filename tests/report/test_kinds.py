"""Each kind of value is read from text and from literals, and nothing else is taken
for it.
"""

import pytest

from ventureframe.evidence.members import KINDS

UUID = "80870339-4dca-518d-a4c3-473381b589de"


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        ("text", "7", "7"),
        ("text", "5 € \n{x}", "5 € \n{x}"),
        ("entries", "Fintech, sector", [("Fintech", "sector")]),
        ("entries", "A, B & Co, ab.example", [("A, B & Co", "ab.example")]),
        ("entries", "Alone", [("Alone", None)]),
        ("entries", f"A, B & Co, {UUID}", [("A, B & Co", UUID)]),
        ("entries", UUID, [(UUID, None)]),
        (
            "entries",
            ["A, a.example", ("B, Inc", None)],
            [("A", "a.example"), ("B, Inc", None)],
        ),
        ("entries", "(('A', 'a.example'),)", [("A", "a.example")]),
        ("entries", "[]", []),
        ("place", "Europe, continent", ("Europe", "continent")),
        ("place", "London, city, United Kingdom", ("London", "city", "United Kingdom")),
        (
            "place",
            "Washington, DC, city, United States",
            ("Washington, DC", "city", "United States"),
        ),
        ("place", "Georgia, country", ("Georgia", "country")),
        ("place", "London", ("London", None)),
        ("place", "Cambridge, England", ("Cambridge", None, "England")),
        (
            "place",
            "city, region, city, Essex, England",
            ("city, region", "city", "Essex, England"),
        ),
        (
            "place",
            "Atlanta, city, Georgia",
            ("Atlanta", "city", "Georgia"),
        ),
        ("place", "Europe, 1001", ("Europe", "1001")),
        ("place", "('Europe', 'continent')", ("Europe", "continent")),
        ("place", ("London", "city", "Ontario"), ("London", "city", "Ontario")),
        ("year", "2005", 2005),
        ("years", "2005-2015", (2005, 2015)),
        ("years", "2005 -", (2005, None)),
        ("years", "-2015", (None, 2015)),
        ("years", "(2005, None)", (2005, None)),
        ("years", (2005, 2015), (2005, 2015)),
        ("amounts", "1000000-2.5e6", (1_000_000.0, 2_500_000.0)),
        ("amounts", (None, 5), (None, 5.0)),
        ("score", "60", 60.0),
        ("flag", "yes", True),
        ("flag", "no", False),
        ("flag", "False", False),
        ("flag", True, True),
        ("currency", "EUR", "EUR"),
    ],
)
def test_a_value_is_read_from_text_or_from_a_literal(
    kind: str, given: object, value: object
) -> None:
    assert KINDS[kind].read(given) == value


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("text", 7),
        ("entries", ""),
        ("entries", ", amitim.com"),
        ("entries", "Amitim, "),
        ("entries", 5),
        ("entries", [("A", 1)]),
        ("entries", [("A", "b", "c")]),
        ("place", ", city"),
        ("place", ("London", "town")),
        ("place", ("London", "city", "a", "b")),
        ("year", "soon"),
        ("year", "2005.5"),
        ("year", True),
        ("years", "2005"),
        ("years", "2005-2010-2015"),
        ("years", "then-now"),
        ("years", (2005, "now")),
        ("amounts", "many"),
        ("score", "high"),
        ("score", True),
        ("flag", "maybe"),
        ("flag", 1),
        ("flag", []),
        ("currency", "CHF"),
        ("currency", []),
    ],
)
def test_anything_else_is_refused_with_what_is_taken(kind: str, given: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # the caller names what is taken
        KINDS[kind].read(given)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [None, "None", "none", "any"])
def test_no_condition_is_none_whatever_the_kind(kind: str, given: str | None) -> None:
    assert KINDS[kind].read(given) is None
