"""A version of the wire that nobody has: its table, and a proxy that speaks it.

It is the worked example of `docs/develop/new-wire.md`: what a vendor's document would
announce, written over the version before.
"""

from dataclasses import replace
from typing import Any

from tests.wires.mutations import Json
from tests.wires.proxy import Proxy
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import At, Limit, Profile, Term

BEFORE = WIRE_2026_10_02
# the table begins
_COMPANIES = BEFORE.shapes["companies"]
_JOBS = BEFORE.shapes["jobs"]
INVENTED: Profile = replace(
    BEFORE,
    name="2026-12-04",
    api_version="2026-12-04",
    paths={**BEFORE.paths, "education": "/data/founders/{id}/education"},
    limits={**BEFORE.limits, "companies": Limit(25, 200)},
    shapes={
        **BEFORE.shapes,
        "companies": replace(
            _COMPANIES,
            columns={
                **_COMPANIES.columns,
                "website_domain": At("website.domain"),
                "team_size": At("headcount"),
                "company_status": At("operating_status"),
                "total_funding": At("funding.raised_total"),
            },
        ),
        "jobs": replace(
            _JOBS, columns={**_JOBS.columns, "location": At("place.label")}
        ),
    },
    filters={**BEFORE.filters, "company_status": Term("operating_status")},
    sorts={**BEFORE.sorts, "company_status": "operating_status"},
    groups={**BEFORE.groups, "company_status": "operating_status"},
)
# the table ends


class Speaking(Proxy):
    """A proxy before a service of the version before, which speaks the invented one."""

    def answer(self, method: str, target: str, headers: Any, body: bytes) -> Any:
        target = target.replace("operating_status", "status")
        if "/data/founders/" in target:
            target = target.replace("/data/founders/", "/data/people/")
        headers = {
            name: BEFORE.api_version if text == INVENTED.api_version else text
            for name, text in headers.items()
        }
        return super().answer(method, target, headers, body)

    def changed(self, route: str, value: Json) -> Json:
        """The content of a good reply, as the invented version writes it."""
        for row in value["data"] if route == "companies" else ():
            row["website"] = {"domain": row.pop("domain")}
            row["headcount"] = row.pop("employees_count")
            row["operating_status"] = row.pop("status")
            if row.get("funding") is not None:
                row["funding"]["raised_total"] = row["funding"].pop("total")
        for row in value["data"] if route == "jobs" else ():
            row["place"] = {"label": row.pop("formatted_location")}
        return value
