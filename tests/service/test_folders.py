"""A folder as other programs write it: both doors read the same of it, or refuse it
with every problem in one message.
"""

import datetime as dt
import json
import os
import pickle
import shutil
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.service.sample.sample import sample
from ventureframe import bulk
from ventureframe.errors import (
    DatasetError,
    EvidenceWarning,
    LookupFailed,
    SaveError,
    UnsupportedValue,
)
from ventureframe_service.dataset import Dataset

CASES = Path(__file__).parents[3] / "shared" / "cases" / "folders"
DOORS: tuple[Callable[..., Any], ...] = (Dataset.open, bulk.open)
U1, U2 = (str(uuid.UUID(int=number)) for number in (1, 2))
F1 = str(uuid.UUID(int=101))
ABOUT = {
    "format": 1,
    "name": "Own",
    "description": "made up",
    "as_of": "2026-03-31",
    "synthetic": True,
    "licence": "none",
    "attribution": [],
}
COMPANIES = pl.DataFrame(
    {
        "uuid": [U1, U2],
        "name": ["Halvern Bio", "Pelorus"],
        "tag_id": [[], []],
        "founders": [[F1], []],
    },
    schema_overrides={"tag_id": pl.List(pl.Int64), "founders": pl.List(pl.String)},
)
MIDNIGHT = dt.datetime(2026, 1, 2)  # noqa: DTZ001  # as most programs write it
JOBS = pl.DataFrame({"id": [1, 2], "title": ["Engineer", "Clerk"]})


def written(folder: Path, **tables: pl.DataFrame) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "dataset.json").write_text(json.dumps(ABOUT))
    for name, frame in {"companies": COMPANIES, **tables}.items():
        frame.write_parquet(folder / f"{name}.parquet")
    return folder


def companies(**columns: Any) -> pl.DataFrame:
    return COMPANIES.with_columns(**columns)


def of(values: list[Any], kind: Any) -> pl.Series:
    return pl.Series(values, dtype=kind)


def case(name: str) -> Path:
    if not CASES.exists():
        pytest.skip("the cases are not beside the checkout")
    return CASES / name


def seen(folder: Path, table: str) -> list[pl.DataFrame]:
    """A table as the service has it, and as each engine has it."""
    frames = (bulk.open(folder), bulk.open(folder, engine="duckdb"))
    served = Dataset.open(folder).tables[table]
    return [served, frames[0][table].collect(), frames[1][table].pl()]


READ: dict[str, tuple[str, dict[str, list[Any]]]] = {
    "pandas-empty-lists": ("companies", {"name": ["Halvern Bio", "Pelorus"]}),
    "pandas-years-and-gaps": (
        "companies",
        {
            "launch_date": [2015, None],
            "total_funding": [1_000_000.0, None],
            "website_domain": [None, None],
            "company_status": ["operational", "closed"],
        },
    ),
    "timestamps-at-midnight": ("jobs", {"date_posted": [dt.date(2026, 1, 2), None]}),
}


@pytest.mark.parametrize("name", READ)
def test_a_case_that_loses_nothing_is_read_alike_through_both_doors(name: str) -> None:
    table, columns = READ[name]
    for frame in seen(case(name), table):
        assert frame.select(columns.keys()).to_dict(as_series=False) == columns


def test_members_in_another_order_are_read_by_their_names() -> None:
    folder = case("structs-in-another-order")
    (entry,) = Dataset.open(folder).tables["founders"]["education"][0].to_list()
    flat = bulk.open(folder)["education"].collect()
    assert (entry["start_year"], entry["end_year"]) == (2001, 2005)
    assert flat.select("start_year", "end_year").rows() == [(2001, 2005)]


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("names-nearly-right", ("Companies.parquet", "jobs.pq", "news.csv")),
        ("parts-without-manifest", ("companies/",)),
    ],
)
def test_a_case_with_no_table_is_an_error_that_names_what_it_holds(
    name: str, named: tuple[str, ...]
) -> None:
    folder = case(name)
    for opened in DOORS:
        with pytest.raises(DatasetError, match="has no table") as caught:
            opened(folder)
        assert all(file in str(caught.value) for file in named)


def test_a_case_with_other_columns_warns_of_them_and_of_what_is_meant() -> None:
    folder = case("columns-nearly-right")
    for opened in DOORS:
        with pytest.warns(EvidenceWarning) as caught:
            opened(folder)
        (warning,) = caught
        said = str(warning.message)
        assert "'Launch_Date' (is it launch_date?)" in said
        assert "'website' (is it website_domain?)" in said


FOUNDER = {"uuid": [F1], "name": ["Jo"]}
ENTRY = pl.Struct({"end_year": pl.Float64, "degree": pl.Categorical})
KINDS: dict[str, tuple[dict[str, pl.DataFrame], str, str, Any]] = {
    "unsigned": (
        {"companies": companies(team_size=of([7, 9], pl.UInt64))},
        "companies",
        "team_size",
        [7, 9],
    ),
    "decimal": (
        {"companies": companies(total_funding=of(["1.10", None], pl.Decimal(20, 2)))},
        "companies",
        "total_funding",
        [1.1, None],
    ),
    "enum": (
        {"companies": companies(company_status=of(["a", None], pl.Enum(["a"])))},
        "companies",
        "company_status",
        ["a", None],
    ),
    "whole floats as ids": (
        {"jobs": JOBS.cast({"id": pl.Float64})},
        "jobs",
        "id",
        [1, 2],
    ),
    "midnight in a zone": (
        {
            "jobs": JOBS.with_columns(
                date_posted=of(
                    [MIDNIGHT, None], pl.Datetime("us")
                ).dt.replace_time_zone("America/New_York")
            )
        },
        "jobs",
        "date_posted",
        [dt.date(2026, 1, 2), None],
    ),
    "uuids as bytes": (
        {
            "jobs": JOBS.with_columns(
                entity_id=of([uuid.UUID(U1).bytes, None], pl.Binary)
            )
        },
        "jobs",
        "entity_id",
        [U1, None],
    ),
    "a column of nulls": (
        {"jobs": JOBS.with_columns(location=of([None, None], pl.Null))},
        "jobs",
        "location",
        [None, None],
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_type_that_loses_nothing_is_read(tmp_path: Path, name: str) -> None:
    tables, table, column, values = KINDS[name]
    folder = written(tmp_path / "own", **tables)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvidenceWarning)
        for frame in seen(folder, table):
            assert frame[column].to_list() == values


def test_members_of_entries_are_read_in_their_types_and_missing_ones_are_null(
    tmp_path: Path,
) -> None:
    entries = [[{"end_year": 2005.0, "degree": "MBA"}]]
    founders = pl.DataFrame(
        {**FOUNDER, "education": entries},
        schema_overrides={"education": pl.List(ENTRY)},
    )
    folder = written(tmp_path / "own", founders=founders)
    frame = bulk.open(folder, engine="duckdb")["education"].pl()
    shown = ("end_year", "degree", "start_year", "university_uuid")
    assert frame.select(shown).rows() == [(2005, "MBA", None, None)]
    with vf.connect(data=folder, environment={}) as svc:
        (person,) = svc.founders.fetch().to_polars().to_dicts()
    assert person["name"] == "Jo"


REFUSED: tuple[tuple[dict[str, pl.DataFrame], str, int | None, str], ...] = (
    ({"companies": companies(launch_date=of([2015.5, 2016], pl.Float64))},
     "launch_date", 0, "without a loss .2015.5."),
    ({"companies": companies(launch_date=of([2015, 99999], pl.Int32))},
     "launch_date", 1, "is not between 1500 and 2036 .99999."),
    ({"companies": companies(launch_date=of([float("nan"), 2016], pl.Float64))},
     "launch_date", 0, "without a loss"),
    ({"companies": companies(total_funding=of([1.0, -5.0], pl.Float64))},
     "total_funding", 1, "is below 0, too large or not finite .-5.0"),
    ({"companies": companies(team_size=of([-1, 2**40], pl.Int64))},
     "team_size", 1, "without a loss"),
    ({"companies": companies(total_funding_currency=of(["usd", None], pl.String))},
     "total_funding_currency", 0, "is not a currency in capitals.*usd"),
    ({"companies": companies(signal_team=of([101.0, None], pl.Float64))},
     "signal_team", 0, "is not between 0 and 100"),
    ({"funding_rounds": pl.DataFrame(
        {"id": [1], "company_uuid": [U1], "year": [2015], "month": [0]})},
     "month", 0, "is not between 1 and 12 .0."),
    ({"jobs": JOBS.with_columns(
        date_posted=of([MIDNIGHT.replace(hour=9), None], pl.Datetime("ns")))},
     "date_posted", 0, "without a loss .2026-01-02 09"),
    ({"jobs": JOBS.with_columns(date_posted=of([99999 * 365, None], pl.Int32)
                                .cast(pl.Date))},
     "date_posted", 0, "is not between 1500 and 2036"),
    ({"jobs": JOBS.with_columns(title=of([b"a", b"b"], pl.Binary))},
     "title", None, "has type Binary, needs String"),
    ({"founders": pl.DataFrame({**FOUNDER, "education": [[{"end_year": 20055}]]})},
     "education.end_year", 0, "is not between 1500 and 2036 .20055"),
    ({"founders": pl.DataFrame({**FOUNDER, "education": [[{"school": "X"}]]})},
     "education", None, "has a member 'school'"),
    ({"companies": COMPANIES.rename({"tag_id": "tag_ids"})},
     "tag_id", None, "is missing .is it tag_ids"),
)  # fmt: skip


def test_a_value_that_is_lost_or_out_of_range_is_named_at_opening(
    tmp_path: Path,
) -> None:
    for at, (tables, column, row, reason) in enumerate(REFUSED):
        folder = written(tmp_path / str(at), **tables)
        for opened in DOORS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", EvidenceWarning)
                with pytest.raises(DatasetError, match=reason) as caught:
                    opened(folder)
            error = caught.value
            (table,) = tables
            assert (error.file, error.column, error.row) == (
                f"{table}.parquet",
                column,
                row,
            )


def test_every_problem_of_a_folder_is_in_one_message(tmp_path: Path) -> None:
    wrong = companies(
        launch_date=of([1, 2], pl.Int32), team_size=of(["a", "b"], pl.String)
    )
    jobs = JOBS.with_columns(entity_id=of([None, None], pl.String))
    rounds = pl.DataFrame({"id": [1, 1], "company_uuid": [U1, U1], "month": [13, 1]})
    folder = written(
        tmp_path / "own", companies=wrong, jobs=jobs, funding_rounds=rounds
    )
    (folder / "news.parquet").write_text("id,title")
    for opened in DOORS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EvidenceWarning)
            with pytest.raises(DatasetError) as caught:
                opened(folder)
        lines = str(caught.value).splitlines()
        starts = [line.partition(":")[0] for line in lines]
        assert starts == [
            "companies.parquet, column 'team_size'",
            "companies.parquet, column 'launch_date', row 1",
            "funding_rounds.parquet, column 'month', row 1",
            "funding_rounds.parquet, column 'id', row 2",
            "news.parquet",
        ]
        assert "2 rows in all" in lines[1]
        assert len(caught.value.others) == 4


def test_more_problems_than_a_message_holds_are_counted() -> None:
    problems = [DatasetError("is null", file=f"{n}.parquet") for n in range(30)]
    last = str(DatasetError.of(problems)).splitlines()[-1]
    assert last == "and 10 more problems"


def test_a_file_that_is_no_table_is_named_once_and_a_hidden_one_not(
    tmp_path: Path,
) -> None:
    folder = written(tmp_path / "own")
    for name in ("founder.parquet", "notes.docx", ".DS_Store"):
        (folder / name).write_bytes(b"")
    (folder / "jobs.parquet").mkdir()
    with pytest.warns(EvidenceWarning) as caught:
        bulk.open(folder)
    (warning,) = caught
    said = str(warning.message)
    assert "founder.parquet (is it founders.parquet?)" in said
    assert "jobs.parquet/ (is it jobs.parquet?)" in said
    assert "notes.docx" in said
    assert "DS_Store" not in said
    assert warning.filename == __file__


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return sample(companies=60).write(tmp_path / "sample")


def test_years_as_floats_give_the_answers_that_whole_numbers_give(
    own: Path, tmp_path: Path
) -> None:
    floats = tmp_path / "floats"
    floats.mkdir()
    for file in own.iterdir():
        (floats / file.name).write_bytes(file.read_bytes())
    for table in ("companies", "funding_rounds"):
        path = floats / f"{table}.parquet"
        frame = pl.read_parquet(path)
        frame.cast({pl.Int32: pl.Float64, pl.Int64: pl.Float64}).write_parquet(path)
    answers = set()
    for folder in (own, floats):
        for engine in ("polars", "duckdb"):
            frames = bulk.open(folder, engine=engine)
            study = vf.hiring.find(**frames, currency="USD")
            answers.add((str(study.answer), str(study.counts)))
    assert len(answers) == 1
    told = set()
    for folder in (own, floats):
        with vf.connect(data=folder, environment={}) as svc:
            told.add(str(vf.hiring.study(svc, status=(), rounds_of=5).answer))
    assert len(told) == 1


def test_what_needs_a_missing_table_says_which_and_everything_else_works(
    own: Path,
) -> None:
    for name in ("tags", "investors", "universities", "locations", "jobs"):
        (own / f"{name}.parquet").unlink()
    founders = own / "founders.parquet"
    pl.read_parquet(founders).drop("education").write_parquet(founders)
    with vf.connect(data=own, environment={}) as svc:
        companies = svc.companies.fetch()
        assert companies.is_complete
        assert companies.to_polars()["tags"].is_null().all()
        assert svc.funds.fetch().is_complete
        with pytest.warns(EvidenceWarning, match=r"has no jobs\.parquet"):
            study = vf.hiring.study(svc, status=(), rounds_of=2)
        assert study.counts.companies == 60
        for look, table in (
            (lambda: svc.university("Harrowmere University"), "universities"),
            (lambda: svc.lp("Meridian Sovereign Reserve"), "investors"),
            (lambda: svc.tag("Robotics"), "tags"),
            (lambda: svc.location("London"), "locations"),
        ):
            with pytest.raises(LookupFailed, match=f"has no {table}.parquet"):
                look()
    frames = bulk.open(own)
    assert vf.hiring.find(**frames, currency="USD").counts.companies == 60
    with pytest.raises(UnsupportedValue, match=r"holds no investors\.parquet"):
        vf.exposure.find(**frames, currency="USD")
    with pytest.raises(UnsupportedValue, match="has no column education"):
        vf.institutions.find(**frames, currency="USD")


def test_over_the_service_a_study_says_that_the_folder_has_no_education(
    own: Path,
) -> None:
    founders = own / "founders.parquet"
    pl.read_parquet(founders).drop("education").write_parquet(founders)
    with vf.connect(data=own, environment={}) as svc:
        name, domain = "Harrowmere University", "harrowmere.example"
        university = svc.university(name, domain=domain)
        study = vf.spinouts.study(svc, university=university)
    said = "The dataset is not whole: founders.parquet has no column education."
    assert said in study.caveats.to_csv()


def test_what_is_no_file_or_no_table_is_one_sentence(tmp_path: Path) -> None:
    piped, pickled = written(tmp_path / "piped"), written(tmp_path / "pickled")
    os.mkfifo(piped / "jobs.parquet")
    (pickled / "jobs.parquet").write_bytes(pickle.dumps({"id": [1]}))
    shutil.copytree(pickled, tmp_path / "\udcff")
    for name in ("dataset.json", "manifest.json"):
        (tmp_path / name[:-5]).mkdir()
        os.mkfifo(tmp_path / name[:-5] / name)
    empty = tmp_path / "empty"
    empty.mkdir()
    for folder, reason in (
        (piped, r"^jobs\.parquet: is a pipe, not a file$"),
        (pickled, r"^jobs\.parquet: cannot be read as Parquet: "),
        (tmp_path / "dataset", r"^dataset\.json: is a pipe, not a file$"),
        (tmp_path / "manifest", r"^manifest\.json: .* is a pipe, not a file$"),
        (tmp_path / "\udcff", "give a path as text without null characters$"),
        (tmp_path / "a\0b", "give a path as text without null characters$"),
        (tmp_path / "\ud800", "give a path as text without null characters$"),
        (empty, "is not a dataset folder$"),
        (pickled / "companies.parquet", "companies.parquet: is not a folder: check"),
        (tmp_path / "absent", "absent: is not a folder: check the path$"),
    ):
        for opened in DOORS:
            with pytest.raises((DatasetError, UnsupportedValue), match=reason):
                opened(folder)


def test_a_manifest_without_parts_is_named(tmp_path: Path, own: Path) -> None:
    with vf.connect(data=own, environment={}) as svc:
        svc.pull("companies", out=tmp_path / "pull")
    path = tmp_path / "pull" / "manifest.json"
    content = json.loads(path.read_text())
    (pull,) = content["pulls"]
    for pulls in ([], [pull | {"tables": {}}]):
        path.write_text(json.dumps(content | {"pulls": pulls}))
        for opened in DOORS:
            with pytest.raises(DatasetError, match="lists no parts of a pull"):
                opened(path.parent)


def test_a_dataset_folder_is_no_save_and_says_how_it_is_opened(
    tmp_path: Path, own: Path
) -> None:
    with vf.connect(data=own, environment={}) as svc:
        svc.pull("jobs", out=tmp_path / "pull")
    for folder in (own, tmp_path / "pull"):
        with pytest.raises(SaveError, match="is a dataset folder: open it with"):
            vf.load(folder)


def test_a_missing_half_of_a_key_is_one_problem(own: Path) -> None:
    path = own / "lp_managers.parquet"
    pairs = pl.read_parquet(path)
    pl.concat([pairs, pairs]).drop("lp_uuid").write_parquet(path)
    with pytest.raises(DatasetError, match="'lp_uuid': is missing") as caught:
        Dataset.open(own)
    assert not caught.value.others
