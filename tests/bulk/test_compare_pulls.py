"""Two pulls are compared as two fetches are, table by table, and only of one
question.
"""

from pathlib import Path

import polars as pl
import pytest

import ventureframe as vf
from tests.engines import Engine, assert_same
from tests.service.sample.sample import sample
from ventureframe import bulk
from ventureframe.errors import FetchesNotComparable
from ventureframe_service.dataset import Dataset

TABLES = ("companies", "funds", "jobs")


def test_two_pulls_differ_as_two_fetches_do(tmp_path: Path) -> None:
    fetched = []
    for day in ("2026-03-31", None):
        with vf.connect(environment={}, sample_day=day) as svc:
            svc.pull(*TABLES, out=tmp_path / str(day))
            fetched.append({name: getattr(svc, name).fetch() for name in TABLES})
            if day is None:
                where = "launch_date[gte]:2020"
                svc.pull("companies", out=tmp_path / "narrow", where=where)
    study = vf.changes.compare(tmp_path / "2026-03-31", tmp_path / "None")
    assert tuple(study.pairs) == TABLES
    for name, before in fetched[0].items():
        expected = vf.changes.compare(before, fetched[1][name]).counts
        assert study.only(name).counts == expected, name
    assert study.day == "from 31 March 2026 to 30 June 2026"
    sides = (bulk.open(tmp_path / day) for day in ("2026-03-31", "None"))
    assert vf.changes.compare(*sides).only("jobs").counts == study.only("jobs").counts
    with pytest.raises(FetchesNotComparable, match="filter differs"):
        vf.changes.compare(tmp_path / "2026-03-31", tmp_path / "narrow")


def test_lists_of_records_are_compared_as_sets_on_every_engine(
    tmp_path: Path, engine: Engine
) -> None:
    """The first company loses its tags, the second a founder; others come in another
    order.
    """
    dataset = sample(companies=60)
    companies, founders = dataset.tables["companies"], dataset.tables["founders"]
    kinds = {name: companies.schema[name] for name in ("uuid", "tag_id", "founders")}
    lists = companies.select(*kinds).to_dicts()
    untagged = next(row for row in lists if row["tag_id"])
    alone = next(row for row in lists if len(row["founders"]) > 1)
    for row in lists:
        row["tag_id"] = [] if row is untagged else row["tag_id"][::-1]
        row["founders"] = row["founders"][1:] if row is alone else row["founders"][::-1]
    studied = founders.filter(
        pl.col("education").list.len() > 0, ~pl.col("is_withheld")
    )
    learned = (
        pl.when(uuid=studied["uuid"][0])
        .then([])
        .otherwise(pl.col("education").list.reverse())
    )
    after = {
        **dataset.tables,
        "companies": companies.update(pl.DataFrame(lists, kinds), "uuid"),
        "founders": founders.with_columns(education=learned),
    }
    folders = [dataset.write(tmp_path / "old")]
    folders.append(Dataset.of(dataset.description, after).write(tmp_path / "new"))
    study, other = (
        vf.changes.compare(*(bulk.open(folder, engine=opens) for folder in folders))
        for opens in ("polars", engine.opens)
    )
    expected = {"companies": {(untagged["uuid"], "tags"), (alone["uuid"], "founders")}}
    expected["founders"] = {(studied["uuid"][0], "education")}
    for name, rows in expected.items():
        found = study.only(name).field_changes.to_polars()
        assert {*found.select("uuid", "field").iter_rows()} == rows
        assert study.only(name).counts.changed == len({uuid for uuid, _ in rows})
        assert_same(study.only(name), other.only(name))
    limits = study.only("founders").caveats.to_csv()
    assert "prior employers (not in an opened folder)" in limits
