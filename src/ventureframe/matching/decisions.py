"""The user's decisions on candidates: a table filled in with yes or no.

They are found by the list's own name and domain, never by the number of a line.
"""

from typing import Any

import polars as pl
from polars import DataFrame, col

from ventureframe.display.wording import counted
from ventureframe.errors import UnsupportedValue
from ventureframe.matching import headings, lists
from ventureframe.matching.lists import List

_KEY = ("name", "domain")  # columns that a decision is found by
_ANSWERS = {
    **dict.fromkeys(("yes", "y", "x", "1", "true"), True),
    **dict.fromkeys(("no", "n", "0", "false"), False),
}
_SCHEMA = {"row": pl.UInt32, "uuid": pl.String, "is_yes": pl.Boolean}


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
    try:
        table = lists.read(decided, is_decided=True, **named)
    except UnsupportedValue as error:
        if error.field not in named:
            raise
        table = lists.read(decided, is_decided=True)  # under other headings
    made = _made(table)
    confirmed = set[str]()
    for line, entry, is_yes in made.select("line", "key", "is_yes").iter_rows():
        reason = ""
        if is_yes is None:
            reason = f"line {line} has neither yes nor no under Decision"
        if is_yes and entry in confirmed:
            reason = f"line {line} is a second yes for this row: keep one"
        if reason:
            raise UnsupportedValue(entry, field="decided", reason=reason)
        if is_yes:
            confirmed.add(entry)
    notes = [f"{counted(made.height, 'decision')} read from {table.name}"]
    keys = rows.select("row", key=_keys())
    made = made.join(keys, on="key", how="left")
    is_held = col("uuid").is_in(records["uuid"].implode())
    applies = col("row").is_not_null() & is_held
    gone = made.filter(~applies)["key"]
    if len(gone):
        names = "; ".join(gone.unique(maintain_order=True))
        notes.append(f"{counted(len(gone), 'decision')} no longer applied: {names}")
    return made.filter(applies).select(*_SCHEMA), tuple(notes)


def _keys() -> pl.Expr:
    """The name and domain of a row, as they were before a CSV kept them from being
    formulas.
    """
    texts = [
        col(name).str.replace(r"^'([=+\-@])", "$1").str.to_lowercase() for name in _KEY
    ]
    return pl.concat_str(*texts, separator=", ", ignore_nulls=True)


def _made(table: List) -> DataFrame:
    """The answers that are given: key, record, yes or no, and the line."""
    heads = {headings.spaced(name): name for name in table.frame.columns}
    for heading in ("record uuid", "decision"):
        if heading not in heads:
            reason = f"it has no column {heading!r}"
            raise UnsupportedValue(table.name, field="decided", reason=reason)
    texts = table.frame.select(
        uuid=col(heads["record uuid"]).cast(pl.String),
        answer=col(heads["decision"]).cast(pl.String),
    ).select(pl.all().str.strip_chars().str.to_lowercase())
    texts = texts.hstack([table.column(name) for name in _KEY])
    made = texts.select(
        "uuid",
        "answer",
        key=_keys(),
        is_yes=col("answer").replace_strict(_ANSWERS, default=None),
        line=pl.Series(table.lines),
    )
    made = made.filter(col("answer") != "")
    return made.unique(["key", "uuid"], keep="last", maintain_order=True)
