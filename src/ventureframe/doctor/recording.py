"""The keys and types that a service answered with on one day, and what has changed since.

A recording holds no value, no id, no name and no address. A changed wire is seen by comparing it
with a later one, or with the wire's table.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ventureframe.client import generation
from ventureframe.client.generation import WIRES
from ventureframe.doctor.answer import table
from ventureframe.doctor.checks import OPTIONAL
from ventureframe.doctor.examine import Finding
from ventureframe.doctor.outline import Outline, merged, of_type, tidied
from ventureframe.doctor.probes import probes
from ventureframe.errors import SaveError
from ventureframe.interface.fields import Record
from ventureframe.interface.files import write_whole
from ventureframe.interface.wire.profile import INTERFACE, Profile

Kind = Literal["renamed", "gone", "new", "retyped"]

_NO_RECORDING: Final = "it is not a recording that `ventureframe doctor --record` wrote"
_HEADERS: Final = (
    INTERFACE.version_header.lower(),
    INTERFACE.credits_header.lower(),
    "sunset",
    "deprecation",
)
"""The headers that a client reads; others come and go with what stands in between."""


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


@dataclass(frozen=True, slots=True)
class Recording:
    """The outlines of each endpoint's replies, with the names of the headers that came along.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> with vf.connect(environment={}) as svc:
    ...     seen = doctor.Recording.of(doctor.examine(svc), wire=svc.profile.name, day="2026-06-30")
    >>> doctor.changed(doctor.Recording.of_table(svc.profile), seen)
    ()
    """

    wire: str
    day: str
    replies: Mapping[str, Outline]
    headers: frozenset[str] | None = None

    @classmethod
    def of(cls, findings: Iterable[Finding], *, wire: str, day: str) -> Recording:
        """What the findings saw of each endpoint, all of its replies together."""
        replies: dict[str, Outline] = {}
        headers = frozenset[str]()
        for each in findings:
            if each.outline is not None:
                before = replies.get(each.of)
                replies[each.of] = merged(before, each.outline) if before else each.outline
                headers |= each.headers
        return cls(wire, day, {name: tidied(each) for name, each in replies.items()}, headers)

    @classmethod
    def of_table(cls, profile: Profile) -> Recording:
        """What the wire's table says of the rows of each endpoint."""
        replies = {}
        for probe in probes(profile):
            if probe.resource is not None:
                of, shape = probe.of, profile.shapes.get(probe.of)
                needed = (
                    each for each in probe.resource.returned if (of, each.name) not in OPTIONAL
                )
                row = of_type(Record(tuple(needed)) if shape is None else shape.row)
                data = row if probe.endpoint == "entity" else Outline(frozenset({"list"}), each=row)
                replies[of] = Outline(frozenset({"object"}), {"data": data})
        return cls(profile.name, "", replies)

    def write(self, folder: str | Path) -> Path:
        """The folder, once it holds one JSON file per endpoint.

        Raises `SaveError` where it holds something already, or cannot be written.
        """
        target = emptied(folder)
        for name, each in sorted(self.replies.items()):
            plain = {
                "wire": self.wire,
                "day": self.day,
                "endpoint": name,
                "headers": sorted(self.headers or ()),
                "reply": each.to_plain(),
            }
            try:
                write_whole(target / f"{name}.json", json.dumps(plain, indent=1) + "\n")
            except OSError as error:
                raise SaveError(str(error.strerror), folder=str(target)) from error
        return target

    @classmethod
    def read(cls, folder: str | Path) -> Recording:
        """The recording in a folder; `SaveError` where it holds none, or anything else."""
        replies, found, headers = {}, {}, set[str]()
        try:
            for path in sorted(Path(folder).iterdir()):
                found = json.loads(path.read_text("utf-8"))
                replies[str(found["endpoint"])] = Outline.from_plain(found["reply"])
                headers |= {*found["headers"]}
            return cls(found["wire"], found["day"], replies, frozenset(headers))
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise SaveError(_NO_RECORDING, folder=str(folder)) from error


def emptied(folder: str | Path) -> Path:
    """The folder, made where it is not there; `SaveError` where it holds something already."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        is_used = any(target.iterdir())
    except OSError as error:
        raise SaveError(str(error.strerror), folder=str(target)) from error
    if is_used:
        raise SaveError(
            "it is not empty; choose a new folder for the recording", folder=str(target)
        )
    return target


def opened(*folders: str | Path) -> tuple[Recording, Recording]:
    """Two recordings to compare: those in the folders, or the table of a wire and one of it.

    Raises `SaveError` where a folder holds no recording, and where there are more than two.
    """
    if len(folders) > 2:
        raise SaveError("two recordings are compared, not more", folder=str(folders[2]))
    *before, new = map(Recording.read, folders)
    return (before[0] if before else Recording.of_table(generation.named(new.wire))), new


def changed(old: Recording, new: Recording) -> tuple[Change, ...]:
    """What differs in the new recording, endpoint by endpoint; empty where nothing does.

    A key that only some records had, a null, and a list that was empty say nothing. With a table
    only rows are compared.
    """
    found = list[Change]()
    is_table = old.headers is None or new.headers is None
    for name in sorted(old.replies.keys() & new.replies.keys()):
        one, two = (each.replies[name] for each in (old, new))
        place = _Place(WIRES.get(new.wire, INTERFACE), name)
        if is_table:
            place = place.below("data")
            one, two = (each.keys.get("data", _NOTHING) for each in (one, two))
        found += _differences(place, one, two)
    if is_table:
        return tuple(found)
    for name in sorted(old.replies.keys() - new.replies.keys()):
        said = "has no reply in the new recording"
        found.append(Change(name, "data", "gone", said, "Run `ventureframe doctor`: it says why"))
    return (*found, *_of_headers(old.headers or _NONE, new.headers or _NONE))


_NOTHING: Final = Outline(frozenset())
_NONE: Final = frozenset[str]()


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the replies of an endpoint, and who reads it."""

    profile: Profile
    endpoint: str
    keys: tuple[str, ...] = ()

    def below(self, key: str) -> _Place:
        return dataclasses.replace(self, keys=(*self.keys, key))

    @property
    def path(self) -> str:
        """The keys, joined; within a row those of the row."""
        return ".".join(self.keys[1:] if self.keys[:1] == ("data",) else self.keys) or "data"

    @property
    def readers(self) -> str:
        """The fields that are read from here; what is beside the rows is not a field."""
        if self.keys[:1] != ("data",):
            return ""
        shape = self.profile.shapes.get(self.endpoint)
        read = self.keys[1:2] if shape is None else shape.reads(self.path)
        return ", ".join(name for name in read if name in self._fields)

    @property
    def _fields(self) -> set[str]:
        every = (each for each in probes(self.profile) if each.of == self.endpoint)
        return {name for each in every for name in each.resource or ()}

    @property
    def line(self) -> str:
        """What says where the fields stand, and which they are."""
        has_shape = self.endpoint in self.profile.shapes
        name = f"shapes[{self.endpoint!r}]" if has_shape else f"a shape for {self.endpoint!r}"
        return f"{name} in {table(self.profile)}, for {self.readers}"

    def change(self, kind: Kind, said: str, advice: str) -> Change:
        """A change here, with what to do where a field is read from it."""
        if kind != "new" and self.keys[:1] == ("page",):
            advice = f"Correct it in {table(INTERFACE)}, if a member of Profile names it"
        elif kind == "new":
            advice = "Nothing has to change"
        elif not self.readers:
            advice = "No field is read from it, so nothing has to change"
        return Change(self.endpoint, self.path, kind, said, advice)


def _differences(at: _Place, old: Outline, new: Outline) -> Iterator[Change]:
    if old.said and new.said and not new.said <= old.said:
        was, now = (" or ".join(sorted(each.said)) for each in (old, new))
        advice = f"Correct its type in {at.line}"
        yield at.change("retyped", f"was {was} and is {now}", advice)
        return
    if old.each is not None and new.each is not None:
        yield from _differences(at, old.each, new.each)
    if "object" not in old.types & new.types:
        return
    gone = [key for key in old.keys if key not in new.keys and key not in old.optional]
    fresh = [key for key in new.keys if key not in old.keys]
    named = dict(_renamed(old, new, gone, fresh))
    for key in gone:
        here = at.below(key)
        if key in named:
            advice = f"Write {named[key]!r} for {key!r} in {here.line}"
            yield here.change("renamed", f"is now {named[key]!r}", advice)
        else:
            advice = f"Say where it stands now in {here.line}; until then null"
            yield here.change("gone", "is gone", advice)
    for key in fresh:
        if key not in named.values():
            yield at.below(key).change("new", "is new", "")
    for key in (each for each in old.keys if each in new.keys):
        yield from _differences(at.below(key), old.keys[key], new.keys[key])


def _renamed(
    old: Outline, new: Outline, gone: Iterable[str], fresh: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """The keys that are gone with the new one that holds the same, where there is just one."""
    pairs = [(g, f) for g in gone for f in fresh if _is_alike(old.keys[g], new.keys[f])]
    for one, two in pairs:
        if sum(one == each or two == other for each, other in pairs) == 1:
            yield one, two


def _is_alike(one: Outline, two: Outline) -> bool:
    """Whether both can be outlines of the same values."""
    if not (one.said and two.said and two.said <= one.said):
        return False
    if one.each is not None and two.each is not None:
        return not two.each.said or _is_alike(one.each, two.each)
    shared = one.keys.keys() & two.keys.keys()
    return 2 * len(shared) >= max(len(one.keys), len(two.keys))


def _of_headers(old: frozenset[str], new: frozenset[str]) -> Iterator[Change]:
    for name in _HEADERS:
        if (name in old) == (name in new):
            continue
        kind: Kind = "new" if name in new else "gone"
        is_end = name in ("sunset", "deprecation") and kind == "new"
        advice = "Update ventureframe before that day" if is_end else "Nothing has to change"
        yield Change("every reply", f"header {name}", kind, f"is {kind}", advice)
