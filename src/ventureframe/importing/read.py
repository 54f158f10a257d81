"""Read tables of one's own, CSV or workbooks, as a dataset.

Nothing is lost in silence: what each column is taken for is said, and so is every
column, row and cell that is left out.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
from polars import selectors as cs

from ventureframe.dataset.manifest import Description
from ventureframe.dataset.schema import TABLES
from ventureframe.errors import SaveError, UnsupportedValue
from ventureframe.importing.tables import made
from ventureframe.importing.values import DATA, amounts, values
from ventureframe.matching import cells, lists, workbooks
from ventureframe.matching.headings import recognise, refused, spaced
from ventureframe_service.dataset import Dataset

_COLUMNS = DATA["columns"]
_NOTHING = pl.DataFrame(schema={"": pl.String})


def read(
    paths: Sequence[Path], name: str, *, day: dt.date
) -> tuple[Dataset, list[str]]:
    """Read files as a dataset of this name and day, of a workbook each visible sheet;
    say what is taken for what, and what is left out.

    For ids see `tables.made`. Raises `UnsupportedValue` where no companies are
    recognised, and `DatasetError` for a value out of its range, such as a year after
    the next ten.
    """
    said = list[str]()
    held = {table: _rows(_NOTHING, [], table)[0] for table in _COLUMNS}
    for path in paths:
        for sheet in workbooks.sheets(path):
            source = f"{path.name}, {sheet}" if sheet else path.name
            words = spaced(sheet or path.stem).split()
            table = next(filter(None, map(DATA["tables"].get, words)), "companies")
            try:
                _, frame, lines, notes = lists.table(path, sheet)
            except UnsupportedValue as error:
                said.append(f"{source} is not used: {error.reason}")
                continue
            places = [f"{source}, line {line}" for line in lines]
            rows, used, lost = _rows(frame, places, table)
            held[table].extend(rows)
            said.append(f"{source}, {table}: {used}")
            said += [*lost, *(f"{source}: {note}" for note in notes)]
    tables = {
        table: rows.select(cs.by_name(*TABLES[table].columns, require_all=False))
        for table, rows in made(held, said).items()
        if rows.height
    }
    if "companies" not in tables:
        raise refused(name, f"no companies are recognised: {'; '.join(said)}")
    sources = tuple(path.name for path in paths)
    about = Description(name, "Imported.", day, False, "not stated", sources)
    return replace(Dataset.of(about, tables), tables=tables), said


def write(dataset: Dataset, out: Path) -> Path:
    """Write the tables into a new folder; raise `SaveError` where there is one."""
    if out.exists():
        raise SaveError("is there already: choose a new folder", folder=str(out))
    return dataset.write(out)


def _rows(
    frame: pl.DataFrame, lines: Sequence[str], table: str
) -> tuple[pl.DataFrame, str, list[str]]:
    """Read every column that a table can have, null where there is none; say which
    column is taken for what, and which cells are left empty.
    """
    texts = frame.select(cells.text(pl.all()))
    texts = texts.with_columns(pl.lit(None, pl.String).alias(""))
    heads = {spaced(head.partition("(")[0]): head for head in reversed(frame.columns)}
    known = recognise(frame, {})
    heads |= {f"@{meaning}": head or "" for meaning, head in known.items()}
    rows = pl.DataFrame({"line": lines}, {"line": pl.String})
    taken, lost = dict[str, str](), list[str]()
    for name, target in _COLUMNS[table].items():
        found = [heads.get(word) for word in (spaced(name), *target["heads"])]
        taken[name] = head = next(filter(None, found), "")
        kind, unit = target["kind"], f"{name}_currency"
        if unit in taken:
            value, units = amounts(texts[head], head, rows[unit])
            rows = rows.with_columns(units.alias(unit))
        else:
            value = values(texts[head], kind)
        rows = rows.with_columns(value.alias(name))
        bad = rows.select("line", text=texts[head]).filter(value.is_null())
        for line, cell in bad.drop_nulls().rows():
            lost.append(
                f"{line}: {name} is left empty, as {cell} in {head} is no {kind}"
            )
    used = [f"{name} = {head}" for name, head in taken.items() if head]
    others = [head for head in frame.columns if head not in taken.values()]
    unused = ", ".join(others) or "nothing"
    rows = rows.with_columns(pl.col(pl.String).replace("", None))
    return rows, f"{' · '.join(used)} · not used: {unused}", lost
