"""What records show of each founder of a pool, and by that of each of its companies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import narwhals as nw
import polars as pl

from ventureframe.errors import UnsupportedValue
from ventureframe.evidence.rates import totals
from ventureframe.evidence.rows import (
    Frame,
    Rows,
    distinct,
    first_of_each,
    first_that_holds,
    lazy,
    narrow,
    schema,
    tally,
    typed,
)
from ventureframe.evidence.states import STATES, State, Status
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin
from ventureframe.interface.values import fold
from ventureframe.studies.spinouts.study import Institution

COMPANY: Final = schema(
    fields.COMPANIES,
    *("uuid", "name", "launch_date", "company_status", "hq_city", "hq_country", "is_spinout"),
    "total_funding",
)
FOUNDER: Final = schema(fields.FOUNDERS, "uuid", "name")
_PAIR: Final = {"company_uuid": pl.String, "founder_uuid": pl.String}
TAG: Final = dict.fromkeys(("company_uuid", "name", "type"), pl.String)
MEMBERS: Final = {
    **dict.fromkeys(("university_uuid", "university_name", "degree", "major"), pl.String),
    **dict.fromkeys(("start_year", "end_year"), pl.Int64),
}
ENTRY_KEY: Final = ("founder_uuid", "position")
ENTRY: Final = {"founder_uuid": pl.String, "position": pl.Int64, **MEMBERS}
_NEAR: Final = 5
"""Universities that are named where a text is that of none."""
_FLAGS: Final = ("here", "without_id", "candidate", "same_name")
NUMBERS: Final = ("companies", "entries", *(f"entries_{flag}" for flag in _FLAGS))
"""What is counted for a founder: companies of the pool, and entries of each kind."""
ESTABLISHED: Final = pl.col("status") == "established"
SAME_NAME: Final = pl.col("status") == "same_name_other_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A university as the records of a dataset have it."""

    uuid: str
    name: str
    founder_alumni_total: int | None = None
    spinout_count: int | None = None


def institutions_of(universities: Frame) -> list[Recorded]:
    """The universities of the frame, by UUID."""
    rows = distinct(universities, _UNIVERSITY, key=["uuid"])
    return [Recorded(**row) for row in rows.iter_rows(named=True)]


_UNIVERSITY: Final = schema(
    fields.UNIVERSITIES, "uuid", "name", "founder_alumni_total", "spinout_count"
)


def record_of(
    university: Institution | str, universities: Frame | None, education: Frame
) -> Institution:
    """The record of the university; of one whose UUID is all that is known, the name in entries.

    Raises `UnsupportedValue` where the text is not that of one university.
    """
    if not isinstance(university, str):
        return university
    if universities is None:
        return _named_in(education, university)
    found = [each for each in institutions_of(universities) if university in (each.uuid, each.name)]
    if len(found) != 1:
        reason = f"it is the UUID or the name of {len(found)} of the universities given, not of one"
        raise UnsupportedValue(university, field="university", reason=reason)
    return found[0]


def _named_in(education: Frame, text: str) -> Recorded:
    """The university of a UUID by the name that most entries give it; else who the text may be."""
    uuid, name = "university_uuid", "university_name"
    named = lazy(education).filter(~nw.col(uuid).is_null()).group_by(uuid, name)
    pairs = _collected(named.agg(nw.len().alias("entries")), "the university's UUID")
    pairs = pairs.sort(["entries", name, uuid], descending=[True, False, False], nulls_last=True)
    names = pairs.filter(pl.col(uuid) == text)[name]
    if len(names):
        return Recorded(uuid=text, name=next(iter(names.drop_nulls()), text))
    looked = fold(text)
    like = [row for row in pairs.iter_rows() if row[1] and looked in fold(row[1])][:_NEAR]
    said = "; ".join(f"{row[1]!r} is {row[0]} in {row[2]:,} education entries" for row in like)
    said = said or "no education entry with a UUID has such a name"
    reason = f"a pull holds no records of universities, so give the UUID instead of a name: {said}"
    raise UnsupportedValue(text, field="university", reason=reason)


def _collected(rows: Rows, by: str) -> pl.DataFrame:
    return narrow({"education": rows}, by=by)["education"]


def names_like(name: str, education: Frame) -> list[str]:
    """How entries write the university's name, case ignored.

    The names are folded here, not on an engine: engines fold a few letters differently.
    """
    names = lazy(education).group_by("university_name").agg().drop_nulls()
    recorded = _collected(names, "nothing: a dataset has fewer names")["university_name"]
    return [text for text in recorded.to_list() if fold(text) == fold(name)]


def narrowed(
    frames: Mapping[str, Frame],
    university: Institution,
    names: Sequence[str],
    currency: Currency,
    origin: Origin,
) -> dict[str, pl.DataFrame]:
    """What whole collections hold of the companies whose founders' entries name the university.

    The companies have a founder with an entry that carries the university's UUID or one of the
    names; their amounts are converted to the currency, null where there is no rate.
    """
    entries, pairs = lazy(frames["education"]), lazy(frames["company_founders"])
    is_here = nw.col("university_uuid") == university.uuid
    here = entries.filter(is_here | nw.col("university_name").is_in(names))
    pool = pairs.join(here.select("founder_uuid"), on="founder_uuid", how="semi")
    pairs = pairs.join(pool.select("company_uuid"), on="company_uuid", how="semi")
    company, founder = pairs.select("company_uuid"), pairs.select("founder_uuid")
    rows = {
        "companies": lazy(totals(frames["companies"], currency, origin))
        .select(*COMPANY)
        .join(company.rename({"company_uuid": "uuid"}), on="uuid", how="semi"),
        "company_founders": pairs.select(*_PAIR),
        "founders": lazy(frames["founders"])
        .select(*FOUNDER)
        .join(founder.rename({"founder_uuid": "uuid"}), on="uuid", how="semi"),
        "education": entries.select(*ENTRY).join(founder, on="founder_uuid", how="semi"),
    }
    if "company_tags" in frames:
        tags = lazy(frames["company_tags"]).select(*TAG)
        rows["company_tags"] = tags.join(company, on="company_uuid", how="semi")
    return narrow(rows, by="the university")


def pool_of(companies: Frame, currency: Currency) -> pl.DataFrame:
    """A row per company, with the currency of its amounts."""
    rows = distinct(companies, COMPANY, key=["uuid"])
    return rows.rename(_called("company")).with_columns(currency=pl.lit(currency))


def _called(kind: str) -> dict[str, str]:
    """The uuid and name of a record, called after what it is."""
    return {name: f"{kind}_{name}" for name in ("uuid", "name")}


def paired(company_founders: Frame, pool: pl.DataFrame) -> pl.DataFrame:
    """A row per company of the pool and founder recorded for it."""
    pairs = typed(company_founders, _PAIR).drop_nulls().unique()
    return pairs.join(pool, on="company_uuid", how="semi")


def asked_of(founders: Frame, pairs: pl.DataFrame, withheld: Iterable[str] = ()) -> pl.DataFrame:
    """A row per founder of the pool, with their companies in it and whether they were returned."""
    asked = pairs.group_by("founder_uuid").agg(*tally("companies"))
    named = distinct(founders, FOUNDER, key=["uuid"]).rename(_called("founder"))
    named = named.with_columns(is_returned=True)
    rows = asked.join(named, on="founder_uuid", how="left")
    return rows.with_columns(is_withheld=pl.col("founder_uuid").is_in(list(withheld)))


def entries_of(
    education: Frame, asked: pl.DataFrame, university: Institution, names: Sequence[str]
) -> pl.DataFrame:
    """The entries of the founders returned, with what each is to the university; null is not."""
    rows = typed(education, ENTRY)
    rows = rows.join(asked.filter("is_returned"), on="founder_uuid", how="semi")
    rows = first_of_each(rows, ENTRY_KEY, by=list(ENTRY))
    here = pl.col("university_uuid") == university.uuid
    without_id = pl.col("university_uuid").is_null()
    named = pl.col("university_name").is_in(names)
    return rows.with_columns(
        here=here,
        without_id=without_id,
        names_it=named,
        candidate=named & without_id,
        same_name=named & ~here & ~without_id,
    )


def states_of(asked: pl.DataFrame, entries: pl.DataFrame) -> pl.DataFrame:
    """A row per founder asked, with the one state that was observed."""
    flags = {f"entries_{flag}": pl.col(flag).sum() for flag in _FLAGS}
    seen = entries.group_by("founder_uuid").agg(*tally("entries", **flags))
    rows = asked.join(seen, on="founder_uuid", how="left")
    rows = rows.with_columns(pl.col(NUMBERS).fill_null(0)).with_columns(
        state=first_that_holds(_STATE_CASES, otherwise="founder_not_returned"),
        status=first_that_holds(_STATUS_CASES, otherwise="not recorded"),
        strength=first_that_holds(_STRENGTHS, otherwise=_STRENGTH["founder_not_returned"]),
    )
    return rows.drop("is_returned", "is_withheld")


_STRENGTH: Final = {state: place for place, state in enumerate(STATES)}
_STATE_CASES: Final[Sequence[tuple[pl.Expr, State]]] = (
    (pl.col("entries_here") > 0, "evidenced"),
    (pl.col("entries_candidate") > 0, "entry_without_institution_id"),
    (pl.col("entries_same_name") > 0, "same_name_other_id"),
    (pl.col("is_withheld"), "withheld"),
    (pl.col("entries_without_id") > 0, "entry_without_institution_id"),
    (pl.col("entries") > 0, "other_institutions_only"),
    (pl.col("is_returned"), "education_not_recorded"),
)
_STRENGTHS: Final = [(condition, _STRENGTH[state]) for condition, state in _STATE_CASES]
_STATUS_CASES: Final[Sequence[tuple[pl.Expr, Status]]] = (
    (pl.col("entries_here") > 0, "established"),
    (pl.col("entries_candidate") > 0, "candidate"),
    (pl.col("entries_same_name") > 0, "same_name_other_id"),
)


def with_status(pool: pl.DataFrame, pairs: pl.DataFrame, states: pl.DataFrame) -> pl.DataFrame:
    """The pool with its founders counted and each company's status."""
    by_status = {
        f"founders_{name}": (pl.col("status") == status).sum()
        for name, status in _FOUNDERS_COUNTED.items()
    }
    founders = pairs.join(states.select("founder_uuid", "status"), on="founder_uuid")
    counts = founders.group_by("company_uuid").agg(*tally("founders_recorded", **by_status))
    pool = pool.join(counts, on="company_uuid", how="left")
    pool = pool.with_columns(pl.col("founders_recorded", *by_status).fill_null(0))
    pool = pool.with_columns(status=first_that_holds(_POOL_CASES, otherwise="candidate"))
    return pool.drop("founders_candidate", "founders_same_name")


_FOUNDERS_COUNTED: Final[Mapping[str, Status]] = {
    "evidenced": "established",
    "candidate": "candidate",
    "same_name": "same_name_other_id",
}
_POOL_CASES: Final[Sequence[tuple[pl.Expr, Status]]] = (
    (pl.col("founders_evidenced") > 0, "established"),
    (pl.col("founders_candidate") > 0, "candidate"),
    (pl.col("founders_same_name") > 0, "same_name_other_id"),
)
