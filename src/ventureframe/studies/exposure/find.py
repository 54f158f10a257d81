"""What LPs are exposed to: the managers each backs, and the funds those managers raised.

An LP backs a manager where its `lp-funds` answer has the manager; a manager runs a fund where its
`funds` answer has the fund. No record leads from an LP to a fund, so none is made here, and a
fund's size says nothing of what an LP put into it (interface, reading rule 5).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import narwhals as nw
import polars as pl

from ventureframe.evidence.rows import (
    COVERAGE,
    DAY,
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    Frame,
    Rows,
    distinct,
    first_that_holds,
    highest_first,
    known,
    made,
    native,
    recorded,
    taken,
)
from ventureframe.evidence.states import EDGES, Edge
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency
from ventureframe.studies.exposure import tables, words
from ventureframe.studies.exposure.words import Counts


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show about some LPs, the managers they back and those managers' funds.

    Each finding is a table, a frame (`to_polars`, `to_pandas`) and some a figure (`plot`). Frames
    with amounts have a `currency` column; null means that nothing is recorded, never "no" and
    never zero. `frames["fund_links"]` is the evidence behind `funds`, a row per edge: manager_uuid,
    manager_name, fund_id, fund_name, fund_date, fund_size, currency, request, seen.

    Attributes
    ----------
    lps : Finding
        A row per LP: lp_uuid (key), lp_name, website_domain, hq_country, answer (of
        `evidence.WINDOWS`), managers, managers_shared (with another of these LPs),
        managers_with_funds (records in the window), reason (where it could not be asked).
    backing : Finding
        The evidence, a row per LP and manager: lp_uuid, lp_name, manager_uuid, manager_name,
        request (whose answer carries the edge), seen (the day of that answer).
    managers : Finding
        A row per manager, most LPs first: manager_uuid (key), manager_name, website_domain,
        hq_city, hq_country, lps (count), lp_names, window (of `evidence.WINDOWS`), funds (count in
        the window, null where not known), latest_fund, latest_fund_date, latest_fund_type,
        latest_fund_size (of the latest dated fund only: null where that has none), currency.
    shared_managers : Finding
        The rows of `managers` backed by two or more of the LPs.
    funds : Finding
        A row per fund, latest first: fund_id (key), fund_name, manager_uuid, manager_name, managers
        (count), fund_date, fund_type, fund_size (converted), currency, fund_size_native,
        native_currency, is_closed, source_url.
    types : Finding
        A row per fund type: fund_type (null: not recorded), funds, managers, size_known, closed,
        not_closed, status_unknown. Sizes are not added up.
    windows : Finding
        A row per manager: manager_uuid, manager_name, since (year, null: any date), window, funds,
        dated, size_known (counts, null where not known), reason.
    countries : Finding
        A row per headquarters country of the managers, most managers first: hq_country (null: not
        recorded), managers, dated (with a dated fund), size_known (of the latest dated fund).
    """

    currency: Currency
    counts: Counts

    lps = tables.LPS
    backing = tables.BACKING
    managers = tables.MANAGERS
    shared_managers = tables.SHARED_MANAGERS
    funds = tables.FUNDS
    types = tables.TYPES
    windows = tables.WINDOWS
    countries = tables.COUNTRIES

    @property
    def subject(self) -> str:
        """The LPs, by name where they are few."""
        return self.counts.subject

    @property
    def sentence(self) -> str:
        """What the counts of the study say."""
        return words.answer(self.counts)


def find(
    *,
    lps: Frame,
    lp_managers: Frame,
    funds: Frame,
    currency: Currency,
    since: int | None = None,
    asked: Collection[str] | None = None,
    failed: Mapping[str, str] | None = None,
    seen: dt.date | None = None,
) -> Study:
    """The study of some LPs over flat frames of any eager library; nothing is fetched.

    Managers are one row per UUID and funds one per fund id (interface, rules per endpoint, 5); row
    order and repeated rows change nothing.

    Parameters
    ----------
    lps : frame
        uuid, name, website_domain, hq_country of each LP.
    lp_managers : frame
        The managers as the service returns investors, with lp_uuid of the LP they belong to.
    funds : frame
        The funds as the service returns them, with manager_uuid of the manager they belong to.
    currency : {"USD", "EUR", "GBP"}
        The currency of `amount` in `funds`.
    since : int, optional
        The first year of the window that `funds` covers.
    asked : collection of str, optional
        The UUIDs of the managers whose funds were requested; by default all.
    failed : mapping, optional
        Why an LP or a manager could not be asked, by UUID.
    seen : date, optional
        The day of the answers.
    """
    failed = dict(failed or {})
    owners = distinct(lps, _LP, key=["uuid"]).rename({"uuid": "lp_uuid", "name": "lp_name"})
    links = _links(lp_managers, owners, seen)
    backed = _backed(lp_managers, links)
    edges = _fund_links(funds, backed, currency)
    windows = _windows(backed, edges, since, asked, failed)
    managers = _with_latest(backed, windows, edges, currency)
    vehicles = _vehicles(edges)
    owners = _with_counts(owners, links, managers, failed)
    counts = _counts(owners, managers, windows, vehicles, since=since, currency=currency)
    frames = {
        "lps": owners,
        "backing": links.sort("lp_name", "lp_uuid", "manager_name", "manager_uuid"),
        "managers": managers,
        "shared_managers": managers.filter(nw.col("lps") > 1),
        "funds": vehicles,
        "types": _types(vehicles),
        "windows": windows,
        "countries": _countries(managers),
        "fund_links": _evidenced(edges, "manager → fund", "manager_uuid", seen).select(*_FUND_LINK),
        "coverage": _coverage(managers, vehicles),
    }
    return Study(
        currency=currency,
        counts=counts,
        frames=native(frames),
        statements=words.claims(counts),
        limits=words.caveats(counts),
    )


_LP: Final = dict.fromkeys(("uuid", "name", "website_domain", "hq_country"), TEXT)
_MANAGER: Final = dict.fromkeys(("uuid", "name", "website_domain", "hq_city", "hq_country"), TEXT)
_FUND: Final = {
    "manager_uuid": TEXT,
    "id": WHOLE,
    "name": TEXT,
    "fund_date": DAY,
    "fund_type": TEXT,
    "amount": NUMBER,
    "native_amount": NUMBER,
    "native_currency": TEXT,
    "is_closed": FLAG,
    "source_url": TEXT,
}
_FUND_LINK: Final = (
    *("manager_uuid", "manager_name", "fund_id", "fund_name", "fund_date"),
    *("fund_size", "currency", "request", "seen"),
)


def _evidenced(rows: Rows, edge: Edge, owner: str, seen: dt.date | None) -> Rows:
    """The edges with the request whose answer carries each, and its day."""
    before, after = EDGES[edge].split("{uuid}")
    request = nw.concat_str([nw.lit(f"GET {before}"), nw.col(owner), nw.lit(after)])
    return rows.with_columns(request=request, seen=nw.lit(seen, DAY))


def _links(lp_managers: Frame, owners: Rows, seen: dt.date | None) -> Rows:
    """An edge per LP and manager returned for it; nothing else makes one."""
    columns = {"lp_uuid": TEXT, "uuid": TEXT, "name": TEXT}
    rows = distinct(lp_managers, columns, key=["lp_uuid", "uuid"])
    rows = rows.rename({"uuid": "manager_uuid", "name": "manager_name"})
    rows = rows.join(owners.select("lp_uuid", "lp_name"), on="lp_uuid", how="inner")
    rows = rows.select("lp_uuid", "lp_name", "manager_uuid", "manager_name")
    return _evidenced(rows, "LP → manager", "lp_uuid", seen)


def _backed(lp_managers: Frame, links: Rows) -> Rows:
    """A row per manager, however many LPs it was returned for, with those LPs."""
    firms = distinct(lp_managers, _MANAGER, key=["uuid"])
    firms = firms.rename({"uuid": "manager_uuid", "name": "manager_name"})
    named = links.sort("lp_name", "lp_uuid").to_native()
    # narwhals joins no text within a group
    names = named.group_by("manager_uuid").agg(
        pl.len().cast(pl.Int64).alias("lps"), pl.col("lp_name").str.join("; ").alias("lp_names")
    )
    return firms.join(nw.from_native(names, eager_only=True), on="manager_uuid", how="inner")


def _fund_links(funds: Frame, backed: Rows, currency: Currency) -> Rows:
    """An edge per manager and fund returned for it, with the fund as recorded."""
    plain = [name for name in _FUND if not name.startswith("native_")]
    announced = nw.col("amount_source").struct
    rows = taken(funds, *plain, "amount_source").with_columns(
        native_amount=announced.field("amount"), native_currency=announced.field("currency")
    )
    rows = distinct(rows.to_native(), _FUND, key=["manager_uuid", "id"])
    rows = rows.rename({"id": "fund_id", "name": "fund_name", "amount": "fund_size"})
    rows = rows.rename({"native_amount": "fund_size_native"})
    rows = rows.with_columns(currency=nw.lit(currency))
    rows = rows.join(backed.select("manager_uuid", "manager_name"), on="manager_uuid", how="inner")
    return rows.sort(
        *("fund_date", "fund_id", "manager_name", "manager_uuid"),
        descending=[True, True, False, False],
        nulls_last=True,
    )


def _tally(many: str, **recorded_in: str) -> list[nw.Expr]:
    """How many rows each group has, and in how many of them each field is recorded."""
    known_of = [nw.col(field).count().alias(name) for name, field in recorded_in.items()]
    return [count.cast(WHOLE) for count in (nw.len().alias(many), *known_of)]


def _observed(
    rows: Rows,
    seen: Rows,
    failed: Mapping[str, str],
    *,
    state: str,
    asked: Collection[str] | None = None,
) -> Rows:
    """The rows with what each was answered: zero records are a state, and so is no answer.

    `seen` has the counts of those that returned records, by the key of the rows.
    """
    key, *numbers = seen.columns
    why = made([*failed.items()], {key: TEXT, "reason": TEXT})
    rows = rows.join(seen, on=key, how="left").join(why, on=key, how="left")
    is_asked = nw.lit(value=True) if asked is None else nw.col(key).is_in(list(asked))
    cases = [
        (nw.col(numbers[0]) > 0, "records_returned"),
        (~nw.col("reason").is_null(), "could_not_ask"),
        (is_asked, "no_records_returned"),
    ]
    rows = rows.with_columns(first_that_holds(cases, otherwise="not_asked").alias(state))
    none = nw.col(state) == "no_records_returned"
    return rows.with_columns(
        nw.when(none).then(nw.lit(0, WHOLE)).otherwise(nw.col(name)).alias(name) for name in numbers
    )


def _windows(
    backed: Rows,
    edges: Rows,
    since: int | None,
    asked: Collection[str] | None,
    failed: Mapping[str, str],
) -> Rows:
    """A row per manager with what it returned for the window: zero records are a row too."""
    seen = edges.group_by("manager_uuid").agg(
        *_tally("funds", dated="fund_date", size_known="fund_size")
    )
    rows = backed.select("manager_uuid", "manager_name").with_columns(since=nw.lit(since, WHOLE))
    rows = _observed(rows, seen, failed, state="window", asked=asked)
    order = ("manager_uuid", "manager_name", "since", "window")
    rows = rows.select(*order, "funds", "dated", "size_known", "reason")
    return highest_first(rows, "funds", "manager_name", "manager_uuid")


def _with_latest(backed: Rows, windows: Rows, edges: Rows, currency: Currency) -> Rows:
    """The managers with their window and their latest dated fund: of one day the highest id."""
    latest = edges.filter(~nw.col("fund_date").is_null())
    latest = latest.unique(subset=["manager_uuid"], keep="first", maintain_order=True).select(
        "manager_uuid",
        latest_fund="fund_name",
        latest_fund_date="fund_date",
        latest_fund_type="fund_type",
        latest_fund_size="fund_size",
    )
    window = windows.select("manager_uuid", "window", "funds")
    rows = backed.join(window, on="manager_uuid", how="left")
    rows = rows.join(latest, on="manager_uuid", how="left")
    rows = rows.with_columns(currency=nw.lit(currency))
    return highest_first(rows, "lps", "manager_name", "manager_uuid")


def _vehicles(edges: Rows) -> Rows:
    """A row per fund id, latest first, with one of its managers and how many returned it."""
    several = edges.group_by("fund_id").agg(*_tally("managers"))
    rows = edges.unique(subset=["fund_id"], keep="first", maintain_order=True)
    rows = rows.join(several, on="fund_id", how="left").select(
        *("fund_id", "fund_name", "manager_uuid", "manager_name", "managers", "fund_date"),
        *("fund_type", "fund_size", "currency", "fund_size_native", "native_currency"),
        *("is_closed", "source_url"),
    )
    return rows.sort("fund_date", "fund_id", descending=[True, True], nulls_last=True)


def _types(vehicles: Rows) -> Rows:
    """A row per fund type: an unknown status is neither closed nor not closed."""
    is_closed = nw.col("is_closed")
    rows = vehicles.group_by("fund_type", drop_null_keys=False).agg(
        nw.len().cast(WHOLE).alias("funds"),
        nw.col("manager_uuid").n_unique().cast(WHOLE).alias("managers"),
        nw.col("fund_size").count().cast(WHOLE).alias("size_known"),
        is_closed.cast(WHOLE).sum().alias("closed"),
        (~is_closed).cast(WHOLE).sum().alias("not_closed"),
        is_closed.is_null().cast(WHOLE).sum().alias("status_unknown"),
    )
    return highest_first(rows, "funds", "fund_type")


def _countries(managers: Rows) -> Rows:
    """A row per headquarters country; managers without a recorded one are the last row."""
    rows = managers.group_by("hq_country", drop_null_keys=False).agg(
        *_tally("managers", dated="latest_fund_date", size_known="latest_fund_size")
    )
    rows = rows.with_columns(is_unknown=nw.col("hq_country").is_null())
    rows = rows.sort("is_unknown", "managers", "hq_country", descending=[False, True, False])
    return rows.drop("is_unknown")


def _with_counts(owners: Rows, links: Rows, managers: Rows, failed: Mapping[str, str]) -> Rows:
    """The LPs with what each was answered; one without managers keeps its row."""
    facts = managers.select(
        "manager_uuid",
        is_shared=(nw.col("lps") > 1).cast(WHOLE),
        has_funds=(nw.col("window") == "records_returned").cast(WHOLE),
    )
    seen = links.join(facts, on="manager_uuid", how="left").group_by("lp_uuid")
    counts = seen.agg(
        *_tally("managers"),
        nw.col("is_shared").sum().alias("managers_shared"),
        nw.col("has_funds").sum().alias("managers_with_funds"),
    )
    rows = _observed(owners, counts, failed, state="answer")
    order = ("lp_uuid", "lp_name", "website_domain", "hq_country", "answer")
    rows = rows.select(*order, "managers", "managers_shared", "managers_with_funds", "reason")
    return highest_first(rows, "managers", "lp_name", "lp_uuid")


def _counts(
    owners: Rows,
    managers: Rows,
    windows: Rows,
    vehicles: Rows,
    *,
    since: int | None,
    currency: Currency,
) -> Counts:
    def seen(window: str) -> int:
        return int((windows["window"] == window).sum())

    return Counts(
        lp_names=tuple(owners["lp_name"].to_list()[:3]),
        lps=len(owners),
        lps_answered=int((owners["answer"] != "could_not_ask").sum()),
        lps_with_managers=int((owners["managers"] > 0).sum()),
        managers=len(managers),
        managers_shared=int((managers["lps"] > 1).sum()),
        managers_asked=len(windows) - seen("not_asked"),
        managers_with_funds=seen("records_returned"),
        managers_empty=seen("no_records_returned"),
        managers_failed=seen("could_not_ask"),
        funds=len(vehicles),
        funds_dated=recorded(vehicles, "fund_date"),
        funds_sized=recorded(vehicles, "fund_size"),
        funds_typed=recorded(vehicles, "fund_type"),
        funds_with_status=recorded(vehicles, "is_closed"),
        since=since,
        currency=currency,
    )


def _coverage(managers: Rows, vehicles: Rows) -> Rows:
    fund = ("fund_date", "fund_type", "fund_size", "fund_size_native", "is_closed", "source_url")
    latest = managers.filter(~nw.col("latest_fund_date").is_null())
    rows = [
        *known("manager returned", managers, ("website_domain", "hq_city", "hq_country")),
        *known("fund returned", vehicles, fund),
        *known("latest dated fund", latest, ("latest_fund_size",)),
    ]
    return made(rows, COVERAGE)
