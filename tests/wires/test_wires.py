"""A wire that changes gives the same figures, or says what differs."""

import polars as pl
import pytest

from tests.wires.__main__ import WIRES, Case, world
from tests.wires.judge import Seen, judged
from tests.wires.mutations import CHANGES, Mutation


def well(case: Case) -> bool:
    return case.outcome not in ("silent", "raw") and (
        case.outcome != "refused" or case.asked <= 10
    )


@pytest.mark.parametrize("wire", WIRES)
def test_no_change_of_a_wire_gives_other_figures_in_silence(wire: str) -> None:
    with world(wire) as each:
        cases = list(each.cases(range(10)))
    assert len(cases) >= 10
    assert [str(case) for case in cases if not well(case)] == []


def test_a_figure_that_differs_without_a_word_is_found() -> None:
    mutation = Mutation("dropped", "companies", ("data", "*", "team_size"))
    truth = Seen({"rows": pl.DataFrame({"team_size": [1, 2]})}, "")
    lost = pl.DataFrame({"team_size": pl.Series([None, None], dtype=pl.Int64)})
    assert judged(mutation, truth, truth)[0] == "same"
    assert (
        judged(mutation, truth, Seen({"rows": lost}, "2 of 2 · complete"))[0]
        == "silent"
    )
    named = Seen({"rows": lost}, "no row has team_size")
    assert judged(mutation, truth, named)[0] == "named"
    assert judged(mutation, truth, Seen({}, "", KeyError("team_size")))[0] == "raw"


def test_each_kind_of_change_changes_a_reply() -> None:
    for kind in CHANGES:
        body = {"data": [{"name": "A", "n": 1}, {"name": "B", "n": 2}]}
        changed = Mutation(kind, "companies", ("data", "*", "name")).body(body)
        assert changed != {"data": [{"name": "A", "n": 1}, {"name": "B", "n": 2}]}, kind
