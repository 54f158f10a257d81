"""Companies whose founders studied at a university: from a candidate pool to evidenced links.

A company query by university name gives a pool. A link is an education entry of a founder whose
`university_uuid` is the university's (interface, reading rule 2); nothing else is counted as one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import narwhals as nw

from ventureframe.evidence.findings import (
    STATES,
    Findings,
    FlaggedCompanies,
    FounderAlumni,
    Progress,
    State,
    Status,
    UniversitySpinouts,
    fetched,
)
from ventureframe.evidence.rows import (
    COVERAGE,
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Frame,
    Rows,
    distinct,
    first_that_holds,
    given_back,
    known,
    made,
)
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import Filter, company
from ventureframe.studies.spinouts import words as sentences
from ventureframe.studies.spinouts.words import Counts, Institution

if TYPE_CHECKING:
    from ventureframe.client.records import University
    from ventureframe.client.result import Result
    from ventureframe.client.service import Service


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(Findings):
    """What the records show about one university's founders and their companies.

    Every frame is of the library the input was. Money columns carry their currency in the name
    (`total_funding_usd`); null means that nothing is recorded, never "no" and never zero.

    Attributes
    ----------
    pool : frame
        The candidate pool, a row per company: company_uuid (key), company_name, launch_date
        (year), company_status, hq_city, hq_country, is_spinout (flag, names no institution),
        total_funding_<currency>, founders_recorded and founders_evidenced (counts), status
        (established where a founder is evidenced, else candidate).
    funnel : frame
        From pool to evidence, a row per step: step, unit (companies or founders), count, lost
        (against the step before of the same unit, null at the first), lost_because (null there).
    states : frame
        A row per founder asked: founder_uuid (key), founder_name (null: not recorded or not
        returned), state (of `evidence.STATES`), status (established, candidate, not recorded),
        companies (of the pool), entries, entries_here, entries_without_id (counts).
    links : frame
        The evidence, a row per company, founder and education entry with the university's UUID:
        company_uuid, company_name, founder_uuid, founder_name, position (of the entry, from 0),
        university_name (as recorded in the entry), degree, major, start_year, end_year.
    candidates : frame
        Entries that name the university (case ignored) and carry no UUID, in columns of `links`
        without the company: suggestions to verify, counted nowhere as links.
    companies : frame
        The rows of `pool` that are established, highest known funding first.
    years : frame
        A row per evidenced company and founder: company_uuid, company_name, founder_uuid,
        founder_name, launch_date, end_year (the latest recorded among the founder's entries here),
        years (launch_date minus end_year; negative: founded before that year; null: not known).
    sectors : frame
        A row per sector tag of the established companies, most companies first: sector (null: no
        sector tag), companies, funding_known, least, lower_quartile, median, upper_quartile, most
        (of the known totals in `currency`). A company with several sectors is counted in each.
    sector_companies : frame
        A row per established company and sector: sector, company_uuid, company_name,
        total_funding_<currency>.
    populations : tuple
        Founder alumni, university spinouts and flagged companies: side by side, never combined.
    """

    university: Institution
    counts: Counts
    pool: Frame
    funnel: Frame
    states: Frame
    links: Frame
    candidates: Frame
    companies: Frame
    years: Frame
    sectors: Frame
    sector_companies: Frame
    populations: tuple[FounderAlumni, UniversitySpinouts, FlaggedCompanies]

    @property
    def subject(self) -> str:
        """The university's name."""
        return self.university.name

    @property
    def funding(self) -> str:
        """The name of the money column."""
        return _money(self.currency)

    @property
    def observed(self) -> Mapping[State, int]:
        """How many founders were observed in each state, zero for a state nobody is in."""
        seen = Counter(nw.from_native(self.states, eager_only=True)["state"].to_list())
        return {state: seen[state] for state in STATES}

    @property
    def sentence(self) -> str:
        """What the counts of the study say."""
        return sentences.answer(self.university.name, self.counts, self.currency)


def study(
    svc: Service,
    *,
    university: University,
    where: Filter | Iterable[Filter] = (),
    currency: Currency | None = None,
    library: Literal["polars", "pandas"] = "polars",
    earlier: Study | None = None,
    progress: bool | Progress | None = None,
) -> Study:
    """The study of one university: its candidate pool and founders fetched, then `find`.

    Parameters
    ----------
    svc : Service
        Where to ask.
    university : University
        The canonical record, from `svc.university(name, domain=…)`.
    where : Filter or several
        Conditions that narrow the pool.
    currency : {"USD", "EUR", "GBP"}, optional
        The currency of amounts; the service's default where not given.
    library : {"polars", "pandas"}
        The library of the frames.
    earlier : Study, optional
        What an earlier study fetched about the same ids and without amounts is not asked again.
    progress : bool or function, optional
        Whether a bar is shown, or what is told the rows so far and the total.

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> uni = svc.university("Harrowmere University", domain="harrowmere.example")
    >>> vf.spinouts.study(svc, university=uni).links
    """
    money = currency or svc.currency
    conditions = (where,) if isinstance(where, Filter) else tuple(where)
    named = company.founder_university_name == university.name
    pool = svc.companies.where(named, *conditions).currency(money).fetch(progress)
    recorded = pool.to_polars("founders")["founder_uuid"].drop_nulls().unique().sort()
    asked = svc.founders.by_id(recorded.to_list())
    people = fetched(asked, earlier=earlier, progress=progress)

    def frame(result: Result, table: str | None = None) -> Frame:
        return result.to_pandas(table) if library == "pandas" else result.to_polars(table)

    found = find(
        companies=frame(pool),
        company_founders=frame(pool, "founders"),
        founders=frame(people),
        education=frame(people, "education"),
        company_tags=frame(pool, "tags"),
        university=university,
        currency=money,
    )
    return found.resting_on(svc.source, pool, people)


def find(
    *,
    companies: Frame,
    company_founders: Frame,
    founders: Frame,
    education: Frame,
    university: Institution,
    currency: Currency,
    company_tags: Frame | None = None,
    asked: Collection[str] | None = None,
) -> Study:
    """The study of one university over flat frames, all polars or all pandas; nothing is fetched.

    Row order and repeated rows change nothing.

    Parameters
    ----------
    companies : frame
        The candidate pool as the service returns companies; `total_funding` is in `currency`.
    company_founders : frame
        company_uuid, founder_uuid: the founders recorded for each company.
    founders : frame
        The founders returned: uuid, name.
    education : frame
        Their entries: founder_uuid, position, and the members of `education`.
    university : Institution
        uuid and name decide; founder_alumni_total and spinout_count are shown beside.
    currency : {"USD", "EUR", "GBP"}
        The currency the companies were asked in.
    company_tags : frame, optional
        company_uuid, name, type: the tags of the companies, for their sectors.
    asked : collection of str, optional
        The founder UUIDs asked for; by default every founder recorded for the pool.
    """
    pool = distinct(companies, _COMPANY, key=["uuid"]).rename(
        {"uuid": "company_uuid", "name": "company_name", "total_funding": _money(currency)}
    )
    pairs = _pairs(company_founders, pool)
    returned = distinct(founders, _FOUNDER, key=["uuid"]).rename(
        {"uuid": "founder_uuid", "name": "founder_name"}
    )
    people = pairs.group_by("founder_uuid").agg(companies=nw.len())
    if asked is not None:
        people = people.filter(nw.col("founder_uuid").is_in(list(asked)))
    returned = returned.join(people.select("founder_uuid"), on="founder_uuid", how="semi")
    entries = distinct(education, _ENTRY, key=["founder_uuid", "position"])
    entries = _marked(entries.join(returned, on="founder_uuid", how="inner"), university)
    states = _states(people, returned, entries)
    links = _links(pairs, pool, entries)
    pool = _with_status(pool, pairs, links, money_column=_money(currency))
    evidenced = pool.filter(nw.col("status") == "established")
    years = _years(links, pool)
    tagged = _tagged(evidenced, company_tags, money_column=_money(currency))
    counts = _counts(pool, pairs, states, years, money_column=_money(currency))
    give = given_back(like=companies)
    return Study(
        university=university,
        currency=currency,
        counts=counts,
        pool=give(pool),
        funnel=give(_funnel(counts)),
        states=give(states),
        links=give(links),
        candidates=give(_candidates(entries)),
        companies=give(evidenced),
        years=give(years),
        sectors=give(_sectors(tagged, money_column=_money(currency))),
        sector_companies=give(tagged),
        coverage=give(_coverage(pool, evidenced, states, entries)),
        populations=sentences.populations(university, counts),
        claims=sentences.claims(university, counts),
        caveats=sentences.caveats(university.name, counts, currency),
    )


def _money(currency: Currency) -> str:
    return f"total_funding_{currency.lower()}"


_COMPANY: Final = {
    "uuid": TEXT,
    "name": TEXT,
    "launch_date": WHOLE,
    "company_status": TEXT,
    "hq_city": TEXT,
    "hq_country": TEXT,
    "is_spinout": FLAG,
    "total_funding": NUMBER,
}
_PAIR: Final = {"company_uuid": TEXT, "founder_uuid": TEXT}
_FOUNDER: Final = {"uuid": TEXT, "name": TEXT}
_MEMBERS: Final = {
    "university_uuid": TEXT,
    "university_name": TEXT,
    "degree": TEXT,
    "major": TEXT,
    "start_year": WHOLE,
    "end_year": WHOLE,
}
_ENTRY: Final = {"founder_uuid": TEXT, "position": WHOLE, **_MEMBERS}
_LINK: Final = (
    *("company_uuid", "company_name", "founder_uuid", "founder_name", "position"),
    *(name for name in _MEMBERS if name != "university_uuid"),
)


def candidates(education: Frame, *, names: Collection[str]) -> Frame:
    """The entries that name one of the universities, case ignored, and carry no UUID.

    They are suggestions to verify: no entry without the UUID is a link (interface, reading
    rule 2). The columns of `education` come back unchanged.
    """
    entries: Rows = nw.from_native(education, eager_only=True)
    without_id = nw.col("university_uuid").is_null()
    return entries.filter(without_id & _names_one_of(names)).to_native()


def _names_one_of(names: Collection[str]) -> nw.Expr:
    named = nw.col("university_name").str.to_lowercase().is_in([name.lower() for name in names])
    return named.fill_null(value=False)


def _pairs(company_founders: Frame, pool: Rows) -> Rows:
    pairs = distinct(company_founders, _PAIR, key=list(_PAIR)).drop_nulls()
    return pairs.join(pool.select("company_uuid"), on="company_uuid", how="semi")


def _marked(entries: Rows, university: Institution) -> Rows:
    """The entries with what each is to the university: here, open, named like it, a namesake."""
    without_id = nw.col("university_uuid").is_null()
    here = (nw.col("university_uuid") == university.uuid).fill_null(value=False)
    named = _names_one_of([university.name])
    return entries.with_columns(
        is_here=here,
        has_no_id=without_id,
        is_candidate=named & without_id,
        is_namesake=named & ~here & ~without_id,
    )


def _states(people: Rows, returned: Rows, entries: Rows) -> Rows:
    """A row per founder asked, with the one state that was observed."""
    seen = entries.group_by("founder_uuid").agg(
        nw.len().alias("entries"),
        *(
            nw.col(flag).cast(nw.Int64).sum().alias(name)
            for flag, name in (
                ("is_here", "entries_here"),
                ("has_no_id", "entries_without_id"),
                ("is_candidate", "entries_candidate"),
                ("is_namesake", "entries_namesake"),
            )
        ),
    )
    numbers = [name for name in seen.columns if name != "founder_uuid"]
    returned = returned.with_columns(is_returned=nw.lit(value=True))
    rows = people.join(returned, on="founder_uuid", how="left").join(
        seen, on="founder_uuid", how="left"
    )
    rows = rows.with_columns(
        nw.col("companies").cast(nw.Int64),
        *(nw.col(name).cast(nw.Int64).fill_null(0) for name in numbers),
        is_returned=nw.col("is_returned").fill_null(value=False),
    )
    rows = rows.with_columns(
        state=first_that_holds(_STATE_CASES, otherwise="founder_not_returned"),
        status=first_that_holds(_STATUS_CASES, otherwise="not recorded"),
        strength=first_that_holds(
            [(case, list(STATES).index(state)) for case, state in _STATE_CASES],
            otherwise=len(STATES),
        ),
    ).sort("strength", "founder_name", "founder_uuid", nulls_last=True)
    return rows.select("founder_uuid", "founder_name", "state", "status", "companies", *numbers)


_STATE_CASES: Final[Sequence[tuple[nw.Expr, State]]] = (
    (nw.col("entries_here") > 0, "evidenced"),
    (nw.col("entries_without_id") > 0, "entry_without_institution_id"),
    (nw.col("entries") > 0, "other_institutions_only"),
    (nw.col("is_returned"), "education_not_recorded"),
)
_STATUS_CASES: Final[Sequence[tuple[nw.Expr, Status]]] = (
    (nw.col("entries_here") > 0, "established"),
    (nw.col("entries_candidate") > 0, "candidate"),
)


def _links(pairs: Rows, pool: Rows, entries: Rows) -> Rows:
    rows = pairs.join(entries.filter(nw.col("is_here")), on="founder_uuid", how="inner")
    rows = rows.join(pool.select("company_uuid", "company_name"), on="company_uuid", how="inner")
    return rows.select(*_LINK).sort("company_name", "company_uuid", "founder_uuid", "position")


def _candidates(entries: Rows) -> Rows:
    rows = entries.filter(nw.col("is_candidate")).select(*_LINK[2:])
    return rows.sort("founder_name", "founder_uuid", "position", nulls_last=True)


def _with_status(
    pool: Rows,
    pairs: Rows,
    links: Rows,
    *,
    money_column: str,
) -> Rows:
    """The pool with its founders counted and each company's status, highest funding first."""
    both = ["company_uuid", "founder_uuid"]
    linked = links.select(both).unique(subset=both)
    for rows, name in ((pairs, "founders_recorded"), (linked, "founders_evidenced")):
        count = rows.group_by("company_uuid").agg(nw.len().cast(nw.Int64).alias(name))
        pool = pool.join(count, on="company_uuid", how="left")
        pool = pool.with_columns(nw.col(name).fill_null(0))
    established = [(nw.col("founders_evidenced") > 0, "established")]
    pool = pool.with_columns(status=first_that_holds(established, otherwise="candidate"))
    return pool.sort(
        money_column,
        "company_name",
        "company_uuid",
        descending=[True, False, False],
        nulls_last=True,
    )


def _years(links: Rows, pool: Rows) -> Rows:
    """Founding year minus the latest recorded end of study, where both are known."""
    who = ["company_uuid", "company_name", "founder_uuid", "founder_name"]
    rows = links.group_by(who, drop_null_keys=False).agg(nw.col("end_year").max())
    rows = rows.join(pool.select("company_uuid", "launch_date"), on="company_uuid", how="inner")
    rows = rows.with_columns(years=nw.col("launch_date") - nw.col("end_year"))
    return rows.select(*who, "launch_date", "end_year", "years").sort(
        "years", "company_name", "company_uuid", "founder_uuid", nulls_last=True
    )


SECTOR_TYPES: Final = ("sector", "industry")
"""The types of tag that name a sector."""


def _tagged(evidenced: Rows, company_tags: Frame | None, *, money_column: str) -> Rows:
    """A row per evidenced company and sector tag; one without a sector has a row with null."""
    columns = {"company_uuid": TEXT, "name": TEXT, "type": TEXT}
    tags = (
        made([], columns)
        if company_tags is None
        else distinct(company_tags, columns, key=list(columns))
    )
    tags = tags.filter(nw.col("type").is_in(SECTOR_TYPES)).select("company_uuid", sector="name")
    rows = evidenced.select("company_uuid", "company_name", money_column)
    rows = rows.join(tags.unique(), on="company_uuid", how="left")
    return rows.select("sector", "company_uuid", "company_name", money_column).sort(
        *("sector", money_column, "company_name", "company_uuid"),
        descending=[False, True, False, False],
        nulls_last=True,
    )


def _sectors(tagged: Rows, *, money_column: str) -> Rows:
    """How the known totals of each sector are spread; sectors overlap, so none is added up."""
    known = nw.col(money_column)
    quartiles = {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}
    rows = tagged.group_by("sector", drop_null_keys=False).agg(
        nw.len().cast(WHOLE).alias("companies"),
        known.count().cast(WHOLE).alias("funding_known"),
        known.min().alias("least"),
        *(known.quantile(part, "linear").alias(name) for name, part in quartiles.items()),
        known.max().alias("most"),
    )
    return rows.sort("companies", "sector", descending=[True, False], nulls_last=True)


def _counts(
    pool: Rows,
    pairs: Rows,
    states: Rows,
    years: Rows,
    *,
    money_column: str,
) -> Counts:
    seen = states["state"]
    evidenced = pool.filter(nw.col("status") == "established")
    totals = evidenced[money_column].drop_nulls().to_list()
    flag = pool["is_spinout"].drop_nulls()
    return Counts(
        pool=len(pool),
        pool_with_founder=int((pool["founders_recorded"] > 0).sum()),
        founders_recorded=pairs["founder_uuid"].n_unique() if len(pairs) else 0,
        founders_asked=len(states),
        founders_returned=int((seen != "founder_not_returned").sum()),
        founders_with_education=int((states["entries"] > 0).sum()),
        founders_evidenced=int((states["status"] == "established").sum()),
        founders_candidate=int((states["status"] == "candidate").sum()),
        founders_namesake=int((states["entries_namesake"] > 0).sum()),
        companies_evidenced=len(evidenced),
        funding_known=len(totals),
        # fsum: the sum of the same amounts is the same in every order and in both libraries
        funding_total=math.fsum(totals) if totals else None,
        years_known=int((~years["years"].is_null()).sum()),
        years_of=len(years),
        flagged=int(flag.sum() or 0),
        flag_known=len(flag),
    )


def _funnel(counts: Counts) -> Rows:
    """The steps from pool to evidence; companies and founders are counted apart."""
    c = counts
    companies, people = "companies", "founders"
    steps: tuple[tuple[str, str, int, int | None, str | None], ...] = (
        ("in the candidate pool", companies, c.pool, None, None),
        (
            "with a founder recorded",
            *(companies, c.pool_with_founder, c.pool - c.pool_with_founder),
            "founders not recorded",
        ),
        ("asked for", people, c.founders_asked, None, None),
        (
            "returned by the service",
            *(people, c.founders_returned, c.founders_asked - c.founders_returned),
            "missing from the reply",
        ),
        (
            "with education recorded",
            *(people, c.founders_with_education, c.founders_returned - c.founders_with_education),
            "education not recorded",
        ),
        (
            "with an entry at the university",
            *(people, c.founders_evidenced, c.founders_with_education - c.founders_evidenced),
            "other institutions, or entries without an id",
        ),
        (
            "with an evidenced founder",
            *(companies, c.companies_evidenced, c.pool_with_founder - c.companies_evidenced),
            "evidence not recorded",
        ),
    )
    schema = {"step": TEXT, "unit": TEXT, "count": WHOLE, "lost": WHOLE, "lost_because": TEXT}
    return made(steps, schema)


def _coverage(
    pool: Rows,
    evidenced: Rows,
    states: Rows,
    entries: Rows,
) -> Rows:
    """How much of each field is recorded, in each kind of record the study rests on."""
    company = [
        name for name in pool.columns if name in _COMPANY or name.startswith("total_funding_")
    ]
    returned = states.filter(nw.col("state") != "founder_not_returned")
    described = returned.filter(nw.col("entries") > 0)
    here = entries.filter(nw.col("is_here"))
    rows = [
        ("company in the pool", "founders", int((pool["founders_recorded"] > 0).sum()), len(pool)),
        *known("company in the pool", pool, company),
        *known("company evidenced", evidenced, company),
        *known("founder returned", returned, ["founder_name"]),
        ("founder returned", "education", len(described), len(returned)),
        *known("education entry", entries, list(_MEMBERS)),
        *known("education entry at the university", here, list(_MEMBERS)[2:]),
    ]
    return made(rows, COVERAGE)
