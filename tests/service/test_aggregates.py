"""Grouped measures agree with a count by hand and say what they were counted on."""

import polars as pl

from tests.service.caller import Caller, calling
from ventureframe_service.dataset import Dataset

AGGREGATE = "/analytics/aggregate/"
UUID = "00000000-0000-0000-0000-{:012d}"
TAG = 1001


def test_the_group_without_a_value_stands_last_where_groups_are_sorted_by_it(
    caller: Caller,
) -> None:
    for sort in ("tag_id", "-tag_id", "-tag_name,count"):
        rows = caller.rows(AGGREGATE + "companies", group_by="tag_id", sort=sort)
        assert [row["tag_id"] is None for row in rows] == [False] * (len(rows) - 1) + [
            True
        ], sort


def test_values_that_a_list_repeats_are_one_value(small: Dataset) -> None:
    person = small.tables["founders"].row(0, named=True)
    school = small.tables["universities"]["uuid"][0]
    members = (
        "university_uuid",
        "university_name",
        "degree",
        "major",
        "start_year",
        "end_year",
    )
    entry = dict.fromkeys(members)
    twice = [
        {**entry, "university_uuid": school, "degree": each} for each in ("BSc", "MSc")
    ]
    people = [
        {**person, "uuid": UUID.format(1), "education": [*twice, entry]},
        {**person, "uuid": UUID.format(2), "education": [entry, entry]},
        {**person, "uuid": UUID.format(3), "education": []},
        {**person, "uuid": UUID.format(4), "education": None},
    ]
    founders = pl.DataFrame(people, schema=small.tables["founders"].schema)
    company = {**small.tables["companies"].row(0, named=True), "founders": []}
    companies = pl.DataFrame(
        [
            {**company, "tag_id": [TAG, TAG]},
            {**company, "uuid": UUID.format(5), "tag_id": []},
        ],
        schema=small.tables["companies"].schema,
    )
    tables = {"founders": founders, "companies": companies}
    kept = {
        name: small.tables[name] for name in ("tags", "locations", "universities", "fx")
    }
    with calling(Dataset.of(small.description, kept | tables)) as caller:
        people_of = caller.rows(AGGREGATE + "founders", group_by="university_uuid")
        tagged = caller.rows(AGGREGATE + "companies", group_by="tag_id")
    assert [tuple(row.values()) for row in people_of] == [(school, 1), (None, 3)]
    assert [(row["tag_id"], row["count"]) for row in tagged] == [(TAG, 1), (None, 1)]


def test_groups_are_sorted_and_limited(caller: Caller) -> None:
    asked = {"metric": "sum:total_funding", "group_by": "hq_country"}
    top = caller.page(
        AGGREGATE + "companies", **asked, sort="-sum_total_funding", limit=3
    )
    sums = [group["sum_total_funding"] for group in top["data"]]
    assert len(sums) == 3
    assert sums == sorted(sums, reverse=True)
    assert top["query_info"]["groups"] > 3
    assert "page" not in top


REFUSED: tuple[tuple[dict[str, object], str], ...] = (
    ({}, "group_by"),
    ({"group_by": "name"}, "group_by"),
    ({"group_by": "hq_city,hq_country,launch_date"}, "group_by"),
    ({"group_by": "hq_city,hq_city"}, "group_by"),
    ({"group_by": "hq_city", "metric": "max:total_funding"}, "metric"),
    ({"group_by": "hq_city", "metric": "sum:name"}, "metric"),
    ({"group_by": "hq_city", "metric": "avg:signal_team"}, "metric"),
    ({"group_by": "hq_city", "metric": "count:name"}, "metric"),
    ({"group_by": "hq_city", "sort": "launch_date"}, "sort"),
    ({"group_by": "hq_city", "currency": "CHF"}, "currency"),
)


def test_what_cannot_be_measured_is_refused(caller: Caller) -> None:
    for query, parameter in REFUSED:
        status, code, details = caller.error(AGGREGATE + "companies", **query)
        assert (status, code, details["parameter"]) == (
            400,
            "VALIDATION_ERROR",
            parameter,
        ), query


def test_an_unknown_source_is_not_found(caller: Caller) -> None:
    assert caller.error(AGGREGATE + "news", group_by="year")[:2] == (404, "NOT_FOUND")
    assert (
        caller.error(AGGREGATE + "companies", group_by="hq_city", limit=501)[0] == 422
    )
