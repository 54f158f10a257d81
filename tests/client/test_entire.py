"""Rows of many ids: picked from the whole list where that takes fewer requests than
the batches.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest

from tests.client.stand_in import (
    Answer,
    Asked,
    StandIn,
    collection,
    full,
    uuid,
    with_records,
)
from ventureframe.client.query import Query
from ventureframe.client.result import Result
from ventureframe.client.service import Service
from ventureframe.client.walk import walk
from ventureframe.connect import connect
from ventureframe.interface import fields
from ventureframe.interface.filters import news_item

Row = Mapping[str, object]
Ask = Callable[[Service, Sequence[str]], Query]

IDS = random.Random(3).sample([uuid(number) for number in range(1_030)], 1_030)
REFUSED = Answer(
    {"error": {"code": "VALIDATION_ERROR", "message": "ids are needed"}}, 400
)
JOBS: list[Row] = [full(fields.JOBS, id=n, entity_id=uuid(n * 7)) for n in range(120)]
NEWS: list[Row] = [
    full(
        fields.NEWS, id=n, entity_id=uuid(n * 9), entity_ids=[uuid(n * 9), uuid(n * 5)]
    )
    for n in range(90)
]

FOUNDERS: list[Row] = [full(fields.FOUNDERS, uuid=uuid(n)) for n in range(1_000)]


def listed(
    rows: Sequence[Row], *, is_listed: bool = True, unlisted: Sequence[Row] = ()
) -> Callable[[Asked], Answer]:
    """An endpoint that gives all its rows, or those of ids, which can be `unlisted`
    ones too.
    """

    def answer(asked: Asked) -> Answer:
        wanted = re.search(r"(?:entity_id|id)\[in_any\]:([0-9a-f|-]+)", _filter(asked))
        if wanted is None:
            return every(asked) if is_listed else REFUSED
        ids = set(wanted[1].split("|"))
        found = [row for row in (*rows, *unlisted) if ids & _ids(row)]
        parameters = {
            name: each for name, each in asked.parameters.items() if name != "filter"
        }
        return collection(found)(Asked("GET", asked.path, parameters, {}, b""))

    every = collection(rows)
    return answer


def _filter(asked: Asked) -> str:
    return asked.parameters.get("filter", "")


def _ids(row: Row) -> set[object]:
    several = row.get("entity_ids")
    return {
        row.get("uuid"),
        row.get("entity_id"),
        *(several if isinstance(several, list) else ()),
    }


def jobs(svc: Service, ids: Sequence[str]) -> Query:
    return svc.jobs.at(ids)


def founders(svc: Service, ids: Sequence[str]) -> Query:
    return svc.founders.by_id(ids)


def news(svc: Service, ids: Sequence[str]) -> Query:
    return svc.news.about(ids)


@pytest.mark.parametrize(
    ("ask", "rows", "requests"),
    [(jobs, JOBS, 2), (news, NEWS, 2), (founders, FOUNDERS, 5)],
)
def test_rows_picked_from_the_whole_list_are_those_of_the_batches_in_their_order(
    ask: Ask, rows: list[Row], requests: int, stand_in: StandIn, service: Service
) -> None:
    stand_in.data = listed(rows, is_listed=False)
    batched = ask(service, IDS).fetch()
    assert len(stand_in.data_asked) == 1 + 21, (
        "a count that is refused, and the batches"
    )
    assert ask(service, IDS).cost().requests == 1 + 21
    stand_in.asked.clear()
    stand_in.data = listed(rows)
    picked = ask(service, IDS).fetch()
    assert len(stand_in.data_asked) == requests, "a count, the pages"
    assert picked.to_polars().equals(batched.to_polars())
    assert picked.to_polars().schema == batched.to_polars().schema
    assert picked.to_pandas().equals(batched.to_pandas())
    assert (picked.asked, picked.missing) == (batched.asked, batched.missing)
    assert with_records(picked) == with_records(batched)
    assert picked.without_records == batched.without_records
    assert picked.caveats == batched.caveats
    assert picked.provenance.filter == batched.provenance.filter
    assert picked.certificate.verdict == batched.certificate.verdict
    assert _without_time(picked) == _without_time(batched)


def _without_time(result: Result) -> str:
    """What is said of the result, but for the minute it was fetched in."""
    return re.sub(r"\d\d:\d\d UTC", "", repr(result))


def test_records_that_the_whole_list_lacks_are_asked_for_by_id(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = listed(FOUNDERS[:900], unlisted=FOUNDERS[900:])
    result = founders(service, IDS).fetch()
    assert result.to_polars()["uuid"].n_unique() == len(result) == 1_000
    assert set(result.missing) == {uuid(number) for number in range(1_000, 1_030)}
    assert (
        founders(service, [uuid(number) for number in range(1_000)]).fetch().is_complete
    )


def test_a_list_of_as_many_pages_as_there_are_batches_is_not_walked(
    stand_in: StandIn, service: Service
) -> None:
    many: list[Row] = [
        full(fields.JOBS, id=n, entity_id=uuid(n % 900)) for n in range(7_998)
    ]
    stand_in.data = listed(many)
    assert len(service.jobs.at(IDS[:200]).fetch()) == sum(
        row["entity_id"] in IDS[:200] for row in many
    )
    count, *batches = stand_in.data_asked
    assert (count.parameters["limit"], _filter(count)) == ("1", "")
    assert [_filter(asked).count("|") for asked in batches] == [49] * 4
    stand_in.asked.clear()
    result = service.jobs.at(IDS[:251]).fetch()
    assert [_filter(asked) for asked in stand_in.data_asked] == [""] * (1 + 5)
    assert result.certificate.reported_last == result.certificate.rows == 7_998


def test_a_filter_stays_on_the_whole_list(stand_in: StandIn, service: Service) -> None:
    stand_in.data = listed(NEWS)
    said = f"entity_id[neq]:{uuid(999)}"
    result = service.news.where(news_item.entity_id != uuid(999)).about(IDS).fetch()
    assert [_filter(asked) for asked in stand_in.data_asked] == [said] * 2
    assert result.provenance.filter == said


def test_a_walk_counts_every_row_and_keeps_those_that_are_wanted(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = collection([{"id": n, "title": "T"} for n in range(4_500)])
    found = walk(
        service.jobs.listing,
        keep=lambda rows: rows.filter(pl.col("id") % 9 == 0),
        clock=lambda: 0.0,
    )
    assert sum(frame.height for frame in found.frames) == 500
    assert found.certificate.verdict == "complete"
    assert (found.certificate.rows, found.certificate.distinct) == (4_500, 4_500)


@pytest.mark.real
def test_jobs_and_news_of_all_companies_take_as_many_requests_as_their_lists_have_pages(
    real_data: Path,
) -> None:
    folder = real_data / "venture-2013"
    everyone = pl.read_parquet(folder / "companies.parquet", columns=["uuid"])["uuid"]
    written = pl.read_parquet(folder / "news.parquet")
    with connect(data=folder, environment={}) as svc:
        found = svc.news.about(everyone).fetch()
        some = svc.news.about(everyone.sample(5_000, seed=1)).fetch()
        none = svc.jobs.at(everyone).fetch()
    assert found.is_complete
    assert found.certificate.pages == 1 + 21, "a count before"
    assert none.certificate.pages == 1 + 1
    assert sorted(found.to_polars()["id"]) == sorted(written["id"])
    linked = written.select("id", each="entity_ids").explode("each")
    wanted = linked.filter(pl.col("each").is_in(list(some.asked or ())))["id"].unique()
    assert sorted(some.to_polars()["id"]) == sorted(wanted)
    assert some.certificate.pages == 1 + 21
