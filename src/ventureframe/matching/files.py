"""Read the rows of a file: text under any separator, or a sheet of a workbook."""

import csv
import io
import re
import tomllib
from collections.abc import Iterable
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ventureframe.matching import headings, workbooks
from ventureframe.matching.headings import Cells, some
from ventureframe.matching.workbooks import refused

Named = Iterable[str | None]  # headings that the user names
_KINDS = tomllib.loads(files(__package__).joinpath("kinds.toml").read_text("utf-8"))
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # before a text in UTF-16
_UNREAD: Final[dict[type[Exception], str]] = {
    IsADirectoryError: "it is a folder: give one of its files",
    FileNotFoundError: "there is no such file; give one name in a list, as [name]",
}
_SAMPLE = 200  # rows by which the separator is chosen
_STRANGE = re.compile(
    r"[\x81\x8d\x8f\x90\x9d\ufffd]|[ƒ¢£¤¥¦¨¬¯¶¸¼½¾ˆ˜†‡‰][^\W\d_]|[^\W\d_][³¹„‚…][^\W\d_]|[À-ÿ]{5}"
)
"""What no text in Windows-1252 has."""
_STRICT: Final[Any] = {"strict": True}
_ESCAPED: Final[Any] = {"strict": True, "escapechar": "\\", "doublequote": False}
_AS_IT_IS: Final[Any] = {"quoting": csv.QUOTE_NONE}  # a paste from a spreadsheet
_DIALECTS = {
    "\t": (_STRICT, _AS_IT_IS),
    ";": (_STRICT, _ESCAPED),
    ",": (_STRICT, _ESCAPED),
    "|": (_STRICT, _ESCAPED),
    "\x1f": (_STRICT, _AS_IT_IS),  # separates nothing: a single column
}
"""The separators, each with the ways to quote that are tried."""


def read(
    path: Path, sheet: str | None, named: Named, *, is_usual: bool
) -> tuple[Cells, list[str]]:
    """Read the rows of a file, and notes on what was not read literally.

    For a sheet that `is_usual` see `workbooks.read`. Raises `UnsupportedValue` for a
    file that is no table.
    """
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = f"it cannot be read ({type(error).__name__})"
        raise refused(path.name, _UNREAD.get(type(error), reason)) from error
    if content.startswith(workbooks.SIGNATURES):
        return workbooks.read(path.name, content, sheet, is_usual=is_usual)
    first = content[:99].decode("latin-1").lstrip("ï»¿ \t\r\n").lower()
    for signature, kind in _KINDS.items():
        if first.startswith(signature):
            raise refused(path.name, f"it is {kind}")
    text, notes = _decoded(content, path.name)
    if path.suffix.lower() in workbooks.ENDINGS:
        notes.append(f"{path.name} is text, no workbook, and was read as CSV")
    return parsed(text, path.name, named), notes


def _decoded(content: bytes, source: str) -> tuple[str, list[str]]:
    """Decode a text; a line that is not UTF-8 is read as Windows-1252, and noted.

    Raises `UnsupportedValue` for letters that no such text has.
    """
    half = len(content) // 4 + 1
    if content.startswith(_MARKS):
        return content.decode("utf-16", errors="replace"), []
    for first, encoding in enumerate(("utf-16-be", "utf-16-le")):
        if content[first::2].count(0) >= half:
            return content.decode(encoding, errors="replace"), []
    texts, bad = list[str](), list[int]()
    for number, line in enumerate(content.split(b"\n"), 1):
        try:
            texts.append(line.decode())
        except UnicodeDecodeError:
            texts.append(line.decode("cp1252", errors="replace"))
            bad.append(number)
    has_utf8 = sum(not text.isascii() for text in texts) > len(bad)
    strange = [number for number in bad if _STRANGE.search(texts[number - 1])]
    if strange and not has_utf8:
        reason = f"line {strange[0]} is neither UTF-8, UTF-16 nor Windows-1252"
        raise refused(source, f"{reason}: save it as CSV UTF-8")
    note = f"not UTF-8, so read as Windows-1252: line {some(bad)}; check the accents"
    return "\n".join(texts), [note] if bad else []


def parsed(text: str, source: str, named: Named) -> Cells:
    """Parse text into rows; the separator is the one under which most lines have as
    many cells as the headings.
    """
    if "\0" in text:
        raise refused(source, "it has null bytes, as no table of text has")
    text = text.lstrip("\ufeff")
    samples = {separator: _rows(text, separator, _SAMPLE)[0] for separator in _DIALECTS}
    best = max(samples, key=lambda separator: _fit(samples[separator], named))
    rows, problem = _rows(text, best)
    if problem:
        raise refused(source, problem)
    return [(line, headings.to_last(row)) for line, row in rows]


def _fit(rows: Cells, named: Named) -> tuple[int, float, int]:
    """How many headings are known, the share of the rows that are as wide as they,
    and the width.
    """
    rows = [row for row in rows if headings.filled(row[1])]
    if not rows:
        return 0, 0.0, 0
    at = headings.find(rows, named)
    heads = rows[at or 0][1]
    known = 0 if at is None else headings.known(heads, named)
    below = [row for _, row in rows[at or 0 :]]
    share = sum(len(row) == len(heads) for row in below) / len(below)
    is_prose = not known and all(cell[:1] == " " for row in below for cell in row[1:])
    return known, share, 1 if is_prose else len(heads)


def _rows(text: str, separator: str, most: int | None = None) -> tuple[Cells, str]:
    """The rows under a separator, by the first way to quote under which each can be
    read, and which line is no row.
    """
    problem = ""
    for dialect in _DIALECTS[separator]:
        lines = io.StringIO(text, newline="")
        reader = csv.reader(lines, delimiter=separator, **dialect)
        rows, line = Cells(), 1
        try:
            for row in islice(reader, most):
                rows.append((line, row))
                line = reader.line_num + 1
        except csv.Error as error:
            at = reader.line_num
            problem = problem or f"line {at} is no row of a table: {error}"
        else:
            return rows, ""
    return rows, problem
