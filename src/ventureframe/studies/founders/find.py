"""What is recorded of founders: earlier posts, education, further companies.

A post or an education entry belongs to one organisation by its identifier, else to a
name as it is recorded, folded as `matching` folds names. A founder's own company is no
earlier employer of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

import narwhals as nw
import polars as pl
from polars import DataFrame, col

from ventureframe.display.wording import Count, listed
from ventureframe.errors import UnsupportedValue
from ventureframe.evidence import rows
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.rows import Frame, Rows
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin
from ventureframe.matching.names import name_key
from ventureframe.studies.founders import words
from ventureframe.studies.founders.study import (
    EDUCATION,
    FIELD,
    LISTED,
    NAMED,
    POST,
    TITLED,
    UNIVERSITY,
    Counts,
    Study,
)
from ventureframe.studies.ranks import most, placed

if TYPE_CHECKING:
    from ventureframe.client.lookups import University

_COMPANY = {
    "company_uuid": pl.String,
    "company_name": pl.String,
    "launch_date": pl.Int64,
    "company_status": pl.String,
}
_PAIR = {"company_uuid": pl.String, "founder_uuid": pl.String}
_FOUNDER = dict.fromkeys(("founder_uuid", "founder_name", "profile"), pl.String)
_TEXTS = ("organisation_uuid", "organisation", "title", "field")
_YEARS = ("start_year", "end_year")
_ENTRY = {
    "founder_uuid": pl.String,
    "position": pl.Int64,
    **dict.fromkeys(_TEXTS, pl.String),
    **dict.fromkeys(_YEARS, pl.Int64),
}
"""A post or an education entry: `title` is the role or the degree."""
_FIRM = {"company_uuid": "uuid", "company_name": "name"}
_PERSON = {"founder_uuid": "uuid", "founder_name": "name"}
_POST = {"organisation_uuid": "company_uuid", "organisation": "name"}
_STUDY = {
    "organisation_uuid": "university_uuid",
    "organisation": "university_name",
    "title": "degree",
    "field": "major",
}
"""What the frames of companies, founders, posts and education call these columns."""
_OPTIONAL = ("profile", "field", *_YEARS)
"""What whole collections, posts and older pulls do not have."""
_NAME = name_key(col("organisation"))
_GROUP = pl.coalesce("organisation_uuid", _NAME)
"""What makes entries those of one organisation."""
_DEGREE = pl.concat_str("title", "field", separator=", ", ignore_nulls=True)
_CALLED = col("organisation").fill_null("one without a name")
_AS_FOUNDER = r"(?i)(^|[,&/|] *|\band )(co[- ]?)?founder *($|[,&/|(-]| and\b)"
"""The title of a founder, who is no assistant or associate of one."""
_WHOLE = (
    "no service lists founders by their employers: give whole collections to"
    " vf.founders.find(**vf.bulk.open(folder), employer=…)"
)
_SEVERAL = "several organisations have this name: give the UUID of"
_NOWHERE = "no earlier post that was read is there; give its name, or its UUID"


def find(
    *,
    companies: Frame,
    company_founders: Frame,
    founders: Frame,
    education: Frame,
    prior_employers: Frame,
    currency: Currency,
    employer: str | None = None,
    university: University | None = None,
    scope: str = "",
    companies_withheld: Collection[str] = (),
    education_withheld: Collection[str] = (),
    posts_withheld: Collection[str] = (),
    dropped: tuple[Dropped, ...] = (),
    origin: Origin | None = None,
    **unread: Frame,
) -> Study:
    """The study of the founders of some companies over flat frames of any library or
    engine; nothing is fetched.

    Row order and repeated rows change nothing. Whole collections are first narrowed on
    the engine of their frames.

    Parameters
    ----------
    companies, company_founders, founders : frame
        The companies; company_uuid and founder_uuid; the founders returned, with the
        address of a profile where the frame has one.
    education, prior_employers : frame
        The founders' entries by founder_uuid and position.
    currency : {"USD", "EUR", "GBP"}
        The currency that a condition on amounts is in.
    employer : str, optional
        Only founders with an earlier post there: its name, or the UUID of its record.
        It takes whole collections, as no service lists founders by employer. Posts with
        its name alone are left out where others carry its identifier.
    university : University, optional
        Only founders with an education entry that carries its UUID.
    scope : str
        What the companies have in common, for titles.
    companies_withheld, education_withheld, posts_withheld : collection of str
        The companies whose founders the service withholds, and the founders whose
        education or earlier posts.
    dropped : tuple of Dropped
        What the conditions on the companies left out.
    origin : Origin, optional
        Says that the frames are whole collections, as `bulk.open` gives them, with
        `unread` frames that are ignored.

    Raises
    ------
    UnsupportedValue
        For an employer without a post, or whose name several organisations have.
    """
    rows.refuse_strangers(unread)
    firms = _select(companies, _COMPANY, _FIRM)
    pairs = rows.lazy(company_founders).select(*_PAIR).drop_nulls()
    people = _select(founders, _FOUNDER, _PERSON)
    posts = _select(prior_employers, _ENTRY, _POST)
    studies = _select(education, _ENTRY, _STUDY)
    chosen = dict[str, str]()
    employer_name = ""
    if university is not None:
        chosen[EDUCATION] = university.uuid
        is_there = nw.col("organisation_uuid") == university.uuid
        alumni = studies.filter(is_there)
        firms, pairs = _of_people(firms, pairs, alumni)
    if employer is not None:
        employer_name, chosen[POST], staff = _employed(posts, employer, origin)
        firms, pairs = _of_people(firms, pairs, staff)
    records, listings, entries = _read(firms, pairs, people, posts, studies)
    frames = _frames(records, listings, entries, chosen)
    has_posts = _state(entries, POST, posts_withheld)
    has_education = _state(entries, EDUCATION, education_withheld)
    frames["founders"] = frames["founders"].with_columns(
        posts=has_posts, education=has_education
    )
    universities = frames["studies"].filter(kind=UNIVERSITY)
    most_employers = most(frames["employers"], "companies", _CALLED)
    most_universities = most(universities, "companies", _CALLED)
    years = frames["founders"].select(rows.median("years_from_study"))
    companies_listed = {*frames["companies"]["company_uuid"]}
    unseen = {*companies_withheld} - companies_listed
    withheld = len(companies_withheld) - len(unseen)
    counts = rows.counted(
        Counts,
        frames,
        companies_withheld=Count(withheld),
        companies_unseen=Count(len(unseen)),
        most_employers=most_employers,
        most_universities=most_universities,
        years=years.item(),
        employer=employer_name,
        university="" if university is None else university.name,
        dropped=dropped,
    )
    return Study.from_words(
        words,
        counts,
        source=origin.source if origin else None,
        subject=scope or counts.subject,
        currency=currency,
        counts=counts,
        frames=frames,
    )


def _select(frame: Frame, columns: Iterable[str], names: Mapping[str, str]) -> Rows:
    """The columns, which the frame can call by other `names`; null for an optional one
    that it lacks.
    """
    records = rows.lazy(frame)
    schema = records.collect_schema()
    selected = dict[str, nw.Expr]()
    for column in columns:
        name = names.get(column, column)
        selected[column] = nw.col(name)
        if name in _OPTIONAL and name not in schema:
            selected[column] = nw.lit(None, nw.String())
    return records.select(**selected)


def _of_people(firms: Rows, pairs: Rows, entries: Rows) -> tuple[Rows, Rows]:
    """Keep the companies and pairs of the founders who have these entries."""
    pairs = pairs.join(entries, on="founder_uuid", how="semi")
    return firms.join(pairs, on="company_uuid", how="semi"), pairs


def _employed(
    posts: Rows, employer: str, origin: Origin | None
) -> tuple[str, str, Rows]:
    """The name of the employer, its group, and the posts that can be there.

    Names are folded here, not on an engine: engines fold a few letters differently.
    """
    if origin is None:
        raise UnsupportedValue(employer, field="employer", reason=_WHOLE)
    groups = posts.group_by("organisation_uuid", "organisation")
    wanted = {"names": groups.agg(posts=nw.len())}
    tables = rows.narrow(wanted, by="giving the posts of fewer founders")
    names = tables["names"].with_columns(group=_GROUP)
    is_named = name_key(pl.lit(employer)) == _NAME
    is_identified = col("group") == employer
    candidates = names.filter(is_named | is_identified)
    name, group = _organisation(candidates, employer)
    spellings = candidates["organisation"].drop_nulls().to_list()
    has_name = nw.col("organisation").is_in(spellings)
    has_id = nw.col("organisation_uuid") == group
    return name, group, posts.filter(has_id | has_name)


def _organisation(candidates: DataFrame, employer: str) -> tuple[str, str]:
    """The name and the group of the only organisation that is meant.

    One with an identifier comes before posts that have its name alone, one spelt so
    before others.
    """
    if candidates.is_empty():
        raise UnsupportedValue(employer, field="employer", reason=_NOWHERE)
    has_id = col("organisation_uuid").is_not_null()
    is_spelt_so = col("organisation") == employer
    for is_stronger in (has_id, is_spelt_so):
        stronger = candidates.filter(is_stronger)
        if stronger.height:
            candidates = stronger
    ordered = rows.highest_first(candidates, "posts", "organisation", "group")
    groups = ordered.unique("group", keep="first", maintain_order=True)
    if groups.height > 1:
        spelt = pl.format("{} ({})", "organisation", "group")
        names = groups.select(spelt).to_series()
        reason = f"{_SEVERAL} {listed(names)}"
        raise UnsupportedValue(employer, field="employer", reason=reason)
    name, group = groups.select("organisation", "group").row(0)
    return name or group, group


def _read(
    firms: Rows, pairs: Rows, people: Rows, posts: Rows, studies: Rows
) -> tuple[DataFrame, DataFrame, DataFrame]:
    """The companies, the pairs of company and founder with both records, and the
    founders' entries.
    """
    pairs = pairs.join(firms, on="company_uuid", how="semi")
    people = people.join(pairs, on="founder_uuid", how="semi")
    companies = rows.distinct(firms, _COMPANY, key=["company_uuid"])
    founders = rows.distinct(people, _FOUNDER, key=["founder_uuid"])
    founders = founders.with_columns(is_returned=True)
    listings = rows.typed(pairs, _PAIR).unique().join(companies, on="company_uuid")
    listings = listings.join(founders, on="founder_uuid", how="left").sort(*_PAIR)
    entries = pl.concat(
        [_entries(posts, people, POST), _entries(studies, people, EDUCATION)]
    )
    return companies.sort("company_uuid"), listings, entries


def _entries(records: Rows, people: Rows, kind: str) -> DataFrame:
    """The entries of these people, each with the group that it belongs to."""
    records = records.join(people, on="founder_uuid", how="semi")
    entries = rows.distinct(records, _ENTRY, key=["founder_uuid", "position"])
    return entries.with_columns(kind=pl.lit(kind), group=_GROUP)


def _frames(
    companies: DataFrame,
    pairs: DataFrame,
    entries: DataFrame,
    chosen: Mapping[str, str],
) -> dict[str, DataFrame]:
    """The findings, and the frames that their numbers are counted in.

    `chosen` is the organisation that founders were chosen by, for a kind of entry:
    neither it nor its name is a finding.
    """
    for kind, group in chosen.items():
        links = _links(pairs, entries).filter(kind=kind, group=group)
        pairs = pairs.join(links, on=[*_PAIR], how="semi")
        companies = companies.join(pairs, on="company_uuid", how="semi")
    frames = {"companies": companies, "pairs": pairs}
    at_own_company = ["founder_uuid", "group", "kind"]
    elsewhere = entries.join(_company_groups(pairs), on=at_own_company, how="anti")
    people = _people(pairs, elsewhere)
    frames["founders"] = people
    links = _links(pairs, entries)
    frames["links"] = links
    groups = [*chosen.values()]
    is_chosen = col("group").is_in(groups)
    names = links.filter(is_chosen).select(_NAME).to_series()
    is_chosen = col("group").is_in([*groups, *names])
    further = links.filter(~is_chosen)
    frames["posts"] = further.filter(kind=POST)
    frames["studied"] = further.filter(kind=EDUCATION)
    frames["employers"] = _ranked(frames["posts"], POST)
    universities = _ranked(frames["studied"], UNIVERSITY)
    subjects = _ranked(_subjects(links), FIELD)
    frames["studies"] = pl.concat([universities, subjects])
    frames["repeat"] = _repeat(pairs, people, elsewhere)
    frames["coverage"] = _coverage(companies, people, entries)
    return frames


def _company_groups(pairs: DataFrame) -> DataFrame:
    """The groups of posts at the founder's own company: its identifier and name."""
    keys = [col("company_uuid"), name_key(col("company_name"))]
    groups = [pairs.select(*_PAIR, group=key) for key in keys]
    return pl.concat(groups).with_columns(kind=pl.lit(POST))


def _links(pairs: DataFrame, entries: DataFrame) -> DataFrame:
    """A row per company, founder and entry, without posts at the company itself."""
    at_own_company = [*_PAIR, "group", "kind"]
    links = pairs.join(entries, on="founder_uuid")
    links = links.join(_company_groups(pairs), on=at_own_company, how="anti")
    by = ("company_name", "company_uuid", "founder_name", "founder_uuid")
    return links.sort(*by, "kind", "position", nulls_last=True)


def _people(pairs: DataFrame, elsewhere: DataFrame) -> DataFrame:
    """A row per founder: companies, what is recorded, and the years to the first
    founding.
    """
    groups = pairs.group_by(*_FOUNDER, "is_returned")
    companies = rows.tally("companies")
    names = rows.joined(col("company_name"))
    year = pl.min("launch_date")
    people = groups.agg(*companies, company_names=names, first_founded=year)
    worked = elsewhere.filter(kind=POST).group_by("founder_uuid")
    studied = elsewhere.filter(kind=EDUCATION).group_by("founder_uuid")
    names = rows.joined(col("organisation"))
    last = pl.max("end_year")
    employers = worked.agg(employers=names)
    degrees = rows.joined(_DEGREE)
    universities = studied.agg(universities=names, degrees=degrees, last_study=last)
    for recorded in (employers, universities, worked.agg(last_post=last)):
        people = people.join(recorded, on="founder_uuid", how="left")
    from_study = col("first_founded") - col("last_study")
    from_post = col("first_founded") - col("last_post")
    people = people.with_columns(years_from_study=from_study, years_from_post=from_post)
    return rows.highest_first(people, "companies", "founder_name", "founder_uuid")


def _state(entries: DataFrame, kind: str, withheld: Collection[str]) -> pl.Expr:
    """What is recorded of a founder in the entries of a kind."""
    founder = col("founder_uuid")
    entries = entries.filter(kind=kind)
    identified = entries.drop_nulls("organisation_uuid")
    has_identifier = founder.is_in([*identified["founder_uuid"]])
    has_entry = founder.is_in([*entries["founder_uuid"]])
    is_withheld = founder.is_in([*withheld])
    cases = [
        (has_identifier, "recorded"),
        (has_entry, NAMED),
        (is_withheld, "withheld"),
        (col("is_returned"), "not_recorded"),
    ]
    return rows.first_that_holds(cases, otherwise="founder_not_returned")


def _subjects(links: DataFrame) -> DataFrame:
    """The education entries by field of study, which is known by its name alone."""
    studied = links.filter(kind=EDUCATION)
    no_uuid = pl.lit(None, pl.String)
    group = name_key(col("field"))
    return studied.with_columns(
        organisation="field", organisation_uuid=no_uuid, group=group
    )


def _ranked(links: DataFrame, kind: str) -> DataFrame:
    """The groups that several founders share, by their companies, with their ranks."""
    firms = col("company_uuid").n_unique()
    people = col("founder_uuid").n_unique()
    is_shared = people.over("group") > 1
    links = links.drop_nulls("group").filter(is_shared)
    name = col("organisation").drop_nulls().mode().min()
    tally = rows.tally("entries", companies=firms, founders=people)
    groups = links.group_by("group", "organisation_uuid").agg(name, *tally)
    places = placed(links, "group").select("group", "place", "share_between")
    groups = groups.join(places, on="group", how="left")
    is_named = col("organisation_uuid").is_null()
    cases = [(is_named, "name as recorded")]
    known_by = rows.first_that_holds(cases, otherwise="identifier")
    groups = groups.with_columns(known_by=known_by, kind=pl.lit(kind))
    by = ("companies", "founders")
    return rows.highest_first(groups, by, "organisation", "group").drop("group")


def _repeat(pairs: DataFrame, people: DataFrame, elsewhere: DataFrame) -> DataFrame:
    """The companies of each founder of several: those that list the founder, then those
    of an earlier post as founder.
    """
    listing = pairs.with_columns(known_by=pl.lit(LISTED))
    is_founder = col("title").str.contains(_AS_FOUNDER)
    titled = elsewhere.filter(is_founder, kind=POST).sort("position")
    titled = titled.unique(["founder_uuid", "group"], keep="first")
    titled = people.join(titled, on="founder_uuid")
    posts = titled.select(
        "founder_uuid",
        "founder_name",
        company_uuid="organisation_uuid",
        company_name="organisation",
        known_by=pl.lit(TITLED),
    )
    every = pl.concat([listing, posts], how="diagonal")
    founded = pl.len().over("founder_uuid").cast(pl.Int64)
    every = every.with_columns(founded=founded)
    several = every.filter(col("founded") > 1)
    by = ("founder_name", "founder_uuid", "launch_date", "company_name", "company_uuid")
    return rows.highest_first(several, "founded", *by)


def _coverage(firms: DataFrame, people: DataFrame, entries: DataFrame) -> DataFrame:
    """How many of the records that were read have each field."""
    coverage = rows.coverage("company", firms, ("launch_date", "company_status"))
    coverage += rows.coverage("founder", people, ["founder_name", "profile"])
    fields = [*_TEXTS[:3], *_YEARS]
    for kind in (POST, EDUCATION):
        of_kind = entries.filter(kind=kind)
        coverage += rows.coverage(kind, of_kind, fields)
    return DataFrame(coverage, rows.COVERAGE, orient="row")
