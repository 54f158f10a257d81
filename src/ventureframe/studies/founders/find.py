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
from ventureframe.interface import fields
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
    Most,
    Study,
)
from ventureframe.studies.ranks import placed

if TYPE_CHECKING:
    from ventureframe.client.lookups import University

_COMPANY = rows.schema(
    fields.COMPANIES, "uuid", "name", "launch_date", "company_status"
)
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
_NAMES = {
    "founders": {"founder_uuid": "uuid", "founder_name": "name"},
    POST: {"organisation_uuid": "company_uuid", "organisation": "name"},
    EDUCATION: {
        "organisation_uuid": "university_uuid",
        "organisation": "university_name",
        "title": "degree",
        "field": "major",
    },
}
"""What the frames call these columns."""
_OPTIONAL = ("profile", "field", *_YEARS)
"""What whole collections, posts and older pulls do not have."""
_MOST = 3
_AS_FOUNDER = r"(?i)(^|[,&/|] *|\band )(co[- ]?)?founder *($|[,&/|(-]| and\b)"
"""The title of a founder, who is no assistant or associate of one."""
_WHOLE = (
    "no service lists founders by their employers: give whole collections to"
    " vf.founders.find(**vf.bulk.open(folder), employer=…)"
)
_SEVERAL = "several organisations have this name: give the UUID of"
_NOWHERE = "no earlier post that was read is there; give its name, or its UUID"
Lazy = Mapping[str, Rows]


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
    **others: Frame,
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
        `others` that are not read.

    Raises `UnsupportedValue` for an employer without a post, or whose name several
    organisations have.
    """
    rows.refuse_strangers(others)
    frames = {
        "companies": rows.lazy(companies).select(*_COMPANY),
        "pairs": rows.lazy(company_founders).select(*_PAIR).drop_nulls(),
        "founders": _select(founders, _FOUNDER, _NAMES["founders"]),
        EDUCATION: _select(education, _ENTRY, _NAMES[EDUCATION]),
        POST: _select(prior_employers, _ENTRY, _NAMES[POST]),
    }
    name, left_out = "", list[str]()
    if university is not None:
        is_here = nw.col("organisation_uuid") == university.uuid
        frames = _of_people(frames, frames[EDUCATION].filter(is_here))
        left_out.append(university.uuid)
    if employer is not None:
        name, is_there, group = _employed(frames[POST], employer, origin)
        frames = _of_people(frames, frames[POST].filter(is_there))
        left_out.append(group)
    firms, pairs, entries = _read(frames)
    links = _links(pairs, entries)
    if employer is not None:
        there = links.filter(kind=POST, group=group)
        kept = (part.join(there, on=[*_PAIR], how="semi") for part in (pairs, links))
        pairs, links = kept
        firms = firms.join(pairs, on="company_uuid", how="semi")
    people = _people(pairs, entries).with_columns(
        posts=_state(entries, POST, posts_withheld),
        education=_state(entries, EDUCATION, education_withheld),
    )
    found = {
        "companies": firms,
        "pairs": pairs,
        "founders": people,
        "links": links,
        "repeat": _repeat(pairs, links),
        "coverage": _coverage(firms, people, entries),
        **_organisations(links, left_out),
    }
    counts = rows.counted(
        Counts,
        found,
        companies_withheld=Count(len(companies_withheld)),
        most_employers=_most(found["employers"]),
        most_universities=_most(found["studies"].filter(kind=UNIVERSITY)),
        years=people.select(rows.quartile("years_from_study")).item(),
        employer=name,
        university="" if university is None else university.name,
        dropped=dropped,
    )
    return Study.told(
        words,
        counts,
        source=None if origin is None else origin.source,
        subject=scope or counts.subject,
        currency=currency,
        counts=counts,
        frames=found,
    )


def _select(frame: Frame, columns: Iterable[str], named: Mapping[str, str]) -> Rows:
    """The columns, those `named` otherwise in the frame; null for one that few have."""
    read = rows.lazy(frame)
    known = read.collect_schema()
    chosen = dict[str, nw.Expr]()
    for name in columns:
        own = named.get(name, name)
        is_there = own in known or own not in _OPTIONAL
        chosen[name] = nw.col(own) if is_there else nw.lit(None, nw.String())
    return read.select(**chosen)


def _employed(
    posts: Rows, employer: str, origin: Origin | None
) -> tuple[str, nw.Expr, str]:
    """The name of an employer, posts that can be there, and the group of those that are.

    Names are folded here, not on an engine: engines fold a few letters differently. One
    with an identifier comes before posts that have its name alone, one spelt so before
    others.
    """
    if origin is None:
        raise UnsupportedValue(employer, field="employer", reason=_WHOLE)
    spelt = posts.group_by("organisation_uuid", "organisation").agg(posts=nw.len())
    read = rows.narrow({"names": spelt}, by="giving the posts of fewer founders")
    named = read["names"].with_columns(group=_GROUP)
    is_so = name_key(col("organisation")) == name_key(pl.lit(employer))
    own = named.filter(is_so | (col("group") == employer))
    if own.is_empty():
        raise UnsupportedValue(employer, field="employer", reason=_NOWHERE)
    has_id = col("organisation_uuid").is_not_null()
    strength = 2 * has_id + (col("organisation") == employer)
    strongest = own.filter(strength == strength.max())
    ordered = rows.highest_first(strongest, "posts", "organisation", "group")
    groups = ordered.unique("group", keep="first", maintain_order=True)
    if groups.height > 1:
        each = groups.select(pl.format("{} ({})", "organisation", "group"))
        reason = f"{_SEVERAL} {listed(each.to_series())}"
        raise UnsupportedValue(employer, field="employer", reason=reason)
    name, group = groups.select("organisation", "group").row(0)
    has_name = nw.col("organisation").is_in([*own["organisation"].drop_nulls()])
    return name, (nw.col("organisation_uuid") == group) | has_name, group


def _of_people(frames: Lazy, entries: Rows) -> dict[str, Rows]:
    """The frames with the founders of these entries alone, and their companies."""
    people = entries.select("founder_uuid")
    pairs = frames["pairs"].join(people, on="founder_uuid", how="semi")
    firms = pairs.select(uuid="company_uuid")
    companies = frames["companies"].join(firms, on="uuid", how="semi")
    return {**frames, "pairs": pairs, "companies": companies}


def _read(frames: Lazy) -> tuple[DataFrame, DataFrame, DataFrame]:
    """The companies, the pairs of company and founder with both records, and the
    founders' entries with the group that each forms by identifier or name.
    """
    firms = frames["companies"].select(company_uuid="uuid")
    listed_ = frames["pairs"].join(firms, on="company_uuid", how="semi")
    people = frames["founders"].join(listed_, on="founder_uuid", how="semi")
    companies = rows.distinct(frames["companies"], _COMPANY, key=["uuid"])
    companies = companies.rename({"uuid": "company_uuid", "name": "company_name"})
    founders = rows.distinct(people, _FOUNDER, key=["founder_uuid"])
    founders = founders.with_columns(is_returned=True)
    pairs = rows.typed(listed_, _PAIR).unique().join(companies, on="company_uuid")
    entries = list[DataFrame]()
    for kind in (POST, EDUCATION):
        theirs = frames[kind].join(people, on="founder_uuid", how="semi")
        own = rows.distinct(theirs, _ENTRY, key=["founder_uuid", "position"])
        entries.append(own.with_columns(kind=pl.lit(kind), group=_GROUP))
    pairs = pairs.join(founders, on="founder_uuid", how="left")
    return companies.sort("company_uuid"), pairs.sort(*_PAIR), pl.concat(entries)


_GROUP = pl.coalesce("organisation_uuid", name_key(col("organisation")))


def _links(pairs: DataFrame, entries: DataFrame) -> DataFrame:
    """A row per company, founder and entry, without posts at the company itself."""
    links = pairs.join(entries, on="founder_uuid")
    links = links.join(_own(pairs), on=[*_PAIR, "group", "kind"], how="anti")
    by = ("company_name", "company_uuid", "founder_name", "founder_uuid")
    return links.sort(*by, "kind", "position", nulls_last=True)


def _organisations(links: DataFrame, left_out: list[str]) -> dict[str, DataFrame]:
    """The links beside what founders were chosen by, and the organisations ranked."""
    further = links.filter(~col("group").is_in(left_out))
    posts, studied = further.filter(kind=POST), further.filter(kind=EDUCATION)
    majors = links.filter(kind=EDUCATION).with_columns(
        organisation="field",
        organisation_uuid=pl.lit(None, pl.String),
        group=name_key(col("field")),
    )
    return {
        "posts": posts,
        "studied": studied,
        "employers": _ranked(posts, POST),
        "studies": pl.concat([_ranked(studied, UNIVERSITY), _ranked(majors, FIELD)]),
    }


def _own(pairs: DataFrame) -> DataFrame:
    """The groups of posts that are at the founder's company: its identifier and name."""
    keys = [col("company_uuid"), name_key(col("company_name"))]
    own = pl.concat(pairs.select(*_PAIR, group=key) for key in keys)
    return own.with_columns(kind=pl.lit(POST))


def _ranked(links: DataFrame, kind: str) -> DataFrame:
    """The groups that several founders share, by their companies, with their ranks."""
    firms, people = (col(name).n_unique() for name in _PAIR)
    links = links.drop_nulls("group").filter(people.over("group") > 1)
    groups = links.group_by("group", "organisation_uuid").agg(
        col("organisation").drop_nulls().mode().min(),
        *rows.tally("entries", companies=firms, founders=people),
    )
    pairs = links.select(
        "company_uuid",
        university_uuid="group",
        total_funding=pl.lit(None, pl.Float64),
    )
    places = placed(pairs).select("place", "share_between", group="university_uuid")
    is_named = col("organisation_uuid").is_null()
    known_by = (
        pl.when(is_named)
        .then(pl.lit("name as recorded"))
        .otherwise(pl.lit("identifier"))
    )
    groups = groups.join(places, on="group", how="left")
    groups = groups.with_columns(known_by=known_by, kind=pl.lit(kind))
    most_first = ("companies", "founders")
    return rows.highest_first(groups, most_first, "organisation", "group").drop("group")


def _most(ranked: DataFrame) -> Most:
    """The names with most companies: no other has as many as these."""
    is_first = col("companies").rank("max", descending=True) <= _MOST
    names = ranked.filter(is_first).group_by("companies", maintain_order=True)
    return names.agg(col("organisation").fill_null("one without a name")).rows()


def _people(pairs: DataFrame, entries: DataFrame) -> DataFrame:
    """A row per founder: companies, what is recorded, and the years to the first
    founding.
    """
    people = pairs.group_by(*_FOUNDER, "is_returned").agg(
        *rows.tally("companies"),
        company_names=_joined(col("company_name")),
        first_founded=col("launch_date").min(),
    )
    elsewhere = entries.join(
        _own(pairs), on=["founder_uuid", "group", "kind"], how="anti"
    )
    is_post = col("kind") == POST
    recorded = elsewhere.group_by("founder_uuid").agg(
        employers=_joined(col("organisation").filter(is_post)),
        universities=_joined(col("organisation").filter(~is_post)),
        degrees=_joined(_DEGREE.filter(~is_post)),
        last_study=col("end_year").filter(~is_post).max(),
        last_post=col("end_year").filter(is_post).max(),
    )
    people = people.join(recorded, on="founder_uuid", how="left").with_columns(
        years_from_study=col("first_founded") - col("last_study"),
        years_from_post=col("first_founded") - col("last_post"),
    )
    return rows.highest_first(people, "companies", "founder_name", "founder_uuid")


_DEGREE = pl.concat_str("title", "field", separator=", ", ignore_nulls=True)


def _joined(texts: pl.Expr) -> pl.Expr:
    """The different texts of a group, in one."""
    return texts.drop_nulls().unique().sort().str.join("; ").replace("", None)


def _state(entries: DataFrame, kind: str, withheld: Collection[str]) -> pl.Expr:
    """What is recorded of a founder in the entries of a kind."""
    founder, own = col("founder_uuid"), entries.filter(kind=kind)
    identified = own.drop_nulls("organisation_uuid")["founder_uuid"]
    cases = [
        (founder.is_in([*identified]), "recorded"),
        (founder.is_in([*own["founder_uuid"]]), NAMED),
        (founder.is_in([*withheld]), "withheld"),
        (col("is_returned"), "not_recorded"),
    ]
    return rows.first_that_holds(cases, otherwise="founder_not_returned")


def _repeat(pairs: DataFrame, links: DataFrame) -> DataFrame:
    """The companies of each founder of several: those that list the founder, then those
    of an earlier post as founder.
    """
    listing = pairs.with_columns(known_by=pl.lit(LISTED))
    titled = links.filter(col("title").str.contains(_AS_FOUNDER), kind=POST)
    titled = titled.join(_own(pairs), on=["founder_uuid", "group"], how="anti")
    titled = titled.unique(["founder_uuid", "group"], keep="first", maintain_order=True)
    posts = titled.select(
        "founder_uuid",
        "founder_name",
        company_uuid="organisation_uuid",
        company_name="organisation",
        known_by=pl.lit(TITLED),
    )
    every = pl.concat([listing, posts], how="diagonal")
    every = every.with_columns(founded=pl.len().over("founder_uuid").cast(pl.Int64))
    by = ("founder_name", "founder_uuid", "launch_date", "company_name", "company_uuid")
    return rows.highest_first(every.filter(col("founded") > 1), "founded", *by)


def _coverage(firms: DataFrame, people: DataFrame, entries: DataFrame) -> DataFrame:
    """How many of the records that were read have each field."""
    known = rows.coverage("company", firms, [*_COMPANY][2:])
    known += rows.coverage("founder", people, ["founder_name", "profile"])
    for kind in (POST, EDUCATION):
        own = entries.filter(kind=kind)
        known += rows.coverage(kind, own, [*_TEXTS[:3], *_YEARS])
    return DataFrame(known, rows.COVERAGE, orient="row")
