"""What rows of today's wire do not show: it is drawn last, so that all else stays as it
was.

A row shows five current founders, five education entries and five posts. Here are
companies with more founders and with former ones, people whose sixth education entry
is the only one at a university, people with many posts, and founding dates that say
more than a year.
"""

from typing import Final

from tests.service.sample.world import AS_OF, WORDS, Row, World

_SHOWN: Final = 5
"""Entries of a list that a row shows."""


def add_beyond(world: World) -> None:
    """More founders, past roles, long lists and partial dates, in that order."""
    _add_founders(world)
    _add_roles(world)
    for founder in world.rows["founders"]:
        _add_studies(world, founder)
        _add_posts(world, founder)
    for company in world.rows["companies"]:
        company["launch_date_text"] = _date(world, company["launch_date"])


def _add_founders(world: World) -> None:
    """Six to nine founders for one company in a hundred."""
    everyone = [founder["uuid"] for founder in world.rows["founders"]]
    for company in world.rows["companies"]:
        if company["founders"] and world.chance(0.01):
            more = world.some(everyone, world.whole(6, 9) - len(company["founders"]))
            company["founders"] = list(dict.fromkeys([*company["founders"], *more]))


def _add_roles(world: World) -> None:
    """For each founder of each company whether the role is past: one in five, some
    not said.
    """
    for company in world.rows["companies"]:
        is_large = len(company["founders"]) > _SHOWN
        for founder in company["founders"]:
            is_past = world.chance(0.05 if is_large else 0.2)
            world.add(
                "company_founders",
                company_uuid=company["uuid"],
                founder_uuid=founder,
                is_past=is_past or world.maybe(is_past, missing=0.03),
            )


def _add_studies(world: World, founder: Row) -> None:
    """Five entries at one university, then the only one at another, for a few who have
    both.

    No founder is linked to a university that the earlier entries did not name.
    """
    linked = [entry for entry in founder["education"] or () if entry["university_uuid"]]
    if len({entry["university_uuid"] for entry in linked}) < 2 or not world.chance(
        0.06
    ):
        return
    first, *rest = linked
    last = next(
        each for each in rest if each["university_uuid"] != first["university_uuid"]
    )
    later = [
        {
            **first,
            "degree": world.pick(WORDS.degrees),
            "major": world.pick(WORDS.majors),
        }
        for _ in range(_SHOWN - 1)
    ]
    founder["education"] = [*later, first, last]


def _add_posts(world: World, founder: Row) -> None:
    """Earlier posts at companies for one founder in eight, current ones for one in
    five.
    """
    companies = world.rows["companies"]
    if world.chance(0.12):
        count = world.whole(6, 8) if world.chance(0.15) else world.whole(1, 3)
        founder["prior_employers"] = [
            *(founder["prior_employers"] or ()),
            *(
                {
                    "company_uuid": company["uuid"],
                    "name": company["name"],
                    "title": world.pick(WORDS.titles),
                }
                for company in world.some(companies, count)
            ),
        ]
    if world.chance(0.2):
        for position, company in enumerate(world.some(companies, world.whole(1, 2))):
            world.add(
                "career",
                founder_uuid=founder["uuid"],
                position=position,
                company_uuid=company["uuid"],
                title=world.pick(WORDS.titles),
                is_past=False,
                start_date=_date(world, world.whole(2015, AS_OF.year - 1)),
            )


def _date(world: World, year: int | None) -> str | None:
    """The year, for some with a month, for some with a day as well."""
    if year is None:
        return None
    month, day, kind = world.whole(1, 12), world.whole(1, 28), world.whole(0, 3)
    if kind > 1:
        return str(year)
    return f"{year}-{month:02}" if kind else f"{year}-{month:02}-{day:02}"
