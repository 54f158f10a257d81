"""One study of the small world; what it promises is in `test_promises`."""

import pytest

from tests.studies.worlds import studied
from ventureframe.studies import spinouts


@pytest.fixture(scope="session")
def study() -> spinouts.Study:
    return studied()
