"""Read one sheet of a workbook: the cells, the rows that are hidden in it, and the
addresses behind words.
"""

import io
import posixpath
import re
from collections.abc import Iterator
from html import unescape
from zipfile import ZipFile

import python_calamine as calamine

from ventureframe.display.wording import listed
from ventureframe.errors import UnsupportedValue
from ventureframe.matching.headings import FIRST, Cells, is_site, some, spaced, to_last

ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
SIGNATURES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # of an archive, and of an old file
_MOST = 20_000_000  # cells, blank ones too, that memory is asked for
_OTHERS = {
    b"word/": "a Word document",
    b"ppt/": "a presentation",
    b"W\0o\0r\0d\0": "a Word document",
}
_BOOK = "xl/workbook.xml"
_COLUMN = re.compile(r'<(?:\w+:)?c\s[^>]*?\br="([A-Z]+)')
_FORMULA = re.compile(
    r'r="(\w+)"[^>]*><f>[^<]*HYPERLINK\((?:"|&quot;)(.+?)(?:"|&quot;)'
)


def read(
    source: str, content: bytes, sheet: str | None, *, is_usual: bool
) -> tuple[Cells, list[str]]:
    """Read the rows of the sheet that is named, else of the only visible one, and
    notes on them.

    One that `is_usual` need not be there. Raises `UnsupportedValue` for a file that
    is no workbook, and with the names of the sheets where there are several.
    """
    try:
        with calamine.load_workbook(io.BytesIO(content)) as book:
            names = [
                about.name
                for about in book.sheets_metadata
                if about.typ == calamine.SheetTypeEnum.WorkSheet
                and (not is_usual or about.visible == calamine.SheetVisibleEnum.Visible)
            ]
            sheets = {name: _sheet(book, content, source, name) for name in names}
    except calamine.CalamineError as error:
        kinds = [kind for mark, kind in _OTHERS.items() if mark in content]
        kind = kinds[0] if kinds else "no workbook, or one with a password"
        reason = f"it is {kind}: save it as .xlsx or CSV"
        raise refused(source, reason) from error
    sheets = {name: found for name, found in sheets.items() if found[0]}
    same = [name for name in sheets if sheet and spaced(name) == spaced(sheet)]
    if sheet in sheets:
        same = [sheet]
    if is_usual and not same:
        same = [*sheets]
    if not sheets:
        return [], []
    if len(same) != 1:
        reason = f"its sheets with rows are {listed(sheets)}: name one with sheet="
        reason = f"{reason} (--sheet on the command line)"
        raise refused(source, reason)
    return sheets[same[0]]


def refused(source: str, reason: str) -> UnsupportedValue:
    """Make the error for a list that cannot be read."""
    return UnsupportedValue(source, field="list", reason=reason)


def _sheet(
    book: calamine.CalamineWorkbook, content: bytes, source: str, name: str
) -> tuple[Cells, list[str]]:
    """Read a sheet with the addresses behind its words, unless its cells lie too far
    apart.
    """
    xml, pages = _xml(content, name)
    lines = [*_tags(xml, "row")]
    height = max((int(line.get("r", 0)) for line in lines), default=0)
    width = max(
        (_place(column)[1] + 1 for column in {*_COLUMN.findall(xml)}), default=0
    )
    if height * width > _MOST:
        reason = (
            f"{name!r} has {height:,} rows and {width:,} columns, most of them blank"
        )
        raise refused(source, f"{reason}: delete those, or save it as CSV")
    rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    texts = [[cell_text(cell) for cell in row] for row in rows]
    links = {place: unescape(page) for place, page in _FORMULA.findall(xml)}
    for link in _tags(xml, "hyperlink"):
        links[link["ref"].partition(":")[0]] = pages.get(link.get("id", ""), "")
    sites = {
        at for row in texts[:FIRST] for at, cell in enumerate(row) if is_site(cell)
    }
    for reference, page in links.items():
        line, at = _place(reference)
        word = texts[line - 1][at] if line <= len(texts) and at in sites else "."
        if page and "." not in word:
            texts[line - 1][at] = f"[{word}]({page})"
    is_hidden = {line.get("r") for line in lines if line.get("hidden") in ("1", "true")}
    cells = Cells(enumerate(map(to_last, texts), 1))
    hidden = [line for line, row in cells if str(line) in is_hidden and row]
    notes = [f"hidden in the workbook, but read: row {some(hidden)}"] if hidden else []
    return cells if any(map(any, texts)) else [], notes


def cell_text(value: object) -> str:
    """Write a cell as text: a whole number without a point, a day as ISO 8601."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value)
    return text.removesuffix(" 00:00:00") if hasattr(value, "hour") else text


def _xml(content: bytes, name: str) -> tuple[str, dict[str, str]]:
    """The XML of a sheet, and the pages it refers to; of another workbook than XLSX
    neither.
    """
    if not content.startswith(SIGNATURES[0]):
        return "", {}
    with ZipFile(io.BytesIO(content)) as archive:
        if _BOOK not in archive.namelist():
            return "", {}
        parts = _relations(archive, _BOOK)
        sheets = _tags(archive.read(_BOOK).decode(), "sheet")
        targets = {sheet["name"]: parts[sheet["id"]] for sheet in sheets}
        part = posixpath.join("/xl", targets[name])[1:]
        return archive.read(part).decode(), _relations(archive, part)


def _relations(archive: ZipFile, part: str) -> dict[str, str]:
    """What a part of the archive refers to, by identifier."""
    folder, file = posixpath.split(part)
    path = f"{folder}/_rels/{file}.rels"
    xml = archive.read(path).decode() if path in archive.namelist() else ""
    return {each["Id"]: each["Target"] for each in _tags(xml, "Relationship")}


def _tags(xml: str, name: str) -> Iterator[dict[str, str]]:
    """The attributes of every tag of a name, without their namespaces."""
    for tag in re.finditer(rf"<(?:\w+:)?{name}\s([^>]*)>", xml):
        pairs = re.findall(r'(\w+)\s*=\s*"([^"]*)"', tag[1])
        yield {key: unescape(value) for key, value in pairs}


def _place(reference: str) -> tuple[int, int]:
    """The row of a reference such as B7, and its column from 0."""
    letters = reference.rstrip("0123456789")
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(reference[len(letters) :] or 0), column - 1
