"""What is asked, as one value: a form's state, a notebook's parameters, the request's filter."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Self, TypeVar, get_args

from ventureframe.display.wording import counted
from ventureframe.errors import LookupFailed, UnreadableReply, UnsupportedValue
from ventureframe.evidence.findings import Findings, Progress
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import Filter, company
from ventureframe.studies import exposure, hiring, spinouts

if TYPE_CHECKING:
    from ventureframe.client.query import Query
    from ventureframe.client.records import Investor, Location, Tag, University
    from ventureframe.client.service import Service

S = TypeVar("S", bound=Findings)
T = TypeVar("T")

Entry = tuple[str, str]
"""What names one record: name and website domain, or label and type."""

Range = tuple[float | None, float | None]
"""From and to, both inclusive; None leaves that end open."""

Kind = Literal["text", "entries", "place", "year", "years", "amounts", "score", "flag", "currency"]
"""What a member of a choice is, and so how it is said and which control changes it."""


class Unclear(LookupFailed):
    """An entry of a choice that is not exactly one record; `entry` is what was asked for."""

    def __init__(self, error: LookupFailed, entry: Entry) -> None:
        super().__init__(str(error), candidates=error.candidates)
        self.entry = entry


class Records:
    """The records of a service behind names and labels, each looked up once; raises `Unclear`."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._found: dict[tuple[str, Entry], Any] = {}

    def university(self, entry: Entry) -> University:
        """The university of this name and website domain."""
        look_up = self.service.university
        return self._one("university", entry, lambda name, domain: look_up(name, domain=domain))

    def lp(self, entry: Entry) -> Investor:
        """The LP of this name and website domain."""
        look_up = self.service.lp
        return self._one("lp", entry, lambda name, domain: look_up(name, domain=domain))

    def tag(self, entry: Entry) -> Tag:
        """The tag of this label and type."""
        return self._one("tag", entry, lambda label, of: self.service.tag(label, type=of))

    def location(self, entry: Entry) -> Location:
        """The place of this name and type."""
        return self._one("location", entry, lambda name, of: self.service.location(name, type=of))

    def _one(self, kind: str, entry: Entry, look_up: Callable[[str, str], T]) -> T:
        if (kind, entry) not in self._found:
            try:
                self._found[kind, entry] = look_up(*entry)
            except LookupFailed as error:
                raise Unclear(error, entry) from error
        found: T = self._found[kind, entry]
        return found


def _as(label: str, kind: Kind) -> dict[str, str]:
    """How a member is named and what it is."""
    return {"label": label, "kind": kind}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Choice(ABC, Generic[S]):
    """What one question is asked with; changing it makes another, and asks nothing.

    A condition on a year, an amount or a score leaves out companies that have none recorded.
    """

    currency: Currency = field(metadata=_as("Currency", "currency"))

    def __post_init__(self) -> None:
        if self.currency not in get_args(Currency):
            reason = f"amounts come in {', '.join(get_args(Currency))}"
            raise UnsupportedValue(self.currency, field="currency", reason=reason)

    @classmethod
    def members(cls) -> Iterable[tuple[str, str, Kind]]:
        """Name, label and kind of each member, the currency last."""
        own = sorted(fields(cls), key=lambda each: each.name == "currency")
        return [(each.name, each.metadata["label"], each.metadata["kind"]) for each in own]

    @property
    def listed(self) -> tuple[tuple[str, str], ...]:
        """What was chosen, as label and value."""
        return tuple(
            (label, said(kind, getattr(self, name))) for name, label, kind in self.members()
        )

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The choice as literals: those of a notebook, and of `ventureframe report --set`."""
        return {name: getattr(self, name) for name, _, _ in self.members()}

    @abstractmethod
    def count(self, records: Records) -> str:
        """What a fetch would ask for, counted; raises `Unclear`."""

    @abstractmethod
    def study(
        self, records: Records, *, earlier: S | None = None, progress: Progress | None = None
    ) -> S:
        """The study that the choice asks for; raises `Unclear` and what the study raises."""

    @abstractmethod
    def corrected(self, entry: Entry, candidate: Mapping[str, Any]) -> Self:
        """The choice with an entry replaced by a record that came back for it."""

    def __repr__(self) -> str:
        return " · ".join(f"{label}: {value}" for label, value in self.listed)

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415

        rows = (f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in self.listed)
        return f'<dl class="vf-choice">{"".join(rows)}</dl>'


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Spinouts(Choice[spinouts.Study]):
    """The spinouts of one university; `founded_from` 0 keeps companies of any founding year."""

    university: str = field(default="", metadata=_as("University", "text"))
    domain: str = field(default="", metadata=_as("Website domain", "text"))
    founded_from: int = field(default=0, metadata=_as("Founded from", "year"))

    def __post_init__(self) -> None:
        super(Spinouts, self).__post_init__()
        _check_year(self.founded_from, "founded_from")

    @property
    def where(self) -> tuple[Filter, ...]:
        """The filters beside the university's own."""
        return (company.launch_date >= self.founded_from,) if self.founded_from else ()

    def count(self, records: Records) -> str:
        uni = records.university((self.university, self.domain))
        named = company.founder_university_name == uni.name
        pool = _counted(records.service.companies.where(named, *self.where))
        return f"{pool}, then their founders in {_batches(records)}"

    def study(
        self,
        records: Records,
        *,
        earlier: spinouts.Study | None = None,
        progress: Progress | None = None,
    ) -> spinouts.Study:
        return spinouts.study(
            records.service,
            university=records.university((self.university, self.domain)),
            where=self.where,
            currency=self.currency,
            earlier=earlier,
            progress=progress,
        )

    def corrected(self, entry: Entry, candidate: Mapping[str, Any]) -> Self:  # noqa: ARG002
        name, domain = _named(candidate)
        return replace(self, university=name, domain=domain)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Exposure(Choice[exposure.Study]):
    """The managers that LPs back, and their funds since a year; 0 is any year, or none recorded."""

    lps: tuple[Entry, ...] = field(default=(), metadata=_as("LPs", "entries"))
    since: int = field(default=0, metadata=_as("Funds since", "year"))

    def __post_init__(self) -> None:
        super(Exposure, self).__post_init__()
        _check_year(self.since, "since")
        object.__setattr__(self, "lps", _entries(self.lps, "lps", "(name, domain)"))
        if not self.lps:
            raise UnsupportedValue([], field="lps", reason="at least one LP is needed")

    def count(self, records: Records) -> str:
        lps = list(map(records.lp, self.lps))
        totals = [_total(records.service.managers(lp)) for lp in lps]
        known = [total for total in totals if total is not None]
        backed = counted(sum(known), "manager") if len(known) == len(totals) else "the managers"
        return (
            f"{backed} of {counted(len(lps), 'LP')}, those of several counted "
            "at each; then one request for the funds of each manager"
        )

    def study(
        self,
        records: Records,
        *,
        earlier: exposure.Study | None = None,
        progress: Progress | None = None,
    ) -> exposure.Study:
        return exposure.study(
            records.service,
            lps=list(map(records.lp, self.lps)),
            since=self.since or None,
            currency=self.currency,
            earlier=earlier,
            progress=progress,
        )

    def corrected(self, entry: Entry, candidate: Mapping[str, Any]) -> Self:
        return replace(self, lps=_with(self.lps, entry, _named(candidate)))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Hiring(Choice[hiring.Study]):
    """Companies by what they do, where they are, their age, funding, scores and hiring flag.

    An empty member is no condition, and so is a score of 0.
    """

    tags: tuple[Entry, ...] = field(default=(), metadata=_as("Tags", "entries"))
    location: Entry | None = field(default=None, metadata=_as("Location", "place"))
    founded: Range | None = field(default=None, metadata=_as("Founded", "years"))
    funding: Range | None = field(default=None, metadata=_as("Total funding", "amounts"))
    signal_rating: float | None = field(default=None, metadata=_as("Signal rating", "score"))
    signal_timing: float | None = field(default=None, metadata=_as("Signal timing", "score"))
    signal_team: float | None = field(default=None, metadata=_as("Signal team", "score"))
    is_hiring: bool | None = field(default=None, metadata=_as("Hiring", "flag"))

    def __post_init__(self) -> None:
        super(Hiring, self).__post_init__()
        given = [self.location] if self.location and any(self.location) else []
        places = _entries(given, "location", "(name, type)")
        cleaned = {
            "tags": _entries(self.tags, "tags", "(label, type)"),
            "location": next(iter(places), None),
            "founded": _range(self.founded, "founded"),
            "funding": _range(self.funding, "funding"),
            **{name: getattr(self, name) or None for name in _SCORES},
        }
        for name, value in cleaned.items():
            object.__setattr__(self, name, value)

    def count(self, records: Records) -> str:
        wanted = hiring.conditions(**self._resolved(records))
        pool = _counted(records.service.companies.where(*wanted).currency(self.currency))
        return f"{pool}, then their jobs and news in {_batches(records)}"

    def study(
        self,
        records: Records,
        *,
        earlier: hiring.Study | None = None,
        progress: Progress | None = None,
    ) -> hiring.Study:
        return hiring.study(
            records.service,
            **self._resolved(records),
            currency=self.currency,
            earlier=earlier,
            progress=progress,
        )

    def corrected(self, entry: Entry, candidate: Mapping[str, Any]) -> Self:
        if "label" in candidate:
            record = (str(candidate["label"]), str(candidate["source_type"]))
            return replace(self, tags=_with(self.tags, entry, record))
        return replace(self, location=(str(candidate["name"]), str(candidate["type"])))

    def _resolved(self, records: Records) -> dict[str, Any]:
        """The conditions with records in place of labels."""
        return {
            **{name: value for name, value in self.parameters.items() if name != "currency"},
            "tags": list(map(records.tag, self.tags)),
            "location": self.location and records.location(self.location),
        }


_SCORES: Final = ("signal_rating", "signal_timing", "signal_team")


def _counted(query: Query) -> str:
    """How many companies match, and in how many pages they come; pages overlap by a row."""
    count, limit = _total(query), query.listing.limit
    if count is None:
        return "companies, whose number the service does not report"
    pages = max(1, math.ceil((count - 1) / (limit - 1)))
    return f"{counted(count, 'company', 'companies')}, {counted(pages, 'page')}"


def _total(query: Query) -> int | None:
    """How many rows match; None where the service does not say."""
    try:
        return query.count()
    except UnreadableReply:
        return None


def _batches(records: Records) -> str:
    return f"batches of {records.service.session.profile.batch}"


def _named(candidate: Mapping[str, Any]) -> Entry:
    return str(candidate["name"]), str(candidate["website_domain"] or "")


def _with(entries: tuple[Entry, ...], old: Entry, new: Entry) -> tuple[Entry, ...]:
    return tuple(dict.fromkeys(new if each == old else each for each in entries))


def _check_year(year: int, name: str) -> None:
    if year < 0:
        raise UnsupportedValue(year, field=name, reason="give a year, or 0 for any")


def _entries(given: Iterable[Any], name: str, form: str) -> tuple[Entry, ...]:
    pairs = [] if isinstance(given, str) else [tuple(each) for each in given]
    if isinstance(given, str) or not all(
        len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in pairs
    ):
        raise UnsupportedValue(given, field=name, reason=f"give {form} for each")
    return tuple(dict.fromkeys(pairs))


def _range(given: Any, name: str) -> Range | None:
    low, high = (tuple(given) if given else (None, None))[:2]
    low, high = low or None, high or None
    if low is not None and high is not None and low > high:
        raise UnsupportedValue(given, field=name, reason="it ends before it begins")
    return (low, high) if low or high else None


def said(kind: Kind, value: Any) -> str:
    """A member of a choice in words."""
    return _SAID[kind](value)


def _said_range(value: Range | None, form: str) -> str:
    low, high = value or (None, None)
    ends = [("from", low), ("to", high)]
    text = " ".join(f"{word} {end:{form}}" for word, end in ends if end is not None)
    return text or ANY


ANY: Final = "any, or not recorded"
_FLAGS: Final = {True: "yes", False: "no", None: "either, or not recorded"}
_SAID: Final[Mapping[Kind, Callable[[Any], str]]] = {
    "text": str,
    "currency": str,
    "entries": lambda entries: "; ".join(map(", ".join, entries)) or "any",
    "place": lambda entry: ", ".join(entry) if entry else "anywhere, or not recorded",
    "year": lambda year: f"{year} or later" if year else ANY,
    "years": lambda value: _said_range(value, "g"),
    "amounts": lambda value: _said_range(value, ",.15g"),
    "score": lambda score: f"{score:g} or more" if score else ANY,
    "flag": lambda flag: _FLAGS[flag],
}
