"""Role families by keywords in a job's title: an open list, shown in every report that
uses it.

A keyword in a title is no proof that the company needs the role, and a title without
any has no family. The list and its notation are in `roles.toml`.

A title names more than roles: the employer, addresses, pay. These are taken out
first. The regular expressions need no look-around and no word boundary, so that Rust
and RE2 agree.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Final

import polars as pl

from ventureframe.errors import UnsupportedValue

_LISTS = tomllib.loads(files(__package__).joinpath("roles.toml").read_text("utf-8"))
_FAMILIES: Final[Mapping[str, list[str]]] = _LISTS["families"]
ROLES: Final[Mapping[str, Sequence[str]]] = {
    **_FAMILIES,
    "engineering, any": [*_FAMILIES["software"], *_FAMILIES["engineering, any"]],
}
"""Per family its keywords, in the notation that `roles.toml` explains."""

_START = r"(?:^|[^\p{L}\p{N}_])"
_END = r"(?:[^\p{L}\p{N}_]|$)"
_GAP = r"[\s\p{Pd}]*"
_FURTHER = r"[^\p{L}\p{N}_|;,()](?:[^|;,()]*[^\p{L}\p{N}_|;,()])?"
_WORD = r"[\p{L}\p{N}_]+\s"
_AND = r"\s*(?:[,/+&;]|,?\s(?:and|or)\s)\s*"
_MARK = r"[|,/+&;:()\[\]!*.]|(?:^|\s)\p{Pd}+\s"
_LISTED = (
    rf"(?:^|{_MARK}|\s(?:and|or|and/or|hiring|(?:roles|positions|interns?)\sin)\s)"
)
_ENDED = rf"(?:$|{_MARK}|\s(?:and|or)\s)"
_RANK, _HEAD, _POST, _PERSON = ("|".join(words) for words in _LISTS["words"].values())
_HIRING = r"(?i)^[^|]*?\s(?:is|are)\s+(?:now\s+)?hiring(?:\s|$)"
_OWN = r"(?i)(?<!\w){}(?!\w)"
_PER = r"(?:/|per\s|an?\s)\s*(?:hr|hour|yr|year)s?"
_ADDRESSES = (
    r"(?:https?://|www\.)[^\s|)]+",
    r"[^\s|(]+@[^\s|)]+",
    # a domain, but not "Node.js"
    r"[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.(?:[a-ik-z][a-z]+|j[a-rt-z][a-z]*|js[a-z]+)[^\s|),]*",
)
_NO_ROLE = (
    rf"(?i)[$€£¥]?\d[^\s|]*\s*(?:usd|eur|gbp|cad|chf|aud)?\s*{_PER}",
    r"[$€£¥]\s?\d[^\s|]*",
    r"\S+\s(?:is|are)\s(?:an?|the)\s[^|]*",
    r"(?i)dev(?:eloper)?\s(experience|productivity|tool|platform|shop)",
)
"""Pay, what a company says that it is, and what is made for developers."""
_AUDIENCE = r"(?i)developers?\s(relations|advoca|evangelis|marketing)"
"""Those who speak to developers."""


def keywords(roles: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Give each role its keywords: of a family its list, else the role itself; of none
    `ROLES`.

    Raises `UnsupportedValue` for a role without a letter or digit.

    >>> keywords(["rust-engineer", "DESIGN"])["rust-engineer"], [*keywords(["DESIGN"])]
    (['rust engineer'], ['design'])
    """
    own, named = {name.lower(): name for name in ROLES}, dict[str, Sequence[str]]()
    for role in roles:
        if not re.search(r"[^\W_]", role):
            raise UnsupportedValue(
                role, field="roles", reason="give a role family, or words"
            )
        # the notation of the list, and a hyphen, are no part of the words
        words = re.sub(r"[\s\[\]…\u2010-\u2015-]+", " ", role).strip()
        family = own.get(role.lower(), role.replace(";", ","))  # ";" joins families
        named[family] = ROLES.get(family, [words])
    return named or ROLES


def families(
    postings: pl.DataFrame, role_words: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Add `families` to postings: the families of which the title has a keyword, as
    text; null where there is none.

    The company's own name, which can be a keyword, does not count. Each text is read
    once.
    """
    # a name is part of its own address: addresses are taken out first
    text = _without(_ADDRESSES, pl.col("title"))
    titles = postings.select("title").unique().with_columns(text=text)
    postings = _joined(postings, titles, "title")
    name = pl.col("company_name").str.to_lowercase()
    has_name = pl.col("text").str.to_lowercase().str.contains(name, literal=True)
    named = postings.with_row_index().filter(has_name, name != "")
    cut = [
        re.sub(_OWN.format(re.escape(name)), " ", text)
        for name, text in named.select("company_name", "text").rows()
    ]
    texts = postings["text"].scatter(named["index"], cut)
    postings = postings.with_columns(text=texts)
    parts = (
        postings.select("text").unique().with_columns(part=_role_part(pl.col("text")))
    )
    names = list[pl.Expr]()
    for family in sorted(role_words):
        is_there = pl.col("part").str.contains(pattern(role_words[family]))
        names.append(pl.when(is_there).then(pl.lit(family)))
    listed = pl.concat_str(names, separator="; ", ignore_nulls=True)
    parts = parts.select("text", families=listed.replace("", None))
    return _joined(postings, parts, "text").drop("text")


def _joined(rows: pl.DataFrame, more: pl.DataFrame, key: str) -> pl.DataFrame:
    return rows.join(more, on=key, how="left", nulls_equal=True, maintain_order="left")


def _role_part(title: pl.Expr) -> pl.Expr:
    """The title without the employer, pay and prose."""
    # an employer stands before "is hiring" or the first bar, if that is no role or list
    # of areas
    areas, *_ = _split(word for words in ROLES.values() for word in words)
    person = (
        rf"(?:[^|]*[^\p{{L}}\p{{N}}_|])?(?:{_PERSON})s?(?:[^\p{{L}}\p{{N}}_|][^|]*)?"
    )
    is_role = rf"(?i)^(?:{person}|\s*(?:(?:{areas})(?:{_AND}|\s*))+)(?:\||$)"
    is_hiring, has_role = title.str.contains(_HIRING), title.str.contains(is_role)
    after_bar = (
        pl.when(has_role).then(title).otherwise(title.str.replace(r"^[^|]*\|", ""))
    )
    part = pl.when(is_hiring).then(title.str.replace(_HIRING, "")).otherwise(after_bar)
    return _without(_NO_ROLE, part).str.replace_all(_AUDIENCE, "devrel $1")


def _without(expressions: Iterable[str], text: pl.Expr) -> pl.Expr:
    for expression in expressions:
        text = text.str.replace_all(expression, " ${1}")
    return text


def pattern(keywords: Iterable[str]) -> str:
    """The regular expression that finds any of the keywords in a title without the
    employer.
    """
    areas, ends, phrases = _split(keywords)
    parts = [rf"{_START}(?:{phrases})s?{_END}"] if phrases else []
    parts += [rf"{_START}(?:{ends})s?\s*{_ENDED}"] if ends else []
    if areas:
        parts += [
            rf"{_LISTED}\s*(?:(?:{_RANK})(?:\.|\s+of)?[\s/]+)*(?:{areas})\s*{_ENDED}",
            rf"{_START}(?:{areas})\s+(?:{_POST})s?{_END}",
            rf"{_START}(?:{_HEAD})\s+of\s+(?:{areas}){_END}",
        ]
    return f"(?i)(?:{'|'.join(parts)})"


def _split(keywords: Iterable[str]) -> tuple[str, str, str]:
    """Expressions for the keywords in brackets, those that end an entry, and the
    others.
    """
    kinds: tuple[list[str], ...] = [], [], []
    for word in keywords:
        # a space can be a hyphen or nothing as well
        text = re.sub(r"[.*?()|\[\]{}^$\\]|(?<! )\+", r"\\\g<0>", word.strip("[]"))
        text = text.replace(" … ", _FURTHER).replace(" + ", _AND).replace(" ", _GAP)
        kinds[2 - word.endswith("]") - word.startswith("[")].append(
            text.replace("…", _WORD)
        )
    areas, ends, phrases = map("|".join, kinds)
    return areas, ends, phrases
