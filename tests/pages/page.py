"""Parses what a reader sees of a study: its sentences, and its tables in each form."""

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from ventureframe.display.workbook import sheet_name
from ventureframe.evidence.study import Study

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_VOID = {"wbr", "br", "img", "input", "hr"}
_SAID_IN = {"claims": "claim", "caveats": "caveat"}
"""The findings of which a column holds sentences, by that column."""


class Sentence(NamedTuple):
    """A sentence, and where on the page it stands."""

    place: str
    text: str


@dataclass(frozen=True)
class Table:
    """A finding as a page shows it, as CSV and as a sheet of the workbook."""

    name: str
    caption: str
    headings: list[str]
    shown: list[list[str]]
    """Cells as a reader sees them."""
    exact: list[list[str]]
    """Cells as the page's script reads them."""
    csv: list[list[str]]
    sheet: list[list[str]] | None


@dataclass(frozen=True)
class Page:
    """A study's title and sentences in their order, its key figures and its tables."""

    title: str
    sentences: list[Sentence]
    tables: list[Table]
    summary: list[list[str]] = field(default_factory=list)
    """The lines of the workbook's first sheet."""
    first: Table | None = None
    """The first ten rows of the lead table, where it has more."""


class _Element(NamedTuple):
    tag: str
    attributes: dict[str, str | None]
    texts: list[str]

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts)).strip()


class _Elements(HTMLParser):
    """The elements of a page with their text, each where it ends."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open = list[_Element]()
        self.closed = list[_Element]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.handle_data("|")
        if tag not in _VOID:
            self.open.append(_Element(tag, dict(attrs), []))

    def handle_endtag(self, tag: str) -> None:
        self.closed.append(self.open.pop())
        if tag == "strong":
            self.handle_data("|")

    def handle_data(self, data: str) -> None:
        is_code = any(element.tag in ("style", "script") for element in self.open)
        for element in self.open:
            if not is_code:
                element.texts.append(data)


def _of(elements: list[_Element], *tags: str) -> list[_Element]:
    """The elements of these tags."""
    return [element for element in elements if element.tag in tags]


def read(study: Study) -> Page:
    """Render the study and parse what it shows."""
    sheets = read_workbook(study.workbook())
    sentences = [Sentence("title", study.title)]
    sentences += _answer(study)
    tables = list[Table]()
    for name in study.findings():
        finding = getattr(study, name)
        elements = _Elements(finding._repr_html_()).closed
        if len(finding):
            tables.append(_table(name, elements, finding.to_csv(), sheets))
        sentences += _captions(name, elements)
        if finding.drawing is not None:
            sentences += _figure(name, finding)
        if name in _SAID_IN and len(finding):
            texts = finding.frame[_SAID_IN[name]].to_list()
            sentences += (
                Sentence(name, part) for text in texts for part in parts(text)
            )
    summary = sheets.get("Answer", [])
    known = [figure.label for figure in study.key_figures]
    for line in summary:
        if line[0] in known:
            sentences.append(Sentence("workbook", ": ".join(line[:2])))
    return Page(study.title, sentences, tables, summary, _first(study))


def _first(study: Study) -> Table | None:
    """The ten rows that page one shows."""
    name, shown = first_name(study), study.table
    if not len(shown):
        return None
    elements = _Elements(shown._repr_html_()).closed
    return _table(name, elements, shown.to_csv(), {})


def first_name(study: Study) -> str:
    """The name of the finding that page one begins with."""
    title = study.table.title
    return next(
        name for name in study.findings() if getattr(study, name).title == title
    )


def parts(text: str) -> list[str]:
    """The sentences of a text."""
    return re.split(r"(?<=[.?!]) +(?=[A-Z\d“])", text)


def _answer(study: Study) -> Iterator[Sentence]:
    answer = study.answer
    for element in _Elements(answer._repr_html_()).closed:
        if element.tag == "div" and not element.attributes:
            value, label, note = element.text.split("|")
            yield Sentence("tile", _tile(label, value, note))
        elif "counted" in (element.attributes.get("class") or ""):
            yield Sentence("counted", element.text)
        elif element.attributes.get("class") == "vf-single":
            yield Sentence("tile", element.text.rstrip("."))
        elif element.tag == "p":
            yield from (Sentence("answer", part) for part in parts(element.text))
    limits = answer.limits._repr_mimebundle_()[0]["text/html"]
    for element in _of(_Elements(limits).closed, "li"):
        yield from (Sentence("limit", part) for part in parts(element.text))


def _tile(label: str, value: str, note: str) -> str:
    return f"{label}: {value} ({note})" if note else f"{label}: {value}"


def _captions(name: str, elements: list[_Element]) -> Iterator[Sentence]:
    """The title of a finding, then the parts of its caption."""
    for element in _of(elements, "figcaption", "p"):
        if "|" not in element.text:
            continue
        title, about = element.text.split("|", 1)
        yield Sentence(f"{name}, title", title)
        for part in about.split(" · "):
            if part.strip():
                yield Sentence(f"{name}, caption", part.strip())


def _figure(name: str, finding: Any) -> Iterator[Sentence]:
    """The headline, notes and alternative text of a figure, or why there is none."""
    drawn = finding.drawn_by()
    if drawn.empty == drawn.alt.rstrip("."):
        yield from (Sentence(f"{name}, alt", part) for part in parts(drawn.alt))
        return
    if drawn.empty:
        yield from (Sentence(f"{name}, figure", part) for part in parts(drawn.empty))
        return
    yield Sentence(f"{name}, figure", drawn.headline)
    yield from (Sentence(f"{name}, figure", note) for note in drawn.notes if note)
    yield from (Sentence(f"{name}, alt", part) for part in parts(drawn.alt))


def _table(
    name: str, elements: list[_Element], text: str, sheets: dict[str, list[list[str]]]
) -> Table:
    heads = [head.text for head in _of(elements, "th")]
    cells = _of(elements, "td")
    shown = [cell.text for cell in cells]
    exact = [_exact(cell) for cell in cells]
    captions = _of(elements, "figcaption")
    caption = captions[0].text.partition("|")[2].strip() if captions else ""
    lines = [[*line] for line in csv.reader(io.StringIO(text))]
    if lines[0][-1] == "Data source":
        lines = [line[:-1] for line in lines]
    sheet = sheets.get(sheet_name(name))
    width = max(len(heads), 1)
    return Table(
        name, caption, heads, _rows(shown, width), _rows(exact, width), lines, sheet
    )


def _rows(cells: list[str], width: int) -> list[list[str]]:
    return [cells[at : at + width] for at in range(0, len(cells), width)]


def _exact(cell: _Element) -> str:
    """The value behind a cell: none where the cell is styled as a null."""
    if "vf-null" in (cell.attributes.get("class") or ""):
        return ""
    value = cell.attributes.get("data-value")
    return cell.text if value is None else value


def read_workbook(content: bytes) -> dict[str, list[list[str]]]:
    """The rows of each sheet, as text; what stands above a table is left out."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = _xml(archive, "xl/workbook.xml").iter(f"{_MAIN}sheet")
        strings = [
            "".join(text.text or "" for text in item.iter(f"{_MAIN}t"))
            for item in _xml(archive, "xl/sharedStrings.xml").iter(f"{_MAIN}si")
        ]
        return {
            sheet.get("name", ""): _sheet(
                _xml(archive, f"xl/worksheets/sheet{at}.xml"), strings
            )
            for at, sheet in enumerate(names, 1)
        }


def _xml(archive: zipfile.ZipFile, path: str) -> ET.Element:
    return ET.fromstring(archive.read(path))


def _sheet(xml: ET.Element, strings: list[str]) -> list[list[str]]:
    rows = list[list[str]]()
    for row in xml.iter(f"{_MAIN}row"):
        rows.append([])
        for cell in row.iter(f"{_MAIN}c"):
            letters = re.sub(r"\d", "", cell.get("r", "A1"))
            place = 0
            for letter in letters:
                place = 26 * place + ord(letter) - 64
            rows[-1] += [""] * (place - len(rows[-1]))
            value = cell.findtext(f"{_MAIN}v") or ""
            if cell.get("t") == "s":
                value = strings[int(value)]
            rows[-1][place - 1] = value
    return rows
