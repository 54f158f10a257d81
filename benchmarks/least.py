"""What each question sends, beside the least that answers it.

    python benchmarks/least.py [QUESTION ...]

Every question is asked on both wires over the sample: of the embedded service, and of
the fake of today's wire (`tests/fake`), each on a socket that counts requests, rows and
bytes, and bills rows as the vendor's documents say. Then the same records are read by
hand, with plain requests: pages at the largest limit without shared rows, one count of
a whole collection, two for what a condition leaves out, and the look-up of each name.
What is asked once a session (token, names of filters, description of a dataset) is
left out of both.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.client.stand_in import Time
from tests.fake import start_on
from tests.faults import answered, connected

import ventureframe as vf
from ventureframe.client.service import Service
from ventureframe.errors import VentureframeWarning
from ventureframe.evidence.question import EXAMPLES
from ventureframe.interface.wire.generations import WIRE_2026_10_02 as NEWER
from ventureframe.interface.wire.generations import WIRES
from ventureframe_service.dataset import sample

MOST = 1.1
"""A question may send so many times the least."""
ONCE = ("token", "filters", "dataset")
"""What is asked once a session."""
PRICES = {"funding-rounds": 1, "news": 1, "jobs": 1, "search": 0}
"""Credits of a row; of every other kind 2, or 1 in the summary view."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Sent:
    """What was sent and received."""

    requests: int = 0
    rows: int = 0
    bytes: int = 0
    credits: int = 0

    def __add__(self, other: Sent) -> Sent:
        return Sent(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class Answer:
    """A request, and what was answered: rows as text, and what one of them costs."""

    path: str
    asked: dict[str, str]
    rows: list[str]
    size: int
    price: int = 0

    @property
    def sent(self) -> Sent:
        """The request in numbers."""
        return Sent(1, len(self.rows), self.size, self.price * len(self.rows))


def _answer(name: str, path: str, query: bytes, body: bytes) -> Answer:
    content, asked = json.loads(body), dict(parse_qsl(query.decode()))
    data = content.get("data")
    rows = data if isinstance(data, list) else [data]
    if not path.startswith("/data/") or data is None:
        return Answer(path, asked, [], len(body))
    price = PRICES.get(name, 1 if content.get("view") == "summary" else 2)
    return Answer(path, asked, list(map(json.dumps, rows)), len(body), price)


def shared(answers: Iterable[Answer]) -> Sent:
    """What was sent because consecutive pages share a row: by that drift is seen."""
    lists = defaultdict[tuple[str, str | None], list[Answer]](list)
    for one in answers:
        if int(one.asked.get("limit", 0)) > 1:  # a count is no page
            lists[one.path, one.asked.get("filter")].append(one)
    total = Sent()
    for pages in lists.values():
        pages.sort(key=lambda page: int(page.asked.get("offset", 0)))
        repeats = [
            page
            for before, page in pairwise(pages)
            if page.rows[:1] == before.rows[-1:]
        ]
        for page in repeats:
            total += Sent(0, 1, len(page.rows[0]), page.price)
        if repeats and len(pages[-1].rows) < len(repeats) + 1:
            total += Sent(1)  # its rows would be on the pages before
    return total


class Meter:
    """Counts what a service is sent, and bills it."""

    def __init__(self) -> None:
        self.answers = list[Answer]()

    def around(self, app: Any, name: str) -> Any:
        async def count(scope: Any, receive: Any, send: Any) -> None:
            start, body = await answered(app, scope, receive)
            headers = [
                pair for pair in start["headers"] if pair[0].lower() != b"x-dataset"
            ]
            if name not in ONCE:
                answer = _answer(name, scope["path"], scope["query_string"], body)
                self.answers.append(answer)
                headers.append((b"x-credits-used", b"%d" % answer.sent.credits))
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        return count

    def measured(self, work: Callable[[], Any]) -> tuple[list[Answer], Any]:
        """What the work sends, and its result."""
        self.answers = []
        with warnings.catch_warnings():  # what is sent to match a list
            warnings.simplefilter("ignore", VentureframeWarning)
            result = work()
        return self.answers, result


class Hand:
    """Plain requests to a service, as somebody writes them who knows its documents."""

    def __init__(self, service: Service) -> None:
        self._session = service.connection.session
        self.is_newer = service.connection.profile is NEWER

    def get(self, path: str, **asked: Any) -> Any:
        texts = {name: str(value) for name, value in asked.items()}
        return self._session.get(path, texts).json()

    def rows(self, path: str, limit: int, **asked: Any) -> list[Row]:
        """Every row of a list, by offset; where it has no total, to an empty page."""
        rows, total = list[Row](), None
        while total is None or len(rows) < total:
            place = {"limit": limit, "offset": len(rows), "include_total": "true"}
            body = self.get(path, **place, **asked)
            total = body["page"]["total"]
            if not body["data"]:
                break
            rows += body["data"]
        return rows

    def some(self, path: str, key: str, ids: Iterable[str], **asked: Any) -> list[Row]:
        """The rows of these ids, fifty a request."""
        wanted, rows = list(ids), list[Row]()
        limit = 50 if key == "id" else 2000
        for start in range(0, len(wanted), 50):
            batch = "|".join(wanted[start : start + 50])
            rows += self.rows(path, limit, filter=f"{key}[in_any]:{batch}", **asked)
        return rows

    def find(self, name: str, site: str | None) -> None:
        """Search a company by its name, then by its domain where that is not found."""
        asked = {"types": "company", "limit": 20}
        hits = self.get("/data/search", q=name, **asked)["data"]
        domain = (site or "").removeprefix("www.").rstrip("/")
        if domain and domain not in [hit["website_domain"] for hit in hits]:
            self.get("/data/search", q=domain.partition(".")[0], **asked)

    def look_up(self, kind: str, name: str) -> Row:
        """The canonical record of a name: a search, then the record."""
        hits = self.get("/data/search", q=name, types=kind, limit=20)["data"]
        same = [hit["uuid"] for hit in hits if hit["name"] == name]
        record: Row = self.get(f"/data/entities/{same[0]}")["data"]
        return {**record, "same": same}

    def tag(self, label: str, kind: str) -> int:
        asked = {"scope": "companies", "q": label, "limit_per_row": 10, "limit": 50}
        hits = self.get("/reference/filters/search", **asked)["data"]
        return next(
            int(hit["value"])
            for hit in hits
            if (hit.get("label"), hit.get("source_type")) == (label, kind)
        )

    def place(self, name: str, kind: str) -> int:
        key = "hq_location" if self.is_newer else "location"
        path = f"/reference/filters/{key}/values"
        hits = self.get(path, q=name, type=kind, limit=1000)["data"]
        return next(int(hit["id"]) for hit in hits if hit["name"] == name)

    def count(self, *conditions: str, path: str = "/data/companies") -> int:
        asked = {"limit": 1, "include_total": "true"} | self.view("summary")
        if conditions:
            asked["filter"] = _all(conditions)
        total: int = self.get(path, **asked)["page"]["total"]
        return total

    def view(self, name: str) -> dict[str, Any]:
        return {"view": name} if self.is_newer else {}

    def companies(self, *conditions: str, view: str = "full") -> list[Row]:
        asked = {"filter": _all(conditions)} if conditions else {}
        return self.rows("/data/companies", 500, **asked, **self.view(view))

    def founders_of(self, companies: Sequence[Row], *lists: str) -> None:
        """The founders of companies, each once, with these lists to their end."""
        if not self.is_newer:
            founders = {uuid for row in companies for uuid in row["founders"]}
            self.some("/data/founders", "id", founders)
            return
        founders = set[str]()
        for row in companies:  # former ones, too
            path = f"/data/companies/{row['uuid']}/team"
            team = self.rows(path, 500, role="founder")
            founders |= {member["person"]["uuid"] for member in team}
        for person in self.some("/data/founders", "id", founders, view="full"):
            for name in lists:
                shown = person[name]
                if shown["total"] > len(shown["items"]):
                    self.rows(f"/data/people/{person['uuid']}/{name}", 500)

    def of_each(self, path: str, ids: Iterable[str], **asked: Any) -> list[Row]:
        every = (self.rows(path.format(uuid), 500, **asked) for uuid in ids)
        return [row for rows in every for row in rows]


def _all(conditions: Sequence[str]) -> str:
    return f"and({','.join(conditions)})" if len(conditions) > 1 else conditions[0]


ROUNDS = "/data/companies/{}/funding-rounds"


def _studied_at(hand: Hand, name: str) -> str:
    record = hand.look_up("university", name)
    if hand.is_newer:
        return f"founder__university.id[in_any]:{'|'.join(record['same'])}"
    return f"founder_university_name[eq]:{name}"


def _pool(hand: Hand, name: str, since: int) -> list[Row]:
    pool, founded = _studied_at(hand, name), f"launch_date[gte]:{since}"
    hand.count(pool)  # what the year leaves out, and why
    hand.count(pool, "launch_date[gte]:0")
    return hand.companies(pool, founded)


def spinouts(hand: Hand, _: Any) -> None:
    name = EXAMPLES["spinouts"]["university"]
    hand.founders_of(_pool(hand, name, 2005), "education")


def universities(hand: Hand, _: Any) -> None:
    for name, _domain in EXAMPLES["universities"]["universities"]:
        hand.founders_of(_pool(hand, name, 2015), "education")


def exposure(hand: Hand, _: Any) -> None:
    lps = [hand.look_up("investor", name) for name, _ in EXAMPLES["exposure"]["lps"]]
    path = "/data/investors/{}/lp-funds"
    backed = hand.of_each(path, [lp["uuid"] for lp in lps])
    managers = {row.get("investor", row)["uuid"] for row in backed}
    path = "/data/investors/{}/funds"
    hand.of_each(path, sorted(managers), filter="year[gte]:2021")


def _tagged(hand: Hand) -> list[str]:
    key = "taxonomy_id" if hand.is_newer else "tag_id"
    return [f"{key}[in_all]:{hand.tag('Robotics', 'technology')}"]


def hiring(hand: Hand, study: Any) -> None:
    place = f"hq_location[eq]:{hand.place('Europe', 'continent')}"
    chosen = [*_tagged(hand), place]
    founded, hires = "launch_date[gte]:2010", "is_hiring[eq]:true"
    hand.count(*chosen, hires)  # what the year leaves out, and why
    hand.count(*chosen, hires, "launch_date[gte]:0")
    hand.count(*chosen, founded)  # the same of the flag; those with "true" are read
    hand.count(*chosen, founded, "is_hiring[eq]:false")
    firms = hand.companies(*chosen, founded, hires, view="summary")
    uuids = [row["uuid"] for row in firms]
    hand.some("/data/jobs", "entity_id", uuids)
    hand.some("/data/news", "entity_id", uuids)
    hand.of_each(ROUNDS, study.fetched[-1].asked)


def changes(hand: Hand, _: Any) -> None:
    hand.companies("launch_date[gte]:2010", view="summary")


def institutions(hand: Hand, _: Any) -> None:
    hand.count()  # what it takes, before it is pulled
    hand.companies()
    hand.count(path="/data/founders")
    hand.rows("/data/founders", 500, **hand.view("full"))


def mine(hand: Hand, study: Any) -> None:
    uuids = study.match.uuids
    if hand.is_newer:
        listed = study.match.list.frame.select("Company", "Website")
        for name, site in listed.iter_rows():
            hand.find(name, site)
        firms = hand.some("/data/companies", "id", uuids, view="full")
    else:
        hand.count()
        firms = [row for row in hand.companies() if row["uuid"] in uuids]
    hand.founders_of(firms, "education")
    hand.some("/data/jobs", "entity_id", uuids)
    hand.of_each(ROUNDS, study.fetched[-1].asked)


def founders(hand: Hand, _: Any) -> None:
    hand.founders_of(hand.companies(*_tagged(hand)), "education", "career")


BY_HAND: dict[str, Callable[[Hand, Any], None]] = {
    "spinouts": spinouts,
    "universities": universities,
    "exposure": exposure,
    "hiring": hiring,
    "changes": changes,
    "institutions": institutions,
    "mine": mine,
    "founders": founders,
}


def ask(name: str, service: Service) -> Any:
    """Ask a question as an analyst does."""
    example = dict(EXAMPLES.get(name, {}))
    if name == "changes":  # compares two saves of this
        founded = vf.company.launch_date >= 2010
        return service.companies.where(founded).without("founders").fetch()
    if name == "institutions":
        with tempfile.TemporaryDirectory() as folder:
            return service.pull("companies", "founders", out=folder)
    if name == "spinouts":
        example["since"] = 2005
    if name == "hiring":
        example |= {"founded": (2010, None), "is_hiring": True}
    return getattr(vf, name).study(service, **example)


@dataclass(frozen=True)
class Compared:
    """What a question sent on a wire, beside the least."""

    question: str
    wire: str
    answers: list[Answer]
    by_hand: list[Answer]

    @property
    def sent(self) -> Sent:
        """All that was sent."""
        return sum((one.sent for one in self.answers), Sent())

    @property
    def least(self) -> Sent:
        """The least that answers."""
        return sum((one.sent for one in self.by_hand), Sent())

    @property
    def most(self) -> float:
        """The largest of its four ratios to the least, without rows that pages share."""
        every = map(astuple, (self.sent, shared(self.answers), self.least))
        ratios = list[float]()
        for sent, twice, least in zip(*every, strict=True):
            ratios.append((sent - twice) / max(1, least))
        return max(ratios)


def compared(names: Sequence[str], wire: str) -> Iterator[Compared]:
    """Ask each question on a wire, then by hand."""
    meter, time = Meter(), Time()
    clocks: dict[str, Any] = {"sleep": time.sleep, "clock": time.clock}  # nobody waits
    with (
        start_on(wire, sample(), around=meter.around) as running,
        connected(running, profile=WIRES[wire], **clocks) as service,
    ):
        for name in names:
            answers, study = meter.measured(partial(ask, name, service))
            by_hand, _ = meter.measured(partial(BY_HAND[name], Hand(service), study))
            yield Compared(name, wire, answers, by_hand)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions", nargs="*", default=list(BY_HAND))
    parser.add_argument("--routes", action="store_true", help="list every request")
    options = parser.parse_args()
    print("| question | wire | requests | rows | kB | credits | times |")
    print("|---|---|---|---|---|---|---|")
    for wire in WIRES:
        for row in compared(options.questions, wire):
            pairs = zip(astuple(row.sent), astuple(row.least), strict=True)
            counts = [f"{sent:,} / {least:,}" for sent, least in pairs]
            counts[2] = f"{row.sent.bytes / 1000:,.0f} / {row.least.bytes / 1000:,.0f}"
            most = f"{row.most:.2f}" + "!" * (row.most > MOST)
            print(f"| {row.question} | {wire} | {' | '.join(counts)} | {most} |")
            for side in (row.answers, row.by_hand) if options.routes else ():
                print("    --")
                for one in side:
                    print(f"    {one.path} {str(one.asked)[:150]}")


if __name__ == "__main__":
    main()
