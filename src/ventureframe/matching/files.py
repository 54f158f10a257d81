"""Read the rows of a file or a pasted block: text under any separator, or a sheet of a
workbook.
"""

import csv
import io
import re
import tomllib
from collections.abc import Collection
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ventureframe.interface.files import home
from ventureframe.matching import headings, workbooks
from ventureframe.matching.headings import Cells, refused

PASTED = "My list"
_KINDS = tomllib.loads(files(__package__).joinpath("kinds.toml").read_text("utf-8"))
_UNREAD: Final[dict[type[Exception], str]] = {
    IsADirectoryError: "it is a folder: give one of its files",
    FileNotFoundError: "there is no such file: check it, or give one name in a list, as [name]",
}
_SAMPLE = 200  # rows by which the separator is chosen
_SINGLE = "\x1f"  # separates nothing
_SEPARATORS = f"\t;,|{_SINGLE}"
_NO_UTF_8 = re.compile("[\udc80-\udcff]")
_STRANGE = re.compile(
    r"[\x81\x8d\x8f\x90\x9d\ufffd]|[ƒ¢£¤¥¦¨¬¯¶¸¼½¾ˆ˜†‡‰][^\W\d_]|[^\W\d_][³¹„‚…][^\W\d_]|[À-ÿ]{5}"
)
"""What no text has that was written in Windows-1252."""
_QUOTED: tuple[dict[str, Any], ...] = (
    {"strict": True},
    {"strict": True, "escapechar": "\\", "doublequote": False},
)
_AS_IT_IS: dict[str, Any] = {"quoting": csv.QUOTE_NONE}  # a paste from a spreadsheet


def read(
    path_or_text: str | Path,
    sheet: str | None,
    usual: str | None,
    named: Collection[str],
) -> tuple[str, Cells, list[str]]:
    """Read a name for the list, its rows, and notes on what was not read literally.

    For `sheet` and `usual` see `workbooks.read`. Raises `UnsupportedValue` for what
    is no table.
    """
    if isinstance(path_or_text, str) and re.search(r"[\t\n\r]", path_or_text):
        return PASTED, _parsed(path_or_text, PASTED, named), []
    if "://" in str(path_or_text):
        raise refused(
            str(path_or_text), "it is on the web: download it, and give the file"
        )
    path = home(path_or_text)
    source = path.name
    try:
        content = b"" if path.is_fifo() else path.read_bytes()
    except (OSError, ValueError) as error:
        reason = f"it cannot be read ({type(error).__name__})"
        raise refused(source, _UNREAD.get(type(error), reason)) from error
    if content.startswith(workbooks.SIGNATURES):
        return source, *workbooks.read(source, content, sheet, usual)
    first = content[:99].decode("latin-1").lstrip("ï»¿ \t\r\n").lower()
    for signature, kind in _KINDS.items():
        if first.startswith(signature):
            raise refused(source, f"it is {kind}")
    text, notes = _decoded(content, source)
    return source, _parsed(text, source, named), notes


def _decoded(content: bytes, source: str) -> tuple[str, list[str]]:
    """Decode a text; a line that is not UTF-8 is read as Windows-1252, and noted.

    Raises `UnsupportedValue` for letters that no such text has.
    """
    for encoding in ("utf-16", "utf-16-be") if b"\0" in content else ():
        text = content.decode(encoding, errors="replace")
        if re.search(r"[\r\n]", text):  # others become letters of anywhere
            return text, []
    lines = content.decode(errors="surrogateescape").split("\n")
    bad = [at for at, line in enumerate(lines) if _NO_UTF_8.search(line)]
    for at in bad:
        whole = lines[at].encode(errors="surrogateescape")
        lines[at] = whole.decode("cp1252", errors="replace")
    has_utf8 = sum(not line.isascii() for line in lines) > 2 * len(bad)
    strange = [at for at in bad if _STRANGE.search(lines[at])]
    if strange and not has_utf8:
        reason = f"line {strange[0] + 1} is neither UTF-8, UTF-16 nor Windows-1252"
        raise refused(source, f"{reason}: save it as CSV UTF-8")
    note = "not UTF-8, so read as Windows-1252, where accents can be wrong: line"
    return "\n".join(lines), headings.notes({note: [at + 1 for at in bad]})


def _parsed(text: str, source: str, named: Collection[str]) -> Cells:
    """Parse text into rows; the separator is the one under which most lines have as
    many cells as the headings.
    """
    if "\0" in text:
        reason = "it has null bytes, as no table of text in UTF-8 or UTF-16 has"
        raise refused(source, f"{reason}: save it as CSV UTF-8")
    text = text.lstrip("\ufeff")

    def fit(separator: str) -> tuple[int, float, int]:
        rows, _ = _rows(text, separator, _SAMPLE)
        return _fit(rows, named)

    rows, problem = _rows(text, max(_SEPARATORS, key=fit))
    if problem:
        raise refused(source, problem)
    return rows


def _fit(rows: Cells, named: Collection[str]) -> tuple[int, float, int]:
    """How many headings are known, the share of the rows that are as wide as they,
    and the width. The last row counts for nothing: a paste can lack its last blanks.
    """
    rows = [row for row in rows if headings.filled(row[1])]
    at, recognised = headings.find(rows, named)
    table = [row for _, row in rows[at or 0 :]]
    if not recognised and all(map(headings.is_text, table)):
        return 0, 1.0, 1
    widths = [len(row) for row in table]
    whole = widths[:-1] if len(table) > 2 else widths
    return recognised, whole.count(widths[0]) / len(whole), widths[0]


def _rows(text: str, separator: str, most: int | None = None) -> tuple[Cells, str]:
    """The rows under a separator, by the first way to quote under which each can be
    read, and which line is no row.
    """
    is_pasted = separator in ("\t", _SINGLE)
    problem = ""
    for dialect in (_QUOTED[0], _AS_IT_IS) if is_pasted else _QUOTED:
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
