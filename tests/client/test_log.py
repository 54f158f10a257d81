"""The log has a line for each request, retry, wait and page, and never a secret."""

import logging

import pytest

from tests import faults
from tests.faults import Fault
from tests.service.sample.sample import sample
from ventureframe.interface.filters import company

SECRET = "a secret of this test"


def test_each_request_retry_wait_and_page_is_a_line_without_a_secret(
    caplog: pytest.LogCaptureFixture,
) -> None:
    plan = [Fault(route="companies", nth=(1,), status=503)]
    running = faults.start(sample(companies=600), faults=plan, client_secret=SECRET)
    asked = company.launch_date >= 1900
    waited: list[float] = []
    caplog.set_level(logging.DEBUG, logger="ventureframe")
    with running, faults.connected(running, sleep=waited.append) as svc:
        svc.companies.where(asked).fetch()
    lines = [
        each.getMessage() for each in caplog.records if each.name == "ventureframe"
    ]
    text = "\n".join(lines)
    requests = [line for line in lines if line.startswith("GET /data/companies")]
    assert requests[0].startswith("GET /data/companies, attempt 1: 503, ")
    assert requests[1].startswith("GET /data/companies, attempt 2: 200, ")
    assert text.count("POST /") == 1
    assert sum(line.startswith("waits ") for line in lines) == len(waited) >= 1
    assert [line for line in lines if line.startswith("page read: 500 of ")]
    assert SECRET not in text
    assert "eyJ" not in text, "how a token of the embedded service begins"
    assert "launch_date" not in text
