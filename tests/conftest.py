"""What every test may ask for: the real datasets, where they are there."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from nbformat import NotebookNode

from tests.engines import ENGINES, Engine
from tests.notebooks import runs

# the first draw of text reads all of Unicode, which a busy machine takes long for
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", PATIENT, max_examples=25)
# pytest --hypothesis-profile=deep
settings.register_profile("deep", PATIENT, max_examples=100)
settings.load_profile("quick")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The real datasets beside the checkout; a test that needs them says when they
    are absent.
    """
    folder = ROOT.parent / "shared" / "datasets"
    if not folder.is_dir():
        pytest.skip(
            "the real datasets are not beside this checkout (../shared/datasets)"
        )
    return folder


@pytest.fixture(scope="session")
def executed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], NotebookNode]:
    """Give a curated notebook with its outputs; each is run once in a session."""
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        folder = folder.parent  # which the workers share
    return partial(runs.executed, folder=folder)


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn; Sail is started only where it is asked for."""
    opens = {"duckdb": "duckdb", "sail": "sail"}.get(request.param, "polars")
    return Engine(
        request.param, request.getfixturevalue("sail") if opens == "sail" else opens
    )


@pytest.fixture(scope="session")
def sail() -> Iterator[Any]:
    """A Spark session on a server of its own in this process: no Java, no container."""
    from pysail.spark import SparkConnectServer

    import __main__

    # a worker of pytest-xdist has no file, which pyspark takes for its own doctests
    vars(__main__).setdefault("__file__", __file__)
    from pyspark.sql.connect.session import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    host, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://{host}:{port}").getOrCreate()
    yield session
    # else what is still held calls a server that is gone, for minutes
    session.client.close()
    server.stop()
