"""A study of a fetch that was not read to the end says so in every table and every picture."""

from __future__ import annotations

import base64
import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from types import ModuleType
from typing import Any

import pytest

import ventureframe as vf
from ventureframe import figures, tables
from ventureframe.client.service import Service
from ventureframe.evidence.findings import Findings
from ventureframe.studies.spinouts.find import Study


def of_study(room: ModuleType) -> list[Callable[[Any], Any]]:
    """The functions of a room that show a study of a university."""
    found = [getattr(room, name) for name in room.__all__]
    return [
        each
        for each in found
        if inspect.isfunction(each)
        and list(inspect.signature(each).parameters) == ["study"]
        and (each.__module__.endswith(".spinouts") or each.__module__.endswith(".findings"))
    ]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with vf.connect(environment={}) as connected:
        yield connected


@pytest.fixture(scope="module")
def study(service: Service) -> Study:
    university = service.university("Harrowmere University", domain="harrowmere.example")
    return vf.spinouts.study(service, university=university)


@pytest.fixture(scope="module")
def partial(study: Study, service: Service) -> Study:
    pool, people = study.fetched
    certificate = replace(pool.certificate, verdict="short", reported_last=999)
    return study.resting_on(service.source, replace(pool, certificate=certificate), people)


SHOWN = [
    pytest.param(each, id=f"{each.__module__}.{each.__name__}")
    for each in of_study(tables) + of_study(figures)
]


@pytest.mark.parametrize("show", SHOWN)
def test_every_title_of_an_incomplete_study_says_so(
    show: Callable[[Any], Any], study: Study, partial: Study
) -> None:
    said = f"INCOMPLETE: companies {len(partial.fetched[0]):,} of 999"
    shown = show(partial)
    assert said in repr(shown)
    html = shown._repr_html_()
    assert said in unescape(html[html.index("<figcaption>") :])
    if hasattr(shown, "svg"):
        assert said in unescape(shown.svg)
        assert said in unescape(base64.b64decode(html.split("base64,")[1].split('"')[0]).decode())
    assert "INCOMPLETE" not in repr(show(study)), "a founder who was not returned was asked for"


def test_the_bottom_line_says_what_it_rests_on(study: Study, partial: Study) -> None:
    said = (
        f" Not every row was returned (companies {len(partial.fetched[0]):,} of 999): the counts "
        "are of the records that came, and there may be more."
    )
    assert partial.answer == study.answer + said
    assert study.answer == study.sentence, "a founder who was not returned was asked for"
    both = vf.universities.compare([partial])
    assert both.answer == both.sentence + said


@pytest.mark.parametrize("kind", [vf.exposure.Study, vf.hiring.Study, vf.universities.Comparison])
def test_no_study_has_a_bottom_line_of_its_own(kind: type[Findings]) -> None:
    assert kind.answer is Findings.answer
