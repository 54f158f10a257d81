"""A filter in the words of a wire: the same conditions under its names, out and back in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ventureframe.errors import UnsupportedOperator, UnsupportedValue
from ventureframe.interface.filters import Clause, Filter, mapped


@dataclass(frozen=True, slots=True)
class Renamed:
    """The same filter under another name."""

    key: str


@dataclass(frozen=True, slots=True)
class Label:
    """A flag that is one of the labels under `key`; a label that is not there says nothing."""

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class ByRecord:
    """A name that is asked by the records of this kind that carry it."""

    key: str
    kind: str


Term = Renamed | Label | ByRecord
Terms = Mapping[str, Term]
Named = Callable[[str, str], Sequence[str]]
"""The UUIDs of all records of a kind with a name."""

_IS: Final = {("eq", "true"): True, ("eq", "false"): False, ("neq", "true"): False}


def outward(asked: Filter, terms: Terms, *, named: Named, known: Callable[[str], bool]) -> Filter:
    """The filter as the wire writes it; `known` says whether the service takes a key.

    Raises `UnsupportedOperator` or `UnsupportedValue` for what the wire cannot ask.
    """
    return mapped(asked, lambda clause: _outward(clause, terms, named=named, known=known))


def _outward(clause: Clause, terms: Terms, *, named: Named, known: Callable[[str], bool]) -> Clause:
    term = terms.get(clause.field)
    if isinstance(term, Renamed):
        return replace(clause, field=term.key)
    if isinstance(term, Label):
        is_there = _IS.get((clause.operator, clause.values[0]))
        if is_there is None:
            raise UnsupportedOperator(
                clause.operator, field=clause.field, resource="labels", known=("eq",)
            )
        return Clause(term.key, "in_any" if is_there else "nin_any", (term.label,))
    if term is None or known(clause.field):
        return clause
    if clause.operator not in ("eq", "in_any"):
        raise UnsupportedOperator(
            clause.operator, field=clause.field, resource="records", known=("eq", "in_any")
        )
    uuids = [uuid for name in clause.values for uuid in named(term.kind, name)]
    if not uuids:
        reason = f"this service asks by identifier, and no {term.kind} has the name"
        raise UnsupportedValue("|".join(clause.values), field=clause.field, reason=reason)
    return Clause(term.key, "in_any", tuple(dict.fromkeys(uuids)))


def renamed(sort: str, names: Mapping[str, str]) -> str:
    """The sort under other names; a name without one stays.

    >>> renamed("-team_size,name", {"team_size": "employees_count"})
    '-employees_count,name'
    """
    plain = ((part, part.removeprefix("-")) for part in sort.split(","))
    return ",".join(part.removesuffix(name) + names.get(name, name) for part, name in plain)


def caveats(asked: Filter | None, terms: Terms, *, known: Callable[[str], bool]) -> list[str]:
    """What an answer means where the wire asks something else than the filter says."""
    said = []
    for clause in () if asked is None else asked.clauses():
        term = terms.get(clause.field)
        if isinstance(term, Label) and not _IS.get((clause.operator, clause.values[0]), True):
            said.append(
                f"{clause} was asked as: without the label {term.label!r}. A company about which "
                "nothing is said is among them (interface, reading rule 3)."
            )
        if isinstance(term, ByRecord) and not known(clause.field):
            said.append(
                f"{clause} was asked by identifier ({term.key}), not by name: the records of "
                f"every {term.kind} with this name."
            )
    return said
