"""Exact look-ups: one record that matches, else an error that lists the near misses.

Interface, "Rules per endpoint", 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ventureframe.client.connection import Connected, Connection
from ventureframe.client.decode import records, rows_of
from ventureframe.client.records import Investor, Location, Tag, University
from ventureframe.errors import LookupFailed, UnsupportedValue
from ventureframe.interface import fields
from ventureframe.interface.fields import Resource

_SHOWN = 5
"""Candidates that a message names; the error has all of them."""

_WORDS: Mapping[str, str] = {
    "website_domain": "domain",
    "source_type": "type",
    "parent_name": "place it is within",
}
"""What members of a record are called in messages."""


def university(svc: Connected, name: str, *, domain: str | None = None) -> University:
    """The one university of this name and website domain (rules per endpoint, 4).

    Raises `LookupFailed`, which lists near misses and what differed, where none or several match
    both, and where no domain is given.
    """
    found = _found(svc.connection, "university", name, domain, fields.UNIVERSITIES)
    return University(**found)


def university_by_id(svc: Connected, uuid: str) -> University:
    """The university with this UUID, for where several share a name and a domain.

    Raises `NotFound` where there is no such record, `LookupFailed` where it is not a university.
    """
    uuid = fields.UNIVERSITIES["uuid"].write(uuid).lower()
    return University(**_record(svc.connection, uuid, "university", fields.UNIVERSITIES))


def investor(svc: Connected, name: str, *, domain: str | None = None) -> Investor:
    """The one investor of this name and website domain; raises as `university` does."""
    return Investor(**_found(svc.connection, "investor", name, domain, fields.INVESTORS))


def tag(svc: Connected, label: str, *, type: str) -> Tag:  # noqa: A002  # the interface's word
    """The one tag of this label (case ignored) and type (rules per endpoint, 3).

    Raises `LookupFailed`, which lists near misses.
    """
    profile = svc.connection.profile
    _check_length(label, profile.tag_minimum, "label")
    asked = {
        "q": label,
        "scope": profile.tag_scope,
        "limit_per_row": profile.tags_per_row,
        "limit": profile.limits["tags"].maximum,
    }
    reply = svc.connection.get(profile.paths["tags"], asked)
    rows = [row for row in rows_of(reply, reply.json()) if _is_tag(row)]
    wanted = _Wanted("tag", {"label": label, "source_type": type}, key="value", folds=True)
    row = wanted.only(records(reply, rows, fields.TAGS))
    return Tag(row["value"], row["label"], row["source_type"])


def location(
    svc: Connected,
    name: str,
    *,
    type: str,  # noqa: A002  # the interface's word
    within: str | None = None,
) -> Location:
    """The one place of this name and type (case ignored), in `within` where that is given.

    Raises `LookupFailed`, which lists near misses.
    """
    profile = svc.connection.profile
    _check_length(name, profile.location_minimum, "name")
    found: dict[object, dict[str, Any]] = {}
    has_more = True
    while has_more:
        asked = {
            "q": name,
            "type": type,
            "limit": profile.limits["locations"].maximum,
            "offset": len(found),
        }
        reply = svc.connection.get(profile.paths["locations"], asked)
        content = reply.json()
        rows = records(reply, rows_of(reply, content), fields.LOCATIONS)
        page, known = content.get("page"), len(found)
        for place in rows:
            found.setdefault(place["id"], place)
        has_more = isinstance(page, dict) and page.get("has_more") is True and len(found) > known
    wanted = {"name": name, "type": type} | ({"parent_name": within} if within else {})
    row = _Wanted("location", wanted, key="id", folds=True, also="parent_name").only(found.values())
    return Location(row["id"], row["name"], row["type"], row["parent_name"])


def _found(
    connection: Connection, kind: str, name: str, domain: str | None, resource: Resource
) -> dict[str, Any]:
    """The canonical record that search finds under this name and domain."""
    profile = connection.profile
    _check_length(name, profile.search_minimum, "name")
    asked = {"q": name, "types": kind, "limit": profile.limits["search"].maximum}
    reply = connection.get(profile.paths["search"], asked)
    rows = records(reply, rows_of(reply, reply.json()), fields.SEARCH)
    wanted = _Wanted(kind, {"name": name, "website_domain": domain or None}, key="uuid")
    row = wanted.only(row for row in rows if row["type"] in (None, kind))
    return _record(connection, row["uuid"], kind, resource)


def _record(connection: Connection, uuid: str, kind: str, resource: Resource) -> dict[str, Any]:
    """The canonical record with this UUID."""
    reply = connection.get(connection.profile.paths["entity"].replace("{id}", uuid))
    entity = reply.json().get("data")
    if not isinstance(entity, dict) or str(entity.get("uuid")).lower() != uuid.lower():
        raise reply.unreadable(f"is not the record {uuid} that was asked for")
    if entity.get("type") not in (None, kind):
        raise LookupFailed(
            f"The record {uuid} is not of type {kind!r} but of type {entity['type']!r}. "
            "Give the UUID of another record.",
            candidates=(entity,),
        )
    (record,) = records(reply, [entity], resource)
    return {field.name: record[field.name] for field in resource.returned}


def _check_length(text: str, minimum: int, name: str) -> None:
    if len(text.strip()) < minimum:
        reason = f"the service searches from {minimum} characters on"
        raise UnsupportedValue(text, field=name, reason=reason)


def _is_tag(row: Mapping[str, Any]) -> bool:
    """Whether a row of the reference search is a tag, not another filter's value."""
    return bool(row.get("kind", "value") == "value" and row.get("filter_key", "tag_id") == "tag_id")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a record must equal, member by member, to be the one that is looked for.

    `key` is the member that identifies it; `folds` ignores case (a domain's case never counts);
    `also` is a member that tells records of the same name apart.
    """

    kind: str
    members: Mapping[str, str | None]
    key: str
    folds: bool = False
    also: str | None = None

    def only(self, rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
        """The one row that matches, else `LookupFailed` with the near misses."""
        distinct = {row[self.key]: row for row in rows}.values()
        candidates = [{**row, "differs": self._differs(row)} for row in distinct]
        candidates.sort(key=lambda row: len(row["differs"]))
        matches = [row for row in candidates if not row["differs"]]
        if len(matches) == 1:
            return matches[0]
        raise LookupFailed(
            self._several(matches) if matches else self._none(candidates),
            candidates=tuple(matches or candidates),
        )

    def _differs(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        def same(name: str, wanted: str | None) -> bool:
            value = row[name]
            if isinstance(value, str) and wanted and (self.folds or name == "website_domain"):
                return value.casefold() == wanted.casefold()
            return value is not None and value == wanted

        return tuple(name for name, wanted in self.members.items() if not same(name, wanted))

    def _several(self, matches: Sequence[Mapping[str, Any]]) -> str:
        advice = "the service does not tell them apart, so none is taken"
        if self.kind == "university":
            advice = "take the one that is meant with university_by_id"
        elif self.also and self.also not in self.members:
            advice = f"give the {_word(self.also)} as well"
        said = f"Several records match a {self.kind} with {self._named}: {advice}"
        return f"{said}. They are: {self._shown(matches)}."

    def _none(self, nearest: Sequence[Mapping[str, Any]]) -> str:
        shown = self._shown(nearest)
        missing = next((name for name, wanted in self.members.items() if wanted is None), None)
        if missing is not None:
            found = f"Found: {shown}" if shown else "Nothing similar was found"
            said = f"A {self.kind} with {self._named} is not found without its {_word(missing)}"
            return f"{said}: give both. {found}."
        said = f"No {self.kind} has {self._named}"
        if shown:
            return f"{said}: give them exactly as in one record. Near misses: {shown}."
        return f"{said}, and nothing similar was found. Check the spelling."

    @property
    def _named(self) -> str:
        given = self.members.items()
        return " and ".join(f"{_word(name)} {text!r}" for name, text in given if text)

    def _shown(self, rows: Sequence[Mapping[str, Any]]) -> str:
        more = [f"and {len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else []
        return "; ".join([*map(self._candidate, rows[:_SHOWN]), *more])

    def _candidate(self, row: Mapping[str, Any]) -> str:
        names = dict.fromkeys(filter(None, [*self.members, self.also]))
        facts = ", ".join(str(row[name] or f"no {_word(name)}") for name in names)
        differs = [_word(name) for name in row["differs"] if self.members[name] is not None]
        verb = "differs" if len(differs) == 1 else "differ"
        said = f" ({' and '.join(differs)} {verb})" if differs else ""
        return f"{facts} [{row[self.key]}]{said}"


def _word(name: str) -> str:
    return _WORDS.get(name, name)
