"""What is true of two days of one question: new, gone and changed records."""

import math
from typing import Any, Final

from tests.pages.oracle import firms, hiring
from tests.pages.questions import Question
from tests.pages.worlds import EARLIER, Row, World

_COMPARED: Final = ("company_status", "is_hiring", "total_funding")
"""The fields that a generated month changes."""
_REACH: Final = 0.2


def truth(world: World, question: Question) -> dict[str, Any]:
    """The facts of a comparison; `result` has those of each kind of record."""
    before = World(world.seed, world.earlier, currency=world.currency)
    companies = [_companies(each, question) for each in (before, world)]
    of = question.subject["of"]
    results = list[dict[str, Any]]()
    if of != "jobs":
        results.append(_compared("companies", *companies))
    if of == "jobs":
        results.append(_compared("jobs", before["jobs"], world["jobs"]))
    if of == "hiring":
        both = {one["uuid"] for one in companies[0]} & {
            one["uuid"] for one in companies[1]
        }
        jobs = [
            [job for job in each["jobs"] if job["entity_id"] in both]
            for each in (before, world)
        ]
        results.append(_compared("jobs", *jobs))
    names = {one["uuid"]: one["name"] for each in companies for one in each}
    words = [firms.worded(one, world.currency) for one in question.conditions]
    return results[0] | {
        "before": EARLIER,
        "result": results,
        "firm": [{"name": name} for name in names.values()],
        "conditions": [] if of == "jobs" else words,
    }


def _companies(world: World, question: Question) -> list[Row]:
    if question.subject["of"] == "hiring":
        scope = hiring.chosen(world, question)
        return [one for one in scope if firms.meets(one, question.conditions)]
    return firms.of(world, question.conditions)


def _compared(name: str, old: list[Row], new: list[Row]) -> dict[str, Any]:
    key = "uuid" if name == "companies" else "id"
    first = {row[key]: row for row in old}
    second = {row[key]: row for row in new}
    both = first.keys() & second.keys()
    fields = dict[str, int]()
    changed, unsure = set[Any](), set[Any]()
    for one in both if name == "companies" else ():
        for field in _COMPARED:
            before, after = (firms.value(each[one], field) for each in (first, second))
            if before == after:
                continue
            if field == "total_funding" and _is_rate(before, after):
                unsure.add(one)
            else:
                changed.add(one)
                fields[field] = fields.get(field, 0) + 1
    return {
        "name": name,
        "first": len(first),
        "second": len(second),
        "both": len(both),
        "new": len(second.keys() - first.keys()),
        "gone": len(first.keys() - second.keys()),
        "changed": len(changed),
        "unsure": len(unsure),
        "same": len(both) - len(changed | unsure),
        "totals_changed": fields.get("total_funding", 0),
        "statuses_changed": fields.get("company_status", 0),
        "flags_changed": fields.get("is_hiring", 0),
    }


def _is_rate(before: float | None, after: float | None) -> bool:
    """Whether exchange rates alone can have moved the amount so far."""
    if not before or not after:
        return False
    return abs(math.log(after / before)) <= _REACH
