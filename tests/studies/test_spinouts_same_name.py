"""A company that only names another institution of the same name is not a candidate."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.studies.worlds import (
    HERE,
    NAME,
    NAMESAKE,
    Uni,
    World,
    company,
    entry,
    founds,
    studied,
)
from ventureframe.client.service import Service
from ventureframe.studies import spinouts, universities

ALIKE = World(
    companies=[*map(company, ["here", "open", "other", "both", "silent"])],
    company_founders=[
        *founds("here", "ana", "na"),
        *founds("open", "di"),
        *founds("other", "na"),
        *founds("both", "di", "na"),
        *founds("silent", "gone"),
    ],
    founders=[{"uuid": uuid} for uuid in ("ana", "di", "na")],
    education=[
        entry("ana", university_uuid=HERE, university_name=NAME),
        entry("di", university_name=NAME.upper()),
        entry("na", 0, university_uuid=NAMESAKE, university_name=NAME.title()),
        entry("na", 1, university_name="without an id, elsewhere"),
    ],
)
"""A company of each status; `both` has a candidate beside a founder of the other
institution.
"""


@pytest.fixture(scope="module")
def alike() -> spinouts.Study:
    return studied(ALIKE)


def statuses(study: spinouts.Study) -> Mapping[str, str]:
    return dict(study.pool.to_polars().select("company_uuid", "status").rows())


def test_a_candidate_lacks_the_identifier_and_one_of_another_institution_is_set_apart(
    alike: spinouts.Study,
) -> None:
    assert statuses(alike) == {
        "here": "established",
        "open": "candidate",
        "other": "same_name_other_id",
        "both": "candidate",
        "silent": "candidate",
    }
    assert (alike.counts.companies_candidate, alike.counts.companies_same_name) == (
        3,
        1,
    )


def test_what_is_not_counted_is_said_by_what_the_entries_say(
    alike: spinouts.Study,
) -> None:
    assert (alike.counts.companies_named, alike.counts.companies_unread) == (2, 1)
    assert (
        f"2 further companies have a founder whose education names {NAME} without its"
        " identifier: candidates, not counted."
    ) in alike.answer
    assert (
        "Companies found, not counted: 4 (2 candidates with the name and without the"
        " identifier, 1 company of another institution of that name only and 1 company"
        " of which no entry that was read has the name)"
    ) in [f"{one.label}: {one.counted}" for one in alike.key_figures]


def test_an_entry_that_names_the_university_decides_the_state_before_entries_without_an_id(
    alike: spinouts.Study,
) -> None:
    states = dict(alike.frames["founders"].select("founder_uuid", "state").rows())
    assert states == {
        "ana": "evidenced",
        "di": "entry_without_institution_id",
        "na": "same_name_other_id",
        "gone": "founder_not_returned",
    }


def test_side_by_side_each_university_has_its_own_candidates() -> None:
    there = spinouts.find(
        **ALIKE.frames(), university=Uni(NAMESAKE, "no entry says so"), currency="EUR"
    )
    both = universities.compare([studied(ALIKE), there]).universities.to_polars()
    seen = both.select(
        "companies_evidenced", "companies_candidate", "companies_same_name"
    ).rows()
    assert seen == [(3, 2, 0), (1, 3, 1)]


@pytest.fixture(scope="module")
def june(real_data: Path) -> Iterator[Service]:
    with vf.connect(data=real_data / "venture-2013", environment={}) as service:
        yield service


@pytest.fixture(scope="module")
def files(real_data: Path) -> Mapping[str, list[dict[str, Any]]]:
    """The rows of the Parquet files, read without the package."""
    folder = real_data / "venture-2013"
    names = ("companies", "founders")
    return {
        name: pl.read_parquet(folder / f"{name}.parquet").rows(named=True)
        for name in names
    }


def by_hand(
    files: Mapping[str, list[dict[str, Any]]], uuid: str, name: str
) -> Counter[str]:
    """How many companies have each status."""
    entries = {row["uuid"]: row["education"] or [] for row in files["founders"]}
    status = Counter[str]()
    for row in files["companies"]:
        theirs = [
            each
            for founder in row["founders"] or []
            for each in entries.get(founder, [])
        ]
        naming = [
            e for e in theirs if (e["university_name"] or "").lower() == name.lower()
        ]
        if not naming:
            continue
        ids = {each["university_uuid"] for each in naming}
        is_here = any(each["university_uuid"] == uuid for each in theirs)
        open_or_other = "candidate" if None in ids else "same_name_other_id"
        status["established" if is_here else open_or_other] += 1
    return status


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("Stanford University", "stanford.edu"),
        ("Northeastern University", "northeastern.edu"),
        ("Northeastern University", "neu.edu"),
        ("Northwestern University", "nwu.edu.ph"),
    ],
)
def test_a_loop_over_the_files_gives_the_same_statuses(
    june: Service, files: Mapping[str, list[dict[str, Any]]], name: str, domain: str
) -> None:
    study = spinouts.study(june, university=name, domain=domain)
    status = by_hand(files, study.university.uuid, name)
    assert Counter(statuses(study).values()) == status
    c = study.counts
    assert c.companies_candidate == status["candidate"]
    assert c.companies_same_name == status["same_name_other_id"]
