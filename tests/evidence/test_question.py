"""A question is a value: checked when it is made, said in words, and the same from
its literals.
"""

import dataclasses
import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

import ventureframe as vf
from ventureframe.errors import Unclear, UnknownField, UnsupportedValue
from ventureframe.evidence import Question
from ventureframe.evidence.question import Records
from ventureframe.interface.gaps import Gap

SPINOUTS = vf.spinouts.Question(
    university="X <&>", domain="x.example", since=2010, currency="GBP"
)
EXPOSURE = vf.exposure.Question(
    lps=[("Meridian Sovereign Reserve", "meridian-reserve.example")],
    since=2021,
    currency="USD",
)
HIRING = vf.hiring.Question(
    tags=[("Robotics", "technology")],
    location=("Europe", "continent"),
    founded=(2005, None),
    funding=(None, 5e7),
    signal_team=60,
    currency="USD",
)
QUESTIONS: list[Question[Any]] = [SPINOUTS, EXPOSURE, HIRING]


def test_a_condition_that_is_none_is_no_filter() -> None:
    with vf.connect(environment={}) as svc:
        named = {"university": "Harrowmere University", "domain": "harrowmere.example"}
        for since, condition in ((2010, True), (None, False)):
            pool = SPINOUTS.set(**named, since=since).pool(Records(svc))
            assert ("launch_date[gte]:2010" in str(pool.listing.filter)) is condition


STUDIES = (vf.spinouts, vf.exposure, vf.hiring, vf.universities, vf.founders, vf.mine)


@pytest.mark.parametrize("study", STUDIES)
def test_nothing_is_chosen_until_a_condition_is(study: Any) -> None:
    """So a form over a whole dataset does not begin to fetch all of it."""
    question = study.Question(currency="EUR")
    assert not question.is_chosen
    assert question.nothing_chosen(lambda member: member.name)


def test_it_is_a_list_of_label_and_value_in_text_and_html() -> None:
    assert (
        repr(SPINOUTS)
        == "University: X <&> · Website domain: x.example · Founded from: 2010 or"
        " later · "
        "Currency: GBP"
    )
    assert "<dt>University</dt><dd>X &lt;&amp;&gt;</dd>" in SPINOUTS._repr_html_()


def test_every_member_is_said_in_words_and_so_is_no_condition() -> None:
    assert dict(HIRING.listed) == {
        "Tags": "Robotics, technology",
        "Tags (any of)": "any",
        "Location": "Europe",
        "Roles": "any",
        "Founded": "from 2005",
        "Total funding": "to 50,000,000",
        "Signal rating": "any, or not recorded",
        "Signal timing": "any, or not recorded",
        "Signal team": "60 or more",
        "Hiring": "either, or not recorded",
        "Status": "any, or not recorded",
        "Currency": "USD",
    }


def test_what_a_notebook_can_write_is_the_same_question() -> None:
    lists: Any = {
        "tags": [["Robotics", "technology"]],
        "location": ["Europe", "continent"],
    }
    given: Any = {"founded": [2005, None], "funding": [None, 5e7], "signal_team": 60}
    assert vf.hiring.Question(**lists, **given, currency="USD") == HIRING
    # open ranges
    nothing: Any = {"tags": [], "founded": (None, None), "funding": [None, None]}
    assert vf.hiring.Question(**nothing) == vf.hiring.Question()


@pytest.mark.parametrize("question", QUESTIONS)
def test_its_parameters_are_literals_that_make_an_equal_question(
    question: Question[Any],
) -> None:
    parameters = question.parameters
    assert list(parameters) == [member.name for member in question.members()]
    assert type(question)(**parameters) == question
    assert eval(repr(parameters), {}) == parameters


def test_a_pair_or_a_record_stands_for_its_name_and_domain() -> None:
    pair: Any = ("X <&>", "x.example")
    asked = vf.spinouts.Question(university=pair, since=2010, currency="GBP")
    assert (repr(asked), asked.parameters) == (repr(SPINOUTS), SPINOUTS.parameters)
    with vf.connect(environment={}) as svc:
        found = svc.university("Harrowmere University", domain="harrowmere.example")
    parameters = vf.spinouts.Question(university=found).parameters
    assert parameters["university"] == "Harrowmere University"
    assert parameters["domain"] == "harrowmere.example"


def test_changing_it_makes_another_that_is_checked() -> None:
    later = SPINOUTS.set(since=2015)
    assert (SPINOUTS.since, later.since) == (2010, 2015)
    with pytest.raises(UnsupportedValue, match="USD, EUR, GBP"):
        SPINOUTS.set(currency="CHF")


REFUSED: list[tuple[Callable[..., Question[Any]], dict[str, Any], str]] = [
    (vf.spinouts.Question, {}, "university.*give its name"),
    (vf.spinouts.Question, {"university": "X", "since": -1}, "since.*year from 1900"),
    (vf.exposure.Question, {"lps": ()}, "'lps' cannot be ..: at least one LP"),
    (
        vf.hiring.Question,
        {"signal_team": 160},
        "'signal_team' cannot be 160: give a number from",
    ),
    (
        vf.exposure.Question,
        {"lps": [("name only",)]},
        r"give \(name, domain\) for each",
    ),
    (vf.hiring.Question, {"founded": "2005-2015"}, r"such as \(2005, 2015\)"),
    (vf.hiring.Question, {"funding": []}, "give two ends"),
    (vf.hiring.Question, {"where": 5}, "build one as in company"),
    (vf.hiring.Question, {"tags": "Robotics"}, r"give \(label, type\) for each"),
    (vf.hiring.Question, {"location": ("Europe",)}, r"give \(name, type, within\)"),
    (vf.hiring.Question, {"founded": (2010, 2005)}, "first end is after"),
]


@pytest.mark.parametrize(("kind", "given", "says"), REFUSED)
def test_a_question_that_cannot_be_asked_is_refused(
    kind: Callable[..., Question[Any]], given: dict[str, Any], says: str
) -> None:
    with pytest.raises(UnsupportedValue, match=says):
        # before any record is looked up
        kind(**given).found(None)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "area",
    [
        vf.spinouts,
        vf.exposure,
        vf.hiring,
        vf.changes,
        vf.mine,
        vf.universities,
    ],
)
def test_the_help_of_a_question_has_each_member(area: Any) -> None:
    names = set(re.findall(r"^(\w+) : ", inspect.getdoc(area.Question) or "", re.M))
    assert names >= {member.name for member in area.Question.members()}
    assert "`Question`" in area.study.__doc__
    with (
        vf.connect() as svc,
        pytest.raises(
            UnknownField,
            match="The question has no field 'currencyy' to set; did you mean",
        ),
    ):
        area.study(svc, currencyy="EUR")
    with pytest.raises(UnknownField, match="no field 'currencyy'"):
        area.Question().set(currencyy="EUR")


def test_a_place_is_also_named_by_what_it_lies_in() -> None:
    asked = HIRING.set(location=("London", "city", "United Kingdom"))
    assert dict(asked.listed)["Location"] == "London, United Kingdom"
    with vf.connect() as svc:
        assert Records(svc).location(asked.location).name == "London"
        with pytest.raises(Unclear, match="Europe"):
            Records(svc).location(("London", "city", "Europe"))
    with pytest.raises(UnsupportedValue, match="label, type"):
        HIRING.set(tags=[("Robotics", "technology", "more")])


def test_a_place_that_was_looked_up_is_the_same_place_from_its_parameters() -> None:
    with vf.connect(environment={}) as svc:
        for found in (
            svc.location("London", type="city"),
            svc.location("Europe", type="1001"),
        ):
            asked = HIRING.set(location=found).parameters["location"]
            assert Records(svc).location(asked) == found


def test_a_uuid_names_an_lp_alone_and_in_place_of_its_domain() -> None:
    with vf.connect(environment={}) as svc:
        lp = svc.lp("Meridian Sovereign Reserve", domain="meridian-reserve.example")
        given: list[Any] = [lp.uuid, lp, (lp.name, lp.uuid), [lp.uuid.upper(), None]]
        asked = vf.exposure.Question(lps=given, currency="USD")
        assert asked.found(Records(svc)) == [lp]
        assert type(asked)(**asked.parameters) == asked.set(lps=asked.parameters["lps"])
        assert dict(vf.exposure.Question(lps=[lp.uuid]).listed)["LPs"] == lp.uuid
        with pytest.raises(
            Unclear, match=r"No investor is called 'Somebody'. Did you mean"
        ):
            EXPOSURE.set(lps=[("Somebody", lp.uuid)]).found(Records(svc))
        company = svc.companies.fetch().to_polars()["uuid"][0]
        with pytest.raises(
            Unclear, match="is not of type 'investor' but of type 'company'"
        ):
            EXPOSURE.set(lps=[company]).found(Records(svc))


def test_a_study_that_filters_or_sorts_by_a_score_says_what_that_favours() -> None:
    young = vf.company.launch_date >= 2024
    with vf.connect(environment={}) as svc:
        by_score = svc.companies.where(young).sort("-signal_rating").fetch()
        plain = vf.hiring.Question(where=young, rounds_of=0).study(svc)
    said = "filtered or sorted by the service's signal scores. The rating is the mean"
    assert said in str(vf.changes.compare(by_score, by_score).answer.limits)
    assert "sorted by" not in str(plain.answer.limits)
    gap = Gap("narrowed", "companies", filter="signal_team[gte]:60")
    held = dataclasses.replace(svc.source, incomplete=(gap,))
    pulled = dataclasses.replace(plain, source=held)
    assert "sorted by the service's signal scores" in str(pulled.limits[0])
