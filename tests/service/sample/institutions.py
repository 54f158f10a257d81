"""The universities and investors of the invented world: managers with funds, LPs
with managers.
"""

from typing import Final

from tests.service.sample.world import AS_OF, WORDS, Row, World

_UNIVERSITY: Final = (
    "name",
    "website_domain",
    "city",
    "country",
    "weight",
    "spinout_count",
)
_LP: Final = ("name", "website_domain", "hq_city", "hq_country", "count")


def add_universities(world: World) -> None:
    """Universities, without their alumni: founders are counted once they are there."""
    for university in WORDS.universities:
        world.add("universities", **dict(zip(_UNIVERSITY, university, strict=True)))


def add_investors(world: World) -> None:
    """Managers with their funds, then LPs with the managers recorded for them."""
    managers = [
        _add_manager(world, f"{firm} {kind}")
        for firm in WORDS.firms
        for kind in world.some(WORDS.firm_kinds, world.whole(1, 3))
    ]
    for manager in managers:
        _add_funds(world, manager)
    for words in WORDS.lps:
        lp = world.add("investors", **dict(zip(_LP, words, strict=True)), is_lp=True)
        for manager in world.some(managers[:48], lp["count"]):
            world.add("lp_managers", lp_uuid=lp["uuid"], manager_uuid=manager["uuid"])


def _add_manager(world: World, name: str) -> Row:
    city = world.row("locations")
    domain = "".join(filter(str.isalnum, name.lower())) + ".example"
    return world.add(
        "investors",
        name=name,
        website_domain=world.maybe(domain, missing=0.1),
        hq_city=city["name"],
        hq_country=city["country"],
        is_lp=False,
    )


def _add_funds(world: World, manager: Row) -> None:
    """A series of vehicles, each later and larger; some managers have none recorded."""
    if world.chance(0.15):
        return
    year, size = world.whole(2004, 2021), world.between(40, 180)
    currency = world.pick(("USD", "EUR", "GBP"), (5, 3, 2))
    kind = world.pick(("Venture Capital", "Private Equity", "Other"), (7, 2, 1))
    for numeral in ("I", "II", "III", "IV", "V")[: world.whole(1, 5)]:
        if year > AS_OF.year:
            return
        page = f"https://news.example/funds/{world.number('funds')}"
        day = world.day(year, year)
        world.add(
            "funds",
            name=f"{manager['name']} {numeral}",
            manager_uuid=manager["uuid"],
            fund_date=world.maybe(day, missing=0.04),
            fund_type=world.maybe(kind, missing=0.06),
            amount=world.maybe(round(size) * 1e6, missing=0.16),
            amount_currency=currency,
            is_closed=world.maybe(year < 2024, missing=0.2),
            source_url=world.maybe(page, missing=0.2),
        )
        year += world.whole(2, 4)
        size *= world.between(1.1, 1.9)
