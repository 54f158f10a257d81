"""What is missing or doubtful is a value: worded once, and read from older folders."""

import datetime as dt

import pytest

from ventureframe.interface.certificate import Verdict
from ventureframe.interface.files import from_plain, to_plain
from ventureframe.interface.gaps import Doubt, Gap
from ventureframe.interface.source import Source

DAY = dt.date(2026, 1, 1)


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        (Gap("short", "jobs", rows=1203, of=1300), "jobs 1,203 of 1,300"),
        (Gap("over", "jobs", rows=9, of=8), "jobs 9 where 8 are reported"),
        (
            Gap("drifted", "jobs", rows=8, of=8),
            "jobs 8 of 8 (records changed while they were read)",
        ),
        (
            Gap("total_not_reported", "jobs", rows=8),
            "jobs 8 (the service reports no total)",
        ),
        (
            Gap("narrowed", "news", filter="year[gte]:2026", since=DAY),
            "news only where year[gte]:2026, dated 2026-01-01 or later, or without a"
            " date",
        ),
        (
            Gap("narrowed", "funds", since=DAY),
            "funds only dated 2026-01-01 or later",
        ),
        (
            Gap("cut", "companies", "founders", 0, 30),
            "founders of companies: former ones can be missing (0 of 30 rows have more)",
        ),
        (
            Gap("open_posts", "founders", "founded companies", 2, 30),
            "founded companies of founders: the first entries (2 of 30 rows can have"
            " more)",
        ),
        (Gap("recorded", text="companies 1 of 2 pulled"), "companies 1 of 2 pulled"),
    ],
)
def test_a_gap_is_worded_in_one_place_and_survives_a_file(gap: Gap, text: str) -> None:
    assert str(gap) == text
    assert from_plain(to_plain(gap), Gap) == gap


def test_a_sentence_of_the_version_before_is_shown_and_never_read() -> None:
    plain = {**to_plain(Source("oak")), "incomplete": ["education of founders: cut"]}
    (gap,) = from_plain(plain, Source).incomplete
    assert (gap.kind, str(gap)) == ("recorded", "education of founders: cut")
    assert gap.concerns(()), "of which list it is cannot be told: it is a main limit"
    assert from_plain("Not given.", Doubt) == Doubt("recorded", "Not given.")


def test_a_gap_in_a_list_concerns_only_who_reads_it() -> None:
    gap = Gap("withheld", "founders", "education", 3, 10)
    assert gap.concerns(["education"])
    assert not gap.concerns(["founders", "education of founders"])


@pytest.mark.parametrize("verdict", [*Verdict.__args__])  # type: ignore[attr-defined]
def test_every_verdict_but_complete_can_be_a_gap(verdict: str) -> None:
    if verdict != "complete":
        assert str(Gap(verdict, "jobs", rows=1)).startswith("jobs 1")  # type: ignore[arg-type]
