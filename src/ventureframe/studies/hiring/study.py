"""The study of some companies' hiring: its numbers, and the class that lists its findings."""

import datetime as dt
from dataclasses import dataclass

from ventureframe.display.wording import Count
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency
from ventureframe.studies.hiring import tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of one study; each stands beside the number it was counted among.

    `open_jobs` is the sum of the open job counts that are recorded; `postings` are job records.
    `most_open_jobs` are the first companies by that count, `newest_posting` the company of the
    latest one and its day, `fresh` the companies with a round within twelve months and open jobs
    or postings (None: the day of the data is not stated). `statuses` has per recorded status
    (None: not recorded) the companies here and those that a condition on the status leaves out
    (None: not known).
    """

    companies: Count
    flag_known: Count
    hiring: Count
    open_jobs_known: Count
    open_jobs: Count
    postings: Count
    postings_dated: Count
    postings_in_family: Count
    companies_with_postings: Count
    companies_with_news: Count
    funding_known: Count
    rounds_asked: Count
    rounds_dated: Count
    rounds_undated: Count
    latest_several: Count
    latest_not_convertible: Count
    latest_and_total: Count
    latest_above_total: Count
    fresh: Count | None
    most_open_jobs: tuple[tuple[str | None, int], ...]
    newest_posting: tuple[str | None, dt.date] | None
    counts_as_postings: Count
    flagged_with_postings: Count
    statuses: tuple[tuple[str | None, int, int | None], ...]
    dropped: tuple[Dropped, ...]

    @property
    def returned(self) -> str:
        """How many postings of how many companies were returned."""
        return f"{self.postings:posting} of {self.companies_with_postings:company}"

    @property
    def dated(self) -> str:
        """How many postings have a date, of how many."""
        return f"{self.postings_dated} of {self.postings:posting} dated"

    @property
    def in_family(self) -> str:
        """How many postings match a keyword of a role family, of how many."""
        return f"{self.postings_in_family} of {self.postings:posting}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show of the hiring of some companies; null: nothing is recorded.

    `frames["role_companies"]` has a row per role family and company with a match.
    """

    currency: Currency
    counts: Counts
    seen: dt.date | None = None

    ranking = tables.RANKING
    recent = tables.RECENT
    statuses = tables.STATUSES
    left_out = tables.LEFT_OUT
    funding_and_hiring = tables.FUNDING_AND_HIRING
    months = tables.MONTHS
    roles = tables.ROLES
    postings = tables.POSTINGS
    news = tables.NEWS

    name = "hiring"
    about = "open jobs, postings and funding"

    @property
    def partial(self) -> str | None:
        """Which months are not over on the day of the data; None where all are or there is none."""
        months = self.frames["months"]
        named = months.filter("is_partial")["month"]
        if months["is_partial"].null_count():
            return "the day of the data is not stated, so the last month can be partial"
        listed = ", ".join(f"{month:%B %Y}" for month in named)
        return f"partial, as the data are of {self.seen}: {listed}" if listed else None
