"""Compare a list with the records: keys of names and domains, candidates, grades.

Grades are joins: nothing is decided by likeness. `list_` has a row per row of the
user's list (`row`, `name`, `domain`, `place`, `year`), `records` one per record;
they are joined by their keys.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import polars as pl
from publicsuffixlist import PublicSuffixList

GRADES: Final = ("domain", "name and place", "name only", "several", "not found")
RECORD: Final = {
    **dict.fromkeys(
        ("uuid", "name", "website_domain", "hq_city", "hq_country"), pl.String
    ),
    "launch_date": pl.Int32,
}
_LEGAL: Final = (
    "inc|incorporated|llc|ltd|limited|corp|corporation|co|company|gmbh|ag|sa|sas|sarl|srl|spa|bv|nv"
    "|oy|oyj|ab|aps|plc|pty|pte|kg|llp|lp|kk"
)
_HOST: Final = (
    r"^(?:[a-z][a-z0-9+.-]*:)?(?://)?(?:[^/@?#]*@)?([^/:?#,;\s]+\.[^/:?#,;\s]+)"
)
_PLATFORMS: Final = re.compile(
    r"(?:facebook|google|twitter|instagram|linkedin|youtube|tiktok|medium|wordpress|weebly|apple"
    r"|amazon|etsy|kickstarter|crunchbase|gmail|hotmail|outlook|yahoo|x)\.com|about\.me|angel\.co"
    r"|bit\.ly|linktr\.ee|notion\.site|wikipedia\.org|[0-9.]+"
)
_COUNTRIES: Final = {
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
_SHORTEST: Final = 3  # letters of a word that near misses may share
_COMPARED: Final = {
    "is_name": "name",
    "is_site": "domain",
    "in_place": "place",
    "in_year": "year",
}
_NOT_FOUND: Final = "no record of this name or domain was found"
_NAME_ONLY: Final = "one record has this name, and nothing else confirms it"
_CHANGED: Final = "the record with this domain has another name, place or year"
_TWICE: Final = "several entries of the list have this domain"


def words(text: pl.Expr) -> pl.Expr:
    """Split names into words in lower case, without accents and punctuation.

    >>> pl.select(words(pl.lit("Société Générale & Co., S.A."))).item()
    'societe generale and co sa'
    """
    bare = (
        text.str.normalize("NFKD")
        .str.replace_all(r"\p{M}|[.'’`´]", "")
        .str.to_lowercase()
    )
    bare = bare.str.replace_many({"ß": "ss", "&": " and "})
    return bare.str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()


def name_key(text: pl.Expr) -> pl.Expr:
    """Make the key that names are joined by: their words, without legal forms at the
    end.

    >>> names = pl.DataFrame({"name": ["Acme, Inc.", "ACME Co. Ltd", "É-Trade", "!!!"]})
    >>> names.select(name_key(pl.col("name"))).to_series().to_list()
    ['acme', 'acme', 'etrade', '!!!']
    """
    key = words(text).str.replace(rf"(?: (?:{_LEGAL}))+$", "").str.replace_all(" ", "")
    return pl.coalesce(pl.when(key != "").then(key), text.str.strip_chars())


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def registered(texts: pl.Series) -> pl.Series:
    """Find the registered domain in addresses, hosts or e-mails; null for none or a
    platform's.

    >>> sites = ["https://www.Acme.co.uk/team", "jo@acme.co.uk", "a.github.io", "facebook.com/a"]
    >>> registered(pl.Series(sites)).to_list()
    ['acme.co.uk', 'acme.co.uk', 'a.github.io', None]
    """
    hosts = _hosts(texts)
    known = {
        host: _suffixes().privatesuffix(host) for host in hosts.drop_nulls().unique()
    }
    own = {
        host: site
        for host, site in known.items()
        if not _PLATFORMS.fullmatch(site or "")
    }
    return hosts.replace_strict(own, default=None, return_dtype=pl.String)


def _hosts(texts: pl.Series) -> pl.Series:
    lower = texts.cast(pl.String).str.strip_chars().str.to_lowercase()
    hosts = lower.str.extract(_HOST, 1).str.strip_chars(".")
    foreign = hosts.filter(hosts.str.contains(r"[^\x00-\x7f]")).unique()
    return (
        hosts.replace({host: _ascii(host) for host in foreign})
        if foreign.len()
        else hosts
    )


def _ascii(host: str) -> str | None:
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return None


def keyed_list(list_: pl.DataFrame) -> pl.DataFrame:
    """Add the keys of a list: `key`, `site`, `places` (parts of the place) and
    `year`.
    """
    parts = (
        pl.col("place")
        .str.split(",")
        .list.eval(words(pl.element()).replace(_COUNTRIES))
    )
    year = pl.col("year").str.extract(r"(\d{4})").cast(pl.Int32)
    site, key = registered(list_["domain"]), name_key(pl.col("name"))
    return list_.with_columns(key=key, site=site, places=parts, year=year).with_columns(
        names_of_site=pl.col("key").drop_nulls().n_unique().over("site"),
        sites_of_name=pl.col("site").n_unique().over("key"),
    )


def keyed_records(records: pl.LazyFrame, list_: pl.DataFrame) -> pl.DataFrame:
    """Add `key` and `site` to the records, `site` only where it or the name may be
    in the list.
    """
    own = {"city": "hq_city", "country": "hq_country"}  # of universities, in a folder
    records = records.rename(own, strict=False)
    there = records.collect_schema()
    columns = (
        pl.col(name).cast(kind) if name in there else pl.lit(None, kind).alias(name)
        for name, kind in RECORD.items()
    )
    frame = (
        records.select(columns).drop_nulls("uuid").unique("uuid", keep="any").collect()
    )
    frame = frame.with_columns(key=name_key(pl.col("name")))
    end = r"([^.]+\.[^.]+)$"
    hosts = _hosts(frame["website_domain"])
    ends = list_["site"].drop_nulls().str.extract(end).unique()
    is_near = hosts.str.extract(end).is_in(ends.implode())
    is_near |= frame["key"].is_in(list_["key"].unique().implode())
    near = pl.select(pl.when(is_near).then(hosts)).to_series()
    return frame.with_columns(site=registered(near))


def candidates(list_: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """Pair each row of the list with the records of the same name or domain, and
    compare them.

    `is_name`, `is_site`, `in_place` and `in_year` are null where one of the two is
    not recorded.
    """
    rows = list_.drop("name", "domain", "place")
    firms = records.rename(
        {"name": "record_name", "key": "record_key", "site": "record_site"}
    )
    by_site = rows.join(firms, left_on="site", right_on="record_site", coalesce=False)
    by_name = rows.join(firms, left_on="key", right_on="record_key", coalesce=False)
    pairs = pl.concat([by_site, by_name.select(by_site.columns)])
    city, country = (
        words(pl.col("hq_city")),
        words(pl.col("hq_country")).replace(_COUNTRIES),
    )
    is_country_alone = pl.col("places") == pl.concat_list(country)
    in_city = pl.when(~is_country_alone).then(city.is_in(pl.col("places")))
    years = (pl.col("year") - pl.col("launch_date")).abs()
    pairs = pairs.unique(["row", "uuid"], keep="any").with_columns(
        is_name=pl.col("key") == pl.col("record_key"),
        is_site=pl.col("site") == pl.col("record_site"),
        in_place=pl.when(pl.col("hq_city").is_not_null()).then(in_city),
        in_country=is_country_alone,
        in_year=years <= _SAME_YEAR,
        is_other=years > _SAME_OWNER,
    )
    others = (
        pl.when(~pl.col(name)).then(pl.lit(word)) for name, word in _COMPARED.items()
    )
    differs = (
        pl.concat_list(*others).list.drop_nulls().list.join(", ").replace("", None)
    )
    is_site = pl.col("is_site").fill_null(value=False)
    return pairs.with_columns(differs=differs).sort(
        "row", ~is_site, "record_name", "uuid"
    )


def graded(
    list_: pl.DataFrame, pairs: pl.DataFrame, *, is_company: bool
) -> pl.DataFrame:
    """Grade each row of the list: its `grade`, `why`, and the record that is used, if
    any.

    Institutions share names less often: a country is place enough, a known domain
    need not be spelt as the name, and of several records with one domain the one of
    the name is used.
    """
    compared = (*_COMPARED, "in_country", "is_other")
    yes = {name: pl.col(name).fill_null(value=False) for name in compared}
    no = {name: ~pl.col(name).fill_null(value=True) for name in compared}
    is_changed = yes["is_other"] | (no["is_name"] & (no["in_year"] | no["in_place"]))
    is_own = (pl.col("names_of_site") <= 1) & ~is_changed
    by_site = yes["is_site"] & is_own & (yes["is_site"].sum().over("row") == 1)
    is_contradicted = no["in_place"] | no["in_year"] | (no["is_site"] & ~yes["in_year"])
    is_open = yes["is_name"] & ~is_contradicted
    by_name = (
        is_open & (is_open.sum().over("row") == 1) & (pl.col("sites_of_name") <= 1)
    )
    if is_company:
        word = (
            pl.coalesce("site", "record_site")
            .str.extract(r"^([^.]+)")
            .str.replace_all("-", "")
        )
        is_spelt = (word == pl.col("key")).fill_null(value=True)
        by_name &= yes["in_place"] & (pl.col("is_site").is_not_null() | is_spelt)
    else:  # parts of an institution share its domain: there the name decides (rule 4)
        is_both = yes["is_site"] & yes["is_name"]
        by_site |= is_both & (is_both.sum().over("row") == 1)
        by_name &= yes["in_place"] | yes["in_country"]
    used = pairs.with_columns(by_site=by_site, by_name=by_name).filter(
        pl.col("by_site") | pl.col("by_name")
    )
    used = used.sort("by_site", descending=True).unique(
        "row", keep="first", maintain_order=True
    )
    site = pl.format("the registered domain {} is equal", "site")
    used = used.select(
        *("row", "record_name", "differs"),
        record_uuid="uuid",
        grade=pl.when("by_site")
        .then(pl.lit("domain"))
        .otherwise(pl.lit("name and place")),
        why=pl.when("by_site").then(site).otherwise(pl.lit("name and place are equal")),
    )
    facts = pairs.group_by("row").agg(
        pl.len().alias("many"),
        yes["is_site"].any().alias("has_site"),
        (yes["is_site"] & is_changed).any().alias("is_changed"),
    )
    rows = (
        list_.select("row")
        .join(used, on="row", how="left")
        .join(facts, on="row", how="left")
    )
    many = pl.col("many")
    is_absent, is_single = many.is_null(), (many == 1) & ~pl.col("has_site")
    grade = (
        pl.when(is_absent)
        .then(pl.lit("not found"))
        .when(is_single)
        .then(pl.lit("name only"))
    )
    why = (
        pl.when(is_absent)
        .then(pl.lit(_NOT_FOUND))
        .when(is_single)
        .then(pl.lit(_NAME_ONLY))
    )
    several = pl.format("{} records have this name or domain", many)
    doubtful = pl.when("is_changed").then(pl.lit(_CHANGED)).otherwise(pl.lit(_TWICE))
    rows = rows.with_columns(
        grade=pl.coalesce("grade", grade.otherwise(pl.lit("several"))),
        why=pl.coalesce("why", why.when(many > 1).then(several).otherwise(doubtful)),
    )
    return rows.drop("many", "has_site", "is_changed").sort("row")


def near_misses(list_: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """Find records, at most five a row, that share a rare word with its name; none
    is a match.
    """
    word, name_length = pl.col("word"), pl.col("name").str.len_chars().cast(pl.Int64)

    def split(rows: pl.DataFrame, key: str) -> pl.DataFrame:
        names = words(pl.col("name")).str.split(" ").list.unique()
        rows = rows.select(key, word=names, length=name_length).explode("word")
        is_telling = (word.str.len_chars() >= _SHORTEST) & ~word.str.contains(
            rf"^(?:{_LEGAL})$"
        )
        return rows.filter(is_telling)

    in_list = split(list_, "row")
    in_records = split(records, "uuid").join(
        in_list.select("word"), on="word", how="semi"
    )
    shared = in_list.join(in_records.filter(pl.len().over("word") <= _RARE), on="word")
    apart = (pl.col("length_right") - pl.col("length")).abs()
    ranked = shared.group_by("row", "uuid").agg(many=pl.len(), apart=apart.first())
    ranked = ranked.sort("row", -pl.col("many").cast(pl.Int64), "apart", "uuid")
    near = ranked.group_by("row", maintain_order=True).head(_NEAR).select("row", "uuid")
    return near.join(records, on="uuid", maintain_order="left").rename(
        {"name": "record_name"}
    )
