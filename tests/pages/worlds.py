"""Generates small worlds of records with gaps, and random questions about them."""

import datetime as dt
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import polars as pl

from ventureframe.dataset.manifest import Description
from ventureframe.dataset.schema import TABLES
from ventureframe_service.dataset import Dataset

Row = dict[str, Any]
Tables = dict[str, list[Row]]

DAY: Final = dt.date(2026, 6, 30)
EARLIER: Final = dt.date(2026, 5, 31)
TOWNS: Final = {11: "Westhaven", 12: "Eastmoor"}
REGION, COUNTRY = "Northshire", "Freeland"
TAGS: Final = ("Empty", "Single", "Pair", "Robotics", "Software", "Biotech", "Rare")
SECTORS: Final = ("Health", "Energy")
TITLES: Final = (
    "Sales Manager",
    "Software Engineer",
    "Data Scientist",
    "Gardener",
    "Account Executive",
    "Product Designer",
)
FIRST: Final = [
    "Ada",
    "Ben",
    "Cai",
    "Dee",
    "Eve",
    "Fay",
    "Gil",
    "Han",
    "Ivo",
    "Jan",
    "Kim",
    "Lea",
    "Max",
    "Nia",
    "Oda",
    "Pia",
]
FIRMS: Final = [
    "Acorn",
    "Birch",
    "Cedar",
    "Dogwood",
    "Elm",
    "Fir",
    "Ginkgo",
    "Hazel",
    "Juniper",
    "Kapok",
    "Larch",
    "Maple",
    "Nutmeg",
    "Oak",
    "Pine",
    "Quince",
    "Rowan",
    "Spruce",
    "Teak",
    "Willow",
]
EMPLOYERS: Final = ["Zenith", "Yarrow", "Xylo", "Wyvern", "Vesper", "Umber"]
POSTS: Final = (
    "Engineer",
    "Founder",
    "Co-Founder & CEO",
    "Assistant to the Founder",
    "Founding engineer",
)
SCHOOLS: Final = [
    "Aldmoor",
    "Brackwell",
    "Carrowdale",
    "Dunmere",
    "Eskford",
    "Farlow",
    "Gainsby",
    "Gainsby",
]


def key(*parts: object) -> str:
    """A UUID that is the same for the same name."""
    return str(uuid5(NAMESPACE_URL, "/".join(map(str, parts))))


@dataclass
class World:
    """The records of one dataset, as rows of its tables, before and after a month."""

    seed: int
    tables: Tables = field(default_factory=dict)
    earlier: Tables = field(default_factory=dict)
    currency: str = "EUR"

    @classmethod
    def of(cls, seed: int) -> "World":
        """Generate the world of a seed."""
        random = Random(seed)
        world = cls(seed, currency=random.choice(["EUR", "USD", "GBP"]))
        world.tables = _records(random, world.currency)
        _add_backgrounds(Random(f"backgrounds {seed}"), world.tables)
        world.earlier = _before(random, world.tables)
        return world

    def __getitem__(self, table: str) -> list[Row]:
        return self.tables[table]

    @cached_property
    def names(self) -> set[str]:
        """Every name that a sentence can mention."""
        tables = ("companies", "founders", "universities", "investors", "funds")
        rows = (row for table in tables for row in self[table])
        return {row["name"] for row in rows if row.get("name")}

    @contextmanager
    def folders(self) -> Iterator[tuple[Path, Path]]:
        """The dataset folders of the earlier day and of the later one."""
        with tempfile.TemporaryDirectory(prefix="pages-") as place:
            days = [(self.earlier, EARLIER), (self.tables, DAY)]
            folders = [Path(place, str(day)) for _, day in days]
            for folder, (tables, day) in zip(folders, days, strict=True):
                about = Description("small world", "Made up.", day, True, "CC0", ())
                Dataset.of(about, _frames(tables)).write(folder)
            yield folders[0], folders[1]


def _frames(tables: Tables) -> dict[str, pl.DataFrame]:
    frames = {}
    for name, table in TABLES.items():
        kinds: dict[str, Any] = {**table.columns}
        if name == "founders":
            kinds["is_withheld"] = pl.Boolean()
        frames[name] = pl.DataFrame(tables.get(name, []), kinds, orient="row")
    return frames


def _maybe(random: Random, share: float, *values: Any) -> Any:
    """One of the values, or with this share null."""
    return None if random.random() < share else random.choice(values)


def _records(random: Random, currency: str) -> Tables:
    universities = _universities(random)
    is_large = random.random() < 0.25
    founders = _founders(random, universities, is_large=is_large)
    companies = _companies(random, founders, currency, is_large=is_large)
    investors, links = _investors(random)
    euro = {"date": dt.date(2000, 1, 3), "per_eur": 1.0}
    return {
        "universities": universities,
        "founders": founders,
        "companies": companies,
        "investors": investors,
        "lp_managers": links,
        "funds": _funds(random, links, currency),
        "funding_rounds": _rounds(random, companies, currency),
        "jobs": _jobs(random, companies, 6 if is_large else 2),
        "news": _news(random, companies),
        "tags": [
            {
                "id": at,
                "label": label,
                "type": "technology" if label in TAGS else "sector",
            }
            for at, label in enumerate((*TAGS, *SECTORS), 1)
        ],
        "locations": [
            {"id": 1, "name": COUNTRY, "type": "country"},
            {"id": 2, "name": REGION, "type": "region", "parent_id": 1},
            *(
                {"id": at, "name": name, "type": "city", "parent_id": 2}
                for at, name in TOWNS.items()
            ),
        ],
        "fx": [{"currency": code, **euro} for code in ("EUR", "USD", "GBP")],
    }


def _universities(random: Random) -> list[Row]:
    """Eight universities, the last two of one name."""
    return [
        {
            "uuid": key("university", at),
            "name": f"{name} University",
            "website_domain": f"{name.lower()}{at}.example",
            "founder_alumni_total": _maybe(random, 0.3, 7, 40),
            "spinout_count": _maybe(random, 0.3, 0, 12),
        }
        for at, name in enumerate(SCHOOLS)
    ]


def _founders(random: Random, universities: list[Row], *, is_large: bool) -> list[Row]:
    """Founders with no, one or two entries; few studied at the first universities, and
    in a large world most at one; those of the first two are withheld.
    """
    hidden = [one["name"] for one in universities[:2]]
    weights = [2, 2, 4, 90 if is_large else 14, 6, 6, 6, 6]
    founders = []
    for at in range(random.randint(20, 45)):
        entries = []
        for _ in range(random.choice([0, 1, 1, 1, 2])):
            (one,) = random.choices(universities, weights)
            end = _maybe(random, 0.4, *range(1995, 2015))
            entry = dict.fromkeys(("degree", "major", "start_year"))
            entry |= {"end_year": end, "university_name": one["name"]}
            entry["university_uuid"] = _maybe(random, 0.25, one["uuid"])
            if entry["university_uuid"] and random.random() < 0.05:
                entry["university_name"] = None
            entries.append(entry)
        is_shown = all(entry["university_name"] not in hidden for entry in entries)
        name = f"{random.choice(FIRST)} {random.choice('ABCDEFGH')}. Doe"
        founders.append(
            {
                "uuid": key("founder", at),
                "name": _maybe(random, 0.05, name.replace(".", "")),
                "education": entries,
                "prior_employers": [],
                "is_withheld": random.random() < (0.08 if is_shown else 1),
            }
        )
    return founders


def _add_backgrounds(random: Random, tables: Tables) -> None:
    """Give founders earlier posts, and their education degrees and fields.

    Employers are known by identifiers or by spellings of a name; some are companies of
    the world, the founder's own among them.
    """
    most, gap = random.choice([0, 1, 2, 3]), random.choice([0.1, 0.4, 1.0])
    employers = EMPLOYERS[: random.choice([1, 3, 6])]
    companies = tables["companies"]
    for founder in tables["founders"]:
        for entry in founder["education"]:
            entry["degree"] = _maybe(random, 0.5, "BSc", "MBA")
            entry["major"] = _maybe(random, 0.5, "Law", "LAW", "Physics", "Art")
        own = [one for one in companies if founder["uuid"] in one["founders"]]
        for _ in range(random.randint(0, most)):
            name = random.choice(employers)
            uuid = key("employer", name, random.choice([0, 0, 0, 0, 0, 1]))
            if random.random() < 0.25:
                company = random.choice(random.choice([own, companies]) or companies)
                name, uuid = company["name"], company["uuid"]
            spelt = random.choice([name, name, name.upper(), f"{name} Ltd"])
            post: Row = {"company_uuid": _maybe(random, gap, uuid)}
            post["name"] = _maybe(random, 0.05, spelt)
            post["title"] = _maybe(random, 0.2, *POSTS)
            founder["prior_employers"].append(post)


def _companies(
    random: Random, founders: list[Row], currency: str, *, is_large: bool
) -> list[Row]:
    """Companies whose values often tie, and are often not recorded; of a large world
    most are founded in one year.
    """
    gap = 0.05 if is_large else random.choice([0.05, 0.3, 0.7])
    years = [*range(2004, 2025), *[2010] * (60 if is_large else 0)]
    totals = random.choice([[1e6, 2e6, 2.5e6], [7.5e5, 4e6, 12_345_678.9, 3e7, 3e7]])
    companies = []
    for at in range(60 if is_large else random.randint(12, 45)):
        team = random.sample(founders, random.choice([0, 1, 1, 1, 2, 3]))
        name = random.choice(FIRMS) + random.choice(["", " Labs", " Works"])
        name = name if random.random() < 0.1 else f"{name} {at}"
        slug = name.lower().replace(" ", "")
        slug = random.choice([slug, f"firm{at}"]) if slug[-1].isdigit() else f"firm{at}"
        scores = [_maybe(random, gap, 20.0, 60.0, 80.0) for _ in range(3)]
        chances = (0, 0.02, 0.06, 0.4, 0.5, 0.3, 0.03, 0.3, 0.2)
        tags = [
            number
            for number, chance in enumerate(chances, 1)
            if random.random() < chance
        ]
        total = _maybe(random, gap, *totals)
        companies.append(
            {
                "uuid": key("company", at),
                "name": name,
                "website_domain": _maybe(random, 0.2, f"{slug}.example"),
                "launch_date": _maybe(random, gap, *years),
                "total_funding": total,
                "total_funding_currency": _code(random, total, currency),
                "company_status": _maybe(
                    random, gap / 2, "operational", "operational", "closed", "acquired"
                ),
                "is_startup": _maybe(random, 0.3, True, False),
                "is_spinout": _maybe(random, 0.5, True, False),
                "is_hiring": _maybe(random, gap, True, False),
                "open_jobs_count": _maybe(random, gap, 0, 0, 1, 2, 3, 7),
                "founders": [person["uuid"] for person in team],
                "hq_location": _maybe(random, 0.3, *TOWNS),
                "tag_id": tags,
                "signal_rating": scores[0],
                "signal_timing": scores[1],
                "signal_team": scores[2],
            }
        )
    # a status that no company has cannot be asked for
    for company, status in zip(companies, ("operational", "closed"), strict=False):
        company["company_status"] = status
    return companies


def _code(random: Random, amount: float | None, currency: str) -> str | None:
    """The currency of an amount: seldom one that has no rate."""
    if amount is None:
        return None
    return "XAF" if random.random() < 0.08 else currency


def _investors(random: Random) -> tuple[list[Row], list[Row]]:
    """Six LPs, of none to many of the managers, and who backs whom."""
    crowd = random.choice([8, 12, 36])
    sizes = [0, 1, 2, random.randint(2, 6), random.randint(2, 7), crowd - 1]
    if random.random() < 0.4:
        sizes = [0, random.randint(1, 5), 0, 0, 0, 0]
    lps = [("lp", at, f"{name} Pension") for at, name in enumerate(FIRMS[:6])]
    managers = [
        ("manager", at, f"{FIRMS[at % 20]} Capital {at}") for at in range(crowd)
    ]
    investors = [
        {
            "uuid": key(kind, at),
            "name": name,
            "website_domain": f"{kind}{at}.example",
            "hq_country": _maybe(random, 0.3, COUNTRY),
            "is_lp": kind == "lp",
        }
        for kind, at, name in (*lps, *managers)
    ]
    links = []
    for (_, lp, _), size in zip(lps, sizes, strict=True):
        for _, manager, _ in random.sample(managers, size):
            link = {"lp_uuid": key("lp", lp), "manager_uuid": key("manager", manager)}
            links.append(link)
    return investors, links


def _funds(random: Random, links: list[Row], currency: str) -> list[Row]:
    gap, funds = random.choice([0.1, 0.4, 1.0]), list[Row]()
    managers = sorted({link["manager_uuid"] for link in links})
    for at, manager in enumerate(managers):
        for number in range(random.choice([0, 0, 1, 1, 2, 4])):
            amount = _maybe(random, gap, 5e7, 1e8, 1e8, 2.5e8)
            day = dt.date(random.randint(2016, 2026), random.randint(1, 6), 1)
            funds.append(
                {
                    "id": len(funds) + 1,
                    "name": f"Fund {'I' * (number + 1)} Nr {at}",
                    "fund_date": _maybe(random, 0.2, day),
                    "fund_type": _maybe(random, 0.2, "Venture Capital", "Other"),
                    "amount": amount,
                    "amount_currency": _code(random, amount, currency),
                    "is_closed": _maybe(random, 0.4, True, False),
                    "manager_uuid": manager,
                }
            )
    return funds


def _rounds(random: Random, companies: list[Row], currency: str) -> list[Row]:
    rounds = list[Row]()
    for company in companies:
        for _ in range(random.choice([0, 0, 1, 2])):
            amount = _maybe(random, 0.3, 1e6, 4e6)
            year = _maybe(random, 0.15, 2023, 2025, 2026)
            rounds.append(
                {
                    "id": len(rounds) + 1,
                    "company_uuid": company["uuid"],
                    "year": year,
                    "month": None if year is None else _maybe(random, 0.2, 1, 3, 6),
                    "round_type": _maybe(random, 0.2, "Seed", "Series A"),
                    "amount": amount,
                    "amount_currency": _code(random, amount, currency),
                }
            )
    return rounds


def _jobs(random: Random, companies: list[Row], most: int) -> list[Row]:
    jobs, many = list[Row](), random.choice([0, 1, most])
    days = [dt.date(2026, 5, 1), dt.date(2026, 6, 2), dt.date(2026, 6, 9)]
    for company in companies:
        for _ in range(random.choice([0, 0, many, many, 3 * many])):
            jobs.append(
                {
                    "id": len(jobs) + 1,
                    "title": random.choice(TITLES),
                    "date_posted": _maybe(random, 0.15, *days),
                    "entity_id": company["uuid"],
                }
            )
    return jobs


def _news(random: Random, companies: list[Row]) -> list[Row]:
    return [
        {
            "id": at,
            "title": f"News {at}",
            "publish_date": dt.date(2026, 6, at + 1),
            "entity_ids": [company["uuid"]],
        }
        for at, company in enumerate(random.sample(companies, 3), 1)
    ]


def _before(random: Random, tables: Tables) -> Tables:
    """The world of a month before: some records are missing, some have other values."""
    earlier = dict(tables)
    for name in ("companies", "jobs", "funding_rounds"):
        share = random.choice([0, 0.05, 0.3])
        earlier[name] = [
            dict(row)
            for at, row in enumerate(tables[name])
            if at < 2 or random.random() >= share
        ]
    kept = {company["uuid"] for company in earlier["companies"]}
    for name, owner in (("jobs", "entity_id"), ("funding_rounds", "company_uuid")):
        earlier[name] = [row for row in earlier[name] if row[owner] in kept]
    earlier["news"] = []
    share = random.choice([0, 0.1, 0.4])
    if random.random() < 0.3:  # exchange rates alone
        share = 0
        for company in earlier["companies"]:
            company["total_funding"] = company["total_funding"] and (
                company["total_funding"] * 0.99
            )
    for company in earlier["companies"][2:]:
        if random.random() < share:
            company["company_status"] = _maybe(random, 0.3, "operational", "closed")
        if random.random() < share:
            company["is_hiring"] = _maybe(random, 0.3, True, False)
        if random.random() < share and company["total_funding"]:
            company["total_funding"] *= random.choice([0.5, 0.99, 2])
    return earlier
