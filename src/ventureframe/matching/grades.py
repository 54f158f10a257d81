"""Compare a list with the records: keys of names and domains, candidates, grades.

Grades are joins: nothing is decided by likeness. `list_` has a row per row of the
user's list (`row`, `name`, `domain`, `place`, `year`), `records` one per record;
they are joined by their keys.
"""

import re
from collections.abc import Mapping
from functools import cache

import polars as pl
from polars import DataFrame, Series, col, lit, when
from publicsuffixlist import PublicSuffixList

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
_LEGAL = (
    "inc|incorporated|llc|ltd|limited|corp|corporation|co|company|gmbh|ag|sa|sas|sarl|srl|spa|bv|nv"
    "|oy|oyj|ab|aps|plc|pty|pte|kg|llp|lp|kk"
)
_HOST = r"^(?:[a-z][a-z0-9+.-]*:)?(?://)?(?:[^/@?#]*@)?([^/:?#,;\s]+\.[^/:?#,;\s]+)"
_PLATFORMS = re.compile(
    r"(?:facebook|google|twitter|instagram|linkedin|youtube|tiktok|medium|wordpress|weebly|apple"
    r"|amazon|etsy|kickstarter|crunchbase|gmail|hotmail|outlook|yahoo|x)\.com|about\.me|angel\.co"
    r"|bit\.ly|linktr\.ee|notion\.site|wikipedia\.org|[0-9.]+"
)
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
_COMPARED = {
    "is_name": "name",
    "is_site": "domain",
    "in_place": "place",
    "in_year": "year",
}
_CITY_AND_COUNTRY = {"city": "hq_city", "country": "hq_country"}
"""What a folder calls the place of a university, as a company's is called."""


def words(text: pl.Expr) -> pl.Expr:
    """Split names into words in lower case, without accents and punctuation.

    >>> pl.select(words(lit("Société Générale & Co., S.A."))).item()
    'societe generale and co sa'
    """
    bare = text.str.normalize("NFKD").str.replace_all(r"\p{M}|[.'’`´]", "")
    bare = bare.str.to_lowercase()
    bare = bare.str.replace_many({"ß": "ss", "&": " and "})
    return bare.str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()


def name_key(text: pl.Expr) -> pl.Expr:
    """Make the key that names are joined by: their words, without legal forms at the
    end.

    >>> names = DataFrame({"name": ["Acme, Inc.", "ACME Co. Ltd", "É-Trade", "!!!"]})
    >>> names.select(name_key(col("name"))).to_series().to_list()
    ['acme', 'acme', 'etrade', '!!!']
    """
    key = _own_words(text).str.replace_all(" ", "")
    filled = when(key != "").then(key)
    return pl.coalesce(filled, text.str.strip_chars())


def _own_words(text: pl.Expr) -> pl.Expr:
    """The words of a name without legal forms at the end."""
    return words(text).str.replace(rf"(?: (?:{_LEGAL}))+$", "")


_suffixes = cache(PublicSuffixList)


def registered(texts: Series) -> Series:
    """Find the registered domain in addresses, hosts or e-mails; null for none or a
    platform's.

    >>> sites = ["https://www.Acme.co.uk/team", "jo@acme.co.uk", "a.github.io", "facebook.com/a"]
    >>> registered(Series(sites)).to_list()
    ['acme.co.uk', 'acme.co.uk', 'a.github.io', None]
    """
    hosts = _hosts(texts)
    suffixes = _suffixes()
    sites = dict[str, str]()
    for host in hosts.drop_nulls().unique():
        site = suffixes.privatesuffix(host)
        if site and not _PLATFORMS.fullmatch(site):
            sites[host] = site
    return hosts.replace_strict(sites, default=None, return_dtype=pl.String)


def _hosts(texts: Series) -> Series:
    lower = texts.cast(pl.String).str.strip_chars().str.to_lowercase()
    hosts = lower.str.extract(_HOST, 1).str.strip_chars(".")
    foreign = hosts.filter(hosts.str.contains(r"[^\x00-\x7f]")).unique()
    return hosts.replace({host: _ascii(host) for host in foreign})


def _ascii(host: str) -> str | None:
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return None


def keyed_list(list_: DataFrame) -> DataFrame:
    """Add the keys of a list: `key`, `site`, `places` (parts of the place) and
    `year`.
    """
    part = words(pl.element()).replace(_COUNTRIES)
    places = col("place").str.split(",").list.eval(part)
    year = col("year").str.extract(r"(\d{4})").cast(pl.Int32)
    rows = list_.with_columns(places.alias("places"), year, key=name_key(col("name")))
    rows = rows.with_columns(registered(list_["domain"]).alias("site"))
    names = col("key").drop_nulls().n_unique().over("site")
    sites = col("site").n_unique().over("key")
    return rows.with_columns(names_of_site=names, sites_of_name=sites)


def keyed_records(records: pl.LazyFrame, list_: DataFrame) -> DataFrame:
    """Add `key` and `site` to the records, `site` only where it or the name may be
    in the list.
    """
    records = records.rename(_CITY_AND_COUNTRY, strict=False)
    blank = pl.LazyFrame(schema=RECORD)  # has the columns that the records lack
    known = pl.concat([blank, records], how="diagonal_relaxed").select(*RECORD)
    known = known.drop_nulls("uuid").unique("uuid", keep="any")
    frame = known.with_columns(key=name_key(col("name"))).collect()
    hosts = _hosts(frame["website_domain"])
    end = r"([^.]+\.[^.]+)$"
    ends = list_["site"].drop_nulls().str.extract(end).unique()
    has_site = hosts.str.extract(end).is_in(ends.implode())
    has_name = frame["key"].is_in(list_["key"].unique().implode())
    near = pl.select(when(has_site | has_name).then(hosts)).to_series()
    return frame.with_columns(site=registered(near))


_CITY = words(col("hq_city"))
_COUNTRY = words(col("hq_country")).replace(_COUNTRIES)
_IN_COUNTRY = col("places") == pl.concat_list(_COUNTRY)
_IN_CITY = when(~_IN_COUNTRY).then(_CITY.is_in(col("places")))
_YEARS_APART = (col("year") - col("launch_date")).abs()
_COMPARISONS = {
    "is_name": col("key") == col("record_key"),
    "is_site": col("site") == col("record_site"),
    "in_place": when(col("hq_city").is_not_null()).then(_IN_CITY),
    "in_country": _IN_COUNTRY,
    "in_year": _YEARS_APART <= _SAME_YEAR,
    "is_other": _YEARS_APART > _SAME_OWNER,
}
"""How a row of the list and a record agree; null where one of the two is not
recorded.
"""


def candidates(list_: DataFrame, records: DataFrame) -> DataFrame:
    """Pair each row of the list with the records of the same name or domain, and
    compare them.

    `is_name`, `is_site`, `in_place` and `in_year` are null where one of the two is
    not recorded.
    """
    rows = list_.drop("name", "domain", "place")
    own = {"name": "record_name", "key": "record_key", "site": "record_site"}
    firms = records.rename(own)
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
    _is_not("is_name") & (_is_not("in_year") | _is_not("in_place"))
)
"""The domain seems to have changed hands."""
_BY_SITE = _is_alone(_is("is_site")) & (col("names_of_site") <= 1) & ~_HAS_CHANGED
_IS_CONTRADICTED = (
    _is_not("in_place") | _is_not("in_year") | (_is_not("is_site") & ~_is("in_year"))
)
_BY_NAME = _is_alone(_is("is_name") & ~_IS_CONTRADICTED) & (col("sites_of_name") <= 1)
_FIRST_WORD = (
    pl.coalesce("site", "record_site").str.extract(r"^([^.]+)").str.replace_all("-", "")
)
_IS_SPELT = (col("key") == _FIRST_WORD).fill_null(value=True)
"""The one known domain is spelt as the name."""
_OF_COMPANY = {
    "by_site": _BY_SITE,
    "by_name": (
        _BY_NAME & _is("in_place") & (col("is_site").is_not_null() | _IS_SPELT)
    ),
}
# parts of an institution share its domain: there the name decides (rule 4)
_OF_INSTITUTION = {
    "by_site": _BY_SITE | _is_alone(_is("is_site") & _is("is_name")),
    "by_name": _BY_NAME & (_is("in_place") | _is("in_country")),
}


_FACTS = {
    "many": pl.len(),
    "has_site": _is("is_site").any(),
    "has_changed": (_is("is_site") & _HAS_CHANGED).any(),
}
"""What the candidates of a row have in common."""
_IS_ABSENT = col("many").is_null()
_IS_SINGLE = (col("many") == 1) & ~col("has_site")
_GRADE = (
    when(_IS_ABSENT)
    .then(lit("not found"))
    .when(_IS_SINGLE)
    .then(lit("name only"))
    .otherwise(lit("several"))
)
_WHY = (
    when(_IS_ABSENT)
    .then(lit("no record of this name or domain was found"))
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
    used = _used(pairs, _OF_COMPANY if is_company else _OF_INSTITUTION)
    facts = pairs.group_by("row").agg(**_FACTS)
    rows = list_.select("row").join(used, on="row", how="left")
    rows = rows.join(facts, on="row", how="left")
    grade, why = pl.coalesce("grade", _GRADE), pl.coalesce("why", _WHY)
    rows = rows.with_columns(grade=grade, why=why)
    return rows.drop(_FACTS).sort("row")


def _used(pairs: DataFrame, rules: Mapping[str, pl.Expr]) -> DataFrame:
    """The record that is used of each row, if any, with its grade and why."""
    pairs = pairs.with_columns(**rules)
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
    own = _own_words(col("name")).str.split(" ")
    rows = rows.select(key, word=own.list.unique()).explode("word")
    return rows.filter(col("word").str.len_chars() >= _SHORTEST)
