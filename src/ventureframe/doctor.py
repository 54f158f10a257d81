"""Check a service with one small request per expectation, and name the worst difference
first.

No finding holds a token, a secret or an address.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ventureframe import errors
from ventureframe.client import checks
from ventureframe.client.connection import filter_keys
from ventureframe.client.listing import Listing, Owner
from ventureframe.client.paging import Step
from ventureframe.client.retry import Budget
from ventureframe.client.service import Service
from ventureframe.client.translate import WITHHELD
from ventureframe.interface.certificate import Cost
from ventureframe.interface.filters import Clause
from ventureframe.interface.wire.generations import WIRES
from ventureframe.interface.wire.profile import Profile

_ALL, _FUNDING = "companies", "total_funding"
_CAUSES = {
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
    shown = [*dict.fromkeys(filter(None, details))][:3]
    if shown:
        wrong += f": {'; '.join(shown)}"
    line = f"{wrong.rstrip('.')}."
    return f"{line} {advice}." if advice else line


def cost(service: Service) -> Cost:
    """What an examination takes at most, where pages have the rows that are asked for.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> doctor.cost(vf.connect(environment={}))
    27 requests
    """
    profile = service.connection.profile
    prices = profile.prices
    probes = _probes(profile)
    spent = None
    if prices:
        spent = sum(2 * prices.get(probe.endpoint, 0) for probe in probes)
    is_named_by_id = any(term.kind for term in profile.filters.values())
    lookups = 3 if is_named_by_id else 1  # of the dataset, and the university's id
    return Cost(len(probes) + lookups, credits=spent)


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
    profile = service.connection.profile
    for probe in _probes(profile):
        if not examiner.run(probe):
            break
    sent = Cost(examiner.sent.requests)
    return Examination(tuple(examiner.findings), sent, f"wire {profile.name}")


class _Sent(Budget):
    """Counts the requests."""

    def __init__(self) -> None:
        self.requests = 0

    def spend(self) -> None:
        self.requests += 1


class _Examiner:
    """Sends probes, and keeps the rows that each last returned."""

    def __init__(self, service: Service) -> None:
        self.sent = _Sent()
        self.connection = copy.copy(service.connection)
        self.connection.budget = self.sent
        self.service = copy.copy(service)
        self.service.connection = self.connection
        self.cause = ""
        self.cursor = ""
        self.total = 0
        self.findings = list[Finding]()
        self.rows = dict[str, list[dict[str, Any]]]()

    def run(self, probe: Probe) -> bool:
        """Send a probe and note what its answer shows; whether others can follow."""
        self.cause = probe.cause
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # `read` notes what lists lack
                holds = probe.send(self, *probe.arguments)
            self.note(holds is not False)
        except (errors.LookupFailed, errors.ServiceError) as error:
            is_forbidden = getattr(error, "status", None) == 403
            cause = "key" if is_forbidden else getattr(error, "kind", "")
            self.note(False, cause, self.cause if is_forbidden else str(error))
            return not isinstance(error, _ENDING)
        except (LookupError, errors.QueryError):  # no record to ask about
            self.note(None)
        return self.findings[0].holds is not False

    def note(self, holds: bool | None, cause: str = "", details: str = "") -> None:
        self.findings.append(Finding(cause or self.cause, holds, details))

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
        rows = chunk.frame.to_dicts()
        self.rows[self.cause] = rows
        self.rows["managers"] = [row["manager"] for row in rows if row.get("manager")]
        page = chunk.pages[0]
        self.cursor = page.next_cursor or self.cursor
        if step.has_total:
            self.total = page.total or 0
            is_right = page.total is not None and page.total >= len(rows)
            self.note(is_right, "totals", f"{page.total!r} beside {len(rows)} {kind}")

        absent = chunk.absent & {field.name for field in listing.resource.returned}
        if kind != "manager-funds" and absent:  # whose manager is in the path
            self.note(False, "fields", f"{', '.join(sorted(absent))} of {kind}")
        if any(row.get(WITHHELD) for row in rows):
            self.note(False, "key", kind)
        for doubt in chunk.doubts:
            self.note(False, doubt.kind, kind if doubt.kind == "key" else doubt.text)
        return self.values(self.cause)

    def values(self, cause: str, column: str = "uuid") -> tuple[str, ...]:
        known = (row.get(column) for row in self.rows[cause])
        return tuple(str(value) for value in known if value)

    def generation(self) -> None:
        """Compare the key of the filter by tags with the wire connected with."""
        keys = filter_keys(self.connection.session, budget=self.sent)
        connected = self.connection.profile.name
        served = [name for name, wire in WIRES.items() if wire.tag_key in keys]
        holds = None
        if served and connected in WIRES:
            holds = connected in served
        advice = " or ".join(f"wire={name!r}" for name in served)
        self.note(holds, "generation", advice)

    def follows(self) -> bool:
        """Whether the page behind the first one's cursor is another one."""
        if not self.cursor:
            raise LookupError
        return self.values(_ALL) != self.read(step=Step(2, None, self.cursor))

    def overlaps(self) -> bool:
        """Whether the second row is the first of the page from there on."""
        second = self.values(_ALL)[1:2]
        return self.read(step=Step(2, 1))[:1] == second

    def ends(self) -> None:
        """Read the last two companies."""
        if self.total < 2:
            raise LookupError
        rows = len(self.read(step=Step(50, self.total - 2)))
        self.note(0 < rows < 5, "totals", f"{rows} companies where 2 are left")

    def has_ids(self, kind: str) -> bool:
        """Whether the records that were read come when they are asked for by id."""
        return len(self.read(kind, kind)) == len(self.values(kind))

    def sort(self) -> None:
        self.read(sorted_by=_FUNDING)

    def is_reversed(self) -> bool:
        """Whether the opposite order begins with other companies."""
        before = self.values("sort")
        return before != self.read(sorted_by=f"-{_FUNDING}") or not before[1:]

    def is_converted(self) -> bool:
        """Whether the same companies have other amounts in another currency."""
        before = self.values("sort", _FUNDING)
        if not before:
            raise LookupError
        currencies = self.connection.profile.currencies
        others = [code for code in currencies if code != self.connection.currency]
        self.read(of="sort", converted_to=others[0])
        return {*before}.isdisjoint(self.values("currency", _FUNDING))

    def since(self) -> None:
        """Filter companies by a year that was read: other rows are an error."""
        year = self.values(_ALL, "launch_date")[0]
        self.read(filter=Clause("launch_date", "gt", (year,)))

    def founded_by(self) -> None:
        """Filter companies by a university that was found."""
        name = self.values("university", "name")[0]
        self.read(filter=Clause("founder_university_name", "eq", (name,)))

    def search(self, kind: str, text: str) -> None:
        self.rows[kind] = self.connection.search(kind, text)[0]

    def university(self) -> None:
        self.service.university(self.values("university")[0])

    def investor(self) -> None:
        self.service.lp(self.values("investor")[0])

    def tag(self) -> None:
        self.service.similar("tag", "software")

    def place(self) -> None:
        self.service.similar("location", "United")

    def aggregate(self) -> None:
        self.service.aggregate(_ALL, group_by="hq_country")


class Probe(NamedTuple):
    """What one request checks, and how: what is False is wrong."""

    cause: str
    send: Callable[..., object]
    arguments: tuple[str, ...] = ()
    endpoint: str = _ALL


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
_PROBES = (
    Probe("keys of filters", _Examiner.generation, (), "filters"),
    Probe(_ALL, _Examiner.read),
    Probe("cursor", _Examiner.follows),
    Probe("offset", _Examiner.overlaps),
    Probe("last page", _Examiner.ends),
    Probe("ids", _Examiner.has_ids, (_ALL,)),
    Probe("sort", _Examiner.sort),
    Probe("sort", _Examiner.is_reversed),
    Probe("currency", _Examiner.is_converted),
    Probe("filter", _Examiner.since),
    Probe("search", _Examiner.search, ("university", "University"), "search"),
    Probe("filter", _Examiner.founded_by),
    Probe("universities", _Examiner.university, (), "entity"),
    Probe("search", _Examiner.search, ("investor", "Pension"), "search"),
    Probe("investors", _Examiner.investor, (), "entity"),
    *(Probe(kind, _Examiner.read, (kind, of), kind) for kind, of in _LISTS.items()),
    Probe("ids", _Examiner.has_ids, ("founders",), "founders"),
    Probe("tags", _Examiner.tag, (), "tags"),
    Probe("places", _Examiner.place, (), "locations"),
    Probe("aggregates", _Examiner.aggregate, (), "aggregates"),
)
"""Every probe in its order: later ones use the rows of earlier ones."""


def _probes(profile: Profile) -> list[Probe]:
    """The probes of the endpoints that the wire has."""
    return [probe for probe in _PROBES if probe.endpoint in profile.paths]
