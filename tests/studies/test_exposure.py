"""From LPs to managers to funds: which edges exist, what an empty window is, what is never said."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from ventureframe import errors
from ventureframe.client import frames
from ventureframe.client.service import Service
from ventureframe.connect import connect
from ventureframe.display.finding import Finding
from ventureframe.evidence.question import Records
from ventureframe.evidence.states import EDGES, WINDOWS, Edge, Window
from ventureframe.interface import fields
from ventureframe.studies import exposure
from ventureframe.studies.exposure import Study

FRAMES = (
    *("lps", "backing", "managers", "overlap", "funds", "types", "vintages", "countries"),
    *("fund_links", "latest_funds", "coverage"),
)
FIGURES = ("backing", "overlap", "funds", "vintages", "countries")

Rows = list[dict[str, Any]]
LPS = [
    {"uuid": "lp1", "name": "Pension 1", "website_domain": "one.example", "hq_country": "Norway"},
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
FUNDS: list[dict[str, Any]] = [
    {"manager_uuid": "a", "id": 1, "name": "Alpha I", "fund_date": date(2019, 5, 1), "amount": 9e8},
    {
        "manager_uuid": "a",
        "id": 2,
        "name": "Alpha II",
        "fund_date": date(2022, 5, 1),
        "fund_type": "Venture Capital",
    },
    {
        "manager_uuid": "b",
        "id": 3,
        "name": "株式 III",
        "fund_date": date(2021, 1, 1),
        "amount": 1.5e6,
        "amount_source": {"amount": 1.2e6, "currency": "GBP"},
        "is_closed": False,
    },
    {"manager_uuid": "b", "id": 4, "name": "Undated", "amount": 2e6},
    {"manager_uuid": "stranger", "id": 5, "name": "Of a manager nobody was returned for"},
]
TYPES = {
    "lps": pl.Schema(dict.fromkeys(("uuid", "name", "website_domain", "hq_country"), pl.String)),
    "lp_managers": frames.empty(fields.INVESTORS).schema | {"lp_uuid": pl.String()},
    "funds": frames.empty(fields.FUNDS).schema | {"manager_uuid": pl.String()},
}


def find(lps: Rows, backed: Rows, funds: Rows, library: str = "polars", **options: Any) -> Study:
    rows = {"lps": lps, "lp_managers": backed, "funds": funds}
    given: dict[str, Any] = {
        name: pl.DataFrame(each, schema=dict(TYPES[name])) for name, each in rows.items()
    }
    if library == "pandas":
        given = {name: frames.to_pandas(frame) for name, frame in given.items()}
    return exposure.find(**given, currency="EUR", **options)


@pytest.fixture
def book(library: str) -> Study:
    return find(
        LPS,
        BACKED,
        FUNDS,
        library,
        since=2019,
        asked=["a", "b", "c", "d"],
        failed={"d": "504 after 3 tries", "lp4": "403"},
        seen=date(2026, 6, 30),
    )


def rows(finding: Finding) -> Rows:
    return finding.to_polars().rows(named=True)


def assert_same(one: Study, other: Study) -> None:
    assert set(one.frames) == set(other.frames) == set(FRAMES)
    for name in FRAMES:
        assert_frame_equal(one.frames[name], other.frames[name])
    for name in ("counts", "answer", "statements", "limits"):
        assert getattr(one, name) == getattr(other, name)


def test_a_manager_returned_for_two_lps_is_one_row_with_both(book: Study) -> None:
    seen = [(row["manager_name"], row["lps"], row["lp_names"]) for row in rows(book.managers)]
    assert seen == [
        ("Alpha", 2, "Pension 1; 年金 $2"),
        ("Beta", 1, "Pension 1"),
        *((name, 1, "年金 $2") for name in ("Delta", "Gamma <b>", "Never asked")),
    ]


def test_a_pair_of_lps_shares_the_managers_returned_for_both_and_none_where_one_did_not_answer(
    book: Study,
) -> None:
    seen = {(row["lp_uuid"], row["other_lp_uuid"]): row["shared"] for row in rows(book.overlap)}
    answered = {("lp1", "lp2"): 1, ("lp1", "lp3"): 0, ("lp3", "lp2"): 0}
    assert seen == answered | {("lp1", "lp4"): None, ("lp4", "lp3"): None, ("lp4", "lp2"): None}
    assert [row["shared"] for row in rows(book.overlap)] == [1, 0, 0, None, None, None]


@pytest.mark.parametrize(
    ("lps", "backed", "said"),
    [
        (1, [], "No manager was returned for 1 LP, which is not evidence that it backs none."),
        (2, [], "No manager was returned for 2 LPs, which is not evidence that they back none."),
        (1, ["a"], "1 LP backs 1 manager. The manager asked returned no fund since 2019, which is"),
        (2, ["a", "b"], "2 LPs back 2 managers; none of them is backed by more than one. None of"),
    ],
)
def test_the_answer_has_forms_of_words_for_none_and_one(
    lps: int, backed: list[str], said: str
) -> None:
    rows = [{"lp_uuid": "lp1", "uuid": uuid, "name": uuid} for uuid in backed]
    assert find(LPS[:lps], rows, [], since=2019).answer.startswith(said)


def test_a_dot_opens_the_announcement_only_where_that_is_a_page_on_the_web() -> None:
    funds = [
        {**fund, "source_url": url}
        for fund, url in zip(
            FUNDS[:2], ["https://news.example/1", "javascript:alert(1)"], strict=True
        )
    ]
    svg = find(LPS, BACKED, funds).funds.plot().svg
    assert 'xlink:href="https://news.example/1"' in svg
    assert "javascript" not in svg


def test_every_year_between_dated_funds_is_a_row_and_funds_without_a_date_are_another(
    book: Study,
) -> None:
    days: list[Any] = [row["fund_date"] for row in FUNDS if row.get("fund_date")]
    seen = {row["year"]: row["funds"] for row in rows(book.vintages)}
    years = [day.year for day in days]
    assert list(seen) == [*range(min(years), max(years) + 1), *([None] if None in seen else [])]
    assert sum(seen.values()) == book.counts.funds
    assert all(
        row["funds"] >= row["size_known"] + row["not_convertible"] for row in rows(book.vintages)
    )


def test_an_empty_window_is_a_row_apart_from_not_asked_and_could_not_ask(book: Study) -> None:
    seen = {row["manager_uuid"]: (row["window"], row["funds"]) for row in rows(book.managers)}
    assert seen == {
        "a": ("records_returned", 2),
        "b": ("records_returned", 2),
        "c": ("no_records_returned", 0),
        "d": ("could_not_ask", None),
        "e": ("not_asked", None),
    }
    assert "504 after 3 tries" in str(rows(book.managers))
    assert tuple(WINDOWS) == get_args(Window)


def test_an_lp_without_managers_or_answer_keeps_its_row(book: Study) -> None:
    seen = {row["lp_uuid"]: (row["answer"], row["managers"]) for row in rows(book.lps)}
    assert seen["lp3"] == ("no_records_returned", 0)
    assert seen["lp4"] == ("could_not_ask", None)


def test_a_missing_size_of_the_latest_fund_is_not_taken_from_an_older_one(book: Study) -> None:
    alpha = rows(book.managers)[0]
    assert (alpha["latest_fund"], alpha["latest_fund_size"]) == ("Alpha II", None)


def test_an_undated_fund_is_kept_and_never_the_latest(book: Study) -> None:
    beta = rows(book.managers)[1]
    assert (beta["funds"], beta["latest_fund"]) == (2, "株式 III")
    assert "Undated" in [row["fund_name"] for row in rows(book.funds)]


def test_every_edge_keeps_its_request_and_its_day(book: Study) -> None:
    assert {(row["request"], row["seen"]) for row in rows(book.backing)} == {
        ("GET /data/investors/lp1/lp-funds", date(2026, 6, 30)),
        ("GET /data/investors/lp2/lp-funds", date(2026, 6, 30)),
    }
    assert set(book.frames["fund_links"]["request"]) == {
        *("GET /data/investors/a/funds", "GET /data/investors/b/funds"),
    }


def test_no_frame_and_no_table_joins_an_lp_to_a_fund(book: Study) -> None:
    assert set(get_args(Edge)) == set(EDGES) == {"LP → manager", "manager → fund"}
    for name in FRAMES:
        columns = set(book.frames[name].columns)
        assert not ({"lp_uuid", "lp_name"} & columns and {"fund_id", "fund_name"} & columns), name
    assert "Of a manager nobody was returned for" not in str(rows(book.funds))


def test_nothing_is_called_commitment_and_no_size_is_added_up(book: Study) -> None:
    for name in FRAMES:
        columns = book.frames[name].columns
        assert not [each for each in columns if re.search("commit|total|sum", each)]
    for name in book.findings():
        columns = [column.heading for column in getattr(book, name).columns]
        assert not [each for each in columns if "ommitment" in each]
    assert not re.search("commit|exposure of", book.answer)
    money = {type(value) for value in (getattr(book.counts, n) for n in book.counts.__slots__)}
    assert float not in money


def test_the_answer_and_its_caveats_say_what_is_known_of_how_many(book: Study) -> None:
    assert book.answer.startswith(
        "4 LPs back 5 managers; 1 of them is backed by two or more. Alpha has the most: 2 LPs. "
    )
    assert "2 of the 4 managers asked returned 4 funds since 2019 (3 with a size); " in book.answer
    assert "the largest is Alpha I of Alpha, 900 million EUR. " in book.answer
    assert book.answer.endswith("1 returned none, which is not evidence that it raised none.")
    said = " ".join(caveat.text for caveat in book.limits)
    assert "reachable through the manager, not evidenced as a holding" in said
    assert "1 was not asked for funds and 1 gave no complete answer" in said
    assert "3 of 4 LPs answered" in said
    assert all("年金 $2 and 3 other LPs" in caveat.text for caveat in book.limits)
    assert "without a date belongs to no year" in said


def test_types_keep_status_and_size_apart(book: Study) -> None:
    assert [tuple(row.values()) for row in rows(book.types)] == [
        (None, 3, 2, 3, 0, 0, 1, 2),
        ("Venture Capital", 1, 1, 0, 0, 0, 0, 1),
    ]


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_without_any_lp_or_record_all_is_said_and_drawn(library: str) -> None:
    for empty in (find([], [], [], library), find(LPS, [], [], library, since=2021)):
        assert "not evidence" in empty.answer
        for name in empty.findings():
            assert repr(getattr(empty, name).table)
        for name in FIGURES:
            ET.fromstring(getattr(empty, name).plot().svg)


def test_figures_are_repeatable_and_carry_their_finding(book: Study) -> None:
    again = find(
        *(LPS[::-1], BACKED[::-1], FUNDS[::-1]),
        since=2019,
        asked=["d", "c", "b", "a"],
        failed={"lp4": "403", "d": "504 after 3 tries"},
    )
    drawn = [getattr(book, name).plot() for name in FIGURES]
    matrix, _, timeline, _, countries = drawn
    for name, figure in zip(FIGURES, drawn, strict=True):
        assert getattr(again, name).plot().svg == figure.svg
    assert "Alpha: 2 of 4" in matrix.alt
    assert "株式 III 2021-01-01 1.5 million EUR" in timeline.alt
    assert "no records returned" in timeline.svg
    assert "size of the latest dated fund in EUR, known for 1 of 2" in countries.caption


def test_countries_count_managers_dated_funds_and_sizes_apart(book: Study) -> None:
    assert [tuple(row.values()) for row in rows(book.countries)] == [
        ("France", 2, 2, 2, 1, 0),
        (None, 3, 0, 0, 0, 0),
    ]


def test_amounts_have_their_currency_beside_them_and_none_is_put_on_the_native_ones(
    book: Study,
) -> None:
    for name in ("managers", "funds", "fund_links"):
        assert set(book.frames[name]["currency"]) == {"EUR"}
    headings = [column.heading for column in book.funds.columns]
    assert {"Fund size (EUR)", "As announced"} <= set(headings)


ids = st.sampled_from("abcd")
backings = st.lists(
    st.builds(
        lambda lp, firm, place: {"lp_uuid": lp, "uuid": firm, "name": firm, "hq_country": place},
        *(st.sampled_from(["lp1", "lp2", "lp9"]), ids, st.sampled_from([None, "France"])),
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


@given(backings, vehicles, st.randoms(use_true_random=False))
def test_library_row_order_and_repeated_rows_change_nothing(
    backed: Rows, funds: Rows, chance: random.Random
) -> None:
    def disturbed(kept: Rows) -> Rows:
        return chance.sample(kept + chance.choices(kept, k=2), len(kept) + 2) if kept else kept

    one = find(LPS, backed, funds)
    assert_same(one, find(LPS, backed, funds, "pandas"))
    assert_same(one, find(disturbed(LPS), disturbed(backed), disturbed(funds)))
    assert len(one.managers) == len({b["uuid"] for b in backed if b["lp_uuid"] != "lp9"})


def test_an_lp_given_by_name_and_as_a_record_is_studied_once() -> None:
    named = ("Prairie Public Employees Fund", "prairiefund.example")
    with connect(environment={}) as svc:
        lp = svc.lp(named[0], domain=named[1])
        by_name = exposure.study(svc, lps=[named], since=2021)
        both = exposure.Question(lps=[named, lp], since=2021).study(svc)
        counted = exposure.Question(lps=[named]).count(Records(svc))
    assert_same(by_name, both)
    assert by_name.question is not None
    assert by_name.question.parameters == {"lps": (named,), "since": 2021, "currency": "USD"}
    assert len(by_name.lps) == 1
    backed = len(by_name.managers)
    said = (
        f"{backed} managers of 1 LP, then the funds of each manager · about {backed + 1} requests"
    )
    assert counted.startswith(said)


AMITIM = "80870339-4dca-518d-a4c3-473381b589de"


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
    assert rows(real_book.lps)[0]["lp_uuid"] == AMITIM
    assert (backed["Amitim"], backed["Yelin Lapidot"]) == (61, 1)
    managers = {row["manager_name"]: row for row in rows(real_book.managers)}
    for name in ("FIMI Opportunity Funds", "Noy Fund"):
        seen = managers[name]
        assert (seen["lps"], seen["window"], seen["funds"]) == (10, "no_records_returned", 0)
    assert real_book.counts.managers_with_funds == 6
    assert all(result.is_complete for result in real_book.fetched)


@pytest.mark.real
def test_real_fund_sizes_and_the_largest_are_as_verified(
    real_service: Service, real_book: Study
) -> None:
    funds = real_service.funds.currency("USD").fetch().to_polars()
    native = funds["amount_source"].struct.unnest()["currency"].value_counts().rows()
    assert dict(native) == {"USD": 374, "EUR": 40, "GBP": 27, "CAD": 2, "JPY": 1, None: 52}
    sized = [row for row in rows(real_book.funds) if row["fund_size"]]
    largest = max(sized, key=lambda row: row["fund_size"])
    assert largest["fund_name"] == "Silver Lake Partners III"
    assert (largest["fund_date"], largest["fund_size_native"]) == (date(2007, 1, 1), 9.6e9)


@pytest.mark.real
def test_an_lp_that_shares_its_name_with_a_firm_is_found_by_its_domain_only(
    real_service: Service,
) -> None:
    lp = real_service.lp("Altshuler Shaham", domain="as-invest.co.il")
    assert len(real_service.managers_of(lp).fetch()) == 23
    with pytest.raises(errors.LookupFailed, match="domain") as caught:
        real_service.lp("Altshuler Shaham")
    assert sum(row["name"] == "Altshuler Shaham" for row in caught.value.candidates) == 2


@pytest.mark.real
def test_managers_beyond_the_bound_are_not_asked(real_service: Service) -> None:
    lp = real_service.lp("Amitim", domain="amitim.com")
    study = exposure.study(real_service, lps=[lp], since=2007, at_most=5)
    seen = [row["window"] for row in rows(study.managers)]
    assert seen.count("not_asked") == 56
    assert "Of the managers of Amitim, 56 were not asked" in str(study.limits[0])
