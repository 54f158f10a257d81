"""Companies whose founders studied at a university: from a candidate pool to evidenced links.

A company query by university name gives a pool. A link is an education entry of a founder whose
`university_uuid` is the university's (interface, reading rule 2); nothing else is counted as one.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl

from ventureframe.evidence.claims import STATES, Population
from ventureframe.evidence.dropped import Dropped
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
from ventureframe.evidence.study import not_held
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin
from ventureframe.studies.spinouts import words
from ventureframe.studies.spinouts.observations import (
    COMPANY,
    ENTRY_KEY,
    ESTABLISHED,
    MEMBERS,
    NUMBERS,
    SAME_NAME,
    TAG,
    Observed,
    names_like,
    narrowed,
    observe,
    record_of,
)
from ventureframe.studies.spinouts.study import TOP_TEN, Counts, Institution, Study


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
    frames = {"companies": companies, "company_founders": company_founders}
    frames |= {"founders": founders, "education": education}
    frames |= {} if company_tags is None else {"company_tags": company_tags}
    if origin:
        frames = narrowed(frames, university, names, currency, origin)
    observed = observe(frames, university, names, currency, withheld=withheld)
    listed = _listed(observed, frames.get("company_tags", pl.DataFrame(schema=TAG)))
    counts = _counts(
        observed,
        listed,
        companies_withheld=companies_withheld,
        is_by_id=is_by_id,
        is_whole=origin is not None,
        dropped=dropped,
        evidenced_dropped=evidenced_dropped,
    )
    populations = words.populations(university, counts)
    return Study(
        university=university,
        currency=currency,
        counts=counts,
        frames={
            **listed,
            **_counted(observed.states, populations),
            "founded": _every_year(_by("launch_date", listed["companies"])),
            "statuses": _by("company_status", listed["companies"]),
            "places": _by("hq_country", listed["companies"]),
            "funnel": pl.DataFrame(list(_steps(counts)), _STEP, orient="row"),
            "coverage": _coverage(counts, observed),
        },
        three_populations=populations,
        subject=university.name,
        sentence=words.answer(university.name, counts, currency),
        key_figures=words.key_figures(counts, currency),
        statements=words.claims(university, counts),
        limits=(*not_held(source), *words.caveats(university.name, counts, currency)),
        source=source,
    )


_STATE: Final = {"state": pl.String, "meaning": pl.String, "founders": pl.Int64}
_POPULATION: Final = {
    "population": pl.String,
    "count": pl.Int64,
    **dict.fromkeys(("definition", "source", "note"), pl.String),
}
_STEP: Final = {
    "step": pl.String,
    "unit": pl.String,
    "count": pl.Int64,
    "lost": pl.Int64,
    "lost_because": pl.String,
}
_PAIR: Final = ("company_uuid", "company_name", "founder_uuid", "founder_name")
_ENTRY: Final = ("position", *(name for name in MEMBERS if name != "university_uuid"))


def _counted(states: pl.DataFrame, populations: Sequence[Population]) -> dict[str, pl.DataFrame]:
    """The founders of each state, `withheld` where there are some, and the three populations."""
    seen = dict(states.group_by("state").len().rows())
    rows = [(state, meaning, seen.get(state, 0)) for state, meaning in STATES.items()]
    rows = [row for row in rows if row[0] != "withheld" or row[2]]
    beside = [(p.kind, p.count, p.definition, p.source, p.note or None) for p in populations]
    return {
        "states": pl.DataFrame(rows, _STATE, orient="row"),
        "populations": pl.DataFrame(beside, _POPULATION, orient="row"),
    }


def _listed(observed: Observed, company_tags: Frame) -> dict[str, pl.DataFrame]:
    """The findings that list records."""
    pairs, states = observed.pairs, observed.states
    pool = highest_first(observed.pool, "total_funding", "company_name", "company_uuid")
    evidenced = pool.filter(ESTABLISHED)
    naming = observed.entries.filter(pl.col("here") | pl.col("names_it"))
    naming = naming.join(states.select("founder_uuid", "founder_name"), on="founder_uuid")
    naming = naming.sort("founder_name", *ENTRY_KEY, nulls_last=True)
    here = naming.filter("here").drop("founder_name")
    # a row per evidenced company and founder
    people = states.filter(ESTABLISHED).select("founder_uuid", "founder_name")
    companies = evidenced.select("company_uuid", "company_name", "launch_date")
    founded = pairs.join(people, on="founder_uuid").join(companies, on="company_uuid")
    links = founded.join(here, on="founder_uuid").select(*_PAIR, *_ENTRY)
    ended = here.group_by("founder_uuid").agg(pl.col("end_year").max())
    years = founded.join(ended, on="founder_uuid").select(
        *(*_PAIR, "launch_date", "end_year"), years=pl.col("launch_date") - pl.col("end_year")
    )
    state = pl.col("state").cast(pl.Enum(list(STATES)))  # the strongest first
    founders = states.sort(state, "founder_name", "founder_uuid", nulls_last=True)
    # a row per evidenced company and sector tag; one without a sector has a row with null
    tags = typed(company_tags, TAG).filter(pl.col("type").is_in(["sector", "industry"]))
    tags = tags.select("company_uuid", sector="name").unique()
    tagged = evidenced.select("company_uuid", "company_name", "total_funding", "currency")
    tagged = tagged.join(tags, on="company_uuid", how="left")
    tagged = highest_first(tagged, "total_funding", "sector", "company_name", "company_uuid")
    sectors = tagged.group_by("sector").agg(  # they overlap, so none is added up
        *tally("companies", funding_known="total_funding"),
        *spread_of("total_funding"),
        pl.col("currency").max(),
    )
    return {
        "founders": founders.select("founder_uuid", "founder_name", "state", "status", *NUMBERS),
        "companies": evidenced,
        "sectors": highest_first(sectors, "companies", "sector"),
        "sector_companies": tagged,
        "links": links.sort("company_name", "company_uuid", "founder_uuid", "position"),
        "candidates": naming.filter("candidate").select(*_PAIR[2:], *_ENTRY),
        "same_name": naming.filter("same_name").select(*_PAIR[2:], *_ENTRY, "university_uuid"),
        "years": years.sort("years", *_PAIR[1::-1], "founder_uuid", nulls_last=True),
        "pool": pool,
    }


def spread_of(amounts: str) -> list[pl.Expr]:
    """Least, quartiles and most of the amounts of each group."""
    quartiles = {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}
    return [
        pl.col(amounts).min().alias("least"),
        *(pl.col(amounts).quantile(q, "linear").alias(name) for name, q in quartiles.items()),
        pl.col(amounts).max().alias("most"),
    ]


def _by(field: str, evidenced: pl.DataFrame) -> pl.DataFrame:
    """A row per value of a field, the largest first; companies without one are the last row."""
    rows = evidenced.group_by(field).agg(
        *tally("companies", funding_known="total_funding"),
        pl.col("total_funding").drop_nulls(),
        pl.first("currency"),
    )
    # fsum: the sum of the same amounts is the same in every order and on every engine
    sums = [math.fsum(known) if len(known) else None for known in rows["total_funding"].to_list()]
    rows = rows.with_columns(funding_total=pl.Series(sums, dtype=pl.Float64))
    rows = rows.select(field, "companies", "funding_known", "funding_total", "currency")
    return rows.sort(pl.col(field).is_null(), -pl.col("companies"), field)


def _every_year(rows: pl.DataFrame) -> pl.DataFrame:
    """Each year from the first to the last, also those without a company; none recorded last."""
    years = rows["launch_date"].drop_nulls().to_list()
    if not years:
        return rows
    span = pl.DataFrame({"launch_date": range(min(years), max(years) + 1)})
    every = span.cast(rows.schema["launch_date"]).join(rows, on="launch_date", how="left")
    every = every.with_columns(
        pl.col("companies", "funding_known").fill_null(0), currency=pl.lit(rows["currency"][0])
    )
    return pl.concat([every, rows.filter(pl.col("launch_date").is_null())])


def _counts(observed: Observed, listed: Mapping[str, pl.DataFrame], **others: Any) -> Counts:
    years, evidenced = listed["years"], listed["companies"]
    known = evidenced.drop_nulls("total_funding")  # the largest first
    amounts = known["total_funding"].to_list()
    return Counts(
        **count(
            observed.pool,
            pool=pl.len(),
            pool_with_founder=(pl.col("founders_recorded") > 0).sum(),
            companies_evidenced=ESTABLISHED.sum(),
            companies_same_name=SAME_NAME.sum(),
            flagged=pl.col("is_spinout").sum(),
            flag_known=pl.col("is_spinout").count(),
        ),
        **count(
            observed.states,
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
        funding_known=len(amounts),
        # fsum: the sum of the same amounts is the same in every order
        funding_total=math.fsum(amounts) if amounts else None,
        funding_most=(known["company_name"][0], amounts[0]) if amounts else None,
        funding_top_ten=math.fsum(amounts[:TOP_TEN]),
        **others,
    )


def _coverage(counts: Counts, observed: Observed) -> pl.DataFrame:
    """How much of each field is recorded, in each kind of record the study rests on."""
    c, company = counts, [name for name in COMPANY if name not in ("uuid", "name")]
    pool, entries = observed.pool, observed.entries
    returned = observed.states.filter(pl.col("state") != "founder_not_returned")
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


# --- from pool to evidence


Step = tuple[str, str, int | None, int | None, str | None]
"""A step of the funnel: its name, what it counts, how many, how many it leaves, and why."""

_STEPS: Final = (
    ("companies", "in the candidate pool", "pool", None),
    ("companies", "with a founder recorded", "pool_with_founder", "founders not recorded"),
    ("founders", "asked for", "founders_asked", None),
    ("founders", "returned by the service", "founders_returned", "missing from the reply"),
    (
        *("founders", "with education recorded", "founders_with_education"),
        "education not recorded",
    ),
    ("founders", "not only the same name", "founders_not_same_name", "same name, another UUID"),
    (
        *("founders", "with an entry at the university", "founders_evidenced"),
        "other institutions, or entries without an id",
    ),
    ("companies", "not only the same name", "companies_not_same_name", "same name, another UUID"),
    (
        *("companies", "with an evidenced founder", "companies_evidenced"),
        "candidates: evidence not recorded",
    ),
)
"""What each step counts, its name, in which of the counts it stands, and why it leaves some."""
_WITHHELD: Final = {
    "pool_with_founder": "companies_withheld",
    "founders_with_education": "founders_withheld",
}
"""Which of the counts says how many of those a step leaves the service withholds."""


def _steps(counts: Counts) -> Iterator[Step]:
    """The steps from pool to evidence; companies and founders are counted apart.

    Where conditions narrowed the pool, its first steps are what they left out, for each reason;
    the evidenced companies have such steps too where they were fetched without the conditions.
    """
    yield from _conditions("companies", counts.dropped)
    before: dict[str, int] = {}
    for unit, step, name, why in _STEPS:
        size, withheld = getattr(counts, name), getattr(counts, _WITHHELD.get(name, ""), 0)
        if name == "pool" and counts.dropped:
            yield step, unit, size, *_outside(counts.dropped[-1])
        elif why is None:
            yield step, unit, size, None, None
        else:
            also = f", or withheld by the service ({withheld:,})" if withheld else ""
            yield step, unit, size, before[unit] - size, f"{why}{also}"
        before[unit] = size
    yield from _conditions(EVIDENCED, counts.evidenced_dropped)
    for last in counts.evidenced_dropped[-1:]:
        yield "in the candidate pool", EVIDENCED, last.inside, *_outside(last)


EVIDENCED: Final = "evidenced companies"
"""What the last steps count, where the companies that conditions leave out were fetched."""


def _conditions(unit: str, dropped: Sequence[Dropped]) -> Iterator[Step]:
    """The steps before the pool: without conditions, then per field a value recorded and met."""
    for at, condition in enumerate(dropped):
        if not at:
            yield "without the conditions", unit, condition.before, None, None
        else:
            last = dropped[at - 1]
            yield f"{last.label} in range", unit, last.inside, *_outside(last)
        why = f"{condition.label} not recorded"
        yield (
            f"{condition.label} recorded",
            *(unit, condition.recorded, condition.not_recorded, why),
        )


def _outside(condition: Dropped) -> tuple[int | None, str]:
    return condition.outside, f"{condition.label} outside the condition"
