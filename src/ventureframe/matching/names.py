"""Names as they are compared: their words, and the legal form at their end.

The data are in `names.toml`: legal forms of thirty countries, and letters as people
type them.
"""

import tomllib
from importlib.resources import files

import polars as pl
from polars import Expr, Series, coalesce, lit, when

_TABLES = tomllib.loads(files(__package__).joinpath("names.toml").read_text("utf-8"))
_MARKS = r"(?i)[™®©℠]|\((?:tm|r|c|sm)\)"
_ACCENTS = r"[\x{300}-\x{36f}]|[.'’`´]"
_AS_A_WORD = r"[^,\s]\s+\p{Lu}?\p{Ll}+$|^[^.\p{Ll}]+$"
"""How a last word is written that is no legal form: in small letters, or as all of a
name in capitals.
"""


def words(text: Expr) -> Expr:
    """Split names into words in lower case, without accents, punctuation and
    trademarks; Ø, Ł, ß and the like as people type them.

    >>> pl.select(words(lit("Société Générale™ & Co., S.A."))).item()
    'societe generale and co sa'
    >>> pl.select(words(lit("Łódź-Ørsund"))).item()
    'lodz orsund'
    """
    bare = text.str.replace_all(_MARKS, "").str.normalize("NFKD")
    bare = bare.str.replace_all(_ACCENTS, "").str.to_lowercase()
    bare = bare.str.replace_many(_TABLES["letters"])
    return bare.str.replace_all(r"[^\p{L}\p{N}\p{M}]+", " ").str.strip_chars()


def _spellings(table: str) -> dict[str, str]:
    """The forms of a table by their spellings, the longest first."""
    forms = dict[str, str]()
    for form, spellings in _TABLES[table].items():
        bare = pl.select(words(lit(Series(spellings)))).to_series()
        forms |= dict.fromkeys(bare, form)
    return dict(sorted(forms.items(), key=lambda item: -len(item[0])))


_FORMS, _JOINED = _spellings("forms"), _spellings("joined")
_AFTER, _ONTO = "|".join(_FORMS), "|".join(_JOINED)
_BEFORE = "|".join(_spellings("before"))
_WORDS = "|".join(_spellings("words"))
COUNTRIES = _spellings("countries")
"""The name of each country by its other names."""


def own_words(text: Expr) -> Expr:
    """The words of a name without legal forms before and after it."""
    after = words(text).str.replace(rf"(?: (?:{_AFTER})| ?(?:{_ONTO}))+$", "")
    return after.str.replace(rf"^(?:(?:{_BEFORE}) |(?:{_ONTO}) ?)", "")


def name_key(text: Expr) -> Expr:
    """Make the key that names are joined by: their words, without legal forms.

    >>> names = pl.DataFrame({"name": ["Acme, Inc.", "ACME Co. Ltd", "É-Trade", "!"]})
    >>> names.select(name_key(pl.col("name"))).to_series().to_list()
    ['acme', 'acme', 'etrade', '!']
    """
    key = own_words(text).str.replace_all(" ", "")
    return when(key != "").then(key).otherwise(text.str.strip_chars())


def has_umlaut(text: Expr) -> Expr:
    """Whether a name has one of the letters ä, ö and ü."""
    return text.str.normalize("NFC").str.contains("(?i)[äöü]")


def loose_key(key: Expr) -> Expr:
    """Make the key of a name that may be typed with ae, oe and ue for ä, ö and ü.

    >>> pl.select(loose_key(name_key(lit("Mueller AG")))).item()
    'muller'
    """
    return key.str.replace_many({"ae": "a", "oe": "o", "ue": "u"})


def same_form(first: Expr, second: Expr) -> Expr:
    """Whether the legal forms of two names of one key are equal, or one has none.

    A last word that is a word as well as a form, and not written as a form, must stand
    in both.

    >>> pairs = [("Nova SA", "Nova AG"), ("Nova", "Nova AG"), ("Nova", "Nova Spa")]
    >>> frame = pl.DataFrame(pairs, ["one", "other"], orient="row")
    >>> frame.select(same_form(pl.col("one"), pl.col("other"))).to_series().to_list()
    [False, True, False]
    """
    end_in_word = _ends_in_word(first) | _ends_in_word(second)
    return coalesce(_form(first) == _form(second), ~end_in_word)


def _form(text: Expr) -> Expr:
    bare = words(text)
    spelling = coalesce(
        bare.str.extract(rf"^({_ONTO})|({_ONTO})$", 0),
        bare.str.extract(rf" ({_AFTER})$"),
        bare.str.extract(rf"^({_BEFORE}) "),
    )
    return spelling.replace_strict(_FORMS | _JOINED, default=None)


def _ends_in_word(text: Expr) -> Expr:
    """Whether the name ends in a word that is no legal form as it is written there."""
    is_word = words(text).str.contains(rf" (?:{_WORDS})$")
    return is_word & text.str.strip_chars().str.contains(_AS_A_WORD)
