"""Read a user's list: a file, a frame, a pasted block or names, with its columns
recognised.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any

from polars import DataFrame, Expr, Series, String, col, concat_str, lit

from ventureframe.display.wording import counted
from ventureframe.errors import UnsupportedValue
from ventureframe.matching import cells, files, headings, values
from ventureframe.matching.headings import Cells, Named, refused, spaced

_LABELS = {"name": "Name", "domain": "website", "place": "city", "year": "year"}
_GUARDED = r"^'([=+\-@\t\r])"  # as our CSV keeps a text from being a formula


@dataclass(frozen=True, eq=False, repr=False)
class List:
    """A user's list, every row and column unchanged, and what its columns mean.

    `columns` has the user's heading for the name, domain, place and year, None where
    there is none; `texts` these columns as stripped text, null where empty or where a
    cell holds no address or no year. `lines` has the line number of each row in the
    file, from 1, and `notes` what the user should know.
    """

    name: str
    frame: DataFrame
    columns: Named
    texts: DataFrame
    lines: tuple[int, ...]
    notes: tuple[str, ...]

    def column(self, meaning: str) -> Series:
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


def block(raw: Any) -> str:
    """Write a frame, or a list of names, as a block that can be pasted."""
    texts = col(String).str.replace_all(r"[\t\r\n]+", " ")
    flat = values.frame(raw).with_columns(texts)
    return flat.write_csv(separator="\t", quote_style="never").rstrip("\n")


def read(
    raw: Any,
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

    >>> read("Company\\tCity\\nHalvern Bio\\tOslo").read_as
    'Name = Company · website: none · city = City · year: none'
    """
    for option, value in {"sheet": sheet, **named}.items():
        if not isinstance(value, str | None):
            raise UnsupportedValue(value, field=option, reason="give it as text")
    if isinstance(raw, str | Path):
        usual = "To be decided" if is_decided else None
        source, frame, lines, notes = table(raw, sheet, usual, named)
    else:
        source, frame, notes = files.PASTED, values.frame(raw), list[str]()
        lines = [*range(1, frame.height + 1)]
    earlier = [] if is_decided else headings.earlier_columns(frame.columns)
    if earlier:
        ours = col(String).str.replace(_GUARDED, "$1")
        frame = frame.drop(earlier).with_columns(ours)
        notes.append(f"columns of an earlier answer left out: {', '.join(earlier)}")
    if is_decided:  # it may have other headings than the list
        named = {key: head for key, head in named.items() if head in frame.columns}
    columns = headings.recognise(frame, named, source)
    written = _texts(frame, columns)
    texts = written.with_columns(
        domain=cells.address(col.domain), year=cells.year(col.year)
    )
    free = [name for name in frame.columns if name not in columns.values()]
    unused = [name for name in free if cells.are_addresses(frame[name])]
    notes += headings.notes({"addresses not used:": unused})
    list_ = List(source, frame, columns, texts, tuple(lines), ())
    return replace(list_, notes=(list_.read_as, *notes, *_noted(list_, written)))


def table(
    path_or_text: str | Path,
    sheet: str | None,
    usual: str | None = None,
    named: Named = MappingProxyType({}),
) -> tuple[str, DataFrame, list[int], list[str]]:
    """Read a file or a pasted block: its name, its table as text, the number of each
    line, and notes.

    For `usual` see `workbooks.read`. Raises `UnsupportedValue` where there is no table.
    """
    wanted = {spaced(heading) for heading in named.values() if heading}
    source, rows, notes = files.read(path_or_text, sheet, usual, wanted)
    rows, at = headings.headed(rows, wanted)
    heads = rows[at][1]
    entries, rejected = headings.entries(heads, rows[at + 1 :])
    if not entries and not usual:
        raise refused(source, "it holds no rows")
    notes += headings.notes(
        {
            "left out above the headings: line": headings.texts(rows[:at]),
            "left out that is no entry: line": headings.texts(rejected),
        }
    )
    return source, _table(heads, entries, source), [line for line, _ in entries], notes


def _table(heads: Sequence[str], rows: Cells, source: str) -> DataFrame:
    """Make the frame, without columns that are blank; a row that is too short ends
    with blanks.
    """
    width = len(heads)
    for line, row in rows:
        if headings.filled(row[width:]):
            cells_of_line = f"line {line} has {len(row)} cells"
            reason = f"{cells_of_line}, and there are {counted(width, 'heading')}"
            raise refused(source, f"{reason}: quote a cell that holds the separator")
    names = headings.distinct(map(cells.visible, heads))
    columns = zip_longest(heads, *(row for _, row in rows), fillvalue="")
    pairs = zip(names, columns, strict=False)
    frame = {name: column[1:] for name, column in pairs if any(column)}
    return DataFrame(frame, dict.fromkeys(frame, String))


def _texts(frame: DataFrame, columns: Named) -> DataFrame:
    """The names, domains, places and years as they are written; null where empty."""
    texts = dict[str, Expr]()
    for meaning, heading in columns.items():
        text = col(heading) if heading else lit(None)
        texts[meaning] = cells.text(text.cast(String, strict=False))
    return frame.select(**texts)


def _noted(list_: List, written: DataFrame) -> list[str]:
    """Note cells that hold nothing of the kind, addresses that stood in other text,
    duplicate rows, and rows with neither name nor domain.
    """
    columns, texts, kinds = list_.columns, list_.texts, dict[str, Series]()
    for meaning, kind in (("domain", "address"), ("year", "year")):
        unread = written[meaning].filter(texts[meaning].is_null()).drop_nulls()
        kinds[f"no {kind} in {columns[meaning]}:"] = unread.unique(maintain_order=True)
    wrapped = written["domain"].filter(written["domain"] != texts["domain"])
    kinds[f"taken out of other text in {columns['domain']}:"] = wrapped
    entry = concat_str("name", "domain", separator=", ", ignore_nulls=True)
    entries = texts.select(entry.str.to_lowercase()).to_series()
    bare = Series(list_.lines).filter(entries == "")
    kinds[f"{counted(len(bare), 'row with neither name nor domain')}: line"] = bare
    twice = entries.filter(entries.is_duplicated() & (entries != ""))
    twice = twice.unique(maintain_order=True)
    kinds[f"{counted(len(twice), 'entry')} more than once:"] = twice
    return headings.notes(kinds)
