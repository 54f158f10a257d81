"""Saves and watch folders of the build before open, equal; so do pulls (`bulk`).

The service has no change feed: a folder that is lost is history that is lost. The
folders in `before` were written by the build dcfe6f64, from the embedded sample:
`result` has the companies since 2026 in EUR, `withheld` three of four companies by id
with a key of the lowest tier, and `watch` an exposure study.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from ventureframe import cli
from ventureframe.client.result import Result, opened
from ventureframe.interface.files import to_plain
from ventureframe.watch import watch

SAVES = ("result", "withheld", "watch/0001")
Before = Callable[[str], Path]


@pytest.fixture
def before(tmp_path: Path) -> Before:
    """A copy of one of the folders."""
    folders = Path(__file__).parent / "before"
    return lambda name: shutil.copytree(folders / name, tmp_path / name)


def written(folder: Path) -> dict[str, Any]:
    about = json.loads((folder / "manifest.json").read_text("utf-8"))
    return dict[str, Any](about["tables"])


@pytest.mark.parametrize("name", SAVES)
def test_a_save_opens_with_its_rows_and_facts_and_is_equal_saved_again(
    before: Before, tmp_path: Path, name: str
) -> None:
    folder = before(name)
    tables, saved = written(folder), opened(folder)
    assert list(saved.results) == list(tables)
    for part, result in saved.results.items():
        facts = tables[part]
        rows = pl.read_parquet(folder / facts["table"]["file"])
        assert result.to_polars().equals(rows)
        assert rows.height == facts["table"]["rows"] > 0
        for fact in ("resource", "certificate", "provenance"):
            stands, was = to_plain(getattr(result, fact)), facts[fact]
            if isinstance(was, dict):
                for gone in ("is_repeated", "reported_first"):
                    was.pop(gone, None)
            assert stands == was
        assert list(result.missing) == facts["missing"]
        again = result.save(tmp_path / "again" / part)
        assert vf.load(again) == result
        assert repr(vf.load(again)) == repr(result)


def test_the_facts_of_a_save_stay_what_they_were(before: Before) -> None:
    companies = vf.load(before("result"))
    assert companies.is_complete
    assert (len(companies), companies.provenance.currency) == (28, "EUR")
    assert companies.provenance.filter == "launch_date[gte]:2026"
    withheld: Result = vf.load(before("withheld"))
    assert withheld.line.startswith("companies · 3 of 4 asked · short")
    assert withheld.withheld == {"founders": 3}
    assert withheld.without_records == ("00000000-0000-4000-8000-000000000000",)
    said = " ".join(withheld.caveats)
    assert "The service withholds founders (companies: 3 of 3)" in said
    assert "Check the key: the service answers as if none were sent" in said


def test_a_watch_folder_is_compared_with_and_continued(
    before: Before, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = before("watch")
    lp = ("Ostrander Institute Endowment", "endowment.ostrander.example")
    question = vf.exposure.Question(lps=[lp], since=2024)
    with vf.connect(environment={}) as service:
        outcome = watch(question, service, folder)
    assert outcome.status == 0
    assert "nothing new" in outcome.lines[0]
    last = json.loads((folder / "0002.json").read_text("utf-8"))
    assert last["before"] == "0001"
    assert cli.main(["compare", f"{folder}/0001", f"{folder}/0002"]) == 0
    assert "in both fetches changed." in capsys.readouterr().out
