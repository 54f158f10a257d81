"""Rows under typed columns with units, a caption, and null as "not reported"; text, HTML, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final

from ventureframe.display import values
from ventureframe.display.values import Kind, Missing, Shown
from ventureframe.display.wording import NOT_REPORTED, caption, counted, in_words, origin
from ventureframe.interface.source import Source

if TYPE_CHECKING:
    import polars as pl

SHOWN_AS_TEXT: Final = 10
_WIDEST: Final = 48
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the frame's name for it, the reader's, what it holds, its unit and its meaning.

    `null` is how a null is shown: "not reported" unless the value cannot apply to the row. Where
    several reasons are possible, `null_by` names the column of the frame that has each row's.
    `meaning` says what the label cannot: what is counted, which of several, when it is null.
    """

    name: str
    label: str
    kind: Kind = "text"
    unit: str = ""
    null: str = NOT_REPORTED
    null_by: str | None = None
    meaning: str = ""

    @property
    def heading(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def described(self) -> str:
        """The column in one line of a docstring: name, type, unit, meaning and null.

        >>> Column("age", "Age", "number", "years", "–", meaning="null: not founded").described
        '- age (number, years, null shown as "–"): Age, null: not founded'
        """
        null = "" if self.null == NOT_REPORTED else f'null shown as "{self.null}"'
        kind = ", ".join(filter(None, (values.TYPES[self.kind], self.unit, null)))
        return f"- {self.name} ({kind}): {', '.join(filter(None, (self.label, self.meaning)))}"

    def shown(self, known: Iterable[object]) -> Shown:
        """How a reader sees each of these values, and any null: one precision for all of them.

        >>> funding = Column("total_funding", "Total funding", "money", "EUR")
        >>> list(map(funding.shown([55_834_614.93, 4.1e6]), (55_834_614.93, 4.1e6, None)))
        ['55.8m', '4.1m', 'not reported']
        """
        by_kind = values.shown(self.kind, [v for v in known if not _is_null(v)])
        return lambda value: str(value or self.null) if _is_null(value) else by_kind(value)

    def values(self, frame: pl.DataFrame) -> list[object]:
        """Its values in a frame; a null with a reason of its own is `Missing`."""
        values = frame[self.name].to_list()
        if self.null_by is None:
            return values
        reasons = frame[self.null_by]
        return [
            Missing(in_words(reason)) if value is None and reason is not None else value
            for value, reason in zip(values, reasons, strict=True)
        ]

    def counted_in(self, currency: str | None) -> Column:
        """The column with the currency as its unit where it holds amounts and has none."""
        is_open = self.kind == "money" and not self.unit
        return replace(self, unit=currency) if currency and is_open else self

    @property
    def sorted_as(self) -> str:
        """How a reader sorts by it: as text, number or date."""
        return values.SORTED_AS[self.kind]


def columns(kind: Kind, /, *, null: str = NOT_REPORTED, **labels: str) -> tuple[Column, ...]:
    """Columns of one kind, each label under the frame's name for it.

    >>> [column.label for column in columns("number", funds="Funds", size_known="With a size")]
    ['Funds', 'With a size']
    """
    return tuple(Column(name, label, kind, null=null) for name, label in labels.items())


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """A finding as rows under typed columns; every row is in `rows` and in `to_csv()`.

    The text form shows the first ten rows; the HTML form has a box of twelve that scrolls, sorts,
    searches and filters (see `display.grid`). Both say how many there are. `name` names the CSV
    files made of it, `source` where the records come from, `requests` what was requested for them.
    The same table gives the same bytes.
    """

    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[object, ...], ...]
    source: Source | None = None
    name: str = "table"
    requests: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[Shown, ...]:
        """How a reader sees the values of each column."""
        every = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return tuple(map(Column.shown, self.columns, every))

    def to_csv(self) -> str:
        """All rows with the columns' headings; values unformatted, null as nothing.

        The last column names the source, with the marks of made-up and of incomplete data, because
        a file leaves its page. Text that a spreadsheet would run as a formula, because it begins
        with `=`, `+`, `-`, `@`, a tab or a carriage return, gets an apostrophe before it; numbers
        stay as they are. Lines end as RFC 4180 has it, so that a carriage return within a value is
        quoted.
        """
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        of = [] if self.source is None else [origin(self.source)]
        writer.writerow(
            map(_inert, [*(each.heading for each in self.columns), *(["Data source"] * len(of))])
        )
        for row in self.rows:
            writer.writerow([*self._exported(row), *map(_inert, of)])
        return text.getvalue()

    def _exported(self, row: tuple[object, ...]) -> Iterator[str]:
        for column, value in zip(self.columns, row, strict=True):
            yield raw(value) if column.sorted_as == "number" else _inert(raw(value))

    def __repr__(self) -> str:
        rows = self.rows[:SHOWN_AS_TEXT]
        printed = []
        for column, shown, *known in zip(self.columns, self.shown, *rows, strict=True):
            cells = [column.heading, *map(shown, known)]
            cells = [c if len(c) <= _WIDEST else f"{c[: _WIDEST - 1]}…" for c in cells]
            side = ">" if column.sorted_as == "number" else "<"
            printed.append([f"{cell:{side}{max(map(len, cells))}}" for cell in cells])
        lines = ["  ".join(line).rstrip() for line in zip(*printed, strict=True)]
        left = len(self.rows) - len(rows)
        rest = f"… {counted(left, 'more row')}" if left else ""
        said = caption(self.caption, source=self.source)
        return "\n".join(filter(None, (self.title, said, *lines, rest)))

    def _repr_html_(self) -> str:
        from ventureframe.display.grid import grid  # noqa: PLC0415  # only where one is drawn

        return grid(self)


def raw(value: object) -> str:
    """The value as a program reads it; null is nothing."""
    if _is_null(value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


def _is_null(value: object) -> bool:
    return value is None or isinstance(value, Missing)


def _inert(text: str) -> str:
    """The text as no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text
