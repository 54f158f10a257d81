"""The ending of a path says what is written; another is refused with those that
work.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ventureframe as vf
from ventureframe.errors import SaveError, UnsupportedValue
from ventureframe.studies.spinouts import Study


def test_a_study_is_saved_as_the_path_ends(study: Study, tmp_path: Path) -> None:
    path = study.save(tmp_path / "study.xlsx")
    assert path.read_bytes().startswith(b"PK")
    with pytest.raises(SaveError, match="is there already; overwrite=True"):
        study.save(path)
    assert study.save(path, overwrite=True) == path
    pool = study.fetched[0]
    assert vf.load(pool.save(tmp_path / "as-of.2013")) == pool, "a folder"


@pytest.mark.parametrize(
    ("save", "works"),
    [
        (lambda study, path: study.save(path), r"saved as \.xlsx, a folder$"),
        (lambda study, path: study.fetched[0].save(path), r"saved as a folder$"),
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
