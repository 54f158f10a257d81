"""The study of some LPs: its numbers, and how each finding is listed.

LP to manager, manager to fund, never LP to fund.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import NOT_REPORTED, Count, listed
from ventureframe.evidence.claims import REACHABLE, WINDOWS
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import of
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency

NOT_FILLED: Final = "a missing size stays missing even where an older fund has one"
NOT_CONVERTIBLE: Final = (pl.col("fund_size_state") == "not_convertible").sum()
RETURNED: Final = ("records_returned", "records_without_a_date")

_FIGURES: Final = "ventureframe.studies.exposure.figures:"
_UNKNOWN: Final = "not known"
_LP_ID, _MANAGER_ID = columns("id", lp_uuid="LP UUID", manager_uuid="Manager UUID")
_LP, _MANAGER, _COUNTRY = columns(
    "text", lp_name="LP", manager_name="Manager", hq_country="Country"
)
_REASON: Final = Column("reason", "Could not ask because", null="–")
_LOST: Final = Column("not_convertible", "Size not convertible", "number")
_OF_FUNDS: Final = columns("number", funds="Funds", managers="Managers", size_known="With a size")
_WINDOW: Final = pl.col("window")


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
    lps: Count = of(lps=pl.len())
    lps_answered: Count = of(lps=(pl.col("answer") != "could_not_ask").sum())
    lps_with_managers: Count = of(lps=(pl.col("managers") > 0).sum())
    managers: Count = of(managers=pl.len())
    managers_shared: Count = of(managers=(pl.col("lps") > 1).sum())
    managers_asked: Count = of(managers=(_WINDOW != "not_asked").sum())
    managers_with_funds: Count = of(managers=_WINDOW.is_in(RETURNED).sum())
    managers_undated: Count = of(managers=(_WINDOW == "records_without_a_date").sum())
    managers_empty: Count = of(managers=(_WINDOW == "no_records_returned").sum())
    managers_failed: Count = of(managers=(_WINDOW == "could_not_ask").sum())
    funds: Count = of(funds=pl.len())
    funds_dated: Count = of(funds=pl.col("fund_date").count())
    funds_sized: Count = of(funds=pl.col("fund_size").count())
    funds_not_convertible: Count = of(funds=NOT_CONVERTIBLE)
    latest_several: Count = of(managers=(pl.col("latest_funds") > 1).sum())
    funds_typed: Count = of(funds=pl.col("fund_type").count())
    funds_with_status: Count = of(funds=pl.col("is_closed").count())
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


def _sized(name: str, label: str, null: str = NOT_REPORTED, meaning: str = "") -> Column:
    """A column of sizes that says of each missing one whether it is reported."""
    return Column(name, label, "money", "", null, f"{name}_state", meaning)


def _of_managers(study: Any) -> Iterator[str]:
    """How many managers are shared and returned records, and what the states of these mean."""
    c = study.counts
    yield f"{c.managers_shared} of {c.managers:manager} shared"
    yield f"fund records {c.window}"
    answered, empty = c.managers_with_funds, c.managers_empty
    yield f"{answered} of {c.managers:manager} returned records, {empty} none"
    if c.managers_undated:
        yield f"records without a date: {WINDOWS['records_without_a_date']}"
    yield f"no records returned: {WINDOWS['no_records_returned']}"
    yield "a size missing for the latest fund is not taken from an older one"
    if c.latest_several:
        yield f"several: {c.latest_several:manager} with several funds of the latest date"
    yield rate_day(study.source, "funds")


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show about some LPs, the managers they back and those managers' funds.

    Null means that nothing is recorded, never "no" and never zero; states are those of
    `evidence.WINDOWS`. `frames["fund_links"]` is the evidence behind `funds`, a row per edge:
    manager_uuid, manager_name, fund_id, fund_name, fund_date, fund_size, fund_size_state, currency,
    source_url, request, seen. `frames["latest_funds"]` has those of each manager's latest date.
    """

    name = "exposure"
    about = "managers and their funds"

    currency: Currency
    counts: Counts

    lps = Exhibit(
        "LPs and their managers: {subject}",
        (
            *(_LP, _COUNTRY, Column("managers", "Managers", "number", null=_UNKNOWN)),
            Column("managers_shared", "Shared with another of these LPs", "number", null=_UNKNOWN),
            Column("managers_with_funds", "With fund records", "number", null=_UNKNOWN),
            *(Column("answer", "Answer", "state", meaning="of evidence.WINDOWS"), _REASON, _LP_ID),
        ),
        lambda study: [
            f"{study.counts.managers:distinct manager}; one backed by two LPs is counted at both"
        ],
        meaning="A row per LP; the frame also has website_domain.",
    )
    backing = Exhibit(
        "Which manager was returned for which LP",
        (
            *(_LP, _MANAGER, Column("seen", "Seen", "date", meaning="the day of the answer")),
            # a path with the ids in it: folded with them, and in the row that is opened
            *(Column("request", "Request that returned it", "id"), _LP_ID, _MANAGER_ID),
        ),
        lambda study: [f"{study.counts.lps_with_managers:LP}, {study.counts.managers:manager}"],
        f"{_FIGURES}backing",
        meaning="The evidence: a row per LP and manager.",
    )
    managers = Exhibit(
        "Managers: {subject}",
        (
            *(_MANAGER, _COUNTRY, Column("lps", "LPs", "number"), Column("lp_names", "Backed by")),
            *columns("number", null=_UNKNOWN, funds="Funds", size_known="With a size"),
            Column("latest_fund", "Latest dated fund", null="–", meaning="of several all names"),
            Column("latest_fund_date", "Its date", "date", null="–"),
            _sized("latest_fund_size", "Its size", "–", "null where several share it"),
            Column("window", "Fund records", "state", meaning="of evidence.WINDOWS"),
            *(_REASON, _MANAGER_ID),
        ),
        _of_managers,
        meaning="A row per manager, most LPs first. The frame also has website_domain and hq_city; "
        "dated and not_convertible (counts of funds); latest_funds (how many share the latest "
        "date), latest_fund_type and latest_fund_size_state (of evidence.AMOUNTS, or several).",
    )
    overlap = Exhibit(
        "Managers that two LPs share: {subject}",
        (
            *(_LP, Column("other_lp_name", "And")),
            Column("shared", "Managers of both", "number", null=_UNKNOWN),
            *(_LP_ID, Column("other_lp_uuid", "Other LP UUID", "id")),
        ),
        lambda _: ["0: no manager was returned for both, not evidence against it"],
        f"{_FIGURES}overlap",
        meaning="A row per pair of LPs, most shared managers first.",
    )
    funds = Exhibit(
        "Funds {study.counts.window} of the managers",
        (
            *(Column("fund_name", "Fund"), _sized("fund_size", "Fund size"), _MANAGER),
            *(Column("fund_date", "Announced", "date"), Column("fund_type", "Type")),
            # each in the currency that stands beside it, so the study's is not its unit
            Column("fund_size_native", "As announced", "native"),
            Column("native_currency", "Currency of that"),
            *(Column("is_closed", "Closed", "flag"), Column("source_url", "Announcement", "link")),
            *(Column("fund_id", "Fund id", "id"), _MANAGER_ID),
        ),
        lambda study: [
            f"fund size in {study.currency} {study.counts.sized}",
            rate_day(study.source, "funds"),
            f"to an LP each is {REACHABLE}",
        ],
        f"{_FIGURES}funds",
        meaning="A row per fund, latest first, with one of its managers. The frame also has "
        "managers (how many returned it) and fund_size_state (of evidence.AMOUNTS).",
    )
    types = Exhibit(
        "Funds {study.counts.window} by type",
        (
            *(Column("fund_type", "Type"), *_OF_FUNDS, _LOST),
            *columns("number", closed="Closed", not_closed="Not closed"),
            Column("status_unknown", "Status not reported", "number"),
        ),
        lambda study: [f"{study.counts.funds:fund}"],
        meaning="A row per fund type. Sizes are not added up.",
    )
    vintages = Exhibit(
        "Funds {study.counts.window} by year",
        (Column("year", "Year announced", "year", null="no date"), *_OF_FUNDS, _LOST),
        lambda study: [
            f"{study.counts.funds:fund}",
            "0: no fund returned for the year; the last year can be partial",
        ],
        f"{_FIGURES}vintages",
        meaning="A row per year from the first to the last dated fund, and one for no date.",
    )
    countries = Exhibit(
        "Managers by headquarters country: {subject}",
        (
            *(_COUNTRY, *columns("number", managers="Managers", dated="With a dated fund")),
            *columns("number", latest_funds="Latest dated funds", size_known="With a size"),
            _LOST,
        ),
        lambda study: [
            f"funds {study.counts.window}; of each manager the latest dated fund counts, several "
            "of one day all count",
            *(NOT_FILLED, rate_day(study.source, "funds")),
        ],
        f"{_FIGURES}countries",
        meaning="A row per country, most managers first.",
    )
