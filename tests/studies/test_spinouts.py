"""From a candidate pool to evidence: what is a link, what is not, and how it is
counted.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.studies.worlds import (
    ELSEWHERE,
    HERE,
    NAME,
    NAMESAKE,
    World,
    company,
    entry,
    founds,
    studied,
)
from ventureframe.client.service import Service
from ventureframe.connect import connect
from ventureframe.display.finding import Finding
from ventureframe.studies import spinouts
from ventureframe.studies.spinouts.study import Study


def rows(finding: Finding) -> list[dict[str, Any]]:
    return finding.to_polars().rows(named=True)


def observed(study: Study) -> dict[str, int]:
    return {row["state"]: row["founders"] for row in rows(study.states)}


def test_a_link_is_an_entry_with_the_university_uuid_and_nothing_else(
    study: Study,
) -> None:
    found = [
        (r["company_uuid"], r["founder_uuid"], r["position"]) for r in rows(study.links)
    ]
    assert sorted(found) == [
        ("A", "ana", 0),
        ("A", "ana", 1),
        ("B", "ana", 0),
        ("B", "ana", 1),
        ("C", "cy", 0),
    ]


def test_a_link_keeps_its_entry_as_recorded(study: Study) -> None:
    link = next(
        row
        for row in rows(study.links)
        if (row["company_uuid"], row["position"]) == ("A", 1)
    )
    assert link == {
        "company_uuid": "A",
        "company_name": "Company A",
        "founder_uuid": "ana",
        "founder_name": "Ana $mith",
        "position": 1,
        "university_name": NAME,
        "degree": "MBA",
        "major": None,
        "start_year": None,
        "end_year": 2003,
    }


def test_every_founder_asked_is_in_exactly_one_state(study: Study) -> None:
    states = {
        row["founder_uuid"]: (row["state"], row["status"])
        for row in study.frames["founders"].rows(named=True)
    }
    assert states == {
        "ana": ("evidenced", "established"),
        "cy": ("evidenced", "established"),
        "bo": ("other_institutions_only", "not recorded"),
        "na": ("same_name_other_id", "same_name_other_id"),
        "di": ("entry_without_institution_id", "candidate"),
        "no": ("education_not_recorded", "not recorded"),
        "gone": ("founder_not_returned", "not recorded"),
    }
    assert sum(observed(study).values()) == study.counts.founders_asked == 7
    assert [row["founder_uuid"] for row in rows(study.candidates)] == ["di"]
    assert [row["university_uuid"] for row in rows(study.same_name)] == [NAMESAKE]


def test_the_funnel_counts_companies_and_founders_apart(study: Study) -> None:
    steps = [(row["unit"], row["count"], row["lost"]) for row in rows(study.funnel)]
    assert steps == [
        ("companies", 5, None),
        ("companies", 4, 1),
        ("founders", 7, None),
        ("founders", 6, 1),
        ("founders", 5, 1),
        ("founders", 4, 1),
        ("founders", 2, 2),
        ("companies", 4, 0),
        ("companies", 3, 1),
    ]


def test_companies_keep_missing_funding_missing_and_last(study: Study) -> None:
    amounts = [
        (row["company_uuid"], row["total_funding"]) for row in rows(study.companies)
    ]
    assert amounts == [("A", 1_500_000.25), ("B", 0.1), ("C", None)]
    assert study.counts.funding_known == 2
    assert study.counts.funding_total == 1_500_000.35


def test_years_run_from_the_latest_recorded_end_of_study_and_may_be_negative(
    study: Study,
) -> None:
    years = {
        (row["company_uuid"], row["founder_uuid"]): row["years"]
        for row in rows(study.years)
    }
    assert years == {("A", "ana"): 2, ("B", "ana"): -2, ("C", "cy"): None}
    assert (study.counts.years_known, study.counts.years_of) == (2, 3)


def test_coverage_counts_what_is_recorded(study: Study) -> None:
    known = {
        (row["record"], row["field"]): (row["known"], row["of"])
        for row in rows(study.coverage)
    }
    assert known["company found", "is_spinout"] == (2, 5)
    assert known["company counted", "total_funding"] == (2, 3)
    assert known["founder", "education"] == (5, 6)
    assert known["education entry", "university_uuid"] == (7, 8)


def test_populations_stand_beside_each_other_with_their_own_counts(
    study: Study,
) -> None:
    assert [each.count for each in study.three_populations] == [7, None, 1]
    assert study.three_populations[2].note == "flag recorded for 2 of 5"


def test_companies_by_year_and_country_add_up_to_those_evidenced(
    study: Study,
) -> None:
    numbers = ("companies", "funding_known", "funding_total")
    founded = study.founded.to_polars().select("launch_date", *numbers).rows()
    empty = [(year, 0, 0, None) for year in (2002, 2003, 2004)]
    first, last = (2001, 1, 1, 0.1), (2005, 1, 1, 1_500_000.25)
    assert founded == [first, *empty, last, (None, 1, 0, None)]
    places = study.places.to_polars().select("hq_country", *numbers).rows()
    assert places == [(None, 3, 2, 1_500_000.35)]


ids = st.sampled_from("abcd")
maybe_year = st.none() | st.integers(1990, 2010)
worlds = st.builds(
    World,
    companies=st.lists(
        st.builds(
            company,
            st.sampled_from("ABCD"),
            launch_date=maybe_year,
            is_spinout=st.none() | st.booleans(),
            total_funding=st.none() | st.floats(0, 1e12),
        ),
        max_size=6,
        unique_by=lambda row: row["uuid"],
    ),
    company_founders=st.lists(
        st.builds(founds, st.sampled_from("ABCDE"), ids), max_size=9
    ).map(lambda lists: [row for rows in lists for row in rows]),
    founders=st.lists(
        st.fixed_dictionaries({"uuid": ids, "name": st.none() | st.text(max_size=3)}),
        max_size=4,
        unique_by=lambda row: row["uuid"],
    ),
    education=st.lists(
        st.builds(
            entry,
            ids,
            st.integers(0, 3),
            university_uuid=st.sampled_from([None, HERE, NAMESAKE, ELSEWHERE]),
            university_name=st.sampled_from([None, NAME, "Elsewhere"]),
            end_year=maybe_year,
        ),
        max_size=9,
        unique_by=lambda row: (row["founder_uuid"], row["position"]),
    ),
)


@given(worlds)
def test_no_link_without_an_entry_and_no_founder_without_a_state(world: World) -> None:
    study = studied(world)
    here = {
        (row["founder_uuid"], row["position"])
        for row in world.education
        if row["university_uuid"] == HERE
    }
    linked = {(row["founder_uuid"], row["position"]) for row in rows(study.links)}
    assert linked <= here
    pooled = {row["uuid"] for row in world.companies}
    asked = {
        r["founder_uuid"] for r in world.company_founders if r["company_uuid"] in pooled
    }
    assert {
        row["founder_uuid"] for row in study.frames["founders"].rows(named=True)
    } == asked
    assert sum(observed(study).values()) == len(asked)
    companies = {row["company_uuid"] for row in rows(study.companies)}
    assert companies == {row["company_uuid"] for row in rows(study.links)}


@pytest.fixture(scope="module")
def real_service(real_data: Path) -> Any:
    with connect(data=real_data / "venture-2013", environment={}) as svc:
        yield svc


@pytest.mark.real
def test_stanford_has_the_verified_numbers(real_service: Service) -> None:
    uni = real_service.university("Stanford University", domain="stanford.edu")
    study = spinouts.study(real_service, university=uni, currency="USD")
    assert study.counts.founders_evidenced == 239
    assert study.counts.companies_evidenced == 322
    assert study.counts.funding_known == 129
    assert study.counts.funding_total == pytest.approx(3_864_930_929.77, abs=0.005)
    assert "USD 3.86bn" in study.answer
    assert "USD 3,864,930,929.77" in study.companies.caption
    assert all(result.is_complete for result in study.fetched)
    assert (
        study.provenance[0].filter == "founder_university_name[eq]:Stanford University"
    )
