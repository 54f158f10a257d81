"""Read one sheet of a workbook: the cells, the rows and columns that are hidden in it,
and the addresses behind words.
"""

import io
import posixpath
import re
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import python_calamine as calamine

from ventureframe.display.wording import listed
from ventureframe.matching import headings
from ventureframe.matching.headings import (
    FIRST,
    HEADINGS,
    Cells,
    refused,
    spaced,
)

SIGNATURES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # of an archive, and of an old file
_MOST = 20_000_000  # cells, blank ones too, that memory is asked for
_BOOK = "xl/workbook.xml"
_CELL = re.compile(r'<(?:\w+:)?c\s[^>]*?\br="([A-Z]+)(\d+)"')
_HIDDEN_ROW = re.compile(
    r'<(?:\w+:)?row\s(?=[^>]*\bhidden="(?:1|true)")[^>]*?\br="(\d+)"'
)
_FORMULA = re.compile(
    r'r="([A-Z]+)(\d+)"[^>]*><f>[^<]*HYPERLINK\((?:"|&quot;)(.+?)(?:"|&quot;)'
)
_PLACE = re.compile(r"([A-Z]+)(\d+)")


def read(
    source: str, content: bytes, sheet: str | None, usual: str | None
) -> tuple[Cells, list[str]]:
    """Read the rows of the `sheet` that is named, else of the `usual` one, else of the
    only visible one, and notes on them.

    Raises `UnsupportedValue` for a file that is no workbook, and with the names of
    the sheets where one must be named.
    """
    wanted = spaced(sheet or usual or "")
    tables = dict[str, tuple[Cells, list[str]]]()
    try:
        with calamine.load_workbook(io.BytesIO(content)) as book:
            worksheets = _worksheets(book)
            visible = [name for name in worksheets if worksheets[name]]
            names = [name for name in worksheets if spaced(name) == wanted]
            if sheet in names:
                names = [sheet]
            if not names and not sheet:
                names = visible
            for name in names:
                rows, notes = _sheet(book, content, source, name)
                if rows or len(names) == 1:
                    tables[name] = rows, notes
    except calamine.CalamineError as error:
        reason = "it is no workbook, or one with a password: save it as .xlsx or CSV"
        raise refused(source, reason) from error
    if len(tables) != 1:
        reason = f"its sheets are {listed(tables or visible)}: name one with sheet="
        raise refused(source, f"{reason} (--sheet on the command line)")
    return tables.popitem()[1]


def sheets(path: Path) -> Sequence[str | None]:
    """The names of the visible sheets of a workbook; None alone for another file."""
    try:
        with calamine.load_workbook(path) as book:
            worksheets = _worksheets(book)
    except (OSError, calamine.CalamineError):
        return (None,)
    return [name for name in worksheets if worksheets[name]]


def _worksheets(book: calamine.CalamineWorkbook) -> dict[str, bool]:
    """The worksheets of a workbook, and whether each is visible."""
    return {
        about.name: about.visible == calamine.SheetVisibleEnum.Visible
        for about in book.sheets_metadata
        if about.typ == calamine.SheetTypeEnum.WorkSheet
    }


def _sheet(
    book: calamine.CalamineWorkbook, content: bytes, source: str, name: str
) -> tuple[Cells, list[str]]:
    """Read a sheet, and note what is hidden in it; raises `UnsupportedValue` where its
    cells lie too far apart.
    """
    xml, pages = _xml(content, name)
    places = _CELL.findall(xml)
    height = max((int(line) for _, line in places), default=0)
    width = max(map(_number, {letters for letters, _ in places}), default=0)
    if height * width > _MOST:
        extent = f"{height:,} rows and {width:,} columns, most of them blank"
        raise refused(source, f"{name!r} has {extent}: delete those, or save it as CSV")
    rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    texts = [[cell_text(cell) for cell in row] for row in rows]
    _add_links(texts, xml, pages)
    lines = map(int, _HIDDEN_ROW.findall(xml))
    hidden = [line for line in lines if any(map(any, texts[line - 1 : line]))]
    notes = headings.notes({"hidden in the workbook, but read: row": hidden})
    return [*enumerate(texts, 1)] if any(map(any, texts)) else [], notes


def _add_links(texts: list[list[str]], xml: str, pages: dict[str, str]) -> None:
    """Add the address behind each word in a column of websites, as Markdown does."""
    links = _FORMULA.findall(xml)
    for link in _tags(xml, "hyperlink"):
        page = pages.get(link.get("id", ""), "")
        links += [(*place, page) for place in _PLACE.findall(link["ref"])[:1]]
    sites = set[int]()
    for row in texts[:FIRST]:
        are_sites = [spaced(cell) in HEADINGS["domain"] for cell in row]
        sites.update(at for at, is_site in enumerate(are_sites) if is_site)
    for letters, line, page in links:
        at = _number(letters) - 1
        for row in texts[int(line) - 1 : int(line)]:
            if page and at in sites and "." not in row[at]:
                row[at] = f"[{row[at]}]({unescape(page)})"


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
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            sheets = _tags(archive.read(_BOOK).decode(), "sheet")
            identifiers = {sheet["name"]: sheet["id"] for sheet in sheets}
            target = _relations(archive, _BOOK)[identifiers[name]]
            part = posixpath.join("/xl", target)[1:]
            return archive.read(part).decode(), _relations(archive, part)
    except (BadZipFile, KeyError):
        return "", {}


def _relations(archive: ZipFile, part: str) -> dict[str, str]:
    """What a part of the archive refers to, by identifier."""
    folder, file = posixpath.split(part)
    path = f"{folder}/_rels/{file}.rels"
    xml = archive.read(path).decode() if path in archive.namelist() else ""
    return {tag["Id"]: tag["Target"] for tag in _tags(xml, "Relationship")}


def _tags(xml: str, name: str) -> Iterator[dict[str, str]]:
    """The attributes of every tag of a name, without their namespaces."""
    for tag in re.finditer(rf"<(?:\w+:)?{name}\s([^>]*)>", xml):
        pairs = re.findall(r'(\w+)\s*=\s*"([^"]*)"', tag[1])
        yield {key: unescape(value) for key, value in pairs}


def _number(letters: str) -> int:
    """The number of a column such as AB, from 1."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
