"""Rows as a wire writes them to the interface's columns: one selection, no loop over rows."""

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
import polars as pl

from ventureframe.client.frames import TEXT_SUFFIX, dtype
from ventureframe.interface.fields import Many, Record, Resource, Type
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import At, Each, Has, Names, Of, Parts, Rule, Shape, Where

WITHHELD: Final = "withheld"
"""The column with the fields that a service withholds from a row; only where it does from one."""
_OWN: Final = frozenset({WITHHELD, "currency"})
"""Columns that the client adds: a key of such a name that no field declares goes beside them."""
_json: Final = functools.partial(json.dumps, ensure_ascii=False)
_PARTIAL: Final = "^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"

_FLAG: Final = "withheld "
"""Begins the name of a column that says whether a field is withheld."""
_LARGEST: Final = 2.0**63

Keys = Callable[[str], pl.Expr]
"""The value under a key: of a row, or of an entry of a list."""
Types = Mapping[str, pl.DataType]
"""The columns that rows are written in."""


def columns(
    frame: pl.DataFrame,
    resource: Resource,
    reply: Reply,
    *,
    shape: Shape | None,
    missing: Sequence[Set[str]],
    sizes: Sequence[int],
    locked: frozenset[str] = frozenset(),
) -> pl.DataFrame:
    """Return the columns of the resource, read from those that rows are written in.

    `locked` are blocks that the reply as a whole withholds, `missing` the keys that a page of so
    many rows leaves out: a list that it leaves out is withheld, for no list is not an empty list.
    """
    flags = list[tuple[str, pl.Series]]()
    if shape is not None:
        frame = _inward(frame, shape, reply, locked=locked)
    for key in resource.returned:
        column, is_list = frame.get_column(key.name), isinstance(key.type, Many)
        is_link = key.type == "uuid" and not key.nullable
        if (key.key or is_link) and column.null_count():
            raise reply.unreadable(f"has a record without {key.name!r}")
        if shape is None and key.name in locked:
            is_empty = column.list.len().fill_null(0) == 0 if is_list else column.is_null()
            flags.append((key.name, is_empty))
        elif shape is None and is_list and any(key.name in names for names in missing):
            is_left_out = [key.name in names for names in missing]
            flags.append((key.name, pl.Series(np.repeat(is_left_out, sizes))))
    return _withheld(frame, flags)


def undeclared(given: Sequence[dict[str, Any]], record: Record) -> dict[str, list[str | None]]:
    """Return what `fields` does not declare as JSON text: keys of rows, `key.member` of records.

    A key with the name of a column that the client adds goes beside it.
    """
    declared = {key.name: key.type for key in record.fields}
    own = _OWN.union(name for name, kind in declared.items() if kind == "date")
    columns: dict[str, list[str | None]] = {}
    for name in sorted({name for row in given for name in row} - declared.keys()):
        column = name + TEXT_SUFFIX if re.sub(f"({TEXT_SUFFIX})+$", "", name) in own else name
        columns[column] = [_json(row[name]) if name in row else None for row in given]
    for name, kind in declared.items():
        of = kind.of if isinstance(kind, Many) else kind
        if not isinstance(of, Record):
            continue
        values = [row.get(name) for row in given]
        lists = [value if isinstance(value, list) else [value] for value in values]
        entries = [[entry for entry in entries if isinstance(entry, dict)] for entries in lists]
        members = {member for each in entries for entry in each for member in entry}
        for member in sorted(members - {member.name for member in of.fields}):
            columns[f"{name}.{member}"] = [
                _json([entry.get(member) for entry in each]) if value else None
                for value, each in zip(values, entries, strict=True)
            ]
    return columns


def _inward(
    frame: pl.DataFrame, shape: Shape, reply: Reply, *, locked: frozenset[str] = frozenset()
) -> pl.DataFrame:
    """The rows in the interface's columns, with the extra columns of the shape.

    `locked` are blocks that the reply as a whole withholds. Raises `UnreadableReply` where a
    value cannot be what its field holds.
    """
    reading = _reading(shape, tuple(frame.schema.items()), locked)
    for what, wrong in zip(reading.checked, *frame.select(reading.wrong).rows(), strict=True):
        if wrong is not None:
            raise reply.unreadable(f"has {wrong!r} in {what}")
    found = frame.with_columns(reading.firsts).select(reading.columns)
    flags = [(name, found.get_column(_FLAG + name)) for name in reading.blocks]
    unused = [name for name in reading.precise if found.get_column(name).null_count() == len(found)]
    return _withheld(found.drop(*unused, *(flag.name for _, flag in flags)), flags)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the rows of a shape are read from the columns they are written in.

    `wrong` are the first values that their fields cannot hold, `checked` says what each is not.
    `firsts` are entries that several `columns` are read from. Columns named in `precise` are kept
    where they have a value; those of the `blocks` say whether a field is withheld.
    """

    checked: list[str]
    wrong: list[pl.Expr]
    firsts: list[pl.Expr]
    columns: list[pl.Expr]
    precise: list[str]
    blocks: list[str]


@functools.lru_cache(64)
def _reading(
    shape: Shape, written: tuple[tuple[str, pl.DataType], ...], locked: frozenset[str]
) -> _Reading:
    types, wanted = dict(written), {**shape.columns, **shape.extras}
    there = {name: rule for name, rule in wanted.items() if _top(rule.path) in types}
    checks = [*_other_dates(shape, types), *_parts_of_numbers(shape, types)]
    firsts = dict[str, pl.Expr]()
    for rule in there.values():
        if isinstance(rule, Of):
            entries = _at(pl.col, rule.path)
            entries = entries if rule.where is None else entries.list.filter(_has(rule.where))
            firsts[_first(rule)] = entries.list.first().alias(_first(rule))
    flags = [
        _is_withheld(types, block, locked, is_list=name in shape.glances).alias(_FLAG + name)
        for name, block in shape.blocks.items()
    ]
    return _Reading(
        [what for what, _ in checks],
        [wrong.alias(str(number)) for number, (_, wrong) in enumerate(checks)],
        list(firsts.values()),
        [*_columns(shape, there), *_others(shape, types), *flags],
        [name for name, rule in there.items() if _form(rule) == "precise"],
        list(shape.blocks),
    )


def _columns(shape: Shape, there: Mapping[str, Rule]) -> Iterator[pl.Expr]:
    """The fields of the resource in their types, null where no rule reads one, and the extras."""
    for field in shape.resource.returned:
        kind, rule = dtype(field.type), there.get(field.name)
        value = pl.lit(None) if rule is None else _read(rule, pl.col, field.type)
        yield value.cast(kind).alias(field.name)
    for name in shape.extras:
        if name in there and name not in ("available", "locked"):
            yield _read(there[name], pl.col).alias(name)


def _others(shape: Shape, types: Types) -> Iterator[pl.Expr]:
    """Columns that are no key of the row, and how many entries of each list a row does not show.

    The number is null where a row does not say.
    """
    keys = {key.name for key in shape.read.fields}
    yield from (pl.col(name) for name in types if name not in keys)
    for name, glance in shape.glances.items():
        if _top(glance.path) in types:
            total, items = (_at(pl.col, f"{glance.path}.{key}") for key in ("total", "items"))
            left = total - items.list.len().fill_null(0).cast(pl.Int64)
            yield left.cast(pl.Int64).alias(more(name))


def more(name: str) -> str:
    """The column with how many entries of a list the row does not show."""
    return f"{name}_more"


def _form(rule: Rule) -> str | None:
    return rule.form if isinstance(rule, At) else None


def _top(path: str) -> str:
    return path.partition(".")[0]


def _other_dates(shape: Shape, types: Types) -> Iterator[tuple[str, pl.Expr]]:
    """For each field that holds a year, the first text that is no partial date."""
    for name, rule in shape.columns.items():
        members = rule.of if isinstance(rule, Each) and isinstance(rule.of, Mapping) else {}
        years = {
            f"{name}.{member}": f"{rule.path}.{members[member].path}"
            for member in members
            if _form(members[member]) == "year"
        }
        if _form(rule) == "year":
            years[name] = rule.path
        for field, path in years.items():
            if _top(path) in types:
                texts = _flat(types, path)
                wrong = texts.filter(~texts.str.contains(_PARTIAL)).first()
                yield f"{field!r}, which is not a date", wrong


def _parts_of_numbers(shape: Shape, types: Types) -> Iterator[tuple[str, pl.Expr]]:
    """For each integer field, the first value that is not an integer."""
    rows = pl.DataFrame(schema=types)
    for name, rule in shape.columns.items():
        if shape.resource[name].type == "integer" and _top(rule.path) in types:
            value = _read(rule, pl.col)
            if rows.select(value).dtypes == [pl.Float64]:
                wrong = value.filter((value != value.round()) | (value.abs() >= _LARGEST)).first()
                yield f"{name!r}, which is not a whole number", wrong


def _flat(types: Types, path: str) -> pl.Expr:
    """Every value at a path, those of all entries of its lists one after the other."""
    first, *inner = path.split(".")
    value, kind = pl.col(first), cast("Any", types[first])
    for name in inner:
        if isinstance(kind, pl.List):
            value, kind = value.explode(empty_as_null=False, keep_nulls=False), kind.inner
        assert isinstance(kind, pl.Struct)  # noqa: S101  # only records have keys
        value, kind = value.struct.field(name), kind.to_schema()[name]
    return value


def _withheld(found: pl.DataFrame, flags: Sequence[tuple[str, pl.Series]]) -> pl.DataFrame:
    """The rows with a column that names what is withheld, where a flag of a field says so."""
    if not any(flag.any() for _, flag in flags):
        return found
    names = pl.concat_list(pl.when(flag).then(pl.lit(name)) for name, flag in flags)
    return found.with_columns(names.list.drop_nulls().alias(WITHHELD))


def _is_withheld(types: Types, block: str, locked: frozenset[str], *, is_list: bool) -> pl.Expr:
    """Whether a row withholds the block: it says so, or has null where the wire has an object."""
    name = block.removesuffix("?")
    says = [pl.lit(name in locked)]
    for column in ("available", "locked"):
        if column in types:
            says.append(pl.col(column).list.contains(name).fill_null(value=False))
    if name not in types:
        return pl.lit(name == block)
    is_gone, is_said = pl.col(name).is_null(), functools.reduce(pl.Expr.or_, says)
    if name != block:
        return is_gone & is_said
    is_empty = _at(pl.col, f"{name}.total").fill_null(0) == 0 if is_list else pl.lit(value=False)
    return is_gone | (is_said & is_empty)


def _at(keys: Keys, path: str) -> pl.Expr:
    first, *inner = path.split(".")
    return functools.reduce(lambda value, name: value.struct.field(name), inner, keys(first))


def _read(rule: Rule, keys: Keys, kind: Type | None = None) -> pl.Expr:  # noqa: PLR0911  # one case a rule
    """The value that the rule reads, from a row or from an entry of a list.

    Records have every member of their `kind`, in their order.
    """
    value = _at(keys, rule.path)
    match rule:
        case At(form="year"):
            return value.str.head(4).cast(pl.Int64, strict=False)
        case At(form="filled"):
            return value.replace({"": None})
        case At(form="precise"):
            return pl.when(value.str.len_chars() > 4).then(value)
        case At() if rule.words:
            return value.replace(dict(rule.words))
        case At() if rule.unless_null:
            return pl.when(_at(keys, rule.unless_null).is_not_null()).then(value)
        case At() if rule.second:
            return pl.coalesce(value, _at(keys, rule.second))
        case Has():
            return pl.when(value.list.contains(rule.label)).then(pl.lit(value=True))
        case Of():
            return _at(pl.col(_first(rule)).struct.field, rule.at)
        case Names():
            names = value.list.eval(pl.element().struct.field("name")).list.join(", ")
            return pl.when(value.list.len() > 0).then(names)
        case Each():
            return value.list.eval(_each(rule, kind))
        case Parts():
            members = [_read(each, value.struct.field) for each in rule.of.values()]
            is_there = pl.any_horizontal(each.is_not_null() for each in members)
            return pl.when(is_there).then(_record(rule.of, value.struct.field, kind))
        case _:
            return value


def _first(rule: Of) -> str:
    """The column with the entry that the rule reads, which several rules can share."""
    return f"first {rule.path} {rule.where}"


def _each(rule: Each, kind: Type | None) -> pl.Expr:
    def keys(name: str) -> pl.Expr:
        entry = pl.element()
        return (entry.filter(_has(rule.where)) if rule.where else entry).struct.field(name)

    if not isinstance(rule.of, Mapping):
        return _read(rule.of, keys)
    return _record(rule.of, keys, kind.of if isinstance(kind, Many) else None)


def _record(of: Mapping[str, Rule], keys: Keys, kind: Type | None) -> pl.Expr:
    """A record with every member of the kind, in their order, null where no rule reads it."""
    assert isinstance(kind, Record)  # noqa: S101  # only a field of records is read as one
    return pl.struct(
        (_read(of[each.name], keys) if each.name in of else pl.lit(None))
        .cast(dtype(each.type))
        .alias(each.name)
        for each in kind.fields
    )


def _has(where: Where) -> pl.Expr:
    """Whether an entry of a list has the value."""
    return _at(pl.element().struct.field, where[0]) == where[1]
