"""The table of the newer wire is held against the vendor's document and examples, and
against rows written by hand; each of twenty wrong entries is found.
"""

import dataclasses
import datetime as dt
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

import polars as pl
import pytest

from tests import fake
from tests.conftest import ROOT
from tests.fake.rows import BLANK
from tests.faults import connected
from tests.service.sample.sample import sample
from ventureframe.client.decode import decode
from ventureframe.client.query import Query
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, VentureframeError
from ventureframe.interface.filters import company
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.generations import WIRE_2026_10_02 as WIRE
from ventureframe.interface.wire.profile import (
    At,
    Each,
    Limit,
    Of,
    Profile,
    Rule,
    Term,
    Where,
)
from ventureframe_service import run
from ventureframe_service.dataset import Dataset

SPEC: Final = ROOT.parent / "shared" / "spec"
KELPWAVE = "1f5ad3c4-6b27-4c1e-9d70-5be2a9c3e802"
TERN_RIDGE = "d6a2b9f3-0c84-4e57-a1d9-6f30c7e5b806"
NORRVIK = "7c0b6f52-91de-4b0e-8a35-2f4f0d1c9a01"
READ: dict[str, dict[str, Any]] = {
    "companies": {
        "uuid": KELPWAVE,
        "website_domain": "kelpwave.example",
        "hq_city": "Norrvik",
        "hq_continent": "Europe",
        "launch_date": 2021,
        "launch_date_text": "2021-03",
        "team_size": 34,
        "total_funding": 9_400_000.0,
        "company_status": "operational",
        "is_startup": True,
        "is_spinout": True,
        "is_hiring": True,
        "open_jobs_count": 2,
        "signal_rating": 78.0,
    },
    "founders": {
        "name": "Person A",
        "education": [
            {
                "university_uuid": NORRVIK,
                "university_name": "Norrvik Institute of Technology",
                "degree": "Master",
                "major": "Ocean engineering",
                "start_year": 2011,
                "end_year": 2016,
            }
        ],
        "education_more": 0,
    },
    "funding-rounds": {
        "round_type": "Series A",
        "amount": 6_000_000.0,
        "investors": [{"uuid": TERN_RIDGE, "name": "Tern Ridge Capital"}],
    },
    "lp-funds": {"uuid": TERN_RIDGE, "hq_city": "Ostrand", "hq_country": "Norland"},
    "funds": {
        "fund_date": dt.date(2025, 4, 9),
        "amount_source": {"amount": 110_000_000.0, "currency": "EUR"},
        "manager": {"uuid": TERN_RIDGE, "name": "Tern Ridge Capital"},
    },
    "manager-funds": {
        "id": 88011,
        "amount": 119_000_000.0,
        "is_closed": True,
        "manager": None,
    },
    "news": {"publish_date": dt.date(2024, 11, 20), "entity_ids": [KELPWAVE]},
    "jobs": {"date_posted": dt.date(2026, 9, 21), "entity_id": KELPWAVE},
}
"""What the vendor's example of an endpoint says."""


def stated(name: str) -> dict[str, Any]:
    """A file of the vendor's document; a test that needs it says when it is absent."""
    path = SPEC / f"wire-2026-10-02.{name}.json"
    if not path.is_file():
        pytest.skip("the document of the newer wire is not beside this checkout")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


@cache
def examples() -> dict[str, dict[str, Any]]:
    """The example reply of each endpoint that lists rows, in full."""
    names = {f"GET {path}": name for name, path in WIRE.paths.items()}
    return {
        names[example["endpoint"]]: example["body"]
        for example in stated("examples")["examples"]
        if names.get(example["endpoint"]) in READ
        and example["status"] == 200
        and example.get("variant") != "summary"
    }


@pytest.mark.parametrize("endpoint", READ)
def test_a_complete_row_is_read_as_it_says_and_the_fake_writes_every_key_of_it(
    endpoint: str,
) -> None:
    body, shape = examples()[endpoint], WIRE.shapes[endpoint]
    reply = Reply("/data/x", json.dumps(body).encode(), {})
    chunk = decode([reply], shape, profile=WIRE)
    assert chunk.absent == frozenset()
    row = chunk.frame.select(pl.col(*READ[endpoint])).row(0, named=True)
    assert row == READ[endpoint]
    assert body["data"][0].keys() - {"locked"} == BLANK[endpoint].keys()


def not_as_documented(wire: Profile) -> Iterator[str]:
    """What the table says otherwise than the vendor's document."""
    endpoints = stated("params")["endpoints"]
    for name, path in wire.paths.items():
        key = re.sub(r"(?<=filters/)[^/]+(?=/values)", "{key}", path)
        found = endpoints.get(f"GET {key}")
        if found is None and name not in ("career", "dataset"):
            yield f"path of {name}"
        limit = {} if found is None else found["query"].get("limit", {})
        most = limit.get("maximum", limit.get("maximum_meaning"))
        if most is not None and most != wire.limits[name].maximum:
            yield f"limit of {name}"
    known = set(endpoints["GET /data/companies"]["filter"]["keys_in_document"])
    labels = stated("schema")["$defs"]["e_classification"]["enum"]
    for name, term in wire.filters.items():
        # these three are in the list of a key's holder, not in the document
        is_listed = term.key in {*known, "id", "status", "founder__university.id"}
        if not is_listed or (term.label and term.label not in labels):
            yield f"filter {name}"


Frames = Mapping[str, pl.DataFrame | str]
_STUDY: Final = ("university_uuid", "degree", "major", "start_year", "end_year")
ASKED: Final[Mapping[str, Callable[[Service, Dataset], pl.DataFrame]]] = {
    "companies": lambda svc, _: companies(svc),
    "startups": lambda svc, _: uuids(
        svc.companies.where(company.is_startup == True)  # noqa: E712
    ),
    "operational": lambda svc, _: uuids(
        svc.companies.where(company.company_status == "operational").sort("-team_size")
    ),
    "tagged": lambda svc, data: uuids(
        svc.companies.where(company.tag_id == data.tables["tags"]["id"][0])
    ),
    "founders": lambda svc, _: founders(svc),
    "rounds": lambda svc, data: (
        svc.rounds_of(data.tables["funding_rounds"]["company_uuid"].unique().sort()[:5])
        .fetch()
        .to_polars()
        .drop("amount_source")
        .with_columns(pl.col("investors").fill_null([]))
    ),
    "managers": lambda svc, data: (
        svc.managers_of(data.tables["lp_managers"]["lp_uuid"][0]).fetch().to_polars()
    ),
    "funds": lambda svc, _: svc.funds.currency("EUR").fetch().to_polars(),
    "news": lambda svc, _: svc.news.fetch().to_polars(),
    "jobs": lambda svc, _: (
        svc.jobs.fetch().to_polars().drop_nulls("entity_id").sort("id")
    ),
    "university": lambda svc, data: pl.DataFrame(
        [
            svc.university(row["name"], domain=row["website_domain"])
            for row in data.tables["universities"].head(3).to_dicts()
        ]
    ),
    "groups": lambda svc, _: svc.aggregate(
        "companies", group_by="company_status"
    ).to_polars(),
}
"""What is asked of a service on either wire, without what only one of them says."""


def uuids(query: Query) -> pl.DataFrame:
    return query.fetch().to_polars().select("uuid", "team_size")


def companies(svc: Service) -> pl.DataFrame:
    """A label that is not set says nothing there, nor does a count of no jobs."""
    rows = svc.companies.with_all("founders").fetch().to_polars().sort("uuid")
    is_told = pl.col("is_hiring").is_not_null()
    jobs = pl.col("open_jobs_count")
    return rows.select(
        pl.exclude(
            "is_startup", "is_spinout", "open_jobs_count", "founders", "^.*_text$"
        ),
        pl.col("is_startup", "is_spinout").fill_null(value=False),
        pl.when(is_told).then(jobs.fill_null(0)).otherwise(jobs),
        pl.col("founders").list.sort(),
    )


def founders(svc: Service) -> pl.DataFrame:
    """Entries that name no record are not said there; a past role is a post there."""
    rows = svc.founders.with_all("prior_employers").fetch()
    entries = rows.to_polars("education").drop_nulls("university_uuid")
    posts = rows.to_polars("prior_employers").drop_nulls(["company_uuid", "title"])
    links = rows.to_polars().select("uuid", "name", pl.col("profile_links").struct[0])
    studies = entries.select("founder_uuid", *_STUDY).sort(pl.all())
    held = posts.select("founder_uuid", "company_uuid", "name", "title").sort(pl.all())
    return pl.concat([links, studies, held], how="diagonal")


def answers(svc: Service, data: Dataset) -> Frames:
    """The answer to each question, or the words of its error or warning."""
    found: dict[str, pl.DataFrame | str] = {}
    for name, ask in ASKED.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", EvidenceWarning)
                found[name] = ask(svc, data)
        except (VentureframeError, EvidenceWarning, pl.exceptions.PolarsError) as error:
            found[name] = repr(error)
    return found


@pytest.fixture(scope="module")
def data() -> Dataset:
    """The sample, with rounds of a type that the wire has no standard name for, and
    no count of jobs where nothing is said of hiring.
    """
    made = sample(companies=60)
    kind = pl.col("round_type").replace({"Seed": "Convertible"})
    jobs = pl.when(pl.col("is_hiring").is_not_null()).then("open_jobs_count")
    changed = {
        "funding_rounds": made.tables["funding_rounds"].with_columns(kind),
        "companies": made.tables["companies"].with_columns(jobs),
    }
    return Dataset.of(made.description, {**made.tables, **changed})


@pytest.fixture(scope="module")
def older(data: Dataset) -> Frames:
    with run.start(data) as running, connected(running) as svc:
        return answers(svc, data)


@pytest.fixture(scope="module")
def newer(data: Dataset) -> Iterator[run.Running]:
    with fake.start(data) as running:
        yield running


def differences(
    wire: Profile, running: run.Running, data: Dataset, older: Frames
) -> list[str]:
    """What shows that the table is wrong."""
    found = [*not_as_documented(wire)]
    if not found:  # else a request or two tell
        with connected(running, profile=wire) as svc:
            for name, answer in answers(svc, data).items():
                before = older[name]
                is_same = (
                    isinstance(answer, pl.DataFrame)
                    and isinstance(before, pl.DataFrame)
                    and answer.equals(before)
                )
                if not is_same:
                    found.append(f"{name}: {answer!r:.2000} {before!r:.2000}")
    return found


def test_the_table_is_as_documented_and_gives_the_frames_of_the_older_wire(
    newer: run.Running, data: Dataset, older: Frames
) -> None:
    assert differences(WIRE, newer, data, older) == []


def reading(endpoint: str, **columns: Rule) -> dict[str, Any]:
    """A table that reads these columns of an endpoint elsewhere."""
    shape = WIRE.shapes[endpoint]
    other = dataclasses.replace(shape, columns={**shape.columns, **columns})
    return {"shapes": {**WIRE.shapes, endpoint: other}}


def asking(**terms: Term) -> dict[str, Any]:
    return {"filters": {**WIRE.filters, **terms}}


def paged(name: str, most: int) -> dict[str, Any]:
    return {"limits": {**WIRE.limits, name: Limit(25, most)}}


WRONG: Final[Mapping[str, dict[str, Any]]] = {
    "team size is the count of jobs": reading(
        "companies", team_size=At("jobs.open_count")
    ),
    "headquarters are where it was founded": reading(
        "companies",
        hq_city=Of("locations", "city.name", where=Where("role", "founding")),
    ),
    "a founder is an entry": reading(
        "companies", founders=Of("founders.items", "uuid")
    ),
    "a tag's type is its name": reading(
        "companies",
        tags=Each("taxonomy", {"id": At("id"), "name": At("name"), "type": At("name")}),
    ),
    "jobs are counted where hiring is unknown": reading(
        "companies", open_jobs_count=At("jobs.open_count")
    ),
    "a present post is a prior one": reading(
        "founders",
        prior_employers=Each(
            "career.items",
            {"company_uuid": At("company.uuid"), "title": At("raw_title")},
        ),
    ),
    "studies begin when they end": reading(
        "founders",
        education=Each(
            "education.items",
            {
                "university_uuid": At("university.uuid"),
                "degree": At("degree.name"),
                "major": At("majors", form="names"),
                "start_year": At("end_date", form="year"),
                "end_year": At("end_date", form="year"),
            },
        ),
    ),
    "a round's type is only the standard one": reading(
        "funding-rounds", round_type=At("standardized_round")
    ),
    "a manager is a fund": reading("lp-funds", name=At("investor.tagline")),
    "a fund is closed where it has a size": reading("funds", is_closed=At("amount")),
    "news are about the first company": reading(
        "news", entity_id=Of("entities", "entity.name")
    ),
    "alumni are all alumni": reading(
        "university", founder_alumni_total=At("alumni.count")
    ),
    "a status goes by its old name": asking(company_status=Term("company_status")),
    "a startup is another label": asking(
        is_startup=Term("classification", label="start-up")
    ),
    "pages of jobs are larger": paged("jobs", 5000),
    "teams are members": {
        "paths": {**WIRE.paths, "team": "/data/companies/{id}/members"}
    },
    "a size is sorted by its old name": {"sorts": {}},
    "groups go by their old name": {"groups": {}},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_entry_of_the_table_is_found(
    name: str, newer: run.Running, data: Dataset, older: Frames
) -> None:
    wrong = dataclasses.replace(WIRE, **WRONG[name])
    assert differences(wrong, newer, data, older) != []
