"""How each finding about some LPs is listed: LP to manager, manager to fund, never LP to fund."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ventureframe.display.finding import Listing
from ventureframe.display.table import Column
from ventureframe.display.wording import counted, number
from ventureframe.evidence import states
from ventureframe.studies.exposure import figures

if TYPE_CHECKING:
    from ventureframe.studies.exposure.find import Study

_UNKNOWN: Final = "not known"
_LP_ID: Final = Column("lp_uuid", "LP UUID", "id")
_MANAGER_ID: Final = Column("manager_uuid", "Manager UUID", "id")
_REASON: Final = Column("reason", "Could not ask because", null="–")


def _managers_notes(study: Study) -> Iterable[str]:
    c = study.counts
    yield f"{number(c.managers_shared)} of {counted(c.managers, 'manager')} shared"
    yield f"fund records {c.window}"
    yield "a size missing for the latest fund is not taken from an older one"


def _funds_notes(study: Study) -> Iterable[str]:
    known_of = f"{number(study.counts.funds_sized)} of {counted(study.counts.funds, 'fund')}"
    yield f"fund size in {study.currency} known for {known_of}"
    yield f"to an LP each is {states.REACHABLE}"


def _windows_notes(study: Study) -> Iterable[str]:
    c = study.counts
    managers = counted(c.managers, "manager")
    yield (
        f"{number(c.managers_with_funds)} of {managers} returned records, "
        f"{number(c.managers_empty)} none"
    )
    yield f"no records returned: {states.WINDOWS['no_records_returned']}"


LPS: Final = Listing["Study"](
    "LPs and their managers: {subject}",
    (
        Column("lp_name", "LP"),
        Column("hq_country", "Country"),
        Column("managers", "Managers", "number", null=_UNKNOWN),
        Column("managers_shared", "Shared with another of these LPs", "number", null=_UNKNOWN),
        Column("managers_with_funds", "With fund records", "number", null=_UNKNOWN),
        Column("answer", "Answer", "state"),
        _REASON,
        _LP_ID,
    ),
    lambda study: [
        f"{counted(study.counts.managers, 'distinct manager')}; one backed by two LPs is "
        "counted at both"
    ],
)
BACKING: Final = Listing["Study"](
    "Which manager was returned for which LP",
    (
        Column("lp_name", "LP"),
        Column("manager_name", "Manager"),
        Column("request", "Request that returned it"),
        Column("seen", "Seen", "date"),
        _LP_ID,
        _MANAGER_ID,
    ),
    lambda study: [
        f"{counted(study.counts.lps_with_managers, 'LP')}, "
        f"{counted(study.counts.managers, 'manager')}"
    ],
    figures.backing,
)
MANAGERS: Final = Listing["Study"](
    "Managers: {subject}",
    (
        Column("manager_name", "Manager"),
        Column("hq_country", "Country"),
        Column("lps", "LPs", "number"),
        Column("lp_names", "Backed by"),
        Column("window", "Fund records", "state"),
        Column("funds", "Funds", "number", null=_UNKNOWN),
        Column("latest_fund", "Latest dated fund", null="–"),
        Column("latest_fund_date", "Its date", "date", null="–"),
        Column("latest_fund_size", "Its size", "money"),
        _MANAGER_ID,
    ),
    _managers_notes,
)
SHARED_MANAGERS: Final = dataclasses.replace(MANAGERS, title="Shared managers: {subject}")
FUNDS: Final = Listing["Study"](
    "Funds {study.counts.window} of the managers",
    (
        Column("fund_name", "Fund"),
        Column("manager_name", "Manager"),
        Column("fund_date", "Announced", "date"),
        Column("fund_type", "Type"),
        Column("fund_size", "Fund size", "money"),
        # each in the currency that stands beside it, so the study's is not its unit
        Column("fund_size_native", "As announced", "number"),
        Column("native_currency", "Currency of that"),
        Column("is_closed", "Closed", "flag"),
        Column("source_url", "Announcement"),
        Column("fund_id", "Fund id", "id"),
    ),
    _funds_notes,
    figures.funds,
)
TYPES: Final = Listing["Study"](
    "Funds {study.counts.window} by type",
    (
        Column("fund_type", "Type"),
        Column("funds", "Funds", "number"),
        Column("managers", "Managers", "number"),
        Column("size_known", "With a size", "number"),
        Column("closed", "Closed", "number"),
        Column("not_closed", "Not closed", "number"),
        Column("status_unknown", "Status not reported", "number"),
    ),
    lambda study: [counted(study.counts.funds, "fund")],
)
WINDOWS: Final = Listing["Study"](
    "Fund records {study.counts.window}, by manager",
    (
        Column("manager_name", "Manager"),
        Column("since", "Since", "year", null="any date"),
        Column("window", "Fund records", "state"),
        Column("funds", "Funds", "number", null=_UNKNOWN),
        Column("size_known", "With a size", "number", null=_UNKNOWN),
        _REASON,
        _MANAGER_ID,
    ),
    _windows_notes,
)
COUNTRIES: Final = Listing["Study"](
    "Managers by headquarters country: {subject}",
    (
        Column("hq_country", "Country"),
        Column("managers", "Managers", "number"),
        Column("dated", "With a dated fund", "number"),
        Column("size_known", "Its size known", "number"),
    ),
    lambda study: [
        f"funds {study.counts.window}; of each manager the latest dated fund counts",
        "a missing size stays missing even where an older fund has one",
    ],
    figures.countries,
)
