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
    TEXT,
    WHOLE,
    Frame,
    Rows,
    collected,
    distinct,
    first_that_holds,
    holds,
    keep,
    once,
    one_each,
    taken,
    tally,
    typed,
)
from ventureframe.evidence.states import STATES, State, Status
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin
from ventureframe.interface.values import fold
from ventureframe.studies.spinouts.study import Institution

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
_NEAR: Final = 5
"""Universities that are named where a text is that of none."""
_FLAGS: Final = ("here", "without_id", "candidate", "same_name")
NUMBERS: Final = ("companies", "entries", *(f"entries_{flag}" for flag in _FLAGS))
"""What is counted for a founder: companies of the pool, and entries of each kind."""
ESTABLISHED: Final = nw.col("status") == "established"
SAME_NAME: Final = nw.col("status") == "same_name_other_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A university as the records of a dataset have it."""

    uuid: str
    name: str
    founder_alumni_total: int | None = None
    spinout_count: int | None = None


def institutions_of(universities: Frame) -> list[Recorded]:
    """The universities of the frame, by UUID."""
    rows = collected(distinct(universities, _UNIVERSITY, key=["uuid"]))
    return [Recorded(**row) for row in rows.sort("uuid").iter_rows(named=True)]


_UNIVERSITY: Final = typed(
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
    named = taken(education, {uuid: TEXT, name: TEXT}).drop_nulls(uuid)
    pairs = collected(named.group_by(uuid, name).agg(nw.len().cast(WHOLE).alias("entries")))
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


def naming_it(
    company_founders: Frame, education: Frame, university: Institution, names: Sequence[str]
) -> Rows:
    """The companies with a founder whose entry carries the university's UUID or names it."""
    entries = taken(education, _ENTRY)
    is_here = nw.col("university_uuid") == university.uuid
    people = entries.filter(is_here | nw.col("university_name").is_in(names))
    people = people.select("founder_uuid")
    pairs = taken(company_founders, _PAIR).join(people, on="founder_uuid", how="semi")
    return pairs.select("company_uuid")


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


def names_in(rows: Rows) -> list[str]:
    """Every `university_name` of the rows; names are folded here and not by an engine."""
    return collected(once(rows, "university_name").drop_nulls())["university_name"].to_list()


def names_like(name: str, education: Frame) -> list[str]:
    """How entries write the university's name, case ignored."""
    recorded = names_in(taken(education, {"university_name": TEXT}))
    return [each for each in recorded if fold(each) == fold(name)]


def marked(entries: Rows, university: Institution, names: Iterable[str]) -> Rows:
    """The entries with what each is to the university; null is not."""
    here = nw.col("university_uuid") == university.uuid
    without_id = nw.col("university_uuid").is_null()
    named = nw.col("university_name").is_in(list(names))
    return entries.with_columns(
        here=here,
        without_id=without_id,
        names_it=named,
        candidate=named & without_id,
        same_name=named & ~here & ~without_id,
    )


def states_of(asked: Rows, entries: Rows) -> Rows:
    """A row per founder asked, with the one state that was observed."""
    seen = entries.group_by("founder_uuid").agg(
        nw.len().alias("entries"),
        *(holds(nw.col(flag)).alias(f"entries_{flag}") for flag in _FLAGS),
    )
    rows = asked.join(seen, on="founder_uuid", how="left")
    rows = rows.with_columns(nw.col(*NUMBERS).cast(WHOLE).fill_null(0)).with_columns(
        state=first_that_holds(_STATE_CASES, otherwise="founder_not_returned"),
        status=first_that_holds(_STATUS_CASES, otherwise="not recorded"),
        strength=first_that_holds(_STRENGTHS, otherwise=_STRENGTH["founder_not_returned"]),
    )
    return keep(rows.drop("is_returned", "is_withheld"))


_STRENGTH: Final = {state: place for place, state in enumerate(STATES)}
_STATE_CASES: Final[Sequence[tuple[nw.Expr, State]]] = (
    (nw.col("entries_here") > 0, "evidenced"),
    (nw.col("entries_candidate") > 0, "entry_without_institution_id"),
    (nw.col("entries_same_name") > 0, "same_name_other_id"),
    (nw.col("is_withheld"), "withheld"),
    (nw.col("entries_without_id") > 0, "entry_without_institution_id"),
    (nw.col("entries") > 0, "other_institutions_only"),
    (nw.col("is_returned"), "education_not_recorded"),
)
_STRENGTHS: Final = [(condition, _STRENGTH[state]) for condition, state in _STATE_CASES]
_STATUS_CASES: Final[Sequence[tuple[nw.Expr, Status]]] = (
    (nw.col("entries_here") > 0, "established"),
    (nw.col("entries_candidate") > 0, "candidate"),
    (nw.col("entries_same_name") > 0, "same_name_other_id"),
)


def with_status(pool: Rows, pairs: Rows, states: Rows) -> Rows:
    """The pool with its founders counted and each company's status."""
    by_status = {
        f"founders_{name}": holds(nw.col("status") == status)
        for name, status in _FOUNDERS_COUNTED.items()
    }
    founders = pairs.join(states.select("founder_uuid", "status"), on="founder_uuid", how="inner")
    counts = founders.group_by("company_uuid").agg(*tally("founders_recorded", **by_status))
    pool = pool.join(counts, on="company_uuid", how="left")
    pool = pool.with_columns(nw.col("founders_recorded", *by_status).fill_null(0))
    pool = pool.with_columns(status=first_that_holds(_POOL_CASES, otherwise="candidate"))
    return keep(pool.drop("founders_candidate", "founders_same_name"))


_FOUNDERS_COUNTED: Final[Mapping[str, Status]] = {
    "evidenced": "established",
    "candidate": "candidate",
    "same_name": "same_name_other_id",
}
_POOL_CASES: Final[Sequence[tuple[nw.Expr, Status]]] = (
    (nw.col("founders_evidenced") > 0, "established"),
    (nw.col("founders_candidate") > 0, "candidate"),
    (nw.col("founders_same_name") > 0, "same_name_other_id"),
)
