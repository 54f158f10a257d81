"""Sends a service one small request per endpoint and says what of its wire's table holds.

Nothing that a finding says holds a token, a secret or an address.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import urlencode

from ventureframe import errors
from ventureframe.client.decode import Chunk, Rows, records
from ventureframe.client.listing import Connection, Listing, Owner, filter_keys
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.client.translate import WITHHELD
from ventureframe.client.walk import Step
from ventureframe.interface import fields, filters
from ventureframe.interface.fields import Resource
from ventureframe.interface.reply import Reply, page, rows_of
from ventureframe.interface.wire.generations import WIRES

_SIGNS: Final = {True: "holds", False: "DOES NOT HOLD", None: "not seen"}
_LAST: Final = (errors.CredentialsRejected, errors.TokenRejected, errors.CreditsExhausted)
_UNDERSTOOD: Final = "the request is understood"
_ANSWERED: Final = "the answer is what was asked for"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an answer shows: whether it holds, None where that is not seen."""

    name: str
    holds: bool | None
    seen: str

    def __str__(self) -> str:
        return errors.visible(f"{_SIGNS[self.holds]}: {self.name} ({self.seen})")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a probe: its request in the wire's words, and what it shows."""

    name: str
    request: str
    findings: tuple[Finding, ...]
    credits: float = 0

    def __str__(self) -> str:
        return "\n  ".join([f"{self.name}: {self.request}", *map(str, self.findings)])


def examine(service: Service) -> Iterator[Answer]:
    """One answer per request, each as soon as it is there, the generation of the wire first.

    About 25 requests of two rows each. It ends early where the key is refused or spent, and where
    the service speaks another wire.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> with vf.connect(environment={}) as svc:
    ...     print(next(doctor.examine(svc)).findings[0])
    holds: wire interface (companies are filtered by tag_id)
    """
    exam = _Examination(service.connection)
    for name, probe in _probes(exam):
        exam.request, exam.credits, exam.rows, is_last = "not sent", 0, [], False
        try:
            findings = tuple(probe)
            is_last = name == "wire" and findings[0].holds is False
        except LookupError:
            findings = (Finding("it can be asked", None, "no earlier answer gave what it names"),)
        except (errors.QueryError, errors.ServiceError) as error:
            rule = _ANSWERED if isinstance(error, errors.UnreadableReply) else _UNDERSTOOD
            rule = "the key may read it" if getattr(error, "status", None) == 403 else rule
            holds = None if isinstance(error, errors.QueryError) else False
            findings = (Finding(rule, holds, str(error)),)
            is_lost = name == "wire" and isinstance(error, errors.ServiceUnreachable)
            is_last = is_lost or isinstance(error, _LAST)
        yield Answer(name, exam.request, findings, exam.credits)
        if is_last:
            return


class _Examination:
    """A connection that notes its requests; `rows` are those of the last answer, as read."""

    def __init__(self, connection: Connection) -> None:
        self._session = connection.session
        self.connection = connection = copy.copy(connection)
        connection.session = cast("Session", self)
        self.profile, self.request, self.credits = connection.profile, "", 0.0
        self.rows, self.cursors = list[dict[str, Any]](), list[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Reply:
        """Send a request as the session does, and note it."""
        query = urlencode(parameters or {}, safe="[]:|,")
        if path != self.profile.paths["dataset"]:
            self.request = f"GET {path}{query and f'?{query}'}"
        reply = self._session.get(path, parameters)
        self.credits += reply.credits or 0
        return reply

    def texts(self, path: str) -> list[str]:
        """The texts under a path that a request can name, first those of rows with most lists."""
        rows: list[Any] = sorted(self.rows, key=lambda row: -sum(map(bool, row.values())))
        for name in path.split("."):
            values = [row.get(name) for row in rows if isinstance(row, dict)]
            lists = (value if isinstance(value, list) else [value] for value in values)
            rows = [entry for entries in lists for entry in entries]
        texts = dict.fromkeys(text for text in rows if isinstance(text, str))
        return [text for text in texts if len(text) > 2 and not {*text} & {*"|,()[]{}"}]

    def listed(
        self, endpoint: str, ids: Sequence[str] = ("",), *, where: str = "", **asked: Any
    ) -> Iterator[Finding]:
        """Ask for two rows, or with the largest limit for those of two ids."""
        first, limit, cursor = ids[0], 2, asked.pop("cursor", None)
        if where:
            asked["filter"] = filters.parse(f"{where}:{'|'.join(ids[:2])}")
        elif "{id}" in self.profile.paths[endpoint]:
            asked["owner"] = Owner(first)
        elif first:
            asked["owners"] = tuple(map(Owner, ids[:2]))
            limit = self.profile.limits[endpoint].maximum
        listing = Listing(self.connection, endpoint, **asked)
        has_total = listing.paging.has_totals and cursor is None
        chunk = listing.read([listing.ask(Step(limit, cursor=cursor, has_total=has_total))])
        yield from self._read(chunk, listing.resource, endpoint)
        (about,) = chunk.pages
        self.cursors += filter(None, [about.next_cursor])
        if has_total:
            holds = about.total is not None and about.total >= len(self.rows)
            yield Finding("page.total", holds, f"{about.total!r} beside {len(self.rows)} rows")
        for doubt in chunk.doubts:
            yield Finding(_ANSWERED, None if about.notices else False, doubt)

    def asked(
        self, endpoint: str, resource: Resource | None, ids: Sequence[str] = ("",), **asked: str
    ) -> Iterator[Finding]:
        """Ask for rows that are not paged, or for the record with the first of the ids."""
        uuid = ids[0]
        path = self.profile.paths[endpoint].replace("{id}", uuid).replace("{source}", "companies")
        reply = self.get(path, asked)
        content = reply.json()
        self.rows = rows_of(reply, {**content, "data": [content.get("data")]} if uuid else content)
        if resource is None:
            yield Finding(f"rows of {endpoint}", True, f"{len(self.rows)} rows")
            return
        kind, key = resource.singular if uuid else endpoint, self.profile.kind_key
        for text in self.texts(key) if uuid else ():
            yield Finding(f"its kind in {key!r}", text == kind, f"{text!r}")
        page(reply, content)  # an error where what it says of its rows is wrong
        chunk = records(reply, self.rows, Rows(resource, self.profile.shapes.get(kind)))
        yield from self._read(chunk, resource, kind)

    def _read(self, chunk: Chunk, resource: Resource, kind: str) -> Iterator[Finding]:
        """Whether the rows have every field, and what they withhold."""
        self.rows = rows = chunk.frame.to_dicts()
        of_path = {"manager"} if kind == "manager-funds" else set()  # which says the manager
        missing = [key.name for key in resource.returned if key.name in chunk.absent - of_path]
        seen = f"without {', '.join(missing)}" if missing else f"{len(rows)} rows, each with all"
        yield Finding(f"fields of {kind}", not missing if rows else None, seen)
        if closed := [names for row in rows if (names := row.get(WITHHELD))]:
            seen = f"withheld from {len(closed)} of {len(rows)} rows: check the key, then its plan"
            yield Finding(f"{', '.join(sorted(set().union(*closed)))} of {kind}", None, seen)

    def wire(self) -> Iterator[Finding]:
        """The generation that the filters name; another one ends the examination."""
        profile, keys = self.profile, filter_keys(self.connection.session)
        spoken = [name for name, wire in WIRES.items() if wire.tag_key in keys]
        holds = profile.name in spoken if spoken and profile.name in WIRES else None
        tags = " and ".join(WIRES[name].tag_key for name in spoken)
        seen = f"companies are filtered by {tags or 'neither tag_id nor taxonomy_id'}"
        if holds is False:
            seen += f": use vf.connect(wire={spoken[0]!r}), or VENTUREFRAME_WIRE={spoken[0]}"
        yield Finding(f"wire {profile.name}", holds, seen)
        if served := self._session.version:
            version = profile.api_version
            yield Finding(f"version {version}", version in (None, served), f"{served} is served")

    def next(self, before: Sequence[str]) -> Iterator[Finding]:
        """Whether the cursor of the first page leads to other rows."""
        yield from self.listed("companies", cursor=self.cursors[0], converted_to="EUR")
        moved = bool(self.rows) and {*before}.isdisjoint(self.texts("uuid"))
        seen = "the next rows" if moved else "the same rows as before, or none"
        yield Finding(f"cursor in {self.profile.cursor_parameter!r}", moved, seen)

    def tags(self, label: str) -> Iterator[Finding]:
        """Whether tags are those of the filter that takes them."""
        asked = {"q": label, "scope": self.profile.tag_scope, "limit": "5"}
        yield from self.asked("tags", fields.TAGS, **asked)
        key, keys = self.profile.tag_key, self.texts("filter_key")
        seen = f"{len(self.rows)} rows, those of {', '.join(keys) or 'no filter'}"
        yield Finding(f"tags of the filter {key}", key in keys if keys else None, seen)


def _probes(exam: _Examination) -> Iterator[tuple[str, Iterator[Finding]]]:
    """Every probe: its name and what it finds, where it may use what the answers before gave."""
    asked, listed, ids = exam.asked, exam.listed, dict[str, list[str]]()
    yield "wire", exam.wire()
    yield "companies", listed("companies", converted_to="EUR")
    ids["company"], ids["founder"] = exam.texts("uuid"), exam.texts("founders")
    label, *_ = *(name for name in exam.texts("tags.name") if len(name) > 2), "software"
    place, *_ = *exam.texts("hq_country"), "United"
    yield "companies, by cursor", exam.next(ids["company"])
    yield "companies, by id", listed("companies", ids["company"])
    startups = listed("companies", ["true"], where="is_startup[eq]", sorted_by="-team_size")
    yield "companies, filter and sort", startups
    yield "founders", listed("founders")
    ids["founder"] = exam.texts("uuid") or ids["founder"]
    yield "founders, by id", listed("founders", ids["founder"])
    for resource, word in ((fields.UNIVERSITIES, "University"), (fields.INVESTORS, "Pension")):
        kind = resource.singular
        search = asked("search", fields.SEARCH, q=word, types=kind, limit="1")
        yield f"search by name: {kind}", search
        ids[kind], ids[f"{kind} name"] = exam.texts("uuid"), exam.texts("name")
        yield f"record by id: {kind}", asked("entity", resource, ids[kind])
    pool = listed("companies", ids["university name"][:1], where="founder_university_name[eq]")
    yield "companies, by a founder's university", pool
    yield "an investor's managers", listed("lp-funds", ids["investor"])
    yield "funds", listed("funds", converted_to="EUR")
    ids["manager"] = exam.texts("manager.uuid")
    yield "funds, by id", listed("funds", ids["manager"], where="investor_id[in_any]")
    yield "a manager's funds", listed("manager-funds", ids["manager"])
    yield "a company's rounds", listed("funding-rounds", ids["company"])
    yield "news, by id", listed("news", ids["company"])
    yield "jobs, by id", listed("jobs", ids["company"])
    yield "tags", exam.tags(label)
    yield "locations", asked("locations", fields.LOCATIONS, q=place, type="country", limit="5")
    status = exam.profile.groups.get("company_status", "company_status")
    yield "aggregates", asked("aggregates", None, metric="count", group_by=status, limit="5")
    for shape in exam.profile.shapes.values():
        whose = shape.resource.singular
        for glance in shape.glances.values():
            yield f"a {whose}'s {glance.endpoint}", listed(glance.endpoint, ids[whose])
