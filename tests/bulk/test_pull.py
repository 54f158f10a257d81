"""A pull holds what the service lists, each record once, and says what it does not
hold.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

import ventureframe as vf
from tests.bulk.conftest import Serve
from tests.client.stand_in import (
    CLIENT_ID,
    SECRET,
    Answer,
    Asked,
    StandIn,
    collection,
    company,
    standing_in,
    uuid,
)
from tests.fake import connected_on
from tests.faults import connected
from tests.service.sample.sample import sample
from ventureframe.client.service import Service
from ventureframe.dataset import folder as folders
from ventureframe.dataset import manifest
from ventureframe.errors import (
    ConfigurationError,
    EnoughSent,
    QueryError,
    RequestRejected,
    ServiceError,
    UnknownField,
    UnsupportedValue,
)
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE, Profile
from ventureframe_service.dataset import Dataset
from ventureframe_service.dataset import sample as whole_sample

COLLECTIONS = ("companies", "founders", "funds", "news", "jobs")
BOTH = pytest.mark.parametrize(
    "wire", [INTERFACE, WIRE_2026_10_02], ids=lambda wire: wire.name
)


def read(folder: Path, table: str) -> pl.DataFrame:
    """The rows of a table, read as somebody would who knows only the manifest."""
    return pl.read_parquet(manifest.opened(folder).files(folder)[table])


def rows(service: Service, name: str) -> pl.DataFrame:
    query: Any = getattr(service, name)
    query = query.with_all("founders") if name == "companies" else query
    query = query.with_all("prior_employers") if name == "founders" else query
    found: pl.DataFrame = query.fetch().to_polars()
    return found


@BOTH
def test_a_pull_served_again_gives_the_rows_it_was_made_of(
    serve: Serve, tmp_path: Path, wire: Profile
) -> None:
    with serve(sample(companies=100), wire) as served, served.service("EUR") as service:
        found = service.pull(out=tmp_path, complete=True)
        assert [each.is_complete for each in found.pulls] == [True] * 5
        with connected_on(wire.name, tmp_path, currency="EUR") as again:
            assert again.connection.currency == "EUR", "that of the pull"
            for name in COLLECTIONS:
                assert rows(again, name).equals(rows(service, name)), name


def test_parts_are_sorted_whole_row_groups_with_the_hash_the_manifest_says(
    tmp_path: Path,
) -> None:
    with vf.connect(environment={}) as service:
        found = service.pull("founders", "news", out=tmp_path)
    education = read(tmp_path, "education")
    assert education.equals(education.sort("founder_uuid", "position"))
    tables = [table for pull in found.pulls for table in pull.tables.items()]
    for table, (part,) in tables:
        file = tmp_path / table / "part-0000.parquet"
        assert tmp_path / part.file == file
        assert manifest.sha256(file) == part.sha256
        assert pq.read_metadata(file).num_rows == part.rows
    about = folders.opened(tmp_path).about
    assert (str(about.as_of), about.synthetic) == ("2026-06-30", True)


@pytest.mark.parametrize("complete", [True, False])
def test_a_pull_ends_before_it_sends_more_than_allowed_and_goes_on(
    serve: Serve, tmp_path: Path, *, complete: bool
) -> None:
    with serve(crowded(), WIRE_2026_10_02) as served, served.service() as service:

        def pulled(out: str, at_most: int | None = None) -> int:
            served.asked.clear()
            names, own = ("companies", "founders"), {"at_most": at_most}
            service.pull(*names, out=tmp_path / out, complete=complete, **own)
            return served.data_asked.total()

        every = pulled("whole")
        for at_most in (1, every - 2):
            with pytest.raises(EnoughSent, match="at_most= is reached"):
                pulled("bounded", at_most)
            assert served.data_asked.total() == at_most
        assert pulled("bounded") <= 2, "what was kept is not asked for again"
        assert read(tmp_path / "bounded", "founders").equals(
            read(tmp_path / "whole", "founders")
        )


def test_lists_cut_short_are_counted_and_every_analysis_says_so(
    serve: Serve, tmp_path: Path
) -> None:
    dataset = crowded()
    with serve(dataset, WIRE_2026_10_02) as served, served.service() as service:
        service.pull("companies", out=tmp_path)
        counts = read(tmp_path, "company_founders").group_by("company_uuid").len()
        of_first = counts.filter(company_uuid=dataset.tables["companies"]["uuid"][0])[
            "len"
        ].item()
        pulled = manifest.opened(tmp_path)
        assert of_first == 5
        said: list[str] = []
        service.pull("founders", out=tmp_path, say=said.append)
        education = "education of founders: the first entries (2 of 49 rows have more)"
        assert list(map(str, pulled.incomplete)) == [
            "founders of companies: former ones can be missing (1 of 30 rows have more)"
        ]
        pulled = manifest.opened(tmp_path)
        assert list(map(str, pulled.incomplete)) == [education]
        assert any(f"founders · 49 rows · {education}" in text for text in said)
        assert read(tmp_path, "companies")["founders_more"].sum() == 3
    with vf.connect(environment={}, data=tmp_path) as again:
        assert again.source.incomplete == pulled.incomplete
        tag = again.tag("Robotics", type="technology")
        study = vf.hiring.study(again, tags=[tag])
        whole = vf.institutions.find(**vf.bulk.open(tmp_path), currency="USD")
        findings = ((study, study.postings, False), (whole, whole.institutions, True))
        for found, finding, is_main in findings:
            (gap,) = (limit for limit in found.limits if education in limit.text)
            assert gap.is_material is is_main, "where the study reads the list"
            assert (f"INCOMPLETE: {education}" in finding.caption) is is_main


def test_former_founders_come_with_the_rows_of_the_founders(
    serve: Serve, tmp_path: Path
) -> None:
    """Rows of companies show present founders; a former one is in the posts of the
    founder.
    """
    dataset = sample(companies=250)
    owned, key = dataset.tables["company_founders"], ["company_uuid", "founder_uuid"]
    owned = owned.with_columns(pl.col("is_past").fill_null(value=False))
    with serve(dataset, WIRE_2026_10_02) as served, served.service() as service:
        service.pull("companies", out=tmp_path)
        listed = read(tmp_path, "company_founders").join(owned, on=key)
        assert listed["is_past_right"].any() is False
        (gap,) = manifest.opened(tmp_path).incomplete
        assert (
            str(gap)
            == "founders of companies: former ones can be missing (1 of 250 rows have"
            " more)"
        )
        served.asked.clear()
        seal, seals = tmp_path / "manifest.json", dict[str, bytes]()
        service.pull(
            "founders",
            out=tmp_path,
            say=lambda it: seals.update({it: seal.read_bytes()}),
        )
        assert not any(
            "/career" in asked or "/companies" in asked for asked in served.asked
        )
        found = read(tmp_path, "company_founders")
        # as if it had been stopped before the manifest was written
        seal.write_bytes(
            next(it for said, it in seals.items() if said.startswith("founders · "))
        )
        assert read(tmp_path, "company_founders").equals(found.head(listed.height))
        pulled = service.pull("founders", out=tmp_path)
    assert read(tmp_path, "company_founders").equals(found)
    assert found.join(owned, on=[*key, "is_past"], how="anti").is_empty()
    missing = owned.join(found, on=key, how="anti")
    unread = dataset.tables["founders"].filter("is_withheld")["uuid"]
    assert set(missing["founder_uuid"]) <= set(unread), "of whom no row is returned"
    assert not any(gap.part == "founders" for gap in pulled.incomplete)


def crowded() -> Dataset:
    """A small world whose first company has eight founders."""
    dataset = sample(companies=30)
    companies, founders = dataset.tables["companies"], dataset.tables["founders"]
    lists = companies["founders"].to_list()
    lists[0] = founders["uuid"].head(8).to_list()
    return Dataset.of(
        dataset.description,
        {
            **dataset.tables,
            "companies": companies.with_columns(founders=pl.Series(lists)),
        },
    )


def test_a_pull_of_another_day_needs_a_folder_of_its_own(tmp_path: Path) -> None:
    with vf.connect(environment={}, sample_day="2026-03-31") as service:
        service.pull("jobs", out=tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    held = "holds records of 2026-03-31, and these are of 2026-06-30: give another"
    with (
        vf.connect(environment={}) as service,
        pytest.raises(UnsupportedValue, match=held),
    ):
        service.pull("companies", out=tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_an_interrupted_pull_writes_no_table_and_goes_on(tmp_path: Path) -> None:
    def interrupt(_rows: int, _total: int | None) -> None:
        raise KeyboardInterrupt

    with vf.connect(environment={}) as service:
        with pytest.raises(KeyboardInterrupt):
            service.pull("jobs", out=tmp_path, progress=interrupt)
        assert not (tmp_path / "manifest.json").exists()
        assert not (tmp_path / "jobs").exists()
        (pull,) = service.pull("jobs", out=tmp_path).pulls
    assert pull.is_complete


def test_converted_totals_are_not_converted_again(tmp_path: Path) -> None:
    with vf.connect(environment={}, currency="GBP") as service:
        found = service.pull("companies", out=tmp_path)
        assert found.pulls[0].currency == "GBP"
        with pytest.raises(UnsupportedValue, match="holds amounts in GBP"):
            service.pull("funds", out=tmp_path, currency="EUR")
    assert set(read(tmp_path, "companies")["total_funding_currency"]) == {"GBP", None}
    with pytest.raises(
        ConfigurationError, match=r"converted to GBP .* cannot be shown in USD"
    ):
        vf.connect(environment={}, data=tmp_path, currency="USD")
    with (
        vf.connect(environment={}, data=tmp_path) as again,
        pytest.raises(RequestRejected, match="no rate for EUR; ask for GBP"),
    ):
        again.companies.currency("EUR").fetch()


def test_pages_are_of_no_query_by_ids() -> None:
    with (
        vf.connect(environment={}) as service,
        pytest.raises(UnsupportedValue, match="fetch them instead"),
    ):
        service.jobs.at([uuid(1)]).pages()


def moving(stand_in: StandIn, *, times: int) -> Callable[[Asked], Answer]:
    """1,200 companies; with every second page a new one comes first, so many times."""
    held = [company(number) for number in range(1, 1201)]

    def answer(asked: Asked) -> Answer:
        pages = len(stand_in.data_asked)
        if pages % 2 == 0 and pages // 2 <= times:
            held.insert(
                0,
                company(
                    5000 + pages, tags=[{"id": 7, "name": "Robots", "type": "sector"}]
                ),
            )
            held[600] = {**held[600], "name": f"renamed with page {pages}"}
        return collection(held)(asked)

    return answer


def live(stand_in: StandIn) -> AbstractContextManager[Service]:
    """A client of the stand-in."""
    running: Any = SimpleNamespace(
        base_url=stand_in.base_url,
        auth_url=stand_in.auth_url,
        client_id=CLIENT_ID,
        client_secret=SECRET,
    )
    return connected(running, profile=INTERFACE)


def test_a_walk_that_drifts_is_marked_and_keeps_each_record_once(
    tmp_path: Path,
) -> None:
    with standing_in() as stand_in, live(stand_in) as service:
        stand_in.data = moving(stand_in, times=99)
        found = service.pull("companies", out=tmp_path)
    (said,) = found.incomplete
    assert str(said).endswith(" (records changed while they were read)")
    pulled = read(tmp_path, "companies")
    assert pulled["uuid"].is_unique().all()
    assert pulled["uuid"].is_sorted()
    assert pulled.height == found.pulls[0].certificate.distinct
    tags = read(tmp_path, "company_tags")
    assert tags.select("company_uuid", "position").is_unique().all()
    with vf.connect(environment={}, data=tmp_path) as again:
        assert again.source.incomplete == (said,)
        caption = vf.hiring.study(
            again, tags=[again.tag("Robots", type="sector")]
        ).postings.caption
        assert "INCOMPLETE: companies" in caption


def test_an_id_that_comes_in_two_versions_is_never_complete(tmp_path: Path) -> None:
    held = [company(number) for number in range(1, 1201)]
    held.insert(700, {**held[10], "name": "Another"})
    with standing_in() as stand_in, live(stand_in) as service:
        stand_in.data = collection(held, total=1200)
        pulled = service.pull("companies", out=tmp_path).pulls[0]
    companies = read(tmp_path, "companies")
    assert companies["uuid"].is_unique().all()
    assert companies.height == 1200
    assert companies.filter(uuid=uuid(11))["name"].item() == "Another", (
        "the last copy is kept"
    )
    assert not pulled.is_complete


def test_another_question_than_the_unfinished_one_is_refused(
    serve: Serve, tmp_path: Path
) -> None:
    with serve(whole_sample(), INTERFACE) as served, served.service() as service:
        served.refuse = lambda asked: (
            403 if "/jobs" in asked and "offset=1999" in asked else None
        )
        with pytest.raises(ServiceError):
            service.pull("funds", "jobs", out=tmp_path)
        with pytest.raises(
            UnsupportedValue, match=r"another question, which differs in filter"
        ):
            service.pull(
                "jobs", out=tmp_path, where={"jobs": vf.job.entity_id == uuid(1)}
            )
        served.refuse = lambda _: None
        service.pull("funds", "jobs", out=tmp_path)
        with pytest.raises(UnsupportedValue, match="another pull of funds of"):
            service.pull("funds", out=tmp_path, where={"funds": vf.fund.year >= 2020})
        named: Any = {"where": {"investors": vf.fund.year >= 2020}}
        for names, own in (
            (["investors"], {}),
            ([["investors"]], {}),
            (["funds"], named),
        ):
            with pytest.raises(UnknownField, match=r"no field .*investors.* to pull"):
                service.pull(*names, out=tmp_path, **own)


PROGRAM = """
import sys
from ventureframe.client.auth import Credentials, Secret
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.interface.wire.profile import INTERFACE

base, auth, client, secret, out = sys.argv[1:]
session = Session(base_url=base, auth_url=auth,
                  credentials=Credentials(client, Secret(secret)),
                  user_agent="tests/1", profile=INTERFACE)
Service(session).pull("companies", "founders", "news", out=out)
"""


@pytest.mark.parametrize(
    "after", [6, *(pytest.param(each, marks=pytest.mark.slow) for each in (1, 9, 14))]
)
def test_a_killed_pull_goes_on_and_sends_no_request_twice(
    serve: Serve, tmp_path: Path, after: int
) -> None:
    with serve(whole_sample(), INTERFACE) as served:
        running = served.running
        pid: list[int] = []

        def kill_when_reached(_: str) -> None:
            if sum(served.data_asked.values()) > after and pid:
                os.kill(pid.pop(), signal.SIGKILL)
                time.sleep(0.05)

        served.refuse = kill_when_reached
        command = [sys.executable, "-c", PROGRAM, running.base_url, running.auth_url]
        secrets = [running.client_id, running.client_secret, str(tmp_path)]
        with subprocess.Popen([*command, *secrets]) as killed:
            pid.append(killed.pid)
            assert killed.wait(60) == -signal.SIGKILL
        first = served.data_asked
        served.refuse = lambda _: None
        with served.service() as service:
            found = service.pull("companies", "founders", "news", out=tmp_path)
            again = served.data_asked - first
            once = [asked for asked, count in (first + again).items() if count > 1]
            assert len(once) <= 1, (
                "only the request whose reply was cut off is sent again"
            )
            assert all(each.is_complete for each in found.pulls)
            assert not (tmp_path / ".pull").exists()
            served.asked.clear()
            service.pull("companies", "founders", "news", out=tmp_path)
            assert not [
                asked for asked in served.data_asked if "include_total" not in asked
            ]
            assert read(tmp_path, "companies")["uuid"].equals(
                rows(service, "companies")["uuid"]
            )


def test_a_pull_of_a_few_requests_a_time_goes_on_each_time(tmp_path: Path) -> None:
    with vf.connect(environment={}) as service:
        for _ in range(3):
            with pytest.raises(
                EnoughSent, match=r"^The pull of (companies|funds) is inc"
            ):
                service.pull("companies", "funds", out=tmp_path, at_most=2)
        pulled = service.pull("companies", "funds", out=tmp_path)
    assert [each.is_complete for each in pulled.pulls] == [True, True]
    assert repr(pulled).startswith("companies · 2,000 rows · complete · pulled 2026")


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (vf.company.launch_date >= 2020, "give conditions by collection"),
        ({"funds": vf.fund.amount >= 1}, "'funds'"),
    ],
)
def test_conditions_of_a_pull_are_by_collection_that_is_pulled(
    tmp_path: Path, where: Any, words: str
) -> None:
    with vf.connect(environment={}) as service, pytest.raises(QueryError, match=words):
        service.pull("companies", out=tmp_path, where=where)
