"""Role families by keywords in a job's title: an open list, shown in every report that
uses it.

A keyword in a title is no proof that the company needs the role, and a title without
any has no family. The list and its notation are in `roles.toml`.

The list is English, as titles mostly are: "Product Owner (m/w/d)" is read,
"Ingénieur logiciel" is not.

A title names more than roles: the employer and its field, addresses, pay. These are
taken out first. The regular expressions need no look-around and no word boundary, so
that Rust and RE2 agree.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Final

import polars as pl

from ventureframe.errors import UnsupportedValue

_LISTS = tomllib.loads(files(__package__).joinpath("roles.toml").read_text("utf-8"))
ROLES: Final[Mapping[str, list[str]]] = _LISTS["families"]
"""Per family its keywords, in the notation that `roles.toml` explains."""
ROLES["engineering, any"].extend(ROLES["software"])

_START = r"(?:^|[^\p{L}\p{N}_])"
_END = r"(?:[^\p{L}\p{N}_]|$)"
_GAP = r"[\s\p{Pd}]*"
_FURTHER = r"[^\p{L}\p{N}_|;,()](?:[^|;,()]*[^\p{L}\p{N}_|;,()])?"
_WORD = r"[\p{L}\p{N}_]+\s"
_AND = r"\s*(?:[,/+&;]|,?\s(?:and|or)\s)\s*"
_MARK = r"[|,/+&;:()\[\]!*.]|(?:^|\s)\p{Pd}+\s"
_LISTED = (
    rf"(?:^|{_MARK}|\s(?:and|or|and/or|hiring)\s"
    r"|(?:roles|positions|interns?|faculty|professors?|lecturers?|students?)\sin\s)"
)
_ENDED = rf"(?:$|{_MARK}|\s(?:and|or)\s)"
_RANK, _HEAD, _POST, _PERSON = ("|".join(words) for words in _LISTS["words"].values())
_HIRING = (
    r"(?i)^[^|]*?\s(?:is|are)\s+(?:now\s+)?hiring(\s[^|]*?)??(?:\s+to\s[^|]*)?(?:\||$)"
)
"""The employer, whom it hires and, after "to", what for."""
_SOMEBODY = rf"(?i){_START}(?:{_PERSON})s?{_END}"
_BEFORE_NAME, _AFTER_NAME = r"(?i)(?<![\w@./])", r"(?!\.?\w)"
"""Around a company's name, if it is no part of an address."""
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


def stems(text: str) -> str:
    """The words of a role without case, punctuation, "and" and the plural's s.

    >>> stems("Finance, Legal & Regulatory") == stems("finance, legal and regulatory")
    True
    """
    words = re.findall(r"[^\s,;&/()\[\]…\u2010-\u2015-]+", text.casefold())
    singular = [re.sub(r"(?<=\w{3})s$", "", word) for word in words if word != "and"]
    return " ".join(singular)


_FAMILIES: Final = {stems(name): name for name in ROLES}


def kind(role: str) -> str:
    """What the words of a user are called: a word or a phrase."""
    return "phrase" if " " in role else "word"


def described(role: str) -> str:
    """What a role is: a family in one of its forms, or words that stand as they are.

    >>> described("Data & AI"), described("rust")
    ('family of 60 keywords', 'your own word')
    """
    family = _FAMILIES.get(stems(role))
    return (
        f"family of {len(ROLES[family])} keywords"
        if family
        else f"your own {kind(role)}"
    )


def named(role: str) -> str:
    """A role in a sentence: the family, or what titles are searched for."""
    return f"the {'role family' if role in ROLES else kind(role)} “{role}”"


def wider(role: str) -> tuple[str, list[str]] | None:
    """Find the family that words of the user belong to, and its other keywords: it has
    the words as a keyword, or else the most keywords that contain them. None for the
    name of a family, and where no keyword contains the words.

    >>> wider("Engineers")[0], wider("rust")[0], wider("gardener"), wider("design")
    ('engineering, any', 'software', None, None)
    """
    stem = f" {stems(role)} "

    def rank(family: str) -> tuple[bool, int]:
        forms = [f" {stems(word)} " for word in ROLES[family]]
        return stem in forms, sum(stem in form for form in forms)

    widest = max(ROLES, key=rank)
    if role in ROLES or not any(rank(widest)):
        return None
    remaining = [word for word in ROLES[widest] if stem not in f" {stems(word)} "]
    return widest, [word.strip("[]") for word in remaining]


def keywords(roles: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Give each role its keywords: a family has its list, other words stand for
    themselves; without roles it is `ROLES`.

    A family can be named in any case and number. Raises `UnsupportedValue` for a role
    without a letter or digit.

    >>> keywords(["rust-engineer", "DESIGNS"])["rust-engineer"], [*keywords(["DESIGNS"])]
    (['rust engineer'], ['design'])
    """
    chosen = dict[str, Sequence[str]]()
    for role in roles:
        if not re.search(r"[^\W_]", role):
            raise UnsupportedValue(
                role, field="roles", reason="give a role family, or words"
            )
        # the notation of the list, and a hyphen, are no part of the words
        words = re.sub(r"[\s\[\]…\u2010-\u2015-]+", " ", role).strip()
        # ";" joins families
        name = _FAMILIES.get(stems(role), role.replace(";", ","))
        chosen[name] = ROLES.get(name, [words])
    return chosen or ROLES


def families(
    postings: pl.DataFrame, role_words: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Add `families` to postings: the families that have a keyword in the title,
    as text; null where there is none.

    The company's own name, which can be a keyword, does not count. Each text is read
    once.
    """
    name = pl.col("company_name").str.to_lowercase()
    has_name = pl.col("title").str.to_lowercase().str.contains(name, literal=True)
    named = postings.with_row_index().filter(has_name, name != "")
    cut = [
        re.sub(_BEFORE_NAME + re.escape(name) + _AFTER_NAME, " ", title)
        for name, title in named.select("company_name", "title").rows()
    ]
    texts = postings["title"].scatter(named["index"], cut)
    postings = postings.with_columns(text=texts)
    parts = postings.select("text").unique()
    parts = parts.with_columns(part=_role_part(pl.col("text")))
    read = pl.col("part")
    for phrase, meaning in _LISTS["readings"].items():
        read = read.str.replace_all(f"(?i){phrase}", meaning)
    parts = parts.with_columns(read=read)
    names = list[pl.Expr]()
    for family in sorted(role_words):
        part = pl.col("read" if family in ROLES else "part")
        is_there = part.str.contains(pattern(role_words[family]))
        names.append(pl.when(is_there).then(pl.lit(family)))
    listed = pl.concat_str(names, separator="; ", ignore_nulls=True)
    parts = parts.select("text", families=listed.replace("", None))
    return postings.join(
        parts, on="text", how="left", nulls_equal=True, maintain_order="left"
    ).drop("text")


def _role_part(title: pl.Expr) -> pl.Expr:
    """The title without the employer, pay and prose."""
    title = _without(_ADDRESSES, title).str.replace(_HIRING, "|${1}|")
    # an entry between bars counts if it names somebody with a role or lists areas;
    # where none names somebody, all but the first do, which is the employer
    areas, *_ = _split(word for words in ROLES.values() for word in words)
    listed = rf"(?i)^\s*(?:(?:{_RANK}|{areas})s?(?:{_AND}|\s+|$))+$"
    entry = pl.element()
    is_role = entry.str.contains(_SOMEBODY) | entry.str.contains(listed)
    roles = title.str.split("|").list.eval(entry.filter(is_role)).list.join("|")
    later_entries = title.str.replace(r"^(?:[^|]*\|)?", "|")
    has_somebody = title.str.contains(_SOMEBODY)
    part = pl.when(has_somebody).then(roles).otherwise(roles + later_entries)
    return _without(_NO_ROLE, part)


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


def _split(keywords: Iterable[str]) -> tuple[str, ...]:
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
    return tuple(map("|".join, kinds))
