"""Companies whose founders studied at a university: from a candidate pool to evidenced
links.

A link is an education entry of a founder whose `university_uuid` is the university's
(interface, reading rule 2); nothing else is counted as one.
"""

import math
from collections import Counter
from collections.abc import Sequence

import polars as pl

from ventureframe.display.wording import Count, counted, listed
from ventureframe.evidence import rows
from ventureframe.evidence.claims import STATES
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.rows import Frame, coverage, highest_first, tally
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin
from ventureframe.studies.companies import with_texts
from ventureframe.studies.spinouts import observations, words
from ventureframe.studies.spinouts.observations import (
    COMPANY,
    MEMBERS,
    OF_ENTRY,
    PAIR,
    Observed,
)
from ventureframe.studies.spinouts.study import (
    FOUND_BY,
    OF_A_POINT,
    STUDIED,
    TOP_TEN,
    WITH_ALUMNI,
    Counts,
    Institution,
    Study,
)
from ventureframe.studies.young import every_year


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
    withheld: Sequence[str] = (),
    companies_withheld: Sequence[str] = (),
    found_by: str = "name",
    **unread: Frame,
) -> Study:
    """The study of one university over flat frames of any library or engine; nothing is
    fetched.

    Row order and repeated rows change nothing. Whole collections are first narrowed on
    the engine of their frames (a polars LazyFrame, a DuckDB relation, a Spark Connect
    frame).

    Parameters
    ----------
    companies, company_founders, founders, education, company_tags : frame
        The candidate pool, `total_funding` in `currency`; its founders by company_uuid
        and founder_uuid; the founders returned; their entries by founder_uuid and
        position; the companies' tags by company_uuid, name and type, for their sectors.
    university : Institution or str
        uuid and name decide; founder_alumni_total and spinout_count are shown beside.
        As text its UUID, or where `universities` (their records) are given its name: it
        must be that of one. A pull holds no `universities`: the name is then the one
        most entries with the UUID have.
    currency : {"USD", "EUR", "GBP"}
        The currency of the companies' amounts.
    dropped : tuple of Dropped
        What the conditions on the pool left out.
    withheld, companies_withheld : sequence of str
        The founders whose education the service withholds, and the companies whose
        founders.
    found_by : {"name", "id", "list"}
        The pool was asked by the university's name, or by the identifiers of the
        universities of this name; or the companies were given.
    origin : Origin, optional
        Says that the frames are whole collections, as `bulk.open` gives them: the pool
        is then every company with a founder whose entry carries the university's UUID
        or names it, and amounts in `total_funding_currency` are converted at the rates
        of the dataset.
    """
    rows.refuse_strangers(unread)
    university = observations.record_of(university, universities, education)
    frames = {
        "companies": companies,
        "company_founders": company_founders,
        "founders": founders,
        "education": education,
    }
    if company_tags is not None:
        frames["company_tags"] = company_tags
    observed = observations.observe(frames, university, currency, origin, withheld)
    is_shown = ~pl.col("company_uuid").is_in(list(companies_withheld))
    founder_counts = pl.when(is_shown).then(pl.col("^founders_.*$"))
    pool = observed.pool.with_columns(founder_counts.name.keep())
    findings = _listed(observed._replace(pool=pool))
    linked = findings["companies"]
    amounts = linked["total_funding"].drop_nulls().to_list()
    ten_largest = math.fsum(amounts[:TOP_TEN])
    counts = rows.counted(
        Counts,
        findings,
        university=university,
        currency=currency,
        funding_total=observations.total(amounts),
        funding_most=max(amounts, default=None),
        funding_leaders=_leaders(linked),
        funding_top_ten=ten_largest,
        found_by=FOUND_BY["whole" if origin else found_by],
        dropped=dropped,
    )
    findings["funnel"] = _funnel(counts)
    findings["coverage"] = _coverage(observed, counts)
    return Study.from_words(
        words,
        counts,
        source=origin.source if origin else None,
        subject=university.name,
        university=university,
        currency=currency,
        counts=counts,
        frames=findings,
    )


def _leaders(companies: pl.DataFrame) -> str:
    """Name the companies that share the largest known total; count more than three."""
    largest = companies.filter(pl.col("total_funding") == pl.max("total_funding"))
    names = largest["company_name"].fill_null("a company without a name")
    return counted(len(names), "company") if len(names) > 3 else listed(names)


def _coverage(observed: Observed, c: Counts) -> pl.DataFrame:
    """How many of the records found and counted have each field."""
    pool = observed.pool
    entries = observed.entries
    evidenced = pool.filter(status="established")
    returned = observed.states.filter(pl.col("state") != "founder_not_returned")
    visible = c.pool - c.companies_withheld
    read = c.founders_returned - c.founders_withheld
    facts = list(COMPANY)[2:]
    members = list(MEMBERS)
    recorded = [("company found", "founders", c.pool_with_founder, visible)]
    recorded += coverage("company found", pool, facts)
    recorded += coverage("company counted", evidenced, facts)
    recorded += coverage("founder", returned, ["founder_name"])
    recorded += [("founder", "education", c.founders_with_education, read)]
    recorded += coverage("education entry", entries, members)
    naming = "education entry that names the university"
    recorded += coverage(naming, entries.filter("names_it"), ["university_uuid"])
    here = "education entry at the university"
    recorded += coverage(here, entries.filter("here"), members[2:])
    return pl.DataFrame(recorded, rows.COVERAGE, orient="row")


def _listed(observed: Observed) -> dict[str, pl.DataFrame]:
    """The findings that list records, and those that count them."""
    strongest = pl.col("state").cast(pl.Enum(list(STATES)))
    states = observed.states.sort(
        strongest, "founder_name", "founder_uuid", nulls_last=True
    )
    pool = highest_first(observed.pool, "total_funding", "company_name", "company_uuid")
    evidenced = pool.filter(status="established")

    named = states.select("founder_uuid", "founder_name")
    naming = observed.entries.filter(pl.col("here") | pl.col("names_it"))
    naming = naming.join(named, on="founder_uuid")
    links = observed.pairs.join(evidenced, on="company_uuid")
    links = links.join(naming.filter("here"), on="founder_uuid")
    by_company = ("company_name", "company_uuid", "founder_uuid", "position")
    links = links.sort(by_company, nulls_last=True)
    pairs = links.group_by(*PAIR, "launch_date", maintain_order=True)
    years = pairs.agg(pl.max("end_year"))
    years = years.with_columns(years=pl.col("launch_date") - pl.col("end_year"))
    years = years.sort("years", nulls_last=True, maintain_order=True)

    tags = observed.tags.filter(pl.col("type").is_in(["sector", "industry"]))
    tags = tags.select("company_uuid", sector="name").unique()
    tagged = _with_sectors(evidenced, tags)
    # a company of several sectors is in each of these groups
    sectors = tagged.group_by("sector").agg(*_TALLY, *_SPREAD, pl.first("currency"))
    companies = with_texts(evidenced, links, "founder_name", "founder_names")
    companies = with_texts(companies, tags, "sector", "sectors")

    by_founder = ("founder_name", "founder_uuid", "position")
    unsure = naming.filter(~pl.col("here")).sort(by_founder, nulls_last=True)
    unsure = unsure.select(*PAIR[2:], *OF_ENTRY, "university_uuid", "candidate")
    candidates = unsure.filter("candidate").drop("university_uuid", "candidate")
    same_name = unsure.filter(~pl.col("candidate")).drop("candidate")
    by_year = every_year(_by("launch_date", evidenced), "launch_date")
    none = pl.col("companies", "funding_known").fill_null(0)
    by_year = by_year.with_columns(none, pl.max("currency"))
    places = _by("hq_country", evidenced)
    sectors = rows.unknown_last(sectors, "sector", "companies")
    links = links.select(*PAIR, *OF_ENTRY)
    return {
        "states": _by_state(observed.states),
        "founders": states,
        "companies": companies,
        "founded": by_year,
        "places": places,
        "sectors": sectors,
        "sector_companies": tagged,
        "links": links,
        "candidates": candidates,
        "same_name": same_name,
        "years": years,
        "pool": pool,
    }


def _by_state(states: pl.DataFrame) -> pl.DataFrame:
    """A row per state, with its meaning and the number of founders in it; a state that
    says that something is withheld only where a founder is in it.
    """
    founders = Counter(states["state"])
    numbers = [
        (state, meaning, founders[state])
        for state, meaning in STATES.items()
        if founders[state] or state != "withheld"
    ]
    return pl.DataFrame(numbers, ["state", "meaning", "founders"], orient="row")


def _with_sectors(evidenced: pl.DataFrame, tags: pl.DataFrame) -> pl.DataFrame:
    """A row per evidenced company and sector tag; the sector of a company without one
    is null.
    """
    companies = evidenced.select(*OF_A_POINT, "currency")
    companies = companies.join(tags, on="company_uuid", how="left")
    order = ("sector", "company_name", "company_uuid")
    return highest_first(companies, "total_funding", *order)


_TALLY = tally("companies", funding_known="total_funding")
"""Of a group of companies: how many, and how many with a total."""
_SPREAD = (
    pl.min("total_funding").alias("least"),
    rows.quantile("total_funding", 0.25).alias("lower_quartile"),
    rows.median("total_funding").alias("median"),
    rows.quantile("total_funding", 0.75).alias("upper_quartile"),
    pl.max("total_funding").alias("most"),
)
"""Of a group of companies: how their totals are spread."""


def _by(field: str, evidenced: pl.DataFrame) -> pl.DataFrame:
    """A row per value of a field, the largest first; companies without one are the
    last row.
    """
    totals = pl.col("total_funding").drop_nulls().alias("funding_total")
    groups = evidenced.group_by(field).agg(*_TALLY, totals, pl.first("currency"))
    return rows.unknown_last(observations.summed(groups), field, "companies")


def _funnel(c: Counts) -> pl.DataFrame:
    """The steps from found to counted, and why each leaves records out."""
    no_founder, no_entry = "founders not recorded", "education not recorded"
    if c.companies_withheld:
        no_founder += f", or not shown by the service ({c.companies_withheld})"
    if c.founders_withheld:
        no_entry += f", or not shown by the service ({c.founders_withheld})"
    same = "another institution of that name"
    not_same = f"not of {same}"
    companies = c.pool_with_founder - c.companies_same_name
    founders = c.founders_with_education - c.founders_same_name
    no_id = "no entry that was read has the identifier"
    elsewhere = "other institutions, or without its identifier"
    steps: list[tuple[str, str, Count, str | None]] = [
        ("found", "companies", c.pool, None),
        ("with a founder recorded", "companies", c.pool_with_founder, no_founder),
        ("named by the companies", "founders", c.founders_asked, None),
        ("with a record", "founders", c.founders_returned, "without a record"),
        ("with education recorded", "founders", c.founders_with_education, no_entry),
        (not_same, "founders", founders, same),
        (STUDIED, "founders", c.founders_evidenced, elsewhere),
        (not_same, "companies", companies, same),
        (WITH_ALUMNI, "companies", c.companies_evidenced, no_id),
    ]
    columns = {"step": str, "unit": str, "count": int, "lost_because": str}
    table = pl.DataFrame(steps, columns, orient="row")
    before = pl.col("count").shift().over("unit")
    lost = before - pl.col("count")
    return table.select("step", "unit", "count", lost=lost, lost_because="lost_because")
