"""Rows under typed columns with units, a caption, and null as "not recorded"; text,
HTML, CSV.
"""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from html import escape
from typing import Any, Final, Literal, NamedTuple

import polars as pl

from ventureframe.display.furniture import furniture, is_carried
from ventureframe.display.wording import (
    NOT_RECORDED,
    caption,
    counted,
    in_words,
    incomplete,
    label,
    number,
    origin,
    tags_in_words,
)
from ventureframe.errors import visible
from ventureframe.interface.source import Source

SHOWN_AS_TEXT, BOXED = 10, 12
_AS_TEXT: Final[Any] = {
    "tbl_formatting": "NOTHING",
    "tbl_hide_column_names": True,
    "tbl_hide_column_data_types": True,
    "tbl_hide_dataframe_shape": True,
    "tbl_width_chars": 160,
    "tbl_cols": -1,
    "tbl_rows": -1,
    "fmt_str_lengths": 100_000,
}
"""A table of polars whose cells are whole: it wraps them where there are many."""
DRAWN, CARRIED = 50, 20_000
"""Most rows that stand in the HTML as such, and of one table in a file at all, the
rest compressed; the caption counts those beyond.
"""
_LINE = 15
"""Most letters of a text that is not broken, such as a date or a country."""
NOTHING = "No record that was read belongs here."
_DOMAIN = re.compile(r"([\w-]+\.)+[^\W\d_]{2,}")
_LEFT = ' style="text-align:left"'
_HIDDEN = ' hidden style="display:none"'

Kind = Literal[
    "text",
    "tag",
    "number",
    "money",
    "native",
    "flag",
    "id",
    "state",
    "link",
    "year",
    "vintage",
    "date",
    "month",
]
"""What a column holds; it decides how a value is shown and how a reader may sort by it.

`native` is an amount in the currency that stands beside it, `month` the first day of
one, and `vintage` a date of which 1 January stands for its year.
"""
Shown = Callable[[Any], str]


class Missing(str):
    """A null of one row with its reason, such as "not convertible"; in CSV it is
    empty.
    """


def _fixed(decimals: int) -> Shown:
    """Show numbers with thousands separated and so many decimals."""
    return lambda value: f"{value:,.{decimals}f}".replace("-", "−")


def decimals(values: Iterable[float]) -> int:
    """Return how many decimals the numbers of a column need, two at most."""
    digits = [f"{value:.2f}".rstrip("0").partition(".")[2] for value in values]
    return max(map(len, digits), default=0)


def numbers(values: Sequence[float]) -> Shown:
    """Show numbers with the decimals that the column needs."""
    return _fixed(decimals(values))


def amounts(values: Sequence[float]) -> Shown:
    """Show amounts in millions: one decimal, or more where most of the column would be
    lost.

    An amount too small for that is shown as less than the least one, never as zero.

    >>> list(map(amounts([4.1e6, 55_834_614.93, 9e9]), [4.1e6, 55_834_614.93, 9e9, 10_000, 0]))
    ['4.1m', '55.8m', '9,000.0m', '<0.1m', '0']
    """
    sizes = sorted(abs(value) for value in values if value)
    median = sizes[len(sizes) // 2] if sizes else 1e6
    decimals = 3
    if median >= 1e4:
        decimals = 2
    if median >= 1e5:
        decimals = 1
    least = 10.0**-decimals
    show = _fixed(decimals)

    def amount(value: float) -> str:
        if not value:
            return "0"
        millions = value / 1e6
        if abs(millions) >= least / 2:
            return f"{show(millions)}m"
        return f"<{show(least)}m"

    return amount


def _plain(value: object) -> str:
    """A text of the service without characters that steer a terminal."""
    return visible(str(value))


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def is_year(day: object) -> bool:
    """Whether a day stands for its year: what is recorded by the year alone is dated
    1 January.
    """
    return isinstance(day, date) and (day.month, day.day) == (1, 1)


def vintage(day: Any) -> str:
    """A day in words; of what is recorded by the year alone, its year."""
    return str(day.year) if is_year(day) else _day(day)


def _host(link: object) -> str:
    """The host of an address without `www.`; anything else as it is."""
    return visible(re.sub(r"^\w+://(?:www\.)?([^/]+).*", r"\1", str(link)))


def address(link: object) -> str:
    """What a link opens: a page on the web, also where its domain alone is recorded;
    else "".
    """
    text = str(link)
    if _DOMAIN.fullmatch(text):
        return f"https://{text}"
    return text if text.startswith(("https://", "http://")) else ""


class Shape(NamedTuple):
    """What the frame's column of a kind holds, in words; how a value is shown, and
    sorted.

    `fit` makes what shows a value of all of the column that are not null.
    """

    holds: str
    show: Shown = _plain
    sorted_as: Literal["text", "number", "date"] = "text"
    fit: Callable[[Sequence[Any]], Shown] | None = None


SHAPES: Final = {
    "text": Shape("text"),
    "id": Shape("text, an identifier"),
    "state": Shape("text, one of a fixed set", label),
    "tag": Shape("text, tags with semicolons between them", tags_in_words),
    "link": Shape("text, an address", _host),
    "flag": Shape("true or false", {True: "yes", False: "no"}.__getitem__),
    "number": Shape("number", sorted_as="number", fit=numbers),
    "money": Shape(
        "number, in the currency of the study", sorted_as="number", fit=amounts
    ),
    "native": Shape("number, in its own currency", sorted_as="number", fit=amounts),
    "year": Shape("year", str, "number"),
    "date": Shape("date", _day, "date"),
    "vintage": Shape("date, or 1 January for its year", vintage, "date"),
    "month": Shape("date, the first of a month", "{:%b %Y}".format, "date"),
}


@dataclass(frozen=True)
class Column:
    """One column: the frame's name for it, the reader's, what it holds, its unit and
    its meaning.

    `null` is how a null is shown: "not recorded" unless the value cannot apply to
    the row, or the row's reason in the frame's column `null_by`. `meaning` says in
    a sentence what is counted, which of several, when it is null.
    """

    name: str
    label: str
    kind: Kind = "text"
    unit: str = ""
    null: str = NOT_RECORDED
    null_by: str | None = None
    meaning: str = ""

    @property
    def heading(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def described(self) -> str:
        """The column in one line of a docstring: name, type, unit and meaning."""
        holds = SHAPES[self.kind].holds
        kind = f"{holds}, {self.unit}" if self.unit else holds
        return f"- {self.name} ({kind}): {self.meaning}"

    def shown(self, values: Iterable[object]) -> Shown:
        """How a reader sees each of these values, and any null: one precision for all
        of them.

        >>> funding = Column("total_funding", "Total funding", "money", "EUR")
        >>> list(map(funding.shown([55_834_614.93, 4.1e6]), (55_834_614.93, 4.1e6, None)))
        ['55.8m', '4.1m', 'not recorded']
        """
        shape = SHAPES[self.kind]
        show = shape.show
        if shape.fit:
            show = shape.fit([value for value in values if not is_null(value)])
        return lambda value: str(value or self.null) if is_null(value) else show(value)

    def values(self, frame: pl.DataFrame) -> list[object]:
        """Its values in a frame; a null with a reason of its own is `Missing`, and
        what is recorded as a word of a database is in words.
        """
        values = frame[self.name].to_list()
        if self.kind in ("state", "tag"):
            show = self.shown(values)
            values = [None if value is None else show(value) for value in values]
        if self.null_by is None:
            return values
        reasons = zip(values, frame[self.null_by], strict=True)
        return [
            Missing(in_words(reason or "")) if value is None else value
            for value, reason in reasons
        ]

    @property
    def sorted_as(self) -> str:
        """How a reader sorts by it: as text, number or date."""
        return SHAPES[self.kind].sorted_as


def columns(
    kind: Kind, /, *, null: str = NOT_RECORDED, **labels: str
) -> tuple[Column, ...]:
    """Columns of one kind, each label under the frame's name for it."""
    return tuple(Column(name, label, kind, null=null) for name, label in labels.items())


@dataclass(frozen=True, repr=False, eq=False)
class Table:
    """A frame as rows under typed columns; every row is in `rows` and in `to_csv()`.

    `columns` are those that are shown; the frame may have more. In both, null means
    that nothing is recorded, never "no" and never zero.

    The text form shows the first ten rows; the HTML form has a box of twelve that
    scrolls, and by the style and script of `display.furniture` sorts, searches and
    filters. Both say how many rows there are.
    `name` names the CSV files made of it, `source` where the records come from,
    `requests` what was requested for them. The same table gives the same bytes.
    """

    title: str
    caption: str
    columns: tuple[Column, ...]
    frame: pl.DataFrame
    source: Source | None = None
    name: str = "table"
    requests: tuple[str, ...] = ()
    nothing: str = NOTHING  # what is said of no rows

    @cached_property
    def values(self) -> tuple[list[object], ...]:
        """The values of each column."""
        return tuple(column.values(self.frame) for column in self.columns)

    @property
    def rows(self) -> tuple[tuple[object, ...], ...]:
        """The values of each row."""
        return tuple(zip(*self.values, strict=True))

    def __len__(self) -> int:
        return self.frame.height

    @property
    def about(self) -> str:
        """The caption, and how many rows there are, if many."""
        count = len(self)
        if not count:
            return caption(*incomplete(self.source), self.nothing)
        rows = counted(count, "row")
        if count > CARRIED:
            rows = f"the first {number(CARRIED)} of {rows}"
        return caption(self.caption, rows if count > BOXED else None)

    @property
    def shown(self) -> tuple[Shown, ...]:
        """How a reader sees the values of each column."""
        return tuple(map(Column.shown, self.columns, self.values))

    def to_csv(self) -> str:
        """All rows with the columns' headings; values unformatted, null as nothing.

        The last column names the source, with the marks of made-up and of incomplete
        data, because a file leaves its page. Text that a spreadsheet would run as a
        formula gets an apostrophe before it. Lines end as RFC 4180 has it.
        """
        columns, rows = self.columns, self.rows
        if self.source is not None:
            named = origin(self.source)
            columns = (*columns, Column("data_source", "Data source"))
            rows = tuple((*row, named) for row in rows)
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(_inert(column.heading) for column in columns)
        for row in rows:
            writer.writerow(map(_in_csv, columns, row))
        return text.getvalue()

    def __repr__(self) -> str:
        about = caption(self.about, source=self.source)
        lines = [visible(self.title), visible(about)]
        if len(self):
            lines += self._lines()
        further = len(self) - SHOWN_AS_TEXT
        if further > 0:
            lines.append(f"… {counted(further, 'more row')}")
        return "\n".join(filter(None, lines))

    def _lines(self) -> Iterator[str]:
        """The headings and the first rows, without identifiers."""
        texts = dict[str, list[str]]()
        for column, show, values in zip(
            self.columns, self.shown, self.values, strict=True
        ):
            if column.kind != "id":
                first = map(show, values[:SHOWN_AS_TEXT])
                texts[column.name] = [column.heading, *first]
        with pl.Config(**_AS_TEXT):
            table = str(pl.DataFrame(texts))
        return map(str.rstrip, table.splitlines())

    def _repr_html_(self) -> str:
        """One `figure`, after its style and script where no notebook carries them."""
        title, about = escape(self.title), escape(self.about)
        count = len(self)
        if not count:
            return f'<p class="vf-none"><strong>{title}</strong> {about}</p>\n'
        shows = self.shown
        rows = [
            list(map(_cell, self.columns, shows, row)) for row in self.rows[:CARRIED]
        ]
        drawn = "\n".join(f"<tr>{''.join(cells)}</tr>" for cells in rows[:DRAWN])
        heads = "".join(
            f'<th scope="col" data-type="{column.sorted_as}"'
            f' data-column="{column.name}"{_look(column)}>'
            f"{escape(column.heading)}</th>"
            for column in self.columns
        )
        style = ' style="max-height:26em;overflow:auto"' if count > BOXED else ""
        more = ""
        if count > DRAWN:  # a reader of mail runs no script
            advice = "open the page in a browser for all.</p>"
            more = f'<p class="vf-more">The first {DRAWN} of {counted(count, "row")}: {advice}'
        assets = "" if is_carried() else furniture()
        requests = escape("\n".join(self.requests))
        return (
            f"{assets}"
            f'<figure class="vf-table" data-name="{escape(self.name)}"'
            f' data-source="{escape(origin(self.source))}"'
            f' data-requests="{requests}" data-rows="{len(rows)}">\n'
            f"<figcaption><strong>{title}</strong> {about}</figcaption>\n"
            f'<div class="vf-box" tabindex="0" role="region"'
            f' aria-label="Table: {title}"{style}>\n'
            f'<table aria-label="{title}">\n'
            f"<thead><tr>{heads}</tr></thead>\n"
            f"<tbody>\n{drawn}\n</tbody></table></div>"
            f"{_compressed(rows[DRAWN:])}{more}</figure>\n"
        )


def raw(value: object) -> str:
    """The value as a program reads it; null is nothing."""
    text = "" if is_null(value) else str(value)
    return text.lower() if isinstance(value, bool) else text


def is_null(value: object) -> bool:
    """Whether nothing is recorded, for whatever reason."""
    return value is None or isinstance(value, Missing)


def _in_csv(column: Column, value: object) -> str:
    """The value as a program reads it and no spreadsheet takes it for a formula."""
    text = raw(value)
    return text if column.sorted_as == "number" else _inert(text)


def _inert(text: str) -> str:
    """Mark the text so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(tuple("=+-@\t\r")) else text


def _cell(column: Column, show: Shown, value: object) -> str:
    exact, text = raw(value), show(value)
    attributes = "" if exact == text else f' data-value="{escape(exact)}"'
    if column.kind in ("money", "native") and isinstance(value, int | float):
        attributes += f' title="{number(value)}"'
    content = escape(text)
    if column.sorted_as == "text":
        content = content.replace(".", ".<wbr>")  # so that paper can break a domain
    page = address(exact) if column.kind == "link" else ""
    if page:
        content = f'<a href="{escape(page)}" rel="noopener noreferrer">{content}</a>'
    look = _look(column, text, is_null=is_null(value))
    return f"<td{attributes}{look}>{content}</td>"


def _look(column: Column, text: str = "", *, is_null: bool = False) -> str:
    """The class that a style goes by, and what holds without any style."""
    name, style = "", _LEFT
    if column.kind == "id":
        name, style = "vf-id", _HIDDEN
    elif column.sorted_as == "number":
        name, style = "vf-number", ""
    if is_null:
        name = f"{name} vf-null".strip()
    elif not name and " " in text and len(text) <= _LINE:
        name = "vf-line"
    return f' class="{name}"{style}' if name else style


def _compressed(rows: Sequence[Sequence[str]]) -> str:
    """Compress the rows that the script draws: JSON, column by column, in gzip.

    The policy of a report refuses a style of a cell's own.
    """
    if not rows:
        return ""
    columns = list(zip(*rows, strict=True))
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
    text = re.sub(r' style=\\"[^"]*\\"', "", text)
    packed = base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode("ascii")
    return f'\n<script type="text/plain" class="vf-rest">{packed}</script>'
