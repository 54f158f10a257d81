"""Read tables of one's own, CSV or workbooks, as a dataset.

Nothing is lost in silence: what each column is taken for is said, and so is every
column, row and cell that is left out.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from polars import DataFrame, Series, String, col, lit

from ventureframe.dataset.manifest import Description
from ventureframe.dataset.schema import TABLES
from ventureframe.errors import SaveError, UnsupportedValue
from ventureframe.importing.tables import made
from ventureframe.importing.values import DATA, amounts, values
from ventureframe.matching import cells, lists, workbooks
from ventureframe.matching.headings import recognise, refused, spaced
from ventureframe_service.dataset import Dataset

_COLUMNS = DATA["columns"]


def read(
    paths: Sequence[Path], name: str, *, day: dt.date
) -> tuple[Dataset, list[str]]:
    """Read files as a dataset of this name and day, of a workbook each visible sheet;
    say what is taken for what, and what is left out.

    For ids see `tables.made`. Raises `UnsupportedValue` where no companies are
    recognised or a file cannot be read, and `DatasetError` for a value out of its
    range, such as a year after the next ten.
    """
    notices = list[str]()
    rows = dict[str, DataFrame]()
    for table in _COLUMNS:
        rows[table], _ = _rows(DataFrame(schema={"Name": String}), "", [], table)
    for path in paths:
        for sheet in workbooks.sheets(path):
            source = f"{path.name}, {sheet}" if sheet else path.name
            words = spaced(sheet or path.stem).split()
            kinds = map(DATA["tables"].get, words)
            table = next(filter(None, kinds), "companies")
            try:
                _, frame, lines, notes = lists.table(path, sheet)
                imported, sentences = _rows(frame, source, lines, table)
            except UnsupportedValue as error:
                if isinstance(error.__cause__, OSError):
                    raise
                notices.append(f"{source} is not used: {error.reason}")
                continue
            rows[table].extend(imported)
            notices += sentences
            notices += [f"{source}: {note}" for note in notes]
    tables = dict[str, DataFrame]()
    for table, frame in made(rows, notices).items():
        if frame.height:
            columns = [name for name in TABLES[table].columns if name in frame]
            tables[table] = frame.select(columns).sort(TABLES[table].key)
    if "companies" not in tables:
        raise refused(name, f"no companies are recognised: {'; '.join(notices)}")
    files = tuple(path.name for path in paths)
    about = Description(name, "Imported.", day, False, "not stated", files)
    return replace(Dataset.of(about, tables), tables=tables), notices


def write(dataset: Dataset, out: Path) -> Path:
    """Write the tables into a new folder; raise `SaveError` where there is one."""
    if out.exists():
        raise SaveError("is there already: choose a new folder", folder=str(out))
    return dataset.write(out)


def _rows(
    frame: DataFrame, source: str, lines: Sequence[int], table: str
) -> tuple[DataFrame, list[str]]:
    """Read every column that a table can have, null where there is none; say which
    column is taken for what, and which cells are left empty.
    """
    texts = frame.select(cells.text(col("*")))
    texts = texts.with_columns(lit(None, String).alias(""))
    heads = dict[str, str]()
    for head in reversed(frame.columns):
        name, _, _ = head.partition("(")
        heads[spaced(name)] = head
    for meaning, heading in recognise(frame, {}, table).items():
        heads[f"@{meaning}"] = heading or ""
    places = [f"{source}, line {line}" for line in lines]
    columns = {"line": Series(places, dtype=String)}
    used, unread = dict[str, str](), list[str]()
    for name, target in _COLUMNS[table].items():
        words = [spaced(name), *target["heads"]]
        head = next(filter(None, map(heads.get, words)), "")
        used[name] = head
        written = texts[head]
        kind = target["kind"]
        unit = f"{name}_currency"
        if unit in columns:
            columns[name], columns[unit] = amounts(written, head, columns[unit])
        else:
            columns[name] = values(written, kind)
        is_unread = columns[name].is_null() & written.is_not_null()
        for at in is_unread.arg_true():
            reason = f"{name} is left empty, as {written[at]} in {head} is no {kind}"
            unread.append(f"{places[at]}: {reason}")
    usage = [f"{name} = {head}" for name, head in used.items() if head]
    unused = ", ".join(head for head in frame.columns if head not in used.values())
    usage.append(f"not used: {unused or 'nothing'}")
    rows = DataFrame(columns).with_columns(col(String).replace("", None))
    return rows, [f"{source}, {table}: {' · '.join(usage)}", *unread]
