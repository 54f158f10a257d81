"""How the list of a form is read: a note beneath its box, and its columns to choose
from.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from ventureframe.errors import UnsupportedValue
from ventureframe.matching.lists import List
from ventureframe.panel.controls import Control

_CHOOSE = "The column of names is not recognised: choose it among those of the list."


class Reading:
    """Reads the list of a question whenever it or a choice of a column changes.

    A file is read into the box. Each choice offers the columns of the list, first what
    was recognised; another list begins without a choice.
    """

    def __init__(self, question: Any, controls: Mapping[str, Control]) -> None:
        self._question, self._controls = question, controls
        self._field, upload = controls["list"].fields
        self._note = widgets.HTML()
        controls["list"].box.children += (self._note,)
        self._is_offering = False
        upload.observe(self._take, "value")
        for name in ("list", "sheet", *question.columns):
            controls[name].fields[0].observe(self._show, "value")
        self._show()

    def _take(self, change: Any) -> None:
        for file in change.new:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / Path(file["name"]).name
                path.write_bytes(file["content"])
                table, note = self._read(list=str(path))
            self._field.value = table.text if table else ""
            self._note.value = escape(note)

    def _show(self, change: Any = None) -> None:
        """Show how the list is read, and offer its columns."""
        values = {"list": self._controls["list"].read()}
        if self._is_offering or not values["list"]:
            return
        self._is_offering = True
        columns = self._question.columns
        for name in columns:
            if change and change.owner is self._field:
                self._controls[name].write(None)
            values[name] = self._controls[name].read()
        table, note = self._read(**values)
        self._note.value = escape(note)
        for name, meaning in columns.items():
            head = table.columns[meaning] if table and not values[name] else None
            first = f"{head} (recognised)" if head else "as recognised"
            self._controls[name].offer(table.frame.columns if table else (), first)
        self._is_offering = False

    def _read(self, **values: Any) -> tuple[List | None, str]:
        """Read the list, and note how; where its column of names is not recognised,
        none is said to be.
        """
        sheet = self._controls["sheet"].read()
        question = self._question.set(sheet=sheet, **values)
        try:
            table = question.table
        except UnsupportedValue as error:
            if values.get("name") or not error.choices:
                return None, error.reason
            table, note = self._read(**{**values, "name": error.choices[0]})
            if table is None:
                return None, note
            return replace(table, columns={**table.columns, "name": None}), _CHOOSE
        return table, " · ".join(table.notes)
