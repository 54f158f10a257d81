"""What is asked, as one frozen value: arguments, a form's state, parameters, options,
provenance.

Literals are resolved by exact look-ups when it is studied; records were looked up
before.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partialmethod
from html import escape
from importlib.resources import files
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    NamedTuple,
    Self,
    TypeVar,
)

from ventureframe.client.paging import check_positive
from ventureframe.client.result import Result
from ventureframe.display.wording import condition, counted
from ventureframe.errors import (
    LookupFailed,
    Unclear,
    UnknownField,
    UnreadableReply,
    UnsupportedValue,
)
from ventureframe.evidence.members import Entry, Member
from ventureframe.evidence.members import member as declared
from ventureframe.interface.certificate import Cost
from ventureframe.interface.fields import Currency, canonical, is_uuid
from ventureframe.interface.filters import Filter, all_of, company

if TYPE_CHECKING:
    from ventureframe.client.paging import Progress
    from ventureframe.client.query import Query
    from ventureframe.client.service import Service
    from ventureframe.evidence.study import Study

S = TypeVar("S", bound="Study")

_COMPANIES = "give what vf.match gives of companies, or a list of their UUIDs"
Fetch = Callable[["Query"], Result]  # what fetches a query for a study
EXAMPLES = tomllib.loads(
    files("ventureframe.studies").joinpath("sample.toml").read_text()
)
"""The questions that the notebooks ask of the sample, by study."""


@dataclass(eq=False, repr=False)
class Records:
    """The records of a service behind names and labels, each looked up once.

    A name stands with its website domain, a label with its type, a place with its
    type and perhaps a third place; a record given in place of these is taken as it
    is. Raises `Unclear`, and `UnsupportedValue` for what is no service.
    """

    service: Service
    _records: dict[tuple[str, Entry], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not hasattr(self.service, "connection"):
            reason = "give what vf.connect() returns"
            raise UnsupportedValue(self.service, field="svc", reason=reason)

    @classmethod
    def of(cls, service: Service | Records, question: Question[Any]) -> Records:
        """The records of a service, or these, within the bounds of a question."""
        records = copy.copy(service) if isinstance(service, Records) else cls(service)
        records.service = records.service._within(
            question.at_most, question.at_most_credits
        )
        return records

    def _record(self, kind: str, keywords: Sequence[str], named: Any) -> Any:
        if not isinstance(named, tuple):
            return named
        name, *further = named
        if not isinstance(name, str):
            return self._record(kind, keywords, name)
        if (kind, named) not in self._records:
            look_up = getattr(self.service, kind)
            try:
                self._records[kind, named] = look_up(
                    name, **dict(zip(keywords, further, strict=False))
                )
            except LookupFailed as error:
                raise Unclear(
                    str(error), candidates=error.candidates, entry=named
                ) from error
        return self._records[kind, named]

    university = partialmethod(_record, "university", ["domain"])
    lp = partialmethod(_record, "lp", ["domain"])
    tag = partialmethod(_record, "tag", ["type"])
    location = partialmethod(_record, "location", ["type", "within"])


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(ABC, Generic[S]):
    """What one study asks; changing it makes another question, and nothing is sent.

    A condition on a year, an amount or a score leaves out companies that have none
    recorded. `currency` None is the service's own default.
    """

    study_class: ClassVar[type[Study]]
    """The class of its study, which names the findings."""

    currency: Currency | None = declared(
        "Currency", "currency", "currency of all amounts: USD, EUR or GBP"
    )
    at_most: int | None = None
    at_most_credits: int | None = None

    def __post_init__(self) -> None:
        check_positive(at_most=self.at_most, at_most_credits=self.at_most_credits)
        values = vars(self)  # its own, which it changes once
        check_positive(
            least=0,
            rounds_of=values.get("rounds_of", 0),
            funds_of=values.get("funds_of") or 0,
        )
        named = values.get("university")
        if not (isinstance(named, str | tuple | None) or hasattr(named, "named")):
            raise UnsupportedValue(
                named, field="university", reason="give its name, or its record"
            )
        has_list = values.get("companies") is not None
        for member in self.members():
            value = values[member.name] = member.checked(values[member.name])
            is_condition = member.tests or member.picks in ("tag", "location")
            if has_list and is_condition and value not in (None, ()):
                raise UnsupportedValue(
                    value,
                    field=member.name,
                    reason="companies= are taken as they are: leave the condition out",
                )
        where = values.get("where")
        filters = tuple(where or ()) if isinstance(where, Iterable | None) else (where,)
        if filters:
            all_of(*filters)  # refuses what is no filter
        if "where" in values:
            values["where"] = filters
        if has_list:
            values["companies"] = uuids_of(values["companies"])

    @classmethod
    def ask(cls, svc: Service, /, **members: Any) -> S:
        """Study what is asked: it takes the members of this `Question` by name.

        Raises `Unclear` where a name is not exactly one record.

        >>> import ventureframe as vf
        >>> robotics = [("Robotics", "technology")]
        >>> vf.hiring.study(vf.connect(environment={}), tags=robotics).subject
        'Robotics'
        """
        return cls().set(**members).study(svc)

    def study(
        self,
        service: Service | Records,
        *,
        earlier: S | None = None,
        progress: bool | Progress | None = None,
    ) -> S:
        """Fetch what the question asks for, and study it.

        What `earlier` fetched about the same ids and without amounts is not
        requested again; `progress` shows a bar, or is told the rows so far and the
        total. Raises `Unclear` where a name is not exactly one record.
        """
        records = Records.of(service, self)
        svc, results = records.service, list[Result]()

        def fetch(query: Query) -> Result:
            wanted = query.listing.endpoint.resource, query.listing.ids, None
            for result in earlier.fetched if earlier else ():
                currency = result.provenance.currency
                if (result.resource, result.asked, currency) == wanted:
                    break
            else:
                result = query.fetch(progress)
            results.append(result)
            return result

        study = self._studied(records, self.currency or svc.connection.currency, fetch)
        return study.resting_on(svc.source, *results, **self.stated(records, study))

    def stated(self, records: Records, study: Study) -> dict[str, Any]:
        """What a study states of its question: the value itself, and it in words."""
        currency = study.currency or ""
        return {
            "question": self.set(currency=study.currency),
            "chosen": self.chosen(records),
            "conditions": tuple(condition(part, currency) for part in self.conditions),
        }

    def _studied(self, records: Records, currency: Currency, fetch: Fetch) -> S:
        """Study the records that `fetch` gives, with amounts in `currency`."""
        raise NotImplementedError

    @abstractmethod
    def count(self, records: Records) -> Plan:
        """Count what a study would fetch; raises `Unclear`."""

    def starting_at(self, service: Service) -> Self:
        """The question as a form begins with it, in the service's own currency if it
        has none.

        The example of the sample is no question about other data: there nothing is
        chosen but its currency.
        """
        is_other = service.data is not None or not service.source.is_embedded
        question = type(self)() if is_other and self.is_example else self
        return question.set(currency=self.currency or service.connection.currency)

    @property
    def is_example(self) -> bool:
        """Whether the question is the one that its notebook asks of the sample."""
        example = EXAMPLES.get(self.study_class.name, {})
        return self == type(self)(**example)

    @property
    def is_chosen(self) -> bool:
        """Whether anything but the currency and the first year is chosen."""
        unset = type(self)().parameters
        return any(
            value != unset[name]
            for name, value in self.parameters.items()
            if name not in ("currency", "since")
        )

    def nothing_chosen(self, name: Callable[[Member], str]) -> str:
        """Say what to choose, calling each member by `name`; empty if something is
        chosen, or no record is to be picked.
        """
        names = [name(member) for member in self.members() if member.is_chosen]
        if self.is_chosen or not names:
            return ""
        return f"Nothing is chosen yet: fill in {' or '.join(names)}."

    @classmethod
    def members(cls) -> tuple[Member, ...]:
        """Its members in the order they are shown, the currency last."""
        fields = [
            field for field in dataclasses.fields(cls) if "kind" in field.metadata
        ]
        fields.sort(key=lambda field: field.name == "currency")
        return tuple(
            Member(field.name, default=field.default, **field.metadata)
            for field in fields
        )

    @property
    def listed(self) -> tuple[tuple[str, str], ...]:
        """The question as pairs of label and value."""
        return tuple(
            (member.label, member.kind.worded(self.parameters[member.name]))
            for member in self.members()
        )

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The question as literals: those of a notebook, a command line and a save."""
        members = self.members()
        values = {member.name: _named(getattr(self, member.name)) for member in members}
        for member in members:
            # a record stands for its name and for what tells it from others
            if member.beside and isinstance(values[member.beside], tuple):
                values[member.beside], values[member.name] = values[member.beside]
        return values

    @property
    def written(self) -> str:
        """The question as the text of a TOML file, each value as its option takes it:
        see `watch`.

        >>> from ventureframe.studies import hiring
        >>> hiring.Question(tags=[("Robotics", "technology")]).written.splitlines()[:2]
        ['question = "hiring"', 'tags = "Robotics, technology"']
        """
        lines = f'question = "{self.study_class.name}"\n'
        for member in self.members():
            text = member.kind.written(self.parameters[member.name])
            lines += f"{member.name} = {json.dumps(text, ensure_ascii=False)}\n"
        return lines

    @property
    def conditions(self) -> tuple[Filter, ...]:
        """The conditions on the companies: those of its members, then `where`."""
        conditions = list[Filter]()
        for member in self.members():
            value = getattr(self, member.name)
            if not member.tests or value is None:
                continue
            field = getattr(company, member.tests)
            if isinstance(value, bool):
                conditions.append(field == value)
                continue
            # a number alone is the lowest
            low, high = value if isinstance(value, tuple) else (value, None)
            ends = list[Filter]()
            if low is not None:
                ends.append(field >= low)
            if high is not None:
                ends.append(field <= high)
            conditions.append(all_of(*ends))
        return (*conditions, *vars(self).get("where", ()))

    def chosen(self, records: Records) -> tuple[str, ...]:  # noqa: ARG002
        """What the records are chosen by, in words: here, the given list."""
        is_list = vars(self).get("companies") is not None
        return ("of the given list",) if is_list else ()

    def set(self, **values: Any) -> Self:
        """The question with some members changed; the value itself checks them.

        Raises `UnknownField` for what is no member.
        """
        names = vars(self)
        for name in values:
            if name not in names:
                raise UnknownField(
                    name, resource="The question", known=names, use="set"
                )
        return dataclasses.replace(self, **values)

    def __repr__(self) -> str:
        return " · ".join(f"{label}: {value}" for label, value in self.listed)

    def _repr_html_(self) -> str:
        rows = (
            f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>"
            for label, value in self.listed
        )
        return f'<dl class="vf-choice">{"".join(rows)}</dl>'


def uuids_of(companies: Any) -> tuple[str, ...]:
    """The UUIDs of the companies that `vf.match` found, or that are given; raises
    `UnsupportedValue`.
    """
    uuids = getattr(companies, "uuids", companies)
    is_list = isinstance(uuids, Iterable) and not isinstance(uuids, str)
    if getattr(companies, "kind", "company") != "company" or not is_list:
        uuids = [companies]
    texts = list(map(str, uuids))
    for text in texts:
        if not is_uuid(text):
            raise UnsupportedValue(text, field="companies", reason=_COMPANIES)
    return tuple(dict.fromkeys(map(canonical, texts)))


class Plan(NamedTuple):
    """What a study would fetch, in words, and what that takes; None if not known."""

    text: str
    cost: Cost | None = None


def sized(query: Query, *, is_sure: bool = False) -> tuple[Plan, int | None]:
    """Count the rows that match with one small request, or two to be sure.

    Returns what fetching them takes, and their number; None where it is not known.
    """
    listing, resource = query.listing, query.listing.endpoint.resource
    if listing.ids is not None:
        number = len(listing.ids)
        return Plan(counted(number, resource.singular), query.cost()), number
    with suppress(UnreadableReply):
        rows, is_limited = listing.counted(is_sure=is_sure)
        if not is_limited:
            return Plan(counted(rows, resource.singular), query.cost(rows)), rows
    return Plan(f"{resource.name}, whose number the service does not report"), None


def costing(text: str, *parts: Plan, then: Iterable[Cost] = ()) -> Plan:
    """What is fetched, and what the parts take and is sent `then`.

    The cost is known where that of each part is.
    """
    cost = sum(then, Cost(0, 0.0, 0))
    for part in parts:
        if part.cost is None:
            return Plan(text)
        cost += part.cost
    return Plan(text, cost)


def _named(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_named, value))
    return getattr(value, "named", value)
