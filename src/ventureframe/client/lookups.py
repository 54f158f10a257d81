"""Exact look-ups: one record that matches, else an error that names the nearest.

Interface, "Rules per endpoint", 3 and 4.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ventureframe.client import checks
from ventureframe.client.connection import Connected, Connection, cut
from ventureframe.client.translate import WITHHELD
from ventureframe.errors import LookupFailed, UnsupportedValue, warn
from ventureframe.interface import fields
from ventureframe.interface.fields import canonical, fold, is_uuid, plain
from ventureframe.interface.reply import refuse_error, rows_of

Kind = Literal["university", "lp", "investor", "tag", "location"]
Row = Mapping[str, Any]

_PAGES = 20  # of places that are requested at most; a page can have a thousand
_MORE = " The service can have more than it returned: give the name in full."
_WORDS: Final[Mapping[str, str]] = {
    "website_domain": "domain",
    "source_type": "type",
    "parent_name": "place it is within",
}
"""How a field is called in an error, where not by its name."""
_ADVICE: Final[Mapping[str, str]] = {
    "university": "give its domain as well, or its UUID in place of the domain",
    "investor": "give its domain as well, or its UUID in place of the domain",
    "tag": "give its type as well",
    "location": "give the place it is within as well, or its id in place of its type",
}
"""What tells apart the records that match."""


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class University(_Institution):
    """A university's canonical record; its two counts are different populations."""

    founder_alumni_total: int | None
    spinout_count: int | None
    withheld: tuple[str, ...] = ()  # fields that the service does not show


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
class Location:
    """A place, for `company.hq_location`; `parent_name` says where it lies.

    `parent_name` and `parent_type` are None where the place lies in none,
    `parent_type` also where the service does not say.
    """

    id: int
    name: str
    type: str
    parent_name: str | None
    parent_type: str | None

    @property
    def named(self) -> tuple[str, ...]:
        """Its name, its type, and the place it is within.

        >>> Location(12, "Atlanta", "city", "Georgia", "region").named
        ('Atlanta', 'city', 'Georgia')
        """
        if self.parent_name is None:
            return self.name, self.type
        return self.name, self.type, self.parent_name


@dataclass(frozen=True)
class NearMiss:
    """A record that was found, and in which fields it differs."""

    row: Row
    differs: tuple[str, ...]

    def __str__(self) -> str:
        is_place = "parent_type" in self.row
        named = _location(self.row).named if is_place else self.row["named"]
        text = ", ".join(part or "none recorded" for part in named)
        if is_place:
            details = filter(None, [self.row["parent_type"], f"id {self.row['id']}"])
            text += f" ({', '.join(details)})"
        words = [_WORDS.get(name, name) for name in self.differs]
        if not words:
            return text
        verb = "differs" if len(words) == 1 else "differ"
        return f"{text} ({' and '.join(words)} {verb})"


def university(svc: Connected, name: str, *, domain: str | None = None) -> University:
    """The one university of this name and, if given, website domain.

    A UUID can stand in place of the domain, or of both. Raises `LookupFailed` with
    the nearest record and what differs, or `NotFound` where no record has the UUID.
    """
    record = _institution(svc.connection, "university", name, domain)
    record[WITHHELD] = tuple(record[WITHHELD] or ())
    return University(**record)


def investor(svc: Connected, name: str, *, domain: str | None = None) -> Investor:
    """The one investor of this name and website domain, or UUID.

    Raises as `university` does.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> lp = svc.lp("Meridian Sovereign Reserve", domain="meridian-reserve.example")
    >>> svc.lp(lp.uuid) == lp
    True
    """
    record = _institution(svc.connection, "investor", name, domain)
    del record[WITHHELD]
    return Investor(**record)


# the interface's word
def tag(svc: Connected, label: str, *, type: str | None = None) -> Tag:  # noqa: A002
    """The one tag of this label (case ignored) and, if given, type.

    Raises `LookupFailed`; where a label is of several types, with these.

    >>> import ventureframe as vf
    >>> vf.connect(environment={}).tag("robotics", type="technology").label
    'Robotics'
    """
    _check_texts(label=label, type=type or "")
    rows, is_cut = _tags(svc.connection, label)
    wanted = {"label": label, "source_type": type}
    row = _match("tag", rows, wanted, is_cut=is_cut)
    return Tag(row["value"], row["label"], row["source_type"])


def location(
    svc: Connected,
    name: str,
    *,
    type: str | None = None,  # noqa: A002  # the interface's word
    within: str | None = None,
) -> Location:
    """The one place of this name (case ignored), and of `type` and in `within`.

    Names of places repeat: `within` is the name of the place it lies in, and the id
    of the place can stand in place of its type. Raises `LookupFailed`.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> london = svc.location("London", type="city", within="United Kingdom")
    >>> svc.location("London", type=str(london.id)) == london
    True
    """
    _check_texts(name=name, type=type or "", within=within or "")
    wanted = {"name": name, "type": type, "parent_name": within}
    kind = type
    if type and type.isdecimal():
        wanted, kind = {"name": name, "id": type}, None
    rows, is_cut = _places(svc.connection, name, kind)
    row = _match("location", rows, wanted, is_cut=is_cut)
    if is_cut and "id" not in wanted:
        warn(cut("locations for", name))
    return _location(row)


def similar(svc: Connected, kind: Kind, text: str = "") -> list[Row]:
    """The records that the service finds for a text, for one of them to be picked.

    The very name comes first, then names with a word that begins with the text, then
    the others. `named` names the record in a question. Without a text: all tags or
    countries. One request.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> for row in svc.similar("tag", "robot"):
    ...     print(row["named"])
    ('Robotics', 'technology')
    ('Robotics', 'sector')
    """
    _check_texts(text=text)
    connection = svc.connection
    if kind == "tag":
        rows, _ = _tags(connection, text)
    elif kind == "location":
        place = None if text else "country"
        rows, _ = _places(connection, text, place, pages=1)
    else:
        rows, _ = connection.search("investor" if kind == "lp" else kind, text)
    wanted = f" {plain(text)}"

    def rank(row: Row) -> tuple[bool, bool]:
        name = f" {plain(row['named'][0] or '')} "
        return name != f"{wanted} ", wanted not in name

    return sorted(_with_names(rows), key=rank)


def _institution(
    connection: Connection, kind: str, name: str, domain: str | None
) -> dict[str, Any]:
    """The canonical record with this name and domain, or with this UUID."""
    _check_texts(name=name, domain=domain or "")
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
        # the record that is meant can have another name: it is named as the nearest
        others, is_cut = connection.search(kind, domain)
        row = _match(kind, [*rows, *others], wanted, is_cut=is_cut)
    record = _record(connection, kind, row["uuid"])
    if record["website_domain"] is None:
        wanted = {"name": name}
    _match(kind, [record], wanted)
    return record


def _record(connection: Connection, kind: str, uuid: str) -> dict[str, Any]:
    """The canonical record with this UUID; `NotFound` where there is none."""
    reply = connection.get(connection.profile.paths["entity"].replace("{id}", uuid), {})
    content = reply.json()
    refuse_error(reply, content)
    entity = content.get("data")
    if not isinstance(entity, dict) or canonical(str(entity.get("uuid"))) != uuid:
        raise reply.unreadable(f"is not the record {uuid} that was asked for")
    if (type_ := entity.get(connection.profile.kind_key)) not in (None, kind):
        what = f"The record {uuid} is not of type {kind!r} but of type {type_!r}"
        raise LookupFailed(f"{what}. Give the UUID of another record.")
    resource = fields.UNIVERSITIES if kind == "university" else fields.INVESTORS
    (record,), _ = connection.rows(reply, kind, resource, [entity])
    names = [field.name for field in resource.returned]
    return {name: record.get(name) for name in (*names, WITHHELD)}


def _tags(connection: Connection, text: str) -> tuple[list[dict[str, Any]], bool]:
    """The tags that the service finds for a text, and whether it can have more."""
    profile = connection.profile
    if len(text.strip()) < profile.tag_minimum:
        return _short_tags(connection, text)
    per_row, most = profile.tags_per_row, profile.limits["tags"].maximum
    request = {
        "q": text,
        "scope": profile.tag_scope,
        "limit_per_row": per_row,
        "limit": most,
    }
    reply = connection.get(profile.paths["tags"], request)
    rows = rows_of(reply, reply.json())
    tags = list[dict[str, Any]]()
    for row in rows:  # another filter may have a value of this name
        is_value = row.get("kind", "value") == "value"
        is_tag = row.get("filter_key", profile.tag_key) == profile.tag_key
        if is_value and is_tag:
            tags.append(row)
    records, page = connection.rows(reply, "tags", fields.TAGS, tags)
    is_full = len(tags) >= per_row
    return records, is_full or checks.is_cut(page, len(rows), limit=most)


def _short_tags(connection: Connection, text: str) -> tuple[list[dict[str, Any]], bool]:
    """The same for a text that is too short to be searched: from the list of tags."""
    profile = connection.profile
    if text:
        _check_length(text, profile.location_minimum, "label")
    most = profile.limits["tag-values"].maximum
    path = profile.paths["tag-values"]
    reply = connection.get(path, {"q": text or None, "limit": most})
    tags = list[dict[str, Any]]()
    own = {"kind": "value", "filter_key": profile.tag_key}
    for row in rows_of(reply, reply.json()):
        label, value, kind = row.get("name"), row.get("id"), row.get("type")
        tags.append({**own, "label": label, "value": value, "source_type": kind})
    records, page = connection.rows(reply, "tags", fields.TAGS, tags)
    return records, checks.is_cut(page, len(tags), limit=most)


def _places(
    connection: Connection, name: str, kind: str | None = None, *, pages: int = _PAGES
) -> tuple[list[dict[str, Any]], bool]:
    """The places of a name, and whether there can be more.

    Pages that all go on and none of which is the last are refused.
    """
    profile = connection.profile
    if name:
        _check_length(name, profile.location_minimum, "name")
    request = {
        "q": name or None,
        "type": profile.place_types.get(kind, kind) if kind else None,
        "limit": profile.limits["locations"].maximum,
    }
    path = profile.paths["locations"]
    places, received = dict[object, dict[str, Any]](), 0
    for _ in range(pages):
        reply = connection.get(path, {**request, "offset": received})
        rows, page = connection.rows(reply, "locations", fields.LOCATIONS)
        received += len(rows)
        known = len(places)
        places |= {row["id"]: row for row in rows}
        is_last = page.has_more is False and not page.goes_on
        if is_last or len(places) == known:
            is_cut = page.is_limited or (page.goes_on and len(rows) > 0)
            return list(places.values()), is_cut
    if pages == 1:
        return list(places.values()), True
    what = f"has more than {pages} pages of places for {name!r}, none of them the last"
    raise reply.unreadable(what)


def _check_texts(**texts: object) -> None:
    for name, value in texts.items():
        if not isinstance(value, str):
            raise UnsupportedValue(value, field=name, reason="give it as text")


def _check_length(text: str, minimum: int, name: str) -> None:
    if len(text.strip()) < minimum:
        reason = f"the service searches from {minimum} characters on"
        raise UnsupportedValue(text, field=name, reason=reason)


def _location(row: Row) -> Location:
    names = ("id", "name", "type", "parent_name", "parent_type")
    return Location(*[row[name] for name in names])


def _with_names(rows: Iterable[Row]) -> list[Row]:
    """Each record once, with what names it in a question under `named`.

    Where others have that, too, its UUID or the id of a place stands in it.
    """
    distinct = {row.get("uuid") or row.get("id") or row["value"]: row for row in rows}
    names = {key: _named(row) for key, row in distinct.items()}
    times = Counter(names.values())
    with_names = list[Row]()
    for key, row in distinct.items():
        is_shared = times[names[key]] > 1 and "value" not in row
        named = (row["name"], str(key)) if is_shared else names[key]
        with_names.append({**row, "named": named})
    return with_names


def _named(row: Row) -> tuple[str, ...]:
    if "website_domain" in row:
        return row["name"], row["website_domain"] or row["uuid"]
    if "parent_name" in row:
        return _location(row).named
    return row["label"], row["source_type"]


def _match(
    kind: str,
    rows: Sequence[Row],
    wanted: Mapping[str, str | None],
    *,
    is_cut: bool = False,
) -> Row:
    """The one row with these members; `is_cut` says that there can be others."""
    given = {name: text for name, text in wanted.items() if text}
    exact = [row for row in rows if not _differences(row, given)]
    if len(exact) == 1:
        return exact[0]
    near = [NearMiss(row, _differences(row, given)) for row in _with_names(rows)]
    matches = [miss for miss in near if not miss.differs]
    if len(matches) == 1:
        return matches[0].row
    words = [f"{_WORDS.get(name, name)} {text!r}" for name, text in given.items()]
    with_these = " and ".join(words)
    if matches:
        listed = "; ".join(str(match) for match in matches)
        message = f"More than one {kind} has {with_these}: {_ADVICE[kind]}."
        message += f" They are: {listed}."
        raise LookupFailed(message, candidates=_candidates(matches))
    message = f"No {kind} has {with_these}"
    if near:
        near.sort(key=_distance)
        message += f". The nearest is {near[0]}: give each exactly as it is recorded."
    else:
        message += ", and nothing similar was found. Check the spelling."
    if is_cut:
        message += _MORE
    raise LookupFailed(message, candidates=_candidates(near))


def _differences(row: Row, given: Mapping[str, str]) -> tuple[str, ...]:
    """The fields of a row that are not as given; case counts in a name alone."""
    differs = list[str]()
    for field, text in given.items():
        value = "" if row[field] is None else str(row[field])
        is_exact = field == "name" and "website_domain" in row
        is_same = value == text if is_exact else fold(value) == fold(text)
        if not is_same:
            differs.append(field)
    return tuple(differs)


def _distance(miss: NearMiss) -> tuple[int, bool]:
    """How far a record is: a record with the domain is nearer than one with the name."""
    return len(miss.differs), "website_domain" in miss.differs


def _candidates(near: Sequence[NearMiss]) -> tuple[Row, ...]:
    return tuple({**miss.row, "differs": miss.differs} for miss in near)
