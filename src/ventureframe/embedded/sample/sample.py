"""The synthetic sample: an invented world with the traps of a real one, from a seed.

Only `random.Random.random` is drawn from, whose stream Python promises to keep, and no function
of the platform's mathematics library is used: the same seed gives the same bytes everywhere.

The traps: two universities of one name (and two of one name and domain), typed names without
`university_uuid`, null and empty education, founders withheld from the batch reply, missing
amounts, several currencies (one without any rate), spinout flags on companies whose founders
studied elsewhere, one label as sector and as technology, and names with marks that markup reads.
"""

from __future__ import annotations

import datetime as dt
import random
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import polars as pl

from ventureframe.embedded.dataset import Dataset, Description
from ventureframe.embedded.sample.invented import WORDS
from ventureframe.embedded.schema import TABLES

SEED: Final = 20260630
AS_OF: Final = dt.date(2026, 6, 30)

_NAMESPACE: Final = uuid.UUID("6b0c6f0e-5a55-5d0c-9d3f-7d2c1f0e9a11")
_YEARS: Final = tuple(range(2001, 2027))
_PER_EUR: Final[Mapping[str, float]] = {
    "EUR": 1.0,
    "USD": 1.12,
    "GBP": 0.85,
    "SEK": 10.6,
    "JPY": 140,
}
_UNIT: Final[Mapping[str, float]] = {"SEK": 10, "JPY": 125, "ISK": 140}
_STUDY_TO_FOUNDING: Final = (
    -1,
    0,
    0,
    1,
    1,
    2,
    2,
    3,
    3,
    4,
    4,
    5,
    5,
    6,
    6,
    7,
    8,
    9,
    10,
    12,
    14,
    17,
    21,
)

Row = dict[str, Any]
Item = TypeVar("Item")


class Dice:
    """Choices drawn from one seeded stream."""

    def __init__(self, seed: int) -> None:
        self._next = random.Random(seed).random  # noqa: S311  # a repeatable story, no secret

    def chance(self, share: float) -> bool:
        """True in this share of draws."""
        return self._next() < share

    def whole(self, least: int, most: int) -> int:
        """A whole number within both bounds."""
        return least + int(self._next() * (most - least + 1))

    def between(self, least: float, most: float) -> float:
        """A number within both bounds."""
        return least + self._next() * (most - least)

    def pick(self, items: Sequence[Item], weights: Sequence[float] | None = None) -> Item:
        """One of the items, each as likely as its weight says."""
        if weights is None:
            return items[int(self._next() * len(items))]
        at = self._next() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            at -= weight
            if at < 0:
                return item
        return items[-1]

    def some(self, items: Sequence[Item], count: int) -> list[Item]:
        """Different items, `count` of them or all."""
        left = list(items)
        return [left.pop(int(self._next() * len(left))) for _ in range(min(count, len(left)))]

    def maybe(self, value: Item, *, missing: float) -> Item | None:
        """The value, or null in this share of draws."""
        return None if self.chance(missing) else value


def sample(*, seed: int = SEED, companies: int = 2_000) -> Dataset:
    """The synthetic dataset of this seed: every table filled, every name invented."""
    world = _World(seed)
    world.add_places()
    world.add_tags()
    world.add_investors()
    world.add_universities()
    for number in range(companies):
        world.add_company(number)
    world.count_alumni()
    world.add_rates()
    description = Description(
        name="Harrowmere sample",
        description=(
            "SYNTHETIC: an invented world to try the notebooks on. No company, person, university, "
            "investor, amount or rate in it is real; any likeness is chance."
        ),
        as_of=AS_OF,
        synthetic=True,
        licence="CC0",
        attribution=(f"Synthetic sample, seed {seed}: nothing in it is real",),
    )
    return Dataset.of(description, world.tables())


class _World:
    """The rows made so far, table by table."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._dice = Dice(seed)
        self._rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        self._cities: list[tuple[int, str, str, str]] = []
        self._city_weights: list[float] = []
        self._managers: list[Row] = []
        self._names: set[str] = set()
        self._serial: list[tuple[str, int]] = []

    def tables(self) -> dict[str, pl.DataFrame]:
        """The rows as the tables of a dataset."""
        return {name: self._table(name) for name in TABLES}

    def _table(self, name: str) -> pl.DataFrame:
        columns = dict(TABLES[name].columns)
        if name == "founders":
            columns["is_withheld"] = pl.Boolean()
        rows = self._rows[name]
        return pl.DataFrame(
            [
                pl.Series(key, [row[key] for row in rows], dtype=kind)
                for key, kind in columns.items()
            ]
        )

    def _add(self, table: str, **row: Any) -> Row:
        self._rows[table].append(row)
        return row

    def _uuid(self, kind: str) -> str:
        number = len(self._rows[kind])
        return str(uuid.uuid5(_NAMESPACE, f"{self._seed}:{kind}:{number}"))

    def _number(self, table: str) -> int:
        return 1001 + len(self._rows[table])

    def _day(self, first: int, last: int) -> dt.date:
        day = dt.date(self._dice.whole(first, last), 1, 1)
        return min(day + dt.timedelta(days=self._dice.whole(0, 364)), AS_OF)

    def add_places(self) -> None:
        """Continents, countries, regions and cities; two cities are called Cambridge."""
        for continent, countries in WORDS.places.items():
            above = self._place(continent, "continent", None)
            for country, (currency, weight, cities) in countries.items():
                land = self._place(country, "country", above)
                self._add_cities(land, country, currency, weight, cities)

    def _place(self, name: str, kind: str, parent: int | None) -> int:
        number = self._number("locations")
        self._add("locations", id=number, name=name, type=kind, parent_id=parent)
        return number

    def _add_cities(self, land: int, country: str, currency: str, weight: int, cities: str) -> None:
        found = []
        for group in cities.split("; "):
            region, _, names = group.rpartition(": ")
            above = self._place(region, "region", land) if region else land
            found += [(self._place(city, "city", above), city) for city in names.split(", ")]
        for number, city in found:
            self._cities.append((number, city, country, currency))
            self._city_weights.append(weight / len(found))

    def add_tags(self) -> None:
        """Tags; one label exists as a sector and as a technology."""
        for label, kind, _ in WORDS.tags:
            self._add("tags", id=self._number("tags"), label=label, type=kind)

    def add_universities(self) -> None:
        """Universities; their totals are counted once the founders are there."""
        for name, domain, city, country, _, spinouts in WORDS.universities:
            self._add(
                "universities",
                uuid=self._uuid("universities"),
                name=name,
                website_domain=domain,
                founder_alumni_total=None,
                spinout_count=spinouts,
                city=city,
                country=country,
            )

    def add_investors(self) -> None:
        """Managers with their funds, then LPs with the managers recorded for them."""
        for firm in WORDS.firms:
            for kind in self._dice.some(WORDS.firm_kinds, self._dice.whole(1, 3)):
                self._managers.append(self._investor(f"{firm} {kind}"))
        for manager in self._managers:
            self._add_funds(manager)
        for name, domain, city, country, count in WORDS.lps:
            lp = self._add(
                "investors",
                uuid=self._uuid("investors"),
                name=name,
                website_domain=domain,
                hq_city=city,
                hq_country=country,
                is_lp=True,
            )
            for manager in self._dice.some(self._managers[:48], count):
                self._add("lp_managers", lp_uuid=lp["uuid"], manager_uuid=manager["uuid"])

    def _investor(self, name: str) -> Row:
        _, city, country, _ = self._dice.pick(self._cities, self._city_weights)
        domain = "".join(filter(str.isalnum, name.lower())) + ".example"
        return self._add(
            "investors",
            uuid=self._uuid("investors"),
            name=name,
            website_domain=self._dice.maybe(domain, missing=0.1),
            hq_city=city,
            hq_country=country,
            is_lp=False,
        )

    def _add_funds(self, manager: Row) -> None:
        """A series of vehicles, each later and larger; some managers have none recorded."""
        dice = self._dice
        if dice.chance(0.15):
            return
        year, size = dice.whole(2004, 2021), dice.between(40, 180)
        currency = dice.pick(("USD", "EUR", "GBP"), (5, 3, 2))
        kind = dice.pick(("Venture Capital", "Private Equity", "Other"), (7, 2, 1))
        for numeral in ("I", "II", "III", "IV", "V")[: dice.whole(1, 5)]:
            if year > AS_OF.year:
                return
            day = self._day(year, year)
            self._add(
                "funds",
                id=self._number("funds"),
                name=f"{manager['name']} {numeral}",
                manager_uuid=manager["uuid"],
                fund_date=dice.maybe(day, missing=0.04),
                fund_type=dice.maybe(kind, missing=0.06),
                amount=dice.maybe(round(size) * 1e6, missing=0.16),
                amount_currency=currency,
                is_closed=dice.maybe(year < 2024, missing=0.2),
                source_url=dice.maybe(
                    f"https://news.example/funds/{self._number('funds')}", missing=0.2
                ),
            )
            year += dice.whole(2, 4)
            size *= dice.between(1.1, 1.9)

    def add_company(self, number: int) -> None:
        """One company with its founders, rounds, news and jobs."""
        dice = self._dice
        place, city, _, currency = dice.pick(self._cities, self._city_weights)
        tags = self._tags_of_company()
        name = self._company_name(number, tags)
        launch = dice.pick(_YEARS, [8 + year - 2001 for year in _YEARS[:-1]] + [8])
        key = self._uuid("companies")
        founders = self._founders_of(launch)
        status = dice.pick(("operational", "acquired", "closed", None), (78, 10, 9, 3))
        is_spinout = self._spinout_flag(founders)
        is_hiring = dice.maybe(status == "operational" and dice.chance(0.55), missing=0.12)
        team = dice.between(8, 96)
        company = self._add(
            "companies",
            uuid=key,
            name=name,
            tagline=dice.maybe(self._tagline(tags), missing=0.2),
            website_domain=dice.maybe(_domain(name, number), missing=0.08),
            launch_date=dice.maybe(launch, missing=0.08),
            team_size=dice.maybe(dice.whole(1, 12) * dice.whole(1, 30), missing=0.25),
            company_status=status,
            is_startup=dice.maybe(launch >= 2014 and status == "operational", missing=0.1),
            is_spinout=is_spinout,
            hq_location=dice.maybe(place, missing=0.05),
            total_funding=None,
            total_funding_currency=None,
            signal_rating=dice.maybe(round(dice.between(0.5, 1) * team, 1), missing=0.12),
            signal_timing=dice.maybe(round(dice.between(0, 100), 1), missing=0.15),
            signal_team=dice.maybe(round(team, 1), missing=0.15),
            is_hiring=is_hiring,
            open_jobs_count=None,
            tag_id=[1001 + tag for tag in tags],
            founders=[founder for founder, _ in founders],
        )
        self._add_rounds(company, launch, currency)
        self._add_news(company, launch, city)
        self._add_jobs(company, city)

    def _tags_of_company(self) -> list[int]:
        numbers = range(len(WORDS.tags))
        weights = [weight for _, _, weight in WORDS.tags]
        drawn = [self._dice.pick(numbers, weights) for _ in range(self._dice.whole(0, 4))]
        return list(dict.fromkeys(drawn))

    def _company_name(self, number: int, tags: Sequence[int]) -> str:
        dice = self._dice
        if number % 150 == 7 and number // 150 < len(WORDS.odd_companies):
            return str(WORDS.odd_companies[number // 150])
        labels = [WORDS.tags[tag][0] for tag in tags]
        words = [word for label in labels for word in WORDS.by_tag.get(label, ())]
        while True:
            stem = dice.pick(WORDS.stems) + dice.pick(WORDS.middles) + dice.pick(WORDS.ends)
            word = dice.pick(words or WORDS.words)
            name = f"{stem} {word}" if dice.chance(0.7) else stem
            if name not in self._names or dice.chance(0.02):
                self._names.add(name)
                return name

    def _tagline(self, tags: Sequence[int]) -> str:
        what = WORDS.tags[tags[0]][0] if tags else "New tools"
        return f"{what} for {self._dice.pick(WORDS.buyers)}"

    def _founders_of(self, launch: int) -> list[tuple[str, int | None]]:
        """The founders' UUIDs, each with the number of the university they are linked to."""
        dice = self._dice
        if dice.chance(0.12):
            return []
        found = []
        for _ in range(dice.pick((1, 2, 3, 4), (40, 38, 17, 5))):
            if self._serial and dice.chance(0.05):
                found.append(dice.pick(self._serial))
            else:
                found.append(self._add_founder(launch))
        return list(dict.fromkeys(found))

    def _add_founder(self, launch: int) -> tuple[str, int]:
        dice = self._dice
        weights = [weight for *_, weight, _ in WORDS.universities]
        first = dice.pick(range(len(weights)), weights)
        key = self._uuid("founders")
        name = f"{dice.pick(WORDS.given)} {dice.pick(WORDS.family)}"
        if dice.chance(0.01):
            name = dice.pick(WORDS.odd_people)
        self._add(
            "founders",
            uuid=key,
            name=dice.maybe(name, missing=0.01),
            education=self._education(first, launch),
            prior_employers=self._employers(),
            profile_links=self._links(),
            is_withheld=dice.chance(0.03),
        )
        self._serial.append((key, first))
        return key, first

    def _education(self, first: int, launch: int) -> list[Row] | None:
        """One to three entries; null or empty for one founder in four."""
        dice = self._dice
        if dice.chance(0.25):
            return None if dice.chance(0.75) else []
        studied = [first]
        if dice.chance(0.35):
            studied.append(dice.whole(0, len(WORDS.universities) - 1))
        end = launch - dice.pick(_STUDY_TO_FOUNDING)
        entries = []
        for number in studied:
            entries.append(self._entry(number, end))
            end -= dice.whole(2, 5)
        return entries

    def _entry(self, number: int, end: int) -> Row:
        """One entry; one in six has no UUID, and half of those a name as somebody typed it."""
        dice = self._dice
        university = self._rows["universities"][number]
        is_linked = not dice.chance(0.16)
        name = university["name"]
        if not is_linked and dice.chance(0.5):
            name = name.replace("University", "Univ.").replace("Institute", "Inst.")
        return {
            "university_uuid": university["uuid"] if is_linked else None,
            "university_name": dice.maybe(name, missing=0.02),
            "degree": dice.maybe(dice.pick(WORDS.degrees), missing=0.12),
            "major": dice.maybe(dice.pick(WORDS.majors), missing=0.2),
            "start_year": dice.maybe(end - dice.whole(2, 5), missing=0.35),
            "end_year": dice.maybe(end, missing=0.15),
        }

    def _employers(self) -> list[Row] | None:
        dice = self._dice
        if dice.chance(0.5):
            return None
        titles = ("Engineer", "Analyst", "Consultant", None)
        return [
            {"company_uuid": None, "name": name, "title": dice.pick(titles)}
            for name in dice.some(WORDS.employers, dice.whole(1, 2))
        ]

    def _links(self) -> Row | None:
        if self._dice.chance(0.55):
            return None
        number = self._number("founders")
        page = f"https://people.example/{number}"
        return {"linkedin": page, "twitter": None, "website": None}

    def _spinout_flag(self, founders: Sequence[tuple[str, int | None]]) -> bool | None:
        """The flag follows spinning-out universities loosely, and nothing in it names one."""
        dice = self._dice
        counts = [WORDS.universities[number][-1] for _, number in founders if number is not None]
        is_likely = any(count is not None and count > 30 for count in counts)
        return dice.maybe(dice.chance(0.22 if is_likely else 0.05), missing=0.25)

    def _add_rounds(self, company: Row, launch: int, currency: str) -> None:
        """Rounds from seed on; the company's total is their sum where one is recorded."""
        dice = self._dice
        year, total, last = launch + dice.whole(0, 2), 0.0, None
        if dice.chance(0.3):
            return
        for stage, size in WORDS.stages[: dice.pick((1, 2, 3, 4, 5), (45, 28, 15, 8, 4))]:
            if year > AS_OF.year:
                break
            amount = dice.between(0.3, 1) * dice.between(0.3, 1) * 2.4 * size
            native = round(amount * _UNIT.get(currency, 1), 1) * 1e6
            known = dice.maybe(native, missing=0.12)
            self._add_round(company, stage, year, known, currency)
            total += known or 0.0
            last = currency
            year += dice.whole(1, 3)
        if last is not None and total and not dice.chance(0.1):
            company.update(total_funding=total, total_funding_currency=last)

    def _add_round(
        self, company: Row, stage: str, year: int, amount: float | None, currency: str
    ) -> None:
        dice = self._dice
        month = dice.whole(1, 6 if year == AS_OF.year else 12)
        investors = dice.some(self._managers, dice.whole(1, 4))
        self._add(
            "funding_rounds",
            id=self._number("funding_rounds"),
            company_uuid=company["uuid"],
            year=dice.maybe(year, missing=0.02),
            month=dice.maybe(month, missing=0.05),
            round_type=dice.maybe(stage, missing=0.03),
            amount=amount,
            amount_currency=currency if amount is not None else None,
            investors=dice.maybe([each["uuid"] for each in investors], missing=0.2),
        )

    def _add_news(self, company: Row, launch: int, city: str) -> None:
        dice = self._dice
        for _ in range(dice.pick((0, 1, 2, 3, 6), (40, 25, 18, 12, 5))):
            number = self._number("news")
            others = dice.some(self._rows["companies"][-40:-1], dice.whole(0, 1) * dice.whole(0, 2))
            day = self._day(max(launch, 2019), 2026)
            self._add(
                "news",
                id=number,
                title=dice.pick(WORDS.headlines).format(company["name"], city),
                publish_date=dice.maybe(day, missing=0.03),
                entity_ids=[company["uuid"], *(other["uuid"] for other in others)],
                url=dice.maybe(f"https://news.example/{number}", missing=0.05),
                source=dice.pick(WORDS.publishers),
            )

    def _add_jobs(self, company: Row, city: str) -> None:
        """Postings of a hiring company: its count of open roles can be larger, or unknown."""
        dice = self._dice
        if not company["is_hiring"]:
            company["open_jobs_count"] = dice.maybe(0, missing=0.4)
            return
        open_jobs = dice.whole(1, 4) * dice.whole(1, 6)
        company["open_jobs_count"] = dice.maybe(open_jobs, missing=0.1)
        for _ in range(min(open_jobs, dice.whole(1, 5))):
            number = self._number("jobs")
            posted = AS_OF - dt.timedelta(days=dice.whole(0, 180))
            self._add(
                "jobs",
                id=number,
                title=dice.pick(WORDS.roles),
                date_posted=dice.maybe(posted, missing=0.04),
                entity_id=company["uuid"],
                url=f"https://jobs.example/{number}",
                location=dice.maybe(city, missing=0.2),
            )

    def count_alumni(self) -> None:
        """Each university's total: its linked founders and one in eight more, not seen here."""
        linked = Counter(
            key
            for founder in self._rows["founders"]
            for key in {entry["university_uuid"] for entry in founder["education"] or ()}
        )
        for university in self._rows["universities"]:
            count = linked[university["uuid"]]
            university["founder_alumni_total"] = count + count // 8 if count else None

    def add_rates(self) -> None:
        """A rate a month for each currency but one; each month near the one before."""
        rates = dict(_PER_EUR)
        for year in _YEARS:
            for month in range(1, 13 if year < AS_OF.year else 7):
                for currency, rate in rates.items():
                    day = dt.date(year, month, 1)
                    self._add("fx", currency=currency, date=day, per_eur=round(rate, 4))
                    if currency != "EUR":
                        anchor = _PER_EUR[currency] * 0.02 + rate * 0.98
                        rates[currency] = anchor * self._dice.between(0.98, 1.02)


def _domain(name: str, number: int) -> str:
    letters = "".join(each for each in name.lower() if each.isascii() and each.isalnum())
    return f"{letters or 'company'}{number if number % 9 == 0 else ''}.example"
