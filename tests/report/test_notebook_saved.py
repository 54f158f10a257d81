"""A notebook that JupyterLab saves unchanged is the file that it was."""

import json
from pathlib import Path
from typing import Any

import pytest

from ventureframe.report.notebook import before_save, reports

HERE = {"name": "python", "version": "3.11.7", "file_extension": ".py"}


@pytest.mark.parametrize("path", reports(), ids=lambda path: path.stem)
def test_what_is_of_one_computer_alone_is_not_saved(path: Path) -> None:
    before = json.loads(path.read_text("utf-8"))
    model = {"type": "notebook", "content": json.loads(path.read_text("utf-8"))}
    metadata = model["content"]["metadata"]
    metadata["kernelspec"]["display_name"] = "Python 3 (ipykernel)"
    metadata["language_info"] = HERE
    before_save(model)
    assert model["content"] == before


def test_a_notebook_of_another_kernel_and_other_files_stay_as_they_are() -> None:
    other = {"kernelspec": {"name": "ir", "display_name": "R"}}
    content = {"cells": [], "metadata": {**other}}
    model: dict[str, Any] = {"type": "notebook", "content": content}
    before_save(model)
    assert model["content"]["metadata"] == other
    before_save(text := {"type": "file", "content": "x"})
    assert text == {"type": "file", "content": "x"}
