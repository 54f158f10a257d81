"""Read a user's list: a file, a frame, a pasted block or names, with its columns
recognised.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl
import python_calamine as calamine

from ventureframe.display.wording import counted, listed
from ventureframe.errors import UnsupportedValue, shortened, visible, warn
from ventureframe.interface.fields import plain

_KINDS = (
    "company, organisation, organization, startup, spinout, university, institution,"
    " investor"
)
_HEADINGS = {
    "name": (
        f"{_KINDS.replace(',', ' name,')} name, lp name, account name, {_KINDS}, "
        "lp, limited partner, account, firm, portfolio company, name"
    ),
    "domain": (
        "website domain, company domain name, company domain, domain, domains, domain"
        " name, website, company website, website url, web site, homepage, url, web,"
        " www, site"
    ),
    "place": (
        "hq city, city, town, hq location, headquarters, headquarters location, hq,"
        " location, place, hq country, country"
    ),
    "year": (
        "founded, year founded, founding year, founded year, launch year, launch date, "
        "founded on, year"
    ),
}
HEADINGS = {meaning: tuple(texts.split(", ")) for meaning, texts in _HEADINGS.items()}
"""The headings that are recognised, the most specific first."""
_WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # its first bytes
_SEPARATORS = ("\t", ";", ",", "|")
_FIRST = 10  # rows from the top among which the headings are looked for
_FEW = 3  # lines or names that a note lists
Cells = list[tuple[int, Sequence[str]]]  # rows of text, each with its line number


@dataclass(frozen=True, eq=False)
class List:
    """A user's list, every row and column unchanged, and what its columns mean.

    `columns` has the user's heading for the name, domain, place and year, None where
    there is none; `lines` the line number of each row in the file, from 1, and
    `notes` what the user should know.
    """

    name: str
    frame: pl.DataFrame
    columns: Mapping[str, str | None]
    lines: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def column(self, meaning: str) -> pl.Series:
        """Return the names, domains, places or years as stripped text; null where
        empty.
        """
        heading = self.columns[meaning]
        if heading is None:
            return pl.Series(meaning, [None] * self.frame.height, pl.String)
        text = self.frame[heading].cast(pl.String, strict=False).str.strip_chars()
        return text.replace("", None).alias(meaning)

    @property
    def text(self) -> str:
        """The list as a block with tabs between its cells, as it would be pasted."""
        flat = self.frame.with_columns(
            pl.col(pl.String).str.replace_all(r"[\t\r\n]+", " ")
        )
        return flat.write_csv(separator="\t", quote_style="never").rstrip("\n")

    def __repr__(self) -> str:
        known = ", ".join(
            f"{meaning}: {head}" for meaning, head in self.columns.items() if head
        )
        return " · ".join((self.name, counted(self.frame.height, "row"), known))


def read(
    given: Any,
    *,
    sheet: str | None = None,
    **named: str | None,
) -> List:
    """Read a list: a path, a block of text, a list of names, or a frame of any library.

    A file is a CSV separated by commas, semicolons, tabs or bars, or a workbook;
    `sheet` selects one of several sheets. `name`, `domain`, `place` and `year` name
    columns whose headings are not among `HEADINGS`. Every row and column is kept, text
    as it is written.

    Raises `UnsupportedValue` where there is no table, or its columns are not
    recognised. `notes` and warnings say what was not read literally.

    >>> read("Company\\tCity\\nHalvern Bio\\tOslo")
    My list · 1 row · name: Company, place: City
    """
    source, notes = "My list", list[str]()
    if isinstance(given, Path) or (
        isinstance(given, str) and not re.search(r"[\t\n\r]", given)
    ):
        source = Path(given).name
        cells, notes = _file(Path(given), sheet)
    elif isinstance(given, str):
        cells = _parsed(given, source)
    elif isinstance(given, list | tuple | set | frozenset):
        cells = [(line, [str(name or "")]) for line, name in enumerate(given, 1)]
    else:
        try:
            frame = pl.DataFrame(given)
        except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
            reason = "give a path, a frame, text or a list of names"
            raise _refused(type(given).__name__, reason) from error
        lines = tuple(range(1, frame.height + 1))
        return _recognised(List(source, frame, {}, lines), named)
    cells = [(line, row) for line, row in cells if any(map(str.strip, row))]
    if not cells:
        raise _refused(source, "it holds no rows")
    head = _heading(cells, named.values())
    if head is not None:
        headings, rows = [cell.strip() for cell in cells[head][1]], cells[head + 1 :]
        if head:
            notes.append(f"{counted(head, 'line')} above the headings left out")
    elif max(len(row) for _, row in cells) == 1:
        domains = sum("." in row[0] and " " not in row[0].strip() for _, row in cells)
        headings, rows = ["Website" if 2 * domains > len(cells) else "Name"], cells
    else:
        first = listed(
            [repr(shortened(visible(cell), 30)) for cell in cells[0][1] if cell]
        )
        raise _refused(
            source, f"no heading is known: name one of {first} with name= or domain="
        )
    lines, frame = tuple(line for line, _ in rows), _table(headings, rows, source)
    table = List(source, frame, {}, lines, tuple(notes))
    return _recognised(table, named)


def spaced(heading: str) -> str:
    """Normalise a heading: `website_domain` becomes `website domain`."""
    return " ".join(re.sub(r"[_\-.:*]+", " ", plain(heading)).split())


def _refused(source: str, reason: str) -> UnsupportedValue:
    return UnsupportedValue(source, field="list", reason=reason)


def _file(path: Path, sheet: str | None) -> tuple[Cells, list[str]]:
    """Read the rows of a file, with notes on how it was read."""
    if path.suffix.lower() in (".parquet", ".arrow", ".feather"):
        raise _refused(path.name, "read it as a frame, and give the frame")
    try:
        if path.suffix.lower() in _WORKBOOKS:
            return _workbook(path, sheet), []
        content = path.read_bytes()
        encoding = "utf-16" if content[:2] in _UTF_16 else "utf-8-sig"
        return _parsed(content.decode(encoding), path.name), []
    except UnsupportedValue:
        raise
    except UnicodeDecodeError:
        cells = _parsed(content.decode("cp1252", errors="replace"), path.name)
    except (OSError, ValueError, calamine.CalamineError) as error:
        raise _refused(
            path.name, f"it cannot be read ({type(error).__name__})"
        ) from error
    note = (
        f"{path.name} is not UTF-8, so it was read as Windows-1252: check the accents"
    )
    warn(note)
    return cells, [note]


def _workbook(path: Path, sheet: str | None) -> Cells:
    with calamine.load_workbook(path) as book:
        names = [
            name for name in book.sheet_names if book.get_sheet_by_name(name).height
        ]
        if sheet is None and len(names) > 1:
            raise _refused(
                path.name, f"it has the sheets {listed(names)}: name one with sheet="
            )
        if sheet is not None and sheet not in names:
            raise _refused(
                path.name, f"it has no sheet {sheet!r} with rows, but {listed(names)}"
            )
        rows = book.get_sheet_by_name(sheet or names[0]).to_python(
            skip_empty_area=False
        )
    return [(line, [_cell(cell) for cell in row]) for line, row in enumerate(rows, 1)]


def _cell(value: object) -> str:
    """Write a cell as text: a whole number without a point, a day as ISO 8601."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value)
    return text.removesuffix(" 00:00:00") if hasattr(value, "hour") else text


def _parsed(text: str, source: str) -> Cells:
    """Parse text into rows; the separator is the most frequent one in the first
    lines.
    """
    if "\0" in text:
        raise _refused(source, "it has null bytes, as no table of text has")
    first = re.sub(r'"[^"]*"', "", "\n".join(text.splitlines()[:_FIRST]))
    separator = max(_SEPARATORS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    cells, line = Cells(), 1
    try:
        for row in reader:
            cells.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise _refused(
            source, f"line {reader.line_num} is no row of a table: {error}"
        ) from error
    return cells


def _heading(cells: Cells, further: Iterable[str | None]) -> int | None:
    """Find the row of the headings: of the first rows, the one with most known
    headings.
    """
    known = {*chain(*HEADINGS.values()), *map(spaced, filter(None, further))}
    counts = [len(known.intersection(map(spaced, row))) for _, row in cells[:_FIRST]]
    return counts.index(max(counts)) if any(counts) else None


def _table(headings: list[str], rows: Cells, source: str) -> pl.DataFrame:
    """Make the frame; a column without a heading is called by its number, or dropped
    if empty.
    """
    filled = max(
        (at for _, row in rows for at, cell in enumerate(row, 1) if cell.strip()),
        default=0,
    )
    while len(headings) > filled and not headings[-1]:
        headings.pop()
    headings = [head or f"column {at}" for at, head in enumerate(headings, 1)]
    if twice := [head for head, times in Counter(headings).items() if times > 1]:
        raise _refused(source, f"two columns are called {twice[0]!r}: rename one")
    width = len(headings)
    for line, row in rows:
        if any(map(str.strip, row[width:])):
            many = (
                f"line {line} has {len(row)} cells, and there are"
                f" {counted(width, 'heading')}"
            )
            raise _refused(source, f"{many}: quote a cell that holds the separator")
    table = [[*row[:width], *[None] * (width - len(row))] for _, row in rows]
    return pl.DataFrame(table, dict.fromkeys(headings, pl.String), orient="row")


def _recognised(table: List, named: Mapping[str, str | None]) -> List:
    """Recognise the columns, and note duplicate rows and rows with neither name nor
    domain.
    """
    frame, notes, columns = table.frame, [*table.notes], dict[str, str | None]()
    for meaning, known in HEADINGS.items():
        if (heading := named.get(meaning)) is not None and heading not in frame.columns:
            reason = f"the list has no column of this name, but {listed(frame.columns)}"
            raise UnsupportedValue(heading, field=meaning, reason=reason)
        taken = {*named.values(), *columns.values()}
        free = {
            spaced(head): head for head in reversed(frame.columns) if head not in taken
        }
        columns[meaning] = heading or next(
            (free[head] for head in known if head in free), None
        )
    if columns["name"] is None and columns["domain"] is None:
        raise _refused(
            table.name, f"name one of {listed(frame.columns)} with name= or domain="
        )
    table = replace(table, columns=columns)
    pairs = list(zip(table.column("name"), table.column("domain"), strict=True))
    bare = [
        str(line)
        for line, pair in zip(table.lines, pairs, strict=True)
        if not any(pair)
    ]
    if bare:
        many = counted(len(bare), "row with neither name nor domain")
        notes.append(f"{many}: line {_some(bare)}")
    entries = Counter(", ".join(map(plain, filter(None, pair))) for pair in pairs)
    if twice := [entry for entry, times in entries.items() if entry and times > 1]:
        notes.append(f"{counted(len(twice), 'entry')} more than once: {_some(twice)}")
    return replace(table, notes=tuple(notes))


def _some(names: Sequence[str]) -> str:
    return "; ".join(names[:_FEW]) + " …" * (len(names) > _FEW)
