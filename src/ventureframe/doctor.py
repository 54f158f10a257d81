"""Asks a service one small question per expectation, and says first what it does otherwise.

Nothing that a finding says holds a token, a secret or an address.
"""

from __future__ import annotations

import copy
import importlib.metadata
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast
from urllib.parse import urlencode

from ventureframe import errors
from ventureframe.client import checks
from ventureframe.client.listing import Listing, Owner, filter_keys
from ventureframe.client.lookups import Kind
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.client.translate import WITHHELD
from ventureframe.client.walk import Step
from ventureframe.interface import filters
from ventureframe.interface.certificate import Cost
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.generations import WIRES
from ventureframe.interface.wire.profile import Profile

_LAST: Final = (errors.CredentialsRejected, errors.TokenRejected, errors.CreditsExhausted)
_LESS: Final = f"{checks.KEY}, or its plan leaves out "
_ASK: Final = "Ask the owner of the service to mend it"
_CAUSES: Final[Mapping[str, tuple[str, str, str]]] = {
    "generation": ("^$", "The service speaks another generation of its wire", "Connect with that"),
    "generations": ("another gen", "Rows of two generations of the wire come", "Connect again"),
    "key": (checks.KEY, _LESS.strip(), "Check id and secret first, then what the plan has"),
    "html": ("HTML", "A proxy or a login page answers", "Check the base address and the network"),
    "offset": ("^$", "Offset is ignored or refused", 'Fetch with by="cursor" where it is possible'),
    "ids": ("ignored the id", "Ids are ignored or refused", f"No study can be made. {_ASK}"),
    "filter": ("ignored the filter", "Filters are ignored or refused", f"Such fetches end. {_ASK}"),
    "totals": ("^$", "Totals are wrong", "Whether a fetch is whole cannot be known"),
    "sort": ("the order asked for", "The order asked for is ignored", "Sort what you fetched"),
    "currency": ("currency|gives amounts", "Currencies are ignored", "Compare no amounts"),
    "role": ("^$", "Founders are given with other people", "Only those marked are left out"),
    "cursor": ("^$", "Cursors are ignored or refused", "Fetch by offset, which is usual"),
    "fields": ("^$", "Columns are missing", "A null in them does not say that none is recorded"),
}
"""By cause, the worst first: its sign in a message, what is wrong, and what to do."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether an answer is as expected, None where that cannot be seen, and what it shows."""

    holds: bool | None
    cause: str
    shows: str = ""
    request: str = ""


@dataclass(frozen=True, repr=False)
class Examination:
    """What was found and what it took; `wire` is the generation and version that was spoken.

    It shows itself: a line for each cause that is wrong, one to copy for the maintainers, and what
    could not be seen.
    """

    findings: tuple[Finding, ...]
    cost: Cost
    wire: str

    @property
    def wrong(self) -> Mapping[str, list[Finding]]:
        """The findings that do not hold, by cause, the worst first."""
        causes: dict[str, list[Finding]] = {name: [] for name in _CAUSES}
        for one in self.findings:
            if one.holds is False:
                causes.setdefault(one.cause if one.cause in _CAUSES else one.shows, []).append(one)
        return {name: found for name, found in causes.items() if found}

    def __repr__(self) -> str:
        lines, copied = list[str](), list[str]()
        for cause, found in self.wrong.items():
            about = ", ".join(dict.fromkeys(one.cause for one in found))
            shown = [*dict.fromkeys(one.shows for one in found if one.shows)]
            said = "; ".join(shown[:3]) + f"; and {len(shown) - 3} more" * (len(shown) > 3)
            _, wrong, advice = _CAUSES.get(cause, ("", about[:1].upper() + about[1:], ""))
            lines.append(": ".join(filter(None, (wrong, said))) + f". {advice}." * bool(advice))
            copied += [f"{about} [{found[0].request}]"] * (cause != "key")
        if copied:
            made = f"ventureframe {importlib.metadata.version('ventureframe')}, {self.wire}"
            lines.append(f"To copy for the maintainers: {made}: {'; '.join(copied)}")
        elif not lines:
            held = dict.fromkeys(one.cause for one in self.findings if one.holds)
            lines.append(f"All is well ({self.wire}). As expected: {', '.join(held)}.")
        unseen = dict.fromkeys(one.cause for one in self.findings if one.holds is None)
        lines += [f"Not seen, for want of a record: {', '.join(unseen)}."] * bool(unseen)
        return "\n".join(map(errors.visible, [*lines, f"Sent: {self.cost}."]))


class Probe(NamedTuple):
    """What is asked about, of which endpoint, how, and for how many rows by how many requests."""

    about: str
    endpoint: str
    ask: Callable[[_Asking], object]
    rows: int = 2
    requests: int = 1


def cost(service: Service) -> Cost:
    """What an examination takes at most, where pages have the rows that are asked for.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> doctor.cost(vf.connect(environment={}))
    29 requests
    """
    plan, prices = _plan(service.connection.profile), service.connection.profile.prices
    spent = sum(prices.get(probe.endpoint, 0) * probe.rows for probe in plan)
    return Cost(sum(probe.requests for probe in plan), credits=spent if prices else None)


def examine(service: Service) -> Examination:
    """Send the requests of `cost`, one after the other.

    It ends early where the key is refused or spent, and where the service speaks another wire.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> doctor.examine(vf.connect(environment={})).wrong
    {}
    """
    asking = _Asking(service)
    for probe in _plan(asking.profile):
        try:
            asking.note(probe)
        except errors.ServiceError:
            break
        if "generation" in Examination(tuple(asking.findings), Cost(0), "").wrong:
            break
    profile, served = asking.profile, service.connection.session.version
    wire = f"wire {profile.name}" + f" served as {served}" * (served not in (None, profile.name))
    return Examination(tuple(asking.findings), Cost(asking.sent, credits=asking.credits), wire)


class _Asking:
    """A service whose requests are counted; `ids` are those of the rows of each probe."""

    def __init__(self, service: Service) -> None:
        self.service, self._session = copy.copy(service), service.connection.session
        self.connection = self.service.connection = copy.copy(service.connection)
        self.connection.session = cast("Session", self)
        self.profile, self.request, self.sent, self.credits = self.connection.profile, "", 0, 0.0
        self.about, self.findings, self.ids = "", list[Finding](), dict[str, list[str]]()
        self.rows, self.firsts, self.years = list[dict[str, Any]](), list[str](), list[int]()
        self.total, self.next = 0, list[str | None]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Reply:
        """Send a request as the session does, and note it."""
        query = urlencode(parameters or {}, safe="[]:|,")
        if path != self.profile.paths["dataset"]:
            self.request, self.sent = f"GET {path}{query and f'?{query}'}", self.sent + 1
        reply = self._session.get(path, parameters)
        self.credits += reply.credits or 0
        return reply

    def note(self, probe: Probe) -> None:
        """Ask what the probe does, and note what the answer shows; raise what ends it all."""
        self.about, self.request = probe.about, ""
        try:
            with warnings.catch_warnings(record=True) as doubts:
                warnings.simplefilter("always")
                holds = probe.ask(self)
            if holds is False or not doubts:
                self.found(holds is not False)
            for doubt in doubts:
                self.wrong(doubt.message)
        except (errors.LookupFailed, errors.ServiceError) as error:
            self.wrong(error)
            is_lost = isinstance(error, errors.ServiceUnreachable) and not self.findings[1:]
            if isinstance(error, _LAST) or is_lost:
                raise
        except (LookupError, errors.QueryError):
            self.found(None)

    def found(self, holds: bool | None, cause: str = "", shows: str = "") -> None:
        self.findings.append(Finding(holds, cause or self.about, shows, self.request))

    def wrong(self, message: Exception | Warning | str) -> None:
        """Note what an error, or a doubt about rows, says is wrong."""
        if getattr(message, "status", None) == 403:
            self.found(False, "key", self.about)
            return
        text = re.sub(r"^GET \S+ | \(GET \S+\)|[.] The service does not keep.*", "", str(message))
        text = text.rstrip(".")
        signs = (name for name, (sign, *_) in _CAUSES.items() if re.search(sign, text))
        same = (one.cause for one in self.findings if text and one.shows == text)
        self.found(False, next(signs, next(same, self.about)), text.rpartition(_LESS)[2])

    def listed(self, kind: str, of: str = "", step: Step | None = None, **asked: Any) -> list[str]:
        """Return the ids of two rows of a list, or of what belongs to two records read before."""
        if of:
            owners = tuple(map(Owner, (self.ids[of][0], *self.ids[of][1:2])))
            is_path = "{id}" in self.profile.paths[kind]
            asked |= {"owner": owners[0]} if is_path else {"owners": owners}
        listing = Listing(self.connection, kind, **asked)
        step = step or Step(2, 0, has_total=listing.paging.has_totals)
        chunk = listing.read([listing.ask(step)])
        (about,), self.rows = chunk.pages, chunk.frame.to_dicts()
        self.next = [about.next_cursor] * bool(about.next_cursor)
        absent = chunk.absent - ({"manager"} if kind == "manager-funds" else set())  # in the path
        if missing := [key.name for key in listing.resource.returned if key.name in absent]:
            self.found(False, "fields", f"{', '.join(missing)} of {kind}")
        if closed := {name for row in self.rows for name in row.get(WITHHELD) or ()}:
            self.found(False, "key", f"{', '.join(sorted(closed))} of {kind}")
        if step.has_total:
            self.total, number = about.total or 0, len(self.rows)
            is_right = about.total is not None and about.total >= number
            self.found(is_right, "totals", f"{about.total!r} beside {number} {kind}")
        if others := sum(row.get("is_founder") is False for row in self.rows):
            self.found(False, "role", f"{others} of {len(self.rows)} of a {kind} are no founders")
        for doubt in chunk.doubts:
            self.wrong(doubt)
        self.ids[self.about] = self.texts("uuid") or self.texts("manager.uuid")
        return [str(row.get("uuid")) for row in self.rows]

    def texts(self, path: str) -> list[str]:
        """The texts under a path that a request can name, of rows with most lists first."""
        rows: list[Any] = sorted(self.rows, key=lambda row: -sum(map(bool, row.values())))
        for name in path.split("."):
            values = [row.get(name) for row in rows if isinstance(row, dict)]
            lists = (value if isinstance(value, list) else [value] for value in values)
            rows = [entry for entries in lists for entry in entries]
        texts = dict.fromkeys(text for text in rows if isinstance(text, str) and len(text) > 2)
        return [text for text in texts if not {*text} & {*"|,()[]{}"}]

    def generation(self) -> None:
        """The generation that the filters name."""
        own, keys = self.profile.name, filter_keys(self.connection.session)
        spoken = {name: wire.tag_key for name, wire in WIRES.items() if wire.tag_key in keys}
        holds = own in spoken if spoken and own in WIRES else None
        tags = " and ".join(f"{key}, as wire={name!r} has it" for name, key in spoken.items())
        self.found(holds, "generation", f"companies are filtered by {tags}")

    def companies(self) -> None:
        """The first of them, and what they name."""
        self.firsts = self.listed("companies")
        self.ids |= {path: self.texts(path) for path in ("tags.name", "hq_country")}
        self.years = [row["launch_date"] for row in self.rows if row["launch_date"]]

    def sorted(self, sign: str = "") -> list[str]:
        return self.listed("companies", sorted_by=f"{sign}total_funding")

    def after(self) -> bool:
        """Whether the companies behind a cursor are others; what no cursor names is not seen."""
        return {*self.firsts}.isdisjoint(self.listed("companies", "", Step(2, None, self.next[0])))

    def filtered(self, text: str) -> bool:
        """Whether a filter is understood: what a row refutes is an error."""
        return self.listed("companies", filter=filters.parse(text)) is not None

    def is_converted(self) -> bool:
        """Whether the same companies have other amounts in another currency."""
        before = {row["uuid"]: row["total_funding"] for row in self.rows}
        other = next(one for one in self.profile.currencies if one != self.connection.currency)
        self.listed("companies", "sort", converted_to=other)
        pairs = [(row["total_funding"], before.get(row["uuid"])) for row in self.rows]
        known = [now != then for now, then in pairs if now and then]
        return known[0] and all(known)  # none is known: not seen

    def last(self, endpoint: str, of: str = "") -> None:
        """The largest page, asked for from the last two rows on: none of it is missing or more."""
        if not (self.total and any(one.cause == "offset" and one.holds for one in self.findings)):
            raise LookupError
        left, most = min(2, self.total), self.profile.limits[endpoint].maximum
        rows = len(self.listed(endpoint, of, Step(most, self.total - left)))
        shows = f"{rows} {endpoint} where {left} of {self.total:,} are left"
        self.found(0 < rows < 5, "totals", shows)  # one may have come or gone in between

    def search(self, kind: Kind, text: str) -> None:
        """What is found under a word, of which the first is then asked for."""
        rows, _ = self.connection.search(kind, text)
        self.ids |= {kind: [row["uuid"] for row in rows], "name": [row["name"] for row in rows]}

    def find(self, kind: Kind, path: str, otherwise: str) -> None:
        """Look for what the first companies name."""
        self.service.similar(kind, (*self.ids.get(path, ()), otherwise)[0])


def _plan(profile: Profile) -> list[Probe]:
    """Every probe in its order, where one may use what those before gave."""
    by_name = 1 + 2 * any(term.kind for term in profile.filters.values())  # which finds its id
    f, several = "companies", Step(25, 0, has_total=True)
    year, name = "and(launch_date[gte]:{},is_startup[eq]:true)", "founder_university_name[eq]:{}"
    plan = [
        Probe("keys of filters", "filters", _Asking.generation),
        Probe("companies", f, _Asking.companies),
        Probe("cursor", f, _Asking.after),
        Probe("offset", f, lambda a: a.listed(f, "", Step(2, 1))[:1] == a.firsts[1:2]),
        Probe("last companies", f, lambda a: a.last(f)),
        Probe("ids", f, lambda a: len(a.listed(f, f)) == min(2, len(a.ids[f]))),
        Probe("sort", f, lambda a: a.sorted() != a.sorted("-") or a.total < 2, 4, 2),
        Probe("currency", f, _Asking.is_converted),
        Probe("filter", f, lambda a: a.filtered(year.format(a.years[0] + 1))),
        Probe("founders", "founders", lambda a: a.listed("founders")),
        Probe("ids", "founders", lambda a: len(a.listed("founders", "founders")) > 0),
        Probe("search", "search", lambda a: a.search("university", "University")),
        Probe("universities", "entity", lambda a: a.service.university(a.ids["university"][0])),
        Probe("filter", f, lambda a: a.filtered(name.format(a.ids["name"][0])), 2, by_name),
        Probe("search", "search", lambda a: a.search("investor", "Pension")),
        Probe("investors", "entity", lambda a: a.service.lp(a.ids["investor"][0])),
        Probe("managers", "lp-funds", lambda a: a.listed("lp-funds", "investor")),
        Probe("funds", "funds", lambda a: a.listed("funds")),
        Probe("last funds", "funds", lambda a: a.last("funds")),
        Probe("a manager's funds", "manager-funds", lambda a: a.listed("manager-funds", "funds")),
        Probe("rounds", "funding-rounds", lambda a: a.listed("funding-rounds", f)),
        Probe("news", "news", lambda a: a.listed("news", f)),
        Probe("last news", "news", lambda a: a.last("news", f)),
        Probe("jobs", "jobs", lambda a: a.listed("jobs", f)),
        Probe("last jobs", "jobs", lambda a: a.last("jobs", f)),
        Probe("tags", "tags", lambda a: a.find("tag", "tags.name", "software")),
        Probe("places", "locations", lambda a: a.find("location", "hq_country", "United")),
        Probe("aggregates", "aggregates", lambda a: a.service.aggregate(f, group_by="hq_country")),
    ]
    if "team" in profile.shapes:
        plan += [
            Probe("team", "team", lambda a: a.listed("team", f, several), 25),
            Probe("education", "education", lambda a: a.listed("education", "founders")),
            Probe("career", "career", lambda a: a.listed("career", "founders")),
        ]
    return plan
