"""Rows that a query needs without a list come at a lower price where the wire has such:
what they leave out is not requested, and never taken for not recorded.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import ventureframe as vf
from tests.fake import Tier, start
from tests.faults import connected
from tests.service.sample.sample import sample
from ventureframe.client.decode import decode
from ventureframe.client.service import Service
from ventureframe.errors import UnknownField, UnsupportedValue
from ventureframe.interface.gaps import Gap
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.generations import WIRE_2026_10_02 as WIRE

SAMPLE = sample(companies=300)
EXAMPLES = Path(__file__).parents[3] / "shared/spec/wire-2026-10-02.examples.json"
LISTS = {"companies": ("founders",), "founders": ("education", "prior_employers")}
RECENT = vf.company.launch_date >= 2020


@pytest.fixture(scope="module")
def newer() -> Iterator[Service]:
    with (
        start(SAMPLE) as running,
        connected(running, profile=WIRE, is_embedded=True) as service,
    ):
        yield service


@pytest.mark.parametrize("records", LISTS)
def test_rows_without_their_lists_equal_whole_rows_in_every_other_field(
    newer: Service, records: str
) -> None:
    query, lists = getattr(newer, records), LISTS[records]
    ids = query.fetch().to_polars()["uuid"].head(70)
    whole, short = query.by_id(ids).fetch(), query.without(*lists).by_id(ids).fetch()
    assert short.is_complete
    assert short.to_polars().equals(whole.to_polars().drop(lists))
    assert short.details.absent_fields == short.details.unknown_keys == ()
    assert (short.withheld, short.details.partial) == ({}, ())
    gaps = [Gap("not_requested", records, name) for name in lists]
    assert str(gaps[0]) == f"{lists[0]} of {records}: not requested"
    assert list(short.details.not_requested) == gaps
    for name, gap in zip(lists, gaps, strict=True):
        assert f" · {gap} · " in short.line
        said = f"The query does without {name} of {records}: nothing follows from its"
        assert f"{said} absence." in short.caveats
        with pytest.raises(
            UnsupportedValue, match=f"'table' cannot be '{name}': it was not requested"
        ):
            short.to_polars(name)


def test_a_save_of_them_keeps_what_was_not_requested(
    newer: Service, tmp_path: Path
) -> None:
    fetched = newer.companies.where(RECENT).without("founders").fetch()
    assert vf.load(fetched.save(tmp_path / "save")) == fetched
    assert fetched.details.not_requested


def test_on_the_older_wire_rows_come_whole() -> None:
    with vf.connect(environment={}) as service:
        query = service.companies.where(RECENT)
        assert query.without("founders").fetch() == query.fetch()


def test_a_list_that_is_wanted_is_requested_whatever_was_said_before(
    newer: Service,
) -> None:
    query = newer.companies.where(RECENT)
    whole = query.with_all("founders")
    again = query.without("founders").with_all("founders")
    assert again.fetch().to_polars().equals(whole.fetch().to_polars())
    fewer = whole.without("founders")
    assert fewer.listing == query.without("founders").listing
    with pytest.raises(UnknownField, match="companies has no field 'founder' to leave"):
        query.without("founder")


def test_rows_that_need_one_of_two_lists_come_whole(newer: Service) -> None:
    ids = newer.founders.fetch().to_polars()["uuid"].head(50)
    query = newer.founders.without("education")
    people = query.by_id(ids).fetch()
    assert people.details.not_requested == ()
    assert people.to_polars("prior_employers").height > 0
    names = query.without("prior_employers").by_id(ids).fetch()
    assert names.to_polars().columns == ["uuid", "name", "profile_links"]


@pytest.mark.parametrize("tier", ["free", "premium"])
def test_what_rows_do_not_have_refutes_no_filter_and_is_not_withheld(
    tier: Tier, recwarn: pytest.WarningsRecorder
) -> None:
    with (
        start(SAMPLE, tier=tier) as running,
        connected(running, profile=WIRE) as service,
    ):
        query = service.companies.where(vf.company.has_founder == True)  # noqa: E712
        result = query.where(RECENT).without("founders").fetch()
    assert len(result) > 0
    assert result.withheld == {}
    unchecked = "Not checked: that the rows meet the filter on has_founder, which no"
    assert any(text.startswith(unchecked) for text in result.caveats)
    assert "leave out" not in " ".join(str(each.message) for each in recwarn)


def test_the_summary_row_of_the_vendor_s_document_is_read() -> None:
    if not EXAMPLES.is_file():
        pytest.skip("the document of today's wire is not beside this checkout")
    for example in json.loads(EXAMPLES.read_text("utf-8"))["examples"]:
        name = example["endpoint"].rpartition("/")[2]
        if example.get("variant") != "summary" or name not in LISTS:
            continue
        shape = WIRE.shapes[name].short
        reply = Reply("/data/x", json.dumps(example["body"]).encode(), {})
        chunk = decode([reply], shape, profile=WIRE)
        assert chunk.absent == frozenset()
        assert chunk.frame["name"].null_count() == 0
        assert not pl.Series(LISTS[name]).is_in(chunk.frame.columns).any()
