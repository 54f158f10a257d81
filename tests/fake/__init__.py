"""The fake of the newer wire: a dataset as a service of 2026-10-02 answers for it.

Each answers on a real socket: `start` gives a running service, `serving` the settings of
an environment that names one, as `environment_of` does of any. `start_on` and
`connected_on` do it for either generation.
`python -m tests.fake` serves one until it is stopped.
"""

from tests.fake.service import (
    Newer,
    Tier,
    connected_on,
    environment_of,
    serving,
    start,
    start_on,
)

__all__ = [
    "Newer",
    "Tier",
    "connected_on",
    "environment_of",
    "serving",
    "start",
    "start_on",
]
