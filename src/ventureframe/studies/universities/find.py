"""Several universities side by side: what each one's study found, and the companies they share."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import narwhals as nw
import polars as pl

from ventureframe.client import result as results
from ventureframe.display.wording import Source
from ventureframe.errors import EvidenceError
from ventureframe.evidence.findings import Findings
from ventureframe.evidence.rows import NUMBER, TEXT, WHOLE, Frame, Rows, given_back, made, taken
from ventureframe.studies.spinouts.find import Study
from ventureframe.studies.universities import words as sentences
from ventureframe.studies.universities.words import Counts


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(Findings):
    """What the studies of several universities show beside each other.

    Attributes
    ----------
    universities : frame
        A row per university in the order given: university_uuid (key), university, pool,
        founders_asked, founders_evidenced, founders_candidate, companies_evidenced, shared
        (of these also evidenced at another), funding_known, funding_median, funding_total (of
        the known totals in `currency`), years_known, years_median (from study to founding),
        founder_alumni_total, spinout_count (as the university's record has them).
    companies : frame
        A row per company evidenced at any, those at most universities first: company_uuid (key),
        company_name, universities (count), university_names, total_funding_<currency>.
    shared : frame
        The rows of `companies` evidenced at two or more.
    links : frame
        The evidence of all: university_uuid, university (its canonical name), then the columns of
        `spinouts.Study.links`.
    """

    counts: Counts
    universities: Frame
    companies: Frame
    shared: Frame
    links: Frame

    @property
    def subject(self) -> str:
        """The universities' names."""
        return " · ".join(self.counts.names)

    @property
    def funding(self) -> str:
        """The name of the money column."""
        return f"total_funding_{self.currency.lower()}"

    @property
    def sentence(self) -> str:
        """What the counts of the study say."""
        return sentences.answer(self.counts)


def compare(studies: Sequence[Study]) -> Comparison:
    """The studies of several universities side by side.

    Raises `EvidenceError` where there is none or their amounts are in different currencies.

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> two = [
    ...     vf.spinouts.study(svc, university=svc.university(name, domain=domain))
    ...     for name, domain in (
    ...         ("Harrowmere University", "harrowmere.example"),
    ...         ("Tarnvik Technical University", "tarnvik.example"),
    ...     )
    ... ]
    >>> vf.universities.compare(two).universities
    """
    studies = list({study.university.uuid: study for study in studies}.values())
    currencies = {study.currency for study in studies}
    if len(currencies) != 1:
        raise EvidenceError(
            f"Amounts in {' and '.join(sorted(currencies))} do not stand side by side: study each "
            "university in one currency."
            if currencies
            else "There is nothing to compare: give at least one study."
        )
    (currency,) = currencies
    links, companies = _links(studies), _companies(studies)
    shared = companies.filter(nw.col("universities") > 1)
    at_several = set(shared["company_uuid"].to_list())
    counts = Counts(
        names=tuple(study.university.name for study in studies),
        evidenced=tuple(study.counts.companies_evidenced for study in studies),
        companies=len(companies),
        shared=len(shared),
        is_asked_alike=len({_conditions(study) for study in studies}) <= 1,
        currency=currency,
    )
    give = given_back(like=studies[0].pool)
    return Comparison(
        currency=currency,
        counts=counts,
        universities=give(made([_row(study, at_several) for study in studies], _SCHEMA)),
        companies=give(companies),
        shared=give(shared),
        links=give(links),
        coverage=give(_coverage(studies)),
        claims=tuple(claim for study in studies for claim in study.claims),
        caveats=(
            *sentences.caveats(counts),
            *dict.fromkeys(caveat for study in studies for caveat in study.caveats),
        ),
        source=_source(studies),
        fetched=tuple(result for study in studies for result in study.fetched),
    )


_SCHEMA: Final = {
    "university_uuid": TEXT,
    "university": TEXT,
    **dict.fromkeys(
        (
            *("pool", "founders_asked", "founders_evidenced", "founders_candidate"),
            *("companies_evidenced", "shared", "funding_known"),
        ),
        WHOLE,
    ),
    "funding_median": NUMBER,
    "funding_total": NUMBER,
    "years_known": WHOLE,
    "years_median": NUMBER,
    "founder_alumni_total": WHOLE,
    "spinout_count": WHOLE,
}


def _row(study: Study, at_several: set[str]) -> tuple[object, ...]:
    c, university = study.counts, study.university
    companies = taken(study.companies, "company_uuid", study.funding)
    amounts = companies[study.funding].drop_nulls().to_list()
    years = taken(study.years, "years")["years"].drop_nulls().to_list()
    return (
        *(university.uuid, university.name, c.pool, c.founders_asked, c.founders_evidenced),
        *(c.founders_candidate, c.companies_evidenced),
        len(at_several & set(companies["company_uuid"].to_list())),
        *(c.funding_known, statistics.median(amounts) if amounts else None, c.funding_total),
        *(c.years_known, float(statistics.median(years)) if years else None),
        *(university.founder_alumni_total, university.spinout_count),
    )


def _conditions(study: Study) -> str:
    """What narrowed the pool beside the university's name; nothing where nothing was fetched."""
    asked = study.provenance[0].filter if study.fetched else None
    return (asked or "").replace(study.university.name, "")


def _source(studies: Sequence[Study]) -> Source | None:
    """The source they have in common, marked where any of them was not read to the end."""
    first = studies[0].source
    if not isinstance(first, Source):
        return first
    return results.limited(first, (result for study in studies for result in study.fetched))


def _links(studies: Sequence[Study]) -> Rows:
    parts = [
        taken(study.links, *nw.from_native(study.links, eager_only=True).columns).with_columns(
            university_uuid=nw.lit(study.university.uuid), university=nw.lit(study.university.name)
        )
        for study in studies
    ]
    rows = nw.concat(parts)
    first = ("university_uuid", "university")
    return rows.select(*first, *(name for name in rows.columns if name not in first))


def _companies(studies: Sequence[Study]) -> Rows:
    """A row per company with the universities it is evidenced at, most of them first."""
    columns = ("company_uuid", "company_name", studies[0].funding)
    parts = [
        taken(study.companies, *columns).with_columns(at=nw.lit(study.university.name))
        for study in studies
    ]
    rows = nw.concat(parts).sort("at", *columns).to_native()
    # narwhals joins no text within a group
    grouped = rows.group_by("company_uuid", maintain_order=True).agg(
        pl.first("company_name"),
        pl.len().cast(pl.Int64).alias("universities"),
        pl.col("at").str.join("; ").alias("university_names"),
        pl.first(studies[0].funding),
    )
    found: Rows = nw.from_native(grouped, eager_only=True)
    return found.sort(
        *("universities", studies[0].funding, "company_name", "company_uuid"),
        descending=[True, True, False, False],
        nulls_last=True,
    )


def _coverage(studies: Sequence[Study]) -> Rows:
    parts = [
        taken(study.coverage, "record", "field", "known", "of").with_columns(
            record=nw.concat_str([nw.lit(f"{study.university.name}: "), nw.col("record")])
        )
        for study in studies
    ]
    return nw.concat(parts)
