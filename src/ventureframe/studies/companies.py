"""Companies that meet conditions, or that are given: what questions about them share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ventureframe.display.wording import listed
from ventureframe.evidence import question
from ventureframe.evidence.members import Entry, Range, member
from ventureframe.evidence.question import Records, S
from ventureframe.interface.filters import Filter, company
from ventureframe.studies.statuses import statuses

if TYPE_CHECKING:
    from ventureframe.client.lookups import Location, Tag
    from ventureframe.client.query import Query

_OPEN = "either end can be left open"


class Chosen(NamedTuple):
    """The records that say which companies are meant: a company has all of the `tags`,
    one of `any_tags`, and its headquarters in one of the `places`.
    """

    tags: list[Tag]
    any_tags: list[Tag]
    places: list[Location]


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

    def found(self, records: Records) -> Chosen:
        """The records of the tags and of the place; raises `Unclear`."""
        places = [] if self.location is None else [self.location]
        return Chosen(
            [records.tag(tag) for tag in self.tags or ()],
            [records.tag(tag) for tag in self.any_tags or ()],
            [records.location(place) for place in places],
        )

    def filters(self, records: Records) -> Iterator[Filter]:
        """The conditions but that on the status; raises `Unclear`."""
        own = self.found(records)
        if own.tags:
            yield company.tag_id.in_all([tag.id for tag in own.tags])
        if own.any_tags:
            yield company.tag_id.in_any([tag.id for tag in own.any_tags])
        for place in own.places:
            yield company.hq_location == place.id
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
        own, parts = self.found(records), list[str]()
        if own.tags:
            parts.append(f"tagged {listed(map(_typed, own.tags))}")
        if own.any_tags:
            parts.append(f"tagged {' or '.join(map(_typed, own.any_tags))}")
        for place in own.places:
            parts.append(f"with headquarters in {_placed(place)} ({place.type})")
        return (*parts, *super().chosen(records))

    def names(self, records: Records) -> list[str]:
        """The tags and the place, or the list, as a title names them."""
        own = self.found(records)
        names = [] if self.companies is None else ["The list"]
        names += [tag.label for tag in own.tags]
        if own.any_tags:
            names.append(" or ".join(dict.fromkeys(tag.label for tag in own.any_tags)))
        return [*names, *map(_placed, own.places)]


def _typed(tag: Tag) -> str:
    return f"{tag.label} ({tag.type})"


def _placed(place: Location) -> str:
    """A place with what it lies in: places share names."""
    return ", ".join(filter(None, (place.name, place.parent_name)))
