"""What a condition on a year, an amount or a score leaves out, and why: counted by the
service.

A record without a value meets no condition on that field, so a filter drops it in
silence. Two counts tell how many: without the condition, and with the field at its
least value. The difference is not recorded (interface, reading rule 3).
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ventureframe.display import wording
from ventureframe.display.wording import counted, in_words, listed, number, within
from ventureframe.errors import EnoughSent, RequestRejected, UnreadableReply
from ventureframe.evidence.claims import Caveat, limit
from ventureframe.interface import filters
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import Field
from ventureframe.interface.filters import Clause, Filter, Group

YEARS: Final = frozenset({"launch_date", "year"})


@dataclass(frozen=True, slots=True)
class Dropped:
    """What the conditions on one field leave out; a number is None where no count tells
    it.

    Of the `records`, such as companies, `before` meet every condition but these and
    those counted after them; of these `recorded` have a value of the field, and of
    these `inside` meet the conditions.
    """

    records: str
    field: str
    condition: Filter
    before: int | None
    recorded: int | None
    inside: int | None

    @property
    def label(self) -> str:
        """The field in words: `founding year`."""
        return (
            in_words(self.field)
            .replace("launch date", "founding year")
            .removeprefix("company ")
        )

    @property
    def noun(self) -> str:
        """One of the records."""
        return self.records.replace("ies", "y").removesuffix("s")

    @property
    def not_recorded(self) -> int | None:
        """How many are left out because no value is recorded."""
        return _less(self.before, self.recorded)

    @property
    def outside(self) -> int | None:
        """How many are left out because the recorded value does not meet the
        conditions.
        """
        return _less(self.recorded, self.inside)

    @property
    def leaves_out(self) -> bool:
        """Whether the conditions leave any record out."""
        return self.inside != self.before

    @property
    def sentence(self) -> str:
        """What the conditions leave out, in one sentence with the numbers that are
        not zero.
        """
        counts = {"without one": self.not_recorded, "outside it": self.outside}.items()
        some = (
            (why, number(n) if n else "an unknown number")
            for why, n in counts
            if n != 0
        )
        parts = listed(f"{count} {why}" for why, count in some)
        if (left := _less(self.before, self.inside)) and self.before:
            parts = f"{within(left, self.before, self.noun)}: {parts}"
        return f"The condition on the {self.label} leaves out {parts}."

    @property
    def caveat(self) -> Caveat:
        """What the conditions leave out, and what that does not say of the values."""
        return limit(3)(f"{self.sentence} A value that is not recorded may meet it.")


def dropped(
    query: Any, *, certificate: Certificate | None = None
) -> tuple[Dropped, ...]:
    """What the conditions of a query leave out: one `Dropped` for each field, in their
    order.

    Every condition on a number or a year that all rows must meet is counted (not one
    inside an `or`), by two small requests for all other conditions and two for each
    field; a complete fetch of the query saves the last, if its `certificate` is given.
    A record that an earlier field leaves out is not in `before` of a later one, so none
    is counted twice. Where the service reports no total, stops counting before the last
    record, refuses the field's least value, or gives totals that contradict each other,
    the number is None.

    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> (founded,) = dropped(svc.companies.where(vf.company.launch_date >= 2015))
    >>> founded.field, founded.before == founded.inside + founded.outside + founded.not_recorded
    ('launch_date', True)
    """
    resource, parts = query.listing.resource, list[Dropped]()
    conditions, ranges = _apart(query)
    before = _count(query, conditions) if ranges else None
    is_sure = before is None  # else no total of a part of them is capped either
    for name, condition in ranges.items():
        least = _least(resource.filterable(name), condition)
        recorded = _count(query, [*conditions, least], is_sure=is_sure)
        conditions = [*conditions, condition]
        if name == [*ranges][-1] and certificate and certificate.verdict == "complete":
            inside = certificate.reported_last
        else:
            inside = _count(query, conditions, is_sure=is_sure)
        parts.append(Dropped(resource.name, name, condition, before, recorded, inside))
        before = inside
    return tuple(parts)


def which(conditions: Iterable[Dropped]) -> str:
    """The conditions that leave records out, as words after these: `founded since
    2015`.
    """
    parts = [one.condition for one in conditions if one.leaves_out]
    return wording.condition(filters.all_of(*parts)) if parts else ""


def lifting(emptied: Mapping[str, Sequence[Dropped]]) -> str:
    """What to do without: `Without the year`; empty where no condition leaves a
    record out.
    """
    names = {
        one.field for several in emptied.values() for one in several if one.leaves_out
    }
    it = "year" if names <= YEARS else "condition"
    return f"Without the {it if len(names) == 1 else 'conditions'}" if names else ""


def without(emptied: Mapping[str, Sequence[Dropped]], as_of: dt.date | None) -> str:
    """How many records there are without the conditions that left none, by whose they
    are.

    >>> year = filters.Clause("launch_date", "gte", ("2015",))
    >>> year = Dropped("companies", "launch_date", year, 322, 217, 0)
    >>> without({"": [year]}, dt.date(2013, 6, 17))
    'The data end in 2013. Without the year: 322 companies.'
    """
    first = {
        name: next((drop for drop in drops if drop.leaves_out), None)
        for name, drops in emptied.items()
    }
    left_out = [drop for drops in emptied.values() for drop in drops if drop.leaves_out]
    if not left_out:
        return ""
    clauses = [clause for drop in left_out for clause in drop.condition.clauses()]
    starts = [
        float(c.values[0]) for c in clauses if c.field in YEARS and c.operator == "gte"
    ]
    is_late = as_of is not None and max(starts, default=0) > as_of.year
    end = f"The data end in {as_of.year}. " if as_of and is_late else ""
    labels = dict.fromkeys(
        drop.label for drop in left_out if drop.before and drop.outside == 0
    )
    unknown = f"No {listed(labels)} is recorded. " if labels else ""
    counts = listed(
        f"{name} {number(drop.before)}" if name else counted(drop.before, drop.noun)
        for name, drop in first.items()
        if drop is not None and drop.before is not None
    )
    return f"{end}{unknown}{lifting(emptied)}{f': {counts}' if counts else ' there may be some'}."


def total(query: Any, *, is_sure: bool = True) -> int | None:
    """Count the rows that match; None where the service does not say, or counts no
    further.

    One small request, and where `is_sure` another one that shows that no row follows.
    """
    try:
        rows, page = query.listing.counted(is_sure=is_sure)
    except (UnreadableReply, EnoughSent):
        return None
    except RequestRejected as error:
        if error.status in (400, 422):  # the service does not take the condition
            return None
        raise
    return None if page.is_limited else int(rows)


def _apart(query: Any) -> tuple[list[Filter], dict[str, Filter]]:
    """The conditions that drop no record for a missing number, and the others by
    their field.
    """
    condition, resource = query.listing.filter, query.listing.resource
    others, ranges = list[Filter](), dict[str, list[Filter]]()
    is_several = isinstance(condition, Group) and condition.word == "and"
    for part in (
        condition.parts if is_several else [condition] * (condition is not None)
    ):
        if isinstance(part, Clause) and _is_number(resource.filterable(part.field)):
            ranges.setdefault(part.field, []).append(part)
        else:
            others.append(part)
    return others, {name: filters.all_of(*parts) for name, parts in ranges.items()}


def _is_number(field: Field) -> bool:
    return field.nullable and field.type in ("integer", "number")


def _least(field: Field, *conditions: Filter) -> Clause:
    """The condition that every recorded value meets: at least zero, or what is asked
    for below.
    """
    clauses = [clause for condition in conditions for clause in condition.clauses()]
    lowest = 0.0 if field.bounds is None else float(field.bounds[0])
    least = min(
        [lowest, *(float(value) for clause in clauses for value in clause.values)]
    )
    return Clause(
        field.name, "gte", (field.write(int(least) if least.is_integer() else least),)
    )


def _count(
    query: Any, conditions: Sequence[Filter], *, is_sure: bool = True
) -> int | None:
    """Count the records that meet these conditions alone; None where the service
    does not say.
    """
    condition = filters.all_of(*conditions) if conditions else None
    return total(
        replace(query, listing=replace(query.listing, filter=condition)),
        is_sure=is_sure,
    )


def _less(more: int | None, fewer: int | None) -> int | None:
    return None if more is None or fewer is None or fewer > more else more - fewer
