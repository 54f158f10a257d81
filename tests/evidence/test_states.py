"""States are closed sets that never say no; claims and caveats say what they rest on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

import pytest

from ventureframe.evidence import EDGES, STATES, WINDOWS, Caveat, Claim
from ventureframe.evidence.states import AMOUNTS, Amount, Edge, State, Window


@pytest.mark.parametrize(
    ("said", "closed"),
    [(STATES, State), (WINDOWS, Window), (AMOUNTS, Amount), (EDGES, Edge)],
)
def test_every_member_of_a_closed_set_has_its_sentence_in_order(
    said: Mapping[str, str], closed: Any
) -> None:
    assert tuple(said) == get_args(closed)


@pytest.mark.parametrize("sentence", [*STATES, *STATES.values()])
def test_a_state_never_says_no(sentence: str) -> None:
    assert not re.search(r"\b(no|never|none|false)\b", sentence)


def test_a_claim_and_a_caveat_say_what_they_rest_on() -> None:
    assert str(Claim("3 companies", "candidate", "the pool")) == "3 companies [candidate: the pool]"
    caveat = Caveat("Records can be incomplete.", "reading rule 3")
    assert str(caveat) == "Records can be incomplete. (interface, reading rule 3)"
