"""What was built, on one page: each report's title, answer, source, day, and whether it is real."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Any, Final

import nbformat

from ventureframe.report.page import is_synthetic, opening, policy, read

NAME: Final = "index.html"

_ANSWER: Final = re.compile(r'<p class="vf-answer">(.*?)</p>', re.DOTALL)
_SERVICE: Final = re.compile(r'^(?:embedded|live) service · .*?"(?P<name>.+?)"', re.DOTALL)
_AS_OF: Final = re.compile(r"· as of (\d{4}-\d{2}-\d{2})")
_HEADS: Final = ("Report", "Answer", "Source", "As of", "Records")


@dataclass(frozen=True, slots=True)
class Entry:
    """One report as the list has it; without a file it was left out, for the reason in `answer`."""

    file: str
    title: str
    answer: str
    source: str = ""
    as_of: str = ""
    is_synthetic: bool | None = None


def entry(notebook: nbformat.NotebookNode, *, file: str) -> Entry:
    """The line of an executed notebook whose report is `file`.

    A notebook without an answer is told by the text it opens with.
    """
    title, text = opening(notebook)
    texts = list(_outputs(notebook))
    answers = (found[1] for said in texts if (found := _ANSWER.search(said)))
    service = next((said for said in texts if _SERVICE.match(said)), "")
    named, day = _SERVICE.match(service), _AS_OF.search(service)
    return Entry(
        file=file,
        title=title,
        answer=unescape(next(answers, "")) or text,
        source=named["name"] if named else "",
        as_of=day[1] if day else "",
        is_synthetic=is_synthetic(notebook),
    )


def index(entries: Sequence[Entry]) -> str:
    """The page that lists these reports, in their order."""
    style = read("page.css")
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    rows = "\n".join(map(_row, entries))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Reports</title>
<style>{style}</style>
</head>
<body class="vf-index">
<main>
<h1>Reports</h1>
<p>Each is one file that opens without a network.</p>
<div class="vf-scroll" tabindex="0" role="region" aria-label="Table: Reports"><table>
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody></table></div>
</main>
</body>
</html>
"""


def _row(each: Entry) -> str:
    title = escape(each.title)
    link = f'<a href="{escape(each.file)}">{title}</a>' if each.file else title
    kinds = {True: "SYNTHETIC", False: "real", None: "–"}
    kind = f"<strong>{kinds[each.is_synthetic]}</strong>" if each.is_synthetic else "–"
    if each.is_synthetic is False:
        kind = kinds[False]
    cells = (escape(each.answer), escape(each.source) or "–", each.as_of or "–", kind)
    return f'<tr><th scope="row">{link}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _outputs(notebook: nbformat.NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data: dict[str, Any] = output.get("data", {})
            yield from (data[kind] for kind in ("text/html", "text/plain") if kind in data)
