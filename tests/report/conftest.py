"""A small notebook that stands for any: parameters, a lead, a table, a figure, a
warning.
"""

import base64
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from IPython.core.formatters import DisplayFormatter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10"><path d="M0'
    b' 5h40"/></svg>'
)

PARAMETERS = """
university = "Example University"  # as the service names it
city = "Example Town"
share = 0.5
is_strict = False
tags = ["Robotics"]
""".strip()

TABLE = """
import polars as pl
from ventureframe.display.table import Column, Table
names = ['Beta, "Inc"', "=Gamma()", "Älpha"]
frame = pl.DataFrame({"company": names, "total": [1200.5, None, -90]})
Table("Companies", "USD", (Column("company", "company"), Column("total", "total", "number")), frame)
""".strip()

FIGURE = f"""
display(HTML('''<figure class="vf-figure"><img alt="A line"
src="data:image/svg+xml;base64,{base64.b64encode(SVG).decode()}">
<figcaption>One line</figcaption></figure>'''))
""".strip()

Write = Callable[..., Path]


def cells(*last: str) -> list[nbformat.NotebookNode]:
    """The cells of the small notebook, `last` as code at its end."""
    return [
        new_markdown_cell("# Who started what?\n\nA question."),
        new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
        new_code_cell("from IPython.display import HTML, display"),
        new_markdown_cell("## Pool\n\nSome prose."),
        new_code_cell(TABLE),
        new_code_cell(FIGURE),
        new_markdown_cell("## The answer", metadata={"tags": ["lead"]}),
        new_code_cell(
            "display(HTML(f'<p>{university} in {city}</p>'))",
            metadata={"tags": ["lead"]},
        ),
        new_markdown_cell("## Sources & clocks"),
        *map(new_code_cell, last),
    ]


def shown(value: object) -> nbformat.NotebookNode:
    """A code cell that has displayed a value, made without a kernel."""
    data, metadata = DisplayFormatter().format(value)
    output = new_output("display_data", data=data, metadata=metadata)
    cell: nbformat.NotebookNode = new_code_cell(outputs=[output])
    return cell


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the small notebook, with more code at its end, and returns its path."""

    def write(*last: str, name: str = "small", question: str = "") -> Path:
        path = tmp_path / f"{name}.ipynb"
        metadata = {"ventureframe": {"question": question}} if question else {}
        nbformat.write(new_notebook(cells=cells(*last), metadata=metadata), path)
        return path

    return write
