"""Companies by their open jobs, with the postings, news and latest funding round of
each.

A posting is a record of a job, a news item a record of an article; neither proves
what a company needs. A company without postings here has none recorded (interface,
reading rule 3).
"""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence

import narwhals as nw
import polars as pl
from polars import DataFrame, col

from ventureframe.client.frames import empty
from ventureframe.evidence import rates, rows
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.rows import Frame
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import NotThere, Origin
from ventureframe.studies.companies import with_facts
from ventureframe.studies.hiring import words
from ventureframe.studies.hiring.roles import ROLES, families, keywords
from ventureframe.studies.hiring.study import Counts, Study
from ventureframe.studies.ranks import is_ahead

_COMPANY = rows.schema(
    fields.COMPANIES,
    "uuid",
    "name",
    "launch_date",
    "hq_city",
    "hq_country",
    "company_status",
    "is_hiring",
    "website_domain",
    "open_jobs_count",
    "team_size",
    "signal_rating",
    "total_funding",
)
_JOB = rows.schema(fields.JOBS, "id", "title", "date_posted", "entity_id", "url")
_NEWS = rows.schema(
    fields.NEWS, "id", "publish_date", "title", "source", "url", "entity_id"
)
_LINKED = {"news_item_id": pl.Int64, "entity_id": pl.String}
_ROUND = {"company_uuid": pl.String} | rows.schema(
    fields.FUNDING_ROUNDS, "id", "year", "month", "round_type", "amount"
)
_NO_ROUNDS = empty(fields.FUNDING_ROUNDS).with_columns(
    company_uuid=pl.lit(None, pl.String)
)
_BY_COMPANY = ("company_name", "company_uuid")
_COMPANY_OF = ("company_uuid", "company_name")
_LAST_ROUND = pl.concat_str(
    "latest_round_type", "latest_round_year", separator=", ", ignore_nulls=True
).replace("", None)
_OWN_WORDS = ("own words, as they stand",)
_MOST_FIRST = ("matching", "open_jobs_count", "postings", "total_funding")


def find(
    *,
    companies: Frame,
    jobs: Frame,
    news: Frame,
    news_companies: Frame,
    rounds: Frame,
    currency: Currency,
    jobs_asked: Collection[str] | None = None,
    news_asked: Collection[str] | None = None,
    rounds_asked: Collection[str] | None = None,
    roles: Sequence[str] = (),
    scope: str = "the companies",
    seen: dt.date | None = None,
    dropped: Sequence[Dropped] = (),
    origin: Origin | None = None,
    **unread: Frame,
) -> Study:
    """The study of some companies over flat frames of any library or engine; nothing is
    fetched.

    Row order and repeated rows change nothing. Whole collections are first narrowed on
    the engine of their frames to the records of the companies.

    Parameters
    ----------
    companies, jobs, news, rounds : frame
        As the service returns them, amounts in `currency`; rounds with their
        company_uuid.
    news_companies : frame
        news_item_id, entity_id: every company linked with a news item.
    jobs_asked, news_asked : collection of str, optional
        The companies whose records were read, by default all; of others their number
        is not known.
    rounds_asked : collection of str, optional
        The companies whose rounds were requested; by default those with a round.
    roles : sequence of str
        Role families, or words to find in titles; by default every family, and no
        choice.
    scope : str
        What the companies have in common, for titles.
    seen : date, optional
        The day of the data, from which the months since a round are counted.
    dropped : sequence of Dropped
        What the conditions leave out.
    origin : Origin, optional
        Says that the frames are whole collections, as `bulk.open` gives them, with
        `unread` frames that are ignored: amounts are converted at the rates of the
        dataset, and rounds are those of every company, or of none where the dataset has
        no rounds.
    """
    rows.refuse_strangers(unread)
    if origin is not None:
        seen = seen or origin.source.as_of
        any_job = rows.lazy(jobs).select("id").head(1)
        if rows.narrow({"jobs": any_job}, by="a company")["jobs"].is_empty():
            jobs_asked = ()
        records = companies, jobs, news, news_companies, rounds
        narrow = _narrowed(records, currency, origin)
        companies, jobs, news, news_companies, *announced = narrow.values()
        if announced and rounds_asked is None:
            rounds_asked = companies["uuid"].to_list()
        rounds = announced[0] if announced else _NO_ROUNDS
    firms = _firms(companies).with_columns(currency=pl.lit(currency))
    posts = _posts(jobs, firms, roles)
    articles = _articles(news, news_companies, firms)
    ranking = _with_posts(firms, posts, jobs_asked)
    ranking = _with_news(ranking, articles, news_asked)
    ranking = _with_rounds(ranking, _rounds(rounds), rounds_asked or ())
    recent = _recent(ranking, seen)
    pairs = _role_companies(posts)
    role_words = keywords(roles)
    frames = {
        "ranking": rows.highest_first(ranking, _MOST_FIRST),
        "recent": recent,
        "roles": _roles(pairs, role_words),
        "role_companies": pairs,
        "postings": rows.highest_first(posts, "date_posted", "job_id"),
        "news": rows.highest_first(articles, "publish_date", "news_item_id"),
        "coverage": _coverage(ranking, posts),
    }
    chosen = posts.filter("is_match") if roles else posts
    counts = rows.counted(
        Counts,
        frames,
        currency=currency,
        fresh_since=seen and f"{seen:%B} {seen.year - 1}",
        roles=tuple(role_words) if roles else (),
        dropped=tuple(dropped),
        most_matching=_with_most(ranking, "matching"),
        most_open_jobs=_with_most(ranking, "open_jobs_count"),
        newest_day=chosen["date_posted"].max(),
        newest_at=_newest(chosen),
        statuses=_statuses(ranking),
    )
    return Study.from_words(
        words,
        counts,
        source=origin.source if origin else None,
        seen=seen,
        subject=scope,
        currency=currency,
        counts=counts,
        frames=frames,
    )


def ranked(companies: Frame, jobs: Frame, roles: Sequence[str] = ()) -> list[str]:
    """The UUIDs of the companies, most matching postings first, then most open jobs."""
    firms = _firms(companies)
    firms = _with_posts(firms, _posts(jobs, firms, roles), None)
    return rows.highest_first(firms, _MOST_FIRST)["company_uuid"].to_list()


def _narrowed(
    frames: Sequence[Frame], currency: Currency, origin: Origin
) -> dict[str, DataFrame]:
    """The records that whole collections hold of the companies, amounts in the
    currency; rounds where there are any.
    """
    companies, jobs, news, news_companies, rounds = frames
    firms = rows.lazy(rates.totals(companies, currency, origin)).select(*_COMPANY)
    theirs = firms.select(entity_id="uuid", company_uuid="uuid")
    posts = rows.lazy(jobs).select(*_JOB)
    linked = rows.lazy(news_companies).select(*_LINKED)
    linked = linked.join(theirs, on="entity_id", how="semi")
    items = rows.lazy(news).select(*_NEWS)
    about = items.join(linked, left_on="id", right_on="news_item_id", how="semi")
    items = items.join(theirs, on="entity_id", how="semi")
    wanted = {
        "companies": firms,
        "jobs": posts.join(theirs, on="entity_id", how="semi"),
        "news": nw.concat([about, items]),
        "news_companies": linked,
    }
    if not isinstance(rounds, NotThere):
        announced = rows.lazy(rates.amounts(rounds, currency))
        announced = announced.select(*_ROUND, "amount_source")
        wanted["rounds"] = announced.join(theirs, on="company_uuid", how="semi")
    return rows.narrow(wanted, by="a condition on the companies")


def _firms(companies: Frame) -> DataFrame:
    """Make a row per company, in the order of their names; what is joined keeps it."""
    firms = rows.distinct(companies, _COMPANY, key=["uuid"])
    firms = firms.rename({"uuid": "company_uuid", "name": "company_name"})
    return firms.sort(_BY_COMPANY, nulls_last=True)


def _posts(jobs: Frame, firms: DataFrame, roles: Sequence[str]) -> DataFrame:
    """Make a row per posting of the companies, with its role families; it matches
    where roles are chosen.
    """
    posts = rows.distinct(jobs, _JOB, key=["id"])
    posts = posts.rename({"id": "job_id", "entity_id": "company_uuid"})
    posts = _of(firms, posts)
    posts = families(posts, keywords(roles))
    is_match = col("families").is_not_null() & bool(roles)
    columns = ("job_id", "title", "date_posted", *_COMPANY_OF, "families", "url")
    return posts.select(*columns, is_match=is_match)


def _of(firms: DataFrame, records: DataFrame) -> DataFrame:
    """Keep the records of these companies, in the order of the companies."""
    names = firms.select(_BY_COMPANY)
    return names.join(records, on="company_uuid", maintain_order="left")


def _articles(news: Frame, news_companies: Frame, firms: DataFrame) -> DataFrame:
    """A row per article and company: an article about several companies has a row
    for each.
    """
    items = rows.distinct(news, _NEWS, key=["id"]).rename({"id": "news_item_id"})
    linked = pl.concat([rows.typed(news_companies, _LINKED), items.select(*_LINKED)])
    linked = linked.drop_nulls().unique().rename({"entity_id": "company_uuid"})
    linked = _of(firms, linked.join(items, on="news_item_id"))
    return linked.select("news_item_id", *_COMPANY_OF, *list(_NEWS)[1:-1])


def _rounds(frame: Frame) -> DataFrame:
    """Count the rounds of each company, and find the latest dated one; where several
    are the latest, none is chosen.
    """
    rounds = rows.announced(frame, _ROUND, key=["company_uuid", "id"])
    tally = rows.tally("rounds_returned", rounds_dated="year")
    counts = rounds.group_by("company_uuid").agg(*tally)
    last = pl.max("month").over("company_uuid")
    latest = rounds.filter(col("year") == pl.max("year").over("company_uuid"))
    # a round of that year without a month can be the latest: the month is then not
    # known
    latest = latest.filter(col("month").is_null() | (col("month") == last))
    month = pl.when(col("month").is_not_null().all().over("company_uuid")).then(last)
    latest = latest.with_columns(month=month).drop("id").rename({"round_type": "type"})
    by = ("company_uuid", "year", "month")
    latest = rows.latest(
        latest, by, count="latest_rounds", texts=("type",), state="amount_state"
    )
    counted = ("company_uuid", "latest_rounds")
    named = pl.exclude(counted).name.prefix("latest_round_")
    latest = latest.select(*counted, named)
    return counts.join(latest, on="company_uuid", how="left")


def _with_posts(
    firms: DataFrame, posts: DataFrame, companies_read: Collection[str] | None
) -> DataFrame:
    """Add how many postings each company has and how many match, the latest day, and
    the newest posting: of those that match, where any does.
    """
    tally = rows.tally("postings", matching=pl.sum("is_match"))
    latest = pl.max("date_posted").alias("latest_posting")
    posts = rows.highest_first(posts, ("is_match", "date_posted", "job_id"))
    newest = {"newest_posting": pl.first("date_posted"), "newest_url": pl.first("url")}
    groups = posts.group_by("company_uuid", maintain_order=True)
    posts = groups.agg(*tally, latest, **newest)
    return _counted(with_facts(firms, posts), companies_read, "postings", "matching")


def _with_news(
    firms: DataFrame, news: DataFrame, companies_read: Collection[str] | None
) -> DataFrame:
    """Add how many news items each company has, and the latest."""
    latest = pl.max("publish_date").alias("latest_news")
    news = news.group_by("company_uuid").agg(*rows.tally("news"), latest)
    return _counted(with_facts(firms, news), companies_read, "news")


def _counted(
    firms: DataFrame, companies_read: Collection[str] | None, *numbers: str
) -> DataFrame:
    """Set the numbers of a company without a record to zero where its records were
    read.
    """
    is_read = pl.lit(value=True)
    if companies_read is not None:
        is_read = col("company_uuid").is_in([*companies_read])
    zero = pl.when(is_read).then(pl.lit(0, pl.Int64))
    return firms.with_columns(col(numbers).fill_null(zero))


def _with_rounds(
    firms: DataFrame, rounds: DataFrame, requested: Collection[str]
) -> DataFrame:
    """Add the rounds of each company where they were requested."""
    firms = with_facts(firms, rounds)
    is_asked = col("company_uuid").is_in([*requested])
    cases = [
        (col("rounds_dated") > 0, "records_returned"),
        (col("rounds_returned") > 0, "records_without_a_date"),
        (is_asked, "no_records_returned"),
    ]
    state = rows.first_that_holds(cases, otherwise="not_asked")
    firms = firms.with_columns(rounds=state, last_round=_LAST_ROUND)
    numbers = col("rounds_returned", "rounds_dated").fill_null(0)
    return firms.with_columns(pl.when(col("rounds") != "not_asked").then(numbers))


def _recent(ranking: DataFrame, seen: dt.date | None) -> DataFrame:
    """The companies with a dated round, those with a fresh one and hiring first."""
    months = pl.lit(None, pl.Int64)
    if seen:
        years = seen.year - col("latest_round_year")
        months = years * 12 + (seen.month - col("latest_round_month"))
    is_hiring = (col("postings") > 0) | (col("open_jobs_count").fill_null(0) > 0)
    recent = ranking.filter(col("rounds") == "records_returned")
    recent = recent.with_columns(months_since_round=months.cast(pl.Int64))
    # a round is fresh since the same month a year before
    is_fresh = col("months_since_round").is_between(0, 12) & is_hiring
    recent = recent.with_columns(is_fresh=is_fresh)
    return rows.highest_first(recent.select(_RECENT), ("is_fresh", "latest_posting"))


_RECENT = (
    "company_uuid",
    "company_name",
    "website_domain",
    "latest_round_year",
    "latest_round_month",
    "latest_round_type",
    "latest_round_amount",
    "latest_round_amount_state",
    "currency",
    "months_since_round",
    "is_fresh",
    "latest_posting",
    "postings",
    "open_jobs_count",
)


def _role_companies(posts: DataFrame) -> DataFrame:
    """A row per family and company with a match."""
    named = posts.drop_nulls("families")
    family = col("families").str.split("; ").alias("family")
    named = named.select(*_COMPANY_OF, family).explode("family")
    groups = named.group_by("family", *_COMPANY_OF, maintain_order=True)
    pairs = groups.agg(*rows.tally("postings"))
    pairs = pairs.sort("family", maintain_order=True)  # two sorts take half the time
    return rows.highest_first(pairs, "postings")


def _roles(pairs: DataFrame, role_words: Mapping[str, Sequence[str]]) -> DataFrame:
    """A row per role, also one without a match; a family has its keywords."""
    texts = [", ".join(ROLES.get(role, _OWN_WORDS)) for role in role_words]
    roles = DataFrame({"family": [*role_words], "keywords": texts})
    postings = pl.sum("postings")
    counts = pairs.group_by("family").agg(postings, *rows.tally("companies"))
    roles = roles.join(counts, on="family", how="left").fill_null(0)
    return rows.highest_first(roles, "postings", "family")


def _statuses(ranking: DataFrame) -> tuple[tuple[str | None, int], ...]:
    """How many companies have each status, most first; those without one last."""
    groups = ranking.group_by("company_status").agg(*rows.tally("companies"))
    return tuple(rows.unknown_last(groups, "company_status", "companies").rows())


def _with_most(firms: DataFrame, column: str) -> tuple[tuple[str | None, int], ...]:
    """Up to three companies that have more than all the others."""
    ahead = firms.filter(is_ahead(column))
    ahead = rows.highest_first(ahead, (column, "postings"))
    return tuple(ahead.select("company_name", column).rows())


def _newest(posts: DataFrame) -> tuple[str | None, ...]:
    """The companies of the latest postings; of all, where none is dated."""
    is_latest = col("date_posted").eq_missing(pl.max("date_posted"))
    latest = posts.filter(is_latest).unique("company_uuid", maintain_order=True)
    return tuple(latest["company_name"])


def _coverage(ranking: DataFrame, posts: DataFrame) -> DataFrame:
    companies = ranking.with_columns(col("postings", "news").replace(0, None))
    requested = ranking.filter(col("rounds") != "not_asked")
    rounds = [name for name in ranking.columns if name.startswith("latest_round_")]
    rounds.remove("latest_round_amount_state")
    facts = [*list(_COMPANY)[2:], "postings", "news"]
    recorded = rows.coverage("company", companies, facts)
    recorded += rows.coverage("company with rounds shown", requested, rounds)
    recorded += rows.coverage("posting", posts, ("title", "date_posted", "families"))
    return DataFrame(recorded, rows.COVERAGE, orient="row")
