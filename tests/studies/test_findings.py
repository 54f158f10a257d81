"""Every finding of every study shows itself, draws itself or says not, alike in two
libraries.
"""

import csv
import dataclasses
import io
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ventureframe as vf
from tests.display.test_figure import unreadable
from ventureframe.display.finding import Finding
from ventureframe.errors import FindingNotDrawn
from ventureframe.evidence import Question, Study
from ventureframe_service.dataset import Dataset, sample

QUESTIONS: dict[type[Study], Question[Any]] = {
    vf.spinouts.Study: vf.spinouts.Question(
        university="Tarnvik Technical University",
        domain="tarnvik.example",
        currency="EUR",
    ),
    vf.exposure.Study: vf.exposure.Question(
        lps=[("Meridian Sovereign Reserve", "meridian-reserve.example")],
        since=2021,
        currency="EUR",
    ),
    vf.hiring.Study: vf.hiring.Question(
        tags=[("Robotics", "technology")], signal_team=60, rounds_of=2, currency="EUR"
    ),
}
QUESTIONS[vf.founders.Study] = vf.founders.Question(
    tags=[("Robotics", "technology")], founded=(2015, None), currency="EUR"
)
QUESTIONS[vf.universities.Study] = vf.universities.Question(
    universities=[("Tarnvik Technical University", "tarnvik.example")], currency="EUR"
)


def named(value: Any) -> str:
    return (
        str(value.name)
        if isinstance(value, type) and issubclass(value, Study)
        else str(value)
    )


@pytest.fixture(scope="module")
def studies() -> Iterator[Mapping[type[Study], Study]]:
    with vf.connect(environment={}) as svc:
        yield {kind: question.study(svc) for kind, question in QUESTIONS.items()}


@pytest.fixture(params=QUESTIONS, ids=named)
def study(
    request: pytest.FixtureRequest, studies: Mapping[type[Study], Study]
) -> Study:
    return studies[request.param]


def findings(study: Study) -> list[Finding]:
    return [getattr(study, name) for name in study.findings()]


def test_each_says_its_title_caption_columns_and_source(study: Study) -> None:
    facts = {"source": "Harrowmere sample", "as_of": "2026-06-30", "synthetic": True}
    facts["licence"] = "CC0"
    for finding in findings(study):
        data, metadata = finding._repr_mimebundle_()
        html = unescape(data["text/html"])
        assert all(finding.title in shown for shown in (repr(finding), html))
        if len(finding):
            assert finding.caption in html
            assert all(column.heading in html for column in finding.columns)
        empty = {} if len(finding) else {"empty": True}
        assert metadata["ventureframe"] == facts | empty


def test_each_draws_itself_or_says_that_it_has_no_figure(study: Study) -> None:
    for finding in findings(study):
        if finding.drawing is None:
            with pytest.raises(FindingNotDrawn, match=re.escape(finding.title)):
                finding.plot()
            continue
        figure = finding.plot()
        assert figure.title == finding.title
        assert len(figure.alt) > 20
        assert unreadable(figure.wide) == []
        assert "SYNTHETIC sample data" in figure.svg
        facts = figure._repr_mimebundle_()[1]["ventureframe"]
        assert finding.source
        assert facts == {**finding.source.facts} | (
            {"empty": True} if figure.empty else {}
        )


def test_each_is_the_same_frame_in_two_libraries_and_a_file_with_every_row(
    study: Study,
) -> None:
    for finding in findings(study):
        one, other = finding.to_polars(), finding.to_pandas()
        assert list(other.columns) == one.columns
        assert [int(other[name].isna().sum()) for name in other] == list(
            one.null_count().row(0)
        )
        assert_frame_equal(
            pl.from_pandas(other), one, check_dtypes=False, check_exact=True
        )
        heading, *rows = csv.reader(io.StringIO(finding.to_csv(), newline=""))
        assert heading == [
            *(column.heading for column in finding.columns),
            "Data source",
        ]
        assert len({head.lower() for head in heading}) == len(heading), (
            "Excel needs another each"
        )
        assert len(rows) == len(finding) == one.height


def test_amounts_stand_beside_their_currency(study: Study) -> None:
    for finding in findings(study):
        frame = finding.to_polars()
        if any(column.kind == "money" for column in finding.columns):
            assert set(frame["currency"].drop_nulls()) <= {"EUR"}
        assert not [name for name in frame.columns if "eur" in name.lower().split("_")]


def test_help_on_a_study_lists_every_finding_with_each_column_of_its_table(
    study: Study,
) -> None:
    doc = str(type(study).__doc__)
    for name in study.findings():
        told = doc.rpartition(f"\n{name} : Finding\n")[2].partition(" : Finding\n")[0]
        for column in getattr(study, name).columns:
            assert f"    - {column.name} (" in told


def test_tab_on_a_study_shows_its_findings_and_little_else(study: Study) -> None:
    names = dir(study)
    assert {"answer", "claims", "caveats", *study.findings()} <= set(names)
    assert len(names) <= len(study.findings()) + 6
    assert all(hasattr(study, name) and not name.startswith("_") for name in names)


def test_a_study_has_a_title_three_key_figures_and_few_limits_that_change_its_reading(
    study: Study,
) -> None:
    assert study.answer.sentence in repr(study)
    assert study.question == QUESTIONS[type(study)]
    assert study.saved.parameters["currency"] == "EUR"
    assert len(study.key_figures) == 3
    assert all(each.label and each.value for each in study.key_figures)
    material = [each.is_material for each in study.limits]
    assert 1 <= sum(material) <= 3
    assert material == sorted(material, reverse=True), "they come first"


MARKED = {
    vf.spinouts.Study: {"companies", "sectors"},
    vf.exposure.Study: {"funds"},
    vf.hiring.Study: {"ranking", "recent"},
    vf.founders.Study: {"employers", "studies"},
    vf.universities.Study: set(),
}


def test_every_mark_of_a_figure_lies_in_its_picture_and_opens_rows_of_a_table(
    study: Study,
) -> None:
    listed = [
        {str(row[at]) for at in places}
        for finding in findings(study)
        if (
            places := [
                at for at, column in enumerate(finding.columns) if column.kind == "id"
            ]
        )
        for row in finding.rows
    ]
    opened = set()
    for name in study.findings():
        finding = getattr(study, name)
        figure = None if finding.drawing is None else finding.plot()
        for mark in () if figure is None else figure.wide.marks:
            opened.add(name)
            assert figure is not None
            width, height = figure.wide.size
            assert all(0 <= x <= width and 0 <= y <= height for x, y in mark.ends), mark
            assert any(ids.issuperset(mark.ids) for ids in listed), mark
    assert opened == MARKED[type(study)]


def test_a_finding_names_the_requests_that_returned_its_records(
    studies: Mapping[type[Study], Study],
) -> None:
    study: Any = studies[vf.hiring.Study]
    companies, jobs, *others = (
        f"GET /data/{path}"
        for path in ("companies", "jobs", "news", "companies/{id}/funding-rounds")
    )
    for finding, wanted in (
        (study.ranking, [companies]),
        (study.postings, [companies, jobs]),
        (study.roles, [companies, jobs, *others]),
    ):
        assert [each.split(" · ")[0] for each in finding.requests] == wanted


STEERING = "\x01\x1b[31m\nb\u202e\u2066\x85c"
"""What steers a terminal, ends a line or turns text around, within a name."""
STEERS = set("\x01\x1b\u202e\u2066\x85")
LONG = f"{STEERING} {'and Partners ' * 24}Ltd"


@pytest.fixture(scope="module")
def steered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A service over the sample, of which every name ends in such characters and
    many letters.
    """
    names = pl.col("^(name|title|label|city|country|fund_type|round_type)$")
    tables = {
        name: table.with_columns(names + LONG)
        for name, table in sample().tables.items()
    }
    about = dataclasses.replace(sample().description, name=f"H{STEERING}")
    folder = Dataset.of(about, tables).write(tmp_path_factory.mktemp("steered"))
    with vf.connect(data=folder, environment={}) as svc:
        yield svc


TARNVIK: Any = (f"Tarnvik Technical University{LONG}", "tarnvik.example")
MERIDIAN = (f"Meridian Sovereign Reserve{LONG}", "meridian-reserve.example")
STEERED: list[Question[Any]] = [
    vf.spinouts.Question(university=TARNVIK),
    vf.universities.Question(universities=[TARNVIK]),
    vf.exposure.Question(lps=[MERIDIAN]),
    vf.hiring.Question(tags=[(f"Robotics{LONG}", "technology")], rounds_of=2),
]


@pytest.mark.parametrize("question", STEERED)
def test_no_name_steers_a_terminal_or_breaks_a_figure(
    steered: Any, question: Question[Any]
) -> None:
    study = question.study(steered)
    assert not STEERS & set(repr(study) + study.answer)
    for finding in findings(study):
        assert not STEERS & set(repr(finding)), finding.title
        if finding.drawing is None:
            continue
        figure = finding.plot()
        assert unreadable(figure.wide) == [], finding.title
        shown = "".join((figure.svg, figure._repr_html_(), repr(figure)))
        assert not STEERS & set(shown), finding.title
        assert "\\x01\\x1b[31m\\nb" in shown, "made visible, as in tables"
