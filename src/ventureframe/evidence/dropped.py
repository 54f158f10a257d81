"""What a condition on a year, an amount or a score leaves out, and why: counted by the
service.

A record without a value meets no condition on that field, so a filter drops it in
silence. Two counts of the records that meet every other condition tell how many:
without the condition, and with the field at its least value. The difference is not
recorded (interface, reading rule 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ventureframe.display import wording
from ventureframe.display.wording import in_words, listed, number, within
from ventureframe.errors import EnoughSent, RequestRejected
from ventureframe.evidence.claims import Caveat, limit
from ventureframe.evidence.question import sized
from ventureframe.interface import filters
from ventureframe.interface.fields import RESOURCES, Field
from ventureframe.interface.filters import Clause, Filter, Group

if TYPE_CHECKING:
    from ventureframe.client.query import Query

_LABELS = {"launch_date": "founding year", "company_status": "status"}


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
        """What the condition leaves out, with the numbers that are not zero."""
        reasons = list[str]()
        for count, why in (
            (self.not_recorded, "without one"),
            (self.outside, "outside it"),
        ):
            if count is None:
                reasons.append(f"an unknown number {why}")
            elif count:
                reasons.append(f"{number(count)} {why}")
        what = listed(reasons)
        left_out = _less(self.before, self.inside)
        if left_out and self.before:
            noun = RESOURCES[self.records].singular
            what = f"{within(left_out, self.before, noun)}: {what}"
        label = _LABELS.get(self.field, in_words(self.field))
        return f"The condition on the {label} leaves out {what}."

    @property
    def caveat(self) -> Caveat:
        """What it leaves out, and what that does not say of the values."""
        return limit(3)(f"{self.sentence} A value that is not recorded may meet it.")


def dropped(query: Query, *, inside: int | None = None) -> tuple[Dropped, ...]:
    """Count what the conditions of a query leave out, for each field in their order.

    Every condition on a number or a year that all rows must meet is counted (not one
    inside an `or`), by small requests; `inside` is the number of rows, where it is
    known. A record that two conditions leave out is counted at neither. Where the
    service reports no total, stops counting before the last record, refuses the field's
    least value, or gives totals that contradict each other, the number is None.

    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> (founded,) = dropped(svc.companies.where(vf.company.launch_date >= 2015))
    >>> founded.field, founded.before == founded.inside + founded.outside + founded.not_recorded
    ('launch_date', True)
    """
    resource, asked = query.listing.endpoint.resource, query.listing.filter
    if asked is None:
        return ()
    conditions: Sequence[Filter] = [asked]  # which every row meets
    if isinstance(asked, Group) and asked.word == "and":
        conditions = asked.parts
    fields = dict[Field, list[Filter]]()
    for part in conditions:
        field = resource.filterable(part.field) if isinstance(part, Clause) else None
        if field and field.nullable and field.type in ("integer", "number"):
            fields.setdefault(field, []).append(part)
    if fields and inside is None:
        inside = total(query)

    drops = list[Dropped]()
    for field, own in fields.items():
        others = [part for part in conditions if part not in own]
        least = field.bounds[0] if field.bounds else 0
        is_recorded = Clause(field.name, "gte", (field.write(least),))
        drop = Dropped(
            resource.name,
            field.name,
            filters.all_of(*own),
            before=_count(query, others),
            recorded=_count(query, [*others, is_recorded]),
            inside=inside,
        )
        drops.append(drop)
    return tuple(drops)


def which(drops: Iterable[Dropped]) -> str:
    """Name the conditions that leave records out, as words after these: `founded since
    2015`.
    """
    parts = [one.condition for one in drops if one.leaves_out]
    return wording.condition(filters.all_of(*parts)) if parts else ""


def sentences(drops: Iterable[Dropped]) -> str:
    """Say what each condition leaves out, where it is counted."""
    return " ".join(one.sentence for one in drops if one.before and one.leaves_out)


def total(query: Query) -> int | None:
    """Count the rows by small requests; None where the service does not say, or counts
    no further.
    """
    try:
        return sized(query, is_sure=True)[1]
    except EnoughSent:
        return None
    except RequestRejected as error:
        if error.status in (400, 422):  # the service does not take the condition
            return None
        raise


def _count(query: Query, conditions: Sequence[Filter]) -> int | None:
    """Count the records that meet these conditions alone."""
    condition = filters.all_of(*conditions) if conditions else None
    return total(replace(query, listing=replace(query.listing, filter=condition)))


def _less(more: int | None, fewer: int | None) -> int | None:
    return None if more is None or fewer is None or fewer > more else more - fewer
