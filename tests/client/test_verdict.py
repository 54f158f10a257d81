"""The verdict on what was seen, case by case, and on several lists together."""

import itertools
from typing import Any

import pytest

from tests.client.stand_in import (
    Answer,
    Asked,
    StandIn,
    collection,
    company,
    full,
    uuid,
)
from ventureframe.client.service import Service
from ventureframe.interface.certificate import Seen, Verdict, certify
from ventureframe.interface.fields import NEWS


def seen(
    *totals: int | None, rows: int = 25, distinct: int | None = None, **facts: Any
) -> Seen:
    return Seen(
        totals or (25, 25), rows, rows if distinct is None else distinct, 3, **facts
    )


CASES: list[tuple[Seen, Verdict]] = [
    (seen(), "complete"),
    (seen(is_ended=False), "short"),
    (seen(is_ended=False, is_broken=True), "short"),
    (seen(25, 26, rows=26), "drifted"),
    (seen(is_broken=True), "drifted"),
    (seen(distinct=24), "drifted"),
    (seen(None, None), "total_not_reported"),
    (seen(None, None, is_limited=True), "short"),
    (seen(None, None, distinct=24), "drifted"),
    (seen(30, 30), "short"),
    (seen(20, 20), "over"),
    (seen(is_limited=True), "short"),
    (Seen((), 0, 0, 1), "total_not_reported"),
]


@pytest.mark.parametrize(("walk", "verdict"), CASES)
def test_the_verdict_on_what_was_seen(walk: Seen, verdict: Verdict) -> None:
    certificate = certify([walk], seconds=0.0)
    assert certificate.verdict == verdict
    assert certificate.duplicates == walk.rows - walk.distinct


ONE: dict[Verdict, Seen] = {
    "complete": seen(),
    "short": seen(30, 30),
    "over": seen(20, 20),
    "drifted": seen(distinct=24),
    "total_not_reported": seen(None, None),
}
BY_ID = {"is_by_key": True}
TOGETHER: list[tuple[list[Verdict], dict[str, Any], Verdict]] = [
    ([], {}, "complete"),
    (["complete", "short"], {}, "short"),
    (["over", "complete", "drifted"], {}, "drifted"),
    (["total_not_reported", "complete"], {}, "total_not_reported"),
    (["drifted"], BY_ID, "complete"),
    (
        ["drifted"],
        {**BY_ID, "is_unequal": True},
        "drifted",
    ),
    (["complete"], {"is_unequal": True}, "drifted"),
    (["complete"], {**BY_ID, "missing": 1}, "short"),
    (["drifted"], {"missing": 1}, "drifted"),
    (
        ["complete"],
        {**BY_ID, "is_cut": True},
        "short",
    ),
]


@pytest.mark.parametrize(("verdicts", "joined", "verdict"), TOGETHER)
def test_several_lists_are_as_complete_as_the_worst_unless_the_whole_says_otherwise(
    verdicts: list[Verdict], joined: dict[str, Any], verdict: Verdict
) -> None:
    parts = [ONE[each] for each in verdicts]
    together = certify(parts, seconds=1.0, **joined)
    assert together.verdict == verdict
    assert together.rows == 25 * len(verdicts)
    assert together.distinct == sum(part.distinct for part in parts)
    assert not (together.is_cancelled and verdict == "complete")


def test_a_list_without_a_total_leaves_the_sum_unknown() -> None:
    parts = [seen(25, 26), seen(30, 31)]
    together = certify(parts, seconds=1.0)
    assert together.reported_last == 57
    together = certify([*parts, seen(None, None)], seconds=1.0)
    assert together.reported_last is None


def changing(rows: list[dict[str, object]], *, column: str, limit: int = 500) -> Any:
    """A service that gives a record another content each time that it sends it."""
    numbers = itertools.count()

    def answer(asked: Asked) -> Answer:
        for row in rows:
            row[column] = f"Text {next(numbers)}"
        size = min(limit, int(asked.parameters["limit"]))
        page = {**asked.parameters, "limit": str(size), "filter": ""}
        return collection(rows)(Asked("GET", asked.path, page, {}, b""))

    return answer


def test_a_row_that_two_pages_share_with_two_contents_is_never_complete(
    stand_in: StandIn, service: Service
) -> None:
    rows = [dict(company(number)) for number in range(12)]
    stand_in.data = changing(rows, column="name", limit=5)
    result = service.companies.fetch()
    assert result.certificate.verdict == "drifted"
    assert len(result) == result.certificate.distinct == 12


def test_a_record_sent_for_two_batches_of_ids_with_two_contents_is_never_complete(
    stand_in: StandIn, service: Service
) -> None:
    ids = [uuid(number) for number in range(60)]
    row = full(NEWS, id=1, entity_id=ids[0], entity_ids=[ids[0], ids[55]])
    stand_in.data = changing([dict(row)], column="title")
    assert service.news.about(ids).fetch().certificate.verdict == "drifted"


def test_an_id_sent_twice_with_two_contents_is_never_complete(
    stand_in: StandIn, service: Service
) -> None:
    rows = [company(1, name="one"), company(1, name="another"), company(2)]
    stand_in.data = collection(rows)
    result = service.companies.by_id([uuid(1), uuid(2)]).fetch()
    assert (result.certificate.verdict, result.missing) == ("drifted", ())
    stand_in.data = collection([rows[0], rows[0], rows[2]])
    assert service.companies.by_id([uuid(1), uuid(2)]).fetch().is_complete
