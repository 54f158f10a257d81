"""The study of some LPs: its numbers, and how each finding is listed.

LP to manager, manager to fund, never LP to fund.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl
from polars import col

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import NOT_KNOWN, Count, listed, within
from ventureframe.evidence.claims import REACHABLE
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import highest_first, of, tally
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency
from ventureframe.studies.columns import COUNTRY
from ventureframe.studies.young import ARRIVING, ROUNDS, marked

_UNDATED = "data of {0.day} {0:%B %Y}; when a link began or ended is not recorded"
NOT_CONVERTIBLE = (col("fund_size_state") == "not_convertible").sum()
RETURNED = ("records_returned", "records_without_a_date")

_FIGURES = "ventureframe.studies.exposure.figures:"
_NO_FUND = "No fund is among the records read."
_LP = Column("lp_name", "LP")
_LP_ID = Column("lp_uuid", "LP UUID", "id")
_MANAGER = Column("manager_name", "Manager")
_MANAGER_ID = Column("manager_uuid", "Manager UUID", "id")
_REASON = Column("reason", "Not read because", null="")
_WINDOW, _EMPTY = col("window"), "no_records_returned"


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The numbers of one study.

    `first_lps` are the first three LPs by the number of their managers, with that
    number, `most_shared` the first ten of the `most_shared_of` managers that most of
    the LPs back, `most_shared_by` how many LPs that is, `largest` the first three of
    the `largest_of` funds of the largest known size, each with its manager, and
    `largest_size` that size in `currency`. `managers_read` are those whose funds are
    known, or none recorded.
    """

    first_lps: tuple[tuple[str, Count | None], ...]
    most_shared: tuple[str, ...]
    most_shared_of: Count
    most_shared_by: Count
    largest: tuple[str, ...]
    largest_of: Count
    largest_size: float | None
    lps: Count = of(lps=pl.len())
    lps_answered: Count = of(lps=(col("answer") != "could_not_ask").sum())
    lps_with_managers: Count = of(lps=(col("managers") > 0).sum())
    managers: Count = of(managers=pl.len())
    managers_shared: Count = of(managers=(col("lps") > 1).sum())
    managers_read: Count = of(managers=_WINDOW.is_in([*RETURNED, _EMPTY]).sum())
    managers_with_funds: Count = of(managers=_WINDOW.is_in(RETURNED).sum())
    managers_empty: Count = of(managers=(_WINDOW == _EMPTY).sum())
    funds: Count = of(funds=pl.len())
    funds_dated: Count = of(funds=pl.count("fund_date"))
    funds_sized: Count = of(funds=pl.count("fund_size"))
    funds_not_convertible: Count = of(funds=NOT_CONVERTIBLE)
    latest_several: Count = of(managers=(col("latest_funds") > 1).sum())
    since: int | None
    currency: Currency

    @property
    def subject(self) -> str:
        """The LPs, by name where they are few."""
        names = [name for name, _ in self.first_lps]
        if not names:
            return "0 LPs"
        if self.lps <= 3:
            return listed(names)
        return listed([names[0], f"{self.lps - 1:other LP}"])

    @property
    def window(self) -> str:
        """The window in words after what it is of; nothing for any date."""
        return "" if self.since is None else f" since {self.since}"

    @property
    def shared(self) -> str:
        """How many managers several of the LPs back, to be added; nothing where at
        most one LP has managers.
        """
        if self.lps_with_managers < 2:
            return ""
        several = "both LPs" if self.lps == 2 else "two or more LPs"
        if not self.managers_shared:
            return f"; none recorded for {several}"
        return f"; {self.managers_shared} backed by {several}"

    @property
    def funded(self) -> str:
        """How many managers have recorded funds, of those whose funds were read."""
        manager = "manager"
        if self.managers_read < self.managers:
            manager = "manager whose funds were read"
        elif self.managers == 1:
            return "that manager"
        return within(self.managers_with_funds, self.managers_read, manager)

    @property
    def sized(self) -> str:
        """How many funds have a known size, of how many."""
        some = within(self.funds_sized, self.funds, "fund")
        return f"fund size in {self.currency} known for {some}"


def _of_lps(study: Study) -> Iterator[str]:
    """How many managers the LPs have, and how their numbers add up."""
    c = study.counts
    yield f"{c.managers:manager}{c.shared}"
    if c.managers_shared:
        yield "a manager of several LPs counts once for each"


def _of_managers(study: Study) -> Iterator[str]:
    """How many managers are shared, have recorded funds, and several latest ones."""
    c = study.counts
    yield f"{c.managers:manager}{c.shared}"
    if c.funds:
        yield f"funds{c.window} are recorded for {c.funded}"
    if c.latest_several:
        yield (
            f"several: {c.latest_several:manager} with several funds of the latest date"
        )


def _of_funds(study: Study) -> Iterator[str]:
    if study.counts.funds_sized:
        yield study.counts.sized
        yield rate_day(study.source, "funds")
    yield f"each fund is {REACHABLE}"


def _pairs(study: Study) -> pl.DataFrame:
    """Make a row per pair of LPs with a manager in common: how many were returned for
    both.
    """
    links = study.frames["backing"].select("manager_uuid", "lp_uuid", "lp_name")
    links = links.with_row_index("place")  # in the order of the LPs
    partners = links.rename("other_{}".format)
    pairs = links.join(partners, left_on="manager_uuid", right_on="other_manager_uuid")
    pairs = pairs.filter(col("place") < col("other_place"))
    lps = ("lp_name", "lp_uuid", "other_lp_name", "other_lp_uuid")
    return highest_first(pairs.group_by(lps).agg(*tally("shared")), "shared", *lps)


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show about some LPs, the managers they back and those managers'
    funds.

    Null means that nothing is recorded, never "no" and never zero; states are those
    of `evidence.WINDOWS`. `frames["fund_links"]` is the evidence behind `funds`, a
    row per edge: the manager, the fund as `funds` has it, request, seen.
    """

    @property
    def is_empty(self) -> bool:
        """Whether there is no manager, or no fund of any since a year."""
        c = self.counts
        return not c.managers or (c.since is not None and not c.funds)

    @property
    def lead(self) -> tuple[str, ...]:  # type: ignore[override]  # not of every study
        """The funds where there are any, else the managers."""
        if self.counts.funds:
            return ("funds", "funds", "fund_name", "fund_size")
        return ("managers", "lps", "lp_name", "managers")

    @property
    def order(self) -> str:
        """What the managers are ordered by, as far as it tells them apart."""
        managers = self.frames["managers"]
        order = ["name"]
        for name in ("funds", "LPs"):
            if managers[name.lower()].n_unique() > 1:
                order.insert(0, f"number of {name}")
        return listed(order)

    name = "exposure"
    about = "managers and their funds"
    population = (
        "managers on record for {study.counts.subject}, and funds{study.counts.window}"
        " of those looked up, not holdings of an LP"
    )
    measures = ("fund_size", "years")

    currency: Currency
    counts: Counts

    lps = Exhibit(
        "LPs and their managers: {subject}",
        (
            _LP,
            COUNTRY,
            *columns(
                "number",
                null=NOT_KNOWN,
                managers="Managers",
                managers_shared="Shared with another of these LPs",
                managers_with_funds="With fund records",
            ),
            Column("answer", "Manager records", "state"),
            _REASON,
            _LP_ID,
        ),
        _of_lps,
        f"{_FIGURES}lps",
        meaning="A row per LP; the frame also has website_domain.",
    )
    backing = Exhibit(
        "Which LP backs which manager",
        # the request is a path with the ids in it: folded with them, and in the row
        # that is opened
        (_LP, _MANAGER, Column("request", "Request", "id"), _LP_ID, _MANAGER_ID),
        lambda study: [
            f"{study.counts.lps_with_managers:LP}, {study.counts.managers:manager}",
            *map(
                _UNDATED.format, study.frames["backing"]["seen"].drop_nulls().unique()
            ),
        ],
        meaning=(
            "A row per LP and manager. The frame also has seen: the day of the data or"
            " reply."
        ),
    )
    managers = Exhibit(
        "Managers: {subject}",
        (
            _MANAGER,
            Column("lp_names", "Backed by"),
            Column("lps", "LPs", "number"),
            Column("funds", "Funds", "number", null=NOT_KNOWN),
            Column(
                "latest_fund",
                "Manager's latest dated fund",
                null=NOT_KNOWN,
            ),
            Column("latest_fund_date", "Date of that fund", "vintage", null=NOT_KNOWN),
            Column(
                "latest_fund_size",
                "Size of that fund",
                "money",
                "",
                NOT_KNOWN,
                "latest_fund_size_state",
            ),
            Column("size_known", "With a size", "number", null=NOT_KNOWN),
            COUNTRY,
            Column("window", "Fund records", "state"),
            _REASON,
            _MANAGER_ID,
        ),
        _of_managers,
        foremost=("managers of two or more of the LPs", col("lps") > 1),
        order="{study.order}",
        meaning=(
            "A row per manager, most LPs first, then most funds. The frame also has"
            " website_domain and hq_city; dated and not_convertible (counts of funds);"
            " latest_funds (how many share the latest date), latest_fund_type and"
            " latest_fund_size_state (of evidence.AMOUNTS, or several)."
        ),
    )
    overlap = Exhibit(
        "Managers that two LPs share: {subject}",
        (
            _LP,
            Column("other_lp_name", "And"),
            Column("shared", "Managers of both", "number"),
            _LP_ID,
            Column("other_lp_uuid", "Other LP UUID", "id"),
        ),
        rows=_pairs,
        nothing="No manager is recorded for two of these LPs.",
        meaning="A row per pair of LPs with a manager in common, most of them first.",
    )
    funds = Exhibit(
        "Funds{study.counts.window} of the managers",
        (
            Column("fund_name", "Fund"),
            _MANAGER,
            Column("lp_names", "Manager backed by"),
            Column("fund_size", "Fund size", "money", null_by="fund_size_state"),
            Column("fund_date", "Date", "vintage"),
            Column("fund_type", "Type"),
            # each in the currency that stands beside it, so the study's is not its unit
            Column("fund_size_native", "As announced", "native"),
            Column("native_currency", "Announced in"),
            Column("is_closed", "Closed", "flag"),
            Column("source_url", "Announcement", "link"),
            Column("fund_id", "Fund id", "id"),
            _MANAGER_ID,
        ),
        _of_funds,
        f"{_FIGURES}funds",
        lead=5,
        order="date",
        nothing=_NO_FUND,
        meaning=(
            "A row per fund, latest first, with one of its managers. The frame also has"
            " managers (how many list it) and fund_size_state (of evidence.AMOUNTS)."
        ),
    )
    vintages = Exhibit(
        "Funds{study.counts.window} by year",
        (
            Column("year", "Year announced", "year"),
            *columns(
                "number",
                funds="Funds",
                managers="Managers",
                size_known="With a size",
                not_convertible="Size not convertible",
            ),
            ARRIVING,
        ),
        lambda study: [
            f"{study.counts.funds:fund}",
            "0: no fund is recorded for the year",
        ],
        rows=lambda study: marked(
            study.frames["vintages"], "year", study.as_of, ROUNDS
        ),
        nothing=_NO_FUND,
        meaning=(
            "A row per year from the first to the last dated fund, and one for no date."
        ),
    )
