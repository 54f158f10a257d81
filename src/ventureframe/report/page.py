"""An executed notebook as one self-contained HTML page: code hidden, bottom line first.

Cells tagged `lead` stand first, whatever their place in the notebook; cells tagged `show-code`
show their code. Everything else comes from the notebook's text and outputs, and equal notebooks
give equal bytes. A content security policy lets the page's own style and script run and nothing be
requested.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import nbformat
from nbconvert import HTMLExporter

from ventureframe.errors import ReportError
from ventureframe.interface.source import FACTS
from ventureframe.report.notebook import LEAD, SHOWN, is_synthetic, is_tagged

WIDGET: Final = "application/vnd.jupyter.widget-view+json"

_FOLDER: Final = Path(__file__).parent
_HEADING: Final = re.compile(r"^(#{1,2})[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_STYLE: Final = re.compile(r"<style\b.*?</style>", re.DOTALL)
_STYLED: Final = re.compile(r'(<[^<>]*?)\sstyle="[^"]*"')


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page: its heading, its anchor, and the cells under it."""

    heading: str
    anchor: str
    cells: tuple[Any, ...]


def page(notebook: nbformat.NotebookNode) -> str:
    """The notebook as the text of one HTML document."""
    title, first, lead, rest = _parts(notebook)
    return render(
        "page.html.j2",
        language=notebook.metadata.get("language_code", "en"),
        title=title,
        script=_read("page.js"),
        opening=first,
        lead=lead,
        rest=rest,
        is_synthetic=is_synthetic(notebook),
        facts=FACTS,
        widget=WIDGET,
        shown=SHOWN,
    )


def render(template: str, *, script: str = "", **values: Any) -> str:
    """A template of this folder as the text of one HTML document, with the style of all pages."""
    style = _read("page.css")
    exporter = HTMLExporter(
        extra_template_paths=[str(_FOLDER)],
        exclude_anchor_links=True,
        filters={"unstyled": _unstyled},
    )
    body: str = exporter.environment.get_template(template).render(
        generator=f"ventureframe {version('ventureframe')}",
        policy=_policy(style, script),
        style=style,
        script=script,
        **values,
    )
    return f"{body.rstrip()}\n"


def opening(notebook: nbformat.NotebookNode) -> tuple[str, str]:
    """The notebook's title and the first paragraph under it."""
    title, first, _, _ = _parts(notebook)
    return title, _plain(first.source.strip().partition("\n\n")[0])


def _parts(
    notebook: nbformat.NotebookNode,
) -> tuple[str, Any, list[Section], list[Section]]:
    """The title, the cell that opens the notebook, its lead sections and all others."""
    if not notebook.cells or not (first := _HEADING.search(notebook.cells[0].source)):
        raise ReportError("the notebook does not begin with a '# Title', so its report has none")
    opening, *rest = notebook.cells
    lead = [cell for cell in rest if is_tagged(cell, LEAD)]
    others = [cell for cell in rest if not is_tagged(cell, LEAD)]
    body = {**opening, "source": opening.source.replace(first[0], "", 1)}
    return _plain(first[2]), nbformat.from_dict(body), _sections(lead), _sections(others)


def _sections(cells: list[Any]) -> list[Section]:
    """The cells under their `## Heading`; those before the first heading have none."""
    found: list[tuple[str, list[Any]]] = [("", [])]
    for cell in cells:
        heading = _HEADING.match(cell.source) if cell.cell_type == "markdown" else None
        if heading:
            body = cell.source[heading.end() :]
            found.append((_plain(heading[2]), [nbformat.from_dict({**cell, "source": body})]))
        else:
            found[-1][1].append(cell)
    return [Section(heading, _anchor(heading), tuple(under)) for heading, under in found if under]


def _anchor(heading: str) -> str:
    return re.sub(r"\W+", "-", heading.lower()).strip("-")


def _plain(markdown: str) -> str:
    """The text of a heading without its code and emphasis marks."""
    return re.sub(r"[`*]", "", markdown)


def _unstyled(text: str) -> str:
    """The HTML without the style that frames bring along, which the policy would refuse."""
    return _STYLED.sub(r"\1", _STYLE.sub("", text))


def _read(name: str) -> str:
    """A file of this folder, without the line feed at its end."""
    return (_FOLDER / name).read_text(encoding="utf-8").strip()


def _policy(style: str, script: str) -> str:
    """Nothing may be loaded but images in the page itself; this style and this script may run."""
    runs = _source(script) if script else "'none'"
    return (
        f"default-src 'none'; img-src data:; style-src {_source(style)}; "
        f"script-src {runs}; base-uri 'none'; form-action 'none'"
    )


def _source(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
