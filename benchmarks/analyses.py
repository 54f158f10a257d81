"""The three studies over frames of a hundred thousand companies, and of a thousand LPs.

    python benchmarks/analyses.py [--companies 100000] [--lps 1000] [--managers 5000]
    [--repeat 3]

Frames are made once, with nulls, and repeated rows; nothing is fetched. Each study
is timed as an analyst calls it, on polars and on pandas frames, and beside it the
question at its heart in plain pandas: one join or group-by chain without states,
coverage, caveats, evidence or types. The counts both arrive at are compared. Each
figure is the best of the repeats, in seconds of CPU.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from ventureframe.client import frames
from ventureframe.interface import fields
from ventureframe.studies import exposure, hiring, spinouts
from ventureframe.studies.hiring.roles import ROLES

HERE = "00000000-0000-4000-8000-000000000000"
TITLES = (
    "Software Engineer",
    "Data Scientist",
    "Head of Sales",
    "Gardener",
    "Firmware Engineer",
)


class Harrow:
    """The university that the made-up founders studied at."""

    uuid = HERE
    name = "Harrow University"
    founder_alumni_total: int | None = None
    spinout_count: int | None = None


def ids(prefix: str, numbers: Any) -> pl.Series:
    return pl.Series([f"{prefix}{number:031x}" for number in numbers], dtype=pl.String)


def maybe(chance: np.random.Generator, values: Any, share: float) -> pl.Series:
    """The values with this share of them null."""
    drop = pl.Series(chance.random(len(values)) < share)
    return pl.select(pl.when(~drop).then(pl.Series(values)))[:, 0]


def filled(resource: fields.Resource, columns: Mapping[str, Any]) -> pl.DataFrame:
    """The columns in the resource's types, and its other fields null."""
    schema = frames.empty(resource).schema
    made = pl.DataFrame(columns)
    rest = [
        pl.lit(None, kind).alias(name)
        for name, kind in schema.items()
        if name not in columns
    ]
    return (
        made.cast({name: schema[name] for name in columns})
        .with_columns(rest)
        .select(*schema)
    )


def companies(chance: np.random.Generator, size: int) -> pl.DataFrame:
    return filled(
        fields.COMPANIES,
        {
            "uuid": ids("c", range(size)),
            "name": [f"Company {number}" for number in range(size)],
            "launch_date": maybe(chance, chance.integers(1990, 2026, size), 0.4),
            "hq_country": maybe(
                chance, chance.choice(["France", "Norway", "India"], size), 0.3
            ),
            "is_hiring": maybe(chance, chance.random(size) < 0.4, 0.1),
            "open_jobs_count": maybe(chance, chance.integers(0, 30, size), 0.5),
            "total_funding": maybe(chance, chance.lognormal(15, 2, size).round(2), 0.6),
        },
    )


def spinout_frames(chance: np.random.Generator, size: int) -> dict[str, pl.DataFrame]:
    people, links = size * 3 // 2, size * 2
    entries = people * 2
    typed = chance.choice([Harrow.name, "Elsewhere"], entries)
    named = chance.choice(
        [HERE, ids("u", [1])[0], ids("u", [2])[0]], entries, p=[0.3, 0.4, 0.3]
    )
    return {
        "companies": companies(chance, size),
        "company_founders": pl.DataFrame(
            {
                "company_uuid": ids("c", chance.integers(0, size, links)),
                "position": pl.Series([0] * links, dtype=pl.Int64),
                "founder_uuid": ids("f", chance.integers(0, people, links)),
            }
        ),
        "founders": pl.DataFrame(
            {
                "uuid": ids("f", range(people)),
                "name": [f"Founder {number}" for number in range(people)],
            }
        ),
        "education": pl.DataFrame(
            {
                "founder_uuid": ids("f", np.arange(entries) // 2),
                "position": np.arange(entries) % 2,
                "university_uuid": maybe(chance, named, 0.25),
                "university_name": maybe(chance, typed, 0.1),
                "degree": maybe(
                    chance, chance.choice(["BSc", "MBA", "PhD"], entries), 0.2
                ),
                "major": pl.Series([None] * entries, dtype=pl.String),
                "start_year": pl.Series([None] * entries, dtype=pl.Int64),
                "end_year": maybe(chance, chance.integers(1980, 2020, entries), 0.3),
            }
        ),
    }


def exposure_frames(
    chance: np.random.Generator, lps: int, managers: int
) -> dict[str, pl.DataFrame]:
    links, funds = lps * 50, managers * 8
    backed = chance.integers(0, managers, links)
    return {
        "lps": filled(
            fields.INVESTORS,
            {
                "uuid": ids("l", range(lps)),
                "name": [f"LP {number}" for number in range(lps)],
            },
        ),
        "lp_managers": (
            filled(
                fields.INVESTORS,
                {
                    "uuid": ids("m", backed),
                    "name": [f"Manager {number}" for number in backed],
                    "hq_country": pl.Series(
                        ["France", "Norway", None, "India"] * (links // 4)
                    ),
                },
            ).with_columns(lp_uuid=ids("l", np.arange(links) % lps))
        ),
        "funds": (
            filled(
                fields.FUNDS,
                {
                    "id": range(funds),
                    "name": [f"Fund {number}" for number in range(funds)],
                    "fund_date": maybe(
                        chance,
                        np.datetime64("2010-01-01") + chance.integers(0, 5000, funds),
                        0.1,
                    ),
                    "amount": maybe(
                        chance, chance.lognormal(18, 1, funds).round(2), 0.2
                    ),
                },
            ).with_columns(
                manager_uuid=ids("m", chance.integers(0, managers * 2 // 3, funds))
            )
        ),
    }


def hiring_frames(chance: np.random.Generator, size: int) -> dict[str, pl.DataFrame]:
    jobs, news = size * 3, size * 2
    titles = [
        f"{title} {number % 20_000}"
        for number, title in enumerate(chance.choice(TITLES, jobs))
    ]
    days = np.datetime64("2020-01-01") + chance.integers(0, 2200, jobs)
    linked = pl.DataFrame(
        {
            "news_item_id": np.arange(news),
            "entity_id": ids("c", chance.integers(0, size, news)),
        }
    )
    return {
        "companies": companies(chance, size),
        "jobs": filled(
            fields.JOBS,
            {
                "id": range(jobs),
                "title": maybe(chance, titles, 0.02),
                "date_posted": maybe(chance, days, 0.05),
                "entity_id": ids("c", chance.integers(0, size, jobs)),
            },
        ),
        "news": filled(fields.NEWS, {"id": range(news), "publish_date": days[:news]}),
        "news_companies": linked,
        "rounds": (
            filled(
                fields.FUNDING_ROUNDS,
                {
                    "id": range(size),
                    "year": maybe(chance, chance.integers(2000, 2026, size), 0.1),
                },
            ).with_columns(company_uuid=ids("c", chance.integers(0, size, size)))
        ),
    }


def plain_spinouts(given: Mapping[str, pd.DataFrame]) -> tuple[int, int]:
    """Founders with an entry at the university, and the companies they founded."""
    entries = given["education"][given["education"]["university_uuid"] == HERE]
    pairs = given["company_founders"].merge(entries, on="founder_uuid")
    found = pairs.merge(given["companies"], left_on="company_uuid", right_on="uuid")
    found = found.sort_values("total_funding", ascending=False)
    found.groupby("company_uuid")["total_funding"].first().sum()
    return found["founder_uuid"].nunique(), found["company_uuid"].nunique()


def plain_exposure(given: Mapping[str, pd.DataFrame]) -> tuple[int, int]:
    """Managers backed by two or more LPs, and managers with a fund."""
    links = given["lp_managers"].drop_duplicates(["lp_uuid", "uuid"])
    managers = links.groupby("uuid").agg(
        lps=("lp_uuid", "nunique"), name=("name", "first")
    )
    funds = (
        given["funds"].drop_duplicates("id").sort_values("fund_date", ascending=False)
    )
    latest = funds.groupby("manager_uuid")[["name", "fund_date", "amount"]].first()
    both = managers.join(latest.rename(columns={"name": "fund"}), how="left")
    raised = both.index.isin(funds["manager_uuid"])
    return int((both["lps"] > 1).sum()), int(raised.sum())


def plain_hiring(given: Mapping[str, pd.DataFrame]) -> tuple[int, int]:
    """Companies with a posting, and postings whose title has a keyword as it stands
    in the list.
    """
    jobs = given["jobs"].merge(given["companies"], left_on="entity_id", right_on="uuid")
    words = {
        re.escape(word.strip("[]")) for family in ROLES.values() for word in family
    }
    found = jobs["title"].str.contains(rf"(?i)\b(?:{'|'.join(words)})\b", regex=True)
    jobs.groupby(jobs["date_posted"].dt.strftime("%Y-%m")).size()
    jobs.groupby("entity_id").size().sort_values(ascending=False)
    return jobs["entity_id"].nunique(), int(found.fillna(value=False).sum())


def best(call: Callable[..., Any], given: Any, repeat: int) -> tuple[float, Any]:
    """The least CPU time that the call took, and its answer."""
    times = []
    for _ in range(repeat):
        started = time.process_time()
        answer = call(given)
        times.append(time.process_time() - started)
    return min(times), answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--companies", type=int, default=100_000)
    parser.add_argument("--lps", type=int, default=1_000)
    parser.add_argument("--managers", type=int, default=5_000)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    chance = np.random.default_rng(20260630)
    cases = (
        (
            "spinouts.find",
            spinout_frames(chance, args.companies),
            find_spinouts,
            plain_spinouts,
        ),
        (
            *("exposure.find", exposure_frames(chance, args.lps, args.managers)),
            *(find_exposure, plain_exposure),
        ),
        (
            "hiring.find",
            hiring_frames(chance, args.companies),
            find_hiring,
            plain_hiring,
        ),
    )
    print(
        "| analysis | rows in | polars | pandas | plain pandas, its core only |"
        " coverage table |"
    )
    print("|---|---|---|---|---|---|")
    for name, given, find, plain in cases:
        in_pandas = {key: frames.to_pandas(frame) for key, frame in given.items()}
        fast, (study, counts) = best(find, given, args.repeat)
        slow, (_, same) = best(find, in_pandas, args.repeat)
        core, expected = best(plain, in_pandas, args.repeat)
        assert counts == same == expected, (name, counts, same, expected)
        shown, _ = best(table, study, args.repeat)
        size = sum(map(len, given.values()))
        print(
            f"| `{name}` | {size:,} | {fast:.2f} | {slow:.2f} | {core:.2f} |"
            f" {shown:.3f} |"
        )


def find_spinouts(given: Mapping[str, Any]) -> tuple[Any, tuple[int, int]]:
    study = spinouts.find(**given, university=Harrow(), currency="USD")
    return study, (study.counts.founders_evidenced, study.counts.companies_evidenced)


def find_exposure(given: Mapping[str, Any]) -> tuple[Any, tuple[int, int]]:
    study = exposure.find(**given, currency="USD")
    return study, (study.counts.managers_shared, study.counts.managers_with_funds)


def find_hiring(given: Mapping[str, Any]) -> tuple[Any, tuple[int, int]]:
    study = hiring.find(**given, currency="USD")
    return study, (
        study.counts.companies_with_postings,
        study.counts.postings_in_family,
    )


def table(study: Any) -> str:
    return study.coverage._repr_html_()


if __name__ == "__main__":
    main()
