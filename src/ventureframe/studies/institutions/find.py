"""Every institution at once: what whole collections show of each `university_uuid`.

Each row equals what `spinouts.find` shows of that university over the same frames.
The engine of the frames counts the entries by what they say of their institution,
and the founders of each; it gives back the evidenced companies, and the entries of
the few founders with an entry that names another institution than it carries. The
rest is polars.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

import narwhals as nw
import polars as pl

from ventureframe.display.wording import Count
from ventureframe.evidence import rows
from ventureframe.evidence.ranks import placed
from ventureframe.evidence.rates import totals
from ventureframe.evidence.rows import Frame, Rows, lazy, tally
from ventureframe.interface.fields import Currency, fold
from ventureframe.interface.source import Origin
from ventureframe.studies.institutions import words
from ventureframe.studies.institutions.study import FOLDED, Counts, Study
from ventureframe.studies.spinouts.observations import (
    COMPANY,
    ENTRY,
    OF_ENTRY,
    PAIR,
    institutions_of,
    summed,
)

_FACTS: Final = ("launch_date", "total_funding")
# what an entry says of its institution
_SAYS: Final = ("university_uuid", "university_name")
# how strongly an entry without its UUID names an institution: without a UUID, or with
# another's; the strongest of a founder's or company's entries counts
_KINDS: Final = {"candidate": 2, "same_name": 1}
_BY: Final = "giving the companies of a part of the world"


def find(
    *,
    companies: Frame,
    company_founders: Frame,
    founders: Frame,
    education: Frame,
    currency: Currency,
    universities: Frame | None = None,
    origin: Origin | None = None,
    **others: Frame,
) -> Study:
    """What whole collections show of every institution, a row each, on the engine of
    the frames.

    Parameters
    ----------
    companies, company_founders, founders, education, universities : frame
        As `bulk.open` gives them; a pull holds no universities. `others` are not read.
    currency : {"USD", "EUR", "GBP"}
        The currency of amounts.
    origin : Origin, optional
        The dataset, at whose rates amounts are converted; without one, the currency is
        that of `total_funding`.

    Raises `UnsupportedValue` where no amount can be converted to the currency.

    Examples
    --------
    >>> import ventureframe as vf
    >>> every = vf.institutions.find(**vf.bulk.open(), currency="EUR")
    >>> every.institutions.to_polars()["place_low"].min()
    1
    """
    rows.refuse_strangers(others)
    amounts = companies if origin is None else totals(companies, currency, origin)
    total = nw.col("total_funding").cast(nw.Float64()).fill_nan(None)
    pool = _one_per(lazy(amounts).select(*COMPANY).with_columns(total), "uuid")
    pool = pool.rename({"uuid": "company_uuid", "name": "company_name"})
    pairs = lazy(company_founders).select("company_uuid", "founder_uuid").drop_nulls()
    pairs = pairs.join(pool, on="company_uuid", how="semi").unique()
    returned = (
        lazy(founders)
        .select(founder_uuid="uuid")
        .join(pairs, on="founder_uuid", how="semi")
    )
    entries = (
        lazy(education).select(*ENTRY).join(returned, on="founder_uuid", how="semi")
    )
    entries = _one_per(entries, "founder_uuid", "position")
    used = _collected(entries.group_by(*_SAYS).agg(_many("entries")))
    institutions = _institutions(used, universities)
    alumni = entries.select("university_uuid", "founder_uuid").drop_nulls().unique()
    here = alumni.join(pairs, on="founder_uuid", how="inner")
    here = here.select("university_uuid", "company_uuid").unique()
    here = here.join(
        pool.select("company_uuid", *_FACTS), on="company_uuid", how="inner"
    )
    evidenced = rows.narrow({"companies": here}, by=_BY)["companies"]
    evidenced = evidenced.cast({name: COMPANY[name] for name in _FACTS})
    people = _collected(
        alumni.group_by("university_uuid").agg(_many("founders_evidenced"))
    )
    named = _named(entries, pairs, _meanings(used, institutions), evidenced)
    table = _table(institutions, people, evidenced, named, currency)
    frames = {
        "institutions": table,
        "entries": used,
        "companies": evidenced.unique("company_uuid"),
    }
    alone = _collected(alumni.select("founder_uuid").unique().select(_many("founders")))
    counts = rows.counted(Counts, frames, founders_evidenced=Count(alone.item()))
    known = [
        ("education entry", "university_uuid", counts.entries_with_id, counts.entries),
        (
            "education entry",
            "university_name",
            counts.entries_with_name,
            counts.entries,
        ),
        *rows.coverage("company counted", frames["companies"], _FACTS),
    ]
    coverage = pl.DataFrame(known, rows.COVERAGE, orient="row")
    study = Study.told(
        *(words, counts, currency),
        source=None if origin is None else origin.source,
        subject="Every university",
        currency=currency,
        counts=counts,
        frames={"institutions": table, "coverage": coverage},
        linked=cache(lambda: _links(entries, pairs, pool, founders, institutions)),
    )
    return replace(study, sentence=study.withheld or study.sentence)


def _many(name: str) -> nw.Expr:
    return nw.len().cast(nw.Int64).alias(name)


def _collected(groups: Rows) -> pl.DataFrame:
    """The groups that an engine made: one per institution, or per spelling of its
    name.
    """
    frame: pl.DataFrame = groups.collect(backend="polars").to_native()
    return frame


def _one_per(records: Rows, *key: str) -> Rows:
    """A row per key; an engine orders the rows only where a key repeats."""
    groups = records.group_by(*key).agg(_many("rows")).select(nw.col("rows").max())
    if int(_collected(groups).item() or 1) == 1:
        return records
    return records.unique(
        list(key), keep="first", order_by=records.collect_schema().names()
    )


def _institutions(used: pl.DataFrame, universities: Frame | None) -> pl.DataFrame:
    """A row per institution: university_uuid, university (recorded, else the most
    used name).
    """
    # the most used name is the last
    order = (pl.col("university_name").is_not_null(), "entries")
    most = used.sort("university_name", descending=True).sort(
        *order, maintain_order=True
    )
    names = dict(most.drop_nulls("university_uuid").select(_SAYS).rows())
    if universities is not None:
        names |= {record.uuid: record.name for record in institutions_of(universities)}
    columns = {"university_uuid": pl.String, "university": pl.String}
    return pl.DataFrame(sorted(names.items()), columns, orient="row")


def _meanings(used: pl.DataFrame, institutions: pl.DataFrame) -> pl.DataFrame:
    """What `_SAYS` says of each institution (`at`) whose UUID it does not carry:
    strength.
    """
    own = institutions.drop_nulls().select(FOLDED.alias("folded"), at="university_uuid")
    # engines fold differently
    spelt = pl.col("university_name").map_elements(fold, pl.String)
    named = (
        used.drop_nulls("university_name")
        .with_columns(folded=spelt)
        .join(own, on="folded")
    )
    named = named.filter(pl.col("university_uuid").ne_missing(pl.col("at")))
    strength = pl.when(pl.col("university_uuid").is_null()).then(2).otherwise(1)
    return named.select(*_SAYS, "at", strength=strength)


def _named(
    entries: Rows, pairs: Rows, meanings: pl.DataFrame, evidenced: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """The founders and the companies that stand for an institution by its name
    alone: strength.
    """

    def spelt(kind: str) -> nw.Expr:
        names = (
            meanings.filter(strength=_KINDS[kind])["university_name"].unique().to_list()
        )
        # no engine takes an empty list
        return nw.col("university_name").is_in([*names, ""])

    has_id = ~nw.col("university_uuid").is_null()
    theirs = entries.filter(
        (~has_id & spelt("candidate")) | (has_id & spelt("same_name"))
    )
    said = entries.select("founder_uuid", *_SAYS).join(
        theirs, on="founder_uuid", how="semi"
    )
    founded = pairs.join(theirs, on="founder_uuid", how="semi")
    near = rows.narrow({"education": said, "company_founders": founded}, by=_BY)
    here = near["education"].select("founder_uuid", at="university_uuid")
    people = near["education"].join(meanings, on=_SAYS, nulls_equal=True)
    people = people.join(here, on=["at", "founder_uuid"], how="anti")
    people = people.group_by("at", "founder_uuid").agg(pl.max("strength"))
    firms = people.join(near["company_founders"], on="founder_uuid")
    firms = firms.group_by("at", "company_uuid").agg(pl.max("strength"))
    evidenced = evidenced.rename({"university_uuid": "at"})
    firms = firms.join(evidenced, on=["at", "company_uuid"], how="anti")
    return {"founders": people, "companies": firms}


def _table(
    institutions: pl.DataFrame,
    people: pl.DataFrame,
    evidenced: pl.DataFrame,
    named: Mapping[str, pl.DataFrame],
    currency: Currency,
) -> pl.DataFrame:
    """The row of each institution."""
    by_institution = evidenced.group_by("university_uuid").agg(
        *tally(
            "companies_evidenced",
            funding_known="total_funding",
            founded_known="launch_date",
        ),
        funding_total=pl.col("total_funding").drop_nulls(),
        funding_median=rows.quartile("total_funding"),
        first_founded=pl.min("launch_date"),
        last_founded=pl.max("launch_date"),
    )
    table = institutions.join(people, on="university_uuid", how="left")
    table = summed(table.join(by_institution, on="university_uuid", how="left"))
    for many, stand in named.items():
        kinds = {
            f"{many}_{kind}": pl.col("strength") == n for kind, n in _KINDS.items()
        }
        counts = {name: holds.sum().cast(pl.Int64) for name, holds in kinds.items()}
        weak = stand.group_by(university_uuid="at").agg(**counts)
        table = table.join(weak, on="university_uuid", how="left")
    table = table.with_columns(
        pl.col(*_ZERO, "funding_known", "founded_known").fill_null(0),
        currency=pl.lit(currency),
    )
    places = placed(evidenced)
    table = table.join(places, on="university_uuid", how="left")
    order = ("companies_evidenced", "university", "university_uuid")
    return rows.highest_first(table, *order).select(*_COLUMNS, *places.columns[1:])


_ALL: Final = ("evidenced", *_KINDS)
_ZERO: Final = [f"{many}_{kind}" for many in ("founders", "companies") for kind in _ALL]
_COLUMNS: Final = [
    *("university_uuid", "university", *_ZERO, "funding_known", "funding_total"),
    *("funding_median", "founded_known", "first_founded", "last_founded", "currency"),
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
    links = entries.drop_nulls("university_uuid").join(
        pairs, on="founder_uuid", how="inner"
    )
    links = links.join(firms, on="company_uuid", how="inner")
    links = links.join(people, on="founder_uuid", how="inner")
    links = links.select("university_uuid", *PAIR, *OF_ENTRY)
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
