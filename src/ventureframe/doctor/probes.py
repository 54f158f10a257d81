"""The requests of an examination, in their order, as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl

from ventureframe.client.connection import Connection
from ventureframe.doctor import checks
from ventureframe.doctor.answer import Answer, Choice, held
from ventureframe.interface import fields, filters, values
from ventureframe.interface.fields import Resource
from ventureframe.interface.wire.profile import Profile


class NotKnown(Exception):
    """No earlier answer gave what a request names."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One request, what is checked in its answer, and what the answer gives to later ones.

    `request` is the endpoint, the id in its path, and parameters, in the interface's words. It may
    name what an earlier answer gave: `{companies}` are ids, `{first[companies]}` is one. `gives`
    are names with the column that holds their values. `kind` says what a single record is.
    """

    name: str
    request: str
    resource: Resource | None
    checks: tuple[Callable[[Answer], Iterable[Choice]], ...] = (checks.listed,)
    gives: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""

    @property
    def endpoint(self) -> str:
        """What the profile's paths call it."""
        return self.request.partition("?")[0].partition(" ")[0]

    @property
    def of(self) -> str:
        """What the wire's table calls the rows."""
        return self.kind or self.endpoint

    def filled(self, known: Mapping[str, Any], service: Connection) -> tuple[str, dict[str, str]]:
        """Path and parameters in the wire's words; `NotKnown` where it names what is not known."""
        profile, endpoint = service.profile, self.endpoint
        target, _, query = self.request.partition("?")
        try:
            of = target.partition(" ")[2].format_map(known)
            pairs = [
                (name.format_map(known), text.format_map(known)) for name, text in parse_qsl(query)
            ]
        except KeyError as missing:
            raise NotKnown(f"no earlier answer gave {missing.args[0]}") from None
        path = profile.paths[endpoint].replace("{id}", of).replace("{source}", of)
        asked = {name: _own(name, value, service) for name, value in pairs}
        if endpoint in profile.uncounted:
            asked.pop("include_total", None)
        return path, {**asked, **profile.fixed.get(endpoint, {})}

    def given(self, answer: Answer) -> Iterator[tuple[str, list[str]]]:
        """What the answer gives to later requests, under its names."""
        rows = sorted(answer.records, key=_filled, reverse=True)
        for name, column in self.gives.items():
            texts = held(rows, column)
            if name in _IDS:
                yield name, [each for each in texts if _is_uuid(each)][:_FEW]
            else:
                yield name, [each for each in texts if _is_plain(each, answer.profile)][:1]
        if isinstance(cursor := answer.page(answer.profile.next_cursor), str):
            yield "cursor", [cursor]


def _own(name: str, value: str, service: Connection) -> str:
    """The value of a parameter as the wire writes it."""
    profile = service.profile
    if name == "filter":
        return str(service.outward(filters.parse(value)))
    if name == "group_by":
        return profile.groups.get(value, value)
    if name == "sort":
        plain = value.removeprefix("-")
        return value.removesuffix(plain) + profile.sorts.get(plain, plain)
    return value


def _filled(row: Mapping[str, Any]) -> int:
    """How many lists of a row have an entry: the fuller the row, the more its own lists show."""
    return sum(isinstance(value, list) and bool(value) for value in row.values())


def _is_uuid(text: str) -> bool:
    try:
        return bool(values.read("uuid", text))
    except ValueError:
        return False


def _is_plain(text: str, profile: Profile) -> bool:
    """Whether a search takes the text and a filter can hold it."""
    return len(text) >= profile.tag_minimum and not set(text) & _MARKS


_FEW: Final = 2
_MARKS: Final = frozenset("|,()[]{}")
_IDS: Final = frozenset(
    {"companies", "company", "founders", "founder", "managers", "university", "investor"}
)
_TWO: Final = "limit={rows}&include_total=true"


def _by_id(resource: Resource, ids: str) -> Probe:
    """Some records by id, with the largest limit: few rows, and the limit is seen."""
    name = resource.name
    limit = f"limit={{profile.limits[{name}].maximum}}&include_total=true"
    request = f"{name}?filter={ids}&{limit}"
    return Probe(f"{name}, by id", request, resource, (checks.belongs, checks.listed))


def _named(word: str, kind: str, resource: Resource) -> tuple[Probe, Probe]:
    """A search for a kind of record, and the first one found."""
    request = f"search?q={word}&types={kind}&limit=1"
    gives = {kind: "uuid", f"{kind} name": "name"}
    found = Probe(f"search by name: {kind}", request, fields.SEARCH, gives=gives)
    entity = f"entity {{first[{kind}]}}"
    return found, Probe(f"record by id: {kind}", entity, resource, (checks.record,), kind=kind)


def _cut_short(profile: Profile) -> Iterator[Probe]:
    """The lists that rows of the wire cut short, each of one record."""
    for shape in profile.shapes.values():
        whose = shape.resource.singular
        for glance in shape.glances.values():
            name = f"a {whose}'s {glance.endpoint}"
            request = f"{glance.endpoint} {{first[{whose}]}}?{_TWO}"
            yield Probe(name, request, profile.shapes[glance.endpoint].resource)


def probes(profile: Profile) -> tuple[Probe, ...]:
    """Every request of an examination of this wire."""
    return (*_PROBES, *_cut_short(profile))


USUAL: Final = {"label": "software", "place": "United"}
"""Where no answer gives one: words that are likely to be in a name."""
_COMPANIES: Final = {
    "companies": "uuid",
    "company": "uuid",
    "founders": "founders",
    "label": "tags.name",
    "place": "hq_country",
}
_NEXT: Final = "companies?limit={rows}&currency=EUR&{profile.cursor_parameter}={cursor}"
_SOME: Final = "companies?limit={rows}&filter=is_startup[eq]:true&sort=-team_size"
_POOL: Final = "companies?limit={rows}&filter=founder_university_name[eq]:{first[university name]}"
_GROUPS: Final = "aggregates companies?metric=count&group_by=company_status&limit=5"
_TAGS: Final = "tags?q={label}&scope={profile.tag_scope}&limit=5"

_PROBES: Final = (
    Probe("wire", "filters?scope=companies", None, (checks.wire,)),
    Probe(
        "companies",
        f"companies?{_TWO}&currency=EUR",
        fields.COMPANIES,
        (checks.generation, checks.listed),
        _COMPANIES,
    ),
    Probe("companies, by cursor", _NEXT, fields.COMPANIES, (checks.next_page,)),
    _by_id(fields.COMPANIES, "id[in_any]:{companies}"),
    Probe("companies, filter and sort", _SOME, fields.COMPANIES, (checks.kept, checks.listed)),
    Probe(
        "founders",
        f"founders?{_TWO}",
        fields.FOUNDERS,
        gives={"founders": "uuid", "founder": "uuid"},
    ),
    _by_id(fields.FOUNDERS, "{profile.founders_filter}[in_any]:{founders}"),
    *_named("University", "university", fields.UNIVERSITIES),
    Probe("companies, by a founder's university", _POOL, fields.COMPANIES),
    *_named("Pension", "investor", fields.INVESTORS),
    Probe("an investor's managers", f"lp-funds {{first[investor]}}?{_TWO}", fields.INVESTORS),
    Probe(
        "funds",
        f"funds?{_TWO}&currency=EUR",
        fields.FUNDS,
        gives={"managers": "manager.uuid"},
    ),
    _by_id(fields.FUNDS, "investor_id[in_any]:{managers}"),
    Probe("a manager's funds", f"manager-funds {{first[managers]}}?{_TWO}", fields.FUNDS),
    Probe(
        "a company's rounds",
        f"funding-rounds {{first[companies]}}?{_TWO}",
        fields.FUNDING_ROUNDS,
    ),
    _by_id(fields.NEWS, "entity_id[in_any]:{companies}"),
    _by_id(fields.JOBS, "entity_id[in_any]:{companies}"),
    Probe("tags", _TAGS, fields.TAGS, (checks.tagged, checks.listed)),
    Probe("locations", "locations?q={place}&type=country&limit=5", fields.LOCATIONS),
    Probe("aggregates", _GROUPS, None, (checks.groups, checks.listed)),
)
