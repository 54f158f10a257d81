"""`python -m tests.notebooks.refresh FOLDER|NOTEBOOK …` runs notebooks and keeps
their outputs.
"""

import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from ventureframe.interface.files import write_whole
from ventureframe.interface.source import FACTS
from ventureframe.report.notebook import find, needs_key, read, without_widgets
from ventureframe.report.run import run

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def fresh(path: Path, *, progress: bool = True) -> NotebookNode:
    """Run a notebook on the synthetic sample and return it with its outputs.

    What differs from run to run (widget models, kernel and version names) is left
    out, so that a second run is equal. A notebook that needs a key has no outputs.
    """
    document = read(path)
    if is_run := not needs_key(document):
        document = run(document, name=path.stem, data="", progress=progress)
    own = {name: value for name, value in document.metadata.items() if name == FACTS}
    document.metadata = {
        "kernelspec": KERNEL,
        "language_info": {"name": "python"},
        **own,
    }
    without_widgets(document)
    for cell in document.cells:
        if cell.cell_type == "code" and not is_run:
            cell.outputs, cell.execution_count = [], None
    return document


def refresh(notebook: str | Path, *, progress: bool = True) -> Path:
    """Run a notebook as `fresh` does and save it in place."""
    path = find(notebook)
    return save(fresh(path, progress=progress), path)


def save(notebook: NotebookNode, path: Path) -> Path:
    """Write a notebook as its file, whole."""
    write_whole(path, nbformat.writes(notebook) + "\n")
    return path


if __name__ == "__main__":
    for name in map(Path, sys.argv[1:]):
        for notebook in sorted(name.glob("*.ipynb")) if name.is_dir() else [name]:
            refresh(notebook)
