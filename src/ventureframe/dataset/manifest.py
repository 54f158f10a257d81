"""The description of a dataset folder, and the manifest of its pulls.

The manifest lists files with their hashes, certificates, times and gaps. It is
written last: a file that it does not list is not part of a pull.
"""

import datetime as dt
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
from ventureframe.interface.gaps import Doubt, Gap, GapKind
from ventureframe.interface.source import Source

DESCRIPTION = "dataset.json"
FORMAT = 1
_KINDS = {
    "name": str,
    "description": str,
    "as_of": str,
    "synthetic": bool,
    "licence": str,
    "attribution": list,
}
OPEN_POSTS = "founded companies"
"""The list of a founder's companies; the posts shown can lack some of them."""
PULLS = Format("ventureframe pull")


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
    def read(cls, folder: Path) -> Self:
        """Read `dataset.json`; `DatasetError` names the wrong member."""
        try:
            content = read_json(folder / DESCRIPTION)
        except (FileNotFoundError, NotADirectoryError):
            if not folder.is_dir():
                reason = "is not a folder: check the path"
                raise DatasetError(reason, file=str(folder)) from None
            reason = f"missing, so {str(folder)!r} is not a dataset folder"
            raise _wrong(reason) from None
        except ValueError as error:
            raise _wrong(str(error)) from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise _wrong(f"needs an object with format {FORMAT}")
        for key, kind in _KINDS.items():
            if not isinstance(content.get(key), kind):
                raise _wrong(f"needs a {kind.__name__}", key)
        try:
            return from_plain({key: content[key] for key in _KINDS}, cls)
        except ValueError:
            raise _wrong("needs a day as YYYY-MM-DD", "as_of") from None


def _wrong(reason: str, column: str | None = None) -> DatasetError:
    return DatasetError(reason, file=DESCRIPTION, column=column)


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
    finished: dt.datetime
    endpoint: str
    certificate: Certificate
    tables: Mapping[str, tuple[Part, ...]]  # its own and those of its lists, by name
    profile: str
    api_version: str | None
    version: str
    filter: str | None = None
    since: dt.date | None = None  # of a record: what earlier versions kept
    complete: bool = False
    currency: Currency | None = None  # that the service converted amounts to
    # rows that show some of a list
    partial: Mapping[str, int] = field(default_factory=dict)
    cut: tuple[str, ...] = ()  # lists of which a row never shows every kind of entry
    # rows without a field, by field
    withheld: Mapping[str, int] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()

    @property
    def rows(self) -> int:
        """The records of the collection."""
        return sum(part.rows for part in self.tables[self.collection])

    @property
    def is_complete(self) -> bool:
        """Whether every record that the service lists was read."""
        return self.certificate.verdict == "complete"

    @property
    def incomplete(self) -> tuple[Gap, ...]:
        """The gaps in what was requested."""
        gaps, walk, name = list[Gap](), self.certificate, self.collection
        if walk.verdict != "complete":
            of = walk.reported_last
            gaps.append(Gap(walk.verdict, name, rows=walk.distinct, of=of))
        for part, rows in self.partial.items():
            kind: GapKind = "cut"
            if part not in self.cut:
                kind = "open_posts" if part == OPEN_POSTS else "first_entries"
            if rows or part in self.cut:
                gaps.append(Gap(kind, name, part, rows, self.rows))
        for part, rows in sorted(self.withheld.items()):
            gaps.append(Gap("withheld", name, part, rows, self.rows))
        return tuple(gaps)

    def warn(self) -> None:
        """Warn of what replies leave out or contradict."""
        for doubt in self.doubts:
            warn(f"{self.collection}: {doubt.text}")

    def __str__(self) -> str:
        verdict = "; ".join(map(str, self.incomplete)) or "complete"
        return f"{self.collection} · {self.rows:,} rows · {verdict} · pulled {self.day}"


@dataclass(frozen=True, repr=False)
class Manifest:
    """The pulls of a folder, one per collection."""

    service: str
    source: Source
    pulls: tuple[Pull, ...] = ()

    def __repr__(self) -> str:
        return "\n".join(map(str, self.pulls))

    @property
    def incomplete(self) -> tuple[Gap, ...]:
        """The limits and gaps of the pulls."""
        return self.about.incomplete

    @property
    def about(self) -> Description:
        """The source and the pulls, as the description of a dataset."""
        source, pulled, gaps = self.source, list[str](), list[Gap]()
        for pull in self.pulls:
            name = pull.collection
            narrowed = Gap("narrowed", name, filter=pull.filter, since=pull.since)
            gaps += (narrowed,) if narrowed.condition else ()
            gaps += pull.incomplete
            text = f"{name} of {pull.day}"
            if pull.currency:
                text += f", amounts converted to {pull.currency}"
            pulled.append(text)
        return Description(
            name=source.name,
            description=f"{source.description} Pulled: {'; '.join(pulled)}.".strip(),
            as_of=self.day,
            synthetic=bool(source.synthetic),
            licence=source.licence or "not stated by the service",
            attribution=source.attribution or (f"Source: {source.name}",),
            incomplete=tuple(gaps),
        )

    @property
    def day(self) -> dt.date:
        """The latest day of the pulls."""
        return max(pull.day for pull in self.pulls)

    @property
    def currency(self) -> Currency | None:
        """The currency that the service converted amounts to; None without amounts."""
        return next((pull.currency for pull in self.pulls if pull.currency), None)

    def files(self, folder: Path) -> dict[str, list[Path]]:
        """The files of each table that has any, each sorted by key.

        Raises `DatasetError` where one is missing or not what was written.
        """
        files = dict[str, list[Path]]()
        for pull in self.pulls:
            for name, parts in pull.tables.items():
                for part in parts:
                    path = folder / part.file
                    if not path.is_file():
                        raise DatasetError("is missing", file=part.file)
                    if sha256(path) != part.sha256:
                        reason = "is not what was written: its hash differs"
                        raise DatasetError(reason, file=part.file)
                    files.setdefault(name, []).append(path)
        return files

    def with_pulls(self, *pulls: Pull) -> Self:
        """Return the manifest with these pulls, the last one of each collection."""
        latest = {pull.collection: pull for pull in (*self.pulls, *pulls)}
        return replace(self, pulls=tuple(latest.values()))

    def write(self, folder: Path) -> None:
        """Write the manifest."""
        PULLS.write(folder, to_plain(self))


for kind in (Part, Pull, Manifest):
    ignore_unknown(kind)


def opened(folder: Path) -> Manifest:
    """Read the manifest of a folder, of each collection the latest pull.

    Raises `DatasetError` where it is changed or foreign.
    """
    try:
        manifest = from_plain(PULLS.read(folder), Manifest).with_pulls()
    except ValueError as error:
        raise DatasetError(f"does not describe pulls: {error}", file=NAME) from error
    has_parts = [pull.collection in pull.tables for pull in manifest.pulls]
    if not has_parts or not all(has_parts):
        raise DatasetError("lists no parts of a pull", file=NAME)
    return manifest


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
