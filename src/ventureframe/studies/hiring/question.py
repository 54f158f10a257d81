"""What is asked of companies that may be hiring, and the study that answers it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ventureframe.errors import warn
from ventureframe.evidence import question
from ventureframe.evidence.dropped import Dropped, total
from ventureframe.evidence.members import Entry, Range, member
from ventureframe.evidence.question import Fetch, Plan, Records
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import Filter, company
from ventureframe.studies.hiring.find import find, ranked
from ventureframe.studies.hiring.roles import ROLES, keywords
from ventureframe.studies.hiring.study import Study
from ventureframe.studies.statuses import left_out, of_status, statuses

if TYPE_CHECKING:
    from ventureframe.client.lookups import Location, Tag
    from ventureframe.client.query import Query
    from ventureframe.client.result import Result

_WITHIN = "name and type of a place, and the place it is within; headquarters are in it"
_OPEN = "either end can be left open"


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(question.Question[Study]):
    """Which of the companies that meet every condition are hiring, and for what?

    A condition on a year, an amount or a score leaves out companies that have none
    recorded. Names of places repeat: `("Atlanta", "city", "Georgia")` or the id of
    the place, `("Atlanta", "12")`, tells one from the other.

    Parameters
    ----------
    tags : Sequence[Entry | Tag] | None
        Label and type of each; a company has all of them.
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

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> study = vf.hiring.study(svc, tags=[("Robotics", "technology")], signal_team=60, rounds_of=2)
    >>> study.ranking.to_polars().columns[:3]
    ['company_uuid', 'company_name', 'launch_date']
    """

    study_class = Study

    tags: Sequence[Entry | Tag] | None = member(
        "Tags",
        "entries",
        "label and type of each; a company has all of them",
        picks="tag",
    )
    location: Entry | Location | None = member(
        "Location", "place", _WITHIN, picks="location"
    )
    roles: Sequence[str] | str | None = member(
        "Roles",
        "phrases",
        "role families, or words of your own: a posting has any of them",
        offers=lambda _: ROLES,
    )
    founded: Range | int | None = member(
        "Founded",
        "years",
        f"first and last founding year; {_OPEN}",
        tests="launch_date",
    )
    funding: Range | float | None = member(
        "Total funding",
        "amounts",
        f"lowest and highest, in the currency; {_OPEN}",
        tests="total_funding",
    )
    signal_rating: float | None = member(
        "Signal rating", "score", "the lowest overall score", tests="signal_rating"
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
    status: Sequence[str] | str | None = member(
        "Status",
        "texts",
        "recorded statuses, such as operational; a company has one of them",
        offers=statuses,
    )
    companies: Any = None
    where: Filter | Iterable[Filter] = ()
    rounds_of: int = 25

    def __post_init__(self) -> None:
        super().__post_init__()
        keywords(self.roles or ())  # refuses what is no word

    @property
    def conditions(self) -> tuple[Filter, ...]:
        """The conditions on the companies, that on the status last."""
        conditions = super().conditions
        if not self.status:
            return conditions
        return (*conditions, company.company_status.in_any(self.status))

    def found(self, records: Records) -> tuple[list[Tag], list[Location]]:
        """The records of the tags and of the place, if there is one; raises
        `Unclear`.
        """
        places = [] if self.location is None else [self.location]
        return list(map(records.tag, self.tags or ())), list(
            map(records.location, places)
        )

    def _without_status(self, records: Records) -> Iterator[Filter]:
        tags, places = self.found(records)
        if tags:
            yield company.tag_id.in_all([tag.id for tag in tags])
        yield from (company.hq_location == place.id for place in places)
        yield from super().conditions

    def count(self, records: Records) -> Plan:
        """Count the companies that meet the conditions; raises `Unclear`."""
        svc = records.service
        if self.companies is not None:
            plan = question.sized(svc.companies.by_id(self.companies))
        else:
            status = of_status(svc, self.status)
            plan = question.sized(self._companies(records).where(*status))
        uuids = plan.sample["uuid"]
        first = min(plan.many, self.rounds_of)
        then = [
            (svc.jobs.at(uuids), plan.many),
            (svc.news.about(uuids), plan.many),
            (svc.rounds_of(uuids.head(first)), first),
        ]
        batch = svc.connection.profile.ids_per_request
        text = f"{plan.text}, then their jobs and news in batches of {batch}"
        checks = len(self.conditions)
        return question.costing(text, plan, then=then, checks=checks)

    def _companies(self, records: Records) -> Any:
        """The companies that meet every condition but that on the status."""
        svc, where = records.service, self._without_status(records)
        return svc.companies.where(*where).currency(
            self.currency or svc.connection.currency
        )

    def _studied(self, records: Records, currency: Currency, fetch: Fetch) -> Study:
        svc, (tags, places) = records.service, self.found(records)
        drops: tuple[Dropped, ...] = ()
        if self.companies is None:
            others, status = self._companies(records), of_status(svc, self.status)
            matching = fetch(others.where(*status))
            drops = left_out(svc, others, matching, status)
        else:
            matching = fetch(svc.companies.by_id(self.companies).currency(currency))
        companies = matching.to_polars()
        uuids = companies["uuid"].to_list()
        jobs, news = fetch(svc.jobs.at(uuids)), fetch(svc.news.about(uuids))
        if "jobs" in svc.connection.absent:
            warn("No posting is read: the dataset has no jobs.parquet.")
        clock = jobs.provenance.fetched_at
        first = ranked(companies, jobs.to_polars(), self.roles or ())[: self.rounds_of]
        rounds = fetch(svc.rounds_of(first).currency(currency))
        # places share names
        named = (
            ", ".join(filter(None, (place.name, place.parent_name))) for place in places
        )
        scope = [*(tag.label for tag in tags), *named]
        return find(
            companies=companies,
            jobs=jobs.to_polars(),
            news=news.to_polars(),
            news_companies=news.to_polars("entity_ids"),
            rounds=rounds.to_polars(),
            jobs_asked=read(svc.jobs, jobs),
            news_asked=read(svc.news, news),
            rounds_asked=rounds.asked,
            roles=self.roles or (),
            currency=currency,
            scope=" · ".join(scope)
            or ("Companies" if self.companies is None else "The list"),
            seen=svc.source.as_of or (clock.date() if clock else None),
            dropped=drops,
        )


def read(every: Query, own: Result) -> Collection[str] | None:
    """The companies whose records were read: none where the data have no such record."""
    if own.asked and not len(own) and total(every) == 0:
        return ()
    return own.asked


study = Question.ask
