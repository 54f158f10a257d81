"""What is asked about some LPs, and the study that answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from ventureframe.client.walk import Progress
from ventureframe.display.wording import counted
from ventureframe.errors import UnsupportedValue
from ventureframe.evidence.question import (
    Entry,
    Records,
    asking,
    entries,
    fetched,
    member,
    named,
    replaced,
    total,
    year,
)
from ventureframe.evidence.question import (
    Question as _Question,
)
from ventureframe.interface.filters import fund
from ventureframe.studies.exposure.find import Study, find

if TYPE_CHECKING:
    from ventureframe.client.records import Investor
    from ventureframe.client.service import Service


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(_Question[Study]):
    """Which managers do these LPs back, and which funds did those managers announce since a year?

    Parameters
    ----------
    lps : sequence of (name, domain) or Investor
        At least one: its name and website domain exactly as in one record, or the record from
        `svc.lp`.
    since : int, optional
        The first year of the window; without it funds of any date, also those without one.
    currency : {"USD", "EUR", "GBP"}, optional
        The currency of fund sizes; the service's default where not given.
    at_most : int, optional
        The funds of how many managers to request, those backed by most LPs first. Each takes one
        request; the others are "not asked" in `windows`.

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> lps = [("Prairie Public Employees Fund", "prairiefund.example")]
    >>> study = vf.exposure.study(svc, lps=lps, since=2021)
    >>> study.types.to_polars().columns[:4]
    ['fund_type', 'funds', 'managers', 'size_known']
    """

    lps: Sequence[Entry | Investor] = member(
        "LPs", "entries", "name and website domain of each", default=()
    )
    since: int | None = member("Funds since", "year", "the first year of the funds")
    at_most: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "since", year(self.since, "since"))
        object.__setattr__(self, "lps", entries(self.lps, "lps", "(name, domain)"))
        if not self.lps:
            raise UnsupportedValue([], field="lps", reason="at least one LP is needed")

    def found(self, records: Records) -> list[Investor]:
        """The records of the LPs, each once; raises `Unclear`."""
        return list({lp.uuid: lp for lp in map(records.lp, self.lps)}.values())

    def count(self, records: Records) -> str:
        """How many managers the LPs have, in words; raises `Unclear`."""
        lps = self.found(records)
        totals = [total(records.service.managers(lp)) for lp in lps]
        known = [each for each in totals if each is not None]
        backed = counted(sum(known), "manager") if len(known) == len(totals) else "the managers"
        return (
            f"{backed} of {counted(len(lps), 'LP')}, those of several counted "
            "at each; then one request for the funds of each manager"
        )

    def study(
        self,
        service: Service | Records,
        *,
        earlier: Study | None = None,
        progress: bool | Progress | None = None,
    ) -> Study:
        """The managers and their funds fetched, then `find`; see `Question.study`."""
        records = service if isinstance(service, Records) else Records(service)
        svc, lps = records.service, self.found(records)
        money = self.currency or svc.currency
        backed = fetched(svc.managers_of(lps), earlier=earlier, progress=progress)
        several = backed.to_polars().group_by("uuid").len()
        several = several.sort("len", "uuid", descending=[True, False])
        asked = several["uuid"].to_list()[: self.at_most]
        window = () if self.since is None else (fund.year >= self.since,)
        raised = svc.funds_of_each(asked).where(*window).currency(money).fetch(progress)
        clock = raised.provenance.fetched_at
        unknown = (*backed.missing, *raised.missing)
        study = find(
            lps=pl.DataFrame(lps, infer_schema_length=None),
            lp_managers=backed.to_polars(),
            funds=raised.to_polars().with_columns(
                manager_uuid=pl.col("manager").struct.field("uuid")
            ),
            currency=money,
            since=self.since,
            asked=asked,
            failed=dict.fromkeys(unknown, "the service has no such record"),
            seen=svc.source.as_of or (clock.date() if clock else None),
        )
        return study.resting_on(svc.source, backed, raised, question=self)

    def corrected(self, entry: Entry, candidate: Mapping[str, Any]) -> Self:
        """The question with one LP replaced by a record that came back for it."""
        return self.set(lps=replaced(self.lps, entry, named(candidate)))


study = asking(Question)
