"""Companies whose founders studied at a university: from a candidate pool to evidenced links.

A company query by university name gives a pool. A link is an education entry of a founder whose
`university_uuid` is the university's (interface, reading rule 2); nothing else is counted as one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.populations import Population
from ventureframe.evidence.rows import (
    COVERAGE,
    Frame,
    count,
    coverage,
    highest_first,
    refuse_strangers,
    tally,
    typed,
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
    ENTRY_KEY,
    ESTABLISHED,
    MEMBERS,
    NUMBERS,
    SAME_NAME,
    TAG,
    asked_of,
    entries_of,
    names_like,
    narrowed,
    paired,
    pool_of,
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

    Row order and repeated rows change nothing. Whole collections are first narrowed on the engine
    of their frames (a polars LazyFrame, a DuckDB relation, a Spark Connect frame).

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
    names = names_like(university.name, education)
    frames: dict[str, Frame] = {
        "companies": companies,
        "company_founders": company_founders,
        "founders": founders,
        "education": education,
        **({} if company_tags is None else {"company_tags": company_tags}),
    }
    if origin is not None:
        frames = narrowed(frames, university, names, currency, origin)
    pool = pool_of(frames["companies"], currency)
    pairs = paired(frames["company_founders"], pool)
    asked = asked_of(frames["founders"], pairs, withheld)
    entries = entries_of(frames["education"], asked, university, names)
    states = states_of(asked, entries)
    pool = with_status(pool, pairs, states)
    tags = frames.get("company_tags", pl.DataFrame(schema=TAG))
    listed = _listed(pairs, pool, states, entries, tags)
    evidenced, years = listed["companies"], listed["years"]
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
    findings = {
        **listed,
        **grouped(evidenced),
        "funnel": steps(counts),
        "states": _observed(states),
        "coverage": _coverage(counts, pool, states, entries),
    }
    return _study(university, currency, counts, findings, source)


def _study(
    university: Institution,
    currency: Currency,
    counts: Counts,
    findings: Mapping[str, pl.DataFrame],
    source: Source | None,
) -> Study:
    """The study of these frames, with what their counts say in words."""
    populations = words.populations(university, counts)
    return Study(
        university=university,
        currency=currency,
        counts=counts,
        frames={**findings, "populations": _side_by_side(populations)},
        three_populations=populations,
        subject=university.name,
        sentence=words.answer(university.name, counts, currency),
        key_figures=words.key_figures(counts, currency),
        statements=words.claims(university, counts),
        limits=(*not_held(source), *words.caveats(university.name, counts, currency)),
        source=source,
    )


def _listed(
    pairs: pl.DataFrame,
    pool: pl.DataFrame,
    states: pl.DataFrame,
    entries: pl.DataFrame,
    tags: Frame,
) -> dict[str, pl.DataFrame]:
    """The findings that list records."""
    names = states.select("founder_uuid", "founder_name")
    naming = entries.filter(pl.col("here") | pl.col("names_it")).join(names, on="founder_uuid")
    naming = naming.sort("founder_name", *ENTRY_KEY, nulls_last=True)
    pool = highest_first(pool, "total_funding", "company_name", "company_uuid")
    here, evidenced = naming.filter("here"), pool.filter(ESTABLISHED)
    founded, tagged = _founded(pairs, evidenced, states), _tagged(evidenced, tags)
    founders = states.sort("strength", "founder_name", "founder_uuid", nulls_last=True)
    same_name = naming.filter("same_name")
    return {
        "founders": founders.select("founder_uuid", "founder_name", "state", "status", *NUMBERS),
        "companies": evidenced,
        "sectors": _sectors(tagged),
        "sector_companies": tagged,
        "links": _linked(founded, here),
        "candidates": naming.filter("candidate").select(*_LINK[2:]),
        "same_name": same_name.select(*_LINK[2:], "university_uuid"),
        "years": _years(founded, here),
        "pool": pool,
    }


_LINK: Final = (
    *("company_uuid", "company_name", "founder_uuid", "founder_name", "position"),
    *(name for name in MEMBERS if name != "university_uuid"),
)


def _observed(states: pl.DataFrame) -> pl.DataFrame:
    """A row per state; one in which no founder was observed is listed too, save `withheld`."""
    seen = dict(states.group_by("state").len().rows())
    rows = [
        (state, meaning, seen.get(state, 0))
        for state, meaning in STATES.items()
        if state != "withheld" or state in seen
    ]
    columns = {"state": pl.String, "meaning": pl.String, "founders": pl.Int64}
    return pl.DataFrame(rows, columns, orient="row")


def _founded(pairs: pl.DataFrame, evidenced: pl.DataFrame, states: pl.DataFrame) -> pl.DataFrame:
    """A row per evidenced company and founder, with their names and the founding year."""
    people = states.filter(ESTABLISHED).select("founder_uuid", "founder_name")
    companies = evidenced.select("company_uuid", "company_name", "launch_date")
    return pairs.join(people, on="founder_uuid").join(companies, on="company_uuid")


def _linked(founded: pl.DataFrame, here: pl.DataFrame) -> pl.DataFrame:
    """A row per company, founder and entry at the university."""
    rows = founded.join(here.drop("founder_name"), on="founder_uuid").select(*_LINK)
    return rows.sort("company_name", "company_uuid", "founder_uuid", "position")


def _years(founded: pl.DataFrame, here: pl.DataFrame) -> pl.DataFrame:
    """Founding year minus the latest recorded end of study, where both are known."""
    who = ("company_uuid", "company_name", "founder_uuid", "founder_name", "launch_date")
    ended = here.group_by("founder_uuid").agg(pl.col("end_year").max())
    rows = founded.select(*who).join(ended, on="founder_uuid")
    rows = rows.with_columns(years=pl.col("launch_date") - pl.col("end_year"))
    return rows.sort("years", "company_name", "company_uuid", "founder_uuid", nulls_last=True)


def _tagged(evidenced: pl.DataFrame, company_tags: Frame) -> pl.DataFrame:
    """A row per evidenced company and sector tag; one without a sector has a row with null."""
    tags = typed(company_tags, TAG).filter(pl.col("type").is_in(["sector", "industry"]))
    tags = tags.select("company_uuid", sector="name").unique()
    rows = evidenced.select("company_uuid", "company_name", "total_funding", "currency")
    rows = rows.join(tags, on="company_uuid", how="left")
    return highest_first(rows, "total_funding", "sector", "company_name", "company_uuid")


def _sectors(tagged: pl.DataFrame) -> pl.DataFrame:
    """How the known totals of each sector are spread; sectors overlap, so none is added up."""
    known = pl.col("total_funding")
    quartiles = {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}
    rows = tagged.group_by("sector").agg(
        *tally("companies", funding_known="total_funding"),
        known.min().alias("least"),
        *(known.quantile(part, "linear").alias(name) for name, part in quartiles.items()),
        known.max().alias("most"),
        pl.col("currency").max(),
    )
    return highest_first(rows, "companies", "sector")


def _counts(
    pool: pl.DataFrame,
    states: pl.DataFrame,
    years: pl.DataFrame,
    evidenced: pl.DataFrame,
    **others: Any,
) -> Counts:
    known, most = evidenced["total_funding"].drop_nulls().to_list(), largest(evidenced)
    return Counts(
        **count(
            pool,
            pool=pl.len(),
            pool_with_founder=(pl.col("founders_recorded") > 0).sum(),
            companies_evidenced=ESTABLISHED.sum(),
            companies_same_name=SAME_NAME.sum(),
            flagged=pl.col("is_spinout").sum(),
            flag_known=pl.col("is_spinout").count(),
        ),
        **count(
            states,
            founders_asked=pl.len(),
            founders_returned=(pl.col("state") != "founder_not_returned").sum(),
            founders_with_education=(pl.col("entries") > 0).sum(),
            founders_evidenced=ESTABLISHED.sum(),
            founders_withheld=(pl.col("state") == "withheld").sum(),
            founders_candidate=(pl.col("status") == "candidate").sum(),
            founders_same_name=SAME_NAME.sum(),
        ),
        years_known=years["years"].count(),
        years_of=years.height,
        funding_known=len(known),
        # fsum: the sum of the same amounts is the same in every order
        funding_total=math.fsum(known) if known else None,
        funding_most=most[0] if most else None,
        funding_top_ten=math.fsum(total for _, total in most),
        **others,
    )


def _side_by_side(populations: Sequence[Population]) -> pl.DataFrame:
    rows = [(p.kind, p.count, p.definition, p.source, p.note or None) for p in populations]
    text = dict.fromkeys(("definition", "source", "note"), pl.String)
    return pl.DataFrame(rows, {"population": pl.String, "count": pl.Int64, **text}, orient="row")


def _coverage(
    counts: Counts, pool: pl.DataFrame, states: pl.DataFrame, entries: pl.DataFrame
) -> pl.DataFrame:
    """How much of each field is recorded, in each kind of record the study rests on."""
    c, company = counts, [name for name in COMPANY if name not in ("uuid", "name")]
    returned = states.filter(pl.col("state") != "founder_not_returned")
    here, naming = entries.filter("here"), entries.filter("names_it")
    rows = [
        ("company in the pool", "founders", c.pool_with_founder, c.pool),
        *coverage("company in the pool", pool, company),
        *coverage("company evidenced", pool.filter(ESTABLISHED), company),
        *coverage("founder returned", returned, ["founder_name"]),
        ("founder returned", "education", c.founders_with_education, c.founders_returned),
        *coverage("education entry", entries, MEMBERS),
        *coverage("education entry that names the university", naming, ["university_uuid"]),
        *coverage("education entry at the university", here, list(MEMBERS)[2:]),
    ]
    return pl.DataFrame(rows, COVERAGE, orient="row")
