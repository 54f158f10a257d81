"""Read the cells of a column by its kind; null where one cannot be read."""

import re
import tomllib
from importlib.resources import files
from typing import Final

from polars import Float64, Series, coalesce, element, first, select

from ventureframe.matching import cells, domains

_FILE = files(__package__) / "columns.toml"
DATA: Final = tomllib.loads(_FILE.read_text("utf-8"))
_UNITS = DATA["units"]
_UNIT = "|".join(map(re.escape, _UNITS))
_NUMBER = r"^(-?(?:\d+|\d{1,3}(?:,\d\d\d?)*,\d{3})(?:\.(?:\d\d?|\d{4,}))?)(\p{L}*)$"
"""A number and its scale; none has three decimals, since 1.234 can be 1234."""
_GERMAN = r",\d{1,2}([^\d,]|$)|\d\.\d{3}[.,]"
"""What a number has that ends in a decimal comma, or has points between thousands."""


def values(texts: Series, kind: str) -> Series:
    """Read texts of a kind other than amounts.

    >>> values(Series(["1,200", "12", "11-50"]), "whole number").to_list()
    ['1200', '12', None]
    >>> values(Series(["12 March 2024", "05/13/2023", "4/5/2024"]), "month").to_list()
    ['3', '05', None]
    """
    if kind in DATA["marks"]:
        bare = texts.str.strip_chars(";|, \n")
        parted = bare.str.replace_all(DATA["marks"][kind], "\n$1")
        return parted.str.split("\n")
    if kind == "website":
        sites = domains.addresses(texts)
        return sites["site"].set(sites["is_host"], None)
    if kind == "year":
        return texts.to_frame().select(cells.year(first())).to_series()
    if kind == "whole number":
        texts = texts.str.replace_all(r"[.,'’\s](\d{3})\b", "$1")
    if kind == "month":
        texts = texts.str.to_lowercase().str.replace_many(DATA["months"])
    patterns = DATA["patterns"][kind]
    parts = [texts.str.extract(pattern) for pattern in patterns]
    return select(coalesce(parts)).to_series()


def amounts(texts: Series, heading: str, units: Series) -> tuple[Series, Series]:
    """Read amounts: their numbers and their currencies, which a cell, the heading or
    `units` names; both are null where it is not one currency.

    Whether the comma or the point is the decimal one shows in the column; 1.234 can
    be either, so it is null.

    >>> texts, units = Series(["$1.2M", "3", "4"]), Series([None, "EUR", None])
    >>> [part.to_list() for part in amounts(texts, "Raised", units)]
    [[1200000.0, 3.0, None], ['USD', 'EUR', None]]
    >>> texts = Series(["3,5 Mio €", "1.200.000", "soon"])
    >>> amounts(texts, "Raised", units)[0].to_list()
    [3500000.0, 1200000.0, None]
    """
    unit = heading.partition("(")[2].strip(")").removeprefix("in ")
    texts = texts + f" {unit} " + units.fill_null("")
    texts = texts.str.to_uppercase()
    codes = texts.str.extract_all(_UNIT)
    codes = codes.list.eval(element().replace(_UNITS))
    codes = codes.list.unique()
    is_unclear = codes.list.len() != 1
    currencies = codes.list.first().set(is_unclear, None)
    bare = texts.str.replace_all(rf"{_UNIT}|[\s'’]", "")
    bare = bare.str.strip_chars_end(".")
    if bare.str.contains(_GERMAN).any():
        bare = bare.str.replace_many({",": ".", ".": ","})
    number = bare.str.extract(_NUMBER).str.replace_all(",", "")
    scale = bare.str.extract(_NUMBER, 2)
    scale = scale.replace_strict(DATA["scales"], default=None)
    amount = number.cast(Float64) * scale
    return amount.set(is_unclear, None), currencies
