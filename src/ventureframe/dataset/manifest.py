"""The description of a dataset folder, and the manifest of its pulls.

The manifest lists files with their hashes, certificates, times and gaps. It is
written last: a file that it does not list is not part of a pull.
"""

import datetime as dt
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Self

from ventureframe.errors import DatasetError, warn
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import Currency
from ventureframe.interface.files import MANIFEST as NAME
from ventureframe.interface.files import (
    Format,
    from_plain,
    ignore_unknown,
    read_json,
    to_plain,
)
from ventureframe.interface.gaps import Doubt, Gap
from ventureframe.interface.source import Source

DESCRIPTION = "dataset.json"
FORMAT = 1
_KINDS = {
    "name": str,
    "description": str,
    "as_of": str,
    "synthetic": bool,
    "licence": str,
}
OPEN_POSTS = "founded companies"
"""The list of a founder's companies, of which the posts shown can lack some."""
PULLS = Format("ventureframe pull")
_LAYOUT = re.compile(
    # pulls of earlier versions lie in a folder for each day
    r"[a-z_]{1,40}(/pulled=\d{4}-\d\d-\d\d(/year=[\w-]{1,40})?)?/part-\d{4,8}\.parquet",
    re.A,
)


@dataclass(frozen=True)
class Description:
    """The content of `dataset.json`; `incomplete` comes from the manifest of a pull."""

    name: str
    description: str
    as_of: dt.date
    synthetic: bool
    licence: str
    attribution: tuple[str, ...]
    incomplete: tuple[Gap, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The content of `dataset.json`."""
        content = {"format": FORMAT, **to_plain(self)}
        del content["incomplete"]
        return content

    @classmethod
    def from_json(cls, content: object) -> Self:
        """Read the content of `dataset.json`; `DatasetError` names the wrong member."""
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise DatasetError(
                f"needs an object with format {FORMAT}", file=DESCRIPTION
            )
        for key, kind in _KINDS.items():
            if not isinstance(content.get(key), kind):
                raise DatasetError(
                    f"needs a {kind.__name__}", file=DESCRIPTION, column=key
                )
        lines = content.get("attribution")
        if not isinstance(lines, list) or not all(
            isinstance(line, str) for line in lines
        ):
            raise DatasetError(
                "needs lines of text", file=DESCRIPTION, column="attribution"
            )
        try:
            return from_plain(
                {key: content[key] for key in (*_KINDS, "attribution")}, cls
            )
        except ValueError:
            reason = "needs a day as YYYY-MM-DD"
            raise DatasetError(reason, file=DESCRIPTION, column="as_of") from None


@dataclass(frozen=True)
class Part:
    """One Parquet file, sorted by key: its path in the folder, rows and hash."""

    file: str
    rows: int
    sha256: str


@dataclass(frozen=True)
class Pull:
    """One collection, read once."""

    collection: str
    day: dt.date  # of the source where it states one, else on which the pull began
    started: dt.datetime
    finished: dt.datetime
    endpoint: str
    certificate: Certificate
    tables: Mapping[str, tuple[Part, ...]]  # its own and those of its lists, by name
    profile: str
    api_version: str | None
    version: str
    filter: str | None = None
    since: dt.date | None = None
    complete: bool = False
    currency: Currency | None = None  # that the service converted amounts to
    requests: int = 0  # sent, kept replies included
    credits: float | None = None
    # rows that show some of a list
    partial: Mapping[str, int] = field(default_factory=dict)
    cut: tuple[str, ...] = ()  # lists of which a row never shows every kind of entry
    # rows without a field, by field
    withheld: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[Doubt, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def rows(self) -> int:
        """The records of the collection."""
        return sum(part.rows for part in self.tables[self.collection])

    @property
    def parts(self) -> Iterator[Part]:
        """Every file, table by table."""
        return (part for parts in self.tables.values() for part in parts)

    @property
    def is_complete(self) -> bool:
        """Whether every record that the service lists was read."""
        return self.certificate.verdict == "complete"

    @property
    def narrowed(self) -> tuple[Gap, ...]:
        """What limits the pull on purpose."""
        if self.filter is None and self.since is None:
            return ()
        gap = Gap("narrowed", self.collection, filter=self.filter, since=self.since)
        return (gap,)

    @property
    def incomplete(self) -> tuple[Gap, ...]:
        """The gaps in what was requested."""
        gaps = list[Gap]()
        walk, whole = self.certificate, self.rows
        if walk.verdict != "complete":
            total = walk.reported_last
            gaps.append(Gap(walk.verdict, self.collection, None, walk.distinct, total))
        for name, rows in self.partial.items():
            if name in self.cut:
                gaps.append(Gap("cut", self.collection, name, rows, whole))
            elif rows and name == OPEN_POSTS:
                gaps.append(Gap("open_posts", self.collection, name, rows, whole))
            elif rows:
                gaps.append(Gap("first_entries", self.collection, name, rows, whole))
        for name, rows in sorted(self.withheld.items()):
            gaps.append(Gap("withheld", self.collection, name, rows, whole))
        return tuple(gaps)

    def __str__(self) -> str:
        money = f" · {self.currency}" if self.currency else ""
        verdict = "; ".join(map(str, self.incomplete)) or "complete"
        return (
            f"{self.collection} · {self.rows:,} rows · {verdict} · pulled"
            f" {self.day}{money}"
        )


@dataclass(frozen=True)
class Manifest:
    """Every pull of a folder, by day; the latest of each collection is in use."""

    service: str
    source: Source
    pulls: tuple[Pull, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self.current))

    @property
    def current(self) -> tuple[Pull, ...]:
        """The pulls in use, one per collection."""
        latest = {pull.collection: pull for pull in self.pulls}
        return tuple(latest.values())

    @property
    def incomplete(self) -> tuple[Gap, ...]:
        """The limits and gaps of the pulls in use."""
        gaps = [(*pull.narrowed, *pull.incomplete) for pull in self.current]
        return tuple(chain.from_iterable(gaps))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What replies leave out or contradict, for the pulls in use."""
        return tuple(
            f"{own.collection}: {doubt.text}"
            for own in self.current
            for doubt in own.doubts
        )

    @property
    def description(self) -> str:
        """The source and the pulls in use, in words."""
        pulled = list[str]()
        for pull in self.current:
            limits = (f"only {limit.condition}" for limit in pull.narrowed)
            money = f"amounts converted to {pull.currency}" if pull.currency else ""
            parts = (f"{pull.collection} of {pull.day}", *limits, money)
            pulled.append(", ".join(filter(None, parts)))
        return f"{self.source.description} Pulled: {'; '.join(pulled)}.".strip()

    @property
    def day(self) -> dt.date:
        """The latest day of the pulls in use."""
        return max(pull.day for pull in self.current)

    def files(self, table: str) -> tuple[str, ...]:
        """The files of a table in use, each sorted by key; none where the table is
        absent.
        """
        return tuple(
            part.file for pull in self.current for part in pull.tables.get(table, ())
        )

    def having(self, pull: Pull) -> Self:
        """Return the manifest with one more pull, or with another of the same day."""
        by_day = {(old.day, old.collection): old for old in (*self.pulls, pull)}
        pulls = sorted(by_day.values(), key=lambda old: (old.day, old.started))
        return replace(self, pulls=tuple(pulls))

    def write(self, folder: Path) -> None:
        """Write the manifest."""
        PULLS.write(folder, to_plain(self))


for kind in (Part, Pull, Manifest):
    ignore_unknown(kind)


def read_description(folder: Path, read: Manifest | None = None) -> Description:
    """Read the description of a folder and of its pulls; `DatasetError` if it is no
    dataset.
    """
    if not folder.is_dir():
        raise DatasetError("is not a folder; check the path", file=str(folder))
    try:
        about = Description.from_json(read_json(folder / DESCRIPTION))
    except FileNotFoundError:
        reason = f"missing, so {str(folder)!r} is not a dataset folder"
        raise DatasetError(reason, file=DESCRIPTION) from None
    except ValueError as error:
        raise DatasetError(str(error), file=DESCRIPTION) from error
    if read is None:
        return about
    return replace(
        about, description=read.description, as_of=read.day, incomplete=read.incomplete
    )


def opened(folder: Path) -> Manifest:
    """Read the manifest of a folder; `DatasetError` where it is missing, changed or
    foreign.
    """
    try:
        content = PULLS.read(folder)
    except OSError:
        raise DatasetError(
            f"is missing, so {folder.name!r} holds no pull", file=NAME
        ) from None
    except ValueError as error:
        raise DatasetError(str(error), file=NAME) from error
    try:
        manifest = from_plain(content, Manifest)
    except ValueError as error:
        raise DatasetError(f"does not describe pulls ({error})", file=NAME) from error
    for part in chain.from_iterable(pull.parts for pull in manifest.pulls):
        if not _LAYOUT.fullmatch(part.file):
            reason = f"does not describe pulls ({part.file!r:.200})"
            raise DatasetError(reason, file=NAME)
    return manifest


def read(folder: Path, *, day: dt.date | None) -> Manifest:
    """Read the manifest of a folder, with the latest pulls or those of a day in use.

    Raises `DatasetError` as `opened` does, and where there is no pull of that day,
    or a file is missing or not what was written; warns of `doubts`.
    """
    manifest = opened(folder)
    if day is not None:
        of_day = tuple(pull for pull in manifest.pulls if pull.day == day)
        if not of_day:
            days = ", ".join(sorted({str(pull.day) for pull in manifest.pulls}))
            raise DatasetError(f"names no pull of {day}; there is {days}", file=NAME)
        manifest = replace(manifest, pulls=of_day)
    for part in chain.from_iterable(pull.parts for pull in manifest.current):
        path = folder / part.file
        if not path.is_file():
            raise DatasetError("is missing", file=part.file)
        if sha256(path) != part.sha256:
            reason = "is not what was written: its hash differs"
            raise DatasetError(reason, file=part.file)
    for doubt in manifest.doubts:
        warn(doubt)
    return manifest


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
