"""What differs between two saves of one question, or two tables; newly seen is not
newly happened.

The service has no change feed, so change is what a client finds by comparing two
fetches by id (interface, reading rule 7). What an incomplete fetch leaves open is
not claimed.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import narwhals as nw
import polars as pl

from ventureframe.bulk.open import open as open_folder
from ventureframe.client import saves
from ventureframe.client.result import Result, Saved, opened
from ventureframe.dataset.manifest import PULLS
from ventureframe.errors import FetchesNotComparable, UnsupportedValue
from ventureframe.evidence.rows import Frame, Rows, lazy
from ventureframe.evidence.study import Study as AnyStudy
from ventureframe.interface.certificate import Certificate, Verdict
from ventureframe.interface.fields import RESOURCES, Currency, Resource
from ventureframe.interface.source import NotThere, Provenance, Source
from ventureframe.studies.changes.pair import Pair, Tables, day, moment, paired
from ventureframe.studies.changes.study import Study

# a folder holds a save or a pull
Side = AnyStudy | Result | Mapping[str, Any] | str | Path
Table = Frame | Mapping[str, Any]  # or the frames of a dataset with its `origin`


def compare(old: Side, new: Side, *, companies: Iterable[str] | None = None) -> Study:
    """Find what the second fetch has that the first lacks or has otherwise, by id.

    Two results are compared with each other; of two studies, or saves of them, each
    result with that of its name. Two pulls, as folders or as `vf.bulk.open(folder,
    pulled=day)` gives them, are compared table by table where they lie, as `find` does.
    No service is asked. Of `companies`, by their UUIDs, what is fetched is compared
    alone, in each result that names companies.

    Raises `FetchesNotComparable` where the first is the later one, and where the two
    are of other data or of another question; folders are loaded, and checked, first:
    `SaveError`.

    >>> import ventureframe as vf
    >>> march, now = vf.connect(sample_day="2026-03-31"), vf.connect()
    >>> vf.changes.compare(march.companies.fetch(), now.companies.fetch()).counts
    Counts(newly_seen=55, no_longer_seen=0, in_both=1945, changed=388, cannot_tell=524)
    """
    pulls = [frames for frames in map(_pulled, (old, new)) if frames is not None]
    if len(pulls) == 2:
        tables = ("companies", "founders", "funds", "news", "jobs")
        here, there = (
            {name for name in tables if not isinstance(frames[name], NotThere)}
            for frames in pulls
        )
        both = [name for name in tables if name in here & there] or ["companies"]
        studies = {
            name: find(before=pulls[0], after=pulls[1], table=name) for name in both
        }
        pairs = {name: study.pair for name, study in studies.items()}
        return Study.of(pairs, tuple(sorted(here ^ there)))
    if pulls:
        sides = {"first": "one of them", "second": "the other"}
        advice = "Give two pulls, or two fetches"
        raise FetchesNotComparable("only one of them is a pull", advice=advice, **sides)
    first, second = _saved(old), _saved(new)
    if companies is not None:
        uuids = pl.Series([*companies], dtype=pl.String).implode()
        first, second = (_of_companies(saved, uuids) for saved in (first, second))
    if (
        len(first.results) == len(second.results) == 1
        and first.study is second.study is None
    ):
        first = Saved(dict(zip(second.results, first.results.values(), strict=True)))
    names = (_named(old, "the first fetch"), _named(new, "the second fetch"))
    unpaired = tuple(sorted(first.results.keys() ^ second.results.keys()))
    return Study.of(_compared(first, second, names), unpaired, second.study)


def _pulled(side: Side) -> Mapping[str, Any] | None:
    """The frames of a pull; None for anything else."""
    if isinstance(side, str | Path):
        folder = Path(side)
        is_pull = PULLS.is_in(folder) and not saves.SAVES.is_in(folder)
        return open_folder(folder) if is_pull else None
    return side if isinstance(side, Mapping) else None


def find(
    *,
    before: Table,
    after: Table,
    table: str = "companies",
    key: Sequence[str] = (),
    sources: tuple[Source, Source] | None = None,
    currency: Currency | None = None,
) -> Study:
    """Find what the second of two tables has that the first lacks or has otherwise.

    Nothing is fetched. They are joined by key on the engine of the frames, and only
    rows that differ are collected. Rows are listed in the order of the key.

    Parameters
    ----------
    before, after : frame, or what `vf.bulk.open` gives
        The two tables, of any library or engine, both of the same; a table that is
        opened with its dataset brings its source and, where a service converted its
        amounts, their currency.
    table : str
        What a row is: the name of a resource, or of another table of a dataset.
    key : sequence of str, optional
        The columns that identify a row; those of the tables of a dataset are known.
    sources : (Source, Source), optional
        Where the frames are from: `as_of` is the day of each, and one whose
        `incomplete` names the table does not hold every record: what it leaves open is
        not claimed.
    currency : {"USD", "EUR", "GBP"}, optional
        What amounts are converted to; None: they are as recorded, so that every
        difference counts.

    Raises `FetchesNotComparable` where the first is the later one or they are of other
    data, and `UnsupportedValue` for a table that needs a `key`.

    >>> import polars as pl
    >>> before = pl.LazyFrame({"uuid": ["a", "b"], "name": ["A", "B"]})
    >>> after = pl.LazyFrame({"uuid": ["b", "c"], "name": ["Bee", "C"]})
    >>> find(before=before, after=after).counts
    Counts(newly_seen=1, no_longer_seen=1, in_both=1, changed=1, cannot_tell=0)
    """
    name = table.replace("_", "-")
    resource = RESOURCES.get(name)
    key = key or _KEYS.get(table, ()) or ((resource.key,) if resource else ())
    if not key:
        reason = "name the columns that identify a row: key=(…)"
        raise UnsupportedValue(table, field="table", reason=reason)
    names = ("the first table", "the second table")
    resource = resource or Resource(f"rows-of-{name}", f"row_of_{table}", ())
    (first, old), (second, new) = (
        _fetched(side, table, resource, source, currency)
        for side, source in zip(
            (before, after), sources or map(Source, names), strict=True
        )
    )
    saved = [Saved({resource.name: result}) for result in (old, new)]
    tables = Tables(
        (first, second), tuple(key), *_lists((before, after), table, key[0])
    )
    return Study.of(_compared(saved[0], saved[1], names, tables))


# what identifies a row of a table that is no resource
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "company_founders": ("company_uuid", "founder_uuid"),
    "company_tags": ("company_uuid", "name", "type"),
    "education": ("founder_uuid", "position"),
    "lp_managers": ("lp_uuid", "manager_uuid"),
}


_ENTRIES: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "companies": {
        "tags": ("company_tags", "company_uuid"),
        "founders": ("company_founders", "company_uuid"),
    },
    "founders": {"education": ("education", "founder_uuid")},
    "news": {"entity_ids": ("news_companies", "news_item_id")},
}
"""By table the lists of its rows, each with the table of its entries and the column
of the row.
"""
_OTHERWISE: Final = {
    *("total_funding_currency", "launch_date_text"),
    *("amount", "manager", "manager_uuid"),
}
"""Columns of a folder or of a fetch that the other has under another name, or beside
a value.
"""


def _lists(
    sides: tuple[Table, Table], table: str, key: str
) -> tuple[dict[str, tuple[Rows, Rows]], dict[str, str]]:
    """The entries of each list of two opened tables, and why a field cannot be
    compared.
    """
    lists, left = dict[str, tuple[Rows, Rows]](), dict[str, str]()
    if not all(isinstance(side, Mapping) for side in sides):
        return lists, left
    own = _ENTRIES.get(table, {})
    if table in RESOURCES:
        shown = {each.name for each in RESOURCES[table].returned} - {*own}
        held = {
            name
            for side in sides
            for name in lazy(side[table]).collect_schema().names()
        }
        why = ("not in an opened folder", "not in a fetch")
        left = {name: why[name in held] for name in sorted((held ^ shown) - _OTHERWISE)}
    for name, (entries, owner) in own.items():
        gap = f"{name} of {table}: "
        parts = (side["origin"].source.incomplete for side in sides)
        is_cut = [any(part.startswith(gap) for part in held) for held in parts]
        if is_cut[0] != is_cut[1] or any(entries not in side for side in sides):
            left[name] = "its entries are complete in one of the two only"
            continue
        first, second = (
            lazy(side[entries])
            .rename({owner: key})
            .drop("position", "is_past", strict=False)
            for side in sides
        )
        lists[name] = first, second
    return lists, left


def _fetched(
    side: Table,
    table: str,
    resource: Resource,
    source: Source,
    currency: Currency | None,
) -> tuple[Frame, Result]:
    """The rows of a table, and what is known of them as of a fetch, which does not
    hold them.
    """
    rows = side
    if isinstance(side, Mapping):
        origin, frame = side["origin"], lazy(side[table])
        amounts = [
            name
            for name in frame.collect_schema().names()
            if name.startswith("amount_in_")
        ]
        source = origin.source
        # a service converted the amounts
        if len(origin.rates) == 1 and not source.is_embedded:
            (code,) = origin.rates
            currency = currency or code
            if f"amount_in_{code}" in amounts:
                frame = frame.with_columns(amount=nw.col(f"amount_in_{code}"))
        rows = frame.drop(amounts).to_native()
    many = int(lazy(rows).select(nw.len()).collect(backend="polars").item())
    only = f"{resource.name} only "
    narrowed = [
        part.removeprefix(only) for part in source.incomplete if part.startswith(only)
    ]
    lacking = (
        not resource.fields or re.match(rf"{resource.name} \d", part)
        for part in source.incomplete
    )
    total, verdict = (None, "short") if any(lacking) else (many, "complete")
    counts = Certificate(
        total, total, many, many, 0, 0, 0, 0.0, cast("Verdict", verdict)
    )
    about = (
        resource.name,
        next(iter(narrowed), None),
        None,
        currency,
        "",
        source,
        None,
        "",
    )
    return rows, Result(resource, counts, Provenance(*about), _frame=pl.DataFrame())


def _saved(side: Any) -> Saved:
    if isinstance(side, Result):
        return Saved({side.resource.name: side})
    return side.saved if isinstance(side, AnyStudy) else opened(side)


def _of_companies(saved: Saved, uuids: pl.Series) -> Saved:
    """What is saved of some companies, of each result that names companies."""
    results = dict[str, Result]()
    for name, result in saved.results.items():
        owners = (
            ("uuid",)
            if result.resource.name == "companies"
            else ("company_uuid", "entity_id")
        )
        if owner := next(
            (column for column in owners if column in result.to_polars()), None
        ):
            rows = result._frame.filter(pl.col(owner).is_in(uuids))
            results[name] = replace(result, _frame=rows)
    return replace(saved, results=results)


def _named(side: Side, otherwise: str) -> str:
    return f"{otherwise} ({str(side)!r})" if isinstance(side, str | Path) else otherwise


def _compared(
    first: Saved,
    second: Saved,
    names: tuple[str, str],
    tables: Tables | None = None,
) -> dict[str, Pair]:
    """What the results of one name differ in; raises `FetchesNotComparable`."""
    refusal = partial(FetchesNotComparable, first=names[0], second=names[1])
    later = second.results
    sides = {
        name: (one, later[name]) for name, one in first.results.items() if name in later
    }
    sources = [result.provenance.source for both in sides.values() for result in both]
    described = (
        f"the {which} is of"
        f" {source.name!r}{', SYNTHETIC sample data' if source.synthetic else ''}"
        for which, source in zip(("first", "second"), sources, strict=False)
    )
    of_others = refusal(
        f"they are of other data: {'; '.join(described)}",
        advice="Compare two fetches of one service, or of two versions of one dataset",
    )
    if len({bool(source.synthetic) for source in sources}) > 1:
        raise of_others
    for difference in _differences(first, second, sides):
        raise refusal(
            difference, advice="Fetch both with the same question, filter and currency"
        )
    subject = second.parameters.get("subject")
    kind = "list" if second.study == "mine" else f"{second.study} study"
    studied = f"{kind}{f' ({subject})' if subject else ''}" if second.study else ""
    pairs = {name: paired(*both, tables, studied) for name, both in sides.items()}
    filled = [pair for pair in pairs.values() if 0 not in pair.sizes]
    is_shared = any(pair.in_both for pair in filled) or not filled
    if len({source.name for source in sources}) > 1 and not is_shared:
        raise of_others
    for pair in pairs.values():
        old, new = moment(pair.old), moment(pair.new)
        if old is not None and new is not None and old > new:
            reason = (
                f"the first ({day(pair.old)}) is later than the second"
                f" ({day(pair.new)})"
            )
            raise refusal(reason, advice="Give the earlier one first")
    return pairs


def _differences(
    first: Saved, second: Saved, sides: Mapping[str, tuple[Result, Result]]
) -> Iterator[str]:
    """How the questions of two fetches differ, or the studies; a save holds those as
    JSON.
    """
    both = (first, second)
    if first.study != second.study:
        kinds = (
            f"a {saved.study} study" if saved.study else "no study" for saved in both
        )
        yield "the first is {}, the second {}".format(*kinds)
    one, other = (
        {
            name: json.dumps(value)
            for name, value in saved.parameters.items()
            if value is not None
        }
        for saved in both
    )
    names = sorted(name for name in one | other if one.get(name) != other.get(name))
    values = [
        f"{name} ({one.get(name, 'none')}, {other.get(name, 'none')})" for name in names
    ]
    if values:
        yield f"the studies differ in {' and '.join(values)}"
    if not sides:
        held = (", ".join(saved.results) or "nothing" for saved in both)
        yield "they hold no result of one name ({}; {})".format(*held)
    for results in sides.values():
        old, new = (
            {
                "records differ": result.resource.name,
                "endpoint differs": result.provenance.endpoint,
                "filter differs": result.provenance.filter,
                "currency differs": result.provenance.currency,
                "columns of the requested ids differ": ", ".join(
                    result.details.asked_by
                ),
            }
            for result in results
        )
        for what in old:
            if old[what] != new[what]:
                yield f"the {what} ({old[what] or 'none'}, {new[what] or 'none'})"
