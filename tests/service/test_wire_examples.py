"""Complete rows of today's wire, as its vendor's examples have them, are read as
they say.
"""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.fake.rows import BLANK
from ventureframe.client.decode import Rows, decode
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.generations import WIRE_2026_10_02

KELPWAVE = "1f5ad3c4-6b27-4c1e-9d70-5be2a9c3e802"
TERN_RIDGE = "d6a2b9f3-0c84-4e57-a1d9-6f30c7e5b806"
NORRVIK = "7c0b6f52-91de-4b0e-8a35-2f4f0d1c9a01"
READ: dict[str, dict[str, Any]] = {
    "companies": {
        "uuid": KELPWAVE,
        "website_domain": "kelpwave.example",
        "hq_city": "Norrvik",
        "hq_continent": "Europe",
        "launch_date": 2021,
        "launch_date_text": "2021-03",
        "team_size": 34,
        "total_funding": 9_400_000.0,
        "company_status": "operational",
        "is_startup": True,
        "is_spinout": True,
        "is_hiring": True,
        "open_jobs_count": 2,
        "signal_rating": 78.0,
    },
    "founders": {
        "name": "Person A",
        "education": [
            {
                "university_uuid": NORRVIK,
                "university_name": "Norrvik Institute of Technology",
                "degree": "Master",
                "major": "Ocean engineering",
                "start_year": 2011,
                "end_year": 2016,
            }
        ],
        "education_more": 0,
    },
    "team": {"name": "Person A", "is_past": False},
    "education": {"university_uuid": NORRVIK, "degree": None, "start_year": None},
    "funding-rounds": {
        "round_type": "Series A",
        "amount": 6_000_000.0,
        "investors": [{"uuid": TERN_RIDGE, "name": "Tern Ridge Capital"}],
    },
    "lp-funds": {"uuid": TERN_RIDGE, "hq_city": "Ostrand", "hq_country": "Norland"},
    "funds": {
        "fund_date": dt.date(2025, 4, 9),
        "amount_source": {"amount": 110_000_000.0, "currency": "EUR"},
        "manager": {"uuid": TERN_RIDGE, "name": "Tern Ridge Capital"},
    },
    "manager-funds": {
        "id": 88011,
        "amount": 119_000_000.0,
        "is_closed": True,
        "manager": None,
    },
    "news": {"publish_date": dt.date(2024, 11, 20), "entity_ids": [KELPWAVE]},
    "jobs": {"date_posted": dt.date(2026, 9, 21), "entity_id": KELPWAVE},
    "search": {"uuid": NORRVIK, "website_domain": "norrvik-tech.example"},
}


def replies() -> dict[str, dict[str, Any]]:
    """The example reply of each endpoint that lists rows, in full."""
    path = Path(__file__).with_name("wire-2026-10-02.examples.json")
    names = {f"GET {path}": name for name, path in WIRE_2026_10_02.paths.items()}
    examples = json.loads(path.read_text(encoding="utf-8"))["examples"]
    return {
        names[example["endpoint"]]: example["body"]
        for example in examples
        if names.get(example["endpoint"]) in READ
        and example["status"] == 200
        and example.get("variant") != "summary"
    }


@pytest.mark.parametrize("endpoint", READ)
def test_a_complete_row_is_read_as_it_says_and_the_service_writes_every_key_of_it(
    endpoint: str,
) -> None:
    body, shape = replies()[endpoint], WIRE_2026_10_02.shapes[endpoint]
    reply = Reply("/data/x", json.dumps(body).encode(), {})
    chunk = decode([reply], Rows(shape.resource, shape), profile=WIRE_2026_10_02)
    assert chunk.absent == frozenset()
    row = chunk.frame.select(pl.col(*READ[endpoint])).row(0, named=True)
    assert row == READ[endpoint]
    assert body["data"][0].keys() - {"locked"} == BLANK[endpoint].keys()
