"""Every error goes from one process to another with its facts, and steers no
terminal.
"""

import copy
import inspect
import multiprocessing
import pickle
import warnings
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ventureframe import cli, errors
from ventureframe.errors import (
    EvidenceWarning,
    ServiceError,
    UnknownField,
    VentureframeError,
    VentureframeWarning,
)


def kinds(
    root: type[VentureframeError] = VentureframeError,
) -> Iterator[type[VentureframeError]]:
    """Every kind of error there is, of the whole tree."""
    yield root
    for each in root.__subclasses__():
        yield from kinds(each)


TEXT = st.text(max_size=20)
FACT = st.one_of(st.none(), TEXT, st.integers(), st.lists(TEXT, max_size=2).map(tuple))
PARTS = {
    "value": FACT,
    "known": st.lists(TEXT, max_size=3),
    "position": st.integers(0, 30),
    "column": st.none() | TEXT,
    "row": st.none() | st.integers(),
}
"""What errors with parameters of their own are made of, where it is not text."""


def made(kind: type[VentureframeError]) -> st.SearchStrategy[VentureframeError]:
    """Errors of a kind, with a value for each fact that it takes or that its class
    declares.
    """
    if "__init__" in vars(kind) and kind is not VentureframeError:
        names = inspect.signature(kind).parameters
        return st.builds(kind, **{name: PARTS.get(name, TEXT) for name in names})
    facts = {
        name for each in kind.__mro__ for name in vars(each).get("__annotations__", {})
    }
    return st.builds(kind, TEXT, **dict.fromkeys(sorted(facts), FACT))


@settings(max_examples=8)
@given(errors=st.tuples(*map(made, sorted(set(kinds()), key=repr))))
def test_an_error_of_every_kind_survives_pickle_and_copy_with_its_facts(
    errors: tuple[VentureframeError, ...],
) -> None:
    for error in errors:
        for again in (
            pickle.loads(pickle.dumps(error)),
            copy.copy(error),
            copy.deepcopy(error),
        ):
            assert type(again) is type(error)
            assert str(again) == str(error)
            assert vars(again) == vars(error)


def refuse(name: str) -> None:
    """What a process of a pool does that meets an error made of its facts alone."""
    raise UnknownField(name, resource="company", known=("name",))


def test_a_pool_of_processes_gives_the_error_of_one_of_them() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        answer = pool.apply_async(refuse, ("nmae",))
        with pytest.raises(UnknownField, match="did you mean 'name'") as caught:
            answer.get(30)
    assert caught.value.near == ("name",)


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
