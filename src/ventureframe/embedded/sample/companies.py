"""The companies of the invented world, with their rounds, news and jobs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Final

from ventureframe.embedded.sample.founders import Founder, add_founders
from ventureframe.embedded.sample.invented import WORDS
from ventureframe.embedded.sample.world import AS_OF, FIRST_YEAR, Row, World

_UNIT: Final[Mapping[str, float]] = {"SEK": 10, "JPY": 125, "ISK": 140}
_YEARS: Final = tuple(range(FIRST_YEAR, AS_OF.year + 1))
_BY_YEAR: Final = (*(8 + year - FIRST_YEAR for year in _YEARS[:-1]), 8)
"""How many companies are founded in each year, by weight."""


def add_companies(world: World, count: int) -> None:
    """So many companies with their founders, rounds, news and jobs."""
    names: set[str] = set()
    founders: list[Founder] = []
    for number in range(count):
        _add_company(world, number, names, founders)


def _add_company(world: World, number: int, names: set[str], earlier: list[Founder]) -> None:
    dice = world.dice
    place, city, _, currency = dice.pick(world.cities, world.weights)
    tags = _tags(world)
    name = _name(world, number, tags, names)
    launch = dice.pick(_YEARS, _BY_YEAR)
    key = world.uuid("companies")
    founders = add_founders(world, earlier, launch)
    status = dice.pick(("operational", "acquired", "closed", None), (78, 10, 9, 3))
    is_spinout = _spinout_flag(world, founders)
    is_hiring = dice.maybe(status == "operational" and dice.chance(0.55), missing=0.12)
    team = dice.between(8, 96)
    what = WORDS.tags[tags[0]][0] if tags else "New tools"
    company = world.add(
        "companies",
        uuid=key,
        name=name,
        tagline=dice.maybe(f"{what} for {dice.pick(WORDS.buyers)}", missing=0.2),
        website_domain=dice.maybe(_domain(name, number), missing=0.08),
        launch_date=dice.maybe(launch, missing=0.08),
        team_size=dice.maybe(dice.whole(1, 12) * dice.whole(1, 30), missing=0.25),
        company_status=status,
        is_startup=dice.maybe(launch >= 2014 and status == "operational", missing=0.1),
        is_spinout=is_spinout,
        hq_location=dice.maybe(place, missing=0.05),
        total_funding=None,
        total_funding_currency=None,
        signal_rating=dice.maybe(round(dice.between(0.5, 1) * team, 1), missing=0.12),
        signal_timing=dice.maybe(round(dice.between(0, 100), 1), missing=0.15),
        signal_team=dice.maybe(round(team, 1), missing=0.15),
        is_hiring=is_hiring,
        open_jobs_count=None,
        tag_id=[1001 + tag for tag in tags],
        founders=[founder for founder, _ in founders],
    )
    _add_rounds(world, company, launch, currency)
    _add_news(world, company, launch, city)
    _add_jobs(world, company, city)


def _tags(world: World) -> list[int]:
    """The numbers of a company's tags, none to four."""
    weights = [weight for _, _, weight in WORDS.tags]
    numbers = range(len(weights))
    drawn = [world.dice.pick(numbers, weights) for _ in range(world.dice.whole(0, 4))]
    return list(dict.fromkeys(drawn))


def _name(world: World, number: int, tags: Sequence[int], names: set[str]) -> str:
    dice = world.dice
    if number % 150 == 7 and number // 150 < len(WORDS.odd_companies):
        return str(WORDS.odd_companies[number // 150])
    labels = [WORDS.tags[tag][0] for tag in tags]
    words = [word for label in labels for word in WORDS.by_tag.get(label, ())]
    while True:
        stem = dice.pick(WORDS.stems) + dice.pick(WORDS.middles) + dice.pick(WORDS.ends)
        word = dice.pick(words or WORDS.words)
        name = f"{stem} {word}" if dice.chance(0.7) else stem
        if name not in names or dice.chance(0.02):
            names.add(name)
            return name


def _domain(name: str, number: int) -> str:
    letters = "".join(each for each in name.lower() if each.isascii() and each.isalnum())
    return f"{letters or 'company'}{number if number % 9 == 0 else ''}.example"


def _spinout_flag(world: World, founders: Sequence[Founder]) -> bool | None:
    """The flag follows spinning-out universities loosely, and nothing in it names one."""
    counts = [WORDS.universities[number][-1] for _, number in founders]
    is_likely = any(count is not None and count > 30 for count in counts)
    return world.dice.maybe(world.dice.chance(0.22 if is_likely else 0.05), missing=0.25)


def _add_rounds(world: World, company: Row, launch: int, currency: str) -> None:
    """Rounds from seed on; the company's total is their sum where one is recorded."""
    dice = world.dice
    year, total, is_any = launch + dice.whole(0, 2), 0.0, False
    if dice.chance(0.3):
        return
    for stage, size in WORDS.stages[: dice.pick((1, 2, 3, 4, 5), (45, 28, 15, 8, 4))]:
        if year > AS_OF.year:
            break
        amount = dice.between(0.3, 1) * dice.between(0.3, 1) * 2.4 * size
        native = round(amount * _UNIT.get(currency, 1), 1) * 1e6
        known = dice.maybe(native, missing=0.12)
        _add_round(world, company, stage, year, amount=known, currency=currency)
        total += known or 0.0
        is_any = True
        year += dice.whole(1, 3)
    if is_any and total and not dice.chance(0.1):
        company.update(total_funding=total, total_funding_currency=currency)


def _add_round(
    world: World, company: Row, stage: str, year: int, *, amount: float | None, currency: str
) -> None:
    dice = world.dice
    month = dice.whole(1, 6 if year == AS_OF.year else 12)
    investors = dice.some(world.managers, dice.whole(1, 4))
    world.add(
        "funding_rounds",
        id=world.number("funding_rounds"),
        company_uuid=company["uuid"],
        year=dice.maybe(year, missing=0.02),
        month=dice.maybe(month, missing=0.05),
        round_type=dice.maybe(stage, missing=0.03),
        amount=amount,
        amount_currency=currency if amount is not None else None,
        investors=dice.maybe([each["uuid"] for each in investors], missing=0.2),
    )


def _add_news(world: World, company: Row, launch: int, city: str) -> None:
    dice = world.dice
    for _ in range(dice.pick((0, 1, 2, 3, 6), (40, 25, 18, 12, 5))):
        number = world.number("news")
        others = dice.some(world.rows["companies"][-40:-1], dice.whole(0, 1) * dice.whole(0, 2))
        day = world.day(max(launch, 2019), 2026)
        world.add(
            "news",
            id=number,
            title=dice.pick(WORDS.headlines).format(company["name"], city),
            publish_date=dice.maybe(day, missing=0.03),
            entity_ids=[company["uuid"], *(other["uuid"] for other in others)],
            url=dice.maybe(f"https://news.example/{number}", missing=0.05),
            source=dice.pick(WORDS.publishers),
        )


def _add_jobs(world: World, company: Row, city: str) -> None:
    """Postings of a hiring company: its count of open roles can be larger, or unknown."""
    dice = world.dice
    if not company["is_hiring"]:
        company["open_jobs_count"] = dice.maybe(0, missing=0.4)
        return
    open_jobs = dice.whole(1, 4) * dice.whole(1, 6)
    company["open_jobs_count"] = dice.maybe(open_jobs, missing=0.1)
    for _ in range(min(open_jobs, dice.whole(1, 5))):
        number = world.number("jobs")
        posted = AS_OF - dt.timedelta(days=dice.whole(0, 180))
        world.add(
            "jobs",
            id=number,
            title=dice.pick(WORDS.roles),
            date_posted=dice.maybe(posted, missing=0.04),
            entity_id=company["uuid"],
            url=f"https://jobs.example/{number}",
            location=dice.maybe(city, missing=0.2),
        )
