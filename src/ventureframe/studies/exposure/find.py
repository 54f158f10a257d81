"""What LPs are exposed to: the managers each backs, and the funds those managers raised.

An LP backs a manager where its `lp-funds` answer has the manager; a manager runs a fund where its
`funds` answer has the fund. No record leads from an LP to a fund, so none is made here, and a
fund's size says nothing of what an LP put into it (interface, reading rule 5).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import narwhals as nw
import polars as pl

from ventureframe.client import frames
from ventureframe.evidence.findings import EDGES, Edge, Findings, Progress, fetched
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
    given_back,
    known,
    made,
    recorded,
    taken,
)
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import fund
from ventureframe.studies.exposure import words as sentences
from ventureframe.studies.exposure.words import Counts

if TYPE_CHECKING:
    from ventureframe.client.records import Investor
    from ventureframe.client.service import Service


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(Findings):
    """What the records show about some LPs, the managers they back and those managers' funds.

    Every frame is of the library the input was; null means that nothing is recorded.

    Attributes
    ----------
    lps : frame
        A row per LP: lp_uuid (key), lp_name, website_domain, hq_country, answer (of
        `evidence.WINDOWS`), managers, managers_shared (with another of these LPs),
        managers_with_funds (records in the window), reason (where it could not be asked).
    managers : frame
        A row per manager, most LPs first: manager_uuid (key), manager_name, website_domain,
        hq_city, hq_country, lps (count), lp_names, window (of `evidence.WINDOWS`), funds (count in
        the window, null where not known), latest_fund, latest_fund_date, latest_fund_type,
        latest_fund_size_<currency> (of the latest dated fund only: null where that has none).
    shared_managers : frame
        The rows of `managers` backed by two or more of the LPs.
    windows : frame
        A row per manager: manager_uuid, manager_name, since (year, null: any date), window, funds,
        dated, size_known (counts, null where not known), reason.
    funds : frame
        A row per fund, latest first: fund_id (key), fund_name, manager_uuid, manager_name, managers
        (count), fund_date, fund_type, fund_size_<currency> (converted), fund_size_native,
        native_currency, is_closed, source_url.
    types : frame
        A row per fund type: fund_type (null: not recorded), funds, managers, size_known, closed,
        not_closed, status_unknown. Sizes are not added up.
    links, fund_links : frame
        The evidence, a row per edge: lp_uuid, lp_name, manager_uuid, manager_name, request, seen;
        and manager_uuid, manager_name, fund_id, fund_name, fund_date, fund_size_<currency>,
        request, seen. `request` is whose answer carries it, `seen` the day of that answer.
    """

    counts: Counts
    lps: Frame
    managers: Frame
    shared_managers: Frame
    windows: Frame
    funds: Frame
    types: Frame
    links: Frame
    fund_links: Frame

    @property
    def subject(self) -> str:
        """The LPs, by name where they are few."""
        return self.counts.subject

    @property
    def size(self) -> str:
        """The name of the money column."""
        return f"fund_size_{self.currency.lower()}"

    @property
    def sentence(self) -> str:
        """What the counts of the study say."""
        return sentences.answer(self.counts)


def study(
    svc: Service,
    *,
    lps: Sequence[Investor],
    since: int | None = None,
    currency: Currency | None = None,
    at_most: int | None = None,
    library: Literal["polars", "pandas"] = "polars",
    earlier: Study | None = None,
    progress: bool | Progress | None = None,
) -> Study:
    """The study of some LPs: their managers and those managers' funds fetched, then `find`.

    Parameters
    ----------
    svc : Service
        Where to ask.
    lps : sequence of Investor
        The canonical records, from `svc.lp(name, domain=…)`.
    since : int, optional
        The first year of the window; without it funds of any date, also without one.
    currency : {"USD", "EUR", "GBP"}, optional
        The currency of fund sizes; the service's default where not given.
    at_most : int, optional
        How many managers to ask for funds, those backed by most LPs first. One request each; the
        others are "not asked" in `windows`.
    library : {"polars", "pandas"}
        The library of the frames.
    earlier : Study, optional
        What an earlier study fetched about the same ids and without amounts is not asked again.
    progress : bool or function, optional
        Whether a bar is shown, or what is told the rows so far and the total.

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> lp = svc.lp("Prairie Public Employees Fund", domain="prairiefund.example")
    >>> vf.exposure.study(svc, lps=[lp], since=2021).managers
    """
    money = currency or svc.currency
    who = list({lp.uuid: lp for lp in lps}.values())
    backed = fetched(svc.managers_of(who), earlier=earlier, progress=progress)
    in_turn = (
        backed.to_polars().group_by("uuid").len().sort("len", "uuid", descending=[True, False])
    )
    asked: list[str] = in_turn["uuid"].to_list()[:at_most]
    window = () if since is None else (fund.year >= since,)
    raised = svc.funds_of_each(asked).where(*window).currency(money).fetch(progress)
    given: dict[str, Frame] = {
        "lps": pl.DataFrame(
            [(lp.uuid, lp.name, lp.website_domain, lp.hq_country) for lp in who],
            schema=dict.fromkeys(_LP, pl.String),
            orient="row",
        ),
        "lp_managers": backed.to_polars(),
        "funds": raised.to_polars().with_columns(
            pl.col("manager").struct.field("uuid").alias("manager_uuid")
        ),
    }
    if library == "pandas":
        given = {name: frames.to_pandas(frame) for name, frame in given.items()}
    clock = raised.provenance.fetched_at
    found = find(
        **given,
        currency=money,
        since=since,
        asked=asked,
        failed=dict.fromkeys((*backed.missing, *raised.missing), "the service has no such record"),
        seen=svc.source.as_of or (clock.date() if clock else None),
    )
    return found.resting_on(svc.source, backed, raised)


_LP: Final = ("uuid", "name", "website_domain", "hq_country")
_MANAGER: Final = ("uuid", "name", "website_domain", "hq_city", "hq_country")
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
    """The study of some LPs over flat frames, all polars or all pandas; nothing is fetched.

    Managers are one row per UUID and funds one per fund id (interface, rules per endpoint, 5); row
    order and repeated rows change nothing.

    Parameters
    ----------
    lps : frame
        uuid, name, website_domain, hq_country of each LP asked about.
    lp_managers : frame
        The managers returned as the service returns investors, with lp_uuid of the LP asked.
    funds : frame
        The funds returned as the service returns them, with manager_uuid of the manager asked.
    currency : {"USD", "EUR", "GBP"}
        The currency the funds were asked in.
    since : int, optional
        The first year asked for.
    asked : collection of str, optional
        The managers asked for funds; by default all.
    failed : mapping, optional
        Why an LP or a manager could not be asked, by UUID.
    seen : date, optional
        The day of the answers.
    """
    size, failed = f"fund_size_{currency.lower()}", dict(failed or {})
    owners = distinct(lps, dict.fromkeys(_LP, TEXT), key=["uuid"])
    owners = owners.rename({"uuid": "lp_uuid", "name": "lp_name"})
    links = _links(lp_managers, owners, seen)
    backed = _backed(lp_managers, links)
    edges = _fund_links(funds, backed, size=size)
    windows = _windows(backed, edges, since=since, asked=asked, failed=failed, size=size)
    managers = _with_latest(backed, windows, edges, size=size)
    vehicles = _vehicles(edges, size=size)
    shared = managers.filter(nw.col("lps") > 1)
    owners = _with_counts(owners, links, managers, failed)
    counts = _counts(owners, managers, windows, vehicles, since=since, currency=currency, size=size)
    links = links.sort("lp_name", "lp_uuid", "manager_name", "manager_uuid")
    edges = _evidenced(edges, "manager → fund", "manager_uuid", seen)
    give = given_back(like=lps)
    return Study(
        currency=currency,
        counts=counts,
        lps=give(owners),
        managers=give(managers),
        shared_managers=give(shared),
        windows=give(windows),
        funds=give(vehicles),
        types=give(_types(vehicles, size=size)),
        links=give(links),
        fund_links=give(edges.select(*_EDGE, size, "request", "seen")),
        coverage=give(_coverage(managers, vehicles, size=size)),
        claims=sentences.claims(counts),
        caveats=sentences.caveats(counts),
    )


_EDGE: Final = ("manager_uuid", "manager_name", "fund_id", "fund_name", "fund_date")


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
    rows = _evidenced(rows, "LP → manager", "lp_uuid", seen)
    order = ("lp_uuid", "lp_name", "manager_uuid", "manager_name", "request", "seen")
    return rows.select(*order)


def _backed(lp_managers: Frame, links: Rows) -> Rows:
    """A row per manager, however many LPs it was returned for, with those LPs."""
    firms = distinct(lp_managers, dict.fromkeys(_MANAGER, TEXT), key=["uuid"])
    firms = firms.rename({"uuid": "manager_uuid", "name": "manager_name"})
    named = links.sort("lp_name", "lp_uuid").to_native()
    # narwhals joins no text within a group
    names = named.group_by("manager_uuid").agg(
        pl.len().cast(pl.Int64).alias("lps"), pl.col("lp_name").str.join("; ").alias("lp_names")
    )
    return firms.join(nw.from_native(names, eager_only=True), on="manager_uuid", how="inner")


def _fund_links(funds: Frame, backed: Rows, *, size: str) -> Rows:
    """An edge per manager and fund returned for it, with the fund as recorded."""
    plain = [name for name in _FUND if not name.startswith("native_")]
    rows = taken(funds, *plain, "amount_source")
    native = nw.col("amount_source").struct
    rows = rows.with_columns(
        native_amount=native.field("amount"), native_currency=native.field("currency")
    )
    rows = distinct(rows.to_native(), _FUND, key=["manager_uuid", "id"])
    rows = rows.rename({"id": "fund_id", "name": "fund_name", "amount": size})
    rows = rows.rename({"native_amount": "fund_size_native"})
    rows = rows.join(backed.select("manager_uuid", "manager_name"), on="manager_uuid", how="inner")
    return rows.sort(
        "fund_date",
        "fund_id",
        "manager_name",
        "manager_uuid",
        descending=[True, True, False, False],
        nulls_last=True,
    )


def _windows(
    backed: Rows,
    edges: Rows,
    *,
    since: int | None,
    asked: Collection[str] | None,
    failed: Mapping[str, str],
    size: str,
) -> Rows:
    """A row per manager with what its window gave: zero records are a row too."""
    seen = edges.group_by("manager_uuid").agg(
        nw.len().cast(WHOLE).alias("funds"),
        nw.col("fund_date").count().cast(WHOLE).alias("dated"),
        nw.col(size).count().cast(WHOLE).alias("size_known"),
    )
    why = made([*failed.items()], {"manager_uuid": TEXT, "reason": TEXT})
    rows = backed.select("manager_uuid", "manager_name")
    rows = rows.join(seen, on="manager_uuid", how="left").join(why, on="manager_uuid", how="left")
    is_asked = nw.lit(value=True) if asked is None else nw.col("manager_uuid").is_in(list(asked))
    cases = [
        (nw.col("funds") > 0, "records_returned"),
        (~nw.col("reason").is_null(), "could_not_ask"),
        (is_asked, "no_records_returned"),
    ]
    rows = rows.with_columns(
        since=nw.lit(since, WHOLE), window=first_that_holds(cases, otherwise="not_asked")
    )
    none = nw.col("window") == "no_records_returned"
    rows = rows.with_columns(
        nw.when(none).then(nw.lit(0, WHOLE)).otherwise(nw.col(name)).alias(name)
        for name in ("funds", "dated", "size_known")
    )
    order = ("manager_uuid", "manager_name", "since", "window")
    rows = rows.select(*order, "funds", "dated", "size_known", "reason")
    return rows.sort(
        "funds", "manager_name", "manager_uuid", descending=[True, False, False], nulls_last=True
    )


def _with_latest(backed: Rows, windows: Rows, edges: Rows, *, size: str) -> Rows:
    """The managers with their window and their latest dated fund: of one day the highest id."""
    latest = edges.filter(~nw.col("fund_date").is_null())
    latest = latest.unique(subset=["manager_uuid"], keep="first", maintain_order=True).select(
        "manager_uuid",
        latest_fund="fund_name",
        latest_fund_date="fund_date",
        latest_fund_type="fund_type",
        **{f"latest_{size}": size},
    )
    rows = backed.join(
        windows.select("manager_uuid", "window", "funds"), on="manager_uuid", how="left"
    )
    rows = rows.join(latest, on="manager_uuid", how="left")
    return rows.sort("lps", "manager_name", "manager_uuid", descending=[True, False, False])


def _vehicles(edges: Rows, *, size: str) -> Rows:
    """A row per fund id, latest first, with one of its managers and how many returned it."""
    several = edges.group_by("fund_id").agg(nw.len().cast(WHOLE).alias("managers"))
    rows = edges.unique(subset=["fund_id"], keep="first", maintain_order=True)
    rows = rows.join(several, on="fund_id", how="left")
    order = ("fund_id", "fund_name", "manager_uuid", "manager_name", "managers", "fund_date")
    rows = rows.select(
        *order, "fund_type", size, "fund_size_native", "native_currency", "is_closed", "source_url"
    )
    return rows.sort("fund_date", "fund_id", descending=[True, True], nulls_last=True)


def _types(vehicles: Rows, *, size: str) -> Rows:
    rows = vehicles.group_by("fund_type", drop_null_keys=False).agg(
        nw.len().cast(WHOLE).alias("funds"),
        nw.col("manager_uuid").n_unique().cast(WHOLE).alias("managers"),
        nw.col(size).count().cast(WHOLE).alias("size_known"),
        nw.col("is_closed").cast(WHOLE).sum().alias("closed"),
        nw.col("is_closed").count().cast(WHOLE).alias("status_known"),
    )
    rows = rows.with_columns(
        not_closed=nw.col("status_known") - nw.col("closed"),
        status_unknown=nw.col("funds") - nw.col("status_known"),
    )
    order = ("fund_type", "funds", "managers", "size_known")
    rows = rows.select(*order, "closed", "not_closed", "status_unknown")
    return rows.sort("funds", "fund_type", descending=[True, False], nulls_last=True)


def _with_counts(owners: Rows, links: Rows, managers: Rows, failed: Mapping[str, str]) -> Rows:
    """The LPs with what each was answered; one without managers keeps its row."""
    facts = managers.select(
        "manager_uuid",
        is_shared=(nw.col("lps") > 1).cast(WHOLE),
        has_funds=(nw.col("window") == "records_returned").cast(WHOLE),
    )
    seen = (
        links.join(facts, on="manager_uuid", how="left")
        .group_by("lp_uuid")
        .agg(
            nw.len().cast(WHOLE).alias("managers"),
            nw.col("is_shared").sum().alias("managers_shared"),
            nw.col("has_funds").sum().alias("managers_with_funds"),
        )
    )
    why = made([*failed.items()], {"lp_uuid": TEXT, "reason": TEXT})
    rows = owners.join(seen, on="lp_uuid", how="left").join(why, on="lp_uuid", how="left")
    cases = [
        (nw.col("managers") > 0, "records_returned"),
        (~nw.col("reason").is_null(), "could_not_ask"),
    ]
    rows = rows.with_columns(answer=first_that_holds(cases, otherwise="no_records_returned"))
    none = nw.col("answer") == "no_records_returned"
    numbers = ("managers", "managers_shared", "managers_with_funds")
    rows = rows.with_columns(
        nw.when(none).then(nw.lit(0, WHOLE)).otherwise(nw.col(name)).alias(name) for name in numbers
    )
    order = ("lp_uuid", "lp_name", "website_domain", "hq_country", "answer")
    return rows.select(*order, *numbers, "reason").sort(
        "managers", "lp_name", "lp_uuid", descending=[True, False, False], nulls_last=True
    )


def _counts(
    owners: Rows,
    managers: Rows,
    windows: Rows,
    vehicles: Rows,
    *,
    since: int | None,
    currency: Currency,
    size: str,
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
        funds_sized=recorded(vehicles, size),
        funds_typed=recorded(vehicles, "fund_type"),
        funds_with_status=recorded(vehicles, "is_closed"),
        since=since,
        currency=currency,
    )


def _coverage(managers: Rows, vehicles: Rows, *, size: str) -> Rows:
    fund_fields = ("fund_date", "fund_type", size, "fund_size_native", "is_closed", "source_url")
    latest = managers.filter(~nw.col("latest_fund_date").is_null())
    rows = [
        *known("manager returned", managers, ("website_domain", "hq_city", "hq_country")),
        *known("fund returned", vehicles, fund_fields),
        *known("latest dated fund", latest, (f"latest_{size}",)),
    ]
    return made(rows, COVERAGE)
