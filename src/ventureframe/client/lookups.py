"""Exact look-ups: one record that matches, else an error that lists the near misses.

Interface, "Rules per endpoint", 3 and 4.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from ventureframe.client import checks
from ventureframe.client.connection import Connection, cut
from ventureframe.client.decode import page, refuse_error, rows_of
from ventureframe.client.records import Investor, Location, Tag, University, said_of_place
from ventureframe.errors import EvidenceWarning, LookupFailed, UnsupportedValue
from ventureframe.interface import fields
from ventureframe.interface.values import canonical, fold, is_uuid

Kind = Literal["university", "investor", "tag", "location"]
"""What kinds of records are looked up."""

_SHOWN: Final = 5
"""Candidates that a message names; the error has all of them."""

_WORDS: Final[Mapping[str, str]] = {
    "website_domain": "domain",
    "source_type": "type",
    "parent_name": "place it is within",
    "parent_type": "type of the place it is within",
}
"""What members of a record are called in messages."""


class _Kind(NamedTuple):
    """How records of one kind are told apart, and what to do where several match.

    `key` identifies a record; `folds` ignores case (a domain's case never counts).
    """

    key: str = "uuid"
    folds: bool = False
    advice: str = "give the UUID of the one that is meant in place of the domain"


_KINDS: Final[Mapping[str, _Kind]] = {
    "university": _Kind(),
    "investor": _Kind(),
    "tag": _Kind(
        "value", folds=True, advice="the service does not tell them apart, so none is taken"
    ),
    "location": _Kind("id", folds=True, advice="add the place it is within, written as it is here"),
}
_PAGES: Final = 20
"""Pages of places that are asked for at most; a page can have a thousand."""
_RECORDS: Final = {"university": fields.UNIVERSITIES, "investor": fields.INVESTORS}


def university(svc: Connection, name: str, *, domain: str | None = None) -> University:
    """The one university of this name and website domain (rules per endpoint, 4).

    A UUID can stand in place of the domain, or of both. Raises `LookupFailed`, which lists near
    misses and what differed, where none or several match both, and where no domain is given.
    """
    return University(**_found(svc, "university", name, domain))


def university_by_id(svc: Connection, uuid: str, *, name: str | None = None) -> University:
    """The university with this UUID, for where several share a name and a domain, or have none.

    Raises `NotFound` where there is no such record, `LookupFailed` where it is not a university or
    has another name than the one given.
    """
    return University(**_by_id(svc, "university", uuid, name))


def investor(svc: Connection, name: str, *, domain: str | None = None) -> Investor:
    """The one investor of this name and website domain; raises as `university` does."""
    return Investor(**_found(svc, "investor", name, domain))


def investor_by_id(svc: Connection, uuid: str, *, name: str | None = None) -> Investor:
    """The investor with this UUID, for where no website domain is recorded; an LP or a manager.

    Raises as `university_by_id` does.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> lp = svc.lp("Meridian Sovereign Reserve", domain="meridian-reserve.example")
    >>> svc.investor_by_id(lp.uuid) == lp
    True
    """
    return Investor(**_by_id(svc, "investor", uuid, name))


def tag(svc: Connection, label: str, *, type: str) -> Tag:  # noqa: A002  # the interface's word
    """The one tag of this label (case ignored) and type (rules per endpoint, 3).

    Raises `LookupFailed`, which lists near misses.
    """
    tags, is_cut = _tags(svc, label)
    row = _only("tag", tags, {"label": label, "source_type": type}, is_cut=is_cut)
    return Tag(row["value"], row["label"], row["source_type"])


def _tags(svc: Connection, text: str) -> tuple[list[dict[str, Any]], bool]:
    """The tags that the service finds for a text, and whether it can have more."""
    profile = svc.profile
    _check_length(text, profile.tag_minimum, "label")
    asked = {
        "q": text,
        "scope": profile.tag_scope,
        "limit_per_row": profile.tags_per_row,
        "limit": profile.limits["tags"].maximum,
    }
    reply = svc.get(profile.paths["tags"], asked)
    is_tag = {"kind": "value", "filter_key": profile.tag_key}.items()  # not another filter's value
    content = reply.json()
    found = rows_of(reply, content)
    rows = [row for row in found if all(row.get(name, value) == value for name, value in is_tag)]
    most = profile.limits["tags"].maximum
    is_cut = checks.is_cut(page(reply, content), len(found), limit=most)
    is_cut |= len(rows) >= profile.tags_per_row
    return svc.records(reply, "tags", fields.TAGS, rows), is_cut


def location(
    svc: Connection,
    name: str,
    *,
    type: str,  # noqa: A002  # the interface's word
    within: str | None = None,
) -> Location:
    """The one place of this name and type (case ignored), in `within` where that is given.

    Names of places repeat. `within` is the place it lies in, perhaps with that place's type in
    parentheses, `"Georgia (region)"`, and with the id of the place looked up in square brackets.
    Raises `LookupFailed`, which lists near misses in this form.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> svc.location("London", type="city", within="United Kingdom (country)").parent_type
    'country'
    """
    wanted: dict[str, str | int] = {"name": name, "type": type, **said_of_place(within or "")}
    places, is_cut = _places(svc, name, type)
    return Location.of(_only("location", places, wanted, is_cut=is_cut))


def location_by_id(svc: Connection, id: int | str, *, name: str) -> Location:  # noqa: A002
    """The place with this id among the places of this name (case ignored).

    The service has no look-up by id alone. Raises `LookupFailed`, which lists near misses.

    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> london = svc.location("London", type="city")
    >>> svc.location_by_id(london.id, name="London") == london
    True
    """
    wanted: dict[str, str | int] = {"name": name, "id": int(fields.LOCATIONS["id"].write(id))}
    places, _ = _places(svc, name)  # no other place has this id
    return Location.of(_only("location", places, wanted))


def similar(svc: Connection, kind: Kind, text: str) -> list[Mapping[str, Any]]:
    """The records that the service finds for a text, for one of them to be picked.

    A row each, in the service's order, with what names it in a question and none of the others
    under `named`. One request: of places and institutions that are very many, not all are there.

    >>> import ventureframe as vf
    >>> [row["named"] for row in similar(vf.connect(environment={}), "tag", "Robotics")][:2]
    [('Robotics', 'technology'), ('Robotics', 'sector')]
    """
    if kind == "tag":
        rows, _ = _tags(svc, text)
    elif kind == "location":
        rows, _ = _places(svc, text, is_every=False)
    else:
        rows, _ = svc.search(kind, text)
    distinct = {row[_KINDS[kind].key]: row for row in rows}.values()
    return [{**row, "named": _named(kind, row, distinct)} for row in distinct]


def _places(
    svc: Connection, name: str, kind: str | None = None, *, is_every: bool = True
) -> tuple[list[dict[str, Any]], bool]:
    """Every place that the service finds for a name, each once; whether it can have more.

    A page is the last one where it says so or has no other places, or where not `is_every` one is
    wanted. Raises `UnreadableReply` where none of `_PAGES` is.
    """
    _check_length(name, svc.profile.location_minimum, "name")
    kind = None if kind is None else svc.profile.place_types.get(kind, kind)
    asked = {"q": name, "type": kind, "limit": svc.profile.limits["locations"].maximum}
    found: dict[object, dict[str, Any]] = {}
    received = 0
    for _ in range(_PAGES):
        reply = svc.get(svc.profile.paths["locations"], {**asked, "offset": received})
        content, known = reply.json(), len(found)
        rows = svc.records(reply, "locations", fields.LOCATIONS)
        received += len(rows)
        found = {place["id"]: place for place in (*found.values(), *rows)}
        about = page(reply, content)
        is_last = about.has_more is False and not about.goes_on
        if not is_every or len(found) == known or is_last:
            return list(found.values()), bool(rows and about.goes_on) or about.is_limited
    raise reply.unreadable(
        f"has more than {_PAGES} pages of places for {name!r}, of which none is the last"
    )


def _found(svc: Connection, kind: str, name: str, domain: str | None) -> dict[str, Any]:
    """The canonical record that search finds under this name and domain.

    A UUID can stand in place of the domain, or of both.
    """
    if is_uuid(domain or name):
        return _by_id(svc, kind, domain or name, name if domain else None)
    _check_length(name, svc.profile.search_minimum, "name")
    wanted = {"name": name, "website_domain": domain or None}
    found, is_cut = svc.search(kind, name)
    try:
        row = _only(kind, found, wanted, is_cut=is_cut)
    except LookupFailed:
        if not domain:
            raise
        # a name that is misspelt or shortened finds others: the domain may find the one meant
        others, is_cut = svc.search(kind, domain)
        same = [row for row in others if _has_domain(row, domain)]
        row = _only(kind, [*same, *found], wanted, is_cut=is_cut)
    record = _record(svc, kind, row["uuid"])
    said = {"name": name, "website_domain": record["website_domain"] and domain}
    _only(kind, [record], {each: text for each, text in said.items() if text})
    return record


def _has_domain(row: Mapping[str, Any], domain: str) -> bool:
    return fold(row["website_domain"] or "") == fold(domain)


def _record(svc: Connection, kind: str, uuid: str) -> dict[str, Any]:
    reply = svc.get(svc.profile.paths["entity"].replace("{id}", uuid))
    content = reply.json()
    refuse_error(reply, content)
    entity = content.get("data")
    known = str(entity.get("uuid")) if isinstance(entity, dict) else ""
    if not isinstance(entity, dict) or not is_uuid(known) or canonical(known) != uuid:
        raise reply.unreadable(f"is not the record {uuid} that was asked for")
    is_of = entity.get(svc.profile.kind_key)
    if is_of not in (None, kind):
        raise LookupFailed(
            f"The record {uuid} is not of type {kind!r} but of type {is_of!r}. "
            "Give the UUID of another record."
        )
    (record,) = svc.records(reply, kind, _RECORDS[kind], [entity])
    return {field.name: record[field.name] for field in _RECORDS[kind].returned}


def _by_id(svc: Connection, kind: str, uuid: str, name: str | None) -> dict[str, Any]:
    """The record with this UUID; `LookupFailed` where it has another name than the one given."""
    record = _record(svc, kind, _RECORDS[kind]["uuid"].write(uuid))
    if name is not None:
        _only(kind, [record], {"name": name})
    return record


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
    how = _KINDS[kind]

    def differs(row: Mapping[str, Any], name: str) -> bool:
        value, text = row[name], wanted[name]
        if value is None or text is None:
            return True
        if isinstance(value, str) and (how.folds or name == "website_domain"):
            value, text = fold(value), fold(str(text))
        return bool(value != text)

    distinct = list({row[how.key]: row for row in rows}.values())
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
        if is_cut and kind not in _RECORDS:
            said = cut(f"{kind}s for", next(str(text) for text in wanted.values()))
            warnings.warn(said, EvidenceWarning, stacklevel=4)
        return matches[0]
    said = _unmatched(kind, matches or near, wanted, is_several=bool(matches))
    if is_cut and not matches:
        said += " The service can have more than it returned: give the name in full."
    raise LookupFailed(said, candidates=tuple(matches or near))


def _unmatched(
    kind: str,
    near: Sequence[Mapping[str, Any]],
    wanted: Mapping[str, str | int | None],
    *,
    is_several: bool,
) -> str:
    """Why none of these records is taken: several match, or none does."""
    shown = "; ".join(_candidate(row, kind, wanted) for row in near[:_SHOWN])
    shown += f"; and {len(near) - _SHOWN} more" if len(near) > _SHOWN else ""
    named = " and ".join(f"{_word(name)} {text!r}" for name, text in wanted.items() if text)
    missing = [_word(name) for name, text in wanted.items() if text is None]
    if is_several:
        advice = _KINDS[kind].advice
        return f"Several records match a {kind} with {named}: {advice}. They are: {shown}."
    if missing:
        found = f"Found: {shown}" if near else "Nothing similar was found"
        or_id = ", or its UUID in place of the domain" if kind in _RECORDS else ""
        return (
            f"The {kind} with {named} is not found without its {missing[0]}: give both{or_id}. "
            f"{found}."
        )
    if near:
        return f"No {kind} has {named}: give them exactly as in one record. Near misses: {shown}."
    return f"No {kind} has {named}, and nothing similar was found. Check the spelling."


def _named(
    kind: str, row: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]
) -> tuple[str | None, ...]:
    """What names the row in a question and none of the others: with its id where that is needed."""
    if kind == "location":
        return Location.of(row).named
    if kind == "tag":
        return row["label"], row["source_type"]
    name, domain = pair = row["name"], row["website_domain"]
    is_shared = sum((each["name"], each["website_domain"]) == pair for each in rows) > 1
    return name, row["uuid"] if is_shared or domain is None else domain


def _candidate(row: Mapping[str, Any], kind: str, wanted: Mapping[str, str | int | None]) -> str:
    if kind == "location":
        facts = ", ".join(each or "no name" for each in row["named"])
    else:
        facts = ", ".join(str(row[name] or f"no {_word(name)}") for name in wanted)
        uuid = row.get("uuid")  # said only where name and domain tell it from no other
        facts += f" [{uuid}]" if uuid and uuid in row["named"] else ""
    differs = [_word(name) for name in row["differs"] if wanted[name] is not None]
    verb = "differs" if len(differs) == 1 else "differ"
    return facts + (f" ({' and '.join(differs)} {verb})" if differs else "")


def _word(name: str) -> str:
    return _WORDS.get(name, name)
