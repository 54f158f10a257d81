"""What a study of hiring says of the real datasets, held against plain loops over
their files.
"""

import bisect
import datetime as dt
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ventureframe.client.service import Service
from ventureframe.connect import connect
from ventureframe.display.wording import among
from ventureframe.interface.fields import Currency
from ventureframe.studies import hiring

pytestmark = pytest.mark.real

Row = dict[str, Any]
NEWS = {"news": ("id", "publish_date", "title", "source", "url", "entity_id")}
DAY = {"venture-2013": dt.date(2013, 6, 17), "venture-2013-10": dt.date(2013, 10, 1)}


class Rates:
    """The last rate of a currency on or before a day, read from the file."""

    def __init__(self, folder: Path) -> None:
        self.days: dict[str, list[dt.date]] = defaultdict(list)
        self.rates: dict[str, list[float]] = defaultdict(list)
        frame = pl.read_parquet(folder / "fx.parquet").sort("date")
        for code, day, rate in frame.select("currency", "date", "per_eur").rows():
            self.days[code].append(day)
            self.rates[code].append(rate)

    def per_eur(self, code: str, day: dt.date) -> float | None:
        at = bisect.bisect_right(self.days[code], day)
        return self.rates[code][at - 1] if at else None

    def convert(self, amount: Any, code: Any, to: str, day: dt.date) -> float | None:
        if amount is None or code is None or code == to:
            return None if code is None else amount
        source, target = self.per_eur(code, day), self.per_eur(to, day)
        return None if source is None or target is None else amount * target / source


def frames(folder: Path, currency: Currency) -> tuple[dict[str, Any], list[Row]]:
    """What the service would return of a dataset in a currency, and the rounds as
    plain rows.
    """
    rates, as_of = Rates(folder), DAY[folder.name]
    firms = pl.read_parquet(folder / "companies.parquet")
    totals = firms.select("total_funding", "total_funding_currency").rows()
    firms = firms.drop("total_funding_currency").with_columns(
        pl.Series(
            "total_funding",
            [rates.convert(amount, code, currency, as_of) for amount, code in totals],
        ),
        hq_city=pl.lit(None, pl.String),
        hq_country=pl.lit(None, pl.String),
    )
    rounds = (
        pl.read_parquet(folder / "funding_rounds.parquet").drop("investors").to_dicts()
    )
    for row in rounds:
        native = {"amount": row["amount"], "currency": row["amount_currency"]}
        own = dt.date(row["year"], row["month"] or 1, 1) if row["year"] else as_of
        row["amount"] = rates.convert(
            native["amount"], native["currency"], currency, own
        )
        row["amount_source"] = native
    job = ("id", "title", "date_posted", "entity_id", "url")
    none = pl.DataFrame(schema=dict.fromkeys(job, pl.Int64))
    news = pl.DataFrame(schema=dict.fromkeys(NEWS["news"], pl.Int64))
    linked = pl.DataFrame(schema=dict.fromkeys(("news_item_id", "entity_id"), pl.Int64))
    given: dict[str, Any] = {"jobs": none, "news": news, "news_companies": linked}
    given |= {
        "companies": firms,
        "rounds": pl.DataFrame(rounds, infer_schema_length=None),
    }
    return given, rounds


def by_company(rounds: list[Row]) -> dict[str, list[Row]]:
    found = defaultdict(list)
    for row in rounds:
        found[row["company_uuid"]].append(row)
    return found


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
    given, rounds = frames(real_data / dataset, currency)
    study = hiring.find(
        **given, currency=currency, rounds_asked=given["companies"]["uuid"]
    )
    own = by_company(rounds)
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
        amount = row["latest_round_amount"]
        assert amount == one["amount"] or isclose(amount, one["amount"], rel_tol=1e-6)
        assert row["latest_round_amount_native"] == one["amount_source"]["amount"]
        assert row["latest_round_native_currency"] == one["amount_source"]["currency"]
        is_lost = one["amount"] is None and one["amount_source"]["amount"] is not None
        assert is_lost == (row["latest_round_amount_state"] == "not_convertible")
        seen["not_convertible"] += is_lost
        if one["amount"] is not None and row["total_funding"] is not None:
            seen["of"] += 1
            seen["above"] += one["amount"] > row["total_funding"] * (1 + 1e-9)
    counts = study.counts
    assert counts.rounds_undated == seen["undated"]
    assert counts.latest_several == seen["several"]
    assert counts.latest_not_convertible == seen["not_convertible"]
    assert (counts.latest_above_total, counts.latest_and_total) == (
        seen["above"],
        seen["of"],
    )
    assert (seen["above"], seen["of"], seen["several"]) == wanted


Startups = tuple[Service, list[Row], list[Row]]


@pytest.fixture(scope="module")
def startups(real_data: Path) -> Iterator[Startups]:
    folder = real_data / "startups-2026"
    tables = (
        pl.read_parquet(folder / f"{name}.parquet") for name in ("companies", "jobs")
    )
    firms, jobs = (table.to_dicts() for table in tables)
    with connect(data=folder, environment={}) as svc:
        yield svc, firms, jobs


@pytest.fixture(scope="module")
def whole(startups: Startups) -> hiring.Study:
    """The study of every company, whose records other questions are answered from."""
    return hiring.study(startups[0], rounds_of=0)


@pytest.mark.parametrize("statuses", [("operational",), ("closed", "acquired")])
@pytest.mark.parametrize("founded", [None, (2015, 2020)])
def test_what_a_status_and_a_founding_year_leave_out_is_counted_by_reason(
    startups: Startups,
    statuses: tuple[str, ...],
    founded: tuple[int, int] | None,
) -> None:
    svc, firms, _ = startups
    study = hiring.study(svc, status=statuses, founded=founded, rounds_of=0)
    first, last = founded or (0, 9999)
    years = [
        firm["launch_date"] for firm in firms if firm["company_status"] in statuses
    ]
    inside = len([year for year in years if first <= (year or 0) <= last])
    known, kept = len(years) - years.count(None), list[tuple[int, ...]]()
    if founded:
        kept.append((len(years), years.count(None), known - inside, inside))
    before = len([f for f in firms if first <= (f["launch_date"] or 0) <= last])
    kept.append((before, 0, before - inside, inside))
    left_out = study.counts.dropped
    counts = [(d.before, d.not_recorded, d.outside, d.inside) for d in left_out]
    assert counts == kept
    assert sum(many for _, many in study.counts.statuses) == inside


@pytest.mark.parametrize("tag", [None, ("Artificial Intelligence", "technology")])
@pytest.mark.parametrize(
    "roles", [["rust"], ["full-stack"], ["Software Engineer", "React"]]
)
def test_own_words_match_as_a_plain_loop_counts_them(
    startups: Startups,
    whole: hiring.Study,
    roles: list[str],
    tag: tuple[str, str] | None,
) -> None:
    svc, firms, jobs = startups
    tags = [] if tag is None else [svc.tag(tag[0], type=tag[1])]
    here = {firm["uuid"] for firm in firms if not tags or tags[0].id in firm["tag_id"]}
    posted = [job for job in jobs if job["entity_id"] in here]
    words = "|".join(re.sub(r"\W", r"[ -]?", role) for role in roles)
    found = [
        job
        for job in posted
        if re.search(rf"(?i)(?<!\w)({words})s?(?!\w)", job["title"])
    ]
    question = hiring.Question(tags=tags, roles=roles, rounds_of=0)
    study = question.study(svc, earlier=whole)
    assert sorted(study.postings.to_polars()["job_id"]) == sorted(
        job["id"] for job in found
    )
    assert study.answer.startswith(f"{among(len(found), len(posted), 'posting')} match")
    by_company = Counter(job["entity_id"] for job in found)
    matching = dict(study.ranking.to_polars().select("company_uuid", "matching").rows())
    assert {uuid: many for uuid, many in matching.items() if many} == by_company


def test_the_real_posts_and_their_companies_are_as_verified(
    whole: hiring.Study,
) -> None:
    c = whole.counts
    assert (c.companies, c.postings, c.companies_with_postings) == (5706, 122, 73)
    assert (c.open_jobs, c.open_jobs_known) == (122, 73)
    assert (c.funding_known, c.flag_known, c.hiring) == (0, 5706, 1424)
    names = whole.ranking.to_polars()["company_name"].value_counts()
    shared = names.filter(pl.col("count") > 1)["count"]
    assert (len(shared), shared.sum()) == (71, 151)
    found = whole.fetched[0].to_polars()
    assert found.filter(pl.col("founders").list.len() > 0).height == 4616
    assert all(result.is_complete for result in whole.fetched)
