"""Each fault does to a reply what its plan says, to the requests it names and to no other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tests.embedded.conftest import Caller
from ventureframe.embedded import faults, run
from ventureframe.embedded.dataset import Dataset
from ventureframe.embedded.faults import Fault
from ventureframe.embedded.rate import Rate
from ventureframe.errors import ConfigurationError

ASKED = {"limit": 10, "include_total": "true"}


@contextmanager
def playing(dataset: Dataset, *plan: Fault, rate: float | None = None) -> Iterator[Caller]:
    with run.start(dataset, faults=plan, rate=rate) as running:
        caller = Caller(running)
        with caller.session:
            yield caller


def ids(caller: Caller, **query: object) -> list[str]:
    return [row["uuid"] for row in caller.rows("/data/companies", **ASKED | query)]


@pytest.mark.parametrize(
    ("which", "hit"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"nth": (2, 5)}, [2, 5]),
        ({"first": 2}, [1, 2]),
        ({"every": 3}, [3, 6]),
        ({"after": 4}, [5, 6]),
        ({"every": 2, "after": 2}, [4, 6]),
    ],
)
def test_a_fault_hits_the_requests_it_names(
    small: Dataset, which: dict[str, object], hit: list[int]
) -> None:
    with playing(small, Fault(route="companies", status=503, **which)) as caller:  # type: ignore[arg-type]  # a table of cases
        statuses = [caller.get("/data/companies", limit=1).status_code for _ in range(6)]
        assert [n for n, status in enumerate(statuses, 1) if status == 503] == hit
        assert caller.get("/data/funds", limit=1).status_code == 200


def test_an_error_comes_with_and_without_a_time_to_wait(small: Dataset) -> None:
    plan = (Fault(nth=(1,), status=429, retry_after=7), Fault(nth=(2,), status=503))
    with playing(small, *plan) as caller:
        limited, failed = caller.get("/data/news"), caller.get("/data/news")
    assert (limited.status_code, limited.headers["Retry-After"]) == (429, "7")
    assert limited.json()["error"]["code"] == "RATE_LIMITED"
    assert failed.status_code == 503
    assert "Retry-After" not in failed.headers


def test_a_reply_is_late_html_or_cut(small: Dataset) -> None:
    plan = (
        Fault(nth=(1,), delay=0.3),
        Fault(nth=(2,), status=403, html=True),
        Fault(nth=(3,), html=True),
        Fault(nth=(4,), cut=0.5),
        Fault(nth=(5,), cut=0),
        Fault(nth=(6,), status=308, headers={"Location": "/data/companies?limit=1"}),
    )
    with playing(small, *plan) as caller:
        start = time.monotonic()
        assert caller.get("/data/companies").status_code == 200
        assert time.monotonic() - start >= 0.3
        for status in (403, 200):
            reply = caller.get("/data/companies")
            assert (reply.status_code, reply.text[:9]) == (status, "<!doctype")
        cut = caller.get("/data/companies")
        assert cut.headers["Content-Type"] == "application/json"
        with pytest.raises(requests.JSONDecodeError):
            cut.json()
        assert caller.get("/data/companies").content == b""
        assert len(caller.get("/data/companies").json()["data"]) == 1


@pytest.mark.parametrize(
    ("when", "met"),
    [("before", requests.ConnectionError), ("during", requests.exceptions.ChunkedEncodingError)],
)
def test_a_connection_closes_before_or_in_the_middle_of_a_reply(
    small: Dataset, when: str, met: type[Exception]
) -> None:
    with playing(small, Fault(route="companies", nth=(2,), close=when)) as caller:  # type: ignore[arg-type]  # a table of cases
        assert ids(caller)
        with pytest.raises(met):
            ids(caller)
        assert ids(caller)


def test_pages_are_repeated_clamped_short_and_shifted(small: Dataset) -> None:
    with playing(small) as caller:
        every = ids(caller, limit=100)
    plan = (
        Fault(nth=(1,), repeat=True),
        Fault(nth=(2,), clamp=4),
        Fault(nth=(3,), short=3),
        Fault(nth=(4,), short=99),
        Fault(nth=(5,), shift=2),
        Fault(nth=(6,), shift=-2),
    )
    with playing(small, *plan) as caller:
        pages = [caller.page("/data/companies", **ASKED, offset=20) for _ in range(7)]
    found = [[row["uuid"] for row in page["data"]] for page in pages]
    assert found[0] == every[:10]
    assert found[1] == every[20:24]
    assert found[2] == every[20:27]
    assert found[3] == []
    assert found[4] == every[22:32]
    assert found[5] == every[18:28]
    assert found[6] == every[20:30]
    limits = [(page["page"]["offset"], page["page"]["limit"]) for page in pages]
    assert limits == [(0, 10), (20, 4), *[(20, 10)] * 5]


def test_a_short_page_s_cursor_goes_on_where_the_page_ends(small: Dataset) -> None:
    with playing(small, Fault(route="companies", every=2, short=3)) as caller:
        found, cursor = [], None
        while True:
            asked = ASKED | ({"cursor": cursor} if cursor else {})
            page = caller.page("/data/companies", **asked)
            found += [row["uuid"] for row in page["data"]]
            if (cursor := page["page"]["next_cursor"]) is None:
                break
    assert found == small.tables["companies"]["uuid"].to_list()


def test_a_total_moves_or_is_not_told(small: Dataset) -> None:
    plan = (
        Fault(first=2, total=3),
        Fault(nth=(3,), total="null"),
        Fault(nth=(4,), total="absent"),
    )
    with playing(small, *plan) as caller:
        pages = [caller.page("/data/companies", **ASKED)["page"] for _ in range(4)]
    assert [page.get("total", "absent") for page in pages] == [403, 406, None, "absent"]


def test_a_token_expires_in_the_middle_of_a_walk(small: Dataset) -> None:
    with playing(small, Fault(route="companies", nth=(2,), expire=True)) as caller:
        assert [caller.get("/data/companies").status_code for _ in range(3)] == [200, 401, 401]
        caller.session.headers["Authorization"] = f"Bearer {caller.token()}"
        assert caller.get("/data/companies").status_code == 200


def test_founders_are_missing_by_number_or_by_id(small: Dataset) -> None:
    with playing(small) as caller:
        batch = [row["uuid"] for row in caller.rows("/data/founders", limit=50)]
    plan = (
        Fault(route="founders", nth=(1,), missing=4),
        Fault(route="founders", nth=(2,), missing=(batch[0], batch[7])),
    )
    asked = {"filter": f"id[in_any]:{'|'.join(batch)}", "limit": 50, "include_total": "true"}
    with playing(small, *plan) as caller:
        by_number, by_id = (caller.page("/data/founders", **asked) for _ in range(2))
    assert [row["uuid"] for row in by_number["data"]] == batch[:-4]
    assert by_number["page"]["total"] == 46
    assert [row["uuid"] for row in by_id["data"]] == batch[1:7] + batch[8:]


def test_the_token_address_fails_by_plan_too(small: Dataset) -> None:
    with playing(small, Fault(route="token", nth=(2,), status=500)) as caller:
        url = caller.running.auth_url
        assert [requests.post(url, timeout=5).status_code for _ in range(2)] == [500, 400]


def test_a_plan_is_read_from_toml_and_json(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(
        '[[fault]]\nroute = "companies"\nnth = [2, 5]\nstatus = 429\nretry_after = 1\n'
        '[[fault]]\nnth = 3\nmissing = ["a", "b"]\n'
    )
    (tmp_path / "plan.json").write_text('{"fault": [{"route": "news", "cut": 0.5}]}')
    assert faults.read(tmp_path / "plan.toml") == (
        Fault(route="companies", nth=(2, 5), status=429, retry_after=1),
        Fault(nth=(3,), missing=("a", "b")),
    )
    assert faults.read(tmp_path / "plan.json") == (Fault(route="news", cut=0.5),)


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "[fault]\nroute = 'news'",
        "[[fault]]\nroutes = 'companies'",
        "[[fault]]\nstatus = 'bad'",
        "[[fault]]\nstatus = true",
        "[[fault]]\nclose = 'later'",
        '[[fault]]\nheaders = {Location = "a\\nb"}',
        "[[fault]]\nnth = [0]",
    ],
)
def test_a_plan_that_says_nothing_sound_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(ConfigurationError):
        faults.read(tmp_path / "plan.toml")


def test_a_route_that_is_not_there_is_refused(small: Dataset) -> None:
    with pytest.raises(ConfigurationError, match="no route 'company'"):
        run.start(small, faults=[Fault(route="company", status=500)])


def test_requests_above_the_rate_are_told_when_to_come_again(small: Dataset) -> None:
    with playing(small, rate=3) as caller:
        replies = [caller.get("/data/jobs", limit=1) for _ in range(8)]
    limited = [reply for reply in replies if reply.status_code == 429]
    assert [reply.status_code for reply in replies[:3]] == [200] * 3
    assert limited
    assert {reply.headers["Retry-After"] for reply in limited} == {"1"}


def test_the_rate_is_kept_over_any_time() -> None:
    now = [0.0]
    rate = Rate(5, clock=lambda: now[0])
    let_in = 0
    for _ in range(1_000):
        now[0] += 0.01
        let_in += rate.wait() == 0
    assert let_in == 5 + 50 - 1
