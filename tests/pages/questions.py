"""Random questions about a generated world, as plain values, and the study of each."""

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from operator import eq, ge, le
from pathlib import Path
from random import Random
from typing import Any, Final

import polars as pl

import ventureframe as vf
from tests.pages.worlds import FIRMS, TAGS, TOWNS, Row, World, key
from ventureframe.evidence.study import Study

KINDS: Final = (
    "spinouts",
    "hiring",
    "exposure",
    "universities",
    "mine",
    "changes",
    "institutions",
    "founders",
)
Condition = tuple[str, str, Any]
"""A field of companies, how it is compared, and with what."""
_WALKED: Final = ("spinouts", "hiring", "exposure", "founders")
_NUMBERS: Final = {
    "launch_date": (2008, 2012, 2015, 2019, 2025),
    "total_funding": (1e6, 2e6, 5e6),
    "signal_rating": (20.0, 60.0, 80.0),
    "signal_timing": (20.0, 60.0),
    "signal_team": (60.0, 80.0),
}


@dataclass(frozen=True)
class Question:
    """What is asked: a kind of study, its subject, and conditions on companies."""

    kind: str
    subject: Mapping[str, Any] = field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()
    is_short: bool = False
    """Whether a list is said not to be read to its end."""


@dataclass(frozen=True)
class Places:
    """Where a world is served: the service of today and before, and the folders."""

    now: Any
    before: Any
    folder: Path


def ask(seed: int, world: World) -> Question:
    """The question of a seed."""
    random = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    conditions = _conditions(random)
    is_short = random.random() < 0.06
    ask_kind: Any = globals()[f"_{kind}"]
    subject = ask_kind(random, world)
    if kind in ("exposure", "institutions", "mine"):
        conditions = ()
    if subject.get("companies") or "employer" in subject:
        conditions = ()
    is_given = any(subject.get(name) for name in ("unread", "companies", "withheld"))
    is_walk = kind in _WALKED and not (is_given or "employer" in subject)
    can_be_short = is_walk or subject.get("of") in ("companies", "jobs")
    return Question(kind, subject, conditions, is_short and can_be_short)


def _conditions(random: Random) -> tuple[Condition, ...]:
    """None, one or two conditions on different fields."""
    conditions = list[Condition]()
    names = [*_NUMBERS, "is_hiring", *["company_status"] * 3]
    fields = [*dict.fromkeys(random.sample(names, 2))]
    for name in fields[: random.choice([0, 0, 1, 1, 2])]:
        if name in _NUMBERS:
            is_upper = name in ("launch_date", "total_funding") and (
                random.random() < 0.3
            )
            value = random.choice(_NUMBERS[name])
            conditions.append((name, "lte" if is_upper else "gte", value))
        elif name == "is_hiring":
            conditions.append((name, "eq", random.random() < 0.7))
        else:
            conditions.append((name, "eq", random.choice(["operational", "closed"])))
    return tuple(conditions)


def _spinouts(random: Random, world: World) -> Row:
    return {"university": random.choice(world["universities"])["uuid"]}


def _universities(random: Random, world: World) -> Row:
    some = random.sample(world["universities"], random.choice([1, 2, 2, 3, 5, 5]))
    return {"universities": [one["uuid"] for one in some]}


def _institutions(random: Random, world: World) -> Row:
    """Of all founders, or of some only the education is read; some name a university
    only.
    """
    founders = [one["uuid"] for one in world["founders"]]
    some = random.choice([0, 1, 3, len(founders)])
    if random.random() < 0.2:
        founders = [one["uuid"] for one in world["founders"] if not _identified(one)]
    return {"people": random.sample(founders, min(some, len(founders)))}


def _identified(founder: Row) -> bool:
    return any(entry["university_uuid"] for entry in founder["education"])


def _exposure(random: Random, world: World) -> Row:
    """Some LPs; sometimes the managers of one of them cannot be read."""
    lps = random.sample(range(6), random.choice([1, 1, 2, 2, 3, 4, 6]))
    since = random.choice([None, None, 2018, 2024, 2027])
    funds_of = random.choice([None, None, None, 1, 3])
    subject: Row = {"lps": [key("lp", at) for at in lps], "since": since}
    if random.random() < 0.15:
        return {**subject, "funds_of": None, "unread": subject["lps"][0]}
    return {**subject, "funds_of": funds_of, "unread": None}


def _hiring(random: Random, world: World) -> Row:
    weights = [1, 2, 2, 6, 6, 4, 2]
    tags = random.choices(TAGS, weights, k=random.choice([1, 1, 1, 2]))
    return {
        "tags": sorted(set(tags)),
        "location": random.choice([None, None, *TOWNS.values()]),
        "roles": random.choice([(), (), ("Sales",), ("gardener", "pilot")]),
        "rounds_of": random.choice([25, 25, 0, 1, 3]),
        "any_tags": random.choice([(), (), TAGS[2:4], TAGS[3:4], TAGS[4:]]),
    }


def _mine(random: Random, world: World) -> Row:
    """Rows of a list: as recorded, renamed, without a domain, or made up."""
    rows = list[Row]()
    many = random.choice([1, 2, 6, 12])
    some = random.sample(world["companies"], min(many, len(world["companies"])))
    for at, company in enumerate(some):
        name, domain = company["name"], company["website_domain"]
        city = TOWNS.get(company["hq_location"])
        change = random.choice(["none", "renamed", "name", "place", "made up"])
        if change == "renamed":
            name = f"Renamed {at}"
        if change in ("name", "place"):
            domain = None
        if change not in ("place", "renamed"):
            city = None
        if change == "made up":
            name, domain = f"Nobody {FIRMS[at]}", f"nobody{at}.example"
        rows.append({"name": name, "domain": domain, "city": city})
    if random.random() < 0.2:
        rows.append({**random.choice(rows)})
    return {"rows": rows}


def _founders(random: Random, world: World) -> Row:
    """Of companies by tags and place, of a list, of alumni, or of whole collections:
    those of an employer, or with something withheld.
    """
    subject: Row = {"tags": [], "any_tags": (), "location": None}
    how = random.choice(["tags", "tags", "alumni", "alumni", "list", "whole", "whole"])
    if how in ("tags", "alumni"):
        tags = random.choices(TAGS, [2, 2, 2, 6, 6, 4, 2], k=2)
        share = 0.8 if how == "tags" else 0.2
        subject["tags"] = [tags[0]] if random.random() < share else []
        subject["any_tags"] = tags[1:] if random.random() < share / 3 else ()
        subject["location"] = random.choice([None, None, None, *TOWNS.values()])
    if how == "alumni":
        subject["university"] = random.choice(world["universities"])["uuid"]
    if how == "list":
        some = random.sample(world["companies"], random.choice([1, 2, 5]))
        subject["companies"] = [one["uuid"] for one in some]
    if how == "whole":
        subject["withheld"] = _withheld(random, world) if random.random() < 0.4 else {}
        hidden = subject["withheld"].get("posts", ())
        subject["employer"] = random.choice([None, *_employers(world, hidden)])
    return subject


def _employers(world: World, hidden: Collection[str]) -> list[Any]:
    """What an employer is asked for by: the identifiers of some in posts to be read."""
    posts = [
        post
        for one in world["founders"]
        if not one["is_withheld"] and one["uuid"] not in hidden
        for post in one["prior_employers"]
    ]
    return sorted({post["company_uuid"] for post in posts if post["company_uuid"]})[:4]


def _withheld(random: Random, world: World) -> Row:
    """What the service does not show of some companies or founders, or of all."""
    what = random.choice(["companies", "companies", "education", "posts"])
    table = world["companies" if what == "companies" else "founders"]
    if what == "companies" and random.random() < 0.3:
        table = [one for one in table if one["founders"]]
    some = random.sample(table, random.choice([1, 3, len(table)]))
    return {what: [one["uuid"] for one in some]}


def _changes(random: Random, world: World) -> Row:
    """What is compared: companies, or a study of their hiring or of a university."""
    of = random.choice(["companies", "companies", "jobs", "hiring"])
    return {"of": of, "tags": [random.choice(TAGS[3:6])]}


def study(world: World, question: Question, places: Places) -> Study:
    """The study that answers the question."""
    made: Study = globals()[f"_study_{question.kind}"](world, question, places)
    if question.kind == "changes" or not question.is_short:
        return made
    first, *rest = made.fetched
    results = [_short(first), *rest]
    return made.resting_on(places.now.source, *results, question=made.question)


def _short(result: Any) -> Any:
    """The result as one that was not read to its end."""
    walk = dataclasses.replace(result.certificate, verdict="short", reported_last=999)
    return dataclasses.replace(result, certificate=walk)


def _where(conditions: tuple[Condition, ...]) -> list[Any]:
    """The conditions as the filters that a program writes."""
    filters = []
    for name, how, value in conditions:
        member = getattr(vf.company, name)
        compare: Any = {"gte": ge, "lte": le, "eq": eq}[how]
        filters.append(compare(member, value))
    return filters


def _study_spinouts(world: World, question: Question, places: Places) -> Study:
    where, since = [*question.conditions], None
    for condition in question.conditions:
        if condition[:2] == ("launch_date", "gte"):
            where.remove(condition)
            since = condition[2]
    made: Study = getattr(vf, question.kind).study(
        places.now,
        **question.subject,
        since=since,
        where=tuple(_where(tuple(where))),
        currency=world.currency,
    )
    return made


_study_universities = _study_spinouts


def _study_institutions(world: World, question: Question, places: Places) -> Study:
    frames: Any = {**vf.bulk.open(places.folder)}
    some = pl.col("founder_uuid").is_in(question.subject["people"])
    frames["education"] = frames["education"].filter(some)
    currency: Any = world.currency
    return vf.institutions.find(**frames, currency=currency)


def _study_exposure(world: World, question: Question, places: Places) -> Study:
    subject: dict[str, Any] = {**question.subject, "currency": world.currency}
    unread = subject.pop("unread")
    if unread is None:
        return vf.exposure.study(places.now, **subject)
    frames: Any = {**vf.bulk.open(places.folder)}
    chosen = pl.col("uuid").is_in(subject["lps"])
    frames["lps"] = frames["lps"].filter(chosen)
    is_read = pl.col("lp_uuid") != unread
    frames["lp_managers"] = frames["lp_managers"].filter(is_read)
    return vf.exposure.find(
        **frames,
        currency=subject["currency"],
        since=subject["since"],
        failed={unread: "the service has no such record"},
    )


def _study_hiring(world: World, question: Question, places: Places) -> Study:
    return _hiring_on(places.now, world, question)


def _study_founders(world: World, question: Question, places: Places) -> Study:
    if "employer" not in question.subject:
        subject = {**question.subject}
        if not subject.get("companies"):
            subject.pop("companies", None)
        return _of_companies(
            vf.founders, places.now, world, question.conditions, subject
        )
    withheld = question.subject["withheld"]
    frames: Any = {**vf.bulk.open(places.folder)}
    for what, name, uuid in (
        ("companies", "company_founders", "company_uuid"),
        ("education", "education", "founder_uuid"),
        ("posts", "prior_employers", "founder_uuid"),
    ):
        is_hidden = pl.col(uuid).is_in(withheld.get(what, []))
        frames[name] = frames[name].filter(~is_hidden)
    options: Any = {f"{what}_withheld": uuids for what, uuids in withheld.items()}
    options |= {"employer": question.subject["employer"], "currency": world.currency}
    return vf.founders.find(**frames, **options)


def _hiring_on(service: Any, world: World, question: Question) -> Study:
    subject = dict(question.subject)
    subject.pop("of", None)
    return _of_companies(vf.hiring, service, world, question.conditions, subject)


def _of_companies(
    kind: Any,
    service: Any,
    world: World,
    conditions: tuple[Condition, ...],
    subject: Row,
) -> Study:
    """The study of the companies with tags, in a place, that meet conditions."""
    where = list[Condition]()
    town = subject.pop("location", None)
    is_flag_asked = kind is vf.hiring
    for name, how, value in conditions:
        if name == "launch_date":
            subject["founded"] = (value, None) if how == "gte" else (None, value)
        elif name == "signal_rating" or (
            is_flag_asked and name.startswith(("signal", "is_hiring"))
        ):
            subject[name] = value
        elif name == "company_status":
            subject["status"] = value
        else:
            where.append((name, how, value))
    for name in ("tags", "any_tags"):
        subject[name] = [(tag, "technology") for tag in subject.get(name, ())]
    if town:
        subject["location"] = (town, "city")
    subject["where"] = tuple(_where(tuple(where)))
    made: Study = kind.study(service, **subject, currency=world.currency)
    return made


def _study_mine(world: World, question: Question, places: Places) -> Study:
    lines = ["Company\tWebsite\tCity"]
    for row in question.subject["rows"]:
        lines.append("\t".join(row[name] or "" for name in ("name", "domain", "city")))
    return vf.mine.study(places.now, list="\n".join(lines), currency=world.currency)


def _study_changes(world: World, question: Question, places: Places) -> Study:
    both = [_side(each, world, question) for each in (places.before, places.now)]
    if question.is_short:
        both[0] = _short(both[0])
    return vf.changes.compare(*both)


def _side(service: Any, world: World, question: Question) -> Any:
    """What is fetched on one day."""
    of = question.subject["of"]
    if of == "hiring":
        return _hiring_on(service, world, question)
    if of == "jobs":
        return service.jobs.fetch()
    query = service.companies.where(*_where(question.conditions))
    return query.currency(world.currency).fetch()
