"""Compare a list with the records: keys of names and domains, candidates, grades.

Grades are joins: nothing is decided by likeness. `list_` has a row per row of the
user's list (`row`, `name`, `domain`, `place`, `year`), `records` one per record;
they are joined by their keys.
"""

import polars as pl
from polars import DataFrame, Series, col, lit, when

from ventureframe.matching.domains import addresses, parsed
from ventureframe.matching.names import name_key, own_words, same_form, words

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
    **dict.fromkeys(
        ("uuid", "name", "website_domain", "hq_city", "hq_country"), pl.String
    ),
    "launch_date": pl.Int32,
}
_COUNTRIES = {
    **dict.fromkeys(
        ("usa", "us", "u s a", "united states of america"), "united states"
    ),
    **dict.fromkeys(
        ("uk", "great britain", "england", "scotland", "wales"), "united kingdom"
    ),
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


def keyed_list(list_: DataFrame) -> DataFrame:
    """Add the keys of a list: `key`, `site`, `places` (parts of the place) and
    `year`.
    """
    part = words(pl.element()).replace(_COUNTRIES)
    places = col("place").str.split(",").list.eval(part)
    year = col("year").str.extract(r"(\d{4})").cast(pl.Int32)
    rows = list_.with_columns(places.alias("places"), year, key=name_key(col("name")))
    rows = _with_site(rows, list_["domain"])
    names = col("key").drop_nulls().n_unique().over("site")
    sites = col("site").n_unique().over("key")
    rows = rows.with_columns(names_of_site=names, sites_of_name=sites)
    return rows.with_columns(is_page=col("is_page") | (names >= _MANY))


def keyed_records(records: pl.LazyFrame, list_: DataFrame) -> DataFrame:
    """Add `key` and `site` to the records, `site` only where it or the name may be
    in the list.
    """
    records = records.rename(_CITY_AND_COUNTRY, strict=False)
    blank = pl.LazyFrame(schema=RECORD)  # has the columns that the records lack
    known = pl.concat([blank, records], how="diagonal_relaxed").select(*RECORD)
    known = known.drop_nulls("uuid").unique("uuid", keep="any")
    frame = known.with_columns(key=name_key(col("name"))).collect()
    hosts = parsed(frame["website_domain"])["host"]
    end = r"([^.]+\.[^.]+)$"
    ends = list_["site"].drop_nulls().str.extract(end).unique()
    has_site = hosts.str.extract(end).is_in(ends.implode())
    has_name = frame["key"].is_in(list_["key"].unique().implode())
    near = pl.select(when(has_site | has_name).then(hosts)).to_series()
    frame = _with_site(frame, near)
    return frame.with_columns(is_page=pl.len().over("site") >= _MANY)


def _with_site(rows: DataFrame, texts: Series) -> DataFrame:
    """Add the registered domain of each address: none where it is a host of pages and
    not spelt as the name.
    """
    rows = rows.hstack(addresses(texts))
    is_bare = col("key").is_null() & ~col("is_page")
    is_own = ~col("is_host") | _is_spelt("key", "site") | is_bare
    return rows.with_columns(site=when(is_own).then("site"), is_host=~is_own)


def _is_spelt(key: str, site: str) -> pl.Expr:
    """The domain is spelt as the name, with its suffix or without."""
    bare = col(site).str.replace_all("-", "")
    first, whole = bare.str.extract(r"^([^.]+)"), bare.str.replace_all(r"\.", "")
    return (col(key) == first) | (col(key) == whole)


_CITY = words(col("hq_city"))
_COUNTRY = words(col("hq_country")).replace(_COUNTRIES)
_IN_COUNTRY = col("places") == pl.concat_list(_COUNTRY)
_IN_CITY = when(~_IN_COUNTRY).then(_CITY.is_in(col("places")))
_YEARS_APART = (col("year") - col("launch_date")).abs()
_HAS_KEY = col("key") == col("record_key")
_HAS_SITE = col("site") == col("record_site")
_BEGINS = col("key").str.head(_BEGINNING)
_IS_OWN = ~col("is_page") | (col("site").str.head(_BEGINNING) == _BEGINS)
"""The address is the company's own domain: no page below it, or spelt alike."""
_COMPARISONS = {
    "is_name": when(_HAS_KEY)
    .then(same_form(col("name"), col("record_name")))
    .otherwise(_HAS_KEY),
    "is_site": when(_HAS_SITE | (_IS_OWN & ~col("is_shared"))).then(_HAS_SITE),
    "in_place": when(col("hq_city").is_not_null()).then(_IN_CITY),
    "in_country": _IN_COUNTRY,
    "in_year": _YEARS_APART <= _SAME_YEAR,
    "is_other": _YEARS_APART > _SAME_OWNER,
    "own_site": pl.coalesce(when(_IS_OWN).then("site"), "record_site"),
}
"""How a row of the list and a record agree; null where one is not recorded."""


def candidates(list_: DataFrame, records: DataFrame) -> DataFrame:
    """Pair each row of the list with the records of the same name or domain, and
    compare them.

    `is_name`, `is_site`, `in_place` and `in_year` are null where one of the two is
    not recorded.
    """
    rows = list_.drop("domain", "place", "is_host")
    own = {name: f"record_{name}" for name in ("name", "key", "site")}
    firms = records.drop("is_host").rename(own | {"is_page": "is_shared"})
    by_site = rows.join(firms, left_on="site", right_on="record_site", coalesce=False)
    by_name = rows.join(firms, left_on="key", right_on="record_key", coalesce=False)
    pairs = pl.concat([by_site, by_name.select(by_site.columns)])
    pairs = pairs.unique(["row", "uuid"], keep="any")
    pairs = pairs.with_columns(**_COMPARISONS)
    differing = list[pl.Expr]()
    for name, word in _COMPARED.items():
        differing.append(when(~col(name)).then(lit(word)))
    differs = pl.concat_str(differing, separator=", ", ignore_nulls=True)
    pairs = pairs.with_columns(differs=differs.replace("", None))
    return pairs.sort("row", ~_is("is_site"), "record_name", "uuid")


def _is(name: str) -> pl.Expr:
    """It agrees, as far as it is known."""
    return col(name).fill_null(value=False)


def _is_not(name: str) -> pl.Expr:
    """It is known to differ."""
    return ~col(name).fill_null(value=True)


def _is_alone(holds: pl.Expr) -> pl.Expr:
    """It holds for one record of the row."""
    return holds & (holds.sum().over("row") == 1)


_HAS_CHANGED = _is("is_other") | (
    ~_HAS_KEY.fill_null(value=True) & (_is_not("in_year") | _is_not("in_place"))
)
"""The domain seems to have changed hands."""
_IS_OF_SITE = _is_alone(_is("is_site")) & ~_HAS_CHANGED
_BY_SITE = _IS_OF_SITE & (col("names_of_site") <= 1)
_IS_CONTRADICTED = (
    _is_not("in_place") | _is_not("in_year") | (_is_not("is_site") & ~_is("in_year"))
)
_BY_NAME = _is_alone(_is("is_name") & ~_IS_CONTRADICTED) & (col("sites_of_name") <= 1)
_IS_ALIKE = (
    (col("record_key").str.head(_BEGINNING) == _BEGINS)
    | col("key").str.contains(col("record_key"), literal=True)
    | col("record_key").str.contains(col("key"), literal=True)
)
_IS_CONFIRMED = (
    col("key").is_null()
    | _IS_ALIKE
    | (~col("is_page") & (_is("in_place") | _is("in_year")))
)
"""The names are alike, or the place or year agrees: not the domain alone."""
_IS_TELLING = (col("key").str.len_chars() > _SHARED) | _is_spelt("key", "own_site")
"""The name is a long one, or the one known domain is spelt as it."""
_OF_COMPANY = {
    "by_site": _BY_SITE & _IS_CONFIRMED,
    "by_name": (
        _BY_NAME
        & _is("in_place")
        & (col("is_site").is_not_null() | _IS_TELLING.fill_null(value=True))
    ),
}
"""Two things agree, and nothing contradicts them (rule 4)."""
# parts of an institution share its domain: there the name decides (rule 4)
_OF_INSTITUTION = {
    "by_site": _BY_SITE | _is_alone(_is("is_site") & _is("is_name")),
    "by_name": _BY_NAME & (_is("in_place") | _is("in_country")),
}


_FACTS = {
    "many": pl.len(),
    "has_site": _is("is_site").any(),
    "has_name": _is("is_name").any(),
    "has_changed": (_is("is_site") & _HAS_CHANGED).any(),
    "has_site_alone": col("by_site_alone").any(),
}
"""What the candidates of a row have in common."""
_IS_ABSENT = col("many").is_null()
_IS_SINGLE = (col("many") == 1) & ~col("has_site")
_GRADE = (
    when(_IS_ABSENT)
    .then(lit("not found"))
    .when("has_site_alone")
    .then(lit("domain"))
    .when(_IS_SINGLE)
    .then(lit("name only"))
    .otherwise(lit("several"))
)
_ASKED = pl.concat_str(
    when(col("key").is_not_null()).then(lit("name")),
    when(col("site").is_not_null()).then(lit("domain")),
    separator=" or ",
    ignore_nulls=True,
)
_NOT_FOUND = (
    when(_ASKED == "")
    .then(lit("the row has neither name nor domain"))
    .otherwise(pl.format("no record of this {} was found", _ASKED))
)
_WHY = (
    when(_IS_ABSENT & col("is_host") & col("key").is_null())
    .then(lit("the address is a page of others, and the row has no name"))
    .when(_IS_ABSENT & col("is_host"))
    .then(lit("the address is a page of others, and no record of this name was found"))
    .when(_IS_ABSENT)
    .then(_NOT_FOUND)
    .when("has_site_alone")
    .then(lit("only the domain is equal, and the record has another name"))
    .when(_IS_SINGLE & ~col("has_name"))
    .then(lit("the names differ in their legal form or last word"))
    .when(_IS_SINGLE)
    .then(lit("only the name is equal, and nothing else confirms it"))
    .when(col("many") > 1)
    .then(pl.format("{} records have this name or domain", "many"))
    .when("has_changed")
    .then(lit("the record with this domain has another name, place or year"))
    .otherwise(lit("several entries of the list have this domain"))
)
"""The grade, and the reason, of a row of which no record is used."""


def graded(list_: DataFrame, pairs: DataFrame, *, is_company: bool) -> DataFrame:
    """Grade each row of the list: its `grade`, `why`, and the record that is used, if
    any.

    Institutions share names less often: a country is place enough, a known domain
    need not be spelt as the name, and of several records with one domain the one of
    the name is used.
    """
    rules = _OF_COMPANY if is_company else _OF_INSTITUTION
    pairs = pairs.with_columns(**rules, by_site_alone=_IS_OF_SITE & ~_IS_CONFIRMED)
    used = _used(pairs)
    facts = pairs.group_by("row").agg(**_FACTS)
    rows = list_.select("row", "key", "site", "is_host").join(
        used, on="row", how="left"
    )
    rows = rows.join(facts, on="row", how="left")
    grade, why = pl.coalesce("grade", _GRADE), pl.coalesce("why", _WHY)
    rows = rows.with_columns(grade=grade, why=why)
    return rows.drop(_FACTS, "key", "site", "is_host").sort("row")


def states(graded: DataFrame) -> Series:
    """The state of each row; one that only a domain speaks for is to decide."""
    state = col("grade").replace_strict(GRADES)
    is_open = (state == "matched") & col("record_uuid").is_null()
    state = when(is_open).then(lit("to decide")).otherwise(state)
    return graded.select(state=state).to_series()


def _used(pairs: DataFrame) -> DataFrame:
    """The record that is used of each row, if any, with its grade and why."""
    used = pairs.filter(col("by_site") | col("by_name"))
    used = used.sort("by_site", descending=True)
    used = used.unique("row", keep="first", maintain_order=True)
    grade = when("by_site").then(lit("domain")).otherwise(lit("name and place"))
    by_site = pl.format("the registered domain {} is equal", "site")
    by_name = lit("name and place are equal")
    why = when("by_site").then(by_site).otherwise(by_name)
    columns = ("row", "record_name", "differs")
    return used.select(*columns, record_uuid="uuid", grade=grade, why=why)


def near_misses(list_: DataFrame, records: DataFrame) -> DataFrame:
    """Find records, at most five a row, that share a rare word with its name; none
    is a match.
    """
    in_list = _telling_words(list_, "row")
    in_records = _telling_words(records, "uuid")
    in_records = in_records.join(in_list.select("word"), on="word", how="semi")
    rare = in_records.filter(pl.len().over("word") <= _RARE)
    shared = in_list.join(rare, on="word")
    near = shared.group_by("row", "uuid").agg(many=pl.len())
    near = near.join(records, on="uuid").rename({"name": "record_name"})
    is_descending = [False, True, False, False]
    near = near.sort("row", "many", "record_name", "uuid", descending=is_descending)
    return near.drop("many").group_by("row", maintain_order=True).head(_NEAR)


def _telling_words(rows: DataFrame, key: str) -> DataFrame:
    """A row per word of a name that tells something of it: no legal form."""
    own = own_words(col("name")).str.split(" ")
    rows = rows.select(key, word=own.list.unique()).explode("word")
    return rows.filter(col("word").str.len_chars() >= _SHORTEST)
