"""Every institution at once: what whole collections show of each `university_uuid`.

Each row equals what `spinouts.find` shows of that university over the same frames.
What entries say of their institution, the pairs of company and founder, and the
companies that have one are read into memory, each within the limit of `rows.narrow`;
the rest is polars.
"""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import narwhals as nw
import polars as pl

from ventureframe.display.wording import Count
from ventureframe.evidence import rows
from ventureframe.evidence.rates import totals
from ventureframe.evidence.rows import Frame, Rows, lazy, tally
from ventureframe.interface.fields import Currency, fold
from ventureframe.interface.source import Origin
from ventureframe.studies.institutions import words
from ventureframe.studies.institutions.study import (
    FOLDED,
    NAME,
    Counts,
    Study,
)
from ventureframe.studies.ranks import most, placed
from ventureframe.studies.spinouts.observations import (
    COMPANY,
    ENTRY,
    OF_ENTRY,
    PAIR,
    institutions_of,
    summed,
)

_FACTS = ("launch_date", "total_funding")
# what an entry says of its institution
_SAYS = ("university_uuid", "university_name")
_SAID = ("founder_uuid", "position", *_SAYS)
_BY = "giving frames of fewer companies and founders"
# of whole collections few columns are read
_MOST = 10_000_000


_DETAILS = ("website_domain", "city", "country")
"""What tells universities of one name apart: the first that differs, else the UUID."""


def find(
    *,
    companies: Frame,
    company_founders: Frame,
    founders: Frame,
    education: Frame,
    currency: Currency,
    universities: Frame | None = None,
    origin: Origin | None = None,
    **unread: Frame,
) -> Study:
    """What whole collections show of every institution, a row each.

    Parameters
    ----------
    companies, company_founders, founders, education, universities : frame
        As `bulk.open` gives them; a pull holds no universities. `unread` frames
        are ignored.
    currency : {"USD", "EUR", "GBP"}
        The currency of amounts.
    origin : Origin, optional
        The dataset, at whose rates amounts are converted; without one, the currency is
        that of `total_funding`.

    Raises
    ------
    UnsupportedValue
        Where no amount can be converted to the currency, and for more entries, pairs or
        companies than a study computes with.

    Examples
    --------
    >>> import ventureframe as vf
    >>> every = vf.institutions.find(**vf.bulk.open(), currency="EUR")
    >>> every.institutions.to_polars()["place_low"].min()
    1
    """
    rows.refuse_strangers(unread)
    amounts = companies if origin is None else totals(companies, currency, origin)
    total = nw.col("total_funding").cast(nw.Float64()).fill_nan(None)
    pool = _one_per(lazy(amounts).select(*COMPANY).with_columns(total), "uuid")
    pool = pool.rename({"uuid": "company_uuid", "name": "company_name"})
    pairs = lazy(company_founders).select("company_uuid", "founder_uuid").drop_nulls()
    returned = lazy(founders).select(founder_uuid="uuid")
    entries = lazy(education).join(returned, on="founder_uuid", how="semi")
    read = _read(entries, pairs, pool)
    used = read.entries.group_by(_SAYS).agg(tally("entries"))
    used = used.cast({pl.Categorical: pl.String})
    institutions = _institutions(used, universities)
    named = _named(read, _meanings(used, institutions))
    named_apart = _told_apart(institutions, universities)
    table = _table(named_apart, read, named, currency)
    frames = {
        "names": institutions,
        "institutions": table,
        "entries": used,
        "companies": read.evidenced.unique("company_uuid"),
    }
    people = Count(read.alumni["founder_uuid"].n_unique())
    first = most(table, "companies_evidenced", NAME)
    counts = rows.counted(
        Counts, frames, currency=currency, founders_evidenced=people, most=first
    )
    entry = "education entry"
    recorded = [
        (entry, "university_uuid", counts.entries_with_id, counts.entries),
        (entry, "university_name", counts.entries_with_name, counts.entries),
        *rows.coverage("company counted", frames["companies"], _FACTS),
    ]
    coverage = pl.DataFrame(recorded, rows.COVERAGE, orient="row")
    study = Study.from_words(
        words,
        counts,
        source=origin.source if origin else None,
        subject="Every university",
        currency=currency,
        counts=counts,
        frames={"institutions": table, "coverage": coverage},
        linked=cache(lambda: _links(entries, pairs, pool, founders, named_apart)),
    )
    return replace(study, sentence=study.withheld or study.sentence)


class _Read(NamedTuple):
    """The entries of founders, and the founders' companies.

    `alumni` are the founders of each institution, `evidenced` its companies.
    """

    entries: pl.DataFrame
    pairs: pl.DataFrame
    alumni: pl.DataFrame
    evidenced: pl.DataFrame


def _read(entries: Rows, pairs: Rows, pool: Rows) -> _Read:
    """Read what entries say of institutions, and the companies of their founders."""
    firms = pool.select("company_uuid", *_FACTS)
    frames = {
        "education": entries.select(*_SAID),
        "company_founders": pairs,
        "companies": firms.join(pairs, on="company_uuid", how="semi"),
    }
    tables = rows.narrow(frames, by=_BY, most=_MOST)
    names_read, founded, companies = map(_coded, tables.values())
    companies = companies.cast({name: COMPANY[name] for name in _FACTS})
    founded = founded.join(companies, on="company_uuid", how="semi").unique()
    names_read = names_read.join(founded, on="founder_uuid", how="semi")
    names_read = rows.first_of_each(names_read, _SAID[:2], by=_SAID)
    alumni = names_read.select("university_uuid", "founder_uuid").drop_nulls().unique()
    here = alumni.join(founded, on="founder_uuid")
    here = here.select("university_uuid", "company_uuid").unique()
    return _Read(names_read, founded, alumni, here.join(companies, on="company_uuid"))


def _coded(table: pl.DataFrame) -> pl.DataFrame:
    """The table with its identifiers as numbers, which are joined faster than text."""
    return table.with_columns(pl.col("^.*_uuid$").cast(pl.Categorical))


def _one_per(records: Rows, *key: str) -> Rows:
    """A row per key; an engine orders the rows only where a key repeats."""
    groups = records.group_by(*key).agg(rows=nw.len()).select(nw.col("rows").max())
    if (groups.collect().item() or 1) == 1:
        return records
    return records.unique(
        list(key), keep="first", order_by=records.collect_schema().names()
    )


def _institutions(used: pl.DataFrame, universities: Frame | None) -> pl.DataFrame:
    """A row per institution: university_uuid, university (recorded, else the most
    used name).
    """
    # the most used name is the last
    has_name = pl.col("university_name").is_not_null()
    order = (has_name, "entries", "university_name")
    used = used.sort(order, descending=[False, False, True])
    names = dict(used.drop_nulls("university_uuid").select(_SAYS).rows())
    if universities is not None:
        names |= {record.uuid: record.name for record in institutions_of(universities)}
    columns = {"university_uuid": pl.String, "university": pl.String}
    return pl.DataFrame(sorted(names.items()), columns, orient="row")


def _told_apart(institutions: pl.DataFrame, universities: Frame | None) -> pl.DataFrame:
    """The institutions; those of one name with what tells them apart."""
    if universities is None:
        return institutions
    recorded = lazy(universities).collect_schema()
    details = [name for name in _DETAILS if name in recorded]
    columns = dict.fromkeys(("uuid", *details), pl.String())
    records = rows.distinct(universities, columns, key=["uuid"])
    named = institutions.join(
        records, left_on="university_uuid", right_on="uuid", how="left"
    )
    called = [pl.when(FOLDED.is_unique()).then("university")]
    for name in (*details, "university_uuid"):
        is_alone = pl.struct(FOLDED, name).is_unique()
        called.append(pl.when(is_alone).then(pl.format("{} ({})", "university", name)))
    return named.select(
        "university_uuid", university=pl.coalesce(*called, "university")
    )


def _meanings(used: pl.DataFrame, institutions: pl.DataFrame) -> pl.DataFrame:
    """How strongly `_SAYS` names each institution (`at_uuid`) whose UUID it does not
    carry: 2 without a UUID, 1 with another's.
    """
    at_uuid = pl.col("university_uuid").alias("at_uuid")
    folded_names = institutions.drop_nulls().select(FOLDED.alias("folded"), at_uuid)
    # engines fold differently
    spelt = pl.col("university_name").map_elements(fold, pl.String)
    named = (
        used.drop_nulls("university_name")
        .with_columns(folded=spelt)
        .join(folded_names, on="folded")
    )
    named = named.filter(pl.col("university_uuid").ne_missing(pl.col("at_uuid")))
    strength = pl.when(pl.col("university_uuid").is_null()).then(2).otherwise(1)
    return named.select(*_SAYS, "at_uuid", strength=strength)


def _named(read: _Read, meanings: pl.DataFrame) -> pl.DataFrame:
    """The companies with an entry that names an institution by its name alone, and the
    strength of the strongest such entry.
    """
    at = ["university_uuid", "founder_uuid"]
    people = read.entries.join(_coded(meanings), on=_SAYS, nulls_equal=True)
    people = people.select("founder_uuid", "strength", university_uuid="at_uuid")
    people = people.join(read.alumni, on=at, how="anti")
    at = ["university_uuid", "company_uuid"]
    firms = people.join(read.pairs, on="founder_uuid")
    firms = firms.group_by(at).agg(pl.max("strength"))
    return firms.join(read.evidenced, on=at, how="anti")


def _table(
    institutions: pl.DataFrame,
    read: _Read,
    named: pl.DataFrame,
    currency: Currency,
) -> pl.DataFrame:
    """Make the row of each institution."""
    people = read.alumni.group_by("university_uuid").agg(tally("founders_evidenced"))
    by_institution = read.evidenced.group_by("university_uuid").agg(
        *tally(
            "companies_evidenced",
            funding_known="total_funding",
        ),
        funding_total=pl.col("total_funding").drop_nulls(),
        funding_median=rows.median("total_funding"),
    )
    table = _coded(institutions).join(people, on="university_uuid", how="left")
    table = summed(table.join(by_institution, on="university_uuid", how="left"))
    strength = pl.col("strength")
    unsure = named.group_by("university_uuid").agg(
        companies_candidate=(strength == 2).sum(),
        companies_same_name=(strength == 1).sum(),
    )
    table = table.join(unsure, on="university_uuid", how="left")
    table = table.cast({pl.Categorical: pl.String})
    numbers = pl.col(_NUMBERS).cast(int).fill_null(0)
    table = table.with_columns(numbers, currency=pl.lit(currency))
    places = placed(read.evidenced)
    table = table.join(places, on="university_uuid", how="left")
    order = ("companies_evidenced", "university", "university_uuid")
    return rows.highest_first(table, *order)


_NUMBERS = [
    "founders_evidenced",
    "companies_evidenced",
    "companies_candidate",
    "companies_same_name",
    "funding_known",
]


def _links(
    entries: Rows, pairs: Rows, pool: Rows, founders: Frame, institutions: pl.DataFrame
) -> pl.DataFrame:
    """A row per institution, company, founder and entry that carries the
    institution's UUID.
    """
    people = _one_per(lazy(founders).select("uuid", "name"), "uuid")
    people = people.rename({"uuid": "founder_uuid", "name": "founder_name"})
    firms = pool.select("company_uuid", "company_name")
    links = _one_per(entries.select(*ENTRY), "founder_uuid", "position")
    links = links.drop_nulls("university_uuid").join(pairs.unique(), on="founder_uuid")
    links = links.join(firms, on="company_uuid").join(people, on="founder_uuid")
    table = rows.narrow({"links": links}, by=_BY)["links"].join(
        institutions, on="university_uuid"
    )
    order = (
        "university",
        "university_uuid",
        "company_name",
        "company_uuid",
        "founder_uuid",
    )
    table = table.sort(*order, "position", nulls_last=True)
    table = table.cast(dict.fromkeys(("position", "start_year", "end_year"), pl.Int64))
    return table.select("university_uuid", "university", *PAIR, *OF_ENTRY)
