"""What a condition leaves out, and why: counted by the service.

A record without a value meets no condition on that field, so a filter drops it in
silence. Small counts of the records that meet every other condition tell how many:
without the condition, and with any value of the field. The difference is not recorded
(interface, reading rule 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ventureframe.display.wording import Count, condition, label
from ventureframe.errors import EnoughSent, RequestRejected
from ventureframe.evidence.claims import Caveat, limit
from ventureframe.evidence.question import sized
from ventureframe.interface import filters
from ventureframe.interface.fields import RESOURCES
from ventureframe.interface.filters import Clause, Filter, Group

if TYPE_CHECKING:
    from ventureframe.client.query import Query

CHOSEN = ("founder_university_name", "tag_id", "hq_location")
"""Fields that say which records a question is about; what they leave out is not
reported.
"""


@dataclass(frozen=True)
class Dropped:
    """What the condition on one field leaves out; a number is None where no count tells
    it.

    Of the `records`, such as companies, `before` meet every other condition; of these
    `recorded` have a value of the field, and `inside` meet this condition too.
    """

    records: str
    field: str
    condition: Filter
    before: int | None
    recorded: int | None
    inside: int | None
    currency: str = ""

    @property
    def not_recorded(self) -> int | None:
        """How many are left out because no value is recorded."""
        return _less(self.before, self.recorded)

    @property
    def outside(self) -> int | None:
        """How many are left out because the recorded value does not meet it."""
        return _less(self.recorded, self.inside)

    @property
    def leaves_out(self) -> bool:
        """Whether the condition leaves any record out."""
        return self.inside != self.before

    @property
    def sentence(self) -> str:
        """What the condition leaves out of the records that meet all others."""
        words = f"“{condition(self.condition, self.currency)}”"
        noun = RESOURCES[self.records].singular
        none = f"no recorded {label(self.field)}"
        silent, outside = self.not_recorded, self.outside
        if self.before is None or _less(self.before, self.inside) is None:
            return f"How many {self.records} {words} leaves out is not known."
        if self.before == 1:
            reasons = {
                None: f"does not meet it or has {none}",
                0: "does not meet it",
                1: f"has {none}",
            }
            reason = reasons[silent]
            return f"The only {noun} that meets every condition but {words} {reason}."
        whole = f"Of the {Count(self.before):{noun}} that meet every condition but"
        whole = f"{whole} {words}"
        if silent is None or outside is None:
            inside = Count(self.inside or 0)
            return f"{whole}, {inside or 'none'} {inside:meets|meet} it."
        missing, failing = Count(silent), Count(outside)
        if not missing:
            return f"{whole}, {failing} {failing:does|do} not meet it."
        if not failing:
            return f"{whole}, {missing} {missing:has|have} {none}."
        return (
            f"{whole}, {missing} {missing:has|have} {none} and {failing}"
            f" {failing:does|do} not meet it."
        )

    @property
    def caveat(self) -> Caveat:
        """What it leaves out, and what that does not say of the values."""
        text = self.sentence
        if self.not_recorded != 0:
            text = f"{text} A value that is not recorded may meet it."
        return limit(3)(text)


def dropped(
    query: Query, *, inside: int | None = None, chosen: Sequence[str] = CHOSEN
) -> tuple[Dropped, ...]:
    """Count what the conditions of a query leave out, for each field in their order.

    Every condition that all rows must meet is counted by small requests, but for those
    that say which records are meant (a university, tags, a place: `chosen`); `inside`
    is the number of rows, where it is known. A record that two conditions leave out is
    counted at neither. Where the service reports no total, stops counting before the
    last record, cannot count the values of a field, or gives totals that contradict
    each other, the number is None.

    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> (founded,) = dropped(svc.companies.where(vf.company.launch_date >= 2015))
    >>> left_out = founded.outside + founded.not_recorded
    >>> founded.field, founded.before == founded.inside + left_out
    ('launch_date', True)
    """
    listing = query.listing
    where = listing.filter
    if where is None:
        return ()
    conditions: Sequence[Filter] = [where]  # which every row meets
    if isinstance(where, Group) and where.word == "and":
        conditions = where.parts
    fields = dict[str, list[Filter]]()
    for part in conditions:
        name = part.field if isinstance(part, Clause) else "value"
        if name not in chosen:
            fields.setdefault(name, []).append(part)
    if fields and inside is None:
        inside = total(query)

    drops = list[Dropped]()
    for name, parts in fields.items():
        remaining = [part for part in conditions if part not in parts]
        tested = filters.all_of(*parts)
        before, recorded = _count(query, remaining, is_sure=True), None
        if before is not None:  # else a smaller number can be cut short as well
            recorded = _recorded(query, remaining, name, {tested: inside})
        drops.append(
            Dropped(
                listing.endpoint.resource.name,
                name,
                tested,
                before=before,
                recorded=recorded,
                inside=inside,
                currency=listing.converted_to or "",
            )
        )
    return tuple(drops)


def sentences(drops: Iterable[Dropped]) -> str:
    """Say what each condition leaves out, first the one that leaves out most."""
    leaving = [drop for drop in drops if drop.before and drop.leaves_out]
    leaving.sort(key=lambda drop: drop.before or 0, reverse=True)
    return " ".join(drop.sentence for drop in leaving)


def total(query: Query, *, is_sure: bool = True) -> int | None:
    """Count the rows by small requests; None where the service does not say, or counts
    no further.
    """
    try:
        return sized(query, is_sure=is_sure)[1]
    except EnoughSent:
        return None
    except RequestRejected as error:
        if error.status in (400, 422):  # the service does not take the condition
            return None
        raise


def _count(
    query: Query, conditions: Sequence[Filter], *, is_sure: bool = False
) -> int | None:
    """Count the records that meet these conditions alone."""
    where = filters.all_of(*conditions) if conditions else None
    listing = replace(query.listing, filter=where)
    return total(replace(query, listing=listing), is_sure=is_sure)


def _recorded(
    query: Query,
    conditions: Sequence[Filter],
    name: str,
    counted: Mapping[Filter, int | None],
) -> int | None:
    """Count the records with a value of the field; None where no condition tells.

    `counted` has the number that meet a condition of the field, too, where it is one.
    """
    field = query.listing.endpoint.resource.get(name)
    if field is None or field.type not in ("integer", "number", "flag"):
        return None
    if field.type == "flag":
        recorded = 0
        for text in ("true", "false"):
            flag = Clause(name, "eq", (text,))
            number = counted.get(flag)
            if number is None:
                number = _count(query, [*conditions, flag])
            if number is None:
                return None
            recorded += number
        return recorded
    least = field.bounds[0] if field.bounds else 0
    is_recorded = Clause(name, "gte", (field.write(least),))
    return _count(query, [*conditions, is_recorded])


def _less(more: int | None, fewer: int | None) -> int | None:
    if more is None or fewer is None or fewer > more:
        return None
    return more - fewer
