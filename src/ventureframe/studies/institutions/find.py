"""Every institution at once: what whole collections show of each `university_uuid`.

Each row equals what `spinouts.find` shows of that university over the same frames: a link is an
entry that carries its UUID, an entry that names it without one is a candidate, and one that names
it with another institution's UUID is neither.

The engine of the frames counts the entries by what they say of their institution, and the founders
of each; it gives back the evidenced companies, and the entries of the few founders with an entry
that names another institution than it carries. The rest is polars.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import narwhals as nw
import polars as pl

from ventureframe.display.wording import Count
from ventureframe.evidence.rates import totals
from ventureframe.evidence.rows import (
    COVERAGE,
    Frame,
    Rows,
    count,
    coverage,
    highest_first,
    lazy,
    narrow,
    refuse_strangers,
    tally,
)
from ventureframe.interface.fields import Currency, fold
from ventureframe.interface.source import Origin
from ventureframe.studies.institutions import words
from ventureframe.studies.institutions.study import Counts, Study
from ventureframe.studies.spinouts.observations import COMPANY, ENTRY, institutions_of

_FACTS: Final = ("launch_date", "total_funding")
_SAYS: Final = ("university_uuid", "university_name")
"""What an entry says of its institution."""
_KINDS: Final = {"evidenced": 3, "candidate": 2, "same_name": 1}
"""How strongly an entry stands for an institution: by its UUID, by its name without a UUID, or by
its name with another institution's UUID. The strongest of a founder's or company's entries counts.
"""
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
    """What whole collections show of every institution, a row each, on the engine of the frames.

    Parameters
    ----------
    companies, company_founders, founders, education, universities : frame
        As `bulk.open` gives them; a pull holds no universities.
    currency : {"USD", "EUR", "GBP"}
        The currency of amounts.
    origin : Origin, optional
        The dataset, at whose rates amounts are converted; without one, the currency is that of
        `total_funding`.
    others : frame
        Further frames of the dataset, which are not read.

    Raises `UnsupportedValue` where no amount can be converted to the currency.

    Examples
    --------
    >>> import ventureframe as vf
    >>> every = vf.institutions.find(**vf.bulk.open(), currency="EUR")
    >>> every.institutions.to_polars()["rank"].min()
    1
    """
    refuse_strangers(others)
    source = None if origin is None else origin.source
    pool = _one_per(_companies(companies, currency, origin), ["uuid"])
    entries, pairs = _recorded(pool, company_founders, founders, education)
    used = _collected(entries.group_by(*_SAYS).agg(nw.len().cast(nw.Int64).alias("entries")))
    institutions = _institutions(used, universities)
    evidenced = _evidenced(entries, pairs, pool)
    alumni = entries.select("university_uuid", "founder_uuid").drop_nulls().unique()
    founders_here = nw.len().cast(nw.Int64).alias("founders_evidenced")
    here = _collected(alumni.group_by("university_uuid").agg(founders_here))
    named = _named(entries, pairs, _meanings(used, institutions), evidenced)
    table = _rows(institutions, here, evidenced, named, currency)
    distinct = int(_collected(alumni.select("founder_uuid").unique().select(nw.len())).item())
    by_company = evidenced.unique("company_uuid").select(_FACTS)
    counts = _counts(table, used, companies=by_company.height, founders=distinct)

    def links() -> pl.DataFrame:
        return _links(entries, pairs, pool, founders, institutions)

    coverage = _coverage(counts, by_company)
    return Study.told(
        *(words, counts, currency),
        source=source,
        subject="every institution",
        currency=currency,
        counts=counts,
        frames=_Frames({"institutions": table, "links": links, "coverage": coverage}),
    )


def _collected(rows: Rows) -> pl.DataFrame:
    """The groups that an engine made: one per institution, or per spelling of its name."""
    frame: pl.DataFrame = rows.collect(backend="polars").to_native()
    return frame


def _one_per(rows: Rows, key: Sequence[str]) -> Rows:
    """A row per key; an engine orders the rows only where a key repeats."""
    groups = rows.group_by(*key).agg(nw.len().alias("rows")).select(nw.col("rows").max())
    if int(_collected(groups).item() or 1) == 1:
        return rows
    return rows.unique(list(key), keep="first", order_by=rows.collect_schema().names())


def _companies(frame: Frame, currency: Currency, origin: Origin | None) -> Rows:
    rows = lazy(frame if origin is None else totals(frame, currency, origin)).select(*COMPANY)
    return rows.with_columns(nw.col("total_funding").cast(nw.Float64()).fill_nan(None))


def _recorded(
    pool: Rows, company_founders: Frame, founders: Frame, education: Frame
) -> tuple[Rows, Rows]:
    """The entries of the founders returned of the companies, and each company with its founders."""
    pairs = lazy(company_founders).select("company_uuid", "founder_uuid").drop_nulls()
    pairs = pairs.join(pool.select(company_uuid="uuid"), on="company_uuid", how="semi").unique()
    returned = lazy(founders).select(founder_uuid="uuid")
    entries = lazy(education).select(*ENTRY).join(returned, on="founder_uuid", how="semi")
    entries = entries.join(pairs.select("founder_uuid"), on="founder_uuid", how="semi")
    return _one_per(entries, ["founder_uuid", "position"]), pairs


def _institutions(used: pl.DataFrame, universities: Frame | None) -> pl.DataFrame:
    """A row per institution: university_uuid, university (recorded, else the most used name)."""
    most = used.drop_nulls().sort("entries", "university_name", descending=[True, False])
    most = most.unique("university_uuid", keep="first", maintain_order=True)
    names = dict.fromkeys(used["university_uuid"].drop_nulls().to_list())
    names |= dict(most.select(_SAYS).rows())
    if universities is not None:
        names |= {record.uuid: record.name for record in institutions_of(universities)}
    columns = {"university_uuid": pl.String, "university": pl.String}
    return pl.DataFrame(sorted(names.items()), columns, orient="row")


def _meanings(used: pl.DataFrame, institutions: pl.DataFrame) -> pl.DataFrame:
    """What entries of a name say of institutions other than that whose UUID they carry.

    A row per pair of `_SAYS` and institution (`at`): strength. Names are folded here, because
    engines fold a few letters differently.
    """
    own = institutions.drop_nulls().select(at="university_uuid", folded=_folded("university"))
    named = used.drop_nulls("university_name").with_columns(folded=_folded("university_name"))
    named = named.join(own, on="folded")
    named = named.filter(pl.col("university_uuid").ne_missing(pl.col("at")))
    strength = pl.when(pl.col("university_uuid").is_null()).then(2).otherwise(1)
    return named.select(*_SAYS, "at", strength=strength)


def _folded(column: str) -> pl.Expr:
    return pl.col(column).map_elements(fold, pl.String)


def _evidenced(entries: Rows, pairs: Rows, pool: Rows) -> pl.DataFrame:
    """A row per institution and company evidenced there, with what is known of the company."""
    here = entries.select("university_uuid", "founder_uuid").drop_nulls()
    rows = here.join(pairs, on="founder_uuid", how="inner")
    rows = rows.select("university_uuid", "company_uuid").unique()
    facts = pool.select("uuid", *_FACTS).rename({"uuid": "company_uuid"})
    rows = rows.join(facts, on="company_uuid", how="inner")
    table = narrow({"companies": rows}, by=_BY)["companies"]
    return table.cast({name: COMPANY[name] for name in _FACTS})


def _named(
    entries: Rows, pairs: Rows, meanings: pl.DataFrame, evidenced: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """The founders and the companies that stand for an institution by its name alone: strength."""
    uuid, name, founder = nw.col("university_uuid"), nw.col("university_name"), "founder_uuid"
    is_named = uuid.is_null() & ~uuid.is_null()
    for carries_none, kind in ((uuid.is_null(), "candidate"), (~uuid.is_null(), "same_name")):
        spellings = meanings.filter(strength=_KINDS[kind])["university_name"].unique().to_list()
        if spellings:
            is_named = is_named | (carries_none & name.is_in(spellings))
    theirs = entries.filter(is_named).select(founder)
    near = narrow(
        {
            "education": entries.select(founder, *_SAYS).join(theirs, on=founder, how="semi"),
            "company_founders": pairs.join(theirs, on=founder, how="semi"),
        },
        by=_BY,
    )
    own = near["education"].drop_nulls("university_uuid")
    people = near["education"].join(meanings, on=_SAYS, nulls_equal=True)
    people = people.join(
        own, left_on=["at", founder], right_on=["university_uuid", founder], how="anti"
    )
    people = people.group_by("at", founder).agg(pl.col("strength").max())
    firms = people.join(near["company_founders"], on=founder)
    firms = firms.group_by("at", "company_uuid").agg(pl.col("strength").max())
    firms = firms.join(
        evidenced,
        left_on=["at", "company_uuid"],
        right_on=["university_uuid", "company_uuid"],
        how="anti",
    )
    return {"founders": people, "companies": firms}


def _rows(
    institutions: pl.DataFrame,
    here: pl.DataFrame,
    evidenced: pl.DataFrame,
    named: Mapping[str, pl.DataFrame],
    currency: Currency,
) -> pl.DataFrame:
    """The row of each institution."""
    year, total = pl.col("launch_date"), pl.col("total_funding")
    by_institution = evidenced.group_by("university_uuid").agg(
        *tally("companies_evidenced", funding_known="total_funding", founded_known="launch_date"),
        total.drop_nulls().alias("totals"),
        total.median().alias("funding_median"),
        year.min().alias("first_founded"),
        year.max().alias("last_founded"),
    )
    parts = [here, by_institution]
    for many, rows in named.items():
        kinds = {f"{many}_{kind}": pl.col("strength") == _KINDS[kind] for kind in _WEAK}
        counts = (holds.sum().cast(pl.Int64).alias(name) for name, holds in kinds.items())
        parts.append(rows.group_by(university_uuid="at").agg(*counts))
    table = institutions
    for part in parts:
        table = table.join(part, on="university_uuid", how="left")
    # fsum: the sum of the same amounts is the same in every order
    sums = [math.fsum(some) if some else None for some in table["totals"].to_list()]
    table = table.with_columns(
        pl.col(_ZERO).fill_null(0),
        funding_total=pl.Series(sums, dtype=pl.Float64),
        currency=pl.lit(currency),
    )
    companies, known = pl.col("companies_evidenced"), pl.col("funding_total")
    table = table.with_columns(
        rank=pl.when(companies > 0).then(companies).rank("min", descending=True).cast(pl.Int64),
        funding_rank=known.rank("min", descending=True).cast(pl.Int64),
    )
    order = ("companies_evidenced", "university", "university_uuid")
    return highest_first(table, *order).select(_COLUMNS)


_WEAK: Final = ("candidate", "same_name")
_ZERO: Final = [
    *(f"{many}_{kind}" for many in ("founders", "companies") for kind in _KINDS),
    *("funding_known", "founded_known"),
]
_COLUMNS: Final = [
    *("university_uuid", "university", "rank", *_ZERO[:6], "funding_known", "funding_total"),
    *("funding_median", "funding_rank", "founded_known", "first_founded", "last_founded"),
    "currency",
]


def _links(
    entries: Rows, pairs: Rows, pool: Rows, founders: Frame, institutions: pl.DataFrame
) -> pl.DataFrame:
    """A row per institution, company, founder and entry that carries the institution's UUID."""
    people = _one_per(lazy(founders).select("uuid", "name"), ["uuid"])
    people = people.rename({"uuid": "founder_uuid", "name": "founder_name"})
    firms = pool.select(company_uuid="uuid", company_name="name")
    rows = entries.drop_nulls("university_uuid").join(pairs, on="founder_uuid", how="inner")
    rows = rows.join(firms, on="company_uuid", how="inner")
    rows = rows.join(people, on="founder_uuid", how="inner")
    table = narrow({"links": rows.select(*_LINK)}, by=_BY)["links"]
    table = table.join(institutions, on="university_uuid")
    order = ("university", "university_uuid", "company_name", "company_uuid", "founder_uuid")
    table = table.sort(*order, "position", nulls_last=True)
    table = table.with_columns(pl.col("position", "start_year", "end_year").cast(pl.Int64))
    return table.select("university_uuid", "university", *_LINK[1:])


_LINK: Final = (
    *("university_uuid", "company_uuid", "company_name", "founder_uuid", "founder_name"),
    *("position", "university_name", "degree", "major", "start_year", "end_year"),
)


def _counts(table: pl.DataFrame, used: pl.DataFrame, *, companies: int, founders: int) -> Counts:
    entries, (uuid, name) = pl.col("entries"), (pl.col(column).is_not_null() for column in _SAYS)
    names = table.select(_folded("university").drop_nulls()).to_series()
    return Counts(
        **count(
            table,
            institutions=pl.len(),
            institutions_evidenced=(pl.col("companies_evidenced") > 0).sum(),
            funding_known=(pl.col("funding_known") > 0).sum(),
        ),
        **count(
            used,
            entries=entries.sum(),
            entries_with_id=entries.filter(uuid).sum(),
            entries_with_name=entries.filter(name).sum(),
            entries_named_only=entries.filter(name & ~uuid).sum(),
        ),
        names_shared=Count(names.is_duplicated().sum()),
        founders_evidenced=Count(founders),
        companies_evidenced=Count(companies),
    )


def _coverage(counts: Counts, companies: pl.DataFrame) -> pl.DataFrame:
    """How much of each field used is recorded, over all institutions."""
    c = counts
    rows = [
        ("education entry", "university_uuid", c.entries_with_id, c.entries),
        ("education entry", "university_name", c.entries_with_name, c.entries),
        *coverage("company evidenced", companies, _FACTS),
    ]
    return pl.DataFrame(rows, COVERAGE, orient="row")


@dataclass(frozen=True, slots=True, eq=False)
class _Frames(Mapping[str, pl.DataFrame]):
    """Frames by name, of which one that is given as a function is made when it is asked for."""

    frames: dict[str, pl.DataFrame | Callable[[], pl.DataFrame]]

    def __getitem__(self, name: str) -> pl.DataFrame:
        frame = self.frames[name]
        if not isinstance(frame, pl.DataFrame):
            frame = self.frames[name] = frame()
        return frame

    def __iter__(self) -> Iterator[str]:
        return iter(self.frames)

    def __len__(self) -> int:
        return len(self.frames)
