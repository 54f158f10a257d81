"""No error steers a terminal, and none takes a fact that it does not declare."""

import pickle
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ventureframe import cli, errors
from ventureframe.errors import (
    EvidenceWarning,
    ServiceError,
    UnsupportedValue,
    VentureframeWarning,
)


@given(
    text=st.text().map(lambda text: f"\x1b{text}")
    | st.sampled_from("\x9b\r\x00\u202e\u2066\u2028\ud800\t")
)
def test_no_control_character_is_in_a_message_and_the_rest_stays(text: str) -> None:
    said = str(ServiceError(f"the service said\n{text}"))
    assert said.startswith("the service said\n")
    assert not errors._UNSEEN.search(said.replace("\n", ""))
    assert "\\" in said
    said.encode()
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        warnings.warn(text, EvidenceWarning, stacklevel=1)
    assert not errors._UNSEEN.search(str(given[0].message).replace("\n", ""))


@given(text=st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])))
def test_a_text_without_control_characters_stays_as_it_is(text: str) -> None:
    assert errors.visible(text) == text
    assert str(VentureframeWarning(text)) == text


def test_the_command_line_prints_an_error_without_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["compare", "\x1b[31m", "/nowhere"]) == 1
    assert capsys.readouterr().err.replace("\n", "").isprintable()


def test_an_error_is_the_same_after_it_came_from_another_process() -> None:
    error = UnsupportedValue(5, field="year", reason="it needs a year")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is UnsupportedValue
    assert (str(again), vars(again)) == (str(error), vars(error))
