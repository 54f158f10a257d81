"""The study of some LPs: its numbers, and the class that lists its findings."""

from dataclasses import dataclass

from ventureframe.display.wording import Count, listed
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency
from ventureframe.studies.exposure import tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of one study.

    `lp_names` are the first three LPs by the number of their managers, `most_shared` the first
    of the `most_shared_of` managers that most of the LPs back, `most_shared_by` how many LPs that
    is, `largest` the fund of the largest known size, its manager and that size in `currency`.
    `since` None: any date.
    """

    lp_names: tuple[str, ...]
    most_shared: tuple[str | None, ...]
    most_shared_of: Count
    most_shared_by: Count
    largest: tuple[str | None, str | None, float] | None
    lps: Count
    lps_answered: Count
    lps_with_managers: Count
    managers: Count
    managers_shared: Count
    managers_asked: Count
    managers_with_funds: Count
    managers_undated: Count
    managers_empty: Count
    managers_failed: Count
    funds: Count
    funds_dated: Count
    funds_sized: Count
    funds_not_convertible: Count
    latest_several: Count
    funds_typed: Count
    funds_with_status: Count
    since: int | None
    currency: Currency

    @property
    def subject(self) -> str:
        """The LPs, by name where they are few."""
        named = self.lp_names if self.lps <= 3 else self.lp_names[:1]
        others = self.lps - len(named)
        return listed([*named, *([f"{others:other LP}"] if others else [])]) or "0 LPs"

    @property
    def window(self) -> str:
        """The window in words."""
        return "of any date" if self.since is None else f"since {self.since}"

    @property
    def not_convertible(self) -> str:
        """How many funds have a size without a rate, to be added; nothing where there is none."""
        lost = self.funds_not_convertible
        return f", not convertible for {lost}" if lost else ""

    @property
    def sized(self) -> str:
        """How many funds have a known size, of how many, and how many have one without a rate."""
        return f"known for {self.funds_sized} of {self.funds:fund}{self.not_convertible}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show about some LPs, the managers they back and those managers' funds.

    Null means that nothing is recorded, never "no" and never zero; states are those of
    `evidence.WINDOWS`. `frames["fund_links"]` is the evidence behind `funds`, a row per edge:
    manager_uuid, manager_name, fund_id, fund_name, fund_date, fund_size, fund_size_state, currency,
    source_url, request, seen. `frames["latest_funds"]` has those of each manager's latest date.
    """

    currency: Currency
    counts: Counts

    lps = tables.LPS
    backing = tables.BACKING
    managers = tables.MANAGERS
    overlap = tables.OVERLAP
    funds = tables.FUNDS
    types = tables.TYPES
    vintages = tables.VINTAGES
    countries = tables.COUNTRIES

    name = "exposure"
    about = "managers and their funds"
