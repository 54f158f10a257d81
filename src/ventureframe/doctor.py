"""Check a service with one small request per expectation, and name the worst difference
first.

No finding holds a token, a secret or an address.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from ventureframe import errors
from ventureframe.client.connection import Connection, filter_keys
from ventureframe.client.listing import Listing, Owner, endpoint
from ventureframe.client.paging import Step
from ventureframe.client.service import Service
from ventureframe.client.translate import WITHHELD
from ventureframe.interface.certificate import Cost
from ventureframe.interface.filters import Clause
from ventureframe.interface.wire.generations import WIRES
from ventureframe.interface.wire.profile import Profile

_ALL, _FUNDING = "companies", "total_funding"
_CAUSES = {
    "generation": "The service speaks another generation of its wire: connect with it",
    "key": (
        "The service answers as if no key were sent, or its plan leaves out parts:"
        " check id and secret first, then what the plan includes"
    ),
    "secret": (
        "The service repeats the secret or the token of the key in its rows: report it"
        " to its owner"
    ),
    "html": (
        "A proxy or a login page, or the edge of a network, answers: check the base"
        " address, the user agent and the network"
    ),
    "version": (
        "The version asked for is not the one that is served: update ventureframe"
    ),
    "offset": ("Offset is ignored or refused: fetch with by='cursor' where possible"),
    "ids": (
        "Ids are ignored or refused: no study is possible before its owner corrects it"
    ),
    "filter": (
        "Filters are ignored or refused: ask the owner of the service to correct it"
    ),
    "totals": "Totals are wrong: a fetch cannot be shown to be complete",
    "sort": "The sort order is ignored: sort the rows after the fetch",
    "currency": "Currencies are ignored: do not compare amounts",
    "cursor": "Cursors are ignored or refused: fetch by offset, the default",
    "fields": "Columns are missing: their nulls do not mean that nothing is recorded",
}
"""What is wrong and what to do, by cause, the worst first."""
_ENDING = (
    errors.CredentialsRejected,
    errors.TokenRejected,
    errors.CreditsExhausted,
    errors.ServiceUnreachable,
)


@dataclass(repr=False)
class Examination:
    """What was `checked`, by cause, with the details of what is not as expected.

    `unchecked` are the causes for which there was no record. The repr has a line for
    each cause that is `wrong`, the worst first.
    """

    wire: str
    checked: dict[str, list[str]] = field(default_factory=dict)
    unchecked: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> dict[str, list[str]]:
        """The details of what is not as expected, by cause, the worst first."""
        causes = dict.fromkeys([*_CAUSES, *self.checked])
        return {name: self.checked[name] for name in causes if self.checked.get(name)}

    def __repr__(self) -> str:
        lines = []
        for cause, details in self.wrong.items():
            problem = _CAUSES.get(cause, f"Not as expected: {cause}")
            texts = "; ".join(dict.fromkeys(filter(None, details)))
            lines.append(f"{problem}. {texts}".strip())
        if not lines:
            passed = ", ".join(self.checked)
            lines.append(f"All is well (wire {self.wire}). As expected: {passed}.")
        if self.unchecked:
            causes = ", ".join(dict.fromkeys(self.unchecked))
            lines.append(f"Not checked, because no record allows it: {causes}.")
        return "\n".join(map(errors.visible, lines))


def cost(service: Service) -> Cost:
    """Return what an examination takes at most, where pages have no more rows than
    requested.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> doctor.cost(vf.connect(environment={}))
    17 requests
    """
    connection = service.connection
    probes = _probes(connection.profile)
    prices = [connection.price(probe.endpoint) or 0.0 for probe in probes]
    # and one request for the description of a dataset
    return Cost(len(probes) + 1, credits=2 * sum(prices) or None)


def examine(service: Service) -> Examination:
    """Send the requests of `cost`, one after the other.

    It ends early where the key is refused or spent, where no company can be read, and
    where the service speaks another wire.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> doctor.examine(vf.connect(environment={})).wrong
    {}
    """
    connection = service.connection
    examiner = _Examiner(connection, Examination(connection.profile.name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `_Examiner.read` notes what is doubtful
        warnings.simplefilter("always", errors.WireWarning)  # when the version ends
        for probe in _probes(connection.profile):
            if not examiner.run(probe):
                break
    return examiner.examination


@dataclass
class _Examiner:
    """Sends probes, and keeps the rows that were last read, by cause."""

    connection: Connection
    examination: Examination
    cause: str = ""
    cursor: str = ""
    total: int = 0
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def run(self, probe: Probe) -> bool:
        """Send a probe and note its answer; return whether others can follow."""
        self.cause = probe.cause
        try:
            holds = probe.send(self) is not False
        except errors.ServiceError as error:
            self.note(getattr(error, "kind", "") or self.cause, str(error))
            return self.cause != _ALL and not isinstance(error, _ENDING)
        except (LookupError, errors.QueryError):  # no record to ask about
            self.examination.unchecked.append(self.cause)
            return True
        if self.cause in _LISTS and not self.rows[self.cause]:
            self.examination.unchecked.append(self.cause)
        else:
            self.note(self.cause, *[""] * (not holds))
        return "generation" not in self.examination.wrong

    def note(self, cause: str, *details: str) -> None:
        self.examination.checked.setdefault(cause, []).extend(details)

    def read(
        self, kind: str = _ALL, of: str = "", step: Step | None = None, **options: Any
    ) -> Sequence[str]:
        """Return the ids of two rows of a list, or of the rows of two records that were
        read.
        """
        owners = tuple(map(Owner, self.values(of)[:2])) if of else None
        takes = endpoint(kind, self.connection.profile)
        whole = Listing(self.connection, takes, wanted=owners, **options)
        listing = whole.parts()[0]
        step = step or Step(2, 0, has_total=listing.paging.has_totals)
        chunk = listing.read([listing.ask(step)])
        rows, page = chunk.frame.to_dicts(), chunk.pages[0]
        self.rows[self.cause] = rows
        self.cursor = page.next_cursor or self.cursor
        if step.has_total:
            self.total = page.total or 0
            self.note("totals")
            if page.total is None or page.total < len(rows):
                self.note("totals", f"{page.total!r} beside {len(rows)} {kind}")
        if chunk.absent:
            text = f"{', '.join(sorted(chunk.absent))} of {kind}"
            if chunk.unknown:
                text += (
                    f" (keys that are not known: {', '.join(sorted(chunk.unknown))})"
                )
            self.note("fields", text)
        if any(row.get(WITHHELD) for row in rows):
            self.note("key", kind)
        for doubt in chunk.doubts:
            self.note(doubt.kind, kind if doubt.kind == "key" else doubt.text)
        return self.values(self.cause)

    def values(self, cause: str, column: str = "uuid") -> tuple[str, ...]:
        values = (row.get(column) for row in self.rows[cause])
        return tuple(map(str, filter(None, values)))

    def generation(self) -> None:
        """Compare the key of the filter by tags with that of the wire in use."""
        keys = filter_keys(self.connection)
        served = [name for name, wire in WIRES.items() if wire.tag_key in keys]
        if not served:
            raise LookupError
        self.note("generation")
        if self.connection.profile.tag_key not in keys:
            self.note("generation", f"wire={served[-1]!r}")
            return
        session, pinned = self.connection.session, self.connection.profile.api_version
        if not session.asks_version:
            self.note("version", f"{pinned} is refused")
        elif pinned is not None and session.version not in (None, pinned):
            self.note("version", f"{session.version} is served, not {pinned}")

    def follows(self) -> bool:
        """Whether the page behind the cursor of the first has other rows."""
        if not self.cursor:
            raise LookupError
        return self.values(_ALL) != self.read(step=Step(2, None, self.cursor))

    def overlaps(self) -> bool:
        """Whether the page from offset 1 on begins with the second row."""
        second = self.values(_ALL)[1:2]
        return self.read(step=Step(2, 1))[:1] == second

    def ends(self) -> None:
        """Read the last two companies."""
        if self.total < 2:
            raise LookupError
        rows = len(self.read(step=Step(50, self.total - 2)))
        if not 0 < rows < 5:
            self.note("totals", f"{rows} companies where 2 are left")

    def has_ids(self, kind: str) -> bool:
        """Whether a request by ids returns all the records that were read."""
        return len(self.read(kind, kind)) == len(self.values(kind))

    def is_reversed(self) -> bool:
        """Whether the opposite order begins with other companies."""
        before = self.values("sort")
        if not self.values("sort", _FUNDING):
            raise LookupError  # without amounts every order is right
        return before != self.read(sorted_by=f"-{_FUNDING}") or not before[1:]

    def is_converted(self) -> bool:
        """Whether the same companies have other amounts in another currency."""
        before = self.values("sort", _FUNDING)
        if not before:
            raise LookupError
        currencies = self.connection.profile.currencies
        code = next(code for code in currencies if code != self.connection.currency)
        try:
            self.read(of="sort", converted_to=code)
        except errors.RequestRejected:  # which is not ignored
            raise LookupError from None
        return {*before}.isdisjoint(self.values("currency", _FUNDING))

    def since(self) -> None:
        """Filter companies by a year that was read: other rows are an error."""
        year = self.values(_ALL, "launch_date")[0]
        later = str(int(year) + 1)
        self.read(filter=Clause("launch_date", "gte", (later,)))


class Probe(NamedTuple):
    """What one request checks, and how it is sent; False is not as expected."""

    cause: str
    send: Callable[[_Examiner], object]
    endpoint: str = _ALL


_LISTS = {
    "founders": "",
    "funds": "",
    "news": _ALL,
    "jobs": _ALL,
    "funding-rounds": _ALL,
    "education": "founders",
    "career": "founders",
}
"""The lists that are only read, each with the records that its rows belong to."""
_PROBES = (
    Probe("list of filters", _Examiner.generation, "filters"),
    Probe(_ALL, _Examiner.read),
    Probe("cursor", _Examiner.follows),
    Probe("offset", _Examiner.overlaps),
    Probe("last page", _Examiner.ends),
    Probe("ids", partial(_Examiner.has_ids, kind=_ALL)),
    Probe("sort", partial(_Examiner.read, sorted_by=_FUNDING)),
    Probe("sort", _Examiner.is_reversed),
    Probe("currency", _Examiner.is_converted),
    Probe("filter", _Examiner.since),
    *(
        Probe(kind, partial(_Examiner.read, kind=kind, of=of), kind)
        for kind, of in _LISTS.items()
    ),
    Probe("ids", partial(_Examiner.has_ids, kind="founders"), "founders"),
)
"""Every probe in its order: later ones use the rows of earlier ones."""


def _probes(profile: Profile) -> list[Probe]:
    """Return the probes of the endpoints that the wire has."""
    return [probe for probe in _PROBES if probe.endpoint in profile.paths]
