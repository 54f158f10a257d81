"""How each finding about some LPs is listed: LP to manager, manager to fund, never LP to fund."""

from collections.abc import Iterator
from typing import Any, Final

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import NOT_REPORTED
from ventureframe.evidence.claims import REACHABLE, WINDOWS
from ventureframe.evidence.rates import rate_day

NOT_FILLED: Final = "a missing size stays missing even where an older fund has one"

_FIGURES: Final = "ventureframe.studies.exposure.figures:"
_UNKNOWN: Final = "not known"
_LP_ID, _MANAGER_ID = columns("id", lp_uuid="LP UUID", manager_uuid="Manager UUID")
_LP, _MANAGER, _COUNTRY = columns(
    "text", lp_name="LP", manager_name="Manager", hq_country="Country"
)
_REASON: Final = Column("reason", "Could not ask because", null="–")
_OF_FUNDS: Final = (
    *columns("number", funds="Funds", managers="Managers", size_known="With a size"),
    Column("not_convertible", "Size not convertible", "number"),
)


def _sized(name: str, label: str, *, null: str = NOT_REPORTED, meaning: str = "") -> Column:
    """A column of sizes that says of each missing one whether it is reported."""
    return Column(name, label, "money", null=null, null_by=f"{name}_state", meaning=meaning)


def _of_managers(study: Any) -> Iterator[str]:
    """How many managers are shared and returned records, and what the states of these mean."""
    c = study.counts
    yield f"{c.managers_shared} of {c.managers:manager} shared"
    yield f"fund records {c.window}"
    yield (
        f"{c.managers_with_funds} of {c.managers:manager} returned records, {c.managers_empty} none"
    )
    if c.managers_undated:
        yield f"records without a date: {WINDOWS['records_without_a_date']}"
    yield f"no records returned: {WINDOWS['no_records_returned']}"
    yield "a size missing for the latest fund is not taken from an older one"
    if c.latest_several:
        yield f"several: {c.latest_several:manager} with several funds of the latest date"
    yield rate_day(study.source, "funds")


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
        *(Column("answer", "Answer", "state", meaning="of evidence.WINDOWS"), _REASON, _LP_ID),
    ),
    lambda study: [
        f"{study.counts.managers:distinct manager}; one backed by two LPs is counted at both"
    ],
    meaning="A row per LP; the frame also has website_domain.",
)
BACKING: Final = Exhibit(
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
MANAGERS: Final = Exhibit(
    "Managers: {subject}",
    (
        *(_MANAGER, _COUNTRY),
        Column("lps", "LPs", "number"),
        Column("lp_names", "Backed by"),
        *columns("number", null=_UNKNOWN, funds="Funds", size_known="With a size"),
        Column("latest_fund", "Latest dated fund", null="–", meaning="of several all names"),
        Column("latest_fund_date", "Its date", "date", null="–"),
        _sized("latest_fund_size", "Its size", null="–", meaning="null where several share it"),
        *(Column("window", "Fund records", "state", meaning="of evidence.WINDOWS"), _REASON),
        _MANAGER_ID,
    ),
    _of_managers,
    meaning=(
        "A row per manager, most LPs first. The frame also has website_domain and hq_city; dated "
        "and not_convertible (counts of funds); latest_funds (how many share the latest date), "
        "latest_fund_type and latest_fund_size_state (of evidence.AMOUNTS, or several)."
    ),
)
OVERLAP: Final = Exhibit(
    "Managers that two LPs share: {subject}",
    (
        *(_LP, Column("other_lp_name", "And")),
        Column("shared", "Managers of both", "number", null=_UNKNOWN),
        *columns("id", lp_uuid="LP UUID", other_lp_uuid="Other LP UUID"),
    ),
    lambda _: ["0: no manager was returned for both, not evidence against it"],
    f"{_FIGURES}overlap",
    meaning="A row per pair of LPs, most shared managers first.",
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
        f"fund size in {study.currency} {study.counts.sized}",
        rate_day(study.source, "funds"),
        f"to an LP each is {REACHABLE}",
    ],
    f"{_FIGURES}funds",
    meaning=(
        "A row per fund, latest first, with one of its managers. The frame also has managers (how "
        "many returned it) and fund_size_state (of evidence.AMOUNTS)."
    ),
)
TYPES: Final = Exhibit(
    "Funds {study.counts.window} by type",
    (
        Column("fund_type", "Type"),
        *_OF_FUNDS,
        *columns("number", closed="Closed", not_closed="Not closed"),
        Column("status_unknown", "Status not reported", "number"),
    ),
    lambda study: [f"{study.counts.funds:fund}"],
    meaning="A row per fund type. Sizes are not added up.",
)
VINTAGES: Final = Exhibit(
    "Funds {study.counts.window} by year",
    (Column("year", "Year announced", "year", null="no date"), *_OF_FUNDS),
    lambda study: [
        f"{study.counts.funds:fund}",
        "0: no fund returned for the year; the last year can be partial",
    ],
    f"{_FIGURES}vintages",
    meaning="A row per year from the first to the last dated fund, and one for no date.",
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
        NOT_FILLED,
        rate_day(study.source, "funds"),
    ],
    f"{_FIGURES}countries",
    meaning="A row per country, most managers first.",
)
