"""Sends a service one small request per endpoint and says what of the wire's table holds.

Where the interface says "not shown" the wire profile chooses; a service that chose otherwise is
met by another profile. Nothing that a finding says holds a token, a secret or an address.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlencode

from ventureframe import errors
from ventureframe.client.decode import Chunk, Rows, decode
from ventureframe.client.envelope import of_page, rows_of
from ventureframe.client.service import Service
from ventureframe.client.translate import WITHHELD
from ventureframe.doctor.probes import USUAL, NotKnown, Probe, probes
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.generations import WIRES
from ventureframe.interface.wire.profile import INTERFACE, Profile

_FEW: Final = 2
_MARKS: Final = frozenset("|,()[]{}")
_SIGNS: Final = {True: "holds", False: "DOES NOT HOLD", None: "not seen"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an answer shows: whether it holds (None: not seen), what to change if not.

    `is_last` says that after it no other request can tell anything.
    """

    name: str
    holds: bool | None
    seen: str
    change: str = ""
    is_last: bool = False

    def __str__(self) -> str:
        change = f" → {self.change}" if self.change and self.holds is False else ""
        return errors.visible(f"{_SIGNS[self.holds]}: {self.name} ({self.seen}){change}")


@dataclass(frozen=True)
class Answer:
    """The answer to one request: `rows` as they are written, `chunk` as the client reads them.

    `error` says why there is no reply, or why it cannot be read. `known` is what earlier answers
    gave.
    """

    probe: Probe
    profile: Profile = field(repr=False)
    known: Mapping[str, Any] = field(repr=False)
    request: str = "not sent"
    asked: Mapping[str, str] = field(default_factory=dict, repr=False)
    reply: Reply | None = None
    content: Mapping[str, Any] = field(default_factory=dict, repr=False)
    rows: list[dict[str, Any]] = field(default_factory=list, repr=False)
    chunk: Chunk | None = field(default=None, repr=False)
    error: Exception | None = None

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the answer shows."""
        if self.error is not None:
            return (_refused(self, self.error),)
        own = _CHECKS.get(self.probe.check)
        return (*(own(self) if own else ()), *_fields(self))

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The rows in the interface's fields; none where they cannot be read."""
        return [] if self.chunk is None else self.chunk.frame.to_dicts()

    def page(self, name: str) -> Any:
        """What `page` says under a name."""
        return of_page(self.content).get(name)

    def __str__(self) -> str:
        return "\n  ".join([f"{self.probe.name}: {self.request}", *map(str, self.findings)])


def examine(service: Service, *, rows: int = 2) -> Iterator[Answer]:
    """One answer per request, each as soon as it is there, the generation of the wire first.

    About 25 requests of a few rows each; `rows` asks for more of them where lists are read. It
    ends early where the key is refused or spent, and where the service speaks another wire.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> with vf.connect(environment={}) as svc:
    ...     print(next(doctor.examine(svc)).findings[0])
    holds: wire interface (companies are filtered by tag_id)
    """
    profile = service.connection.profile
    known: dict[str, Any] = {"rows": rows, "profile": profile, "first": {**USUAL}}
    for probe in probes(profile):
        answer = _answer(probe, service, {**known})
        yield answer
        if any(each.is_last for each in answer.findings):
            return
        for name, values in _given(answer):
            if values and name not in known:
                known[name], known["first"][name] = "|".join(values), values[0]


def _answer(probe: Probe, service: Service, known: Mapping[str, Any]) -> Answer:
    answer = Answer(probe, service.connection.profile, known)
    try:
        path, asked = probe.filled(known, service.connection)
        request = f"GET {path}" + (f"?{urlencode(asked, safe='[]:|,')}" if asked else "")
        answer = dataclasses.replace(answer, request=request, asked=asked)
        reply = service.connection.session.get(path, asked)
        answer = dataclasses.replace(answer, reply=reply, content=reply.json())
        return _read(answer, reply)
    except (NotKnown, errors.QueryError, errors.ServiceError) as error:
        return dataclasses.replace(answer, error=error)


def _read(answer: Answer, reply: Reply) -> Answer:
    """The answer with its rows, read as the client reads them; `UnreadableReply` if it cannot."""
    probe, profile, data = answer.probe, answer.profile, answer.content.get("data")
    rows = rows_of(reply, {"data": [data] if probe.kind else data})
    if probe.check == "tags":  # other filters' values are among them
        is_tag = {"kind": "value", "filter_key": profile.tag_key}.items()
        rows = [row for row in rows if all(row.get(name, value) == value for name, value in is_tag)]
    if probe.resource is None:
        return dataclasses.replace(answer, rows=rows)
    body = json.dumps({**answer.content, "data": rows}).encode()
    kind = Rows(probe.resource, profile.shapes.get(probe.of))
    whole = dataclasses.replace(reply, body=body)
    chunk = decode([whole], kind, profile=profile, currency=answer.asked.get("currency"))
    return dataclasses.replace(answer, rows=rows, chunk=chunk)


def _given(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """What the answer gives to later requests, under its names: values of declared fields."""

    def lists(row: Mapping[str, Any]) -> int:
        """How many lists have an entry: lists of their own show more of such a row."""
        return sum(isinstance(value, list) and bool(value) for value in row.values())

    rows = sorted(answer.records, key=lists, reverse=True)
    for name, column in answer.probe.gives.items():
        texts = (each for each in held(rows, column) if not set(each) & _MARKS)
        yield name, [each for each in texts if len(each) >= answer.profile.tag_minimum][:_FEW]
    if isinstance(cursor := answer.page(answer.profile.next_cursor), str):
        yield "cursor", [cursor]


def held(rows: Iterable[Any], path: str) -> list[str]:
    """The texts under a path of members, each once; lists on the way are opened, records not."""
    for name in path.split("."):
        values = [row.get(name) for row in rows if isinstance(row, dict)]
        lists = (value if isinstance(value, list) else [value] for value in values)
        rows = [each for entries in lists for each in entries]
    return list(dict.fromkeys(each for each in rows if isinstance(each, str)))


def line(profile: Profile, of: str) -> str:
    """What in which file says where the fields of an endpoint's rows stand."""
    shape = f"shapes[{of!r}]" if of in profile.shapes else f"a shape for {of!r}"
    return f"{shape} in {table(profile)}"


def table(profile: Profile) -> str:
    """The file with the table of a wire."""
    if profile.name not in WIRES:
        return f"the table of {profile.name!r}"
    own = "profile" if profile.name == INTERFACE.name else f"y{profile.name.replace('-', '_')}"
    return f"interface/wire/{own}.py"


_ADVICE: Final[tuple[tuple[type[Exception], int | None, str], ...]] = (
    (errors.CredentialsRejected, None, "check the key, or Profile(token_body='form' or 'basic')"),
    (errors.NotFound, None, "Profile(paths=…) with the service's own path, or it is not offered"),
    (errors.RequestRejected, 400, "Profile(client_id_header=…) or the parameter it names"),
    (errors.RequestRejected, 422, "Profile(limits=…) with a smaller maximum"),
)
"""What to change, where the error itself does not say what to do."""
_HOPELESS: Final = (errors.CredentialsRejected, errors.TokenRejected, errors.CreditsExhausted)
"""Errors after which no other request can tell anything."""


def _refused(answer: Answer, error: Exception) -> Finding:
    if not isinstance(error, errors.ServiceError):
        return Finding("it can be asked", None, str(error))
    where, details = table(answer.profile), error.details
    if isinstance(error, errors.UnreadableReply):
        change = f"correct the type in {where}, or report it to the owner"
        return Finding(f"types of {answer.probe.of}", False, str(error), change)
    advice = (
        each
        for kind, status, each in _ADVICE
        if isinstance(error, kind) and status in (None, error.status)
    )
    change = next(advice, "")
    if isinstance(details, dict) and details.get("replaced_by"):
        change = f"name the filter {details['replaced_by']!r} in `filters` of {where}"
    is_lost = isinstance(error, errors.ServiceUnreachable) and answer.probe.check == "wire"
    name = "the key may read it" if error.status == 403 else "the request is understood"
    return Finding(name, False, str(error), change, is_lost or isinstance(error, _HOPELESS))


# --- what is checked


_UPDATE: Final = "update ventureframe, which then knows the newer version"
_NO_TOTAL: Final = "results will say 'total not reported', and count() will fail"
_NOT: Final = "report it to the owner: results will not be complete, or be refused"
_OFFSET: Final = "Profile(cursor_endpoints=frozenset()): pages are then asked for by offset"
_FILTERS: Final = "find the parameter in the service's documentation: Profile(filters=…)"
_OWNER: Final = {"funds": "manager.uuid", "news": "entity_ids", "jobs": "entity_id"}
"""The column of the ids in a filter, where that is not the id of the row."""


def _fields(answer: Answer) -> Iterator[Finding]:
    """Whether the rows have every field, what they withhold, and whether their total is said."""
    of, chunk, count = answer.probe.of, answer.chunk, len(answer.rows)
    if chunk is None or not count:
        yield Finding(f"rows of {of}", True if count else None, f"{count} rows")
    else:
        missing = [name for name in chunk.frame.columns if name in chunk.absent]
        shape = answer.profile.shapes.get(answer.probe.endpoint)
        known = (
            {key.name for key in shape.keys} if shape else set(chunk.frame.columns) - chunk.extra
        )
        extra = sorted({name for row in answer.rows for name in row} - known)
        seen = f"without {', '.join(missing)}" if missing else f"{count} rows, each with all"
        seen += f"; has {', '.join(extra)} instead" if missing and extra else ""
        change = f"say where they stand now in {line(answer.profile, of)}; until then null"
        yield Finding(f"fields of {of}", not missing, seen, change)
    closed = [row[WITHHELD] for row in answer.records if row.get(WITHHELD)]
    if names := ", ".join(sorted({name for each in closed for name in each})):
        yield Finding(f"{names} of {of}", None, f"withheld from {len(closed)} of {count} rows")
    if "include_total" in answer.asked:
        total = answer.page("total")
        counts = type(total) is int and total >= count
        seen = repr(total) if counts or total is None else f"{total!r} beside {count} rows"
        yield Finding("page.total", counts, seen, _NO_TOTAL if total is None else _NOT)


def _wire(answer: Answer) -> Iterator[Finding]:
    """The generation that the filters name, and its version; another one ends the examination."""
    profile, headers = answer.profile, answer.reply.headers if answer.reply else {}
    keys = {*held(answer.rows, "filter_key"), *held(answer.rows, "key")}
    spoken = [name for name, wire in WIRES.items() if wire.tag_key in keys]
    holds = profile.name in spoken if spoken and profile.name in WIRES else None
    named = " and ".join(WIRES[name].tag_key for name in spoken)
    seen = f"companies are filtered by {named or 'neither tag_id nor taxonomy_id'}"
    change = " or ".join(
        f"vf.connect(wire={each!r}), or VENTUREFRAME_WIRE={each}" for each in spoken
    )
    yield Finding(f"wire {profile.name}", holds, seen, change, is_last=holds is False)
    if wanted := profile.api_version:
        served = headers.get(profile.version_header)
        holds = served == wanted if served else None
        yield Finding(f"version {wanted}", holds, f"{served} is served", _UPDATE)
    if ends := headers.get("Sunset") or headers.get("Deprecation"):
        yield Finding("the version stays in service", False, f"it ends: {ends}", _UPDATE)


def _cursor(answer: Answer) -> Iterator[Finding]:
    """Whether the cursor of the first page leads to other rows."""
    uuids, first = held(answer.records, "uuid"), answer.known.get("companies", "").split("|")
    moved = bool(uuids) and set(uuids).isdisjoint(first)
    seen = "the next rows" if moved else "the same rows as before, or none"
    yield Finding(f"cursor in {answer.profile.cursor_parameter!r}", moved, seen, _OFFSET)


def _ids(answer: Answer) -> Iterator[Finding]:
    """Whether each row has one of the ids, and whether there are rows for their own ids."""
    by, _, values = answer.asked["filter"].partition("[in_any]:")
    own, ids = _OWNER.get(answer.probe.endpoint, "uuid"), {*values.lower().split("|")}
    strangers = sum(ids.isdisjoint(held([row], own)) for row in answer.records)
    seen = f"{len(answer.records)} rows for {len(ids)} ids, {strangers} of others"
    holds = not strangers and (bool(answer.records) or own != "uuid" or None)
    yield Finding(f"ids as filter={by}[in_any]:…", holds, seen, _FILTERS)


def _kept(answer: Answer) -> Iterator[Finding]:
    """Whether the rows are startups, the largest team first, as they were asked for."""
    flags = [row["is_startup"] for row in answer.records]
    sizes = [-1 if row["team_size"] is None else row["team_size"] for row in answer.records]
    holds = all(flags) if any(flags) else None
    seen = f"{sum(flag is True for flag in flags)} of {len(flags)} rows are startups"
    yield Finding(f"filter={answer.asked['filter']}", holds, seen, _FILTERS)
    holds = sizes == sorted(sizes, reverse=True) if len(set(sizes)) > 1 else None
    seen, change = f"{len(set(sizes))} team sizes", _FILTERS.replace("filters", "sorts")
    yield Finding(f"sort={answer.asked['sort']}", holds, seen, change)


def _kind(answer: Answer) -> Iterator[Finding]:
    """Whether a record says its kind where it is looked for."""
    key, change = answer.profile.kind_key, "Profile(kind_key=…) with the member that says it"
    for kind in held(answer.rows, key):
        yield Finding(f"its kind in {key!r}", kind == answer.probe.kind, f"{kind!r}", change)


def _tags(answer: Answer) -> Iterator[Finding]:
    """Whether tags are those of the filter that takes them."""
    wanted, keys = answer.profile.tag_key, held(answer.content["data"], "filter_key")
    seen = f"{len(answer.rows)} of them, among those of {', '.join(keys) or 'no filter'}"
    advice = f"Profile(tag_key=…) with one of them: no tag is found under {wanted!r}"
    yield Finding(f"tags of the filter {wanted}", wanted in keys if keys else None, seen, advice)


_CHECKS: Final[Mapping[str, Callable[[Answer], Iterable[Finding]]]] = {
    each.__name__[1:]: each for each in (_wire, _cursor, _ids, _kept, _kind, _tags)
}
"""The checks that a probe names; `_fields` follows each."""
