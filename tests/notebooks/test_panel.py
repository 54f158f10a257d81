"""The panel: a choice is a value; a form without a browser still leaves what was chosen."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output
from tests.faults import Fault, start

import ventureframe as vf
from ventureframe import report
from ventureframe.client.service import Service
from ventureframe.embedded.sample.sample import sample
from ventureframe.errors import LookupFailed, UnsupportedValue
from ventureframe.panel import WIDGET, Choice, Exposure, Hiring, Panel, Spinouts, answer
from ventureframe.panel.choices import Records
from ventureframe.panel.form import Form
from ventureframe.report import parameters
from ventureframe.studies.spinouts.find import Study

NAME, DOMAIN = "Harrowmere University", "harrowmere.example"
HARROWMERE = Spinouts(university=NAME, domain=DOMAIN, currency="USD")


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


@pytest.fixture
def form(svc: Service) -> Panel[Study]:
    return vf.panel.spinouts(svc, university=HARROWMERE.university, domain=HARROWMERE.domain)


def test_a_choice_is_a_filter_and_a_list() -> None:
    assert HARROWMERE.where == ()
    later = Spinouts(university="X <&>", domain="x.example", currency="GBP", founded_from=2010)
    assert list(map(str, later.where)) == ["launch_date[gte]:2010"]
    assert repr(later) == (
        "University: X <&> · Website domain: x.example · Founded from: 2010 or later · "
        "Currency: GBP"
    )
    assert "<dt>University</dt><dd>X &lt;&amp;&gt;</dd>" in later._repr_html_()


def test_a_currency_that_amounts_do_not_come_in_is_refused() -> None:
    wrong: Any = "CHF"
    with pytest.raises(UnsupportedValue, match="USD, EUR, GBP"):
        Spinouts(university="X", domain="x.example", currency=wrong)


def test_untouched_it_has_the_study_of_its_defaults(form: Panel[Study]) -> None:
    assert form.choice == HARROWMERE
    assert form.study.university.name == "Harrowmere University"
    assert form.study.currency == "USD"


def test_its_output_is_a_widget_and_beside_it_the_list(form: Panel[Study]) -> None:
    widget, listed = _shown(form)
    assert set(widget.data) == {WIDGET}
    assert "<dd>harrowmere.example</dd>" in listed.data["text/html"]
    assert WIDGET not in listed.data


def test_a_fetch_changes_choice_and_study_and_draws_again(form: Panel[Study]) -> None:
    with capture_output():
        form.show()
    eur = Spinouts(university=HARROWMERE.university, domain=HARROWMERE.domain, currency="EUR")
    with capture_output() as captured:
        form.fetch(eur)
    assert form.choice == eur
    assert form.study.currency == "EUR"
    assert [output.data["text/plain"] for output in captured.outputs] == [form.study.answer]


def test_a_fetch_that_fails_changes_nothing(form: Panel[Study]) -> None:
    before = form.study
    with pytest.raises(LookupFailed):
        form.fetch(Spinouts(university="Nowhere", domain="nowhere.example", currency="EUR"))
    assert form.study is before
    assert form.choice == HARROWMERE


def test_a_founding_year_narrows_the_pool(svc: Service, form: Panel[Study]) -> None:
    later = vf.panel.spinouts(
        svc,
        university=HARROWMERE.university,
        domain=HARROWMERE.domain,
        founded_from=2015,
    )
    assert 0 < later.study.counts.pool < form.study.counts.pool
    assert later.study.provenance[0].filter is not None
    assert "launch_date[gte]:2015" in later.study.provenance[0].filter


def test_the_answer_is_escaped(form: Panel[Study]) -> None:
    shown = answer(form.study)
    assert repr(shown) == form.study.answer
    assert shown._repr_html_().startswith('<p class="vf-answer">')


def test_its_choice_is_the_parameters_of_the_notebook(form: Panel[Study]) -> None:
    declared = parameters.declared(nbformat.read(report.find("01_university_spinouts"), 4))
    assert declared.items() <= {**form.choice.parameters}.items()


EXPOSURE = Exposure(
    lps=(("Meridian Sovereign Reserve", "meridian-reserve.example"),), since=2021, currency="USD"
)
HIRING = Hiring(
    tags=(("Robotics", "technology"),),
    location=("Europe", "continent"),
    founded=(2005, None),
    funding=(None, 5e7),
    signal_team=60,
    currency="USD",
)


def test_every_member_is_said_in_words() -> None:
    assert repr(EXPOSURE) == (
        "LPs: Meridian Sovereign Reserve, meridian-reserve.example · "
        "Funds since: 2021 or later · Currency: USD"
    )
    assert dict(HIRING.listed) == {
        "Tags": "Robotics, technology",
        "Location": "Europe, continent",
        "Founded": "from 2005",
        "Total funding": "to 50,000,000",
        "Signal rating": "any, or not recorded",
        "Signal timing": "any, or not recorded",
        "Signal team": "60 or more",
        "Hiring": "either, or not recorded",
        "Currency": "USD",
    }


def test_what_a_notebook_can_write_is_the_same_choice() -> None:
    lists: Any = {"tags": [["Robotics", "technology"]], "location": ["Europe", "continent"]}
    given: Any = {"founded": [2005, 0], "funding": (0, 5e7), "signal_rating": 0, "signal_team": 60}
    assert Hiring(**lists, **given, currency="USD") == HIRING
    nothing: Any = {"location": ("", ""), "founded": (), "funding": (0, 0)}
    assert Hiring(**nothing, currency="USD") == Hiring(currency="USD")


REFUSED: list[tuple[Callable[..., Choice[Any]], dict[str, Any], str]] = [
    (Exposure, {"lps": ()}, "at least one LP"),
    (Exposure, {"lps": [("name only",)]}, r"give \(name, domain\)"),
    (Hiring, {"tags": "Robotics"}, r"give \(label, type\)"),
    (Hiring, {"founded": (2010, 2005)}, "ends before it begins"),
    (Spinouts, {"founded_from": -1}, "founded_from.*a year, or 0 for any"),
    (Exposure, {"lps": [("A", "a.example")], "since": -2019}, "since.*a year, or 0 for any"),
]


@pytest.mark.parametrize(("kind", "given", "says"), REFUSED)
def test_a_choice_that_cannot_be_asked_is_refused(
    kind: Callable[..., Choice[Any]], given: dict[str, Any], says: str
) -> None:
    with pytest.raises(UnsupportedValue, match=says):
        kind(**given, currency="USD")


@pytest.fixture(params=[HARROWMERE, EXPOSURE, HIRING], ids=lambda choice: type(choice).__name__)
def panel(request: pytest.FixtureRequest, svc: Service) -> Panel[Any]:
    choice: Choice[Any] = request.param
    make = getattr(vf.panel, type(choice).__name__.lower())
    made: Panel[Any] = make(svc, **choice.parameters)
    assert made.choice == choice
    return made


def test_the_controls_say_what_was_chosen(panel: Panel[Any]) -> None:
    assert Form(panel).read() == panel.choice


def test_a_count_comes_first_and_changes_nothing(panel: Panel[Any]) -> None:
    form, before = Form(panel), panel.study
    run(form.count())
    assert re.match(r"\d+ (companies, 1 page|managers of 1 LP), th", form.status.value)
    assert panel.study is before


def test_another_currency_re_asks_only_what_has_amounts(panel: Panel[Any]) -> None:
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


def test_the_same_choice_is_asked_anew(form: Panel[Study]) -> None:
    before = form.study
    form.fetch(form.choice)
    assert all(new is not old for old, new in zip(before.fetched, form.study.fetched, strict=True))


NEAR: list[tuple[str, str, Any, Any]] = [
    ("Spinouts", "domain", "elsewhere.example", "harrowmere.example"),
    ("Exposure", "lps", (("Meridian Sovereign", ""),), EXPOSURE.lps),
    ("Hiring", "tags", (("Robotics", ""),), HIRING.tags),
    ("Hiring", "location", ("Europ", "continent"), HIRING.location),
]


@pytest.mark.parametrize(("name", "member", "wrong", "right"), NEAR)
def test_near_misses_are_there_to_choose_from(
    name: str, member: str, wrong: Any, right: Any, svc: Service
) -> None:
    chosen: dict[str, Choice[Any]] = {
        "Spinouts": HARROWMERE,
        "Exposure": EXPOSURE,
        "Hiring": HIRING,
    }
    form = Form(Panel[Any](svc, chosen[name], HARROWMERE.study(Records(svc))))
    form.controls[member].write(wrong)
    run(form.fetch())
    assert re.match(r"Nothing below has changed\. .*: pick one of these", form.status.value)
    assert form.misses.layout.display is None
    form.near.value = 0
    run(form.correct())
    assert form.controls[member].read() == right
    assert form.misses.layout.display == "none"


def test_what_goes_wrong_is_said_in_words() -> None:
    with connected(Fault(route="companies", after=1, status=403)) as svc:
        form = Form(vf.panel.spinouts(svc, university=NAME, domain=DOMAIN))
        before = form.panel.study
        run(form.fetch())
        assert form.status.value.startswith("Nothing below has changed. ")
        assert "403" in form.status.value
        assert form.panel.study is before


def test_a_service_that_reports_no_total_is_fetched_from_all_the_same() -> None:
    with connected(Fault(route="companies", total="absent")) as svc:
        form = Form(vf.panel.spinouts(svc, university=NAME, domain=DOMAIN))
        run(form.count())
        assert form.status.value.startswith("companies, whose number the service does not report")
        run(form.fetch())
        assert form.status.value.startswith("Fetched")


def test_a_cancel_ends_it_at_once_and_changes_nothing() -> None:
    with connected(Fault(route="founders", after=6, delay=0.4)) as svc:
        form = Form(vf.panel.spinouts(svc, university=NAME, domain=DOMAIN))
        before, started = form.panel.study, time.monotonic()
        run(_cancelled(form))
        assert form.status.value == "Cancelled. Nothing below has changed."
        assert form.panel.study is before
        assert time.monotonic() - started < 2
        form.cancel()
        assert form.status.value == "Nothing is being fetched."


async def _cancelled(form: Form[Study]) -> None:
    """Cancels a fetch once something came, while a second press is told to wait."""
    fetching = asyncio.ensure_future(form.fetch())
    while "<progress" not in form.progress.value:
        await asyncio.sleep(0.01)
    await form.count()
    assert form.status.value == "Still asking; Cancel ends it."
    form.cancel()
    await fetching


@contextlib.contextmanager
def connected(*faults: Fault) -> Iterator[Service]:
    """A service that plays the faults."""
    with start(sample(), faults=faults) as running:
        settings = {
            "BASE_URL": running.base_url,
            "AUTH_URL": running.auth_url,
            "CLIENT_ID": running.client_id,
            "CLIENT_SECRET": running.client_secret,
            "USER_AGENT": "ventureframe tests",
        }
        environment = {f"VENTUREFRAME_{name}": value for name, value in settings.items()}
        with vf.connect(environment=environment) as service:
            yield service


def _shown(form: Panel[Study]) -> list[RichOutput]:
    with capture_output() as captured:
        form._ipython_display_()
    outputs: list[RichOutput] = captured.outputs
    return outputs
