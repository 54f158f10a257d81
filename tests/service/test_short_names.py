"""Universities are found by what people call them for short."""

import csv
from pathlib import Path

import pytest

import ventureframe as vf
from ventureframe.client.service import Service
from ventureframe.errors import LookupFailed

SHORT_NAMES = Path(__file__).parent / "short_names.csv"
"""Fifty short names with the domain that is meant, chosen before the search knew them."""


@pytest.fixture(scope="module")
def svc(real_data: Path) -> Service:
    return vf.connect(data=real_data / "venture-2013")


def test_at_least_46_of_fifty_short_names_find_theirs_first(svc: Service) -> None:
    with SHORT_NAMES.open() as lines:
        meant = {row["typed"]: row["domain"] for row in csv.DictReader(lines)}
    first = {typed: svc.similar("university", typed)[0] for typed in meant}
    wrong = [typed for typed in meant if first[typed]["website_domain"] != meant[typed]]
    assert len(meant) == 50
    assert len(wrong) <= 4, wrong


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("oxford", "University of Oxford"),
        ("munich", "Technical University of Munich"),
        ("UW Madison", "University of Wisconsin–Madison"),
        ("mit.edu", "Massachusetts Institute of Technology"),
        ("stanf", "Stanford University"),
    ],
)
def test_a_word_or_domain_still_finds_what_it_stands_in(
    svc: Service, typed: str, name: str
) -> None:
    assert svc.similar("university", typed)[0]["name"] == name


def test_an_error_suggests_one_record(svc: Service) -> None:
    with pytest.raises(LookupFailed) as caught:
        svc.university("MIT")
    advice = "Did you mean Massachusetts Institute of Technology (mit.edu)?"
    assert str(caught.value).startswith(f"No university is called 'MIT'. {advice}")
