"""Two fetches compared by id: what is claimed, what is left open, and what it cannot
tell.
"""

import dataclasses
import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.client.rows import page_of
from tests.client.stand_in import company, uuid
from ventureframe.client.result import Details, Result, Saved, save
from ventureframe.display.finding import Finding
from ventureframe.errors import (
    EvidenceError,
    FetchesNotComparable,
    UnsupportedValue,
)
from ventureframe.interface.certificate import Certificate, Verdict
from ventureframe.interface.fields import (
    COMPANIES,
    FOUNDERS,
    FUNDING_ROUNDS,
    FUNDS,
    NEWS,
    Resource,
)
from ventureframe.interface.gaps import Gap
from ventureframe.interface.source import Provenance, Source
from ventureframe.studies import changes

JUNE, OCTOBER = dt.date(2013, 6, 17), dt.date(2013, 10, 1)


def fetched(
    rows: Sequence[dict[str, Any]],
    resource: Resource = COMPANIES,
    *,
    as_of: dt.date | None = JUNE,
    verdict: Verdict = "complete",
    asked: Sequence[str] | None = None,
    about: dict[str, Any] | None = None,
    **facts: Any,
) -> Result:
    """A result of these rows, as a service would have given it."""
    page = page_of(rows, resource)
    frame = page.frame.unique(resource.key, keep="first", maintain_order=True)
    count = frame.height
    asked_for = None if asked is None else tuple(asked)
    by_id = asked_for is not None and "asked_by" not in facts
    settings: dict[str, Any] = {
        "resource": resource,
        "certificate": Certificate(count, count, count, 0, 1, 0, 0.0, verdict),
        "provenance": dataclasses.replace(
            Provenance(
                "/data/x",
                None,
                None,
                "EUR",
                "interface",
                Source("oak", as_of=as_of),
                None,
                "1",
            ),
            **(about or {}),
        ),
        "asked": asked_for,
        "_frame": frame,
    }
    details: dict[str, Any] = {
        "absent_fields": tuple(sorted(page.absent)),
        "extra_columns": tuple(
            name for name in page.frame.columns if name.endswith("_text")
        ),
        "asked_by": (resource.key,) if by_id else (),
    }
    own = {name: facts.pop(name) for name in [*facts] if name in vars(Details())}
    return Result(**settings | facts, details=Details(**details | own))


def later(
    rows: Sequence[dict[str, Any]], resource: Resource = COMPANIES, **facts: Any
) -> Result:
    return fetched(rows, resource, **{"as_of": OCTOBER, **facts})


compare = changes.compare


def ids(finding: Finding) -> list[str]:
    return finding.to_polars()["uuid"].to_list()


def limits(found: changes.Study) -> str:
    return "\n".join(map(str, found.limits))


def changed(found: changes.Study) -> list[tuple[Any, ...]]:
    key = found.pair.key
    names = (*key, "field", "kind", "old", "new")
    return found.field_changes.to_polars().select(names).rows()


ROBOTICS = {"id": 44, "name": "Robotics", "type": "technology"}
SOFTWARE = {"id": 45, "name": "software", "type": "sector"}


def of_tag(name: str) -> str:
    return f'[{{"id":44,"name":"{name}","type":"technology"}}]'


def amount(value: float | None, currency: str | None) -> dict[str, Any]:
    return {"amount": value, "currency": currency}


def one(resource: Resource, **fields: Any) -> list[dict[str, Any]]:
    """A record with nothing but these fields."""
    key: Any = uuid(1) if resource.key == "uuid" else 1
    return [
        {field.name: None for field in resource.returned} | {resource.key: key} | fields
    ]


A, B = uuid(1), uuid(2)
ROBOTS = {**ROBOTICS, "name": "Robots"}
CHANGES: list[tuple[str, Any, Any, tuple[str, str | None, str | None] | None]] = [
    ("total_funding", 0.1 + 0.2, 0.4, ("changed", "0.30000000000000004", "0.4")),
    ("total_funding", 0, 0.3, ("changed", "0.0", "0.3")),
    ("total_funding", 5, 5.0, None),
    ("launch_date", None, 1999, ("newly_recorded", None, "1999")),
    ("is_startup", True, None, ("no_longer_recorded", "true", None)),
    ("founders", [A, B], [B, A], None),
    ("founders", [A], [A, A], None),
    ("founders", [], None, None),
    ("founders", [], [A], ("newly_recorded", None, f'["{A}"]')),
    ("tags", [ROBOTICS, SOFTWARE], [SOFTWARE, ROBOTICS], None),
    ("tags", [ROBOTICS], [ROBOTS], ("changed", of_tag("Robotics"), of_tag("Robots"))),
    (
        "amount_source",
        amount(1.5, "EUR"),
        amount(1.5, "USD"),
        (
            "changed",
            '{"amount":1.5,"currency":"EUR"}',
            '{"amount":1.5,"currency":"USD"}',
        ),
    ),
    ("amount_source", amount(None, None), None, None),
]


@pytest.mark.parametrize(("name", "before", "after", "expected"), CHANGES)
def test_every_kind_of_field_is_compared_by_what_it_says(
    name: str,
    before: Any,
    after: Any,
    expected: tuple[str, str | None, str | None] | None,
) -> None:
    resource = FUNDS if name == "amount_source" else COMPANIES
    old, new = (one(resource, **{name: value}) for value in (before, after))
    (key,) = (row[resource.key] for row in old)
    rows = [] if expected is None else [(key, name, *expected)]
    assert changed(compare(fetched(old, resource), later(new, resource))) == rows


OPEN: dict[Verdict, str] = {
    "short": "the {} fetch is not complete",
    "over": "the {} fetch is not complete",
    "drifted": "the records moved while the {} fetch read them",
    "total_not_reported": "the {} fetch is not complete",
}
"""Why what only the other fetch has cannot be told, by the verdict of one."""


@pytest.mark.parametrize("verdict", OPEN)
def test_rows_of_both_are_compared_and_no_absence_from_an_incomplete_list_is_claimed(
    verdict: Verdict,
) -> None:
    old, new = (
        [company(1), company(2, name="Old")],
        [company(2, name="New"), company(3)],
    )
    no_first = compare(fetched(old, verdict=verdict), later(new))
    no_second = compare(fetched(old), later(new, verdict=verdict))
    assert (no_first.counts.newly_seen, no_second.counts.no_longer_seen) == (None, None)
    assert ids(no_first.no_longer_seen) == [uuid(1)]
    assert ids(no_second.newly_seen) == [uuid(3)]
    for found, which, finding in (
        (no_first, "first", no_first.newly_seen),
        (no_second, "second", no_second.no_longer_seen),
    ):
        assert changed(found) == [(uuid(2), "name", "changed", "Old", "New")]
        assert f"cannot be told: {OPEN[verdict].format(which)}." in found.answer
        assert finding.rows == ()
        with pytest.raises(EvidenceError, match="not claimed: Companies"):
            finding.to_pandas()


OTHER: list[tuple[Result, Result, str]] = [
    (
        fetched([], about={"filter": "launch_date[gte]:2005"}),
        later([], about={"filter": "launch_date[gte]:2006"}),
        r"the filter differs \(launch_date\[gte\]:2005, launch_date\[gte\]:2006\)",
    ),
    (
        fetched([]),
        later([], about={"currency": "USD"}),
        r"the currency differs \(EUR, USD\)",
    ),
    (fetched([]), later([], FOUNDERS), r"the records differ \(companies, founders\)"),
    (
        fetched([]),
        later([], asked=[uuid(1)]),
        "the columns of the requested ids differ",
    ),
    (
        later([]),
        fetched([]),
        (
            r"the first \(1 October 2013\) is later than the second \(17 June 2013\)\."
            r" Give the"
        ),
    ),
    (
        fetched([company(1)]),
        later(
            [company(1)], about={"source": Source("oak", as_of=OCTOBER, synthetic=True)}
        ),
        (
            "of other data: the first is of 'oak'; the second is of 'oak', SYNTHETIC"
            " sample data"
        ),
    ),
]


@pytest.mark.parametrize(("old", "new", "reason"), OTHER)
def test_another_question_other_data_and_the_wrong_order_are_refused(
    old: Result, new: Result, reason: str, tmp_path: Path
) -> None:
    message = f"cannot be compared, the first fetch and the second fetch: .*{reason}"
    with pytest.raises(FetchesNotComparable, match=message):
        compare(old, new)
    folder = new.save(tmp_path / "b")
    message = r"compared, the first fetch \('.*a'\) and the second fetch \('.*b'\): "
    with pytest.raises(FetchesNotComparable, match=message):
        compare(old.save(tmp_path / "a"), folder)


def test_conditions_are_named_in_words_with_their_currency() -> None:
    asked = "and(hq_location[eq]:789,total_funding[gte]:5000,launch_date[gte]:2010)"
    about = {"filter": asked}
    found = compare(fetched([], about=about), later([], about=about))
    assert found.conditions == (
        "with headquarters in the place 789",
        "with total funding of at least EUR 5,000",
        "founded since 2010",
    )
    assert all(text in found.counted for text in found.conditions)
    assert "with total funding of at least EUR 5,000" in found.title


def test_where_a_change_cannot_be_told_no_change_is_not_said() -> None:
    old = [company(n, total_funding=100.0) for n in range(1, 6)]
    new = [company(n, total_funding=100.0 + (n < 3)) for n in range(1, 6)]
    said = compare(fetched(old), later(new)).answer
    same = "3 of the 5 companies in both fetches did not change"
    assert said.startswith(f"{same}; for 2 it cannot be told.")
    new[4] |= {"name": "Other"}
    said = compare(fetched(old), later(new)).answer
    changed = "1 of the 5 companies in both fetches changed: name (1)."
    assert said.startswith(f"{changed} Whether 2 of the others changed cannot be told.")


def test_versions_of_one_dataset_are_compared_whatever_their_names_and_order() -> None:
    about = {"source": Source("oak-10", as_of=OCTOBER), "sort": "-name"}
    october = later([company(1), company(2)], about=about)
    found = compare(fetched([company(1)], about={"sort": "name"}), october)
    assert found.counts.newly_seen == 1
    assert "The two fetches are of 'oak' and of 'oak-10'." in limits(found)


def test_columns_that_one_side_lacks_or_has_of_another_type_are_not_compared() -> None:
    without = {name: value for name, value in company(1).items() if name != "is_hiring"}
    old, new = fetched([company(1, is_hiring=True)]), later([without])
    first, second = old.to_polars(), new.to_polars()
    held = first.drop("currency", "tagline").with_columns(mascot=pl.lit("fox"))
    text = second.cast({"total_funding": pl.String})
    old = dataclasses.replace(old, _frame=held)
    found = compare(old, dataclasses.replace(new, _frame=text))
    assert [each.text for each in found.limits if "not compared" in each.text] == [
        "These fields are not compared: total funding (Float64 in the first fetch,"
        " String in the second); hiring flag (left out by the service); mascot"
        " (only in the first fetch); tagline (only in the second fetch)."
    ]
    assert len(found.field_changes) == 0


def test_a_field_that_a_fetch_did_without_is_not_compared() -> None:
    gap = Gap("not_requested", "companies", "founders")

    def short(result: Result) -> Result:
        details = dataclasses.replace(result.details, not_requested=(gap,))
        rows = result.to_polars().drop("currency", "founders")
        return dataclasses.replace(result, _frame=rows, details=details)

    old, new = fetched([company(1, founders=[A])]), later([company(1, founders=[B])])
    for first, second, which in (
        (old, short(new), "second"),
        (short(old), new, "first"),
        (short(old), short(new), "first and the second"),
    ):
        found = compare(first, second)
        why = f"not requested in the {which} fetch"
        assert found.pair.not_compared == {"founders": why}
        assert found.counts.changed == 0
        assert f"These fields are not compared: founders ({why})." in limits(found)


def test_a_list_that_one_side_shows_whole_is_not_compared() -> None:
    cut: dict[str, Any] = {"partial": (("founders", 1),)}
    old = [company(1, founders=[A])]
    new = [company(1, founders=[A, B])]
    found = compare(fetched(old, **cut), later(new))
    why = "its entries are complete in one of the two only"
    assert found.pair.not_compared == {"founders": why}
    assert found.counts.changed == 0
    assert compare(fetched(old, **cut), later(new, **cut)).counts.changed == 1


# --- asked by id


def test_of_records_asked_by_id_only_those_asked_both_times_are_compared() -> None:
    rows = [{"uuid": uuid(number), "name": f"N{number}"} for number in range(5)]
    old = fetched(
        rows[:2], FOUNDERS, asked=[uuid(0), uuid(1), uuid(2)], verdict="short"
    )
    new = later(rows[1:], FOUNDERS, asked=[uuid(1), uuid(2), uuid(3), uuid(4)])
    found = compare(old, new)
    assert ids(found.newly_seen) == [uuid(2)], "asked both times, returned the second"
    assert ids(found.no_longer_seen) == [], "the first was not asked for again"
    assert found.counts.in_both == 1
    left_out = "Not compared: 3 founders, which only one of the two fetches looked up."
    assert left_out in limits(found)


def test_news_is_compared_for_the_companies_asked_about_both_times() -> None:
    one, two, both, three = (
        {"id": number, "entity_id": linked[0], "entity_ids": linked}
        for number, linked in enumerate(([A], [B], [uuid(3), A], [uuid(3)]), 1)
    )
    by: dict[str, Any] = {"asked_by": ("entity_id", "entity_ids")}
    old = fetched([one, two], NEWS, asked=[A, B], **by)
    found = compare(old, later([one, both, three], NEWS, asked=[A, uuid(3)], **by))
    assert found.newly_seen.to_polars()["id"].to_list() == [3]
    assert found.counts.no_longer_seen == 0


# --- the record's own date


def dated(resource: Resource, **fields: Any) -> str | None:
    found = compare(fetched([], resource), later(one(resource, **fields), resource))
    (word,) = found.newly_seen.to_polars()["own_date"].to_list()
    return str(word) if word else None


@pytest.mark.parametrize(
    ("resource", "fields", "is_earlier"),
    [
        (NEWS, {"publish_date": "2013-06-17"}, True),
        (NEWS, {"publish_date": "2013-05"}, True),
        (NEWS, {"publish_date": "2013-06"}, False),
        (COMPANIES, {"launch_date": 2012}, True),
        (COMPANIES, {"launch_date": 2013}, False),
        (FUNDING_ROUNDS, {"year": 2013, "month": 5}, True),
        (FUNDING_ROUNDS, {"year": 2013, "month": 6}, False),
        (FUNDS, {"fund_date": "2013-01-01"}, False),  # of its year
        (FUNDS, {"fund_date": "2013-01-02"}, True),
        (FOUNDERS, {}, False),
    ],
)
def test_a_new_record_is_earlier_if_its_whole_date_lies_before_the_first_fetch(
    resource: Resource, fields: dict[str, Any], is_earlier: bool
) -> None:
    assert (dated(resource, **fields) == "earlier") is is_earlier


def test_live_fetches_are_put_in_order_by_their_clocks() -> None:
    source, nine = Source("data.example"), dt.datetime(2026, 11, 2, 9, tzinfo=dt.UTC)
    ten = nine.replace(hour=10)
    old, new = (
        fetched([], about={"source": source, "fetched_at": at}) for at in (nine, ten)
    )
    assert "both of 2 November 2026" in compare(old, new).answer
    with pytest.raises(FetchesNotComparable, match="is later than the second"):
        compare(new, old)


# --- libraries, saves


def test_a_study_is_compared_result_by_result(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"asked": [uuid(9)]}
    june = {
        "pool": fetched([company(1)]),
        "founders": fetched([{"uuid": uuid(9)}], FOUNDERS, **asked),
        "news": fetched([], NEWS),
    }
    october = {
        "pool": later([company(1), company(2)]),
        "founders": later([], FOUNDERS, **asked, verdict="short"),
    }

    def saved(
        results: dict[str, Result], study: str = "spinouts", currency: str = "EUR"
    ) -> Path:
        parameters = {"university": "Oak", "currency": currency}
        folder = tmp_path / f"{len([*tmp_path.iterdir()])}"
        return save(Saved(results, study, parameters), folder)

    first = saved(june)
    found = changes.compare(first, saved(october))
    assert list(found.pairs) == ["pool", "founders"]
    assert found.unpaired == ("news",)
    assert "Only one of the two fetches has news, so it is not compared." in limits(
        found
    )
    assert ids(found.newly_seen) == ids(found.only("pool").newly_seen) == [uuid(2)]
    assert ids(found.only("founders").no_longer_seen) == [uuid(9)]
    assert found.only("founders").title.startswith("Companies founded by alumni of")
    with pytest.raises(UnsupportedValue, match="what was compared is pool, founders"):
        found.only("funds")
    for other, message in (
        (saved(october, currency="USD"), r'differ in currency \("EUR", "USD"\)'),
        (saved(october, "hiring"), "is a spinouts study, the second a hiring"),
        (saved({"funds": later([], FUNDS)}), "no result of one name"),
    ):
        with pytest.raises(FetchesNotComparable, match=message):
            changes.compare(first, other)
