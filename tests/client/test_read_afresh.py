"""What a reader of the client found: each was wrong once."""

import threading

import polars as pl
import pytest

import ventureframe as vf
from tests.client.stand_in import Connect, StandIn, collection
from tests.client.test_client import described
from tests.client.test_generation import knowing, refusing
from ventureframe.client import checks
from ventureframe.client.service import Service
from ventureframe.interface.fields import COMPANIES


def test_a_fetch_that_ends_early_leaves_the_event_of_its_caller_alone() -> None:
    own = threading.Event()
    with vf.connect(environment={}) as svc:
        with pytest.warns(vf.errors.EvidenceWarning, match="ended early"):
            short = svc.jobs.fetch(cancel=own, at_most=1)
        assert not short.is_complete
        assert not own.is_set()
        assert svc.jobs.fetch(cancel=own).is_complete


def test_a_column_that_only_other_rows_have_is_no_difference() -> None:
    rows = pl.DataFrame({"uuid": ["a"], "name": ["A"]})
    marked = rows.with_columns(withheld=pl.lit(None, pl.List(pl.String)))
    assert not checks.is_unequal(rows, [0], marked)
    assert not checks.is_contradicted([marked, rows], COMPANIES)
    renamed = rows.with_columns(name=pl.lit("B"))
    assert checks.is_unequal(renamed, [0], marked)
    assert checks.is_contradicted([marked, renamed], COMPANIES)


@pytest.mark.parametrize(("status", "is_known_later"), [(503, True), (404, False)])
def test_an_answer_on_filters_is_remembered_and_a_failure_is_not(
    stand_in: StandIn, service: Service, status: int, *, is_known_later: bool
) -> None:
    stand_in.data = refusing(status, collection([]))
    assert not service.connection.filters_by("name")
    stand_in.data = knowing("name")
    assert service.connection.filters_by("name") == is_known_later


@pytest.mark.filterwarnings("ignore:The fetch of companies was ended early")
@pytest.mark.parametrize(
    ("is_embedded", "at_most", "source"),
    [(False, 1, "127.0.0.1"), (False, 2, "oak"), (True, 1, "oak")],
)
def test_at_most_counts_the_request_for_the_description_of_a_dataset(
    stand_in: StandIn, connect: Connect, at_most: int, source: str, *, is_embedded: bool
) -> None:
    stand_in.data = described()
    service = Service(connect(), is_embedded=is_embedded)
    result = service.companies.fetch(at_most=at_most)
    assert len(stand_in.data_asked) == at_most
    assert result.provenance.source.name == source
