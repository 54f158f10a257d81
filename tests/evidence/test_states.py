"""States are closed sets that never say no; claims and caveats say what they rest on."""

import re
from collections.abc import Mapping
from typing import Any, get_args

import pytest

from ventureframe.evidence import EDGES, STATES, WINDOWS, Caveat, Claim
from ventureframe.evidence.claims import RULES, KeyFigure, Rule
from ventureframe.evidence.states import AMOUNTS, Amount, Edge, State, Window
from ventureframe.evidence.study import Answer


@pytest.mark.parametrize(
    ("said", "closed"),
    [(STATES, State), (WINDOWS, Window), (AMOUNTS, Amount), (EDGES, Edge), (RULES, Rule)],
)
def test_every_member_of_a_closed_set_has_its_sentence_in_order(
    said: Mapping[str, str], closed: Any
) -> None:
    assert tuple(said) == get_args(closed)


def test_a_state_never_says_no() -> None:
    for sentence in (*STATES, *STATES.values()):
        assert not re.search(r"\b(no|never|none|false)\b", sentence)


def test_a_claim_and_a_caveat_say_what_they_rest_on() -> None:
    assert str(Claim("3 companies", "candidate", "the pool")) == "3 companies [candidate: the pool]"
    caveat = Caveat("Records can be incomplete.", "reading rule 3")
    assert str(caveat) == "Records can be incomplete. (interface, reading rule 3)"


def test_an_answer_stands_above_its_figures_and_limits_in_words_and_as_data() -> None:
    answer = Answer(
        "3 of 4 <are>.",
        heading="X: companies · EUR",
        figures=[KeyFigure("Companies", "3", "of 4 in the pool")],
        limits=[Caveat("1 is missing.", "reading rule 3", is_material=True)],
    )
    data, metadata = answer._repr_mimebundle_()
    assert metadata["ventureframe"] == {"answer": "3 of 4 <are>.", "title": "X: companies · EUR"}
    assert data["text/plain"].splitlines() == [
        *("3 of 4 <are>.", "Companies: 3 (of 4 in the pool)", "1 is missing."),
    ]
    answer, figures, lead, limits = data["text/html"].splitlines()
    assert answer == '<p class="vf-answer">3 of 4 &lt;are&gt;.</p>'
    assert ">3</strong>Companies<br>of 4 in the pool</div>" in figures
    assert lead == "<p>Limits that change this reading:</p>"
    assert limits == '<ul class="vf-limits"><li>1 is missing.</li></ul>'
