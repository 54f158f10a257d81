"""From LPs to managers to funds: which edges exist, what an empty window is, what is
never said.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import strategies as st

from tests.studies.seen import cases, shown
from ventureframe.client import frames
from ventureframe.client.service import Service
from ventureframe.connect import connect
from ventureframe.display.finding import Finding
from ventureframe.evidence.claims import EDGES
from ventureframe.evidence.question import Records
from ventureframe.interface import fields
from ventureframe.interface.source import Source
from ventureframe.studies import exposure
from ventureframe.studies.exposure import Study

Row = dict[str, Any]
Rows = list[Row]
LPS = [
    {
        "uuid": "lp1",
        "name": "Pension 1",
        "website_domain": "one.example",
        "hq_country": "Norway",
    },
    {"uuid": "lp2", "name": "年金 $2"},
    {"uuid": "lp3", "name": "Without managers"},
    {"uuid": "lp4", "name": "Refused"},
]
BACKED = [
    {"lp_uuid": "lp1", "uuid": "a", "name": "Alpha", "hq_country": "France"},
    {"lp_uuid": "lp2", "uuid": "a", "name": "Alpha", "hq_country": "France"},
    {"lp_uuid": "lp1", "uuid": "b", "name": "Beta", "hq_country": "France"},
    {"lp_uuid": "lp2", "uuid": "c", "name": "Gamma <b>"},
    {"lp_uuid": "lp2", "uuid": "d", "name": "Delta"},
    {"lp_uuid": "lp2", "uuid": "e", "name": "Never asked"},
]


def fund(
    manager: str, number: int, name: str, day: date | None = None, **facts: Any
) -> Row:
    return {
        "manager_uuid": manager,
        "id": number,
        "name": name,
        "fund_date": day,
        **facts,
    }


POUNDS, DOLLARS = (
    {"amount": 1.2e6, "currency": "GBP"},
    {
        "amount": 3.1e7,
        "currency": "USD",
    },
)
FUNDS: Rows = [
    fund("a", 1, "Alpha I", date(2019, 5, 1), amount=9e8),
    fund("a", 2, "Alpha II", date(2022, 5, 1), fund_type="Venture Capital"),
    fund(
        "b",
        3,
        "株式 III",
        date(2021, 1, 1),
        amount=1.5e6,
        amount_source=POUNDS,
        is_closed=False,
    ),
    fund("b", 4, "Undated", amount=2e6),
    fund("stranger", 5, "Of a manager nobody was returned for"),
]
UNUSUAL: Rows = [
    fund("a", 1, "Old", date(1993, 1, 1), amount_source=DOLLARS),
    fund("b", 2, "One", date(2021, 1, 1), amount=1e6),
    fund("b", 3, "Two", date(2021, 1, 1), amount=5e6),
    fund("b", 4, "Bare", date(2020, 1, 1)),
    fund("c", 5, "Undated", amount=2e6),
]
TYPES = {
    "lps": pl.Schema(
        dict.fromkeys(("uuid", "name", "website_domain", "hq_country"), pl.String)
    ),
    "lp_managers": frames.empty(fields.INVESTORS).schema | {"lp_uuid": pl.String()},
    "funds": frames.empty(fields.FUNDS).schema | {"manager_uuid": pl.String()},
}


def made(lps: Rows, backed: Rows, funds: Rows) -> dict[str, Any]:
    given = {"lps": lps, "lp_managers": backed, "funds": funds}
    return {
        name: pl.DataFrame(rows, schema=dict(TYPES[name]))
        for name, rows in given.items()
    }


def find(lps: Rows, backed: Rows, funds: Rows, **options: Any) -> Study:
    return exposure.find(**made(lps, backed, funds), currency="EUR", **options)


@pytest.fixture
def book() -> Study:
    failed = {"d": "504 after 3 tries", "lp4": "403"}
    options: dict[str, Any] = {
        "since": 2019,
        "failed": failed,
        "seen": date(2026, 6, 30),
    }
    return find(LPS, BACKED, FUNDS, asked=["a", "b", "c", "d"], **options)


@pytest.fixture
def odd() -> Study:
    """Sizes without a rate, funds without a date, and two funds of one day."""
    return find(LPS[:2], BACKED, UNUSUAL, asked=["a", "b", "c", "d"])


def rows(finding: Finding) -> Rows:
    return finding.to_polars().rows(named=True)


SEEN = cases("exposure_seen.txt")


@pytest.mark.parametrize("what", SEEN)
def test_in_a_frame(what: str, book: Study, odd: Study) -> None:
    assert shown(odd if what.startswith("odd") else book, SEEN[what]) == SEEN[what]


NAMES = ["Pension 1", "年金 $2", "Third, Inc.", "Fourth"]
ANSWERS: dict[tuple[str, ...], str] = {
    ("abc", "abc"): "share 3: Co. a, LLC; Co. b, LLC and Co. c, LLC. The data list no",
    ("abcdefghijk", "abcdefghijk"): "; they share 11. The data list no fund since 2019",
    (
        "ab",
        "ab",
        "c",
    ): "2 of the 3 managers are backed by two or more LPs, Co. a, LLC and Co. b, LLC by 2. The",
    (
        "ab",
        "ab",
        "a",
        "c",
    ): "2 of the 3 managers are backed by two or more LPs, Co. a, LLC by 3. The",
}
"""What the file of told sentences lacks: names with a comma, and many of them."""


@pytest.mark.parametrize("backed", ANSWERS)
def test_the_answer_has_forms_of_words_for_none_one_two_and_many(
    backed: tuple[str, ...],
) -> None:
    lps = [
        {"uuid": f"lp{n}", "name": name} for n, name in enumerate(NAMES[: len(backed)])
    ]
    links = [
        {"lp_uuid": lp["uuid"], "uuid": uuid, "name": f"Co. {uuid}, LLC"}
        for lp, managers in zip(lps, backed, strict=True)
        for uuid in managers
    ]
    assert ANSWERS[backed] in find(lps, links, [], since=2019).answer


def test_names_keep_their_and_among_the_key_figures() -> None:
    funds = [fund("a", 1, "Growth and Income", amount=1e6)]
    assert find(LPS, BACKED, funds).key_figures[2].note == "Growth and Income of Alpha"


def test_no_frame_and_no_table_joins_an_lp_to_a_fund(book: Study) -> None:
    assert set(EDGES) == {"LP → manager", "manager → fund"}
    for name, frame in book.frames.items():
        columns = set(frame.columns)
        assert not (
            {"lp_uuid", "lp_name"} & columns and {"fund_id", "fund_name"} & columns
        ), name
    requests = {"GET /data/investors/a/funds", "GET /data/investors/b/funds"}
    assert set(book.frames["fund_links"]["request"]) == requests


def test_nothing_is_called_commitment_and_no_size_is_added_up(book: Study) -> None:
    for frame in book.frames.values():
        columns = frame.columns
        assert not [each for each in columns if re.search("commit|total|sum", each)]
    for name in book.findings():
        columns = [column.heading for column in getattr(book, name).columns]
        assert not [each for each in columns if "ommitment" in each]
    assert not re.search("commit|exposure of", book.answer)
    money = [name for name, each in vars(book.counts).items() if type(each) is float]
    assert money == ["largest_size"]


ORDERS = [
    (LPS[:2], FUNDS, "number of LPs, number of funds and name"),
    (LPS[:1], FUNDS[:2], "number of funds and name"),
    (LPS[:1], FUNDS[1:3], "name"),
]


@pytest.mark.parametrize(("lps", "funds", "order"), ORDERS)
def test_the_first_managers_are_those_first_by_what_tells_them_apart(
    lps: Rows, funds: Rows, order: str
) -> None:
    first = find(lps, BACKED, funds).managers[:1]
    assert re.fullmatch(rf"the first 1 of \d by {order}", first.about)


def test_a_file_of_managers_says_whose_fund_is_the_latest(book: Study) -> None:
    headings = book.managers.to_csv().partition("\n")[0]
    assert "Manager's latest dated fund,Date of that fund,Size of that fund" in headings


def test_a_figure_says_in_words_what_it_draws(book: Study) -> None:
    assert "Managers of each LP. " in book.lps.plot().alt
    assert "株式 III 2021 EUR 1.5m" in book.funds.plot().alt
    assert "without a dated fund not drawn" in book.funds.plot().caption


def test_a_size_without_a_rate_has_a_mark_of_its_own(odd: Study) -> None:
    figure = odd.funds.plot()
    assert "hollow: size not recorded" in figure.caption
    assert "diamond: size not convertible" in figure.caption
    assert "Old 1993 size not convertible" in figure.alt


LATEST = [
    ([date(2020, 1, 1), date(2019, 6, 1)], 1, "2020"),
    ([date(2020, 1, 1), date(2020, 6, 1)], 2, "2020"),  # either can be the later one
    ([date(2020, 1, 1), date(2020, 1, 1)], 2, "2020"),
    ([date(2020, 1, 1), date(2021, 1, 2)], 1, "2 Jan 2021"),
    ([date(2020, 6, 1), date(2020, 6, 1), date(2020, 1, 2)], 2, "1 Jun 2020"),
]


@pytest.mark.parametrize(("days", "latest", "shown"), LATEST)
def test_a_fund_of_1_january_is_of_its_year(
    days: list[date], latest: int, shown: str
) -> None:
    study = find(
        LPS[:1],
        BACKED[:1],
        [fund("a", at, f"F{at}", day) for at, day in enumerate(days)],
    )
    (row,) = rows(study.managers)
    assert row["latest_funds"] == latest
    assert re.search(rf"\b{shown}\b", repr(study.managers))
    assert ("1 Jan" in repr(study.funds)) is False
    figure = study.funds.plot()
    assert figure.empty or ("only the year is known" in figure.caption) == (
        date(2020, 1, 1) in days
    )


def test_the_years_of_funds_that_are_still_arriving_are_marked() -> None:
    funds = [fund("a", at, "F", date(2008 + at % 6, 3, 1)) for at in range(60)]
    source = Source("a copy", as_of=date(2013, 6, 17))
    study = replace(find(LPS[:1], BACKED[:1], funds), source=source)
    marked = dict(study.vintages.to_polars().select("year", "still_arriving").rows())
    assert marked == {2008 + at: at > 2 for at in range(6)}


ids = st.sampled_from("abcd")
backings = st.lists(
    st.builds(
        lambda lp, firm, place: {
            "lp_uuid": lp,
            "uuid": firm,
            "name": firm,
            "hq_country": place,
        },
        *(
            st.sampled_from(["lp1", "lp2", "lp9"]),
            ids,
            st.sampled_from([None, "France"]),
        ),
    ),
    max_size=8,
)
vehicles = st.lists(
    st.fixed_dictionaries(
        {
            "manager_uuid": ids,
            "id": st.integers(1, 6),
            "fund_date": st.none() | st.dates(date(2019, 1, 1), date(2022, 1, 1)),
            "amount": st.none() | st.floats(0, 1e12),
        }
    ),
    max_size=8,
)


def test_an_lp_given_by_name_and_as_a_record_is_studied_once() -> None:
    named = ("Prairie Public Employees Fund", "prairiefund.example")
    with connect(environment={}) as svc:
        both = exposure.study(svc, lps=[named, svc.lp(named[0], domain=named[1])])
        counted = exposure.Question(lps=[named]).count(Records(svc))
    assert len(both.lps) == 1
    backed = len(both.managers)
    assert counted.text == f"{backed} managers of 1 LP, then the funds of each manager"
    assert counted.cost is not None
    assert counted.cost.requests == backed + 1


def test_the_funds_of_some_managers_are_counted_and_worded_as_some() -> None:
    lps = [("Prairie Public Employees Fund", "prairiefund.example")]
    with connect(environment={}) as svc:
        counted = exposure.Question(lps=lps, funds_of=2).count(Records(svc))
        study = exposure.study(svc, lps=lps, funds_of=2)
    assert counted.text.endswith(", then the funds of at most 2 of these managers")
    assert counted.cost is not None
    assert counted.cost.requests == 3
    assert " for 1 of the 2 managers whose funds were read; " in study.answer
    (unread, *_) = study.limits
    assert unread.text == "For 13 of the 15 managers the funds were not read."


@pytest.fixture(scope="module")
def real_service(real_data: Path) -> Iterator[Service]:
    with connect(data=real_data / "venture-2013", environment={}) as svc:
        yield svc


@pytest.fixture(scope="module")
def real_book(real_service: Service, real_data: Path) -> Study:
    folder = real_data / "venture-2013"
    firms = pl.read_parquet(folder / "investors.parquet")
    backers = pl.read_parquet(folder / "lp_managers.parquet")["lp_uuid"].unique()
    named = firms.filter(pl.col("uuid").is_in(backers.to_list()))
    lps = [
        real_service.lp(name, domain=domain)
        for name, domain in named.select("name", "website_domain").iter_rows()
    ]
    return exposure.study(real_service, lps=lps, currency="USD")


@pytest.mark.real
def test_eleven_real_lps_have_the_verified_managers(real_book: Study) -> None:
    backed = {row["lp_name"]: row["managers"] for row in rows(real_book.lps)}
    assert len(backed) == 11
    assert (backed["Amitim"], backed["Yelin Lapidot"]) == (61, 1)
    managers = {row["manager_name"]: row for row in rows(real_book.managers)}
    noy = managers["Noy Fund"]
    assert (noy["lps"], noy["window"], noy["funds"]) == (10, "no_records_returned", 0)
    assert real_book.counts.managers_with_funds == 6
    assert all(result.is_complete for result in real_book.fetched)


FIELDS = (
    *(
        "manager_uuid",
        "id",
        "name",
        "fund_date",
        "fund_type",
        "amount",
        "amount_source",
    ),
    *("is_closed", "source_url"),
)


@pytest.mark.real
def test_the_funds_of_all_real_managers_are_as_the_file_has_them(
    real_service: Service,
) -> None:
    found = real_service.funds.currency("EUR").fetch().to_polars()
    found = found.with_columns(manager_uuid=pl.col("manager").struct["uuid"])
    days: dict[str, list[Any]] = defaultdict(list)
    for uuid, day in found.select("manager_uuid", "fund_date").rows():
        days[uuid].append(day)
    backed: Rows = [{"lp_uuid": "lp1", "uuid": uuid, "name": uuid} for uuid in days]
    study = find(LPS[:1], backed, found.select(FIELDS).to_dicts())
    last = {uuid: max(filter(None, each), default=None) for uuid, each in days.items()}
    shared = [
        uuid
        for uuid, day in last.items()
        if day and sum(each in (day, date(day.year, 1, 1)) for each in days[uuid]) > 1
    ]
    c = study.counts
    unrated = found.filter(
        pl.col("amount").is_null(), pl.col("amount_source").is_not_null()
    )
    assert c.funds_not_convertible == unrated.height == 7
    assert c.funds_sized == found["amount"].count()
    assert c.latest_several == len(shared) == 8
    windows = study.frames["managers"]["window"].to_list()
    assert windows.count("records_without_a_date") == [*last.values()].count(None) == 17
