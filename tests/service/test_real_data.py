"""Facts that the README of the real datasets states as verified, asked over HTTP."""

from pathlib import Path

import polars as pl
import pytest

from tests.service.caller import Caller

pytestmark = pytest.mark.real

STANFORD = "5240d97e-07f4-515b-aef2-314586dabea8"


def test_the_founders_and_companies_of_a_university_are_those_verified(
    real: Caller,
) -> None:
    pool = real.rows(
        "/data/companies",
        filter="founder_university_name[eq]:Stanford University",
        limit=500,
    )
    asked = sorted({founder for company in pool for founder in company["founders"]})
    linked = set()
    for start in range(0, len(asked), 50):
        batch = "|".join(asked[start : start + 50])
        for founder in real.rows(
            "/data/founders", filter=f"id[in_any]:{batch}", limit=50
        ):
            entries = founder["education"] or []
            if any(entry["university_uuid"] == STANFORD for entry in entries):
                linked.add(founder["uuid"])
    companies = [row for row in pool if linked & set(row["founders"])]
    totals = [
        row["total_funding"] for row in companies if row["total_funding"] is not None
    ]
    assert (len(linked), len(companies), len(totals)) == (239, 322, 129)
    assert round(sum(totals), 2) == 3_864_930_929.77


def test_a_pool_has_every_company_whose_founders_name_the_university_in_any_case(
    real: Caller, real_data: Path
) -> None:
    name = "ESADE business school"
    folder = real_data / "venture-2013"
    people = pl.read_parquet(
        folder / "founders.parquet", columns=["uuid", "education"]
    ).to_dicts()
    named = {
        person["uuid"]
        for person in people
        for entry in person["education"] or ()
        if (entry["university_name"] or "").casefold() == name.casefold()
    }
    companies = pl.read_parquet(
        folder / "companies.parquet", columns=["uuid", "founders"]
    )
    by_hand = {
        uuid for uuid, founders in companies.iter_rows() if named & set(founders)
    }
    pool = real.rows(
        "/data/companies", filter=f"founder_university_name[eq]:{name}", limit=500
    )
    assert {row["uuid"] for row in pool} == by_hand
    assert by_hand


def test_the_largest_fund_and_the_missing_amounts_are_those_verified(
    real: Caller,
) -> None:
    assert real.total("/data/funds") == 496
    assert real.total("/data/funds", filter="amount[gte]:0") == 496 - 52
    largest = real.rows("/data/funds", sort="-amount", limit=1)[0]
    assert (largest["name"], largest["fund_date"]) == (
        "Silver Lake Partners III",
        "2007-01-01",
    )
    assert largest["amount_source"] == {"amount": 9.6e9, "currency": "USD"}


def test_seven_places_are_called_cambridge(real: Caller) -> None:
    rows = real.rows("/reference/filters/location/values", q="Cambridge")
    places = {
        row["parent_name"]: row["id"] for row in rows if row["name"] == "Cambridge"
    }
    assert len(places) == 7
    for above, companies in (("Massachusetts", 400), ("United Kingdom", 113)):
        assert (
            real.total("/data/companies", filter=f"hq_location[eq]:{places[above]}")
            == companies
        )


def test_an_article_is_found_by_any_company_it_is_linked_to(real: Caller) -> None:
    article = next(
        row
        for row in real.rows("/data/news", limit=2000)
        if len(row["entity_ids"]) > 2 and row["entity_ids"][-1] != row["entity_id"]
    )
    last = article["entity_ids"][-1]
    found = real.rows("/data/news", filter=f"entity_id[in_any]:{last}", limit=2000)
    assert article in found


def test_companies_without_a_tag_are_a_group(real: Caller) -> None:
    groups = real.rows(
        "/analytics/aggregate/companies", group_by="tag_id", sort="-count"
    )
    assert {group["tag_id"]: group["count"] for group in groups}[None] == 25_183
