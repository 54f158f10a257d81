"""Read tables of one's own, CSV or workbooks, as a dataset.

Nothing is lost in silence: what each column is taken for is said, and so is every
column and cell that is left out.
"""

import datetime as dt
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import polars as pl
import python_calamine as calamine
from polars import col

from ventureframe.dataset.check import wrong
from ventureframe.dataset.manifest import Description
from ventureframe.dataset.schema import TABLES
from ventureframe.errors import SaveError, UnsupportedValue
from ventureframe.importing.tables import made
from ventureframe.matching import cells, domains, lists
from ventureframe.matching.headings import HEADINGS, refused, some, spaced
from ventureframe_service.dataset import Dataset

_FILE = files(__package__) / "headings.toml"
_FIELDS = tomllib.loads(_FILE.read_text("utf-8"))
_KINDS = _FIELDS.pop("tables")
_AMOUNTS, _UNIT = {"total_funding", "amount"}, "_currency"
_FLAGS = {"true": True, "yes": True, "false": False, "no": False}
_GERMAN = r",\d{1,2}$|\d\.\d{3}[.,]"
"""What a number has that ends in a decimal comma, or has points between thousands."""


def read(
    paths: Sequence[Path], name: str, *, day: dt.date, currency: str | None = None
) -> tuple[Dataset, list[str]]:
    """Read files as a dataset of this name and day, of a workbook each visible sheet;
    say what is taken for what, and what is left out.

    Amounts are in `currency` where no column says another; for ids see
    `tables.made`. Raises `UnsupportedValue` where no companies are recognised, or an
    amount has no currency.
    """
    said, held = list[str](), dict[str, pl.DataFrame]()
    for kind in _FIELDS:
        held[kind] = pl.DataFrame(schema={"position": pl.Int64(), **_types(kind)})
    for path in paths:
        for sheet in _sheets(path):
            source = f"{path.name}, {sheet}" if sheet else path.name
            try:
                table = lists.read(path, sheet=sheet)
            except UnsupportedValue as error:
                said.append(f"{source} is not used: {error.reason}")
                continue
            words = spaced(sheet or path.stem).split()
            kind = next(filter(None, map(_KINDS.get, words)), "companies")
            held[kind].extend(
                _rows(table, source, kind, day=day, currency=currency, said=said)
            )
    if held["companies"].is_empty():
        raise refused(name, f"no companies are recognised: {'; '.join(said)}")
    sources = tuple(path.name for path in paths)
    about = Description(name, "Imported.", day, False, "not stated", sources)
    return Dataset.of(about, made(held, said)), said


def write(dataset: Dataset, out: Path) -> Path:
    """Write the tables that have rows, and of these the columns that hold anything.

    Raises `SaveError` where the folder holds files.
    """
    if out.is_dir() and any(out.iterdir()):
        raise SaveError("holds files: choose a new folder", folder=str(out))
    tables = dict[str, pl.DataFrame]()
    for name, rows in dataset.tables.items():
        if rows.height:
            held = [column for column in rows if column.null_count() < rows.height]
            tables[name] = rows.select(held)
    return replace(dataset, tables=tables).write(out)


def _types(kind: str) -> dict[str, pl.DataType]:
    """The fields that a table of one's own can have, each with its type."""
    columns = TABLES[kind].columns
    return {name: columns.get(name, pl.String()) for name in _FIELDS[kind]}


def _sheets(path: Path) -> Sequence[str | None]:
    """The visible sheets of a workbook; None alone for another file."""
    try:
        with calamine.load_workbook(path) as book:
            sheets = book.sheets_metadata
    except (OSError, calamine.CalamineError):
        return (None,)
    visible = calamine.SheetVisibleEnum.Visible
    return [about.name for about in sheets if about.visible == visible]


def _rows(
    table: lists.List,
    source: str,
    kind: str,
    *,
    day: dt.date,
    currency: str | None,
    said: list[str],
) -> pl.DataFrame:
    """Read the columns of a table, each row with its `position`; add to what is `said`."""
    texts = table.frame.select(cells.text(pl.all().cast(pl.String)))
    heads = {spaced(head): head for head in texts.columns}
    rows, paths = pl.DataFrame({"position": table.lines}), TABLES[kind].paths
    taken, lost = dict[str, str](), list[str]()
    for name, needs in _types(kind).items():
        known = [spaced(name)]
        for word in _FIELDS[kind][name]:
            known += HEADINGS.get(word, [word])
        found = [word for word in known if word in heads]
        if not found:
            default = currency if name.endswith(_UNIT) else None
            rows = rows.with_columns(pl.lit(default, needs).alias(name))
            continue
        taken[name] = head = heads.pop(found[0])
        text = texts[head].alias("text")
        if name.endswith(_UNIT):
            own = pl.lit(text).str.to_uppercase().fill_null(pl.lit(currency))
            text = pl.select(text=own).to_series()
        rows = rows.with_columns(text, value=_values(name, needs, text))
        rules = [(col("value").is_null(), "cannot be read")]
        rules += wrong(paths[name], day) if name in paths else ()
        for rule, reason in rules:
            broken = rows.filter(rule).select("position", "text").drop_nulls()
            for line, cell in broken.rows():
                lost.append(
                    f"left empty: {source}, line {line}, {head}: {cell} {reason}"
                )
            rows = rows.with_columns(value=pl.when(~rule).then("value"))
        rows = rows.rename({"value": name})
        if name in _AMOUNTS:
            bare = rows.drop_nulls(name).filter(col(f"{name}{_UNIT}").is_null())
            if bare.height:
                reason = f"{head} has no currency in line {some(bare['position'])}"
                advice = "add a column Currency, or give --currency"
                raise refused(source, f"{reason}: {advice}")
    used = [f"{name} = {head}" for name, head in taken.items()]
    others = [head for head in texts.columns if head not in taken.values()]
    if others:
        used.append(f"not used: {', '.join(others)}")
    said.append(f"{source}, {kind}: {' · '.join(used)}")
    said += [*lost, *table.notes[1:]]
    return rows.drop("text")


def _values(name: str, needs: pl.DataType, texts: pl.Series) -> pl.Series:
    """Read the texts of a column; null where one cannot be read."""
    if name == "website_domain":
        sites = domains.addresses(texts)
        return sites.select(pl.when(~col("is_host")).then("site")).to_series()
    if name in ("launch_date", "year"):
        years = texts.to_frame().select(cells.year(col("text")))
        return years.to_series().cast(needs)
    if needs == pl.Boolean:
        return texts.str.to_lowercase().replace_strict(_FLAGS, default=None)
    if not needs.is_numeric():
        return texts
    bare = texts.str.replace_all(r"[\s'’]", "")
    sign = r"\.\d{3}" if needs.is_integer() else _GERMAN
    group, point = (".", ",") if bare.str.contains(sign).any() else (",", ".")
    # no number has three decimals, since 1.234 can be 1234
    pattern = rf"^-?(\d+|\d{{1,3}}(\{group}\d{{3}})+)(\{point}(\d\d?|\d{{4,}}))?$"
    digits = bare.str.replace_all(group, "", literal=True)
    digits = digits.str.replace(point, ".", literal=True)
    return digits.set(~bare.str.contains(pattern), None).cast(needs, strict=False)
