"""What is true of one university's founders and their companies."""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from tests.pages.oracle import firms
from tests.pages.questions import Question
from tests.pages.worlds import DAY, Row, World


def truth(world: World, question: Question) -> dict[str, Any]:
    """The facts of a study of spinouts."""
    university = next(
        one
        for one in world["universities"]
        if one["uuid"] == question.subject["university"]
    )
    return of_university(world, university, question.conditions)


def entry_says(entry: Row, university: Row) -> str:
    """What an entry says of the university: here, candidate, namesake or nothing."""
    if entry["university_uuid"] == university["uuid"]:
        return "here"
    if entry["university_name"] != university["name"]:
        return ""
    return "candidate" if entry["university_uuid"] is None else "namesake"


def state(founder: Row, university: Row) -> str:
    """The strongest that the entries of a founder say."""
    said = {entry_says(entry, university) for entry in founder["education"]}
    kinds = ("here", "candidate", "namesake")
    return next((kind for kind in kinds if kind in said), "")


def of_university(
    world: World, university: Row, conditions: Sequence[Any]
) -> dict[str, Any]:
    """The facts of one university, of the companies that meet the conditions."""
    people = {founder["uuid"]: founder for founder in world["founders"]}

    named = university["name"]

    def is_found(company: Row) -> bool:
        entries = (
            one for uuid in company["founders"] for one in people[uuid]["education"]
        )
        return any(entry["university_name"] == named for entry in entries)

    found = [company for company in world["companies"] if is_found(company)]
    pool = [company for company in found if firms.meets(company, conditions)]
    asked = sorted({uuid for company in pool for uuid in company["founders"]})
    returned = [people[uuid] for uuid in asked if not people[uuid]["is_withheld"]]
    states = {one["uuid"]: state(one, university) for one in returned}

    def status(company: Row) -> str:
        said = {states.get(uuid, "") for uuid in company["founders"]}
        kinds = ("here", "candidate", "namesake")
        return next((kind for kind in kinds if kind in said), "")

    of_status = {company["uuid"]: status(company) for company in pool}
    linked = [company for company in pool if of_status[company["uuid"]] == "here"]
    alumni = [one for one in returned if states[one["uuid"]] == "here"]
    with_education = [one for one in returned if one["education"]]
    spans = _spans(linked, alumni, university)
    known_spans = [span for span in spans if span is not None]
    flags = [one["is_spinout"] for one in pool if one["is_spinout"] is not None]
    years = [one["launch_date"] for one in linked if one["launch_date"] is not None]
    settled = [year for year in years if year < DAY.year - 4]
    peak_years, peak = firms.highest(Counter(map(str, settled)).items())
    counts = {
        status: sum(each == status for each in of_status.values())
        for status in ("here", "candidate", "namesake", "")
    }
    candidates = [one for one in returned if states[one["uuid"]] == "candidate"]
    population = (
        f"companies with a present or former founder who studied at"
        f" {named} (by its identifier)"
    )
    return firms.funding(linked) | {
        "uuid": university["uuid"],
        "university": university["name"],
        "subject": named,
        "found_by": "the university's name as recorded",
        "which": {firms.worded(one, world.currency) for one in conditions},
        "first_list": "companies",
        "first_read": len(pool),
        "counted": firms.counted(population, conditions, world.currency),
        "known": not pool or bool(with_education),
        "named": len(found),
        "pool": len(pool),
        "with_founder": sum(bool(company["founders"]) for company in pool),
        "linked": len(linked),
        "people": len(alumni),
        "candidates": counts["candidate"],
        "not_linked": len(pool) - len(linked),
        "namesakes": counts["namesake"],
        "unclear": counts[""],
        "founders": len(asked),
        "returned": len(returned),
        "not_returned": len(asked) - len(returned),
        "with_education": len(with_education),
        "without_entry": len(returned) - len(with_education),
        "silent": len(asked) - len(with_education),
        "founder_candidates": len(candidates),
        "founder_namesakes": sum(each == "namesake" for each in states.values()),
        "not_namesakes": len(with_education)
        - sum(each == "namesake" for each in states.values()),
        "companies_not_namesakes": sum(bool(company["founders"]) for company in pool)
        - counts["namesake"],
        "pairs": len(spans),
        "spans_known": len(known_spans),
        "span_median": f"{median(known_spans):g}" if known_spans else None,
        "span_low": min(known_spans, default=None),
        "span_high": max(known_spans, default=None),
        "founded_before": sum(span < 0 for span in known_spans),
        "flagged": sum(flags),
        "beyond": firms.funding(linked)["funding_known"] - 10,
        "dated": len(years),
        "first_year": min(years, default=None),
        "last_year": max(years, default=None),
        "settled_to": DAY.year - 5 if len(settled) < len(years) else None,
        "hatched": max(DAY.year - 4, min(years, default=0)),
        "peak_years": peak_years,
        "peak": peak,
        "country_known": sum(firms.placed(one) is not None for one in linked),
        "place": firms.by(linked, firms.placed),
        "year": firms.by(linked, lambda one: one["launch_date"]),
        "sector": firms.sectors(linked),
        "firm": [firms.row(one) | firms.funding([one]) for one in linked],
        "drop": firms.dropped(found, conditions, world.currency),
        "tables": {
            "companies": {one["uuid"]: firms.row(one) for one in linked},
            "pool": {one["uuid"]: firms.row(one) for one in pool},
        },
        "linked_uuids": {one["uuid"] for one in linked},
        "companies_of": linked,
    }


def _spans(
    linked: Sequence[Row], alumni: Sequence[Row], university: Row
) -> list[int | None]:
    """Of each company and founder the years from the last end of study to founding."""
    spans = list[int | None]()
    for company in linked:
        for founder in alumni:
            if founder["uuid"] not in company["founders"]:
                continue
            ends = [
                entry["end_year"]
                for entry in founder["education"]
                if entry_says(entry, university) == "here" and entry["end_year"]
            ]
            founded = company["launch_date"]
            spans.append(founded - max(ends) if ends and founded else None)
    return spans
