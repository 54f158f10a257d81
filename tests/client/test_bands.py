"""A score that only filters is told as a band, from which companies reach which edge."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from tests.client.conftest import Answer, Asked, StandIn, collection, company, uuid
from ventureframe import filters
from ventureframe.client import Service
from ventureframe.errors import IncompleteResult, QueryError

SCORES = {uuid(1): 0.0, uuid(2): 19.5, uuid(3): 20.0, uuid(4): 79.9, uuid(5): 100.0, uuid(6): None}


def scored(asked: Asked) -> Answer:
    """Companies by `and(id[in_any]:…,signal_team[gte]:…)`; the score is in no row."""
    within, reached = filters.parse(asked.parameters["filter"]).clauses()
    assert (within.field, reached.field, reached.operator) == ("id", "signal_team", "gte")
    edge = float(reached.values[0])
    found = [
        company(int(each[-4:]))
        for each in within.values
        if (score := SCORES.get(each)) is not None and score >= edge
    ]
    return collection(found)(Asked("GET", asked.path, {**asked.parameters, "filter": ""}, {}, b""))


def test_each_company_has_the_band_between_two_edges(stand_in: StandIn, service: Service) -> None:
    stand_in.data = scored
    found = service.bands("signal_team", [*SCORES, uuid(99)], edges=[80, 20])
    assert found.to_polars().rows() == [
        (uuid(1), "0 to below 20", 0.0, 20.0),
        (uuid(2), "0 to below 20", 0.0, 20.0),
        (uuid(3), "20 to below 80", 20.0, 80.0),
        (uuid(4), "20 to below 80", 20.0, 80.0),
        (uuid(5), "80 or more", 80.0, None),
        (uuid(6), None, None, None),
        (uuid(99), None, None, None),
    ]
    assert repr(found) == "bands of signal_team at 0, 20, 80 · known for 5 of 7 asked"
    assert found.to_polars().columns == [
        "company_uuid",
        "signal_team_band",
        "signal_team_from",
        "signal_team_below",
    ]
    assert list(found.to_pandas().columns) == found.to_polars().columns


def test_only_what_reached_an_edge_is_asked_about_the_next(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = scored
    service.bands("signal_team", [*SCORES, *(uuid(number) for number in range(100, 200))])
    asked = [filters.parse(each.parameters["filter"]) for each in stand_in.data_asked]
    sizes = [len(next(each.clauses()).values) for each in asked]
    assert sizes == [50, 50, 6, 5, 3, 2, 2]


def test_an_answer_that_is_not_whole_makes_no_band(stand_in: StandIn, service: Service) -> None:
    stand_in.data = collection([company(1)], total=2)
    with pytest.raises(IncompleteResult):
        service.bands("signal_team", [uuid(1), uuid(2)])


def test_nobody_is_no_request_and_the_same_columns(stand_in: StandIn, service: Service) -> None:
    frame = service.bands("signal_timing", []).to_polars()
    assert stand_in.asked == []
    assert frame.schema["signal_timing_from"] == pl.Float64
    assert frame.height == 0


@pytest.mark.parametrize(
    ("score", "edges", "message"),
    [
        ("signal_rating", [50], "bands are for signal_timing, signal_team"),
        ("signal_tem", [50], "did you mean 'signal_team'"),
        ("signal_team", [50, 50], "different numbers between 0 and 100"),
        ("signal_team", [0], "different numbers between 0 and 100"),
        ("signal_team", [500], "not within 0 to 100"),
    ],
)
def test_a_wrong_question_is_refused_before_anything_is_sent(
    stand_in: StandIn,
    service: Service,
    score: str,
    edges: Sequence[float],
    message: str,
) -> None:
    with pytest.raises(QueryError, match=message):
        service.bands(score, [uuid(1)], edges=edges)
    assert stand_in.asked == []
