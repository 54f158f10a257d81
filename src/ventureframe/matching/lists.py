"""Read a user's list: a file, a frame, a pasted block or names, with its columns
recognised.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl
from polars import col

from ventureframe.display.wording import counted, listed
from ventureframe.errors import UnsupportedValue
from ventureframe.matching import cells, files, headings, values
from ventureframe.matching.headings import Cells, refused, spaced

_LABELS = {"name": "Name", "domain": "website", "place": "city", "year": "year"}
_GUARDED = r"^'([=+\-@\t\r])"  # as our CSV keeps a text from being a formula
_OPTIONS = (
    "call the column of names Name; or, for a list that is matched, name= or domain= in"
    " Python, --name or --website on the command line, says which column has the names"
    " or websites"
)


@dataclass(frozen=True, eq=False)
class List:
    """A user's list, every row and column unchanged, and what its columns mean.

    `columns` has the user's heading for the name, domain, place and year, None where
    there is none; `texts` these columns as stripped text, null where empty or where a
    cell holds no address or no year. `lines` has the line number of each row in the
    file, from 1, and `notes` what the user should know.
    """

    name: str
    frame: pl.DataFrame
    columns: Mapping[str, str | None]
    texts: pl.DataFrame
    lines: tuple[int, ...]
    notes: tuple[str, ...]

    def column(self, meaning: str) -> pl.Series:
        """Return the names, domains, places or years."""
        return self.texts[meaning]

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
        pl.col(pl.String).str.replace_all(r"[\t\r\n]+", " ")
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
        usual = "To be decided" if is_decided else None
        source, frame, lines, notes = table(given, sheet, usual, named)
    else:
        source, frame, notes = files.PASTED, values.frame(given), list[str]()
        lines = [*range(1, frame.height + 1)]
    own = [] if is_decided else headings.own(frame.columns)
    if own:
        frame, lines = _without(own, frame, lines)
        notes.append(f"columns of an earlier answer left out: {', '.join(own)}")
    columns = headings.recognise(frame, named)
    free = [name for name in frame.columns if name not in columns.values()]
    is_of_sites = columns["domain"] and (named.get("domain") or not free)
    if columns["name"] is None and not is_of_sites:
        reason = f"no column of names is known of {listed(frame.columns)}: {_OPTIONS}"
        raise refused(source, reason, frame.columns)
    texts = _texts(frame, columns)
    held = texts.with_columns(
        domain=cells.address(col.domain), year=cells.year(col.year)
    )
    list_ = List(source, frame, columns, held, tuple(lines), ())
    unused = [name for name in free if cells.are_addresses(frame[name])]
    notes += headings.notes({"addresses not used:": unused})
    return replace(list_, notes=(list_.read_as, *notes, *_noted(list_, texts)))


def table(
    given: str | Path,
    sheet: str | None,
    usual: str | None = None,
    named: Mapping[str, str | None] = MappingProxyType({}),
) -> tuple[str, pl.DataFrame, list[int], list[str]]:
    """Read a file or a pasted block: its name, its table as text, the number of each
    line, and notes.

    For `usual` see `workbooks.read`. Raises `UnsupportedValue` where there is no table.
    """
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
    notes += headings.notes(
        {
            "left out above the headings: line": above,
            "left out that is no entry: line": below,
        }
    )
    return source, _table(heads, entries, source), [line for line, _ in entries], notes


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


def _without(
    own: Sequence[str], frame: pl.DataFrame, lines: Sequence[int]
) -> tuple[pl.DataFrame, list[int]]:
    """Take off what an earlier answer put beside the list, since this one replaces
    it; its candidates of a row are one row.
    """
    frame = frame.drop(own).with_columns(pl.col(pl.String).str.replace(_GUARDED, "$1"))
    is_first = frame.select(pl.struct(pl.all()).is_first_distinct()).to_series()
    if "found by" in map(spaced, own):
        return frame.filter(is_first), pl.Series(lines).filter(is_first).to_list()
    return frame, [*lines]


def _texts(frame: pl.DataFrame, columns: Mapping[str, str | None]) -> pl.DataFrame:
    """The names, domains, places and years as they are written; null where empty."""
    texts = dict[str, pl.Expr]()
    for meaning, heading in columns.items():
        text = pl.lit(None) if heading is None else pl.col(heading)
        texts[meaning] = cells.text(text.cast(pl.String, strict=False))
    return frame.select(**texts)


def _noted(list_: List, written: pl.DataFrame) -> list[str]:
    """Note cells that hold nothing of the kind, addresses that stood in other text,
    duplicate rows, and rows with neither name nor domain.
    """
    texts, columns = list_.texts, list_.columns
    no_domain, no_year = (
        written[meaning]
        .filter(texts[meaning].is_null())
        .drop_nulls()
        .unique(maintain_order=True)
        for meaning in ("domain", "year")
    )
    wrapped = written["domain"].filter(written["domain"] != texts["domain"])
    entry = pl.concat_str("name", "domain", separator=", ", ignore_nulls=True)
    entries = texts.select(entry.str.to_lowercase()).to_series()
    bare = pl.Series(list_.lines).filter(entries == "")
    twice = entries.filter(entries.is_duplicated() & (entries != ""))
    twice = twice.unique(maintain_order=True)
    return headings.notes(
        {
            f"no address in {columns['domain']}:": no_domain,
            f"no year in {columns['year']}:": no_year,
            f"taken out of other text in {columns['domain']}:": wrapped,
            f"{counted(len(bare), 'row with neither name nor domain')}: line": bare,
            f"{counted(len(twice), 'entry')} more than once:": twice,
        }
    )
