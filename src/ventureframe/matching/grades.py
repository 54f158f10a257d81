"""How a list and the records are compared: keys of names and domains, candidates, grades.

Grades are joins: nothing is decided by likeness. `mine` has a row per row of a list (`row`, `name`,
`domain`, `place`, `year`), `records` one per record; both are joined by keys.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import polars as pl
from publicsuffixlist import PublicSuffixList

GRADES: Final = ("domain", "name and place", "name only", "several", "not found")
RECORD: Final = {
    "uuid": pl.String,
    "name": pl.String,
    "website_domain": pl.String,
    "hq_city": pl.String,
    "hq_country": pl.String,
    "launch_date": pl.Int32,
}
_LEGAL: Final = (
    "inc|incorporated|llc|ltd|limited|corp|corporation|co|company|gmbh|ag|sa|sas|sarl|srl|spa|bv|nv"
    "|oy|oyj|ab|aps|plc|pty|pte|kg|llp|lp|kk"
)
_HOST: Final = r"^(?:[a-z][a-z0-9+.-]*:)?(?://)?(?:[^/@?#]*@)?([^/:?#,;\s]+\.[^/:?#,;\s]+)"
_PLATFORMS: Final = re.compile(
    r"(?:facebook|google|twitter|instagram|linkedin|youtube|tiktok|medium|wordpress|weebly|apple"
    r"|amazon|etsy|kickstarter|crunchbase|gmail|hotmail|outlook|yahoo|x)\.com|about\.me|angel\.co"
    r"|bit\.ly|linktr\.ee|notion\.site|wikipedia\.org|[0-9.]+"
)
_COUNTRIES: Final = {
    **dict.fromkeys(("usa", "us", "u s a", "united states of america"), "united states"),
    **dict.fromkeys(("uk", "great britain", "england", "scotland", "wales"), "united kingdom"),
}
_APART, _OTHER = 1, 3  # years: that far apart still agree; further, the name counts no more
_RARE, _NEAR = 20, 5  # records that a rare word is in at most; near misses of a row
_LEAST: Final = 3  # letters of a word that tells
_AGREE: Final = {"is_name": "name", "is_site": "domain", "in_place": "place", "in_year": "year"}
_NOT_FOUND: Final = "no record of this name or domain was found"
_NAME_ONLY: Final = "one record has this name, and nothing else confirms it"


def words(text: pl.Expr) -> pl.Expr:
    """The words of names, in lower case, without accents and punctuation.

    >>> pl.select(words(pl.lit("Société Générale & Co., S.A."))).item()
    'societe generale and co sa'
    """
    bare = text.str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    bare = (
        bare.str.replace_all("ß", "ss")
        .str.replace_all(r"[.'’`´]", "")
        .str.replace_all("&", " and ")
    )
    return bare.str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()


def name_key(text: pl.Expr) -> pl.Expr:
    """What names are joined by: their words without blanks, and without legal forms at the end.

    >>> names = pl.DataFrame({"name": ["Acme, Inc.", "ACME Co. Ltd", "É-Trade", "!!!"]})
    >>> names.select(name_key(pl.col("name"))).to_series().to_list()
    ['acme', 'acme', 'etrade', '!!!']
    """
    key = words(text).str.replace(rf"(?: (?:{_LEGAL}))+$", "").str.replace_all(" ", "")
    return pl.coalesce(pl.when(key != "").then(key), text.str.strip_chars())


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def registered(hosts: pl.Series) -> pl.Series:
    """The registered domain of each, from whatever names a site; null: none, or a platform's.

    >>> sites = ["https://www.Acme.co.uk/team", "jo@acme.co.uk", "a.github.io", "facebook.com/a"]
    >>> registered(pl.Series(sites)).to_list()
    ['acme.co.uk', 'acme.co.uk', 'a.github.io', None]
    """
    hosts = _hosts(hosts)
    known = {host: _suffixes().privatesuffix(host) for host in hosts.drop_nulls().unique()}
    known = {k: None if _PLATFORMS.fullmatch(own or "") else own for k, own in known.items()}
    return hosts.replace_strict(known, default=None, return_dtype=pl.String)


def _hosts(texts: pl.Series) -> pl.Series:
    lower = texts.cast(pl.String).str.strip_chars().str.to_lowercase()
    hosts = lower.str.extract(_HOST, 1).str.strip_chars(".")
    others = hosts.filter(hosts.str.contains(r"[^\x00-\x7f]")).unique()
    return hosts.replace({host: _ascii(host) for host in others}) if others.len() else hosts


def _ascii(host: str) -> str | None:
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return None


def keyed_list(frame: pl.DataFrame) -> pl.DataFrame:
    """The list with its keys: `key`, `site`, `places` (parts of the place) and `year`."""
    parts = pl.col("place").str.split(",").list.eval(words(pl.element()).replace(_COUNTRIES))
    year = pl.col("year").str.extract(r"(\d{4})").cast(pl.Int32)
    keys = frame.with_columns(
        key=name_key(pl.col("name")), site=registered(frame["domain"]), places=parts, year=year
    )
    return keys.with_columns(
        names_of_site=pl.col("key").drop_nulls().n_unique().over("site"),
        sites_of_name=pl.col("site").n_unique().over("key"),
    )


def keyed_records(records: pl.LazyFrame, mine: pl.DataFrame) -> pl.DataFrame:
    """The records with `key` and `site`; the site only where it or the name may be in the list."""
    own = {"city": "hq_city", "country": "hq_country"}  # of universities, in a folder
    records = records.rename(own, strict=False)
    there = records.collect_schema()
    columns = (
        pl.col(name).cast(kind) if name in there else pl.lit(None, kind).alias(name)
        for name, kind in RECORD.items()
    )
    frame = records.select(columns).drop_nulls("uuid").unique("uuid", keep="any").collect()
    frame = frame.with_columns(key=name_key(pl.col("name")))
    end = r"([^.]+\.[^.]+)$"
    hosts = _hosts(frame["website_domain"])
    ends = mine["site"].drop_nulls().str.extract(end).unique()
    near = hosts.str.extract(end).is_in(ends.implode())
    near |= frame["key"].is_in(mine["key"].unique().implode())
    return frame.with_columns(site=registered(pl.select(pl.when(near).then(hosts)).to_series()))


def candidates(mine: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """A line per row of the list and record of the same name or domain, with what agrees.

    `is_name`, `is_site`, `in_place` and `in_year` are null where one of the two is not recorded.
    """
    rows = mine.drop("name", "domain", "place")
    found = records.rename({"name": "record_name", "key": "record_key", "site": "record_site"})
    by_site = rows.join(found, left_on="site", right_on="record_site", coalesce=False)
    by_name = rows.join(found, left_on="key", right_on="record_key", coalesce=False)
    pairs = pl.concat([by_site, by_name.select(by_site.columns)]).unique(
        ["row", "uuid"], keep="any"
    )
    city, country = words(pl.col("hq_city")), words(pl.col("hq_country")).replace(_COUNTRIES)
    is_country_alone = pl.col("places") == pl.concat_list(country)
    in_city = pl.when(~is_country_alone).then(city.is_in(pl.col("places")))
    years = (pl.col("year") - pl.col("launch_date")).abs()
    pairs = pairs.with_columns(
        is_name=pl.col("key") == pl.col("record_key"),
        is_site=pl.col("site") == pl.col("record_site"),
        in_place=pl.when(pl.col("hq_city").is_not_null()).then(in_city),
        in_country=is_country_alone,
        in_year=years <= _APART,
        is_other=years > _OTHER,
    )
    others = (pl.when(~pl.col(name)).then(pl.lit(word)) for name, word in _AGREE.items())
    differs = pl.concat_list(*others).list.drop_nulls().list.join(", ").replace("", None)
    pairs = pairs.with_columns(differs=differs)
    return pairs.sort("row", ~pl.col("is_site").fill_null(value=False), "record_name", "uuid")


def graded(mine: pl.DataFrame, pairs: pl.DataFrame, *, is_company: bool) -> pl.DataFrame:
    """A row per row of the list: its `grade`, `why`, and the record of the two that are used.

    Names of institutions are less often taken twice: a country is place enough, no known domain
    has to be spelt as the name, and of several on one domain the one of the name is meant.
    """
    no = {name: ~pl.col(name).fill_null(value=True) for name in _AGREE}
    yes = {name: pl.col(name).fill_null(value=False) for name in _AGREE}
    is_out = no["in_place"] | no["in_year"] | (no["is_site"] & ~yes["in_year"])
    word = pl.coalesce("site", "record_site").str.extract(r"^([^.]+)").str.replace_all("-", "")
    is_spelt = (
        pl.col("is_site").is_not_null()
        | (word == pl.col("key")).fill_null(value=True)
        | (not is_company)
    )
    is_other = pl.col("is_other").fill_null(value=False)
    in_place = yes["in_place"] | ((not is_company) & pl.col("in_country").fill_null(value=False))
    is_open = yes["is_name"] & ~is_out
    is_changed = is_other | (no["is_name"] & (no["in_year"] | no["in_place"]))
    is_own = (pl.col("names_of_site") <= 1) & ~is_changed
    by_site = yes["is_site"] & is_own & (yes["is_site"].sum().over("row") == 1)
    if not is_company:  # parts of one share its domain: there the name decides (rule 4)
        is_both = yes["is_site"] & yes["is_name"]
        by_site |= is_both & (is_both.sum().over("row") == 1)
    by_name = is_open & in_place & is_spelt & (pl.col("sites_of_name") <= 1)
    by_name &= is_open.sum().over("row") == 1
    site, count = pl.format("the registered domain {} is equal", "site"), pl.len()
    found = pairs.with_columns(by_site=by_site, by_name=by_name)
    used = found.filter(pl.col("by_site") | pl.col("by_name")).sort("by_site", descending=True)
    used = used.unique("row", keep="first", maintain_order=True).select(
        *("row", "record_name", "differs"),
        record_uuid="uuid",
        grade=pl.when("by_site").then(pl.lit("domain")).otherwise(pl.lit("name and place")),
        why=pl.when("by_site").then(site).otherwise(pl.lit("name and place are equal")),
    )
    facts = pairs.group_by("row").agg(
        count.alias("many"),
        yes["is_site"].any().alias("is_by_site"),
        (yes["is_site"] & is_changed).any().alias("is_changed"),
    )
    several = pl.format("{} records have this name or domain", "many")
    cases = (
        (pl.col("many").is_null(), "not found", _NOT_FOUND),
        ((pl.col("many") == 1) & ~pl.col("is_by_site"), "name only", _NAME_ONLY),
        (pl.col("many") > 1, "several", several),
        (
            pl.col("is_changed"),
            "several",
            "the record with this domain has another name, place or year",
        ),
    )
    twice = "several entries of the list have this domain"
    rows = mine.select("row").join(used, on="row", how="left").join(facts, on="row", how="left")
    grade = pl.coalesce(*(pl.when(c[0]).then(pl.lit(c[1])) for c in cases), pl.lit("several"))
    why = pl.coalesce(*(pl.when(c[0]).then(_text(c[2])) for c in cases), pl.lit(twice))
    rows = rows.with_columns(grade=pl.coalesce("grade", grade), why=pl.coalesce("why", why))
    return rows.drop("many", "is_by_site", "is_changed").sort("row")


def _text(said: str | pl.Expr) -> pl.Expr:
    return pl.lit(said) if isinstance(said, str) else said


def near_misses(mine: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """The records, five a row at most, that share a rare word with its name; none is a match."""

    def told(rows: pl.DataFrame) -> pl.DataFrame:
        each = rows.with_columns(word=words(pl.col("name")).str.split(" ").list.unique())
        each = each.explode("word").filter(pl.col("word").str.len_chars() >= _LEAST)
        return each.filter(~pl.col("word").str.contains(rf"^(?:{_LEGAL})$"))

    hers = told(mine.select("row", "name"))
    theirs = told(records.select("uuid", "name")).join(hers.select("word"), on="word", how="semi")
    rare = theirs.filter(pl.len().over("word") <= _RARE)
    shared = hers.select("row", "word", long=pl.col("name").str.len_chars()).join(rare, on="word")
    apart = (pl.col("name").str.len_chars() - pl.col("long").cast(pl.Int64)).abs()
    ranked = shared.group_by("row", "uuid").agg(many=pl.len(), apart=apart.first())
    ranked = ranked.sort("row", "many", "apart", "uuid", descending=[False, True, False, False])
    near = ranked.group_by("row", maintain_order=True).head(_NEAR).select("row", "uuid")
    return near.join(records, on="uuid", maintain_order="left").rename({"name": "record_name"})
