"""A study is saved with every result it rests on, and two saves of it are compared
by name.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ventureframe as vf
from ventureframe.client.result import opened
from ventureframe.client.service import Service
from ventureframe.evidence.study import Study

HARROWMERE = ("Harrowmere University", "harrowmere.example")
TARNVIK = ("Tarnvik Technical University", "tarnvik.example")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with vf.connect(environment={}) as connected:
        yield connected


def of_one(svc: Service, university: tuple[str, str] = HARROWMERE) -> vf.spinouts.Study:
    name, domain = university
    return vf.spinouts.study(
        svc, university=svc.university(name, domain=domain), currency="EUR"
    )


def of_several(svc: Service) -> Study:
    return vf.universities.compare([of_one(svc), of_one(svc, TARNVIK)])


def of_an_lp(svc: Service) -> Study:
    lp = svc.lp("Ostrander Institute Endowment", domain="endowment.ostrander.example")
    return vf.exposure.study(svc, lps=[lp], since=2021)


def of_hiring(svc: Service) -> Study:
    return vf.hiring.study(svc, tags=[("Robotics", "technology")], rounds_of=2)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (of_one, ["companies", "founders"]),
        (of_several, ["companies", "founders", "companies-2", "founders-2"]),
        (of_an_lp, ["investors", "funds"]),
        (of_hiring, ["companies", "jobs", "news", "funding-rounds"]),
    ],
)
def test_every_result_of_a_study_is_saved_and_compared(
    service: Service, tmp_path: Path, make: Callable[[Service], Study], names: list[str]
) -> None:
    study = make(service)
    folder = study.save(tmp_path / "a")
    held = opened(folder)
    assert list(held.results) == names
    assert tuple(held.results.values()) == study.fetched
    found = vf.changes.compare(folder, make(service).save(tmp_path / "b"))
    assert list(found.pairs) == names
    assert found.unpaired == ()
    for pair in found.pairs.values():
        assert pair.counts.changed == 0
        assert pair.counts.in_both == len(pair.new)


def test_a_study_at_hand_is_compared_with_a_save_of_it(
    service: Service, tmp_path: Path
) -> None:
    two = vf.universities.study(
        service, universities=[HARROWMERE, TARNVIK], currency="EUR"
    )
    found = vf.changes.compare(two.save(tmp_path / "a"), two)
    assert found.subject.startswith("universities study (Harrowmere University")
    assert found.counts.changed == 0
