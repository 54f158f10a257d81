"""What rows or replies say against their request is warned of, and stays with the result."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import pytest

from tests.client.stand_in import Answer, Asked, Connect, StandIn, collection, company, full, uuid
from ventureframe.client.query import Query
from ventureframe.client.result import withholding
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, UnreadableReply, UnsupportedValue
from ventureframe.interface.fields import FUNDING_ROUNDS, FUNDS, INVESTORS, JOBS
from ventureframe.interface.filters import parse

Row = dict[str, object]


def said(query: Query) -> list[str]:
    """What a fetch warns of, once each is a caveat of its result as well."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = query.fetch()
    found = [str(each.message) for each in caught if each.category is EvidenceWarning]
    assert set(found) <= set(result.caveats)
    return found


def companies(name: str, *values: object) -> list[Row]:
    return [company(number, **{name: value}) for number, value in enumerate(values)]


ORDERED: list[tuple[str, list[Row]]] = [
    ("launch_date", companies("launch_date", 1999, 2001, 2001, 2005)),
    ("-launch_date", companies("launch_date", 2005, 2001, 2001, 1999, None, None)),
    ("launch_date", companies("launch_date", None, 1999, None, 2001)),
    ("-total_funding", companies("total_funding", 9.5, 9.5, 3.0, None)),
    ("name", companies("name", "alpha", "Beta", "gamma")),
    ("name", companies("name", "Beta", "alpha", "gamma")),
    ("name", companies("name", "Data base", "Databank", "Data centre")),
    ("name", companies("name", "Company 2", "Company 10")),
    ("name", companies("name", "Zebra", "Ärmel", "Österreich")),
    ("launch_date,team_size", companies("launch_date", 2001, 2001)),
]
OUT_OF_ORDER: list[tuple[str, list[Row]]] = [
    ("launch_date", companies("launch_date", 1999, 2005, 2001)),
    ("launch_date", companies("launch_date", 2005, None, 2001)),
    ("-launch_date", companies("launch_date", 1999, 2005)),
    ("-total_funding", companies("total_funding", 3.0, 9.5)),
    ("name", companies("name", "gamma", "beta", "alpha")),
    ("-name", companies("name", "Alpha", "Beta")),
]


@pytest.mark.parametrize(("sort", "rows"), ORDERED)
def test_rows_in_an_order_that_a_service_can_mean_raise_no_doubt(
    stand_in: StandIn, service: Service, sort: str, rows: list[Row]
) -> None:
    stand_in.data = collection(rows)
    assert said(service.companies.sort(sort)) == []


@pytest.mark.parametrize(
    ("sort", "rows", "largest"),
    [
        *((sort, rows, 500) for sort, rows in OUT_OF_ORDER),
        ("launch_date", companies("launch_date", 2001, 2005, 2003), 2),
    ],
)
def test_rows_out_of_order_are_said_within_a_page_and_across_pages(
    stand_in: StandIn, service: Service, sort: str, rows: list[Row], largest: int
) -> None:
    def clamped(asked: Asked) -> Answer:
        limit = str(min(largest, int(asked.parameters["limit"])))
        return collection(rows)(
            Asked("GET", asked.path, {**asked.parameters, "limit": limit}, {}, b"")
        )

    stand_in.data = clamped
    assert said(service.companies.sort(sort)) == [
        f"Rows of companies are not in the order asked for (sort {sort}), as if the service "
        "ignored it: sort the frame instead."
    ]


TAGS: Sequence[Row] = [{"id": each, "name": f"T{each}", "type": "sector"} for each in (7, 8)]


@pytest.mark.parametrize(
    "text",
    ["tag_id[eq]:9", "tag_id[in_any]:9|10", "tag_id[in_all]:7|9", "tag_id[nin_any]:7|9"],
)
def test_a_row_whose_tags_refute_the_filter_is_an_error(
    stand_in: StandIn, service: Service, text: str
) -> None:
    stand_in.data = collection([company(1, tags=TAGS)])
    with pytest.raises(UnreadableReply, match=r"with tag_id 7\|8 where tag_id"):
        service.companies.where(parse(text)).fetch()


@pytest.mark.parametrize(
    ("text", "row", "doubt"),
    [
        ("tag_id[in_all]:7|8", {"tags": TAGS}, None),
        ("tag_id[nin_all]:7|9", {"tags": TAGS}, None),
        ("tag_id[eq]:7", {"tags": None}, None),
        ("tag_id[eq]:7", {"tags": []}, "show no tags where tag_id"),
        ("has_founder[eq]:true", {"founders": [uuid(4)]}, None),
        ("has_founder[eq]:true", {"founders": None}, None),
        ("has_founder[eq]:true", {"founders": []}, "show no founders where has_founder"),
        ("has_founder[eq]:false", {"founders": [uuid(4)]}, "show some founders where has_founder"),
        ("has_founder[eq]:false", {"founders": []}, None),
    ],
)
def test_a_list_that_is_empty_where_the_filter_wants_an_entry_is_a_doubt(
    stand_in: StandIn, service: Service, text: str, row: Row, doubt: str | None
) -> None:
    stand_in.data = collection([company(1, **row)])
    found = said(service.companies.where(parse(text)))
    assert len(found) == (doubt is not None)
    assert all(doubt in each for each in found if doubt)


def fund(**keys: object) -> Row:
    return full(FUNDS, id=1, name="I", **keys)


OWNED: list[tuple[Callable[[Service], Query], Row]] = [
    (lambda svc: svc.funds_of_each([uuid(5)]), fund(manager={"uuid": uuid(6), "name": "O"})),
    (lambda svc: svc.rounds_of([uuid(5)]), full(FUNDING_ROUNDS, id=1, company_uuid=uuid(6))),
    (
        lambda svc: svc.managers_of(uuid(5)),
        full(INVESTORS, uuid=uuid(1), name="M", lp_uuid=uuid(6)),
    ),
]


@pytest.mark.parametrize(("ask", "row"), OWNED)
def test_a_list_of_one_owner_that_names_another_is_an_error(
    stand_in: StandIn, service: Service, ask: Callable[[Service], Query], row: Row
) -> None:
    stand_in.data = collection([row])
    with pytest.raises(UnreadableReply, match=f"of {uuid(6)} in the list of {uuid(5)}"):
        ask(service).fetch()


def test_the_owner_of_a_list_can_be_named_in_its_rows(stand_in: StandIn, service: Service) -> None:
    stand_in.data = collection([fund(manager={"uuid": uuid(0xA5).upper(), "name": "O"})])
    assert len(service.funds_of_each([uuid(0xA5)]).fetch()) == 1


def test_an_owner_is_asked_by_its_uuid_in_lower_case_however_it_is_given(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = collection([])
    given = uuid(0xABC).upper().replace("-", "")
    service.managers_of(given).fetch()
    service.jobs.where(parse(f"entity_id[in_any]:{given}")).fetch()
    managers, jobs = stand_in.data_asked
    assert managers.path == f"/data/investors/{uuid(0xABC)}/lp-funds"
    assert jobs.parameters["filter"] == f"entity_id[in_any]:{uuid(0xABC)}"


def test_rows_of_a_list_that_is_left_out_are_withheld_and_not_empty(
    stand_in: StandIn, service: Service
) -> None:
    rows = [company(1), company(2)]
    for row in rows:
        del row["founders"]
    stand_in.data = collection(rows)
    with pytest.warns(EvidenceWarning, match="Rows of companies leave out founders"):
        result = service.companies.fetch()
    assert withholding(result, "founders") == (uuid(1), uuid(2))
    assert [each for each in result.caveats if "founders" in each] == [
        "Rows leave out founders: that is null there, and does not say that nothing is recorded."
    ]


@pytest.mark.parametrize("education", [None, []])
def test_what_a_reply_locks_as_a_whole_is_withheld_where_a_row_has_none(
    stand_in: StandIn, service: Service, education: object
) -> None:
    from ventureframe.interface.fields import FOUNDERS

    row = full(FOUNDERS, uuid=uuid(1), education=education)
    stand_in.data = lambda _: Answer({"data": [row], "page": {"total": 1}, "locked": ["education"]})
    with pytest.warns(EvidenceWarning, match='says locked \\["education"\\] beside its rows'):
        result = service.founders.fetch()
    assert withholding(result, "education") == (uuid(1),)


def test_the_rows_of_a_drifted_walk_are_not_kept_beside_those_that_certify(
    stand_in: StandIn, connect: Connect
) -> None:
    """The first walk ends at once: its second page repeats the first."""
    asked = []

    def answer(request: Asked) -> Answer:
        asked.append(request)
        old = len(asked) < 3
        rows = [full(JOBS, id=each, title="old" if old else "new") for each in range(6)]
        clamped = {
            **request.parameters,
            "limit": "4",
            **({"offset": "0"} if len(asked) == 2 else {}),
        }
        return collection(rows)(Asked("GET", request.path, clamped, {}, b""))

    stand_in.data = answer
    service = Service(connect())
    result = service.jobs.fetch()
    assert result.is_complete
    assert result.to_polars()["title"].unique().to_list() == ["new"]


def test_a_fetch_that_is_to_be_confirmed_says_what_to_do_instead(service: Service) -> None:
    with pytest.raises(UnsupportedValue, match="fetch twice and compare"):
        service.companies.fetch(confirm=True)
