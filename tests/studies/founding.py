"""Founders in a line each: what they founded, where they worked and studied."""

import datetime as dt
from typing import Any

import polars as pl

from tests.studies.worlds import SCHEMAS
from ventureframe.interface.source import Origin, Source
from ventureframe.studies import founders
from ventureframe.studies.founders.study import Study

POST = {
    "founder_uuid": pl.String,
    "position": pl.Int64,
    "company_uuid": pl.String,
    "name": pl.String,
    "title": pl.String,
    "start_year": pl.Int64,
    "end_year": pl.Int64,
}
ENTRY = SCHEMAS["education"]
WHOLE = Origin(Source("small", as_of=dt.date(2013, 6, 17)), {"EUR": 1.0})


def frames(
    companies: str, posts: str = "", studies: str = "", missing: str = ""
) -> dict[str, Any]:
    """The frames of founders.

    `companies` is a line such as `A 2005: ana bo; B: ana`, a name, a founding year and
    the founders. `posts` and `studies` are `ana: Google*, Engineer, 2001; bo: Bolt`: an
    organisation with a star where its identifier is recorded, a title, or a degree and
    a field with a slash between, and the last year. The record of a founder that is
    `missing` was not returned.
    """
    firms, pairs, people = list[Any](), list[Any](), dict[str, None]()
    for part in filter(None, companies.split("; ")):
        head, _, founders_ = part.partition(":")
        name, *year = head.rsplit(" ", 1) if head[-1:].isdigit() else [head]
        firms.append((f"uuid {name}", name, int(year[0]) if year else None, None))
        pairs += [(f"uuid {name}", person) for person in founders_.split()]
        people |= dict.fromkeys(founders_.split())
    returned = [
        (one, one.title(), None) for one in people if one not in missing.split()
    ]
    firm = dict.fromkeys(("uuid", "name"), pl.String)
    return {
        "companies": pl.DataFrame(
            firms,
            {**firm, "launch_date": pl.Int64, "company_status": pl.String},
            orient="row",
        ),
        "company_founders": pl.DataFrame(
            pairs,
            dict.fromkeys(("company_uuid", "founder_uuid"), pl.String),
            orient="row",
        ),
        "founders": pl.DataFrame(
            returned, {**firm, "profile": pl.String}, orient="row"
        ),
        "prior_employers": pl.DataFrame(_entries(posts), POST, orient="row"),
        "education": pl.DataFrame(
            [
                (*entry[:4], *(*(entry[4] or "").split("/"), None)[:2], *entry[5:])
                for entry in _entries(studies)
            ],
            ENTRY,
            orient="row",
        ),
    }


def _entries(text: str) -> list[Any]:
    entries, positions = list[Any](), dict[str, int]()
    for part in filter(None, text.split("; ")):
        person, _, rest = part.partition(": ")
        name, *more = rest.split(", ")
        year = int(more.pop()) if more and more[-1].isdigit() else None
        at = positions[person] = positions.get(person, -1) + 1
        uuid = f"uuid {name[:-1]}" if name.endswith("*") else None
        title = more[0] if more else None
        entries.append((person, at, uuid, name.removesuffix("*"), title, None, year))
    return entries


def study(companies: str, posts: str = "", studies: str = "", **options: Any) -> Study:
    """The study of these founders."""
    missing = options.pop("missing", "")
    own = frames(companies, posts, studies, missing)
    return founders.find(**own, currency="EUR", **options)
