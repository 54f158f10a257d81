"""The form of a panel without a browser: its controls, its words, its near misses,
its cancel.
"""

import asyncio
import contextlib
import dataclasses
import os
import re
import signal
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from IPython.core.interactiveshell import InteractiveShell

import ventureframe as vf
from tests import faults as played
from tests.faults import Fault, connected
from tests.gate import Gate
from ventureframe.client.service import Service
from ventureframe.evidence import Question, Records
from ventureframe.panel import Panel
from ventureframe.panel.browser import Picker
from ventureframe.panel.form import FetchEnded, Form
from ventureframe_service.dataset import sample
from ventureframe_service.run import start

TWIN = "d49bf78b-cad5-5211-957b-1d586d11b213"  # of two with one name and domain
HARROWMERE = vf.spinouts.Question(
    university="Harrowmere University", domain="harrowmere.example", currency="USD"
)
EXPOSURE = vf.exposure.Question(
    lps=[("Meridian Sovereign Reserve", "meridian-reserve.example")],
    since=2021,
    currency="USD",
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
FOUNDERS = vf.founders.Question(
    tags=[("Robotics", "technology")],
    founded=(2005, None),
    signal_rating=40,
    status=("operational", "closed"),
    currency="USD",
)
# not what a notebook has for the sample, so asked of any data
OWN = HARROWMERE.set(currency=None)
HARROWMERE_IS = ("Harrowmere University", "harrowmere.example")
T = TypeVar("T")

QUESTIONS: dict[str, Question[Any]] = {
    "spinouts": HARROWMERE,
    "exposure": EXPOSURE,
    "hiring": HIRING,
    "founders": FOUNDERS,
}


def run(told: Coroutine[Any, Any, T]) -> T:
    """Waits for it in a thread of its own: a browser in the same session has a loop
    in this one.
    """
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, told).result()


def picker_of(form: Form[Any], member: str) -> Picker:
    """The picker of a control that has one."""
    picker = form.controls[member].picker
    assert picker is not None
    return picker


@contextlib.contextmanager
def gated() -> Iterator[tuple[Service, Gate]]:
    """A service whose founders are held while the gate is closed."""
    with start(sample()) as running:
        gate = Gate(running.base_url, path="/data/founders")
        with connected(dataclasses.replace(running, base_url=gate.base_url)) as svc:
            yield svc, gate
        gate.close()


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
    assert not form.browser.edited


def test_a_count_comes_first_and_changes_nothing(panel: Panel[Any]) -> None:
    form, before = Form(panel), panel.study
    run(form.count())
    assert re.match(r"\d+ (companies|managers of 1 LP), th", form.browser.message)
    assert re.match(r"(about )?\d+ requests?\b", form.cost.value)
    assert panel.study is before


def test_another_currency_requests_only_what_has_amounts_again(
    panel: Panel[Any],
) -> None:
    form, before = Form(panel), panel.study
    form.controls["currency"].write("EUR")
    assert panel.study is before
    run(form.fetch())
    assert form.browser.message.startswith("Up to date"), form.browser.message
    assert panel.study.currency == "EUR"
    for old, new in zip(before.fetched, panel.study.fetched, strict=True):
        has_amounts = old.provenance.currency is not None
        same_companies = old.asked == new.asked
        assert (new is old) == (same_companies and not has_amounts)
    assert any(
        new is old for old, new in zip(before.fetched, panel.study.fetched, strict=True)
    )


def test_a_record_that_was_given_stays_where_only_the_currency_is_another(
    svc: Service,
) -> None:
    record = svc.university("Harrowmere University", domain="harrowmere.example")
    form = Form(vf.form(svc, vf.spinouts.Question(university=record)))
    form.controls["currency"].write("GBP")
    assert form.read() == vf.spinouts.Question(university=record, currency="GBP")
    form.controls["since"].write(2015)
    assert form.read() == vf.spinouts.Question(
        university=record, currency="GBP", since=2015
    )
    form.controls["university"].write(("Harrowmere University", "elsewhere.example"))
    assert form.read().parameters["domain"] == "elsewhere.example"


COLLEGE = ("St. Aldric College", "staldric.example")
NEAR: list[tuple[str, str, Any, Any]] = [
    (
        "spinouts",
        "university",
        (HARROWMERE.university, "elsewhere.example"),
        HARROWMERE_IS,
    ),
    ("spinouts", "university", COLLEGE, (COLLEGE[0], TWIN)),
    ("exposure", "lps", (("Meridian Sovereign", None),), EXPOSURE.lps),
    ("hiring", "location", ("Europ", "continent"), ("Europe", "continent")),
    (
        "hiring",
        "location",
        ("Cambridge", "city"),
        ("Cambridge", "city", "United Kingdom"),
    ),
]


@pytest.mark.parametrize(("name", "member", "wrong", "right"), NEAR)
def test_near_misses_are_there_to_choose_from_and_a_picked_one_stays_picked(
    name: str, member: str, wrong: Any, right: Any, svc: Service
) -> None:
    form = Form(Panel[Any](Records(svc), QUESTIONS[name]))
    form.controls[member].write(wrong)
    run(form.fetch())
    assert re.match(
        r"Nothing below has changed\. .*: pick one of the list", form.browser.message
    )
    assert form.browser.state == "failed"
    picker = picker_of(form, member)
    lines = picker.found["rows"]
    assert len({tuple(line.values()) for line in lines}) == len(lines)
    entry = right if isinstance(right[0], str) else right[0]
    picker.pick(
        next(at for at, row in enumerate(picker._rows) if tuple(row["named"]) == entry)
    )
    assert form.controls[member].read() == right
    assert not picker.found.get("rows")
    run(form.count())
    assert "Press Fetch" in form.browser.message


def test_a_record_found_by_three_letters_is_picked_and_fetched(svc: Service) -> None:
    form = Form(vf.form(svc, HARROWMERE))
    picker = picker_of(form, "university")
    picker.typed = "tar"
    run(picker.search("tar"))
    line = picker.found["rows"][0]
    assert line["label"] == "Tarnvik Technical University"
    assert line["detail"].startswith("tarnvik.example · ")
    assert form.browser.edited
    picker.pick(0)
    run(form.fetch())
    assert form.browser.message.startswith("Up to date"), form.browser.message
    assert not form.browser.edited
    assert form.panel.question.parameters["domain"] == "tarnvik.example"


def test_text_that_is_not_picked_is_no_value_and_nothing_is_taken_for_it(
    svc: Service,
) -> None:
    form = Form(vf.form(svc, HARROWMERE))
    before, picker = form.panel.study, picker_of(form, "university")
    picker.typed = "Tarnvik Technical University"
    run(form.fetch())
    assert "'Tarnvik Technical University' is not chosen yet" in form.browser.message
    assert picker.found["rows"][0]["label"] == "Tarnvik Technical University"
    assert form.panel.study is before


def test_chips_are_added_dropped_and_what_is_chosen_leaves_the_list(
    svc: Service,
) -> None:
    form = Form(vf.form(svc, HIRING))
    picker = picker_of(form, "tags")
    run(picker.search("robotics"))
    first, *others = [line["label"] for line in picker.found["rows"]]
    assert first == "Robotics"
    picker.pick(0)
    assert [each["detail"] for each in picker.chosen] == ["technology", "sector"]
    run(picker.search("robotics"))
    assert [line["label"] for line in picker.found["rows"]] == others
    for _ in others:
        run(picker.search("robotics"))
        picker.pick(0)
    run(picker.search("robotics"))
    assert picker.found["message"] == "All that is found is chosen already."
    for _ in others:
        picker._receive(picker, {"drop": 2}, [])
    picker._receive(picker, {"drop": 0}, [])
    assert form.controls["tags"].read() == (("Robotics", "sector"),)


REFUSED = [
    ("founded", 0, "15", "changed. Founded: give a year from 1900 to"),
    ("founded", 1, "next", "'next' is not a year such as 2005"),
    ("funding", 0, "1,5m", "'1,5m' is not an amount such as 1,000,000, 1m or 2.5bn"),
    ("signal_team", 0, "101", "'101' is not a number from 0 to 100"),
]


@pytest.mark.parametrize(("member", "end", "text", "says"), REFUSED)
def test_what_is_no_value_is_refused_in_words(
    member: str, end: int, text: str, says: str, svc: Service
) -> None:
    form = Form(vf.form(svc, HIRING))
    form.controls[member].fields[end].value = text
    run(form.fetch())
    assert form.browser.message.startswith("Nothing below has changed. ")
    assert says in form.browser.message


def test_amounts_are_understood_as_people_write_them(svc: Service) -> None:
    form = Form(vf.form(svc, HIRING))
    for field, text in zip(
        form.controls["funding"].fields, ("1m", "2.5bn"), strict=True
    ):
        field.value = text
    assert form.read().parameters["funding"] == (1e6, 2.5e9)
    form.write(form.read())
    assert [field.value for field in form.controls["funding"].fields] == [
        "1,000,000",
        "2,500,000,000",
    ]


def test_status_and_roles_are_offered_and_what_is_chosen_stays(svc: Service) -> None:
    form = Form(
        vf.form(
            svc, HIRING.set(status=("closed", "acquired"), roles=["rust", "design"])
        )
    )
    form.offer_values()
    status, roles = (form.controls[name] for name in ("status", "roles"))
    offered = [name for name, _ in status.fields[0].options]
    assert offered == ["closed or acquired", "any", "acquired", "closed", "operational"]
    assert (status.read(), roles.read()) == (("closed", "acquired"), ("rust", "design"))


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        (
            "engineer",
            [
                ("engineering, any", "family of 90 keywords"),
                ("hardware and engineering", "family of 42 keywords"),
                ("engineer", "your own word"),
            ],
        ),
        ("Designs", [("Designs", "family of 11 keywords")]),
        ("design", [("design", "family of 11 keywords")]),
        ("head of data", [("head of data", "your own phrase")]),
    ],
)
def test_role_families_stand_before_own_words_and_each_says_what_it_is(
    typed: str, lines: list[tuple[str, str]], svc: Service
) -> None:
    form = Form(vf.form(svc, HIRING.set(roles=["rust"])))
    roles = form.controls["roles"].picker
    assert roles is not None
    assert roles.chosen[0]["detail"] == "your own word"
    run(roles.search(typed))
    assert [(row["label"], row["detail"]) for row in roles.found["rows"]] == lines
    roles.pick(len(lines) - 1)
    assert form.read().roles == ("rust", lines[-1][0])  # type: ignore[attr-defined]
    run(roles.search(""))
    assert len(roles.found["rows"]) >= 15


def test_an_empty_answer_is_no_success(svc: Service) -> None:
    form = Form(vf.form(svc, HARROWMERE.set(since=2027)))
    form.begin()
    assert (
        "founded since 2027 is found for Harrowmere University" in form.browser.message
    )
    assert form.browser.state == "empty"


@pytest.mark.real
def test_on_other_data_the_form_comes_up_and_asks_what_to_look_at(
    real_data: Path,
) -> None:
    InteractiveShell.instance()
    with vf.connect(data=real_data / "venture-2013", environment={}) as svc:
        form = Form(vf.form(svc, HARROWMERE))
        form.begin()
        said = "Nothing is chosen yet: fill in University."
        assert (form.browser.message, form.browser.state) == (said, "")
        assert form.read() == vf.spinouts.Question(currency="USD")
        assert form.panel.in_code == HARROWMERE.set(currency="USD"), (
            "so that a fetch replaces it"
        )
        picker = picker_of(form, "university")
        run(picker.search("sta"))
        assert picker.found["rows"][0]["label"] == "Stanford University"
        picker.pick(0)
        form.controls["currency"].write("EUR")
        run(form.fetch())
        assert "322 companies have a founder" in form.browser.message


def test_what_goes_wrong_is_said_in_words() -> None:
    refused = Fault(route="companies", nth=range(2, 99), status=403)
    with played.start(sample(), faults=[refused]) as running, connected(running) as svc:
        form = Form(vf.form(svc, OWN))
        before = form.panel.study
        run(form.fetch())
        assert form.browser.message.startswith("Nothing below has changed. ")
        assert "403" in form.browser.message
        assert form.panel.study is before


def test_a_cancel_ends_it_before_the_reply_and_changes_nothing() -> None:
    with gated() as (svc, gate):
        form = Form(vf.form(svc, OWN))
        before = form.panel.study
        run(_cancelled(form, gate))
        assert form.browser.message == "Cancelled. Nothing below has changed."
        assert form.panel.study is before
        form.cancel()
        assert form.browser.message == "Nothing is being fetched."
        assert form.buttons["Cancel"].disabled


def test_an_interrupt_ends_the_first_fetch_in_one_sentence_and_buttons_wait_until_then() -> (
    None
):
    with gated() as (svc, gate):
        form = Form(vf.form(svc, OWN))

        def end(_: object) -> None:
            form.browser.unobserve_all("progress")
            assert all(button.disabled for button in form.buttons.values())
            os.kill(os.getpid(), signal.SIGINT)

        form.browser.observe(end, "progress")
        with gate.closed():
            form.begin()
        said = (
            "Nothing is fetched yet. The fetch was stopped. Press Fetch to start it"
            " again."
        )
        assert (form.browser.message, form.browser.state) == (said, "cancelled")
        assert [name for name in form.buttons if form.buttons[name].disabled] == [
            "Cancel"
        ]
        with pytest.raises(FetchEnded, match="The fetch was stopped"):
            form.panel.study  # noqa: B018  # what raises
        run(form.fetch())
        assert form.browser.message.startswith("Up to date")


def test_what_is_entered_during_a_fetch_stays_and_reset_waits_for_its_end(
    svc: Service,
) -> None:
    form = Form(vf.form(svc, HARROWMERE))

    def enter(_: object) -> None:
        form.browser.unobserve_all("progress")
        form.controls["since"].write(2015)

    async def fetched_meanwhile() -> None:
        fetching = asyncio.ensure_future(form.fetch())
        while form.browser.message == before:
            await asyncio.sleep(0)
        await form.reset()
        assert form.browser.message == "Still fetching; Cancel ends it."
        await fetching

    form.begin()
    form.controls["currency"].write("GBP")
    before = form.browser.message
    form.browser.observe(enter, "progress")
    run(fetched_meanwhile())
    assert form.panel.question == HARROWMERE.set(currency="GBP")
    assert form.read() == HARROWMERE.set(currency="GBP", since=2015)
    assert form.browser.edited


def test_what_a_study_takes_stands_beside_fetch_before_anything_is_counted(
    svc: Service,
) -> None:
    form = Form(vf.form(svc, HARROWMERE))
    assert form.cost.value == ""
    form.begin()
    assert re.match(r"Last fetch: \d+ requests", form.cost.value)
    form.controls["currency"].write("GBP")
    assert form.cost.value == "Press Count for the cost."
    assert form.browser.edited
    run(form.reset())
    assert form.cost.value.startswith("Last fetch")
    assert not form.browser.edited
    assert form.read() == form.panel.question


async def _cancelled(form: Form[Any], gate: Gate) -> None:
    """Cancels a fetch whose founders are held, from another thread, as a kernel may do
    it.

    A second press is told to wait before that.
    """
    shown, loop = asyncio.Event(), asyncio.get_running_loop()
    form.browser.observe(lambda _: loop.call_soon_threadsafe(shown.set), "progress")
    with gate.closed():
        fetching = asyncio.ensure_future(form.fetch())
        await asyncio.wait_for(shown.wait(), 120)
        await form.count()
        assert form.browser.message == "Still fetching; Cancel ends it."
        with ThreadPoolExecutor(1) as another:
            another.submit(form.cancel)
        await fetching


def test_a_press_waits_for_what_was_entered_before_it(svc: Service) -> None:
    form = Form(vf.form(svc, HARROWMERE))

    def answer(content: Any, _: object = None) -> None:
        """As a browser does it: first what it held back, then the answer."""
        form.controls["university"].write(
            ("Tarnvik Technical University", "tarnvik.example")
        )
        form.browser._receive(form.browser, {"heard": content["ask"]}, [])

    async def pressed() -> None:
        said = asyncio.Event()
        form.browser.send = answer
        form.browser.observe(
            lambda change: said.set() if "Press Fetch" in change.new else None,
            "message",
        )
        form.buttons["Count"].click()
        await asyncio.wait_for(said.wait(), 120)

    run(pressed())
    assert form.browser.message.startswith("235 companies")
