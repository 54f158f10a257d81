"""Find the table in rows of cells: which row holds the headings, what the columns
mean, and which rows are no entries of the list.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.resources import files
from statistics import multimode
from typing import Final

import polars as pl

from ventureframe.display.wording import listed
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.fields import plain
from ventureframe.matching import cells

Cells = list[tuple[int, Sequence[str]]]  # rows of text, each with its line number
_FEW = 3  # lines or names that a note lists
FIRST = 200  # rows from the top among which the headings are looked for
_LETTERS = str.maketrans("øłđ", "old")  # they have no accent to take off


def spaced(heading: str) -> str:
    """Normalise a heading: `Website_Domain*` becomes `website domain`.

    >>> spaced("Société (Nom)"), spaced("\\u200bWebsite_Domain*")
    ('societe nom', 'website domain')
    """
    text = re.sub(r"[\W_]+", " ", plain(cells.visible(heading)))
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
_KNOWN = frozenset().union(*HEADINGS.values())
_FOOTER = re.compile(rf"({'|'.join(_WORDS['footer'])})\b")


def refused(source: str, reason: str, choices: Sequence[str] = ()) -> UnsupportedValue:
    """Make the error for a list that cannot be read, or only if one of its headings
    is chosen.
    """
    return UnsupportedValue(source, field="list", reason=reason, choices=choices)


def some(names: Iterable[object]) -> str:
    """The first few names, and whether there are more."""
    first = [*map(str, names)]
    return "; ".join(first[:_FEW]) + " …" * (len(first) > _FEW)


def notes(found: Mapping[str, Collection[object]]) -> list[str]:
    """Note the first few of each kind of what was found, if there is any."""
    return [f"{what} {some(values)}" for what, values in found.items() if len(values)]


def texts(rows: Cells) -> list[str]:
    """The lines that are not blank, each with its first cell, or by its number."""
    return [f"{line} ({filled(row)[0]})" for line, row in rows if filled(row)]


def filled(row: Sequence[str]) -> list[str]:
    """The cells of a row that are not blank."""
    return [cell for cell in row if cell.strip()]


def find(rows: Cells, named: Collection[str] = ()) -> tuple[int | None, int]:
    """Find the row of the headings, None where there is none, and how many of them
    are known.

    A row with all `named` headings decides. Else it is the one with most known
    headings, down to the first row that fills the width of the table, since what
    follows is data; and further down one of nothing but known headings.
    """
    sizes = (len(filled(row)) for _, row in rows[: 5 * FIRST])
    width = max(multimode(filter(None, sizes)), default=0)
    best, most = None, 0
    is_open = is_apart = True
    for at, (_, row) in enumerate(rows[:FIRST]):
        heads = filled([*map(spaced, row)])
        many = len(_KNOWN.intersection(heads))
        if named and set(heads).issuperset(named):
            return at, many + len(named)
        is_whole = many == len(heads) > 1
        if many > most and (is_open or is_whole or is_apart):
            best, most = at, many
        is_open = is_open and len(heads) < width
        is_apart = width == 1 and not heads
    return best, most


def alone(column: Sequence[str | None]) -> str:
    """The heading of a single column without one: websites, where most cells are."""
    are_sites = cells.are_addresses(pl.Series(column, dtype=pl.String))
    return "Website" if are_sites else "Name"


def distinct(heads: Iterable[str]) -> list[str]:
    """The headings, each told from those before it.

    >>> distinct(["Website", "Website", ""])
    ['Website', 'Website (2)', 'column 3']
    """
    names = list[str]()
    for at, head in enumerate(heads, 1):
        name = own = head or f"column {at}"
        times = 1
        while own in names:
            times += 1
            own = f"{name} ({times})"
        names.append(own)
    return names


def recognise(
    frame: pl.DataFrame, named: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Recognise the columns of a table: by `name`, `domain`, `place` and `year` the
    heading of each, None where there is none.

    A heading that is `named` decides. Of several columns with a known heading it is
    the one whose heading is most specific; for domains, one that holds addresses.
    Raises `UnsupportedValue` where a named heading is not there.

    >>> frame = pl.DataFrame({"Firma": ["Acme"], "Ort": ["Oslo"], "Art": ["x"]})
    >>> recognise(frame, {})
    {'name': 'Firma', 'domain': None, 'place': 'Ort', 'year': None}
    """
    heads = {name: spaced(name) for name in frame.columns}
    columns: dict[str, str | None] = dict.fromkeys(HEADINGS)
    for meaning, heading in named.items():
        if heading is not None:
            same = [name for name in heads if heads[name] == spaced(heading)]
            if not same:
                reason = f"the list has no column of this name, but {listed(heads)}"
                raise UnsupportedValue(heading, field=meaning, reason=reason)
            columns[meaning] = heading if heading in same else same[0]
    for meaning, words in HEADINGS.items():
        free = [name for name in heads if name not in columns.values()]
        fitting = [name for name in free if heads[name] in words]
        fitting.sort(key=lambda name: words.index(heads[name]))
        if meaning == "domain":
            fitting.sort(key=lambda name: not cells.are_addresses(frame[name]))
        if columns[meaning] is None and fitting:
            columns[meaning] = fitting[0]
    return columns


def to_last(row: Sequence[str]) -> Sequence[str]:
    """The cells up to the last one that is not blank."""
    row = [*row]
    while row and not row[-1].strip():
        row.pop()
    return row


def own(names: Sequence[str]) -> list[str]:
    """The columns that an earlier answer put beside the list; none of a list that
    has not been read before.

    Where the list has a heading of its own like that, the answer's is `Grade (found)`.
    """
    heads = {spaced(name): name for name in names}
    ours = _WORDS["own"] if "record uuid" in heads else ("data source",)
    return [heads.get(f"{head} found", heads[head]) for head in ours if head in heads]


def entries(headings: Sequence[str], rows: Cells) -> tuple[Cells, Cells]:
    """Part the rows into entries of the list, and others: blank ones, sums, headings
    that are repeated, and lines beneath the table.
    """
    end = _end(rows) if len(headings) > 1 else len(rows)
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
    end = len(rows)
    for at, (_, row) in reversed([*enumerate(rows)]):
        texts = filled(row)
        if len(texts) > 1:
            break
        if not texts or _FOOTER.match(spaced(texts[0])):
            end = at
    return end


def _is_sum(texts: Sequence[str]) -> bool:
    """Whether it is a total beside numbers."""
    first, *rest = texts
    if not rest or re.search(r"[^\W\d_]{4}", " ".join(rest)):
        return False
    return spaced(first) in _WORDS["total"]
