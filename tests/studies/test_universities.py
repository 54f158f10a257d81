"""Universities side by side, their sectors, and the links behind them."""

import dataclasses
from typing import Any

import polars as pl
import pytest

from tests.studies.worlds import ELSEWHERE, WORLD, Uni
from ventureframe import errors
from ventureframe.connect import connect
from ventureframe.display.finding import Finding
from ventureframe.evidence.question import Records
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import company
from ventureframe.studies import spinouts, universities
from ventureframe.studies.universities import Question, Study, words

OTHER = Uni(ELSEWHERE, "Elsewhere", founder_alumni_total=None, spinout_count=3)
TAGS = pl.DataFrame(
    [
        {"company_uuid": "A", "name": "Health & <b>", "type": "sector"},
        {"company_uuid": "A", "name": "Robots", "type": "industry"},
        {"company_uuid": "B", "name": "Robots", "type": "industry"},
        {"company_uuid": "B", "name": "Lasers", "type": "technology"},
    ]
)


def find(university: Uni, currency: Currency = "EUR") -> spinouts.Study:
    return spinouts.find(
        **WORLD.frames(), university=university, company_tags=TAGS, currency=currency
    )


@pytest.fixture
def two() -> Study:
    return universities.compare([find(Uni()), find(OTHER)])


def rows(finding: Finding) -> list[dict[str, Any]]:
    return finding.to_polars().rows(named=True)


def test_each_university_keeps_its_row_and_shared_companies_are_counted_at_both(
    two: Study,
) -> None:
    seen = [
        (
            row["university_uuid"],
            row["companies_evidenced"],
            row["shared"],
            row["spinout_count"],
        )
        for row in rows(two.universities)
    ]
    assert seen == [(ELSEWHERE, 4, 3, 3), (Uni.uuid, 3, 3, None)]
    assert [
        (row["company_uuid"], row["universities"]) for row in rows(two.companies)
    ] == [
        ("A", 2),
        ("B", 2),
        ("C", 2),
        ("D", 1),
    ]
    assert "the universities share 3 of the 4 companies" in two.answer
    assert any("columns are not added up" in caveat.text for caveat in two.limits)


def test_every_link_keeps_its_university_and_its_entry(
    two: Study,
) -> None:
    edges = [
        (
            row["university_uuid"],
            row["founder_uuid"],
            row["company_uuid"],
            row["position"],
        )
        for row in rows(two.links)
    ]
    assert (ELSEWHERE, "bo", "A", 0) in edges
    assert (Uni.uuid, "ana", "A", 1) in edges
    assert len(edges) == len(two.links.rows)


def test_amounts_in_two_currencies_do_not_stand_side_by_side() -> None:
    other = find(OTHER, currency="USD")
    with pytest.raises(
        errors.EvidenceError, match="EUR and USD do not stand side by side"
    ):
        universities.compare([find(Uni()), other])
    with pytest.raises(errors.EvidenceError, match="at least one"):
        universities.compare([])


def test_sectors_overlap_and_the_untagged_are_a_row() -> None:
    study = find(Uni())
    seen = [
        (row["sector"], row["companies"], row["funding_known"], row["median"])
        for row in rows(study.sectors)
    ]
    assert seen == [
        ("Robots", 2, 2, None),
        ("Health & <b>", 1, 1, None),
        (None, 1, 0, None),
    ]
    assert "not recorded" in repr(study.sectors)
    assert "Robots: 2 companies, 2 with a total" in study.sectors.plot().alt
    without = spinouts.find(**WORLD.frames(), university=Uni(), currency="EUR")
    assert [row["sector"] for row in rows(without.sectors)] == [None]


def test_a_university_that_alone_has_companies_has_no_rank_and_no_share() -> None:
    nowhere = Uni("44444444-0000-0000-0000-000000000000", "Nowhere")
    study = universities.compare([find(Uni()), find(nowhere)])
    ranks = ["place", "share_between"]
    assert set(study.universities.to_polars().select(ranks).rows()) == {(None,) * 2}
    assert not {column.name for column in study.universities.columns} & set(ranks)
    assert "Nowhere none counted (no education entry" in study.answer


def test_different_conditions_are_said() -> None:
    def asked(university: Uni, **conditions: Any) -> spinouts.Study:
        question = spinouts.Question(university=university.name, **conditions)
        return dataclasses.replace(find(university), question=question)

    alike = [asked(Uni(), since=2005), asked(OTHER, where=company.launch_date >= 2005)]
    assert "different conditions" not in str(universities.compare(alike).limits)
    apart = universities.compare([asked(Uni(), since=2005), asked(OTHER, since=2006)])
    assert "different conditions" in apart.limits[0].text
    assert apart.limits[0].is_material


TWO = [
    ("Harrowmere University", "harrowmere.example"),
    ("Tarnvik Technical University", "tarnvik.example"),
]


def test_a_question_gives_the_study_of_each_university_compared() -> None:
    question = Question(universities=TWO, since=2015, currency="EUR")
    with connect(environment={}) as svc:
        records = Records(svc)
        study = question.study(records)
        each = [
            spinouts.study(
                svc, university=name, domain=domain, since=2015, currency="EUR"
            )
            for name, domain in TWO
        ]
        in_pounds = question.set(currency="GBP").study(records, earlier=study)
        assert question.count(records).text.startswith("Harrowmere University: 2")
    compared = universities.compare(each)
    for name in universities.Study.findings():
        finding, other = getattr(study, name), getattr(compared, name)
        assert (finding.rows, finding.caption) == (
            other.rows,
            other.caption,
        ) or name == "sources"
    assert study.question == question
    assert set(in_pounds.universities.to_polars()["currency"]) == {"GBP"}
    assert in_pounds.fetched[1] is study.fetched[1], "founders carry no amount"


def test_a_near_miss_names_the_university_that_was_not_found() -> None:
    question = Question(universities=(("Harrowmere", None), TWO[1]))
    with connect(environment={}) as svc, pytest.raises(errors.Unclear) as error:
        question.study(svc)
    assert error.value.entry == ("Harrowmere", None)
    assert error.value.candidates[0]["named"] == TWO[0]
    with pytest.raises(errors.UnsupportedValue, match="at least one university"):
        Question(universities=[]).each(Records(svc))
    with pytest.raises(errors.UnsupportedValue, match="universities"):
        Question(universities=(5,))  # type: ignore[arg-type]
    question = Question(universities=("Harrowmere",))  # type: ignore[arg-type]
    assert question.universities == (("Harrowmere", None),)


def test_every_caveat_that_does_not_hold_for_all_names_its_university() -> None:
    with connect(environment={}) as svc:
        study = universities.study(svc, universities=TWO, since=2015)
    first, second = ({*each.limits} for each in study.studies)
    common = {*(first & second), *words.caveats(study.counts)}
    own = [caveat for caveat in study.limits if caveat not in common]
    assert own
    texts = [caveat.text for caveat in own]
    assert [text for text in texts if not any(name in text for name, _ in TWO)] == []
