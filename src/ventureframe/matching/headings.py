"""Find the table in rows of cells: which row holds the headings, what the columns
mean, and which rows are no entries of the list.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Final

import polars as pl

from ventureframe.interface.fields import plain
from ventureframe.matching import cells as contents

Cells = list[tuple[int, Sequence[str]]]  # rows of text, each with its line number
_FEW = 3  # lines or names that a note lists
FIRST = 200  # rows from the top among which the headings are looked for
_LETTERS = str.maketrans("øłđ", "old")  # they have no accent to take off


def spaced(heading: str) -> str:
    """Normalise a heading: `Website_Domain*` becomes `website domain`.

    >>> spaced("Société (Nom)"), spaced("\\u200bWebsite_Domain*")
    ('societe nom', 'website domain')
    """
    text = re.sub(r"[\W_]+", " ", plain(contents.visible(heading)))
    return " ".join(text.split()).translate(_LETTERS)


_FILE = files(__package__) / "headings.toml"
_WORDS = {
    meaning: tuple(map(spaced, texts))
    for meaning, texts in tomllib.loads(_FILE.read_text("utf-8")).items()
}
HEADINGS: Final = {
    meaning: _WORDS[meaning] for meaning in ("name", "domain", "place", "year")
}
"""The headings that are recognised, the most specific first."""
_RANKS = {
    meaning: {heading: rank for rank, heading in enumerate(texts)}
    for meaning, texts in HEADINGS.items()
}
_KNOWN = frozenset().union(*HEADINGS.values())
_OWN, _TOTAL = frozenset(_WORDS["own"]), frozenset(_WORDS["total"])
_FOOTER = re.compile(rf"({'|'.join(_WORDS['footer'])})\b")


def some(names: Iterable[object]) -> str:
    """The first few names, and whether there are more."""
    first = [*map(str, names)]
    return "; ".join(first[:_FEW]) + " …" * (len(first) > _FEW)


def texts(rows: Cells) -> list[str]:
    """The lines that are not blank, each with its first cell, or by its number."""
    return [f"{line} ({filled(row)[0]})" for line, row in rows if filled(row)]


def filled(row: Sequence[str]) -> list[str]:
    """The cells of a row that are not blank."""
    return [cell for cell in row if cell.strip()]


def find(cells: Cells, named: Iterable[str | None]) -> int | None:
    """Find the row of the headings; None where there is none.

    A row with all `named` headings decides. Else it is the one with most known
    headings, down to the first row that fills the width of the table, since what
    follows is data; and further down one of nothing but known headings.
    """
    wanted = _wanted(named)
    first = [[*map(spaced, row)] for _, row in cells[:FIRST]]
    for at, heads in enumerate(first):
        if wanted and wanted <= set(heads):
            return at
    width = _width(cells)
    best, most = None, 0
    is_open = is_apart = True
    for at, heads in enumerate(first):
        texts = filled(heads)
        many = known(texts)
        is_whole = many == len(texts) > 1
        if many > most and (is_open or is_whole or is_apart):
            best, most = at, many
        is_open = is_open and len(texts) < width
        is_apart = width == 1 and not texts
    return best


def _width(cells: Cells) -> int:
    """How many cells most rows fill."""
    sizes = Counter(len(filled(row)) for _, row in cells[: 5 * FIRST])
    del sizes[0]
    return max(sizes, key=lambda size: (sizes[size], size), default=0)


def known(row: Sequence[str], named: Iterable[str | None] = ()) -> int:
    """How many cells of a row are known headings, or those that are `named`."""
    heads = set(map(spaced, row))
    return len(_KNOWN.intersection(heads) | heads.intersection(_wanted(named)))


def _wanted(named: Iterable[str | None]) -> set[str]:
    return {spaced(heading) for heading in named if heading}


def to_last(row: Sequence[str]) -> Sequence[str]:
    """The cells up to the last one that is not blank."""
    width = len(row)
    while width and not row[width - 1].strip():
        width -= 1
    return row[:width]


def alone(texts: Sequence[str | None]) -> str:
    """The heading of a single column without one: websites, where most cells are."""
    column = pl.DataFrame({"text": texts}, {"text": pl.String})
    sites = column.select(contents.address(pl.col("text")))
    return "Website" if 2 * sites.to_series().count() > len(texts) else "Name"


def distinct(heads: Iterable[str]) -> list[str]:
    """The headings, each told from those before it.

    >>> distinct(["Website", "Website", ""])
    ['Website', 'Website (2)', 'column 3']
    """
    names = list[str]()
    for at, head in enumerate(heads, 1):
        name, times = head or f"column {at}", 1
        own = name
        while own in names:
            times += 1
            own = f"{name} ({times})"
        names.append(own)
    return names


def columns(names: Sequence[str], meaning: str) -> list[str]:
    """The columns whose heading has this meaning, the most specific first."""
    ranks = _RANKS[meaning]
    fitting = [name for name in names if spaced(name) in ranks]
    return sorted(fitting, key=lambda name: ranks[spaced(name)])


def is_site(heading: str) -> bool:
    """Whether it is the heading of a column of websites."""
    return spaced(heading) in _RANKS["domain"]


def own(names: Sequence[str]) -> list[str]:
    """The columns that an earlier answer put beside the list; none of a list that
    has not been read before.

    Where the list has a heading of its own like that, the answer's is `Grade (found)`.
    """
    heads = {spaced(name): name for name in names}
    if "record uuid" not in heads:
        return [heads[head] for head in ("data source",) if head in heads]
    return [heads.get(f"{head} found", heads[head]) for head in heads if head in _OWN]


def entries(headings: Sequence[str], rows: Cells) -> tuple[Cells, Cells]:
    """Part the rows into entries of the list, and others: blank ones, sums, headings
    that are repeated, and lines beneath the table.
    """
    if len(headings) < 2:
        return [row for row in rows if filled(row[1])], []
    end = _end(rows)
    kept, others = Cells(), Cells()
    for line, row in rows[:end]:
        texts = filled(row)
        is_entry = texts and not _is_sum(texts) and [*row] != [*headings]
        (kept if is_entry else others).append((line, row))
    return kept, [*others, *rows[end:]]


def _end(rows: Cells) -> int:
    """Where the lines of one cell beneath the table begin: after a blank line, or
    with a word such as Source.
    """
    start = len(rows)
    while start and len(filled(rows[start - 1][1])) < 2:
        start -= 1
    for at in range(start, len(rows)):
        texts = filled(rows[at][1])
        if not texts or _FOOTER.match(spaced(texts[0])):
            return at
    return len(rows)


def _is_sum(texts: Sequence[str]) -> bool:
    """Whether it is a total beside numbers."""
    first, *rest = texts
    if not rest or re.search(r"[^\W\d_]{4}", " ".join(rest)):
        return False
    return spaced(first) in _TOTAL
