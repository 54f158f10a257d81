"""The question about some LPs, and the study that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from ventureframe.client.cost import sample
from ventureframe.display.wording import counted
from ventureframe.errors import UnsupportedValue
from ventureframe.evidence import question
from ventureframe.evidence.members import Entry, member
from ventureframe.evidence.question import Fetch, Plan, Records
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import fund
from ventureframe.studies.exposure.find import find
from ventureframe.studies.exposure.study import Study

if TYPE_CHECKING:
    from ventureframe.client.lookups import Investor
    from ventureframe.client.query import Query
    from ventureframe.client.service import Service


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(question.Question[Study]):
    """Which managers do these LPs back, and which funds did those managers announce
    since a year?

    Parameters
    ----------
    lps : Sequence[Entry | Investor | str]
        Name and website domain, or UUID, of each.
    since : int | None
        The first year of the funds.
    funds_of : int | None
        The funds of how many managers are requested, those of most LPs first: a
        request for each.
    currency : {"USD", "EUR", "GBP"}
        Currency of all amounts: USD, EUR or GBP.
    at_most : int | None
        Before it sends more requests, repeats not counted, the study ends with
        what it has.
    at_most_credits : int | None
        Before it can spend more credits, the study ends with what it has; see
        `Query.fetch`.

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
    funds_of: int | None = None

    def found(self, records: Records) -> list[Investor]:
        """The records of the LPs, each once; raises `Unclear`."""
        if not self.lps:
            raise UnsupportedValue([], field="lps", reason="at least one LP is needed")
        return list({lp.uuid: lp for lp in map(records.lp, self.lps)}.values())

    def count(self, records: Records) -> Plan:
        """Count the managers of the LPs; raises `Unclear`."""
        svc, lps = records.service, self.found(records)
        counts = [question.sized(svc.managers_of(lp)) for lp in lps]
        plans, sizes = zip(*counts, strict=True)
        rows, managers = [size or 0 for size in sizes], "the managers"
        if None not in sizes:
            managers = counted(sum(rows), "manager")
        of_lps = counted(len(lps), "LP")
        if len(lps) > 1:
            of_lps = f"{of_lps} (a manager of several LPs counts once for each)"
        most, owners = sum(rows), "each manager"
        if self.funds_of is not None:
            most = min(most, self.funds_of)
            owners = f"at most {self.funds_of} of these managers"
        text = f"{managers} of {of_lps}, then the funds of {owners}"
        largest = max(rows)
        some = sample(svc.managers_of(lps[rows.index(largest)]).listing, largest)
        funds = self._funds(svc, some[:most]).cost(many=most)
        return question.costing(text, *plans, then=[funds])

    def _funds(self, svc: Service, managers: Iterable[str]) -> Query:
        """The query of the funds of these managers, since the first year."""
        funds = svc.funds_of_each(managers)
        return funds if self.since is None else funds.where(fund.year >= self.since)

    def _studied(self, records: Records, currency: Currency, fetch: Fetch) -> Study:
        svc, lps = records.service, self.found(records)
        backed = fetch(svc.managers_of(lps))
        lps_of = backed.to_polars().group_by("uuid").len()
        lps_of = lps_of.sort("len", "uuid", descending=[True, False])
        managers = lps_of["uuid"].to_list()[: self.funds_of]
        funds = fetch(self._funds(svc, managers).currency(currency))
        failed = dict[str, str]()
        for uuid in (*backed.missing, *funds.missing):
            failed[uuid] = "the service has no such record"
        for uuid in {lp.uuid for lp in lps}.difference(backed.asked or ()):
            failed[uuid] = "the fetch ended before"
        manager = pl.col("manager").struct["uuid"]
        return find(
            lps=pl.DataFrame(lps, infer_schema_length=None),
            lp_managers=backed.to_polars(),
            funds=funds.to_polars().with_columns(manager_uuid=manager),
            currency=currency,
            since=self.since,
            asked=funds.asked or (),
            failed=failed,
            seen=funds.provenance.day,
        )


study = Question.ask
