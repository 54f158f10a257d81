"""Read the rows of a file: text under any separator, or a sheet of a workbook."""

import csv
import io
import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ventureframe.display.wording import counted
from ventureframe.errors import UnsupportedValue
from ventureframe.matching import headings, workbooks
from ventureframe.matching.headings import Cells, some
from ventureframe.matching.workbooks import Sheet

Named = Iterable[str | None]  # headings that the user names
_UNPACK = "a compressed file: unpack it"
_FRAME = ": read it with polars, and give the frame"
_JSON = "JSON: read it in Python, and give the list of its rows"
_KINDS = {
    b"%pdf": "a PDF",
    b"\x89png": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"gif8": "a picture",
    b"\x1f\x8b": _UNPACK,
    b"bzh": _UNPACK,
    b"\xfd7zxz": _UNPACK,
    b"(\xb5/\xfd": _UNPACK,
    b"7z\xbc\xaf": _UNPACK,
    b"rar!": _UNPACK,
    b"par1": f"a Parquet file{_FRAME}",
    b"arrow1": f"an Arrow file{_FRAME}",
    b"sqlite": "a database",
    b"{\\rtf": "a document in RTF",
    b"<?xml": "an XML file or a web page",
    b"<": "a web page",
    b"mime-version": "a web page",
    b"{": _JSON,
    b"[{": _JSON,
}
"""What a file is by its first bytes, in small letters."""
_MARKS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_SAMPLE = 200  # rows by which the separator is chosen
_STRANGE = re.compile(
    r"[\x81\x8d\x8f\x90\x9d\ufffd]|[^\W\d_][ƒ¢£¤¥¦§¨¬¯²³´¶¸¹¼½¾ˆ˜†‡‰‚„…][^\W\d_]|[À-ÿ]{5}"
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


def refused(source: str, reason: str) -> UnsupportedValue:
    """Make the error for a list that cannot be read."""
    return UnsupportedValue(source, field="list", reason=reason)


def read(path: Path, sheet: str | None, named: Named, wanted: str = "") -> Sheet:
    """Read the rows of a file, and notes on what was not read literally.

    Of several sheets `wanted` is the heading that the one to be read has. Raises
    `UnsupportedValue` for a file that is no table.
    """
    try:
        content = path.read_bytes()
    except IsADirectoryError as error:
        reason = "it is a folder: give one of its files"
        raise refused(path.name, reason) from error
    except FileNotFoundError as error:
        reason = f"there is no such file; one name is given as a list, [{str(path)!r}]"
        raise refused(path.name, reason) from error
    except (OSError, ValueError) as error:
        reason = f"it cannot be read ({type(error).__name__})"
        raise refused(path.name, reason) from error
    if content.startswith(workbooks.SIGNATURES):
        return workbooks.read(path.name, content, sheet, wanted)
    first = content[:2000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    for signature, kind in _KINDS.items():
        if first.startswith(signature):
            advice = "" if ":" in kind else ": save it as .xlsx or CSV"
            raise refused(path.name, f"it is {kind}{advice}")
    text, notes = _decoded(content, path.name)
    if path.suffix.lower() in workbooks.ENDINGS:
        notes.append(f"{path.name} is text, no workbook, and was read as CSV")
    return Sheet(parsed(text, path.name, named), notes, {})


def _decoded(content: bytes, source: str) -> tuple[str, list[str]]:
    """Decode a text; a line that is not UTF-8 is read as Windows-1252, and noted."""
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return content.decode(encoding, errors="replace"), []
    half = len(content) // 4 + 1
    for first, encoding in enumerate(("utf-16-be", "utf-16-le")):
        if content[first::2].count(0) >= half:
            return content.decode(encoding, errors="replace"), []
    texts, bad, is_utf8 = list[str](), list[int](), False
    for number, line in enumerate(content.split(b"\n"), 1):
        try:
            texts.append(line.decode())
            is_utf8 = is_utf8 or not line.isascii()
        except UnicodeDecodeError:
            texts.append(line.decode("cp1252", errors="replace"))
            bad.append(number)
    text = "\n".join(texts)
    if not bad:
        return text, []
    lines = f"{counted(len(bad), 'line')} of {source}: line {some(bad)}"
    if is_utf8:
        return text, [f"not UTF-8, so read as Windows-1252: {lines}; check the accents"]
    for number in bad:
        if _STRANGE.search(texts[number - 1]):
            reason = "is neither UTF-8, UTF-16 nor Windows-1252: save it as CSV UTF-8"
            raise refused(source, f"line {number} {reason}")
    note = f"{source} is not UTF-8, so it was read as Windows-1252"
    return text, [f"{note}: check the accents"]


def parsed(text: str, source: str, named: Named) -> Cells:
    """Parse text into rows; the separator is the one under which most lines have as
    many cells as the headings.
    """
    if "\0" in text:
        raise refused(source, "it has null bytes, as no table of text has")
    text = text.lstrip("\ufeff")
    fits = {
        separator: _fit(_rows(text, separator, _SAMPLE)[0], named)
        for separator in _DIALECTS
    }
    rows, problem = _rows(text, max(fits, key=fits.__getitem__))
    if problem:
        raise refused(source, problem)
    return rows


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
