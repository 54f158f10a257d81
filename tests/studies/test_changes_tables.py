"""A comparison listed: the records behind what differs, and what is not claimed."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.client.stand_in import company, uuid
from tests.studies.test_changes_compare import ROBOTICS, compare, fetched, later
from ventureframe.client.result import Saved, save
from ventureframe.interface.fields import FUNDING_ROUNDS, JOBS, Resource

OLD = [company(1), company(2, tags=[ROBOTICS], total_funding=1e6), company(3)]
NEW = [
    company(2, company_status="closed", total_funding=3e6),
    company(3, launch_date=None),
    company(4),
]


def test_changes_are_listed_with_the_records_behind_them() -> None:
    found = compare(fetched(OLD), later(NEW))
    came = found.newly_seen
    assert came.rows[0][0] == "Company 4"
    assert came.rows[0][-2:] == ("earlier", uuid(4))
    assert "newly seen is not newly happened" in came.caption
    assert found.no_longer_seen.rows[0][-1] == uuid(1)
    changed = [row for row in found.field_changes.rows if row[2] == "total funding"]
    assert changed == [
        (
            *("Company 2", "company", "total funding", "changed"),
            *("EUR 1,000,000", "EUR 3,000,000", uuid(2)),
        )
    ]
    assert len(found.field_changes) == 4
    said = found.coverage.to_polars().filter(field="tags").drop("field").rows()
    assert said == [("companies, first fetch", 1, 3), ("companies, second fetch", 0, 3)]


def round_(number: int, amount: float | None, **fields: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {field.name: None for field in FUNDING_ROUNDS.returned}
    own = {"id": number, "round_type": "Seed", "amount": amount}
    return {**empty, **own, "year": 2013, "month": 8, **fields}


def rounds(*amounts: float | None) -> list[dict[str, Any]]:
    firm = {"uuid": uuid(9), "name": "Oak Capital"}
    many = enumerate(amounts, 1)
    return [round_(at, amount, investors=[firm]) for at, amount in many]


def test_rounds_are_named_and_drawn_by_size_with_date_type_and_investors() -> None:
    found = compare(
        fetched([], FUNDING_ROUNDS), later(rounds(1e6, 9e6, 5e6), FUNDING_ROUNDS)
    )
    assert found.answer.sentence == (
        "3 funding rounds are newly seen since 17 June 2013, the largest known funding"
        " round at Seed (EUR 9m), Seed (EUR 5m) and Seed (EUR 1m)."
    )
    assert found.headline.endswith("the largest known funding round at Seed (EUR 9m).")
    row = found.largest.to_polars().row(0, named=True)
    assert row["amount"] == 9e6
    assert (row["date"], row["investors"]) == ("2013-08", "Oak Capital")
    figure = found.newly_seen.plot()
    assert "Seed: EUR 9m; Seed: EUR 5m; Seed: EUR 1m" in figure.alt
    ET.fromstring(figure.svg)


@pytest.mark.parametrize(
    ("amounts", "named"),
    [
        ((5e6, 5e6, 5e6, 5e6), None),  # of equal ones none is the largest
        ((9e6, 5e6, 5e6, 5e6), "at Seed (EUR 9m)."),
        ((None, None), None),
        ((9e6, None), "at Seed (EUR 9m)."),
    ],
)
def test_a_tie_is_not_broken_and_an_unknown_amount_is_not_the_largest(
    amounts: tuple[float | None, ...], named: str | None
) -> None:
    found = compare(
        fetched([], FUNDING_ROUNDS), later(rounds(*amounts), FUNDING_ROUNDS)
    )
    assert ("the largest known" in found.answer.sentence) is (named is not None)
    assert (named or "since 17 June 2013.") in found.answer.sentence


def test_one_or_equal_amounts_are_no_picture() -> None:
    for amounts in ((5e6,), (5e6, 5e6)):
        found = compare(
            fetched([], FUNDING_ROUNDS), later(rounds(*amounts), FUNDING_ROUNDS)
        )
        assert found.newly_seen.plot().empty.startswith("Newly seen funding rounds")


def test_each_kind_of_change_has_its_place_among_the_ten(tmp_path: Path) -> None:
    """Of twenty new rounds four stand first, and what else changed follows."""
    old = {"pool": fetched([company(1)]), "rounds": fetched([], FUNDING_ROUNDS)}
    new = {
        "pool": later([company(1, company_status="closed"), company(2)]),
        "rounds": later(
            rounds(*range(1_000_000, 21_000_000, 1_000_000)), FUNDING_ROUNDS
        ),
    }
    sides = [
        save(Saved(side), tmp_path / f"{at}") for at, side in enumerate((old, new))
    ]
    found = compare(*sides)
    what = found.largest.to_polars()["what"].to_list()
    first = "funding round newly seen"
    assert what == [*[first] * 8, "company newly seen", "status"]


TAGS = [
    ([ROBOTICS], [ROBOTICS, {"id": 9, "name": "games_video", "type": "sector"}]),
    ([{"id": 9, "name": "games_video", "type": "sector"}, ROBOTICS], [ROBOTICS]),
]


def test_of_a_list_the_entries_that_differ_are_named() -> None:
    ends = []
    for before, after in TAGS:
        found = compare(
            fetched([company(1, tags=before)]), later([company(1, tags=after)])
        )
        row = found.field_changes.to_polars().row(0, named=True)
        ends.append((row["before"], row["after"]))
    assert ends == [
        ("", "new: Games and video, sector"),
        ("gone: Games and video, sector", ""),
    ]


def test_a_flag_is_yes_or_no_and_a_text_that_looks_like_one_is_itself() -> None:
    found = compare(
        fetched([company(1, is_hiring=True, name="true", tagline="[x]")]),
        later([company(1, is_hiring=False, name="false", tagline="[y]")]),
    )
    rows = found.field_changes.to_polars().select("field", "before", "after").rows()
    assert {*rows} == {
        ("is_hiring", "yes", "no"),
        ("name", "true", "false"),
        ("tagline", "[x]", "[y]"),
    }


@pytest.mark.parametrize("resource", [FUNDING_ROUNDS, JOBS])
def test_two_fetches_of_nothing_have_nothing_to_list(resource: Resource) -> None:
    found = compare(fetched([], resource), later([], resource))
    assert len(found.largest) == 0
    assert found.answer.sentence.startswith("There is no ")
