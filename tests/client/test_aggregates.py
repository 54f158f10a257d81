"""Grouped metrics are typed, named after what they compute, and say when groups may
be missing.
"""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from tests.client.stand_in import Answer, Connect, StandIn
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, QueryError, UnreadableReply
from ventureframe.interface.filters import company as where
from ventureframe.interface.wire.generations import WIRE_2026_10_02


def groups(
    *rows: dict[str, object], currency: str = "USD"
) -> Callable[[object], Answer]:
    return lambda _: Answer(
        {"data": list(rows), "query_info": {}, "currency": currency}
    )


def test_one_row_per_group_with_a_column_per_field_and_the_metric(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = groups(
        {"hq_country": None, "count": 12}, {"hq_country": "Norland", "count": 214}
    )
    found = service.aggregate(
        "companies",
        group_by="hq_country",
        where=where.launch_date >= 2005,
        sort="-count",
    )
    assert found.to_polars().to_dict(as_series=False) == {
        "hq_country": ["Norland", None],
        "count": [214, 12],
    }
    shown = (
        "count of companies by hq_country · 2 groups · every group returned · fetched"
    )
    assert repr(found).startswith(shown)
    (asked,) = stand_in.data_asked
    assert asked.path == "/analytics/aggregate/companies"
    assert asked.parameters == {
        "metric": "count",
        "group_by": "hq_country",
        "filter": "launch_date[gte]:2005",
        "sort": "-count",
        "currency": "USD",
        "limit": "500",
    }
    assert found.provenance.filter == "launch_date[gte]:2005"
    assert found.provenance.currency is None


def test_money_names_its_currency_and_is_null_where_nothing_is_known(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = groups(
        {"launch_date": 1999, "hq_country": "Norland", "sum_total_funding": 5},
        {"launch_date": None, "hq_country": None, "sum_total_funding": None},
        currency="EUR",
    )
    found = service.aggregate(
        "companies",
        group_by=["launch_date", "hq_country"],
        metric="sum:total_funding",
        currency="EUR",
    )
    assert found.provenance.currency == "EUR"
    frame = found.to_polars()
    assert frame.schema == {
        "launch_date": pl.Int64,
        "hq_country": pl.String,
        "sum_total_funding": pl.Float64,
        "currency": pl.String,
    }
    assert frame["currency"].to_list() == ["EUR", "EUR"]
    assert frame["sum_total_funding"].to_list() == [5.0, None]


@pytest.mark.parametrize("name", ["launch_date", "dimension"])
def test_a_single_field_stands_under_its_name_or_as_the_dimension_without_labels(
    stand_in: StandIn, service: Service, name: str
) -> None:
    row = {name: 1999, "count": 7, "known_total_funding": 3, "label": "of 1999"}
    stand_in.data = groups(row)
    counted = service.aggregate("companies", group_by="launch_date").to_polars()
    assert counted.to_dicts() == [{"launch_date": 1999, "count": 7}]


def test_no_groups_have_the_types_that_groups_have(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = groups()
    counted = service.aggregate("companies", group_by="launch_date").to_polars()
    assert counted.schema == {"launch_date": pl.Int64, "count": pl.Int64}


ODD_GROUPS: list[dict[str, object]] = [
    {"count": 5},
    {"hq_country": "Norland"},
    {"hq_country": "Norland", "count": "5"},
    {"hq_country": "Norland", "count": True},
    {"hq_country": 5, "count": 5},
    {"hq_country": "Norland", "sum": 5},
    {"hq_country": "Norland", "count": None},
    {"hq_country": "Norland", "count": -4},
]


ODD = r"has a group without hq_country or count|of groups record"


def test_a_group_of_another_shape_is_named(stand_in: StandIn, service: Service) -> None:
    for row in ODD_GROUPS:
        stand_in.data = groups(row)
        with pytest.raises(UnreadableReply, match=ODD):
            service.aggregate("companies", group_by="hq_country")
    stand_in.data = groups(currency="GBP")
    with pytest.raises(UnreadableReply, match="in 'GBP' where USD was asked for"):
        service.aggregate("companies", group_by="hq_country")


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("universities", {"group_by": "name"}, "it is one of companies, "),
    ("companies", {"group_by": "a", "currency": "JPY"}, "converts to"),
    (
        "companies",
        {"group_by": "a", "limit": 0},
        "'limit' cannot be 0: give a whole number of 1 or more",
    ),
    (
        "jobs",
        {"group_by": "a", "where": where.is_startup == True},  # noqa: E712
        "is_startup",
    ),
]


def test_a_wrong_question_is_refused_before_anything_is_sent(
    stand_in: StandIn, service: Service
) -> None:
    for source, asked, message in WRONG:
        with pytest.raises(QueryError, match=message):
            service.aggregate(source, **asked)
    assert stand_in.asked == []


def cities(count: int) -> list[dict[str, object]]:
    return [{"hq_city": f"City {number}", "count": 1} for number in range(count)]


@pytest.mark.parametrize(
    ("envelope", "limit", "is_complete"),
    [
        ({}, 3, False),
        ({"page": {"limit": 3}}, 100, False),
        ({"page": {"has_more": True}}, 100, False),
        ({"page": {"total": 100}}, 100, False),
        ({"page": {"total": 3}}, None, True),
    ],
)
def test_groups_that_may_not_be_all_are_not_every_group(
    stand_in: StandIn,
    service: Service,
    envelope: dict[str, object],
    limit: int | None,
    is_complete: bool,
) -> None:
    stand_in.data = lambda _: Answer({"data": cities(3), **envelope})
    found = service.aggregate("companies", group_by="hq_city", limit=limit)
    assert found.is_complete is is_complete
    assert ("INCOMPLETE: there can be more groups" in repr(found)) is not is_complete
    assert ("every group returned" in repr(found)) is is_complete


def test_a_group_that_repeats_is_an_error(stand_in: StandIn, service: Service) -> None:
    row: dict[str, object] = {"launch_date": None, "count": 1}
    stand_in.data = groups(row, {**row, "count": 2})
    with pytest.raises(UnreadableReply, match="has a group more than once"):
        service.aggregate("companies", group_by="launch_date")


def test_what_is_doubtful_about_groups_is_warned_of(
    stand_in: StandIn, service: Service
) -> None:
    money = {"launch_date": 1999, "sum_total_funding": 5.0}
    stand_in.data = lambda _: Answer({"data": [money]})
    metric = "sum:total_funding"
    with pytest.warns(EvidenceWarning, match=f"does not say the currency of {metric}"):
        service.aggregate("companies", group_by="launch_date", metric=metric)
    stand_in.data = lambda _: Answer({"data": cities(1), "page": {"capped": True}})
    with pytest.warns(EvidenceWarning, match="says capped true beside its rows"):
        assert not service.aggregate("companies", group_by="hq_city").is_complete


def test_groups_by_uuid_are_read_in_lower_case_and_another_text_is_refused(
    stand_in: StandIn, service: Service
) -> None:
    upper = "ABCDEF00-0000-4000-8000-000000000001"
    stand_in.data = groups({"university_uuid": upper, "count": 1})
    found = service.aggregate("founders", group_by="university_uuid").to_polars()
    assert found["university_uuid"].to_list() == [upper.lower()]
    stand_in.data = groups({"university_uuid": "Oak", "count": 1})
    with pytest.raises(
        UnreadableReply, match=r"in .university_uuid. of .* not of type uuid"
    ):
        service.aggregate("founders", group_by="university_uuid")


def test_a_sort_is_sent_in_the_words_of_the_wire(
    stand_in: StandIn, connect: Connect
) -> None:
    stand_in.data = groups({"taxonomy_id": 7, "count": 12})
    Service(connect(WIRE_2026_10_02)).aggregate(
        "companies", group_by="tag_id", sort="-tag_id"
    )
    (asked,) = stand_in.data_asked
    assert asked.parameters["sort"] == "-taxonomy_id"
