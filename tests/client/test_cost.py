"""What is said of a fetch before it is sent holds: requests, seconds, credits, and
`at_most`.
"""

import dataclasses
import json
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ventureframe as vf
from tests.client.stand_in import Time, uuid
from tests.fake import connected_on, start_on
from tests.faults import answered, connected
from tests.service.sample.sample import sample
from ventureframe.client.query import Query
from ventureframe.client.service import Service
from ventureframe.errors import (
    EnoughSent,
    EvidenceWarning,
    UnsupportedValue,
    VentureframeWarning,
)
from ventureframe.evidence.question import sized
from ventureframe.interface.certificate import Cost
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE, Limit, Profile

BILLED = {"news": 1, "jobs": 1, "funding-rounds": 1}  # a row, and 2 of another kind
PAGED = dict.fromkeys(
    ("companies", "founders", "funds", "news", "jobs"), Limit(25, 100)
)
SAMPLE = sample(companies=300)
COMPANIES = SAMPLE.tables["companies"]["uuid"].to_list()
FOUNDERS = SAMPLE.tables["founders"]["uuid"].to_list()
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
        self.measured: dict[str, Measured] = {}

    def around(self, app: Any, name: str) -> Any:
        async def answer(scope: Any, receive: Any, send: Any) -> None:
            start, body = await answered(app, scope, receive)
            data, spent = json.loads(body).get("data"), 5 * (name == "aggregates")
            is_list = isinstance(data, list) and scope["path"].startswith("/data/")
            if is_list and name != "search":
                is_summary = b"view=summary" in scope["query_string"]
                spent = len(data) * (1 if is_summary else BILLED.get(name, 2))
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


def named(place: int) -> Any:
    """The companies with a founder of a university."""
    name = SAMPLE.tables["universities"]["name"][place]
    return vf.company.founder_university_name == name


KINDS: dict[str, Callable[[Service], Any]] = {
    "companies": lambda svc: svc.companies,
    "companies of a university": lambda svc: svc.companies.where(named(0)),
    "no company": lambda svc: svc.companies.where(vf.company.launch_date >= 2100),
    "their founders": lambda svc: svc.companies.with_all("founders"),
    "founders of a few": lambda svc: svc.companies.where(named(1)).with_all("founders"),
    "founders": lambda svc: svc.founders,
    "their careers": lambda svc: svc.founders.with_all("prior_employers"),
    "few ids": lambda svc: svc.companies.by_id(COMPANIES[:70]),
    "unknown ids": lambda svc: svc.companies.by_id([*COMPANIES, *map(uuid, range(99))]),
    "few founders": lambda svc: svc.founders.by_id(FOUNDERS[:30]),
    "many founders": lambda svc: svc.founders.by_id(FOUNDERS[:400]),
    "careers of many": lambda svc: svc.founders.by_id(FOUNDERS[100:400]).with_all(
        "prior_employers"
    ),
    "news about few": lambda svc: svc.news.about(COMPANIES[:70]),
    "news about all": lambda svc: svc.news.about(COMPANIES),
    "jobs at few": lambda svc: svc.jobs.at(COMPANIES[:40]),
    "jobs at all": lambda svc: svc.jobs.at(COMPANIES),
    "news": lambda svc: svc.news,
    "funds": lambda svc: svc.funds,
    "managers of an LP": lambda svc: svc.managers_of(LPS[0]),
    "managers of LPs": lambda svc: svc.managers_of(LPS),
    "funds of a manager": lambda svc: svc.funds_of_each(MANAGERS[:1]),
    "funds of managers": lambda svc: svc.funds_of_each(MANAGERS),
    "rounds of few companies": lambda svc: svc.rounds_of(COMPANIES[:5]),
    "rounds of companies": lambda svc: svc.rounds_of(COMPANIES[:90]),
}
UNIVERSITIES = [
    row[1:] for row in SAMPLE.tables["universities"].rows() if all(row[1:3])
][:2]
LIST = "Company\tWebsite\n" + "\n".join(
    "\t".join(map(str, row))
    for row in SAMPLE.tables["companies"]
    .select("name", "website_domain")
    .head(40)
    .rows()
)


def university(place: int) -> dict[str, Any]:
    """The members of a question that name a university."""
    return dict(zip(("university", "domain"), UNIVERSITIES[place], strict=False))


SURVEYS: dict[str, Callable[[], Any]] = {
    "spinouts": lambda: vf.spinouts.Question(**university(0)),
    "spinouts since": lambda: vf.spinouts.Question(**university(1), since=2012),
    "spinouts of a list": lambda: vf.spinouts.Question(
        **university(0), companies=COMPANIES[:120]
    ),
    "universities": lambda: vf.universities.Question(
        universities=[row[:2] for row in UNIVERSITIES]
    ),
    "exposure": lambda: vf.exposure.Question(lps=LPS[:1]),
    "exposure of several": lambda: vf.exposure.Question(lps=LPS[:4], since=2015),
    "exposure to some funds": lambda: vf.exposure.Question(lps=LPS[:2], funds_of=10),
    "hiring": lambda: vf.hiring.Question(founded=(2010, None), rounds_of=25),
    "hiring of a status": lambda: vf.hiring.Question(status="operational", rounds_of=5),
    "hiring of all": lambda: vf.hiring.Question(signal_rating=1),
    "hiring of a list": lambda: vf.hiring.Question(companies=COMPANIES[:186]),
    "founders since": lambda: vf.founders.Question(founded=(2012, None)),
    "founders of a list": lambda: vf.founders.Question(companies=COMPANIES[100:160]),
    "founders of a university": lambda: vf.founders.Question(**university(0)),
    "my list": lambda: vf.mine.Question(list=LIST),
}


@dataclasses.dataclass(frozen=True)
class Measured:
    """What was said of a fetch or a study, and what it sent and spent."""

    said: Cost
    sent: int
    spent: int
    seconds: float
    result: Any

    def is_near(self) -> bool:
        """Whether it is within half and twice what was said."""
        said = (self.said.requests, self.said.credits or 0)
        pairs = zip(said, (self.sent, self.spent), strict=True)
        return all(one / 2 <= other <= one * 2 for one, other in pairs)

    def is_within(self) -> bool:
        """Whether it is not above the upper end."""
        most = self.said.most or self.said
        assert most.credits is not None
        return self.sent <= most.requests and self.spent <= most.credits

    def line(self, kind: str) -> str:
        """A line of a table: what was said, the end, and what it took."""
        most, mark = self.said.most or self.said, "" if self.is_near() else "  far"
        requests = (self.said.requests, most.requests, self.sent)
        money = (self.said.credits or 0, most.credits or 0, self.spent)
        cells = [f"{number:9,.0f}" for number in (*requests, *money)]
        return f"{kind:24}{' '.join(cells)}{mark}"


def measured(billing: tuple[Billing, Service, Time], kind: str) -> Measured:
    """What a kind of fetch or study is said to take, and what it takes."""
    service, time = billing[1:]
    if kind in billing[0].measured:
        return billing[0].measured[kind]
    asked = KINDS[kind](service) if kind in KINDS else SURVEYS[kind]()
    found = measure(billing[0], time, asked, service)
    billing[0].measured[kind] = found
    return found


def measure(billing: Billing, time: Time, asked: Any, service: Service) -> Measured:
    """Say what a query or a question takes, and send it."""
    if isinstance(asked, Query):
        said, work = asked.cost(), asked.fetch
    else:
        records = vf.evidence.Records(service)
        plan = asked.count(records)
        assert plan.cost is not None
        said, work = plan.cost, partial(asked.study, records)
    before = billing.requests, billing.credits
    time.seconds += 10  # all that went before is out of sight
    began = time.seconds
    with warnings.catch_warnings():  # what is sent to match a list
        warnings.simplefilter("ignore", VentureframeWarning)
        result = work()
    sent, spent = billing.requests - before[0], billing.credits - before[1]
    return Measured(said, sent, spent, time.seconds - began, result)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_a_fetch_holds_and_at_most_ends_it(
    billing: tuple[Billing, Service, Time], kind: str
) -> None:
    service, found = billing[1], measured(billing, kind)
    said, sent, spent = found.said, found.sent, found.spent
    result = found.result
    unknown = 2 * len(result.missing)
    is_above = said.most is not None and said.most.requests > said.requests
    assert ("at most" in repr(said)) == is_above
    assert said.seconds == pytest.approx(said.requests / 5)
    if said.most is None:
        assert (sent, spent + unknown) == (said.requests, said.credits)
        assert found.seconds <= said.requests / 5 * 1.005
    assert found.seconds >= sent / 5 - 1.2, "a second's requests go at once"
    assert result.certificate.credits == spent or sent == 0
    assert result.certificate.pages + result.certificate.retries == sent
    if 1 < sent < 100:
        before = billing[0].requests
        with pytest.warns(EvidenceWarning, match="ended early .at_most= is reached"):
            part = KINDS[kind](service).fetch(at_most=sent // 2)
        assert billing[0].requests - before == sent // 2
        assert part.certificate.verdict == "short"
        assert len(part) <= len(result)


@pytest.mark.parametrize("kind", [*KINDS, *SURVEYS])
def test_no_fetch_and_no_study_takes_more_than_its_upper_end(
    billing: tuple[Billing, Service, Time], kind: str
) -> None:
    found = measured(billing, kind)
    assert found.is_within(), found.line(kind)


def test_an_unknown_record_takes_a_request_and_nothing_more(
    billing: tuple[Billing, Service, Time],
) -> None:
    query = billing[1].funds_of_each([*MANAGERS[:4], *map(uuid, range(3))])
    said, before = query.cost(), billing[0].requests
    assert len(query.fetch().missing) == 3
    assert said.requests == billing[0].requests - before == 7


def test_nine_of_ten_take_between_half_and_twice_what_is_said(
    billing: tuple[Billing, Service, Time],
) -> None:
    kinds = [*KINDS, *SURVEYS]
    far = {
        kind: (found.said, found.sent, found.spent)
        for kind in kinds
        if not (found := measured(billing, kind)).is_near()
    }
    assert len(far) <= len(kinds) // 10, far


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


@pytest.mark.parametrize("rows", ["5", -1, 2.5, True])
def test_the_cost_of_what_is_no_number_of_rows_is_refused(rows: Any) -> None:
    with (
        vf.connect(environment={}) as service,
        pytest.raises(UnsupportedValue, match=r"'rows' cannot be .*: give a whole"),
    ):
        service.funds.cost(rows)


def test_an_aggregate_says_what_it_spent(
    billing: tuple[Billing, Service, Time],
) -> None:
    before = billing[0].credits
    groups = billing[1].aggregate("companies", group_by="hq_country")
    assert (groups.credits, billing[0].credits - before) == (5, 5)
    assert " · 5 credits" in repr(groups)


@pytest.mark.parametrize(
    ("count", "requests"),
    [
        (lambda svc: svc.companies.count(), 1),
        (lambda svc: svc.companies.with_all("founders").count(), 1),
        (lambda svc: svc.founders.count(), 1),
        (lambda svc: sized(svc.companies), 1),
        (lambda svc: sized(svc.companies, is_sure=True), 2),
    ],
    ids=["companies", "with their founders", "founders", "of a form", "to be sure"],
)
def test_a_count_bills_a_single_row_of_the_cheapest_view(
    billing: tuple[Billing, Service, Time],
    count: Callable[[Service], object],
    requests: int,
) -> None:
    service = billing[0]
    price = 1 if service.wire.name == WIRE_2026_10_02.name else 2
    before = service.requests, service.credits
    count(billing[1])
    sent = service.requests - before[0], service.credits - before[1]
    assert sent == (requests, price)


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


@pytest.mark.parametrize("bound", ["at_most", "at_most_credits"])
@pytest.mark.parametrize("number", ["9", 0, -1, 2.0, True])
def test_a_bound_that_is_no_number_of_requests_or_credits_is_refused_by_its_name(
    bound: str, number: Any, tmp_path: Path
) -> None:
    bounds, svc = {bound: number}, vf.connect(environment={})
    for take in (
        vf.hiring.Question,
        svc.funds.fetch,
        partial(svc.pull, "funds", out=tmp_path / "pull"),
    ):
        with pytest.raises(UnsupportedValue, match=f"'{bound}' cannot be .*: give a"):
            take(**bounds)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (Cost(1), "1 request"),
        (Cost(412, 82.4, 824), "412 requests · about 1 min 22 s · about 824 credits"),
        (
            Cost(54, 10.8, 1_432, most=Cost(409, 81.8)),
            "about 54 requests, at most 409 · about 11 s · about 1,432 credits",
        ),
        (
            Cost(54, 10.8, 1_432, most=Cost(409, 81.8, 9_000)) + Cost(1, 0.2, 2),
            "about 55 requests, at most 410 · about 11 s · about 1,434 credits",
        ),
        (Cost(1, 0.2, 2) + Cost(1, 0.2, 2), "2 requests · about 0 s · about 4 credits"),
    ],
)
def test_a_cost_reads_as_a_sentence(cost: Cost, said: str) -> None:
    assert repr(cost) == said
