"""The founders of the invented world, with what they studied where."""

from __future__ import annotations

from collections import Counter
from typing import Final

from ventureframe.embedded.sample.world import WORDS, Row, World

_STUDY_TO_FOUNDING: Final = tuple(sorted((-1, *range(7), *range(11), 12, 14, 17, 21)))
"""Years from the end of a founder's studies to the founding of the company."""

Founder = tuple[str, int]
"""A founder's UUID and the number of the university they studied at first."""


def add_founders(world: World, earlier: list[Founder], launch: int) -> list[Founder]:
    """The founders of a company: new ones, who join the `earlier`, or one of those again."""
    if world.chance(0.12):
        return []
    found = []
    for _ in range(world.pick((1, 2, 3, 4), (40, 38, 17, 5))):
        if earlier and world.chance(0.05):
            found.append(world.pick(earlier))
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
    weights = [university["weight"] for university in world.rows["universities"]]
    first = world.pick(range(len(weights)), weights)
    name = f"{world.pick(WORDS.given)} {world.pick(WORDS.family)}"
    if world.chance(0.01):
        name = world.pick(WORDS.odd_people)
    founder = world.add(
        "founders",
        name=world.maybe(name, missing=0.01),
        education=_education(world, first, launch),
        prior_employers=_employers(world),
        profile_links=None
        if world.chance(0.55)
        else {"linkedin": f"https://people.example/{world.number('founders')}"},
        is_withheld=world.chance(0.03),
    )
    return founder["uuid"], first


def _education(world: World, first: int, launch: int) -> list[Row] | None:
    """One to three entries; null or empty for one founder in four."""
    if world.chance(0.25):
        return None if world.chance(0.75) else []
    studied = [first]
    if world.chance(0.35):
        studied.append(world.whole(0, len(WORDS.universities) - 1))
    end = launch - world.pick(_STUDY_TO_FOUNDING)
    entries = []
    for number in studied:
        entries.append(_entry(world, world.rows["universities"][number], end))
        end -= world.whole(2, 5)
    return entries


def _entry(world: World, university: Row, end: int) -> Row:
    """One entry; one in six has no UUID, and half of those a name as somebody typed it."""
    is_linked = not world.chance(0.16)
    name = university["name"]
    if not is_linked and world.chance(0.5):
        name = name.replace("University", "Univ.").replace("Institute", "Inst.")
    return {
        "university_uuid": university["uuid"] if is_linked else None,
        "university_name": world.maybe(name, missing=0.02),
        "degree": world.maybe(world.pick(WORDS.degrees), missing=0.12),
        "major": world.maybe(world.pick(WORDS.majors), missing=0.2),
        "start_year": world.maybe(end - world.whole(2, 5), missing=0.35),
        "end_year": world.maybe(end, missing=0.15),
    }


def _employers(world: World) -> list[Row] | None:
    if world.chance(0.5):
        return None
    return [
        {"name": name, "title": world.pick(("Engineer", "Analyst", "Consultant", None))}
        for name in world.some(WORDS.employers, world.whole(1, 2))
    ]
