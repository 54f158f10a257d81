"""The study of founders: its numbers, and its findings as they are listed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import NOT_KNOWN, Count, within
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.rows import of
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency
from ventureframe.studies.columns import (
    COMPANY,
    COMPANY_ID,
    FOUNDED,
    FOUNDER,
    FOUNDER_ID,
)
from ventureframe.studies.ranks import METHOD, Most

NAMED = "recorded_without_identifier"
UNIVERSITY, FIELD = "university", "field of study"
POST, EDUCATION = "earlier post", "education entry"
LISTED = "the company lists the founder"
TITLED = "the title of an earlier post"
_FIRMS, _PEOPLE = pl.col("company_uuid"), pl.col("founder_uuid")


def _is(column: str, *states: str) -> pl.Expr:
    return pl.col(column).is_in(states).sum()


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The numbers of one study; a founder of several companies is counted once.

    `founders_listed_again` are listed by more than one of the companies,
    `founders_repeated` these and those with an earlier post as founder of another.
    `companies_with_employer` have a founder with an earlier post at another
    organisation. Of `companies_unseen` the founders are withheld, so that none of them
    can be chosen. `most_employers` and `most_universities` are numbers of companies,
    each with the names that have so many: at most three names. `years` is the median
    from study to founding. `employer` and `university`
    name what the founders were chosen by, which is no finding.
    """

    companies: Count = of(companies=pl.len())
    companies_with_founder: Count = of(pairs=_FIRMS.n_unique())
    companies_withheld: Count
    companies_unseen: Count
    companies_with_employer: Count = of(posts=_FIRMS.n_unique())
    companies_with_university: Count = of(studied=_FIRMS.n_unique())
    founders: Count = of(founders=pl.len())
    founders_missing: Count = of(founders=_is("posts", "founder_not_returned"))
    founders_with_posts: Count = of(founders=_is("posts", "recorded", NAMED))
    founders_silent: Count = of(founders=_is("posts", "not_recorded"))
    founders_with_education: Count = of(founders=_is("education", "recorded", NAMED))
    posts_withheld: Count = of(founders=_is("posts", "withheld"))
    education_withheld: Count = of(founders=_is("education", "withheld"))
    founders_with_employer: Count = of(posts=_PEOPLE.n_unique())
    founders_identified: Count = of(
        posts=_PEOPLE.filter(pl.col("organisation_uuid").is_not_null()).n_unique()
    )
    founders_elsewhere: Count = of(studied=_PEOPLE.n_unique())
    founders_listed_again: Count = of(founders=(pl.col("companies") > 1).sum())
    founders_repeated: Count = of(repeat=_PEOPLE.n_unique())
    employers: Count = of(employers=pl.len())
    employers_named: Count = of(employers=pl.col("organisation_uuid").null_count())
    years_known: Count = of(founders=pl.count("years_from_study"))
    most_employers: Most
    most_universities: Most
    years: float | None
    employer: str
    university: str
    dropped: tuple[Dropped, ...]

    @property
    def whose(self) -> str:
        """What the founders were chosen by, after their noun."""
        studied = f" who studied at {self.university}," if self.university else ""
        worked = f" with an earlier post at {self.employer}," if self.employer else ""
        return studied + worked

    @property
    def subject(self) -> str:
        """The founders that were chosen, or every company, for titles."""
        return f"Founders{self.whose[:-1]}" if self.whose else "Every company"

    @property
    def withheld(self) -> str:
        """What the service shows of no company or founder."""
        if self.companies and self.companies_withheld == self.companies:
            return (
                "The service does not show the founders of"
                f" {self.companies:this company|these companies}."
            )
        if self.founders and self.posts_withheld == self.founders:
            return (
                "The service does not show the earlier posts of"
                f" {self.founders:this founder|these founders}."
            )
        return ""


_COMPANIES, _FOUNDERS = columns("number", companies="Companies", founders="Founders")
_ID = Column("organisation_uuid", "Organisation UUID", "id")
_RANKED = (
    _COMPANIES,
    _FOUNDERS,
    Column("place", "Rank by companies", null=NOT_KNOWN),
    Column("share_between", "Share of the companies", null=""),
    Column("known_by", "Known by"),
)
_FIGURES = "ventureframe.studies.founders.figures"


def _recorded_for(count: Count, study: Any) -> Iterator[str]:
    if count:
        companies = within(count, study.counts.companies, "company")
        yield f"recorded for a founder of {companies}"
        yield METHOD


def _without_earlier_company(study: Any) -> Iterator[str]:
    c = study.counts
    if 0 < c.founders_repeated < c.founders:
        yield "of the other founders no earlier company is recorded"


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What is recorded of the founders of some companies."""

    name = "founders"
    about = "what the founders did before"
    population = "present or former founders{study.counts.whose} of companies"
    measures = ("groups",)
    lists = ("founders", "education", "prior_employers", "founded companies")
    lead = ("employers", "employers", "organisation", "companies")
    currency: Currency
    counts: Counts

    withheld = property(lambda self: self.counts.withheld)
    is_empty = property(lambda self: not self.counts.founders)

    @property
    def table(self) -> Any:
        """The employers that several founders share, else the founders."""
        return (self.employers if self.counts.employers else self.founders).lead

    employers = Exhibit(
        "Earlier employers that several founders share: {subject}",
        (
            Column("organisation", "Earlier employer"),
            *_RANKED,
            _ID,
        ),
        lambda study: _recorded_for(study.counts.companies_with_employer, study),
        f"{_FIGURES}:employers",
        meaning=(
            "A row per organisation that several founders worked at before, the"
            " company itself left out; most companies first."
        ),
        order="companies",
    )
    repeat = Exhibit(
        "Founders of more than one company: {subject}",
        (
            FOUNDER,
            COMPANY,
            Column("launch_date", "Founded", "year", null=NOT_KNOWN),
            Column("company_status", "Status", null=NOT_KNOWN),
            Column("known_by", "Known by"),
            Column("founded", "Companies in all", "number"),
            COMPANY_ID,
            FOUNDER_ID,
        ),
        _without_earlier_company,
        meaning="A row per such founder and company, most companies first.",
    )
    studies = Exhibit(
        "Universities and fields of study that several founders share: {subject}",
        (
            Column("kind", "What"),
            Column("organisation", "University or field"),
            *_RANKED,
            _ID,
        ),
        lambda study: _recorded_for(study.counts.companies_with_university, study),
        f"{_FIGURES}:studies",
        meaning="A row per university, then one per field; most companies first.",
    )
    founders = Exhibit(
        "The founders: {subject}",
        (
            FOUNDER,
            *columns(
                "text",
                company_names="Companies",
                employers="Earlier employers",
                universities="Universities",
                degrees="Degrees",
            ),
            Column("years_from_study", "Study to founding", "number", "years"),
            Column("years_from_post", "Last post to founding", "number", "years", ""),
            Column("profile", "Profile", "link", null=""),
            *columns("state", posts="Earlier posts", education="Education"),
            FOUNDER_ID,
        ),
        meaning="A row per founder, those of most companies first.",
    )
    links = Exhibit(
        "Earlier posts and education entries: {subject}",
        (
            COMPANY,
            FOUNDER,
            Column("kind", "Entry"),
            Column("organisation", "Organisation as recorded"),
            Column("title", "Post or degree"),
            *columns("year", start_year="From", end_year="To"),
            FOUNDED,
            _ID,
            COMPANY_ID,
            FOUNDER_ID,
        ),
        meaning="A row per company, founder and entry: the evidence.",
    )
