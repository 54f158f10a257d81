"""Records asked for by the ids of those they belong to: whose they are, and who has
none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.client.stand_in import (
    Answer,
    Answers,
    Asked,
    StandIn,
    collection,
    full,
    uuid,
    with_records,
)
from ventureframe.client.lookups import Investor
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, NotFound
from ventureframe.interface.fields import (
    FUNDING_ROUNDS,
    FUNDS,
    INVESTORS,
    JOBS,
    NEWS,
)
from ventureframe.interface.filters import fund, news_item

IDS = [uuid(number) for number in range(120)]


def linked(rows: Sequence[Mapping[str, Any]]) -> Answers:
    """Rows by `entity_id[in_any]`, alone or first in an `and(...)`."""

    def answer(asked: Asked) -> Answer:
        wanted = asked.parameters["filter"].replace(")", "").split(",entity_id")[0]
        found = []
        for row in rows:
            owners = [*(row["entity_ids"] or []), row["entity_id"]]
            if any(owner in wanted for owner in owners):
                found.append(row)
        return collection(found)(replace(asked, parameters={"include_total": "true"}))

    return answer


def test_news_is_asked_in_batches_and_an_article_of_two_companies_is_there_once(
    stand_in: StandIn, service: Service
) -> None:
    rows = [
        full(NEWS, id=1, title="A", entity_id=IDS[0], entity_ids=[IDS[0], IDS[70]]),
        full(NEWS, id=2, title="B", entity_id=IDS[110], entity_ids=None),
    ]
    stand_in.data = linked(rows)
    result = service.news.about(IDS).fetch()
    assert [asked.parameters["filter"].count("|") for asked in stand_in.data_asked] == [
        49,
        49,
        19,
    ]
    assert result.to_polars()["id"].to_list() == [1, 2]
    assert with_records(result) == (IDS[0], IDS[70], IDS[110])
    assert len(result.without_records) == 117
    assert result.missing == ()
    assert (result.certificate.rows, result.certificate.distinct) == (3, 2)
    assert "news · 2 distinct · records for 3 of 120 asked · complete" in repr(result)
    assert result.caveats == (
        (
            "For 117 of 120 asked no record was returned, which is not evidence that"
            " there is none (interface, reading rule 3)."
        ),
    )


def test_a_record_that_does_not_say_whose_it_is_counts_for_no_company_and_that_is_said(
    stand_in: StandIn, service: Service
) -> None:
    rows = [full(JOBS, id=1, entity_id=IDS[0]), full(JOBS, id=2, entity_id=None)]
    stand_in.data = collection(rows)
    with pytest.warns(EvidenceWarning, match="Some jobs have no entity_id"):
        result = service.jobs.at(IDS[:2]).fetch()
    assert result.without_records == (IDS[1],)
    assert any("Some jobs have no entity_id" in caveat for caveat in result.caveats)


def test_no_one_asked_about_is_no_request_and_an_empty_result(
    stand_in: StandIn, service: Service
) -> None:
    for query in (service.jobs.at([]), service.founders.by_id([])):
        result = query.fetch()
        assert result.is_complete
        assert result.to_polars().height == 0
        assert result.caveats == ()
    assert stand_in.asked == []


def test_what_belongs_to_several_takes_a_filter(
    stand_in: StandIn, service: Service
) -> None:
    rows = [full(NEWS, id=1, entity_id=IDS[1]), full(NEWS, id=2, entity_id=IDS[60])]
    stand_in.data = linked(rows)
    asked = service.news.where(news_item.entity_id != IDS[5]).about(
        [*IDS[1:70], IDS[10].upper().replace("-", "")]
    )
    result = asked.fetch()
    assert (
        stand_in.data_asked[0].parameters["filter"]
        == f"and(entity_id[in_any]:{'|'.join(IDS[1:51])},entity_id[neq]:{IDS[5]})"
    )
    assert result.provenance.filter == f"entity_id[neq]:{IDS[5]}"
    assert result.provenance.endpoint == "/data/news"
    assert asked.listing.ids == result.asked == tuple(IDS[1:70])
    assert with_records(result) == (IDS[1], IDS[60])


def test_a_fund_says_whether_its_manager_is_of_its_row_or_of_the_path(
    stand_in: StandIn, service: Service
) -> None:
    named = full(FUNDS, id=1, manager={"uuid": IDS[1], "name": "M"})
    stand_in.data = collection([named, full(FUNDS, id=2)])
    rows = service.funds.fetch().to_polars()
    assert rows["manager_source"].to_list() == ["row", None]
    assert rows["manager"][1] is None
    stand_in.asked.clear()
    stand_in.data = collection([vehicle(1)])
    known = Investor(uuid(5), "Oak Partners", None, None, None)
    for manager, name in ((known, "Oak Partners"), (uuid(5), None)):
        funds = service.funds_of_each([manager]).where(fund.year >= 2021)
        result = funds.currency("GBP").fetch()
        (row,) = result.to_polars().to_dicts()
        assert row["manager"] == {"uuid": uuid(5), "name": name}
        assert row["manager_source"] == "path"
        assert result.details.added_columns == ("manager_source",)
        assert "manager" not in result.details.absent_fields
    for asked in stand_in.data_asked:
        assert asked.parameters["currency"] == "GBP"
        assert asked.parameters["filter"] == "year[gte]:2021"


def vehicle(number: int) -> dict[str, object]:
    """A fund as a list of one manager's funds has it: the path names the manager."""
    row = full(FUNDS, id=number, name="Fund")
    del row["manager"]
    return row


def nested(
    lists: Mapping[str, Sequence[Mapping[str, object]]],
) -> Answers:
    """Lists under the ids in the path; 404 for an id that is unknown."""

    def answer(asked: Asked) -> Answer:
        owner = asked.path.split("/")[3]
        if owner not in lists:
            return Answer({"error": {"code": "NOT_FOUND", "message": "none"}}, 404)
        return collection(lists[owner])(asked)

    return answer


def test_a_manager_of_two_lps_is_two_rows_each_with_its_lp(
    stand_in: StandIn, service: Service
) -> None:
    shared = full(INVESTORS, uuid=uuid(50), name="Shared")
    other = full(INVESTORS, uuid=uuid(51), name="M")
    lps = IDS[10:13]
    stand_in.data = nested({lps[0]: [shared], lps[1]: [shared, other], lps[2]: []})
    result = service.managers_of(lp.upper() for lp in lps).fetch()
    rows = result.to_polars().select("lp_uuid", "uuid").rows()
    assert rows == [(lps[0], uuid(50)), (lps[1], uuid(50)), (lps[1], uuid(51))]
    assert result.without_records == (lps[2],)
    assert result.is_complete
    assert result.certificate.duplicates == 0
    assert result.provenance.endpoint == "/data/investors/{id}/lp-funds"


def test_rounds_of_a_company_the_service_does_not_know_are_missing(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = nested({IDS[0]: [full(FUNDING_ROUNDS, id=1, amount=5)], IDS[1]: []})
    seen: list[tuple[int, int | None]] = []
    result = (
        service.rounds_of(IDS[:3])
        .currency("EUR")
        .fetch(lambda *each: seen.append(each))
    )
    assert result.to_polars()["company_uuid"].to_list() == [IDS[0]]
    assert result.missing == (IDS[2],)
    assert result.certificate.verdict == "short"
    assert "records for 1 of 3 asked · short: 1 not returned" in repr(result)
    lead = "The funding-rounds of 1 of 3 asked were not returned: funding-rounds, 1."
    assert result.caveats[0] == lead, "of the two others, read to their end"
    assert seen == [(1, 3), (2, 3), (3, 3)]
    stand_in.data = nested({})
    with pytest.raises(NotFound):
        service.rounds_of(IDS[:2]).fetch()


def test_the_native_amount_filter_says_which_rows_are_outside_once_converted(
    stand_in: StandIn, service: Service
) -> None:
    rows = list[dict[str, object]]()
    for number, amount in enumerate([100.0, 80.0, 0.7, None], 1):
        source = {"amount": 100.0, "currency": "USD"}
        rows.append(full(FUNDS, id=number, amount=amount, amount_source=source))
    stand_in.data = collection(rows)
    question = service.funds.where(fund.amount >= 90, fund.amount <= 120).currency(
        "EUR"
    )
    result = question.fetch()
    assert result.outside_threshold["id"].to_list() == [2, 3]
    assert result.caveats == (
        (
            "The filter amount[gte]:90 and amount[lte]:120 acts on native amounts: 2 of"
            " 4 rows are outside it after conversion to EUR. Funds that would be"
            " inside only after conversion were not returned (interface, filter"
            " conventions)."
        ),
        (
            "The upper bound on amount leaves out rows without a recorded value"
            " (interface, reading rule 3)."
        ),
    )
    assert "left out: amount not recorded" in result.line
    assert service.funds.currency("EUR").fetch().caveats == ()
