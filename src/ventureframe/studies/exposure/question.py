"""What is asked about some LPs, and the study that answers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from ventureframe.display.wording import counted
from ventureframe.errors import UnsupportedValue
from ventureframe.evidence import question
from ventureframe.evidence.members import Entry, argument, member
from ventureframe.evidence.question import Fetch, Plan, Records
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import fund
from ventureframe.studies.exposure.find import find
from ventureframe.studies.exposure.study import Study

if TYPE_CHECKING:
    from ventureframe.client.lookups import Investor


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(question.Question[Study]):
    """Which managers do these LPs back, and which funds did those managers announce
    since a year?

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> lps = [("Prairie Public Employees Fund", "prairiefund.example")]
    >>> study = vf.exposure.study(svc, lps=lps, since=2021)
    >>> study.vintages.to_polars().columns[:4]
    ['year', 'funds', 'managers', 'size_known']
    """

    study_class = Study

    lps: Sequence[Entry | Investor | str] = member(
        "LPs",
        "entries",
        "name and website domain, or UUID, of each",
        default=(),
        picks="lp",
    )
    since: int | None = member("Funds since", "year", "the first year of the funds")
    funds_of: int | None = argument(
        "the funds of how many managers are requested, those of most LPs first: a"
        " request for each"
    )

    def found(self, records: Records) -> list[Investor]:
        """The records of the LPs, each once; raises `Unclear`."""
        if not self.lps:
            raise UnsupportedValue([], field="lps", reason="at least one LP is needed")
        return list({lp.uuid: lp for lp in map(records.lp, self.lps)}.values())

    def count(self, records: Records) -> Plan:
        """Count the managers of the LPs; raises `Unclear`."""
        lps = self.found(records)
        sizes = [question.sized(records.service.managers_of(lp)) for lp in lps]
        rows = [size.rows for size in sizes if size.rows is not None]
        managers = (
            counted(sum(rows), "manager") if len(rows) == len(sizes) else "the managers"
        )
        shared = " (one of several LPs is counted at each)" if len(lps) > 1 else ""
        text = (
            f"{managers} of {counted(len(lps), 'LP')}{shared}, then the funds of each"
            " manager"
        )
        return question.costing(text, *sizes, further=sum(rows))

    def _studied(self, records: Records, currency: Currency, fetch: Fetch) -> Study:
        svc, lps = records.service, self.found(records)
        backed = fetch(svc.managers_of(lps))
        several = backed.to_polars().group_by("uuid").len()
        several = several.sort("len", "uuid", descending=[True, False])
        asked = several["uuid"].to_list()[: self.funds_of]
        window = () if self.since is None else (fund.year >= self.since,)
        funds = fetch(svc.funds_of_each(asked).where(*window).currency(currency))
        clock = funds.provenance.fetched_at
        manager, unknown = (
            pl.col("manager").struct["uuid"],
            (
                *backed.missing,
                *funds.missing,
            ),
        )
        failed = dict.fromkeys(unknown, "the service has no such record")
        unread = {lp.uuid for lp in lps}.difference(backed.asked or ())
        return find(
            lps=pl.DataFrame(lps, infer_schema_length=None),
            lp_managers=backed.to_polars(),
            funds=funds.to_polars().with_columns(manager_uuid=manager),
            currency=currency,
            since=self.since,
            asked=funds.asked or (),
            failed=failed | dict.fromkeys(unread, "the fetch ended before"),
            seen=svc.source.as_of or (clock.date() if clock else None),
        )


study = question.asking(Question)
