"""What is true of some LPs, the managers that they back and those managers' funds."""

from collections.abc import Iterable
from typing import Any

from tests.pages.oracle import firms
from tests.pages.questions import Question
from tests.pages.worlds import Row, World


def size(fund: Row) -> float | None:
    """A fund's size; one in a currency without a rate is not known."""
    amount: float | None = fund["amount"]
    return None if fund["amount_currency"] == "XAF" else amount


def truth(world: World, question: Question) -> dict[str, Any]:
    """The facts of a study of LPs."""
    named = {one["uuid"]: one["name"] for one in world["investors"]}
    chosen, since = question.subject["lps"], question.subject["since"]
    backs = {
        lp: {
            link["manager_uuid"]
            for link in world["lp_managers"]
            if link["lp_uuid"] == lp
        }
        for lp in chosen
    }
    unread = question.subject["unread"]
    if unread:
        backs[unread] = set()
    managers = set[str]().union(*backs.values())
    many = {uuid: sum(uuid in each for each in backs.values()) for uuid in managers}
    order = sorted(managers, key=lambda uuid: (-many[uuid], uuid))
    asked = order[: question.subject["funds_of"]]
    funds = [
        fund
        for fund in world["funds"]
        if fund["manager_uuid"] in asked and _is_since(fund, since)
    ]
    owners = {fund["manager_uuid"] for fund in funds}
    with_dated = len({one["manager_uuid"] for one in funds if one["fund_date"]})
    shared = {uuid for uuid in managers if many[uuid] > 1}
    most = max(many.values(), default=0)
    _, largest_size = firms.highest((one["name"], size(one)) for one in funds)
    of_largest = [one for one in funds if size(one) == largest_size]
    lps = sorted(
        (
            {
                "name": named[lp],
                "managers": None if lp == unread else len(backs[lp]),
                "shared": len(backs[lp] & shared),
                "with_funds": len(backs[lp] & owners),
            }
            for lp in chosen
        ),
        key=lambda one: (one["managers"] is None, -(one["managers"] or 0), one["name"]),
    )
    latest = [
        _latest([one for one in funds if one["manager_uuid"] == uuid]) for uuid in asked
    ]
    return {
        "lps": len(chosen),
        "unread": int(unread is not None),
        "lp": lps,
        "other_lp": lps,
        "subject": _subject([one["name"] for one in lps]),
        "backs": _listed(
            f"{one['name']} backs {one['managers']}" for one in lps if one["managers"]
        ),
        "managers_of": "that manager" if len(managers) == 1 else "any of the managers",
        "lps_with_managers": sum(bool(each) for each in backs.values()),
        "managers": len(managers),
        "shared": len(shared),
        "not_shared": len(managers) - len(shared),
        "shared_names": {named[uuid] for uuid in shared},
        "most_shared_by": most,
        "most_shared": {named[uuid] for uuid in managers if many[uuid] == most},
        "most_shared_count": sum(each == most for each in many.values()),
        "first_list": "investors",
        "first_read": sum(map(len, backs.values())),
        "beyond": len(managers) - 30,
        "beyond_shared": len(shared) - 30,
        "beyond_dated": with_dated - 30,
        "without_dated": len(managers) - with_dated,
        "asked": len(asked),
        "not_asked": len(managers) - len(asked),
        "with_funds": len(owners),
        "without_funds": len(asked) - len(owners),
        "since": since,
        "funds": len(funds),
        "sized": sum(size(one) is not None for one in funds),
        "unsized": sum(size(one) is None for one in funds),
        "foreign": sum(one["amount_currency"] == "XAF" for one in funds),
        "dated": sum(one["fund_date"] is not None for one in funds),
        "undated": sum(one["fund_date"] is None for one in funds),
        "largest_size": largest_size,
        "largest_count": len(of_largest) if largest_size else 0,
        "largest_named": {
            f"{one['name']} of {named[one['manager_uuid']]}" for one in of_largest
        },
        "latest_several": sum(each > 1 for each in latest),
        "manager": [
            {
                "name": named[uuid],
                "lps": many[uuid],
                "funds": sum(one["manager_uuid"] == uuid for one in funds),
                "timeline": _timeline(
                    [one for one in funds if one["manager_uuid"] == uuid],
                    world.currency,
                ),
            }
            for uuid in order
        ],
        "tables": {
            "managers": {
                uuid: {"Manager": named[uuid], "LPs": many[uuid]} for uuid in managers
            },
            "lps": {lp: {"LP": named[lp]} for lp in chosen},
        },
    }


def _listed(parts: Iterable[str]) -> str:
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _subject(names: list[str]) -> str:
    """Up to three LPs by name, those of most managers first."""
    if len(names) <= 3:
        return _listed(names)
    return f"{names[0]} and {len(names) - 1} other LPs"


def _is_since(fund: Row, since: int | None) -> bool:
    return since is None or (_year(fund) or 0) >= since


def _year(fund: Row) -> int | None:
    day = fund["fund_date"]
    return None if day is None else int(day.year)


def _timeline(funds: list[Row], currency: str) -> str:
    """The latest three dated funds, each with its day and size in words."""
    dated = [one for one in funds if one["fund_date"]]
    dated.sort(key=lambda one: (-one["fund_date"].toordinal(), -one["id"]))
    texts = []
    for fund in dated[:3]:
        day = fund["fund_date"]
        when = f"{day.year}" if day.month == 1 else f"{day.day} {day:%b %Y}"
        amount = size(fund)
        held = "size not recorded" if fund["amount"] is None else "size not convertible"
        if amount is not None:
            held = f"{currency} {amount / 1e6:g}m"
        texts.append(f"{fund['name']} {when} {held}")
    return ", ".join(texts)


def _latest(funds: list[Row]) -> int:
    """How many funds can be the latest; one of 1 January is of some day of its year."""
    days = [fund["fund_date"] for fund in funds if fund["fund_date"]]
    last = max(days, default=None)
    if last is None:
        return 0
    return sum(day == last or day == last.replace(month=1, day=1) for day in days)
