"""Read a user's list: a file, a frame, a pasted block or names, with its columns
recognised.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
from polars import col

from ventureframe.display.wording import counted, listed
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.files import home
from ventureframe.matching import cells, files, headings, values
from ventureframe.matching.headings import HEADINGS, Cells, some, spaced
from ventureframe.matching.workbooks import refused

_LABELS = {"name": "Name", "domain": "website", "place": "city", "year": "year"}
_READERS = {"domain": cells.address, "year": cells.year}
_HELD = {"domain": "address", "year": "year"}
_MOSTLY = 0.5  # the share of its cells by which a column holds addresses
_SAMPLE = 1000  # cells by which a column is known to hold addresses
_WORD = r"\p{L}{2}"
_GUARDED = r"^'([=+\-@\t\r])"  # as our CSV keeps a text from being a formula
_OPTIONS = (
    "name= or domain= in Python, --name or --website on the command line, says which"
    " column has the names or websites"
)


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

    def column(self, meaning: str, *, is_raw: bool = False) -> pl.Series:
        """Return the names, domains, places or years as stripped text; null where
        empty, and unless `is_raw` where a cell holds no address or no year.
        """
        heading = self.columns[meaning]
        if heading is None:
            return pl.Series(meaning, [None] * self.frame.height, pl.String)
        text = cells.text(col(heading).cast(pl.String, strict=False))
        reader = None if is_raw else _READERS.get(meaning)
        return self.frame.select(
            (reader(text) if reader else text).alias(meaning)
        ).to_series()

    @property
    def read_as(self) -> str:
        """Which column was taken for what."""
        parts = list[str]()
        for meaning, label in _LABELS.items():
            heading = self.columns[meaning]
            parts.append(f"{label} = {heading}" if heading else f"{label}: none")
        return " · ".join(parts)

    @property
    def text(self) -> str:
        """The list as a block with tabs between its cells, as it would be pasted."""
        return block(self.frame)

    def __repr__(self) -> str:
        rows = counted(self.frame.height, "row")
        return " · ".join((self.name, rows, self.read_as))


def block(given: Any) -> str:
    """Write a frame, or a list of names, as a block that can be pasted."""
    flat = values.frame(given).with_columns(
        col(pl.String).str.replace_all(r"[\t\r\n]+", " ")
    )
    return flat.write_csv(separator="\t", quote_style="never").rstrip("\n")


def read(
    given: Any,
    *,
    sheet: str | None = None,
    is_decided: bool = False,
    **named: str | None,
) -> List:
    """Read a list: a path, a block of text, names, pairs, dictionaries, or a frame.

    A file is a CSV separated by commas, semicolons, tabs or bars, or a workbook;
    `sheet` selects one of several sheets. `name`, `domain`, `place` and `year` name
    columns whose headings are not among `HEADINGS`. Every row and column is kept, text
    as it is written; of a table of ours that `is_decided`, also the columns of its
    answer.

    Raises `UnsupportedValue` where there is no table, or its columns are not
    recognised. `notes` say what was read for what, and what was not read literally.

    >>> read("Company\\tCity\\nHalvern Bio\\tOslo")
    My list · 1 row · Name = Company · website: none · city = City · year: none
    """
    if isinstance(given, str | Path):
        usual = "To check" if is_decided else None
        table = _of_text(given, sheet, usual, named)
    else:
        frame = values.frame(given)
        table = List("My list", frame, {}, tuple(range(1, frame.height + 1)))
    if not is_decided:
        table = _without_own(table)
    return _noted(_recognised(table, named))


def _of_text(
    given: str | Path,
    sheet: str | None,
    usual: str | None,
    named: Mapping[str, str | None],
) -> List:
    """Read a file or a pasted block as a table of text."""
    source, notes = "My list", list[str]()
    if isinstance(given, str) and re.search(r"[\t\n\r]", given):
        found = files.parsed(given, source, named.values())
    elif "://" in str(given):
        raise refused(str(given), "it is on the web: download it, and give the file")
    else:
        path = home(given)
        source = path.name
        found, notes = files.read(
            path, sheet or usual, named.values(), is_usual=not sheet
        )
    at, heads = _headings(found, source, named)
    rows, others = headings.entries(heads, found[at:])
    if not rows and not usual:
        raise refused(source, "it holds no rows")
    above = headings.texts(found[: max(at - 1, 0)])
    if above:
        notes.append(f"left out above the headings: line {some(above)}")
    if others:
        notes.append(f"left out that is no entry: line {some(headings.texts(others))}")
    lines = tuple(line for line, _ in rows)
    return List(source, _table(heads, rows, source), {}, lines, tuple(notes))


def _headings(
    rows: Cells, source: str, named: Mapping[str, str | None]
) -> tuple[int, list[str]]:
    """Where the entries begin, and the headings above them; of a single column
    without one a heading of ours.
    """
    at = headings.find(rows, named.values())
    if at is not None:
        return at + 1, headings.distinct([*map(cells.visible, rows[at][1])])
    widest = max((headings.filled(row) for _, row in rows), key=len, default=[])
    if len(widest) > 1:
        texts = listed([repr(cell[:30]) for cell in widest])
        raise refused(source, f"no heading is known in {texts}: {_OPTIONS}")
    return 0, [headings.alone([cell for _, row in rows for cell in row])]


def _table(heads: Sequence[str], rows: Cells, source: str) -> pl.DataFrame:
    """Make the frame; a row that is too short ends with blanks."""
    width = len(heads)
    table = list[Sequence[str]]()
    for line, row in rows:
        if len(row) > width:
            many = f"line {line} has {len(row)} cells"
            reason = f"{many}, and there are {counted(width, 'heading')}"
            raise refused(source, f"{reason}: quote a cell that holds the separator")
        table.append([*row, *[""] * (width - len(row))])
    return pl.DataFrame(table, dict.fromkeys(heads, pl.String), orient="row")


def _without_own(table: List) -> List:
    """Take off what an earlier answer put beside the list, since this one replaces
    it; its candidates of a row are one row.
    """
    own = headings.own(table.frame.columns)
    if not own:
        return table
    frame = table.frame.drop(own)
    frame = frame.with_columns(col(pl.String).str.replace(_GUARDED, "$1"))
    lines = pl.Series(table.lines)
    if "found by" in map(spaced, own):
        is_first = frame.select(pl.struct(pl.all()).is_first_distinct()).to_series()
        frame, lines = frame.filter(is_first), lines.filter(is_first)
    note = f"columns of an earlier answer left out: {', '.join(own)}"
    return replace(table, frame=frame, lines=tuple(lines), notes=(*table.notes, note))


def _recognised(table: List, named: Mapping[str, str | None]) -> List:
    """Recognise the columns: those that are named, else by their headings, and of
    those for websites by their cells.

    Raises `UnsupportedValue` with the headings where that of the names is not known.
    """
    frame = table.frame
    columns = {
        meaning: _named(frame, meaning, named.get(meaning)) for meaning in HEADINGS
    }
    sites = {name: _sites(frame[name]) for name in frame.columns}
    for meaning in HEADINGS:
        free = [name for name in frame.columns if name not in columns.values()]
        fitting = headings.columns(free, meaning)
        if meaning == "domain":
            fitting.sort(key=lambda name: sites[name] < _MOSTLY)
        if columns[meaning] is None and fitting:
            columns[meaning] = fitting[0]
    free = [name for name in frame.columns if name not in columns.values()]
    texts = frame.select(free).select(pl.col(pl.String).str.contains(_WORD).any())
    is_of_sites = named.get("domain") or not any(texts.row(0) if texts.width else ())
    if columns["name"] is None and not (columns["domain"] and is_of_sites):
        reason = f"no column of names is known of {listed(frame.columns)}: {_OPTIONS}"
        raise refused(table.name, reason)
    notes = table.notes
    unused = [name for name in free if sites[name] >= _MOSTLY]
    if unused:
        notes = (*notes, f"addresses not used: {listed(unused)}")
    return replace(table, columns=columns, notes=notes)


def _named(frame: pl.DataFrame, meaning: str, heading: str | None) -> str | None:
    """The column with the heading that the user names; raises `UnsupportedValue`."""
    if heading is None or heading in frame.columns:
        return heading
    for name in frame.columns:
        if spaced(name) == spaced(heading):
            return name
    reason = f"the list has no column of this name, but {listed(frame.columns)}"
    raise UnsupportedValue(heading, field=meaning, reason=reason)


def _sites(column: pl.Series) -> float:
    """The share of its first cells that hold an address."""
    text = column.cast(pl.String, strict=False).drop_nulls()
    texts = text.to_frame("text").filter(col("text") != "").head(_SAMPLE)
    held = texts.select(cells.address(col("text"))).to_series()
    return held.count() / max(texts.height, 1)


def _noted(table: List) -> List:
    """Note what was read for what, cells that hold nothing of the kind, duplicate
    rows, and rows with neither name nor domain.
    """
    notes = [table.read_as, *table.notes]
    for meaning, what in _HELD.items():
        texts = table.column(meaning, is_raw=True)
        held = table.column(meaning)
        other = texts.filter(texts.is_not_null() & held.is_null())
        if len(other):
            first = some(other.unique(maintain_order=True))
            notes.append(f"no {what} in {table.columns[meaning]}: {first}")
    pairs = pl.DataFrame([table.column("name"), table.column("domain")])
    entry = pl.concat_str(pl.all(), separator=", ", ignore_nulls=True)
    entries = pairs.select(entry.str.to_lowercase()).to_series()
    bare = pl.Series(table.lines).filter(entries == "")
    if len(bare):
        many = counted(len(bare), "row with neither name nor domain")
        notes.append(f"{many}: line {some(bare)}")
    twice = entries.filter(entries.is_duplicated() & (entries != ""))
    if len(twice):
        many = counted(twice.n_unique(), "entry")
        first = some(twice.unique(maintain_order=True))
        notes.append(f"{many} more than once: {first}")
    return replace(table, notes=tuple(notes))
