"""The founders of the invented world, with what they studied where."""

from collections import Counter

from tests.service.sample.world import WORDS, Row, World


def add_founders(world: World, launch: int) -> list[Row]:
    """The founders of a company, each once: new ones, or one of another company again.

    `first` of a founder is the university they studied at first, as a row.
    """
    if world.chance(0.12):
        return []
    found, earlier = {}, world.rows["founders"]
    for _ in range(world.pick((1, 2, 3, 4), (40, 38, 17, 5))):
        is_again = earlier and world.chance(0.05)
        founder = world.pick(earlier) if is_again else _add_founder(world, launch)
        found[founder["uuid"]] = founder
    return list(found.values())


def count_alumni(world: World) -> None:
    """Each university's total: its linked founders and one in eight more, not seen
    here.
    """
    linked = Counter(
        key
        for founder in world.rows["founders"]
        for key in {entry["university_uuid"] for entry in founder["education"] or ()}
    )
    for university in world.rows["universities"]:
        count = linked[university["uuid"]]
        university["founder_alumni_total"] = count + count // 8 if count else None


def _add_founder(world: World, launch: int) -> Row:
    first = world.row("universities")
    name = f"{world.pick(WORDS.given)} {world.pick(WORDS.family)}"
    if world.chance(0.01):
        name = world.pick(WORDS.odd_people)
    page = f"https://people.example/{world.number('founders')}"
    return world.add(
        "founders",
        first=first,
        name=world.maybe(name, missing=0.01),
        education=_education(world, first, launch),
        prior_employers=_employers(world),
        profile_links=None if world.chance(0.55) else {"linkedin": page},
        is_withheld=world.chance(0.03),
    )


def _education(world: World, first: Row, launch: int) -> list[Row] | None:
    """One to three entries; null or empty for one founder in four."""
    if world.chance(0.25):
        return None if world.chance(0.75) else []
    studied = [first]
    if world.chance(0.35):
        studied.append(world.pick(world.rows["universities"]))
    end = launch - world.pick(WORDS.years)
    entries = []
    for university in studied:
        entries.append(_entry(world, university, end))
        end -= world.whole(2, 5)
    return entries


def _entry(world: World, university: Row, end: int) -> Row:
    """One entry; one in six has no UUID, and half of those a name as somebody typed
    it.
    """
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
        {"name": name, "title": world.pick(WORDS.titles)}
        for name in world.some(WORDS.employers, world.whole(1, 2))
    ]
