"""One study of the small world, from frames of each library."""

from __future__ import annotations

import pytest

from tests.studies.worlds import studied
from ventureframe.studies import spinouts


@pytest.fixture(params=["polars", "pandas"])
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def study(library: str) -> spinouts.Study:
    return studied(library=library)
