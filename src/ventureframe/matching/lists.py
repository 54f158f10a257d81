"""Her list as she keeps it: a file, a frame, a pasted block or names, with its columns known."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import polars as pl
import python_calamine as calamine

from ventureframe.display.wording import counted, listed
from ventureframe.errors import UnsupportedValue, shortened, visible, warn
from ventureframe.interface.fields import plain

_ONE: Final = (
    "company, organisation, organization, startup, spinout, university, institution, investor"
)
_LAST: Final = "lp, limited partner, account, firm, portfolio company, name"
_KNOWN: Final = {
    "name": f"{_ONE.replace(',', ' name,')} name, lp name, account name, {_ONE}, {_LAST}",
    "domain": "website domain, company domain name, company domain, domain, domains, domain name, "
    "website, company website, website url, web site, homepage, url, web, www, site",
    "place": "hq city, city, town, hq location, headquarters, headquarters location, hq, location, "
    "place, hq country, country",
    "year": "founded, year founded, founding year, founded year, launch year, launch date, "
    "founded on, year",
}
HEADINGS: Final = {what: tuple(words.split(", ")) for what, words in _KNOWN.items()}
"""The headings that are recognised, those that say most first."""
_SHEETS: Final = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 begins
_SEPARATORS: Final = ("\t", ";", ",", "|")
_SOUGHT: Final = 10  # rows from the top among which the headings are looked for
_FEW: Final = 3  # lines or names that a note names
Cells = list[tuple[int, Sequence[str]]]  # rows of text, each with the line it stands in


@dataclass(frozen=True, slots=True, eq=False)
class List:
    """A list of hers: every row and column of it, unchanged, and which of them says what.

    `columns` has her heading of the name, domain, place and year, None where there is none;
    `lines` the line of each row in her file, from 1, and `notes` what she should know of it.
    """

    name: str
    frame: pl.DataFrame
    columns: Mapping[str, str | None]
    lines: tuple[int, ...]
    notes: tuple[str, ...] = ()

    def column(self, what: str) -> pl.Series:
        """Its names, domains, places or years as text without blanks around it; null: none."""
        heading = self.columns[what]
        if heading is None:
            return pl.Series(what, [None] * self.frame.height, pl.String)
        text = self.frame[heading].cast(pl.String, strict=False).str.strip_chars()
        return text.replace("", None).alias(what)

    @property
    def text(self) -> str:
        """The list as a block with tabs between its cells, as it is pasted."""
        flat = pl.col(pl.String).str.replace_all(r"[\t\r\n]+", " ")
        return (
            self.frame.with_columns(flat)
            .write_csv(separator="\t", quote_style="never")
            .rstrip("\n")
        )

    def __repr__(self) -> str:
        known = ", ".join(f"{what}: {head}" for what, head in self.columns.items() if head)
        return " · ".join((self.name, counted(self.frame.height, "row"), known))


def read(
    given: Any, *, sheet: str | None = None, known: Iterable[str] = (), **named: str | None
) -> List:
    """Read a list: a path, a block of text, a list of names, or a frame of any library.

    A file is a CSV, with comma, semicolon, tab or bar between its cells, or a workbook, of whose
    sheets `sheet` names one. `name`, `domain`, `place` and `year` name her columns where their
    headings are none of `HEADINGS`. Where further headings are `known`, none of these is needed.
    Every row and column stays, text as it is written.

    Raises `UnsupportedValue` where there is no table, or columns cannot be told apart; what was
    read in another way than it stands there is in the `notes`, and warned of.

    >>> read("Company\\tCity\\nHalvern Bio\\tOslo")
    My list · 1 row · name: Company, place: City
    """
    source, notes = "My list", list[str]()
    if isinstance(given, Path) or (isinstance(given, str) and not re.search(r"[\t\n\r]", given)):
        source = Path(given).name
        cells, notes = _file(Path(given), sheet)
    elif isinstance(given, str):
        cells = _parsed(given, source)
    elif isinstance(given, list | tuple | set | frozenset):
        cells = [(at, [str(one or "")]) for at, one in enumerate(given, 1)]
    else:
        try:
            frame = pl.DataFrame(given)
        except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
            what = "give a path, a frame, text or a list of names"
            raise _refused(type(given).__name__, what) from error
        lines = tuple(range(1, frame.height + 1))
        return _known(List(source, frame, {}, lines), named, is_open=bool(known))
    cells = [(line, row) for line, row in cells if any(map(str.strip, row))]
    if not cells:
        raise _refused(source, "it holds no rows")
    head = _heading(cells, [*named.values(), *known])
    if head is None and max(len(row) for _, row in cells) > 1:
        heads = listed([repr(shortened(visible(cell), 30)) for cell in cells[0][1] if cell])
        raise _refused(source, f"no heading is known: name one of {heads} with name= or domain=")
    above = cells[: head or 0]
    if any(map(str.strip, (cell for _, row in above for cell in row))):
        notes.append(f"{counted(len(above), 'line')} above the headings left out")
    if head is None:
        is_domain = sum("." in "".join(row) and " " not in "".join(row).strip() for _, row in cells)
        headings = ["Website" if 2 * is_domain > len(cells) else "Name"]
    else:
        headings = [cell.strip() for cell in cells[head][1]]
    rows = cells if head is None else cells[head + 1 :]
    lines, frame = tuple(line for line, _ in rows), _table(headings, rows, source)
    return _known(List(source, frame, {}, lines, tuple(notes)), named, is_open=bool(known))


def _refused(source: str, reason: str) -> UnsupportedValue:
    return UnsupportedValue(source, field="list", reason=reason)


def _file(path: Path, sheet: str | None) -> tuple[Cells, list[str]]:
    """The rows of a file, and how it was read."""
    if path.suffix.lower() in (".parquet", ".arrow", ".feather"):
        raise _refused(path.name, "read it as a frame, and give the frame")
    try:
        if path.suffix.lower() in _SHEETS:
            return _workbook(path, sheet), []
        content = path.read_bytes()
    except (OSError, ValueError, calamine.CalamineError) as error:
        if isinstance(error, UnsupportedValue):
            raise
        raise _refused(path.name, f"it cannot be read ({type(error).__name__})") from error
    if b"\0" in content and content[:2] not in _WIDE:
        raise _refused(path.name, "it has null bytes, as no table of text has")
    try:
        return _parsed(
            content.decode("utf-16" if content[:2] in _WIDE else "utf-8-sig"), path.name
        ), []
    except UnicodeDecodeError:
        note = f"{path.name} is not UTF-8, so it was read as Windows-1252: check the accents"
    warn(note)
    return _parsed(content.decode("cp1252", errors="replace"), path.name), [note]


def _workbook(path: Path, sheet: str | None) -> Cells:
    with calamine.load_workbook(path) as book:
        names = [one for one in book.sheet_names if book.get_sheet_by_name(one).height]
        if sheet is None and len(names) > 1:
            raise _refused(path.name, f"it has the sheets {listed(names)}: name one with sheet=")
        if sheet is not None and sheet not in names:
            raise _refused(path.name, f"it has no sheet {sheet!r} with rows, but {listed(names)}")
        rows = book.get_sheet_by_name(sheet or names[0]).to_python(skip_empty_area=False)
    return [(line, [_cell(cell) for cell in row]) for line, row in enumerate(rows, 1)]


def _cell(value: object) -> str:
    """A cell as text: a whole number without a point, a day as ISO 8601."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value)
    return text.removesuffix(" 00:00:00") if hasattr(value, "hour") else text


def _parsed(text: str, source: str) -> Cells:
    """The rows of text; the separator is the one that its first lines have most often."""
    if "\0" in text:
        raise _refused(source, "it has null bytes, as no table of text has")
    first = re.sub(r'"[^"]*"', "", "\n".join(text.splitlines()[:_SOUGHT]))
    separator = max(_SEPARATORS, key=first.count)
    rows, cells = (
        csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True),
        Cells(),
    )
    try:
        line = 1
        for row in rows:
            cells.append((line, row))
            line = rows.line_num + 1
    except csv.Error as error:
        raise _refused(source, f"line {rows.line_num} is no row of a table: {error}") from error
    return cells


def _heading(cells: Cells, further: Iterable[str | None]) -> int | None:
    """Which row has the headings: of the first ones that with most of those known or further."""
    known = {*chain(*HEADINGS.values()), *map(spaced, filter(None, further))}
    counts = [len(known.intersection(map(spaced, row))) for _, row in cells[:_SOUGHT]]
    return counts.index(max(counts)) if any(counts) else None


def spaced(heading: str) -> str:
    """A heading as it is recognised: `website_domain` is `website domain`."""
    return " ".join(re.sub(r"[_\-.:*]+", " ", plain(heading)).split())


def _table(headings: list[str], rows: Cells, source: str) -> pl.DataFrame:
    """The rows under their headings, every cell as it is; an empty heading is its number."""
    while (
        headings
        and not headings[-1]
        and not any("".join(r[len(headings) - 1 :]).strip() for _, r in rows)
    ):
        headings.pop()
    headings = [head or f"column {at}" for at, head in enumerate(headings, 1)]
    if twice := [head for head, times in Counter(headings).items() if times > 1]:
        raise _refused(source, f"two columns are called {twice[0]!r}: rename one")
    width = len(headings)
    for line, row in rows:
        if any(map(str.strip, row[width:])):
            many = f"line {line} has {len(row)} cells, and there are {counted(width, 'heading')}"
            raise _refused(source, f"{many}: quote a cell that holds the separator")
    columns = (
        pl.Series(head, [row[at] if at < len(row) else None for _, row in rows], pl.String)
        for at, head in enumerate(headings)
    )
    return pl.DataFrame(columns)


def _known(given: List, named: Mapping[str, str | None], *, is_open: bool) -> List:
    """The list with its columns known, and notes of rows that are twice there or say nothing."""
    frame, notes = given.frame, [*given.notes]
    columns = dict[str, str | None]()
    for what, known in HEADINGS.items():
        if (heading := named.get(what)) is not None and heading not in frame.columns:
            reason = f"the list has no column of this name, but {listed(frame.columns)}"
            raise UnsupportedValue(heading, field=what, reason=reason)
        taken = {named.get(other) for other in HEADINGS} | {*columns.values()}
        there = {spaced(head): head for head in reversed(frame.columns) if head not in taken}
        columns[what] = heading or next((there[head] for head in known if head in there), None)
    if not is_open and columns["name"] is None and columns["domain"] is None:
        raise _refused(given.name, f"name one of {listed(frame.columns)} with name= or domain=")
    own = replace(given, columns=columns)
    pairs = list(zip(own.column("name"), own.column("domain"), strict=True))
    if not is_open and (
        bare := [str(at) for at, pair in zip(own.lines, pairs, strict=True) if not any(pair)]
    ):
        said = counted(len(bare), "row with neither name nor domain")
        notes.append(f"{said}: line {_some(bare)}")
    folded = Counter(", ".join(map(plain, filter(None, pair))) for pair in pairs)
    if twice := [entry for entry, times in folded.items() if entry and times > 1]:
        notes.append(f"{counted(len(twice), 'entry')} more than once: {_some(twice)}")
    return replace(own, notes=tuple(notes))


def _some(names: Sequence[str]) -> str:
    return "; ".join(names[:_FEW]) + " …" * (len(names) > _FEW)
