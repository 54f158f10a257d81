"""The keys and types that a service answered with on one day, and what has changed since.

A recording holds no value, no id, no name and no address. A changed wire is seen by comparing it
with a later one, or with the wire's table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from ventureframe.client.decode import Rows
from ventureframe.doctor.examine import Answer, line, table
from ventureframe.doctor.probes import probes
from ventureframe.errors import SaveError
from ventureframe.interface.fields import Many, Record, Type
from ventureframe.interface.files import write_whole
from ventureframe.interface.wire.generations import WIRES, named
from ventureframe.interface.wire.profile import INTERFACE, Profile
from ventureframe.interface.wire.shape import Key

Types = Mapping[str, str]
"""What stands at each path of a reply: `data[].name` is `null or text`.

`[]` is each entry of a list. `absent` stands at a key that some records lack, `empty` is a record
without any. A record whose keys are data is a `map`: none of them is kept, `*` is under any.
"""
Kind = Literal["renamed", "gone", "new", "retyped"]

_JSON: Final = {type(None): "null", bool: "flag", str: "text", list: "list", dict: "object"}
_DIGITS: Final = ("number", "text")
_DECLARED: Final = dict[str, tuple[str, ...]](
    flag=("flag",), number=("number",), integer=_DIGITS, identifier=_DIGITS
)
"""The types that JSON may give for a declared one; text for every other."""
_NAME: Final = re.compile(r"[a-z_][a-zA-Z0-9_]{0,39}", re.ASCII)
_DATA: Final = re.compile(r"\d{3}|^(?=.*\d)[0-9a-f_]{8,}$", re.ASCII)
_FILE: Final = "replies.json"


@dataclass(frozen=True, slots=True)
class Recording:
    """What stands in each endpoint's replies; `day` is empty where a table says it.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> with vf.connect(environment={}) as svc:
    ...     seen = doctor.Recording.of(doctor.examine(svc), day="2026-06-30")
    >>> doctor.changed(seen)
    ()
    """

    wire: str
    day: str
    replies: Mapping[str, Types]

    @classmethod
    def of(cls, answers: Iterable[Answer], *, day: str) -> Recording:
        """What the answers show of each endpoint, all of its replies together."""
        given, wire = dict[str, list[Any]](), INTERFACE.name
        for each in answers:
            wire = each.profile.name
            if each.reply is not None:
                given.setdefault(each.probe.of, []).append(each.content)
        return cls(wire, day, {name: types_of(values) for name, values in given.items()})

    @classmethod
    def of_table(cls, profile: Profile) -> Recording:
        """What the wire's table says of the rows of each endpoint."""
        replies = dict[str, Types]()
        for probe in probes(profile):
            if probe.resource is not None:
                row = Rows(probe.resource, profile.shapes.get(probe.of)).record
                if probe.kind:
                    kind = Key(profile.kind_key, "text", "", is_optional=True)
                    row = Record((kind, *row.fields))
                replies[probe.of] = dict(_declared(row if probe.kind else Many(row), "data"))
        return cls(profile.name, "", replies)

    def write(self, folder: str | Path) -> Path:
        """The folder, once it holds one JSON file.

        Raises `SaveError` where it holds something already, or cannot be written.
        """
        target = emptied(folder)
        try:
            write_whole(target / _FILE, json.dumps(asdict(self), indent=1, sort_keys=True) + "\n")
        except OSError as error:
            raise SaveError(str(error.strerror), folder=str(target)) from error
        return target

    @classmethod
    def read(cls, folder: str | Path) -> Recording:
        """The recording in a folder; `SaveError` where it holds none, or anything else."""
        try:
            plain = json.loads((Path(folder) / _FILE).read_text("utf-8"))
            replies = {
                name: {path: str(text) for path, text in types.items()}
                for name, types in plain["replies"].items()
            }
            return cls(str(plain["wire"]), str(plain["day"]), replies)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            reason = "it is not a recording that `ventureframe doctor --record` wrote"
            raise SaveError(reason, folder=str(folder)) from error


def emptied(folder: str | Path) -> Path:
    """The folder, made where it is not there; `SaveError` where it holds something already."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        is_used = any(target.iterdir())
        reason = "it is not empty; choose a new folder for the recording" if is_used else ""
    except (OSError, ValueError) as error:  # a path may hold what no system takes
        reason = getattr(error, "strerror", None) or str(error)
    if reason:
        raise SaveError(reason, folder=str(target))
    return target


# --- types and keys


def types_of(values: list[Any], path: str = "", *more: str) -> dict[str, str]:
    """What stands at a path and below it, where these are all the values that stand there.

    >>> types_of([{"id": 1}, {"id": None}])
    {'': 'object', 'id': 'null or number'}
    """
    entries = [each for value in values if isinstance(value, list) for each in value]
    records = [each for each in values if isinstance(each, dict) and each]
    keys = dict.fromkeys(key for each in records for key in each)
    under = {key: [each[key] for each in records if key in each] for key in keys}
    lacking = {key for key, each in under.items() if len(each) < len(records)}
    kinds = {*map(_kind, values), *more}
    if _is_data(keys, lacking):
        kinds, lacking = kinds - {"object"} | {"map"}, set()
        under = {"*": [each for record in records for each in record.values()]}
    found = {path: _text(kinds)} | (types_of(entries, f"{path}[]") if entries else {})
    for key, each in under.items():
        absent = ("absent",) if key in lacking else ()
        found |= types_of(each, f"{path}.{key}" if path else key, *absent)
    return found


def _text(kinds: Iterable[str]) -> str:
    return " or ".join(sorted({*kinds}))


def _kind(value: object) -> str:
    return "empty" if value == {} else _JSON.get(type(value), "number")


def _is_data(keys: Iterable[str], lacking: set[str]) -> bool:
    """Whether keys are ids, days or people: none that a table could have, or none in common."""
    is_strange = any(_DATA.search(key) or not _NAME.fullmatch(key) for key in keys)
    return is_strange or (bool(lacking) and lacking.issuperset(keys))


def _declared(kind: Type, path: str, *more: str) -> Iterator[tuple[str, str]]:
    """What a wire's table says of a path and of those below it."""
    if isinstance(kind, Many):
        yield path, _text(("list", *more))
        yield from _declared(kind.of, f"{path}[]")
    elif isinstance(kind, Record):
        yield path, _text(("object", *more))
        for each in kind.fields:
            may_lack = isinstance(each, Key) and each.is_optional
            said = {"null": each.nullable, "absent": may_lack}
            yield from _declared(each.type, f"{path}.{each.name}", *(x for x in said if said[x]))
    else:
        yield path, _text((*_DECLARED.get(kind, ("text",)), *more))


# --- what has changed


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two recordings: where it is, what it is, and what to change."""

    endpoint: str
    path: str
    kind: Kind
    said: str
    advice: str

    def __str__(self) -> str:
        return f"{self.endpoint}: {self.path!r} {self.said}. {self.advice}."


_ADVICE: Final = {
    "renamed": "Write {now!r} for {key!r} in {line}",
    "gone": "Say where it stands now in {line}; until then null",
    "new": "Nothing has to change",
    "retyped": "Correct its type in {line}",
}
_GONE: Final = "Run `ventureframe doctor`: it says why"


def changed(one: Recording, two: Recording | None = None) -> tuple[Change, ...]:
    """What differs in the second recording, or in the only one from the table of its wire.

    A key that only some records had, a null, and a list that was empty say nothing. With a table
    only rows are compared.
    """
    old, new = (Recording.of_table(named(one.wire)), one) if two is None else (one, two)
    found, profile = list[Change](), WIRES.get(new.wire, INTERFACE)
    for name, types in sorted(old.replies.items()):
        if name in new.replies:
            differ = _differences(types, new.replies[name])
            found += (_change(profile, name, *each) for each in differ)
        elif old.day:
            found.append(Change(name, "data", "gone", "has no reply in the new recording", _GONE))
    return tuple(found)


def _differences(old: Types, new: Types) -> list[tuple[str, Kind, str]]:
    """The paths that differ, how, and what stands there now, in order."""

    def is_record(path: str) -> bool:
        above = path.rpartition(".")[0]
        both = _said(old.get(above, "")) & _said(new.get(above, ""))
        return bool(path) and not path.endswith("[]") and "object" in both

    gone = [
        path
        for path in old.keys() - new.keys()
        if is_record(path) and "absent" not in old[path].split()
    ]
    fresh = [path for path in new.keys() - old.keys() if is_record(path)]
    pairs = [(one, two) for one in gone for two in fresh if _is_alike(one, old, two, new)]
    alone = [pair for pair in pairs if sum(not {*pair}.isdisjoint(each) for each in pairs) == 1]
    before, after = {one for one, _ in alone}, {two for _, two in alone}
    found: list[tuple[str, Kind, str]] = []
    for path in old.keys() & new.keys():
        was, now = _said(old[path]), _said(new[path])
        if was and not now <= was:
            found.append((path, "retyped", f"was {_text(was)} and is {_text(now)}"))
    found += [(path, "gone", "is gone") for path in gone if path not in before]
    found += [(path, "renamed", two.rpartition(".")[2]) for path, two in alone]
    found += [(path, "new", "is new") for path in fresh if path not in after]
    return sorted(found)


def _said(text: str) -> set[str]:
    """The types in a text without those that say nothing."""
    return {*text.split(" or ")} - {"null", "absent", "empty", ""}


def _is_alike(one: str, old: Types, two: str, new: Types) -> bool:
    """Whether two keys of a record can hold the same: by their types and the keys below them."""
    was, now = _said(old[one]), _said(new[two])
    if one.rpartition(".")[0] != two.rpartition(".")[0] or not now or not now <= was:
        return False
    below, below_new = (
        {each[len(path) :] for each in types if each.startswith((f"{path}.", f"{path}[]"))}
        for path, types in ((one, old), (two, new))
    )
    return not below_new or 2 * len(below & below_new) >= max(len(below), len(below_new))


def _change(profile: Profile, endpoint: str, path: str, kind: Kind, said: str) -> Change:
    """The change at a path, with what it means; `said` is the new key of one that was renamed."""
    is_row = path.startswith(("data.", "data[]."))
    row = path.replace("[]", "").removeprefix("data.") if is_row else path
    readers = ", ".join(_readers(profile, endpoint, row)) if is_row else ""
    where = f"{line(profile, endpoint)}, for {readers}"
    advice = _ADVICE[kind].format(now=said, key=path.rpartition(".")[2], line=where)
    if kind != "new" and path.startswith("page"):
        advice = f"Correct it in {table(INTERFACE)}, if a member of Profile names it"
    elif kind != "new" and not readers:
        advice = "No field is read from it, so nothing has to change"
    return Change(endpoint, row, kind, f"is now {said!r}" if kind == "renamed" else said, advice)


def _readers(profile: Profile, endpoint: str, row: str) -> Iterable[str]:
    """The fields that are read from a path within a row."""
    if endpoint in profile.shapes:
        return profile.shapes[endpoint].reads(row)
    resources = (each.resource or () for each in probes(profile) if each.of == endpoint)
    return {row.partition(".")[0]}.intersection(name for each in resources for name in each)
