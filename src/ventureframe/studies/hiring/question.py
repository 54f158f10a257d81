"""The question about companies that may be hiring, and the study that answers it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ventureframe.client.cost import CHECK, sample
from ventureframe.errors import warn
from ventureframe.evidence import question
from ventureframe.evidence.dropped import total
from ventureframe.evidence.members import member
from ventureframe.evidence.question import Fetch, Plan, Records
from ventureframe.interface.fields import Currency
from ventureframe.studies.companies import CompanyQuestion
from ventureframe.studies.hiring.find import find, ranked
from ventureframe.studies.hiring.roles import ROLES, described, keywords
from ventureframe.studies.hiring.study import Study
from ventureframe.studies.statuses import of_status

if TYPE_CHECKING:
    from ventureframe.client.query import Query
    from ventureframe.client.result import Result


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(CompanyQuestion[Study]):
    """Which of the companies that meet every condition are hiring, and for what?

    A condition on a year, an amount or a score leaves out companies that have none
    recorded. Names of places repeat: `("Atlanta", "city", "Georgia")` or the id of
    the place, `("Atlanta", "12")`, tells one from the other.

    Parameters
    ----------
    tags : Sequence[Entry | Tag] | None
        Label and type of each; a company has all of them.
    any_tags : Sequence[Entry | Tag] | None
        Label and type of each; a company has at least one of them.
    location : Entry | Location | None
        Name and type of a place, and the place it is within; headquarters are
        in it.
    roles : Sequence[str] | str | None
        Role families, or words of your own: a posting has any of them.
    founded : Range | int | None
        First and last founding year; either end can be left open.
    funding : Range | float | None
        Lowest and highest, in the currency; either end can be left open.
    signal_rating : float | None
        The lowest overall score.
    signal_timing : float | None
        The lowest score for timing.
    signal_team : float | None
        The lowest score for the team.
    is_hiring : bool | None
        The company's own hiring flag.
    status : Sequence[str] | str | None
        Recorded statuses, such as operational; a company has one of them.
    companies : Any
        These companies alone: what `vf.match` gives, or their UUIDs.
    where : Filter | Iterable[Filter]
        Further conditions on the companies.
    rounds_of : int
        For how many companies, first of the ranking, rounds are requested: a
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
    >>> study = vf.hiring.study(svc, tags=[("Robotics", "technology")], signal_team=60, rounds_of=2)
    >>> study.ranking.to_polars().columns[:3]
    ['company_uuid', 'company_name', 'launch_date']
    """

    study_class = Study

    roles: Sequence[str] | str | None = member(
        "Roles",
        "phrases",
        "role families, or words of your own: a posting has any of them",
        offers=lambda _: ROLES,
        tells=described,
    )
    signal_timing: float | None = member(
        "Signal timing", "score", "the lowest score for timing", tests="signal_timing"
    )
    signal_team: float | None = member(
        "Signal team", "score", "the lowest score for the team", tests="signal_team"
    )
    is_hiring: bool | None = member(
        "Hiring", "flag", "the company's own hiring flag", tests="is_hiring"
    )
    rounds_of: int = 25

    def __post_init__(self) -> None:
        super().__post_init__()
        keywords(self.roles or ())  # refuses what is no word

    def query(self, records: Records) -> Query:
        """The companies without their founders, but for the condition on the status."""
        return super().query(records).without("founders")

    def count(self, records: Records) -> Plan:
        """Count the companies that meet the conditions; raises `Unclear`."""
        svc, matching = records.service, self.query(records)
        if self.companies is None:
            matching = matching.where(*of_status(svc, self.status))
        plan, rows = question.sized(matching)
        companies = rows or 0
        uuids, first = sample(matching.listing, rows), min(companies, self.rounds_of)
        then = [
            svc.jobs.at(uuids).cost(many=companies),
            svc.news.about(uuids).cost(many=companies),
            svc.rounds_of(()).cost(many=first),
            *[CHECK] * len(self.conditions),
        ]
        text = f"{plan.text}, then their jobs and news"
        return question.costing(text, plan, then=then)

    def _studied(self, records: Records, currency: Currency, fetch: Fetch) -> Study:
        svc = records.service
        matching, drops = self.fetched(records, fetch)
        firms = matching.to_polars()
        uuids = firms["uuid"].to_list()
        jobs, news = fetch(svc.jobs.at(uuids)), fetch(svc.news.about(uuids))
        if "jobs" in svc.connection.absent:
            warn("No posting is read: the dataset has no jobs.parquet.")
        postings = jobs.to_polars()
        first = ranked(firms, postings, self.roles or ())[: self.rounds_of]
        rounds = fetch(svc.rounds_of(first).currency(currency))
        return find(
            companies=firms,
            jobs=postings,
            news=news.to_polars(),
            news_companies=news.to_polars("entity_ids"),
            rounds=rounds.to_polars(),
            jobs_asked=read(svc.jobs, jobs),
            news_asked=read(svc.news, news),
            rounds_asked=rounds.asked,
            roles=self.roles or (),
            currency=currency,
            scope=" · ".join(self.names(records)) or "Companies",
            seen=jobs.provenance.day,
            dropped=drops,
        )


def read(every: Query, result: Result) -> Collection[str] | None:
    """The companies whose records were read: none where the data have no such
    record.
    """
    if result.asked and not len(result) and total(every) == 0:
        return ()
    return result.asked


study = Question.ask
