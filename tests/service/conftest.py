"""One running service over the sample, and one over the real data."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.caller import Caller, calling
from tests.service.sample.sample import sample
from ventureframe_service.dataset import Dataset
from ventureframe_service.run import Running


@pytest.fixture(scope="session")
def small() -> Dataset:
    """The sample with fewer companies."""
    return sample(companies=400)


@pytest.fixture(scope="session")
def caller(small: Dataset) -> Iterator[Caller]:
    with calling(small) as caller:
        yield caller


@pytest.fixture(scope="session")
def running(caller: Caller) -> Running:
    return caller.running


@pytest.fixture(scope="session")
def real(real_data: Path) -> Iterator[Caller]:
    """A caller of the service over the real data of 2013."""
    with calling(Dataset.open(real_data / "venture-2013")) as caller:
        yield caller
