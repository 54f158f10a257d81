"""Exact look-ups: one record that matches, else an error that lists the near misses.

Interface, "Rules per endpoint", 3 and 4.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

from ventureframe.client import checks
from ventureframe.client.listing import Connected, Connection, cut
from ventureframe.errors import LookupFailed, UnsupportedValue, warn
from ventureframe.interface import fields
from ventureframe.interface.fields import Place, Resource, canonical, fold, is_uuid
from ventureframe.interface.reply import page as page_of
from ventureframe.interface.reply import refuse_error, rows_of

Kind = Literal["university", "investor", "tag", "location"]
"""What kinds of records are looked up."""

_PAGES: Final = 20
"""Pages of places that are requested at most; a page can have a thousand."""
_SHOWN: Final = 5
"""Candidates that a message names; the error has all of them."""
_WITHIN: Final = re.compile(
    rf"(?P<parent_name>.*?)\s*(\((?P<parent_type>{'|'.join(get_args(Place))})\))?"
    r"\s*(\[(?P<id>[0-9]{1,18})\])?",
    re.DOTALL | re.IGNORECASE,
)
"""The place that a place is within, its type in parentheses, the place's own id in brackets."""
_WORDS: Final[Mapping[str, str]] = {
    "website_domain": "domain",
    "source_type": "type",
    "parent_name": "place it is within",
    "parent_type": "type of the place it is within",
}
"""What members of a record are called in messages."""


@dataclass(frozen=True, slots=True)
class _Institution:
    uuid: str
    name: str
    website_domain: str | None
    hq_city: str | None
    hq_country: str | None

    @property
    def named(self) -> tuple[str, str]:
        """Its name and website domain; its UUID where no domain is recorded."""
        return self.name, self.website_domain or self.uuid


@dataclass(frozen=True, slots=True)
class University(_Institution):
    """A university's canonical record; its two counts are different populations."""

    founder_alumni_total: int | None
    spinout_count: int | None


@dataclass(frozen=True, slots=True)
class Investor(_Institution):
    """The canonical record of an LP or a manager."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A taxonomy tag, for `company.tag_id`."""

    id: int
    label: str
    type: str

    @property
    def named(self) -> tuple[str, str]:
        """Its label and type."""
        return self.label, self.type


@dataclass(frozen=True, slots=True)
class Location:
    """A place, for `company.hq_location`; `parent_name` and `parent_type` say where it lies.

    Both are None where the place lies in none, `parent_type` also where the service does not say.
    """

    id: int
    name: str
    type: str
    parent_name: str | None
    parent_type: str | None

    @property
    def named(self) -> tuple[str, str, str]:
        """Its name, its type, and the place it is within with its own id.

        >>> ", ".join(Location(12, "Atlanta", "city", "Georgia", "region").named)
        'Atlanta, city, Georgia (region) [12]'
        """
        kind = f"({self.parent_type})" if self.parent_name and self.parent_type else None
        within = " ".join(filter(None, (self.parent_name, kind, f"[{self.id}]")))
        return self.name, self.type, within


class _Rule(NamedTuple):
    """How records of one kind are told apart, and what to do where several match.

    `key` identifies a record; `folds` ignores case (a domain's case never counts); `record` is
    what the records of institutions are, None for what has no record of its own.
    """

    advice: str
    key: str = "uuid"
    folds: bool = False
    record: Resource | None = None


_BY_UUID: Final = "give the UUID of the one that is meant in place of the domain"
_RULES: Final[Mapping[str, _Rule]] = {
    "university": _Rule(_BY_UUID, record=fields.UNIVERSITIES),
    "investor": _Rule(_BY_UUID, record=fields.INVESTORS),
    "tag": _Rule("the service does not tell them apart, so none is taken", "value", folds=True),
    "location": _Rule("add the place it is within, written as it is here", "id", folds=True),
}


def university(svc: Connected, name: str, *, domain: str | None = None) -> University:
    """The one university of this name and website domain (rules per endpoint, 4).

    A UUID can stand in place of the domain, or of both. Raises `LookupFailed`, which lists near
    misses and what differed, where none or several match both, and where no domain is given;
    `NotFound` where no record has the UUID.
    """
    return University(**_institution(svc.connection, "university", name, domain))


def investor(svc: Connected, name: str, *, domain: str | None = None) -> Investor:
    """The one investor of this name and website domain, or UUID; raises as `university` does.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> lp = svc.lp("Meridian Sovereign Reserve", domain="meridian-reserve.example")
    >>> svc.lp(lp.uuid) == lp
    True
    """
    return Investor(**_institution(svc.connection, "investor", name, domain))


def tag(svc: Connected, label: str, *, type: str) -> Tag:  # noqa: A002  # the interface's word
    """The one tag of this label (case ignored) and type (rules per endpoint, 3).

    Raises `LookupFailed`, which lists near misses.
    """
    rows, is_cut = _tags(svc.connection, label)
    row = _only("tag", rows, {"label": label, "source_type": type}, is_cut=is_cut)
    return Tag(row["value"], row["label"], row["source_type"])


def location(
    svc: Connected,
    name: str,
    *,
    type: str | None = None,  # noqa: A002  # the interface's word
    within: str = "",
) -> Location:
    """The one place of this name and type (case ignored), in `within` where that is given.

    Names of places repeat. `within` is the place it lies in, perhaps with that place's type in
    parentheses, `"Georgia (region)"`, and with the id of the place looked up in square brackets;
    with an id the type can be left out. Raises `LookupFailed`, which lists near misses in this
    form.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> london = svc.location("London", type="city", within="United Kingdom (country)")
    >>> svc.location("London", within=f"[{london.id}]") == london
    True
    """
    match = _WITHIN.fullmatch((within or "").strip())
    parts = {part: text for part, text in match.groupdict().items() if text} if match else {}
    wanted: dict[str, str | int | None] = {"name": name, "type": type, **parts}
    if "id" in parts:
        wanted["id"] = int(parts["id"])
        if type is None:
            del wanted["type"]
    rows, is_cut = _places(svc.connection, name, type)
    return _location(_only("location", rows, wanted, is_cut=is_cut and "id" not in parts))


def similar(svc: Connected, kind: Kind, text: str) -> list[Mapping[str, Any]]:
    """The records that the service finds for a text, for one of them to be picked.

    A row each, in the service's order; `named` is what names it in a question and none of the
    others. One request: of places and institutions that are very many, not all are there.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> [row["named"] for row in svc.similar("tag", "Robotics")][:2]
    [('Robotics', 'technology'), ('Robotics', 'sector')]
    """
    if kind == "tag":
        rows, _ = _tags(svc.connection, text)
    elif kind == "location":
        rows, _ = _places(svc.connection, text, pages=1)
    else:
        rows, _ = svc.connection.search(kind, text)
    distinct = {row[_RULES[kind].key]: row for row in rows}.values()
    return [{**row, "named": _named(kind, row, distinct)} for row in distinct]


def _institution(
    connection: Connection, kind: str, name: str, domain: str | None
) -> dict[str, Any]:
    """The canonical record that search finds under this name and domain, or that has the UUID."""
    if is_uuid(domain or name):
        record = _record(connection, kind, canonical(domain or name))
        if domain:
            _only(kind, [record], {"name": name})
        return record
    _check_length(name, connection.profile.search_minimum, "name")
    wanted = {"name": name, "website_domain": domain or None}
    rows, is_cut = connection.search(kind, name)
    try:
        row = _only(kind, rows, wanted, is_cut=is_cut)
    except LookupFailed:
        if not domain:
            raise
        # a name that is misspelt or shortened finds others: the domain may find the one meant
        others, is_cut = connection.search(kind, domain)
        same = [row for row in others if fold(row["website_domain"] or "") == fold(domain)]
        row = _only(kind, [*same, *rows], wanted, is_cut=is_cut)
    record = _record(connection, kind, row["uuid"])
    _only(kind, [record], wanted if record["website_domain"] else {"name": name})
    return record


def _tags(connection: Connection, text: str) -> tuple[list[dict[str, Any]], bool]:
    """The tags that the service finds for a text; whether it can have more."""
    profile = connection.profile
    _check_length(text, profile.tag_minimum, "label")
    most = profile.limits["tags"].maximum
    asked = {"q": text, "scope": profile.tag_scope, "limit_per_row": profile.tags_per_row}
    reply = connection.get(profile.paths["tags"], {**asked, "limit": most})
    is_tag = {"kind": "value", "filter_key": profile.tag_key}.items()  # not another filter's value
    content = reply.json()
    rows = rows_of(reply, content)
    tags = [row for row in rows if all(row.get(name, value) == value for name, value in is_tag)]
    is_cut = (
        checks.is_cut(page_of(reply, content), len(rows), limit=most)
        or len(tags) >= profile.tags_per_row
    )
    return connection.rows(reply, "tags", fields.TAGS, tags), is_cut


def _places(
    connection: Connection, name: str, kind: str | None = None, *, pages: int | None = None
) -> tuple[list[dict[str, Any]], bool]:
    """The places that the service finds for a name, each once; whether it can have more.

    Stops at a page that says it is last or adds no place, and after `pages`. Raises
    `UnreadableReply` where none of `_PAGES` does.
    """
    profile = connection.profile
    _check_length(name, profile.location_minimum, "name")
    kind = None if kind is None else profile.place_types.get(kind, kind)
    asked = {"q": name, "type": kind, "limit": profile.limits["locations"].maximum}
    places: dict[object, dict[str, Any]] = {}
    received = 0
    for page in range(1, _PAGES + 1):
        reply = connection.get(profile.paths["locations"], {**asked, "offset": received})
        content, before = reply.json(), len(places)
        rows = connection.rows(reply, "locations", fields.LOCATIONS)
        received += len(rows)
        places |= {row["id"]: row for row in rows}
        about = page_of(reply, content)
        is_last = about.has_more is False and not about.goes_on
        if is_last or len(places) == before or page == pages:
            is_cut = bool(rows and about.goes_on) or about.is_limited
            return list(places.values()), is_cut
    raise reply.unreadable(
        f"has more than {_PAGES} pages of places for {name!r}, of which none is the last"
    )


def _record(connection: Connection, kind: str, uuid: str) -> dict[str, Any]:
    """The canonical record with this UUID; `NotFound` where there is none."""
    resource = _RULES[kind].record
    assert resource is not None  # noqa: S101  # of institutions only
    reply = connection.get(connection.profile.paths["entity"].replace("{id}", uuid), {})
    content = reply.json()
    refuse_error(reply, content)
    entity = content.get("data")
    own = str(entity.get("uuid")) if isinstance(entity, dict) else ""
    if not isinstance(entity, dict) or not is_uuid(own) or canonical(own) != uuid:
        raise reply.unreadable(f"is not the record {uuid} that was asked for")
    type_ = entity.get(connection.profile.kind_key)
    if type_ not in (None, kind):
        raise LookupFailed(
            f"The record {uuid} is not of type {kind!r} but of type {type_!r}. "
            "Give the UUID of another record."
        )
    (record,) = connection.rows(reply, kind, resource, [entity])
    return {field.name: record[field.name] for field in resource.returned}


def _check_length(text: str, minimum: int, name: str) -> None:
    if len(text.strip()) < minimum:
        reason = f"the service searches from {minimum} characters on"
        raise UnsupportedValue(text, field=name, reason=reason)


def _only(
    kind: str,
    rows: Iterable[Mapping[str, Any]],
    wanted: Mapping[str, str | int | None],
    *,
    is_cut: bool = False,
) -> Mapping[str, Any]:
    """The one row with these members, else `LookupFailed` with the near misses.

    `is_cut` says that there can be others: a tag or a place is then taken with a warning.
    """
    rule = _RULES[kind]

    def differs(row: Mapping[str, Any], name: str) -> bool:
        value, text = row[name], wanted[name]
        if value is None or text is None:
            return True
        if isinstance(value, str) and (rule.folds or name == "website_domain"):
            value, text = fold(value), fold(str(text))
        return bool(value != text)

    distinct = list({row[rule.key]: row for row in rows}.values())
    near: list[dict[str, Any]] = [
        {
            **row,
            "differs": tuple(name for name in wanted if differs(row, name)),
            "named": _named(kind, row, distinct),
        }
        for row in distinct
    ]
    near.sort(key=lambda row: (len(row["differs"]), "website_domain" in row["differs"]))
    matches = [row for row in near if not row["differs"]]
    if len(matches) == 1:
        if is_cut and rule.record is None:
            warn(cut(f"{kind}s for", str(next(iter(wanted.values())))))
        return matches[0]
    message = _unmatched(kind, matches or near, wanted, is_several=bool(matches))
    if is_cut and not matches:
        message += " The service can have more than it returned: give the name in full."
    raise LookupFailed(message, candidates=tuple(matches or near))


def _unmatched(
    kind: str,
    near: Sequence[Mapping[str, Any]],
    wanted: Mapping[str, str | int | None],
    *,
    is_several: bool,
) -> str:
    """Why none of these records is taken: several match, or none does."""
    rule = _RULES[kind]
    shown = "; ".join(_candidate(row, kind, wanted) for row in near[:_SHOWN])
    shown += f"; and {len(near) - _SHOWN} more" if len(near) > _SHOWN else ""
    words = {name: _WORDS.get(name, name) for name in wanted}
    named = " and ".join(f"{words[name]} {text!r}" for name, text in wanted.items() if text)
    missing = [words[name] for name, text in wanted.items() if text is None]
    if is_several:
        return f"Several records match a {kind} with {named}: {rule.advice}. They are: {shown}."
    if missing:
        found = f"Found: {shown}" if near else "Nothing similar was found"
        or_id = ", or its UUID in place of the domain" if rule.record else ""
        return (
            f"The {kind} with {named} is not found without its {missing[0]}: give both{or_id}. "
            f"{found}."
        )
    if near:
        return f"No {kind} has {named}: give them exactly as in one record. Near misses: {shown}."
    return f"No {kind} has {named}, and nothing similar was found. Check the spelling."


def _location(row: Mapping[str, Any]) -> Location:
    return Location(*(row[name] for name in ("id", "name", "type", "parent_name", "parent_type")))


def _named(
    kind: str, row: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]
) -> tuple[str | None, ...]:
    """What names the row in a question and none of the others: with its id where that is needed."""
    if kind == "location":
        return _location(row).named
    if kind == "tag":
        return row["label"], row["source_type"]
    name, domain = pair = row["name"], row["website_domain"]
    is_shared = sum((other["name"], other["website_domain"]) == pair for other in rows) > 1
    return name, row["uuid"] if is_shared or domain is None else domain


def _candidate(row: Mapping[str, Any], kind: str, wanted: Mapping[str, str | int | None]) -> str:
    """One near miss in words: what names it, and what differs."""
    if kind == "location":
        facts = ", ".join(part or "no name" for part in row["named"])
    else:
        facts = ", ".join(str(row[name] or f"no {_WORDS.get(name, name)}") for name in wanted)
        uuid = row.get("uuid")  # said only where name and domain tell it from no other
        facts += f" [{uuid}]" if uuid and uuid in row["named"] else ""
    differs = [_WORDS.get(name, name) for name in row["differs"] if wanted[name] is not None]
    verb = "differs" if len(differs) == 1 else "differ"
    return facts + (f" ({' and '.join(differs)} {verb})" if differs else "")
