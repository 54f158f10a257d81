"""What is true of two days of one question: new, gone and changed records."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from tests.pages.facts import plural
from tests.pages.oracle import firms, hiring
from tests.pages.questions import Question
from tests.pages.worlds import EARLIER, Row, World

_COMPARED: Final = {
    "company_status": "status",
    "is_hiring": "hiring flag",
    "total_funding": "total funding",
}
"""The fields that a generated month changes."""
_IN_ORDER: Final = ("total funding", "status", "hiring flag")
_NOUNS: Final = {"companies": "company", "news": "news item"}
_REACH: Final = 0.2
_ROUNDS_OF: Final = 25
"""Of how many companies a study of hiring reads the rounds."""


def truth(world: World, question: Question) -> dict[str, Any]:
    """The facts of a comparison; `result` has those of each kind of record."""
    before = World(world.seed, world.earlier, currency=world.currency)
    of, days = question.subject["of"], (before, world)
    if of == "jobs":
        results = [_records("jobs", days, lambda _: True)]
    else:
        results = [_companies(days, question)]
    if of == "hiring":
        results += _of_companies(days, question)
    if question.is_short:
        results[0]["differences"] -= results[0]["new"]
        results[0] |= {"new": 0, "amounts": []}
    every = sum(one["differences"] for one in results)
    subject, population = of.capitalize(), of
    if of == "hiring":
        subject = f"Hiring signals in {question.subject['tags'][0]}"
        kinds = "companies, jobs, news items and funding rounds"
        population = f"{kinds} ({subject})"
    words = [firms.worded(one, world.currency) for one in question.conditions]
    return results[0] | {
        "before": EARLIER,
        "first_list": of,
        "first_read": results[0]["first"],
        "companies_now": results[0]["second"],
        "rounds_read": min(_ROUNDS_OF, results[0]["second"]),
        "subject": subject,
        "result": results,
        "new_records": _listed(reversed(results), "new"),
        "gone_records": _listed(results, "gone"),
        **_largest(results, world.currency),
        "all_differences": every,
        "any_new": any(one["new"] for one in results),
        "any_gone": any(one["gone"] for one in results),
        "conditions": [] if of == "jobs" else words,
        "counted": firms.counted(
            population, question.conditions, world.currency, "compared by identifier"
        ),
    }


def _chosen(world: World, question: Question) -> list[Row]:
    if question.subject["of"] == "hiring":
        scope = hiring.chosen(world, question)
        return [one for one in scope if firms.meets(one, question.conditions)]
    return firms.of(world, question.conditions)


def _companies(days: tuple[World, World], question: Question) -> dict[str, Any]:
    first, second = (
        {one["uuid"]: one for one in _chosen(world, question)} for world in days
    )
    both = first.keys() & second.keys()
    new = [second[uuid] for uuid in second.keys() - first.keys()]
    fields, changed, unsure = Counter[str](), set[str](), set[str]()
    moves = list[tuple[str, float]]()
    for uuid in both:
        for field, label in _COMPARED.items():
            old, later = (firms.value(each[uuid], field) for each in (first, second))
            if field == "total_funding" and _is_rate(old, later):
                unsure.add(uuid)
            elif old != later:
                changed.add(uuid)
                fields[label] += 1
                if field == "total_funding" and old and later:
                    moves.append((second[uuid]["name"], later - old))
    in_order = [label for label in _IN_ORDER if fields[label]]
    return {
        **_counts("companies", first, second, late=sum(_year(one) for one in new)),
        "amounts": [(one["name"], firms.value(one, "total_funding")) for one in new],
        "moves": moves,
        "changed": len(changed),
        "unsure": len(unsure),
        "unsure_only": len(unsure - changed),
        "same": len(both) - len(changed | unsure),
        "fields": [f"{label} ({fields[label]})" for label in in_order],
        "differences": len(first.keys() ^ second.keys()) + len(changed),
    }


def _year(company: Row) -> bool:
    return company["launch_date"] is not None


def _of_companies(
    days: tuple[World, World], question: Question
) -> list[dict[str, Any]]:
    """The records of the companies that were asked for on both days."""
    asked = [[one["uuid"] for one in _chosen(world, question)] for world in days]
    ranked = [hiring.ranked(world, _chosen(world, question))[:25] for world in days]
    both, looked_up = ({*one} & {*other} for one, other in (asked, ranked))
    results = [
        _records("jobs", days, lambda row: row["entity_id"] in both),
        _records("news", days, lambda row: both & {*row["entity_ids"]}),
        _records("funding_rounds", days, lambda row: row["company_uuid"] in looked_up),
    ]
    for result, (one, other) in zip(results, (asked, asked, ranked), strict=True):
        result["left_out"] = len({*one} ^ {*other})
    return results


def _records(
    table: str, days: tuple[World, World], is_asked: Callable[[Row], Any]
) -> dict[str, Any]:
    first, second = (
        {row["id"]: row for row in world[table] if is_asked(row)} for world in days
    )
    new = [second[at] for at in second.keys() - first.keys()]
    counts = _counts(
        table.replace("_", " "), first, second, late=sum(map(_is_late, new))
    )
    names = {one["uuid"]: one["name"] for day in days for one in day["companies"]}
    amounts = list[tuple[str, float | None]]()
    if table == "funding_rounds":
        for row in new:
            known = None if row["amount_currency"] == "XAF" else row["amount"]
            amounts.append((names[row["company_uuid"]], known))
    return {
        **counts,
        "amounts": amounts,
        **dict.fromkeys(("changed", "unsure", "unsure_only"), 0),
        "same": counts["both"],
        "differences": counts["new"] + counts["gone"],
    }


def _counts(
    name: str, first: dict[Any, Row], second: dict[Any, Row], late: int
) -> dict[str, Any]:
    return {
        "name": name,
        "noun": _NOUNS.get(name, name.removesuffix("s")),
        "left_out": None,
        "subject": "news items" if name == "news" else name,
        "first": len(first),
        "second": len(second),
        "both": len(first.keys() & second.keys()),
        "new": len(second.keys() - first.keys()),
        "gone": len(first.keys() - second.keys()),
        "late": late,
    }


def _is_late(record: Row) -> bool:
    """Whether a record is dated by the earlier day; a month or year by its last day."""
    if "year" in record:
        end = (record["year"] or 9999, record["month"] or 12)
        return end <= (EARLIER.year, EARLIER.month)
    day = record.get("date_posted") or record.get("publish_date")
    return day is not None and day <= EARLIER


def _is_rate(before: float | None, after: float | None) -> bool:
    """Whether exchange rates alone can have moved the amount so far."""
    if not before or not after or before == after:
        return False
    return abs(math.log(after / before)) <= _REACH


def _listed(results: Iterable[dict[str, Any]], which: str) -> list[str]:
    """The records of all kinds that are new or gone."""
    many = [(one[which], one["noun"]) for one in results if one[which]]
    return [f"{count} {noun if count == 1 else plural(noun)}" for count, noun in many]


def _largest(results: list[dict[str, Any]], currency: str) -> dict[str, Any]:
    """The three largest new rounds; of none the new companies by their totals, and of
    none the totals that moved furthest. What ties with the next is not named.
    """
    first, last = results[0], results[-1]
    choices = [
        ("funding round", last["amounts"] if last["noun"] == "funding round" else []),
        ("total funding", first["amounts"] if first["noun"] == "company" else []),
        ("moves", first.get("moves", [])),
    ]
    noun, known = "", list[tuple[str, float]]()
    for noun, amounts in choices:  # noqa: B007
        known = sorted(
            ((name, value) for name, value in amounts if value),
            key=lambda pair: (-abs(pair[1]), pair[0]),
        )
        if known:
            break
    top = known[:3]
    if len(known) > len(top):
        top = [one for one in top if abs(one[1]) > abs(known[3][1]) * (1 + 1e-12)]
    texts = [[name, _money(abs(value), currency)] for name, value in top]
    if noun == "moves":
        for text, (_, value) in zip(texts, top, strict=True):
            text[1] = f"{'down' if value < 0 else 'up'} {text[1]}"
    return {
        "largest_of": noun if top else "",
        "largest": [f"{name} ({amount})" for name, amount in texts],
    }


def _money(value: float, currency: str) -> str:
    size = abs(value)
    short = f"{size / 1e6:.3g}m" if size >= 999_500 else f"{size:,.0f}"
    return f"{currency} {'−' if value < 0 else ''}{short}"
