"""One study of the small world, in each frame library."""

from __future__ import annotations

import pytest

from tests.studies.worlds import WORLD, Uni
from ventureframe.studies import spinouts


@pytest.fixture(params=["polars", "pandas"])
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def study(library: str) -> spinouts.Study:
    return spinouts.find(**WORLD.frames(library), university=Uni(), currency="EUR")
