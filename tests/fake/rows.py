"""Rows of the interface as the newer wire writes them.

`blank.json` has for each endpoint a row in which nothing is recorded, with every key
that the published schema requires; in a list stands the pattern of its entries.
"""

import datetime as dt
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

Row = dict[str, Any]

_FILE: Final = Path(__file__).with_name("blank.json")
BLANK: Final[Mapping[str, Row]] = json.loads(_FILE.read_text("utf-8"))  # by endpoint
LOCKED: Final[Mapping[str, tuple[str, ...]]] = {
    "companies": ("founders",),
    "founders": ("education", "career"),
    "university": ("alumni",),
    "funding-rounds": ("investors",),
}
"""What only a premium key sees of a row."""
_ROUNDS: Final = (
    *("Pre-Seed", "Seed", "Series A", "Series B", "Series C", "Series D", "Series E"),
    *("Series F+", "Growth", "Bridge", "Debt", "Grant", "IPO", "Secondary", "Other"),
)
"""The types of rounds that are standardised."""


def filled(blank: Row, **values: Any) -> Row:
    """The blank with these values; what is not recorded stays as it is there."""
    recorded = {name: value for name, value in values.items() if value is not None}
    return blank | recorded


def company(row: Row) -> Row:
    blank = BLANK["companies"]
    launched = row["launch_date_text"] or row["launch_date"]
    labels = {"startup": row["is_startup"], "spinout": row["is_spinout"]}
    funding = None
    if row["total_funding"] is not None:
        funding = filled(blank["funding"], total=row["total_funding"])
    jobs = filled(
        blank["jobs"], is_hiring=row["is_hiring"], open_count=row["open_jobs_count"]
    )
    team = filled(
        blank["founders"],
        total=row["founders_total"],
        items=[
            _with_reference(blank["founders"]["items"][0], "person", person)
            for person in row["founders"]
        ],
    )
    return filled(
        blank | {"funding": funding},
        uuid=row["uuid"],
        name=row["name"],
        tagline=row["tagline"],
        domain=row["website_domain"],
        locations=row["locations"],
        taxonomy=row["tags"],
        launch_date=None if launched is None else str(launched),
        employees_count=row["team_size"],
        classifications=[label for label, is_set in labels.items() if is_set],
        status=row["company_status"],
        signal_rating=row["signal_rating"],
        jobs=jobs,
        founders=team,
        available=_held(founders=row["founders_total"]),
    )


def founder(row: Row) -> Row:
    blank = BLANK["founders"]
    links = row["profile_links"] or {}
    studies = filled(
        blank["education"],
        total=row["education_total"],
        items=[_study(blank["education"]["items"][0], e) for e in row["education"]],
    )
    posts = filled(
        blank["career"],
        total=row["prior_employers_total"],
        items=[_post(blank["career"]["items"][0], e) for e in row["prior_employers"]],
    )
    return filled(
        blank,
        uuid=row["uuid"],
        name=row["name"],
        links=filled(
            blank["links"],
            linkedin=links.get("linkedin"),
            twitter=links.get("twitter"),
        ),
        education=studies,
        career=posts,
        available=_held(
            education=row["education_total"], career=row["prior_employers_total"]
        ),
    )


def member(row: Row) -> Row:
    """An entry of a team."""
    person = {"uuid": row["founder_uuid"], "name": row["name"]}
    entry = _with_reference(BLANK["team"], "person", person)
    return filled(entry, is_past=row["is_past"])


def _study(blank: Row, entry: Row) -> Row:
    university = {"uuid": entry["university_uuid"], "name": entry["university_name"]}
    degree = None if entry["degree"] is None else {"id": 0, "name": entry["degree"]}
    majors = [] if entry["major"] is None else [{"id": 0, "name": entry["major"]}]
    years = {"start_date": entry["start_year"], "end_date": entry["end_year"]}
    written = _with_reference(blank, "university", university)
    written |= {"degree": degree, "majors": majors}
    return filled(written, **{k: str(v) for k, v in years.items() if v is not None})


def _post(blank: Row, entry: Row) -> Row:
    company = {"uuid": entry["company_uuid"], "name": entry["name"]}
    return filled(
        _with_reference(blank, "company", company),
        raw_title=entry["title"],
        is_founder=entry["is_founder"],
        is_past=entry["is_past"],
        start_date=entry["start_date"],
        end_date=entry["end_date"],
    )


def _institution(blank: Row, row: Row) -> Row:
    pattern = blank["locations"][0]
    places = {"city": row["hq_city"], "country": row["hq_country"]}
    known = {
        kind: {"id": 0, "name": name}
        for kind, name in places.items()
        if name is not None
    }
    nowhere = dict.fromkeys(("city", "state", "country", "continent"))
    return filled(
        blank,
        uuid=row["uuid"],
        name=row["name"],
        domain=row["website_domain"],
        locations=[pattern | nowhere | known] if known else [],
    )


def university(row: Row) -> Row:
    blank, counted = BLANK["university"], row["founder_alumni_total"]
    alumni = None
    if counted is not None:
        alumni = filled(blank["alumni"], founders_count=counted)
    return filled(
        _institution(blank, row) | {"alumni": alumni},
        spinouts_count=row["spinout_count"],
        available=_held(alumni=alumni),
    )


def investor(row: Row) -> Row:
    return filled(_institution(BLANK["investor"], row), roles=row["roles"])


def manager(row: Row) -> Row:
    """A row of an LP's list."""
    return {"investor": _institution(BLANK["lp-funds"]["investor"], row)}


def fund(row: Row) -> Row:
    written = _vehicle(BLANK["funds"], row)
    return _with_reference(written, "manager", row["manager"])


def _vehicle(blank: Row, row: Row) -> Row:
    return filled(
        blank,
        id=row["id"],
        name=row["name"],
        fund_type=row["fund_type"],
        amount=row["amount"],
        amount_source=row["amount_source"],
        fund_date=_moment(row["fund_date"]),
        is_closed=row["is_closed"],
        source_url=row["source_url"],
    )


def round_(row: Row) -> Row:
    blank, kind = BLANK["funding-rounds"], row["round_type"]
    backers = [
        _with_reference(blank["investors"][0], "investor", backer)
        for backer in row["investors"] or []
    ]
    return filled(
        blank,
        id=row["id"],
        year=row["year"],
        month=row["month"],
        amount=row["amount"],
        round_type=kind,
        standardized_round=kind if kind in _ROUNDS else None,
        investors=backers,
    )


def article(row: Row) -> Row:
    blank, day = BLANK["news"], row["publish_date"]
    return filled(
        blank,
        id=row["id"],
        title=row["title"],
        publish_date=None if day is None else day.isoformat(),
        url=row["url"],
        source=row["source"],
        entities=[
            _with_reference(blank["entities"][0], "entity", company)
            for company in row["entity_ids"]
        ],
    )


def posting(row: Row) -> Row:
    return filled(
        _with_reference(BLANK["jobs"], "entity", row["entity_id"]),
        id=row["id"],
        title=row["title"],
        url=row["url"],
        date_posted=_moment(row["date_posted"]),
        formatted_location=row["location"],
    )


def tag(row: Row) -> Row:
    kind = row["source_type"]
    return filled(
        BLANK["tags"] | {"source_type": kind, "pinned_sub_type": kind},
        label=row["label"],
        value=row["value"],
        entities_count=row["entities_count"],
    )


def place(row: Row) -> Row:
    kind = "state" if row["type"] == "region" else row["type"]
    return filled(
        BLANK["locations"] | {"type": kind, "parent_name": row.get("parent_name")},
        id=row["id"],
        name=row["name"],
        entities_count=row.get("entities_count"),
    )


WRITERS: Final[Mapping[str, Callable[[Row], Row]]] = {
    "companies": company,
    "founders": founder,
    "team": member,
    "education": lambda row: _study(BLANK["education"], row),
    "career": lambda row: _post(BLANK["career"], row),
    "university": university,
    "investor": investor,
    "lp-funds": manager,
    "funds": fund,
    "manager-funds": lambda row: _vehicle(BLANK["manager-funds"], row),
    "funding-rounds": round_,
    "news": article,
    "jobs": posting,
    "search": lambda row: filled(BLANK["search"], **row),
    "tags": tag,
    "tag-values": place,
    "locations": place,
    "aggregates": dict,
}
"""By endpoint, or kind of a record, what writes a row."""


def write(endpoint: str, rows: Sequence[Row], *, is_locked: bool = False) -> list[Row]:
    """The rows of an endpoint; what is locked is null, and named."""
    written = [WRITERS[endpoint](row) for row in rows]
    locked = LOCKED.get(endpoint, ()) if is_locked else ()
    for row in written if locked else ():
        if "available" in row:
            row["locked"] = list(locked)
        row.update(dict.fromkeys(locked))
    return written


def _with_reference(blank: Row, key: str, record: Row) -> Row:
    """The blank with a reference to a record in place of the blank reference."""
    return blank | {key: filled(blank[key], uuid=record["uuid"], name=record["name"])}


def _held(**blocks: object) -> list[str]:
    """The names of the blocks that hold data."""
    return [name for name, content in blocks.items() if content]


def _moment(day: dt.date | None) -> str | None:
    return None if day is None else f"{day.isoformat()}T00:00:00.000Z"
