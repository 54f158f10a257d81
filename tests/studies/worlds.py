"""Small worlds to study: flat frames as the service's rows give them, and one that
is served.
"""

import atexit
import datetime as dt
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import polars as pl

from tests.fake import connected_on
from ventureframe.dataset.manifest import Description
from ventureframe.dataset.schema import TABLES
from ventureframe.studies import spinouts
from ventureframe_service.dataset import Dataset

HERE = "11111111-0000-0000-0000-000000000000"
NAMESAKE = "22222222-0000-0000-0000-000000000000"
ELSEWHERE = "33333333-0000-0000-0000-000000000000"
NAME = "Université <d'Été> & Söhne"


@dataclass(frozen=True)
class Uni:
    """A university, as much of it as an analysis needs."""

    uuid: str = HERE
    name: str = NAME
    founder_alumni_total: int | None = 7
    spinout_count: int | None = None


@dataclass(frozen=True)
class World:
    """Rows of each kind; `frames` turns them into the arguments of `spinouts.find`."""

    companies: list[dict[str, Any]] = field(default_factory=list)
    company_founders: list[dict[str, Any]] = field(default_factory=list)
    founders: list[dict[str, Any]] = field(default_factory=list)
    education: list[dict[str, Any]] = field(default_factory=list)

    def frames(self) -> dict[str, Any]:
        return {
            name: pl.DataFrame(getattr(self, name), schema=schema)
            for name, schema in SCHEMAS.items()
        }


SCHEMAS: dict[str, dict[str, Any]] = {
    "companies": {
        "uuid": pl.String,
        "name": pl.String,
        "launch_date": pl.Int64,
        "company_status": pl.String,
        "hq_city": pl.String,
        "hq_country": pl.String,
        "is_spinout": pl.Boolean,
        "total_funding": pl.Float64,
        "website_domain": pl.String,
    },
    "company_founders": {
        "company_uuid": pl.String,
        "position": pl.Int64,
        "founder_uuid": pl.String,
    },
    "founders": {"uuid": pl.String, "name": pl.String},
    "education": {
        "founder_uuid": pl.String,
        "position": pl.Int64,
        "university_uuid": pl.String,
        "university_name": pl.String,
        "degree": pl.String,
        "major": pl.String,
        "start_year": pl.Int64,
        "end_year": pl.Int64,
    },
}


def company(uuid: str, **values: Any) -> dict[str, Any]:
    return {"uuid": uuid, "name": f"Company {uuid}"} | values


def founds(company_uuid: str, *founders: str) -> list[dict[str, Any]]:
    return [
        {"company_uuid": company_uuid, "position": position, "founder_uuid": founder}
        for position, founder in enumerate(founders)
    ]


def entry(founder: str, position: int = 0, **values: Any) -> dict[str, Any]:
    return {"founder_uuid": founder, "position": position} | values


WORLD = World(
    companies=[
        company("A", launch_date=2005, total_funding=1_500_000.25, is_spinout=True),
        company("B", launch_date=2001, total_funding=0.1, name='=$1+<b>"x", 株式会社'),
        company("C", is_spinout=False),
        company("D", launch_date=1999, total_funding=9e9),
        company("E"),
    ],
    company_founders=[
        *founds("A", "ana", "bo"),
        *founds("B", "ana"),
        *founds("C", "cy", "bo"),
        *founds("D", "di", "no", "gone", "na"),
    ],
    founders=[
        {"uuid": "ana", "name": "Ana $mith"},
        {"uuid": "bo", "name": None},
        {"uuid": "cy", "name": "Cy"},
        {"uuid": "di", "name": "Di"},
        {"uuid": "no", "name": "No Entry"},
        {"uuid": "na", "name": "Namesake"},
        {"uuid": "unasked", "name": "Founder of nothing here"},
    ],
    education=[
        entry(
            "ana",
            0,
            university_uuid=HERE,
            university_name=NAME,
            end_year=2000,
            degree="BSc",
        ),
        entry(
            "ana",
            1,
            university_uuid=HERE,
            university_name=NAME,
            end_year=2003,
            degree="MBA",
        ),
        entry("ana", 2, university_uuid=ELSEWHERE, university_name="Elsewhere"),
        entry(
            "bo",
            0,
            university_uuid=ELSEWHERE,
            university_name="Elsewhere",
            end_year=1990,
        ),
        entry("cy", 0, university_uuid=HERE, university_name="another spelling"),
        entry("di", 0, university_uuid=ELSEWHERE, university_name="Elsewhere"),
        entry("di", 1, university_name=NAME.upper(), end_year=1980),
        entry("na", 0, university_uuid=NAMESAKE, university_name=NAME),
        entry("unasked", 0, university_uuid=HERE, university_name=NAME),
    ],
)
"""Every state but one per founder, a namesake, a candidate, missing and awkward
values.
"""


def studied(world: World = WORLD) -> spinouts.Study:
    """The study of a world."""
    return spinouts.find(**world.frames(), university=Uni(), currency="EUR")


_ABOUT = Description(
    "small world", "Nothing in it is real.", dt.date(2026, 6, 30), True, "CC0", ()
)
_SMALL = Path(__file__).parent / "told" / "world.txt"


def key(name: str) -> Any:
    """The identifier of a record of the world."""
    return str(uuid5(NAMESPACE_URL, name)) if name else None


def value(name: str, kind: Any, text: str) -> Any:
    """A cell of the world: names stand for identifiers, commas part a list."""
    if isinstance(kind, pl.List) and isinstance(kind.inner, pl.Struct):
        record, _, named = text.partition(": ")
        entry = dict.fromkeys(field.name for field in kind.inner.fields)
        facts = {
            "university_uuid": key(record),
            "university_name": named,
            "end_year": 2010,
        }
        return [entry | facts | {"degree": "BSc"}] if named else []
    if isinstance(kind, pl.List):
        parts = text.split(", ") if text else []
        return [key(part) if kind.inner == pl.String else int(part) for part in parts]
    if not text:
        return None
    if name == "entity_id" or name.endswith("uuid"):
        return key(text)
    if kind in (pl.Boolean, pl.Date):
        return text == "yes" if kind == pl.Boolean else dt.date.fromisoformat(text)
    return (
        text if kind == pl.String else float(text) if kind == pl.Float64 else int(text)
    )


@cache
def folder(*, has_sites: bool = False) -> Path:
    """A dataset folder of the world in `told/world.txt`; its companies can have sites."""
    tables = {}
    for block in _SMALL.read_text("utf-8").split("# ")[1:]:
        table, *lines = block.strip().splitlines()
        names, *rows = ([cell.strip() for cell in line.split("|")] for line in lines)
        kinds = {**TABLES[table].columns, "is_withheld": pl.Boolean()}
        made = []
        for at, row in enumerate(rows, 1):
            cells = {
                "id": f"{at}",
                "uuid": row[0],
                **dict(zip(names, row, strict=True)),
            }
            made.append(
                [value(name, kinds[name], cells.get(name, "")) for name in kinds]
            )
        tables[table] = pl.DataFrame(made, kinds, orient="row")
    if has_sites:
        host = pl.col("name").str.to_lowercase().str.replace(" ", "") + ".example"
        own = tables["companies"].with_columns(website_domain=host)
        towns = pl.col("name").replace({"Germany": "Berlin", "France": "Paris"})
        places = tables["locations"].with_columns(towns, type=pl.lit("city"))
        tables |= {"companies": own, "locations": places}
    place = tempfile.mkdtemp(prefix="told-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return Dataset.of(_ABOUT, tables).write(place)


@cache
def service(wire: str = "interface", *, has_sites: bool = False) -> Any:
    context = connected_on(wire, folder(has_sites=has_sites))
    atexit.register(context.__exit__, None, None, None)
    return context.__enter__()
