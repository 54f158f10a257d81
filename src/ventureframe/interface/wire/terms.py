"""A filter in the words of a wire: the same conditions under its names, and what
that changes.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ventureframe.errors import UnsupportedOperator, UnsupportedValue
from ventureframe.interface.filters import Clause, Filter, mapped
from ventureframe.interface.wire.profile import Term

Terms = Mapping[str, Term]
Named = Callable[[str, str], Sequence[str]]
"""The UUIDs of all records of a kind with a name."""
_OF_RECORDS = ("eq", "in_any")


def outward(
    filter: Filter,  # noqa: A002  # as in `interface.filters`
    terms: Terms,
    *,
    named: Named,
    asks_by_id: Callable[[str], bool],
) -> Filter:
    """Translate a filter to the words of the wire.

    `asks_by_id` says whether a field is asked for by the identifiers of the records
    `named`. Raises `UnsupportedOperator` or `UnsupportedValue` for what the wire
    cannot ask.
    """

    def translate(clause: Clause) -> Clause:
        term = terms.get(clause.field)
        if term is None:
            return clause
        if term.label:
            is_wanted = _is_wanted(clause)
            return Clause(term.key, "in_any" if is_wanted else "nin_any", (term.label,))
        if asks_by_id(clause.field):
            return _ask_records(clause, term, named)
        return clause if term.kind else replace(clause, field=term.key)

    return mapped(filter, translate)


def _is_wanted(clause: Clause) -> bool:
    """Whether a condition on a flag demands its label, not that there is none."""
    return (clause.operator == "eq") == (clause.values == ("true",))


def _ask_records(clause: Clause, term: Term, named: Named) -> Clause:
    if clause.operator not in _OF_RECORDS:
        raise UnsupportedOperator(
            clause.operator, field=clause.field, resource="records", known=_OF_RECORDS
        )
    uuids = dict.fromkeys(  # in order, each once
        uuid for name in clause.values for uuid in named(term.kind, name)
    )
    if not uuids:
        raise UnsupportedValue(
            "|".join(clause.values),
            field=clause.field,
            reason=f"this service asks by identifier, and no {term.kind} has the name",
        )
    return Clause(term.key, "in_any", tuple(uuids))


def renamed(sort: str, names: Mapping[str, str]) -> str:
    """Return the sort under other names; a name without one stays.

    >>> renamed("-team_size,name", {"team_size": "employees_count"})
    '-employees_count,name'
    """
    return re.sub(r"[\w.]+", lambda name: names.get(name[0], name[0]), sort)


def caveats(
    filter: Filter | None,  # noqa: A002
    terms: Terms,
    *,
    asks_by_id: Callable[[str], bool],
) -> Iterator[str]:
    """Yield what an answer means where the wire asks something else than the filter
    says.
    """
    for clause in () if filter is None else filter.clauses():
        term = terms.get(clause.field, Term(""))
        if term.label and not _is_wanted(clause):
            yield (
                f"The service marks each {term.label} and says nothing of other"
                f" companies: one that is not marked counts as no {term.label} here."
            )
        if asks_by_id(clause.field):
            named = " or ".join(clause.values)
            yield (
                f"Found by the identifier of every {term.kind} named {named}, not by"
                " its name."
            )
