"""Read a user's list: a file, a frame, a pasted block or names, with its columns
recognised.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
from polars import col

from ventureframe.display.wording import counted, listed
from ventureframe.errors import UnsupportedValue
from ventureframe.matching import cells, files, headings, values
from ventureframe.matching.files import refused
from ventureframe.matching.headings import HEADINGS, Cells, some, spaced
from ventureframe.matching.workbooks import Sheet

_LABELS = {"name": "Name", "domain": "website", "place": "city", "year": "year"}
_READERS = {"domain": cells.address, "year": cells.year}
_HELD = {"domain": "address", "year": "year"}
_MOSTLY = 0.5  # the share of its cells by which a column holds addresses
_UNKNOWN = 0.01  # the share of a blank column
_SAMPLE = 1000  # cells by which a column is known to hold addresses
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

    def column(self, meaning: str) -> pl.Series:
        """Return the names, domains, places or years as stripped text; null where
        empty, and where a cell holds no address or no year.
        """
        texts = self.texts(meaning)
        reader = _READERS.get(meaning)
        if reader:
            texts = texts.to_frame().select(reader(col(meaning))).to_series()
        return texts.alias(meaning)

    def texts(self, meaning: str) -> pl.Series:
        """The cells of a column as text, whatever they hold."""
        heading = self.columns[meaning]
        if heading is None:
            return pl.Series(meaning, [None] * self.frame.height, pl.String)
        text = col(heading).cast(pl.String, strict=False)
        return self.frame.select(cells.text(text).alias(meaning)).to_series()

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
        flat = self.frame.with_columns(
            pl.col(pl.String).str.replace_all(r"[\t\r\n]+", " ")
        )
        return flat.write_csv(separator="\t", quote_style="never").rstrip("\n")

    def __repr__(self) -> str:
        rows = counted(self.frame.height, "row")
        return " · ".join((self.name, rows, self.read_as))


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
        table = _of_text(given, sheet, named, is_decided=is_decided)
    else:
        frame = values.frame(given)
        table = List("My list", frame, {}, tuple(range(1, frame.height + 1)))
    if not is_decided:
        table = _without_own(table)
    return _noted(_recognised(table, named))


def _of_text(
    given: str | Path,
    sheet: str | None,
    named: Mapping[str, str | None],
    *,
    is_decided: bool,
) -> List:
    """Read a file or a pasted block as a table of text."""
    source = "My list"
    if isinstance(given, str) and re.search(r"[\t\n\r]", given):
        found = Sheet(files.parsed(given, source, named.values()), [], {})
    elif isinstance(given, str) and "://" in given:
        raise refused(given, "it is a web address: download it, and give the file")
    else:
        path = Path(given).expanduser()
        source, wanted = path.name, "found by" if is_decided else ""
        found = files.read(path, sheet, named.values(), wanted)
    at, heads = _headings(found.cells, source, named)
    rows, others = headings.entries(heads, found.cells[at:])
    if not rows:
        raise refused(source, "it holds no rows")
    above = found.cells[: max(at - 1, 0)]
    notes = [*found.notes, *_left_out(above, others, last=rows[-1][0])]
    rows, many = _linked(heads, rows, found, named.get("domain"))
    if many:
        notes.append(f"{counted(many, 'cell')} read as the address behind its words")
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
        row = headings.to_last(rows[at][1])
        return at + 1, headings.distinct([cells.visible(cell) for cell in row])
    widest = max((headings.filled(row) for _, row in rows), key=len, default=[])
    if len(widest) > 1:
        texts = listed([repr(cell[:30]) for cell in widest])
        raise refused(source, f"no heading is known in {texts}: {_OPTIONS}")
    return 0, [headings.alone([cell for _, row in rows for cell in row])]


def _left_out(above: Cells, others: Cells, last: int) -> Iterator[str]:
    """Say which lines are no entries; `last` is the line of the last entry."""
    parts = {"above the headings": above, "that is no entry": others}
    for what, part in parts.items():
        texts = [
            f"{line} ({headings.filled(row)[0]})"
            for line, row in part
            if headings.filled(row)
        ]
        if texts:
            yield f"left out {what}: line {some(texts)}"
    blank = [line for line, row in others if line < last and not headings.filled(row)]
    if blank:
        yield f"left out as blank: line {some(blank)}"


def _linked(
    heads: Sequence[str], rows: Cells, found: Sheet, named: str | None
) -> tuple[Cells, int]:
    """Put the address behind a word beside it in the columns of websites, and count
    them.
    """
    known = {named, *headings.columns(heads, "domain")}
    sites = [at for at, head in enumerate(heads) if head in known]
    if not found.links:
        return rows, 0
    linked, many = Cells(), 0
    for line, row in rows:
        texts = [*row]
        for at in sites:
            link = found.links.get((line, at))
            if link and at < len(row) and "." not in row[at]:
                texts[at] = f"[{row[at]}]({link})"
                many += 1
        linked.append((line, texts))
    return linked, many


def _table(heads: Sequence[str], rows: Cells, source: str) -> pl.DataFrame:
    """Make the frame, without columns that have neither heading nor cells."""
    width = len(heads)
    table = list[Sequence[str]]()
    for line, row in rows:
        own = headings.to_last(row)
        if len(own) > width:
            many = f"line {line} has {len(own)} cells"
            reason = f"{many}, and there are {counted(width, 'heading')}"
            raise refused(source, f"{reason}: quote a cell that holds the separator")
        table.append([*own, *[""] * (width - len(own))])
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
    columns = dict[str, str | None]()
    for meaning in HEADINGS:
        columns[meaning] = _named(frame, meaning, named.get(meaning))
    sites = {name: _sites(frame[name]) for name in frame.columns}
    notes = [*table.notes]
    for meaning in HEADINGS:
        used = columns.values()
        free = [name for name in frame.columns if name not in used]
        fitting = headings.columns(free, meaning)
        if meaning == "domain":
            fitting.sort(key=lambda name: sites[name] < _MOSTLY)
            bare = [name for name in fitting if not sites[name]]
            fitting = [name for name in fitting if sites[name]]
            if bare and columns["domain"] is None:
                notes.append(f"no cell holds an address: {listed(bare)}")
        if columns[meaning] is None and fitting:
            columns[meaning] = fitting[0]
    free = [name for name in frame.columns if name not in columns.values()]
    has_other = any(_has_words(frame[name]) for name in free)
    is_by_site = columns["domain"] and (named.get("domain") or not has_other)
    if columns["name"] is None and not is_by_site:
        reason = f"no column of names is known of {listed(frame.columns)}: {_OPTIONS}"
        raise refused(table.name, reason)
    unused = [name for name in free if sites[name] >= _MOSTLY]
    if unused:
        notes.append(f"addresses not used: {listed(unused)}")
    return replace(table, columns=columns, notes=tuple(notes))


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
    if column.dtype != pl.String:
        return 0
    texts = column.to_frame("text").select(cells.text(col("text"))).drop_nulls()
    texts = texts.head(_SAMPLE)
    held = texts.select(cells.address(col("text"))).to_series()
    return held.count() / texts.height if texts.height else _UNKNOWN


def _has_words(column: pl.Series) -> bool:
    is_text = column.dtype == pl.String
    return is_text and bool(column.str.contains(r"\p{L}{2}").any())


def _noted(table: List) -> List:
    """Note what was read for what, cells that hold nothing of the kind, duplicate
    rows, and rows with neither name nor domain.
    """
    notes = [table.read_as, *table.notes]
    for meaning, what in _HELD.items():
        texts, held = table.texts(meaning), table.column(meaning)
        other = texts.filter(texts.is_not_null() & held.is_null())
        if len(other):
            cell = counted(len(other), f"cell of {table.columns[meaning]}")
            verb = "holds" if len(other) == 1 else "hold"
            first = some(other.unique(maintain_order=True).to_list())
            notes.append(f"{cell} {verb} no {what}: {first}")
    pairs = pl.DataFrame([table.column("name"), table.column("domain")])
    entries = pairs.select(pl.concat_str(pl.all(), separator=", ", ignore_nulls=True))
    entry = entries.to_series().str.to_lowercase()
    bare = pl.Series(table.lines).filter(entry == "")
    if len(bare):
        many = counted(len(bare), "row with neither name nor domain")
        notes.append(f"{many}: line {some(bare.to_list())}")
    twice = entry.filter(entry.is_duplicated() & (entry != "")).unique(
        maintain_order=True
    )
    if len(twice):
        many = counted(len(twice), "entry")
        notes.append(f"{many} more than once: {some(twice.to_list())}")
    return replace(table, notes=tuple(notes))
