"""What a key does not see is said in place of what rests on it, and never "not
recorded".
"""

import dataclasses
import re
from collections.abc import Iterator

import pytest

import ventureframe as vf
from tests import fake
from tests.faults import connected
from tests.service.sample.sample import sample
from tests.studies.worlds import WORLD, Uni
from ventureframe.client.service import Service
from ventureframe.display.wording import Count
from ventureframe.interface.wire.generations import WIRE_2026_10_02

NAME = "Harrowmere University"
WITHHELD = "The service does not show the founders of these companies."


@pytest.fixture(scope="module")
def free() -> Iterator[Service]:
    """A key of the lowest tier, which is also how a key is answered that did not
    apply.
    """
    with (
        fake.start(sample(companies=300), tier="free") as running,
        connected(running, profile=WIRE_2026_10_02) as service,
    ):
        yield service


@pytest.mark.filterwarnings("ignore:Check the key")
@pytest.mark.parametrize("kind", ["spinouts", "universities"])
def test_every_finding_that_rests_on_founders_says_that_they_are_withheld(
    free: Service, kind: str
) -> None:
    pair = (NAME, "harrowmere.example")
    study = (
        vf.spinouts.study(free, university=free.university(*pair[:1], domain=pair[1]))
        if kind == "spinouts"
        else vf.universities.study(free, universities=[pair])
    )
    assert study.answer.sentence.lower().endswith(WITHHELD.lower())
    assert not re.search("no founder|None of the|is recorded", study.answer)
    for name in {*study.findings()} - study.stands:
        finding = getattr(study, name)
        assert len(finding) == 0, name
        assert WITHHELD in repr(finding), name
        assert finding.drawing is None or finding.plot().empty == WITHHELD.rstrip(
            "."
        ), name
    first, key, *_ = study.answer.limits
    assert first.text.startswith("The service withholds founders (companies: ")
    counted, every = re.findall(r"\d+", first.text)
    assert counted == every, "records are counted, once each"
    assert key.text.startswith(
        "Check the key: the service answers as if none were sent"
    )
    for claim in study.statements:
        assert "the service does not show" in claim.basis
    assert study.key_figures[0].value == "not known"


def test_of_some_companies_what_is_withheld_is_counted_and_null() -> None:
    frames = dataclasses.replace(WORLD, company_founders=[]).frames()
    study = vf.spinouts.find(
        **frames, university=Uni(), currency="USD", companies_withheld=["A", "C"]
    )
    pool = study.pool.to_polars()
    null = pool.filter(pool["founders_recorded"].is_null())
    assert sorted(null["company_uuid"]) == ["A", "C"]
    assert study.counts.companies_withheld == 2
    assert not study.withheld


@pytest.mark.filterwarnings("ignore::ventureframe.errors.VentureframeWarning")
def test_a_list_says_where_founders_studied_is_withheld(free: Service) -> None:
    found = free.companies.fetch(at_most=3).to_polars().head(3)
    block = "Company\tWebsite\n" + "\n".join(
        f"{name}\t{site or ''}"
        for name, site in found.select("name", "website_domain").rows()
    )
    study = vf.mine.study(free, list=block)
    assert study.counts.companies_withheld == study.counts.companies > 0
    assert "The service does not show where the founders of" in study.answer
    assert "identified" not in study.answer
    assert study.withheld in repr(study.universities)
    assert "Founders" not in repr(study.companies)
    assert study.withheld not in repr(study.hiring)
    with_entry = dataclasses.replace(study.counts, education_entries=Count(1))
    assert not dataclasses.replace(study, counts=with_entry).withheld
