"""Companies whose founders studied at a university: from a candidate pool to evidenced links.

A company query by university name gives a pool. A link is an education entry of a founder whose
`university_uuid` is the university's (interface, reading rule 2); nothing else is counted as one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import narwhals as nw

from ventureframe.evidence import (
    STATES,
    Caveat,
    Claim,
    FlaggedCompanies,
    FounderAlumni,
    State,
    Status,
    UniversitySpinouts,
)
from ventureframe.fields import Currency
from ventureframe.filters import Filter, company
from ventureframe.frames import to_pandas
from ventureframe.wording import Source, counted, money, money_exact, number

if TYPE_CHECKING:
    from ventureframe.client import Service, University
    from ventureframe.results import Provenance, Result

Frame = Any
"""A polars or a pandas frame: whichever was given comes back."""


class Institution(Protocol):
    """What an analysis needs to know of a university; `client.University` is one."""

    @property
    def uuid(self) -> str:
        """Its canonical UUID."""

    @property
    def name(self) -> str:
        """Its canonical name."""

    @property
    def founder_alumni_total(self) -> int | None:
        """Founders among its alumni, as the service counts them."""

    @property
    def spinout_count(self) -> int | None:
        """The university-level aggregate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of one study; each stands beside the number it was counted among.

    `funding_total` is the sum of the known totals of evidenced companies in the study's currency,
    None where none is known.
    """

    pool: int
    pool_with_founder: int
    founders_recorded: int
    founders_asked: int
    founders_returned: int
    founders_with_education: int
    founders_evidenced: int
    founders_candidate: int
    founders_namesake: int
    companies_evidenced: int
    funding_known: int
    funding_total: float | None
    years_known: int
    years_of: int
    flagged: int
    flag_known: int


@dataclass(frozen=True, kw_only=True)
class Study:
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
    coverage : frame
        A row per field used: record, field, known, of.
    populations : tuple
        Founder alumni, university spinouts and flagged companies: side by side, never combined.
    claims, caveats : tuple
        What is stated, how far records carry it and which; what it cannot tell, and by which rule.
    fetched : tuple of Result
        The pool and the founders as they came, with their certificates; empty after `find`.
    """

    university: Institution
    currency: Currency
    counts: Counts
    pool: Frame
    funnel: Frame
    states: Frame
    links: Frame
    candidates: Frame
    companies: Frame
    years: Frame
    coverage: Frame
    populations: tuple[FounderAlumni, UniversitySpinouts, FlaggedCompanies]
    claims: tuple[Claim, ...]
    caveats: tuple[Caveat, ...]
    source: Source | None = None
    fetched: tuple[Result, ...] = ()

    @property
    def provenance(self) -> tuple[Provenance, ...]:
        """What was asked, of whom and when, for each fetch the study rests on."""
        return tuple(result.provenance for result in self.fetched)

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
    def answer(self) -> str:
        """The bottom line in one sentence."""
        return _answer(self.university.name, self.counts, self.currency)

    def __repr__(self) -> str:
        return f"<spinouts of {self.university.name}: {self.answer}>"


def study(
    svc: Service,
    *,
    university: University,
    where: Filter | Iterable[Filter] = (),
    currency: Currency | None = None,
    library: Literal["polars", "pandas"] = "polars",
    progress: bool | None = None,
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
    progress : bool, optional
        Whether a bar is shown.

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> uni = svc.university("Stanford University", domain="stanford.edu")
    >>> vf.spinouts.study(svc, university=uni).links
    """
    money = currency or svc.currency
    conditions = (where,) if isinstance(where, Filter) else tuple(where)
    asked = svc.companies.where(company.founder_university_name == university.name, *conditions)
    pool = asked.currency(money).fetch(progress)
    recorded = pool.to_polars("founders")["founder_uuid"].drop_nulls().unique().sort()
    people = svc.founders.by_id(recorded.to_list()).fetch(progress)

    def frame(result: Result, table: str | None = None) -> Frame:
        return result.to_pandas(table) if library == "pandas" else result.to_polars(table)

    found = find(
        companies=frame(pool),
        company_founders=frame(pool, "founders"),
        founders=frame(people),
        education=frame(people, "education"),
        university=university,
        currency=money,
    )
    partial = (
        Caveat(f"Not every row was returned: {result!r}.", "reading rule 1")
        for result in (pool, people)
        if not result.is_complete
    )
    return replace(
        found, source=svc.source, fetched=(pool, people), caveats=(*partial, *found.caveats)
    )


def find(
    *,
    companies: Frame,
    company_founders: Frame,
    founders: Frame,
    education: Frame,
    university: Institution,
    currency: Currency,
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
    asked : collection of str, optional
        The founder UUIDs asked for; by default every founder recorded for the pool.
    """
    pool = _distinct(companies, _COMPANY, key=["uuid"]).rename(
        {"uuid": "company_uuid", "name": "company_name", "total_funding": _money(currency)}
    )
    pairs = _pairs(company_founders, pool)
    returned = _distinct(founders, _FOUNDER, key=["uuid"]).rename(
        {"uuid": "founder_uuid", "name": "founder_name"}
    )
    people = pairs.group_by("founder_uuid").agg(companies=nw.len())
    if asked is not None:
        people = people.filter(nw.col("founder_uuid").is_in(list(asked)))
    returned = returned.join(people.select("founder_uuid"), on="founder_uuid", how="semi")
    entries = _distinct(education, _ENTRY, key=["founder_uuid", "position"])
    entries = _marked(entries.join(returned, on="founder_uuid", how="inner"), university)
    states = _states(people, returned, entries)
    links = _links(pairs, pool, entries)
    pool = _with_status(pool, pairs, links, money_column=_money(currency))
    evidenced = pool.filter(nw.col("status") == "established")
    years = _years(links, pool)
    counts = _counts(pool, pairs, states, years, money_column=_money(currency))
    give = _given_back(like=companies)
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
        coverage=give(_coverage(pool, evidenced, states, entries)),
        populations=_populations(university, counts),
        claims=_claims(university, counts),
        caveats=_caveats(university.name, counts, currency),
    )


def _money(currency: Currency) -> str:
    return f"total_funding_{currency.lower()}"


_TEXT, _WHOLE = nw.String(), nw.Int64()
_COMPANY: Final = {
    "uuid": _TEXT,
    "name": _TEXT,
    "launch_date": _WHOLE,
    "company_status": _TEXT,
    "hq_city": _TEXT,
    "hq_country": _TEXT,
    "is_spinout": nw.Boolean(),
    "total_funding": nw.Float64(),
}
_PAIR: Final = {"company_uuid": _TEXT, "founder_uuid": _TEXT}
_FOUNDER: Final = {"uuid": _TEXT, "name": _TEXT}
_MEMBERS: Final = {
    "university_uuid": _TEXT,
    "university_name": _TEXT,
    "degree": _TEXT,
    "major": _TEXT,
    "start_year": _WHOLE,
    "end_year": _WHOLE,
}
_ENTRY: Final = {"founder_uuid": _TEXT, "position": _WHOLE, **_MEMBERS}
_LINK: Final = (
    *("company_uuid", "company_name", "founder_uuid", "founder_name", "position"),
    *(name for name in _MEMBERS if name != "university_uuid"),
)


def candidates(education: Frame, *, names: Collection[str]) -> Frame:
    """The entries that name one of the universities, case ignored, and carry no UUID.

    They are suggestions to verify: no entry without the UUID is a link (interface, reading
    rule 2). The columns of `education` come back unchanged.
    """
    entries: nw.DataFrame[Any] = nw.from_native(education, eager_only=True)
    without_id = nw.col("university_uuid").is_null()
    return entries.filter(without_id & _names_one_of(names)).to_native()


def _names_one_of(names: Collection[str]) -> nw.Expr:
    named = nw.col("university_name").str.to_lowercase().is_in([name.lower() for name in names])
    return named.fill_null(value=False)


def _distinct(
    frame: Frame, columns: Mapping[str, nw.dtypes.DType], *, key: Sequence[str]
) -> nw.DataFrame[Any]:
    """The columns in their types, one row per key: of rows that differ, the same one each time."""
    rows: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
    if rows.implementation.is_pandas():
        # through Arrow, so that both libraries are answered by the same arithmetic
        rows = nw.from_arrow(rows.select(*columns).to_arrow(), backend="polars")
    rows = rows.select(nw.col(name).cast(kind) for name, kind in columns.items())
    return rows.sort(*columns).unique(subset=list(key), keep="first", maintain_order=True)


def _pairs(company_founders: Frame, pool: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    pairs = _distinct(company_founders, _PAIR, key=list(_PAIR)).drop_nulls()
    return pairs.join(pool.select("company_uuid"), on="company_uuid", how="semi")


def _marked(entries: nw.DataFrame[Any], university: Institution) -> nw.DataFrame[Any]:
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


def _states(
    people: nw.DataFrame[Any], returned: nw.DataFrame[Any], entries: nw.DataFrame[Any]
) -> nw.DataFrame[Any]:
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
        state=_first_that_holds(_STATE_CASES, otherwise="founder_not_returned"),
        status=_first_that_holds(_STATUS_CASES, otherwise="not recorded"),
        strength=_first_that_holds(
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


def _first_that_holds(
    cases: Sequence[tuple[nw.Expr, str | int]], *, otherwise: str | int
) -> nw.Expr:
    value = nw.lit(otherwise)
    for condition, result in reversed(cases):
        value = nw.when(condition).then(nw.lit(result)).otherwise(value)
    return value


def _links(
    pairs: nw.DataFrame[Any], pool: nw.DataFrame[Any], entries: nw.DataFrame[Any]
) -> nw.DataFrame[Any]:
    rows = pairs.join(entries.filter(nw.col("is_here")), on="founder_uuid", how="inner")
    rows = rows.join(pool.select("company_uuid", "company_name"), on="company_uuid", how="inner")
    return rows.select(*_LINK).sort("company_name", "company_uuid", "founder_uuid", "position")


def _candidates(entries: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    rows = entries.filter(nw.col("is_candidate")).select(*_LINK[2:])
    return rows.sort("founder_name", "founder_uuid", "position", nulls_last=True)


def _with_status(
    pool: nw.DataFrame[Any],
    pairs: nw.DataFrame[Any],
    links: nw.DataFrame[Any],
    *,
    money_column: str,
) -> nw.DataFrame[Any]:
    """The pool with its founders counted and each company's status, highest funding first."""
    both = ["company_uuid", "founder_uuid"]
    linked = links.select(both).unique(subset=both)
    for rows, name in ((pairs, "founders_recorded"), (linked, "founders_evidenced")):
        count = rows.group_by("company_uuid").agg(nw.len().cast(nw.Int64).alias(name))
        pool = pool.join(count, on="company_uuid", how="left")
        pool = pool.with_columns(nw.col(name).fill_null(0))
    established = [(nw.col("founders_evidenced") > 0, "established")]
    pool = pool.with_columns(status=_first_that_holds(established, otherwise="candidate"))
    return pool.sort(
        money_column,
        "company_name",
        "company_uuid",
        descending=[True, False, False],
        nulls_last=True,
    )


def _years(links: nw.DataFrame[Any], pool: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """Founding year minus the latest recorded end of study, where both are known."""
    who = ["company_uuid", "company_name", "founder_uuid", "founder_name"]
    rows = links.group_by(who, drop_null_keys=False).agg(nw.col("end_year").max())
    rows = rows.join(pool.select("company_uuid", "launch_date"), on="company_uuid", how="inner")
    rows = rows.with_columns(years=nw.col("launch_date") - nw.col("end_year"))
    return rows.select(*who, "launch_date", "end_year", "years").sort(
        "years", "company_name", "company_uuid", "founder_uuid", nulls_last=True
    )


def _counts(
    pool: nw.DataFrame[Any],
    pairs: nw.DataFrame[Any],
    states: nw.DataFrame[Any],
    years: nw.DataFrame[Any],
    *,
    money_column: str,
) -> Counts:
    seen = states["state"]
    evidenced = pool.filter(nw.col("status") == "established")
    known = evidenced[money_column].drop_nulls().to_list()
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
        funding_known=len(known),
        # fsum: the sum of the same amounts is the same in every order and in both libraries
        funding_total=math.fsum(known) if known else None,
        years_known=int((~years["years"].is_null()).sum()),
        years_of=len(years),
        flagged=int(flag.sum() or 0),
        flag_known=len(flag),
    )


def _funnel(counts: Counts) -> nw.DataFrame[Any]:
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
    schema = {
        "step": _TEXT,
        "unit": _TEXT,
        "count": _WHOLE,
        "lost": _WHOLE,
        "lost_because": _TEXT,
    }
    return _frame(steps, schema)


def _coverage(
    pool: nw.DataFrame[Any],
    evidenced: nw.DataFrame[Any],
    states: nw.DataFrame[Any],
    entries: nw.DataFrame[Any],
) -> nw.DataFrame[Any]:
    """How much of each field is recorded, in each kind of record the study rests on."""
    company = [
        name for name in pool.columns if name in _COMPANY or name.startswith("total_funding_")
    ]
    returned = states.filter(nw.col("state") != "founder_not_returned")
    described = returned.filter(nw.col("entries") > 0)
    here = entries.filter(nw.col("is_here"))
    rows = [
        ("company in the pool", "founders", int((pool["founders_recorded"] > 0).sum()), len(pool)),
        *_known("company in the pool", pool, company),
        *_known("company evidenced", evidenced, company),
        *_known("founder returned", returned, ["founder_name"]),
        ("founder returned", "education", len(described), len(returned)),
        *_known("education entry", entries, list(_MEMBERS)),
        *_known("education entry at the university", here, list(_MEMBERS)[2:]),
    ]
    return _frame(rows, {"record": _TEXT, "field": _TEXT, "known": _WHOLE, "of": _WHOLE})


def _known(
    record: str, frame: nw.DataFrame[Any], fields: Sequence[str]
) -> list[tuple[str, str, int, int]]:
    return [
        (record, name, len(frame) - int(frame[name].null_count()), len(frame)) for name in fields
    ]


def _frame(
    rows: Sequence[Sequence[object]], schema: Mapping[str, nw.dtypes.DType]
) -> nw.DataFrame[Any]:
    columns = zip(*rows, strict=True)
    data = {name: list(column) for name, column in zip(schema, columns, strict=True)}
    return nw.from_dict(data, schema, backend="polars")


def _given_back(*, like: Frame) -> Callable[[nw.DataFrame[Any]], Frame]:
    """A function to the library of `like`: to Arrow's nullable types where that is pandas."""
    if not nw.from_native(like, eager_only=True).implementation.is_pandas():
        return lambda frame: frame.to_native()
    return lambda frame: to_pandas(frame.to_native())


def _populations(
    university: Institution, counts: Counts
) -> tuple[FounderAlumni, UniversitySpinouts, FlaggedCompanies]:
    return (
        FounderAlumni(university.founder_alumni_total, "university record, founder_alumni_total"),
        UniversitySpinouts(university.spinout_count, "university record, spinout_count"),
        FlaggedCompanies(
            counts.flagged if counts.flag_known else None,
            "company records of the candidate pool, is_spinout",
            note=f"flag recorded for {number(counts.flag_known)} of {number(counts.pool)}",
        ),
    )


def _answer(name: str, counts: Counts, currency: Currency) -> str:
    if not counts.pool:
        return (
            f"The query by founder university name returned 0 companies for {name}, "
            "which is not evidence that it has none."
        )
    pool = counted(counts.pool, "company", "companies")
    if not counts.companies_evidenced:
        return (
            f"Of the {pool} in the candidate pool of {name}, 0 are evidenced: the founder records "
            "returned hold no education entry with its UUID, which is not evidence that there are "
            "none."
        )
    total = (
        f"their recorded total funding is known for {number(counts.funding_known)} of "
        f"{number(counts.companies_evidenced)} and sums to {money(counts.funding_total, currency)} "
        f"({money_exact(counts.funding_total, currency)})"
        if counts.funding_known
        else f"total funding in {currency} is reported for none of them"
    )
    return (
        f"{number(counts.companies_evidenced)} of the {pool} in the candidate pool have a founder "
        f"with an education entry at {name} ({counted(counts.founders_evidenced, 'founder')}); "
        f"{total}."
    )


def _claims(university: Institution, counts: Counts) -> tuple[Claim, ...]:
    c, name = counts, university.name
    unseen = c.founders_asked - c.founders_with_education
    return (
        Claim(
            f"{counted(c.companies_evidenced, 'company', 'companies')} with a founder who has an "
            f"education entry at {name}",
            "established",
            f"education entries of {counted(c.founders_evidenced, 'founder')} with "
            f"university_uuid {university.uuid}",
        ),
        Claim(
            f"{counted(c.pool - c.companies_evidenced, 'further company', 'further companies')} "
            f"in the pool of {name}",
            "candidate",
            "the company query by founder university name, which names no person and no entry",
        ),
        Claim(
            f"{counted(c.founders_candidate, 'founder')} with an entry that names {name}",
            "candidate",
            "education entries with this university_name and an empty university_uuid",
        ),
        Claim(
            f"education of {number(unseen)} of {counted(c.founders_asked, 'founder')} asked",
            "not recorded",
            f"{number(c.founders_returned - c.founders_with_education)} returned without "
            f"entries, {number(c.founders_asked - c.founders_returned)} missing from the reply",
        ),
    )


def _caveats(name: str, counts: Counts, currency: Currency) -> tuple[Caveat, ...]:
    """What this study cannot tell, with its own numbers."""
    c = counts
    caveats = [
        Caveat(
            f"The pool of {number(c.pool)} is found by name only; "
            f"{number(c.pool - c.companies_evidenced)} of it are candidates without a link, and "
            "an alumnus recorded under another spelling may be outside it.",
            "reading rule 2",
        ),
        Caveat(
            "Education records can be incomplete: "
            f"{number(c.founders_asked - c.founders_with_education)} of "
            f"{counted(c.founders_asked, 'founder')} have none here, which is not evidence "
            "that they did not study there.",
            "reading rule 3",
        ),
        Caveat(
            f"Total funding in {currency} is known for {number(c.funding_known)} of "
            f"{number(c.companies_evidenced)} evidenced companies; the sum covers only these and "
            "no missing amount is filled.",
            "reading rule 3",
        ),
        Caveat(
            "Years from study to founding are founding year minus the latest recorded end_year of "
            f"the founder's entries here, known for {number(c.years_known)} of "
            f"{counted(c.years_of, 'pair')} of company and founder; negative values are kept.",
            "reading rule 3",
        ),
        Caveat(
            "Founder alumni, the university's spinout count and the company spinout flag are "
            "three populations; none is a part or a check of another.",
            "reading rule 4",
        ),
        Caveat(
            "Funding totals, founder roles and education records can be of different dates.",
            "reading rule 8",
        ),
    ]
    if c.founders_namesake:
        namesakes = Caveat(
            f"{counted(c.founders_namesake, 'founder')} studied at another institution that is "
            f"also called {name}: its UUID differs, so it is not counted.",
            "reading rule 2",
        )
        caveats.insert(1, namesakes)
    return tuple(caveats)
