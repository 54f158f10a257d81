"""A panel: a question with its study, and findings that follow every fetch."""

import shlex
import warnings
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output

import ventureframe as vf
from ventureframe import report
from ventureframe.client.service import Service
from ventureframe.display import furniture
from ventureframe.errors import EvidenceWarning, FindingNotDrawn, LookupFailed
from ventureframe.panel import WIDGET, Panel
from ventureframe.report import notebook as parameters
from ventureframe.studies.spinouts import Study

HARROWMERE = vf.spinouts.Question(
    university="Harrowmere University", domain="harrowmere.example", currency="USD"
)


@pytest.fixture(scope="module")
def svc() -> Iterator[Service]:
    InteractiveShell.instance()
    with vf.connect(environment={}) as service:
        yield service
    InteractiveShell.clear_instance()


@pytest.fixture
def form(svc: Service) -> Panel[Study]:
    return vf.form(svc, HARROWMERE)


def displayed(view: Any) -> list[RichOutput]:
    with capture_output() as captured:
        view._ipython_display_()
    outputs: list[RichOutput] = captured.outputs
    return outputs


def test_without_a_currency_it_takes_the_services_own(svc: Service) -> None:
    assert (
        vf.form(svc, HARROWMERE.set(currency=None)).question.currency
        == svc.connection.currency
    )


def test_its_output_is_a_widget_and_beside_it_the_list(form: Panel[Study]) -> None:
    form.study  # noqa: B018  # fetched before it is displayed
    widget, listed = displayed(form)
    assert set(widget.data) == {WIDGET}
    assert "<dd>harrowmere.example</dd>" in listed.data["text/html"]
    assert WIDGET not in listed.data


def test_a_doubt_about_evidence_is_a_sentence_without_a_line_of_this_package(
    form: Panel[Study],
) -> None:
    before = warnings.showwarning
    extensions: Any = InteractiveShell.instance().extension_manager
    extensions.loaded.discard(furniture.__name__)  # by other tests
    displayed(form)
    try:
        with capture_output() as captured, warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("another one may match", EvidenceWarning, stacklevel=1)
    finally:
        warnings.showwarning = before
    assert [each.data["text/plain"] for each in captured.outputs] == [
        "another one may match"
    ]
    assert captured.stderr == ""


def test_a_doubt_goes_with_what_it_is_about_and_stays_where_only_the_currency_is_another(
    svc: Service,
) -> None:
    form = vf.form(svc, HARROWMERE.set(since=2015, at_most=4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is shown below the form, not warned of
        shown = displayed(form)[-1]
        (doubt,) = form.doubts
        assert doubt in shown.data["text/plain"]
        assert (
            f'<p class="vf-warning" role="note">{doubt}</p>' in shown.data["text/html"]
        )
        form.fetch(form.question.set(currency="EUR"))
        assert form.doubts == (doubt,)
        form.fetch(form.question.set(at_most=None))
        assert not form.doubts


def test_a_finding_of_a_form_has_all_that_the_finding_has(form: Panel[Study]) -> None:
    assert repr(form.funnel) == repr(form.study.funnel)
    assert form.funnel.to_polars().equals(form.study.funnel.to_polars())
    with pytest.raises(FindingNotDrawn, match="Claims"):
        form.claims.plot()
    with pytest.raises(AttributeError, match="no finding 'fannel'"):
        getattr(form, "fannel")  # noqa: B009  # as it is typed


def test_what_is_displayed_follows_a_fetch_in_another_currency(
    form: Panel[Study],
) -> None:
    views = [form.answer, form.companies[:10], form.companies.plot()]
    for view in views:
        [shown] = displayed(view)
        assert "USD" in shown.data["text/html"]
        assert shown.data["text/plain"] == repr(view)
        assert shown.metadata["ventureframe"]["synthetic"]
    with capture_output() as captured:
        form.fetch(HARROWMERE.set(currency="EUR"))
    assert form.question.currency == form.study.currency == "EUR"
    texts = [output.data["text/plain"] for output in captured.outputs]
    assert texts == [repr(view) for view in views]
    assert all("EUR" in text and "USD" not in text for text in texts)
    assert form.funnel.to_polars().equals(form.study.funnel.to_polars())


def test_a_fetch_that_fails_changes_nothing(form: Panel[Study]) -> None:
    before = form.study
    with pytest.raises(LookupFailed):
        form.fetch(HARROWMERE.set(university="Nowhere", domain="nowhere.example"))
    assert form.study is before
    assert form.question == HARROWMERE


def test_two_views_of_ones_own_have_an_output_each_and_an_error_stays_in_its_own(
    form: Panel[Study],
) -> None:
    with capture_output() as shown:
        form.show(lambda study: study.counts.pool)
        form.show(lambda study: {"USD": 1}[str(study.currency)])
        form.show(lambda study: study.currency)
        form.show(lambda study: getattr(study, "nothing"))  # noqa: B009  # for mypy
    ids = {output.transient["display_id"] for output in shown.outputs}
    assert len(ids) == 4
    *_, wrong = shown.outputs
    assert wrong.data["text/plain"].startswith("This cannot be shown: AttributeError")
    assert wrong.metadata["ventureframe"]["unanswered"] == wrong.data["text/plain"]
    with capture_output() as captured:
        form.fetch(HARROWMERE.set(currency="EUR"))
    pool, broken, currency, _ = (
        output.data["text/plain"] for output in captured.outputs
    )
    assert pool == repr(form.study.counts.pool)
    assert broken == "This cannot be shown: KeyError: 'EUR'"
    assert currency == "'EUR'"


def test_without_an_answer_views_say_so_until_there_is_one(svc: Service) -> None:
    form = vf.form(svc, HARROWMERE.set(domain="nowhere.example"))
    views = [form.answer, form.companies.plot()]
    for view in views:
        [output] = displayed(view)
        assert output.data["text/plain"].startswith("Nothing is fetched yet")
        assert "nowhere.example" in output.metadata["ventureframe"]["unanswered"]
    with pytest.raises(LookupFailed, match=r"nowhere\.example"):
        form.study  # noqa: B018  # what raises
    with capture_output() as captured:
        form.fetch(HARROWMERE)
    assert [output.data["text/plain"] for output in captured.outputs] == [
        repr(form.study.answer),
        repr(form.study.companies.plot()),
    ]


def test_the_command_repeats_the_question(svc: Service) -> None:
    asked = vf.hiring.Question(
        tags=[("Robotics", "sector")], location=("London", "city"), funding=(None, 5e7)
    )
    words = shlex.split(vf.form(svc, asked).command)
    options = {member.option: member.name for member in asked.members()}
    pairs = [each.split("=", 1) for each in words if "=" in each]
    given = {options[option]: value for option, value in pairs}
    notebook = nbformat.read(report.find("03_hiring_signals"), 4)
    values = parameters.replace(notebook, given)
    assert vf.hiring.Question(**values) == asked.set(currency=svc.connection.currency)
