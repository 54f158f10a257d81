"""What LPs are exposed to: the managers each backs, and the funds of those managers.

An LP backs a manager where its `lp-funds` answer has the manager; a manager runs a
fund where its `funds` answer has the fund. No record leads from an LP to a fund, so
none is made here, and a fund's size says nothing of what an LP put into it
(interface, reading rule 5).
"""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import narwhals as nw
import polars as pl
from polars import DataFrame, col

from ventureframe.display.wording import Count
from ventureframe.evidence import rates, rows
from ventureframe.evidence.claims import EDGES
from ventureframe.evidence.rows import Frame
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin
from ventureframe.studies.exposure import words
from ventureframe.studies.exposure.study import NOT_CONVERTIBLE, RETURNED, Counts, Study

_LP: Final = rows.schema(
    fields.INVESTORS, "uuid", "name", "website_domain", "hq_country"
)
_MANAGER: Final = rows.schema(
    fields.INVESTORS, "uuid", "name", "website_domain", "hq_city", "hq_country"
)
_LINK: Final = {"lp_uuid": pl.String, "uuid": pl.String, "name": pl.String}
_FUND: Final = {"manager_uuid": pl.String} | rows.schema(
    fields.FUNDS,
    "id",
    "name",
    "fund_date",
    "fund_type",
    "amount",
    "is_closed",
    "source_url",
)
_CALLED: Final = {"uuid": "manager_uuid", "name": "manager_name"}
_OF_FUND: Final = {"id": "fund_id", "name": "fund_name"} | {
    name: name.replace("amount", "fund_size")
    for name in ("amount", "amount_state", "amount_native")
}
_LATEST: Final = ("fund_name", "fund_date", "fund_type", "fund_size", "fund_size_state")
_SIZES: Final[Mapping[str, Any]] = {
    "size_known": "fund_size",
    "not_convertible": NOT_CONVERTIBLE,
}
Asked = Collection[str] | None


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
        `others` that are not read; `lps` can be some of its LPs. Funds before `since`
        are left out, and sizes are converted as the service does.
    """
    rows.refuse_strangers(others)
    source = None if origin is None else origin.source
    if origin is not None:
        seen = seen or origin.source.as_of
        lps, lp_managers, funds = _narrowed(lps, lp_managers, funds, currency, since)
    owners = rows.distinct(lps, _LP, key=["uuid"]).rename(
        {"uuid": "lp_uuid", "name": "lp_name"}
    )
    links = rows.distinct(lp_managers, _LINK, key=["lp_uuid", "uuid"]).rename(_CALLED)
    links = _evidenced(links, owners, "LP → manager", seen)
    links = links.sort("lp_name", "lp_uuid", "manager_name", "manager_uuid")
    names = col("lp_name").sort_by("lp_name", "lp_uuid").str.join("; ")
    backers = links.group_by("manager_uuid").agg(*rows.tally("lps"), lp_names=names)
    firms = rows.distinct(lp_managers, _MANAGER, key=["uuid"]).rename(_CALLED)
    firms = firms.join(backers, on="manager_uuid").with_columns(
        currency=pl.lit(currency)
    )
    edges = rows.announced(funds, _FUND, key=["manager_uuid", "id"]).rename(_OF_FUND)
    edges = _evidenced(edges, firms, "manager → fund", seen).with_columns(
        currency=pl.lit(currency)
    )
    edges = rows.highest_first(
        edges, ("fund_date", "fund_id"), "manager_name", "manager_uuid"
    )
    # a fund dated 1 January is of some day of its year, so it can be the latest of the
    # year
    date, last = col("fund_date"), col("fund_date").max().over("manager_uuid")
    latest = edges.filter((date == last) | (date == last.dt.truncate("1y")))
    firms = _answered(firms, edges, latest, failed, asked)
    latest = firms.select("manager_uuid", "hq_country").join(latest, on="manager_uuid")
    latest = latest.select("manager_uuid", "hq_country", "fund_id", *_LATEST)
    vehicles, backers = _vehicles(edges), _with_counts(owners, links, firms, failed)
    frames = {
        "lps": backers,
        "overlap": _overlap(links, backers),
        **_by_type_and_year(vehicles),
        "backing": links,
        "managers": firms,
        "funds": vehicles,
        "latest_funds": latest.sort("manager_uuid", "fund_id"),
        "countries": _countries(firms, latest),
        "fund_links": edges.select(
            *("manager_uuid", "manager_name", "fund_id", *_LATEST[:2], *_LATEST[3:]),
            *("currency", "source_url", "request", "seen"),
        ),
        "coverage": _coverage(firms, vehicles, latest),
    }
    named = _named(backers, firms, vehicles)
    counts = rows.counted(Counts, frames, since=since, currency=currency, **named)
    about = {
        "subject": counts.subject,
        "currency": currency,
        "counts": counts,
        "frames": frames,
    }
    return Study.told(words, counts, source=source, **about)


def _narrowed(
    lps: Frame, lp_managers: Frame, funds: Frame, currency: Currency, since: int | None
) -> Sequence[DataFrame]:
    """The records that whole collections hold of the LPs, their managers and funds
    since a year.
    """
    owners = rows.lazy(lps).select(*_LP)
    links = rows.lazy(lp_managers).select("lp_uuid", *_MANAGER)
    links = links.join(owners.select(lp_uuid="uuid"), on="lp_uuid", how="semi")
    vehicles = rows.lazy(rates.amounts(funds, currency)).select(*_FUND, "amount_source")
    vehicles = vehicles.join(
        links.select(manager_uuid="uuid"), on="manager_uuid", how="semi"
    )
    if since is not None:
        vehicles = vehicles.filter(nw.col("fund_date").dt.year() >= since)
    frames = {"lps": owners, "lp_managers": links, "funds": vehicles}
    return list(rows.narrow(frames, by="fewer LPs, or by a later first year").values())


def _evidenced(
    links: DataFrame, owners: DataFrame, edge: str, seen: dt.date | None
) -> DataFrame:
    """The links of these owners, with the request and the day of the answer that
    carries each.
    """
    key, name = owners.columns[:2]
    request = pl.format(f"GET {EDGES[edge].replace('{uuid}', '{}')}", key)
    links = owners.select(key, name).join(links, on=key)
    return links.with_columns(request=request, seen=pl.lit(seen, pl.Date))


def _observed(
    owners: DataFrame,
    counts: DataFrame,
    state: str,
    failed: Mapping[str, str],
    asked: Asked = None,
) -> DataFrame:
    """The owners with what each was answered, and its counts: zero records are a
    state.
    """
    key, many, *further = counts.columns
    reason = DataFrame(
        [*failed.items()], {key: pl.String, "reason": pl.String}, orient="row"
    )
    owners = owners.join(counts, on=key, how="left").join(reason, on=key, how="left")
    # only funds have dates
    is_undated = col("dated") == 0 if "dated" in further else pl.lit(value=False)
    is_asked = pl.lit(value=True) if asked is None else col(key).is_in([*asked])
    cases: list[tuple[pl.Expr, str | int]] = [
        ((col(many) > 0) & is_undated, "records_without_a_date"),
        (col(many) > 0, "records_returned"),
        (col("reason").is_not_null(), "could_not_ask"),
        (is_asked, "no_records_returned"),
    ]
    owners = owners.with_columns(
        rows.first_that_holds(cases, otherwise="not_asked").alias(state)
    )
    is_empty = col(state) == "no_records_returned"
    return owners.with_columns(
        pl.when(~is_empty).then(col(many, *further)).otherwise(0)
    )


def _answered(
    firms: DataFrame,
    edges: DataFrame,
    latest: DataFrame,
    failed: Mapping[str, str],
    asked: Asked,
) -> DataFrame:
    tally = rows.tally("funds", dated="fund_date", **_SIZES)
    counts = edges.group_by("manager_uuid").agg(*tally)
    by, texts = ("manager_uuid", "fund_date"), ("fund_name", "fund_type")
    # of several, one of them by the year alone: the year
    date = col("fund_date").min().over("manager_uuid")
    latest = latest.select("manager_uuid", *_LATEST).with_columns(fund_date=date)
    latest = rows.latest(
        latest, by, many="latest_funds", texts=texts, state="fund_size_state"
    )
    called = {name: f"latest_{name.replace('_name', '')}" for name in _LATEST}
    firms = _observed(firms, counts, "window", failed, asked)
    firms = firms.join(latest.rename(called), on="manager_uuid", how="left")
    return rows.highest_first(firms, "lps", "manager_name", "manager_uuid").select(
        *(
            "manager_uuid",
            "manager_name",
            "website_domain",
            "hq_city",
            "hq_country",
            "lps",
        ),
        *("lp_names", "window", *counts.columns[1:], "latest_funds", *called.values()),
        *("currency", "reason"),
    )


def _vehicles(edges: DataFrame) -> DataFrame:
    """A row per fund id, of the latest date, with one of its managers and how many
    list it.
    """
    managers = edges.group_by("fund_id").agg(*rows.tally("managers"))
    vehicles = rows.highest_first(edges, "fund_date", "manager_name", "manager_uuid")
    vehicles = vehicles.unique("fund_id", keep="first").join(
        managers, on="fund_id", how="left"
    )
    return rows.highest_first(vehicles, ("fund_date", "fund_id")).select(
        *(
            "fund_id",
            "fund_name",
            "manager_uuid",
            "manager_name",
            "managers",
            "fund_date",
        ),
        *("fund_type", "fund_size", "fund_size_state", "currency"),
        *("fund_size_native", "native_currency", "is_closed", "source_url"),
    )


def _by_type_and_year(vehicles: DataFrame) -> dict[str, DataFrame]:
    """A row per fund type, where an unknown status is neither closed nor not; a row
    per year.
    """
    counts = rows.tally("funds", managers=col("manager_uuid").n_unique(), **_SIZES)
    closed, year = col("is_closed"), col("fund_date").dt.year().cast(pl.Int64)
    status = {"closed": closed.sum(), "not_closed": (~closed).sum()}
    status["status_unknown"] = closed.null_count()
    cast = {name: number.cast(pl.Int64) for name, number in status.items()}
    types = vehicles.group_by("fund_type").agg(*counts, **cast)
    years = vehicles.group_by(year=year).agg(*counts)
    dated = years["year"].drop_nulls().sort().to_list()
    every: list[int | None] = [*range(dated[0], dated[-1] + 1)] if dated else []
    every += [None] * years["year"].null_count()
    vintages = DataFrame({"year": every}, {"year": pl.Int64})
    vintages = vintages.join(
        years, on="year", how="left", nulls_equal=True, maintain_order="left"
    )
    vintages = vintages.with_columns(pl.exclude("year").fill_null(0))
    return {
        "types": rows.highest_first(types, "funds", "fund_type"),
        "vintages": vintages,
    }


def _countries(firms: DataFrame, latest: DataFrame) -> DataFrame:
    countries = firms.group_by("hq_country").agg(
        *rows.tally("managers", dated="latest_fund_date")
    )
    sized = latest.group_by("hq_country").agg(*rows.tally("latest_funds", **_SIZES))
    countries = countries.join(sized, on="hq_country", how="left", nulls_equal=True)
    countries = countries.with_columns(pl.exclude("hq_country").fill_null(0))
    return rows.unknown_last(countries, "hq_country", "managers")


def _with_counts(
    owners: DataFrame, links: DataFrame, firms: DataFrame, failed: Mapping[str, str]
) -> DataFrame:
    """The LPs with what each was answered; one without managers keeps its row."""
    shared, funded = (col("lps") > 1).sum(), col("window").is_in(RETURNED).sum()
    counts = rows.tally("managers", managers_shared=shared, managers_with_funds=funded)
    backed = (
        links.join(firms, on="manager_uuid", how="left")
        .group_by("lp_uuid")
        .agg(*counts)
    )
    lps = _observed(owners, backed, "answer", failed).select(
        *("lp_uuid", "lp_name", "website_domain", "hq_country", "answer"),
        *("managers", "managers_shared", "managers_with_funds", "reason"),
    )
    return rows.highest_first(lps, "managers", "lp_name", "lp_uuid")


def _overlap(links: DataFrame, lps: DataFrame) -> DataFrame:
    """A row per pair of LPs: how many managers were returned for both."""
    own = lps.select("lp_uuid", "lp_name", is_known=col("answer") != "could_not_ask")
    own = own.sort("lp_name", "lp_uuid").with_row_index("place")
    pairs = own.join_where(own, col("place") < col("place_other"), suffix="_other")
    pairs = pairs.rename(
        {"lp_uuid_other": "other_lp_uuid", "lp_name_other": "other_lp_name"}
    )
    both = links.join(
        links.select("manager_uuid", other_lp_uuid="lp_uuid"), on="manager_uuid"
    )
    both = both.group_by("lp_uuid", "other_lp_uuid").agg(*rows.tally("shared"))
    pairs = pairs.join(both, on=["lp_uuid", "other_lp_uuid"], how="left")
    is_known = col("is_known") & col("is_known_other")
    pairs = pairs.with_columns(
        shared=pl.when(is_known).then(col("shared").fill_null(0))
    )
    pairs = rows.highest_first(
        pairs.sort("place", "place_other"), "shared", "place", "place_other"
    )
    return pairs.select(
        "lp_uuid", "lp_name", "other_lp_uuid", "other_lp_name", "shared"
    )


def _named(lps: DataFrame, firms: DataFrame, vehicles: DataFrame) -> dict[str, Any]:
    names = pl.selectors.string().fill_null("(no name recorded)")
    first = lps.select("lp_name", "managers").with_columns(names).head(3).iter_rows()
    most = firms.filter((col("lps") > 1) & (col("lps") == col("lps").max()))
    vehicles = vehicles.drop_nulls("fund_size")
    sized = rows.highest_first(
        vehicles, "fund_size", "fund_name", "fund_id"
    ).with_columns(names)
    return {
        "first_lps": tuple(
            (name, many if many is None else Count(many)) for name, many in first
        ),
        "most_shared": tuple(most.with_columns(names)["manager_name"][:10]),
        "most_shared_of": Count(most.height),
        "most_shared_by": Count(next(iter(most["lps"]), 0)),
        "largest": next(
            sized.select("fund_name", "manager_name", "fund_size").iter_rows(), None
        ),
    }


def _coverage(firms: DataFrame, vehicles: DataFrame, latest: DataFrame) -> DataFrame:
    fund = (
        "fund_date",
        "fund_type",
        "fund_size",
        "fund_size_native",
        "is_closed",
        "source_url",
    )
    known = [
        *rows.coverage("manager", firms, ("website_domain", "hq_city", "hq_country")),
        *rows.coverage("fund", vehicles, fund),
        *rows.coverage("latest dated fund", latest, ("fund_size",)),
    ]
    return DataFrame(known, rows.COVERAGE, orient="row")
