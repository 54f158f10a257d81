"""No request breaks the service, whatever stands in a parameter.

`VENTUREFRAME_FUZZ` says how many requests are made up for each endpoint: a few unless
it is set, 100 in CI. `make test` leaves them out; refusals by name are in
test_endpoints.
"""

import os
from collections.abc import Mapping
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.caller import Caller
from ventureframe.interface.wire.profile import INTERFACE
from ventureframe_service.aggregate import GROUPS

ASKED: Final = int(os.environ.get("VENTUREFRAME_FUZZ", "4"))
UNKNOWN: Final = "00000000-0000-4000-8000-000000000000"
LIKELY: Final[Mapping[str, list[str]]] = {
    "filter": [
        "launch_date[gte]:2015",
        "tag_id[in_all]:1|2",
        "or(name[eq]:a,and(id[eq]:x,is_startup[neq]:true))",
        "and(total_funding[lte]:1e308,year[gte]:-1)",
        "entity_id[in_any]:" + "|".join(["0" * 32] * 600),
        "and(" * 40,
    ],
    "sort": ["-launch_date", "name,-name", "total_funding,,", "-"],
    "cursor": ["W10", "bnVsbA", "WyJhIiwgLTEsIDFd", "\u00e9"],
    "limit": ["0", "1", "500", "501", "-1", "1e3", "\u0661", "9" * 40],
    "offset": ["0", "999999999999999", "9" * 16],
    "currency": ["EUR", "CHF", ""],
    "metric": ["count", "sum:total_funding", "median:team_size", "sum:name", ":"],
    "group_by": ["launch_date", "tag_id,hq_country", "tag_id,tag_id", ","],
    "types": ["university", "investor,university", "fund"],
    "scope": ["companies", "founders", "nothing"],
    "type": ["country", "sector", "planet"],
    "include_total": ["true", "yes"],
    "include_counts": ["true", "yes"],
    "limit_per_row": ["0", "3", "99"],
    "q": ["", "a", "\x00", "\U0001f600", "x" * 500],
}
"""What is likely in a parameter of some endpoint; others ignore it."""


PARAMETERS: Final = {
    name: st.sampled_from(texts) | st.text() for name, texts in LIKELY.items()
}


@pytest.mark.slow
@pytest.mark.parametrize("path", INTERFACE.paths.values())
@settings(max_examples=ASKED, deadline=None, derandomize=ASKED < 100)
@given(
    query=st.fixed_dictionaries({}, optional=PARAMETERS),
    uuid=st.sampled_from([UNKNOWN, UNKNOWN.upper(), "none"]),
    source=st.sampled_from(list(GROUPS)),
)
def test_no_request_breaks_the_service(
    path: str, caller: Caller, query: dict[str, str], uuid: str, source: str
) -> None:
    reply = caller.get(path.format(id=uuid, source=source), **query)
    assert reply.status_code < 500
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.status_code == 200 or "error" in reply.json()
