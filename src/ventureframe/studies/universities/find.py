"""Several universities side by side: what each one's study found, and the companies
they share.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

import polars as pl

from ventureframe.client.result import is_read, limited
from ventureframe.display.wording import Count, listed
from ventureframe.errors import EvidenceError
from ventureframe.evidence import rows
from ventureframe.evidence.claims import Caveat
from ventureframe.evidence.scope import notices
from ventureframe.studies.ranks import placed
from ventureframe.studies.spinouts.study import Study as Spinouts
from ventureframe.studies.spinouts.words import ALUMNI
from ventureframe.studies.universities import words
from ventureframe.studies.universities.study import Counts, Study


def compare(studies: Sequence[Spinouts]) -> Study:
    """The studies of several universities side by side, one for each university.

    Raises `EvidenceError` where there is none or their amounts are in different
    currencies.

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> tarnvik = {"university": "Tarnvik Technical University", "domain": "tarnvik.example"}
    >>> one = vf.spinouts.study(svc, **tarnvik)
    >>> vf.universities.compare([one]).universities.to_polars()["university"].to_list()
    ['Tarnvik Technical University']
    """
    distinct = {study.university.uuid: study for study in studies}
    currencies = sorted({study.currency for study in studies})
    if not currencies:
        raise EvidenceError("There is nothing to compare: give at least one study.")
    if len(currencies) > 1:
        units = " and ".join(currencies)
        advice = "study each university in one currency"
        raise EvidenceError(f"Amounts in {units} do not stand side by side: {advice}.")
    chosen = [*_told_apart([*distinct.values()])]
    names = [study.university.name for study in chosen]
    if len(names) > 2:
        names = [names[0], f"{Count(len(names) - 1):other university}"]
    source = chosen[0].source
    fetched = [result for study in chosen for result in study.fetched]
    studies = sorted(chosen, key=lambda study: -study.counts.companies_evidenced)
    frames = _frames(studies)
    total = frames["companies"]["total_funding"].sum()
    counts = rows.counted(Counts, frames, studies=studies, funding_total=total)
    limits = [words.caveats(counts), _limits(studies)]
    if counts.is_hidden:
        limits.reverse()  # what nothing is shown of comes first
    claims = chain(*(study.statements for study in studies))
    return Study.from_words(
        words,
        counts,
        source=source and limited(source, fetched),
        subject=listed(names),
        currency=currencies[0],
        counts=counts,
        studies=tuple(studies),
        frames=frames,
        statements=tuple(claims),
        limits=tuple(dict.fromkeys(chain(*limits))),
        fetched=tuple(fetched),
    )


def _frames(studies: Sequence[Spinouts]) -> dict[str, pl.DataFrame]:
    """The findings of a comparison."""
    record = pl.concat_str("university", pl.lit(": "), "record")
    coverage = _stacked(studies, "coverage").with_columns(record=record)
    evidenced = _stacked(studies, "companies")
    # one alone has no rank
    several = evidenced["university_uuid"].n_unique() > 1
    places = placed(evidenced if several else evidenced.clear())
    companies = _companies(evidenced)
    shared = companies.filter(pl.col("universities") > 1)
    universities = pl.DataFrame([_row(study, shared) for study in studies], _UNIVERSITY)
    return {
        "universities": universities.join(places, on="university_uuid", how="left"),
        "companies": companies,
        "shared": shared,
        "links": _stacked(studies, "links"),
        "coverage": coverage.drop("university_uuid", "university"),
    }


def _companies(evidenced: pl.DataFrame) -> pl.DataFrame:
    """A row per company with the universities that it is counted at, most of them
    first.
    """
    by = ("university", "company_uuid", "company_name", "total_funding")
    groups = evidenced.sort(by).group_by("company_uuid", maintain_order=True)
    companies = groups.agg(
        pl.first("company_name"),
        *rows.tally("universities"),
        pl.col("university").str.join("; ").alias("university_names"),
        pl.first("total_funding", "currency"),
    )
    most = ("universities", "total_funding")
    return rows.highest_first(companies, most, "company_name", "company_uuid")


def _told_apart(studies: Sequence[Spinouts]) -> Iterator[Spinouts]:
    """The studies, each university with its domain where another one has its name."""
    names = Counter(study.university.name for study in studies)
    for study in studies:
        university: Any = study.university
        domain = getattr(university, "website_domain", None)
        if domain and names[university.name] > 1:
            called = f"{university.name} ({domain})"
            university = dataclasses.replace(university, name=called)
        yield dataclasses.replace(study, university=university)


_COLUMNS = (
    "university_uuid",
    "university",
    "pool",
    "founders_asked",
    "founders_evidenced",
    "companies_evidenced",
    "companies_candidate",
    "companies_same_name",
    "shared",
    "funding_known",
    "funding_median",
    "funding_total",
    "years_median",
    "founder_alumni_total",
    "spinout_count",
)
_UNIVERSITY: Final[dict[str, Any]] = {
    **dict.fromkeys(_COLUMNS, pl.Int64),
    **dict.fromkeys(("funding_median", "funding_total", "years_median"), pl.Float64),
    **dict.fromkeys(("university_uuid", "university", "currency"), pl.String),
}


def _row(study: Spinouts, shared: pl.DataFrame) -> dict[str, object]:
    """What one study found: its counts, two medians, and what the university's
    record says.
    """
    university, companies, c = study.university, study.frames["companies"], study.counts
    return dataclasses.asdict(c) | {
        "university_uuid": university.uuid,
        "university": university.name,
        "companies_candidate": c.companies_candidate,
        "shared": companies.join(shared, on="company_uuid", how="semi").height,
        "funding_median": companies.select(rows.median("total_funding")).item(),
        "years_median": study.frames["years"].select(rows.median("years")).item(),
        "founder_alumni_total": university.founder_alumni_total,
        "spinout_count": university.spinout_count,
        "currency": study.currency,
    }


def _limits(studies: Sequence[Spinouts]) -> Iterator[Caveat]:
    """What each study cannot tell, under its university's name unless it holds for
    all of them.
    """
    shared = set.intersection(*(set(study.limits) for study in studies))
    left_out = (ALUMNI, *notices(["launch_date"], Spinouts.measures))
    for study in studies:
        is_every = all(is_read(result) for result in study.fetched)
        for caveat in study.limits:
            if caveat in left_out:
                continue
            is_named = caveat in shared or study.university.name in caveat.text
            text = (
                caveat.text if is_named else f"{study.university.name}: {caveat.text}"
            )
            is_main = (
                not is_every
                if caveat.rule == "reading rule 1"
                else bool(study.withheld)
            )
            yield Caveat(text, caveat.rule, is_main and caveat.is_material)


def _stacked(studies: Sequence[Spinouts], name: str) -> pl.DataFrame:
    """The rows of one finding of all studies, each under its university."""
    return pl.concat(
        study.frames[name].select(
            pl.lit(study.university.uuid).alias("university_uuid"),
            pl.lit(study.university.name).alias("university"),
            pl.all(),
        )
        for study in studies
    )
