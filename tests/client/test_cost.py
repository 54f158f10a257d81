"""What is said of a fetch before it is sent holds: requests, seconds, credits, and
`at_most`.
"""

import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ventureframe as vf
from tests.client.stand_in import Time, uuid
from tests.fake import connected_on, start_on
from tests.faults import answered, connected
from tests.service.sample.sample import sample
from ventureframe.client.service import Service
from ventureframe.errors import EnoughSent, EvidenceWarning, UnsupportedValue
from ventureframe.interface.certificate import Cost
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE, Limit, Profile

BILLED = {"news": 1, "jobs": 1, "funding-rounds": 1}  # a row, and 2 of another kind
PAGED = dict.fromkeys(
    ("companies", "founders", "funds", "news", "jobs"), Limit(25, 100)
)
SAMPLE = sample(companies=300)
COMPANIES = SAMPLE.tables["companies"]["uuid"].to_list()
LPS, MANAGERS = (
    SAMPLE.tables["lp_managers"][name].unique(maintain_order=True).to_list()
    for name in ("lp_uuid", "manager_uuid")
)


class Billing:
    """A service of somebody else on a real socket: it counts requests, and bills
    every row.
    """

    def __init__(self, wire: Profile) -> None:
        self.wire = dataclasses.replace(wire, limits={**wire.limits, **PAGED}, rate=5.0)
        self.requests, self.credits = 0, 0

    def around(self, app: Any, name: str) -> Any:
        async def answer(scope: Any, receive: Any, send: Any) -> None:
            start, body = await answered(app, scope, receive)
            data, spent = json.loads(body).get("data"), 5 * (name == "aggregates")
            is_list = isinstance(data, list) and scope["path"].startswith("/data/")
            if is_list and name != "search":
                spent = len(data) * BILLED.get(name, 2)
            headers = [
                pair for pair in start["headers"] if pair[0].lower() != b"x-dataset"
            ]
            start["headers"] = [*headers, (b"x-credits-used", b"%d" % spent)]
            if name not in ("token", "dataset"):
                self.requests, self.credits = self.requests + 1, self.credits + spent
            await send(start)
            await send({"type": "http.response.body", "body": body})

        return answer


@pytest.fixture(
    scope="module", params=[INTERFACE, WIRE_2026_10_02], ids=lambda wire: wire.name
)
def billing(request: pytest.FixtureRequest) -> Iterator[tuple[Billing, Service, Time]]:
    billing, time = Billing(request.param), Time()
    with (
        start_on(billing.wire.name, SAMPLE, around=billing.around) as running,
        connected(
            running, profile=billing.wire, sleep=time.sleep, clock=time.clock
        ) as service,
    ):
        yield billing, service, time


KINDS: dict[str, Callable[[Service], Any]] = {
    "companies": lambda svc: svc.companies,
    "companies of a university": lambda svc: svc.companies.where(
        vf.company.founder_university_name == SAMPLE.tables["universities"]["name"][0]
    ),
    "no company": lambda svc: svc.companies.where(vf.company.launch_date >= 2100),
    "their founders": lambda svc: svc.companies.with_all("founders"),
    "founders": lambda svc: svc.founders,
    "their careers": lambda svc: svc.founders.with_all("prior_employers"),
    "few ids": lambda svc: svc.companies.by_id(COMPANIES[:70]),
    "unknown ids": lambda svc: svc.companies.by_id([*COMPANIES, *map(uuid, range(99))]),
    "news about few": lambda svc: svc.news.about(COMPANIES[:70]),
    "managers of LPs": lambda svc: svc.managers_of(LPS[:3]),
    "funds of managers": lambda svc: svc.funds_of_each(MANAGERS[:9]),
    "rounds of companies": lambda svc: svc.rounds_of(COMPANIES[:9]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_a_fetch_holds_and_at_most_ends_it(
    billing: tuple[Billing, Service, Time], kind: str
) -> None:
    service, said, time = billing[1], KINDS[kind](billing[1]).cost(), billing[2]
    counted = billing[0].requests, billing[0].credits, time.seconds
    time.seconds += 10  # all that went before is out of sight
    began, result = time.seconds, KINDS[kind](service).fetch()
    sent, spent = billing[0].requests - counted[0], billing[0].credits - counted[1]
    took = time.seconds - began
    assert said.requests <= sent
    assert sent == said.requests or said.is_open
    assert ("at least" in repr(said)) == said.is_open
    assert said.seconds == said.requests / 5
    assert took >= said.seconds - 1.2, "a second's requests go at once"
    if not said.is_open:
        assert took <= said.seconds * 1.005
    assert result.certificate.credits == spent or sent == 0
    if said.credits is not None:
        unknown = 2 * len(result.missing)
        assert said.credits - unknown <= spent
        assert spent == said.credits - unknown or said.is_open
    assert result.certificate.pages + result.certificate.retries == sent
    if sent > 1:
        before = billing[0].requests
        with pytest.warns(EvidenceWarning, match="ended early .at_most= is reached"):
            part = KINDS[kind](service).fetch(at_most=sent // 2)
        assert billing[0].requests - before == sent // 2
        assert part.certificate.verdict == "short"
        assert len(part) <= len(result)


UNIVERSITIES = [
    row[1:] for row in SAMPLE.tables["universities"].rows() if all(row[1:3])
][:2]
STUDIES: dict[str, Callable[[int | None], Any]] = {
    "spinouts": lambda n: vf.spinouts.Question(
        **dict(zip(("university", "domain"), UNIVERSITIES[0], strict=False)),
        since=2005,
        at_most=n,
    ),
    "universities": lambda n: vf.universities.Question(
        universities=[row[:2] for row in UNIVERSITIES], at_most=n
    ),
    "exposure": lambda n: vf.exposure.Question(lps=LPS[:3], since=2015, at_most=n),
    "hiring": lambda n: vf.hiring.Question(
        founded=(2010, None), status="operational", rounds_of=3, at_most=n
    ),
}


@pytest.mark.parametrize("kind", STUDIES)
def test_a_study_and_a_form_end_before_they_send_more_and_say_so(
    billing: tuple[Billing, Service, Time], kind: str
) -> None:
    def sent(at_most: int | None) -> tuple[int, Any, tuple[str, ...]]:
        before = billing[0].requests
        form = vf.form(billing[1], STUDIES[kind](at_most))
        study = form.study
        return billing[0].requests - before, study, form.doubts

    sent(None)  # the names of filters are asked for once
    every, whole, _ = sent(None)
    assert "the counts are of the records read" not in str(whole.answer)
    for at_most in (len(UNIVERSITIES) * 2, every // 2, every - 1):
        number, study, doubts = sent(at_most)
        assert any("ended early (at_most= is reached" in doubt for doubt in doubts)
        assert number == at_most
        assert "the counts are of the records read, and there may be more" in str(
            study.answer
        )
        if kind == "exposure":
            told = {
                *study.managers.to_polars()["window"],
                *study.lps.to_polars()["answer"],
            }
            assert told & {
                "not_asked",
                "could_not_ask",
            }, "never that they have no records"


def test_a_count_bills_its_row_and_an_aggregate_says_what_it_spent(
    billing: tuple[Billing, Service, Time],
) -> None:
    before = billing[0].credits
    groups = billing[1].aggregate("companies", group_by="hq_country")
    assert (groups.credits, billing[0].credits - before) == (5, 5)
    assert " · 5 credits" in repr(groups)
    assert billing[1].companies.count() == len(COMPANIES)
    assert billing[0].credits - before == 5 + 2


def test_at_most_counts_what_is_looked_up_and_is_positive() -> None:
    """The name of a university is asked by its identifier there, which is looked up
    first.
    """
    with connected_on("2026-10-02") as service:
        pool = KINDS["companies of a university"](service)
        with pytest.warns(EvidenceWarning, match="ended early .at_most= is reached"):
            assert pool.fetch(at_most=1).certificate.verdict == "short"
        with pytest.raises(
            UnsupportedValue,
            match="'at_most' cannot be 0: give a whole number of 1 or more",
        ):
            pool.fetch(at_most=0)
        assert len(pool.fetch()) > 0, "what was not sent is not taken for an answer"
        with pytest.raises(EnoughSent, match="at_most= is reached"):
            STUDIES["spinouts"](1).study(service)


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (Cost(1), "1 request"),
        (Cost(412, 82.4, 824), "412 requests · about 1 min 22 s · about 824 credits"),
        (
            Cost(85, 17, 9, is_open=True),
            "at least 85 requests · at least 17 s · at least 9 credits, more where a list"
            " is longer than shown",
        ),
        (Cost(1, 0.2, 2) + Cost(1, 0.2, 2), "2 requests · about 0 s · about 4 credits"),
    ],
)
def test_a_cost_reads_as_a_sentence(cost: Cost, said: str) -> None:
    assert repr(cost) == said
