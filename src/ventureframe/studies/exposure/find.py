"""What LPs are exposed to: the managers each backs, and the funds of those managers.

An LP backs a manager where its `lp-funds` answer has the manager; a manager runs a
fund where its `funds` answer has the fund. No record leads from an LP to a fund, so
none is made here, and a fund's size says nothing of what an LP put into it
(interface, reading rule 5).
"""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import narwhals as nw
import polars as pl
from polars import DataFrame, col, lit

from ventureframe.client.paging import check_positive
from ventureframe.display.wording import Count
from ventureframe.evidence import rates, rows
from ventureframe.evidence.claims import EDGES
from ventureframe.evidence.rows import Frame
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin
from ventureframe.studies.exposure import words
from ventureframe.studies.exposure.study import NOT_CONVERTIBLE, RETURNED, Counts, Study
from ventureframe.studies.young import every_year

_LP = rows.schema(fields.INVESTORS, "uuid", "name", "website_domain", "hq_country")
_MANAGER = rows.schema(
    fields.INVESTORS, "uuid", "name", "website_domain", "hq_city", "hq_country"
)
_LINK = {"lp_uuid": pl.String, "uuid": pl.String, "name": pl.String}
_FUND = {"manager_uuid": pl.String} | rows.schema(
    fields.FUNDS,
    "id",
    "name",
    "fund_date",
    "fund_type",
    "amount",
    "is_closed",
    "source_url",
)
_NAMES_OF_LP = {"uuid": "lp_uuid", "name": "lp_name"}
_NAMES_OF_MANAGER = {"uuid": "manager_uuid", "name": "manager_name"}
_NAMES_OF_FUND = {
    "id": "fund_id",
    "name": "fund_name",
    "amount": "fund_size",
    "amount_state": "fund_size_state",
    "amount_native": "fund_size_native",
}
_NAMES_OF_LATEST = {
    "fund_name": "latest_fund",
    "fund_date": "latest_fund_date",
    "fund_type": "latest_fund_type",
    "fund_size": "latest_fund_size",
    "fund_size_state": "latest_fund_size_state",
}
_LPS = (
    "lp_uuid",
    "lp_name",
    "website_domain",
    "hq_country",
    "answer",
    "managers",
    "managers_shared",
    "managers_with_funds",
    "reason",
)
_MANAGERS = (
    "manager_uuid",
    "manager_name",
    "website_domain",
    "hq_city",
    "hq_country",
    "lps",
    "lp_names",
    "window",
    "funds",
    "dated",
    "size_known",
    "not_convertible",
    "latest_funds",
    *_NAMES_OF_LATEST.values(),
    "currency",
    "reason",
)
_FUNDS = (
    "fund_id",
    "fund_name",
    "manager_uuid",
    "manager_name",
    "managers",
    "fund_date",
    "fund_type",
    "fund_size",
    "fund_size_state",
    "currency",
    "fund_size_native",
    "native_currency",
    "is_closed",
    "source_url",
    "lp_names",
)
_SIZES: Final[Mapping[str, str | pl.Expr]] = {
    "size_known": "fund_size",
    "not_convertible": NOT_CONVERTIBLE,
}
_COVERED = {
    "manager": ("website_domain", "hq_city", "hq_country"),
    "fund": (
        "fund_date",
        "fund_type",
        "fund_size",
        "fund_size_native",
        "is_closed",
        "source_url",
    ),
    "latest dated fund": ("fund_size",),
}
"""The fields of each record whose coverage is counted."""


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
    **unread: Frame,
) -> Study:
    """The study of some LPs over flat frames of any library or engine; nothing is
    fetched.

    Managers are one row per UUID and funds one per fund id (interface, rules per
    endpoint, 5); row order and repeated rows change nothing. Whole collections are
    first narrowed on the engine of their frames.

    Parameters
    ----------
    lps, lp_managers, funds : frame
        LPs, managers and funds as the service returns them, amounts in `currency`;
        managers with lp_uuid of the LP they were returned for, funds with manager_uuid
        of their manager.
    since : int, optional
        The first year of the window that `funds` covers.
    asked : collection of str, optional
        The UUIDs of the managers whose funds were requested; by default all.
    failed : mapping, optional
        Why an LP or a manager could not be asked, by UUID.
    seen : date, optional
        The day of the answers.
    origin : Origin, optional
        Says that the frames are whole collections, as `bulk.open` gives them, with
        `unread` frames that are ignored; `lps` can be some of its LPs. Funds before
        `since` are left out, and sizes are converted as the service does.
    """
    rows.refuse_strangers(unread)
    check_positive(since=since)
    if origin is not None:
        seen = seen or origin.source.as_of
        lps, lp_managers, funds = _narrowed(lps, lp_managers, funds, currency, since)
    owners = rows.distinct(lps, _LP, key=["uuid"]).rename(_NAMES_OF_LP)
    backing = _backing(lp_managers, owners, seen)
    firms = _managers(lp_managers, backing, currency)
    edges = _fund_links(funds, firms, currency, seen)
    latest = _of_latest_date(edges)
    vehicles = _vehicles(edges, firms)
    managers = _with_funds(firms, edges, latest, failed, asked)
    backers = _with_managers(owners, backing, managers, failed)
    frames = {
        "lps": backers,
        "vintages": _by_year(vehicles),
        "backing": backing,
        "managers": managers,
        "funds": vehicles,
        "fund_links": edges,
        "coverage": _coverage([managers, vehicles, latest]),
    }
    named = _named(backers, managers, vehicles)
    counts = rows.counted(Counts, frames, since=since, currency=currency, **named)
    return Study.from_words(
        words,
        counts,
        source=origin.source if origin else None,
        subject=counts.subject,
        currency=currency,
        counts=counts,
        frames=frames,
    )


def _narrowed(
    lps: Frame, lp_managers: Frame, funds: Frame, currency: Currency, since: int | None
) -> Sequence[DataFrame]:
    """The records that whole collections hold of the LPs, their managers and funds
    since a year.
    """
    owners = rows.lazy(lps).select(*_LP)
    links = rows.lazy(lp_managers).select("lp_uuid", *_MANAGER)
    links = links.join(owners, left_on="lp_uuid", right_on="uuid", how="semi")
    vehicles = rows.lazy(rates.amounts(funds, currency)).select(*_FUND, "amount_source")
    vehicles = vehicles.join(links, left_on="manager_uuid", right_on="uuid", how="semi")
    if since is not None:
        vehicles = vehicles.filter(nw.col("fund_date").dt.year() >= since)
    frames = {"lps": owners, "lp_managers": links, "funds": vehicles}
    return list(rows.narrow(frames, by="fewer LPs, or by a later first year").values())


def _backing(lp_managers: Frame, owners: DataFrame, seen: dt.date | None) -> DataFrame:
    """Make a row per LP and manager of its `lp-funds` answer."""
    links = rows.distinct(lp_managers, _LINK, key=["lp_uuid", "uuid"])
    links = links.rename(_NAMES_OF_MANAGER)
    links = _with_request(links, owners, "LP → manager", seen)
    return links.sort("lp_name", "lp_uuid", "manager_name", "manager_uuid")


def _managers(lp_managers: Frame, backing: DataFrame, currency: Currency) -> DataFrame:
    """Make a row per manager, with the number and the names of its LPs."""
    names = col("lp_name").str.join("; ")  # the links are in the order of the LPs
    backers = backing.group_by("manager_uuid").agg(*rows.tally("lps"), lp_names=names)
    firms = rows.distinct(lp_managers, _MANAGER, key=["uuid"]).rename(_NAMES_OF_MANAGER)
    return firms.join(backers, on="manager_uuid").with_columns(currency=lit(currency))


def _fund_links(
    funds: Frame, firms: DataFrame, currency: Currency, seen: dt.date | None
) -> DataFrame:
    """Make a row per manager and fund of its `funds` answer, the latest first."""
    edges = rows.announced(funds, _FUND, key=["manager_uuid", "id"])
    edges = edges.rename(_NAMES_OF_FUND)
    edges = _with_request(edges, firms, "manager → fund", seen)
    edges = edges.with_columns(currency=lit(currency))
    latest_first = ("fund_date", "fund_id")
    return rows.highest_first(edges, latest_first, "manager_name", "manager_uuid")


def _with_request(
    links: DataFrame, owners: DataFrame, edge: str, seen: dt.date | None
) -> DataFrame:
    """Keep the links of these owners, and add the request that returned each and
    its day.
    """
    key, name = owners.columns[:2]
    path = EDGES[edge].replace("{uuid}", "{}")
    request = pl.format(f"GET {path}", key)
    links = owners.select(key, name).join(links, on=key)
    return links.with_columns(request=request, seen=lit(seen, pl.Date))


def _of_latest_date(edges: DataFrame) -> DataFrame:
    """Keep the funds of each manager's latest date.

    A fund dated 1 January is of some day of its year, so it can be the latest of
    the year.
    """
    date = col("fund_date")
    last = date.max().over("manager_uuid")
    return edges.filter((date == last) | (date == last.dt.truncate("1y")))


def _with_state(
    owners: DataFrame,
    counts: DataFrame,
    state: str,
    failed: Mapping[str, str],
    requested: Collection[str] | None = None,
) -> DataFrame:
    """Add what the service answered for each owner, and its counts; an answer without
    records is a state of its own.
    """
    key, number, *further = counts.columns
    reason = col(key).replace_strict(dict(failed), default=None, return_dtype=pl.String)
    owners = owners.join(counts, on=key, how="left").with_columns(reason=reason)
    has_records = col(number) > 0
    is_asked = lit(value=True) if requested is None else col(key).is_in([*requested])
    cases = [
        (has_records, "records_returned"),
        (col("reason").is_not_null(), "could_not_ask"),
        (is_asked, "no_records_returned"),
    ]
    if "dated" in further:  # funds have dates, managers have none
        is_undated = has_records & (col("dated") == 0)
        cases.insert(0, (is_undated, "records_without_a_date"))
    states = rows.first_that_holds(cases, otherwise="not_asked")
    owners = owners.with_columns(states.alias(state))
    is_empty = col(state) == "no_records_returned"
    numbers = pl.when(is_empty).then(0).otherwise(col(number, *further))
    return owners.with_columns(numbers.name.keep())


def _with_funds(
    firms: DataFrame,
    edges: DataFrame,
    latest: DataFrame,
    failed: Mapping[str, str],
    requested: Collection[str] | None,
) -> DataFrame:
    """Add the funds of each manager, and its latest one; managers of most LPs come
    first, then those of most funds.
    """
    tally = rows.tally("funds", dated="fund_date", **_SIZES)
    counts = edges.group_by("manager_uuid").agg(*tally)
    # where one of several is dated by its year alone, all are
    date = pl.min("fund_date").over("manager_uuid")
    latest = latest.select("manager_uuid", *_NAMES_OF_LATEST)
    latest = latest.with_columns(fund_date=date)
    latest = rows.latest(
        latest,
        ("manager_uuid", "fund_date"),
        count="latest_funds",
        texts=("fund_name", "fund_type"),
        state="fund_size_state",
    )
    latest = latest.rename(_NAMES_OF_LATEST)
    firms = _with_state(firms, counts, "window", failed, requested)
    firms = firms.join(latest, on="manager_uuid", how="left")
    firms = rows.highest_first(firms, ("lps", "funds"), "manager_name", "manager_uuid")
    return firms.select(_MANAGERS)


def _vehicles(edges: DataFrame, firms: DataFrame) -> DataFrame:
    """Make a row per fund id, with its latest date, one of its managers, the LPs of
    that manager, and how many managers list the fund.

    The edges are in the order of the funds, each fund's latest date and first manager
    before its others.
    """
    managers = edges.group_by("fund_id").agg(*rows.tally("managers"))
    vehicles = edges.filter(col("fund_id").is_first_distinct())
    vehicles = vehicles.join(managers, on="fund_id", maintain_order="left")
    lps_of = firms.select("manager_uuid", "lp_names")
    vehicles = vehicles.join(lps_of, on="manager_uuid", maintain_order="left")
    return vehicles.select(_FUNDS)


def _by_year(vehicles: DataFrame) -> DataFrame:
    """Make a row per year from the first to the last dated fund, and one for no
    date.
    """
    year = col("fund_date").dt.year().cast(pl.Int64)
    managers = col("manager_uuid").n_unique()
    tally = rows.tally("funds", managers=managers, **_SIZES)
    counts = vehicles.group_by(year=year).agg(*tally)
    return every_year(counts, "year").with_columns(pl.exclude("year").fill_null(0))


def _with_managers(
    owners: DataFrame,
    backing: DataFrame,
    managers: DataFrame,
    failed: Mapping[str, str],
) -> DataFrame:
    """Add the managers of each LP; one without managers keeps its row."""
    shared = (col("lps") > 1).sum()
    funded = col("window").is_in(RETURNED).sum()
    tally = rows.tally("managers", managers_shared=shared, managers_with_funds=funded)
    links = backing.join(managers, on="manager_uuid", how="left")
    counts = links.group_by("lp_uuid").agg(*tally)
    lps = _with_state(owners, counts, "answer", failed)
    return rows.highest_first(lps, "managers", "lp_name", "lp_uuid").select(_LPS)


def _named(
    lps: DataFrame, managers: DataFrame, vehicles: DataFrame
) -> dict[str, object]:
    """Find the LPs, managers and funds that the answer names."""
    unnamed = pl.selectors.string().fill_null("(no name recorded)")
    owners = lps.select("lp_name", "managers").with_columns(unnamed).head(3)
    first_lps = [
        (name, None if number is None else Count(number))
        for name, number in owners.rows()
    ]
    is_most = (col("lps") > 1) & (col("lps") == pl.max("lps"))
    most = managers.filter(is_most).with_columns(unnamed)
    largest = vehicles.filter(col("fund_size") == pl.max("fund_size"))
    largest = largest.sort("fund_name", "fund_id", nulls_last=True)
    first = largest.select("fund_name", "manager_name").with_columns(unnamed).head(3)
    names = [
        fund if fund.startswith(manager) else f"{fund} of {manager}"
        for fund, manager in first.rows()
    ]
    return {
        "first_lps": tuple(first_lps),
        "most_shared": tuple(most["manager_name"][:10]),
        "most_shared_of": Count(most.height),
        "most_shared_by": Count(next(iter(most["lps"]), 0)),
        "largest": tuple(names),
        "largest_of": Count(largest.height),
        "largest_size": vehicles["fund_size"].max(),
    }


def _coverage(records: Sequence[DataFrame]) -> DataFrame:
    recorded = list[tuple[object, ...]]()
    for (record, names), frame in zip(_COVERED.items(), records, strict=True):
        recorded += rows.coverage(record, frame, names)
    return DataFrame(recorded, rows.COVERAGE, orient="row")
