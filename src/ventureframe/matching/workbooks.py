"""Read one sheet of a workbook: the cells, the rows that are hidden in it, and the
addresses behind words.
"""

import io
import posixpath
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import NamedTuple
from zipfile import ZipFile

import python_calamine as calamine

from ventureframe.display.wording import listed
from ventureframe.errors import UnsupportedValue
from ventureframe.matching.headings import FIRST, Cells, some, spaced

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


class Sheet(NamedTuple):
    """The rows of a sheet, what the user should know, and the addresses behind cells
    by line and column, the latter from 0.
    """

    cells: Cells
    notes: list[str]
    links: Mapping[tuple[int, int], str]


def read(source: str, content: bytes, sheet: str | None, wanted: str) -> Sheet:
    """Read a sheet: the one that is named, else the only visible one with rows, or
    the only one with the heading `wanted`.

    Raises `UnsupportedValue` for a file that is no workbook, and with the names of
    the sheets where there are several.
    """
    try:
        with calamine.load_workbook(io.BytesIO(content)) as book:
            return _chosen(book, content, source, sheet, wanted)
    except calamine.CalamineError as error:
        kinds = [kind for mark, kind in _OTHERS.items() if mark in content]
        kind = kinds[0] if kinds else "no workbook, or one with a password"
        reason = f"it is {kind}: save it as .xlsx or CSV"
        raise UnsupportedValue(source, field="list", reason=reason) from error


def _chosen(
    book: calamine.CalamineWorkbook,
    content: bytes,
    source: str,
    sheet: str | None,
    wanted: str,
) -> Sheet:
    names = [
        about.name
        for about in book.sheets_metadata
        if about.typ == calamine.SheetTypeEnum.WorkSheet
        and (sheet or about.visible == calamine.SheetVisibleEnum.Visible)
    ]
    sheets = {name: _sheet(book, content, source, name) for name in names}
    sheets = {name: found for name, found in sheets.items() if found.cells}
    fitting = [*sheets]
    if sheet is not None:
        fitting = [name for name in sheets if spaced(name) == spaced(sheet)]
        fitting = [sheet] if sheet in sheets else fitting
    elif wanted and len(sheets) > 1:
        fitting = [name for name in sheets if _has(sheets[name], wanted)]
    if len(fitting) != 1:
        reason = f"its sheets with rows are {listed(sheets)}: name one with sheet="
        reason = f"{reason} (--sheet on the command line)"
        raise UnsupportedValue(source, field="list", reason=reason)
    return sheets[fitting[0]]


def _has(sheet: Sheet, heading: str) -> bool:
    return any(heading in map(spaced, row) for _, row in sheet.cells[:FIRST])


def _sheet(
    book: calamine.CalamineWorkbook, content: bytes, source: str, name: str
) -> Sheet:
    """Read a sheet, unless its cells lie too far apart."""
    xml, pages = _xml(content, name)
    lines = [*_tags(xml, "row")]
    height = max((int(line.get("r", 0)) for line in lines), default=0)
    width = max(
        (_place(column)[1] + 1 for column in {*_COLUMN.findall(xml)}), default=0
    )
    if height * width > _MOST:
        reason = f"sheet {name!r} has {height:,} rows and {width:,} columns, most blank"
        reason = f"{reason}: delete those, or save it as CSV"
        raise UnsupportedValue(source, field="list", reason=reason)
    rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    cells = Cells()
    for line, row in enumerate(rows, 1):
        cells.append((line, [cell_text(cell) for cell in row]))
    used = {line for line, row in cells if any(row)}
    hidden = [
        int(row["r"])
        for row in lines
        if row.get("hidden") in ("1", "true") and int(row["r"]) in used
    ]
    links = {_place(place): unescape(page) for place, page in _FORMULA.findall(xml)}
    for link in _tags(xml, "hyperlink"):
        page = pages.get(link.get("id", ""))
        if page:
            links[_place(link["ref"])] = page
    notes = [f"hidden in the workbook, but read: row {some(hidden)}"] if hidden else []
    return Sheet(cells if used else [], notes, links)


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
    first = reference.partition(":")[0]
    letters = first.rstrip("0123456789")
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(first[len(letters) :] or 0), column - 1
