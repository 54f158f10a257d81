"""What is true of several universities, and of every institution."""

from typing import Any

from tests.pages.oracle import firms, spinouts
from tests.pages.questions import Question
from tests.pages.worlds import Row, World


def _subject(names: list[str]) -> str:
    """The universities in a headline: both of two, else the first and how many."""
    if len(names) > 2:
        names = [names[0], f"{len(names) - 1} other universities"]
    return " and ".join(names)


def truth(world: World, question: Question) -> dict[str, Any]:
    """The facts of a comparison: `uni` has those of each university."""
    records = {one["uuid"]: one for one in world["universities"]}
    chosen = [records[uuid] for uuid in question.subject["universities"]]
    each = [spinouts.of_university(world, one, question.conditions) for one in chosen]
    companies = _distinct([one for facts in each for one in facts["companies_of"]])
    times = {
        one["uuid"]: sum(one["uuid"] in facts["linked_uuids"] for facts in each)
        for one in companies
    }
    shared = [one for one in companies if times[one["uuid"]] > 1]
    names = [one["name"] for one in chosen]
    for one, facts in zip(chosen, each, strict=True):
        facts["called"] = one["name"]
        if names.count(one["name"]) > 1 and one["website_domain"]:
            facts["called"] = f"{one['name']} ({one['website_domain']})"
        own = facts["linked_uuids"]
        facts["shared"] = sum(one["uuid"] in own for one in shared)
    _ranked(each, "linked", fewest=2)
    return firms.funding(companies) | {
        "universities": len(chosen),
        "others": len(chosen) - 3,
        "third": sorted(facts["linked"] for facts in each)[-_named(len(each)) :][0],
        "subject": _subject([facts["called"] for facts in each]),
        "counted": firms.counted(
            "companies with a present or former founder who studied at any of these"
            " universities, by its identifier",
            question.conditions,
            world.currency,
        ),
        "uni": each,
        "with_company": sum(facts["linked"] > 0 for facts in each),
        "companies": len(companies),
        "shared": len(shared),
        "tables": {
            "companies": {one["uuid"]: firms.row(one) for one in companies},
            "shared": {one["uuid"]: firms.row(one) for one in shared},
            "universities": {
                facts["uuid"]: {
                    "University": facts["called"],
                    "Also at another": facts["shared"],
                }
                for facts in each
            },
        },
        "drop": [drop for facts in each for drop in facts["drop"]],
    }


def _named(many: int) -> int:
    """How many of the universities the answer names."""
    return 3 if many > 4 else many


def _ranked(each: list[dict[str, Any]], name: str, *, fewest: int) -> None:
    """Add the rank of each, of those with equally many all their places; none where
    fewer than so many have any.
    """
    counts = [facts[name] for facts in each if facts[name]]
    for facts in each:
        more = sum(count > facts[name] for count in counts)
        ranks = range(more + 1, more + counts.count(facts[name]) + 1)
        facts["rank"] = ranks if len(counts) >= fewest else None


def _distinct(rows: list[Row]) -> list[Row]:
    return [*{one["uuid"]: one for one in rows}.values()]


def truth_of_every(world: World, question: Question) -> dict[str, Any]:
    """The facts of every institution, of the education entries of some founders."""
    read = set(question.subject["people"])
    of = {one["uuid"]: one for one in world["founders"] if not one["is_withheld"]}
    used = {uuid for company in world["companies"] for uuid in company["founders"]}
    people = [of[uuid] for uuid in sorted(read & used & of.keys())]
    entries = [entry for founder in people for entry in founder["education"]]
    with_id = [entry for entry in entries if entry["university_uuid"]]
    alumni = {
        founder["uuid"]
        for founder in people
        if any(entry["university_uuid"] for entry in founder["education"])
    }
    companies = [one for one in world["companies"] if alumni & set(one["founders"])]
    each = [_institution(one, people, world) for one in world["universities"]]
    with_company = [one for one in each if one["companies"]]
    _ranked(each, "companies", fewest=1)
    names = [one["name"] for one in world["universities"]]
    shared_names = [name for name in names if names.count(name) > 1]
    return firms.funding(companies) | {
        "subject": "Every university",
        "entries": len(entries),
        "with_id": len(with_id),
        "named_only": len(entries) - len(with_id),
        "companies": len(companies),
        "people": len(alumni),
        "most": _most(with_company),
        "named_of_without": sum(
            one["founder_candidates"] > 0 for one in each if not one["companies"]
        ),
        "only_name": with_company[0]["name"] if len(with_company) == 1 else None,
        "institutions": len(each),
        "with_company": len(with_company),
        "without_company": len(each) - len(with_company),
        "with_total": sum(one["funding_known"] > 0 for one in with_company),
        "names_shared": len(shared_names),
        "uni": each,
        "tables": {
            "institutions": {
                one["uuid"]: {
                    "University": one["name"],
                    "Companies": one["companies"],
                    "With a total": one["funding_known"],
                    "Sum of known totals": one["funding_total"],
                }
                for one in each
            }
        },
    }


def _institution(university: Row, people: list[Row], world: World) -> dict[str, Any]:
    own = {
        founder["uuid"]
        for founder in people
        if spinouts.state(founder, university) == "here"
    }
    companies = [one for one in world["companies"] if own & set(one["founders"])]
    called = university["name"]
    if [one["name"] for one in world["universities"]].count(called) > 1:
        called = f"{called} ({university['website_domain']})"
    said = [spinouts.state(founder, university) for founder in people]
    return firms.funding(companies) | {
        "uuid": university["uuid"],
        "name": called,
        "companies": len(companies),
        "people": len(own),
        "founder_candidates": said.count("candidate"),
    }


def _most(institutions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The universities with the most companies, those with equally many together."""
    counts = sorted({one["companies"] for one in institutions}, reverse=True)
    return [
        {
            "companies": count,
            "names": sorted(
                one["name"] for one in institutions if one["companies"] == count
            ),
        }
        for count in counts
    ]
