"""The user's decisions on candidates: a table filled in with yes or no.

They are found by the list's own name and domain, never by the number of a line.
"""

from typing import Any, NamedTuple

import polars as pl
from polars import DataFrame, col

from ventureframe.display.wording import counted
from ventureframe.errors import UnsupportedValue
from ventureframe.matching import lists
from ventureframe.matching.lists import List

_KEY = ("name", "domain")  # columns that a decision is found by
_ANSWERS = {
    **dict.fromkeys(("yes", "y", "x", "1", "true"), True),
    **dict.fromkeys(("no", "n", "0", "false"), False),
}
_SCHEMA = {"row": pl.UInt32, "uuid": pl.String}


class Decisions(NamedTuple):
    """The decisions for and against records, by `row` and `uuid`, and what the user
    should know.
    """

    yes: DataFrame
    no: DataFrame
    notes: tuple[str, ...] = ()


def read(decided: Any, list_: List, rows: DataFrame, records: DataFrame) -> Decisions:
    """Read the decisions, and note those that no longer apply.

    Raises `UnsupportedValue` where a column is missing, and for an answer that is
    neither yes nor no, or a second yes.
    """
    if decided is None:
        none = DataFrame(schema=_SCHEMA)
        return Decisions(none, none)
    name, domain = list_.columns["name"], list_.columns["domain"]
    table = lists.read(decided, name=name, domain=domain)
    made = _made(table)
    _refuse(made)
    made = made.join(rows.select("row", key=_keys()), on="key", how="left")
    is_held = col("uuid").is_in(records["uuid"].implode())
    applies = col("row").is_not_null() & is_held
    gone = made.filter(~applies)["key"]
    made = made.filter(applies)
    notes = tuple[str, ...]()
    if len(gone):
        names = "; ".join(gone.unique(maintain_order=True))
        notes = (f"{counted(len(gone), 'decision')} no longer applied: {names}",)
    return Decisions(
        made.filter("is_yes").select(*_SCHEMA),
        made.filter(~col("is_yes")).select(*_SCHEMA),
        notes,
    )


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
    heads = {lists.spaced(head): head for head in table.frame.columns}
    for head in ("decision", "record uuid"):
        if head not in heads:
            reason = f"it has no column {head!r}"
            raise UnsupportedValue(table.name, field="decided", reason=reason)
    answer, uuid = (
        table.frame[heads[head]].cast(pl.String).str.strip_chars().str.to_lowercase()
        for head in ("decision", "record uuid")
    )
    is_yes = answer.replace_strict(_ANSWERS, default=None, return_dtype=pl.Boolean)
    made = DataFrame([table.column(name) for name in _KEY]).select(key=_keys())
    made = made.with_columns(uuid=uuid, is_yes=is_yes, line=pl.Series(table.lines))
    made = made.filter(answer.fill_null("") != "")
    return made.unique(["key", "uuid", "is_yes"], keep="first", maintain_order=True)


def _refuse(made: DataFrame) -> None:
    is_second = col("is_yes") & (col("is_yes").cum_sum().over("key") > 1)
    cases = (
        ("line {} has neither yes nor no under Decision", col("is_yes").is_null()),
        ("line {} is a second yes for this row: keep one", is_second),
    )
    for reason, is_wrong in cases:
        for line, entry in made.filter(is_wrong).select("line", "key").rows():
            raise UnsupportedValue(entry, field="decided", reason=reason.format(line))
