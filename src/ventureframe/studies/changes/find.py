"""What differs between two saves of one question; newly seen is not newly happened.

The service has no change feed, so change is what a client finds by comparing two fetches by id
(interface, reading rule 7). What an incomplete side leaves open is not claimed.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import polars as pl

from ventureframe.client import frames
from ventureframe.client import result as results
from ventureframe.client.result import Result
from ventureframe.client.saves import Saved, opened
from ventureframe.errors import EvidenceError, UnknownField
from ventureframe.evidence.findings import Caveat, Findings
from ventureframe.evidence.rows import Frame
from ventureframe.interface.source import Provenance, Source
from ventureframe.studies.changes import dates
from ventureframe.studies.changes import words as sentences

Library = Literal["polars", "pandas"]

KINDS: Final[Mapping[str, str]] = {
    "changed": "another value is recorded",
    "newly_recorded": "a value is recorded where none was",
    "no_longer_recorded": "no value is recorded where one was",
}
"""How a field of a record that both fetches have can differ."""

_SCHEMA: Final = {"column": pl.String, "change": pl.String, "old": pl.String, "new": pl.String}


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """What two fetches of one question show, record by record.

    Attributes
    ----------
    old, new : Result
        The first and the second fetch.
    incomparable : str or None
        Why nothing can be said: the question, the currency or the scope differ.
    newly_seen : frame or None
        The rows of the second fetch that the first lacks, with `own_date` (of `dates.OWN_DATES`):
        how the record's own date lies to the two fetches. None where an incomplete first fetch, or
        incomparable questions, leave it open.
    no_longer_seen : frame or None
        The rows of the first fetch that the second lacks. None where an incomplete second fetch
        leaves it open: no disappearance is claimed from it.
    field_changed : frame or None
        A row per record in both and field that differs: the key, field, kind (of `KINDS`), old
        and new as text (numbers exact, lists and records as JSON). Lists are compared without
        their order, and an empty list is nothing recorded. `changes(field)` gives typed values.
    schema_changed : frame
        Columns that one side lacks or has in another type, which are not compared: column, change
        (added, removed, type changed, left out by the service), old, new (types).
    in_both, changed_in_both : int
        The number of records in both, and of those among them with a changed field.
    caveats : tuple of Caveat
        What the comparison cannot tell.
    """

    old: Result
    new: Result
    incomparable: str | None
    newly_seen: Frame | None
    no_longer_seen: Frame | None
    field_changed: Frame | None
    schema_changed: Frame
    in_both: int
    changed_in_both: int
    caveats: tuple[Caveat, ...]
    library: Library
    _rows: tuple[pl.DataFrame, pl.DataFrame] = field(compare=False)

    @property
    def key(self) -> list[str]:
        """The columns that identify a record."""
        return _key(self.new)

    @property
    def first_day(self) -> str:
        """The day the first fetch is of."""
        return dates.shown(self.old)

    @property
    def second_day(self) -> str:
        """The day the second fetch is of."""
        return dates.shown(self.new)

    @property
    def source(self) -> Source:
        """Where the second fetch is from, marked where one of the two was not read to the end."""
        return results.limited(self.new.provenance.source, (self.old, self.new))

    @property
    def answer(self) -> str:
        """The bottom line in one sentence."""
        if self.incomparable:
            return sentences.no_answer(self.new, self.incomparable)
        return sentences.answer(
            self.old,
            self.new,
            came=None if self.newly_seen is None else len(self.newly_seen),
            went=None if self.no_longer_seen is None else len(self.no_longer_seen),
            both=self.in_both,
            changed=self.changed_in_both,
        )

    def __repr__(self) -> str:
        return self.answer

    def _repr_html_(self) -> str:
        return f'<p class="vf-result">{html.escape(self.answer)}</p>'

    def changes(self, name: str) -> Frame:
        """The records whose field differs: the key, old and new in the field's own type.

        Raises `UnknownField`, and `EvidenceError` where the fetches are incomparable.
        """
        key, old, new = self._sides(name)
        both = old.join(new, on=key, how="inner", suffix=_NEW, maintain_order="left")
        plain = _plain(name, both.schema[name])
        as_new = _plain(name + _NEW, both.schema[name + _NEW])
        changed = both.filter(plain.ne_missing(as_new))
        return self._given(changed.select(*key, old=pl.col(name), new=pl.col(name + _NEW)))

    def tally(self, name: str) -> Frame:
        """Per value of a field, the records that have it: how many before and after, and why.

        The columns are the field (null: nothing recorded), old, new (numbers of records), and what
        lies between them: newly_seen, changed_to, no_longer_seen, changed_from. Raises as
        `changes` does, also for a list or a record.
        """
        key, old, new = self._sides(name, plain=True)
        came, went = new.join(old, on=key, how="anti"), old.join(new, on=key, how="anti")
        both = old.join(new, on=key, how="inner", suffix=_NEW)
        moved = both.filter(pl.col(name).ne_missing(pl.col(name + _NEW)))
        counts = {
            "old": old[name],
            "new": new[name],
            "newly_seen": came[name],
            "changed_to": moved[name + _NEW],
            "no_longer_seen": went[name],
            "changed_from": moved[name],
        }
        values = pl.concat([old[name], new[name]]).unique().sort(nulls_last=True)
        table = values.alias(name).to_frame()
        for label, column in counts.items():
            count = column.alias(name).value_counts(name=label)
            count = count.with_columns(pl.col(label).cast(pl.Int64))
            table = table.join(count, on=name, how="left", nulls_equal=True, maintain_order="left")
        return self._given(table.with_columns(pl.col(*counts).fill_null(0)))

    def _sides(
        self, name: str, *, plain: bool = False
    ) -> tuple[list[str], pl.DataFrame, pl.DataFrame]:
        """The key, and of both sides the key with one column that can be compared."""
        if self.incomparable:
            raise EvidenceError(self.answer)
        key, schema = _key(self.new), self._rows[0].schema
        known = _comparable(self.old, self.new)
        known = [each for each in known if not (plain and schema[each].is_nested())]
        if name not in known:
            resource = self.new.resource.name
            raise UnknownField(name, resource=resource, known=known, use="compare")
        old, new = (rows.select(*key, name) for rows in self._rows)
        return key, old, new

    def _given(self, frame: pl.DataFrame) -> Frame:
        return _given(frame, self.library)


@dataclass(frozen=True, repr=False, eq=False)
class Comparisons(Mapping[str, Comparison]):
    """Two saves of one study, result by result under the names they were saved with.

    `unpaired` names the results that only one of the saves has.
    """

    study: str | None
    parts: Mapping[str, Comparison]
    unpaired: tuple[str, ...]

    @property
    def subject(self) -> str:
        """What was fetched twice, as titles name it."""
        return f"{self.study} study" if self.study else ", ".join(self.parts)

    @property
    def span(self) -> str:
        """From the day of the first fetch to that of the second."""
        days = [(part.first_day, part.second_day) for part in self.parts.values()]
        return "from {} to {}".format(*days[0]) if days else "with nothing in common"

    @property
    def answer(self) -> str:
        """The bottom line: that of the first result, which the others belong to."""
        return next((part.answer for part in self.parts.values()), "Nothing was fetched twice.")

    @property
    def source(self) -> Source | None:
        """Where the second fetch is from."""
        return next((part.source for part in self.parts.values()), None)

    @property
    def fetched(self) -> tuple[Result, ...]:
        """Every result compared: of the first fetch, then of the second."""
        parts = self.parts.values()
        return (*(part.old for part in parts), *(part.new for part in parts))

    @property
    def provenance(self) -> tuple[Provenance, ...]:
        """What was asked, of whom and when."""
        return tuple(result.provenance for result in self.fetched)

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What the comparisons cannot tell, each once."""
        return tuple(dict.fromkeys(each for part in self.parts.values() for each in part.caveats))

    def __getitem__(self, name: str) -> Comparison:
        return self.parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        alone = [f"{name}: saved on one side only, so not compared" for name in self.unpaired]
        return "\n".join([*(f"{name}: {part}" for name, part in self.parts.items()), *alone])

    def _repr_html_(self) -> str:
        lines = repr(self).splitlines()
        return "\n".join(f'<p class="vf-result">{html.escape(line)}</p>' for line in lines)


def compare(
    old: Findings | Result | Saved | str | Path,
    new: Findings | Result | Saved | str | Path,
    *,
    library: Library = "polars",
) -> Comparison | Comparisons:
    """What the second fetch has that the first had not, or had otherwise, by id.

    Two results give a `Comparison`; two studies, or saves of them, give one for each of their
    results, under its name. Folders are loaded, and checked, first: raises `SaveError`.

    >>> import ventureframe as vf
    >>> vf.snapshots.compare("runs/october", "runs/november")
    """
    first, second = _saved(old), _saved(new)
    if first.study is None and second.study is None and len(first.results) == 1:
        (one,), (other,) = first.results.values(), second.results.values()
        return compared(one, other, library=library)
    differs = _differing(first, second)
    shared = [name for name in first.results if name in second.results]
    parts = {
        name: compared(first.results[name], second.results[name], library=library, reason=differs)
        for name in shared
    }
    unpaired = sorted(set(first.results) ^ set(second.results))
    return Comparisons(second.study, parts, tuple(unpaired))


def compared(
    old: Result, new: Result, *, library: Library = "polars", reason: str | None = None
) -> Comparison:
    """The comparison of two results; `reason`, where there is one, says why they are no pair."""
    reason = reason or _incomparable(old, new)
    rows = _in_scope(old, new)
    key = _key(new)
    schema = _schema_changes(old, new)
    if reason is not None:
        schema_changed = _given(schema, library)
        return Comparison(
            old, new, reason, None, None, None, schema_changed, 0, 0, (), library, rows
        )
    both = rows[0].join(rows[1], on=key, how="inner", suffix=_NEW, maintain_order="left")
    came = rows[1].join(rows[0], on=key, how="anti", maintain_order="left")
    went = rows[0].join(rows[1], on=key, how="anti", maintain_order="left")
    changed = _field_changes(both, key, _comparable(old, new))
    came = came.with_columns(
        own_date=dates.own_date(new, came.columns, dates.day(old), dates.day(new))
    )
    return Comparison(
        old,
        new,
        None,
        _given(came, library) if old.is_read else None,
        _given(went, library) if new.is_read else None,
        _given(changed, library),
        _given(schema, library),
        both.height,
        changed.select(key).n_unique(),
        sentences.caveats(
            old,
            new,
            came=came.height,
            dated=came.height - came["own_date"].null_count(),
            between=came.filter(pl.col("own_date") == "between").height,
            went=went.height if new.is_read else 0,
            kinds=set(changed["kind"]),
            changed=set(changed["field"]),
        ),
        library,
        rows,
    )


def _given(frame: pl.DataFrame, library: Library) -> Frame:
    return frames.to_pandas(frame) if library == "pandas" else frame


_NEW: Final = "__new"


def _saved(side: Findings | Result | Saved | str | Path) -> Saved:
    if isinstance(side, Result):
        return Saved({side.resource.name: side})
    if isinstance(side, Findings):
        return side.saved
    return side if isinstance(side, Saved) else opened(side)


def _differing(first: Saved, second: Saved) -> str | None:
    if first.study != second.study:
        return f"they are of different studies ({first.study}, {second.study})"
    names = sorted({*first.parameters, *second.parameters})
    differ = [n for n in names if first.parameters.get(n) != second.parameters.get(n)]
    return f"the studies have another {' and '.join(differ)}" if differ else None


def _incomparable(old: Result, new: Result) -> str | None:
    """Why two results are no two fetches of one question, if they are not."""
    asked, again = old.provenance, new.provenance
    pairs: Sequence[tuple[str, object, object]] = (
        ("records", old.resource.name, new.resource.name),
        ("endpoint", asked.endpoint, again.endpoint),
        ("filter", asked.filter or "none", again.filter or "none"),
        ("currency", asked.currency or "none", again.currency or "none"),
        ("ids asked by", old.asked_by or "none", new.asked_by or "none"),
    )
    for what, before, after in pairs:
        if before != after:
            return f"the {what} differ{'' if what in _PLURAL else 's'} ({before}, {after})"
    if bool(asked.source.synthetic) != bool(again.source.synthetic):
        return "one of them is of synthetic data"
    if dates.moment(old) > dates.moment(new):
        return f"the first ({dates.shown(old)}) is later than the second ({dates.shown(new)})"
    return None


_PLURAL: Final = frozenset({"records", "ids asked by"})


def _in_scope(old: Result, new: Result) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of both; where ids were asked for, those of ids asked for both times."""
    if old.asked is None or new.asked is None or set(old.asked) == set(new.asked):
        return _distinct(old), _distinct(new)
    shared = sorted(set(old.asked) & set(new.asked))

    def of_shared(result: Result) -> pl.DataFrame:
        frame = _distinct(result)
        theirs = results.owners(frame, result.asked_by).list.set_intersection(shared)
        return frame.filter(theirs.list.len() > 0)

    return of_shared(old), of_shared(new)


def _distinct(result: Result) -> pl.DataFrame:
    return result.to_polars().unique(_key(result), keep="first", maintain_order=True)


def _key(result: Result) -> list[str]:
    """What identifies a row: its key, and the record of the path where that is part of it."""
    return [*(n for n in result.added_columns if n.endswith("_uuid")), result.resource.key]


def _comparable(old: Result, new: Result) -> list[str]:
    """The columns whose values can be compared: there on both sides, in one type."""
    left_out = {*_schema_changes(old, new)["column"], *_key(new), *new.added_columns}
    return [name for name in old.to_polars().columns if name not in left_out]


def _schema_changes(old: Result, new: Result) -> pl.DataFrame:
    before, after = _types(old), _types(new)
    found = []
    for name in dict.fromkeys([*before, *after]):
        was, now = before.get(name), after.get(name)
        if was != now:
            change = "added" if was is None else "removed" if now is None else "type changed"
            found.append((name, change, was, now))
        elif name in old.absent_fields or name in new.absent_fields:
            found.append((name, "left out by the service", was, now))
    return pl.DataFrame(found, schema=_SCHEMA, orient="row")


def _types(result: Result) -> dict[str, str]:
    return {name: str(kind) for name, kind in result.to_polars().schema.items()}


def _plain(name: str, kind: pl.DataType) -> pl.Expr:
    """The column as two sides of it can be compared: lists without order, nothing as null."""
    column = pl.col(name)
    if isinstance(kind, pl.List):
        entry = pl.element() if isinstance(kind.inner, pl.Struct) else pl.struct(pl.element())
        texts = column.list.eval(entry.struct.json_encode()).list.sort()
        return pl.when(column.list.len() > 0).then(texts.list.join("\x1e"))
    if isinstance(kind, pl.Struct):
        recorded = [column.struct.field(each.name).is_not_null() for each in kind.fields]
        return pl.when(pl.any_horizontal(recorded)).then(column.struct.json_encode())
    return column


def _shown(name: str, kind: pl.DataType) -> pl.Expr:
    """The column as text: numbers exact, lists and records as JSON, nothing recorded as null."""
    column = pl.col(name)
    if isinstance(kind, pl.List):
        whole = pl.struct(column.alias("v")).struct.json_encode()
        inside = whole.str.strip_prefix('{"v":').str.strip_suffix("}")
        return pl.when(column.list.len() > 0).then(inside)
    return _plain(name, kind).cast(pl.String)


def _field_changes(both: pl.DataFrame, key: list[str], names: Sequence[str]) -> pl.DataFrame:
    """A row per record and field that differs, in the order of the fields and of the records."""
    none = both.clear().select(
        *key, *(pl.lit(None, pl.String).alias(name) for name in ("field", "kind", "old", "new"))
    )
    parts = [none]
    for name in names:
        kind = both.schema[name]
        was, now = _plain(name, kind), _plain(name + _NEW, kind)
        how = (
            pl.when(was.is_null())
            .then(pl.lit("newly_recorded"))
            .when(now.is_null())
            .then(pl.lit("no_longer_recorded"))
            .otherwise(pl.lit("changed"))
        )
        changed = both.select(*key, name, name + _NEW).filter(was.ne_missing(now))
        parts.append(
            changed.select(
                *key,
                pl.lit(name).alias("field"),
                how.alias("kind"),
                _shown(name, kind).alias("old"),
                _shown(name + _NEW, kind).alias("new"),
            )
        )
    return pl.concat(parts)
