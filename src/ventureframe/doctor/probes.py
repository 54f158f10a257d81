"""The requests of an examination, in their order, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl

from ventureframe.client.connection import Connection
from ventureframe.interface import fields, filters
from ventureframe.interface.fields import Resource
from ventureframe.interface.wire.profile import Profile


class NotKnown(Exception):
    """No earlier answer gave what a request names."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One request, what its answer is checked for, and what the answer gives to later requests.

    `request` is the endpoint, the id in its path, and parameters, in the interface's words. It may
    name what an earlier answer gave: `{companies}` are ids, `{first[companies]}` is one. `check`
    names what is checked beside the fields. `gives` are names with the column that holds their
    values. `kind` says what a single record is.
    """

    name: str
    request: str
    resource: Resource | None
    check: str = ""
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
        profile = service.profile
        target, _, query = self.request.partition("?")
        try:
            of = target.partition(" ")[2].format_map(known)
            pairs = [
                (name.format_map(known), text.format_map(known)) for name, text in parse_qsl(query)
            ]
        except KeyError as missing:
            raise NotKnown(f"no earlier answer gave {missing.args[0]}") from None
        path = profile.paths[self.endpoint].replace("{id}", of).replace("{source}", of)
        asked = {name: _own(name, value, service) for name, value in pairs}
        if self.endpoint in profile.uncounted:
            asked.pop("include_total", None)
        return path, {**asked, **profile.fixed.get(self.endpoint, {})}


def _own(name: str, value: str, service: Connection) -> str:
    """The value of a parameter as the wire writes it."""
    if name == "filter":
        return str(service.outward(filters.parse(value)))
    plain, profile = value.removeprefix("-"), service.profile
    words = {"group_by": profile.groups, "sort": profile.sorts}.get(name, {})
    return value.removesuffix(plain) + words.get(plain, plain)


_TWO: Final = "limit={rows}&include_total=true"


def _by_id(resource: Resource, ids: str) -> Probe:
    """Some records by id, with the largest limit: few rows, and the limit is seen."""
    name = resource.name
    limit = f"limit={{profile.limits[{name}].maximum}}&include_total=true"
    return Probe(f"{name}, by id", f"{name}?filter={ids}&{limit}", resource, "ids")


def _named(word: str, kind: str, resource: Resource) -> tuple[Probe, Probe]:
    """A search for a kind of record, and the first one found."""
    request = f"search?q={word}&types={kind}&limit=1"
    gives = {kind: "uuid", f"{kind} name": "name"}
    found = Probe(f"search by name: {kind}", request, fields.SEARCH, gives=gives)
    entity = f"entity {{first[{kind}]}}"
    return found, Probe(f"record by id: {kind}", entity, resource, "kind", kind=kind)


def probes(profile: Profile) -> Iterator[Probe]:
    """Every request of an examination: those of any wire, and the lists that rows cut short."""
    yield from _PROBES
    for shape in profile.shapes.values():
        whose = shape.resource.singular
        for glance in shape.glances.values():
            request = f"{glance.endpoint} {{first[{whose}]}}?{_TWO}"
            resource = profile.shapes[glance.endpoint].resource
            yield Probe(f"a {whose}'s {glance.endpoint}", request, resource)


USUAL: Final = {"label": "software", "place": "United"}
"""Where no answer gives one: words that are likely to be in a name."""
_COMPANIES: Final = dict.fromkeys(("companies", "company"), "uuid") | {
    "founders": "founders",
    "label": "tags.name",
    "place": "hq_country",
}
_FOUNDERS: Final = {"founders": "uuid", "founder": "uuid"}
_MANAGERS: Final = {"managers": "manager.uuid"}
_NEXT: Final = "companies?limit={rows}&currency=EUR&{profile.cursor_parameter}={cursor}"
_SOME: Final = "companies?limit={rows}&filter=is_startup[eq]:true&sort=-team_size"
_POOL: Final = "companies?limit={rows}&filter=founder_university_name[eq]:{first[university name]}"
_GROUPS: Final = "aggregates companies?metric=count&group_by=company_status&limit=5"
_TAGS: Final = "tags?q={first[label]}&scope={profile.tag_scope}&limit=5"
_PLACES: Final = "locations?q={first[place]}&type=country&limit=5"
_OF_COMPANY: Final = f"funding-rounds {{first[companies]}}?{_TWO}"
_OF_MANAGER: Final = Resource(
    "funds", "fund", tuple(each for each in fields.FUNDS.fields if each.name != "manager")
)
"""The path of a manager's funds says the manager, so its rows need not."""

_PROBES: Final = (
    Probe("wire", "filters?scope=companies", None, "wire"),
    Probe("companies", f"companies?{_TWO}&currency=EUR", fields.COMPANIES, gives=_COMPANIES),
    Probe("companies, by cursor", _NEXT, fields.COMPANIES, "cursor"),
    _by_id(fields.COMPANIES, "id[in_any]:{companies}"),
    Probe("companies, filter and sort", _SOME, fields.COMPANIES, "kept"),
    Probe("founders", f"founders?{_TWO}", fields.FOUNDERS, gives=_FOUNDERS),
    _by_id(fields.FOUNDERS, "{profile.founders_filter}[in_any]:{founders}"),
    *_named("University", "university", fields.UNIVERSITIES),
    Probe("companies, by a founder's university", _POOL, fields.COMPANIES),
    *_named("Pension", "investor", fields.INVESTORS),
    Probe("an investor's managers", f"lp-funds {{first[investor]}}?{_TWO}", fields.INVESTORS),
    Probe("funds", f"funds?{_TWO}&currency=EUR", fields.FUNDS, gives={"managers": "manager.uuid"}),
    _by_id(fields.FUNDS, "investor_id[in_any]:{managers}"),
    Probe("a manager's funds", f"manager-funds {{first[managers]}}?{_TWO}", _OF_MANAGER),
    Probe("a company's rounds", _OF_COMPANY, fields.FUNDING_ROUNDS),
    _by_id(fields.NEWS, "entity_id[in_any]:{companies}"),
    _by_id(fields.JOBS, "entity_id[in_any]:{companies}"),
    Probe("tags", _TAGS, fields.TAGS, "tags"),
    Probe("locations", _PLACES, fields.LOCATIONS),
    Probe("aggregates", _GROUPS, None),
)
