"""Groups are sorted and limited; what cannot be grouped or measured is refused."""

from tests.service.caller import Caller

AGGREGATE = "/analytics/aggregate/"


def test_the_group_without_a_value_stands_last_where_groups_are_sorted_by_it(
    caller: Caller,
) -> None:
    for sort in ("tag_id", "-tag_id", "-tag_name,count"):
        rows = caller.rows(AGGREGATE + "companies", group_by="tag_id", sort=sort)
        *others, last = [row["tag_id"] is None for row in rows]
        assert last, sort
        assert not any(others), sort


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


REFUSED = {
    "group_by": (
        "",
        "?group_by=name",
        "?group_by=hq_city,hq_country,launch_date",
        "?group_by=hq_city,hq_city",
    ),
    "metric": (
        "?group_by=hq_city&metric=max:total_funding",
        "?group_by=hq_city&metric=sum:name",
        "?group_by=hq_city&metric=avg:signal_team",
        "?group_by=hq_city&metric=count:name",
    ),
    "sort": ("?group_by=hq_city&sort=launch_date",),
    "currency": ("?group_by=hq_city&currency=CHF",),
}
"""By parameter, what it does not take."""


def test_what_cannot_be_measured_is_refused(caller: Caller) -> None:
    for parameter, queries in REFUSED.items():
        for query in queries:
            status, code, details = caller.error(f"{AGGREGATE}companies{query}")
            assert (status, code) == (400, "VALIDATION_ERROR"), query
            assert details["parameter"] == parameter, query
