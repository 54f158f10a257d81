"""What is saved comes back equal, whole or not at all, and never as something it is
not.
"""

import datetime as dt
import json
import multiprocessing
import os
import signal
import time as clock
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.client.rows import drawn, page_of
from tests.client.stand_in import (
    SECRET,
    Connect,
    StandIn,
    collection,
    company,
    full,
    uuid,
)
from ventureframe.client import frames, saves
from ventureframe.client.result import Result, Saved, load, opened, save
from ventureframe.client.service import Service
from ventureframe.errors import SaveError
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import (
    COMPANIES,
    FOUNDERS,
    FUNDING_ROUNDS,
    FUNDS,
    JOBS,
    NEWS,
    Resource,
)
from ventureframe.interface.filters import company as where
from ventureframe.interface.source import Provenance, Source

ROWS = [
    company(
        number,
        total_funding=None if number % 3 else 0.1 + number,
        founders=[uuid(7), uuid(8)] if number % 2 else [],
        tags=[{"id": 44, "name": "Robotics", "type": None}] if number % 2 else [],
        mascot="Füchsin",
    )
    for number in range(12)
]


@pytest.fixture
def fetched(stand_in: StandIn, connect: Connect) -> Result:
    stand_in.data = collection(ROWS)
    service = Service(
        connect(), now=lambda: dt.datetime(2026, 11, 2, 9, 30, tzinfo=dt.UTC)
    )
    return service.companies.where(where.launch_date >= 2000).currency("EUR").fetch()


def test_a_result_comes_back_equal(fetched: Result, tmp_path: Path) -> None:
    folder = fetched.save(tmp_path / "runs" / "companies")
    back = load(folder)
    assert back == fetched
    assert repr(back) == repr(fetched)
    assert back.provenance.fetched_at == dt.datetime(2026, 11, 2, 9, 30, tzinfo=dt.UTC)
    assert back.to_polars("tags").equals(fetched.to_polars("tags"))
    assert back.to_pandas().dtypes.equals(fetched.to_pandas().dtypes)
    assert back.details.unknown_keys == ("mascot",)


def test_results_differ_where_a_row_or_a_fact_differs(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = collection(ROWS)
    first, again = service.companies.fetch(), service.companies.fetch()
    assert first.to_polars().equals(again.to_polars())
    assert first != again, "fetched at another moment"
    assert first != "companies"
    stand_in.data = collection(ROWS[1:])
    assert service.companies.fetch() != first


def test_the_manifest_says_what_was_asked_and_holds_no_secret(
    fetched: Result, stand_in: StandIn, tmp_path: Path
) -> None:
    fetched.save(tmp_path)
    text = (tmp_path / "manifest.json").read_text()
    about = json.loads(text)["tables"]["companies"]
    assert about["provenance"]["filter"] == "launch_date[gte]:2000"
    assert about["provenance"]["currency"] == "EUR"
    assert about["certificate"]["verdict"] == "complete"
    assert about["table"]["rows"] == 12
    assert about["table"]["columns"]["total_funding"] == "Float64"
    every = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for hidden in (SECRET, "token-1", stand_in.address, "client-7"):
        assert hidden.encode() not in every


def test_several_results_are_a_study_with_its_parameters(
    fetched: Result, stand_in: StandIn, service: Service, tmp_path: Path
) -> None:
    stand_in.data = collection([full(FOUNDERS, uuid=uuid(7))])
    people = service.founders.by_id([uuid(7), uuid(8)]).fetch()
    held = {"pool": fetched, "founders": people}
    parameters = {"university": {"uuid": uuid(1), "name": "Oak"}, "currency": "EUR"}
    save(held, tmp_path, study="spinouts", parameters=parameters)
    back = opened(tmp_path)
    assert back == Saved(held, "spinouts", parameters)
    assert back.results["founders"].missing == (uuid(8),)
    assert load(tmp_path, "pool") == fetched
    with pytest.raises(SaveError, match="holds 'pool', 'founders': name one of them"):
        load(tmp_path)
    with pytest.raises(SaveError, match="name one of them as the part"):
        load(tmp_path, "jobs")


def test_a_part_has_a_plain_name(fetched: Result, tmp_path: Path) -> None:
    for name in ("../up", "a/b", "", "Pool", "."):
        with pytest.raises(SaveError, match="cannot hold a table named"):
            save({name: fetched}, tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_save_is_kept_unless_it_is_to_be_overwritten(
    fetched: Result, stand_in: StandIn, service: Service, tmp_path: Path
) -> None:
    fetched.save(tmp_path)
    stand_in.data = collection(ROWS[:3])
    other = service.companies.fetch()
    with pytest.raises(SaveError, match="holds a save already, which is kept"):
        other.save(tmp_path)
    assert load(tmp_path) == fetched
    other.save(tmp_path, overwrite=True)
    assert load(tmp_path) == other
    assert len(list(tmp_path.iterdir())) == 2, "the older rows are gone"


def test_saving_never_touches_a_folder_of_something_else(
    fetched: Result, tmp_path: Path
) -> None:
    (tmp_path / "thesis").write_text("mine")
    with pytest.raises(SaveError, match=r"holds other files \(thesis\)"):
        fetched.save(tmp_path, overwrite=True)
    with pytest.raises(SaveError, match="is a file, not a folder"):
        fetched.save(tmp_path / "thesis")
    assert (tmp_path / "thesis").read_text() == "mine"


def change(path: Path, **facts: Any) -> None:
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | facts))


def _cut(folder: Path) -> None:
    table = next(folder.glob("*.parquet"))
    table.write_bytes(table.read_bytes()[:-9])


def _lose(folder: Path) -> None:
    next(folder.glob("*.parquet")).unlink()


def _swap(folder: Path) -> None:
    pl.DataFrame({"uuid": ["x"]}).write_parquet(next(folder.glob("*.parquet")))


def _claim_complete(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"rows": 12', '"rows": 13'))


DAMAGE: list[tuple[Callable[[Path], object], str]] = [
    (_cut, "is not what was written: its hash differs"),
    (_swap, "is not what was written: its hash differs"),
    (_lose, "is missing or cannot be read"),
    (_claim_complete, "was changed after it was written"),
    (lambda each: (each / "manifest.json").write_text("{"), "cannot be read as JSON"),
    (
        lambda each: (each / "manifest.json").write_bytes(b"\xff\xfe"),
        "cannot be read as JSON",
    ),
    (
        lambda each: (each / "manifest.json").unlink(),
        "is not a save: it has no manifest.json",
    ),
    (
        lambda each: (each / "manifest.json").write_text('{"name": "pwa"}'),
        "another program's",
    ),
    (lambda each: (each / "manifest.json").write_text("[1]"), "another program's"),
    (
        lambda each: change(each / "manifest.json", version=2),
        "in version 2 of the format",
    ),
]


def test_a_damaged_or_foreign_folder_is_named(
    fetched: Result, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (damage, message) in enumerate(DAMAGE):
        folder = fetched.save(tmp_path / str(number))
        damage(folder)
        with subtests.test(message):
            with pytest.raises(SaveError, match=message) as caught:
                load(folder)
            assert str(caught.value).startswith(str(folder))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SaveError, match="is not a folder"):
        load(tmp_path / "october")


def test_a_crafted_manifest_reads_no_other_file(tmp_path: Path) -> None:
    for tables in (
        {"a": 5},
        {"a": {"table": {"file": "../../etc/passwd", "sha256": ""}}},
        [1],
    ):
        saves.SEALED.write(tmp_path, {"tables": tables})
        with pytest.raises(SaveError, match=r"which no save has|does not list tables"):
            load(tmp_path)


def test_tables_of_another_kind_are_not_results(
    fetched: Result, tmp_path: Path
) -> None:
    fetched.save(tmp_path)
    written = (tmp_path / "manifest.json").read_text()
    for name, value in (
        ("resource", "planets"),
        ("provenance", None),
        ("missing", 5),
        ("mood", 1),
    ):
        manifest = json.loads(written)
        manifest["tables"]["companies"][name] = value
        (tmp_path / "manifest.json").write_text(json.dumps(saves.SEALED.seal(manifest)))
        with pytest.raises(
            SaveError, match="does not describe results that this ventureframe"
        ):
            load(tmp_path)


def _save_for_ever(folder: str, numbers: list[int]) -> None:
    frame = pl.DataFrame({"number": numbers * 20_000})
    while True:
        result = made(COMPANIES, frame)
        about = {"sum": sum(numbers)}
        save({"numbers": result}, folder, parameters=about, overwrite=True)
        numbers = [number + 1 for number in numbers]
        frame = frame + 1


def test_a_save_that_is_killed_at_any_moment_leaves_a_whole_one(tmp_path: Path) -> None:
    first = made(COMPANIES, pl.DataFrame({"number": [0]}))
    save({"numbers": first}, tmp_path, parameters={"sum": 0})
    for tenths in range(4):
        spawn = multiprocessing.get_context("spawn")
        process = spawn.Process(target=_save_for_ever, args=(str(tmp_path), [1, 2, 3]))
        process.start()
        before = (tmp_path / "manifest.json").read_bytes()
        while (
            process.is_alive() and (tmp_path / "manifest.json").read_bytes() == before
        ):
            clock.sleep(0.002)
        clock.sleep(tenths / 300)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        held = opened(tmp_path)
        numbers = held.results["numbers"].to_polars()["number"]
        assert numbers.unique().sum() == held.parameters["sum"]


def test_a_save_of_the_version_before_opens(fetched: Result, tmp_path: Path) -> None:
    """Its manifest says the details beside the other facts, and that no walk was
    repeated.
    """
    fetched.save(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    facts = manifest["tables"]["companies"]
    assert {
        "absent_fields",
        "extra_columns",
        "asked_by",
        "notes",
        "asked",
        "missing",
    } <= set(facts)
    facts["certificate"]["is_confirmed"] = False
    (tmp_path / "manifest.json").write_text(json.dumps(saves.SEALED.seal(manifest)))
    assert load(tmp_path) == fetched


def test_an_incomplete_result_says_so(stand_in: StandIn, service: Service) -> None:
    stand_in.data = collection(ROWS, total=20)
    partial = service.companies.fetch()
    assert partial.caveats[0].startswith(
        "Not every record was read: companies · 12 of 20"
    )


def made(resource: Resource, frame: pl.DataFrame) -> Result:
    """A result over a frame that no service gave."""
    certificate = Certificate(1, 1, 1, 1, 0, 1, 0, 0.25, "complete")
    source = Source("oak", as_of=dt.date(2026, 6, 30), attribution=("a", "b"))
    about = Provenance("/data/x", None, None, None, "interface", source, None, "0")
    return Result(resource, certificate, about, frame)


@pytest.mark.parametrize(
    "resource",
    [COMPANIES, FOUNDERS, FUNDS, FUNDING_ROUNDS, NEWS, JOBS],
    ids=lambda each: each.name,
)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_value_of_every_field_survives(
    resource: Resource, data: st.DataObject, tmp_path: Path
) -> None:
    sent = json.loads(json.dumps(data.draw(drawn(resource)), default=str))
    result = made(resource, frames.assemble([page_of(sent, resource).frame], resource))
    assert load(result.save(tmp_path / "s", overwrite=True)) == result
