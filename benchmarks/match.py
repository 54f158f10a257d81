"""A list of a hundred thousand rows held against a million companies, beside plain
merges.

    python benchmarks/match.py [--rows 100000] [--companies 1000000]

Names are made up; half of the list is in the records, and half of that with a web
address. The peers are the two merges of pandas that an analyst writes by hand: on
the address without scheme and `www.`, and on the name in lower case. They give no
grade, count no namesakes and lose rows where a name is written otherwise. With each
stand its seconds, and of the rows that are in the records how many were found
rightly and how many wrongly.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
import pandas as pd
import polars as pl

import ventureframe as vf
from ventureframe.bulk import Frames
from ventureframe.interface.source import Origin, Source

SYLLABLES = [a + b for a in "bcdfghklmnprstvz" for b in "aeiou"]
CITIES = ["London", "Paris", "Oslo", "Berlin", "Austin"]


def names(chance: np.random.Generator, size: int) -> list[str]:
    drawn = chance.choice(SYLLABLES, (size, 5))
    return [f"{''.join(row[:3]).title()} {''.join(row[3:]).title()}" for row in drawn]


def made(size: int, rows: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The records, and a list with the index of the record that each of its rows
    means, or null.
    """
    chance = np.random.default_rng(1)
    known, cities = names(chance, size), chance.choice(CITIES, size)
    domains = [
        f"{name.lower().replace(' ', '')}{at % 7}.com" for at, name in enumerate(known)
    ]
    years = chance.integers(1990, 2026, size)
    records = pl.DataFrame(
        {
            "uuid": [f"{at:032x}" for at in range(size)],
            "name": known,
            "website_domain": domains,
        }
    ).with_columns(
        hq_city=pl.Series(cities), launch_date=pl.Series(years, dtype=pl.Int32)
    )
    meant = [*chance.choice(size, rows // 2, replace=False), *[None] * (rows // 2)]
    others = iter(names(chance, rows))
    listed = [
        (
            (
                f"{known[at]} Inc.",
                f"https://www.{domains[at]}/" if n % 2 else None,
                cities[at],
                at,
            )
            if at is not None
            else (next(others), None, "Oslo", None)
        )
        for n, at in enumerate(meant)
    ]
    return records, pl.DataFrame(
        listed, ["Company", "Website", "City", "meant"], orient="row"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--companies", type=int, default=1_000_000)
    options = parser.parse_args()
    records, given = made(options.companies, options.rows)
    frames = Frames(companies=records.lazy(), origin=Origin(Source("made up"), {}))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.perf_counter()
    found = vf.match(frames, given.drop("meant"))
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(repr(found))
    used = found.graded["record_uuid"].str.to_integer(
        base=16, strict=False, dtype=pl.Int64
    )
    told("match", took, used.to_list(), given)
    print(
        f"peak {peak:,.0f} MB, of which the made-up records and the list"
        f" {before:,.0f} MB"
    )
    theirs = (
        records.with_row_index("at").select("at", "name", "website_domain").to_pandas()
    )
    theirs["name"] = theirs["name"].str.lower()
    hers = given.select("Company", "Website").to_pandas()
    began = time.perf_counter()
    hers["name"] = hers["Company"].str.lower()
    hers["website_domain"] = hers["Website"].str.replace(
        r"^https?://(www\.)?|/$", "", regex=True
    )
    for key in ("website_domain", "name"):
        known = theirs.dropna(subset=key).drop_duplicates(key)
        merged = hers.merge(known, on=key, how="left")["at"]
        told(f"merge on {key}", time.perf_counter() - began, merged.tolist(), given)


def told(what: str, took: float, used: list[float | None], given: pl.DataFrame) -> None:
    pairs = [
        (use, at)
        for use, at in zip(used, given["meant"], strict=True)
        if not pd.isna(use)
    ]
    right = sum(use == at for use, at in pairs)
    print(f"{what}: {took:.1f} s, {right:,} right and {len(pairs) - right:,} wrong")


if __name__ == "__main__":
    main()
