"""Two tables compared where they are: on every engine the same, and as two fetches
of them.
"""

import datetime as dt
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines import Engine, also_quickly_on_duckdb, assert_same, few, fingerprints
from tests.service.sample.sample import sample
from ventureframe import bulk
from ventureframe.connect import connect
from ventureframe.errors import EvidenceError, FetchesNotComparable, UnsupportedValue
from ventureframe.interface.gaps import Gap
from ventureframe.interface.source import Origin, Source
from ventureframe.studies import changes

JUNE, OCTOBER = (
    Source("oak", as_of=dt.date(2013, 6, 17)),
    Source("oak", as_of=dt.date(2013, 10, 1)),
)


def assert_alike(
    before: pl.DataFrame, after: pl.DataFrame, engine: Engine, **options: Any
) -> changes.Study:
    study = changes.find(before=before, after=after, **options)
    other = changes.find(
        **engine.holding({"before": before, "after": after}), **options
    )
    assert_same(study, other)
    return study


def of_field(study: changes.Study, name: str) -> list[str]:
    """The records of which the field differs."""
    differ = study.field_changes.to_polars().filter(field=name)
    return sorted(
        [*differ["uuid"], *study.cannot_tell.to_polars().filter(field=name)["uuid"]]
    )


values: dict[str, Any] = {
    "uuid": st.sampled_from("abcdef"),
    "name": st.sampled_from([None, "", "A", "a", "İ", "ς"]),
    "launch_date": st.none() | st.integers(1999, 2001),
    "is_startup": st.none() | st.booleans(),
    "total_funding": st.none() | st.sampled_from([0.0, 1e6, 1.02e6, 7.0, float("nan")]),
    "founders": st.none() | st.lists(st.sampled_from("xyz"), max_size=2),
}
SCHEMA: dict[str, Any] = {
    "uuid": pl.String,
    "name": pl.String,
    "launch_date": pl.Int64,
    "is_startup": pl.Boolean,
    "total_funding": pl.Float64,
    "founders": pl.List(pl.String),
}
tables = st.lists(
    st.fixed_dictionaries(values), max_size=6, unique_by=lambda row: row["uuid"]
)


@also_quickly_on_duckdb
@few()
@given(before=tables, after=tables, currency=st.sampled_from([None, "EUR"]))
def test_generated_tables_differ_alike_on_every_engine(
    engine: Engine, before: list[Any], after: list[Any], currency: Any
) -> None:
    old, new = (pl.DataFrame(rows, SCHEMA) for rows in (before, after))
    options: dict[str, Any] = {"currency": currency, "sources": (JUNE, OCTOBER)}
    study = assert_alike(old, new, engine, **options)
    was, now = ({row["uuid"]: row for row in rows} for rows in (before, after))
    assert study.counts.in_both == len(was.keys() & now.keys())
    assert study.frames["newly_seen"]["uuid"].to_list() == sorted(
        now.keys() - was.keys()
    )
    renamed = [
        each
        for each in was.keys() & now.keys()
        if was[each]["name"] != now[each]["name"]
    ]
    assert of_field(study, "name") == sorted(renamed)


@pytest.mark.engines
@pytest.mark.parametrize("resource", ["companies", "founders", "funds", "news", "jobs"])
def test_the_sample_is_compared_as_two_fetches_of_it_on_every_engine(
    engine: Engine, resource: str
) -> None:
    with connect(sample_day="2026-03-31", environment={}) as svc:
        old = getattr(svc, resource).fetch()
    with connect(environment={}) as svc:
        new = getattr(svc, resource).fetch()
    sources = (old.provenance.source, new.provenance.source)
    options: dict[str, Any] = {"currency": new.provenance.currency, "sources": sources}
    study = assert_alike(
        old.to_polars(), new.to_polars(), engine, table=resource, **options
    )
    fetched = changes.compare(old, new)
    assert study.counts == fetched.counts
    assert study.limits == fetched.limits
    key = fetched.pair.key
    for name in ("newly_seen", "no_longer_seen", "field_changes", "cannot_tell"):
        order = [*key, "field"] if "field" in fetched.frames[name].columns else key
        listed = (each.frames[name].sort(order) for each in (study, fetched))
        assert len({fingerprints({name: each})[name] for each in listed}) == 1, name


@pytest.mark.engines
@pytest.mark.real
@pytest.mark.parametrize(
    "table", ["companies", "founders", "funding_rounds", "lp_managers"]
)
def test_june_and_october_differ_alike_on_every_engine(
    real_data: Path, engine: Engine, table: str
) -> None:
    june, october = (
        pl.read_parquet(real_data / name / f"{table}.parquet")
        for name in ("venture-2013", "venture-2013-10")
    )
    study = assert_alike(june, october, engine, table=table, sources=(JUNE, OCTOBER))
    key = study.pair.key
    was, now = (set(each.select(key).rows()) for each in (june, october))
    assert study.counts[:3] == (len(now - was), len(was - now), len(was & now))


@pytest.mark.real
def test_the_recorded_totals_that_differ_are_those_of_the_files(
    real_data: Path,
) -> None:
    before, after = (
        bulk.open(real_data / name) for name in ("venture-2013", "venture-2013-10")
    )
    study = changes.find(before=before, after=after)
    was, now = (
        {
            row["uuid"]: row["total_funding"]
            for row in frames["companies"].collect().to_dicts()
        }
        for frames in (before, after)
    )
    differ = sorted(each for each in was.keys() & now.keys() if was[each] != now[each])
    assert of_field(study, "total_funding") == differ
    assert study.day == "from 17 June 2013 to 1 October 2013"
    assert len(study.cannot_tell) == 0
    assert any("were they converted, a moved" in each.text for each in study.limits)


@pytest.mark.engines
def test_a_large_table_is_compared_with_less_memory_than_it_takes(
    tmp_path: Path,
) -> None:
    limited = duckdb.connect(config={"memory_limit": "100MB", "threads": 2})
    many, said = 400_000, "a text of some length that no two rows share, number {}"
    rows = pl.select(id=pl.int_range(many)).select(
        pl.col("id").hash(7).cast(pl.String).alias("uuid"),
        pl.format(said, "id").alias("name"),
        pl.format(said + " and more", "id").alias("tagline"),
    )
    rows.head(many - 10).write_parquet(tmp_path / "before.parquet")
    is_new = pl.int_range(many) % 1000 == 0
    rows.with_columns(
        name=pl.when(is_new).then(pl.lit("new")).otherwise("name")
    ).write_parquet(tmp_path / "after.parquet")
    before, after = (
        limited.read_parquet(str(tmp_path / f"{name}.parquet"))
        for name in ("before", "after")
    )
    assert rows.estimated_size("mb") * 2 > 100
    study = changes.find(before=before, after=after)
    assert study.counts == (10, 0, many - 10, 400, 0)


def test_an_opened_dataset_brings_its_source_and_its_day(tmp_path: Path) -> None:
    folder = sample(companies=50).write(tmp_path)
    for table in ("companies", "company_founders", "education", "company_tags"):
        same = bulk.open(folder)
        study = changes.find(before=same, after=same, table=table)
        assert study.day == "both of 30 June 2026"
        assert study.counts == (0, 0, study.pair.sizes[0], 0, 0)
        assert "SYNTHETIC" in repr(study.changes)


def test_a_pull_brings_the_currency_its_amounts_were_converted_to() -> None:
    rows = pl.LazyFrame({"uuid": ["a"], "total_funding": [100.0]})
    moved = rows.with_columns(total_funding=pl.lit(101.0))
    before, after = (
        {"companies": frame, "origin": Origin(source, {"EUR": 1.0})}
        for frame, source in ((rows, JUNE), (moved, OCTOBER))
    )
    study = changes.find(before=before, after=after)
    assert (study.currency, study.counts.changed, study.counts.cannot_tell) == (
        "EUR",
        0,
        1,
    )
    with pytest.raises(FetchesNotComparable, match="currency differs"):
        changes.find(
            before=before, after={**after, "origin": Origin(OCTOBER, {"USD": 1.0})}
        )


def test_what_an_incomplete_table_leaves_open_is_not_claimed() -> None:
    rows = pl.DataFrame({"uuid": ["a", "b"], "name": ["A", "B"]})
    gap = Gap("short", "companies", rows=1, of=2)
    partial = Source("oak", as_of=OCTOBER.as_of, incomplete=(gap,))
    study = changes.find(before=rows, after=rows.head(1), sources=(JUNE, partial))
    assert study.counts.no_longer_seen is None
    with pytest.raises(EvidenceError, match="not claimed"):
        study.no_longer_seen.to_polars()
    assert "the second fetch is not complete" in study.answer
    assert "INCOMPLETE: companies 1 of 2" in study.changes.caption


def test_tables_in_the_wrong_order_of_other_data_or_without_a_key_are_refused() -> None:
    one, other = (pl.DataFrame({"uuid": [each], "name": ["N"]}) for each in "ab")
    with pytest.raises(FetchesNotComparable, match="is later than the second"):
        changes.find(before=one, after=one, sources=(OCTOBER, JUNE))
    with pytest.raises(FetchesNotComparable, match="of other data"):
        changes.find(before=one, after=other)
    with pytest.raises(UnsupportedValue, match="identify a row"):
        changes.find(before=one, after=one, table="pets")
    assert (
        changes.find(before=one, after=one, table="pets", key=["uuid"]).counts.in_both
        == 1
    )
