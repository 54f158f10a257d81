"""What LPs are exposed to: the managers each backs, and the funds of those managers.

An LP backs a manager where its `lp-funds` answer has the manager; a manager runs a fund where its
`funds` answer has the fund. No record leads from an LP to a fund, so none is made here, and a
fund's size says nothing of what an LP put into it (interface, reading rule 5).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import narwhals as nw
import polars as pl

from ventureframe.evidence import engine_rows as rows
from ventureframe.evidence import rates
from ventureframe.evidence.engine_rows import Frame, Rows
from ventureframe.evidence.states import EDGES, Edge
from ventureframe.evidence.study import Study as _Study
from ventureframe.evidence.study import not_held
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin
from ventureframe.studies.exposure import tables, words
from ventureframe.studies.exposure.overlap import largest, most_shared, overlap
from ventureframe.studies.exposure.words import Counts


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show about some LPs, the managers they back and those managers' funds.

    Null means that nothing is recorded, never "no" and never zero; states are those of
    `evidence.WINDOWS`. `frames["fund_links"]` is the evidence behind `funds`, a row per edge:
    manager_uuid, manager_name, fund_id, fund_name, fund_date, fund_size, fund_size_state, currency,
    source_url, request, seen. `frames["latest_funds"]` has those of each manager's latest date.

    Attributes
    ----------
    lps : Finding
        A row per LP: lp_uuid (key), lp_name, website_domain, hq_country, answer (state), managers,
        managers_shared (with another of these LPs), managers_with_funds (records in the window),
        reason (where it could not be asked).
    backing : Finding
        The evidence, a row per LP and manager: lp_uuid, lp_name, manager_uuid, manager_name,
        request (whose answer carries the edge), seen (the day of that answer).
    managers : Finding
        A row per manager, most LPs first: manager_uuid (key), manager_name, website_domain,
        hq_city, hq_country, lps (count), lp_names, window (state), funds, dated, size_known,
        not_convertible (counts in the window, null where not known), latest_funds (how many share
        the latest date), latest_fund (of several: all names), latest_fund_date, latest_fund_type,
        latest_fund_size (null where several share the date), latest_fund_size_state (of
        `evidence.AMOUNTS`, or "several"), currency, reason (where it could not be asked).
    overlap : Finding
        A row per pair of LPs, most shared managers first: lp_uuid, lp_name, other_lp_uuid,
        other_lp_name, shared (managers returned for both; null where one could not be asked).
    funds : Finding
        A row per fund, latest first: fund_id (key), fund_name, manager_uuid, manager_name, managers
        (count), fund_date, fund_type, fund_size (converted), fund_size_state (of
        `evidence.AMOUNTS`), currency, fund_size_native, native_currency, is_closed, source_url.
    types : Finding
        A row per fund type: fund_type (null: not recorded), funds, managers, size_known,
        not_convertible, closed, not_closed, status_unknown. Sizes are not added up.
    vintages : Finding
        A row per year from the first to the last dated fund, also those without any, and one with
        null for funds without a date: year, funds, managers, size_known, not_convertible (counts).
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
    overlap = tables.OVERLAP
    funds = tables.FUNDS
    types = tables.TYPES
    vintages = tables.VINTAGES
    countries = tables.COUNTRIES

    name = "exposure"
    about = "managers and their funds"


def find(
    *,
    lps: Frame,
    lp_managers: Frame,
    funds: Frame,
    currency: Currency,
    since: int | None = None,
    asked: Collection[str] | None = None,
    failed: Mapping[str, str] = MappingProxyType({}),
    seen: dt.date | None = None,
    origin: Origin | None = None,
    **others: Frame,
) -> Study:
    """The study of some LPs over flat frames of any library or engine; nothing is fetched.

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
    origin : Origin, optional
        Says that the frames are whole collections, as `bulk.open` gives them; `lps` can be some of
        its LPs. Funds before `since` are left out, and sizes are converted as the service does.
    others : frame
        Further frames of the dataset, which are not read.
    """
    rows.refuse_strangers(others)
    owners = rows.distinct(lps, _LP, key=["uuid"]).rename({"uuid": "lp_uuid", "name": "lp_name"})
    source = None if origin is None else origin.source
    if origin is not None:
        seen, funds = seen or origin.source.as_of, rates.amounts(funds, currency)
        if since is not None:
            dated = rows.lazy(funds).filter(nw.col("fund_date").dt.year() >= since)
            funds = dated.to_native()
    links = rows.keep(_links(lp_managers, owners, seen))
    backed = rows.keep(_backed(lp_managers, links))
    edges = rows.keep(_fund_links(funds, backed, currency))
    latest = rows.keep(_latest(edges, backed))
    firms = _answered(backed, edges, latest, failed, asked).with_columns(currency=nw.lit(currency))
    firms, vehicles = rows.keep(firms), rows.keep(_vehicles(edges))
    asked_lps = rows.collected(_with_counts(owners, links, firms, failed))
    frames = rows.findings(
        {
            "lps": asked_lps,
            "overlap": overlap(links, asked_lps),
            "vintages": _vintages(vehicles),
            "backing": links.sort("lp_name", "lp_uuid", "manager_name", "manager_uuid"),
            "managers": _managers(firms),
            "funds": rows.highest_first(vehicles, ("fund_date", "fund_id")),
            "types": _types(vehicles),
            "latest_funds": latest.sort("manager_uuid", "fund_id"),
            "countries": _countries(firms, latest),
            "fund_links": _shown_links(edges, seen),
            "coverage": _coverage(firms, vehicles, latest),
        }
    )
    counts = _counts(asked_lps, firms, vehicles, since, currency)
    return Study(
        currency=currency,
        counts=counts,
        frames=frames,
        subject=counts.subject,
        sentence=words.answer(counts),
        key_figures=words.key_figures(counts),
        statements=words.claims(counts),
        limits=(*not_held(source), *words.caveats(counts)),
        source=source,
    )


def _managers(firms: Rows) -> Rows:
    """A row per manager with what it returned."""
    return rows.highest_first(firms, "lps", "manager_name", "manager_uuid").select(
        *("manager_uuid", "manager_name", *list(_MANAGER)[2:], "lps", "lp_names", "window"),
        *("funds", "dated", "size_known", "not_convertible"),
        *("latest_funds", "latest_fund", "latest_fund_date", "latest_fund_type"),
        *("latest_fund_size", "latest_fund_size_state", "currency", "reason"),
    )


def _vintages(vehicles: Rows) -> pl.DataFrame:
    """Every year from the first to the last dated fund, and what has no date."""
    counts = rows.tally(
        "funds",
        managers=nw.col("manager_uuid").n_unique(),
        size_known="fund_size",
        not_convertible=_NOT_CONVERTIBLE,
    )
    year = nw.col("fund_date").dt.year().cast(rows.WHOLE)
    found = vehicles.with_columns(year=year).group_by("year", drop_null_keys=False).agg(*counts)
    seen = rows.collected(found)
    first, last = seen["year"].min(), seen["year"].max()
    years = [] if first is None else range(first, last + 1)  # type: ignore[operator, arg-type]
    every = pl.DataFrame({"year": years}, {"year": pl.Int64}).join(seen, on="year", how="left")
    every = pl.concat([every, seen.filter(pl.col("year").is_null())])
    return every.with_columns(pl.exclude("year").fill_null(0))


def _shown_links(edges: Rows, seen: dt.date | None) -> Rows:
    """The edges from managers to funds, latest first, with the request behind each."""
    links = _evidenced(edges, "manager → fund", "manager_uuid", seen)
    links = rows.highest_first(links, ("fund_date", "fund_id"), "manager_name", "manager_uuid")
    return links.select(
        *("manager_uuid", "manager_name", "fund_id", "fund_name", "fund_date"),
        *("fund_size", "fund_size_state", "currency", "source_url", "request", "seen"),
    )


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
    # narwhals joins no text within a group
    named = rows.collected(links).sort("lp_name", "lp_uuid").group_by("manager_uuid")
    names = named.agg(
        pl.len().cast(pl.Int64).alias("lps"), pl.col("lp_name").str.join("; ").alias("lp_names")
    )
    return firms.join(rows.beside(names, firms), on="manager_uuid", how="inner")


def _fund_links(funds: Frame, backed: Rows, currency: Currency) -> Rows:
    """An edge per manager and fund returned for it, with the fund as recorded."""
    found = rows.announced(funds, _FUND, key=["manager_uuid", "id"])
    found = found.rename({"id": "fund_id", "name": "fund_name", "amount": "fund_size"})
    found = found.rename({"amount_native": "fund_size_native", "amount_state": "fund_size_state"})
    found = found.with_columns(currency=nw.lit(currency))
    named = backed.select("manager_uuid", "manager_name")
    return found.join(named, on="manager_uuid", how="inner")


def _observed(
    found: Rows, seen: Rows, failed: Mapping[str, str], state: str, asked: Collection[str] | None
) -> Rows:
    """The rows with what each was answered, and its counts in `seen`: zero records are a state."""
    key, *numbers = seen.collect_schema().names()
    why = rows.made([*failed.items()], {key: rows.TEXT, "reason": rows.TEXT})
    found = found.join(seen, on=key, how="left").join(rows.beside(why, found), on=key, how="left")
    found = rows.flagged(found, key, () if asked is None else asked, "is_asked")
    is_asked = nw.lit(value=True) if asked is None else nw.col("is_asked")
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
    return found.with_columns(rows.zero_where(is_empty, numbers)).drop("is_asked")


def _answered(
    backed: Rows,
    edges: Rows,
    latest: Rows,
    failed: Mapping[str, str],
    asked: Collection[str] | None,
) -> Rows:
    """The managers with what each returned and its latest fund; of several none is chosen."""
    counts = rows.tally(
        "funds", dated="fund_date", size_known="fund_size", not_convertible=_NOT_CONVERTIBLE
    )
    seen = edges.group_by("manager_uuid").agg(*counts)
    last = rows.latest(
        latest.select("manager_uuid", *_SHOWN_OF_LATEST),
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
    return found.join(last, on="manager_uuid", how="left")


_SHOWN_OF_LATEST: Final = ("fund_name", "fund_date", "fund_type", "fund_size", "fund_size_state")
_NOT_CONVERTIBLE: Final = rows.holds(nw.col("fund_size_state") == "not_convertible")


def _latest(edges: Rows, backed: Rows) -> Rows:
    """The funds of the latest date of each manager, all of them where several share it."""
    found = edges.filter(nw.col("fund_date") == nw.col("fund_date").max().over("manager_uuid"))
    found = found.join(backed.select("manager_uuid", "hq_country"), on="manager_uuid", how="inner")
    return found.select("manager_uuid", "hq_country", "fund_id", *_SHOWN_OF_LATEST)


def _vehicles(edges: Rows) -> Rows:
    """A row per fund id, with one of its managers and how many returned it.

    Of rows that differ it is one of the latest date, and of these the first by the manager's name.
    """
    several = edges.group_by("fund_id").agg(*rows.tally("managers"))
    found = edges if rows.is_key(edges, ["fund_id"]) else _one_of_each(edges)
    return found.join(several, on="fund_id", how="left").select(
        *("fund_id", "fund_name", "manager_uuid", "manager_name", "managers", "fund_date"),
        *("fund_type", "fund_size", "fund_size_state", "currency"),
        *("fund_size_native", "native_currency", "is_closed", "source_url"),
    )


def _one_of_each(edges: Rows) -> Rows:
    day, last = nw.col("fund_date"), nw.col("fund_date").max().over("fund_id")
    found = edges.with_columns(unnamed=nw.col("manager_name").is_null().cast(rows.WHOLE))
    order = ["unnamed", "manager_name", "manager_uuid"]
    found = found.filter((day == last) | last.is_null())
    return found.unique(["fund_id"], keep="first", order_by=order)


def _types(vehicles: Rows) -> Rows:
    """A row per fund type: an unknown status is neither closed nor not closed."""
    is_closed = nw.col("is_closed")
    counts = rows.tally(
        "funds",
        managers=nw.col("manager_uuid").n_unique(),
        size_known="fund_size",
        not_convertible=_NOT_CONVERTIBLE,
        closed=rows.holds(is_closed),
        not_closed=rows.holds(~is_closed),
        status_unknown=rows.holds(is_closed.is_null()),
    )
    found = vehicles.group_by("fund_type", drop_null_keys=False).agg(*counts)
    return rows.highest_first(found, "funds", "fund_type")


def _countries(firms: Rows, latest: Rows) -> pl.DataFrame:
    """A row per headquarters country; managers without a recorded one are the last row."""
    counts = rows.tally("latest_funds", size_known="fund_size", not_convertible=_NOT_CONVERTIBLE)
    sized = latest.group_by("manager_uuid").agg(*counts)
    managers = firms.select("manager_uuid", "hq_country", "latest_fund_date")
    found = managers.join(sized, on="manager_uuid", how="left")
    found = found.group_by("hq_country", drop_null_keys=False).agg(
        *rows.tally("managers", dated="latest_fund_date"),
        *(
            nw.col(name).sum().fill_null(0).cast(rows.WHOLE).alias(name)
            for name in ("latest_funds", "size_known", "not_convertible")
        ),
    )
    return rows.unknown_last(rows.collected(found), "hq_country", "managers")


_RETURNED: Final = ("records_returned", "records_without_a_date")


def _with_counts(owners: Rows, links: Rows, firms: Rows, failed: Mapping[str, str]) -> Rows:
    """The LPs with what each was answered; one without managers keeps its row."""
    facts = firms.select("manager_uuid", "lps", "window")
    counts = rows.tally(
        "managers",
        managers_shared=rows.holds(nw.col("lps") > 1),
        managers_with_funds=rows.holds(nw.col("window").is_in(_RETURNED)),
    )
    seen = links.join(facts, on="manager_uuid", how="left").group_by("lp_uuid").agg(*counts)
    found = _observed(owners, seen, failed, "answer", None).select(
        *("lp_uuid", "lp_name", "website_domain", "hq_country", "answer"),
        *("managers", "managers_shared", "managers_with_funds", "reason"),
    )
    return rows.highest_first(found, "managers", "lp_name", "lp_uuid")


def _counts(
    lps: pl.DataFrame, firms: Rows, vehicles: Rows, since: int | None, currency: Currency
) -> Counts:
    window = nw.col("window")
    of_managers = rows.one(
        firms,
        managers=nw.len(),
        managers_shared=rows.holds(nw.col("lps") > 1),
        managers_asked=rows.holds(window != "not_asked"),
        managers_with_funds=rows.holds(window.is_in(_RETURNED)),
        managers_undated=rows.holds(window == "records_without_a_date"),
        managers_empty=rows.holds(window == "no_records_returned"),
        managers_failed=rows.holds(window == "could_not_ask"),
        latest_several=rows.holds(nw.col("latest_funds") > 1),
    )
    of_funds = rows.one(
        vehicles,
        funds=nw.len(),
        funds_dated=nw.col("fund_date").count(),
        funds_sized=nw.col("fund_size").count(),
        funds_not_convertible=_NOT_CONVERTIBLE,
        funds_typed=nw.col("fund_type").count(),
        funds_with_status=nw.col("is_closed").count(),
    )
    return Counts(
        lp_names=tuple(lps["lp_name"].to_list()[:3]),
        **most_shared(firms),
        largest=largest(vehicles),
        lps=lps.height,
        lps_answered=lps.filter(pl.col("answer") != "could_not_ask").height,
        lps_with_managers=lps.filter(pl.col("managers") > 0).height,
        **of_managers,
        **of_funds,
        since=since,
        currency=currency,
    )


def _coverage(firms: Rows, vehicles: Rows, latest: Rows) -> pl.DataFrame:
    fund = ("fund_date", "fund_type", "fund_size", "fund_size_native", "is_closed", "source_url")
    found = [
        *rows.known("manager returned", firms, ("website_domain", "hq_city", "hq_country")),
        *rows.known("fund returned", vehicles, fund),
        *rows.known("latest dated fund", latest, ("fund_size",)),
    ]
    return rows.made(found, rows.COVERAGE)
