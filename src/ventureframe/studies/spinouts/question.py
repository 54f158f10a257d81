"""The question about one university's founders, and the study that answers it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ventureframe.client.cost import CHECK, EACH
from ventureframe.client.result import withholding
from ventureframe.errors import UnsupportedValue
from ventureframe.evidence import question
from ventureframe.evidence.dropped import CHOSEN, Dropped, dropped
from ventureframe.evidence.members import member
from ventureframe.evidence.question import Fetch, Plan, Records
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import Filter, company
from ventureframe.studies.spinouts.find import find
from ventureframe.studies.spinouts.study import Study

if TYPE_CHECKING:
    from ventureframe.client.lookups import University


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(question.Question[Study]):
    """Which companies have a founder with an education entry at this university?

    A company without a recorded year is left out by `since`; a caveat says how many.

    Parameters
    ----------
    university : str | University | None
        Its name, as in its record.
    domain : str | None
        Its website domain: both must match; or its UUID.
    since : int | None
        The earliest founding year.
    companies : Any
        These companies alone: what `vf.match` gives, or their UUIDs.
    where : Filter | Iterable[Filter]
        Further conditions on the companies.
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
    >>> uni = svc.university("Harrowmere University", domain="harrowmere.example")
    >>> study = vf.spinouts.study(svc, university=uni, since=2005)
    >>> study.funnel.to_polars().columns
    ['step', 'unit', 'count', 'lost', 'lost_because']
    """

    study_class = Study

    university: str | University | None = member(
        "University", "text", "its name, as in its record", picks="university"
    )
    domain: str | None = member(
        "Website domain",
        "text",
        "its website domain: both must match; or its UUID",
        beside="university",
    )
    since: int | None = member(
        "Founded from", "year", "the earliest founding year", tests="launch_date"
    )
    companies: Any = None
    where: Filter | Iterable[Filter] = ()

    def found(self, records: Records) -> University:
        """The university's record; raises `Unclear`."""
        if not self.university:
            reason = "give its name, or the record from svc.university"
            raise UnsupportedValue(self.university, field="university", reason=reason)
        record: University = records.university((self.university, self.domain))
        return record

    def pool(self, records: Records) -> Any:
        """The query for the candidate pool: companies found by the university's
        name, or given.
        """
        companies = records.service.companies
        if self.companies is not None:
            return companies.by_id(self.companies).with_all("founders")
        named_by = company.founder_university_name == self.found(records).name
        return companies.where(named_by, *self.conditions).with_all("founders")

    def count(self, records: Records) -> Plan:
        """Count the companies of the pool; raises `Unclear`."""
        svc = records.service
        plan, rows = question.sized(self.pool(records))
        then = svc.founders.by_id(()).cost(many=EACH * (rows or 0))
        text = f"{plan.text}, then their founders"
        checks = [CHECK] * len(self.conditions)
        return question.costing(text, plan, then=[then, *checks])

    def _studied(self, records: Records, currency: Currency, fetch: Fetch) -> Study:
        university = self.found(records)  # while a bound allows it
        query = self.pool(records).currency(currency)
        pool = fetch(query)
        conditions: tuple[Dropped, ...] = ()
        if self.companies is None:
            inside = len(pool) if pool.is_complete else None
            conditions = dropped(query, inside=inside, chosen=CHOSEN[:1])
        ids = pool.to_polars("founders")["founder_uuid"].drop_nulls().unique().sort()
        people = fetch(records.service.founders.by_id(ids))
        found_by = "name"
        if self.companies is not None:
            found_by = "list"
        elif records.service.connection.asks_by_id("founder_university_name"):
            found_by = "id"
        return find(
            companies=pool.to_polars(),
            company_founders=pool.to_polars("founders"),
            founders=people.to_polars(),
            education=people.to_polars("education"),
            company_tags=pool.to_polars("tags"),
            university=university,
            currency=currency,
            withheld=withholding(people, "education"),
            companies_withheld=withholding(pool, "founders"),
            found_by=found_by,
            dropped=conditions,
        )


study = Question.ask
