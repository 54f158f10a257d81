"""Forty generated studies of founders, each held against counts in plain Python."""

import re
from collections import defaultdict
from random import Random
from typing import Any

import pytest

from tests.studies.founding import study
from tests.studies.test_told import WRONG, sentences

PEOPLE = ["ana", "bo", "cy", "di", "ed", "fay", "gus", "hal", "ida", "jo"]
EMPLOYERS = ["Google*", "Bolt*", "Cog", "Dune Ltd", "Elm*", "A*", "B"]
TITLES = ["Engineer", "Founder", "Co-Founder & CEO", "Assistant to the Founder"]
SCHOOLS = ["Harrow*", "Tarn*", "Brook"]
Entry = tuple[str, str, str, int]


def generated(seed: int) -> tuple[dict[str, list[str]], list[Entry], list[Entry]]:
    """Founders by company, posts and education."""
    random = Random(seed)
    people = PEOPLE[: random.choice([0, 1, 2, 5, 10])]
    firms = {
        firm: random.sample(people, random.randint(0, min(3, len(people))))
        for firm in "ABCDEFG"[: random.choice([1, 2, 4, 7])]
    }

    def entries(names: list[str], titles: list[str], most: int) -> list[Entry]:
        return [
            (
                who,
                random.choice(names),
                random.choice(titles),
                random.randint(1990, 2010),
            )
            for who in people
            for _ in range(random.randint(0, most))
        ]

    return firms, entries(EMPLOYERS, TITLES, 3), entries(SCHOOLS, ["BSc/Law", "MBA"], 2)


def organisation(name: str) -> str:
    """Known by its identifier, else by its name without a legal form."""
    return name if name.endswith("*") else name.removesuffix(" Ltd")


def within(part: int, whole: int) -> str:
    """So many founders, in words."""
    if whole == 1:
        return "the only founder" if part else "no founder"
    if part == whole:
        return "both founders" if whole == 2 else f"all {whole} founders"
    return f"{part or 'none'} of the {whole} founders"


def leaders(
    firms: dict[str, list[str]], entries: list[Entry], *, are_posts: bool
) -> list[tuple[str, int]]:
    """The organisations of several founders with most companies, at most three."""
    people, companies = defaultdict(set), defaultdict(set)
    for firm, founders in firms.items():
        for who, name, *_ in entries:
            is_own = are_posts and name.removesuffix("*") == firm
            if who in founders and not is_own:
                people[organisation(name)].add(who)
                companies[organisation(name)].add(firm)
    shared = {name: len(companies[name]) for name in people if len(people[name]) > 1}
    return [
        (name.removesuffix("*"), many)
        for name, many in shared.items()
        if sum(other >= many for other in shared.values()) <= 3
    ]


def repeated(firms: dict[str, list[str]], posts: list[Entry], who: str) -> bool:
    """Whether a founder has two companies, or was a founder elsewhere."""
    own = {firm for firm, founders in firms.items() if who in founders}
    before = {
        organisation(name)
        for person, name, title, _ in posts
        if person == who and title in TITLES[1:3] and name.removesuffix("*") not in own
    }
    return len(own) + len(before) > 1


@pytest.mark.parametrize("seed", range(40))
def test_a_generated_study_says_what_is_so(seed: int) -> None:
    firms, posts, studies = generated(seed)
    text = "; ".join(f"{firm} 2005: {' '.join(own)}" for firm, own in firms.items())
    lines: list[Any] = [
        "; ".join(
            f"{who}: {name}, {title}, {year}" for who, name, title, year in entries
        )
        for entries in (posts, studies)
    ]
    made = study(text, *lines)
    people = sorted({who for founders in firms.values() for who in founders})
    if not people:
        words = {1: "the only company", 2: "both companies"}
        few = words.get(len(firms), f"all {len(firms)} companies")
        assert made.sentence == f"No founder is recorded for {few}."
        return
    first, second, third = re.split(r"(?<=\.) (?=[A-Z0-9])", made.sentence)
    for sentence, entries, word in (
        (first, posts, "Earlier posts are"),
        (third, studies, "Education is"),
    ):
        known = len({who for who, *_ in entries if who in people})
        start, _, most = sentence.removesuffix(".").partition("; ")
        assert start == f"{word} recorded for {within(known, len(people))}"
        said = re.findall(r"(\w+)(?: Ltd)? \((\d+) compan(?:y|ies)\)", most)
        wanted = leaders(firms, entries, are_posts=entries is posts)
        assert sorted((name, int(many)) for name, many in said) == sorted(
            (name.removesuffix(" Ltd"), many) for name, many in wanted
        )
    again = sum(repeated(firms, posts, who) for who in people)
    if again:
        whom = within(again, len(people))
        assert second.startswith(f"{whom[0].upper()}{whom[1:]} founded more than one")
    else:
        few = "this founder" if len(people) == 1 else "these founders"
        assert second == f"No earlier company is recorded for {few}."
    texts = [*sentences(made)]
    assert "first-time" not in str(texts).lower()
    for kinds, wrong in WRONG.values():
        own = [one.partition(" *(")[0] for kind, one in texts if kind in kinds]
        assert not [one for one in own if re.search(wrong, one)], wrong
    for kind, one in texts:
        for part, whole in re.findall(r"(?<![–\d])(\d+) of (?:the )?(\d+)\b", one):
            assert int(part) < int(whole), (kind, one)
