"""A pulled folder that was crafted, or is written into by somebody else, costs no
file.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.faults import Content, Fault, connected, start
from tests.service.sample.sample import sample
from ventureframe import bulk
from ventureframe.client.service import Service
from ventureframe.dataset.manifest import sha256
from ventureframe.errors import (
    DatasetError,
    EvidenceWarning,
    SaveError,
    UnsupportedValue,
    VentureframeError,
)
from ventureframe.interface.files import locked
from ventureframe_service.dataset import Dataset


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = sample(companies=20).write(tmp_path_factory.mktemp("sample"))
    with vf.connect(environment={}, data=folder) as service:
        yield service


@pytest.fixture
def pulled(service: Service, tmp_path: Path) -> Path:
    service.pull("funds", out=tmp_path / "pull")
    return tmp_path / "pull"


def change(folder: Path, how: Callable[[dict[str, Any]], object]) -> None:
    file = folder / "manifest.json"
    content = json.loads(file.read_text())
    how(content)
    file.write_text(json.dumps(content))


def named(file: object) -> Callable[[dict[str, Any]], object]:
    return lambda content: content["pulls"][0]["tables"]["funds"][0].update(file=file)


def of_pull(**facts: Any) -> Callable[[dict[str, Any]], object]:
    return lambda content: content["pulls"][0].update(facts)


ODD: tuple[tuple[str | Callable[[dict[str, Any]], object], str], ...] = (
    (named("../thesis.parquet"), "thesis.parquet: is not what was written"),
    (named(5), "5: is missing"),
    (of_pull(day="yesterday"), "manifest.json: does not describe pulls"),
    ("[" * 100_000, "manifest.json: does not describe pulls: cannot be read as JSON"),
)


@pytest.mark.parametrize(("odd", "says"), ODD, ids=range(len(ODD)))
def test_an_odd_manifest_is_a_named_error_for_every_reader(
    pulled: Path, odd: str | Callable[[dict[str, Any]], object], says: str
) -> None:
    """It is not taken for no pull either."""
    (pulled.parent / "thesis.parquet").write_text("mine")
    if callable(odd):
        change(pulled, odd)
    else:
        (pulled / "manifest.json").write_text(odd)
    for use in (Dataset.open, bulk.open):
        with pytest.raises(DatasetError, match=re.escape(says)):
            use(pulled)


def test_a_manifest_that_cannot_be_read_is_not_written_over(
    service: Service, pulled: Path
) -> None:
    (pulled / "manifest.json").write_text("{")
    with pytest.raises(DatasetError, match="does not describe pulls: cannot be read"):
        service.pull("funds", out=pulled)


def test_files_are_checked_on_every_engine_before_they_are_read(pulled: Path) -> None:
    (file,) = (pulled / "funds").iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    for engine in ("polars", "duckdb"):
        with pytest.raises(DatasetError, match="its hash differs"):
            bulk.open(pulled, engine=engine)
    file.unlink()
    with pytest.raises(DatasetError, match="is missing"):
        Dataset.open(pulled)


def test_a_link_out_of_the_folder_is_not_written_through(
    service: Service, tmp_path: Path
) -> None:
    outside, out = tmp_path / "outside", tmp_path / "pull"
    service.pull("jobs", out=out)
    outside.mkdir()
    (outside / "thesis.txt").write_text("mine")
    (out / "funds").symlink_to(outside)
    with pytest.raises(SaveError, match="cannot be written"):
        service.pull("funds", out=out)
    assert [path.name for path in outside.iterdir()] == ["thesis.txt"]


def test_a_folder_of_something_else_is_refused_before_a_byte_is_written(
    service: Service, tmp_path: Path
) -> None:
    sample(companies=5).write(tmp_path / "dataset")
    service.funds.fetch().save(tmp_path / "save")
    for folder in (tmp_path / "dataset", tmp_path / "save", tmp_path):
        before = times(folder)
        with pytest.raises(UnsupportedValue, match="Choose an empty folder, or a new"):
            service.pull("funds", out=folder)
        assert times(folder) == before


def times(folder: Path) -> dict[Path, int]:
    """When the folder and each file in it was written."""
    return {path: path.stat().st_mtime_ns for path in (folder, *folder.rglob("*"))}


def test_a_second_pull_into_a_folder_ends_in_one_sentence(
    service: Service, tmp_path: Path
) -> None:
    with (
        locked(tmp_path),
        pytest.raises(SaveError, match="is being written by another process"),
    ):
        service.pull("funds", out=tmp_path)
    assert service.pull("funds", out=tmp_path).pulls
    assert not (tmp_path / ".lock").exists()


@pytest.mark.parametrize("path", ["a" * 300, "a/" * 3_000])
def test_an_impossible_path_is_a_named_error(
    service: Service, tmp_path: Path, path: str
) -> None:
    with pytest.raises(SaveError, match="cannot be written"):
        service.pull("funds", out=tmp_path / path)
    with pytest.raises(VentureframeError):
        bulk.open(tmp_path / path)


def test_what_replies_leave_out_is_said_by_the_pull_and_by_who_opens_it(
    tmp_path: Path,
) -> None:
    def lie(content: Content, _: object) -> Content:
        for row in content["data"]:
            row.pop("team_size")
        return content

    with start(
        sample(companies=5), faults=[Fault(route="companies", lie=lie)]
    ) as running:
        with connected(running) as service, pytest.warns(EvidenceWarning) as pulling:
            service.pull("companies", out=tmp_path / "p")
        with pytest.warns(EvidenceWarning) as opening:
            vf.bulk.open(tmp_path / "p")
        with pytest.warns(EvidenceWarning) as served:
            vf.connect(environment={}, data=tmp_path / "p").close()
    said = [str(each.message) for each in pulling]
    for each in (opening, served):
        assert [str(warning.message) for warning in each] == said
    assert said[0] == (
        "companies: Rows leave out team_size, wholly or in part: what is missing may"
        " still be recorded."
    )


@pytest.mark.parametrize(
    ("other", "use"),
    [
        (
            pl.DataFrame({"id": ["one"], "manager_uuid": [5], "manager_name": [[1]]}),
            Dataset.open,
        ),
        (pl.DataFrame({"id": ["one"], "amount_currency": [["EUR"]]}), bulk.open),
    ],
)
def test_a_pull_of_other_columns_is_a_named_error(
    pulled: Path, other: pl.DataFrame, use: Callable[[Path], object]
) -> None:
    part = next(pulled.glob("funds/*.parquet"))
    other.write_parquet(part)
    facts = {"size": part.stat().st_size, "sha256": sha256(part)}
    change(
        pulled, lambda content: content["pulls"][0]["tables"]["funds"][0].update(facts)
    )
    with pytest.raises(DatasetError):
        use(pulled)
