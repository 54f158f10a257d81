"""What a cell of a list holds: a text without invisible letters, an address without
what it is wrapped in, a year that can be one.
"""

import re

from polars import Expr, Series, String, coalesce, col, when

_INVISIBLE = "[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
_WRAPPED = (
    (r".*\]\(\s*<?([^)>\s]+).*", "$1"),  # [words](address)
    (r'(?i).*\bhref\s*=\s*["\']?([^"\'>\s]+).*', "$1"),
    (r".*<([^<>]*\.[^<>]*)>.*", "$1"),
    (r"\[\.\]|\(\.\)|[。．｡]", "."),
    (r"^\p{L}[\p{L} .-]*:\s+", ""),  # Web: address
    (r"(?i)^(?:view-source|url):\s*", ""),
    (r"(?i)^(?:https?:/*)+(https?:/)", "$1"),
    (r"^[\s\p{Ps}\p{Pi}\p{Pe}\p{Pf}\"'`´]+|[\s\p{Ps}\p{Pi}\p{Pe}\p{Pf}\"'`´]+$", ""),
)
_ADDRESS = r"[\p{L}\p{N}]\.(?:xn--[a-zA-Z0-9-]+|\p{L}{2,})\.?(?:[/:?#,;\s]|$)"
_TIME = r"[T ]\d{1,2}:\d{2}.*$"
_DAY = r"^([12]\d{3})(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$"  # 20150301
_ALONE = r"(?:^|\D)(1\d{3}|20\d{2})(?:\D|$)"
_DIGITS = 8  # of a day and a year; more are a telephone's
_SAMPLE = 1000  # cells by which a column is known to hold addresses


def visible(text: str) -> str:
    """The text without invisible letters and blanks around it."""
    return re.sub(_INVISIBLE, "", text).strip()


def text(values: Expr) -> Expr:
    """The text without invisible letters and blanks around it; null where empty."""
    bare = values.str.replace_all(_INVISIBLE, "")
    return bare.str.strip_chars().replace("", None)


def address(values: Expr) -> Expr:
    """The address in a text; null where there is none.

    >>> import polars as pl
    >>> pl.select(address(pl.lit("[Acme](https://acme.com)"))).item()
    'https://acme.com'
    """
    values = values.str.normalize("NFKC")
    for wrapped, bare in _WRAPPED:
        values = values.str.replace_all(wrapped, bare)
    return when(values.str.contains(_ADDRESS)).then(values)


def are_addresses(column: Series) -> bool:
    """Whether most of the first cells, blank ones apart, hold an address."""
    texts = column.cast(String, strict=False).to_frame("text")
    texts = texts.filter(col.text != "").head(_SAMPLE)
    addresses = texts.select(address(col.text)).to_series()
    return 2 * addresses.count() > len(addresses)


def year(values: Expr) -> Expr:
    """The year of a year or day; null for a number that can be none, such as the
    serial number of a day.

    >>> import polars as pl
    >>> pl.select(year(pl.lit("1 March 2015"))).item()
    '2015'
    """
    days = values.str.replace(_TIME, "").str.strip_suffix(".0")
    is_short = days.str.count_matches(r"\d") <= _DIGITS
    return coalesce(
        days.str.extract(_DAY), when(is_short).then(days.str.extract(_ALONE))
    )
