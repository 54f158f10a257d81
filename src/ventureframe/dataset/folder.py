"""A dataset folder: opened, checked against its format, written.

One extra column means something to the embedded service: `is_withheld` (bool) among the founders.
The service knows such a founder but returns no record: companies list the UUID, a query by
university name still finds them, and `/data/founders` leaves them out.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

import polars as pl

from ventureframe.dataset import manifest
from ventureframe.dataset import pulled as parts
from ventureframe.dataset.manifest import Manifest
from ventureframe.dataset.schema import TABLES, checked
from ventureframe.errors import DatasetError
from ventureframe.interface.fields import Currency
from ventureframe.interface.files import read_json, write_json, write_whole

DESCRIPTION: Final = "dataset.json"
FORMAT: Final = 1
_KINDS: Final = {"as_of": str, "synthetic": bool, "attribution": list}
"""What `dataset.json` holds for each member that is not text there."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a dataset says of itself in `dataset.json`."""

    name: str
    description: str
    as_of: dt.date
    synthetic: bool
    licence: str
    attribution: tuple[str, ...]
    incomplete: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The content of `dataset.json`; what is incomplete stands in the manifest of a pull."""
        changed = {"as_of": self.as_of.isoformat(), "attribution": list(self.attribution)}
        content = {"format": FORMAT, **asdict(self), **changed}
        del content["incomplete"]
        return content

    @classmethod
    def from_json(cls, content: object) -> Description:
        """The description that this content is; `DatasetError` names the wrong member."""
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise DatasetError(f"needs an object with format {FORMAT}", file=DESCRIPTION)
        names = [field.name for field in fields(cls) if field.name != "incomplete"]
        for key in names:
            if not isinstance(content.get(key), kind := _KINDS.get(key, str)):
                raise DatasetError(f"needs a {kind.__name__}", file=DESCRIPTION, column=key)
        attribution = tuple(content["attribution"])
        if not all(isinstance(line, str) for line in attribution):
            raise DatasetError("needs lines of text", file=DESCRIPTION, column="attribution")
        as_of = _day(content["as_of"])
        members = {name: content[name] for name in names}
        return cls(**members | {"as_of": as_of, "attribution": attribution})


def _day(text: str) -> dt.date:
    with suppress(ValueError):
        day = dt.date.fromisoformat(text)
        if day.isoformat() == text:
            return day
    raise DatasetError("needs a day as YYYY-MM-DD", file=DESCRIPTION, column="as_of")


@dataclass(frozen=True, slots=True)
class Dataset:
    """A checked dataset: every table present, its rows in order of their key.

    `ignored` names the files of the folder that are not part of the format. `converted_to` is the
    currency of every total and fund size of a pull, which only the service that gave them can
    convert again; None where amounts are as announced.
    """

    description: Description
    tables: Mapping[str, pl.DataFrame]
    ignored: tuple[str, ...] = ()
    converted_to: Currency | None = None

    def __repr__(self) -> str:
        kind = "SYNTHETIC dataset" if self.description.synthetic else "dataset"
        about, rows = self.description, self.tables["companies"].height
        return f"<{kind} {about.name!r} as of {about.as_of}: {rows:,} companies>"

    @classmethod
    def of(
        cls,
        description: Description,
        tables: Mapping[str, pl.DataFrame],
        *,
        ignored: tuple[str, ...] = (),
    ) -> Dataset:
        """The dataset of these tables, once they keep the format; `DatasetError` otherwise.

        A table that is not given is empty; a column that can be null and is not given is null.
        """
        return cls(description, MappingProxyType(checked(tables)), ignored)

    @classmethod
    def open(cls, folder: Path | str, *, pulled: dt.date | None = None) -> Dataset:
        """The dataset in `folder`; `DatasetError` names file, column and first wrong row.

        Of a folder of pulls, the latest of each table is read, or those of the day `pulled`.
        """
        folder = Path(folder)
        if manifest.SEALED.is_in(folder):
            return _pulled(folder, manifest.read(folder, day=pulled))
        description = read_description(folder)
        found = sorted(path.name for path in folder.iterdir())
        files = {name: f"{name}.parquet" for name in TABLES if f"{name}.parquet" in found}
        tables = {
            name: parts.read_table([_contained(folder, file)]) for name, file in files.items()
        }
        ignored = tuple(name for name in found if name not in {DESCRIPTION, *files.values()})
        return cls.of(description, tables, ignored=ignored)

    def write(self, folder: Path | str) -> Path:
        """Writes the dataset as a folder of the format; equal datasets give equal bytes."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in self.tables.items():
            parquet = partial(frame.write_parquet, compression="zstd", compression_level=9)
            write_whole(folder / f"{name}.parquet", parquet)
        write_json(folder / DESCRIPTION, self.description.to_json())
        return folder


def _pulled(folder: Path, read: Manifest) -> Dataset:
    """The dataset of pulled tables; tables that lie beside them as files come first.

    References are not checked: a service can name records that it does not return.
    """
    own = {name: folder / f"{name}.parquet" for name in TABLES}
    files = {name: parts.read_table([path]) for name, path in own.items() if path.exists()}
    tables = MappingProxyType(checked(parts.tables(folder, read) | files, is_pulled=True))
    currency = next((each.currency for each in read.current if each.converted), None)
    return Dataset(read_description(folder, read), tables, converted_to=currency)


def read_description(folder: Path, read: Manifest | None = None) -> Description:
    """What the folder says of itself, and of the pulls that are read, where it has some.

    Raises `DatasetError` where it is not a dataset.
    """
    if not folder.is_dir():
        raise DatasetError("is not a folder; check the path", file=str(folder))
    path = _contained(folder, DESCRIPTION)
    try:
        about = Description.from_json(read_json(path))
    except FileNotFoundError:
        reason = f"missing, so {str(folder)!r} is not a dataset folder"
        raise DatasetError(reason, file=DESCRIPTION) from None
    except ValueError as error:
        raise DatasetError(str(error), file=DESCRIPTION) from error
    if read is None:
        return about
    return replace(about, description=read.description, as_of=read.day, incomplete=read.incomplete)


def _contained(folder: Path, name: str) -> Path:
    """The file of this name, once it is a plain one that lies in the folder itself."""
    path = folder / name
    if path.exists() and not (path.is_file() and path.resolve().parent == folder.resolve()):
        raise DatasetError("leads out of the folder, or is not a plain file", file=name)
    return path
