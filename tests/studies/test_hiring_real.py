"""What a study of hiring says of the real datasets, held against plain loops over
their files.
"""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ventureframe import bulk
from ventureframe.connect import connect
from ventureframe.interface.fields import Currency
from ventureframe.studies import hiring

pytestmark = pytest.mark.real

Row = dict[str, Any]


def latest(rounds: list[Row]) -> list[Row]:
    """The rounds that can be the latest: those of the last known month, or of that
    year alone.
    """
    year = max((row["year"] for row in rounds if row["year"]), default=None)
    last = [row for row in rounds if row["year"] == year and year]
    month = max((row["month"] for row in last if row["month"]), default=None)
    return [row for row in last if row["month"] in (month, None)]


@pytest.mark.parametrize(
    ("dataset", "currency", "wanted"),
    [
        ("venture-2013", "EUR", (6872, 20169, 271)),
        pytest.param("venture-2013", "USD", (969, 20190, 271), marks=pytest.mark.slow),
        pytest.param(
            "venture-2013-10", "GBP", (9627, 23456, 373), marks=pytest.mark.slow
        ),
    ],
)
def test_each_latest_round_is_as_the_file_has_it(
    real_data: Path, dataset: str, currency: Currency, wanted: tuple[int, ...]
) -> None:
    frames = bulk.open(real_data / dataset)
    study = hiring.find(**frames, currency=currency)
    rounds = frames["rounds"].collect().group_by("company_uuid")
    own = {uuid: each.to_dicts() for (uuid,), each in rounds}
    seen = {"above": 0, "of": 0, "several": 0, "undated": 0, "not_convertible": 0}
    shown = pl.col(
        "company_uuid", "rounds", "rounds_returned", "total_funding", "^latest_round.*$"
    )
    for row in study.ranking.to_polars().select(shown).rows(named=True):
        here = own.get(row["company_uuid"], [])
        last = latest(here)
        state = "records_returned" if last else "records_without_a_date"
        assert row["rounds"] == (state if here else "no_records_returned")
        assert row["rounds_returned"] == len(here)
        assert (row["latest_rounds"] or 0) == len(last)
        months = {each["month"] for each in last}
        assert row["latest_round_month"] == (months.pop() if len(months) == 1 else None)
        seen["undated"] += bool(here) and not last
        seen["several"] += len(last) > 1
        if len(last) != 1:
            assert row["latest_round_amount"] is None
            continue
        (one,) = last
        amount, native = one[f"amount_in_{currency}"], one["amount_source"] or {}
        assert row["latest_round_amount"] == amount
        assert row["latest_round_amount_native"] == native.get("amount")
        assert row["latest_round_native_currency"] == native.get("currency")
        is_lost = amount is None and native.get("amount") is not None
        assert is_lost == (row["latest_round_amount_state"] == "not_convertible")
        seen["not_convertible"] += is_lost
        if amount is not None and row["total_funding"] is not None:
            seen["of"] += 1
            seen["above"] += amount > row["total_funding"] * (1 + 1e-9)
    counts = study.counts
    assert counts.rounds_undated == seen["undated"]
    assert counts.latest_several == seen["several"]
    assert counts.latest_not_convertible == seen["not_convertible"]
    assert (counts.latest_above_total, counts.latest_and_total) == (
        seen["above"],
        seen["of"],
    )
    assert (seen["above"], seen["of"], seen["several"]) == wanted


@pytest.mark.slow
def test_what_is_known_is_said_before_what_is_not_recorded(real_data: Path) -> None:
    with connect(data=real_data / "venture-2013", environment={}) as svc:
        study = hiring.study(svc, tags=[("biotech", "sector")], rounds_of=5)
    assert study.answer.sentence == (
        "Total funding is known for 2,219 of the 2,942 companies. No hiring flag is"
        " recorded. No count of open jobs is recorded. No job records were read."
    )
    assert (
        "Funding rounds were looked up for 5 of the 2,942 companies, the first by total"
        " funding. A dated round is recorded for all of those."
    ) in [limit.text for limit in study.limits]


@pytest.mark.slow
def test_the_real_posts_and_their_companies_are_as_verified(real_data: Path) -> None:
    with connect(data=real_data / "startups-2026", environment={}) as svc:
        study = hiring.study(svc, rounds_of=0)
    c = study.counts
    assert (c.companies, c.postings, c.companies_with_postings) == (5706, 122, 73)
    assert (c.open_jobs, c.open_jobs_known) == (122, 73)
    assert (c.funding_known, c.flag_known, c.hiring) == (0, 5706, 1424)
    assert all(result.is_complete for result in study.fetched)
