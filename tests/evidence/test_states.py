"""States are closed sets that never say no; caveats say what they rest on."""

import re

from ventureframe.evidence import STATES, Caveat
from ventureframe.evidence.answer import Answer, Limits
from ventureframe.evidence.claims import RULES, KeyFigure, limit, material


def test_a_state_never_says_no() -> None:
    for sentence in (*STATES, *STATES.values()):
        assert not re.search(r"\b(no|never|none|false)\b", sentence)


def test_a_caveat_says_what_it_rests_on() -> None:
    caveat = Caveat("Records can be incomplete.", "reading rule 3")
    assert str(caveat) == "Records can be incomplete. (interface, reading rule 3)"


def test_a_limit_is_a_caveat_by_its_rule_of_text_over_several_lines() -> None:
    caveat = limit(3)("""Records can be
        incomplete.""")
    assert caveat == Caveat("Records can be incomplete.", "reading rule 3")
    assert material(3)(caveat.text).is_material
    assert all(f"reading rule {rule}" in RULES for rule in range(1, 9))


def test_a_key_figure_alone_is_a_line() -> None:
    figures = [KeyFigure("Companies", "3", "of 4 in the pool")]
    answer = Answer("3 of 4.", heading="X", figures=figures, limits=Limits([]))
    html = answer._repr_mimebundle_()[0]["text/html"].splitlines()[1]
    assert html == '<p class="vf-single">Companies: 3 (of 4 in the pool).</p>'


def test_an_answer_stands_above_its_figures_and_has_its_limits_to_show() -> None:
    answer = Answer(
        "3 of 4 <are>.",
        heading="X: companies · EUR",
        figures=[
            KeyFigure("Companies", "3", "of 4 in the pool"),
            KeyFigure("With a total", "2", "of the 3"),
        ],
        limits=Limits([Caveat("1 is <missing>.", "reading rule 3", is_material=True)]),
    )
    data, metadata = answer._repr_mimebundle_()
    assert metadata["ventureframe"] == {
        "answer": "3 of 4 <are>.",
        "title": "X: companies · EUR",
    }
    assert data["text/plain"].splitlines() == [
        "3 of 4 <are>.",
        "Companies: 3 (of 4 in the pool)",
        "With a total: 2 (of the 3)",
        "1 is <missing>.",
    ]
    limits, (html, figures) = answer.limits, data["text/html"].splitlines()
    assert html == '<p class="vf-answer">3 of 4 &lt;are&gt;.</p>'
    assert ">3</strong>Companies<br>of 4 in the pool</div>" in figures
    assert limits._repr_mimebundle_()[0]["text/html"].splitlines() == [
        "<p>Limits that change this reading:</p>",
        '<ul class="vf-limits"><li>1 is &lt;missing&gt;.</li></ul>',
    ]
