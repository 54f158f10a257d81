"""Check a service with one small request per expectation, and name the worst difference
first.

No finding holds a token, a secret or an address.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ventureframe import errors
from ventureframe.client import checks
from ventureframe.client.connection import filter_keys
from ventureframe.client.listing import Listing, Owner
from ventureframe.client.paging import Step
from ventureframe.client.retry import Budget
from ventureframe.client.service import Service
from ventureframe.client.translate import WITHHELD
from ventureframe.interface.certificate import Cost
from ventureframe.interface.fields import Operator
from ventureframe.interface.filters import Clause
from ventureframe.interface.wire.generations import WIRES
from ventureframe.interface.wire.profile import Profile

_ALL, _NAME, _FUNDING = "companies", "founder_university_name", "total_funding"
_LISTS = {
    "founders": "",
    "lp-funds": "investor",
    "funds": "",
    "manager-funds": "managers",
    "news": _ALL,
    "jobs": _ALL,
    "funding-rounds": _ALL,
    "education": "founders",
    "career": "founders",
}
"""The lists that are only read, each with the records that it is of."""
_CAUSES: Final[Mapping[str, tuple[str, str]]] = {
    "generation": (
        "The service speaks another generation of its wire",
        "Connect with it",
    ),
    "key": (
        f"{checks.KEY}, or its plan leaves out",
        "Check id and secret first, then what the plan includes",
    ),
    "html": (
        "A proxy or a login page answers",
        "Check the base address and the network",
    ),
    "offset": (
        "Offset is ignored or refused",
        'Fetch with by="cursor" where possible',
    ),
    "ids": (
        "Ids are ignored or refused",
        "No study is possible before its owner corrects it",
    ),
    "filter": (
        "Filters are ignored or refused",
        "Ask the owner of the service to correct it",
    ),
    "totals": ("Totals are wrong", "A fetch cannot be shown to be complete"),
    "sort": ("The sort order is ignored", "Sort the rows after the fetch"),
    "currency": ("Currencies are ignored", "Do not compare amounts"),
    "cursor": ("Cursors are ignored or refused", "Fetch by offset, the default"),
    "fields": (
        "Columns are missing",
        "Their nulls do not mean that nothing is recorded",
    ),
}
"""By cause, the worst first: what is wrong, and what to do."""
_ENDING = (
    errors.CredentialsRejected,
    errors.TokenRejected,
    errors.CreditsExhausted,
    errors.ServiceUnreachable,
)


@dataclass(frozen=True)
class Finding:
    """Whether an answer is as expected (None: no record shows it), with details of
    what is not.
    """

    cause: str
    holds: bool | None
    details: str = ""


@dataclass(frozen=True, repr=False)
class Examination:
    """The findings, what they cost, and the generation of the `wire`.

    Its repr has a line for each cause, the worst first, and what could not be checked.
    """

    findings: tuple[Finding, ...]
    cost: Cost
    wire: str

    @property
    def wrong(self) -> Mapping[str, list[str]]:
        """The details of the findings that do not hold, by cause, the worst first."""
        causes: dict[str, list[str]] = {cause: [] for cause in _CAUSES}
        for finding in self.findings:
            if finding.holds is False:
                causes.setdefault(finding.cause, []).append(finding.details)
        return {cause: details for cause, details in causes.items() if details}

    def __repr__(self) -> str:
        lines = [_line(cause, details) for cause, details in self.wrong.items()]
        if not lines:
            passed = self._causes(holds=True)
            lines.append(f"All is well ({self.wire}). As expected: {passed}.")
        if unchecked := self._causes(holds=None):
            lines.append(f"Not checked, because no record allows it: {unchecked}.")
        lines.append(f"Sent: {self.cost}.")
        return "\n".join(map(errors.visible, lines))

    def _causes(self, *, holds: bool | None) -> str:
        causes = (one.cause for one in self.findings if one.holds is holds)
        return ", ".join(dict.fromkeys(causes))


def _line(cause: str, details: Sequence[str]) -> str:
    """What is wrong, with at most three details, and what to do."""
    wrong, advice = _CAUSES.get(cause, (cause.capitalize(), ""))
    different = [*dict.fromkeys(filter(None, details))]
    text = ": ".join([wrong, *["; ".join(different[:3])] * bool(different)])
    return " ".join(f"{part.rstrip('.')}." for part in (text, advice) if part)


def cost(service: Service) -> Cost:
    """What an examination takes at most, where pages have the rows that are asked for.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> doctor.cost(vf.connect(environment={}))
    26 requests
    """
    profile = service.connection.profile
    probes, prices = _probes(profile), profile.prices
    # of the university's id
    lookups = 2 * any(term.kind for term in profile.filters.values())
    spent = sum(2 * prices.get(probe.endpoint, 0) for probe in probes)  # two rows each
    return Cost(len(probes) + lookups, credits=spent if prices else None)


def examine(service: Service) -> Examination:
    """Send the requests of `cost`, one after the other.

    It ends early where the key is refused or spent, and where the service speaks
    another wire.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> doctor.examine(vf.connect(environment={})).wrong
    {}
    """
    examiner = _Examiner(service)
    for probe in _probes(examiner.profile):
        if not examiner.run(probe):
            break
    sent, wire = Cost(examiner.sent.requests), f"wire {examiner.profile.name}"
    return Examination(tuple(examiner.findings), sent, wire)


class Probe(NamedTuple):
    """What one request checks, at which endpoint, and how: what is False is wrong."""

    cause: str
    endpoint: str
    send: Callable[[_Examiner], object]


class _Sent(Budget):
    """Counts the requests."""

    def __init__(self) -> None:
        self.requests = 0

    def spend(self) -> None:
        self.requests += 1


class _Examiner:
    """Sends probes, and keeps the rows that each last returned."""

    def __init__(self, service: Service) -> None:
        self.service, self.sent = copy.copy(service), _Sent()
        self.connection = self.service.connection = copy.copy(service.connection)
        self.connection.budget = self.sent
        self.profile = self.connection.profile
        self.cause, self.cursor, self.total = "", "", 0
        self.findings = list[Finding]()
        self.rows = dict[str, list[dict[str, Any]]]()

    def run(self, probe: Probe) -> bool:
        """Send a probe and note what its answer shows; whether others can follow."""
        self.cause = probe.cause
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of what lists lack is noted by `read`
                self.note(probe.send(self) is not False)
        except (errors.LookupFailed, errors.ServiceError) as error:
            self.note_error(error)
            return not isinstance(error, _ENDING)
        except (LookupError, errors.QueryError):  # no record to ask about
            self.note(None)
        return self.findings[0].holds is not False

    def note(self, holds: bool | None, cause: str = "", details: str = "") -> None:
        self.findings.append(Finding(cause or self.cause, holds, details))

    def note_error(self, error: errors.VentureframeError) -> None:
        """Note an error under the cause that its class and its facts show."""
        if getattr(error, "status", None) == 403:
            self.note(False, "key", self.cause)
        else:
            self.note(False, getattr(error, "kind", ""), str(error))

    def read(
        self, kind: str = _ALL, of: str = "", step: Step | None = None, **options: Any
    ) -> Sequence[str]:
        """Return the ids of two rows of a list, or of those that belong to two rows
        read before.
        """
        owners = tuple(map(Owner, self.values(of)[:2])) if of else None
        listing = Listing(self.connection, kind, owners=owners, **options).parts()[0]
        step = step or Step(2, 0, has_total=listing.paging.has_totals)
        chunk = listing.read([listing.ask(step)])
        page, rows = chunk.pages[0], chunk.frame.to_dicts()
        self.rows[self.cause] = rows
        self.rows["managers"] = [row["manager"] for row in rows if row.get("manager")]
        self.cursor = page.next_cursor or self.cursor

        absent = chunk.absent & {field.name for field in listing.resource.returned}
        if kind != "manager-funds" and absent:  # whose manager is in the path
            self.note(False, "fields", f"{', '.join(sorted(absent))} of {kind}")
        if any(row.get(WITHHELD) for row in rows):
            self.note(False, "key", kind)
        if step.has_total:
            self.total = page.total or 0
            is_right = page.total is not None and page.total >= len(rows)
            self.note(is_right, "totals", f"{page.total!r} beside {len(rows)} {kind}")
        for doubt in chunk.doubts:
            self.note(False, doubt.kind, kind if doubt.kind == "key" else doubt.text)
        return self.values(self.cause)

    def values(self, cause: str, column: str = "uuid") -> tuple[str, ...]:
        return tuple(str(row[column]) for row in self.rows[cause] if row.get(column))

    def first(self, cause: str, column: str = "uuid") -> str:
        return self.values(cause, column)[0]

    def generation(self) -> None:
        """Compare the key of the filter by tags with the generation that was
        connected with.
        """
        keys = filter_keys(self.connection.session, budget=self.sent)
        connected = self.profile
        served = [name for name, wire in WIRES.items() if wire.tag_key in keys]
        is_known = bool(served) and connected.name in WIRES
        holds = connected.name in served if is_known else None
        advice = " or ".join(f"wire={name!r}" for name in served)
        self.note(holds, "generation", advice)

    def follows(self) -> bool:
        """Whether the page behind the first one's cursor is another one."""
        if not self.cursor:
            raise LookupError
        return self.values(_ALL) != self.read(step=Step(2, None, self.cursor))

    def overlaps(self) -> bool:
        """Whether the second row is the first of the page from there on."""
        return self.values(_ALL)[1:2] == self.read(step=Step(2, 1))[:1]

    def ends(self) -> None:
        """Read the last two companies."""
        if self.total < 2:
            raise LookupError
        rows = len(self.read(step=Step(50, self.total - 2)))
        self.note(0 < rows < 5, "totals", f"{rows} companies where 2 are left")

    def has_ids(self, kind: str = _ALL) -> bool:
        """Whether the records that were read come when they are asked for by id."""
        return len(self.read(kind, kind)) == len(self.values(kind))

    def is_reversed(self) -> bool:
        """Whether the opposite order begins with other companies."""
        before = self.values("sort")
        return before != self.read(sorted_by=f"-{_FUNDING}") or not before[1:]

    def is_converted(self) -> bool:
        """Whether the same companies have other amounts in another currency."""
        before = self.values("sort", _FUNDING)
        if not before:
            raise LookupError
        other, *codes = self.profile.currencies
        if other == self.connection.currency:
            other = codes[0]
        self.read(of="sort", converted_to=other)
        return {*before}.isdisjoint(self.values("currency", _FUNDING))

    def narrow(self, field: str, of: str, column: str) -> None:
        """Filter companies by a value that was read before: other rows are an error."""
        operator: Operator = "gt" if of == _ALL else "eq"
        self.read(filter=Clause(field, operator, (self.first(of, column),)))

    def search(self, kind: str, text: str) -> None:
        self.rows[kind] = self.connection.search(kind, text)[0]


def _probes(profile: Profile) -> list[Probe]:
    """Every probe in its order: later ones use the rows of earlier ones."""
    probes = [
        Probe("keys of filters", "filters", _Examiner.generation),
        Probe(_ALL, _ALL, _Examiner.read),
        Probe("cursor", _ALL, _Examiner.follows),
        Probe("offset", _ALL, _Examiner.overlaps),
        Probe("last page", _ALL, _Examiner.ends),
        Probe("ids", _ALL, _Examiner.has_ids),
        Probe("sort", _ALL, lambda e: e.read(sorted_by=_FUNDING)),
        Probe("sort", _ALL, _Examiner.is_reversed),
        Probe("currency", _ALL, _Examiner.is_converted),
        Probe("filter", _ALL, lambda e: e.narrow("launch_date", _ALL, "launch_date")),
        Probe("search", "search", lambda e: e.search("university", "University")),
        Probe("filter", _ALL, lambda e: e.narrow(_NAME, "university", "name")),
        Probe(
            "universities",
            "entity",
            lambda e: e.service.university(e.first("university")),
        ),
        Probe("search", "search", lambda e: e.search("investor", "Pension")),
        Probe("investors", "entity", lambda e: e.service.lp(e.first("investor"))),
        *(_list(kind, of) for kind, of in _LISTS.items()),
        Probe("ids", "founders", lambda e: e.has_ids("founders")),
        Probe("tags", "tags", lambda e: e.service.similar("tag", "software")),
        Probe("places", "locations", lambda e: e.service.similar("location", "United")),
        Probe(
            "aggregates",
            "aggregates",
            lambda e: e.service.aggregate(_ALL, group_by="hq_country"),
        ),
    ]
    return [probe for probe in probes if probe.endpoint in profile.paths]


def _list(kind: str, of: str) -> Probe:
    """A probe that only reads a list, of records that an earlier probe returned."""
    return Probe(kind, kind, lambda e: e.read(kind, of))
