"""What differs between two saves of one question; newly seen is not newly happened.

The service has no change feed, so change is what a client finds by comparing two
fetches by id (interface, reading rule 7). What an incomplete fetch leaves open is
not claimed.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ventureframe.client.result import Result, Saved
from ventureframe.client.result import opened as opened_save
from ventureframe.errors import FetchesNotComparable
from ventureframe.evidence.question import uuids_of
from ventureframe.evidence.study import Study as AnyStudy
from ventureframe.interface.files import home
from ventureframe.studies.changes import pulls
from ventureframe.studies.changes.edits import Edits, read
from ventureframe.studies.changes.pair import Pair, day, moment, paired
from ventureframe.studies.changes.records import shown_columns
from ventureframe.studies.changes.study import Study

Side = AnyStudy | Result | str | Path  # a folder holds a save or a pull
_TITLES = {
    "exposure": "LP exposure of {}",
    "hiring": "Hiring signals in {}",
    "mine": "Companies of {}",
    "spinouts": "Companies founded by alumni of {}",
    "universities": "Companies founded by alumni of {}",
}
"""What a study is called, with its subject."""


def compare(old: Side, new: Side, *, companies: Any = None) -> Study:
    """Find what the second fetch has that the first lacks or has otherwise, by id.

    Two results are compared with each other; of two studies, or saves of them, each
    result with that of its name; of two pulled folders each collection. No service is
    asked. Of `companies`, by their UUIDs, what is fetched is compared alone, in each
    result that names companies.

    Raises `FetchesNotComparable` where the first is the later one, and where the two
    are of other data or of another question; folders are loaded, and checked, first:
    `SaveError`, `DatasetError`.

    >>> import ventureframe as vf
    >>> march, now = vf.connect(sample_day="2026-03-31"), vf.connect()
    >>> vf.changes.compare(march.companies.fetch(), now.companies.fetch()).counts
    Counts(newly_seen=55, no_longer_seen=0, in_both=1945, changed=388, cannot_tell=524)
    """
    first, second = _opened(old), _opened(new)
    if companies is not None:
        uuids = uuids_of(companies)
        first, second = _of_companies(first, uuids), _of_companies(second, uuids)
    is_one_each = len(first.results) == len(second.results) == 1
    if is_one_each and first.study is second.study is None:
        first = Saved(dict(zip(second.results, first.results.values(), strict=True)))
    names = (_named(old, "the first fetch"), _named(new, "the second fetch"))
    unpaired = sorted(first.results.keys() ^ second.results.keys())
    edits = read(first, second)
    pairs = _compared(first, second, names, edits)
    return Study.of(pairs, tuple(unpaired), second.study, edits)


def _opened(side: Side) -> Saved:
    if isinstance(side, Result):
        return Saved({side.resource.name: side})
    if isinstance(side, AnyStudy):
        return side.saved
    folder = home(side)
    return pulls.opened(folder) if pulls.is_pull(folder) else opened_save(folder)


def _of_companies(saved: Saved, uuids: Sequence[str]) -> Saved:
    """Keep the rows of some companies, and the results that name companies."""
    results = dict[str, Result]()
    for name, result in saved.results.items():
        resource = result.resource.name
        owner = "uuid" if resource == "companies" else shown_columns(resource).owner
        if owner in result.to_polars().columns:
            rows = result._frame.filter(pl.col(owner).is_in(uuids))
            results[name] = replace(result, _frame=rows)
    return replace(saved, results=results)


def _named(side: Side, otherwise: str) -> str:
    return f"{otherwise} ({str(side)!r})" if isinstance(side, str | Path) else otherwise


def _compared(
    first: Saved, second: Saved, names: tuple[str, str], edits: Edits | None
) -> dict[str, Pair]:
    """Compare the results of one name; raises `FetchesNotComparable`."""
    refusal = partial(FetchesNotComparable, first=names[0], second=names[1])
    sides = [
        (name, result, second.results[name])
        for name, result in first.results.items()
        if name in second.results
    ]
    differences = [*_differences(first, second)]
    for _, old, new in sides:
        is_made_up = {bool(side.provenance.source.synthetic) for side in (old, new)}
        if len(is_made_up) > 1:
            raise _of_other_data(refusal, old, new)
        differences += _differences_of_results(old, new)
    if differences:
        advice = "Fetch both with the same question, filter and currency"
        raise refusal(differences[0], advice=advice)
    texts = [result.provenance.filter for result in second.results.values()]
    about: dict[str, Any] = {
        "studied": _studied(second),
        # of a study all other records are looked up by the ids of the first
        "filter": next(filter(None, texts), None) if second.study else None,
        "names": {**_names(first), **_names(second)},
        "moved": edits.moved if edits else frozenset(),
    }
    pairs = {name: paired(old, new, **about) for name, old, new in sides}
    in_both = [
        pair.in_both for pair in pairs.values() if len(pair.old) and len(pair.new)
    ]
    is_apart = bool(in_both) and not any(in_both)
    for pair in pairs.values():
        if is_apart and _data(pair.old) != _data(pair.new):
            raise _of_other_data(refusal, pair.old, pair.new)
        before, after = moment(pair.old), moment(pair.new)
        if before is not None and after is not None and before > after:
            days = f"({day(pair.old)}) is later than the second ({day(pair.new)})"
            raise refusal(f"the first {days}", advice="Give the earlier one first")
    return pairs


def _data(result: Result) -> str:
    source = result.provenance.source
    return f"{source.name!r}{', SYNTHETIC sample data' if source.synthetic else ''}"


def _studied(saved: Saved) -> str:
    """The study that is compared, in words; empty for results alone."""
    if not saved.study:
        return ""
    subject = saved.parameters.get("subject", saved.study)
    return _TITLES.get(saved.study, "{}").format(subject)


def _names(saved: Saved) -> dict[str, str]:
    """The names of companies and founders, by UUID."""
    names = dict[str, str]()
    for result in saved.results.values():
        if result.resource.name in ("companies", "founders"):
            named = result.to_polars().select("uuid", "name").drop_nulls()
            names.update(named.iter_rows())
    return names


def _of_other_data(
    refusal: Callable[..., FetchesNotComparable], old: Result, new: Result
) -> FetchesNotComparable:
    described = f"the first is of {_data(old)}; the second is of {_data(new)}"
    advice = "Compare two fetches of one service, or of two versions of one dataset"
    return refusal(f"they are of other data: {described}", advice=advice)


def _differences(first: Saved, second: Saved) -> Iterator[str]:
    """How the studies of two saves differ; a save holds their questions as JSON."""
    if first.study != second.study:
        kinds = [
            f"a {saved.study} study" if saved.study else "no study"
            for saved in (first, second)
        ]
        yield "the first is {}, the second {}".format(*kinds)
    before, after = _parameters(first), _parameters(second)
    values = [
        f"{name} ({before.get(name, 'none')}, {after.get(name, 'none')})"
        for name in sorted(before | after)
        if before.get(name) != after.get(name)
    ]
    if values:
        yield f"the studies differ in {' and '.join(values)}"
    if not first.results.keys() & second.results.keys():
        names = [", ".join(saved.results) or "nothing" for saved in (first, second)]
        yield "they hold no result of one name ({}; {})".format(*names)


def _parameters(saved: Saved) -> dict[str, str]:
    """The parameters as text, without a list, whose rows are compared."""
    return {
        name: json.dumps(value)
        for name, value in saved.parameters.items()
        if value is not None and name not in ("list", "rows")
    }


def _differences_of_results(old: Result, new: Result) -> Iterator[str]:
    """How the requests of two results differ."""
    before, after = old.provenance, new.provenance
    id_columns = [", ".join(result.details.asked_by) for result in (old, new)]
    facts = (
        ("records differ", old.resource.name, new.resource.name),
        ("endpoint differs", before.endpoint, after.endpoint),
        ("filter differs", before.filter, after.filter),
        ("currency differs", before.currency, after.currency),
        ("columns of the requested ids differ", *id_columns),
    )
    for difference, first, second in facts:
        if first != second:
            yield f"the {difference} ({first or 'none'}, {second or 'none'})"
