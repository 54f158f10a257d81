"""Companies by their open jobs, with the postings, news and latest funding round of each.

A posting is a record of a job, a news item a record of an article; neither proves what a company
needs. A company without postings here has none recorded (interface, reading rule 3).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import narwhals as nw
import polars as pl

from ventureframe.evidence import engine_rows as rows
from ventureframe.evidence import rates
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.engine_rows import Frame, Rows
from ventureframe.evidence.study import Study as _Study
from ventureframe.evidence.study import not_held
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import NotThere, Origin
from ventureframe.studies.hiring import tables, words
from ventureframe.studies.hiring.roles import ROLES, flag, found_in
from ventureframe.studies.hiring.rounds import (
    BY_COMPANY,
    ORDER,
    latest_rounds,
    leaders,
    no_rounds,
    recent,
)
from ventureframe.studies.hiring.words import Counts


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show of the hiring of some companies; null: nothing is recorded.

    Attributes
    ----------
    ranking : Finding
        The companies, most open jobs first, then most postings: company_uuid (key), company_name,
        launch_date (year), hq_city, hq_country, company_status, is_hiring, open_jobs_count (as the
        company record says), website_domain, team_size, signal_rating, total_funding, postings (job
        records returned), latest_posting (date), news (articles), latest_news (date), rounds (what
        requesting the rounds gave, of `evidence.WINDOWS`), rounds_returned, rounds_dated (counts,
        null: not requested), latest_rounds (how many share the latest month), latest_round_type (of
        several: all), latest_round_year, latest_round_month, latest_round_amount (converted;
        null where several share the date), latest_round_amount_state (of `evidence.AMOUNTS`, or
        "several"), latest_round_amount_native, latest_round_native_currency, currency.
    recent : Finding
        The companies with a dated round, those first that have a round within the last twelve
        months and open jobs or postings (is_fresh; null: the day of the data is not stated), then
        by newest posting: company_uuid (key), company_name, website_domain, latest_round_year,
        latest_round_month, latest_round_type, latest_round_amount, latest_round_amount_state,
        currency, months_since_round, latest_posting, postings, open_jobs_count.
    statuses : Finding
        A row per recorded status, most companies first: company_status (null: not recorded),
        companies, hiring (with the hiring flag), with_postings, left_out (companies that meet
        every other condition and are left out by their status; null: not known).
    left_out : Finding
        A row per condition on a number or on the status, in the order in which they are counted:
        condition, asked (as the filter writes it), before, not_recorded, outside, inside (counts
        of companies; null: not known).
    funding_and_hiring : Finding
        The same companies: company_uuid (key), company_name, open_jobs_count, total_funding,
        currency.
    months : Finding
        A row per month from the first to the last dated posting, also those without any: month
        (its first day), postings, companies, is_partial (the day of the data is within the month
        or before it; null: that day is not stated).
    roles : Finding
        A row per role family, most postings first: family, keywords, postings, companies.
        `frames["role_companies"]` has a row per family and company with a match.
    postings : Finding
        A row per posting, latest first: job_id (key), title, date_posted, company_uuid,
        company_name, families (whose keywords the title has, joined; null: no keyword found), url.
    news : Finding
        A row per article and company it is linked with, latest first: news_item_id, company_uuid,
        company_name, publish_date, title, source, url.
    """

    currency: Currency
    counts: Counts
    seen: dt.date | None = None

    name = "hiring"
    about = "open jobs, postings and funding"

    ranking = tables.RANKING
    recent = tables.RECENT
    statuses = tables.STATUSES
    left_out = tables.LEFT_OUT
    funding_and_hiring = tables.FUNDING_AND_HIRING
    months = tables.MONTHS
    roles = tables.ROLES
    postings = tables.POSTINGS
    news = tables.NEWS


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
    seen: dt.date | None = None,
    dropped: Sequence[Dropped] = (),
    other_statuses: Mapping[str | None, int] | None = MappingProxyType({}),
    origin: Origin | None = None,
    **others: Frame,
) -> Study:
    """The study of some companies over flat frames of any library or engine; nothing is fetched.

    Row order and repeated rows change nothing.

    Parameters
    ----------
    companies, jobs, news, rounds : frame
        As the service returns them, amounts in `currency`; rounds with their company_uuid.
    news_companies : frame
        news_item_id, entity_id: every company linked with a news item.
    currency : {"USD", "EUR", "GBP"}
        The currency of the amounts.
    rounds_asked : collection of str, optional
        The companies whose rounds were requested; by default those with a round.
    role_words : mapping
        Per role family the keywords to find in titles, in the notation of `roles.ROLES`.
    scope : str
        What the companies have in common, for titles.
    seen : date, optional
        The day of the data: the month it is within is partial.
    dropped : sequence of Dropped
        What the conditions leave out.
    other_statuses : mapping or None
        How many companies a condition on the status leaves out, by their status; None: not known.
    origin : Origin, optional
        Says that the frames are whole collections, as `bulk.open` gives them: amounts are converted
        at the rates of the dataset, and rounds are those of every company, or of none where the
        dataset has no rounds.
    others : frame
        Further frames of the dataset, which are not read.
    """
    rows.refuse_strangers(others)
    source = None if origin is None else origin.source
    has_rounds = not isinstance(rounds, NotThere)
    if origin is not None:
        seen = seen or origin.source.as_of
        companies = rates.totals(companies, currency, origin)
        rounds = rates.amounts(rounds, currency) if has_rounds else no_rounds(companies)
    asked = ALL if origin is not None and has_rounds and rounds_asked is None else rounds_asked
    firms = rows.keep(_firms(companies).with_columns(currency=nw.lit(currency)))
    posts = _matched(_jobs(jobs, firms), role_words)
    articles = rows.keep(_articles(news, news_companies, firms))
    ranking = rows.keep(_ranking(firms, posts, articles, latest_rounds(rounds), asked))
    fresh = recent(ranking, seen)
    statuses = _statuses(ranking, other_statuses)
    frames = rows.findings(
        {
            "ranking": rows.highest_first(ranking, *ORDER),
            "recent": fresh,
            "statuses": statuses,
            "left_out": _left_out(dropped),
            **_of_postings(posts, firms, seen, role_words),
            "news": rows.highest_first(articles, "publish_date", "news_item_id", *BY_COMPANY),
            "coverage": _coverage(ranking, posts),
        }
    )
    counts = _counts(ranking, posts, statuses, dropped, leaders(ranking, fresh, seen))
    return Study(
        seen=seen,
        currency=currency,
        counts=counts,
        frames=frames,
        subject=scope,
        sentence=words.answer(counts),
        key_figures=words.key_figures(counts),
        statements=words.claims(counts),
        limits=(*not_held(source), *words.caveats(counts, currency, scope)),
        source=source,
    )


def ranked(companies: Frame, jobs: Frame) -> list[str]:
    """The UUIDs of the companies, most open jobs first, then most postings."""
    firms = _firms(companies)
    postings = _counted(_jobs(jobs, firms), "postings")
    firms = firms.join(postings, on="company_uuid", how="left")
    first = rows.highest_first(firms, *ORDER).select("company_uuid")
    return rows.collected(first)["company_uuid"].to_list()


_COMPANY: Final = rows.typed(
    fields.COMPANIES,
    *("uuid", "name", "launch_date", "hq_city", "hq_country", "company_status", "is_hiring"),
    *("website_domain", "open_jobs_count", "team_size", "signal_rating", "total_funding"),
)
_JOB: Final = rows.typed(fields.JOBS, "id", "title", "date_posted", "entity_id", "url")
_NEWS: Final = rows.typed(fields.NEWS, "id", "publish_date", "title", "source", "url", "entity_id")
_LINKED: Final = {"news_item_id": rows.WHOLE, "entity_id": rows.TEXT}


def _firms(companies: Frame) -> Rows:
    found = rows.distinct(companies, _COMPANY, key=["uuid"])
    return found.rename({"uuid": "company_uuid", "name": "company_name"})


def _jobs(jobs: Frame, firms: Rows) -> Rows:
    found = rows.distinct(jobs, _JOB, key=["id"])
    found = found.rename({"id": "job_id", "entity_id": "company_uuid"})
    return found.join(firms.select(*BY_COMPANY), on="company_uuid", how="inner")


def _articles(news: Frame, news_companies: Frame, firms: Rows) -> Rows:
    """A row per article and company: an article about several companies has a row for each."""
    items = rows.distinct(news, _NEWS, key=["id"]).rename({"id": "news_item_id"})
    linked = rows.distinct(news_companies, _LINKED, key=list(_LINKED))
    linked = nw.concat([linked, items.select(*_LINKED)]).drop_nulls().unique()
    found = linked.join(items.drop("entity_id"), on="news_item_id", how="inner")
    found = found.rename({"entity_id": "company_uuid"})
    found = found.join(firms.select(*BY_COMPANY), on="company_uuid", how="inner")
    return found.select("news_item_id", *reversed(BY_COMPANY), *list(_NEWS)[1:-1])


ALL: Final = frozenset({"*"})
"""In the place of the companies whose rounds were requested: every one of them."""


def _ranking(
    firms: Rows, posts: Rows, articles: Rows, rounds: Rows, asked: Collection[str] | None
) -> Rows:
    """The companies with their postings, news and rounds counted and the latest round."""
    for part in (
        _counted(posts, "postings", latest_posting="date_posted"),
        _counted(articles, "news", latest_news="publish_date"),
        rounds,
    ):
        firms = firms.join(part, on="company_uuid", how="left")
    firms = rows.flagged(firms, "company_uuid", () if asked is None else asked, "is_asked")
    is_asked = nw.lit(value=True) if asked is ALL else nw.col("is_asked")
    cases: list[tuple[nw.Expr, str | int]] = [
        (nw.col("rounds_dated") > 0, "records_returned"),
        (nw.col("rounds_returned") > 0, "records_without_a_date"),
        (is_asked, "no_records_returned"),
    ]
    firms = firms.with_columns(
        nw.col("postings", "news").fill_null(0),
        rounds=rows.first_that_holds(cases, otherwise="not_asked"),
    ).drop("is_asked")
    is_empty = nw.col("rounds") == "no_records_returned"
    return firms.with_columns(rows.zero_where(is_empty, ("rounds_returned", "rounds_dated")))


def _counted(found: Rows, name: str, **days: str) -> Rows:
    """Per company the number of rows, and under each name the latest of its days."""
    latest = (nw.col(day).max().alias(each) for each, day in days.items())
    return found.group_by("company_uuid").agg(*rows.tally(name), *latest)


_AT_ONCE: Final = 400_000
"""How many titles are read at a time."""


def _matched(posts: Rows, role_words: Mapping[str, Sequence[str]]) -> Rows:
    """The postings with a flag per family and the families as text.

    Engines read regular expressions differently, so polars finds the words, some postings at a
    time.
    """
    posts = rows.keep(posts)
    parts = 1 + rows.one(posts, every=nw.len())["every"] // _AT_ONCE
    number = (nw.col("job_id").fill_null(0) % parts + parts) % parts
    found = (
        found_in(rows.collected(posts.filter(number == part)), role_words) for part in range(parts)
    )
    return nw.concat([rows.beside(each, posts) for each in found])


def _of_postings(
    posts: Rows, firms: Rows, seen: dt.date | None, role_words: Mapping[str, Sequence[str]]
) -> dict[str, Rows | pl.DataFrame]:
    """The frames of the postings, of their months and of the role families that they match."""
    matched = rows.keep(_role_companies(posts, role_words))
    named = matched.join(firms.select(*BY_COMPANY), on="company_uuid", how="inner")
    named = named.select("family", *reversed(BY_COMPANY), "postings")
    return {
        "months": _months(posts, seen),
        "roles": _roles(matched, role_words),
        "role_companies": rows.highest_first(named, "postings", "family", *BY_COMPANY),
        "postings": rows.highest_first(posts, "date_posted", "job_id").select(
            "job_id", "title", "date_posted", "company_uuid", "company_name", "families", "url"
        ),
    }


def _role_companies(posts: Rows, role_words: Mapping[str, Sequence[str]]) -> Rows:
    """A row per family and company with a match."""
    found = posts.filter(~nw.col("families").is_null()).group_by("company_uuid")
    counts = (rows.holds(nw.col(flag(family))).alias(family) for family in role_words)
    counted = rows.keep(found.agg(*counts))
    postings = (
        counted.select(
            nw.lit(family).alias("family"), "company_uuid", nw.col(family).alias("postings")
        )
        for family in role_words
    )
    return nw.concat([*postings]).filter(nw.col("postings") > 0)


def _roles(found: Rows, role_words: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """A row per family, also one without a match, with its keywords."""
    postings = nw.col("postings").sum().cast(rows.WHOLE)
    seen = rows.collected(found.group_by("family").agg(postings, *rows.tally("companies")))
    listed = [(family, ", ".join(each)) for family, each in role_words.items()]
    every = rows.made(listed, {"family": rows.TEXT, "keywords": rows.TEXT})
    every = every.join(seen, on="family", how="left")
    every = every.with_columns(pl.col("postings", "companies").fill_null(0))
    return every.sort("postings", "family", descending=[True, False])


def _statuses(ranking: Rows, others: Mapping[str | None, int] | None) -> pl.DataFrame:
    """A row per status, also of companies that are left out by theirs; no status is the last."""
    counts = rows.tally(
        "companies",
        hiring=rows.holds(nw.col("is_hiring")),
        with_postings=rows.holds(nw.col("postings") > 0),
    )
    here = rows.collected(ranking.group_by("company_status").agg(*counts))
    here = here.with_columns(left_out=pl.lit(0, pl.Int64))
    left = [(status, 0, 0, 0, many) for status, many in (others or {}).items() if many]
    found = pl.concat([here, pl.DataFrame(left, here.schema, orient="row")])
    found = found.group_by("company_status").agg(pl.all().sum())
    if others is None:
        found = found.with_columns(left_out=pl.lit(None, pl.Int64))
    return rows.unknown_last(found, "company_status", "companies")


def _left_out(dropped: Sequence[Dropped]) -> pl.DataFrame:
    names = ("before", "not_recorded", "outside", "inside")
    found = [
        (each.label, each.condition, *(getattr(each, name) for name in names)) for each in dropped
    ]
    texts = {"condition": rows.TEXT, "asked": rows.TEXT}
    return rows.made(found, texts | dict.fromkeys(names, rows.WHOLE))


def _months(posts: Rows, seen_on: dt.date | None) -> pl.DataFrame:
    """Every month from the first to the last dated posting, with those that have none."""
    month = nw.col("date_posted").dt.truncate("1mo").cast(rows.DAY)
    dated = posts.filter(~nw.col("date_posted").is_null()).with_columns(month=month)
    companies = nw.col("company_uuid").n_unique()
    counted = dated.group_by("month").agg(*rows.tally("postings", companies=companies))
    seen = rows.collected(counted).sort("month")
    seen = seen.upsample("month", every="1mo") if seen.height else seen
    over, is_last = pl.col("month").dt.offset_by("1mo"), pl.col("month") == pl.col("month").max()
    partial = over > pl.lit(seen_on) if seen_on else pl.when(~is_last).then(pl.lit(value=False))
    return seen.with_columns(pl.col("postings", "companies").fill_null(0), is_partial=partial)


def _counts(
    ranking: Rows,
    posts: Rows,
    statuses: pl.DataFrame,
    dropped: Sequence[Dropped],
    named: Mapping[str, Any],
) -> Counts:
    known = {"flag_known": "is_hiring", "open_jobs_known": "open_jobs_count"}
    known["funding_known"] = "total_funding"
    has_postings, latest = nw.col("postings") > 0, nw.col("latest_round_amount")
    total, rounds = nw.col("total_funding"), nw.col("rounds")
    of_companies = rows.one(
        ranking,
        companies=nw.len(),
        open_jobs=nw.col("open_jobs_count").sum(),
        **{name: nw.col(column).count() for name, column in known.items()},
        hiring=rows.holds(nw.col("is_hiring")),
        companies_with_postings=rows.holds(has_postings),
        companies_with_news=rows.holds(nw.col("news") > 0),
        rounds_asked=rows.holds(rounds != "not_asked"),
        rounds_dated=rows.holds(rounds == "records_returned"),
        rounds_undated=rows.holds(rounds == "records_without_a_date"),
        latest_several=rows.holds(nw.col("latest_rounds") > 1),
        latest_not_convertible=rows.holds(nw.col("latest_round_amount_state") == "not_convertible"),
        latest_and_total=rows.holds(~latest.is_null() & ~total.is_null()),
        latest_above_total=rows.holds(latest > total * _MORE),
        counts_as_postings=rows.holds(nw.col("open_jobs_count") == nw.col("postings")),
        flagged_with_postings=rows.holds(nw.col("is_hiring") & has_postings),
    )
    of_postings = rows.one(
        posts,
        postings=nw.len(),
        postings_dated=nw.col("date_posted").count(),
        postings_in_family=nw.col("families").count(),
    )
    return Counts(
        **of_companies | {"open_jobs": of_companies["open_jobs"] or 0},
        **of_postings,
        **named,
        statuses=tuple(statuses.select("company_status", "companies", "left_out").rows()),
        dropped=tuple(dropped),
    )


_MORE: Final = 1 + 1e-9
"""Two sums of the same amounts differ by less than this."""


def _coverage(ranking: Rows, posts: Rows) -> pl.DataFrame:
    columns = ranking.collect_schema().names()
    requested = ranking.filter(nw.col("rounds") != "not_asked")
    rounds = [name for name in columns if name.startswith("latest_round_")]
    rounds.remove("latest_round_amount_state")
    some = {name: rows.holds(nw.col(name) > 0) for name in ("postings", "news")}
    seen = rows.one(ranking, every=nw.len(), **some)
    found = [
        *rows.known("company", ranking, [name for name in columns if name in _COMPANY]),
        *(("company", name, seen[name], seen["every"]) for name in some),
        *rows.known("company asked for rounds", requested, rounds),
        *rows.known("posting", posts, ("title", "date_posted", "families")),
    ]
    return rows.made(found, rows.COVERAGE)
