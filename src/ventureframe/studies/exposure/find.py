"""What LPs are exposed to: the managers each backs, and the funds of those managers.

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

from ventureframe.evidence import eager as rows
from ventureframe.evidence.eager import Frame, Rows
from ventureframe.evidence.states import EDGES, Edge
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.studies.exposure import tables, words
from ventureframe.studies.exposure.words import Counts


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show about some LPs, the managers they back and those managers' funds.

    Null means that nothing is recorded, never "no" and never zero; states are those of
    `evidence.WINDOWS`. `frames["fund_links"]` is the evidence behind `funds`, a row per edge:
    manager_uuid, manager_name, fund_id, fund_name, fund_date, fund_size, fund_size_state, currency,
    request, seen. `frames["latest_funds"]` has those of the latest date of each manager.

    Attributes
    ----------
    lps : Finding
        A row per LP: lp_uuid (key), lp_name, website_domain, hq_country, answer (state), managers,
        managers_shared (with another of these LPs), managers_with_funds (records in the window),
        reason (where it could not be asked).
    backing : Finding
        The evidence, a row per LP and manager: lp_uuid, lp_name, manager_uuid, manager_name,
        request (whose answer carries the edge), seen (the day of that answer).
    managers, shared_managers : Finding
        A row per manager, most LPs first: manager_uuid (key), manager_name, website_domain,
        hq_city, hq_country, lps (count), lp_names, window (state), funds (count in the window, null
        where not known), latest_funds (how many share the latest date), latest_fund (of several:
        all names), latest_fund_date, latest_fund_type, latest_fund_size (null where several share
        the date), latest_fund_size_state (of `evidence.AMOUNTS`, or "several"), currency. Shared
        are those backed by two or more of the LPs.
    funds : Finding
        A row per fund, latest first: fund_id (key), fund_name, manager_uuid, manager_name, managers
        (count), fund_date, fund_type, fund_size (converted), fund_size_state (of
        `evidence.AMOUNTS`), currency, fund_size_native, native_currency, is_closed, source_url.
    types : Finding
        A row per fund type: fund_type (null: not recorded), funds, managers, size_known,
        not_convertible, closed, not_closed, status_unknown. Sizes are not added up.
    windows : Finding
        A row per manager: manager_uuid, manager_name, since (year, null: any date), window (state),
        funds, dated, size_known, not_convertible (counts, null where not known), reason.
    countries : Finding
        A row per headquarters country of the managers, most managers first: hq_country (null: not
        recorded), managers, dated (with a dated fund), latest_funds (those of the latest date of
        each, several of one day are all counted), size_known, not_convertible (of these).
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
    lps, lp_managers, funds : frame
        LPs, managers and funds as the service returns them; managers with lp_uuid of the LP they
        were returned for, funds with manager_uuid of their manager.
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
    failed = failed or {}
    owners = rows.distinct(lps, _LP, key=["uuid"]).rename({"uuid": "lp_uuid", "name": "lp_name"})
    links = _links(lp_managers, owners, seen)
    backed = _backed(lp_managers, links)
    edges = _fund_links(funds, backed, currency)
    firms = _answered(backed, edges, failed, asked).with_columns(
        since=nw.lit(since, rows.WHOLE), currency=nw.lit(currency)
    )
    managers = _of_managers(firms, backed)
    frames = {
        "lps": _with_counts(owners, links, managers["managers"], failed),
        "backing": links.sort("lp_name", "lp_uuid", "manager_name", "manager_uuid"),
        **managers,
        **_of_funds(edges, backed, managers["managers"], seen),
    }
    counts = _counts(frames, since, currency)
    return Study(
        currency=currency,
        counts=counts,
        frames=rows.native(frames),
        statements=words.claims(counts),
        limits=words.caveats(counts),
    )


def _of_managers(firms: Rows, backed: Rows) -> dict[str, Rows]:
    """The frames with a row per manager."""
    managers = rows.highest_first(firms, "lps", "manager_name", "manager_uuid").select(
        *(*backed.columns, "window", "funds"),
        *("latest_funds", "latest_fund", "latest_fund_date", "latest_fund_type"),
        *("latest_fund_size", "latest_fund_size_state", "currency"),
    )
    windows = rows.highest_first(firms, "funds", "manager_name", "manager_uuid").select(
        *("manager_uuid", "manager_name", "since", "window"),
        *("funds", "dated", "size_known", "not_convertible", "reason"),
    )
    shared = managers.filter(nw.col("lps") > 1)
    return {"managers": managers, "shared_managers": shared, "windows": windows}


def _of_funds(edges: Rows, backed: Rows, managers: Rows, seen: dt.date | None) -> dict[str, Rows]:
    """The frames about funds, and what is counted of them."""
    vehicles, latest = _vehicles(edges), _latest(edges, backed)
    return {
        "funds": vehicles,
        "types": _types(vehicles),
        "latest_funds": latest,
        "countries": _countries(managers, latest),
        "fund_links": _evidenced(edges, "manager → fund", "manager_uuid", seen).select(
            *("manager_uuid", "manager_name", "fund_id", "fund_name", "fund_date"),
            *("fund_size", "fund_size_state", "currency", "request", "seen"),
        ),
        "coverage": _coverage(managers, vehicles, latest),
    }


_LP: Final = rows.typed(fields.INVESTORS, "uuid", "name", "website_domain", "hq_country")
_MANAGER: Final = rows.typed(
    fields.INVESTORS, "uuid", "name", "website_domain", "hq_city", "hq_country"
)
_FUND: Final = {"manager_uuid": rows.TEXT} | rows.typed(
    fields.FUNDS, "id", "name", "fund_date", "fund_type", "amount", "is_closed", "source_url"
)


def _evidenced(found: Rows, edge: Edge, owner: str, seen: dt.date | None) -> Rows:
    before, after = EDGES[edge].split("{uuid}")
    request = nw.concat_str([nw.lit(f"GET {before}"), nw.col(owner), nw.lit(after)])
    return found.with_columns(request=request, seen=nw.lit(seen, rows.DAY))


def _links(lp_managers: Frame, owners: Rows, seen: dt.date | None) -> Rows:
    """An edge per LP and manager returned for it; nothing else makes one."""
    columns = {"lp_uuid": rows.TEXT, "uuid": rows.TEXT, "name": rows.TEXT}
    found = rows.distinct(lp_managers, columns, key=["lp_uuid", "uuid"])
    found = found.join(owners.select("lp_uuid", "lp_name"), on="lp_uuid", how="inner")
    found = found.select("lp_uuid", "lp_name", manager_uuid="uuid", manager_name="name")
    return _evidenced(found, "LP → manager", "lp_uuid", seen)


def _backed(lp_managers: Frame, links: Rows) -> Rows:
    """A row per manager, however many LPs it was returned for, with those LPs."""
    firms = rows.distinct(lp_managers, _MANAGER, key=["uuid"])
    firms = firms.rename({"uuid": "manager_uuid", "name": "manager_name"})
    named = links.sort("lp_name", "lp_uuid").to_native()
    # narwhals joins no text within a group
    names = named.group_by("manager_uuid").agg(
        pl.len().cast(pl.Int64).alias("lps"), pl.col("lp_name").str.join("; ").alias("lp_names")
    )
    return firms.join(nw.from_native(names, eager_only=True), on="manager_uuid", how="inner")


def _fund_links(funds: Frame, backed: Rows, currency: Currency) -> Rows:
    """An edge per manager and fund returned for it, with the fund as recorded."""
    found = rows.announced(funds, _FUND, key=["manager_uuid", "id"])
    found = found.rename({"id": "fund_id", "name": "fund_name", "amount": "fund_size"})
    found = found.rename({"amount_native": "fund_size_native", "amount_state": "fund_size_state"})
    found = found.with_columns(currency=nw.lit(currency))
    found = found.join(
        backed.select("manager_uuid", "manager_name"), on="manager_uuid", how="inner"
    )
    return rows.highest_first(found, ("fund_date", "fund_id"), "manager_name", "manager_uuid")


def _observed(
    found: Rows, seen: Rows, failed: Mapping[str, str], state: str, asked: Collection[str] | None
) -> Rows:
    """The rows with what each was answered, and its counts in `seen`: zero records are a state."""
    key, *numbers = seen.columns
    why = rows.made([*failed.items()], {key: rows.TEXT, "reason": rows.TEXT})
    found = found.join(seen, on=key, how="left").join(why, on=key, how="left")
    is_asked = nw.lit(value=True) if asked is None else nw.col(key).is_in(list(asked))
    # only funds have dates
    is_undated = nw.col("dated") == 0 if "dated" in numbers else nw.lit(value=False)
    cases: list[tuple[nw.Expr, str | int]] = [
        ((nw.col(numbers[0]) > 0) & is_undated, "records_without_a_date"),
        (nw.col(numbers[0]) > 0, "records_returned"),
        (~nw.col("reason").is_null(), "could_not_ask"),
        (is_asked, "no_records_returned"),
    ]
    found = found.with_columns(rows.first_that_holds(cases, otherwise="not_asked").alias(state))
    is_empty = nw.col(state) == "no_records_returned"
    return found.with_columns(
        nw.when(is_empty).then(nw.lit(0, rows.WHOLE)).otherwise(nw.col(name)).alias(name)
        for name in numbers
    )


def _answered(
    backed: Rows, edges: Rows, failed: Mapping[str, str], asked: Collection[str] | None
) -> Rows:
    """The managers with what each returned and its latest fund; of several none is chosen."""
    counts = rows.tally(
        "funds", dated="fund_date", size_known="fund_size", not_convertible=_NOT_CONVERTIBLE
    )
    seen = edges.group_by("manager_uuid").agg(*counts)
    latest = rows.latest(
        _latest(edges, backed).select("manager_uuid", *_SHOWN_OF_LATEST),
        ("manager_uuid", "fund_date"),
        count="latest_funds",
        texts=("fund_name", "fund_type"),
        state="fund_size_state",
    ).select(
        *("manager_uuid", "latest_funds"),
        nw.col("fund_name").alias("latest_fund"),
        nw.col("fund_date", "fund_type", "fund_size", "fund_size_state").name.prefix("latest_"),
    )
    found = _observed(backed, seen, failed, "window", asked)
    return found.join(latest, on="manager_uuid", how="left")


_SHOWN_OF_LATEST: Final = ("fund_name", "fund_date", "fund_type", "fund_size", "fund_size_state")
_NOT_CONVERTIBLE: Final = (nw.col("fund_size_state") == "not_convertible").cast(rows.WHOLE).sum()


def _latest(edges: Rows, backed: Rows) -> Rows:
    """The funds of the latest date of each manager, all of them where several share it."""
    found = edges.filter(nw.col("fund_date") == nw.col("fund_date").max().over("manager_uuid"))
    found = found.join(backed.select("manager_uuid", "hq_country"), on="manager_uuid", how="inner")
    return found.select("manager_uuid", "hq_country", "fund_id", *_SHOWN_OF_LATEST).sort(
        "manager_uuid", "fund_id"
    )


def _vehicles(edges: Rows) -> Rows:
    """A row per fund id, latest first, with one of its managers and how many returned it."""
    several = edges.group_by("fund_id").agg(*rows.tally("managers"))
    found = edges.unique(subset=["fund_id"], keep="first", maintain_order=True)
    found = found.join(several, on="fund_id", how="left").select(
        *("fund_id", "fund_name", "manager_uuid", "manager_name", "managers", "fund_date"),
        *("fund_type", "fund_size", "fund_size_state", "currency"),
        *("fund_size_native", "native_currency", "is_closed", "source_url"),
    )
    return rows.highest_first(found, ("fund_date", "fund_id"))


def _types(vehicles: Rows) -> Rows:
    """A row per fund type: an unknown status is neither closed nor not closed."""
    is_closed = nw.col("is_closed")
    counts = rows.tally(
        "funds",
        managers=nw.col("manager_uuid").n_unique(),
        size_known="fund_size",
        not_convertible=_NOT_CONVERTIBLE,
        closed=is_closed.cast(rows.WHOLE).sum(),
        not_closed=(~is_closed).cast(rows.WHOLE).sum(),
        status_unknown=is_closed.is_null().cast(rows.WHOLE).sum(),
    )
    found = vehicles.group_by("fund_type", drop_null_keys=False).agg(*counts)
    return rows.highest_first(found, "funds", "fund_type")


def _countries(managers: Rows, latest: Rows) -> Rows:
    """A row per headquarters country; managers without a recorded one are the last row."""
    counts = rows.tally("latest_funds", size_known="fund_size", not_convertible=_NOT_CONVERTIBLE)
    sized = latest.group_by("manager_uuid").agg(*counts)
    names = ("latest_funds", "size_known", "not_convertible")
    found = managers.drop("latest_funds").join(sized, on="manager_uuid", how="left")
    found = found.group_by("hq_country", drop_null_keys=False).agg(
        *rows.tally("managers", dated="latest_fund_date"), nw.col(*names).sum()
    )
    unknown = nw.col("hq_country").is_null()
    known_ones = rows.highest_first(found.filter(~unknown), "managers", "hq_country")
    return nw.concat([known_ones, found.filter(unknown)])


_RETURNED: Final = ("records_returned", "records_without_a_date")


def _with_counts(owners: Rows, links: Rows, managers: Rows, failed: Mapping[str, str]) -> Rows:
    """The LPs with what each was answered; one without managers keeps its row."""
    facts = managers.select("manager_uuid", "lps", "window")
    counts = rows.tally(
        "managers",
        managers_shared=(nw.col("lps") > 1).cast(rows.WHOLE).sum(),
        managers_with_funds=nw.col("window").is_in(_RETURNED).cast(rows.WHOLE).sum(),
    )
    seen = links.join(facts, on="manager_uuid", how="left").group_by("lp_uuid").agg(*counts)
    found = _observed(owners, seen, failed, "answer", None).select(
        *("lp_uuid", "lp_name", "website_domain", "hq_country", "answer"),
        *("managers", "managers_shared", "managers_with_funds", "reason"),
    )
    return rows.highest_first(found, "managers", "lp_name", "lp_uuid")


def _counts(frames: Mapping[str, Rows], since: int | None, currency: Currency) -> Counts:
    owners, managers, vehicles = frames["lps"], frames["managers"], frames["funds"]
    seen = managers["window"].to_list()
    return Counts(
        lp_names=tuple(owners["lp_name"].to_list()[:3]),
        lps=len(owners),
        lps_answered=rows.share(owners, nw.col("answer") != "could_not_ask"),
        lps_with_managers=rows.share(owners, nw.col("managers") > 0),
        managers=len(managers),
        managers_shared=rows.share(managers, nw.col("lps") > 1),
        managers_asked=len(seen) - seen.count("not_asked"),
        managers_with_funds=sum(map(seen.count, _RETURNED)),
        managers_undated=seen.count("records_without_a_date"),
        managers_empty=seen.count("no_records_returned"),
        managers_failed=seen.count("could_not_ask"),
        funds=len(vehicles),
        funds_dated=rows.recorded(vehicles, "fund_date"),
        funds_sized=rows.recorded(vehicles, "fund_size"),
        funds_not_convertible=rows.share(vehicles, nw.col("fund_size_state") == "not_convertible"),
        latest_several=rows.share(managers, nw.col("latest_funds") > 1),
        funds_typed=rows.recorded(vehicles, "fund_type"),
        funds_with_status=rows.recorded(vehicles, "is_closed"),
        since=since,
        currency=currency,
    )


def _coverage(managers: Rows, vehicles: Rows, latest: Rows) -> Rows:
    fund = ("fund_date", "fund_type", "fund_size", "fund_size_native", "is_closed", "source_url")
    found = [
        *rows.known("manager returned", managers, ("website_domain", "hq_city", "hq_country")),
        *rows.known("fund returned", vehicles, fund),
        *rows.known("latest dated fund", latest, ("fund_size",)),
    ]
    return rows.made(found, rows.COVERAGE)
