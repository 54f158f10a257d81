"""What is true of a list of companies held against the records."""

from collections import Counter
from typing import Any

from tests.pages.oracle import firms
from tests.pages.questions import Question
from tests.pages.worlds import TOWNS, Row, World

_SHOWN = {"domain": "website", "name and place": "name and city"}


def truth(world: World, question: Question) -> dict[str, Any]:
    """The facts of a study of a list."""
    rows = question.subject["rows"]
    graded = [_graded(row, rows, world["companies"]) for row in rows]
    entries = Counter((_key(row), row["domain"]) for row in rows)
    grades = Counter(grade for grade, _ in graded)
    used = {company["uuid"]: company for _, company in graded if company}
    companies = [*used.values()]
    renamed = [
        company["name"]
        for row, (grade, company) in zip(rows, graded, strict=True)
        if grade == "domain" and company and _key(row) != _key(company)
    ]
    people = {one["uuid"]: one for one in world["founders"] if not one["is_withheld"]}
    asked = {uuid for company in companies for uuid in company["founders"]}
    read = [people[uuid] for uuid in asked if uuid in people]
    alone = sum(grade == "domain" and not company for grade, company in graded)
    by_website, by_place = grades["domain"] - alone, grades["name and place"]
    ways = {"website": by_website, "name and city": by_place}

    def is_linked(company: Row) -> bool:
        entries = (
            entry
            for uuid in company["founders"]
            if uuid in people
            for entry in people[uuid]["education"]
        )
        return any(entry["university_uuid"] for entry in entries)

    posting = Counter(job["entity_id"] for job in world["jobs"])
    hiring = [
        one
        for one in companies
        if one["is_hiring"] or posting[one["uuid"]] or one["open_jobs_count"]
    ]
    to_decide = grades["name only"] + grades["several"] + alone
    bars = Counter((grade, company is None) for grade, company in graded)
    return firms.funding(companies) | {
        "subject": "My list",
        "rows": len(rows),
        "repeated": sum(many > 1 for many in entries.values()),
        "by_website": by_website,
        "matched": by_website + by_place,
        "matched_by_name": by_website + by_place - len(renamed),
        "ways": tuple(f"{many} by {how}" for how, many in ways.items() if many),
        "to_decide": to_decide,
        "not_found": grades["not found"],
        "renamed": len(renamed),
        "site_alone": alone,
        "grade": [
            {"name": _SHOWN.get(name, name), "rows": many}
            for (name, _), many in bars.items()
        ],
        "companies": len(companies),
        "flagged": sum(one["is_hiring"] is True for one in companies),
        "flag_known": sum(one["is_hiring"] is not None for one in companies),
        "hiring": len(hiring),
        "with_posts": sum(posting[one["uuid"]] > 0 for one in companies),
        "with_jobs": sum(bool(one["open_jobs_count"]) for one in companies),
        "postings": sum(posting[one["uuid"]] for one in companies),
        "open_jobs": sum(one["open_jobs_count"] or 0 for one in companies),
        "asked": len(asked),
        "read": len(read),
        "with_education": sum(bool(one["education"]) for one in read),
        "linked": sum(map(is_linked, companies)),
        "tables": {"companies": {one["uuid"]: firms.row(one) for one in companies}},
    }


def _key(row: Row) -> str:
    """A name as it is joined: in lower case, without blanks."""
    return str(row["name"]).lower().replace(" ", "")


def _graded(row: Row, rows: list[Row], companies: list[Row]) -> tuple[str, Row | None]:
    """The grade of a row, and the company that is used."""
    domain, city = row["domain"], row["city"]
    by_site = [one for one in companies if domain and one["website_domain"] == domain]
    by_name = [one for one in companies if _key(one) == _key(row)]
    if len(by_site) == 1:
        return "domain", by_site[0] if _is_alike(row, by_site[0]) else None
    in_place = [
        one for one in by_name if city and TOWNS.get(one["hq_location"]) == city
    ]
    domains = {each["domain"] for each in rows if _key(each) == _key(row)}
    if len(in_place) == 1 and len(domains) == 1 and _is_spelt(in_place[0], domain):
        return "name and place", in_place[0]
    if not by_name:
        return "not found", None
    return ("name only" if len(by_name) == 1 else "several"), None


def _is_alike(row: Row, company: Row) -> bool:
    """Whether the name or the city agrees."""
    town = TOWNS.get(company["hq_location"])
    return _key(row)[:4] == _key(company)[:4] or (bool(town) and town == row["city"])


def _is_spelt(company: Row, domain: str | None) -> bool:
    """Whether no known domain speaks against the name."""
    known = company["website_domain"]
    if domain or known is None or len(_key(company)) > 10:
        return domain is None
    return bool(known.partition(".")[0] == _key(company))
