"""The question about several universities' founders, and the study that answers it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ventureframe.client.paging import Progress
from ventureframe.errors import UnsupportedValue
from ventureframe.evidence import question
from ventureframe.evidence.members import Entry, member
from ventureframe.evidence.question import Plan, Records
from ventureframe.interface.filters import Filter
from ventureframe.studies.spinouts import question as spinouts
from ventureframe.studies.universities.find import compare
from ventureframe.studies.universities.study import Study

if TYPE_CHECKING:
    from ventureframe.client.lookups import University
    from ventureframe.client.service import Service


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(question.Question[Study]):
    """What do the records show of several universities side by side?

    Parameters
    ----------
    universities : Sequence[Entry | University]
        Name and website domain of each: both must match.
    since : int | None
        The earliest founding year.
    companies : Any
        These companies alone: what `vf.match` gives, or their UUIDs.
    where : tuple[Filter, ...]
        Further conditions on the companies.
    currency : {"USD", "EUR", "GBP"}
        Currency of all amounts: USD, EUR or GBP.
    at_most : int | None
        Before it sends more requests, repeats not counted, the study ends with
        what it has.
    at_most_credits : int | None
        Before it can spend more credits, the study ends with what it has; see
        `Query.fetch`.

    Examples
    --------
    >>> import ventureframe as vf
    >>> two = [
    ...     ("Harrowmere University", "harrowmere.example"),
    ...     ("Tarnvik Technical University", "tarnvik.example"),
    ... ]
    >>> study = vf.universities.study(vf.connect(), universities=two, since=2015)
    >>> len(study.universities)
    2
    """

    study_class = Study

    universities: Sequence[Entry | University] = member(
        "Universities",
        "entries",
        "name and website domain of each: both must match",
        default=(),
        picks="university",
    )
    since: int | None = member(
        "Founded from", "year", "the earliest founding year", tests="launch_date"
    )
    companies: Any = None
    where: tuple[Filter, ...] = ()

    def each(self, records: Records) -> tuple[spinouts.Question, ...]:
        """The question about each university, looked up; raises `Unclear`."""
        if not self.universities:
            reason = "at least one university is needed"
            raise UnsupportedValue([], field="universities", reason=reason)
        return tuple(
            spinouts.Question(
                university=records.university(entry),
                since=self.since,
                companies=self.companies,
                where=self.where,
                currency=self.currency,
            )
            for entry in self.universities
        )

    def count(self, records: Records) -> Plan:
        """Count the companies of each pool; raises `Unclear`."""
        plans = {
            pool.found(records).name: pool.count(records) for pool in self.each(records)
        }
        text = "; ".join(f"{name}: {plan.text}" for name, plan in plans.items())
        return question.costing(text, *plans.values())

    def study(
        self,
        service: Service | Records,
        *,
        earlier: Study | None = None,
        progress: bool | Progress | None = None,
    ) -> Study:
        """The study of each university, then `compare`; see `Question.study`."""
        records = Records.of(service, self)
        before = (
            {part.university.uuid: part for part in earlier.studies} if earlier else {}
        )
        studies = (
            part.study(
                records, earlier=before.get(part.found(records).uuid), progress=progress
            )
            for part in self.each(records)
        )
        study = compare(list(studies))
        return dataclasses.replace(study, **self.stated(records, study))


study = Question.ask
