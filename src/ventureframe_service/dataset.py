"""A dataset that is served: opened from a folder, checked against its format, written.

One extra column means something to the service: `is_withheld` (bool) among the founders. It knows
such a founder but returns no record: companies list the UUID, a query by university name still
finds them, and `/data/founders` leaves them out.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import polars as pl

from ventureframe.dataset import manifest
from ventureframe.dataset.manifest import DESCRIPTION, Description, Manifest, read_description
from ventureframe.dataset.schema import checked, files_in
from ventureframe.interface.fields import Currency
from ventureframe.interface.files import write_json, write_whole
from ventureframe_service import pulled
from ventureframe_service.pulled import read_table


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
            return _of_pulls(folder, manifest.read(folder, day=pulled))
        description = read_description(folder)
        paths = files_in(folder)
        tables = {name: read_table([path]) for name, path in paths.items()}
        others = set(folder.iterdir()) - {folder / DESCRIPTION, *paths.values()}
        return cls.of(description, tables, ignored=tuple(sorted(path.name for path in others)))

    def write(self, folder: Path | str) -> Path:
        """Writes the dataset as a folder of the format; equal datasets give equal bytes."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in self.tables.items():
            content = io.BytesIO()
            frame.write_parquet(content, compression="zstd", compression_level=9)
            write_whole(folder / f"{name}.parquet", content.getvalue())
        write_json(folder / DESCRIPTION, self.description.to_json())
        return folder


def _of_pulls(folder: Path, read: Manifest) -> Dataset:
    """The dataset of pulled tables; tables that lie beside them as files come first.

    References are not checked: a service can name records that it does not return.
    """
    files = {name: read_table([path]) for name, path in files_in(folder).items()}
    tables = MappingProxyType(checked(pulled.tables(folder, read) | files, is_pulled=True))
    currency = next((each.currency for each in read.current if each.converted), None)
    return Dataset(read_description(folder, read), tables, converted_to=currency)
