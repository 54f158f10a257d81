"""Exact look-ups: one record that matches, else an error that lists the near misses.

Interface, "Rules per endpoint", 3 and 4.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

from ventureframe.client import checks
from ventureframe.client.aggregates import by_uuid, records_of
from ventureframe.client.connection import Connected, Connection, cut
from ventureframe.client.listing import Listing
from ventureframe.client.paging import Step
from ventureframe.client.translate import WITHHELD
from ventureframe.errors import LookupFailed, RequestRejected, UnsupportedValue, warn
from ventureframe.interface import fields
from ventureframe.interface.fields import Place, canonical, fold, is_uuid, plain
from ventureframe.interface.filters import Filter, company
from ventureframe.interface.reply import refuse_error, rows_of

Kind = Literal["university", "lp", "investor", "tag", "location"]

_PAGES: Final = 20  # of places that are requested at most; a page can have a thousand
# companies whose tags are looked through where tags are not listed
_LOOKED: Final = 100
_SHOWN: Final = 5  # candidates that a message names; the error has all of them
_WITHIN: Final = re.compile(
    rf"(?P<parent_name>.*?)\s*(\((?P<parent_type>{'|'.join(get_args(Place))})\))?"
    r"\s*(\[(?P<id>[0-9]{1,18})\])?",
    re.DOTALL | re.IGNORECASE,
)
_WORDS: Final[Mapping[str, str]] = {
    "website_domain": "domain",
    "source_type": "type",
    "value": "id",
    "parent_name": "place it is within",
    "parent_type": "type of the place it is within",
}


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
    withheld: tuple[str, ...] = ()  # fields that the service does not show


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
    """A place, for `company.hq_location`; `parent_name` and `parent_type` say where it
    lies.

    Both are None where the place lies in none, `parent_type` also where the service
    does not say.
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
        kind = (
            f"({self.parent_type})" if self.parent_name and self.parent_type else None
        )
        within = " ".join(filter(None, (self.parent_name, kind, f"[{self.id}]")))
        return self.name, self.type, within


class _Rule(NamedTuple):
    """How records of one kind are told apart, and which of their records are
    counted.
    """

    advice: str  # where several match
    of: str
    # the aggregate that counts them, if not their rows
    groups: tuple[str, str] | tuple[()] = ()
    key: str = "uuid"
    folds: tuple[str, ...] = ("website_domain",)  # compared without case


_BY_UUID: Final = "give the UUID of the one that is meant in place of the domain"
_BY_ID: Final = "give the id of the one that is meant in place of the type"
_BY_PARENT: Final = "add the place it is within, written as it is here"
_MORE: Final = " The service can have more than it returned: give the name in full."
_PLACE: Final = ("name", "type", "parent_name", "parent_type")
_RULES: Final[Mapping[str, _Rule]] = {
    "university": _Rule(_BY_UUID, "founder", ("founders", "university_uuid")),
    "lp": _Rule(_BY_UUID, "manager", ("investors", "lp_uuid")),
    "investor": _Rule(_BY_UUID, "record"),
    "tag": _Rule(_BY_ID, "company", (), "value", ("label", "source_type")),
    "location": _Rule(_BY_PARENT, "company", (), "id", _PLACE),
}


def university(svc: Connected, name: str, *, domain: str | None = None) -> University:
    """The one university of this name and, if given, website domain (rules per
    endpoint, 4).

    A UUID can stand in place of the domain, or of both. Raises `LookupFailed` with
    near misses and what differed, those of most records first; or `NotFound` where
    no record has the UUID.
    """
    record = _institution(svc, "university", name, domain)
    return University(**record | {WITHHELD: tuple(record[WITHHELD] or ())})


def investor(svc: Connected, name: str, *, domain: str | None = None) -> Investor:
    """The one investor of this name and website domain, or UUID; raises as `university`
    does.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> lp = svc.lp("Meridian Sovereign Reserve", domain="meridian-reserve.example")
    >>> svc.lp(lp.uuid) == lp
    True
    """
    record = _institution(svc, "investor", name, domain)
    return Investor(**{key: value for key, value in record.items() if key != WITHHELD})


# the interface's word
def tag(svc: Connected, label: str, *, type: str | None = None) -> Tag:  # noqa: A002
    """The one tag of this label (case ignored) and, if given, type (rules per endpoint,
    3).

    The tag's id can stand in place of its type. Raises `LookupFailed` with near
    misses; where a label is of several types, with these.
    """
    _check_texts(label=label, type=type or "")
    wanted: dict[str, str | int | None] = {"label": label, "source_type": type}
    if type and type.isdecimal():
        wanted = {"label": label, "value": int(type)}
        rows, more = _tags_of(svc.connection, 1, company.tag_id.in_any([type])), ""
    else:
        rows, more = _tags(svc.connection, label)
    row = _only(svc, "tag", rows, wanted, more)
    return Tag(row["value"], row["label"], row["source_type"])


def location(
    svc: Connected,
    name: str,
    *,
    type: str | None = None,  # noqa: A002  # the interface's word
    within: str = "",
) -> Location:
    """The one place of this name (case ignored), of `type` and in `within` where these
    are given.

    Names of places repeat. `within` is the place it lies in, perhaps with that place's
    type in parentheses, `"Georgia (region)"`, and with the id of the place looked up in
    square brackets. Raises `LookupFailed`, with near misses in this form.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> london = svc.location("London", type="city", within="United Kingdom (country)")
    >>> svc.location("London", within=f"[{london.id}]") == london
    True
    """
    _check_texts(name=name, type=type or "", within=within or "")
    match = _WITHIN.fullmatch((within or "").strip())
    parts = (
        {part: text for part, text in match.groupdict().items() if text}
        if match
        else {}
    )
    wanted: dict[str, str | int | None] = {"name": name, "type": type, **parts}
    if "id" in parts:
        wanted["id"] = int(parts["id"])
    rows, is_cut = _places(svc.connection, name, type)
    return _location(
        _only(svc, "location", rows, wanted, _MORE * (is_cut and "id" not in parts))
    )


def similar(svc: Connected, kind: Kind, text: str = "") -> list[Mapping[str, Any]]:
    """The records that the service finds for a text, for one of them to be picked.

    The very name comes first, then names with a word that begins with the text, the one
    with most `records` first (founders of a university, managers of an LP, companies;
    null: not counted). `named` names the record in a question, and none of the others.
    Without a text: all tags, LPs or countries. One request, and one to count
    universities or LPs the first time, which is 5 credits on today's wire; where it is
    refused, nothing is counted, and any investor can be an LP.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> lp, *_ = svc.similar("lp")
    >>> lp["name"], lp["records"]
    ('Meridian Sovereign Reserve', 31)
    """
    _check_texts(text=text)
    connection, wanted, rows = svc.connection, f" {plain(text)}", list[dict[str, Any]]()
    if kind == "tag":
        rows = _tags(connection, text, are_counted=True)[0]
    elif kind == "location":
        rows = _places(connection, text, None if text else "country", pages=1)[0]
    elif kind == "lp" and not text:
        named = {"name": "lp_name", "website_domain": "lp_domain"}
        for uuid, row in by_uuid(svc, *_RULES[kind].groups).items():
            rows.append({"uuid": uuid, **{key: row.get(named[key]) for key in named}})
    else:
        rows = connection.search("investor" if kind == "lp" else kind, text)[0]

    def order(row: Mapping[str, Any]) -> tuple[float, ...]:
        name, records = f" {plain(row['named'][0] or '')} ", row["records"] or 0
        near = name != f"{wanted} ", not records, f"{wanted} " not in name, -records
        return near if wanted in name else (2,)  # others as the service has them

    return sorted(_counted(svc, kind, _named(kind, rows)), key=order)


def _institution(
    svc: Connected, kind: str, name: str, domain: str | None
) -> dict[str, Any]:
    """The canonical record that search finds under this name and domain, or that has
    the UUID.
    """
    connection = svc.connection
    _check_texts(name=name, domain=domain or "")
    if is_uuid(domain or name):
        record = _record(connection, kind, canonical(domain or name))
        if domain:
            _only(svc, kind, [record], {"name": name})
        return record
    _check_length(name, connection.profile.search_minimum, "name")
    wanted = {"name": name, "website_domain": domain or None}
    rows, is_cut = connection.search(kind, name)
    try:
        row = _only(svc, kind, rows, wanted, _MORE * is_cut)
    except LookupFailed:
        if not domain:
            raise
        # a name that is misspelt or shortened finds others: the domain may find the one
        # meant
        others, is_cut = connection.search(kind, domain)
        same = [
            row for row in others if fold(row["website_domain"] or "") == fold(domain)
        ]
        row = _only(svc, kind, [*same, *rows], wanted, _MORE * is_cut)
    record = _record(connection, kind, row["uuid"])
    _only(svc, kind, [record], wanted if record["website_domain"] else {"name": name})
    return record


def _tags(
    connection: Connection, text: str, *, are_counted: bool = False
) -> tuple[list[dict[str, Any]], str]:
    """The tags that the service finds for a text; what is said where it can have more.

    Its list of all tags counts their companies; its search for labels does not.
    """
    profile, least = connection.profile, connection.profile.tag_minimum
    own, name = {"kind": "value", "filter_key": profile.tag_key}, "tags"
    asked: dict[str, Any] = {
        "scope": profile.tag_scope,
        "limit_per_row": profile.tags_per_row,
    }
    is_long = len(text.strip()) >= least
    if are_counted or not is_long:
        if text:
            _check_length(text, profile.location_minimum, "label")
        name, asked = "tag-values", {}
    most, counts = profile.limits[name].maximum, None if asked else "true"
    asked |= {"q": text or None, "include_counts": counts, "limit": most}
    try:
        reply = connection.get(profile.paths[name], asked)
    except RequestRejected:
        if counts is None:
            raise
        if is_long:
            return _tags(connection, text)
        tried = (
            f"for fewer than {least} characters the tags of {_LOOKED} companies were"
            " read"
        )
        return _tags_of(connection, _LOOKED), f" The service lists no tags, so {tried}."
    rows = rows_of(reply, reply.json())
    if counts is None:  # another filter may have a value of this name
        tags = [
            row
            for row in rows
            if all(row.get(key, own[key]) == own[key] for key in own)
        ]
    else:
        named = {"label": "name", "value": "id", "source_type": "type"}.items()
        tags = [
            {**row, **own, **{key: row.get(other) for key, other in named}}
            for row in rows
        ]
    records, about = connection.rows(reply, "tags", fields.TAGS, tags)
    is_full = len(tags) >= asked.get("limit_per_row", most)
    return records, _MORE * (is_full or checks.is_cut(about, len(rows), limit=most))


def _tags_of(
    connection: Connection, rows: int, condition: Filter | None = None
) -> list[dict[str, Any]]:
    """The tags of so many companies."""
    companies = Listing(connection, "companies", filter=condition)
    tags = (
        companies.read([companies.ask(Step(rows, 0))])
        .frame["tags"]
        .explode()
        .drop_nulls()
    )
    names = {"id": "value", "name": "label", "type": "source_type"}
    return tags.unique(maintain_order=True).struct.unnest().rename(names).to_dicts()


def _places(
    connection: Connection, name: str, kind: str | None = None, *, pages: int = _PAGES
) -> tuple[list[dict[str, Any]], bool]:
    """Find the places of a name, and whether there can be more; refuse pages without
    a last.
    """
    profile = connection.profile
    if name:
        _check_length(name, profile.location_minimum, "name")
    kind = None if kind is None else profile.place_types.get(kind, kind)
    asked = {
        "q": name or None,
        "type": kind,
        "limit": profile.limits["locations"].maximum,
    }
    asked["include_counts"] = "true"
    places, received = dict[object, dict[str, Any]](), 0
    for number in range(1, pages + 1):
        reply = connection.get(
            profile.paths["locations"], {**asked, "offset": received}
        )
        rows, about = connection.rows(reply, "locations", fields.LOCATIONS)
        received, before = received + len(rows), len(places)
        places |= {row["id"]: row for row in rows}
        is_last = about.has_more is False and not about.goes_on
        if is_last or len(places) == before or number == pages < _PAGES:
            break
    else:
        what = (
            f"has more than {_PAGES} pages of places for {name!r}, of which none is the"
            " last"
        )
        raise reply.unreadable(what)
    return list(places.values()), bool(rows and about.goes_on) or about.is_limited


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
    resource = {"university": fields.UNIVERSITIES}.get(kind, fields.INVESTORS)
    (record,), _ = connection.rows(reply, kind, resource, [entity])
    names = (*(field.name for field in resource.returned), WITHHELD)
    return {name: record.get(name) for name in names}


def _check_texts(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, str):
            raise UnsupportedValue(value, field=name, reason="give it as text")


def _check_length(text: str, minimum: int, name: str) -> None:
    if len(text.strip()) < minimum:
        or_id = "; a tag's id can stand in place of its type" * (name == "label")
        reason = f"the service searches from {minimum} characters on{or_id}"
        raise UnsupportedValue(text, field=name, reason=reason)


def _location(row: Mapping[str, Any]) -> Location:
    return Location(*(row[name] for name in ("id", *_PLACE)))


def _named(kind: str, rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """List each record once, with the shortest form that names it and none of the
    others.
    """
    records = {row[_RULES[kind].key]: row for row in rows}
    forms = {key: tuple(_forms(kind, str(key), row)) for key, row in records.items()}
    alike = Counter(fold(str(form)) for each in forms.values() for form in set(each))
    shortest = {
        key: [form for form in forms[key] if alike[fold(str(form))] == 1]
        for key in forms
    }
    return [{**row, "named": shortest[key][0]} for key, row in records.items()]


def _forms(kind: str, key: str, row: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """What names a record, the shortest form first; the last has its identifier."""
    if kind == "location":
        name, its, within = _location(row).named
        for form in (row["parent_name"], re.sub(r" ?\[.*", "", within), within):
            yield (name, its, form) if form else (name, its)
        return
    name, other = (
        ("label", "source_type") if kind == "tag" else ("name", "website_domain")
    )
    if row[other] is not None:
        yield row[name], row[other]
    yield row[name], key


def _counted(
    svc: Connected, kind: str, rows: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The rows with how many records each has; of investors wanted as LPs only LPs,
    if told.
    """
    rule, counted = _RULES[kind], list[Mapping[str, Any]]()
    groups = by_uuid(svc, *rule.groups) if rule.groups and rows else {}
    for row in rows:
        records = groups.get(row[rule.key], row).get("count", row.get("entities_count"))
        if records or kind != "lp" or not groups:
            counted.append({**row, "records": records, "of": rule.of})
    return counted


def _only(
    svc: Connected,
    kind: str,
    rows: Iterable[Mapping[str, Any]],
    wanted: Mapping[str, str | int | None],
    more: str = "",
) -> Mapping[str, Any]:
    """Find the one row with these members; `more` says that there can be others."""
    rule, near = _RULES[kind], list[Mapping[str, Any]]()
    given = {name: text for name, text in wanted.items() if text is not None}
    for row in _named(kind, rows):
        pairs = {name: (row[name], text) for name, text in given.items()}
        for name in pairs.keys() & rule.folds:
            pairs[name] = row[name] and fold(row[name]), fold(str(given[name]))
        differs = tuple(name for name, (value, text) in pairs.items() if value != text)
        near.append({**row, "differs": differs})
    matches = [row for row in near if not row["differs"]]
    if len(matches) == 1:
        if more and kind == "location":
            warn(cut("locations for", str(wanted["name"])))
        return matches[0]
    near = _counted(svc, kind, matches or near)
    near.sort(key=lambda row: (len(row["differs"]), "website_domain" in row["differs"]))
    words, shown = {name: _WORDS.get(name, name) for name in wanted}, list[str]()
    for row in near[:_SHOWN]:
        misses = [words[name] for name in row["differs"]]
        why = (
            f" ({' and '.join(misses)} differ{'s' * (len(misses) == 1)})"
            if misses
            else ""
        )
        names = ", ".join(part or "none recorded" for part in row["named"])
        shown.append(" · ".join(filter(None, (names, records_of(row)))) + why)
    if len(near) > _SHOWN:
        shown.append(f"and {len(near) - _SHOWN} more")
    named = " and ".join(f"{words[name]} {text!r}" for name, text in given.items())
    message = (
        f"No {kind} has {named}: give them exactly as in one record. Near misses: "
    )
    if matches:
        left_out = next((name for name in wanted if name not in given), None)
        is_open = left_out and len({row[left_out] for row in matches}) > 1
        advice = f"give its {words[str(left_out)]} as well" if is_open else rule.advice
        one = f"{'an' if kind == 'investor' else 'a'} {kind}"
        message = f"Several records match {one} with {named}: {advice}. They are: "
    elif not near:
        message = f"No {kind} has {named}, and "
    message += (
        f"{'; '.join(shown)}."
        if near
        else "nothing similar was found. Check the spelling."
    )
    if not matches:
        message += more + " A tag's id can stand in place of its type." * (
            kind == "tag"
        )
    raise LookupFailed(message, candidates=tuple(near))
