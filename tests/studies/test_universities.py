"""Universities side by side, their sectors, and the network behind them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import narwhals as nw
import polars as pl
import pytest

from tests.studies.worlds import ELSEWHERE, WORLD, Uni, World
from ventureframe import errors, figures, tables
from ventureframe.client import frames
from ventureframe.connect import connect
from ventureframe.studies import spinouts, universities
from ventureframe.studies.spinouts.find import Study
from ventureframe.studies.universities.find import Comparison

OTHER = Uni(ELSEWHERE, "Elsewhere", founder_alumni_total=None, spinout_count=3)
TAGS = [
    {"company_uuid": "A", "name": "Health & <b>", "type": "sector"},
    {"company_uuid": "A", "name": "Robots", "type": "industry"},
    {"company_uuid": "B", "name": "Robots", "type": "industry"},
    {"company_uuid": "B", "name": "Lasers", "type": "technology"},
]


def find(library: str, university: Uni, world: World = WORLD, **options: Any) -> Study:
    schema = dict.fromkeys(("company_uuid", "name", "type"), pl.String)
    tags: Any = pl.DataFrame(TAGS, schema=schema)
    if library == "pandas":
        tags = frames.to_pandas(tags)
    return spinouts.find(
        **world.frames(library),
        university=university,
        company_tags=tags,
        **{"currency": "EUR", **options},
    )


@pytest.fixture
def two(library: str) -> Comparison:
    return universities.compare([find(library, Uni()), find(library, OTHER)])


def rows(frame: Any) -> list[dict[str, Any]]:
    return list(nw.from_native(frame, eager_only=True).to_arrow().to_pylist())


def test_each_university_keeps_its_row_and_shared_companies_are_counted_at_both(
    two: Comparison,
) -> None:
    seen = [
        (row["university_uuid"], row["companies_evidenced"], row["shared"], row["spinout_count"])
        for row in rows(two.universities)
    ]
    assert seen == [(Uni.uuid, 3, 3, None), (ELSEWHERE, 4, 3, 3)]
    assert [(row["company_uuid"], row["universities"]) for row in rows(two.companies)] == [
        *(("A", 2), ("B", 2), ("C", 2), ("D", 1)),
    ]
    assert "3 of the 4 companies are evidenced at two or more" in two.answer
    assert any("columns are not added up" in caveat.text for caveat in two.caveats)


def test_every_edge_of_the_network_keeps_its_university_and_its_entry(two: Comparison) -> None:
    edges = [
        (row["university_uuid"], row["founder_uuid"], row["company_uuid"], row["position"])
        for row in rows(two.links)
    ]
    assert (ELSEWHERE, "bo", "A", 0) in edges
    assert (Uni.uuid, "ana", "A", 1) in edges
    assert len(edges) == len(tables.network(two).rows)
    assert "MBA 2003" in figures.network(two).alt


def test_amounts_in_two_currencies_do_not_stand_side_by_side(library: str) -> None:
    other = find(library, OTHER, currency="USD")
    with pytest.raises(errors.EvidenceError, match="EUR and USD do not stand side by side"):
        universities.compare([find(library, Uni()), other])
    with pytest.raises(errors.EvidenceError, match="at least one"):
        universities.compare([])


def test_sectors_overlap_and_the_untagged_are_a_row(library: str) -> None:
    study = find(library, Uni())
    seen = [
        (row["sector"], row["companies"], row["funding_known"], row["median"])
        for row in rows(study.sectors)
    ]
    assert seen == [
        ("Robots", 2, 2, pytest.approx(750_000.175)),
        ("Health & <b>", 1, 1, 1_500_000.25),
        (None, 1, 0, None),
    ]
    assert "not tagged" in repr(tables.sectors(study))
    assert "Robots: 2 companies, 2 with a total" in figures.sectors(study).alt
    without = spinouts.find(**WORLD.frames(library), university=Uni(), currency="EUR")
    assert [row["sector"] for row in rows(without.sectors)] == [None]


FIGURES = (figures.side_by_side, figures.network)


def test_figures_are_the_same_from_either_library_and_drawn_without_records() -> None:
    given = {lib: [find(lib, Uni()), find(lib, OTHER)] for lib in ("polars", "pandas")}
    one, other = (universities.compare(studies) for studies in given.values())
    for make in FIGURES:
        assert make(one).svg == make(other).svg
    assert figures.network(given["polars"][0]).svg == figures.network(given["pandas"][0]).svg
    empty = find("polars", Uni(), World())
    for svg in (
        *(make(universities.compare([empty])).svg for make in FIGURES),
        *(figures.sectors(empty).svg, figures.network(empty).svg),
    ):
        ET.fromstring(svg)
    for table in (tables.universities, tables.shared_companies, tables.network, tables.coverage):
        assert table(universities.compare([empty]))._repr_html_()
        assert table(one)._repr_html_()


def test_different_conditions_are_said() -> None:
    class Asked:
        """As much of a fetched result as a comparison reads."""

        def __init__(self, text: str) -> None:
            self.provenance = type("P", (), {"filter": text})

    def fetched(university: Uni, text: str) -> Study:
        asked: Any = (Asked(f"{text}{university.name}"),)
        return dataclasses.replace(find("polars", university), fetched=asked)

    alike = universities.compare([fetched(Uni(), "name:"), fetched(OTHER, "name:")])
    assert "different conditions" not in str(alike.caveats)
    apart = universities.compare([fetched(Uni(), "name:"), fetched(OTHER, "and(x,name:")])
    assert "different conditions" in apart.caveats[0].text


@pytest.mark.real
def test_real_universities_keep_their_verified_numbers_side_by_side(real_data: Path) -> None:
    with connect(data=real_data / "venture-2013", environment={}) as svc:
        studies = [
            spinouts.study(svc, university=svc.university(name, domain=domain), currency="USD")
            for name, domain in (
                ("Stanford University", "stanford.edu"),
                ("Harvard University", "harvard.edu"),
            )
        ]
    compared = universities.compare(studies)
    stanford = rows(compared.universities)[0]
    assert (stanford["founders_evidenced"], stanford["companies_evidenced"]) == (239, 322)
    assert stanford["funding_known"] == 129
    assert stanford["funding_total"] == pytest.approx(3_864_930_929.77, abs=0.005)
    assert sum(row["companies"] for row in rows(studies[0].sectors)) >= 322
    assert len(compared.fetched) == 4


def test_a_university_that_was_not_read_to_the_end_marks_the_whole_comparison() -> None:
    with connect(environment={}) as svc:
        studies = [
            spinouts.study(svc, university=svc.university(name, domain=domain))
            for name, domain in (
                ("Harrowmere University", "harrowmere.example"),
                ("Tarnvik Technical University", "tarnvik.example"),
            )
        ]
        pool, people = studies[1].fetched
        short = dataclasses.replace(pool.certificate, verdict="short", reported_last=999)
        pool = dataclasses.replace(pool, certificate=short)
        studies[1] = studies[1].resting_on(svc.source, pool, people)
    compared = universities.compare(studies)
    said = f"INCOMPLETE: companies {len(pool):,} of 999"
    for shown in (tables.universities(compared), figures.side_by_side(compared)):
        assert said in repr(shown)
    assert any("Not every row was returned" in caveat.text for caveat in compared.caveats)
