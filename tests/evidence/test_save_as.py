"""The ending of a path says what is written; another is refused with those that
work.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import ventureframe as vf
from ventureframe.client.saves import content
from ventureframe.errors import SaveError, UnsupportedValue
from ventureframe.studies.spinouts import Study


def test_a_study_and_a_result_are_saved_as_the_path_ends(
    study: Study, tmp_path: Path
) -> None:
    pool = study.fetched[0]
    for one in (study, pool):
        for ending, begins in (
            (".xlsx", b"PK"),
            (".csv", b"\xef\xbb\xbf"),
            (".parquet", b"PAR1"),
        ):
            path = one.save(tmp_path / f"{type(one).__name__}{ending}")
            assert path.read_bytes().startswith(begins), path
            with pytest.raises(
                SaveError, match="it is there already; overwrite=True replaces it"
            ):
                one.save(path)
            assert one.save(path, overwrite=True) == path
    assert vf.load(pool.save(tmp_path / "as-of.2013")) == pool, "a folder"
    rows = pl.read_parquet(tmp_path / "Result.parquet")
    assert rows.drop("data_source").equals(pool.to_polars())
    assert rows["data_source"].unique().to_list() == [pool.line]
    with (tmp_path / "Study.csv").open(encoding="utf-8-sig", newline="") as file:
        assert file.read() == study.companies.to_csv()


@pytest.mark.parametrize(
    ("save", "works"),
    [
        (
            lambda study, path: study.save(path),
            r"\.xlsx, \.csv, \.parquet or a folder$",
        ),
        (
            lambda study, path: study.fetched[0].save(path),
            r"\.xlsx, \.csv, \.parquet or a folder$",
        ),
        (lambda study, path: study.companies.to_csv(path), r"saved as \.csv$"),
        (lambda study, path: study.companies.to_excel(path), r"saved as \.xlsx$"),
    ],
)
def test_another_ending_is_refused_with_those_that_work(
    study: Study, save: Callable[[Any, Path], object], works: str, tmp_path: Path
) -> None:
    with pytest.raises(UnsupportedValue, match=works):
        save(study, tmp_path / "study.doc")
    assert list(tmp_path.iterdir()) == []


def test_a_finding_is_an_arrow_stream(study: Study) -> None:
    assert pa.table(study.companies).num_rows == len(study.companies)


def test_text_that_begins_like_a_formula_stays_text_and_lists_are_text() -> None:
    rows = pl.DataFrame(
        {
            "a": ["=1+1", "-2", None],
            "b": [["x", "y"], [], None],
            "c": [[{"d": 1}], [], None],
        }
    )
    text = content(rows, ".csv").decode("utf-8-sig")
    assert text == 'a,b,c\r\n\'=1+1,x; y,"[{""d"": 1}]"\r\n\'-2,"",[]\r\n,,\r\n'
    assert content(rows, ".xlsx") == content(rows, ".xlsx"), "no clock"
