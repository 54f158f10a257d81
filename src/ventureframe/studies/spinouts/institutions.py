"""Every institution at once: what whole collections show of each `university_uuid`.

Each row equals what `find` shows of that university over the same frames: a link is an entry that
carries its UUID, an entry that names it without one is a candidate, and one that names it with
another institution's UUID is neither.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import narwhals as nw
import polars as pl

from ventureframe.evidence.engine_rows import (
    COVERAGE,
    TEXT,
    WHOLE,
    Frame,
    Rows,
    beside,
    collected,
    findings,
    holds,
    is_key,
    keep,
    known,
    made,
    once,
    one,
    one_each,
    taken,
    typed,
)
from ventureframe.evidence.rates import totals
from ventureframe.evidence.study import Study as _Study
from ventureframe.evidence.study import not_held
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin
from ventureframe.interface.values import fold
from ventureframe.studies.spinouts import every
from ventureframe.studies.spinouts.every import Counts
from ventureframe.studies.spinouts.observations import institutions_of

COMPANY: Final = typed(
    fields.COMPANIES,
    *("uuid", "name", "launch_date", "company_status", "hq_city", "hq_country", "is_spinout"),
    "total_funding",
)
FOUNDER: Final = typed(fields.FOUNDERS, "uuid", "name")
_PAIR: Final = {"company_uuid": TEXT, "founder_uuid": TEXT}
MEMBERS: Final = {
    **dict.fromkeys(("university_uuid", "university_name", "degree", "major"), TEXT),
    **dict.fromkeys(("start_year", "end_year"), WHOLE),
}
ENTRY_KEY: Final = ("founder_uuid", "position")
_ENTRY: Final = {"founder_uuid": TEXT, "position": WHOLE, **MEMBERS}


@dataclass(frozen=True, kw_only=True, repr=False)
class Institutions(_Study):
    """What the records show about the founders of every institution.

    Attributes
    ----------
    institutions : Finding
        A row per institution, most evidenced companies first: university_uuid (key), university
        (its record's name, else the name most entries use; null: none), rank (by companies
        evidenced among the institutions with any, equal counts share a rank),
        founders_evidenced, founders_candidate, founders_same_name, companies_evidenced,
        companies_candidate, companies_same_name, funding_known (of those evidenced),
        funding_total, funding_median (of the known totals in `currency`), funding_rank (by
        funding_total, null where none is known), founded_known (of those evidenced),
        first_founded, last_founded (years), currency.
    links : Finding
        The evidence: university_uuid, university, company_uuid, company_name, founder_uuid,
        founder_name, position, university_name (as recorded in the entry), degree, major,
        start_year, end_year.
    """

    currency: Currency
    counts: Counts

    name = "spinouts"
    about = "companies founded by alumni"

    institutions = every.INSTITUTIONS
    links = every.LINKS


def by_institution(frames: Mapping[str, Any], *, currency: Currency) -> Institutions:
    """What whole collections show of every institution, a row each, on the engine of the frames.

    Parameters
    ----------
    frames : mapping
        What `bulk.open` gives: companies, company_founders, founders, education, and where there
        are any universities, and origin.
    currency : {"USD", "EUR", "GBP"}
        The currency of amounts: converted at the rates of `origin`; without one, the currency that
        `total_funding` is in.

    Raises `UnsupportedValue` where no amount can be converted to the currency.

    Examples
    --------
    >>> import ventureframe as vf
    >>> every = vf.spinouts.by_institution(vf.bulk.open(), currency="EUR")
    >>> every.institutions.to_polars()["rank"].min()
    1
    """
    origin = frames.get("origin")
    source = None if origin is None else origin.source
    companies = companies_of(frames["companies"], currency, origin)
    pairs = paired(frames["company_founders"], companies)
    entries, used, institutions, founders = _observed(frames, pairs)
    at = founders.join(pairs, on="founder_uuid", how="inner")
    at = at.group_by("place", "company_uuid").agg(nw.col("strength").max())
    firms = companies.select("company_uuid", *_OF_COMPANIES)
    at = keep(at.join(firms, on="company_uuid", how="inner"))
    table = _rows(institutions, founders, at, currency)
    evidenced = at.filter(_HERE).group_by("company_uuid").agg(nw.col(*_OF_COMPANIES).max())
    coverage = known("company evidenced", evidenced, _OF_COMPANIES)
    counts = _counts(table, used, founders, companies=coverage[0][-1])
    return Institutions(
        currency=currency,
        counts=counts,
        frames=findings(
            {
                "institutions": table,
                "links": lambda: _links(frames, entries, institutions, pairs, companies),
                "coverage": _coverage(counts, coverage),
            }
        ),
        subject="every institution",
        sentence=every.answer(counts),
        key_figures=every.key_figures(counts),
        statements=every.claims(counts),
        limits=(*not_held(source), *every.caveats(counts, currency)),
        source=source,
    )


_OF_COMPANIES: Final = ("launch_date", "total_funding")
_HERE, _CANDIDATE, _SAME_NAME = (nw.col("strength") == each for each in (3, 2, 1))
_KINDS: Final = {"evidenced": _HERE, "candidate": _CANDIDATE, "same_name": _SAME_NAME}


_SAYS: Final = ("university_uuid", "university_name")
"""What an entry says of its institution."""


def _observed(
    frames: Mapping[str, Any], pairs: Rows
) -> tuple[Rows, pl.DataFrame, pl.DataFrame, Rows]:
    """The entries, what they say, the institutions, and of each its founders: see `_strongest`."""
    says = _says(frames["education"])
    entries, kept = _entries(frames, pairs, says)
    counted = collected(kept.group_by("say").agg(nw.len().cast(WHOLE).alias("entries")))
    used = says.join(counted, on="say")
    institutions = _institutions(used, frames.get("universities"))
    return entries, used, institutions, _strongest(kept, _meanings(used, institutions))


def _says(education: Any) -> pl.DataFrame:
    """Each pair of UUID and name that entries have, and its number `say`; few, so collected."""
    rows = collected(once(taken(education, dict.fromkeys(_SAYS, TEXT)), *_SAYS))
    return rows.sort(_SAYS).with_columns(say=pl.int_range(pl.len(), dtype=pl.Int64))


def _entries(frames: Mapping[str, Any], pairs: Rows, says: pl.DataFrame) -> tuple[Rows, Rows]:
    """The entries of the founders returned, and of each the founder and the number of its pair."""
    returned = taken(frames["founders"], {"uuid": TEXT}).rename({"uuid": "founder_uuid"})
    returned = returned.join(pairs.select("founder_uuid"), on="founder_uuid", how="semi")
    entries = entries_of(frames["education"], returned)
    numbers = beside(says.with_columns(_NO_NULLS), entries)

    def numbered(rows: Rows) -> Rows:
        rows = rows.with_columns(nw.col(*_SAYS).fill_null(""))
        rows = rows.join(numbers, on=list(_SAYS), how="inner")
        return keep(rows.select(*ENTRY_KEY, "say"))

    kept = numbered(entries)
    if is_key(kept, ENTRY_KEY):
        return entries, kept
    entries = keep(one_of(entries))
    return entries, numbered(entries)


# a join finds no null, and no UUID or name is empty
_NO_NULLS: Final = pl.col(_SAYS).fill_null("")


def _institutions(used: pl.DataFrame, universities: Any) -> pl.DataFrame:
    """A row per institution: place, university_uuid, university (its name)."""
    most = used.drop_nulls().sort("entries", "university_name", descending=[True, False])
    most = most.unique("university_uuid", keep="first", maintain_order=True)
    uuids = dict.fromkeys(used["university_uuid"].drop_nulls().to_list())
    uuids |= dict(most.select(_SAYS).rows())
    if universities is not None:
        uuids |= {each.uuid: each.name for each in institutions_of(universities)}
    schema = {"university_uuid": pl.String, "university": pl.String}
    rows = pl.DataFrame(sorted(uuids.items()), schema=schema, orient="row")
    return rows.with_columns(place=pl.int_range(pl.len(), dtype=pl.Int64))


def _meanings(used: pl.DataFrame, institutions: pl.DataFrame) -> pl.DataFrame:
    """What each pair of UUID and name means: the places it is about, and how strongly.

    3 carries the institution's UUID, 2 names it without one, 1 names it with another's.
    """
    own = used.join(institutions.select("university_uuid", "place"), on="university_uuid")
    folded = institutions.drop_nulls("university")
    folded = folded.select("place", folded=_folded(folded["university"]))
    named = used.drop_nulls("university_name")
    named = named.with_columns(folded=_folded(named["university_name"])).join(folded, on="folded")
    named = named.join(own, on=["say", "place"], how="anti")
    strength = pl.when(pl.col("university_uuid").is_null()).then(2).otherwise(1)
    every = [
        own.select("say", "place", strength=pl.lit(3, pl.Int64)),
        named.select("say", "place", strength=strength.cast(pl.Int64)),
    ]
    return pl.concat(every)


def _folded(names: pl.Series) -> pl.Series:
    """The names as they are compared; engines fold a few letters differently, so none is asked."""
    return pl.Series("folded", list(map(fold, names.to_list())), pl.String)


def _strongest(entries: Rows, meanings: pl.DataFrame) -> Rows:
    """A row per institution and founder, with the strongest of what their entries say."""
    rows = entries.join(beside(meanings, entries), on="say", how="inner")
    return keep(rows.group_by("place", "founder_uuid").agg(nw.col("strength").max()))


def _rows(institutions: pl.DataFrame, founders: Rows, at: Rows, currency: Currency) -> pl.DataFrame:
    """The row of each institution."""
    counted = [
        collected(
            rows.group_by("place").agg(
                holds(kind).alias(f"{name}_{said}") for said, kind in _KINDS.items()
            )
        )
        for name, rows in {"founders": founders, "companies": at}.items()
    ]
    years, evidenced = nw.col("launch_date"), at.filter(_HERE)
    founded = evidenced.group_by("place").agg(
        years.count().cast(WHOLE).alias("founded_known"),
        years.min().alias("first_founded"),
        years.max().alias("last_founded"),
    )
    rows = institutions
    for each in (*counted, collected(founded), _funding(evidenced)):
        rows = rows.join(each, on="place", how="left")
    found, total = pl.col("companies_evidenced"), pl.col("funding_total")
    return (
        rows.with_columns(pl.col(_ZERO).fill_null(0), currency=pl.lit(currency))
        .with_columns(
            rank=pl.when(found > 0).then(found).rank("min", descending=True).cast(pl.Int64),
            funding_rank=total.rank("min", descending=True).cast(pl.Int64),
        )
        .sort(
            *("companies_evidenced", "university", "university_uuid"),
            descending=[True, False, False],
            nulls_last=True,
        )
        .select(_COLUMNS)
    )


_ZERO: Final = [
    *(f"{many}_{kind}" for many in ("founders", "companies") for kind in _KINDS),
    *("funding_known", "founded_known"),
]
_COLUMNS: Final = [
    *("university_uuid", "university", "rank", *_ZERO[:6], "funding_known", "funding_total"),
    *("funding_median", "funding_rank", "founded_known", "first_founded", "last_founded"),
    "currency",
]


def _funding(evidenced: Rows) -> pl.DataFrame:
    """The known totals of each institution: their number, sum and median.

    They are added up here: a sum is then the same in every order and on every engine.
    """
    amount = nw.col("total_funding")
    totals = collected(evidenced.filter(~amount.is_null()).select("place", "total_funding"))
    groups = totals.group_by("place").agg(
        pl.len().cast(pl.Int64).alias("funding_known"),
        pl.col("total_funding").median().alias("funding_median"),
        pl.col("total_funding"),
    )
    sums = pl.Series("funding_total", map(math.fsum, groups["total_funding"].to_list()), pl.Float64)
    return groups.drop("total_funding").with_columns(sums)


def _links(
    frames: Mapping[str, Any],
    entries: Rows,
    institutions: pl.DataFrame,
    pairs: Rows,
    companies: Rows,
) -> Rows:
    """A row per institution, company, founder and entry that carries the institution's UUID."""
    own = beside(institutions.drop("place"), entries)
    rows = entries.join(own, on="university_uuid", how="inner")
    rows = rows.join(pairs, on="founder_uuid", how="inner")
    firms = companies.select("company_uuid", "company_name")
    people = asked_of(frames["founders"], pairs).select("founder_uuid", "founder_name")
    rows = rows.join(firms, on="company_uuid", how="inner")
    rows = rows.join(people, on="founder_uuid", how="inner")
    order = ("university", "university_uuid", "company_name", "company_uuid", "founder_uuid")
    return rows.select(*_LINK).sort(*order, "position", nulls_last=True)


_LINK: Final = (
    *("university_uuid", "university", "company_uuid", "company_name", "founder_uuid"),
    *("founder_name", "position", *(name for name in MEMBERS if name != "university_uuid")),
)


def _counts(table: pl.DataFrame, used: pl.DataFrame, founders: Rows, *, companies: int) -> Counts:
    found = table.filter(pl.col("companies_evidenced") > 0)
    shared = _folded(table["university"].drop_nulls()).is_duplicated()
    uuid, name = (pl.col(each).is_not_null() for each in _SAYS)
    entries = {
        "entries": pl.lit(value=True),
        "entries_with_id": uuid,
        "entries_with_name": name,
        "entries_named_only": name & ~uuid,
    }
    return Counts(
        institutions=table.height,
        institutions_evidenced=found.height,
        names_shared=int(shared.sum()),
        funding_known=found.filter(pl.col("funding_known") > 0).height,
        **{
            each: int(used.filter(condition)["entries"].sum())
            for each, condition in entries.items()
        },
        companies_evidenced=companies,
        **one(once(founders.filter(_HERE), "founder_uuid"), founders_evidenced=nw.len()),
    )


def _coverage(counts: Counts, companies: Sequence[tuple[str, str, int, int]]) -> pl.DataFrame:
    """How much of each field used is recorded, over all institutions."""
    c = counts
    return made(
        [
            ("education entry", "university_uuid", c.entries_with_id, c.entries),
            ("education entry", "university_name", c.entries_with_name, c.entries),
            *companies,
        ],
        COVERAGE,
    )


def companies_of(
    frame: Frame, currency: Currency, origin: Origin | None, *, only: Rows | None = None
) -> Rows:
    """A row per company, its amounts in the currency; null where there is no rate.

    `only` are the companies asked for, by company_uuid.
    """
    given = frame if origin is None else totals(frame, currency, origin)
    rows = taken(given, COMPANY).rename(_called("company"))
    if only is not None:
        rows = keep(rows.join(only, on="company_uuid", how="semi"))
    rows = one_each(rows, ["company_uuid"], order=rows.collect_schema().names())
    return rows.with_columns(currency=nw.lit(currency))


def _called(kind: str) -> dict[str, str]:
    """The uuid and name of a record, called after what it is."""
    return {name: f"{kind}_{name}" for name in ("uuid", "name")}


def paired(company_founders: Frame, pool: Rows) -> Rows:
    """A row per company of the pool and founder recorded for it."""
    pairs = taken(company_founders, _PAIR).drop_nulls()
    pairs = pairs.join(pool.select("company_uuid"), on="company_uuid", how="semi")
    return keep(once(pairs, *_PAIR))


def asked_of(founders: Frame, pairs: Rows, withheld: Iterable[str] = ()) -> Rows:
    """A row per founder of the pool, with their companies in it and whether they were returned."""
    asked = pairs.group_by("founder_uuid").agg(nw.len().cast(WHOLE).alias("companies"))
    named = taken(founders, FOUNDER).rename(_called("founder"))
    named = named.with_columns(is_returned=nw.lit(value=True))
    rows = keep(asked.join(named, on="founder_uuid", how="left"))
    rows = one_each(rows, ["founder_uuid"], order=["founder_uuid", "founder_name"])
    return rows.with_columns(is_withheld=nw.col("founder_uuid").is_in(list(withheld)))


def entries_of(education: Frame, returned: Rows) -> Rows:
    """The education entries of the founders returned, as they are recorded: see `one_of`."""
    returned = returned.select("founder_uuid")
    return taken(education, _ENTRY).join(returned, on="founder_uuid", how="semi")


def one_of(entries: Rows) -> Rows:
    """The entries, one for each founder and position."""
    return one_each(entries, ENTRY_KEY, order=list(_ENTRY))
