"""What is true of the founders of some companies: posts, education, companies."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any, Final, NamedTuple

from tests.pages.oracle import firms, hiring
from tests.pages.questions import Question
from tests.pages.worlds import Row, World

_POST, _EDUCATION = "earlier post", "education entry"
_UNIVERSITY, _FIELD = "university", "field of study"
_FOUNDERS: Final = {"Founder", "Co-Founder & CEO"}
"""The titles of a generated world that are a founder's."""
_DRAWN: Final = 10


class Entry(NamedTuple):
    """A post or an education entry of a founder, and what makes it one organisation's."""

    founder: str
    kind: str
    uuid: str | None
    name: str | None
    title: str | None
    field: str | None
    end: int | None
    group: str | None


class Link(NamedTuple):
    """An entry of a founder of a company."""

    company: Row
    entry: Entry


def truth(world: World, question: Question) -> dict[str, Any]:
    """The facts of a study of founders."""
    subject = question.subject
    hidden = subject.get("withheld", {})
    found = _found(world, question)
    pool = [one for one in found if firms.meets(one, question.conditions)]
    people = {one["uuid"]: one for one in world["founders"]}
    shown = {uuid for uuid, one in people.items() if not one["is_withheld"]}
    listed = [
        (company, uuid)
        for company in pool
        if company["uuid"] not in hidden.get("companies", ())
        for uuid in company["founders"]
    ]
    entries = [
        entry
        for uuid in sorted({uuid for _, uuid in listed} & shown)
        for entry in _entries(people[uuid], hidden)
    ]
    chosen, called = _organisation(world, question)
    pairs = [
        (company, uuid)
        for company, uuid in listed
        if chosen is None or _is_there(company, uuid, entries, chosen)
    ]
    companies = pool
    if chosen is not None:
        companies = [one for one in pool if one in [company for company, _ in pairs]]
    own_uuids = {uuid for _, uuid in pairs}
    founders = [_founder(people[uuid], pairs, entries) for uuid in own_uuids]
    for one in founders:
        for kind, what in ((_POST, "posts"), (_EDUCATION, "education")):
            has_entry = any(
                entry.founder == one["uuid"] and entry.kind == kind for entry in entries
            )
            is_hidden = one["uuid"] in hidden.get(what, ())
            silent = "silent" if one["uuid"] in shown else "missing"
            state = "withheld" if is_hidden else silent
            one[what] = "recorded" if has_entry else state
            one["Founder"] = one["Founder"] if one["uuid"] in shown else None
    links = [
        Link(company, entry)
        for company, uuid in pairs
        for entry in entries
        if entry.founder == uuid and not _is_own(entry, company)
    ]
    besides = {None, chosen, _key(called or None)}
    further = [link for link in links if link.entry.group not in besides]
    posts = [link for link in further if link.entry.kind == _POST]
    studied = [link for link in further if link.entry.kind == _EDUCATION]
    fields = [
        Link(
            company,
            entry._replace(uuid=None, name=entry.field, group=_key(entry.field)),
        )
        for company, entry in links
        if entry.kind == _EDUCATION
    ]
    repeated = [one for one in founders if len(one["founded"]) > 1]
    years = [one["Study to founding"] for one in founders]
    known_years = [year for year in years if year is not None]
    withheld = {*hidden.get("companies", ())} & {one["uuid"] for one in companies}
    states = Counter(
        (kind, one[kind]) for one in founders for kind in ("posts", "education")
    )
    works, schools = _shared(posts, _POST), _shared(studied, _UNIVERSITY)
    worked = {link.entry.founder for link in posts}
    identified = {link.entry.founder for link in posts if link.entry.uuid}
    asked = {uuid for _, uuid in listed}
    with_posts = states["posts", "recorded"]
    with_education = states["education", "recorded"]
    return {
        "subject": _subject(world, question, called),
        "first_list": "companies",
        "first_read": len(pool),
        "counted": _counted(world, question, called),
        "chosen": called if chosen else None,
        "is_employer": "employer" in subject and bool(chosen),
        "by_university": "university" in subject,
        "companies": len(companies),
        "companies_withheld": len(withheld),
        "companies_unseen": len({*hidden.get("companies", ())} - withheld),
        "with_founder": len({company["uuid"] for company, _ in pairs}),
        "without_founder": len(companies)
        - len(withheld)
        - len({company["uuid"] for company, _ in pairs}),
        "not_withheld": len(companies) - len(withheld),
        "founders": len(founders),
        "asked": len(asked),
        "returned": len(asked & shown),
        "not_returned": states["posts", "missing"],
        "posts_withheld": states["posts", "withheld"],
        "education_withheld": states["education", "withheld"],
        "with_posts": with_posts,
        "silent": states["posts", "silent"],
        "with_education": with_education,
        "worked": len(worked),
        "identified": len(identified),
        "named": len(worked - identified),
        "studied": len({link.entry.founder for link in studied}),
        "with_employer": len({link.company["uuid"] for link in posts}),
        "with_university": len({link.company["uuid"] for link in studied}),
        "again": sum(len(one["companies"]) > 1 for one in founders),
        "repeated": len(repeated),
        "titled": sum(len(one["companies"]) < 2 for one in repeated),
        "top_works": _tops(works),
        "top_schools": _tops(schools),
        "works": len(works),
        "works_named": sum(one["uuid"] is None for one in works),
        "beyond_works": len(works) - _DRAWN,
        "beyond_schools": len(schools) - _DRAWN,
        "work": works,
        "school": schools,
        "years_known": len(known_years),
        "years": f"{median(known_years):g}" if len(known_years) > 4 else None,
        "drop": firms.dropped(found, question.conditions, world.currency),
        "lines": {
            "employers": [_row(one) for one in works],
            "studies": [_row(one) for one in (*schools, *_shared(fields, _FIELD))],
            "founders": [_shown(one) for one in founders],
            "repeat": [row for one in repeated for row in _further(one)],
            "links": [_evidence(link, people) for link in links],
        },
    }


def _found(world: World, question: Question) -> list[Row]:
    """The companies that are asked for, before any condition."""
    subject = question.subject
    if subject.get("companies"):
        return [
            one for one in world["companies"] if one["uuid"] in subject["companies"]
        ]
    found = hiring.chosen(world, question)
    if "university" in subject:
        _, named = _organisation(world, question)
        of_name = {
            one["uuid"]
            for one in world["founders"]
            if any(entry["university_name"] == named for entry in one["education"])
        }
        found = [one for one in found if of_name & set(one["founders"])]
    return found


def _entries(founder: Row, hidden: Row) -> list[Entry]:
    """The entries of a founder that are shown."""
    uuid, entries = founder["uuid"], list[Entry]()
    if uuid not in hidden.get("posts", ()):
        for post in founder["prior_employers"]:
            own, name, title = post["company_uuid"], post["name"], post["title"]
            group = own or _key(name)
            entries.append(Entry(uuid, _POST, own, name, title, None, None, group))
    if uuid not in hidden.get("education", ()):
        for one in founder["education"]:
            own, name = one["university_uuid"], one["university_name"]
            group, end = own or _key(name), one["end_year"]
            text = one["degree"], one["major"], end
            entries.append(Entry(uuid, _EDUCATION, own, name, *text, group))
    return entries


def _key(name: str | None) -> str | None:
    """A name without its case, blanks and legal form."""
    return name and re.sub(r" ltd$", "", name.lower()).replace(" ", "")


def _organisation(world: World, question: Question) -> tuple[str | None, str]:
    """The identifier that founders are chosen by, and the name that it is called by."""
    if uuid := question.subject.get("university"):
        (one,) = (each for each in world["universities"] if each["uuid"] == uuid)
        return uuid, one["name"]
    uuid = question.subject.get("employer")
    if uuid is None:
        return None, ""
    posts = [
        post
        for one in world["founders"]
        if not one["is_withheld"]
        and one["uuid"] not in question.subject["withheld"].get("posts", ())
        for post in one["prior_employers"]
        if post["company_uuid"] == uuid
    ]
    names = Counter(post["name"] for post in posts)
    most = max(names.values(), default=0)
    (name, *_) = sorted((one or "~" for one, many in names.items() if many == most))
    return uuid, uuid if name == "~" else name


def _is_there(
    company: Row, founder: str, entries: Sequence[Entry], chosen: str
) -> bool:
    """Whether the founder of the company has an entry of the organisation."""
    return any(
        one.founder == founder and one.uuid == chosen and not _is_own(one, company)
        for one in entries
    )


def _is_own(entry: Entry, company: Row) -> bool:
    """Whether a post is at the founder's company itself."""
    own = company["uuid"], _key(company["name"])
    return entry.kind == _POST and entry.group in own


def _founder(
    founder: Row,
    pairs: Sequence[tuple[Row, str]],
    entries: Sequence[Entry],
) -> dict[str, Any]:
    """A founder with companies, what is recorded, and what was founded."""
    uuid = founder["uuid"]
    companies = [company for company, one in pairs if one == uuid]
    own = [one for one in entries if one.founder == uuid]
    elsewhere = [
        one for one in own if not any(_is_own(one, each) for each in companies)
    ]
    posts = [one for one in elsewhere if one.kind == _POST]
    studied = [one for one in elsewhere if one.kind == _EDUCATION]
    first = min(
        (one["launch_date"] for one in companies if one["launch_date"]), default=None
    )
    last = max((one.end for one in studied if one.end), default=None)
    before = {one.group: one for one in reversed(posts) if one.title in _FOUNDERS}
    degrees = (", ".join(filter(None, (one.title, one.field))) for one in studied)
    return {
        "uuid": uuid,
        "companies": companies,
        "founded": [*companies, *before.values()],
        "Founder": founder["name"],
        "Companies": _joined(one["name"] for one in companies),
        "Earlier employers": _joined(one.name for one in posts),
        "Universities": _joined(one.name for one in studied),
        "Degrees": _joined(degrees),
        "Study to founding": first - last if first and last else None,
    }


def _joined(texts: Iterable[str | None]) -> str | None:
    return "; ".join(sorted({text for text in texts if text})) or None


def _shared(links: Sequence[Link], kind: str) -> list[dict[str, Any]]:
    """The organisations that several founders share, with their companies."""
    groups = dict[str, list[Link]]()
    for link in links:
        if link.entry.group:
            groups.setdefault(link.entry.group, []).append(link)
    shared = list[dict[str, Any]]()
    for own in groups.values():
        people = {link.entry.founder for link in own}
        if len(people) < 2:
            continue
        names = Counter(link.entry.name for link in own if link.entry.name)
        most = max(names.values(), default=0)
        name = min((one for one, many in names.items() if many == most), default=None)
        companies = {link.company["uuid"] for link in own}
        shared.append(
            {
                "kind": kind,
                "name": name,
                "uuid": own[0].entry.uuid,
                "companies": len(companies),
                "people": len(people),
            }
        )
    for one in shared:
        above = sum(other["companies"] > one["companies"] for other in shared)
        ties = sum(other["companies"] == one["companies"] for other in shared)
        one["rank"] = range(above + 1, above + ties + 1)
    return shared


def _tops(shared: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Up to three that have more companies than all the others."""
    return tuple(
        f"{one['name'] or 'one without a name'} ({_companies(one['companies'])})"
        for one in shared
        if one["rank"].stop <= 4
    )


def _companies(many: int) -> str:
    return "1 company" if many == 1 else f"{many} companies"


def _row(one: dict[str, Any]) -> firms.Facts:
    """What a table shows of an organisation that is shared."""
    kind, name = one["kind"], one["name"]
    facts = {"Earlier employer": name}
    if kind != _POST:
        facts = {"What": kind, "University or field": name}
    known_by = "identifier" if one["uuid"] else "name as recorded"
    return facts | {
        "Companies": one["companies"],
        "Founders": one["people"],
        "Rank by companies": one["rank"],
        "Known by": known_by,
        "Organisation UUID": one["uuid"],
    }


def _shown(founder: dict[str, Any]) -> firms.Facts:
    facts = {
        name: value for name, value in founder.items() if name.istitle() or " " in name
    }
    return facts | {"Founder UUID": founder["uuid"]}


def _further(founder: dict[str, Any]) -> list[firms.Facts]:
    """The companies of a founder of several."""
    rows = list[firms.Facts]()
    for one in founder["founded"]:
        facts = (
            {"Company UUID": one.uuid, "Company": one.name}
            if isinstance(one, Entry)
            else {
                "Company UUID": one["uuid"],
                "Company": one["name"],
                "Founded": one["launch_date"],
                "Status": one["company_status"],
            }
        )
        is_post = isinstance(one, Entry)
        by = (
            "the title of an earlier post"
            if is_post
            else "the company lists the founder"
        )
        many = len(founder["founded"])
        rows.append(facts | {"Founder UUID": founder["uuid"], "Known by": by})
        rows[-1] |= {"Companies in all": many, "Founder": founder["Founder"]}
    return rows


def _evidence(link: Link, people: dict[str, Row]) -> firms.Facts:
    company, entry = link
    return {
        "Company": company["name"],
        "Founder": people[entry.founder]["name"],
        "Entry": entry.kind,
        "Organisation as recorded": entry.name,
        "Post or degree": entry.title,
        "To": entry.end,
        "Founded": company["launch_date"],
        "Organisation UUID": entry.uuid,
        "Company UUID": company["uuid"],
        "Founder UUID": entry.founder,
    }


def _subject(world: World, question: Question, called: str) -> str:
    """What the title is of."""
    if "employer" in question.subject:
        return (
            f"Founders with an earlier post at {called}" if called else "Every company"
        )
    if question.subject.get("companies"):
        return "The list"
    parts = [hiring.subject(question), called]
    return " · ".join(filter(None, parts)) or "Companies"


def _counted(world: World, question: Question, called: str) -> tuple[str, ...]:
    """The population with the tags, the place or the list, then the conditions."""
    whose = ""
    if called:
        whose = f" with an earlier post at {called},"
        if "university" in question.subject:
            whose = f" who studied at {called},"
    companies = hiring.population(question)
    if question.subject.get("companies"):
        companies = "companies of the given list"
    population = f"present or former founders{whose} of {companies}"
    conditions = sorted(question.conditions, key=lambda one: _order(one[0]))
    return firms.counted(population, conditions, world.currency)


def _order(field: str) -> int:
    """The conditions that a form has stand before others, that on a status last."""
    own = {"launch_date": 0, "signal_rating": 1, "company_status": 3}
    return own.get(field, 2)
