"""Sends a service one small request per endpoint and says what of its wire's table holds.

Nothing that a finding says holds a token, a secret or an address.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from ventureframe import errors
from ventureframe.client import checks
from ventureframe.client.decode import Chunk, Rows, decode
from ventureframe.client.listing import Connection
from ventureframe.client.service import Service
from ventureframe.client.translate import WITHHELD
from ventureframe.interface import fields, filters
from ventureframe.interface.fields import Resource
from ventureframe.interface.reply import Reply, of_page, rows_of
from ventureframe.interface.wire.generations import WIRES
from ventureframe.interface.wire.profile import Profile

_SIGNS: Final = {True: "holds", False: "DOES NOT HOLD", None: "not seen"}
_LAST: Final = (errors.CredentialsRejected, errors.TokenRejected, errors.CreditsExhausted)
"""Errors after which no other request can tell anything."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an answer shows: whether it holds, None where that is not seen.

    `is_last` says that after it no other request can tell anything.
    """

    name: str
    holds: bool | None
    seen: str
    is_last: bool = False

    def __str__(self) -> str:
        return errors.visible(f"{_SIGNS[self.holds]}: {self.name} ({self.seen})")


@dataclass
class Answer:
    """The answer to the request of a probe, and what it shows.

    `rows` are as they are written, those of `chunk` as the client reads them; `known` is what
    earlier answers gave.
    """

    probe: Probe
    profile: Profile = field(repr=False)
    known: Mapping[str, Any] = field(repr=False)
    request: str = "not sent"
    parameters: dict[str, str] = field(default_factory=dict, repr=False)
    reply: Reply | None = None
    content: Mapping[str, Any] = field(default_factory=dict, repr=False)
    rows: list[dict[str, Any]] = field(default_factory=list, repr=False)
    chunk: Chunk | None = field(default=None, repr=False)
    findings: tuple[Finding, ...] = ()

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows in the interface's fields; none where they cannot be read."""
        return [] if self.chunk is None else self.chunk.frame.to_dicts()

    def __str__(self) -> str:
        return "\n  ".join([f"{self.probe.name}: {self.request}", *map(str, self.findings)])


Check = Callable[[Answer], Iterable[Finding]]


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
    profile = service.connection.profile
    known: dict[str, Any] = {"profile": profile, "label": "software", "place": "United"}
    for probe in _probes(profile):
        answer = Answer(probe, profile, {**known})
        try:
            _fill(answer, service.connection)
            answer.findings = (*(probe.check(answer) if probe.check else ()), *_fields(answer))
        except KeyError as missing:
            reason = f"no earlier answer gave {missing.args[0]}"
            answer.findings = (Finding("it can be asked", None, reason),)
        except (errors.QueryError, errors.ServiceError) as error:
            answer.findings = (_refused(answer, error),)
        yield answer
        if any(finding.is_last for finding in answer.findings):
            return
        # first the rows with most lists: further lists have more to show for these
        rows = sorted(answer.records, key=lambda row: -sum(bool(row[name]) for name in row))
        for name, column in probe.gives.items():
            texts = [text for text in _texts(rows, column) if not {*text} & {*"|,()[]{}"}]
            if texts := [text for text in texts if len(text) >= profile.tag_minimum]:
                known |= {name: texts[0], f"{name} ids": "|".join(texts[:2])}
        for cursor in _texts([of_page(answer.content)], profile.next_cursor):
            known.setdefault("cursor", cursor)


def _fill(answer: Answer, connection: Connection) -> None:
    """Send the request, in the wire's words, and read the rows as the client reads them.

    Raises `KeyError` where the request names what no earlier answer gave.
    """
    probe, profile, parameters = answer.probe, answer.profile, answer.parameters
    target, _, query = probe.request.partition("?")
    identifier = target.partition(" ")[2].format_map(answer.known)
    path = profile.paths[probe.endpoint].replace("{id}", identifier).replace("{source}", identifier)
    for name, text in parse_qsl(query):
        value = text.format_map(answer.known)
        if name == "filter":
            value = str(connection.outward(filters.parse(value)))
        elif name in ("sort", "group_by"):
            plain = value.removeprefix("-")
            own = profile.sorts if name == "sort" else profile.groups
            value = value.removesuffix(plain) + own.get(plain, plain)
        if name != "include_total" or probe.endpoint not in profile.uncounted:
            parameters[name.format_map(answer.known)] = value
    parameters |= profile.fixed.get(probe.endpoint, {})
    query = urlencode(parameters, safe="[]:|,")
    answer.request = f"GET {path}{query and f'?{query}'}"
    answer.reply = reply = connection.session.get(path, parameters)
    answer.content = content = reply.json()
    data = content.get("data")
    answer.rows = rows = rows_of(reply, {**content, "data": [data] if probe.kind else data})
    if probe.resource is not None:
        whole = dataclasses.replace(reply, body=json.dumps({**content, "data": rows}).encode())
        kind = Rows(probe.resource, profile.shapes.get(probe.kind or probe.endpoint))
        currency = parameters.get("currency")
        chunk = decode([whole], kind, profile=profile)
        request = checks.Request(probe.resource, currency=currency)
        checks.check(chunk, request, "envelope", "values")
        answer.chunk = chunk


def _texts(rows: Iterable[Any], path: str) -> list[str]:
    """The texts under a path of members, each once; lists on the way are opened, records not."""
    for name in path.split("."):
        values = [row.get(name) for row in rows if isinstance(row, dict)]
        lists = (value if isinstance(value, list) else [value] for value in values)
        rows = [entry for entries in lists for entry in entries]
    return list(dict.fromkeys(entry for entry in rows if isinstance(entry, str)))


def _refused(answer: Answer, error: errors.VentureframeError) -> Finding:
    status = getattr(error, "status", None)
    name = "the key may read it" if status == 403 else "the request is understood"
    if isinstance(error, errors.UnreadableReply):
        name = f"types of {answer.probe.kind or answer.probe.endpoint}"
    is_lost = isinstance(error, errors.ServiceUnreachable) and answer.probe.check is _wire
    holds = None if isinstance(error, errors.QueryError) else False
    return Finding(name, holds, str(error), is_lost or isinstance(error, _LAST))


def _fields(answer: Answer) -> Iterator[Finding]:
    """Whether the rows have every field, what they withhold, and whether their total is said."""
    of, chunk, count = answer.probe.kind or answer.probe.endpoint, answer.chunk, len(answer.rows)
    if chunk is None or not count:
        yield Finding(f"rows of {of}", True if count else None, f"{count} rows")
    else:
        missing = [name for name in chunk.frame.columns if name in chunk.absent]
        seen = f"without {', '.join(missing)}" if missing else f"{count} rows, each with all"
        yield Finding(f"fields of {of}", not missing, seen)
    closed = [row[WITHHELD] for row in answer.records if row.get(WITHHELD)]
    if withheld := ", ".join(sorted({name for names in closed for name in names})):
        yield Finding(f"{withheld} of {of}", None, f"withheld from {len(closed)} of {count} rows")
    if "include_total" in answer.parameters:
        total = of_page(answer.content).get("total")
        holds = type(total) is int and total >= count
        yield Finding("page.total", holds, f"{total!r} beside {count} rows")


def _wire(answer: Answer) -> Iterator[Finding]:
    """The generation that the filters name; another one ends the examination."""
    profile = answer.profile
    keys = {*_texts(answer.rows, "filter_key"), *_texts(answer.rows, "key")}
    spoken = [name for name, wire in WIRES.items() if wire.tag_key in keys]
    holds = profile.name in spoken if spoken and profile.name in WIRES else None
    tags = " and ".join(WIRES[name].tag_key for name in spoken)
    seen = f"companies are filtered by {tags or 'neither tag_id nor taxonomy_id'}"
    if holds is False:
        seen += f": use vf.connect(wire={spoken[0]!r}), or VENTUREFRAME_WIRE={spoken[0]}"
    yield Finding(f"wire {profile.name}", holds, seen, is_last=holds is False)
    if served := answer.reply and answer.reply.headers.get(profile.version_header):
        version = profile.api_version
        yield Finding(f"version {version}", version in (None, served), f"{served} is served")


def _cursor(answer: Answer) -> Iterator[Finding]:
    """Whether the cursor of the first page leads to other rows."""
    uuids = _texts(answer.records, "uuid")
    moved = bool(uuids) and {*answer.known.get("company ids", "").split("|")}.isdisjoint(uuids)
    seen = "the next rows" if moved else "the same rows as before, or none"
    yield Finding(f"cursor in {answer.profile.cursor_parameter!r}", moved, seen)


def _ids(answer: Answer) -> Iterator[Finding]:
    """Whether each row has one of the ids, and whether there are rows for their own ids."""
    by, _, values = answer.parameters["filter"].partition("[in_any]:")
    owners = {"funds": "manager.uuid", "news": "entity_ids", "jobs": "entity_id"}
    own, ids = owners.get(answer.probe.endpoint, "uuid"), {*values.lower().split("|")}
    strangers = sum(ids.isdisjoint(_texts([row], own)) for row in answer.records)
    seen = f"{len(answer.records)} rows for {len(ids)} ids, {strangers} of others"
    holds = not strangers and (bool(answer.records) or own != "uuid" or None)
    yield Finding(f"ids as filter={by}[in_any]:…", holds, seen)


def _kept(answer: Answer) -> Iterator[Finding]:
    """Whether the rows are startups, the largest team first."""
    flags = [row["is_startup"] for row in answer.records]
    sizes = [-1 if row["team_size"] is None else row["team_size"] for row in answer.records]
    holds = all(flags) if any(flags) else None
    seen = f"{sum(flag is True for flag in flags)} of {len(flags)} rows are startups"
    yield Finding(f"filter={answer.parameters['filter']}", holds, seen)
    holds = sizes == sorted(sizes, reverse=True) if len({*sizes}) > 1 else None
    yield Finding(f"sort={answer.parameters['sort']}", holds, f"{len({*sizes})} team sizes")


def _kind(answer: Answer) -> Iterator[Finding]:
    """Whether a record says its kind where it is looked for."""
    key = answer.profile.kind_key
    for kind in _texts(answer.rows, key):
        yield Finding(f"its kind in {key!r}", kind == answer.probe.kind, f"{kind!r}")


def _tags(answer: Answer) -> Iterator[Finding]:
    """Whether tags are those of the filter that takes them."""
    key, keys = answer.profile.tag_key, _texts(answer.rows, "filter_key")
    seen = f"{len(answer.rows)} rows, those of {', '.join(keys) or 'no filter'}"
    yield Finding(f"tags of the filter {key}", key in keys if keys else None, seen)


@dataclass(frozen=True, slots=True)
class Probe:
    """One request, what its answer is checked for, and what the answer gives to later requests.

    `request` is the endpoint, the id in its path, and parameters, in the interface's words. It may
    name what an earlier answer gave: `{company}` is one id, `{company ids}` are several. `gives`
    are names with the column that holds their values. `kind` says what a single record is.
    """

    name: str
    request: str
    resource: Resource | None = None
    check: Check | None = None
    gives: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""

    @property
    def endpoint(self) -> str:
        """What the profile's paths call it."""
        return self.request.partition("?")[0].partition(" ")[0]


_TWO: Final = "limit=2&include_total=true"
_WITH: Final = "companies?limit=2&currency=EUR"
_NEXT: Final = f"{_WITH}&{{profile.cursor_parameter}}={{cursor}}"
_POOL: Final = "companies?limit=2&filter=founder_university_name[eq]:{university name}"
_STARTUPS: Final = "companies?limit=2&filter=is_startup[eq]:true&sort=-team_size"
_COMPANY: Final = {
    "company": "uuid",
    "founder": "founders",
    "label": "tags.name",
    "place": "hq_country",
}
_OF_MANAGER: Final = Resource(
    "funds", "fund", tuple(kept for kept in fields.FUNDS.fields if kept.name != "manager")
)
"""The path of a manager's funds says the manager, so its rows need not."""


def _by_id(resource: Resource, ids: str) -> Probe:
    """Some records by id, with the largest limit: few rows, and the limit is seen."""
    limit = f"limit={{profile.limits[{resource.name}].maximum}}&include_total=true"
    request = f"{resource.name}?filter={ids}&{limit}"
    return Probe(f"{resource.name}, by id", request, resource, _ids)


def _by_name(kind: str, word: str, resource: Resource) -> tuple[Probe, Probe]:
    """A search for institutions of a kind, and the record of the first one."""
    search = f"search?q={word}&types={kind}&limit=1"
    gives = {kind: "uuid", f"{kind} name": "name"}
    return (
        Probe(f"search by name: {kind}", search, fields.SEARCH, gives=gives),
        Probe(f"record by id: {kind}", f"entity {{{kind}}}", resource, _kind, kind=kind),
    )


_PROBES: Final = (
    Probe("wire", "filters?scope=companies", check=_wire),
    Probe("companies", f"{_WITH}&include_total=true", fields.COMPANIES, gives=_COMPANY),
    Probe("companies, by cursor", _NEXT, fields.COMPANIES, _cursor),
    _by_id(fields.COMPANIES, "id[in_any]:{company ids}"),
    Probe("companies, filter and sort", _STARTUPS, fields.COMPANIES, _kept),
    Probe("founders", f"founders?{_TWO}", fields.FOUNDERS, gives={"founder": "uuid"}),
    _by_id(fields.FOUNDERS, "{profile.founders_filter}[in_any]:{founder ids}"),
    *_by_name("university", "University", fields.UNIVERSITIES),
    Probe("companies, by a founder's university", _POOL, fields.COMPANIES),
    *_by_name("investor", "Pension", fields.INVESTORS),
    Probe("an investor's managers", f"lp-funds {{investor}}?{_TWO}", fields.INVESTORS),
    Probe("funds", f"funds?{_TWO}&currency=EUR", fields.FUNDS, gives={"manager": "manager.uuid"}),
    _by_id(fields.FUNDS, "investor_id[in_any]:{manager ids}"),
    Probe("a manager's funds", f"manager-funds {{manager}}?{_TWO}", _OF_MANAGER),
    Probe("a company's rounds", f"funding-rounds {{company}}?{_TWO}", fields.FUNDING_ROUNDS),
    _by_id(fields.NEWS, "entity_id[in_any]:{company ids}"),
    _by_id(fields.JOBS, "entity_id[in_any]:{company ids}"),
    Probe("tags", "tags?q={label}&scope={profile.tag_scope}&limit=5", fields.TAGS, _tags),
    Probe("locations", "locations?q={place}&type=country&limit=5", fields.LOCATIONS),
    Probe("aggregates", "aggregates companies?metric=count&group_by=company_status&limit=5"),
)


def _probes(profile: Profile) -> Iterator[Probe]:
    """Every request of an examination: those of any wire, and the lists that rows cut short."""
    yield from _PROBES
    for shape in profile.shapes.values():
        whose = shape.resource.singular
        for glance in shape.glances.values():
            resource = profile.shapes[glance.endpoint].resource
            request = f"{glance.endpoint} {{{whose}}}?{_TWO}"
            yield Probe(f"a {whose}'s {glance.endpoint}", request, resource)
