"""A dataset folder of any size for the benchmarks: invented, seeded, shaped like the
real thing.

python benchmarks/dataset.py FOLDER --companies 1000000
"""

from __future__ import annotations

import argparse
import datetime as dt
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from ventureframe.dataset.manifest import Description
from ventureframe.dataset.schema import TABLES
from ventureframe_service.dataset import Dataset

AS_OF = dt.date(2026, 6, 30)
CURRENCIES = ("USD", "EUR", "GBP")
SYLLABLES = (
    "al",
    "bor",
    "cen",
    "dra",
    "el",
    "fin",
    "gor",
    "hal",
    "is",
    "jun",
    "kel",
    "lum",
)
SYLLABLES += (
    "mar",
    "nor",
    "or",
    "pel",
    "qui",
    "ros",
    "sil",
    "tam",
    "ul",
    "ver",
    "win",
    "zen",
)
CONTINENTS = ("Africa", "Asia", "Europe", "North America", "Oceania", "South America")


class World:
    """Draws columns from one seed."""

    def __init__(self, companies: int, *, seed: int = 7) -> None:
        self.draw = np.random.default_rng(seed)
        self.count = {
            "companies": companies,
            "founders": companies * 3 // 2,
            "funds": companies * 3 // 10,
            "news": companies,
            "jobs": companies // 10,
            "funding_rounds": companies // 10,
            "universities": max(50, companies // 50),
            "investors": max(100, companies // 16),
            "tags": 1_000,
        }

    def uuids(self, count: int) -> pl.Series:
        """Random UUIDs in ascending order."""
        digits = np.frombuffer(self.draw.bytes(16 * count).hex().encode(), np.uint8)
        text = np.full((count, 36), ord("-"), np.uint8)
        at = [place for place in range(36) if place not in (8, 13, 18, 23)]
        text[:, at] = digits.reshape(count, 32)
        ends = np.arange(0, 36 * count + 1, 36, dtype=np.int64)
        made = pa.LargeStringArray.from_buffers(
            count, pa.py_buffer(ends), pa.py_buffer(text.tobytes())
        )
        return pl.Series(pl.from_arrow(made)).sort()

    def ids(self, count: int) -> pl.Series:
        """Random 44-bit numbers in ascending order."""
        return pl.Series(
            np.sort(self.draw.choice(2**44, count * 2)), dtype=pl.Int64
        ).unique(maintain_order=True)[:count]

    def words(self, count: int, parts: int, end: str = "") -> pl.Series:
        """Invented names of so many syllables."""
        drawn = [
            pl.Series(SYLLABLES).gather(self.draw.integers(0, len(SYLLABLES), count))
            for _ in range(parts)
        ]
        name = pl.concat_str([pl.lit(part) for part in drawn]).str.to_titlecase() + end
        return pl.select(name).to_series()

    def among(self, values: pl.Series, count: int, *, skew: float = 1.0) -> pl.Series:
        """Values drawn with the first ones more often, the more so the greater the
        skew.
        """
        at = (self.draw.random(count) ** skew * len(values)).astype(np.int64)
        return values.gather(at)

    def maybe(self, values: pl.Series, missing: float) -> pl.Series:
        """The values with a share of them null."""
        kept = pl.Series(self.draw.random(len(values)) >= missing)
        return pl.select(pl.when(kept).then(values)).to_series()

    def lists(
        self, values: pl.Series, count: int, most: int, skew: float = 1.0
    ) -> pl.Series:
        """Lists of up to so many different values."""
        sizes = self.draw.integers(0, most + 1, count)
        flat = pl.DataFrame(
            {
                "row": np.repeat(np.arange(count, dtype=np.uint32), sizes),
                "value": self.among(values, int(sizes.sum()), skew=skew),
            }
        )
        return self.grouped(flat, count)

    def grouped(self, flat: pl.DataFrame, count: int) -> pl.Series:
        """`value` of the rows of `flat` as one list per `row`, empty where there is
        none.
        """
        lists = flat.group_by("row").agg(pl.col("value").unique(maintain_order=True))
        rows = pl.DataFrame({"row": np.arange(count, dtype=np.uint32)})
        joined = rows.join(lists, on="row", how="left", maintain_order="left")["value"]
        return joined.fill_null(pl.Series([[]], dtype=joined.dtype))

    def days(self, count: int) -> pl.Series:
        """Days of the last twenty years."""
        first = (dt.date(2006, 1, 1) - dt.date(1970, 1, 1)).days
        last = (AS_OF - dt.date(1970, 1, 1)).days
        return pl.Series(self.draw.integers(first, last, count), dtype=pl.Int32).cast(
            pl.Date
        )

    def numbers(self, count: int, most: float, digits: int = 1) -> pl.Series:
        """Numbers from nought."""
        return pl.Series(np.round(self.draw.random(count) * most, digits))

    def amounts(self, count: int) -> pl.Series:
        """Amounts of money: many small, few large."""
        return pl.Series(np.round(10 ** (4.5 + 4 * self.draw.random(count))))

    def flags(self, count: int, share: float) -> pl.Series:
        """Flags, true for this share."""
        return pl.Series(self.draw.random(count) < share)


def places(world: World) -> pl.DataFrame:
    """Continents, thirty countries in each, thirty cities in each of those."""
    rows: list[tuple[int, str, str, int | None]] = []
    for continent in CONTINENTS:
        above = len(rows) + 1
        rows.append((above, continent, "continent", None))
        for country in world.words(30, 3):
            land = len(rows) + 1
            rows.append((land, country, "country", above))
            rows += [
                (len(rows) + 1 + n, city, "city", land)
                for n, city in enumerate(world.words(30, 2))
            ]
    return pl.DataFrame(rows, schema=dict(TABLES["locations"].columns), orient="row")


def tables(companies: int, *, education: float = 0.9) -> dict[str, pl.DataFrame]:
    """The tables of a world with so many companies, and education entries a founder."""
    world = World(companies)
    n = world.count
    made: dict[str, dict[str, object]] = {}
    locations = places(world)
    cities = locations.filter(pl.col("type") == "city")["id"]
    tag_ids = world.ids(n["tags"])
    made["tags"] = {
        "id": tag_ids,
        "label": world.words(n["tags"], 3),
        "type": world.among(pl.Series(["sector", "technology", "industry"]), n["tags"]),
    }
    universities = world.uuids(n["universities"])
    names = world.words(n["universities"], 4, " University")
    made["universities"] = {
        "uuid": universities,
        "name": names,
        "website_domain": (
            pl.select(names.str.to_lowercase().str.slice(0, 8) + ".edu").to_series()
        ),
        "founder_alumni_total": world.maybe(
            pl.Series(world.draw.integers(1, 900, n["universities"]), dtype=pl.Int32),
            0.3,
        ),
        "spinout_count": world.maybe(
            pl.Series(world.draw.integers(1, 90, n["universities"]), dtype=pl.Int32),
            0.7,
        ),
        "city": world.words(n["universities"], 2),
        "country": world.words(n["universities"], 2),
    }
    investors = world.uuids(n["investors"])
    made["investors"] = {
        "uuid": investors,
        "name": world.words(n["investors"], 3, " Capital"),
        "website_domain": world.maybe(world.words(n["investors"], 3, ".example"), 0.3),
        "hq_city": world.words(n["investors"], 2),
        "hq_country": world.words(n["investors"], 2),
        "is_lp": world.flags(n["investors"], 0.05),
    }
    links = pl.DataFrame(
        {
            "lp_uuid": world.among(investors, n["investors"] // 2, skew=3),
            "manager_uuid": world.among(investors, n["investors"] // 2),
        }
    ).unique()
    made["funds"] = {
        "id": world.ids(n["funds"]),
        "name": world.words(n["funds"], 3, " Fund"),
        "manager_uuid": world.among(investors, n["funds"], skew=1.5),
        "fund_date": world.maybe(world.days(n["funds"]), 0.08),
        "fund_type": world.among(
            pl.Series(["Venture Capital", "Private Equity", "Other"]), n["funds"]
        ),
        "amount": world.maybe(world.amounts(n["funds"]), 0.15),
        "amount_currency": world.among(pl.Series(CURRENCIES), n["funds"], skew=2),
        "is_closed": world.maybe(world.flags(n["funds"], 0.6), 0.2),
        "source_url": world.words(n["funds"], 4, ".example/announcement"),
    }
    founders = world.uuids(n["founders"])
    made["founders"] = founder_columns(world, founders, universities, names, education)
    keys = world.uuids(companies)
    owner = world.draw.integers(0, companies, n["founders"])
    owner = np.where(world.draw.random(n["founders"]) < 0.3, owner // 2, owner)
    made["companies"] = company_columns(
        world,
        keys,
        cities,
        tag_ids,
        pl.DataFrame({"row": owner.astype(np.uint32), "value": founders}),
    )
    made["news"] = {
        "id": world.ids(n["news"]),
        "title": world.words(n["news"], 6, " raises new funding to grow"),
        "publish_date": world.maybe(world.days(n["news"]), 0.05),
        "entity_ids": world.lists(keys, n["news"], 2, skew=1.5),
        "url": world.words(n["news"], 5, ".example/story"),
        "source": world.words(n["news"], 2, " News"),
    }
    made["jobs"] = {
        "id": world.ids(n["jobs"]),
        "title": world.words(n["jobs"], 3, " Engineer"),
        "date_posted": world.days(n["jobs"]),
        "entity_id": world.maybe(world.among(keys, n["jobs"]), 0.1),
        "url": world.words(n["jobs"], 5, ".example/job"),
        "location": world.words(n["jobs"], 2),
    }
    made["funding_rounds"] = {
        "id": world.ids(n["funding_rounds"]),
        "company_uuid": world.among(keys, n["funding_rounds"]),
        "year": pl.Series(
            world.draw.integers(2006, 2026, n["funding_rounds"]), dtype=pl.Int32
        ),
        "month": pl.Series(
            world.draw.integers(1, 13, n["funding_rounds"]), dtype=pl.Int32
        ),
        "round_type": world.among(
            pl.Series(["Seed", "Series A", "Series B"]), n["funding_rounds"]
        ),
        "amount": world.maybe(world.amounts(n["funding_rounds"]), 0.1),
        "amount_currency": world.among(
            pl.Series(CURRENCIES), n["funding_rounds"], skew=2
        ),
        "investors": world.lists(investors, n["funding_rounds"], 3),
    }
    days = pl.date_range(dt.date(2006, 1, 1), AS_OF, "1mo", eager=True)
    rates = {"EUR": 1.0, "USD": 1.12, "GBP": 0.85}
    fx = pl.concat(
        pl.DataFrame({"date": days}).select(
            currency=pl.lit(code), date="date", per_eur=pl.lit(rate)
        )
        for code, rate in rates.items()
    )
    return {name: pl.DataFrame(columns) for name, columns in made.items()} | {
        "lp_managers": links.sort("lp_uuid", "manager_uuid"),
        "locations": locations,
        "fx": fx,
    }


def founder_columns(
    world: World,
    keys: pl.Series,
    universities: pl.Series,
    names: pl.Series,
    education: float,
) -> dict[str, object]:
    """Founders with so many entries of education on average, and four in ten with an
    employer.
    """
    count = len(keys)
    entries = int(count * education)
    at = pl.Series(
        (world.draw.random(entries) ** 2.5 * len(universities)).astype(np.int64)
    )
    entry = pl.DataFrame(
        {
            "university_uuid": world.maybe(universities.gather(at), 0.2),
            "university_name": names.gather(at),
            "degree": world.among(pl.Series(["BSc", "MSc", "PhD", "MBA"]), entries),
            "major": world.words(entries, 3),
            "start_year": pl.Series(
                world.draw.integers(1980, 2020, entries), dtype=pl.Int32
            ),
            "end_year": pl.Series(
                world.draw.integers(1984, 2024, entries), dtype=pl.Int32
            ),
        }
    ).to_struct()
    jobs = int(count * 0.5)
    job = pl.DataFrame(
        {
            "company_uuid": pl.Series([None] * jobs, dtype=pl.String),
            "name": world.words(jobs, 3),
            "title": world.among(
                pl.Series(["Engineer", "Analyst", "Head of Sales"]), jobs
            ),
        }
    ).to_struct()

    def given(values: pl.Series, holders: int) -> pl.Series:
        row = pl.Series(world.draw.integers(0, holders, len(values)), dtype=pl.UInt32)
        flat = pl.DataFrame({"row": row, "value": values})
        lists = flat.group_by("row").agg("value")
        rows = pl.DataFrame({"row": np.arange(count, dtype=np.uint32)})
        return rows.join(lists, on="row", how="left", maintain_order="left")["value"]

    handle = world.words(count, 5)
    links = pl.DataFrame(
        {
            "linkedin": handle,
            "twitter": pl.Series([None] * count, dtype=pl.String),
            "website": world.maybe(world.words(count, 4, ".example"), 0.6),
        }
    ).to_struct()
    order = world.draw.permutation(count)
    return {
        "uuid": keys,
        "name": (
            pl.select(
                pl.concat_str(
                    [
                        pl.lit(world.words(count, 2)),
                        pl.lit(" "),
                        pl.lit(world.words(count, 3)),
                    ]
                )
            ).to_series()
        ),
        "education": given(entry, count).gather(order),
        "prior_employers": given(job, count).gather(order),
        "profile_links": world.maybe(links, 0.5),
    }


def company_columns(
    world: World,
    keys: pl.Series,
    cities: pl.Series,
    tags: pl.Series,
    owned: pl.DataFrame,
) -> dict[str, object]:
    """Companies with their tags and founders; every column has its share of nulls."""
    count = len(keys)
    return {
        "uuid": keys,
        "name": world.words(count, 4, " Labs"),
        "tagline": world.maybe(
            world.words(count, 8, " for people who build things"), 0.3
        ),
        "website_domain": world.maybe(world.words(count, 4, ".example"), 0.2),
        "launch_date": world.maybe(
            pl.Series(world.draw.integers(1990, 2026, count), dtype=pl.Int32), 0.2
        ),
        "team_size": world.maybe(
            pl.Series(world.draw.integers(1, 900, count), dtype=pl.Int32), 0.3
        ),
        "company_status": world.maybe(
            world.among(
                pl.Series(["operational", "acquired", "closed"]), count, skew=3
            ),
            0.05,
        ),
        "is_startup": world.maybe(world.flags(count, 0.6), 0.1),
        "is_spinout": world.maybe(world.flags(count, 0.05), 0.2),
        "hq_location": world.maybe(world.among(cities, count, skew=1.5), 0.2),
        "total_funding": world.maybe(world.amounts(count), 0.4),
        "total_funding_currency": world.among(pl.Series(CURRENCIES), count, skew=2),
        "signal_rating": world.maybe(world.numbers(count, 100), 0.2),
        "signal_timing": world.maybe(world.numbers(count, 100), 0.2),
        "signal_team": world.maybe(world.numbers(count, 100), 0.2),
        "is_hiring": world.maybe(world.flags(count, 0.4), 0.2),
        "open_jobs_count": world.maybe(
            pl.Series(world.draw.integers(0, 40, count), dtype=pl.Int32), 0.5
        ),
        "tag_id": world.lists(tags, count, 6, skew=2.5),
        "founders": world.grouped(owned, count),
    }


def write(folder: Path, *, companies: int) -> Path:
    """Writes the dataset unless the folder has one."""
    if (folder / "dataset.json").exists():
        return folder
    description = Description(
        f"Benchmark of {companies:,}",
        "Invented, to measure with.",
        AS_OF,
        True,
        "CC0",
        (),
    )
    return Dataset.of(description, tables(companies)).write(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--companies", type=int, default=1_000_000)
    options = parser.parse_args()
    print(write(options.folder, companies=options.companies))
