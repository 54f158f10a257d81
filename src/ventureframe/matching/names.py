"""Names as they are compared: their words, and the legal form at their end.

The data are in `names.toml`: legal forms of thirty countries, and letters as people
type them.
"""

import tomllib
from importlib.resources import files

import polars as pl
from polars import lit, when

_TABLES = tomllib.loads(files(__package__).joinpath("names.toml").read_text("utf-8"))
_MARKS = r"(?i)[™®©℠]|\((?:tm|r|c|sm)\)"
_ACCENTS = r"[\x{300}-\x{36f}]|[.'’`´]"
_IN_CAPITALS = r"^[^.\p{Ll}]+$"
_ENDS_IN_WORD = r"[^,\s]\s+\p{Lu}?\p{Ll}+$"


def words(text: pl.Expr) -> pl.Expr:
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
        bare = pl.select(words(lit(pl.Series(spellings)))).to_series()
        forms |= dict.fromkeys(bare, form)
    return dict(sorted(forms.items(), key=lambda item: -len(item[0])))


_FORMS, _JOINED = _spellings("forms"), _spellings("joined")
_AFTER, _ONTO = "|".join(_FORMS), "|".join(_JOINED)
_BEFORE = "|".join(_spellings("before"))
_WORDS = [*_spellings("words")]


def own_words(text: pl.Expr) -> pl.Expr:
    """The words of a name without legal forms before and after it."""
    after = words(text).str.replace(rf"(?: (?:{_AFTER})| ?(?:{_ONTO}))+$", "")
    return after.str.replace(rf"^(?:(?:{_BEFORE}) |(?:{_ONTO}) ?)", "")


def name_key(text: pl.Expr) -> pl.Expr:
    """Make the key that names are joined by: their words, without legal forms.

    >>> names = pl.DataFrame({"name": ["Acme, Inc.", "ACME Co. Ltd", "É-Trade", "!"]})
    >>> names.select(name_key(pl.col("name"))).to_series().to_list()
    ['acme', 'acme', 'etrade', '!']
    """
    key = own_words(text).str.replace_all(" ", "")
    filled = when(key != "").then(key)
    return pl.coalesce(filled, text.str.strip_chars())


def has_umlaut(text: pl.Expr) -> pl.Expr:
    """Whether a name has one of the letters ä, ö and ü."""
    return text.str.normalize("NFC").str.contains("(?i)[äöü]")


def loose_key(key: pl.Expr) -> pl.Expr:
    """Make the key of a name that may be typed with ae, oe and ue for ä, ö and ü.

    >>> pl.select(loose_key(name_key(lit("Mueller AG")))).item()
    'muller'
    """
    return key.str.replace_many({"ae": "a", "oe": "o", "ue": "u"})


def same_form(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """Whether the legal forms of two names of one key are equal, or one has none.

    A last word that is a word as well as a form, and not written as a form, must stand
    in both.

    >>> pairs = [("Nova SA", "Nova AG"), ("Nova", "Nova AG"), ("Nova", "Nova Spa")]
    >>> frame = pl.DataFrame(pairs, ["one", "other"], orient="row")
    >>> frame.select(same_form(pl.col("one"), pl.col("other"))).to_series().to_list()
    [False, True, False]
    """
    is_missing = (_form(one).is_null() & ~_ends_in_word(other)) | (
        _form(other).is_null() & ~_ends_in_word(one)
    )
    return _form(one).eq_missing(_form(other)) | is_missing


def _form(text: pl.Expr) -> pl.Expr:
    bare = words(text)
    after = bare.str.extract(rf" ({_AFTER})$")
    before = bare.str.extract(rf"^({_BEFORE}) ")
    onto = bare.str.extract(rf"^({_ONTO})|({_ONTO})$", 0)
    spelling = pl.coalesce(onto, after, before)
    return spelling.replace_strict(_FORMS | _JOINED, default=None)


def _ends_in_word(text: pl.Expr) -> pl.Expr:
    """The name ends in a word that is no legal form as it is written there."""
    is_word = words(text).str.extract(r" (\S+)$").is_in(_WORDS)
    as_written = text.str.strip_chars()
    is_written_so = as_written.str.contains(_ENDS_IN_WORD)
    return is_word & (is_written_so | as_written.str.contains(_IN_CAPITALS))
