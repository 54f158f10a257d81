"""Companies whose founders studied at a university: from a candidate pool to evidenced links.

A company query by university name gives a pool. A link is an education entry of a founder whose
`university_uuid` is the university's (interface, reading rule 2); nothing else is counted as one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import narwhals as nw
import polars as pl

from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.populations import Population
from ventureframe.evidence.rows import (
    COVERAGE,
    TEXT,
    WHOLE,
    Frame,
    Rows,
    collected,
    findings,
    highest_first,
    holds,
    keep,
    known,
    lazy,
    made,
    once,
    one,
    refuse_strangers,
    taken,
    tally,
)
from ventureframe.evidence.states import STATES
from ventureframe.evidence.study import not_held
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin, Source
from ventureframe.studies.spinouts import words
from ventureframe.studies.spinouts.funnel import steps
from ventureframe.studies.spinouts.groups import grouped, largest
from ventureframe.studies.spinouts.observations import (
    COMPANY,
    ESTABLISHED,
    MEMBERS,
    NUMBERS,
    SAME_NAME,
    asked_of,
    companies_of,
    entries_of,
    marked,
    names_like,
    naming_it,
    one_of,
    paired,
    record_of,
    states_of,
    with_status,
)
from ventureframe.studies.spinouts.study import Counts, Institution, Study


def find(
    *,
    companies: Frame,
    company_founders: Frame,
    founders: Frame,
    education: Frame,
    university: Institution | str,
    currency: Currency,
    company_tags: Frame | None = None,
    universities: Frame | None = None,
    origin: Origin | None = None,
    dropped: tuple[Dropped, ...] = (),
    evidenced_dropped: tuple[Dropped, ...] = (),
    withheld: Sequence[str] = (),
    companies_withheld: int = 0,
    is_by_id: bool = False,
    **others: Frame,
) -> Study:
    """The study of one university over flat frames of any library or engine; nothing is fetched.

    Row order and repeated rows change nothing. All frames belong to one engine, and it computes:
    a polars LazyFrame, a DuckDB relation, a Spark Connect frame or an Ibis table stays there, and
    a finding is collected when it is asked for; eager frames are computed in polars at once.

    Parameters
    ----------
    companies, company_founders, founders, education, company_tags : frame
        The candidate pool, `total_funding` in `currency`; its founders by company_uuid and
        founder_uuid; the founders returned; their entries by founder_uuid and position; the
        companies' tags by company_uuid, name and type, for their sectors.
    university : Institution or str
        uuid and name decide; founder_alumni_total and spinout_count are shown beside. As text its
        UUID, or where `universities` are given its name: it must be that of exactly one. A pull
        holds no `universities`: the name is then the one most entries with the UUID have.
    currency : {"USD", "EUR", "GBP"}
        The currency of the companies' amounts.
    dropped, evidenced_dropped : tuple of Dropped
        What the conditions on the pool left out, of all companies and of those evidenced.
    withheld : sequence of str
        The founders whose education the service keeps from the key.
    companies_withheld : int
        How many companies of the pool it keeps the founders of.
    is_by_id : bool
        The pool was asked by the identifiers of the universities of this name, not by the name.
    universities : frame, optional
        The records of universities.
    origin : Origin, optional
        Says that the frames are whole collections, as `bulk.open` gives them: the pool is then
        every company with a founder whose entry carries the university's UUID or names it, and
        amounts in `total_funding_currency` are converted at the rates of the dataset.
    others : frame
        Further frames of the dataset, which are not read.
    """
    refuse_strangers(others)
    source = None if origin is None else origin.source
    university = record_of(university, universities, education)
    names, whose = names_like(university.name, education), None
    if origin is not None:
        whose = naming_it(company_founders, education, university, names)
    pool = companies_of(companies, currency, origin, only=whose)
    pairs = paired(company_founders, pool)
    asked = asked_of(founders, pairs, withheld)
    entries = one_of(keep(entries_of(education, asked.filter(nw.col("is_returned")))))
    entries = marked(entries, university, names)
    states = states_of(asked, entries)
    pool = with_status(pool, pairs, states)
    found, years = _found(pairs, pool, states, entries, company_tags)
    evidenced = collected(pool.filter(ESTABLISHED).select(*_GROUPED))
    counts = _counts(
        pool,
        states,
        years,
        evidenced,
        companies_withheld=companies_withheld,
        is_by_id=is_by_id,
        is_whole=origin is not None,
        dropped=dropped,
        evidenced_dropped=evidenced_dropped,
    )
    frames = {
        **found,
        **grouped(evidenced),
        "years": years,
        "funnel": steps(counts),
        "states": _observed(states),
        "coverage": _coverage(counts, pool, states, entries),
    }
    return _study(university, currency, counts, frames, source)


def _study(
    university: Institution,
    currency: Currency,
    counts: Counts,
    frames: Mapping[str, Rows | pl.DataFrame],
    source: Source | None,
) -> Study:
    """The study of these frames, with what their counts say in words."""
    populations = words.populations(university, counts)
    return Study(
        university=university,
        currency=currency,
        counts=counts,
        frames=findings({**frames, "populations": _side_by_side(populations)}),
        three_populations=populations,
        subject=university.name,
        sentence=words.answer(university.name, counts, currency),
        key_figures=words.key_figures(counts, currency),
        statements=words.claims(university, counts),
        limits=(*not_held(source), *words.caveats(university.name, counts, currency)),
        source=source,
    )


def _found(
    pairs: Rows, pool: Rows, states: Rows, entries: Rows, company_tags: Frame | None
) -> tuple[dict[str, Rows | pl.DataFrame], pl.DataFrame]:
    """The findings that list records, and the years from study to founding."""
    naming = _naming(entries, states)
    here, evidenced = naming.filter(nw.col("here")), pool.filter(ESTABLISHED)
    founded, tagged = _founded(pairs, evidenced, states), _tagged(evidenced, company_tags)
    others = {name: naming.filter(nw.col(name)) for name in ("candidate", "same_name")}
    found: dict[str, Rows | pl.DataFrame] = {
        "founders": _founders(states),
        "companies": _by_funding(evidenced),
        "sectors": _sectors(tagged),
        "sector_companies": tagged,
        "links": _linked(founded, here),
        "candidates": _by_founder(others["candidate"]).select(*_LINK[2:]),
        "same_name": _by_founder(others["same_name"]).select(*_LINK[2:], "university_uuid"),
        "pool": _by_funding(pool),
    }
    return found, collected(_years(founded, here))


_LINK: Final = (
    *("company_uuid", "company_name", "founder_uuid", "founder_name", "position"),
    *(name for name in MEMBERS if name != "university_uuid"),
)


def _founders(states: Rows) -> Rows:
    rows = states.sort("strength", "founder_name", "founder_uuid", nulls_last=True)
    return rows.select("founder_uuid", "founder_name", "state", "status", *NUMBERS)


def _by_funding(pool: Rows) -> Rows:
    return highest_first(pool, "total_funding", "company_name", "company_uuid")


def _naming(entries: Rows, states: Rows) -> Rows:
    """The entries at the university, and those that name it without its UUID; few, so collected."""
    rows = entries.filter(nw.col("here") | nw.col("names_it"))
    rows = rows.join(states.select("founder_uuid", "founder_name"), on="founder_uuid", how="inner")
    return lazy(collected(rows))


def _by_founder(entries: Rows) -> Rows:
    return entries.sort("founder_name", "founder_uuid", "position", nulls_last=True)


def _observed(states: Rows) -> pl.DataFrame:
    """A row per state; one in which no founder was observed is listed too, save `withheld`."""
    seen = one(states, **{state: holds(nw.col("state") == state) for state in STATES})
    rows = [
        (state, meaning, seen[state])
        for state, meaning in STATES.items()
        if state != "withheld" or seen[state]
    ]
    return made(rows, {"state": TEXT, "meaning": TEXT, "founders": WHOLE})


def _founded(pairs: Rows, evidenced: Rows, states: Rows) -> Rows:
    """A row per evidenced company and founder, with their names and the founding year."""
    people = states.filter(ESTABLISHED).select("founder_uuid", "founder_name")
    companies = evidenced.select("company_uuid", "company_name", "launch_date")
    rows = pairs.join(people, on="founder_uuid", how="inner")
    return lazy(collected(rows.join(companies, on="company_uuid", how="inner")))


def _linked(founded: Rows, here: Rows) -> Rows:
    """A row per company, founder and entry at the university."""
    rows = founded.join(here.drop("founder_name"), on="founder_uuid", how="inner").select(*_LINK)
    return rows.sort("company_name", "company_uuid", "founder_uuid", "position")


def _years(founded: Rows, here: Rows) -> Rows:
    """Founding year minus the latest recorded end of study, where both are known."""
    who = ("company_uuid", "company_name", "founder_uuid", "founder_name", "launch_date")
    ended = here.group_by("founder_uuid").agg(nw.col("end_year").max())
    rows = founded.select(*who).join(ended, on="founder_uuid", how="inner")
    rows = rows.with_columns(years=nw.col("launch_date") - nw.col("end_year"))
    return rows.sort("years", "company_name", "company_uuid", "founder_uuid", nulls_last=True)


def _tagged(evidenced: Rows, company_tags: Frame | None) -> Rows:
    """A row per evidenced company and sector tag; one without a sector has a row with null."""
    rows = evidenced.select("company_uuid", "company_name", "total_funding", "currency")
    if company_tags is None:
        rows = rows.with_columns(sector=nw.lit(None, TEXT))
    else:
        tags = taken(company_tags, dict.fromkeys(("company_uuid", "name", "type"), TEXT))
        tags = tags.filter(nw.col("type").is_in(["sector", "industry"]))
        tags = tags.join(rows.select("company_uuid"), on="company_uuid", how="semi")
        tags = once(tags.select("company_uuid", sector=nw.col("name")), "company_uuid", "sector")
        rows = rows.join(tags, on="company_uuid", how="left")
    rows = highest_first(rows, "total_funding", "sector", "company_name", "company_uuid")
    return lazy(collected(rows))


def _sectors(tagged: Rows) -> Rows:
    """How the known totals of each sector are spread; sectors overlap, so none is added up."""
    known = nw.col("total_funding")
    quartiles = {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}
    rows = tagged.group_by("sector", drop_null_keys=False).agg(
        *tally("companies", funding_known="total_funding"),
        known.min().alias("least"),
        *(known.quantile(part, "linear").alias(name) for name, part in quartiles.items()),
        known.max().alias("most"),
        nw.col("currency").max(),
    )
    return highest_first(rows, "companies", "sector")


_GROUPED: Final = (
    *("company_uuid", "company_name", "launch_date", "company_status", "hq_country"),
    *("total_funding", "currency"),
)


def _counts(
    pool: Rows, states: Rows, years: pl.DataFrame, evidenced: pl.DataFrame, **given: Any
) -> Counts:
    known, most = evidenced["total_funding"].drop_nulls().to_list(), largest(evidenced)
    return Counts(
        **one(
            pool,
            pool=nw.len(),
            pool_with_founder=holds(nw.col("founders_recorded") > 0),
            companies_evidenced=holds(ESTABLISHED),
            companies_same_name=holds(SAME_NAME),
            flagged=holds(nw.col("is_spinout")),
            flag_known=nw.col("is_spinout").count(),
        ),
        **one(
            states,
            founders_asked=nw.len(),
            founders_returned=holds(nw.col("state") != "founder_not_returned"),
            founders_with_education=holds(nw.col("entries") > 0),
            founders_evidenced=holds(ESTABLISHED),
            founders_withheld=holds(nw.col("state") == "withheld"),
            founders_candidate=holds(nw.col("status") == "candidate"),
            founders_same_name=holds(SAME_NAME),
        ),
        years_known=years["years"].count(),
        years_of=years.height,
        funding_known=len(known),
        # fsum: the sum of the same amounts is the same in every order and on every engine
        funding_total=math.fsum(known) if known else None,
        funding_most=most[0] if most else None,
        funding_top_ten=math.fsum(total for _, total in most),
        **given,
    )


def _side_by_side(populations: Sequence[Population]) -> pl.DataFrame:
    rows = [(p.kind, p.count, p.definition, p.source, p.note or None) for p in populations]
    text = dict.fromkeys(("definition", "source", "note"), TEXT)
    return made(rows, {"population": TEXT, "count": WHOLE, **text})


def _coverage(counts: Counts, pool: Rows, states: Rows, entries: Rows) -> pl.DataFrame:
    """How much of each field is recorded, in each kind of record the study rests on."""
    c, company = counts, [name for name in COMPANY if name not in ("uuid", "name")]
    returned = states.filter(nw.col("state") != "founder_not_returned")
    here = entries.filter(nw.col("here"))
    naming = entries.filter(nw.col("names_it"))
    rows = [
        ("company in the pool", "founders", c.pool_with_founder, c.pool),
        *known("company in the pool", pool, company),
        *known("company evidenced", pool.filter(ESTABLISHED), company),
        *known("founder returned", returned, ["founder_name"]),
        ("founder returned", "education", c.founders_with_education, c.founders_returned),
        *known("education entry", entries, list(MEMBERS)),
        *known("education entry that names the university", naming, ["university_uuid"]),
        *known("education entry at the university", here, list(MEMBERS)[2:]),
    ]
    return made(rows, COVERAGE)
