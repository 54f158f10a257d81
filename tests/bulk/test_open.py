"""A dataset folder opened as frames: flat lists, places, tags, amounts, what it says
of itself.
"""

import datetime as dt
import shutil
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
import pytest

import ventureframe as vf
from tests.engines import Engine, also_quickly_on_duckdb
from tests.service.sample.sample import sample
from ventureframe import bulk
from ventureframe.errors import SaveError, UnsupportedValue
from ventureframe.interface.source import FRAMES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(companies=300).write(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="module")
def service(folder: Path) -> Any:
    with vf.connect(data=folder, environment={}) as svc:
        yield svc


@pytest.fixture(scope="module")
def pulled(service: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pulled")
    service.pull("companies", "founders", out=out, currency="EUR")
    return out


def rows_of(frame: Any, *columns: str) -> list[tuple[Any, ...]]:
    collected = nw.from_native(frame).lazy().collect(backend="polars").to_native()
    return sorted(collected.select(*columns).rows(), key=repr)


@also_quickly_on_duckdb
def test_every_engine_gets_the_same_rows(folder: Path, engine: Engine) -> None:
    expected = bulk.open(folder)
    frames = bulk.open(folder, engine=engine.opens)
    assert repr(frames) == repr(expected)
    for name in FRAMES:
        columns = expected[name].collect_schema().names()
        columns = [each for each in columns if not each.startswith("hq_location")]
        assert rows_of(frames[name], *columns) == rows_of(expected[name], *columns), (
            name
        )


def test_evidence_and_converted_totals_are_those_of_the_service_and_more(
    folder: Path, service: Any
) -> None:
    frames = bulk.open(folder)
    asked = service.university("Harrowmere University", domain="harrowmere.example")
    study = vf.spinouts.study(service, university=asked, currency="GBP")
    found = vf.spinouts.find(**frames, university=asked, currency="GBP")
    links, every = study.frames["links"], found.frames["links"]
    assert links.join(every, on=links.columns, how="anti", nulls_equal=True).is_empty()
    fetched = service.companies.currency("GBP").fetch().to_polars()
    shown = dict(fetched.select("uuid", "total_funding").rows())
    pool = found.frames["pool"].select("company_uuid", "total_funding").rows()
    assert pool
    assert pool == [(uuid, shown[uuid]) for uuid, _ in pool]


def test_a_university_is_named_by_its_uuid_or_by_a_name_of_its_own(
    folder: Path,
) -> None:
    frames = bulk.open(folder)
    named = frames["universities"].collect()
    alone = named.filter(~pl.col("name").is_duplicated()).row(0, named=True)
    twice = named.filter(pl.col("name").is_duplicated())["name"][0]
    by_name = vf.spinouts.find(**frames, university=alone["name"], currency="EUR")
    by_uuid = vf.spinouts.find(**frames, university=alone["uuid"], currency="EUR")
    assert by_name.answer == by_uuid.answer
    for text, count in ((twice, 2), ("Nowhere", 0)):
        with pytest.raises(
            UnsupportedValue, match=f"name of {count} of the universities"
        ):
            vf.spinouts.find(**frames, university=text, currency="EUR")


def test_over_a_pull_a_university_is_named_by_its_uuid_which_entries_tell(
    pulled: Path,
) -> None:
    frames = bulk.open(pulled)
    entries = frames["education"].select("university_uuid", "university_name").collect()
    uuid, name, count = (
        entries.drop_nulls().group_by(entries.columns).len().sort("len").row(-1)
    )
    found = vf.spinouts.find(**frames, university=uuid, currency="EUR")
    assert (found.university.uuid, found.university.name) == (uuid, name)
    assert found.counts.companies_evidenced > 0
    said = (
        f"the folder holds no records of universities, so give the UUID.*{name}' is {uuid}"
        f" in {count}"
    )
    with pytest.raises(UnsupportedValue, match=said):
        vf.spinouts.find(**frames, university=name.lower(), currency="EUR")


def test_a_scratch_folder_that_is_not_there_is_named(folder: Path) -> None:
    gone = folder / "gone"
    with pytest.raises(SaveError, match=r"gone: cannot be written: No such file"):
        bulk.open(folder, engine="duckdb", scratch=gone)
    assert not gone.exists()


def test_a_pull_is_read_as_its_manifest_says(folder: Path, pulled: Path) -> None:
    frames = bulk.open(pulled)
    assert frames.origin.source.as_of == dt.date(2026, 6, 30)
    assert dict(frames.origin.rates) == {"EUR": 1.0}
    seen, told = (
        vf.institutions.find(**each, currency="EUR")
        .frames["institutions"]
        .filter(pl.col("companies_evidenced") > 0)
        .drop("university")
        .sort("university_uuid")
        for each in (frames, bulk.open(folder))
    )
    assert seen.equals(told)
    with pytest.raises(
        UnsupportedValue, match="amounts are in, or can be converted to, EUR"
    ):
        vf.institutions.find(**frames, currency="USD")


def test_a_pull_of_the_version_before_opens_and_goes_on(tmp_path: Path) -> None:
    """It holds pulls of two days: of each collection the latest is read."""
    before = Path(__file__).parent / "pull_of_two_days"
    folder = shutil.copytree(before, tmp_path / "pull")
    frames = bulk.open(folder)
    assert frames["companies"].collect().height == 11
    assert frames.origin.source.as_of == dt.date(2026, 6, 30)
    with vf.connect(environment={}) as service:
        service.pull("jobs", out=folder)
    with vf.connect(environment={}, data=folder) as service:
        assert service.companies.count() == 11
        assert service.jobs.count() > 0


TARNVIK = "c5aff567-87f8-5a17-aa5a-d0c17e40d60b"


@pytest.mark.parametrize(
    ("find", "options"),
    [
        (vf.spinouts.find, {"university": TARNVIK}),
        (vf.hiring.find, {}),
        (vf.institutions.find, {}),
    ],
)
def test_studies_over_a_pull_are_the_same_on_duckdb(
    tmp_path: Path, find: Any, options: dict[str, str]
) -> None:
    with vf.connect(environment={}) as service:
        service.pull(out=tmp_path)
    polars, duckdb = (
        find(**bulk.open(tmp_path, engine=engine), currency="USD", **options)
        for engine in ("polars", "duckdb")
    )
    assert str(polars.answer) == str(duckdb.answer)
    assert polars.counts == duckdb.counts
