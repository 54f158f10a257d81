"""What a reader of the client found: each was wrong once."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

import ventureframe as vf
from tests.client.stand_in import (
    Answer,
    Connect,
    StandIn,
    collection,
    full,
    uuid,
)
from tests.client.test_client import described
from tests.client.test_generation import knowing, refusing
from ventureframe.client import checks
from ventureframe.client.service import Service
from ventureframe.errors import RequestRejected, WireWarning
from ventureframe.interface.fields import COMPANIES, FOUNDERS, NEWS


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
    assert not checks.is_contradicted([marked, rows], COMPANIES.key)
    renamed = rows.with_columns(name=pl.lit("B"))
    assert checks.is_contradicted([marked, renamed], COMPANIES.key)


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


def test_a_long_condition_of_a_pull_does_not_hide_what_the_dataset_says_of_itself(
    stand_in: StandIn, service: Service
) -> None:
    condition = f"id[in_any]:{'|'.join(map(uuid, range(200)))}"
    gap = {"kind": "narrowed", "collection": "companies", "filter": condition}
    stand_in.data = described(incomplete=[gap])
    service.companies.fetch()
    assert [limit.filter for limit in service.source.incomplete] == [condition]


@pytest.mark.filterwarnings("ignore:The fetch of founders was ended early")
def test_only_ids_that_were_requested_are_missing(
    stand_in: StandIn, service: Service
) -> None:
    ids = [uuid(number) for number in range(120)]
    stand_in.data = collection([full(FOUNDERS, uuid=each) for each in ids[1:]])
    result = service.founders.by_id(ids).fetch(at_most=1, workers=1)
    assert result.missing == (ids[0],)
    assert result.certificate.verdict == "short"
    assert result.certificate.is_cancelled
    assert "49 of 120 asked" in repr(result)
    assert not any("no record was returned" in caveat for caveat in result.caveats)


def test_owners_after_the_first_are_read_at_a_time_where_the_pace_allows_it(
    stand_in: StandIn, connect: Connect
) -> None:
    sizes = list[int]()

    def pool(workers: int) -> ThreadPoolExecutor:
        sizes.append(workers)
        return ThreadPoolExecutor(workers)

    seconds = iter(range(10**6)).__next__
    service = Service(connect(clock=seconds, sleep=lambda _: None, pool=pool))
    stand_in.data = collection([])
    service.funds_of_each([uuid(number) for number in range(5)]).fetch()
    assert max(sizes) == 8


def test_many_credits_are_written_in_full() -> None:
    with vf.connect(environment={}) as svc:
        result = svc.jobs.fetch()
    certificate = dataclasses.replace(result.certificate, credits=1234567.5)
    assert "1,234,567.5 credits" in repr(
        dataclasses.replace(result, certificate=certificate)
    )


def test_a_version_that_has_no_name_is_superseded_all_the_same(
    stand_in: StandIn, service: Service
) -> None:
    old = {"Deprecation": "@1794182399"}
    stand_in.data = lambda asked: Answer(collection([])(asked).body, headers=old)
    with pytest.warns(WireWarning, match="^The version of the service's wire is super"):
        service.companies.fetch()


def test_details_of_an_error_can_be_anything(
    stand_in: StandIn, service: Service
) -> None:
    error = {"code": "UNKNOWN_FILTER", "message": "No.", "details": 1}
    stand_in.data = lambda _: Answer({"error": error}, status=400)
    with pytest.raises(RequestRejected, match=r"UNKNOWN_FILTER: No\. \(1\)"):
        service.companies.fetch()


@pytest.mark.parametrize(("status", "is_sure"), [(404, True), (402, False)])
def test_a_count_is_sure_only_where_the_service_says_that_no_page_follows(
    stand_in: StandIn, service: Service, status: int, *, is_sure: bool
) -> None:
    whole = collection([full(COMPANIES, uuid=uuid(1))])
    stand_in.data = lambda asked: (
        Answer({"error": {"code": "X"}}, status=status)
        if asked.parameters.get("offset") == "1"
        else whole(asked)
    )
    listing = service.companies.listing
    if is_sure:
        assert listing.counted(is_sure=True)[0] == 1
    else:
        with pytest.raises(RequestRejected):
            listing.counted(is_sure=True)


def test_a_row_of_several_batches_is_a_duplicate(
    stand_in: StandIn, service: Service
) -> None:
    ids = [uuid(number) for number in range(51)]
    article = full(NEWS, id=7, entity_id=ids[0], entity_ids=[ids[0], ids[50]])
    stand_in.data = lambda _: Answer({"data": [article], "page": {"total": 1}})
    certificate = service.news.about(ids).fetch().certificate
    counts = (certificate.rows, certificate.distinct, certificate.duplicates)
    assert counts == (2, 1, 1)
