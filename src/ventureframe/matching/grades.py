"""Compare a list with the records: keys of names and domains, candidates, grades.

Grades are joins: nothing is decided by likeness. `list_` has a row per row of the
user's list (`row`, `name`, `domain`, `place`, `year`), `records` one per record;
they are joined by their keys.
"""

import polars as pl
from polars import (
    DataFrame,
    Expr,
    LazyFrame,
    String,
    coalesce,
    col,
    concat,
    element,
    lit,
    when,
)

from ventureframe.matching.domains import addresses, parsed
from ventureframe.matching.names import (
    COUNTRIES,
    has_umlaut,
    loose_key,
    name_key,
    own_words,
    same_form,
    words,
)

GRADES = {
    "domain": "matched",
    "name and place": "matched",
    "confirmed by you": "matched",
    "name only": "to decide",
    "several": "to decide",
    "not found": "not found",
    "refused by you": "not found",
    "not looked up": "not looked up",
}
"""Each grade, and whether a row of it is matched."""
RECORD = {
    "uuid": String,
    "name": String,
    "website_domain": String,
    "hq_city": String,
    "hq_country": String,
    "launch_date": pl.Int32,
}
# founding years at most so far apart: equal; one owner of a domain
_SAME_YEAR, _SAME_OWNER = 1, 3
_RARE, _NEAR = 20, 5  # records that a rare word is in at most; near misses of a row
_SHORTEST = 3  # letters of a word that near misses may share
_BEGINNING = 4  # letters at the beginning of names that are alike
# letters of names that several firms have: of names of 2026, 10 % with 4 to 6 letters
# are those of another firm of 2013, 5 % with 7 or 8, 3 % with 9, under 2 % with more
_SHARED = 10
_MANY = 3  # records, or names of the list, with one domain: their pages, not their own
_COMPARED = {
    "is_name": "name",
    "is_site": "domain",
    "in_place": "place",
    "in_year": "year",
}
_CITY_AND_COUNTRY = {"city": "hq_city", "country": "hq_country"}
"""What a folder calls the place of a university, as a company's is called."""
_KEY = name_key(col.name)


def keyed_list(list_: DataFrame) -> DataFrame:
    """Add the keys of a list: `key`, `site`, `places` (parts of the place) and
    `year`.
    """
    part = words(element()).replace(COUNTRIES)
    rows = list_.with_columns(
        key=_KEY,
        loose=loose_key(_KEY),
        places=col.place.str.split(",").list.eval(part),
        year=col.year.cast(pl.Int32),
    )
    rows = _with_site(rows, "domain")
    names = col.key.drop_nulls().n_unique().over("site")
    sites = col.site.n_unique().over("key")
    is_page = col.is_page | (names >= _MANY)
    return rows.with_columns(names_of_site=names, sites_of_name=sites, is_page=is_page)


def keyed_records(records: LazyFrame) -> DataFrame:
    """Collect the columns of the records that are compared, and add their `key`."""
    records = records.rename(_CITY_AND_COUNTRY, strict=False)
    blank = LazyFrame(schema=RECORD)  # has the columns that the records lack
    records = concat([blank, records], how="diagonal_relaxed").select(*RECORD)
    records = records.drop_nulls("uuid").unique("uuid", keep="any")
    return records.with_columns(key=_KEY, loose=loose_key(_KEY)).collect()


def _near(list_: DataFrame, records: DataFrame) -> DataFrame:
    """The records whose domain or name may be in the list, with their `site`."""
    hosts = parsed(records["website_domain"])["host"]
    end = r"([^.]+\.[^.]+)$"
    ends = list_["site"].drop_nulls().str.extract(end).unique()
    has_site = hosts.str.extract(end).is_in(ends.implode())
    has_name = records["loose"].is_in(list_["loose"].unique().implode())
    near = _with_site(records.filter(has_site | has_name), "website_domain")
    return near.with_columns(is_page=pl.len().over("site") >= _MANY)


def _with_site(rows: DataFrame, column: str) -> DataFrame:
    """Add the registered domain of each address: none where it is a host of pages and
    not spelt as the name.
    """
    rows = rows.hstack(addresses(rows[column]))
    is_bare = col.key.is_null() & ~col.is_page
    is_own = ~col.is_host | _is_spelt("site") | is_bare
    return rows.with_columns(site=when(is_own).then("site"), is_host=~is_own)


def _is_spelt(site: str) -> Expr:
    """The domain is spelt as the name, with its suffix or without."""
    bare = col(site).str.replace_all("-", "")
    first, whole = bare.str.extract(r"^([^.]+)"), bare.str.replace_all(r"\.", "")
    return (col.key == first) | (col.key == whole)


_COUNTRY = words(col.hq_country).replace(COUNTRIES)
_IN_COUNTRY = col.places == pl.concat_list(_COUNTRY)
_IN_CITY = when(~_IN_COUNTRY).then(words(col.hq_city).is_in(col.places))
_YEARS_APART = (col.year - col.launch_date).abs()
_HAS_UMLAUT = has_umlaut(col.name) | has_umlaut(col.record_name)
_IS_TYPED = (col.loose == col.record_loose) & _HAS_UMLAUT
_SAME_KEY = (col.key == col.record_key) | _IS_TYPED
_SAME_SITE = col.site == col.record_site
_BEGINS = col.key.str.head(_BEGINNING)
_IS_OWN = ~col.is_page | (col.site.str.head(_BEGINNING) == _BEGINS)
"""The address is the company's own domain: no page below it, or spelt alike."""
_SAME_FORM = same_form(col.name, col.record_name)
_COMPARISONS = {
    "has_key": _SAME_KEY,
    "is_name": when(_SAME_KEY).then(_SAME_FORM).otherwise(_SAME_KEY),
    "is_site": when(_SAME_SITE | (_IS_OWN & ~col.is_shared)).then(_SAME_SITE),
    "in_place": when(col.hq_city.is_not_null()).then(_IN_CITY),
    "in_country": _IN_COUNTRY,
    "in_year": _YEARS_APART <= _SAME_YEAR,
    "is_owner": _YEARS_APART <= _SAME_OWNER,
    "own_site": coalesce(when(_IS_OWN).then("site"), "record_site"),
}
"""How a row of the list and a record agree; null where one is not recorded."""


def candidates(list_: DataFrame, records: DataFrame) -> DataFrame:
    """Pair each row of the list with the records of the same name or domain, and
    compare them.

    `is_name`, `is_site`, `in_place` and `in_year` are null where one of the two is
    not recorded.
    """
    rows = list_.drop("domain", "place", "is_host")
    renamed = {name: f"record_{name}" for name in ("name", "key", "loose", "site")}
    firms = _near(list_, records).drop("is_host")
    firms = firms.rename(renamed | {"is_page": "is_shared"})
    by_site = rows.join(firms, left_on="site", right_on="record_site", coalesce=False)
    by_name = rows.join(firms, left_on="loose", right_on="record_loose", coalesce=False)
    by_name = by_name.filter(_SAME_KEY)
    pairs = concat([by_site, by_name.select(by_site.columns)])
    pairs = pairs.unique(["row", "uuid"], keep="any").with_columns(**_COMPARISONS)
    differing = [when(~col(key)).then(lit(text)) for key, text in _COMPARED.items()]
    differs = pl.concat_str(differing, separator=", ", ignore_nulls=True)
    pairs = pairs.with_columns(differs=differs.replace("", None))
    is_other = ~col.is_site.fill_null(value=False)
    return pairs.sort("row", is_other, "record_name", "uuid")


def _may(name: str) -> Expr:
    """It agrees, or is not known."""
    return col(name).fill_null(value=True)


def _is_alone(holds: Expr) -> Expr:
    """It holds for one record of the row."""
    return holds & (holds.sum().over("row") == 1)


_IS_KEPT = _may("is_owner") & (_may("has_key") | (_may("in_year") & _may("in_place")))
"""The domain does not seem to have changed hands."""
_IS_OF_SITE = _is_alone(col.is_site) & _IS_KEPT
_BY_SITE = _IS_OF_SITE & (col.names_of_site <= 1)
_HAS_OWN_SITE = _may("is_site") | col.in_year
_IS_ACCEPTED = _may("in_place") & _may("in_year") & _HAS_OWN_SITE
_BY_NAME = _is_alone(col.is_name & _IS_ACCEPTED) & (col.sites_of_name <= 1)
_IS_ALIKE = (
    col.has_key
    | (col.record_key.str.head(_BEGINNING) == _BEGINS)
    | col.key.str.contains(col.record_key, literal=True)
    | col.record_key.str.contains(col.key, literal=True)
)
_IS_THERE = ~col.is_page & (col.in_place | col.in_year)
_IS_CONFIRMED = (col.key.is_null() | _IS_ALIKE | _IS_THERE).fill_null(value=False)
"""The names are alike, or the place or year agrees: not the domain alone."""
_IS_TELLING = (col.key.str.len_chars() > _SHARED) | _is_spelt("own_site")
"""The name is a long one, or the one known domain is spelt as it."""
_IS_SURE = col.is_site.is_not_null() | _IS_TELLING.fill_null(value=True)
_OF_COMPANY = {
    "by_site": _BY_SITE & _IS_CONFIRMED,
    "by_name": _BY_NAME & ~col.is_cut & col.in_place & _IS_SURE,
}
"""Two things agree, and nothing contradicts them (rule 4)."""
# parts of an institution share its domain: there the name decides (rule 4)
_OF_INSTITUTION = {
    "by_site": _BY_SITE | _is_alone(col.is_site & col.is_name),
    "by_name": _BY_NAME & ~col.is_cut & (col.in_place | col.in_country),
}
_FACTS = {
    "many": pl.len(),
    "has_site": col.is_site.any(),
    "has_name": col.is_name.any(),
    "has_changed": (col.is_site & ~_IS_KEPT).any(),
    "has_site_alone": (_IS_OF_SITE & ~_IS_CONFIRMED).any(),
}
"""What the candidates of a row have in common."""
_IS_ABSENT = col.many.is_null()
_IS_SINGLE = (col.many == 1) & ~col.has_site
_CASES: tuple[tuple[str, Expr, str], ...] = (
    ("confirmed by you", col.is_yes, "you said yes"),
    ("domain", col.by_site, "the registered domain is equal"),
    ("name and place", col.by_name, "name and place are equal"),
    (
        "refused by you",
        _IS_ABSENT & col.is_no,
        "you said no, and no other record of this name or domain was found",
    ),
    ("not looked up", _IS_ABSENT & col.is_unasked, "the fetch ended before"),
    (
        "not found",
        _IS_ABSENT & col.is_host,
        "the address is a page of others, and no record of the name was found",
    ),
    (
        "not found",
        _IS_ABSENT & (col.key.is_not_null() | col.site.is_not_null()),
        "no record of this name or domain was found",
    ),
    ("not found", _IS_ABSENT, "the row has neither name nor domain"),
    (
        "domain",
        col.has_site_alone,
        "only the domain is equal, and the record has another name",
    ),
    (
        "name only",
        _IS_SINGLE & ~col.has_name,
        "the names differ in their legal form or last word",
    ),
    (
        "name only",
        _IS_SINGLE & col.is_cut,
        "the name is equal, but not every record of it was read",
    ),
    (
        "name only",
        _IS_SINGLE,
        "only the name is equal, and nothing else confirms it",
    ),
    ("several", col.many > 1, "several records have this name or domain"),
    (
        "several",
        col.has_changed,
        "the record with this domain has another name, place or year",
    ),
    ("several", lit(value=True), "several entries of the list have this domain"),
)
"""The grade of a row, when it has it, and why: the first that holds."""
_ANSWERS = {"confirmed by you": "yes", "refused by you": "no"}


def graded(
    list_: DataFrame, pairs: DataFrame, decided: DataFrame, *, is_company: bool
) -> DataFrame:
    """Grade each row of the list: its `grade`, `why`, `state`, `decision`, and the
    record that is used, if any.

    `pairs` are the candidates that are not refused, `decided` the decisions with the
    `record_name` of each. Institutions share names less often: a country is place
    enough, a known domain need not be spelt as the name, and of several records with
    one domain the one of the name is used.
    """
    facts = {name: fact.over("row") for name, fact in _FACTS.items()}
    pairs = pairs.with_columns(**facts)
    pairs = pairs.with_columns(**(_OF_COMPANY if is_company else _OF_INSTITUTION))
    yes = decided.filter("is_yes")
    best = concat([yes, pairs], how="diagonal_relaxed")
    ways = ("is_yes", "by_site", "by_name")
    best = best.with_columns(col(ways).fill_null(value=False))
    best = best.sort(ways, descending=True, maintain_order=True)
    best = best.unique("row", keep="first", maintain_order=True)
    refused = decided.filter(~col.is_yes)["row"]
    rows = list_.with_columns(is_no=col.row.is_in(refused.implode()))
    rows = rows.join(best, on="row", how="left").sort("row")
    grades = [when(holds).then(lit(grade)) for grade, holds, _ in _CASES]
    reasons = [when(holds).then(lit(reason)) for _, holds, reason in _CASES]
    is_used = pl.any_horizontal(ways)
    record = when(is_used).then(col("uuid", "record_name", "differs"))
    rows = rows.with_columns(record, grade=coalesce(grades), why=coalesce(reasons))
    rows = rows.rename({"uuid": "record_uuid"})
    is_open = ~is_used & (col.grade == "domain")
    state = when(~is_open).then(col.grade.replace_strict(GRADES))
    return rows.with_columns(
        state=state.fill_null("to decide"),
        decision=col.grade.replace_strict(_ANSWERS, default=None),
    )


def near_misses(list_: DataFrame, records: DataFrame) -> DataFrame:
    """Find records, at most five a row, that share a rare word with its name; none
    is a match.
    """
    in_list = _telling_words(list_, "row")
    in_records = _telling_words(records, "uuid")
    in_records = in_records.join(in_list.select("word"), on="word", how="semi")
    rare = in_records.filter(pl.len().over("word") <= _RARE)
    near = in_list.join(rare, on="word").group_by("row", "uuid").len()
    near = near.join(records, on="uuid").rename({"name": "record_name"})
    near = near.sort("row", -col.len.cast(pl.Int32), "record_name", "uuid")
    return near.group_by("row", maintain_order=True).head(_NEAR)


def _telling_words(rows: DataFrame, key: str) -> DataFrame:
    """A row per word of a name that tells something of it: no legal form."""
    spelt = own_words(col.name).str.split(" ")
    rows = rows.select(key, word=spelt.list.unique()).explode("word")
    return rows.filter(col.word.str.len_chars() >= _SHORTEST)
