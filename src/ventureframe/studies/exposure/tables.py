"""The tables of a study of LPs: LP to manager, manager to fund, and never LP to fund."""

from __future__ import annotations

from ventureframe.display.table import Column, Table
from ventureframe.display.wording import caption, counted, number
from ventureframe.evidence.findings import REACHABLE, WINDOWS
from ventureframe.evidence.rows import Frame
from ventureframe.studies.exposure.find import Study

_UNKNOWN = "not known"


def lps(study: Study) -> Table:
    """Each LP with the managers recorded for it; one without any keeps its row."""
    return Table.of(
        study.lps,
        Column("lp_name", "LP"),
        Column("hq_country", "Country"),
        Column("managers", "Managers", "number", null=_UNKNOWN),
        Column("managers_shared", "Shared with another of these LPs", "number", null=_UNKNOWN),
        Column("managers_with_funds", "With fund records", "number", null=_UNKNOWN),
        Column("answer", "Answer", "state"),
        Column("reason", "Could not ask because", null="–"),
        Column("lp_uuid", "LP UUID", "id"),
        title=f"LPs and their managers: {study.subject}",
        caption=caption(
            f"{counted(study.counts.managers, 'distinct manager')}; one backed by two LPs is "
            "counted at both",
            source=study.source,
        ),
    )


def managers(study: Study) -> Table:
    """Each manager once, with the LPs it was returned for and its latest dated fund."""
    return _managers(study, study.managers, f"Managers: {study.subject}")


def shared_managers(study: Study) -> Table:
    """The managers backed by two or more of the LPs."""
    return _managers(study, study.shared_managers, f"Shared managers: {study.subject}")


def _managers(study: Study, frame: Frame, title: str) -> Table:
    c = study.counts
    return Table.of(
        frame,
        Column("manager_name", "Manager"),
        Column("hq_country", "Country"),
        Column("lps", "LPs", "number"),
        Column("lp_names", "Backed by"),
        Column("window", "Fund records", "state"),
        Column("funds", "Funds", "number", null=_UNKNOWN),
        Column("latest_fund", "Latest dated fund", null="–"),
        Column("latest_fund_date", "Its date", "date", null="–"),
        Column(f"latest_{study.size}", "Its size", "money", study.currency),
        Column("manager_uuid", "Manager UUID", "id"),
        title=title,
        caption=caption(
            f"{number(c.managers_shared)} of {counted(c.managers, 'manager')} shared",
            f"fund records {c.window}",
            "a size missing for the latest fund is not taken from an older one",
            source=study.source,
        ),
    )


def windows(study: Study) -> Table:
    """What each manager answered for the window: zero records is a row, and is no "no"."""
    c = study.counts
    return Table.of(
        study.windows,
        Column("manager_name", "Manager"),
        Column("since", "Since", "year", null="any date"),
        Column("window", "Fund records", "state"),
        Column("funds", "Funds", "number", null=_UNKNOWN),
        Column("size_known", "With a size", "number", null=_UNKNOWN),
        Column("reason", "Could not ask because", null="–"),
        Column("manager_uuid", "Manager UUID", "id"),
        title=f"Fund records {c.window}, by manager",
        caption=caption(
            f"{number(c.managers_with_funds)} of {counted(c.managers, 'manager')} returned "
            f"records, {number(c.managers_empty)} none",
            f"no records returned: {WINDOWS['no_records_returned']}",
            source=study.source,
        ),
    )


def funds(study: Study) -> Table:
    """Each fund returned once, latest first, with its manager; no LP stands beside it."""
    c = study.counts
    return Table.of(
        study.funds,
        Column("fund_name", "Fund"),
        Column("manager_name", "Manager"),
        Column("fund_date", "Announced", "date"),
        Column("fund_type", "Type"),
        Column(study.size, "Fund size", "money", study.currency),
        Column("fund_size_native", "As announced", "money"),
        Column("native_currency", "Currency of that"),
        Column("is_closed", "Closed", "flag"),
        Column("source_url", "Announcement"),
        Column("fund_id", "Fund id", "id"),
        title=f"Funds {c.window} of the managers",
        caption=caption(
            f"fund size in {study.currency} known for {number(c.funds_sized)} of "
            f"{counted(c.funds, 'fund')}",
            f"to an LP each is {REACHABLE}",
            source=study.source,
        ),
    )


def fund_types(study: Study) -> Table:
    """How many funds of each type, with a size and with a closed status; sizes are not added."""
    return Table.of(
        study.types,
        Column("fund_type", "Type"),
        Column("funds", "Funds", "number"),
        Column("managers", "Managers", "number"),
        Column("size_known", "With a size", "number"),
        Column("closed", "Closed", "number"),
        Column("not_closed", "Not closed", "number"),
        Column("status_unknown", "Status not reported", "number"),
        title=f"Funds {study.counts.window} by type",
        caption=caption(counted(study.counts.funds, "fund"), source=study.source),
    )


def backing(study: Study) -> Table:
    """The evidence: a row per LP and manager, with the request whose answer carries it."""
    return Table.of(
        study.links,
        Column("lp_name", "LP"),
        Column("manager_name", "Manager"),
        Column("request", "Request that returned it"),
        Column("seen", "Seen", "date"),
        Column("lp_uuid", "LP UUID", "id"),
        Column("manager_uuid", "Manager UUID", "id"),
        title="Which manager was returned for which LP",
        caption=caption(
            f"{counted(study.counts.lps_with_managers, 'LP')}, "
            f"{counted(study.counts.managers, 'manager')}",
            source=study.source,
        ),
    )
