"""What records show of each founder of a pool, and by that of each of its companies."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import narwhals as nw
import polars as pl

from ventureframe.errors import UnsupportedValue
from ventureframe.evidence import rows
from ventureframe.evidence.claims import Status
from ventureframe.evidence.rates import totals
from ventureframe.evidence.rows import Frame, lazy, schema, tally
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency, fold
from ventureframe.interface.source import Origin
from ventureframe.studies.spinouts.study import Institution

Frames = Mapping[str, Frame]

COMPANY = schema(
    fields.COMPANIES,
    "uuid",
    "name",
    "launch_date",
    "company_status",
    "hq_city",
    "hq_country",
    "is_spinout",
    "total_funding",
    "website_domain",
)
_FOUNDER = schema(fields.FOUNDERS, "uuid", "name")
_PAIR = dict.fromkeys(("company_uuid", "founder_uuid"), pl.String)
_TAG = dict.fromkeys(("company_uuid", "name", "type"), pl.String)
_TEXTS = dict.fromkeys(
    ("university_uuid", "university_name", "degree", "major"), pl.String
)
MEMBERS = {**_TEXTS, "start_year": pl.Int64, "end_year": pl.Int64}
ENTRY = {"founder_uuid": pl.String, "position": pl.Int64, **MEMBERS}
PAIR = ("company_uuid", "company_name", "founder_uuid", "founder_name")
OF_ENTRY = ("position", *(name for name in MEMBERS if name != "university_uuid"))
_FLAGS = ("here", "without_id", "candidate", "same_name")

_STATES: Final[Sequence[tuple[pl.Expr, str]]] = (
    (pl.col("entries_here") > 0, "evidenced"),
    (pl.col("entries_candidate") > 0, "entry_without_institution_id"),
    (pl.col("entries_same_name") > 0, "same_name_other_id"),
    (pl.col("is_withheld"), "withheld"),
    (pl.col("entries_without_id") > 0, "entry_without_institution_id"),
    (pl.col("entries") > 0, "other_institutions_only"),
    (pl.col("is_returned"), "education_not_recorded"),
)
_STATUS: Final[Mapping[str, Status]] = {
    "here": "established",
    "candidate": "candidate",
    "same_name": "same_name_other_id",
}  # what an entry with the flag gives to its founder, and a founder to a company


class Recorded(NamedTuple):
    """A university as the records of a dataset have it."""

    uuid: str
    name: str
    founder_alumni_total: int | None = None
    spinout_count: int | None = None


def institutions_of(universities: Frame) -> list[Recorded]:
    """The universities of the frame, by UUID."""
    columns = schema(fields.UNIVERSITIES, *Recorded._fields)
    return [
        Recorded(*row)
        for row in rows.distinct(universities, columns, key=["uuid"]).rows()
    ]


def record_of(
    text: Institution | str, universities: Frame | None, education: Frame
) -> Institution:
    """A record as it is, or that with this UUID or name; without records, from the
    entries.

    Raises `UnsupportedValue` where the text is not that of one university.
    """
    if not isinstance(text, str):
        return text
    if universities is None:
        return _named_in(education, text)
    every = institutions_of(universities)
    records = [record for record in every if text in (record.uuid, record.name)]
    if len(records) == 1:
        return records[0]
    reason = f"it is the UUID or the name of {len(records)} of the universities given"
    raise UnsupportedValue(text, field="university", reason=reason)


def _named_in(education: Frame, uuid: str) -> Recorded:
    """The university of this UUID, by the name that most of its entries have."""
    recorded = lazy(education).drop_nulls("university_uuid")
    groups = recorded.group_by("university_uuid", "university_name")
    entries = groups.agg(nw.len().alias("entries"))
    names = rows.narrow({"entries": entries}, by="the university's UUID")["entries"]
    names = rows.highest_first(names, "entries", "university_name", "university_uuid")
    theirs = names.filter(university_uuid=uuid)
    if theirs.height:
        name = next(iter(theirs["university_name"].drop_nulls()), uuid)
        return Recorded(uuid, name)
    near = [
        f"{name!r} is {identifier} in {n:,} education entries"
        for identifier, name, n in names.drop_nulls().rows()
        if fold(uuid) in fold(name)
    ]
    suggestions = (
        "; ".join(near[:5]) or "no education entry with a UUID has such a name"
    )
    reason = "the folder holds no records of universities, so give the UUID instead"
    raise UnsupportedValue(uuid, field="university", reason=f"{reason}: {suggestions}")


class Observed(NamedTuple):
    """What records show: a row per company, company and founder, entry, founder,
    company's tag.
    """

    pool: pl.DataFrame
    pairs: pl.DataFrame
    entries: pl.DataFrame
    states: pl.DataFrame
    tags: pl.DataFrame


def observe(
    frames: Frames,
    university: Institution,
    currency: Currency,
    origin: Origin | None,
    withheld: Iterable[str],
) -> Observed:
    """Find the one state of each founder of a pool, and by these the status of each
    company.
    """
    # names are folded here, not on an engine: engines fold a few letters differently
    spelt = lazy(frames["education"]).group_by("university_name").agg().drop_nulls()
    spellings = rows.narrow({"names": spelt}, by="nothing: a dataset has fewer names")
    names = [
        name
        for name in spellings["names"].to_series()
        if fold(name) == fold(university.name)
    ]
    if origin:
        companies = totals(frames["companies"], currency, origin)
        frames = _narrowed({**frames, "companies": companies}, university.uuid, names)
    pool = rows.distinct(frames["companies"], COMPANY, key=["uuid"])
    pool = pool.rename({"uuid": "company_uuid", "name": "company_name"})
    pairs = rows.typed(frames["company_founders"], _PAIR).drop_nulls().unique()
    pairs = pairs.join(pool, on="company_uuid", how="semi")
    founders = rows.distinct(frames["founders"], _FOUNDER, key=["uuid"])
    founders = founders.rename({"uuid": "founder_uuid", "name": "founder_name"})
    founders = founders.with_columns(is_returned=True)
    states = pairs.group_by("founder_uuid").agg(*tally("companies"))
    states = states.join(founders, on="founder_uuid", how="left")
    is_withheld = pl.col("founder_uuid").is_in(list(withheld))
    states = states.with_columns(is_withheld=is_withheld)
    returned = states.filter("is_returned")
    entries = _entries(frames["education"], returned, university.uuid, names)
    states = _judged(states, entries)
    pool = pool.with_columns(currency=pl.lit(currency))
    pool = _linked(pool, pairs.join(states, on="founder_uuid"))
    tags = rows.typed(frames.get("company_tags", pl.DataFrame(schema=_TAG)), _TAG)
    return Observed(pool, pairs, entries, states, tags)


def _entries(
    education: Frame, founders: pl.DataFrame, uuid: str, names: Sequence[str]
) -> pl.DataFrame:
    """The entries of the founders, and what each says of the university."""
    entries = rows.typed(education, ENTRY).join(founders, on="founder_uuid", how="semi")
    entries = rows.first_of_each(entries, ["founder_uuid", "position"], by=ENTRY)
    university = pl.col("university_uuid")
    without_id = university.is_null()
    names_it = pl.col("university_name").is_in(names)
    return entries.with_columns(
        here=university.eq_missing(pl.lit(uuid)),
        without_id=without_id,
        names_it=names_it,
        candidate=names_it & without_id,
        same_name=names_it & ~without_id & (university != uuid),
    )


def _judged(founders: pl.DataFrame, entries: pl.DataFrame) -> pl.DataFrame:
    """The founders with their entries counted by kind, and the one state of each."""
    kinds = {f"entries_{flag}": pl.col(flag).sum() for flag in _FLAGS}
    counts = entries.group_by("founder_uuid").agg(*tally("entries", **kinds))
    founders = founders.join(counts, on="founder_uuid", how="left")
    founders = founders.with_columns(pl.col("entries", *kinds).fill_null(0))
    state = rows.first_that_holds(_STATES, otherwise="founder_not_returned")
    status = rows.first_that_holds(_statuses("entries"), otherwise="not recorded")
    return founders.with_columns(state=state, status=status)


def _linked(pool: pl.DataFrame, founders: pl.DataFrame) -> pl.DataFrame:
    """The companies with their founders counted by status, and the status of each."""
    kinds = {
        f"founders_{flag}": (pl.col("status") == status).sum()
        for flag, status in _STATUS.items()
    }
    recorded = tally("founders_recorded", **kinds)
    counts = founders.group_by("company_uuid").agg(*recorded)
    pool = pool.join(counts, on="company_uuid", how="left")
    pool = pool.with_columns(pl.col("founders_recorded", *kinds).fill_null(0))
    status = rows.first_that_holds(_statuses("founders"), otherwise="candidate")
    pool = pool.with_columns(status=status)
    pool = pool.rename({"founders_here": "founders_evidenced"})
    return pool.drop("founders_same_name")


def _narrowed(
    frames: Frames, uuid: str, names: Sequence[str]
) -> dict[str, pl.DataFrame]:
    """Of whole collections, the companies with a founder whose entry has the UUID or
    a name.
    """
    entries, pairs = lazy(frames["education"]), lazy(frames["company_founders"])
    is_here = nw.col("university_uuid") == uuid
    here = entries.filter(is_here | nw.col("university_name").is_in(names))
    pool = pairs.join(here, on="founder_uuid", how="semi")
    pairs = pairs.join(pool, on="company_uuid", how="semi")
    narrowed = {"company_founders": pairs.select(*_PAIR)}
    for name, (columns, key, pair_key) in _KEPT.items():
        if name in frames:
            records = lazy(frames[name]).select(*columns)
            narrowed[name] = records.join(
                pairs, left_on=key, right_on=pair_key, how="semi"
            )
    return rows.narrow(narrowed, by="the university")


_KEPT: Final[Mapping[str, tuple[Mapping[str, Any], str, str]]] = {
    "companies": (COMPANY, "uuid", "company_uuid"),
    "founders": (_FOUNDER, "uuid", "founder_uuid"),
    "education": (ENTRY, "founder_uuid", "founder_uuid"),
    "company_tags": (_TAG, "company_uuid", "company_uuid"),
    # what is read of the companies of a pool: columns, key, and its name in
    # `company_founders`
}


def _statuses(counted: str) -> list[tuple[pl.Expr, Status]]:
    return [
        (pl.col(f"{counted}_{flag}") > 0, status) for flag, status in _STATUS.items()
    ]


def total(amounts: Sequence[float]) -> float | None:
    """The sum of amounts, the same in every order and on every engine; None of none."""
    return math.fsum(amounts) if amounts else None


def summed(groups: pl.DataFrame) -> pl.DataFrame:
    """The groups with the `total` of the amounts that they list as `funding_total`."""
    sums = [total(amounts) for amounts in groups["funding_total"].to_list()]
    return groups.with_columns(funding_total=pl.Series(sums, dtype=pl.Float64))
