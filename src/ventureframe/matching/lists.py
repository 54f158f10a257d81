"""Read a user's list: a file, a frame, a pasted block or names, with its columns
recognised.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import python_calamine as calamine

from ventureframe.display.wording import counted, listed
from ventureframe.errors import UnsupportedValue
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
    is_line = isinstance(given, str) and not re.search(r"[\t\n\r]", given)
    if isinstance(given, Path) or is_line:
        source = Path(given).name
        cells = _file(Path(given), sheet, notes)
    elif isinstance(given, str):
        cells = _parsed(given, source)
    elif isinstance(given, list | tuple | set | frozenset):
        cells = [(line, [str(name or "")]) for line, name in enumerate(given, 1)]
    else:
        return _recognised(_of_frame(given, source), named)
    cells = [(line, _filled(row)) for line, row in cells]
    cells = [(line, row) for line, row in cells if row]
    if not cells:
        raise _refused(source, "it holds no rows")
    at = _heading(cells, named.values())
    if at is None:
        headings, rows = [_only_heading(cells, source)], cells
    else:
        headings, rows = [cell.strip() for cell in cells[at][1]], cells[at + 1 :]
    if at:
        notes.append(f"{counted(at, 'line')} above the headings left out")
    frame = _table(headings, rows, source)
    lines = tuple(line for line, _ in rows)
    return _recognised(List(source, frame, {}, lines, tuple(notes)), named)


def _of_frame(given: Any, source: str) -> List:
    try:
        frame = pl.DataFrame(given)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        reason = "give a path, a frame, text or a list of names"
        raise _refused(type(given).__name__, reason) from error
    return List(source, frame, {}, tuple(range(1, frame.height + 1)))


def _filled(row: Sequence[str]) -> Sequence[str]:
    """The cells up to the last one that is not blank."""
    width = len(row)
    while width and not row[width - 1].strip():
        width -= 1
    return row[:width]


def _only_heading(cells: Cells, source: str) -> str:
    """The heading of rows of one cell: websites, where most look like domains."""
    for _, row in cells:
        if len(row) > 1:
            first = listed([repr(cell[:30]) for cell in row if cell])
            reason = f"no heading is known: name one of {first}"
            raise _refused(source, f"{reason} with name= or domain=")
    texts = [row[0].strip() for _, row in cells]
    domains = [text for text in texts if "." in text and " " not in text]
    return "Website" if 2 * len(domains) > len(texts) else "Name"


def spaced(heading: str) -> str:
    """Normalise a heading: `website_domain` becomes `website domain`."""
    return " ".join(re.sub(r"[_\-.:*]+", " ", plain(heading)).split())


def _refused(source: str, reason: str) -> UnsupportedValue:
    return UnsupportedValue(source, field="list", reason=reason)


def _file(path: Path, sheet: str | None, notes: list[str]) -> Cells:
    """Read the rows of a file; note how, where that can be wrong."""
    try:
        if path.suffix.lower() in _WORKBOOKS:
            return _workbook(path, sheet)
        content = path.read_bytes()
    except UnsupportedValue:
        raise
    except (OSError, ValueError, calamine.CalamineError) as error:
        reason = f"it cannot be read ({type(error).__name__})"
        raise _refused(path.name, reason) from error
    try:
        encoding = "utf-16" if content[:2] in _UTF_16 else "utf-8-sig"
        return _parsed(content.decode(encoding), path.name)
    except UnicodeDecodeError:
        cells = _parsed(content.decode("cp1252", errors="replace"), path.name)
    note = f"{path.name} is not UTF-8, so it was read as Windows-1252"
    notes.append(f"{note}: check the accents")
    return cells


def _workbook(path: Path, sheet: str | None) -> Cells:
    with calamine.load_workbook(path) as book:
        sheets = {name: book.get_sheet_by_name(name) for name in book.sheet_names}
        names = [name for name, own in sheets.items() if own.height]
        if sheet is None and len(names) == 1:
            sheet = names[0]
        if sheet not in names:
            reason = f"its sheets with rows are {listed(names)}: name one with sheet="
            raise _refused(path.name, reason)
        rows = sheets[sheet].to_python(skip_empty_area=False)
    cells = Cells()
    for line, row in enumerate(rows, 1):
        cells.append((line, [_cell(cell) for cell in row]))
    return cells


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
    known = {spaced(heading) for heading in further if heading}
    known.update(*HEADINGS.values())
    counts = list[int]()
    for _, row in cells[:_FIRST]:
        counts.append(len(known.intersection(map(spaced, row))))
    return counts.index(max(counts)) if any(counts) else None


def _table(headings: list[str], rows: Cells, source: str) -> pl.DataFrame:
    """Make the frame; a column without a heading is called by its number."""
    headings = [head or f"column {at}" for at, head in enumerate(headings, 1)]
    for head, times in Counter(headings).items():
        if times > 1:
            raise _refused(source, f"two columns are called {head!r}: rename one")
    width = len(headings)
    table = list[Sequence[str]]()
    for line, row in rows:
        if len(row) > width:
            many = f"line {line} has {len(row)} cells"
            reason = f"{many}, and there are {counted(width, 'heading')}"
            raise _refused(source, f"{reason}: quote a cell that holds the separator")
        table.append([*row, *[""] * (width - len(row))])
    return pl.DataFrame(table, dict.fromkeys(headings, pl.String), orient="row")


def _recognised(table: List, named: Mapping[str, str | None]) -> List:
    """Recognise the columns, and note duplicate rows and rows with neither name nor
    domain.
    """
    columns = dict[str, str | None]()
    for meaning in HEADINGS:
        used = {*named.values(), *columns.values()}
        columns[meaning] = _column(table.frame, meaning, named.get(meaning), used)
    if columns["name"] is None and columns["domain"] is None:
        reason = f"name one of {listed(table.frame.columns)} with name= or domain="
        raise _refused(table.name, reason)
    table = replace(table, columns=columns)
    notes, bare, entries = [*table.notes], list[str](), Counter[str]()
    pairs = zip(table.column("name"), table.column("domain"), strict=True)
    for line, pair in zip(table.lines, pairs, strict=True):
        entry = ", ".join(plain(text) for text in pair if text)
        entries[entry] += 1
        if not entry:
            bare.append(str(line))
    if bare:
        many = counted(len(bare), "row with neither name nor domain")
        notes.append(f"{many}: line {_some(bare)}")
    twice = [entry for entry, times in entries.items() if entry and times > 1]
    if twice:
        notes.append(f"{counted(len(twice), 'entry')} more than once: {_some(twice)}")
    return replace(table, notes=tuple(notes))


def _column(
    frame: pl.DataFrame, meaning: str, named: str | None, used: Collection[str | None]
) -> str | None:
    """The column that is named, else the first with the most specific heading."""
    if named is not None:
        if named not in frame.columns:
            reason = f"the list has no column of this name, but {listed(frame.columns)}"
            raise UnsupportedValue(named, field=meaning, reason=reason)
        return named
    for heading in HEADINGS[meaning]:
        for column in frame.columns:
            if column not in used and spaced(column) == heading:
                return column
    return None


def _some(names: Sequence[str]) -> str:
    return "; ".join(names[:_FEW]) + " …" * (len(names) > _FEW)
