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
_FULL: Final = (
    *("founders", "revenue", "traffic", "patents", "alumni", "founded_companies"),
    *("career", "education", "portfolio", "exits", "match", "rank"),
    *("available", "locked"),
)
"""What the summary view leaves out of a row."""
_ROUNDS: Final = (
    *("Pre-Seed", "Seed", "Series A", "Series B", "Series C", "Series D", "Series E"),
    *("Series F+", "Growth", "Bridge", "Debt", "Grant", "IPO", "Secondary", "Other"),
)
"""The types of rounds that are standardised."""


def filled(blank: Row, row: Row, **values: Any) -> Row:
    """The blank with these values, and those of the row that go by the same name.

    What is not recorded stays as it is there.
    """
    same = blank.keys() & row.keys() - {"type"}  # of a record it is another
    named = {name: row[name] for name in same} | values
    return blank | {name: each for name, each in named.items() if each is not None}


def company(row: Row) -> Row:
    blank = BLANK["companies"]
    launched = row["launch_date_text"] or row["launch_date"]
    labels = {"startup": row["is_startup"], "spinout": row["is_spinout"]}
    funding = None
    if row["total_funding"] is not None:
        funding = blank["funding"] | {"total": row["total_funding"]}
    person = blank["founders"]["items"][0]
    team = [_with_reference(person, "person", each) for each in row["founders"]]
    return filled(
        blank | {"funding": funding},
        row,
        domain=row["website_domain"],
        taxonomy=row["tags"],
        launch_date=None if launched is None else str(launched),
        employees_count=row["team_size"],
        classifications=[label for label, is_set in labels.items() if is_set],
        status=row["company_status"],
        jobs=filled(blank["jobs"], row, open_count=row["open_jobs_count"]),
        founders=blank["founders"] | {"total": row["founders_total"], "items": team},
        available=_held(row, "founders"),
    )


def founder(row: Row) -> Row:
    blank = BLANK["founders"]
    study, post = blank["education"]["items"][0], blank["career"]["items"][0]
    studies = [_study(study, entry) for entry in row["education"]]
    posts = [_post(post, entry) for entry in row["prior_employers"]]
    total, posted = row["education_total"], row["prior_employers_total"]
    return filled(
        blank,
        row,
        links=filled(blank["links"], row["profile_links"] or {}),
        education=blank["education"] | {"total": total, "items": studies},
        career=blank["career"] | {"total": posted, "items": posts},
        available=_held(row | {"career_total": posted}, "education", "career"),
    )


def member(row: Row) -> Row:
    """An entry of a team."""
    person = {"uuid": row["founder_uuid"], "name": row["name"]}
    return filled(_with_reference(BLANK["team"], "person", person), row)


def _study(blank: Row, entry: Row) -> Row:
    university = {"uuid": entry["university_uuid"], "name": entry["university_name"]}
    degree = None if entry["degree"] is None else {"id": 0, "name": entry["degree"]}
    majors = [] if entry["major"] is None else [{"id": 0, "name": entry["major"]}]
    years = {"start_date": entry["start_year"], "end_date": entry["end_year"]}
    written = _with_reference(blank, "university", university)
    written |= {"degree": degree, "majors": majors}
    return written | {k: str(v) for k, v in years.items() if v is not None}


def _post(blank: Row, entry: Row) -> Row:
    company = {"uuid": entry["company_uuid"], "name": entry["name"]}
    blank = _with_reference(blank, "company", company)
    return filled(blank, entry, raw_title=entry["title"])


def _institution(blank: Row, row: Row) -> Row:
    place = blank["locations"][0] | dict.fromkeys(
        ("city", "state", "country", "continent")
    )
    for kind in ("city", "country"):
        if row[f"hq_{kind}"] is not None:
            place[kind] = {"id": 0, "name": row[f"hq_{kind}"]}
    locations = [place] if place["city"] or place["country"] else []
    return filled(blank, row, domain=row["website_domain"], locations=locations)


def university(row: Row) -> Row:
    blank, counted = BLANK["university"], row["founder_alumni_total"]
    alumni = None
    if counted is not None:
        alumni = blank["alumni"] | {"founders_count": counted}
    written = _institution(blank, row) | {"alumni": alumni}
    available = [] if alumni is None else ["alumni"]
    return filled(written, {}, spinouts_count=row["spinout_count"], available=available)


def manager(row: Row) -> Row:
    """A row of an LP's list."""
    return {"investor": _institution(BLANK["lp-funds"]["investor"], row)}


def fund(row: Row) -> Row:
    return _with_reference(_vehicle(BLANK["funds"], row), "manager", row["manager"])


def _vehicle(blank: Row, row: Row) -> Row:
    row = {name: value for name, value in row.items() if name != "manager"}
    return filled(blank, row, fund_date=_moment(row["fund_date"]))


def round_(row: Row) -> Row:
    blank, kind = BLANK["funding-rounds"], row["round_type"]
    backer = blank["investors"][0]
    backers = [
        _with_reference(backer, "investor", each) for each in row["investors"] or []
    ]
    row = {name: value for name, value in row.items() if name != "amount_source"}
    standard = kind if kind in _ROUNDS else None
    return filled(blank, row, standardized_round=standard, investors=backers)


def article(row: Row) -> Row:
    blank, day = BLANK["news"], row["publish_date"]
    entity = blank["entities"][0]
    entities = [_with_reference(entity, "entity", each) for each in row["entity_ids"]]
    date = None if day is None else day.isoformat()
    return filled(blank, row, publish_date=date, entities=entities)


def posting(row: Row) -> Row:
    blank = _with_reference(BLANK["jobs"], "entity", row["entity_id"])
    date, place = _moment(row["date_posted"]), row["location"]
    return filled(blank, row, date_posted=date, formatted_location=place)


def tag(row: Row) -> Row:
    kind = row["source_type"]
    blank = BLANK["tags"] | {"source_type": kind, "pinned_sub_type": kind}
    return filled(blank, row)


def place(row: Row) -> Row:
    kind = "state" if row["type"] == "region" else row["type"]
    blank = BLANK["locations"] | {"parent_name": row.get("parent_name")}
    return filled(blank, row, type=kind)


WRITERS: Final[Mapping[str, Callable[[Row], Row]]] = {
    "companies": company,
    "founders": founder,
    "team": member,
    "education": lambda row: _study(BLANK["education"], row),
    "career": lambda row: _post(BLANK["career"], row),
    "university": university,
    "investor": lambda row: _institution(BLANK["investor"], row),
    "lp-funds": manager,
    "funds": fund,
    "manager-funds": lambda row: _vehicle(BLANK["manager-funds"], row),
    "funding-rounds": round_,
    "news": article,
    "jobs": posting,
    "search": lambda row: filled(BLANK["search"], {}, **row),
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


def summarised(row: Row) -> Row:
    """The row as the summary view has it."""
    return {name: value for name, value in row.items() if name not in _FULL}


def _with_reference(blank: Row, key: str, record: Row) -> Row:
    """The blank with a reference to a record in place of the blank reference."""
    named = {"uuid": record["uuid"], "name": record["name"]}
    return blank | {key: filled(blank[key], named)}


def _held(row: Row, *names: str) -> list[str]:
    """The names of the blocks that hold data."""
    return [name for name in names if row[f"{name}_total"]]


def _moment(day: dt.date | None) -> str | None:
    return None if day is None else f"{day.isoformat()}T00:00:00.000Z"
