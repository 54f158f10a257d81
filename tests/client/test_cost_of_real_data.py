"""What is said of fetches and studies of real data holds as well; the table is printed.

Their lists are other than those of the sample: most founders have no study, a quarter
of the managers no fund, most companies no round.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.client.stand_in import Time
from tests.client.test_cost import Billing, Measured, measure
from tests.fake import start_on
from tests.faults import connected
from ventureframe.client.service import Service
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE
from ventureframe_service.dataset import Dataset

STANFORD: Any = {"university": "Stanford University", "domain": "stanford.edu"}
MIT: Any = {
    "university": "Massachusetts Institute of Technology",
    "domain": "mit.edu",
}
BIOTECH = [("biotech", "sector")]


class Ids:
    """The records that are asked for, spread over the tables of the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def some(self, table: str, number: int, column: str = "uuid") -> list[str]:
        values = pl.read_parquet(self.folder / f"{table}.parquet")[column]
        unique = values.unique(maintain_order=True)
        return unique.gather_every(max(1, len(unique) // number)).to_list()[:number]

    def lps(self, number: int) -> list[str]:
        return self.some("lp_managers", number, "lp_uuid")

    def match(self, number: int) -> str:
        """A list of companies, as one is pasted."""
        rows = pl.read_parquet(self.folder / "companies.parquet")
        rows = rows.filter(pl.col("website_domain").is_not_null())
        names = rows.gather_every(rows.height // number).select(
            "name", "website_domain"
        )
        lines = "\n".join("\t".join(row) for row in names.rows()[:number])
        return f"Company\tWebsite\n{lines}"


def tag(svc: Service) -> Any:
    return vf.company.tag_id == svc.tag("biotech", type="sector").id


Work = Callable[[Service, Ids], Any]
pytestmark = pytest.mark.slow
FETCHES: dict[str, Work] = {
    "companies of a tag": lambda svc, _: svc.companies.where(tag(svc)),
    "companies of a year": lambda svc, _: svc.companies.where(
        vf.company.launch_date >= 2013
    ),
    "their founders": lambda svc, _: svc.companies.where(
        vf.company.launch_date >= 2013
    ).with_all("founders"),
    "300 companies": lambda svc, ids: svc.companies.by_id(ids.some("companies", 300)),
    "400 founders": lambda svc, ids: svc.founders.by_id(ids.some("founders", 400)),
    "careers of 300": lambda svc, ids: svc.founders.by_id(
        ids.some("founders", 300)
    ).with_all("prior_employers"),
    "news about 60": lambda svc, ids: svc.news.about(ids.some("companies", 60)),
    "news about 900": lambda svc, ids: svc.news.about(ids.some("companies", 900)),
    "jobs at 300": lambda svc, ids: svc.jobs.at(ids.some("companies", 300)),
    "funds": lambda svc, _: svc.funds,
    "funds of managers": lambda svc, ids: svc.funds_of_each(
        ids.some("lp_managers", 40, "manager_uuid")
    ),
    "managers of LPs": lambda svc, ids: svc.managers_of(ids.lps(6)),
    "rounds of 5": lambda svc, ids: svc.rounds_of(ids.some("companies", 5)),
    "rounds of 120": lambda svc, ids: svc.rounds_of(ids.some("companies", 120)),
}
STUDIES: dict[str, Callable[[Ids], Any]] = {
    "spinouts": lambda _: vf.spinouts.Question(**STANFORD),
    "spinouts since": lambda _: vf.spinouts.Question(**MIT, since=2010),
    "spinouts of a list": lambda ids: vf.spinouts.Question(
        **STANFORD, companies=ids.some("companies", 200)
    ),
    "universities": lambda _: vf.universities.Question(
        universities=[(*STANFORD.values(),), (*MIT.values(),)], since=2011
    ),
    "exposure": lambda ids: vf.exposure.Question(lps=ids.lps(1)),
    "exposure of several": lambda ids: vf.exposure.Question(lps=ids.lps(4), since=2010),
    "exposure to some funds": lambda ids: vf.exposure.Question(
        lps=ids.lps(3), funds_of=10
    ),
    "hiring": lambda _: vf.hiring.Question(tags=BIOTECH, founded=(2011, None)),
    "hiring of a rating": lambda _: vf.hiring.Question(
        tags=BIOTECH, funding=(10_000_000, None), rounds_of=100
    ),
    "hiring of a list": lambda ids: vf.hiring.Question(
        companies=ids.some("companies", 186)
    ),
    "founders": lambda _: vf.founders.Question(tags=BIOTECH, founded=(2012, None)),
    "founders of a list": lambda ids: vf.founders.Question(
        companies=ids.some("companies", 150)
    ),
    "my list": lambda ids: vf.mine.Question(list=ids.match(40)),
}


@pytest.fixture(
    scope="module", params=[INTERFACE, WIRE_2026_10_02], ids=lambda wire: wire.name
)
def table(
    request: pytest.FixtureRequest, real_data: Path
) -> Iterator[dict[str, Measured]]:
    folder = real_data / "venture-2013"
    billing, time, ids = Billing(request.param), Time(), Ids(folder)
    with (
        start_on(
            request.param.name, Dataset.open(folder), around=billing.around
        ) as running,
        connected(
            running, profile=billing.wire, sleep=time.sleep, clock=time.clock
        ) as svc,
    ):
        table = dict[str, Measured]()
        for kind, query in FETCHES.items():
            table[kind] = measure(billing, time, query(svc, ids), svc)
        for kind, question in STUDIES.items():
            table[kind] = measure(billing, time, question(ids), svc)
        head = f"{request.param.name}: requests said, at most, sent; credits the same"
        lines = [row.line(kind) for kind, row in table.items()]
        print("", head, *lines, sep="\n")  # noqa: T201  # shown by pytest -s
        yield table


def test_nine_of_ten_take_between_half_and_twice_what_is_said(
    table: dict[str, Measured],
) -> None:
    far = [row.line(kind) for kind, row in table.items() if not row.is_near()]
    assert len(far) <= len(table) // 10, "\n".join(far)


def test_none_takes_more_than_its_upper_end(table: dict[str, Measured]) -> None:
    above = [row.line(kind) for kind, row in table.items() if not row.is_within()]
    assert not above, "\n".join(above)
