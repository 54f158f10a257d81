"""What came of a change: the same figures, other figures with a word, an error that names
it, or other figures in silence.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import polars as pl
import polars.selectors as cs

import ventureframe as vf
from tests.service.sample.sample import sample
from tests.wires.mutations import CHANGES, NEW_VALUE, Mutation
from ventureframe.client.result import Result
from ventureframe.client.service import Service
from ventureframe.errors import VentureframeError
from ventureframe.evidence.study import Study

Outcome = Literal["same", "named", "refused", "unnamed", "silent", "raw"]
Frames = Mapping[str, pl.DataFrame]

_UNIVERSITY: Final = {
    "university": "Harrowmere University",
    "domain": "harrowmere.example",
}
_LPS: Final = [("Prairie Public Employees Fund", "prairiefund.example")]
_SOME: Final = 60
UNCHECKED: Final = "Not checked: that the rows meet the filter"
DATASET: Final = sample(companies=120)
_ROBOTICS: Final = [("Robotics", "technology")]


@cache
def _first(table: str) -> list[str]:
    """The UUIDs of the first records of a table of the sample."""
    return DATASET.tables[table]["uuid"].head(_SOME).to_list()


SUBJECTS: Final[Mapping[str, Callable[[Service], Result | Study]]] = {
    "companies": lambda svc: (
        svc.companies.where(
            vf.company.launch_date >= 2010, vf.company.total_funding >= 1_000_000
        )
        .sort("-total_funding")
        .fetch()
    ),
    "founders": lambda svc: svc.founders.by_id(_first("founders")).fetch(),
    "funds": lambda svc: svc.funds.fetch(),
    "jobs": lambda svc: svc.jobs.at(_first("companies")).fetch(),
    "spinouts": lambda svc: vf.spinouts.study(svc, **_UNIVERSITY),
    "exposure": lambda svc: vf.exposure.study(svc, lps=_LPS, since=2021),
    "hiring": lambda svc: vf.hiring.study(
        svc, tags=_ROBOTICS, founded=(2005, None), rounds_of=3
    ),
}
"""What is asked: fetches of a collection, and studies."""


@dataclass(frozen=True)
class Seen:
    """What a subject gave: its frames and everything it says, or the error it ended
    with.
    """

    frames: Frames
    words: str
    error: BaseException | None = None
    requests: int = 0


def ask(subject: str, svc: Service) -> Seen:
    """Ask a subject of a service, and keep what it gave and said."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        error, frames, said = None, dict[str, pl.DataFrame](), list[str]()
        try:
            answer = SUBJECTS[subject](svc)
            if isinstance(answer, Result):
                frames = {"rows": answer.to_polars()}
                said = [repr(answer).splitlines()[0], *answer.caveats]
            else:
                frames = dict(answer.frames)
                caveats = answer.caveats.to_polars()
                said = [str(answer.answer), *caveats["caveat"].cast(str)]
        except Exception as raised:  # what is raised is what is judged
            error = raised
    words = "\n".join([*said, *(str(each.message) for each in warned)])
    return Seen(frames, words, error)


def judged(
    mutation: Mutation, truth: Seen, seen: Seen, fields: Iterable[str] = ()
) -> tuple[Outcome, str]:
    """What came of a mutation, and what differs or was said.

    `fields` are the interface's, which are read from the member that changes. What is
    said without the mutation as well, but for its numbers, names nothing: only that a
    filter is not checked, because no row shows what it is on.
    """
    names = {*mutation.names, *fields}
    is_new = mutation.kind in ("a new value", "other words")
    if is_new:
        names.add(NEW_VALUE)
    if mutation.kind not in CHANGES:
        names = {mutation.at, *mutation.path}
    if isinstance(seen.error, VentureframeError):
        error = str(seen.error)
        return ("refused" if _has(error, names) else "unnamed"), error
    if seen.error is not None:
        return "raw", repr(seen.error)
    one, other = truth.frames, seen.frames
    if mutation.kind == "null for empty":
        one, other = _without_empty(one), _without_empty(other)
    columns = sorted(differing(one, other))
    if not columns:
        return "same", ""
    before = set(map(_without_numbers, truth.words.splitlines()))
    lines = seen.words.splitlines()
    new = "\n".join(
        line
        for line in lines
        if _without_numbers(line) not in before or line.startswith(UNCHECKED)
    )
    is_read = _has(new, names)
    if is_new:
        is_read |= _shows(seen.frames, NEW_VALUE)  # it names itself
    if mutation.kind == "text for nothing":
        is_read |= not _shows(seen.frames, ':""')  # null, as it should be
    if is_read:
        return "named", ", ".join(columns)
    return "silent", f"{', '.join(columns)} | {new[:600]}"


def differing(one: Frames, other: Frames) -> set[str]:
    """The columns that are not equal, and `rows` where frames have other rows."""
    names = set[str]()
    for name in one.keys() | other.keys():
        if (
            name not in one
            or name not in other
            or one[name].height != other[name].height
        ):
            names.add(f"rows of {name}")
            continue
        for column in one[name].columns:
            if not one[name][column].equals(
                other[name].get_column(column), null_equal=True
            ):
                names.add(column)
    return names


def _without_empty(frames: Frames) -> Frames:
    """The frames, an empty list as null: both say that nothing is recorded."""
    lists = cs.list()
    whole = pl.when(lists.list.len() > 0).then(lists).name.keep()
    return {name: frame.with_columns(whole) for name, frame in frames.items()}


def _without_numbers(line: str) -> str:
    return re.sub(r"[\d.,]*\d", "#", line)


def _shows(frames: Frames, value: str) -> bool:
    """Whether a text stands in a frame."""
    return any(value in frame.write_json() for frame in frames.values())


def _has(text: str, names: Iterable[str]) -> bool:
    """Whether a text has one of these names, in whole words."""
    plain = f" {_plain(text)} "
    return any(f" {_plain(name)} " in plain for name in names)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).lower().strip()
