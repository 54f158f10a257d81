"""Rows shown as a table: typed columns with units, a caption, null as "not reported"."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from typing import Any, Final, Literal

from ventureframe.display.wording import NOT_REPORTED, counted, number

Kind = Literal["text", "number", "money", "year", "date", "flag", "id", "state"]
"""What a column holds; it decides how a value is shown and how a reader may sort by it."""

SHOWN_AS_HTML: Final = 500
"""Most rows of one table in HTML: a report stays small. The caption counts the rest."""
SHOWN_AS_TEXT: Final = 10
_WIDEST: Final = 48
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the frame's name for it, the reader's, what it holds, and its unit.

    `null` is how a null is shown: "not reported" unless the value cannot apply to the row.
    """

    name: str
    label: str
    kind: Kind = "text"
    unit: str = ""
    null: str = NOT_REPORTED

    @property
    def heading(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def shown(self, value: object) -> str:
        """The value as a reader sees it."""
        return self.null if value is None else _KINDS[self.kind][1](value)

    @property
    def sorted_as(self) -> str:
        """How a reader sorts by it: as text, number or date."""
        return _KINDS[self.kind][0]


def columns(kind: Kind, /, *, null: str = NOT_REPORTED, **labels: str) -> tuple[Column, ...]:
    """Columns of one kind, each label under the frame's name for it.

    >>> [column.label for column in columns("number", funds="Funds", size_known="With a size")]
    ['Funds', 'With a size']
    """
    return tuple(Column(name, label, kind, null=null) for name, label in labels.items())


_FLAGS: Final = {True: "true", False: "false"}
_KINDS: Final[Mapping[Kind, tuple[str, Callable[[Any], str]]]] = {
    "text": ("text", str),
    "number": ("number", number),
    "money": ("number", number),
    "year": ("number", str),
    "date": ("date", str),
    "flag": ("text", _FLAGS.__getitem__),
    "id": ("text", str),
    "state": ("text", lambda state: str(state).replace("_", " ")),
}
"""How a reader sorts by a column of each kind, and how its values are shown."""


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """A finding as rows under typed columns; every row is in `rows` and in `to_csv()`.

    The text form shows the first ten rows, the HTML form the first five hundred; both say how
    many there are. The same table gives the same bytes.
    """

    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[object, ...], ...]

    def to_csv(self) -> str:
        """All rows with the columns' headings; values unformatted, null as nothing.

        Text that a spreadsheet would run as a formula, because it begins with `=`, `+`, `-`, `@`,
        a tab or a carriage return, gets an apostrophe before it; numbers stay as they are. Lines
        end as RFC 4180 has it, so that a carriage return within a value is quoted.
        """
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(_inert(column.heading) for column in self.columns)
        for row in self.rows:
            writer.writerow(
                _raw(value) if column.sorted_as == "number" else _inert(_raw(value))
                for column, value in zip(self.columns, row, strict=True)
            )
        return text.getvalue()

    def __repr__(self) -> str:
        shown = self._shown(SHOWN_AS_TEXT)
        headings = [column.heading for column in self.columns]
        widths = [
            min(_WIDEST, max(map(len, (heading, *cells))))
            for heading, *cells in zip(headings, *shown, strict=True)
        ]
        lines = [self.title, self.caption, self._line(headings, widths)]
        lines += [self._line(row, widths) for row in shown]
        if len(self.rows) > len(shown):
            lines.append(f"… {counted(len(self.rows) - len(shown), 'more row')}")
        return "\n".join(line for line in lines if line)

    def _line(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        parts = []
        for column, cell, width in zip(self.columns, cells, widths, strict=True):
            text = cell if len(cell) <= width else cell[: width - 1] + "…"
            is_number = column.sorted_as == "number"
            parts.append(text.rjust(width) if is_number else text.ljust(width))
        return "  ".join(parts).rstrip()

    def _shown(self, most: int) -> list[list[str]]:
        return [
            [column.shown(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows[:most]
        ]

    def _repr_html_(self) -> str:
        heads = "".join(
            f'<th scope="col" data-type="{column.sorted_as}"{_marked(column)}>'
            f"{escape(column.heading)}</th>"
            for column in self.columns
        )
        rows = "\n".join(
            "<tr>" + "".join(map(self._cell, self.columns, row)) + "</tr>"
            for row in self.rows[:SHOWN_AS_HTML]
        )
        return (
            f'<figure class="vf-table"><figcaption><strong>{escape(self.title)}</strong> '
            f"{escape(self.caption)}{self._left_out()}</figcaption>\n"
            f"<table{self._of()}><thead><tr>{heads}</tr></thead>\n"
            f"<tbody>\n{rows}\n</tbody></table></figure>"
        )

    def _of(self) -> str:
        """How many rows there are, where not all are shown: a report's CSV says so."""
        return f' data-rows="{len(self.rows)}"' if len(self.rows) > SHOWN_AS_HTML else ""

    def _left_out(self) -> str:
        if not self.rows:
            return " · 0 rows"
        if len(self.rows) <= SHOWN_AS_HTML:
            return ""
        return (
            f" · the first {number(SHOWN_AS_HTML)} of {number(len(self.rows))} rows are shown; "
            "to_csv() in the notebook has all"
        )

    @staticmethod
    def _cell(column: Column, value: object) -> str:
        marks = _marked(column, *(["vf-null"] if value is None else []))
        return f'<td data-value="{escape(_raw(value))}"{marks}>{escape(column.shown(value))}</td>'


def _marked(column: Column, *more: str) -> str:
    """The classes a stylesheet goes by: numbers are set apart, and so are ids."""
    kind = "id" if column.kind == "id" else column.sorted_as
    marks = [*([f"vf-{kind}"] if kind in ("number", "id") else []), *more]
    return f' class="{" ".join(marks)}"' if marks else ""


def _inert(text: str) -> str:
    """The text as no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _raw(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return _FLAGS[value]
    return value.isoformat() if isinstance(value, date) else str(value)
