"""Rows shown as a table: typed columns with units, a caption, null as "not reported"."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from html import escape
from typing import TYPE_CHECKING, Any, Final, Literal

from ventureframe.display.wording import NOT_REPORTED, counted, in_words, number

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["text", "number", "money", "year", "date", "flag", "id", "state"]
"""What a column holds; it decides how a value is shown and how a reader may sort by it."""

SHOWN_AS_HTML: Final = 500
"""Most rows of one table in HTML: a report stays small. The caption counts the rest."""
SHOWN_AS_TEXT: Final = 10
_WIDEST: Final = 48
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


class Missing(str):
    """A null of one row with its reason, such as "not convertible"; in CSV it is empty."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the frame's name for it, the reader's, what it holds, and its unit.

    `null` is how a null is shown: "not reported" unless the value cannot apply to the row. Where
    several reasons are possible, `null_by` names the column of the frame that has each row's.
    """

    name: str
    label: str
    kind: Kind = "text"
    unit: str = ""
    null: str = NOT_REPORTED
    null_by: str | None = None

    @property
    def heading(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def shown(self, value: object) -> str:
        """The value as a reader sees it."""
        if value is None or isinstance(value, Missing):
            return value or self.null
        return _KINDS[self.kind][1](value)

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
    "state": ("text", in_words),
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
        shown = self.rows[:SHOWN_AS_TEXT]
        printed = []
        for column, *values in zip(self.columns, *shown, strict=True):
            cells = [column.heading, *map(column.shown, values)]
            cells = [c if len(c) <= _WIDEST else f"{c[: _WIDEST - 1]}…" for c in cells]
            side = ">" if column.sorted_as == "number" else "<"
            printed.append([f"{cell:{side}{max(map(len, cells))}}" for cell in cells])
        lines = ["  ".join(line).rstrip() for line in zip(*printed, strict=True)]
        left = len(self.rows) - len(shown)
        rest = f"… {counted(left, 'more row')}" if left else ""
        return "\n".join(filter(None, (self.title, self.caption, *lines, rest)))

    def _repr_html_(self) -> str:
        of, left_out = "", "" if self.rows else " · 0 rows"
        if len(self.rows) > SHOWN_AS_HTML:
            of = f' data-rows="{len(self.rows)}"'  # for the CSV of a report
            left_out = (
                f" · the first {number(SHOWN_AS_HTML)} of {number(len(self.rows))} rows are shown; "
                "to_csv() in the notebook has all"
            )
        heads = "".join(
            f'<th scope="col" data-type="{column.sorted_as}"{_marked(column)}>'
            f"{escape(column.heading)}</th>"
            for column in self.columns
        )
        rows = "\n".join(
            "<tr>" + "".join(map(_cell, self.columns, row)) + "</tr>"
            for row in self.rows[:SHOWN_AS_HTML]
        )
        return (
            f'<figure class="vf-table"><figcaption><strong>{escape(self.title)}</strong> '
            f"{escape(self.caption)}{left_out}</figcaption>\n"
            f"<table{of}><thead><tr>{heads}</tr></thead>\n"
            f"<tbody>\n{rows}\n</tbody></table></figure>"
        )


def _cell(column: Column, value: object) -> str:
    marks = _marked(column, is_null=value is None or isinstance(value, Missing))
    return f'<td data-value="{escape(_raw(value))}"{marks}>{escape(column.shown(value))}</td>'


def _marked(column: Column, *, is_null: bool = False) -> str:
    """The classes a stylesheet goes by: numbers are set apart, and so are ids and nulls."""
    kind = "id" if column.kind == "id" else column.sorted_as
    own = f"vf-{kind}" if kind in ("number", "id") else ""
    marks = " ".join(filter(None, (own, "vf-null" if is_null else "")))
    return f' class="{marks}"' if marks else ""


def _inert(text: str) -> str:
    """The text as no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _raw(value: object) -> str:
    if value is None or isinstance(value, Missing):
        return ""
    if isinstance(value, bool):
        return _FLAGS[value]
    return value.isoformat() if isinstance(value, date) else str(value)
