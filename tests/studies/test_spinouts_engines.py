"""The study of a university and of every institution is the same on every engine."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.engines import ENGINES, Engine
from tests.service.sample.sample import sample
from tests.studies.worlds import HERE, NAME, Uni, World, company, entry, founds
from ventureframe import bulk
from ventureframe.studies import institutions, spinouts

with_eager_polars = pytest.mark.parametrize(
    "engine", ["polars", *ENGINES], indirect=True
)


@pytest.fixture(scope="module")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(companies=200).write(tmp_path_factory.mktemp("sample"))


def row_as_found(frames: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of an institution's row as the study of that university alone has
    them.
    """
    at = {"university": row["university_uuid"], "currency": row["currency"]}
    study = spinouts.find(**frames, **at)
    companies, counts = study.frames["companies"], study.counts
    totals = companies["total_funding"]
    names = [name for name in row if hasattr(counts, name) and name not in at]
    return {name: getattr(counts, name) for name in names} | {
        "companies_candidate": counts.companies_candidate,
        "funding_median": totals.median() if totals.count() >= 5 else None,
    }


def test_each_row_of_the_sample_equals_the_study_of_that_university(
    sample_folder: Path,
) -> None:
    frames = bulk.open(sample_folder)
    rows = institutions.find(**frames, currency="EUR").frames["institutions"]
    assert rows.height == 20
    for row in rows.rows(named=True):
        found = row_as_found(frames, row)
        assert len(found) == 7
        assert {name: row[name] for name in found} == found, row["university"]


@pytest.mark.real
@pytest.mark.slow
def test_rows_of_real_data_equal_the_study_of_that_university(real_data: Path) -> None:
    opened = bulk.open(real_data / "venture-2013")
    frames: dict[str, Any] = {
        name: frame.collect() if isinstance(frame, pl.LazyFrame) else frame
        for name, frame in opened.items()
    }
    rows = institutions.find(**frames, currency="USD").frames["institutions"]
    is_counted = pl.col("companies_evidenced") > 0
    chosen = random.Random(20130617)
    evidenced = chosen.sample(rows.filter(is_counted).rows(named=True), 15)
    others = chosen.sample(rows.filter(~is_counted).rows(named=True), 5)
    for row in evidenced + others:
        found = row_as_found(frames, row)
        assert {name: row[name] for name in found} == found, row["university"]


def test_places_are_of_what_is_known_and_equal_numbers_share_an_interval(
    sample_folder: Path,
) -> None:
    number, place = "companies_evidenced", "place"
    study = institutions.find(**bulk.open(sample_folder), currency="USD")
    rows = study.frames["institutions"].with_columns(pl.col(number).replace(0, None))
    known = rows.drop_nulls(number)
    assert known[place].null_count() == 0
    assert (
        rows.filter(pl.col(number).is_null())[place].null_count()
        == rows.height - known.height
    )
    for count, low, high in known.select(
        number, f"{place}_low", f"{place}_high"
    ).rows():
        above = known.filter(pl.col(number) > count).height
        tied = known.filter(pl.col(number) == count)
        assert 1 <= low <= above + 1
        assert above + tied.height <= high <= known.height
        assert tied.select(place).n_unique() == 1
    assert "a lower rank can mean fewer records" in str(study.limits)
    assert "SYNTHETIC" in repr(study.institutions)


def test_an_institution_without_evidence_has_a_row_and_no_place() -> None:
    world = World(education=[entry("ana", university_uuid=HERE, university_name=NAME)])
    universities = pl.DataFrame([{"uuid": HERE, "name": NAME}], UNIVERSITY)
    study = institutions.find(
        **world.frames(), universities=universities, currency="EUR"
    )
    (row,) = study.frames["institutions"].rows(named=True)
    assert (row["university"], row["companies_evidenced"], row["place"]) == (
        NAME,
        0,
        None,
    )
    assert row["funding_total"] is None
    assert row["funding_known"] == 0


def test_universities_of_one_name_have_beside_it_what_tells_them_apart() -> None:
    said = [entry("ana", at, university_uuid=uuid) for at, uuid in enumerate("abcd")]
    world = World(
        companies=[company("one")],
        company_founders=founds("one", "ana"),
        founders=[{"uuid": "ana", "name": "Ana"}],
        education=said,
    )
    named = {"a": "Oak", "b": "OAK", "c": "Oak", "d": "Elm"}
    universities = pl.DataFrame(
        [{"uuid": uuid, "name": name} for uuid, name in named.items()], UNIVERSITY
    )
    study = institutions.find(
        **world.frames(), universities=universities, currency="EUR"
    )
    found = study.institutions.to_polars()["university"].to_list()
    assert found == ["Elm", "OAK (b)", "Oak (a)", "Oak (c)"]
    sites = pl.Series("website_domain", ["a.example", "b.example", None, "d.example"])
    told = institutions.find(
        **world.frames(), universities=universities.with_columns(sites), currency="EUR"
    )
    names = ["Elm", "OAK (b.example)", "Oak (a.example)", "Oak (c)"]
    assert told.institutions.to_polars()["university"].to_list() == names
    assert sorted(set(told.links.to_polars()["university"])) == names
    assert "Oak (a.example)" in told.institutions.plot().svg
    assert told.counts.names_shared == study.counts.names_shared == 3
    one = universities.with_columns(
        website_domain=pl.lit("oak.example"), city=pl.Series(["Bath", "Ely", "Ely", ""])
    )
    alike = institutions.find(**world.frames(), universities=one, currency="EUR")
    names = ["Elm", "OAK (b)", "Oak (Bath)", "Oak (c)"]
    assert alike.institutions.to_polars()["university"].to_list() == names


UNIVERSITY = {
    "uuid": pl.String,
    "name": pl.String,
    "founder_alumni_total": pl.Int64,
    "spinout_count": pl.Int64,
}


@with_eager_polars
@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("İzmir Üniversitesi", "i̇zmir üniversitesi"),
        ("ΟΔΟΣ", "οδος"),
        ("Straße", "STRASSE"),
        ("Straße", "STRAẞE"),
    ],
)
def test_letters_that_engines_fold_differently_are_folded_before_them(
    engine: Engine, name: str, written: str
) -> None:
    world = World(
        companies=[company("A")],
        company_founders=founds("A", "ana", "bo"),
        founders=[{"uuid": "ana", "name": "Ana"}, {"uuid": "bo", "name": "Bo"}],
        education=[
            entry("ana", university_name=written),
            entry("bo", university_name=written[1:]),
        ],
    )
    frames = engine.holding(world.frames())
    study = spinouts.find(**frames, university=Uni(name=name), currency="EUR")
    assert study.counts.founders_candidate == 1


@with_eager_polars
def test_a_total_that_is_not_a_number_is_not_recorded(engine: Engine) -> None:
    world = World(
        companies=[
            company("A", total_funding=float("nan")),
            company("B", total_funding=2.5),
        ],
        company_founders=[*founds("A", "ana"), *founds("B", "ana")],
        founders=[{"uuid": "ana", "name": "Ana"}],
        education=[entry("ana", university_uuid=HERE)],
    )
    frames = engine.holding(world.frames())
    study = spinouts.find(**frames, university=Uni(), currency="EUR")
    assert (study.counts.funding_known, study.counts.funding_total) == (1, 2.5)
    assert study.frames["sectors"]["funding_known"].to_list() == [1]


@with_eager_polars
def test_a_sum_of_amounts_is_the_same_in_every_order(engine: Engine) -> None:
    amounts = [0.1, 1e15, 0.7, -1e15, 3.3, 1e9 / 3] * 5
    firms = [
        company(f"{number:02}", total_funding=each)
        for number, each in enumerate(amounts)
    ]
    totals = set()
    for seed in range(3):
        random.Random(seed).shuffle(firms)
        world = World(
            companies=firms,
            company_founders=[
                each for firm in firms for each in founds(firm["uuid"], "ana")
            ],
            founders=[{"uuid": "ana", "name": "Ana"}],
            education=[entry("ana", university_uuid=HERE, university_name=NAME)],
        )
        frames = engine.holding(world.frames())
        totals.add(
            spinouts.find(
                **frames, university=Uni(), currency="EUR"
            ).counts.funding_total
        )
        every = institutions.find(**frames, currency="EUR").frames["institutions"]
        totals.add(every["funding_total"].item())
    assert len(totals) == 1
