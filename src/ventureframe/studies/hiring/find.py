"""Who is hiring: companies by tags, place, age, funding and scores, with their postings and news.

A posting is a record of a job, a news item a record of an article; neither proves what a company
needs. A company without postings here has none recorded (interface, reading rule 3).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import narwhals as nw

from ventureframe.client.result import load
from ventureframe.evidence.findings import Findings, Progress, fetched
from ventureframe.evidence.rows import (
    COVERAGE,
    DAY,
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
    recorded,
)
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import Filter, company
from ventureframe.studies.hiring import words as sentences
from ventureframe.studies.hiring.roles import ROLES
from ventureframe.studies.hiring.words import Counts

if TYPE_CHECKING:
    from ventureframe.client.records import Location, Tag
    from ventureframe.client.result import Result
    from ventureframe.client.service import Service

Range = tuple[float | None, float | None]
"""From and to, both inclusive; None leaves that end open."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(Findings):
    """What the records show of the hiring of some companies.

    Every frame is of the library the input was; null means that nothing is recorded.

    Attributes
    ----------
    companies : frame
        The ranking, most open jobs first, then most postings: company_uuid (key), company_name,
        launch_date (year), hq_city, hq_country, is_hiring, open_jobs_count (as the company record
        says), postings (job records returned), latest_posting (date), news (articles returned),
        latest_news (date), team_size, signal_rating, total_funding_<currency>, rounds (what asking
        for rounds gave, of `evidence.WINDOWS`), latest_round_type, latest_round_year,
        latest_round_month, latest_round_<currency> (of the latest dated round only).
    jobs : frame
        A row per posting: job_id (key), title, date_posted, company_uuid, company_name, families
        (role families whose keywords the title has, joined; null: no keyword found).
    news : frame
        A row per article and company it is linked with, latest first: news_item_id, company_uuid,
        company_name, publish_date, title, source, url.
    months : frame
        A row per month from the first to the last dated posting, also those without any: month
        (its first day), postings, companies.
    roles : frame
        A row per role family of `role_words`: family, keywords, postings, companies.
    role_companies : frame
        A row per family and company with a match: family, company_uuid, company_name, postings.
    growth : frame
        Against an earlier save, a row per company in both: company_uuid, company_name,
        open_jobs_then, open_jobs_now, change (null unless both are recorded), postings_newly_seen,
        postings_no_longer_seen (null where a fetch was not read to the end, for then nothing is
        known to be new or gone). No rows where there is no earlier save.
    """

    counts: Counts
    role_words: Mapping[str, Sequence[str]]
    companies: Frame
    jobs: Frame
    news: Frame
    months: Frame
    roles: Frame
    role_companies: Frame
    growth: Frame

    @property
    def subject(self) -> str:
        """What was asked for, in words."""
        return self.counts.scope

    @property
    def funding(self) -> str:
        """The name of the total funding column."""
        return f"total_funding_{self.currency.lower()}"

    @property
    def latest_round(self) -> str:
        """The name of the column with the latest round's amount."""
        return f"latest_round_{self.currency.lower()}"

    @property
    def sentence(self) -> str:
        """What the counts of the study say."""
        return sentences.answer(self.counts)


def study(
    svc: Service,
    *,
    tags: Iterable[Tag | tuple[str, str]] = (),
    location: Location | tuple[str, str] | None = None,
    founded: Range | int | None = None,
    funding: Range | float | None = None,
    signal_rating: float | None = None,
    signal_timing: float | None = None,
    signal_team: float | None = None,
    is_hiring: bool | None = None,
    where: Filter | Iterable[Filter] = (),
    currency: Currency | None = None,
    rounds_of: int = 25,
    previous: Study | str | Path | None = None,
    library: Literal["polars", "pandas"] = "polars",
    earlier: Study | None = None,
    progress: bool | Progress | None = None,
) -> Study:
    """The study of the companies that meet every condition: jobs and news fetched, then `find`.

    Parameters
    ----------
    svc : Service
        Where to ask.
    tags : iterable of Tag or (label, type)
        A company has all of them.
    location : Location or (name, type), optional
        Headquarters in this place or below it.
    founded : int or (from, to), optional
        Founding years; companies whose year is not recorded are then not returned.
    funding : float or (from, to), optional
        Total funding in `currency`; companies without one are then not returned.
    signal_rating, signal_timing, signal_team : float, optional
        Least scores; timing and team only filter and are in no row.
    is_hiring : bool, optional
        The company's hiring flag.
    where : Filter or several
        Further conditions.
    currency : {"USD", "EUR", "GBP"}, optional
        The currency of amounts; the service's default where not given.
    rounds_of : int
        For how many companies, first of the ranking, rounds are asked: one request each.
    previous : Study or folder, optional
        An earlier study, or where one was saved: open jobs and postings are compared by id.
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
    >>> scan = vf.hiring.study(svc, tags=[("Robotics", "technology")], signal_team=60)
    >>> scan.companies
    """
    money = currency or svc.currency
    labels = [svc.tag(each[0], type=each[1]) if isinstance(each, tuple) else each for each in tags]
    place = svc.location(location[0], type=location[1]) if isinstance(location, tuple) else location
    wanted = conditions(
        tags=labels,
        location=place,
        founded=founded,
        funding=funding,
        signal_rating=signal_rating,
        signal_timing=signal_timing,
        signal_team=signal_team,
        is_hiring=is_hiring,
    )
    wanted += (where,) if isinstance(where, Filter) else tuple(where)
    found = svc.companies.where(*wanted).currency(money).fetch(progress)
    table = found.to_polars()
    uuids = table["uuid"].to_list()
    jobs = fetched(svc.jobs.at(uuids), earlier=earlier, progress=progress)
    news = fetched(svc.news.about(uuids), earlier=earlier, progress=progress)
    posted = jobs.to_polars().group_by("entity_id").len("postings")
    first = table.join(posted, left_on="uuid", right_on="entity_id", how="left").sort(
        *("open_jobs_count", "postings", "name", "uuid"),
        descending=[True, True, False, False],
        nulls_last=True,
    )
    rounds = svc.rounds_of(first["uuid"].to_list()[:rounds_of]).currency(money).fetch(progress)

    def frame(result: Result, part: str | None = None) -> Frame:
        return result.to_pandas(part) if library == "pandas" else result.to_polars(part)

    before = _saved(previous)
    is_read = {
        "postings_newly_seen": before.get("jobs", jobs).is_complete,
        "postings_no_longer_seen": jobs.is_complete,
    }
    scope = [*(tag.label for tag in labels), *([] if place is None else [place.name])]
    study = find(
        companies=frame(found),
        jobs=frame(jobs),
        news=frame(news),
        news_companies=frame(news, "entity_ids"),
        rounds=frame(rounds),
        rounds_asked=rounds.asked,
        currency=money,
        scope=" · ".join(scope) or "all companies that meet the conditions",
        not_known=[name for name, is_complete in is_read.items() if not is_complete],
        **{f"previous_{name}": frame(result) for name, result in before.items()},
    )
    return study.resting_on(svc.source, found, jobs, news, rounds)


def conditions(
    *,
    tags: Iterable[Tag] = (),
    location: Location | None = None,
    founded: Range | int | None = None,
    funding: Range | float | None = None,
    signal_rating: float | None = None,
    signal_timing: float | None = None,
    signal_team: float | None = None,
    is_hiring: bool | None = None,
) -> tuple[Filter, ...]:
    """The filters that `study` asks companies with; all of them hold."""
    ids = [tag.id for tag in tags]
    return (
        *([company.tag_id.in_all(ids)] if ids else []),
        *([] if location is None else [company.hq_location == location.id]),
        *_between(company.launch_date, founded),
        *_between(company.total_funding, funding),
        *_between(company.signal_rating, signal_rating),
        *_between(company.signal_timing, signal_timing),
        *_between(company.signal_team, signal_team),
        *([] if is_hiring is None else [company.is_hiring == is_hiring]),
    )


def _saved(previous: Study | str | Path | None) -> Mapping[str, Result]:
    """The companies and the jobs of an earlier study."""
    if previous is None:
        return {}
    if isinstance(previous, Study):
        return dict(zip(("companies", "jobs"), previous.fetched, strict=False))
    return {name: load(previous, name) for name in ("companies", "jobs")}


def _between(field: Any, wanted: Range | float | None) -> Iterable[Filter]:
    low, high = wanted if isinstance(wanted, tuple) else (wanted, None)
    if low is not None:
        yield field >= low
    if high is not None:
        yield field <= high


_COMPANY: Final = {
    "uuid": TEXT,
    "name": TEXT,
    "launch_date": WHOLE,
    "hq_city": TEXT,
    "hq_country": TEXT,
    "is_hiring": FLAG,
    "open_jobs_count": WHOLE,
    "team_size": WHOLE,
    "signal_rating": NUMBER,
    "total_funding": NUMBER,
}
_JOB: Final = {"id": WHOLE, "title": TEXT, "date_posted": DAY, "entity_id": TEXT}
_NEWS: Final = {
    "id": WHOLE,
    "publish_date": DAY,
    "title": TEXT,
    "source": TEXT,
    "url": TEXT,
    "entity_id": TEXT,
}
_LINKED: Final = {"news_item_id": WHOLE, "entity_id": TEXT}
_ROUND: Final = {
    "company_uuid": TEXT,
    "id": WHOLE,
    "year": WHOLE,
    "month": WHOLE,
    "round_type": TEXT,
    "amount": NUMBER,
}
_BY_COMPANY: Final = ("company_name", "company_uuid")
_POSTING: Final = ("job_id", "title", "date_posted", "company_uuid", "company_name", "families")


def find(
    *,
    companies: Frame,
    jobs: Frame,
    news: Frame,
    news_companies: Frame,
    rounds: Frame,
    currency: Currency,
    rounds_asked: Collection[str] | None = None,
    role_words: Mapping[str, Sequence[str]] = ROLES,
    scope: str = "the companies",
    previous_companies: Frame | None = None,
    previous_jobs: Frame | None = None,
    not_known: Collection[str] = (),
) -> Study:
    """The study of some companies over flat frames, all polars or all pandas; nothing is fetched.

    Row order and repeated rows change nothing.

    Parameters
    ----------
    companies : frame
        Companies as the service returns them; `total_funding` is in `currency`.
    jobs : frame
        Jobs as the service returns them; `entity_id` is the company.
    news : frame
        News items as the service returns them.
    news_companies : frame
        news_item_id, entity_id: every company linked with a news item.
    rounds : frame
        Funding rounds as the service returns them, with company_uuid of the company asked.
    currency : {"USD", "EUR", "GBP"}
        The currency the companies and rounds were asked in.
    rounds_asked : collection of str, optional
        The companies asked for rounds; by default those with a round.
    role_words : mapping
        Per role family the keywords to find in titles.
    scope : str
        What the companies have in common, for titles.
    previous_companies, previous_jobs : frame, optional
        Companies and jobs as an earlier study had them.
    not_known : collection of str
        Columns of `growth` that stay null, because one of the two was not read to the end.
    """
    funding, amount = f"total_funding_{currency.lower()}", f"latest_round_{currency.lower()}"
    firms = distinct(companies, _COMPANY, key=["uuid"]).rename(
        {"uuid": "company_uuid", "name": "company_name", "total_funding": funding}
    )
    posts = _matched(_jobs(jobs, firms), role_words)
    articles = _articles(news, news_companies, firms)
    latest = _latest_rounds(rounds, amount=amount)
    asked = latest["company_uuid"].to_list() if rounds_asked is None else list(rounds_asked)
    for part in (_postings(posts), _covered_by(articles), latest):
        firms = firms.join(part, on="company_uuid", how="left")
    cases = [
        (~nw.col("latest_round_year").is_null(), "records_returned"),
        (nw.col("company_uuid").is_in(asked), "no_records_returned"),
    ]
    firms = firms.with_columns(
        *(nw.col(name).fill_null(0) for name in ("postings", "news")),
        rounds=first_that_holds(cases, otherwise="not_asked"),
    )
    firms = firms.select(
        *("company_uuid", "company_name", "launch_date", "hq_city", "hq_country", "is_hiring"),
        *("open_jobs_count", "postings", "latest_posting", "news", "latest_news", "team_size"),
        *("signal_rating", funding, "rounds", "latest_round_type", "latest_round_year"),
        *("latest_round_month", amount),
    ).sort(
        *("open_jobs_count", "postings", *_BY_COMPANY),
        descending=[True, True, False, False],
        nulls_last=True,
    )
    growth = _growth(firms, posts, previous_companies, previous_jobs).with_columns(
        nw.lit(None, WHOLE).alias(name) for name in not_known
    )
    roles, role_companies = _roles(posts, role_words)
    posts = posts.select(*_POSTING).sort(
        "date_posted", "job_id", descending=[True, False], nulls_last=True
    )
    months = _months(posts)
    counts = Counts(
        scope=scope,
        companies=len(firms),
        flag_known=recorded(firms, "is_hiring"),
        hiring=int(firms["is_hiring"].sum() or 0),
        open_jobs_known=recorded(firms, "open_jobs_count"),
        open_jobs=int(firms["open_jobs_count"].sum() or 0),
        postings=len(posts),
        postings_dated=recorded(posts, "date_posted"),
        postings_in_family=recorded(posts, "families"),
        companies_with_postings=int((firms["postings"] > 0).sum()),
        companies_with_news=int((firms["news"] > 0).sum()),
        funding_known=recorded(firms, funding),
        rounds_asked=int((firms["rounds"] != "not_asked").sum()),
        rounds_found=recorded(firms, "latest_round_year"),
        compared=len(growth),
        has_previous=previous_companies is not None,
        currency=currency,
    )
    give = given_back(like=companies)
    return Study(
        currency=currency,
        counts=counts,
        role_words=role_words,
        companies=give(firms),
        jobs=give(posts),
        news=give(articles),
        months=give(months),
        roles=give(roles),
        role_companies=give(role_companies),
        growth=give(growth),
        coverage=give(_coverage(firms, posts)),
        claims=sentences.claims(counts),
        caveats=sentences.caveats(counts),
    )


def _jobs(jobs: Frame, firms: Rows) -> Rows:
    """The postings of the companies; `place` is the company's by name, for cheap sorting."""
    rows = distinct(jobs, _JOB, key=["id"]).rename({"id": "job_id", "entity_id": "company_uuid"})
    names = firms.select("company_uuid", "company_name").sort(*_BY_COMPANY)
    return rows.join(names.with_row_index("place"), on="company_uuid", how="inner")


def _postings(posts: Rows) -> Rows:
    return posts.group_by("company_uuid").agg(
        nw.len().cast(WHOLE).alias("postings"), nw.col("date_posted").max().alias("latest_posting")
    )


def _articles(news: Frame, news_companies: Frame, firms: Rows) -> Rows:
    """A row per article and company: an article of several companies is there for each of them."""
    items = distinct(news, _NEWS, key=["id"]).rename({"id": "news_item_id"})
    linked = distinct(news_companies, _LINKED, key=list(_LINKED))
    linked = nw.concat([linked, items.select(*_LINKED)]).drop_nulls().unique()
    rows = linked.join(items.drop("entity_id"), on="news_item_id", how="inner")
    rows = rows.rename({"entity_id": "company_uuid"})
    names = firms.select("company_uuid", "company_name")
    rows = rows.join(names, on="company_uuid", how="inner")
    rows = rows.select("news_item_id", *reversed(_BY_COMPANY), *list(_NEWS)[1:-1])
    return rows.sort(
        *("publish_date", "news_item_id", *_BY_COMPANY),
        descending=[True, False, False, False],
        nulls_last=True,
    )


def _covered_by(articles: Rows) -> Rows:
    return articles.group_by("company_uuid").agg(
        nw.len().cast(WHOLE).alias("news"), nw.col("publish_date").max().alias("latest_news")
    )


def _latest_rounds(rounds: Frame, *, amount: str) -> Rows:
    """Per company the latest round with a year; its amount stays missing where it has none."""
    rows = distinct(rounds, _ROUND, key=["company_uuid", "id"])
    rows = rows.filter(~nw.col("year").is_null()).sort(
        "year", "month", "id", descending=True, nulls_last=True
    )
    rows = rows.unique(subset=["company_uuid"], keep="first", maintain_order=True)
    return rows.select(
        "company_uuid",
        latest_round_type="round_type",
        latest_round_year="year",
        latest_round_month="month",
        **{amount: "amount"},
    )


def _matched(posts: Rows, words: Mapping[str, Sequence[str]]) -> Rows:
    """The postings with a flag per family and the families as text; each title is read once."""
    titles = posts.select("title").drop_nulls().unique()
    titles = titles.with_columns(
        nw.col("title").str.contains(_pattern(each)).alias(_flag(family))
        for family, each in words.items()
    )
    named = [nw.when(nw.col(_flag(family))).then(nw.lit(family)) for family in sorted(words)]
    text = nw.concat_str(named, separator="; ", ignore_nulls=True)
    titles = titles.with_columns(families=nw.when(text != "").then(text))
    rows = posts.join(titles, on="title", how="left")
    return rows.with_columns(nw.col(_flag(family)).fill_null(value=False) for family in words)


def _flag(family: str) -> str:
    return f"names {family}"


def _pattern(words: Sequence[str]) -> str:
    """A regular expression; words are letters, spaces and hyphens, so nothing needs escaping."""
    return rf"(?i)\b({'|'.join(words)})\b"


def _months(posts: Rows) -> Rows:
    """Every month from the first to the last dated posting, with those that have none."""
    dated = posts.filter(~nw.col("date_posted").is_null())
    dated = dated.with_columns(month=nw.col("date_posted").dt.truncate("1mo"))
    seen = dated.group_by("month").agg(
        nw.len().cast(WHOLE).alias("postings"),
        nw.col("company_uuid").n_unique().cast(WHOLE).alias("companies"),
    )
    rows = made([(day,) for day in _every_month(seen["month"].to_list())], {"month": DAY})
    rows = rows.join(seen, on="month", how="left")
    zeros = (nw.col(name).fill_null(0) for name in ("postings", "companies"))
    return rows.with_columns(*zeros).sort("month")


def _every_month(days: Sequence[dt.date]) -> list[dt.date]:
    if not days:
        return []
    first, last = (day.year * 12 + day.month - 1 for day in (min(days), max(days)))
    return [dt.date(month // 12, month % 12 + 1, 1) for month in range(first, last + 1)]


def _roles(posts: Rows, words: Mapping[str, Sequence[str]]) -> tuple[Rows, Rows]:
    """A row per family with its keywords, and a row per family and company with a match."""
    names = posts.select("place", *_BY_COMPANY).unique(subset=["place"])
    parts = [made([], {"place": nw.UInt32(), "postings": WHOLE, "family": TEXT})]
    for family in words:
        matched = posts.filter(nw.col(_flag(family))).group_by("place")
        count = matched.agg(nw.len().cast(WHOLE).alias("postings"))
        parts.append(count.with_columns(family=nw.lit(family, TEXT)))
    found = nw.concat(parts)
    both = found.sort("postings", "family", "place", descending=[True, False, False])
    both = both.join(names, on="place", how="left")
    seen = found.group_by("family").agg(
        nw.col("postings").sum(), nw.len().cast(WHOLE).alias("companies")
    )
    listed = [(family, ", ".join(each)) for family, each in words.items()]
    rows = made(listed, {"family": TEXT, "keywords": TEXT}).join(seen, on="family", how="left")
    rows = rows.with_columns(nw.col(name).fill_null(0) for name in ("postings", "companies"))
    return (
        rows.sort("postings", "family", descending=[True, False]),
        both.select("family", "company_uuid", "company_name", "postings"),
    )


_THEN: Final = {"uuid": TEXT, "open_jobs_count": WHOLE}
_POST: Final = {"id": WHOLE, "entity_id": TEXT}


def _growth(firms: Rows, posts: Rows, companies: Frame | None, jobs: Frame | None) -> Rows:
    """The companies of both studies with their open jobs and postings then and now, by id."""
    before = made([], _THEN) if companies is None else distinct(companies, _THEN, key=["uuid"])
    before = before.rename({"uuid": "company_uuid", "open_jobs_count": "open_jobs_then"})
    old = made([], _POST) if jobs is None else distinct(jobs, _POST, key=["id"])
    old = old.rename({"id": "job_id", "entity_id": "company_uuid"})
    rows = firms.select("company_uuid", "company_name", open_jobs_now="open_jobs_count")
    rows = rows.join(before, on="company_uuid", how="inner")
    for name, here, there in (
        ("postings_newly_seen", posts, old),
        ("postings_no_longer_seen", old, posts),
    ):
        seen = here.join(there.select("job_id"), on="job_id", how="anti")
        count = seen.group_by("company_uuid").agg(nw.len().cast(WHOLE).alias(name))
        rows = rows.join(count, on="company_uuid", how="left")
        rows = rows.with_columns(nw.col(name).fill_null(0))
    rows = rows.with_columns(change=nw.col("open_jobs_now") - nw.col("open_jobs_then"))
    order = ("company_uuid", "company_name", "open_jobs_then", "open_jobs_now", "change")
    return rows.select(*order, "postings_newly_seen", "postings_no_longer_seen").sort(
        "change", *_BY_COMPANY, descending=[True, False, False], nulls_last=True
    )


def _coverage(firms: Rows, posts: Rows) -> Rows:
    company_fields = [name for name in firms.columns if name in _COMPANY or "funding" in name]
    asked = firms.filter(nw.col("rounds") != "not_asked")
    latest = [name for name in firms.columns if name.startswith("latest_round")]
    rows = [
        *known("company", firms, company_fields),
        ("company", "postings", int((firms["postings"] > 0).sum()), len(firms)),
        ("company", "news", int((firms["news"] > 0).sum()), len(firms)),
        *known("company asked for rounds", asked, latest),
        *known("posting", posts, ("title", "date_posted", "families")),
    ]
    return made(rows, COVERAGE)
