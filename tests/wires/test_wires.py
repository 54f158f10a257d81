"""A wire that changes gives the same figures, or says what differs."""

from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.fake import start_on
from tests.faults import connected
from tests.wires.__main__ import WIRES, Case, world
from tests.wires.invented import BEFORE, INVENTED, Speaking
from tests.wires.judge import DATASET, Seen, ask, differing, judged
from tests.wires.mutations import CHANGES, UNITS, Mutation
from tests.wires.proxy import proxied
from ventureframe.client.retry import Retries

TODAY = "2026-10-02"


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
        row = {"status": "A", "n": 1, "tags": [], "place": [{"name": "X"}]}
        changed = list[bool]()
        for name in row:
            body = {"data": [deepcopy(row), deepcopy(row)]}
            after = Mutation(kind, "companies", ("data", "*", name)).body(body)
            changed.append(after != {"data": [row, row]})
        assert any(changed), kind


CHANGED = [
    *(
        (TODAY, kind, route, f"{path}.role")
        for kind in ("other words", "a new value")
        for route, path in (
            ("companies", "data.*.locations.*"),
            ("lp-funds", "data.*.investor.locations.*"),
        )
    ),
    (TODAY, "other words", "entity", "data.locations.*.role"),
    (TODAY, "other words", "news", "data.*.entities.*.entity.subtype"),
    *(
        (wire, kind, route, "data.*.amount")
        for wire in WIRES
        for kind in UNITS
        for route in ("funds", "manager-funds")
    ),
    *(("interface", kind, "funding-rounds", "data.*.amount") for kind in UNITS),
]


@pytest.mark.parametrize("wire", WIRES)
def test_another_code_or_unit_gives_no_figure_in_silence(wire: str) -> None:
    with world(wire) as changed:
        for spoken, kind, route, path in CHANGED:
            if spoken != wire:
                continue
            mutation = Mutation(kind, route, tuple(path.split(".")))
            outcomes = {case.outcome for case in changed.of(mutation)}
            assert outcomes & {"named", "refused"}, mutation
            assert outcomes <= {"named", "refused", "same"}, mutation


def test_an_invented_version_is_one_table_away() -> None:
    """The worked example of `docs/develop/new-wire.md`."""
    with (
        start_on(BEFORE.name, DATASET) as running,
        proxied(running.base_url, INVENTED.paths, Speaking) as (_, address),
    ):
        before: dict[str, Any] = {"profile": BEFORE, "retries": Retries(attempts=2)}
        after: dict[str, Any] = {**before, "profile": INVENTED}
        for subject in ("companies", "founders", "jobs", "spinouts", "hiring"):
            with (
                connected(running, **before) as one,
                connected(replace(running, base_url=address), **after) as other,
            ):
                truth, seen = ask(subject, one), ask(subject, other)
            assert truth.error is None, subject
            assert seen.error is None, subject
            assert differing(truth.frames, seen.frames) == set(), subject
        with connected(replace(running, base_url=address), **before) as unaware:
            told = ask("companies", unaware)
    for name in ("website_domain", "team_size", "company_status"):
        assert name in f"{told.words}{told.error}", name


def test_the_table_of_the_invented_version_is_short() -> None:
    text = (Path(__file__).parent / "invented.py").read_text()
    table = text.partition("# the table begins")[2].partition("# the table ends")[0]
    assert len(table.strip().splitlines()) <= 100
