"""A question about hiring: its conditions, what they leave out, and what it
requests.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.studies.test_hiring import rows
from ventureframe.client.service import Service
from ventureframe.connect import connect
from ventureframe.errors import Unclear, UnsupportedValue
from ventureframe.evidence.question import Records
from ventureframe.interface.filters import company
from ventureframe.studies import hiring


@pytest.fixture(scope="module")
def sample() -> Iterator[Service]:
    with connect(environment={}) as svc:
        yield svc


QUESTION = hiring.Question(
    tags=[("Robotics", "technology")],
    location=("Europe", "continent"),
    founded=(2005, None),
    funding=(None, 5e7),
    signal_team=60,
    currency="USD",
)


def test_its_own_parameters_are_the_same_question() -> None:
    assert hiring.Question(**QUESTION.parameters) == QUESTION
    nothing: Any = dict.fromkeys(QUESTION.parameters)
    assert hiring.Question(**nothing) == hiring.Question()


def test_conditions_become_one_filter(sample: Service) -> None:
    question = hiring.Question(
        tags=[sample.tag("Robotics", type="technology")],
        location=("Europe", "continent"),
        founded=(2010, 2026),
        funding=(0, 5e9),
        signal_rating=10,
        signal_timing=0,
        signal_team=60,
        is_hiring=False,
        where=company.is_startup == True,  # noqa: E712  # a filter, not a comparison
        currency="GBP",
        rounds_of=2,
    )
    study = question.study(sample)
    asked = str(study.provenance[0].filter)
    for clause in (
        "tag_id[in_all]:",
        "hq_location[eq]:",
        "signal_team[gte]:60",
        "launch_date[gte]:2010",
        "launch_date[lte]:2026",
        "is_startup[eq]:true",
        "total_funding[gte]:0",
        "total_funding[lte]:5000000000",
        "signal_rating[gte]:10",
        "signal_timing[gte]:0",
        "is_hiring[eq]:false",
    ):
        assert clause in asked
    assert study.subject == "Robotics · Europe"
    assert study.question == question
    assert not {"signal_team", "signal_timing"} & set(study.ranking.to_polars().columns)


def test_tags_can_be_all_of_and_any_of(sample: Service) -> None:
    robotics, further = ("Robotics", "technology"), ("Robotics", "sector")
    others = [robotics, further]

    def uuids(**tags: Any) -> set[str]:
        study = hiring.study(sample, **tags, rounds_of=0)
        return {row["company_uuid"] for row in rows(study.ranking)}

    one, other = uuids(tags=[robotics]), uuids(tags=[further])
    assert uuids(any_tags=others) == one | other
    assert uuids(tags=others) == one & other != one | other
    assert uuids(tags=[robotics], any_tags=[further]) == one & other
    question = hiring.Question(any_tags=others, location=("Europe", "continent"))
    study = question.set(rounds_of=0).study(sample)
    assert study.subject == "Robotics · Europe"
    assert "tagged Robotics (technology) or Robotics (sector), with" in study.counted
    assert 'any_tags = "Robotics, technology; Robotics, sector"' in question.written
    assert re.search(r"tag_id\[in_any\]:\w+\|\w+,", str(study.provenance[0].filter))


def test_a_count_names_companies_and_pages_before_anything_is_fetched(
    sample: Service,
) -> None:
    text, cost = QUESTION.count(Records(sample))
    assert re.fullmatch(r"\d+ companies, then their jobs and news", text), text
    assert cost is not None
    assert cost.requests > 2


NEAR: list[tuple[str, Any, Any]] = [
    ("tags", (("Robotics", ""),), (("Robotics", "technology"),)),
    ("location", ("Europ", "continent"), ("Europe", "continent")),
]


def test_a_near_miss_names_the_record_that_was_not_found(sample: Service) -> None:
    for member, wrong, right in NEAR:
        question = QUESTION.set(**{member: wrong})
        with pytest.raises(Unclear) as unclear:
            question.study(sample)
        named = unclear.value.candidates[0]["named"]
        better = question.set(**{member: (named,) if member == "tags" else named})
        assert better == QUESTION.set(**{member: right})
        assert better.found(Records(sample)) == QUESTION.found(Records(sample))


def test_another_currency_requests_only_what_has_amounts(sample: Service) -> None:
    question = QUESTION.set(funding=None)
    first = question.study(sample)
    other = question.set(currency="EUR").study(sample, earlier=first)
    reused = [new is old for old, new in zip(first.fetched, other.fetched, strict=True)]
    assert reused == [False, True, True, False]
    assert set(other.ranking.to_polars()["currency"]) == {"EUR"}


def test_rounds_are_asked_for_the_first_of_the_ranking(sample: Service) -> None:
    scan = hiring.study(
        sample, tags=[("Robotics", "technology")], is_hiring=True, rounds_of=5
    )
    asked = [row["rounds"] != "not_asked" for row in rows(scan.ranking)]
    assert asked == [True] * 5 + [False] * (len(asked) - 5)
    assert len(asked) > 5


def test_the_recorded_status_is_a_condition_a_column_and_a_split(
    sample: Service,
) -> None:
    tags = [("Robotics", "technology")]
    every = hiring.study(sample, tags=tags, rounds_of=0)
    one = hiring.study(sample, tags=tags, status="operational", rounds_of=0)
    statuses = [row["company_status"] for row in rows(every.ranking)]
    assert set(statuses) >= {"operational", None}
    assert "company_status[in_any]:operational" in str(one.provenance[0].filter)
    assert {row["company_status"] for row in rows(one.ranking)} == {"operational"}
    (left,) = one.counts.dropped
    assert (left.before, left.inside) == (len(statuses), statuses.count("operational"))
    assert left.not_recorded == statuses.count(None)
    assert left.caveat in one.limits
    assert not any("operational:" in str(figure) for figure in one.key_figures)
    assert every.counts.dropped == ()


def test_where_no_jobs_were_pulled_none_is_said_to_be_missing(
    sample: Service, tmp_path: Path
) -> None:
    sample.pull("companies", out=tmp_path)
    with connect(data=tmp_path, environment={}) as again:
        study = hiring.study(again, founded=(2024, None), rounds_of=0)
    assert "No job records were read." in study.answer.sentence
    assert study.ranking.to_polars()["postings"].is_null().all()
    assert not any("posting" in limit.text for limit in study.limits)


def test_a_condition_is_no_finding(sample: Service) -> None:
    tags = [("Robotics", "technology")]
    study = hiring.study(sample, tags=tags, is_hiring=True, rounds_of=0)
    assert "flagged as hiring" in study.title
    assert "flagged" not in study.answer.sentence
    assert not any("flagged" in claim.statement for claim in study.statements)


def test_several_statuses_are_one_condition(sample: Service) -> None:
    question = hiring.Question(status=["closed", " acquired", "closed"])
    assert question.status == ("closed", "acquired")
    assert dict(question.listed)["Status"] == "closed or acquired"
    study = question.set(rounds_of=0).study(sample)
    asked = study.provenance[0].filter
    assert asked == "company_status[in_any]:closed|acquired"
    assert (
        hiring.Question(status=[]) == hiring.Question() == hiring.Question(status=None)
    )
    for wrong in ("", ["closed", 5]):
        with pytest.raises(UnsupportedValue, match="give text"):
            hiring.Question(status=wrong)  # type: ignore[arg-type]


def test_a_status_that_no_company_has_is_refused_with_those_that_exist(
    sample: Service,
) -> None:
    question = hiring.Question(status=("alive", "closed"))
    for ask in (question.study, lambda svc: question.count(Records(svc))):
        with pytest.raises(
            UnsupportedValue, match="'alive': no company has it; recorded are "
        ) as e:
            ask(sample)
        assert {"operational", "acquired", "closed"} <= {
            *re.findall(r"\w+", e.value.reason)
        }
