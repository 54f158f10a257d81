"""What a reader of the client found: each was wrong once."""

import threading

import polars as pl
import pytest

import ventureframe as vf
from tests.client.stand_in import uuid
from ventureframe.client import checks
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.fields import COMPANIES


def test_a_fetch_that_ends_early_leaves_the_event_of_its_caller_alone() -> None:
    own = threading.Event()
    with vf.connect(environment={}) as svc:
        with pytest.warns(vf.errors.EvidenceWarning, match="ended early"):
            short = svc.jobs.fetch(cancel=own, at_most=1)
        assert not short.is_complete
        assert not own.is_set()
        assert svc.jobs.fetch(cancel=own).is_complete


def test_records_by_no_id_take_no_filter_either() -> None:
    with vf.connect(environment={}) as svc:
        for ids in ([], [uuid(1)]):
            with pytest.raises(UnsupportedValue, match="does not combine with ids"):
                svc.companies.by_id(ids).where(vf.company.launch_date >= 2020)


def test_a_column_that_only_other_rows_have_is_no_difference() -> None:
    rows = pl.DataFrame({"uuid": ["a"], "name": ["A"]})
    marked = rows.with_columns(withheld=pl.lit(None, pl.List(pl.String)))
    assert not checks.is_unequal(rows, [0], marked)
    assert not checks.is_contradicted([marked, rows], COMPANIES)
    renamed = rows.with_columns(name=pl.lit("B"))
    assert checks.is_unequal(renamed, [0], marked)
    assert checks.is_contradicted([marked, renamed], COMPANIES)


def test_a_count_of_groups_has_no_currency() -> None:
    with vf.connect(environment={}) as svc:
        counted = svc.aggregate("companies", group_by="hq_country")
        summed = svc.aggregate(
            "companies", metric="sum:total_funding", group_by="hq_country"
        )
    assert (counted.provenance.currency, summed.provenance.currency) == (None, "USD")
