"""One running service over a small sample."""

from collections.abc import Iterator

import pytest

from tests.service.caller import Caller, calling
from tests.service.sample.sample import sample
from ventureframe_service.dataset import Dataset
from ventureframe_service.run import Running


@pytest.fixture(scope="session")
def small() -> Dataset:
    """The sample with fewer companies."""
    return sample(companies=300)


@pytest.fixture(scope="session")
def caller(small: Dataset) -> Iterator[Caller]:
    with calling(small) as caller:
        yield caller


@pytest.fixture(scope="session")
def running(caller: Caller) -> Running:
    return caller.running
