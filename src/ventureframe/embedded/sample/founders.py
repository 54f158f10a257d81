"""The universities and founders of the invented world, with what founders studied where."""

from __future__ import annotations

from collections import Counter
from typing import Final

from ventureframe.embedded.sample.invented import WORDS
from ventureframe.embedded.sample.world import Row, World

_STUDY_TO_FOUNDING: Final = tuple(sorted((-1, *range(7), *range(11), 12, 14, 17, 21)))
"""Years from the end of a founder's studies to the founding of the company."""

Founder = tuple[str, int]
"""A founder's UUID and the number of the university they studied at first."""


def add_universities(world: World) -> None:
    """Universities; their totals are counted once the founders are there."""
    for name, domain, city, country, _, spinouts in WORDS.universities:
        world.add(
            "universities",
            uuid=world.uuid("universities"),
            name=name,
            website_domain=domain,
            founder_alumni_total=None,
            spinout_count=spinouts,
            city=city,
            country=country,
        )


def add_founders(world: World, earlier: list[Founder], launch: int) -> list[Founder]:
    """The founders of a company: new ones, who join the `earlier`, or one of those again."""
    dice = world.dice
    if dice.chance(0.12):
        return []
    found = []
    for _ in range(dice.pick((1, 2, 3, 4), (40, 38, 17, 5))):
        if earlier and dice.chance(0.05):
            found.append(dice.pick(earlier))
        else:
            earlier.append(_add_founder(world, launch))
            found.append(earlier[-1])
    return list(dict.fromkeys(found))


def count_alumni(world: World) -> None:
    """Each university's total: its linked founders and one in eight more, not seen here."""
    linked = Counter(
        key
        for founder in world.rows["founders"]
        for key in {entry["university_uuid"] for entry in founder["education"] or ()}
    )
    for university in world.rows["universities"]:
        count = linked[university["uuid"]]
        university["founder_alumni_total"] = count + count // 8 if count else None


def _add_founder(world: World, launch: int) -> Founder:
    dice = world.dice
    weights = [weight for *_, weight, _ in WORDS.universities]
    first = dice.pick(range(len(weights)), weights)
    key = world.uuid("founders")
    name = f"{dice.pick(WORDS.given)} {dice.pick(WORDS.family)}"
    if dice.chance(0.01):
        name = dice.pick(WORDS.odd_people)
    world.add(
        "founders",
        uuid=key,
        name=dice.maybe(name, missing=0.01),
        education=_education(world, first, launch),
        prior_employers=_employers(world),
        profile_links=_links(world),
        is_withheld=dice.chance(0.03),
    )
    return key, first


def _education(world: World, first: int, launch: int) -> list[Row] | None:
    """One to three entries; null or empty for one founder in four."""
    dice = world.dice
    if dice.chance(0.25):
        return None if dice.chance(0.75) else []
    studied = [first]
    if dice.chance(0.35):
        studied.append(dice.whole(0, len(WORDS.universities) - 1))
    end = launch - dice.pick(_STUDY_TO_FOUNDING)
    entries = []
    for number in studied:
        entries.append(_entry(world, number, end))
        end -= dice.whole(2, 5)
    return entries


def _entry(world: World, number: int, end: int) -> Row:
    """One entry; one in six has no UUID, and half of those a name as somebody typed it."""
    dice = world.dice
    university = world.rows["universities"][number]
    is_linked = not dice.chance(0.16)
    name = university["name"]
    if not is_linked and dice.chance(0.5):
        name = name.replace("University", "Univ.").replace("Institute", "Inst.")
    return {
        "university_uuid": university["uuid"] if is_linked else None,
        "university_name": dice.maybe(name, missing=0.02),
        "degree": dice.maybe(dice.pick(WORDS.degrees), missing=0.12),
        "major": dice.maybe(dice.pick(WORDS.majors), missing=0.2),
        "start_year": dice.maybe(end - dice.whole(2, 5), missing=0.35),
        "end_year": dice.maybe(end, missing=0.15),
    }


def _employers(world: World) -> list[Row] | None:
    dice = world.dice
    if dice.chance(0.5):
        return None
    titles = ("Engineer", "Analyst", "Consultant", None)
    return [
        {"company_uuid": None, "name": name, "title": dice.pick(titles)}
        for name in dice.some(WORDS.employers, dice.whole(1, 2))
    ]


def _links(world: World) -> Row | None:
    if world.dice.chance(0.55):
        return None
    page = f"https://people.example/{world.number('founders')}"
    return {"linkedin": page, "twitter": None, "website": None}
