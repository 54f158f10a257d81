"""The question about founders, and the study that answers it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from ventureframe.client.cost import CHECK, EACH
from ventureframe.client.result import withholding
from ventureframe.evidence import question
from ventureframe.evidence.members import member
from ventureframe.evidence.question import Fetch, Plan, Records
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import Filter, company
from ventureframe.studies.companies import CompanyQuestion
from ventureframe.studies.founders.find import find
from ventureframe.studies.founders.study import Study
from ventureframe.studies.statuses import of_status

if TYPE_CHECKING:
    from ventureframe.client.lookups import University
    from ventureframe.client.query import Query


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(CompanyQuestion[Study]):
    """Where did the founders of these companies work and study, and what else did they
    found?

    A condition on a year, an amount or a score leaves out companies that have none
    recorded. Founders of an earlier employer are asked of whole collections: see
    `find`.

    Parameters
    ----------
    tags : Sequence[Entry | Tag] | None
        Label and type of each; a company has all of them.
    any_tags : Sequence[Entry | Tag] | None
        Label and type of each; a company has at least one of them.
    location : Entry | Location | None
        Name and type of a place, and the place it is within; headquarters are
        in it.
    university : str | University | None
        Only founders who studied there: its name, as in its record.
    domain : str | None
        Its website domain: both must match; or its UUID.
    founded : Range | int | None
        First and last founding year; either end can be left open.
    funding : Range | float | None
        Lowest and highest, in the currency; either end can be left open.
    signal_rating : float | None
        The lowest overall score.
    status : Sequence[str] | str | None
        Recorded statuses, such as operational; a company has one of them.
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
    >>> study = vf.founders.study(svc, tags=[("Robotics", "technology")])
    >>> study.employers.to_polars().columns[:3]
    ['organisation_uuid', 'organisation', 'entries']
    """

    study_class = Study

    university: str | University | None = member(
        "University",
        "text",
        "only founders who studied there: its name, as in its record",
        picks="university",
    )
    domain: str | None = member(
        "Website domain",
        "text",
        "its website domain: both must match; or its UUID",
        beside="university",
    )

    def _university(self, records: Records) -> Any:
        """The record of the university; raises `Unclear`."""
        if self.university is None:
            return None
        return records.university((self.university, self.domain))

    def filters(self, records: Records) -> Iterator[Filter]:
        """The conditions but that on the status; raises `Unclear`."""
        yield from super().filters(records)
        university = self._university(records)
        if university is not None:
            yield company.founder_university_name == university.name

    def query(self, records: Records) -> Query:
        """The companies with their founders, but for the condition on the status."""
        return super().query(records).with_all("founders")

    def count(self, records: Records) -> Plan:
        """Count the companies of the founders; raises `Unclear`."""
        svc, companies = records.service, self.query(records)
        if self.companies is None:
            companies = companies.where(*of_status(svc, self.status))
        plan, rows = question.sized(companies)
        people = svc.founders.by_id(()).with_all("prior_employers")
        then = people.cost(many=EACH * (rows or 0))
        text = f"{plan.text}, then their founders"
        checks = [CHECK] * len(self.conditions)
        return question.costing(text, plan, then=[then, *checks])

    def _studied(self, records: Records, currency: Currency, fetch: Fetch) -> Study:
        svc = records.service
        names, university = self.names(records), self._university(records)
        if university is not None:
            names.append(university.name)
        pool, drops = self.fetched(records, fetch)
        pairs = pool.to_polars("founders")
        ids = pairs["founder_uuid"].drop_nulls().unique().sort()
        people = fetch(svc.founders.by_id(ids).with_all("prior_employers"))
        profile = pl.coalesce(pl.col("profile_links").struct.unnest())
        founders = people.to_polars().with_columns(profile=profile)
        return find(
            companies=pool.to_polars(),
            company_founders=pairs,
            founders=founders,
            education=people.to_polars("education"),
            prior_employers=people.to_polars("prior_employers"),
            university=university,
            currency=currency,
            scope=" · ".join(names) or "Companies",
            companies_withheld=withholding(pool, "founders"),
            education_withheld=withholding(people, "education"),
            posts_withheld=withholding(people, "prior_employers"),
            dropped=drops,
        )


study = Question.ask
