"""The companies of the invented world, with their rounds, news and jobs."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

from tests.service.sample.founders import add_founders
from tests.service.sample.world import AS_OF, FIRST_YEAR, WORDS, Row, World

_YEARS: Final = range(FIRST_YEAR, AS_OF.year + 1)
_BY_YEAR: Final = (*range(8, 7 + len(_YEARS)), 8)
"""How many companies are founded in each year, by weight."""


def add_companies(world: World, count: int) -> None:
    """So many companies with their founders, rounds, news and jobs."""
    names: set[str] = set()
    for number in range(count):
        _add_company(world, number, names)


def _add_company(world: World, number: int, names: set[str]) -> None:
    city = world.row("locations")
    drawn = [world.row("tags") for _ in range(world.whole(0, 4))]
    tags = {tag["id"]: tag["label"] for tag in drawn}
    labels = list(tags.values())
    name = _name(world, number, labels, names)
    letters = "".join(
        each for each in name.lower() if each.isascii() and each.isalnum()
    )
    launch = world.pick(_YEARS, _BY_YEAR)
    founders = add_founders(world, launch)
    status = world.pick(("operational", "acquired", "closed", None), (78, 10, 9, 3))
    has_spinouts = any((each["first"]["spinout_count"] or 0) > 30 for each in founders)
    is_spinout = world.maybe(world.chance(0.22 if has_spinouts else 0.05), missing=0.25)
    is_hiring = world.maybe(
        status == "operational" and world.chance(0.55), missing=0.12
    )
    team = world.between(8, 96)
    tagline = f"{labels[0] if labels else 'New tools'} for {world.pick(WORDS.buyers)}"
    domain = f"{letters or 'company'}{number if number % 9 == 0 else ''}.example"
    company = world.add(
        "companies",
        name=name,
        tagline=world.maybe(tagline, missing=0.2),
        website_domain=world.maybe(domain, missing=0.08),
        launch_date=world.maybe(launch, missing=0.08),
        team_size=world.maybe(world.whole(1, 12) * world.whole(1, 30), missing=0.25),
        company_status=status,
        is_startup=world.maybe(launch >= 2014 and status == "operational", missing=0.1),
        is_spinout=is_spinout,
        hq_location=world.maybe(city["id"], missing=0.05),
        signal_rating=world.maybe(round(world.between(0.5, 1) * team, 1), missing=0.12),
        signal_timing=world.maybe(round(world.between(0, 100), 1), missing=0.15),
        signal_team=world.maybe(round(team, 1), missing=0.15),
        is_hiring=is_hiring,
        tag_id=list(tags),
        founders=[founder["uuid"] for founder in founders],
    )
    _add_rounds(world, company, launch, city["currency"])
    _add_news(world, company, launch, city["name"])
    _add_jobs(world, company, city["name"])


def _name(world: World, number: int, labels: Sequence[str], names: set[str]) -> str:
    if number % 150 == 7 and number // 150 < len(WORDS.odd_companies):
        return str(WORDS.odd_companies[number // 150])
    words = [word for label in labels for word in WORDS.by_tag.get(label, ())]
    while True:
        stem = "".join(map(world.pick, (WORDS.stems, WORDS.middles, WORDS.ends)))
        word = world.pick(words or WORDS.words)
        name = f"{stem} {word}" if world.chance(0.7) else stem
        if name not in names or world.chance(0.02):
            names.add(name)
            return name


def _add_rounds(world: World, company: Row, launch: int, currency: str) -> None:
    """Rounds from seed on; the company's total is their sum where one is recorded."""
    managers = [
        investor for investor in world.rows["investors"] if not investor["is_lp"]
    ]
    year, total = launch + world.whole(0, 2), 0.0
    if world.chance(0.3):
        return
    for stage, size in WORDS.stages[: world.pick((1, 2, 3, 4, 5), (45, 28, 15, 8, 4))]:
        if year > AS_OF.year:
            break
        share = world.between(0.3, 1) * world.between(0.3, 1) * 2.4 * size
        native = round(share * WORDS.units.get(currency, 1), 1) * 1e6
        amount = world.maybe(native, missing=0.12)
        month = world.whole(1, 6 if year == AS_OF.year else 12)
        investors = [each["uuid"] for each in world.some(managers, world.whole(1, 4))]
        world.add(
            "funding_rounds",
            company_uuid=company["uuid"],
            year=world.maybe(year, missing=0.02),
            month=world.maybe(month, missing=0.05),
            round_type=world.maybe(stage, missing=0.03),
            amount=amount,
            amount_currency=currency if amount is not None else None,
            investors=world.maybe(investors, missing=0.2),
        )
        total += amount or 0.0
        year += world.whole(1, 3)
    if total and not world.chance(0.1):
        company.update(total_funding=total, total_funding_currency=currency)


def _add_news(world: World, company: Row, launch: int, city: str) -> None:
    for _ in range(world.pick((0, 1, 2, 3, 6), (40, 25, 18, 12, 5))):
        others = world.some(
            world.rows["companies"][-40:-1], world.whole(0, 1) * world.whole(0, 2)
        )
        day = world.day(max(launch, 2019), 2026)
        page = f"https://news.example/{world.number('news')}"
        world.add(
            "news",
            title=world.pick(WORDS.headlines).format(company["name"], city),
            publish_date=world.maybe(day, missing=0.03),
            entity_ids=[each["uuid"] for each in (company, *others)],
            url=world.maybe(page, missing=0.05),
            source=world.pick(WORDS.publishers),
        )


def _add_jobs(world: World, company: Row, city: str) -> None:
    """Postings of a hiring company: its count of open roles can be larger, or
    unknown.
    """
    if not company["is_hiring"]:
        company["open_jobs_count"] = world.maybe(0, missing=0.4)
        return
    open_jobs = world.whole(1, 4) * world.whole(1, 6)
    company["open_jobs_count"] = world.maybe(open_jobs, missing=0.1)
    for _ in range(min(open_jobs, world.whole(1, 5))):
        posted = AS_OF - dt.timedelta(days=world.whole(0, 180))
        world.add(
            "jobs",
            title=world.pick(WORDS.roles),
            date_posted=world.maybe(posted, missing=0.04),
            entity_id=company["uuid"],
            url=f"https://jobs.example/{world.number('jobs')}",
            location=world.maybe(city, missing=0.2),
        )
