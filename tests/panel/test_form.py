"""The form of a panel without a browser: its controls, its words, its near misses, its cancel."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import polars as pl
import pytest
from IPython.core.interactiveshell import InteractiveShell

import ventureframe as vf
from tests import faults as played
from tests.faults import Fault
from tests.gate import Gate
from ventureframe.client.service import Service
from ventureframe.embedded.dataset import Dataset
from ventureframe.embedded.run import Running, start
from ventureframe.embedded.sample.sample import sample
from ventureframe.evidence import Question, Records
from ventureframe.panel import Panel
from ventureframe.panel.form import Form

UUID = "00000000-0000-4000-8000-{:012d}"
TWIN = "Twin Capital"
LONDON = "United Kingdom (country) [1003]"
ATLANTA = ("Atlanta", "city", "Georgia (region) [9004]")
HARROWMERE = vf.spinouts.Question(
    university="Harrowmere University", domain="harrowmere.example", currency="USD"
)
EXPOSURE = vf.exposure.Question(
    lps=[("Meridian Sovereign Reserve", "meridian-reserve.example")], since=2021, currency="USD"
)
HIRING = vf.hiring.Question(
    tags=[("Robotics", "technology")],
    location=("Europe", "continent"),
    founded=(2005, None),
    funding=(None, 5e7),
    signal_team=60,
    status=("operational", "closed"),
    currency="USD",
)
QUESTIONS: dict[str, Question[Any]] = {
    "spinouts": HARROWMERE,
    "exposure": EXPOSURE,
    "hiring": HIRING,
}


def run(told: Coroutine[Any, Any, object]) -> None:
    """Waits for it in a thread of its own: a browser in the same session has a loop in this one."""
    with ThreadPoolExecutor(1) as beside:
        beside.submit(asyncio.run, told).result()


@pytest.fixture(scope="module")
def svc() -> Iterator[Service]:
    InteractiveShell.instance()
    with vf.connect(environment={}) as service:
        yield service
    InteractiveShell.clear_instance()


@pytest.fixture(params=QUESTIONS)
def panel(request: pytest.FixtureRequest, svc: Service) -> Panel[Any]:
    return vf.form(svc, QUESTIONS[request.param])


def test_the_controls_say_what_was_asked(panel: Panel[Any]) -> None:
    form = Form(panel)
    assert form.read() == panel.question
    read = {name: control.read() for name, control in form.controls.items()}
    assert read == panel.question.parameters


def test_a_count_comes_first_and_changes_nothing(panel: Panel[Any]) -> None:
    form, before = Form(panel), panel.study
    run(form.count())
    assert re.match(r"\d+ (companies, 1 page|managers of 1 LP), th", form.status.value)
    assert panel.study is before


def test_another_currency_requests_only_what_has_amounts_again(panel: Panel[Any]) -> None:
    form, before = Form(panel), panel.study
    form.controls["currency"].write("EUR")
    assert panel.study is before
    run(form.fetch())
    assert form.status.value.startswith("Fetched"), form.status.value
    assert panel.study.currency == "EUR"
    for old, new in zip(before.fetched, panel.study.fetched, strict=True):
        has_amounts = old.provenance.currency is not None
        same_companies = old.asked == new.asked
        assert (new is old) == (same_companies and not has_amounts)
    assert any(new is old for old, new in zip(before.fetched, panel.study.fetched, strict=True))


def test_a_record_that_was_given_stays_where_only_the_currency_is_another(svc: Service) -> None:
    record = svc.university("Harrowmere University", domain="harrowmere.example")
    form = Form(vf.form(svc, vf.spinouts.Question(university=record)))
    form.controls["currency"].write("GBP")
    assert form.read() == vf.spinouts.Question(university=record, currency="GBP")
    form.controls["domain"].write("elsewhere.example")
    assert form.read().parameters["university"] == "Harrowmere University"


def test_a_place_keeps_what_it_lies_in(svc: Service) -> None:
    london = ("London", "city", "United Kingdom")
    form = Form(vf.form(svc, HIRING.set(tags=None, location=london)))
    assert form.controls["location"].read() == london
    form.controls["location"].write(london[:2])
    assert form.controls["location"].read() == london[:2]
    assert form.panel.study.question == form.panel.question
    found = svc.location("London", type="city")
    picked = ("London", "city", f"United Kingdom (country) [{found.id}]")
    assert HIRING.set(location=found).parameters["location"] == picked
    form.controls["location"].write(picked)
    assert form.controls["location"].read() == picked


NEAR: list[tuple[str, str, Any, Any]] = [
    ("spinouts", "domain", "elsewhere.example", "harrowmere.example"),
    ("exposure", "lps", (("Meridian Sovereign", None),), EXPOSURE.lps),
    ("hiring", "tags", (("Robotics", None),), HIRING.tags),
    ("exposure", "lps", ((TWIN, None),), ((TWIN, UUID.format(1)),)),
    ("exposure", "lps", ((TWIN, "twin.example"),), ((TWIN, UUID.format(2)),)),
    ("hiring", "location", ("Europ", "continent"), ("Europe", "continent", "[1001]")),
    ("hiring", "location", ("London", "city", "France"), ("London", "city", LONDON)),
    ("hiring", "location", ("Atlanta", "city"), ("Atlanta", "city", "Georgia (country) [9002]")),
    ("hiring", "location", ("Atlanta", "city", "Georgia"), ATLANTA),
]


@pytest.fixture(scope="module")
def ambiguous() -> Iterator[Service]:
    """A service with two places, and three investors, of one name."""
    made = sample(companies=100)
    tables = dict(made.tables)
    rows = [(9001, "Georgia", "country", None), (9002, "Atlanta", "city", 9001)]
    rows += [(9003, "Georgia", "region", None), (9004, "Atlanta", "city", 9003)]
    places = pl.DataFrame(rows, schema=tables["locations"].schema, orient="row")
    tables["locations"] = pl.concat([tables["locations"], places])
    twin = tables["investors"].row(0, named=True)
    domains = {1: None, 2: "twin.example", 3: "twin.example"}
    twins = [
        {**twin, "uuid": UUID.format(number), "name": TWIN, "website_domain": domain}
        for number, domain in domains.items()
    ]
    more = pl.DataFrame(twins, schema=tables["investors"].schema)
    tables["investors"] = pl.concat([tables["investors"], more])
    with start(Dataset.of(made.description, tables)) as running, connect(running) as svc:
        yield svc


def said(right: Any) -> str:
    """What is picked, as the line of a choice has it."""
    if isinstance(right, str):
        return f"{HARROWMERE.university}, {right}"
    return ", ".join(right if isinstance(right[0], str) else right[0])


@pytest.mark.parametrize(("name", "member", "wrong", "right"), NEAR)
def test_near_misses_are_there_to_choose_from_and_a_picked_one_stays_picked(
    name: str, member: str, wrong: Any, right: Any, ambiguous: Service
) -> None:
    form = Form(Panel[Any](Records(ambiguous), QUESTIONS[name], HARROWMERE.study(ambiguous)))
    form.controls[member].write(wrong)
    run(form.fetch())
    assert re.match(r"Nothing below has changed\. .*: pick one of these", form.status.value)
    assert form.misses.layout.display is None
    lines = [line for line, _ in form.near.options]
    assert len(set(lines)) == len(lines)
    form.near.value = next(place for place, line in enumerate(lines) if line == said(right))
    run(form.correct())
    assert form.controls[member].read() == right
    assert form.misses.layout.display == "none"
    run(form.count())
    assert "Fetch requests" in form.status.value


@pytest.mark.parametrize("member", ["university", "domain"])
def test_a_name_that_is_left_out_is_said_in_words(member: str, svc: Service) -> None:
    form = Form(vf.form(svc, HARROWMERE))
    form.controls[member].write(None)
    run(form.fetch())
    assert form.status.value.startswith("Nothing below has changed. ")
    assert member in form.status.value


def test_what_goes_wrong_is_said_in_words() -> None:
    with connected(Fault(route="companies", after=1, status=403)) as svc:
        form = Form(vf.form(svc, HARROWMERE))
        before = form.panel.study
        run(form.fetch())
        assert form.status.value.startswith("Nothing below has changed. ")
        assert "403" in form.status.value
        assert form.panel.study is before


def test_a_service_that_reports_no_total_is_fetched_from_all_the_same() -> None:
    with connected(Fault(route="companies", total="absent")) as svc:
        form = Form(vf.form(svc, HARROWMERE))
        run(form.count())
        assert form.status.value.startswith("companies, whose number the service does not report")
        run(form.fetch())
        assert form.status.value.startswith("Fetched")


def test_a_cancel_ends_it_before_the_reply_and_changes_nothing() -> None:
    with start(sample()) as running:
        gate = Gate(running.base_url, path="/data/founders")
        with connect(running, base_url=gate.base_url) as svc:
            form = Form(vf.form(svc, HARROWMERE))
            before = form.panel.study
            run(_cancelled(form, gate))
            assert form.status.value == "Cancelled. Nothing below has changed."
            assert form.panel.study is before
            form.cancel()
            assert form.status.value == "Nothing is being fetched."
        gate.close()


async def _cancelled(form: Form[Any], gate: Gate) -> None:
    """Cancels a fetch whose founders are held, from another thread, as a kernel may do it.

    A second press is told to wait before that.
    """
    shown, loop = asyncio.Event(), asyncio.get_running_loop()
    form.progress.observe(lambda _: loop.call_soon_threadsafe(shown.set), "value")
    with gate.closed():
        fetching = asyncio.ensure_future(form.fetch())
        await shown.wait()
        await form.count()
        assert form.status.value == "Still fetching; Cancel ends it."
        with ThreadPoolExecutor(1) as another:
            another.submit(form.cancel)
        await fetching


def test_a_press_waits_for_what_was_entered_before_it(svc: Service) -> None:
    form = Form(vf.form(svc, HARROWMERE))

    def answer(change: Any) -> None:
        """As a browser does it: first what it held back, then the player stops."""
        if change.new:
            form.controls["university"].write("Tarnvik Technical University")
            form.controls["domain"].write("tarnvik.example")
            form.echo.playing = False

    def counted(form: Form[Any]) -> bool:
        return "Fetch requests" in form.status.value

    async def pressed() -> None:
        said = asyncio.Event()

        def heard(change: Any) -> None:
            if "Fetch requests" in change.new:
                said.set()

        form.echo.observe(answer, "playing")
        form.status.observe(lambda _: said.set() if counted(form) else None, "value")
        form.buttons["Count"].click()
        await said.wait()

    run(pressed())
    assert form.status.value.startswith("235 companies")


@contextlib.contextmanager
def connected(*faults: Fault) -> Iterator[Service]:
    """A service that plays the faults."""
    with played.start(sample(), faults=faults) as running, connect(running) as svc:
        yield svc


def connect(running: Running, *, base_url: str | None = None) -> Service:
    """The client of a service, at another address where one is given."""
    settings = {
        "BASE_URL": base_url or running.base_url,
        "AUTH_URL": running.auth_url,
        "CLIENT_ID": running.client_id,
        "CLIENT_SECRET": running.client_secret,
        "USER_AGENT": "ventureframe tests",
    }
    return vf.connect(
        environment={f"VENTUREFRAME_{name}": value for name, value in settings.items()}
    )
