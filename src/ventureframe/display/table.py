"""Rows under typed columns with units, a caption, and null as "not reported"; text,
HTML, CSV.
"""

from __future__ import annotations

import base64
import csv
import io
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from html import escape
from itertools import compress, islice, zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from ventureframe.display.furniture import furniture, is_carried
from ventureframe.display.wording import (
    DOUBTFUL,
    NOT_REPORTED,
    caption,
    counted,
    in_words,
    incomplete,
    is_doubtful,
    number,
    origin,
    tags_in_words,
)
from ventureframe.errors import visible
from ventureframe.interface.source import Source

if TYPE_CHECKING:
    import polars as pl

SHOWN_AS_TEXT, BOXED = 10, 12
_WIDEST: Final = 60  # letters of a cell of text; more are wrapped
FEWEST: Final = 3  # rows of which one value in all of them is a word for the caption
_WRAPPED: Final = {"vf-few": 3, "vf-some": 6}
DRAWN, CARRIED = 100, 20_000
"""Most rows that stand in the HTML as such, and of one table in a file at all, the
rest compressed; the caption counts those beyond.
"""
NOTHING: Final = "Nothing is recorded in this data."
_DOUBT: Final = (
    f"?: below {number(DOUBTFUL)}, so doubtful: probably meant in thousands or in"
    " millions"
)
_UUID: Final = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DOMAIN: Final = re.compile(r"([\w-]+\.)+[^\W\d_]{2,}")
_LEFT: Final = ' style="text-align:left"'
_FOLDED: Final = ' hidden style="display:none"'

_Dated = Literal["year", "vintage", "date", "month"]
Kind = (
    Literal["text", "tag", "number", "money", "native", "flag", "id", "state", "link"]
    | _Dated
)
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
    """How many decimals the numbers of a column need, two at most."""
    needed = (f"{value:.2f}".rstrip("0").partition(".")[2] for value in values)
    return max(map(len, needed), default=0)


def amounts(values: Sequence[float]) -> Shown:
    """Show amounts in millions: one decimal, or more where most of the column would be
    lost.

    An amount too small for that is shown as less than the least one, never as zero; a
    doubtful one as it is, with a question mark.

    >>> list(map(amounts([4.1e6, 55_834_614.93, 9e9]), [4.1e6, 55_834_614.93, 9e9, 10_000, 738, 0]))
    ['4.1m', '55.8m', '9,000.0m', '<0.1m', '738?', '0']
    """
    sizes = sorted(abs(value) for value in values if value)
    middle = sizes[len(sizes) // 2] if sizes else 1e6
    decimals = 1 if middle >= 1e5 else 2 if middle >= 1e4 else 3
    least, show = 10.0**-decimals, _fixed(decimals)

    def amount(value: float) -> str:
        if is_doubtful(value):
            return f"{number(value)}?"
        if 0 < abs(value) / 1e6 < least / 2:
            return f"{'>−' if value < 0 else '<'}{least:.{decimals}f}m"
        return f"{show(value / 1e6)}m" if value else "0"

    return amount


def _plain(value: Any) -> str:
    """A text of the service, of which nothing but the ends of its lines steers a
    terminal.
    """
    return "\n".join(map(visible, str(value).split("\n")))


def _day(value: Any) -> str:
    return f"{value.day} {value:%b %Y}" if hasattr(value, "day") else str(value)


def is_year(day: object) -> bool:
    """Whether a day stands for its year: what is recorded by the year alone is dated
    1 January.
    """
    return isinstance(day, date) and (day.month, day.day) == (1, 1)


def vintage(day: Any) -> str:
    """A day in words; of what is recorded by the year alone, its year."""
    return str(day.year) if is_year(day) else _day(day)


def _host(link: Any) -> str:
    host = str(link).partition("://")[2].partition("/")[0].removeprefix("www.")
    return visible(host or str(link))


def address(link: object) -> str:
    """What a link opens: a page on the web, also where its domain alone is recorded;
    else "".
    """
    if _DOMAIN.fullmatch(text := str(link)):
        return f"https://{text}"
    return text if text.startswith(("https://", "http://")) else ""


class Shape(NamedTuple):
    """What the frame's column of a kind holds, in words; how it is sorted; how values
    are shown.

    `show` is given all values of the column that are not null, and gives what shows
    one of them.
    """

    holds: str
    sorted_as: Literal["text", "number", "date"]
    show: Callable[[Sequence[Any]], Shown]


SHAPES: Final[Mapping[Kind, Shape]] = {
    "text": Shape("text", "text", lambda _: _plain),
    "id": Shape("text, an identifier", "text", lambda _: _plain),
    "state": Shape("text, one of a closed set", "text", lambda _: in_words),
    "tag": Shape(
        "text, tags with semicolons between them", "text", lambda _: tags_in_words
    ),
    "link": Shape("text, an address", "text", lambda _: _host),
    "flag": Shape(
        "true or false", "text", lambda _: {True: "yes", False: "no"}.__getitem__
    ),
    "number": Shape("number", "number", lambda values: _fixed(decimals(values))),
    "money": Shape("number, in the currency of the study", "number", amounts),
    "native": Shape("number, in its own currency", "number", amounts),
    "year": Shape("year", "number", lambda _: str),
    "date": Shape("date", "date", lambda _: _day),
    "vintage": Shape("date, or 1 January for its year", "date", lambda _: vintage),
    "month": Shape("date, the first of a month", "date", lambda _: "{:%b %Y}".format),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the frame's name for it, the reader's, what it holds, its unit and
    its meaning.

    `null` is how a null is shown: "not reported" unless the value cannot apply to
    the row, or the row's reason in the frame's column `null_by`. `meaning` says what
    the label cannot: what is counted, which of several, when it is null.
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
        """The column in one line of a docstring: name, type, unit, meaning and null."""
        null = "" if self.null == NOT_REPORTED else f'null shown as "{self.null}"'
        kind = ", ".join(filter(None, (SHAPES[self.kind].holds, self.unit, null)))
        return (
            f"- {self.name} ({kind}):"
            f" {', '.join(filter(None, (self.label, self.meaning)))}"
        )

    def shown(self, known: Iterable[object]) -> Shown:
        """How a reader sees each of these values, and any null: one precision for all
        of them.

        >>> funding = Column("total_funding", "Total funding", "money", "EUR")
        >>> list(map(funding.shown([55_834_614.93, 4.1e6]), (55_834_614.93, 4.1e6, None)))
        ['55.8m', '4.1m', 'not reported']
        """
        show = SHAPES[self.kind].show([value for value in known if not is_null(value)])
        return lambda value: str(value or self.null) if is_null(value) else show(value)

    def values(self, frame: pl.DataFrame) -> list[object]:
        """Its values in a frame; a null with a reason of its own is `Missing`."""
        values = frame[self.name].to_list()
        for at, reason in enumerate(
            () if self.null_by is None else frame[self.null_by]
        ):
            if values[at] is None and reason is not None:
                values[at] = Missing(in_words(reason))
        return values

    def counted_in(self, currency: str | None) -> Column:
        """The column with the currency as its unit where it holds amounts and has
        none.
        """
        is_open = self.kind == "money" and not self.unit
        return replace(self, unit=currency) if currency and is_open else self

    @property
    def sorted_as(self) -> str:
        """How a reader sorts by it: as text, number or date."""
        return SHAPES[self.kind].sorted_as


def columns(
    kind: Kind, /, *, null: str = NOT_REPORTED, **labels: str
) -> tuple[Column, ...]:
    """Columns of one kind, each label under the frame's name for it."""
    return tuple(Column(name, label, kind, null=null) for name, label in labels.items())


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """A finding as rows under typed columns; every row is in `rows` and in `to_csv()`.

    A column without a value, or of three rows or more with the same one, is not
    shown: the caption says what it holds. The text form shows the first ten rows;
    the HTML form has a box of twelve that scrolls, and by the style and script of
    `display.furniture` sorts, searches and filters. Both say how many there are.
    `name` names the CSV files made of it, `source` where the records come from,
    `requests` what was requested for them. The same table gives the same bytes.
    """

    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[object, ...], ...]
    source: Source | None = None
    name: str = "table"
    requests: tuple[str, ...] = ()
    nothing: str = NOTHING  # what is said of no rows

    @property
    def folded(self) -> dict[int, object]:
        """The columns that are not shown, by their place, with the one value in all of
        their rows.

        The first column is always shown, and an identifier only where it is asked for.
        """
        every = enumerate(
            zip(self.columns, map(set, zip(*self.rows, strict=True)), strict=False)
        )
        alike = {
            at: [*kinds] for at, (column, kinds) in every if at and column.kind != "id"
        }
        return {
            at: values[0]
            for at, values in alike.items()
            if len(values) == 1 and (is_null(values[0]) or len(self.rows) >= FEWEST)
        }

    @property
    def about(self) -> str:
        """The caption, what columns hold that are not shown, and how many rows there
        are, if many.

        A dash says nothing.
        """
        if not self.rows:
            return caption(*incomplete(self.source), self.nothing)
        words = defaultdict[str, list[str]](list)
        for place, value in self.folded.items():
            column = self.columns[place]
            # without a reason of its own
            is_bare = value is None and column.null != "–"
            text = "not recorded here" if is_bare else column.shown([value])(value)
            words[text].append(column.label if is_bare else column.heading)
        said = (
            f"{', '.join(heads)}: {text}"
            for text, heads in words.items()
            if text not in ("", "–")
        )
        kinds = [column.kind in ("money", "native") for column in self.columns]
        amounts = (value for row in self.rows for value in compress(row, kinds))
        doubt = _DOUBT if any(map(is_doubtful, amounts)) else None
        count = len(self.rows)
        size = f"the first {number(CARRIED)} of " * (count > CARRIED) + counted(
            count, "row"
        )
        return caption(self.caption, *said, doubt, size if count > BOXED else None)

    @property
    def shown(self) -> tuple[Shown, ...]:
        """How a reader sees the values of each column."""
        every = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return tuple(map(Column.shown, self.columns, every))

    def to_csv(self) -> str:
        """All rows with the columns' headings; values unformatted, null as nothing.

        The last column names the source, with the marks of made-up and of incomplete
        data, because a file leaves its page. Text that a spreadsheet would run as a
        formula gets an apostrophe before it. Lines end as RFC 4180 has it.
        """
        text, source = io.StringIO(newline=""), self.source
        writer, last = (
            csv.writer(text),
            ([] if source is None else [_inert(origin(source))]),
        )
        exports = [
            str if column.sorted_as == "number" else _inert for column in self.columns
        ]
        heads = (_inert(column.heading) for column in self.columns)
        writer.writerow([*heads, *["Data source"] * len(last)])
        for row in self.rows:
            cells = zip(exports, row, strict=True)
            writer.writerow([*(export(raw(value)) for export, value in cells), *last])
        return text.getvalue()

    def __repr__(self) -> str:
        rows, printed, folded = self.rows[:SHOWN_AS_TEXT], [], self.folded
        for place, (column, shown, *values) in enumerate(
            zip(self.columns, self.shown, *rows, strict=True)
        ):
            if place in folded:
                continue
            cells = [
                wrap(cell, _WIDEST) or [""]
                for cell in (column.heading, *map(shown, values))
            ]
            side = ">" if column.sorted_as == "number" else "<"
            width = max(len(line) for cell in cells for line in cell)
            printed.append(
                [[f"{line:{side}{width}}" for line in cell] for cell in cells]
            )
        blank = [" " * len(cells[0][0]) for cells in printed]
        parts = (
            part for row in zip(*printed, strict=True) for part in zip_longest(*row)
        )
        lines = [
            "  ".join(a or b for a, b in zip(part, blank, strict=True)).rstrip()
            for part in parts
        ]
        rest = len(self.rows) - len(rows)
        more = f"… {counted(rest, 'more row')}" if rest else ""
        about = caption(self.about, source=self.source)
        return "\n".join(filter(None, (self.title, about, *lines, more)))

    def _repr_html_(self) -> str:
        """One `figure`, after its style and script where no notebook carries them."""
        count, title, folded = len(self.rows), escape(self.title), self.folded
        if not count:
            return (
                f'<p class="vf-none"><strong>{title}</strong>'
                f" {escape(self.about)}</p>\n"
            )
        visible = sum(column.kind != "id" for column in self.columns) - len(folded)
        # few columns wrap into a phone, some into a page; with more the box scrolls
        # sideways
        width = next(
            (name for name, most in _WRAPPED.items() if visible <= most), "vf-wide"
        )
        th = '<th scope="col" data-type="{}"{}>{}</th>'
        looks = [
            _marked(c, is_folded=at in folded) for at, c in enumerate(self.columns)
        ]
        names = (escape(column.heading) for column in self.columns)
        parts = zip((c.sorted_as for c in self.columns), looks, names, strict=True)
        heads = "".join(th.format(*part) for part in parts)
        shown, rows = self.shown, self.rows[:CARRIED]
        kept = [at not in folded for at in range(len(self.columns))]
        cells = ([*map(_cell, self.columns, shown, row, kept)] for row in rows)
        drawn = "\n".join(f"<tr>{''.join(row)}</tr>" for row in islice(cells, DRAWN))
        # a reader of mail runs no script
        more = (
            f"The first {DRAWN} of {counted(count, 'row')}: the others need a browser."
        )
        more = f'<p class="vf-more">{more}</p>' if count > DRAWN else ""
        source, requests = map(escape, (origin(self.source), "\n".join(self.requests)))
        style = ' style="max-height:26em;overflow:auto"'
        boxed, box = (" vf-boxed", style) if count > BOXED else ("", "")
        return (
            f"{'' if is_carried() else furniture()}"
            f'<figure class="vf-table" data-name="{escape(self.name)}" '
            f'data-source="{source}" data-requests="{requests}"'
            f' data-rows="{len(rows)}">\n'
            f"<figcaption><strong>{title}</strong> {escape(self.about)}</figcaption>\n"
            f'<div class="vf-box{boxed}" tabindex="0" role="region" '
            f'aria-label="Table: {title}"{box}>\n'
            f'<table class="{width}" aria-label="{title}">\n'
            f"<thead><tr>{heads}</tr></thead>\n"
            f"<tbody>\n{drawn}\n</tbody></table></div>{_packed(cells)}{more}</figure>\n"
        )


def raw(value: object) -> str:
    """The value as a program reads it; null is nothing."""
    if isinstance(value, date):
        return value.isoformat()
    text = "" if is_null(value) else str(value)
    return text.lower() if isinstance(value, bool) else text


def is_null(value: object) -> bool:
    """Whether nothing is recorded, for whatever reason."""
    return value is None or isinstance(value, Missing)


def _inert(text: str) -> str:
    """The text as no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _cell(column: Column, shown: Shown, value: Any, is_kept: bool) -> str:
    own, text = raw(value), shown(value)
    exact = f' data-value="{escape(own)}"' if own != text else ""
    if column.kind in ("money", "native") and own:
        exact += f' title="{number(value)}"'
    text = escape(text)
    if column.kind == "link" and (opens := address(own)):
        text = f'<a href="{escape(opens)}" rel="noopener noreferrer">{text}</a>'
    return f"<td{exact}{_marked(column, is_null=is_null(value), is_folded=not is_kept)}>{text}</td>"


def _marked(column: Column, *, is_null: bool = False, is_folded: bool = False) -> str:
    """The class a style goes by, identifiers folded, and text to the left without
    any style.
    """
    name, style = ("vf-number", "") if column.sorted_as == "number" else ("", _LEFT)
    name, style = ("vf-id", _FOLDED) if column.kind == "id" else (name, style)
    style = _FOLDED if is_folded else style
    names = " ".join(filter(None, (name, "vf-null" * is_null)))
    return f' class="{names}"{style}' if names else style


def _packed(rows: Iterable[Sequence[str]]) -> str:
    """Rows for the script to draw, deflated column by column, because a column is
    alike.

    Each UUID stands once behind them in its 16 bytes; in the rows `<>` is the next,
    `<7>` the 8th.
    """
    columns = "<tr>".join(map("".join, zip(*rows, strict=True)))
    # the policy of a report refuses a style of a cell's own
    plain = columns.replace(_LEFT, "").replace(_FOLDED, " hidden")
    uuids = dict[str, int]()

    def place(uuid: re.Match[str]) -> str:
        at = uuids.setdefault(uuid[0], last := len(uuids))
        return "<>" if at == last else f"<{at}>"

    deflated = zlib.compress(_UUID.sub(place, plain).encode(), 9)
    ids = bytes.fromhex("".join(uuids).replace("-", ""))
    packed = " ".join(
        base64.b64encode(part).decode("ascii") for part in (deflated, ids)
    )
    return f'\n<script type="text/plain" class="vf-rest">{packed}</script>' * bool(
        columns
    )
