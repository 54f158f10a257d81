"""What a condition leaves out is counted by reason, for every service that reports
totals.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.faults import Fault, Faults, connected, totalled
from tests.service.sample.sample import sample as sample_of
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, RequestRejected
from ventureframe.evidence import Dropped, dropped
from ventureframe.interface.filters import company
from ventureframe.studies import hiring
from ventureframe_service import run
from ventureframe_service.settings import Settings


@pytest.fixture(scope="module")
def sample() -> Iterator[Service]:
    with vf.connect(environment={}) as service:
        yield service


@pytest.fixture(scope="module")
def faults() -> Faults:
    return Faults()


@pytest.fixture
def faulty(faults: Faults) -> Iterator[Service]:
    """A service of 130 companies that answers as the faults say."""
    faults.play([])
    started = run.start(sample_of(companies=130), Settings(around=faults.around))
    with started as running, connected(running) as service:
        yield service


def by_reason(each: Dropped) -> tuple[int | None, ...]:
    return each.before, each.not_recorded, each.outside, each.inside


def test_what_says_which_records_are_meant_is_no_condition(sample: Service) -> None:
    assert dropped(sample.companies) == ()
    assert dropped(sample.companies.where(company.tag_id == 1)) == ()


def test_conditions_on_flags_texts_and_alternatives_are_counted(
    sample: Service,
) -> None:
    frame = sample.companies.fetch().to_polars()
    flag, status = frame["is_hiring"], frame["company_status"]
    is_either = company.launch_date >= 2015
    is_either |= company.signal_rating >= 60
    asked = sample.companies.where(
        company.is_hiring == True,  # noqa: E712
        company.company_status == "acquired",
        is_either,
    )
    hiring_, acquired, either = dropped(asked)
    kept = frame.filter(
        (pl.col("launch_date") >= 2015) | (pl.col("signal_rating") >= 60)
    )
    of_flag = kept.filter(company_status="acquired")["is_hiring"]
    assert by_reason(hiring_) == (
        len(of_flag),
        of_flag.null_count(),
        (~of_flag).sum(),
        of_flag.sum(),
    )
    of_status = kept.filter(pl.col("is_hiring"))["company_status"]
    inside = of_flag.sum()
    assert by_reason(acquired) == (len(of_status), None, None, inside)
    assert either.before == frame.filter(flag, status == "acquired").height
    assert "but “whose status is acquired”, none meet it." in acquired.sentence


def test_each_field_is_counted_among_what_meets_every_other_condition(
    sample: Service,
) -> None:
    frame = sample.companies.fetch().to_polars()
    year, money = pl.col("launch_date"), pl.col("total_funding")
    is_young, is_funded = year.is_between(2010, 2018), money >= 1e6
    asked = sample.companies.where(
        company.launch_date >= 2010,
        company.total_funding >= 1e6,
        company.launch_date <= 2018,
    )
    founded, funding = dropped(asked)
    assert str(founded.condition) == "and(launch_date[gte]:2010,launch_date[lte]:2018)"
    both, funded, young = (
        frame.filter(condition)
        for condition in (is_young & is_funded, is_funded, is_young)
    )
    assert by_reason(founded) == (
        funded.height,
        funded["launch_date"].null_count(),
        funded.filter(~is_young).height,
        both.height,
    )
    assert by_reason(funding) == (
        young.height,
        young["total_funding"].null_count(),
        young.filter(~is_funded).height,
        both.height,
    )
    assert dropped(asked, inside=both.height) == (founded, funding)


def test_a_field_that_only_filters_is_counted_too(sample: Service) -> None:
    (team,) = dropped(sample.companies.where(company.signal_team >= 60))
    assert None not in by_reason(team)


def test_a_total_that_is_not_known_or_contradicts_another_stays_unknown() -> None:
    unknown = Dropped(
        "companies", "total_funding", company.total_funding >= 5, None, 7, 3
    )
    assert (unknown.not_recorded, unknown.outside) == (None, 4)
    drifted = Dropped(
        "companies", "total_funding", company.total_funding >= 5, 6, 7, None
    )
    assert (drifted.not_recorded, drifted.outside) == (None, None)


OTHERS = "that meet every condition but “founded since 2010”"
SAID: list[tuple[tuple[int | None, int | None, int | None], str]] = [
    (
        (9, 5, 2),
        f"Of the 9 companies {OTHERS}, 4 have no recorded founding year and 3 do not"
        " meet it.",
    ),
    ((9, 0, 0), f"Of the 9 companies {OTHERS}, 9 have no recorded founding year."),
    ((9, 9, 8), f"Of the 9 companies {OTHERS}, 1 does not meet it."),
    (
        (1, 0, 0),
        "The only company that meets every condition but “founded since 2010” has no"
        " recorded founding year.",
    ),
    (
        (1, 1, 0),
        "The only company that meets every condition but “founded since 2010” does not"
        " meet it.",
    ),
    (
        (None, 7, 3),
        "How many companies “founded since 2010” leaves out is not known.",
    ),
    (
        (9, None, 3),
        f"Of the 9 companies {OTHERS}, 3 meet it.",
    ),
    ((9, None, 1), f"Of the 9 companies {OTHERS}, 1 meets it."),
    ((9, None, 0), f"Of the 9 companies {OTHERS}, none meet it."),
]


@pytest.mark.parametrize(("counts", "said"), SAID)
def test_what_is_left_out_is_one_sentence_without_a_zero(
    counts: tuple[int | None, int | None, int | None], said: str
) -> None:
    left = Dropped("companies", "launch_date", company.launch_date >= 2010, *counts)
    assert left.sentence == said


@pytest.mark.parametrize(
    "fault",
    [
        Fault(route="companies", nth=(5,), lie=totalled(None)),
        Fault(route="companies", nth=(5,), status=400),
    ],
    ids=["a total that is not given", "a refusal"],
)
def test_a_count_that_the_service_does_not_give_is_unknown_and_never_zero(
    faults: Faults, faulty: Service, fault: Fault
) -> None:
    faults.play([fault])
    (founded,) = dropped(faulty.companies.where(company.launch_date >= 2010))
    assert founded.before == 130
    assert (founded.recorded, founded.not_recorded, founded.outside) == (
        None,
        None,
        None,
    )
    assert founded.inside is not None


def test_a_key_without_rights_is_an_error_and_not_an_unknown_count(
    faults: Faults, faulty: Service
) -> None:
    faults.play([Fault(route="companies", nth=(5,), status=403)])
    with pytest.raises(RequestRejected):
        dropped(faulty.companies.where(company.launch_date >= 2010))
    faults.play([Fault(route="aggregates", status=403)])
    with pytest.raises(RequestRejected):
        hiring.study(faulty, status="operational", rounds_of=0)


def test_a_service_that_does_not_group_by_status_leaves_the_reasons_unknown(
    faults: Faults, faulty: Service
) -> None:
    faults.play([Fault(route="aggregates", status=404)])
    study = hiring.study(faulty, status="operational", rounds_of=0)
    (left,) = study.counts.dropped
    assert by_reason(left) == (130, None, None, len(study.ranking))
    assert len(study.ranking) > 0
    assert left.caveat in study.limits


@pytest.mark.real
@pytest.mark.parametrize("since", [1990, 2005])
def test_the_real_companies_are_left_out_for_the_reasons_the_file_shows(
    real_data: Path, since: int
) -> None:
    file = pl.read_parquet(real_data / "venture-2013" / "companies.parquet")
    year = file["launch_date"]
    with vf.connect(data=real_data / "venture-2013", environment={}) as service:
        (founded,) = dropped(service.companies.where(company.launch_date >= since))
    wanted = (
        file.height,
        year.null_count(),
        (year < since).sum(),
        (year >= since).sum(),
    )
    assert by_reason(founded) == wanted


def capped(at: int) -> Fault:
    """Every total of companies is at most so many."""

    def lie(content: dict[str, Any], _: object) -> dict[str, Any]:
        page = content["page"]
        total = None if page["total"] is None else min(at, page["total"])
        return content | {"page": page | {"total": total}}

    return Fault(route="companies", lie=lie)


@pytest.mark.parametrize("at", [1, 40, 100, 117, 129])
def test_a_count_that_may_come_from_a_capped_total_is_unknown(
    faults: Faults, faulty: Service, at: int
) -> None:
    asked = faulty.companies.where(company.launch_date >= 2010)
    (truth,) = dropped(asked)
    faults.play([capped(at)])
    (found,) = dropped(asked)
    for name in ("before", "recorded", "inside", "not_recorded", "outside"):
        assert getattr(found, name) in (None, getattr(truth, name)), name
    assert found.before is None
    assert truth.inside is not None
    assert found.inside == (truth.inside if truth.inside <= at else None)


def test_a_reply_that_calls_its_total_capped_is_no_count(
    faults: Faults, faulty: Service
) -> None:
    def lie(content: dict[str, Any], _: object) -> dict[str, Any]:
        return content | {"page": content["page"] | {"capped": True}}

    faults.play([Fault(route="companies", lie=lie)])
    (founded,) = dropped(faulty.companies.where(company.launch_date >= 2010))
    assert by_reason(founded) == (None, None, None, None)
    with pytest.warns(EvidenceWarning, match=r"at least 130 match"):
        assert faulty.companies.count() == 130
