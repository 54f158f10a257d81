"""Check a service with one small request per expectation, and name the worst difference
first.

No finding holds a token, a secret or an address.
"""

from __future__ import annotations

import copy
import importlib.metadata
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, cast
from urllib.parse import urlencode

from ventureframe import errors
from ventureframe.client import checks
from ventureframe.client.connection import filter_keys
from ventureframe.client.listing import Listing, Owner
from ventureframe.client.paging import Step
from ventureframe.client.retry import Budget
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.client.translate import WITHHELD
from ventureframe.interface.certificate import Cost
from ventureframe.interface.fields import Operator
from ventureframe.interface.filters import Clause
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.generations import WIRES
from ventureframe.interface.wire.profile import Profile

_FATAL: Final = (
    errors.CredentialsRejected,
    errors.TokenRejected,
    errors.CreditsExhausted,
)
_PLAN: Final = f"{checks.KEY}, or its plan leaves out "
_ASK: Final = "Ask the owner of the service to correct it"
_CAUSES: Final[Mapping[str, tuple[str, str, str]]] = {
    "generation": (
        "^$",
        "The service speaks another generation of its wire",
        "Connect with it",
    ),
    "generations": (
        "another gen",
        "Rows of two generations of the wire are mixed",
        "Reconnect",
    ),
    "key": (
        checks.KEY,
        _PLAN.strip(),
        "Check id and secret first, then what the plan includes",
    ),
    "html": (
        "HTML",
        "A proxy or a login page answers",
        "Check the base address and the network",
    ),
    "offset": (
        "^$",
        "Offset is ignored or refused",
        'Fetch with by="cursor" where possible',
    ),
    "ids": (
        "ignored the id",
        "Ids are ignored or refused",
        f"No study is possible. {_ASK}",
    ),
    "filter": ("ignored the filter", "Filters are ignored or refused", _ASK),
    "totals": ("^$", "Totals are wrong", "A fetch cannot be shown to be complete"),
    "sort": (
        "the order asked for",
        "The sort order is ignored",
        "Sort the rows after the fetch",
    ),
    "currency": (
        "currency|gives amounts",
        "Currencies are ignored",
        "Do not compare amounts",
    ),
    "role": (
        "^$",
        "Founders are mixed with other people",
        "Check who is marked as a founder",
    ),
    "cursor": ("^$", "Cursors are ignored or refused", "Fetch by offset, the default"),
    "fields": (
        "^$",
        "Columns are missing",
        "Their nulls do not mean that nothing is recorded",
    ),
}
"""By cause, the worst first: its sign in a message, what is wrong, and what to do."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether an answer is as expected (None: no record shows it), with details of
    what is not.
    """

    holds: bool | None
    cause: str
    details: str = ""
    request: str = ""


@dataclass(frozen=True, repr=False)
class Examination:
    """The findings, what they cost, and the generation of the `wire`.

    Its repr has one line per cause, one to copy for the maintainers, and what could
    not be checked.
    """

    findings: tuple[Finding, ...]
    cost: Cost
    wire: str

    @property
    def wrong(self) -> Mapping[str, list[Finding]]:
        """The findings that do not hold, by cause, the worst first."""
        causes: dict[str, list[Finding]] = {cause: [] for cause in _CAUSES}
        for finding in self.findings:
            if finding.holds is False:
                cause = finding.cause if finding.cause in _CAUSES else finding.details
                causes.setdefault(cause, []).append(finding)
        return {cause: findings for cause, findings in causes.items() if findings}

    def __repr__(self) -> str:
        lines, copied = list[str](), list[str]()
        for cause, findings in self.wrong.items():
            about = ", ".join(dict.fromkeys(finding.cause for finding in findings))
            details = [
                *dict.fromkeys(
                    finding.details for finding in findings if finding.details
                )
            ]
            more = f"; and {len(details) - 3} more" * (len(details) > 3)
            _, wrong, advice = _CAUSES.get(cause, ("", about.capitalize(), ""))
            wrong = ": ".join(filter(None, (wrong, "; ".join(details[:3]) + more)))
            lines.append(f"{wrong}. {advice and f'{advice}.'}".rstrip())
            copied += [f"{about} [{findings[0].request}]"] * (cause != "key")
        passed, unchecked = (
            ", ".join(
                dict.fromkeys(one.cause for one in self.findings if one.holds is holds)
            )
            for holds in (True, None)
        )
        if copied:
            program = (
                f"ventureframe {importlib.metadata.version('ventureframe')},"
                f" {self.wire}"
            )
            lines.append(f"To copy for the maintainers: {program}: {'; '.join(copied)}")
        elif not lines:
            lines.append(f"All is well ({self.wire}). As expected: {passed}.")
        lines += [f"Not checked, because no record allows it: {unchecked}."] * bool(
            unchecked
        )
        return "\n".join(map(errors.visible, [*lines, f"Sent: {self.cost}."]))


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
    profile, findings = examiner.profile, examiner.findings
    for probe in _probes(profile):
        try:
            examiner.run(probe)
        except errors.ServiceError:
            break
        if any(one.holds is False and one.cause == "generation" for one in findings):
            break
    spent = Cost(examiner.sent, credits=examiner.credits)
    return Examination(tuple(findings), spent, f"wire {profile.name}")


class Probe(NamedTuple):
    """What one request checks, at which endpoint and how."""

    about: str
    endpoint: str
    send: Callable[[_Examiner], object]


class _Examiner:
    """Sends probes, counts their requests, and keeps the rows that each last
    returned.
    """

    def __init__(self, service: Service) -> None:
        self.service, self._session = copy.copy(service), service.connection.session
        self.connection = self.service.connection = copy.copy(service.connection)
        self.connection.session = cast("Session", self)
        self.profile, self.request, self.sent, self.credits = (
            self.connection.profile,
            "",
            0,
            0.0,
        )
        self.about, self.findings = "", list[Finding]()
        self.rows, self.cursors = dict[str, list[dict[str, Any]]](), dict[str, str]()
        self.total = 0  # of companies

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        *,
        budget: Budget | None = None,
    ) -> Reply:
        """Send a request as the session does, and count it."""
        if path != self.profile.paths["dataset"]:
            query = urlencode(parameters or {}, safe="[]:|,")
            self.request, self.sent = (
                f"GET {path}{query and f'?{query}'}",
                self.sent + 1,
            )
        reply = self._session.get(path, parameters, budget=budget)
        self.credits += reply.credits or 0
        return reply

    def run(self, probe: Probe) -> None:
        """Send a probe and note what its answer shows; raise where no other can be
        answered.
        """
        self.about, self.request = probe.about, ""
        try:
            with warnings.catch_warnings(record=True) as doubts:
                warnings.simplefilter("always")
                holds = probe.send(self) is not False
            if not (holds and doubts):
                self.note(holds)
            for doubt in doubts:
                self.note_wrong(doubt.message)
        except (errors.LookupFailed, errors.ServiceError) as error:
            self.note_wrong(error)
            is_lost = (
                isinstance(error, errors.ServiceUnreachable) and not self.findings[1:]
            )
            if isinstance(error, _FATAL) or is_lost:
                raise
        except (LookupError, errors.QueryError):  # no record to ask about
            self.note(None)

    def note(self, holds: bool | None, cause: str = "", details: str = "") -> None:
        self.findings.append(Finding(holds, cause or self.about, details, self.request))

    def note_wrong(self, message: Exception | Warning | str) -> None:
        """Note an error, or a doubt about rows, under the cause that its words are a
        sign of.
        """
        if getattr(message, "status", None) == 403:
            self.note(False, "key", self.about)
            return
        text = re.sub(
            r"^GET \S+ | \(GET \S+\)|[.] The service does not keep.*", "", str(message)
        )
        text = text.rstrip(".")
        signs = (
            cause for cause, (sign, *_) in _CAUSES.items() if re.search(sign, text)
        )
        same = (
            finding.cause
            for finding in self.findings
            if text and finding.details == text
        )
        self.note(False, next(signs, next(same, self.about)), text.rpartition(_PLAN)[2])

    def read(
        self, kind: str, of: str = "", step: Step | None = None, **options: Any
    ) -> Sequence[str]:
        """Return the ids of two rows of a list, or of those that belong to two rows
        read before.
        """
        owners = tuple(map(Owner, self.ids(of)[:2])) if of else None
        listing = Listing(self.connection, kind, owners=owners, **options).parts()[0]
        step = step or Step(2, 0, has_total=listing.paging.has_totals)
        chunk = listing.read([listing.ask(step)])
        (page,), rows = chunk.pages, chunk.frame.to_dicts()
        self.rows[self.about] = rows
        self.cursors |= {self.about: page.next_cursor} if page.next_cursor else {}
        absent = chunk.absent & {field.name for field in listing.resource.returned}
        absent -= {"manager"} if kind == "manager-funds" else set()  # it is in the path
        withheld = {name for row in rows for name in row.get(WITHHELD) or ()}
        for cause, names in (("fields", absent), ("key", withheld)):
            if names:
                self.note(False, cause, f"{', '.join(sorted(names))} of {kind}")
        if step.has_total:
            self.total = (page.total or 0) if self.about == "companies" else self.total
            is_right = page.total is not None and page.total >= len(rows)
            self.note(is_right, "totals", f"{page.total!r} beside {len(rows)} {kind}")
        if others := sum(row.get("is_founder") is False for row in rows):
            self.note(
                False, "role", f"{others} of {len(rows)} in a {kind} are not founders"
            )
        for doubt in chunk.doubts:
            self.note_wrong(doubt.text)
        return self.values(self.about)

    def ids(self, about: str) -> list[str]:
        """The ids of rows read before, or of their managers; those with most values
        first.
        """
        rows = sorted(self.rows[about], key=lambda row: -sum(map(bool, row.values())))
        ids = [
            row.get("uuid") or (row.get("manager") or {}).get("uuid") for row in rows
        ]
        return [id_ for id_ in ids if id_]

    def generation(self) -> None:
        """Compare the key of the filter by tags with the generation that was
        connected with.
        """
        own, keys = self.profile.name, filter_keys(self.connection.session)
        served = {
            name: wire.tag_key for name, wire in WIRES.items() if wire.tag_key in keys
        }
        details = " and ".join(
            f"wire={name!r}, which has {key}" for name, key in served.items()
        )
        self.note(
            own in served if served and own in WIRES else None, "generation", details
        )

    def values(self, about: str, column: str = "uuid") -> tuple[str, ...]:
        return tuple(str(row[column]) for row in self.rows[about] if row.get(column))

    def is_reversed(self) -> bool:
        before = self.values("sort")
        return (
            before != self.read("companies", sorted_by="-total_funding")
            or not before[1:]
        )

    def is_converted(self) -> bool:
        """Whether the same companies have other amounts in another currency."""
        before = {row["uuid"]: row["total_funding"] for row in self.rows["sort"]}
        other = next(
            one for one in self.profile.currencies if one != self.connection.currency
        )
        self.read("companies", "sort", converted_to=other)
        pairs = [
            (row["total_funding"], before.get(row["uuid"]))
            for row in self.rows["currency"]
        ]
        is_other = [now != then for now, then in pairs if now and then]
        return is_other[0] and all(is_other)

    def filter(self, field: str, operator: Operator, values: tuple[str, ...]) -> None:
        """Filter companies by the first of the values: other rows are an error."""
        self.read("companies", filter=Clause(field, operator, values[:1]))

    def read_end(self) -> None:
        """Read the last two companies by a page of the largest size."""
        if not (
            self.total
            and any(one.cause == "offset" and one.holds for one in self.findings)
        ):
            raise LookupError
        left, limit = min(2, self.total), self.profile.limits["companies"].maximum
        rows = len(self.read("companies", step=Step(limit, self.total - left)))
        details = f"{rows} companies where {left} of {self.total:,} are left"
        # one may have come or gone in between
        self.note(0 < rows < 5, "totals", details)

    def search(self, kind: str, text: str) -> None:
        self.rows[kind] = self.connection.search(kind, text)[0]


def _probes(profile: Profile) -> list[Probe]:
    """Every probe in its order: later ones use the rows of earlier ones."""
    c, p, by_name = "companies", "founders", "founder_university_name"
    probes = [
        Probe("keys of filters", "filters", _Examiner.generation),
        Probe(c, c, lambda e: e.read(c)),
        Probe(
            "cursor",
            c,
            lambda e: e.values(c) != e.read(c, step=Step(2, None, e.cursors[c])),
        ),
        Probe(
            "offset", c, lambda e: e.values(c)[1:2] == e.read(c, step=Step(2, 1))[:1]
        ),
        Probe("last page", c, _Examiner.read_end),
        Probe("ids", c, lambda e: len(e.read(c, c)) == min(2, len(e.ids(c)))),
        Probe("sort", c, lambda e: e.read(c, sorted_by="total_funding")),
        Probe("sort", c, _Examiner.is_reversed),
        Probe("currency", c, _Examiner.is_converted),
        Probe(
            "filter",
            c,
            lambda e: e.filter("launch_date", "gt", e.values(c, "launch_date")),
        ),
        Probe(p, p, lambda e: e.read(p)),
        Probe("ids", p, lambda e: len(e.read(p, p)) > 0),
        Probe("search", "search", lambda e: e.search("university", "University")),
        Probe(
            "universities",
            "entity",
            lambda e: e.service.university(e.ids("university")[0]),
        ),
        Probe(
            "filter",
            c,
            lambda e: e.filter(by_name, "eq", e.values("university", "name")),
        ),
        Probe("search", "search", lambda e: e.search("investor", "Pension")),
        Probe("investors", "entity", lambda e: e.service.lp(e.ids("investor")[0])),
        *_lists("investor", "lp-funds"),
        *_lists("", "funds"),
        *_lists("funds", "manager-funds"),
        *_lists(c, "news", "jobs", "funding-rounds"),
        *_lists(p, "education", "career"),
        Probe("tags", "tags", lambda e: e.service.similar("tag", "software")),
        Probe("places", "locations", lambda e: e.service.similar("location", "United")),
        Probe(
            "aggregates",
            "aggregates",
            lambda e: e.service.aggregate(c, group_by="hq_country"),
        ),
        Probe("team", "team", lambda e: e.read("team", c, Step(25, 0, has_total=True))),
    ]
    return [probe for probe in probes if probe.endpoint in profile.paths]


def _lists(of: str, *kinds: str) -> list[Probe]:
    """Probes that only read lists, of records that an earlier probe returned."""
    return [
        Probe(kind, kind, partial(_Examiner.read, kind=kind, of=of)) for kind in kinds
    ]
