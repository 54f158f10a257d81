"""Every column of every finding has a meaning, and every meaning has a column."""

import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

import pytest

import ventureframe as vf
from tests.display.test_glossary import CLASSES
from tests.studies.test_changes_compare import one
from tests.studies.test_findings import QUESTIONS
from tests.studies.test_told import STUDIES, differ
from ventureframe.display.finding import MEANINGS, Exhibit
from ventureframe.display.table import Column
from ventureframe.display.wording import NOT_KNOWN, NOT_RECORDED, NULLS
from ventureframe.evidence.rows import FEW
from ventureframe.interface.fields import FUNDING_ROUNDS, RESOURCES

TABLE = tomllib.loads(
    files("ventureframe.studies").joinpath("meanings.toml").read_text("utf-8")
)
WHY = {"", FEW, "not shown", "no keyword found"}
"""What else a column shows of a null: an empty cell, or why there is no value."""
LIST = "Company\tFounders\tYear\nNo Such Firm\tA\t1999\nQuantlytica\tB\t2011"


@pytest.fixture(scope="module")
def studies() -> Sequence[Any]:
    """Studies whose findings show every column, also those of lists and fetches."""
    svc = vf.connect(environment={})
    return [
        *(question.study(svc) for question in QUESTIONS.values()),
        vf.institutions.find(**vf.bulk.open(), currency="EUR"),
        vf.mine.study(svc, list=LIST),
        differ([], one(FUNDING_ROUNDS), resource=FUNDING_ROUNDS)(),
        *(made() for made in STUDIES["changes"].values()),
    ]


def shown(studies: Sequence[Any]) -> Iterator[tuple[str, Column]]:
    """Each column of each finding under the finding's name, as it is shown and listed."""
    for study in (*studies, *CLASSES):
        for name in study.findings():
            finding = getattr(study, name)
            columns = (
                finding.listed if isinstance(finding, Exhibit) else finding.columns
            )
            yield from ((name, column) for column in columns)


def test_no_column_is_without_a_meaning(studies: Sequence[Any]) -> None:
    without = {(name, one.name) for name, one in shown(studies) if not one.meaning}
    assert not without


def test_no_meaning_is_without_a_column(studies: Sequence[Any]) -> None:
    used = set[str]()
    for name, column in shown(studies):
        own = f"{name}.{column.name}"
        used.add(own if own in TABLE else column.name)
    unused = [*(TABLE.keys() - used)]
    assert not unused


def test_a_name_that_two_records_use_differently_is_in_the_table(
    studies: Sequence[Any],
) -> None:
    words = dict[str, set[str]]()
    for resource in RESOURCES.values():
        for field in resource.fields:
            words.setdefault(field.name, set()).add(field.doc)
    several = {name for name, docs in words.items() if len(docs) > 1}
    taken = {column.name for _, column in shown(studies)} - TABLE.keys()
    assert not several & taken


def test_a_meaning_is_a_short_sentence() -> None:
    for name, text in TABLE.items():
        assert text[:1].isupper(), name
        assert text.endswith("."), name
        assert len(text.split()) <= 16, name


def test_the_glossary_of_a_report_has_no_gap(studies: Sequence[Any]) -> None:
    for study in studies:
        frame = study.glossary.to_polars()
        assert not {None, "", "–"} & {*frame["meaning"]}


def test_a_column_of_the_users_list_is_said_to_be_hers(
    studies: Sequence[Any],
) -> None:
    (mine,) = (study for study in studies if study.name == "mine")
    meanings = {column.name: column.meaning for column in mine.rows.columns}
    assert meanings["Founders"] == "As in the list."
    assert meanings["grade"] == MEANINGS["grade"]


def test_a_null_is_shown_as_one_of_three_words_or_says_why(
    studies: Sequence[Any],
) -> None:
    nulls = {column.null for _, column in shown(studies)}
    assert nulls == {NOT_RECORDED, NOT_KNOWN, *WHY}
    assert all(f"{word}: " in NULLS for word in ("not convertible", *nulls - WHY))
