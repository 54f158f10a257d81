"""Companies whose founders studied at a university: from a candidate pool to evidenced links.

A company query by university name gives a pool. A link is an education entry of a founder whose
`university_uuid` is the university's (interface, reading rule 2); nothing else is counted as one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import narwhals as nw

from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.populations import Population
from ventureframe.evidence.rows import (
    COVERAGE,
    TEXT,
    WHOLE,
    Frame,
    Rows,
    distinct,
    first_that_holds,
    highest_first,
    known,
    made,
    native,
    recorded,
    share,
    tally,
    typed,
)
from ventureframe.evidence.states import STATES, State, Status
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.interface.values import fold
from ventureframe.studies.spinouts import tables, words
from ventureframe.studies.spinouts.funnel import steps
from ventureframe.studies.spinouts.words import Counts, Institution


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show about one university's founders and their companies.

    Frames with amounts have a `currency` column; null means that nothing is recorded, never "no"
    and never zero.

    Attributes
    ----------
    funnel : Finding
        From pool to evidence, a row per step: step, unit (companies or founders), count, lost
        (against the step before of the same unit, null at the first), lost_because (null there).
        With conditions on numbers it begins before them; a count is null where the service does
        not give it.
    states : Finding
        A row per observation state: state (of `evidence.STATES`), meaning, founders (count).
    companies : Finding
        The rows of `pool` that are established.
    sectors : Finding
        A row per sector tag of the established companies: sector (null: not tagged), companies,
        funding_known, least, lower_quartile, median, upper_quartile, most (of the known totals),
        currency. A company with several sectors is counted in each.
    links : Finding
        The evidence, a row per company, founder and education entry with the university's UUID:
        company_uuid, company_name, founder_uuid, founder_name, position (of the entry, from 0),
        university_name (as recorded in the entry), degree, major, start_year, end_year.
    candidates : Finding
        Entries that name the university (case ignored) and carry no UUID, in columns of `links`
        without the company: suggestions to verify, counted nowhere as links.
    same_name : Finding
        Entries that name the university (case ignored) and carry the UUID of another institution,
        in columns of `candidates` and university_uuid: not candidates, and counted apart.
    years : Finding
        A row per evidenced company and founder, named as in `links`: launch_date, end_year (the
        latest of their entries), years (from end_year to launch_date; null: not known).
    populations : Finding
        Founder alumni, university spinouts and flagged companies: side by side, never combined.
        `three_populations` holds them as values that refuse arithmetic.
    pool : Finding
        The candidate pool, highest known funding first: company_uuid (key), company_name,
        launch_date (year), company_status, hq_city, hq_country, is_spinout (flag, names no
        institution), total_funding, currency, founders_recorded and founders_evidenced (counts),
        status (established where a founder is evidenced, same_name_other_id where the only entries
        that name the university carry another institution's UUID, else candidate).
    founders : Finding
        A row per founder asked: founder_uuid (key), founder_name (null: not recorded or not
        returned), state, status (of `evidence.states.Status`), companies (of the pool), entries,
        entries_here, entries_without_id, entries_candidate, entries_same_name (counts).
    """

    currency: Currency
    university: Institution
    counts: Counts
    three_populations: tuple[Population, ...]

    funnel = tables.FUNNEL
    states = tables.STATES
    companies = tables.COMPANIES
    sectors = tables.SECTORS
    links = tables.LINKS
    candidates = tables.CANDIDATES
    same_name = tables.SAME_NAME
    years = tables.YEARS
    populations = tables.POPULATIONS
    pool = tables.POOL
    founders = tables.FOUNDERS

    @property
    def subject(self) -> str:
        """The university's name."""
        return self.university.name

    @property
    def sentence(self) -> str:
        """What the counts of the study say."""
        return words.answer(self.university.name, self.counts, self.currency)


def find(
    *,
    companies: Frame,
    company_founders: Frame,
    founders: Frame,
    education: Frame,
    university: Institution,
    currency: Currency,
    company_tags: Frame | None = None,
    dropped: tuple[Dropped, ...] = (),
    evidenced_dropped: tuple[Dropped, ...] = (),
    withheld: Sequence[str] = (),
    companies_withheld: int = 0,
    is_by_id: bool = False,
) -> Study:
    """The study of one university over flat frames of any eager library; nothing is fetched.

    Row order and repeated rows change nothing.

    Parameters
    ----------
    companies, company_founders, founders, education, company_tags : frame
        The candidate pool, `total_funding` in `currency`; its founders by company_uuid and
        founder_uuid; the founders returned; their entries by founder_uuid and position; the
        companies' tags by company_uuid, name and type, for their sectors.
    university : Institution
        uuid and name decide; founder_alumni_total and spinout_count are shown beside.
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
    """
    pool = _records(companies, _COMPANY, "company").with_columns(currency=nw.lit(currency))
    pairs = _paired(company_founders, pool)
    states, entries = _observations(pairs, founders, education, university, withheld)
    linked, pool = _linked(pairs, pool, entries), _with_status(pool, pairs, states)
    evidenced, years = pool.filter(_ESTABLISHED), _years(linked)
    tagged = _tagged(evidenced, company_tags)
    left_out = {"dropped": dropped, "evidenced_dropped": evidenced_dropped}
    counts = _counts(
        pool,
        states,
        years,
        companies_withheld=companies_withheld,
        is_by_id=is_by_id,
        **left_out,
    )
    populations = words.populations(university, counts)
    frames = {
        "funnel": steps(counts),
        "states": _observed(states),
        "founders": states,
        "companies": evidenced,
        "sectors": _sectors(tagged),
        "sector_companies": tagged,
        "links": linked.select(*_LINK),
        **_naming(entries),
        "years": years,
        "populations": _side_by_side(populations),
        "pool": pool,
        "coverage": _coverage(counts, pool, evidenced, states, entries),
    }
    return Study(
        university=university,
        currency=currency,
        counts=counts,
        frames=native(frames),
        three_populations=populations,
        statements=words.claims(university, counts),
        limits=words.caveats(university.name, counts, currency),
    )


def _paired(company_founders: Frame, pool: Rows) -> Rows:
    """A row per company of the pool and founder recorded for it."""
    pairs = distinct(company_founders, _PAIR, key=list(_PAIR)).drop_nulls()
    return pairs.join(pool, on="company_uuid", how="semi")


def _observations(
    pairs: Rows,
    founders: Frame,
    education: Frame,
    university: Institution,
    withheld: Sequence[str],
) -> tuple[Rows, Rows]:
    """The founders of the pool with the state of each, and their entries with what each is."""
    people = pairs.group_by("founder_uuid").agg(companies=nw.len())
    named = _records(founders, typed(fields.FOUNDERS, "uuid", "name"), "founder")
    returned = named.join(people, on="founder_uuid", how="semi")
    entries = distinct(education, _ENTRY, key=["founder_uuid", "position"])
    entries = _marked(entries.join(returned, on="founder_uuid", how="inner"), university)
    is_withheld = nw.col("founder_uuid").is_in(list(withheld))
    return _states(people, returned.with_columns(is_withheld=is_withheld), entries), entries


_COMPANY: Final = typed(
    fields.COMPANIES,
    *("uuid", "name", "launch_date", "company_status", "hq_city", "hq_country", "is_spinout"),
    "total_funding",
)
_PAIR: Final = {"company_uuid": TEXT, "founder_uuid": TEXT}
_MEMBERS: Final = {
    **dict.fromkeys(("university_uuid", "university_name", "degree", "major"), TEXT),
    **dict.fromkeys(("start_year", "end_year"), WHOLE),
}
_ENTRY: Final = {"founder_uuid": TEXT, "position": WHOLE, **_MEMBERS}
_LINK: Final = (
    *("company_uuid", "company_name", "founder_uuid", "founder_name", "position"),
    *(name for name in _MEMBERS if name != "university_uuid"),
)
_ESTABLISHED: Final = nw.col("status") == "established"
_SAME_NAME: Final = nw.col("status") == "same_name_other_id"


def _records(frame: Frame, columns: Mapping[str, nw.dtypes.DType], kind: str) -> Rows:
    """One row per record, its uuid and name called after what it is."""
    renamed = {name: f"{kind}_{name}" for name in ("uuid", "name")}
    return distinct(frame, columns, key=["uuid"]).rename(renamed)


def _marked(entries: Rows, university: Institution) -> Rows:
    """The entries with what each is to the university; null is not."""
    here = nw.col("university_uuid") == university.uuid
    without_id = nw.col("university_uuid").is_null()
    names = entries.get_column("university_name").drop_nulls().unique().to_list()
    same = [name for name in names if fold(name) == fold(university.name)]
    named = nw.col("university_name").is_in(same)
    return entries.with_columns(
        here=here,
        without_id=without_id,
        names_it=named,
        candidate=named & without_id,
        same_name=named & ~here & ~without_id,
    )


def _states(people: Rows, returned: Rows, entries: Rows) -> Rows:
    """A row per founder asked, with the one state that was observed."""
    flags = nw.col("here", "without_id", "candidate", "same_name").cast(WHOLE)
    seen = entries.group_by("founder_uuid").agg(
        nw.len().alias("entries"), flags.sum().name.prefix("entries_")
    )
    numbers = ["companies", *seen.columns[1:]]
    returned = returned.with_columns(is_returned=nw.lit(value=True))
    rows = people.join(returned, on="founder_uuid", how="left")
    rows = rows.join(seen, on="founder_uuid", how="left")
    rows = rows.with_columns(nw.col(*numbers).cast(WHOLE).fill_null(0)).with_columns(
        state=first_that_holds(_STATE_CASES, otherwise="founder_not_returned"),
        status=first_that_holds(_STATUS_CASES, otherwise="not recorded"),
    )
    strength = nw.col("state").replace_strict(list(STATES), range(len(STATES)), return_dtype=WHOLE)
    rows = rows.with_columns(strength=strength)
    rows = rows.sort("strength", "founder_name", "founder_uuid", nulls_last=True)
    return rows.select("founder_uuid", "founder_name", "state", "status", *numbers)


_STATE_CASES: Final[Sequence[tuple[nw.Expr, State]]] = (
    (nw.col("entries_here") > 0, "evidenced"),
    (nw.col("entries_candidate") > 0, "entry_without_institution_id"),
    (nw.col("entries_same_name") > 0, "same_name_other_id"),
    (nw.col("is_withheld"), "withheld"),
    (nw.col("entries_without_id") > 0, "entry_without_institution_id"),
    (nw.col("entries") > 0, "other_institutions_only"),
    (nw.col("is_returned"), "education_not_recorded"),
)
_STATUS_CASES: Final[Sequence[tuple[nw.Expr, Status]]] = (
    (nw.col("entries_here") > 0, "established"),
    (nw.col("entries_candidate") > 0, "candidate"),
    (nw.col("entries_same_name") > 0, "same_name_other_id"),
)


def _naming(entries: Rows) -> dict[str, Rows]:
    """The entries that name the university without its UUID: with none, or with another's."""
    rows = entries.sort("founder_name", "founder_uuid", "position", nulls_last=True)
    return {
        "candidates": rows.filter(nw.col("candidate")).select(*_LINK[2:]),
        "same_name": rows.filter(nw.col("same_name")).select(*_LINK[2:], "university_uuid"),
    }


def _observed(states: Rows) -> Rows:
    """A row per state; one in which no founder was observed is listed too, save `withheld`."""
    seen = states["state"].to_list()
    rows = [
        (state, meaning, seen.count(state))
        for state, meaning in STATES.items()
        if state != "withheld" or state in seen
    ]
    return made(rows, {"state": TEXT, "meaning": TEXT, "founders": WHOLE})


def _linked(pairs: Rows, pool: Rows, entries: Rows) -> Rows:
    """A row per company, founder and entry at the university, with the founding year."""
    companies = pool.select("company_uuid", "company_name", "launch_date")
    rows = pairs.join(entries.filter(nw.col("here")), on="founder_uuid", how="inner")
    rows = rows.join(companies, on="company_uuid", how="inner")
    return rows.sort("company_name", "company_uuid", "founder_uuid", "position")


def _with_status(pool: Rows, pairs: Rows, states: Rows) -> Rows:
    """The pool with its founders counted and each company's status, highest funding first."""
    by_status = {
        f"founders_{name}": (nw.col("status") == status).cast(WHOLE).sum()
        for name, status in _FOUNDERS_COUNTED.items()
    }
    founders = pairs.join(states, on="founder_uuid", how="inner").group_by("company_uuid")
    counts = founders.agg(*tally("founders_recorded", **by_status))
    pool = pool.join(counts, on="company_uuid", how="left")
    pool = pool.with_columns(nw.col(*counts.columns[1:]).fill_null(0))
    pool = pool.with_columns(status=first_that_holds(_POOL_CASES, otherwise="candidate"))
    pool = pool.drop("founders_candidate", "founders_same_name")
    return highest_first(pool, "total_funding", "company_name", "company_uuid")


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


def _years(linked: Rows) -> Rows:
    """Founding year minus the latest recorded end of study, where both are known."""
    who = ["company_uuid", "company_name", "founder_uuid", "founder_name", "launch_date"]
    rows = linked.group_by(who, drop_null_keys=False).agg(nw.col("end_year").max())
    rows = rows.with_columns(years=nw.col("launch_date") - nw.col("end_year"))
    return rows.sort("years", "company_name", "company_uuid", "founder_uuid", nulls_last=True)


def _tagged(evidenced: Rows, company_tags: Frame | None) -> Rows:
    """A row per evidenced company and sector tag; one without a sector has a row with null."""
    columns = {"company_uuid": TEXT, "name": TEXT, "type": TEXT}
    tags = made([], columns)
    if company_tags is not None:
        tags = distinct(company_tags, columns, key=list(columns))
    tags = tags.filter(nw.col("type").is_in(["sector", "industry"]))
    tags = tags.select("company_uuid", sector="name").unique()
    rows = evidenced.select("company_uuid", "company_name", "total_funding", "currency")
    rows = rows.join(tags, on="company_uuid", how="left")
    return highest_first(rows, "total_funding", "sector", "company_name", "company_uuid")


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


def _counts(
    pool: Rows,
    states: Rows,
    years: Rows,
    *,
    companies_withheld: int,
    is_by_id: bool,
    **left_out: tuple[Dropped, ...],
) -> Counts:
    evidenced = pool.filter(_ESTABLISHED)
    totals = evidenced["total_funding"].drop_nulls().to_list()
    return Counts(
        pool=len(pool),
        pool_with_founder=share(pool, nw.col("founders_recorded") > 0),
        founders_asked=len(states),
        founders_returned=share(states, nw.col("state") != "founder_not_returned"),
        founders_with_education=share(states, nw.col("entries") > 0),
        founders_evidenced=share(states, _ESTABLISHED),
        founders_withheld=share(states, nw.col("state") == "withheld"),
        companies_withheld=companies_withheld,
        is_by_id=is_by_id,
        founders_candidate=share(states, nw.col("status") == "candidate"),
        founders_same_name=share(states, _SAME_NAME),
        companies_evidenced=len(evidenced),
        companies_same_name=share(pool, _SAME_NAME),
        funding_known=len(totals),
        # fsum: the sum of the same amounts is the same in every order and in both libraries
        funding_total=math.fsum(totals) if totals else None,
        years_known=recorded(years, "years"),
        years_of=len(years),
        flagged=share(pool, nw.col("is_spinout")),
        flag_known=recorded(pool, "is_spinout"),
        **left_out,
    )


def _side_by_side(populations: Sequence[Population]) -> Rows:
    rows = [(p.kind, p.count, p.definition, p.source, p.note or None) for p in populations]
    text = dict.fromkeys(("definition", "source", "note"), TEXT)
    return made(rows, {"population": TEXT, "count": WHOLE, **text})


def _coverage(counts: Counts, pool: Rows, evidenced: Rows, states: Rows, entries: Rows) -> Rows:
    """How much of each field is recorded, in each kind of record the study rests on."""
    c, company = counts, [name for name in pool.columns if name in _COMPANY]
    returned = states.filter(nw.col("state") != "founder_not_returned")
    here = entries.filter(nw.col("here"))
    naming = entries.filter(nw.col("names_it"))
    rows = [
        ("company in the pool", "founders", c.pool_with_founder, c.pool),
        *known("company in the pool", pool, company),
        *known("company evidenced", evidenced, company),
        *known("founder returned", returned, ["founder_name"]),
        ("founder returned", "education", c.founders_with_education, c.founders_returned),
        *known("education entry", entries, list(_MEMBERS)),
        *known("education entry that names the university", naming, ["university_uuid"]),
        *known("education entry at the university", here, list(_MEMBERS)[2:]),
    ]
    return made(rows, COVERAGE)
