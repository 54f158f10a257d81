"""A table in HTML: twelve rows in a box that scrolls, sorts, searches and filters, and its CSV.

Style and script come once with a notebook or a report; see `display.furniture`. Without them, as
where JupyterLab does not yet trust a notebook, the box still scrolls, text still stands to the
left, and identifiers stay folded.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice
from typing import Final

from ventureframe.display.furniture import furniture, is_carried
from ventureframe.display.table import Column, Table, raw
from ventureframe.display.values import Missing, Shown
from ventureframe.display.wording import counted, number, origin

DRAWN: Final = 100
"""Most rows that stand in the HTML as such; the others are in it compressed."""
CARRIED: Final = 20_000
"""Most rows of one table in a file at all; the caption counts the rest."""
BOXED: Final = 12
_WRAPPED: Final = {"vf-few": 3, "vf-some": 6}
"""Up to so many columns wrap into a phone, and into a page; with more the box scrolls sideways."""

_BOX: Final = ' style="max-height:26em;overflow:auto"'
_LEFT: Final = ' style="text-align:left"'
_FOLDED: Final = ' hidden style="display:none"'


def grid(table: Table) -> str:
    """The table as one `figure`, after its style and script where no notebook carries them."""
    count = len(table.rows)
    visible = sum(column.kind != "id" for column in table.columns)
    width = next((name for name, most in _WRAPPED.items() if visible <= most), "vf-wide")
    title, of = escape(table.title), escape(origin(table.source))
    requested = escape("\n".join(table.requests))
    heads = "".join(map(_head, table.columns))
    rows = _rows(table)
    drawn = "\n".join(f"<tr>{''.join(row)}</tr>" for row in islice(rows, DRAWN))
    before = "" if is_carried() else furniture()
    return (
        f'{before}<figure class="vf-table" data-name="{escape(table.name)}" data-source="{of}" '
        f'data-requests="{requested}" data-rows="{min(count, CARRIED)}">\n'
        f"<figcaption><strong>{title}</strong> {escape(' · '.join(_said(table)))}</figcaption>\n"
        f'<div class="vf-box{" vf-boxed" if count > BOXED else ""}" tabindex="0" role="region" '
        f'aria-label="Table: {title}"'
        f"{_BOX if count > BOXED else ''}>\n"
        f'<table class="{width}" aria-label="{title}">\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{drawn}\n</tbody></table></div>"
        f"{_packed(rows)}</figure>\n"
    )


def _said(table: Table) -> Iterator[str]:
    """The caption without the source, which a page names once; then how many rows there are."""
    yield from filter(None, (table.caption,))
    count = counted(len(table.rows), "row")
    yield count if len(table.rows) <= CARRIED else f"the first {number(CARRIED)} of {count}"


def _head(column: Column) -> str:
    marked = _marked(column)
    return f'<th scope="col" data-type="{column.sorted_as}"{marked}>{escape(column.heading)}</th>'


def _rows(table: Table) -> Iterator[list[str]]:
    """The cells of each row."""
    columns = tuple(zip(table.columns, table.shown, strict=True))
    for row in table.rows[:CARRIED]:
        yield [_cell(*column, value) for column, value in zip(columns, row, strict=True)]


def _cell(column: Column, shown: Shown, value: object) -> str:
    own, said = raw(value), shown(value)
    marked = _marked(column, is_null=value is None or isinstance(value, Missing))
    exact = f' data-value="{escape(own)}"' if own != said else ""
    if column.kind in ("money", "native") and own:
        exact += f' title="{number(value)}"'  # type: ignore[arg-type]  # an amount is a number
    text = escape(said)
    if column.kind == "link" and own.startswith(("https://", "http://")):
        text = f'<a href="{escape(own)}" rel="noopener noreferrer">{text}</a>'
    return f"<td{exact}{marked}>{text}</td>"


def _marked(column: Column, *, is_null: bool = False) -> str:
    """The class a style goes by, identifiers folded, and text to the left without any style."""
    is_number = column.sorted_as == "number"
    name = "vf-id" if column.kind == "id" else "vf-number" if is_number else ""
    names = " ".join(filter(None, (name, "vf-null" if is_null else "")))
    marked = f' class="{names}"' if names else ""
    return f"{marked}{_FOLDED if column.kind == 'id' else '' if is_number else _LEFT}"


def _packed(rows: Iterable[Sequence[str]]) -> str:
    """Rows beyond those drawn, deflated; the script draws them where they are needed.

    They stand column by column, each after a `<tr>`: a column is alike, so it takes less space.
    """
    columns = "<tr>".join(map("".join, zip(*rows, strict=True)))
    if not columns:
        return ""
    # the policy of a report refuses a style of a cell's own
    plain = columns.replace(_LEFT, "").replace(_FOLDED, " hidden")
    packed = base64.b64encode(zlib.compress(plain.encode(), 9)).decode("ascii")
    return f'\n<script type="text/plain" class="vf-rest">{packed}</script>'
