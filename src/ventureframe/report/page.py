"""An executed notebook as one self-contained HTML page, bottom line first, and the list
of pages.

Cells tagged `lead` stand first, all others folded below them; cells tagged
`show-code` show their code; equal notebooks give equal bytes. A content security
policy lets the page's own style and script run, and no request.
"""

import base64
import datetime as dt
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mistune
from jinja2 import Environment, FileSystemLoader

from ventureframe.display import furniture
from ventureframe.display.statement import stands
from ventureframe.display.wording import day_in_words
from ventureframe.errors import ReportError
from ventureframe.interface.source import FACTS
from ventureframe.report.notebook import (
    HIDDEN,
    LEAD,
    SHOWN,
    SIGNED,
    WIDGET,
    Notebook,
    facts,
    is_tagged,
    parameters,
    worded,
)

_FOLDER = Path(__file__).parent
_HEADING = re.compile(r"^(#{1,2})[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_STYLE = re.compile(r"<style\b.*?</style>", re.DOTALL)
# by frames; the policy would refuse it
_STYLED = re.compile(r'(<[^<>]*?)\sstyle="[^"]*"')

# of the page: its `heading`, its `anchor`, and the `cells` under it
Section = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """One report as the list has it; without a file it was left out, for the reason
    in `answer`.
    """

    file: str
    title: str
    answer: str
    source: str | None = None
    as_of: str | None = None
    is_synthetic: bool | None = None
    licence: str | None = None
    filters: tuple[tuple[str, str], ...] = ()


def page(notebook: Notebook) -> str:
    """Make one HTML document of the notebook, named after its study where it has
    one.
    """
    question, first, lead, remaining = _parts(notebook)
    line = entry(notebook, file="")
    source = line.source or ""
    if line.as_of:
        source += f", {day_in_words(dt.date.fromisoformat(line.as_of))}"
    made_up = "SYNTHETIC" if line.is_synthetic else ""
    return _rendered(
        "page.html.j2",
        script=furniture.read("table.js"),
        footer=" · ".join(filter(None, (made_up, line.title, line.source))),
        title=line.title,
        signed=notebook["metadata"].get(SIGNED, {}),
        line=line,
        source=source,
        question=question,
        opening=first,
        lead=lead,
        remaining=remaining,
        facts=FACTS,
        widget=WIDGET,
        shown=SHOWN,
    )


def entry(notebook: Notebook, *, file: str) -> Entry:
    """The line of an executed notebook whose report is `file`.

    Source and day are those of the answer, else of the first output that has a
    source; without an answer stands the text it opens with. `is_synthetic` is None
    where no source says it.
    """
    title, text = opening(notebook)
    stated = list(facts(notebook["cells"]))
    answer = next((fact for fact in stated if "answer" in fact), {})
    source = next((fact for fact in (answer, *stated) if fact.get("source")), {})
    made_up = {fact.get("synthetic") for fact in stated} - {None}
    members = parameters(notebook).values()
    filters = [member for member in members if member.default not in (None, (), [])]
    return Entry(
        file,
        answer.get("title", title),
        answer.get("answer", text),
        source.get("source"),
        source.get("as_of"),
        is_synthetic=any(made_up) if made_up else None,
        licence=source.get("licence"),
        filters=tuple((member.label, worded(member)) for member in filters),
    )


def index(entries: Sequence[Entry]) -> str:
    """Make the page that lists these reports, in their order."""
    return _rendered("reports.html.j2", title="Reports", entries=entries)


def _rendered(
    template: str, *, script: str = "", footer: str = "", **values: Any
) -> str:
    """Make one HTML document of a template, with `footer` on every printed page."""
    quoted = "".join(sign if sign.isalnum() else f"\\{ord(sign):x} " for sign in footer)
    foot = f'content: "{quoted}"; font: 7.5pt sans-serif; color: #444; width: 88%;'
    pages = (_FOLDER / "page.css").read_text(encoding="utf-8").strip()
    tables = furniture.read("table.css")
    style = f"{pages}\n{tables}\n@page {{ @bottom-left {{ {foot} }} }}"
    policy = (
        f"default-src 'none'; img-src data:; style-src {_digest(style)}; "
        f"script-src {_digest(script)}; base-uri 'none'; form-action 'none'"
    )
    # the templates escape
    environment = Environment(loader=FileSystemLoader(_FOLDER))  # noqa: S701
    plugins = ["strikethrough", "table", "url"]
    markdown = mistune.create_markdown(escape=False, plugins=plugins)
    environment.filters |= {"markdown": markdown, "unstyled": _unstyled}
    document = environment.get_template(template).render(
        style=style,
        script=script,
        policy=policy,
        generator=f"ventureframe {version('ventureframe')}",
        **values,
    )
    return f"{document.rstrip()}\n"


def _unstyled(html: str) -> str:
    """Leave out what a notebook carries and what the policy refuses: styles of
    frames.
    """
    bare = _STYLE.sub("", html.replace(furniture.furniture(), ""))
    return _STYLED.sub(r"\1", bare)


def opening(notebook: Notebook) -> tuple[str, str]:
    """The notebook's title and the first paragraph under it."""
    title, first, _, _ = _parts(notebook)
    return title, _plain(first["source"].strip().partition("\n\n")[0])


def _parts(notebook: Notebook) -> tuple[str, Any, list[Section], list[Section]]:
    """The title, the cell that opens the notebook, its lead sections and all others."""
    cells = [cell for cell in notebook["cells"] if not is_tagged(cell, HIDDEN)]
    heading = _HEADING.search(cells[0]["source"]) if cells else None
    if heading is None:
        raise ReportError(
            "the notebook does not begin with a '# Title', so its report has none"
        )
    first, *cells = cells
    lead = _sections([cell for cell in cells if is_tagged(cell, LEAD)])
    remaining = _sections([cell for cell in cells if not is_tagged(cell, LEAD)])
    body = {**first, "source": first["source"].replace(heading[0], "", 1)}
    return _plain(heading[2]), body, lead, remaining


def _sections(cells: list[Any]) -> list[Section]:
    """The cells under their `## Heading`; those before the first heading have none."""
    sections = [Section(heading="", anchor="", cells=[])]
    for cell in cells:
        is_text = cell["cell_type"] == "markdown"
        if is_text and (heading := _HEADING.match(cell["source"])):
            text = _plain(heading[2])
            anchor = re.sub(r"\W+", "-", text.lower()).strip("-")
            body = {**cell, "source": cell["source"][heading.end() :]}
            sections.append(Section(heading=text, anchor=anchor, cells=[body]))
        else:
            sections[-1]["cells"].append(cell)
    for section in sections:
        cells = section["cells"]
        if not stands(list(facts(cells))):  # a line of each is enough
            section["cells"] = [cell for cell in cells if cell["cell_type"] == "code"]
    return [section for section in sections if section["cells"]]


def _plain(markdown: str) -> str:
    return re.sub(r"[`*]", "", markdown)


def _digest(text: str) -> str:
    """The hash by which the policy allows this style or script."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'" if text else "'none'"
