"""The recorded statuses of companies: offered, checked, and what a condition on them
leaves out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ventureframe.display.wording import listed
from ventureframe.errors import EnoughSent, RequestRejected, UnsupportedValue
from ventureframe.evidence.dropped import Dropped, dropped
from ventureframe.interface.filters import Filter, company

if TYPE_CHECKING:
    from ventureframe.client.query import Query
    from ventureframe.client.result import Result
    from ventureframe.client.service import Service

_KNOWN = ("operational", "acquired", "closed")


def statuses(svc: Service) -> list[str]:
    """The statuses that companies have; those known where they are not grouped."""
    return sorted(map(str, _counted(svc, svc.companies) or _KNOWN))


def _counted(svc: Service, companies: Any) -> Mapping[str | None, int] | None:
    """How many of the companies have each status; None where the service does not
    count them.
    """
    listing = companies.listing
    where = () if listing.filter is None else listing.filter
    try:
        groups = svc.aggregate(
            "companies",
            group_by="company_status",
            where=where,
            currency=listing.converted_to,
        )
    except RequestRejected as error:
        # how a service refuses to group by a field
        is_refused = error.status in (400, 404, 422)
        if not is_refused and not isinstance(error, EnoughSent):
            raise
        return None
    counts = (
        groups.to_polars()
        .select("company_status", "count")
        .drop_nulls("company_status")
    )
    return dict(counts.rows()) if groups.is_complete else None


def of_status(svc: Service, wanted: Collection[str] | None) -> tuple[Filter, ...]:
    """The condition that companies have one of these statuses, if any is wanted.

    Raises `UnsupportedValue` for a status that no company has.
    """
    if not wanted:
        return ()
    groups = _counted(svc, svc.companies)
    missing = set() if groups is None else set(wanted) - set(groups)
    if missing:
        wrong = ", ".join(sorted(missing))
        reason = f"no company has it; recorded are {listed(map(str, groups or ()))}"
        raise UnsupportedValue(wrong, field="status", reason=reason)
    return (company.company_status.in_any(wanted),)


def left_out(
    svc: Service, query: Query, matching: Result, status: tuple[Filter, ...]
) -> tuple[Dropped, ...]:
    """What the conditions leave out; companies are grouped by their status.

    `query` lacks the condition on the status, `matching` is the result with it.
    """
    inside = len(matching) if matching.is_complete else None
    drops = dropped(query.where(*status), inside=inside)
    if not status:
        return drops
    groups = _counted(svc, query)
    recorded = None if groups is None else sum(groups.values())
    *first, of_status_drop = drops
    return (*first, replace(of_status_drop, recorded=recorded))
