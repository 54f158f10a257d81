"""The facts that the datasets state, asked for through the client and the service's
socket.
"""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import ventureframe as vf
from ventureframe.client.service import Service

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def june(real_data: Path) -> Iterator[Service]:
    with vf.connect(data=real_data / "venture-2013", environment={}) as service:
        yield service


def test_grouped_metrics_count_what_the_rows_count(june: Service) -> None:
    """Fact 8, June; fact 5, the native currencies of fund amounts."""
    by_status = june.aggregate("companies", group_by="company_status").to_polars()
    assert dict(by_status.rows()) == {
        "acquired": 7_987,
        "closed": 418,
        "operational": 64_296,
    }
    funds = june.funds.fetch().to_polars()
    native = funds["amount_source"].struct.field("currency").drop_nulls().value_counts()
    assert dict(native.rows()) == {"USD": 374, "EUR": 40, "GBP": 27, "CAD": 2, "JPY": 1}


@pytest.mark.parametrize(
    ("name", "within", "companies"),
    [
        ("London", "United Kingdom", 1_412),
        ("San Francisco", "California", 2_446),
        ("New York", "New York", 2_310),
        ("Cambridge", "Massachusetts", 400),
        ("Cambridge", "United Kingdom", 113),
    ],
)
def test_a_place_that_shares_its_name_is_found_and_can_be_asked_about(
    name: str, within: str, companies: int, june: Service, real_data: Path
) -> None:
    found = june.location(name, type="city", within=within)
    frame = pl.read_parquet(real_data / "venture-2013" / "companies.parquet")
    assert (frame["hq_location"] == found.id).sum() == companies
    assert june.companies.where(vf.company.hq_location == found.id).count() == companies
    assert june.location(name, type=str(found.id)) == found
    assert found.named[2] == within
