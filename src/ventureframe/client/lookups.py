"""Exact look-ups: the only record that matches, else an error with the nearest.

Interface, "Rules per endpoint", 3 and 4.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ventureframe.client import checks
from ventureframe.client.connection import Connected, Connection, cut
from ventureframe.client.translate import WITHHELD
from ventureframe.errors import LookupFailed, UnsupportedValue, warn
from ventureframe.interface import fields
from ventureframe.interface.fields import canonical, fold, is_uuid, plain
from ventureframe.interface.reply import refuse_error
from ventureframe.interface.short import letters, short_for, words_of

Kind = Literal["university", "lp", "investor", "tag", "location"]
Row = Mapping[str, Any]

_MORE = " The service returned only its first matches: give the name in full."
_WORDS: Final[Mapping[str, str]] = {
    "name": "is called",
    "label": "is called",
    "website_domain": "has the domain",
    "source_type": "is of type",
    "type": "is of type",
    "id": "has the id",
    "parent_name": "lies in",
}
"""How an error says what a record should have in a field."""
_ADVICE: Final[Mapping[str, str]] = {
    "university": "Give its domain as well, or its UUID in place of the domain",
    "investor": "Give its domain as well, or its UUID in place of the domain",
    "tag": "Give its type as well",
    "location": "Give the place it lies in as well, or its id in place of its type",
}
"""What tells apart the records that match."""


class _Named:
    """A record that says what names it in a question."""

    @property
    def named(self) -> tuple[str | None, ...]:
        """Its name and what tells it apart: a website domain, or its UUID where none is
        recorded; of a place its type and the place that it lies in.

        >>> Location(12, "Atlanta", "city", "Georgia", "region").named
        ('Atlanta', 'city', 'Georgia')
        """
        return _identify(vars(self))


@dataclass(frozen=True)
class _Institution(_Named):
    uuid: str
    name: str
    website_domain: str | None
    hq_city: str | None
    hq_country: str | None
    # fields that the service does not show
    withheld: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class University(_Institution):
    """A university's canonical record; its two counts are different populations."""

    founder_alumni_total: int | None
    spinout_count: int | None


@dataclass(frozen=True)
class Investor(_Institution):
    """The canonical record of an LP or a manager."""


@dataclass(frozen=True)
class Tag:
    """A taxonomy tag, for `company.tag_id`."""

    id: int
    label: str
    type: str

    @property
    def named(self) -> tuple[str, str]:
        """Its label and type."""
        return self.label, self.type


@dataclass(frozen=True)
class Location(_Named):
    """A place, for `company.hq_location`; `parent_name` says where it lies.

    `parent_name` and `parent_type` are None where the place lies in none,
    `parent_type` also where the service does not say.
    """

    id: int
    name: str
    type: str
    parent_name: str | None
    parent_type: str | None


def university(svc: Connected, name: str, *, domain: str | None = None) -> University:
    """Return the only university with this name and, if given, website domain.

    A UUID can stand in place of the domain, or of both. Raises `LookupFailed` with the
    nearest records as `candidates`, or `NotFound` if no record has the UUID.
    """
    return University(**_institution(svc.connection, "university", name, domain))


def investor(svc: Connected, name: str, *, domain: str | None = None) -> Investor:
    """Return the only investor with this name and website domain, or UUID.

    Raises as `university` does.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> lp = svc.lp("Meridian Sovereign Reserve", domain="meridian-reserve.example")
    >>> svc.lp(lp.uuid) == lp
    True
    """
    return Investor(**_institution(svc.connection, "investor", name, domain))


# the interface's word
def tag(svc: Connected, label: str, *, type: str | None = None) -> Tag:  # noqa: A002
    """Return the only tag with this label (case ignored) and, if given, type.

    Raises `LookupFailed`, also if tags of several types have the label.

    >>> import ventureframe as vf
    >>> vf.connect(environment={}).tag("robotics", type="technology").label
    'Robotics'
    """
    check_texts(label=label, type=type or "")
    _refuse_absent(svc.connection, "tag", "tags")
    rows, is_cut = _tags(svc.connection, label)
    row = _match("tag", rows, {"label": label, "source_type": type}, is_cut=is_cut)
    if is_cut and len(label.strip()) < svc.connection.profile.tag_minimum:
        among = f"among the first {len(rows):,} that the service lists"
        warn(f"The tag {label!r} was looked up {among}: others may be called the same")
    return Tag(row["value"], row["label"], row["source_type"])


def location(
    svc: Connected,
    name: str,
    *,
    type: str | None = None,  # noqa: A002  # the interface's word
    within: str | None = None,
) -> Location:
    """Return the only place with this name (case ignored), of `type` and in `within`.

    Names of places repeat: `within` is the name of the place it lies in, and the id
    of the place can stand in place of its type. Raises `LookupFailed`.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> london = svc.location("London", type="city", within="United Kingdom")
    >>> svc.location("London", type=str(london.id)) == london
    True
    """
    check_texts(name=name, type=type or "", within=within or "")
    _refuse_absent(svc.connection, "location", "locations")
    is_id = (type or "").isdecimal()
    rows, is_cut = _places(svc.connection, name, None if is_id else type)
    member = "id" if is_id else "type"
    wanted = {"name": name, member: type, "parent_name": within}
    row = _match("location", rows, wanted, is_cut=is_cut)
    if is_cut and not is_id:
        warn(cut("locations for", name))
    members = ("id", "name", "type", "parent_name", "parent_type")
    return Location(*[row[name] for name in members])


def similar(svc: Connected, kind: Kind, text: str = "") -> list[Row]:
    """List the records that the service finds for a text, to pick one from.

    An equal name comes first, then records with the text as their domain's label or
    their initials, then names with words that begin as those of the text, then all
    others. `named` is what names the record in a question. Without a text all tags or
    countries are listed. It takes one request.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> for row in svc.similar("tag", "robot"):
    ...     print(row["named"])
    ('Robotics', 'technology')
    ('Robotics', 'sector')
    """
    check_texts(text=text)
    connection = svc.connection
    if kind == "tag":
        rows, _ = _tags(connection, text)
    elif kind == "location":
        rows, _ = _places(connection, text, None if text else "country")
    else:
        rows, _ = connection.search("investor" if kind == "lp" else kind, text)
    return sorted(_with_names(rows), key=lambda row: _distance(row, text))


def _distance(row: Row, text: str) -> int:
    """Return how far a record is from what a text can mean, from 0; equally far ones
    stay in the order of the service.
    """
    name = plain(row["named"][0] or "")
    domain = (row.get("website_domain") or "").lower()
    if plain(text) in (name, domain):
        return 0
    label = domain.partition(".")[0]
    if label == letters(text) or re.search(short_for(text), f" {name} "):
        return 1
    return 2 if re.search(words_of(text), f" {name} ") else 3


def _institution(
    connection: Connection, kind: str, name: str, domain: str | None
) -> dict[str, Any]:
    """Return the canonical record with this name and domain, or with this UUID."""
    check_texts(name=name, domain=domain or "")
    table = "universities" if kind == "university" else "investors"
    _refuse_absent(connection, kind, table)
    if is_uuid(domain or name):
        record = _record(connection, kind, canonical(domain or name))
        if domain:
            _match(kind, [record], {"name": name})
        return record
    _check_length(name, connection.profile.search_minimum, "name")
    wanted = {"name": name, "website_domain": domain}
    rows, is_cut = connection.search(kind, name)
    try:
        row = _match(kind, rows, wanted, is_cut=is_cut)
    except LookupFailed:
        if not domain:
            raise
        # a record of this domain can have another name: the error suggests it
        by_domain, is_cut = connection.search(kind, domain)
        row = _match(kind, [*rows, *by_domain], wanted, is_cut=is_cut)
    record = _record(connection, kind, row["uuid"])
    if record["website_domain"] is None:
        wanted = {"name": name}
    _match(kind, [record], wanted)
    return record


def _record(connection: Connection, kind: str, uuid: str) -> dict[str, Any]:
    """Return the canonical record with this UUID; `NotFound` where there is none."""
    path = connection.profile.paths["entity"].replace("{id}", uuid)
    reply = connection.get(path, {}, priced_as="entity")
    content = reply.json()
    refuse_error(reply, content)
    entity = content.get("data")
    if not isinstance(entity, dict) or canonical(str(entity.get("uuid"))) != uuid:
        raise reply.unreadable(f"is not the record of the uuid {uuid}")
    actual = entity.get(connection.profile.kind_key)
    if actual not in (None, kind):
        raise LookupFailed(
            reply.quote(
                f"The record {uuid} is not of type {kind!r} but of type {actual!r}."
                " Give the UUID of another record."
            )
        )
    resource = fields.UNIVERSITIES if kind == "university" else fields.INVESTORS
    (record,), _ = connection.rows(reply, kind, resource, [entity])
    if record["name"] is None:
        raise reply.unreadable("has no 'name'")
    record[WITHHELD] = tuple(record.get(WITHHELD) or ())
    return record


def _tags(connection: Connection, text: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the tags that the service finds for a text, and whether it can have more.

    A text that is too short to be searched is looked up in the list of tags.
    """
    profile = connection.profile
    is_short = len(text.strip()) < profile.tag_minimum
    if text and is_short:
        _check_length(text, profile.location_minimum, "label")
    endpoint = "tag-values" if is_short else "tags"
    most = profile.limits[endpoint].maximum
    request: dict[str, object] = {"q": text or None, "limit": most}
    if not is_short:
        request["scope"] = profile.tag_scope
        request["limit_per_row"] = profile.tags_per_row
    reply = connection.get(profile.paths[endpoint], request)
    rows, tags = reply.rows(), list[dict[str, Any]]()
    as_tag = {"kind": "value", "filter_key": profile.tag_key}
    for key in as_tag:
        for row in rows:
            if not isinstance(row.get(key, ""), str):
                raise reply.unreadable(f"has {key!r} that is not text")
    for row in rows:
        if is_short:
            tags.append(
                {
                    **as_tag,
                    "label": row.get("name"),
                    "value": row.get("id"),
                    "source_type": row.get("type"),
                }
            )
        # another filter may have a value of this name
        elif all(row.get(key, value) == value for key, value in as_tag.items()):
            tags.append(row)
    records, page = connection.rows(reply, "tags", fields.TAGS, tags)
    is_full = not is_short and len(tags) >= profile.tags_per_row
    return records, is_full or checks.is_cut(page, len(rows), limit=most)


def _places(
    connection: Connection, name: str, kind: str | None
) -> tuple[list[dict[str, Any]], bool]:
    """Return the places of a name, and whether there can be more."""
    profile = connection.profile
    if name:
        _check_length(name, profile.location_minimum, "name")
    most = profile.limits["locations"].maximum
    request = {
        "q": name or None,
        "type": profile.place_types.get(kind or "", kind),
        "limit": most,
    }
    reply = connection.get(profile.paths["locations"], request)
    rows, page = connection.rows(reply, "locations", fields.LOCATIONS, reply.rows())
    return rows, checks.is_cut(page, len(rows), limit=most)


def check_texts(**texts: object) -> None:
    """Raise `UnsupportedValue` with the name of the first value that is not text."""
    for name, value in texts.items():
        if not isinstance(value, str):
            raise UnsupportedValue(value, field=name, reason="give it as text")


def _check_length(text: str, minimum: int, name: str) -> None:
    if len(text.strip()) < minimum:
        raise UnsupportedValue(
            text,
            field=name,
            reason=f"the service searches from {minimum} characters on",
        )


def _with_names(rows: Iterable[Row]) -> list[Row]:
    """List each record once, with what names it in a question under `named`.

    Where that would name several, it has the UUID, or the id of a place.
    """
    distinct = {row.get("uuid") or row.get("id") or row["value"]: row for row in rows}
    names = {key: _identify(row) for key, row in distinct.items()}
    times = Counter(names.values())
    with_names = list[Row]()
    for key, row in distinct.items():
        named = names[key]
        if times[named] > 1 and "value" not in row:
            named = row["name"], str(key)
        with_names.append({**row, "named": named})
    return with_names


def _identify(row: Row) -> tuple[str | None, ...]:
    """Return what names a record in a question, where no other is called the same."""
    if "label" in row:
        return row["label"], row["source_type"]
    if "website_domain" in row:
        return row["name"], row["website_domain"] or row["uuid"]
    if row["parent_name"] is None:
        return row["name"], row["type"]
    return row["name"], row["type"], row["parent_name"]


def _refuse_absent(connection: Connection, kind: str, table: str) -> None:
    """Raise `LookupFailed` where a dataset folder has no such records at all."""
    if table in connection.absent:
        raise LookupFailed(
            f"No {kind} can be looked up: the folder has no {table}.parquet."
        )


def _match(
    kind: str,
    rows: Iterable[Row],
    wanted: Mapping[str, str | None],
    *,
    is_cut: bool = False,
) -> Row:
    """Return the only row with these members, a member that is None left open.

    `is_cut` says that the service can have further rows.
    """
    texts = {name: text for name, text in wanted.items() if text}
    near = [{**row, "differs": _differences(row, texts)} for row in _with_names(rows)]
    matches = [row for row in near if not row["differs"]]
    if len(matches) == 1:
        return matches[0]
    words = [f"{_WORDS[name]} {text!r}" for name, text in texts.items()]
    description = f"{kind} {' and '.join(words)}"
    if matches:
        listed = "; ".join(map(_describe, matches))
        message = f"More than one {description}: {listed}. {_ADVICE[kind]}."
        raise LookupFailed(message, candidates=tuple(matches))
    # a record with the domain is nearer than one with the name
    near.sort(key=lambda row: (len(row["differs"]), "website_domain" in row["differs"]))
    nearest = [row for row in near if row["differs"] == near[0]["differs"]]
    advice = "Nothing similar was found: check the spelling."
    if nearest:
        advice = f"Did you mean {_describe(nearest[0])}?"
    unsaid = [name for name in texts if all(row[name] is None for row in near)]
    if near and unsaid:
        advice += f" None of the records found has {' and '.join(unsaid)}."
    message = f"No {description}. {advice}{_MORE if is_cut else ''}"
    raise LookupFailed(message, candidates=tuple(near))


def _differences(row: Row, wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Return the fields of a row that are not as wanted; case counts in an
    institution's name.
    """
    differs = list[str]()
    for name, text in wanted.items():
        value = str(row[name] or "")
        is_exact = name == "name" and "website_domain" in row
        is_same = value == text if is_exact else fold(value) == fold(text)
        if not is_same:
            differs.append(name)
    return tuple(differs)


def _describe(row: Row) -> str:
    """Describe a record: its name, and what tells it from others of that name."""
    name, *details = row["named"]
    if "parent_type" in row:
        name, *details = _identify(row)
        if row["parent_type"]:
            details[-1] = f"{details[-1]} ({row['parent_type']})"
        details.append(f"id {row['id']}")
    texts = [text or "nothing else recorded" for text in details]
    return f"{name} ({', '.join(texts)})"
