"""Each fault does to a reply what its plan says, to the requests it names and to no other."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from tests.faults import Fault, Faults
from tests.service.caller import Caller
from ventureframe_service import run
from ventureframe_service.dataset import Dataset
from ventureframe_service.settings import Settings

ASKED = {"limit": 10, "include_total": "true"}
Play = Callable[..., Caller]


@pytest.fixture(scope="module")
def play(small: Dataset) -> Iterator[Play]:
    """Plays faults on one service, in place of the last; gives a caller of it."""
    faults = Faults()
    with run.start(small, Settings(around=faults.around)) as running:
        caller = Caller(running)

        def play(*plan: Fault) -> Caller:
            faults.play(plan)
            return caller

        with caller.session:
            yield play


def ids(caller: Caller, **query: object) -> list[str]:
    return [row["uuid"] for row in caller.rows("/data/companies", **ASKED | query)]


HITS: tuple[tuple[dict[str, Any], list[int]], ...] = (
    ({}, [1, 2, 3, 4, 5, 6]),
    ({"nth": (2, 5)}, [2, 5]),
    ({"first": 2}, [1, 2]),
    ({"every": 3}, [3, 6]),
    ({"after": 4}, [5, 6]),
    ({"every": 2, "after": 2}, [4, 6]),
)


def test_a_fault_hits_the_requests_it_names(play: Play) -> None:
    for which, hit in HITS:
        caller = play(Fault(route="companies", status=503, **which))
        statuses = [caller.get("/data/companies", limit=1).status_code for _ in range(6)]
        assert [n for n, status in enumerate(statuses, 1) if status == 503] == hit, which
        assert caller.get("/data/funds", limit=1).status_code == 200


def test_a_reply_is_late_html_or_cut(play: Play) -> None:
    plan = (
        Fault(nth=(1,), delay=0.3),
        Fault(nth=(2,), status=403, html=True),
        Fault(nth=(3,), html=True),
        Fault(nth=(4,), cut=0.5),
        Fault(nth=(5,), cut=0),
        Fault(nth=(6,), status=308, headers={"Location": "/data/companies?limit=1"}),
    )
    caller = play(*plan)
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
    play: Play, when: str, met: type[Exception]
) -> None:
    caller = play(Fault(route="companies", nth=(2,), close=when))  # type: ignore[arg-type]  # a table of cases
    assert ids(caller)
    with pytest.raises(met):
        ids(caller)
    assert ids(caller)


def test_pages_are_repeated_clamped_short_and_shifted(play: Play) -> None:
    caller = play()
    every = ids(caller, limit=100)
    plan = (
        Fault(nth=(1,), repeat=True),
        Fault(nth=(2,), clamp=4),
        Fault(nth=(3,), short=3),
        Fault(nth=(4,), short=99),
        Fault(nth=(5,), shift=2),
        Fault(nth=(6,), shift=-2),
    )
    caller = play(*plan)
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


def test_a_short_page_s_cursor_goes_on_where_the_page_ends(small: Dataset, play: Play) -> None:
    caller = play(Fault(route="companies", every=2, short=3))
    found, cursor = [], None
    while True:
        asked = ASKED | ({"cursor": cursor} if cursor else {})
        page = caller.page("/data/companies", **asked)
        found += [row["uuid"] for row in page["data"]]
        if (cursor := page["page"]["next_cursor"]) is None:
            break
    assert found == small.tables["companies"]["uuid"].to_list()


def test_a_total_moves_or_is_not_told(play: Play) -> None:
    plan = (
        Fault(first=2, total=3),
        Fault(nth=(3,), total="null"),
        Fault(nth=(4,), total="absent"),
    )
    caller = play(*plan)
    pages = [caller.page("/data/companies", **ASKED)["page"] for _ in range(4)]
    assert [page.get("total", "absent") for page in pages] == [403, 406, None, "absent"]


def test_a_token_expires_in_the_middle_of_a_walk(play: Play) -> None:
    caller = play(Fault(route="companies", nth=(2,), expire=True))
    assert [caller.get("/data/companies").status_code for _ in range(3)] == [200, 401, 401]
    caller.session.headers["Authorization"] = f"Bearer {caller.token()}"
    assert caller.get("/data/companies").status_code == 200


def test_founders_are_missing_by_number_or_by_id(play: Play) -> None:
    caller = play()
    batch = [row["uuid"] for row in caller.rows("/data/founders", limit=50)]
    plan = (
        Fault(route="founders", nth=(1,), missing=4),
        Fault(route="founders", nth=(2,), missing=(batch[0], batch[7])),
    )
    asked = {"filter": f"id[in_any]:{'|'.join(batch)}", "limit": 50, "include_total": "true"}
    caller = play(*plan)
    by_number, by_id = (caller.page("/data/founders", **asked) for _ in range(2))
    assert [row["uuid"] for row in by_number["data"]] == batch[:-4]
    assert by_number["page"]["total"] == 46
    assert [row["uuid"] for row in by_id["data"]] == batch[1:7] + batch[8:]
