"""Companies that meet conditions, what each condition leaves out, and their totals."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import eq, ge, le
from statistics import median
from typing import Any, Final

from tests.pages.facts import names
from tests.pages.questions import Condition
from tests.pages.worlds import COUNTRY, DAY, SECTORS, TAGS, TOWNS, Row, World

Facts = dict[str, Any]
_HOW: Final[dict[str, Callable[[Any, Any], Any]]] = {"gte": ge, "lte": le, "eq": eq}
_LABELS: Final = {
    "launch_date": "founding year",
    "total_funding": "total funding",
    "company_status": "status",
    "is_hiring": "hiring flag",
    "signal_rating": "signal rating",
    "signal_timing": "timing signal",
    "signal_team": "team signal",
}


def value(company: Row, name: str) -> Any:
    """A company's value; a total in a currency without a rate is not known."""
    if name == "total_funding" and company["total_funding_currency"] == "XAF":
        return None
    return company[name]


def meets(company: Row, conditions: Iterable[Condition]) -> bool:
    """Whether the company meets every condition; one without a value meets none."""
    for name, how, wanted in conditions:
        recorded = value(company, name)
        if recorded is None or not _HOW[how](recorded, wanted):
            return False
    return True


def dropped(
    companies: Sequence[Row], conditions: Sequence[Condition], currency: str
) -> list[Facts]:
    """What each condition leaves out of the companies that meet all others."""
    drops = list[Facts]()
    for condition in conditions:
        name = condition[0]
        others = [one for one in conditions if one != condition]
        before = [company for company in companies if meets(company, others)]
        recorded = [one for one in before if value(one, name) is not None]
        inside = [company for company in before if meets(company, [condition])]
        drops.append(
            {
                "field": name,
                "label": _LABELS[name],
                "words": worded(condition, currency),
                "before": len(before),
                "is_counted": name != "company_status",
                "unrecorded": len(before) - len(recorded),
                "recorded": len(recorded),
                "outside": len(recorded) - len(inside),
                "inside": len(inside),
                "left_out": len(before) - len(inside),
            }
        )
    return drops


def worded(condition: Condition, currency: str) -> str:
    """The condition in words, as they follow the companies."""
    name, how, wanted = condition
    if name == "launch_date":
        return f"founded {'since' if how == 'gte' else 'until'} {wanted}"
    if name == "is_hiring":
        return "flagged as hiring" if wanted else "flagged as not hiring"
    if name == "company_status":
        return f"whose status is {wanted}"
    most = "at least" if how == "gte" else "at most"
    amount = f"{currency} {wanted:,.0f}" if name == "total_funding" else f"{wanted:.0f}"
    return f"with {_LABELS[name]} of {most} {amount}"


def counted(
    population: str, conditions: Iterable[Condition], currency: str, *further: str
) -> tuple[str, ...]:
    """The parts of the line that says what is counted: population and conditions."""
    words = [*(worded(one, currency) for one in conditions), *further]
    if population.endswith("companies"):
        population = " ".join([population, *words[:1]])
        del words[:1]
    return tuple(names(", ".join([population, *words])))


def placed(company: Row) -> str | None:
    """The country of its headquarters."""
    return COUNTRY if company["hq_location"] in TOWNS else None


def tagged(company: Row) -> set[str]:
    """Its tags by label."""
    return {(*TAGS, *SECTORS)[number - 1] for number in company["tag_id"]}


def sectors(companies: Sequence[Row]) -> list[Facts]:
    """The companies of each sector, one of several in each; without one: not tagged."""
    groups = dict[str, list[Row]]()
    for company in companies:
        for name in tagged(company) & {*SECTORS} or {"sector not recorded"}:
            groups.setdefault(name, []).append(company)
    return [
        {"name": name, "companies": len(group)}
        | funding(group)
        | {"median": _median(group)}
        for name, group in groups.items()
    ]


def _median(companies: Sequence[Row]) -> float | None:
    totals = [value(company, "total_funding") for company in companies]
    known = [amount for amount in totals if amount is not None]
    return median(known) if known else None


def highest(items: Iterable[tuple[Hashable, Any]]) -> tuple[set[Any], Any]:
    """All that share the largest of the values that are known, and that value."""
    known = [(item, amount) for item, amount in items if amount is not None]
    most = max((amount for _, amount in known), default=None)
    return {item for item, amount in known if amount == most}, most


def funding(companies: Sequence[Row]) -> Facts:
    """How many totals are known, their sum, the largest, and what ten of them hold."""
    totals = [(one["name"], value(one, "total_funding")) for one in companies]
    known = sorted((amount for _, amount in totals if amount), reverse=True)
    leaders, most = highest(totals)
    total = math.fsum(known) if known else None
    ten = math.fsum(known[:10])
    return {
        "funding_known": len(known),
        "funding_unknown": len(companies) - len(known),
        "funding_total": total,
        "funding_total_exact": total and f"{total:,.2f}".removesuffix(".00"),
        "leaders": leaders,
        "leader_count": sum(amount == most for _, amount in totals) if known else 0,
        "most": most,
        "held_by_ten": share(ten, total or 0),
    }


def share(part: float, whole: float) -> str:
    """A part in whole per cent."""
    percent = 100 * part / whole if whole else 0.0
    if 0 < percent < 1:
        return "under 1 %"
    return "over 99 %" if 99 < percent < 100 else f"{percent:.0f} %"


def by(companies: Sequence[Row], group: Callable[[Row], Any]) -> list[Facts]:
    """How many companies each group has, how many totals are known and their sum."""
    counts = Counter(map(group, companies))
    return [
        {"name": name, "companies": many}
        | funding([one for one in companies if group(one) == name])
        for name, many in counts.items()
    ]


def row(company: Row) -> Facts:
    """What a table shows of a company, by the beginning of the column's heading."""
    return {
        "Company": company["name"],
        "Total funding": value(company, "total_funding"),
        "Founded": company["launch_date"],
        "Status": company["company_status"],
        "Country": placed(company),
        "City": TOWNS.get(company["hq_location"]),
    }


def of(world: World, conditions: Sequence[Condition]) -> list[Row]:
    """The companies of a world that meet conditions."""
    return [one for one in world["companies"] if meets(one, conditions)]


def months_since(year: int | None, month: int | None) -> int | None:
    """Whole months from a month to that of the data."""
    if year is None or month is None:
        return None
    return (DAY.year - year) * 12 + DAY.month - month
