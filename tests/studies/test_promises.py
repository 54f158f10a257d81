"""What every study over frames promises: row order, repeated rows, library and engine
change nothing, a figure is drawn the same again, and no record is a study, too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines import Engine, also_quickly_on_duckdb, assert_same, few
from tests.service.sample.sample import sample
from tests.studies import test_exposure, test_hiring, test_spinouts
from tests.studies.test_exposure import BACKED, FUNDS, LPS, UNUSUAL
from tests.studies.test_universities import OTHER as ELSEWHERE
from tests.studies.test_universities import TAGS
from tests.studies.worlds import WORLD, Uni, World
from ventureframe import bulk
from ventureframe.client.frames import to_pandas
from ventureframe.evidence import rows
from ventureframe.studies import exposure, hiring, institutions, spinouts, universities

Find = Callable[..., Any]
Frames = Mapping[str, Any]


def spun_out(**frames: Any) -> Any:
    return spinouts.find(**frames, university=Uni(), currency="EUR")


def side_by_side(**frames: Any) -> Any:
    elsewhere = spinouts.find(**frames, university=ELSEWHERE, currency="EUR")
    return universities.compare([spun_out(**frames), elsewhere])


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


def tagged(world: World) -> Frames:
    return {**world.frames(), "company_tags": TAGS}


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
    """A study: how it is found, a world that it is found in, any other world, and one
    of which every record has a name to draw.
    """

    find: Find
    frames: Frames
    worlds: st.SearchStrategy[Frames]
    named: Frames


PEOPLE = (tagged(WORLD), test_spinouts.worlds.map(tagged), tagged(WORLD))
STUDIES = {
    "spinouts": Promising(spun_out, *PEOPLE),
    "institutions": Promising(every_one, *PEOPLE),
    "hiring": Promising(
        hired,
        test_hiring.made(
            {name: [*rows, *REPEATED[name]] for name, rows in test_hiring.WORLD.items()}
        ),
        test_hiring.worlds.map(test_hiring.made),
        test_hiring.made(test_hiring.WORLD),
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
        test_exposure.made(LPS, BACKED, FUNDS),
    ),
}
SHOWN = {**STUDIES, "universities": Promising(side_by_side, *PEOPLE)}
by_study = pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
by_study_shown = pytest.mark.parametrize("study", SHOWN.values(), ids=SHOWN)


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
by_promise = pytest.mark.parametrize("changed", PROMISES.values(), ids=PROMISES)


@by_study
@by_promise
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


@by_study_shown
@by_promise
def test_findings_and_their_figures_are_the_same_with(
    study: Promising, changed: Callable[[Frames, int], Frames]
) -> None:
    one, again = study.find(**study.named), study.find(**changed(study.named, 3))
    for name in one.findings():
        finding, other = getattr(one, name), getattr(again, name)
        assert finding.frame.equals(other.frame), name
        assert finding.drawing is None or finding.plot().svg == other.plot().svg, name


@by_study_shown
def test_without_any_record_every_finding_is_shown_and_drawn(study: Promising) -> None:
    empty = study.find(**{name: frame.clear() for name, frame in study.frames.items()})
    full = study.find(**study.frames)
    for name in empty.findings():
        finding = getattr(empty, name)
        assert finding._repr_html_()
        assert finding.frame.schema == getattr(full, name).frame.schema
        if finding.drawing is not None:
            ET.fromstring(finding.plot().svg)


@by_study
@also_quickly_on_duckdb
def test_a_study_is_the_same_on_every_engine(study: Promising, engine: Engine) -> None:
    there = engine.holding(study.frames)
    assert_same(study.find(**study.frames), study.find(**there))


@by_study
@few()
@given(data=st.data())
def test_a_study_of_any_world_is_the_same_on_every_engine(
    study: Promising, engine: Engine, data: st.DataObject
) -> None:
    frames = data.draw(study.worlds)
    assert_same(study.find(**frames), study.find(**engine.holding(frames)))


@pytest.fixture(scope="module")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(companies=200).write(tmp_path_factory.mktemp("sample"))


FOLDERS: dict[str, tuple[Find, dict[str, Any]]] = {
    "spinouts": (spinouts.find, {"university": "Tarnvik Technical University"}),
    "institutions": (institutions.find, {}),
    "hiring": (hiring.find, {}),
    "exposure": (exposure.find, {}),
}


@also_quickly_on_duckdb
@pytest.mark.parametrize("name", FOLDERS)
def test_the_sample_gives_the_same_study_on_every_engine(
    sample_folder: Path, engine: Engine, name: str
) -> None:
    find, options = FOLDERS[name]
    study = find(**bulk.open(sample_folder), currency="EUR", **options)
    there = bulk.open(sample_folder, engine=engine.opens)
    assert_same(study, find(**there, currency="EUR", **options))


def test_entries_of_founders_who_are_not_in_the_collection_are_left_on_the_engine() -> (
    None
):
    frames = WORLD.frames()
    expected = every_one(**frames)
    many = pl.DataFrame({"position": range(rows.MOST)})
    many = many.with_columns(founder_uuid=pl.lit("nobody"))
    entries = pl.concat([frames["education"], many], how="diagonal_relaxed")
    study = every_one(**{**frames, "education": entries.lazy()})
    assert_same(study, expected)


@pytest.mark.engines
@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "options", "counts"),
    [
        (
            "spinouts",
            {"university": "Stanford University"},
            {"companies_evidenced": 322},
        ),
        ("institutions", {}, {}),
        ("hiring", {}, {"rounds_asked": 72_701, "companies": 72_701}),
        ("exposure", {}, {"lps": 11, "managers_with_funds": 6}),
    ],
)
def test_real_data_give_the_same_study_on_every_engine(
    real_data: Path,
    engine: Engine,
    name: str,
    options: dict[str, Any],
    counts: dict[str, int],
) -> None:
    folder, (find, _) = real_data / "venture-2013", FOLDERS[name]
    study = find(**bulk.open(folder), currency="USD", **options)
    assert {count: getattr(study.counts, count) for count in counts} == counts
    there = bulk.open(folder, engine=engine.opens)
    assert_same(study, find(**there, currency="USD", **options))
