"""Find the table in rows of cells: which row holds the headings, what the columns
mean, and which rows are no entries of the list.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from polars import DataFrame, Series, String

from ventureframe.display.wording import listed
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.fields import plain
from ventureframe.matching import cells

Cells = list[tuple[int, Sequence[str]]]  # rows of text, each with its line number
Named = Mapping[str, str | None]  # headings by what they mean
_OPTIONS = (
    "call the column of names Name; or, for a list that is matched, name= or domain= in"
    " Python, --name or --website on the command line, says which column has the names"
    " or websites"
)
_FEW = 3  # lines or names that a note lists
FIRST = 200  # rows from the top among which the headings are looked for
_LETTERS = str.maketrans("øłđı", "oldi") | {ord("©"): "copyright "}


def spaced(heading: str) -> str:
    """Normalise a heading: `Website_Domain*` becomes `website domain`.

    >>> spaced("Société (Nom)"), spaced("\\u200bWebsite_Domain*")
    ('societe nom', 'website domain')
    """
    text = plain(cells.visible(heading)).translate(_LETTERS)
    return re.sub(r"[\W_]+", " ", text).strip()


_FILE = files(__package__) / "headings.toml"
_WORDS = {
    meaning: tuple(map(spaced, words))
    for meaning, words in tomllib.loads(_FILE.read_text("utf-8")).items()
}
HEADINGS: Final = {
    meaning: _WORDS[meaning] for meaning in ("name", "domain", "place", "year")
}
"""The headings that are recognised, the most specific first."""
_KNOWN = frozenset().union(*HEADINGS.values())
_FOOTER = re.compile(rf"({'|'.join(_WORDS['footer'])})\b")


_RULE = frozenset("-=_:|* ")  # what a line between rows is drawn with


def refused(source: str, reason: str, choices: Sequence[str] = ()) -> UnsupportedValue:
    """Make the error for a list that cannot be read, or only if one of its headings
    is chosen.
    """
    return UnsupportedValue(source, field="list", reason=reason, choices=choices)


def notes(kinds: Mapping[str, Any]) -> list[str]:
    """Note the first few values of each kind that has any."""
    lines = list[str]()
    for kind, items in kinds.items():
        if len(items):
            first = "; ".join(map(str, items[:_FEW]))
            lines.append(f"{kind} {first}{' …' * (len(items) > _FEW)}")
    return lines


def texts(rows: Cells) -> list[str]:
    """The lines that are not blank, each with its first cell, or by its number."""
    return [f"{line} ({filled(row)[0]})" for line, row in rows if filled(row)]


def filled(row: Iterable[str]) -> list[str]:
    """The cells of a row that are not blank."""
    return [cell for cell in row if cell.strip()]


def find(rows: Cells, named: Collection[str] = ()) -> tuple[int | None, int]:
    """Find the row of the headings, None where there is none, and how many of them
    are known.

    A row with all `named` headings decides. Else it is the one with most known
    headings, down to the first row that fills the width of the table, since what
    follows is data; and further down one of nothing but known headings.
    """
    sizes = Counter(len(filled(row)) for _, row in rows[: 5 * FIRST])
    width = max(sizes, key=lambda size: size * sizes[size], default=0)
    best, most = None, 0
    is_open = is_apart = True
    for at, (_, row) in enumerate(rows[:FIRST]):
        heads = filled([*map(spaced, row)])
        recognised = len(_KNOWN.intersection(heads))
        if named and set(heads).issuperset(named):
            return at, recognised + len(named)
        is_whole = recognised == len(heads) > 1
        if recognised > most and (is_open or is_whole or is_apart):
            best, most = at, recognised
        is_open = is_open and len(heads) < width
        is_apart = width == 1 and not heads
    return best, most


def headed(rows: Cells, named: Collection[str]) -> tuple[Cells, int]:
    """Return the rows, and which one holds the headings: without known ones the first
    that most columns have a text in; a single column is given a heading of ours.
    """
    at, _ = find(rows, named)
    if at is not None:
        return rows, at
    texts = [(line, filled(row)) for line, row in rows]
    width = max((len(row) for _, row in texts), default=0)
    if width > 1:
        at = next(at for at, (_, row) in enumerate(texts) if 2 * len(row) > width)
        return rows, at
    head = alone([cell for _, row in texts for cell in row])
    return [(0, [head]), *texts], 0


def alone(column: Sequence[str | None]) -> str:
    """The heading of a single column without one: websites, where most cells are."""
    are_sites = cells.are_addresses(Series(column, dtype=String))
    return "Website" if are_sites else "Name"


def distinct(heads: Iterable[str]) -> list[str]:
    """The headings, each told from those before it.

    >>> distinct(["Website", "Website", ""])
    ['Website', 'Website (2)', 'column 3']
    """
    names = list[str]()
    for at, head in enumerate(heads, 1):
        name = head or f"column {at}"
        while name in names:
            name = f"{name} ({at})"
        names.append(name)
    return names


def recognise(frame: DataFrame, named: Named, source: str) -> dict[str, str | None]:
    """Recognise the columns of a table: by `name`, `domain`, `place` and `year` the
    heading of each, None where there is none.

    A heading that is `named` decides. Of several columns with a known heading it is
    the one whose heading is most specific; for domains, one that holds addresses.
    Raises `UnsupportedValue` where a named heading is not there, and where neither
    names nor, alone, websites are recognised.

    >>> frame = DataFrame({"Firma": ["Acme"], "Ort": ["Oslo"], "Art": ["x"]})
    >>> recognise(frame, {}, "my.csv")
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
    is_of_sites = columns["domain"] and (named.get("domain") or len(heads) == 1)
    if columns["name"] is None and not is_of_sites:
        reason = f"no column of names is known of {listed(heads)}: {_OPTIONS}"
        raise refused(source, reason, frame.columns)
    return columns


def earlier_columns(names: Sequence[str]) -> list[str]:
    """The columns that an earlier answer put beside the list; none of a list that
    has not been read before.

    Where the list has a heading of its own like that, the answer's is `Grade (found)`.
    """
    heads = {spaced(name): name for name in names}
    ours = _WORDS["own"] if "record uuid" in heads else ("data source",)
    return [heads.get(f"{head} found", heads[head]) for head in ours if head in heads]


def entries(heads: Sequence[str], rows: Cells) -> tuple[Cells, Cells]:
    """Split the rows below the headings into entries of the list and rejected ones:
    blank rows, sums, headings that are repeated, and lines of text beneath the table,
    which begin after a blank line, or with a word such as Source.
    """
    end = len(rows)
    for at, (_, row) in reversed([*enumerate(rows)]):
        texts = filled(row)
        if is_text(heads) or not is_text(texts):
            break
        if not texts or _FOOTER.match(spaced(texts[0])):
            end = at
    entries_, rejected = Cells(), Cells()
    for line, row in rows[:end]:
        texts = filled(row)
        has_text = not _RULE.issuperset("".join(texts))
        is_entry = has_text and not _is_sum(texts) and [*row] != [*heads]
        (entries_ if is_entry else rejected).append((line, row))
    return entries_, [*rejected, *rows[end:]]


def is_text(row: Sequence[str]) -> bool:
    """Whether the cells are a single one, or one text that was split at its commas."""
    return all(cell.startswith(" ") for cell in row[1:])


def _is_sum(texts: Sequence[str]) -> bool:
    """Whether the cells are a total and its numbers: Total, 2 firms, or Total (2)."""
    first, *further = texts
    label, *count = re.split("[:(]", first)
    words = [cell for cell in further if not cell[0].isdigit()]
    if not (further or count) or re.search(r"[^\W\d_]{4}", " ".join(words)):
        return False
    return spaced(label) in _WORDS["total"]
