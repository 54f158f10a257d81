"""The panel: a choice is a value; a form without a browser still leaves what was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output

import ventureframe as vf
from ventureframe.client import Service
from ventureframe.errors import LookupFailed, UnsupportedValue
from ventureframe.panel import WIDGET, Panel, Spinouts, answer
from ventureframe.spinouts import Study

HARROWMERE = Spinouts(
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


def _shown(form: Panel[Study]) -> list[RichOutput]:
    with capture_output() as captured:
        form._ipython_display_()
    outputs: list[RichOutput] = captured.outputs
    return outputs
