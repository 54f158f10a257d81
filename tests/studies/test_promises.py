"""What every study over frames promises: row order, repeated rows, library and engine
change nothing, and a figure is drawn the same again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines import Engine, also_quickly_on_duckdb, assert_same, few
from tests.studies import test_exposure, test_hiring, test_spinouts
from tests.studies.test_exposure import BACKED, FUNDS, LPS, UNUSUAL
from tests.studies.worlds import WORLD, Uni
from ventureframe.client.frames import to_pandas
from ventureframe.studies import exposure, hiring, institutions, spinouts

Frames = Mapping[str, Any]


def spun_out(**frames: Any) -> Any:
    return spinouts.find(**frames, university=Uni(), currency="EUR")


def backed_by(**frames: Any) -> Any:
    failed = {"lp4": "403", "c": "504"}
    asked = ["a", "b", "c"]
    return exposure.find(
        **frames, currency="USD", since=2019, asked=asked, failed=failed
    )


def hired(**frames: Any) -> Any:
    return hiring.find(**frames, currency="EUR", rounds_asked=["A", "B"])


def every_one(**frames: Any) -> Any:
    return institutions.find(**frames, currency="EUR")


REPEATED: dict[str, list[dict[str, Any]]] = {
    "companies": [
        {"uuid": "A", "name": "Alpha", "open_jobs_count": 9},
        {"uuid": "E", "name": "Epsilon", "total_funding": float("nan")},
    ],
    "jobs": [{"id": 1, "title": "Nurse", "entity_id": "C"}, {"title": "No id"}],
    "news": [{"id": 10, "title": "Another headline"}],
    "news_companies": [],
    "rounds": [
        {"company_uuid": "B", "id": 4, "year": 2022, "month": 4, "round_type": "Debt"},
        {"company_uuid": "C", "id": 5, "year": 2022, "round_type": ""},
    ],
}
"""Rows that differ from others of their key, and unusual ones."""
OTHER = {"uuid": "a", "name": None, "hq_country": "Chad"}
DIFFERING = test_exposure.made(
    [*LPS, {"uuid": "lp1", "name": None}],
    [*BACKED, {"lp_uuid": "lp1", **OTHER}, {"lp_uuid": "lp2", **OTHER}],
    [
        *FUNDS,
        *(
            {**row, "manager_uuid": "c", "name": None, "fund_date": None}
            for row in FUNDS
        ),
        *({**row, "id": row["id"] + 9} for row in UNUSUAL),
    ],
)


@dataclass(frozen=True)
class Promising:
    """A study: how it is found, a world that it is found in, and any other world."""

    find: Callable[..., Any]
    frames: Frames
    worlds: st.SearchStrategy[Frames]


STUDIES = {
    "spinouts": Promising(
        spun_out, WORLD.frames(), test_spinouts.worlds.map(lambda world: world.frames())
    ),
    "institutions": Promising(
        every_one,
        WORLD.frames(),
        test_spinouts.worlds.map(lambda world: world.frames()),
    ),
    "hiring": Promising(
        hired,
        test_hiring.made(
            {name: [*rows, *REPEATED[name]] for name, rows in test_hiring.WORLD.items()}
        ),
        test_hiring.worlds.map(test_hiring.made),
    ),
    "exposure": Promising(
        backed_by,
        DIFFERING,
        st.builds(
            test_exposure.made,
            st.just(LPS),
            test_exposure.backings,
            test_exposure.vehicles,
        ),
    ),
}
by_study = pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)


def repeated(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The rows in another order, the first two of them twice."""
    rows = pl.concat([frame, frame.head(2)])
    return rows.sample(fraction=1.0, shuffle=True, seed=seed)


PROMISES: dict[str, Callable[[Frames, int], Frames]] = {
    "row order and repeated rows": lambda frames, seed: {
        name: repeated(frame, seed) for name, frame in frames.items()
    },
    "pandas": lambda frames, _: {
        name: to_pandas(frame) for name, frame in frames.items()
    },
}


@by_study
@pytest.mark.parametrize("changed", PROMISES.values(), ids=PROMISES)
@few()
@given(data=st.data(), seed=st.integers(0, 99))
def test_a_study_of_any_world_does_not_change_with(
    study: Promising,
    changed: Callable[[Frames, int], Frames],
    data: st.DataObject,
    seed: int,
) -> None:
    frames = data.draw(study.worlds)
    assert_same(study.find(**frames), study.find(**changed(frames, seed)))


@by_study
@also_quickly_on_duckdb
def test_a_study_is_the_same_on_every_engine(study: Promising, engine: Engine) -> None:
    there = engine.holding(study.frames)
    assert_same(study.find(**study.frames), study.find(**there))


NAMED: dict[str, tuple[Callable[..., Any], Frames]] = {
    "spinouts": (spun_out, WORLD.frames()),
    "institutions": (every_one, WORLD.frames()),
    "hiring": (hired, test_hiring.made(test_hiring.WORLD)),
    "exposure": (backed_by, test_exposure.made(LPS, BACKED, FUNDS)),
}


@pytest.mark.parametrize(("find", "frames"), NAMED.values(), ids=NAMED)
def test_figures_are_drawn_the_same_from_rows_in_another_order(
    find: Callable[..., Any], frames: Frames
) -> None:
    one = find(**frames)
    again = find(**{name: repeated(frame, 3) for name, frame in frames.items()})
    for name in one.findings():
        if getattr(one, name).drawing is not None:
            assert getattr(again, name).plot().svg == getattr(one, name).plot().svg


@pytest.mark.parametrize(("find", "frames"), NAMED.values(), ids=NAMED)
def test_figures_show_a_missing_name_as_tables_do(
    find: Callable[..., Any], frames: Frames
) -> None:
    nameless = dict(frames)
    for name, frame in frames.items():
        if "name" in frame.columns and name != "company_tags":
            nameless[name] = frame.with_columns(name=pl.lit(None, pl.String))
    study = find(**nameless)
    shown = [
        getattr(study, name).plot().svg
        for name in study.findings()
        if getattr(study, name).drawing is not None
    ]
    assert not any("None" in svg for svg in shown)
    if find is not every_one:  # universities keep their names
        assert any("not reported" in svg for svg in shown)
