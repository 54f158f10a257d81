"""One study of the small world; that pandas gives the same is a property of
`test_spinouts`.
"""

import pytest

from tests.studies.worlds import studied
from ventureframe.studies import spinouts


@pytest.fixture(scope="session")
def study() -> spinouts.Study:
    return studied()
