"""The question about two fetches, and the study that compares them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ventureframe.client.paging import Progress
from ventureframe.client.result import Result
from ventureframe.display.wording import origin
from ventureframe.errors import QueryError, UnsupportedValue
from ventureframe.evidence import question
from ventureframe.evidence.members import member
from ventureframe.evidence.question import Plan, Records, costing
from ventureframe.studies.changes.find import Side, compare
from ventureframe.studies.changes.study import Study

if TYPE_CHECKING:
    from ventureframe.client.service import Service


@dataclass(frozen=True, kw_only=True, repr=False)
class Question(question.Question[Study]):
    """What differs between two fetches of one question?

    Parameters
    ----------
    before : Side | None
        The folder of the earlier fetch.
    after : Side | None
        The folder of the later fetch.
    companies : Any
        These companies alone: what `vf.match` gives, or their UUIDs.
    part : str | None
        One kind of record alone, such as companies or jobs.
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
    >>> march, now = vf.connect(sample_day="2026-03-31"), vf.connect()
    >>> asked = vf.hiring.Question(tags=[("Robotics", "technology")], currency="EUR")
    >>> two = vf.changes.Question(before=asked.study(march), after=asked.study(now))
    >>> two.study(now).counts.newly_seen
    7
    """

    study_class = Study

    before: Side | None = member("First fetch", "text", "the folder of the earlier one")
    after: Side | None = member("Second fetch", "text", "the folder of the later one")
    companies: Any = None
    part: str | None = member("Kind of record", "text", "such as companies or jobs")

    @property
    def parameters(self) -> dict[str, Any]:
        """The question as literals; what was fetched, and not loaded from a folder,
        is None.
        """
        values = dict(super().parameters)
        for name in ("before", "after"):
            is_folder = isinstance(values[name], (str, Path))
            values[name] = str(values[name]) if is_folder else None
        return values

    @property
    def listed(self) -> tuple[tuple[str, str], ...]:
        """What is compared, as label and value, without what was not given; of a
        folder its name alone.
        """
        values = dict(super().listed)
        for option in self.members()[:2]:
            side = getattr(self, option.name)
            fetched = side.provenance if isinstance(side, Result) else side
            source = origin(getattr(fetched, "source", None))
            folder = self.parameters[option.name]
            values[option.label] = Path(folder).resolve().name if folder else source
        if self.part is None:
            del values["Kind of record"]
        if self.currency is None:
            values["Currency"] = "as fetched"
        return tuple((label, value) for label, value in values.items() if value)

    def starting_at(self, service: Service) -> Self:  # noqa: ARG002
        """The question unchanged: amounts are in the currency that both were fetched
        in.
        """
        return self

    def count(self, records: Records) -> Plan:  # noqa: ARG002  # no service is asked
        """Say that nothing is requested."""
        return costing("Two fetches that are there already")

    def study(
        self,
        service: Service | Records,  # noqa: ARG002  # no service is asked
        *,
        earlier: Study | None = None,  # noqa: ARG002
        progress: bool | Progress | None = None,  # noqa: ARG002
    ) -> Study:
        """The comparison; raises as `compare` does, and where a fetch lacks part or
        currency.
        """
        if not (self.before and self.after):
            raise QueryError(
                "Two fetches are compared: give their folders as before and after."
            )
        study = compare(self.before, self.after, companies=self.companies)
        if self.part is not None:
            study = study.only(self.part)
        codes = {pair.new.provenance.currency for pair in study.pairs.values()} - {None}
        if self.currency is not None and codes - {self.currency}:
            reason = f"amounts were fetched in {', '.join(map(str, codes))}"
            raise UnsupportedValue(self.currency, field="currency", reason=reason)
        question = self.set(currency=study.currency)
        return dataclasses.replace(study, question=question)


study = Question.ask
