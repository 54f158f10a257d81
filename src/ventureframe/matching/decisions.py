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

    Beside them stands a note on those that no longer apply. Raises `UnsupportedValue`
    where a column is missing, and for an answer that is neither yes nor no, or a
    second yes.
    """
    if decided is None:
        return DataFrame(schema=_SCHEMA), ()
    name, domain = list_.columns["name"], list_.columns["domain"]
    made = _made(lists.read(decided, is_decided=True, name=name, domain=domain))
    _refuse(made)
    keys = rows.select("row", key=_keys())
    made = made.join(keys, on="key", how="left")
    is_held = col("uuid").is_in(records["uuid"].implode())
    applies = col("row").is_not_null() & is_held
    gone = made.filter(~applies)["key"]
    names = "; ".join(gone.unique(maintain_order=True))
    note = f"{counted(len(gone), 'decision')} no longer applied: {names}"
    return made.filter(applies).select(*_SCHEMA), (note,) * bool(names)


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
    answer = _text(table, "decision")
    made = DataFrame([table.column(name) for name in _KEY])
    made = made.select(
        key=_keys(),
        uuid=_text(table, "record uuid"),
        is_yes=answer.replace_strict(_ANSWERS, default=None, return_dtype=pl.Boolean),
        line=pl.Series(table.lines),
    )
    made = made.filter(answer.is_not_null())
    return made.unique(["key", "uuid", "is_yes"], keep="first", maintain_order=True)


def _text(table: List, heading: str) -> pl.Series:
    """The column of this heading, in lower case."""
    for name in table.frame.columns:
        if headings.spaced(name) == heading:
            text = col(name).cast(pl.String).str.strip_chars().str.to_lowercase()
            return table.frame.select(text.replace("", None)).to_series()
    reason = f"it has no column {heading!r}"
    raise UnsupportedValue(table.name, field="decided", reason=reason)


def _refuse(made: DataFrame) -> None:
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
