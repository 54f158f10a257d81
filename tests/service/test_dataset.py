"""A folder opens when it keeps the format; otherwise the error names file, column
and row.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.service.caller import calling
from tests.service.sample.sample import sample
from ventureframe import bulk
from ventureframe.cli import main
from ventureframe.dataset.schema import TABLES
from ventureframe.errors import DatasetError
from ventureframe_service.dataset import Dataset


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return sample(companies=20).write(tmp_path / "data")


def change(
    folder: Path, table: str, edit: Callable[[pl.DataFrame], pl.DataFrame]
) -> None:
    path = folder / f"{table}.parquet"
    edit(pl.read_parquet(path)).write_parquet(path)


def put(column: str, row: int, value: Any) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Puts one value into one row."""

    def edit(frame: pl.DataFrame) -> pl.DataFrame:
        values = frame[column].to_list()
        values[row] = value
        return frame.with_columns(pl.Series(column, values, dtype=frame.schema[column]))

    return edit


NOBODY = "00000000-0000-0000-0000-000000000000"
Edit = Callable[[pl.DataFrame], pl.DataFrame]
PUT: tuple[tuple[str, str, int, Any, str], ...] = (
    ("companies", "name", 4, None, "is null"),
    ("companies", "total_funding", 3, float("nan"), "too large or not finite"),
    ("companies", "founders", 5, [None], "holds a null"),
    (
        "companies",
        "founders",
        6,
        [NOBODY],
        f"founders.parquet does not hold .{NOBODY}",
    ),
    (
        "companies",
        "launch_date_text",
        7,
        "May 2015",
        "is not YYYY, YYYY-MM or YYYY-MM-DD",
    ),
    (
        "companies",
        "launch_date_text",
        8,
        "1066-10",
        "has another year than launch_date",
    ),
    ("companies", "hq_location", 9, 5, "locations.parquet does not hold .5"),
    ("companies", "uuid", 7, "Not-A-Uuid", "is not a UUID"),
    ("fx", "per_eur", 8, 0.0, "is below 1e-12"),
    ("funds", "manager_uuid", 1, NOBODY, "refers to"),
    ("locations", "parent_id", 1, 1002, "lie within itself"),
    ("founders", "education", 2, [{"university_uuid": NOBODY}], "refers to"),
)


def with_years_as_text(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.cast({"launch_date": pl.String})


BROKEN: tuple[tuple[str, Edit, str, int | None, str], ...] = (
    *((table, put(column, *at), column, at[0], why) for table, column, *at, why in PUT),
    ("companies", lambda f: f.drop("tag_id"), "tag_id", None, "is missing"),
    (
        "companies",
        with_years_as_text,
        "launch_date",
        None,
        "has type String, needs Int32",
    ),
    ("fx", lambda f: pl.concat([f, f[3:4]]), "date", 1530, "repeats the key"),
)


def test_a_broken_table_is_named_with_column_and_row(folder: Path) -> None:
    for table, edit, column, row, reason in BROKEN:
        path = folder / f"{table}.parquet"
        whole = path.read_bytes()
        change(folder, table, edit)
        with pytest.raises(DatasetError, match=reason) as caught:
            Dataset.open(folder)
        error = caught.value
        where = (error.file, str(error.column).partition(".")[0], error.row)
        assert where == (path.name, column, row)
        path.write_bytes(whole)


def test_a_broken_description_is_refused(folder: Path) -> None:
    path = folder / "dataset.json"
    content = json.loads(path.read_text())
    wrong = {
        "format": 2,
        "as_of": "June",
        "name": None,
        "attribution": "mine",
        "synthetic": "no",
    }
    for key, value in wrong.items():
        path.write_text(json.dumps(content | {key: value}))
        with pytest.raises(DatasetError, match=r"dataset\.json"):
            Dataset.open(folder)


def test_what_is_no_dataset_is_refused_in_a_sentence(
    tmp_path: Path, folder: Path
) -> None:
    absent = tmp_path / "absent"
    for opened in (Dataset.open, bulk.open):
        with pytest.raises(DatasetError, match=f"{tmp_path.name}' is not a dataset"):
            opened(tmp_path)
        with pytest.raises(DatasetError, match="absent: is not a folder: check the"):
            opened(absent)
    (folder / "news.parquet").write_bytes(b"PAR1 no table")
    with pytest.raises(DatasetError, match=r"news\.parquet: cannot be read as Parquet"):
        Dataset.open(folder)
    (folder / "news.parquet").rename(tmp_path / "news.parquet")
    (folder / "news.parquet").symlink_to(tmp_path / "news.parquet")
    for opened in (Dataset.open, bulk.open):
        with pytest.raises(
            DatasetError, match=r"news\.parquet: is a link that leads out"
        ):
            opened(folder)


def test_a_missing_table_is_empty_and_references_into_it_stay_unchecked(
    folder: Path,
) -> None:
    for table in TABLES:
        if table != "companies":
            (folder / f"{table}.parquet").unlink()
    dataset = Dataset.open(folder)
    assert dataset.tables["companies"].height == 20
    assert dataset.tables["founders"].is_empty()


def test_a_folder_without_the_columns_that_can_be_null_opens_and_serves_nulls(
    folder: Path,
) -> None:
    absent = {
        name: set(table.columns) - table.required for name, table in TABLES.items()
    }
    for table, columns in absent.items():
        # bound now
        change(folder, table, lambda frame, columns=columns: frame.drop(columns))  # type: ignore[misc]
    dataset = Dataset.open(folder)
    for table, columns in absent.items():
        frame = dataset.tables[table]
        assert {column: frame.schema[column] for column in columns} == {
            column: TABLES[table].columns[column] for column in columns
        }
        assert all(frame[column].is_null().all() for column in columns)
    with calling(dataset) as caller:
        row = caller.rows("/data/companies", limit=1)[0]
        assert row["launch_date"] is row["total_funding"] is row["hq_city"] is None


def test_amounts_in_one_currency_without_rates_are_shown_in_it(tmp_path: Path) -> None:
    """The folder of `ventureframe import` has euros and no rates."""
    (tmp_path / "list.csv").write_text("Company,Total funding (EUR)\nHalvern,5000\n")
    folder = str(tmp_path / "data")
    assert main(["import", str(tmp_path / "list.csv"), "--out", folder, "--yes"]) == 0
    with vf.connect(data=folder, environment={}) as svc:
        assert svc.connection.currency == "EUR"
        assert svc.companies.fetch().to_polars()["total_funding"].to_list() == [5000.0]
