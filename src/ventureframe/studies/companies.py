"""Companies that meet conditions, or that are given: what questions about them
share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from ventureframe.display.wording import listed
from ventureframe.evidence import question
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.members import Entry, Range, member
from ventureframe.evidence.question import Fetch, Records, S
from ventureframe.evidence.rows import joined
from ventureframe.interface.filters import Filter, company
from ventureframe.studies.statuses import left_out, of_status, statuses

if TYPE_CHECKING:
    from polars import DataFrame

    from ventureframe.client.lookups import Location, Tag
    from ventureframe.client.query import Query
    from ventureframe.client.result import Result

_OPEN = "either end can be left open"


@dataclass(frozen=True, kw_only=True, repr=False)
class CompanyQuestion(question.Question[S]):
    """Asks about the companies that meet every condition, or about those given."""

    tags: Sequence[Entry | Tag] | None = member(
        "Tags",
        "entries",
        "label and type of each; a company has all of them",
        picks="tag",
    )
    any_tags: Sequence[Entry | Tag] | None = member(
        "Tags (any of)",
        "entries",
        "label and type of each; a company has at least one of them",
        picks="tag",
    )
    location: Entry | Location | None = member(
        "Location",
        "place",
        "name and type of a place, and the place it is within; headquarters are in it",
        picks="location",
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
    status: Sequence[str] | str | None = member(
        "Status",
        "texts",
        "recorded statuses, such as operational; a company has one of them",
        offers=statuses,
    )
    companies: Any = None
    where: Filter | Iterable[Filter] = ()

    @property
    def conditions(self) -> tuple[Filter, ...]:
        """The conditions on the companies, that on the status last."""
        conditions = super().conditions
        if not self.status:
            return conditions
        return (*conditions, company.company_status.in_any(self.status))

    def found(self, records: Records) -> tuple[list[Tag], list[Tag], list[Location]]:
        """The records of the tags that are all required, of the tags where any is
        enough, and of the place, if there is one; raises `Unclear`.
        """
        places = [] if self.location is None else [self.location]
        return (
            [records.tag(tag) for tag in self.tags or ()],
            [records.tag(tag) for tag in self.any_tags or ()],
            [records.location(place) for place in places],
        )

    def filters(self, records: Records) -> Iterator[Filter]:
        """The conditions but that on the status; raises `Unclear`."""
        tags, any_tags, places = self.found(records)
        if tags:
            yield company.tag_id.in_all(tags)
        if any_tags:
            yield company.tag_id.in_any(any_tags)
        for place in places:
            yield company.hq_location == place
        yield from super().conditions

    def query(self, records: Records) -> Query:
        """The query of the companies, but for the condition on the status."""
        svc = records.service
        if self.companies is not None:
            companies = svc.companies.by_id(self.companies)
        else:
            companies = svc.companies.where(*self.filters(records))
        return companies.currency(self.currency or svc.connection.currency)

    def chosen(self, records: Records) -> tuple[str, ...]:
        """The tags and the place that are meant, each with its type, or the list."""
        tags, any_tags, places = self.found(records)
        every = listed(f"{tag.label} ({tag.type})" for tag in tags)
        some = " or ".join(f"{tag.label} ({tag.type})" for tag in any_tags)
        parts = [f"tagged {words}" for words in (every, some) if words]
        for place in places:
            parts.append(f"with headquarters in {_placed(place)} ({place.type})")
        return (*parts, *super().chosen(records))

    def names(self, records: Records) -> list[str]:
        """The tags and the place, or the list, as a title names them."""
        tags, any_tags, places = self.found(records)
        names = [] if self.companies is None else ["The list"]
        names += [tag.label for tag in tags]
        if any_tags:
            names.append(" or ".join(dict.fromkeys(tag.label for tag in any_tags)))
        return [*names, *map(_placed, places)]

    def fetched(
        self, records: Records, fetch: Fetch
    ) -> tuple[Result, tuple[Dropped, ...]]:
        """The companies, and what the conditions leave out of them."""
        query = self.query(records)
        status = of_status(records.service, self.status)
        result = fetch(query.where(*status))
        return result, left_out(records.service, query, result, status)


def with_facts(companies: DataFrame, facts: DataFrame) -> DataFrame:
    """Add to each company its row of the facts; null where there is none."""
    return companies.join(facts, on="company_uuid", how="left", maintain_order="left")


def with_texts(
    companies: DataFrame, records: DataFrame, texts: str, name: str
) -> DataFrame:
    """Add the different texts that the records of each company have, in one."""
    different = joined(pl.col(texts)).alias(name)
    return with_facts(companies, records.group_by("company_uuid").agg(different))


def _placed(place: Location) -> str:
    """A place with what it lies in: places share names."""
    return ", ".join(filter(None, (place.name, place.parent_name)))
