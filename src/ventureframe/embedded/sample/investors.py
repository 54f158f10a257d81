"""The investors of the invented world: managers with their funds, LPs with their managers."""

from __future__ import annotations

from ventureframe.embedded.sample.invented import WORDS
from ventureframe.embedded.sample.world import AS_OF, Row, World


def add_investors(world: World) -> None:
    """Managers with their funds, then LPs with the managers recorded for them."""
    dice = world.dice
    for firm in WORDS.firms:
        for kind in dice.some(WORDS.firm_kinds, dice.whole(1, 3)):
            world.managers.append(_add_manager(world, f"{firm} {kind}"))
    for manager in world.managers:
        _add_funds(world, manager)
    for name, domain, city, country, count in WORDS.lps:
        lp = world.add(
            "investors",
            uuid=world.uuid("investors"),
            name=name,
            website_domain=domain,
            hq_city=city,
            hq_country=country,
            is_lp=True,
        )
        for manager in dice.some(world.managers[:48], count):
            world.add("lp_managers", lp_uuid=lp["uuid"], manager_uuid=manager["uuid"])


def _add_manager(world: World, name: str) -> Row:
    _, city, country, _ = world.dice.pick(world.cities, world.weights)
    domain = "".join(filter(str.isalnum, name.lower())) + ".example"
    return world.add(
        "investors",
        uuid=world.uuid("investors"),
        name=name,
        website_domain=world.dice.maybe(domain, missing=0.1),
        hq_city=city,
        hq_country=country,
        is_lp=False,
    )


def _add_funds(world: World, manager: Row) -> None:
    """A series of vehicles, each later and larger; some managers have none recorded."""
    dice = world.dice
    if dice.chance(0.15):
        return
    year, size = dice.whole(2004, 2021), dice.between(40, 180)
    currency = dice.pick(("USD", "EUR", "GBP"), (5, 3, 2))
    kind = dice.pick(("Venture Capital", "Private Equity", "Other"), (7, 2, 1))
    for numeral in ("I", "II", "III", "IV", "V")[: dice.whole(1, 5)]:
        if year > AS_OF.year:
            return
        number, day = world.number("funds"), world.day(year, year)
        world.add(
            "funds",
            id=number,
            name=f"{manager['name']} {numeral}",
            manager_uuid=manager["uuid"],
            fund_date=dice.maybe(day, missing=0.04),
            fund_type=dice.maybe(kind, missing=0.06),
            amount=dice.maybe(round(size) * 1e6, missing=0.16),
            amount_currency=currency,
            is_closed=dice.maybe(year < 2024, missing=0.2),
            source_url=dice.maybe(f"https://news.example/funds/{number}", missing=0.2),
        )
        year += dice.whole(2, 4)
        size *= dice.between(1.1, 1.9)
