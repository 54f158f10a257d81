"""The sample's service, and a study of spinouts on it."""

from collections.abc import Iterator

import pytest

import ventureframe as vf
from ventureframe.client.service import Service
from ventureframe.studies.spinouts import Study


@pytest.fixture(scope="module")
def svc() -> Iterator[Service]:
    with vf.connect(environment={}) as service:
        yield service


@pytest.fixture(scope="module")
def study(svc: Service) -> Study:
    university = svc.university(
        "Tarnvik Technical University", domain="tarnvik.example"
    )
    return vf.spinouts.study(svc, university=university, currency="EUR")
