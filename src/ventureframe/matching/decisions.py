"""The user's decisions on candidates: a table filled in with yes or no.

They are found by the list's own name and domain, never by the number of a line.
"""

import os
from pathlib import Path
from typing import Any

from polars import (
    Boolean,
    DataFrame,
    Expr,
    Series,
    String,
    UInt32,
    col,
    concat,
    concat_str,
)

from ventureframe.display.table import Table, columns
from ventureframe.display.wording import counted
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.files import write_whole
from ventureframe.matching import headings, lists
from ventureframe.matching.lists import List

_KEY = ("name", "domain")  # columns that a decision is found by
_ANSWERS = {
    **dict.fromkeys(("yes", "y", "x", "1", "true"), True),
    **dict.fromkeys(("no", "n", "0", "false"), False),
}
_LINE = ("Name", "Website", "Name in the records", "Record UUID", "Decision")
BACK = "taken back"  # an answer that undoes an earlier one
_SCHEMA = {"row": UInt32, "uuid": String, "is_yes": Boolean}


def beside_notebook() -> Path:
    """The CSV that keeps the decisions made in the running notebook."""
    notebook = Path(os.environ.get("JPY_SESSION_NAME", "my-list.ipynb"))
    return notebook.with_suffix(".decided.csv")


def keep(lines: list[list[str]]) -> None:
    """Add lines to that CSV: name and domain of the list, name and UUID of the record,
    and the answer. The last line of a pair decides it.
    """
    path, frames = beside_notebook(), [DataFrame(lines, _LINE, orient="row")]
    if path.is_file():
        frames.insert(0, lists.read(path, is_decided=True).frame)
    frame = concat(frames, how="diagonal_relaxed")
    as_text = columns("text", null="", **{head: head for head in frame.columns})
    write_whole(path, f"\ufeff{Table('', '', as_text, frame).to_csv()}")


def read(
    decided: Any, list_: List, rows: DataFrame, records: DataFrame
) -> tuple[DataFrame, tuple[str, ...]]:
    """Read the decisions: by `row` and `uuid` whether the record `is_yes`.

    Beside them stand notes: how many were read, and those that no longer apply. Raises
    `UnsupportedValue` where a column is missing, and for an answer that is neither yes
    nor no, or a second yes.
    """
    if decided is None:
        return DataFrame(schema=_SCHEMA), ()
    named = {meaning: list_.columns[meaning] for meaning in _KEY}
    table = lists.read(decided, is_decided=True, **named)
    made = _made(table)
    yes = made.filter("is_yes")
    wrong = (
        (made.filter(col.is_yes.is_null()), "has neither yes nor no under Decision"),
        (yes.filter(~col.key.is_first_distinct()), "is a second yes for this row"),
    )
    for answers, reason in wrong:
        for line, entry in answers.select("line", "key").rows():
            text = f"line {line} {reason}: write one answer"
            raise UnsupportedValue(entry, field="decided", reason=text)
    made = made.join(rows.select("row", key=_keys()), on="key", how="left")
    is_recorded = col.uuid.is_in(records["uuid"].implode())
    applies = col.row.is_not_null() & is_recorded
    gone = made.filter(~applies)["key"]
    entries = gone.unique(maintain_order=True)
    notes = {
        f"{counted(made.height, 'decision')} read from": [table.name],
        f"{counted(len(gone), 'decision')} no longer applied:": entries,
    }
    return made.filter(applies).select(*_SCHEMA), tuple(headings.notes(notes))


def _keys() -> Expr:
    """The name and domain of a row, as they were before a CSV kept them from being
    formulas.
    """
    texts = col(_KEY).str.replace(r"^'([=+\-@])", "$1").str.to_lowercase()
    return concat_str(texts, separator=", ", ignore_nulls=True)


def _made(table: List) -> DataFrame:
    """The answers in a table: key, record, yes or no, and the line."""
    heads = {headings.spaced(name): name for name in table.frame.columns}
    columns: dict[str, Any] = {"key": _keys(), "line": Series(table.lines)}
    for name, heading in (("uuid", "record uuid"), ("answer", "decision")):
        if heading not in heads:
            reason = f"it has no column {heading!r}"
            raise UnsupportedValue(table.name, field="decided", reason=reason)
        text = table.frame[heads[heading]].cast(String)
        columns[name] = text.str.strip_chars().str.to_lowercase()
    made = table.texts.select(**columns).filter(col.answer != "")
    made = made.unique(["key", "uuid"], keep="last", maintain_order=True)
    is_yes = col.answer.replace_strict(_ANSWERS, default=None)
    return made.filter(col.answer != BACK).with_columns(is_yes=is_yes)
