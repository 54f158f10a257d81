"""What is true of the hiring of some companies."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from tests.pages.oracle import firms
from tests.pages.questions import Question
from tests.pages.worlds import REGION, Row, World

_TITLES: Final = {
    "Sales": {"Sales Manager", "Account Executive"},
    "gardener": {"Gardener"},
    "pilot": set[str](),
}
"""The titles of a generated world that a role is found in."""
_ROLE_WORDS: Final = {
    "Sales": "the role family “sales”",
    "gardener": "the word “gardener”",
    "pilot": "the word “pilot”",
}
_WITHOUT_FAMILY: Final = {"Gardener"}
_FAMILIES: Final = {
    "sales": {"Sales Manager", "Account Executive"},
    "design": {"Product Designer"},
    "engineering, any": {"Software Engineer"},
    "software": {"Software Engineer"},
    "data and AI": {"Data Scientist"},
    "science and research": {"Data Scientist"},
}


_TAGGED: Final = ("tags", "any_tags")


def chosen(world: World, question: Question) -> list[Row]:
    """The companies with the tags and the place, before any condition."""
    tags, any_of = (set(question.subject.get(name, ())) for name in _TAGGED)
    town = question.subject.get("location")
    return [
        company
        for company in world["companies"]
        if tags <= firms.tagged(company)
        and (not any_of or any_of & firms.tagged(company))
        and (town is None or firms.row(company)["City"] == town)
    ]


def truth(world: World, question: Question) -> dict[str, Any]:
    """The facts of a study of hiring."""
    scope = chosen(world, question)
    companies = [one for one in scope if firms.meets(one, question.conditions)]
    roles = question.subject.get("roles") or ()
    records = [_record(one, world, roles) for one in companies]
    asked = _ranked(records)[: question.subject.get("rounds_of", 25)]
    for record in asked:
        record.update(_latest(record["company"], world))
    postings = [job for record in records for job in record["jobs"]]
    chosen_posts = [job for job in postings if _is_match(job, roles)]
    named = {record["uuid"]: record["name"] for record in records}
    role_words = " or ".join(_ROLE_WORDS[role] for role in roles)
    posted = [
        (job["entity_id"], job["date_posted"])
        for job in (chosen_posts if roles else postings)
    ]
    newest_at, newest = firms.highest((named[uuid], day) for uuid, day in posted)
    matchers = {job["entity_id"] for job in postings if _is_match(job, roles)}
    statuses = Counter(one["company_status"] for one in companies)
    with_posts = [one for one in records if one["postings"]]
    dated = [one for one in asked if one.get("year")]
    flags = [one["is_hiring"] for one in companies]
    open_jobs = [one["open_jobs"] for one in records if one["open_jobs"] is not None]
    most_open, most_open_jobs = firms.highest(
        (one["name"], one["open_jobs"]) for one in records
    )
    return firms.funding(companies) | {
        "subject": subject(question),
        "first_list": "companies",
        "first_read": len(companies),
        "counted": firms.counted(
            population(question), question.conditions, world.currency
        ),
        "companies": len(companies),
        "flag_known": sum(flag is not None for flag in flags),
        "flag_unknown": flags.count(None),
        "flagged": flags.count(True),
        "asked_flag": any(name == "is_hiring" for name, *_ in question.conditions),
        "jobs_known": len(open_jobs),
        "open_jobs": sum(open_jobs),
        "with_jobs": sum(many > 0 for many in open_jobs),
        "most_open": most_open if most_open_jobs else set(),
        "tops_open": _tops(records, "open_jobs"),
        "tops_matching": _tops(records, "matching"),
        "postings": len(postings),
        "with_posts": len(with_posts),
        "without_posts": len(companies) - len(with_posts),
        "posters": {one["name"] for one in with_posts},
        "matching": len(chosen_posts),
        "beyond_jobs": sum(many > 0 for many in open_jobs) - 10,
        "beyond_match": sum(one["matching"] > 0 for one in records) - 10,
        "beyond_roles": len(matchers) - 10,
        "beyond_recent": sum(one["latest_posting"] is not None for one in dated) - 10,
        "family": _families(postings, roles),
        "with_match": sum(one["matching"] > 0 for one in records),
        "matchers": {one["name"] for one in records if one["matching"]},
        "role_words": role_words,
        "looked_for": role_words or "a role family",
        "ranked_by": _ranked_by(records),
        "in_family": sum(_is_match(job, roles) for job in postings),
        "newest": newest,
        "newest_at": newest_at,
        "newest_count": len({uuid for uuid, day in posted if newest and day == newest}),
        "undated": sum(job["date_posted"] is None for job in chosen_posts or postings),
        "unlike": sum(
            one["open_jobs"] not in (None, one["postings"]) for one in records
        ),
        "posts_not_flagged": sum(
            one["company"]["is_hiring"] is False for one in with_posts
        ),
        "operational": statuses["operational"],
        "other_statuses": tuple(
            f"{many} {name or 'without a status'}"
            for name, many in statuses.items()
            if name != "operational"
        ),
        "jobs_read": bool(world["jobs"]),
        "with_news": sum(
            any(one["uuid"] in item["entity_ids"] for item in world["news"])
            for one in companies
        ),
        "rounds_asked": len(asked),
        "rounds_dated": len(dated),
        "rounds_undated": sum(bool(one["rounds"]) and not one["year"] for one in asked),
        "rounds_several": sum(one["latest_rounds"] > 1 for one in asked),
        "rounds_foreign": sum(one["is_foreign"] for one in asked),
        "rounds_and_total": sum(
            one["amount"] is not None and one["total"] is not None for one in asked
        ),
        "rounds_above": sum(
            one["amount"] is not None
            and one["total"] is not None
            and one["amount"] > one["total"] * 1.000001
            for one in asked
        ),
        "fresh": sum(one["is_fresh"] is True for one in dated),
        "fresh_known": sum(one["is_fresh"] is not None for one in dated),
        "recents": sum(one["latest_posting"] is not None for one in dated),
        "recent": [one for one in dated if one["latest_posting"] is not None],
        "dated_without_posting": sum(one["latest_posting"] is None for one in dated),
        "firm": records,
        "place": firms.by(companies, lambda one: firms.row(one)["City"]),
        "drop": firms.dropped(scope, question.conditions, world.currency),
        "tables": {
            "ranking": {
                one["uuid"]: firms.row(one["company"])
                | {
                    "Open jobs": one["open_jobs"],
                    "Postings": one["postings"] if world["jobs"] else None,
                    "Hiring flag": one["company"]["is_hiring"],
                }
                for one in records
            },
            "postings": {
                str(job["id"]): {"Posted": job["date_posted"], "Title": job["title"]}
                for job in (chosen_posts if roles else postings)
            },
        },
    }


def _tops(records: Sequence[dict[str, Any]], name: str) -> tuple[str, ...]:
    """Up to three companies that have more than all the others, with their numbers."""
    numbers = sorted((one[name] or 0 for one in records), reverse=True)
    bar = numbers[3] if len(numbers) > 3 else 0
    ahead = [one for one in records if (one[name] or 0) > bar]
    return tuple(f"{one['name']} ({one[name]})" for one in ahead)


def _ranked_by(records: Sequence[dict[str, Any]]) -> str:
    """What the companies are ordered by first: what any of them has."""
    words = {"matching": "matching postings", "open_jobs": "open jobs"}
    words |= {"postings": "postings", "total": "total funding"}
    found = (
        word
        for name, word in words.items()
        if any(
            one[name] is not None if name == "total" else one[name] for one in records
        )
    )
    return next(found, "name")


def subject(question: Question) -> str:
    """The tags and the place, as a title has them."""
    town = question.subject.get("location")
    any_of = " or ".join(question.subject.get("any_tags", ()))
    place = f"{town}, {REGION}" if town else ""
    return " · ".join(filter(None, [*question.subject["tags"], any_of, place]))


def population(question: Question) -> str:
    """The tags and the place, each with its type."""
    tags, any_of = (
        [f"{tag} (technology)" for tag in question.subject.get(name, ())]
        for name in _TAGGED
    )
    parts = [f"tagged {' and '.join(tags)}"] if tags else []
    if any_of:
        parts.append(f"tagged {' or '.join(any_of)}")
    if town := question.subject.get("location"):
        parts.append(f"with headquarters in {town}, {REGION} (city)")
    return " ".join(["companies", *[", ".join(parts)][: len(parts)]])


def _families(postings: Sequence[Row], roles: Sequence[str]) -> list[dict[str, Any]]:
    """The postings of each role, and at how many companies they are."""
    titles = {role.lower(): _TITLES[role] for role in roles} or _FAMILIES
    families = list[dict[str, Any]]()
    for name, own in titles.items():
        matching = [job for job in postings if job["title"] in own]
        at = {job["entity_id"] for job in matching}
        families.append({"name": name, "postings": len(matching), "companies": len(at)})
    return families


def _is_match(job: Row, roles: Sequence[str]) -> bool:
    if not roles:
        return job["title"] not in _WITHOUT_FAMILY
    return any(job["title"] in _TITLES[role] for role in roles)


def _record(company: Row, world: World, roles: Sequence[str]) -> dict[str, Any]:
    jobs = [job for job in world["jobs"] if job["entity_id"] == company["uuid"]]
    days = [job["date_posted"] for job in jobs if job["date_posted"]]
    matching = sum(_is_match(job, roles) for job in jobs) if roles else 0
    return {
        "uuid": company["uuid"],
        "name": company["name"],
        "company": company,
        "total": firms.value(company, "total_funding"),
        "open_jobs": company["open_jobs_count"],
        "jobs": jobs,
        "postings": len(jobs),
        "matching": matching,
        "latest_posting": max(days, default=None),
    }


def _ranked(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Most matching postings first, then most open jobs, most postings, most funding."""

    def place(record: dict[str, Any]) -> tuple[Any, ...]:
        many = record["open_jobs"]
        order = -record["matching"], many is None, -(many or 0), -record["postings"]
        total = record["total"]
        least = total is None, -(total or 0)
        return (*order, *least, record["name"], record["uuid"])

    return sorted(records, key=place)


def ranked(world: World, companies: Sequence[Row]) -> list[str]:
    """The UUIDs of companies in the order of the ranking without roles."""
    records = [_record(company, world, ()) for company in companies]
    return [record["uuid"] for record in _ranked(records)]


def _latest(company: Row, world: World) -> dict[str, Any]:
    """The rounds of a company, and the latest dated one where it is known which."""
    rounds = [
        one for one in world["funding_rounds"] if one["company_uuid"] == company["uuid"]
    ]
    year = max((one["year"] for one in rounds if one["year"]), default=None)
    of_year = [one for one in rounds if one["year"] == year] if year else []
    last = max((one["month"] for one in of_year if one["month"]), default=None)
    latest = [one for one in of_year if one["month"] in (None, last)]
    months = {one["month"] for one in latest}
    month = last if None not in months else None
    only = latest[0] if len(latest) == 1 else None
    is_foreign = only is not None and only["amount_currency"] == "XAF"
    amount = None if only is None or is_foreign else only["amount"]
    since = firms.months_since(year, month)
    jobs = [job for job in world["jobs"] if job["entity_id"] == company["uuid"]]
    is_hiring: bool | None = bool(jobs or company["open_jobs_count"])
    if not is_hiring and not world["jobs"]:
        is_hiring = None
    return {
        "rounds": len(rounds),
        "year": year,
        "month": month,
        "day": year and f"{year}{'' if month is None else f'-{month:02}'}",
        "latest_rounds": len(latest),
        "amount": amount,
        "is_foreign": is_foreign,
        "is_fresh": _is_fresh(since, is_hiring),
        "since": since,
    }


def _is_fresh(since: int | None, is_hiring: bool | None) -> bool | None:
    """Whether the round is of the last twelve months, of a company that is hiring."""
    is_recent = None if since is None else 0 <= since <= 12
    if False in (is_recent, is_hiring):
        return False
    return None if None in (is_recent, is_hiring) else True
