"""How each finding about some LPs is listed: LP to manager, manager to fund, never LP to fund."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import NOT_REPORTED, counted, number
from ventureframe.evidence import states
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.exposure import words

if TYPE_CHECKING:
    from ventureframe.studies.exposure.find import Study

_UNKNOWN: Final = "not known"
_LP_ID, _MANAGER_ID = columns("id", lp_uuid="LP UUID", manager_uuid="Manager UUID")
_LP, _MANAGER, _COUNTRY = columns(
    "text", lp_name="LP", manager_name="Manager", hq_country="Country"
)
_WINDOW: Final = Column("window", "Fund records", "state")
_REASON: Final = Column("reason", "Could not ask because", null="–")


def _answers(study: Study) -> Iterable[str | None]:
    c = study.counts
    returned = f"{number(c.managers_with_funds)} of {counted(c.managers, 'manager')} returned"
    yield f"{returned} records, {number(c.managers_empty)} none"
    undated = states.WINDOWS["records_without_a_date"]
    yield f"records without a date: {undated}" if c.managers_undated else None
    yield f"no records returned: {states.WINDOWS['no_records_returned']}"


def _sized(name: str, label: str, *, null: str = NOT_REPORTED) -> Column:
    """A column of sizes that says of each missing one whether it is reported."""
    return Column(name, label, "money", null=null, null_by=f"{name}_state")


LPS: Final = Exhibit(
    "LPs and their managers: {subject}",
    (
        *(_LP, _COUNTRY),
        *columns(
            "number",
            null=_UNKNOWN,
            managers="Managers",
            managers_shared="Shared with another of these LPs",
            managers_with_funds="With fund records",
        ),
        *(Column("answer", "Answer", "state"), _REASON, _LP_ID),
    ),
    lambda study: [
        f"{counted(study.counts.managers, 'distinct manager')}; one backed by two LPs is "
        "counted at both"
    ],
)
BACKING: Final = Exhibit(
    "Which manager was returned for which LP",
    (
        *(_LP, _MANAGER, Column("seen", "Seen", "date")),
        # a path with the ids in it: folded with them, and in the row that is opened
        *(Column("request", "Request that returned it", "id"), _LP_ID, _MANAGER_ID),
    ),
    lambda study: [
        f"{counted(study.counts.lps_with_managers, 'LP')}, "
        f"{counted(study.counts.managers, 'manager')}"
    ],
    "ventureframe.studies.exposure.figures:backing",
)
MANAGERS: Final = Exhibit(
    "Managers: {subject}",
    (
        *(_MANAGER, _COUNTRY),
        Column("lps", "LPs", "number"),
        Column("lp_names", "Backed by"),
        *columns("number", null=_UNKNOWN, funds="Funds", size_known="With a size"),
        Column("latest_fund", "Latest dated fund", null="–"),
        Column("latest_fund_date", "Its date", "date", null="–"),
        _sized("latest_fund_size", "Its size", null="–"),
        *(_WINDOW, _REASON, _MANAGER_ID),
    ),
    lambda study: [
        f"{number(study.counts.managers_shared)} of {counted(study.counts.managers, 'manager')} "
        "shared",
        f"fund records {study.counts.window}",
        *_answers(study),
        "a size missing for the latest fund is not taken from an older one",
        f"several: {counted(study.counts.latest_several, 'manager')} with several funds of the "
        "latest date"
        if study.counts.latest_several
        else None,
        rate_day(study.source, "funds"),
    ],
)
OVERLAP: Final = Exhibit(
    "Managers that two LPs share: {subject}",
    (
        *(_LP, Column("other_lp_name", "And")),
        Column("shared", "Managers of both", "number", null=_UNKNOWN),
        *columns("id", lp_uuid="LP UUID", other_lp_uuid="Other LP UUID"),
    ),
    lambda _: ["0: no manager was returned for both, not evidence against it"],
    "ventureframe.studies.exposure.figures:overlap",
)
FUNDS: Final = Exhibit(
    "Funds {study.counts.window} of the managers",
    (
        *(Column("fund_name", "Fund"), _sized("fund_size", "Fund size"), _MANAGER),
        Column("fund_date", "Announced", "date"),
        Column("fund_type", "Type"),
        # each in the currency that stands beside it, so the study's is not its unit
        Column("fund_size_native", "As announced", "native"),
        Column("native_currency", "Currency of that"),
        Column("is_closed", "Closed", "flag"),
        Column("source_url", "Announcement", "link"),
        *(Column("fund_id", "Fund id", "id"), _MANAGER_ID),
    ),
    lambda study: [
        f"fund size in {study.currency} {words.sized(study.counts)}",
        rate_day(study.source, "funds"),
        f"to an LP each is {states.REACHABLE}",
    ],
    "ventureframe.studies.exposure.figures:funds",
)
TYPES: Final = Exhibit(
    "Funds {study.counts.window} by type",
    (
        Column("fund_type", "Type"),
        *columns("number", funds="Funds", managers="Managers", size_known="With a size"),
        *columns(
            "number",
            not_convertible="Size not convertible",
            closed="Closed",
            not_closed="Not closed",
        ),
        Column("status_unknown", "Status not reported", "number"),
    ),
    lambda study: [counted(study.counts.funds, "fund")],
)
VINTAGES: Final = Exhibit(
    "Funds {study.counts.window} by year",
    (
        Column("year", "Year announced", "year", null="no date"),
        *columns("number", funds="Funds", managers="Managers", size_known="With a size"),
        Column("not_convertible", "Size not convertible", "number"),
    ),
    lambda study: [
        counted(study.counts.funds, "fund"),
        "0: no fund returned for the year; the last year can be partial",
    ],
    "ventureframe.studies.exposure.figures:vintages",
)
COUNTRIES: Final = Exhibit(
    "Managers by headquarters country: {subject}",
    (
        _COUNTRY,
        *columns("number", managers="Managers", dated="With a dated fund"),
        *columns("number", latest_funds="Latest dated funds", size_known="With a size"),
        Column("not_convertible", "Size not convertible", "number"),
    ),
    lambda study: [
        f"funds {study.counts.window}; of each manager the latest dated fund counts, several "
        "of one day all count",
        words.NOT_FILLED,
        rate_day(study.source, "funds"),
    ],
    "ventureframe.studies.exposure.figures:countries",
)
