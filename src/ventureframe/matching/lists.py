"""Read a user's list: a file, a frame, a pasted block or names, with its columns
recognised.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
from polars import col

from ventureframe.display.wording import counted, listed
from ventureframe.errors import UnsupportedValue
from ventureframe.matching import cells, files, headings, values
from ventureframe.matching.headings import Cells, refused, some, spaced

_LABELS = {"name": "Name", "domain": "website", "place": "city", "year": "year"}
_READERS = {"domain": cells.address, "year": cells.year}
_HELD = {"domain": "address", "year": "year"}
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
        if meaning in _READERS and not is_raw:
            text = _READERS[meaning](text)
        return self.frame.select(text.alias(meaning)).to_series()

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
    for option, value in {"sheet": sheet, **named}.items():
        if not isinstance(value, str | None):
            raise UnsupportedValue(value, field=option, reason="give it as text")
    if isinstance(given, str | Path):
        table = _of_text(given, sheet, "To check" if is_decided else None, named)
    else:
        frame = values.frame(given)
        table = List(files.PASTED, frame, {}, tuple(range(1, frame.height + 1)))
    if not is_decided:
        table = _without_own(table)
    columns = headings.recognise(table.frame, named)
    return _noted(replace(table, columns=columns), named)


def _of_text(
    given: str | Path,
    sheet: str | None,
    usual: str | None,
    named: Mapping[str, str | None],
) -> List:
    """Read a file or a pasted block as a table of text."""
    wanted = {spaced(heading) for heading in named.values() if heading}
    source, rows, notes = files.read(given, sheet, usual, wanted)
    rows = [(line, headings.to_last(row)) for line, row in rows]
    at, _ = headings.find(rows, wanted)
    start = 0 if at is None else at + 1
    heads = _headings(rows, at, source)
    entries, others = headings.entries(heads, rows[start:])
    if not entries and not usual:
        raise refused(source, "it holds no rows")
    above = headings.texts(rows[: max(start - 1, 0)])
    below = headings.texts(others)
    notes += _note("left out above the headings: line", above)
    notes += _note("left out that is no entry: line", below)
    lines = tuple(line for line, _ in entries)
    return List(source, _table(heads, entries, source), {}, lines, tuple(notes))


def _note(what: str, values: Sequence[object] | pl.Series) -> list[str]:
    """Note the first few of the values, if there are any."""
    return [f"{what} {some(values)}"] if len(values) else []


def _headings(rows: Cells, at: int | None, source: str) -> list[str]:
    """The headings; of a single column without one a heading of ours."""
    if at is not None:
        return headings.distinct([*map(cells.visible, rows[at][1])])
    texts = [headings.filled(row) for _, row in rows]
    width = max(map(len, texts), default=0)
    if width > 1:
        first = next(row for row in texts if 2 * len(row) > width)
        names = listed([repr(cell[:30]) for cell in first])
        raise refused(source, f"no heading is known in {names}: {_OPTIONS}", first)
    return [headings.alone([cell for _, row in rows for cell in row])]


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


def _noted(table: List, named: Mapping[str, str | None]) -> List:
    """Note what was read for what, cells that hold nothing of the kind, duplicate
    rows, and rows with neither name nor domain.

    Raises `UnsupportedValue` with the headings where that of the names is not known.
    """
    frame, columns = table.frame, table.columns
    free = [name for name in frame.columns if name not in columns.values()]
    is_of_sites = columns["domain"] and (named.get("domain") or not free)
    if columns["name"] is None and not is_of_sites:
        reason = f"no column of names is known of {listed(frame.columns)}: {_OPTIONS}"
        raise refused(table.name, reason, frame.columns)
    notes = [table.read_as, *table.notes]
    unused = [name for name in free if cells.are_addresses(frame[name])]
    notes += _note("addresses not used:", unused)
    for meaning, what in _HELD.items():
        texts, held = table.column(meaning, is_raw=True), table.column(meaning)
        other = texts.filter(held.is_null()).drop_nulls().unique(maintain_order=True)
        notes += _note(f"no {what} in {columns[meaning]}:", other)
    texts = table.column("domain", is_raw=True)
    wrapped = texts.filter(texts != table.column("domain"))
    notes += _note(f"taken out of other text in {columns['domain']}:", wrapped)
    pairs = pl.DataFrame([table.column("name"), table.column("domain")])
    entry = pl.concat_str(pl.all(), separator=", ", ignore_nulls=True)
    entries = pairs.select(entry.str.to_lowercase()).to_series()
    bare = pl.Series(table.lines).filter(entries == "")
    many = counted(len(bare), "row with neither name nor domain")
    notes += _note(f"{many}: line", bare)
    twice = entries.filter(entries.is_duplicated() & (entries != ""))
    twice = twice.unique(maintain_order=True)
    notes += _note(f"{counted(len(twice), 'entry')} more than once:", twice)
    return replace(table, notes=tuple(notes))
