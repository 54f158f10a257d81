"""One analysis on several engines, beside plain pandas and hand-written SQL over the
same files.

    python benchmarks/engines.py FOLDER [--companies 300000] [--limit 1GB] [--only NAME
    ...]

FOLDER gets an invented dataset with flat tables (dataset.py: 1.5 founders a company,
2 education entries a founder). Every case runs in a process of its own:
`by_institution`, then `find` of the university with the most entries. Seconds, CPU
seconds and peak memory are of the case alone, imports included in the memory. The
hash is of what every case computes (per institution founders, companies, known
totals, their sum and median, first and last year; per university the companies and
the sum); ours also compute candidates, names, coverage and evidence, and `full` is
the hash of the whole frames, equal on every engine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

CORE = (
    *("university_uuid", "founders_evidenced", "companies_evidenced", "funding_known"),
    *("funding_total", "funding_median"),
)
CURRENCY = "EUR"
TABLES = (
    *(
        "companies",
        "company_founders",
        "company_tags",
        "founders",
        "education",
        "universities",
    ),
)


def make(folder: Path, companies: int) -> None:
    """The dataset, its lists flat: what a pull leaves behind."""
    import dataset

    from ventureframe import bulk
    from ventureframe_service.dataset import Dataset

    about = dataset.Description(
        name=f"invented, {companies:,} companies",
        description="SYNTHETIC: for benchmarks",
        as_of=dataset.AS_OF,
        synthetic=True,
        licence="CC0",
        attribution=(),
    )
    nested = folder / "nested"
    Dataset(about, dataset.tables(companies, education=2.0)).write(nested)
    frames = bulk.open(nested)
    for name in TABLES:
        frames[name].sink_parquet(folder / f"{name}.parquet", row_group_size=122_880)
    for name in ("dataset.json", "fx.parquet"):
        (folder / name).write_bytes((nested / name).read_bytes())


def busiest(folder: Path) -> str:
    """The university with the most entries."""
    entries = pl.scan_parquet(folder / "education.parquet").drop_nulls(
        "university_uuid"
    )
    counted = (
        entries.group_by("university_uuid")
        .len()
        .sort("len", "university_uuid")
        .collect()
    )
    return str(counted["university_uuid"][-1])


def rates(folder: Path) -> dict[str, float]:
    fx = (
        pl.read_parquet(folder / "fx.parquet")
        .sort("date")
        .unique("currency", keep="last")
    )
    euro = dict(fx.select("currency", "per_eur").rows())
    return {code: euro[CURRENCY] / rate for code, rate in euro.items()}


def hashed(rows: pl.DataFrame) -> str:
    """The first letters of the SHA-256 of rows, amounts rounded to a tenth."""
    plain = rows.with_columns(pl.col(pl.Float64).round(1))
    return hashlib.sha256(plain.write_csv().encode()).hexdigest()[:12]


def core(rows: pl.DataFrame) -> str:
    kept = (
        rows.filter(pl.col("companies_evidenced") > 0)
        .select(CORE)
        .sort("university_uuid")
    )
    # pandas and SQL add floats in an order of their own: sums are compared to the
    # million
    kept = kept.with_columns((pl.col("funding_total") / 1e6).round(0))
    return hashed(kept.cast({pl.Int32: pl.Int64, pl.UInt32: pl.Int64}))


def ours(
    engine: Callable[[], Any], *, is_eager: bool = False
) -> dict[str, Callable[..., Any]]:
    """The two questions as an analyst asks them."""

    def opened(folder: Path) -> dict[str, Any]:
        from ventureframe.dataset.manifest import Description
        from ventureframe.dataset.rates import Rates
        from ventureframe.interface.source import Origin, Source

        about = Description.read(folder)
        fx = pl.read_parquet(folder / "fx.parquet").sort("date")
        known = Rates(fx, as_of=about.as_of).latest
        frames: dict[str, Any] = {"origin": Origin(Source(**vars(about)), known)}
        on = engine()
        for name in TABLES:
            path = str(folder / f"{name}.parquet")
            if on == "polars":
                frames[name] = pl.scan_parquet(path)
            elif hasattr(on, "read_parquet"):
                frames[name] = on.read_parquet(path)
            else:
                frames[name] = on.read.parquet(path)
        if not is_eager:
            return dict(frames)
        return {
            k: v.collect() if isinstance(v, pl.LazyFrame) else v
            for k, v in frames.items()
        }

    def by_institution(folder: Path) -> tuple[str, str]:
        from ventureframe.studies import institutions

        rows = institutions.find(**opened(folder), currency=CURRENCY).frames[
            "institutions"
        ]
        return core(rows), hashed(rows)

    def find(folder: Path, university: str) -> tuple[str, str]:
        from ventureframe.studies import spinouts

        study = spinouts.find(
            **opened(folder), university=university, currency=CURRENCY
        )
        c = study.counts
        counted = (
            c.founders_evidenced,
            c.companies_evidenced,
            round(c.funding_total or 0),
        )
        full = "".join(
            hashed(study.frames[name]) for name in ("links", "pool", "funnel")
        )
        return str(counted), hashlib.sha256(full.encode()).hexdigest()[:12]

    return {"by_institution": by_institution, "find": find}


def duckdb_limited() -> Any:
    import duckdb

    return duckdb.connect(config={"memory_limit": LIMIT})


def sail() -> Any:
    from pysail.spark import SparkConnectServer
    from pyspark.sql.connect.session import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    host, port = server.listening_address
    KEPT.append(server)
    return SparkSession.builder.remote(f"sc://{host}:{port}").getOrCreate()


KEPT: list[Any] = []
LIMIT = "1GB"


def pandas_frames(folder: Path) -> tuple[Any, Any, Any]:
    import pandas as pd

    def read(name: str, *columns: str) -> Any:
        return pd.read_parquet(folder / f"{name}.parquet", columns=list(columns))

    money = ("total_funding", "total_funding_currency")
    firms = read("companies", "uuid", "launch_date", *money)
    firms["total"] = firms["total_funding"] * firms["total_funding_currency"].map(
        rates(folder)
    )
    pairs = read("company_founders", "company_uuid", "founder_uuid").drop_duplicates()
    pairs = pairs[pairs["company_uuid"].isin(firms["uuid"])]
    entries = (
        read("education", "founder_uuid", "university_uuid").dropna().drop_duplicates()
    )
    entries = entries[entries["founder_uuid"].isin(read("founders", "uuid")["uuid"])]
    return firms, pairs, entries


def pandas_by_institution(folder: Path) -> tuple[str, str]:
    firms, pairs, entries = pandas_frames(folder)
    linked = entries.merge(pairs, on="founder_uuid")
    people = linked.drop_duplicates(["university_uuid", "founder_uuid"])
    at = linked.drop_duplicates(["university_uuid", "company_uuid"])
    at = at.merge(firms, left_on="company_uuid", right_on="uuid").groupby(
        "university_uuid"
    )
    rows = at.agg(
        companies_evidenced=("company_uuid", "size"),
        funding_known=("total", "count"),
        funding_total=("total", lambda each: each.sum(min_count=1)),
        funding_median=("total", "median"),
    )
    rows["founders_evidenced"] = people.groupby("university_uuid").size()
    return core(pl.from_pandas(rows.reset_index(), nan_to_null=True)), ""


def pandas_find(folder: Path, university: str) -> tuple[str, str]:
    firms, pairs, entries = pandas_frames(folder)
    linked = entries[entries["university_uuid"] == university].merge(
        pairs, on="founder_uuid"
    )
    at = linked.drop_duplicates("company_uuid").merge(
        firms, left_on="company_uuid", right_on="uuid"
    )
    counted = (linked["founder_uuid"].nunique(), len(at), round(at["total"].sum()))
    return str(counted), ""


LINKED = """
WITH firms AS (SELECT uuid, launch_date, total_funding * factor AS total
  FROM '{0}/companies.parquet' LEFT JOIN factors ON code = total_funding_currency),
entries AS (SELECT DISTINCT founder_uuid, university_uuid FROM '{0}/education.parquet'
  WHERE university_uuid IS NOT NULL AND {1}
  AND founder_uuid IN (SELECT uuid FROM '{0}/founders.parquet')),
pairs AS (SELECT DISTINCT company_uuid, founder_uuid FROM '{0}/company_founders.parquet'
  WHERE company_uuid IN (SELECT uuid FROM '{0}/companies.parquet')),
linked AS (SELECT * FROM entries JOIN pairs USING (founder_uuid)),
people AS (SELECT university_uuid, count(DISTINCT founder_uuid) AS founders_evidenced
  FROM linked GROUP BY ALL),
pairs_at AS (SELECT DISTINCT university_uuid, company_uuid FROM linked),
rows AS (SELECT university_uuid, count(*) AS companies_evidenced, count(total) AS funding_known,
  sum(total) AS funding_total, median(total) AS funding_median
  FROM pairs_at JOIN firms ON uuid = company_uuid GROUP BY ALL)
SELECT * FROM rows JOIN people USING (university_uuid)
"""


def sql(folder: Path, condition: str) -> pl.DataFrame:
    connection = duckdb_limited()
    factors = pl.DataFrame(
        list(rates(folder).items()), schema=["code", "factor"], orient="row"
    )
    connection.register("factors", factors.to_arrow())
    return connection.sql(LINKED.format(folder, condition)).pl()


def sql_by_institution(folder: Path) -> tuple[str, str]:
    return core(sql(folder, "true")), ""


def sql_find(folder: Path, university: str) -> tuple[str, str]:
    row = sql(folder, f"university_uuid = '{university}'").row(0, named=True)
    counted = (
        row["founders_evidenced"],
        row["companies_evidenced"],
        round(row["funding_total"]),
    )
    return str(counted), ""


CASES: dict[str, dict[str, Callable[..., Any]]] = {
    "polars, lazy": ours(lambda: "polars"),
    "polars, eager": ours(lambda: "polars", is_eager=True),
    "DuckDB, limited": ours(duckdb_limited),
    "Sail": ours(sail),
    "plain pandas": {"by_institution": pandas_by_institution, "find": pandas_find},
    "DuckDB SQL, limited": {"by_institution": sql_by_institution, "find": sql_find},
}


def peak() -> int:
    """The most memory that this process has held, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return (
        int(next(each for each in lines if each.startswith("VmHWM")).split()[1]) // 1024
    )


def run(folder: Path, case: str, question: str, *args: str) -> None:
    """One case in this process, as a line of JSON."""
    started, cpu = time.perf_counter(), time.process_time()
    answer, full = CASES[case][question](folder, *args)
    print(
        json.dumps(
            {
                "seconds": round(time.perf_counter() - started, 1),
                "cpu": round(time.process_time() - cpu, 1),
                "peak": peak(),
                "answer": answer,
                "full": full,
            }
        ),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--companies", type=int, default=300_000)
    parser.add_argument("--limit", default=LIMIT)
    parser.add_argument("--only", nargs="*", default=list(CASES))
    parser.add_argument("--case", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    globals()["LIMIT"] = args.limit
    if args.case:
        run(args.folder, *args.case)
        return
    if not (args.folder / "education.parquet").exists():
        make(args.folder, args.companies)
    university = busiest(args.folder)
    print("| question | on | seconds | CPU | peak MiB | answer | full |")
    print("|---|---|---|---|---|---|---|")
    for question, given in (("by_institution", ()), ("find", (university,))):
        for case in args.only:
            command = [
                sys.executable,
                __file__,
                str(args.folder),
                "--limit",
                args.limit,
            ]
            done = subprocess.run(
                [*command, "--case", case, question, *given],
                capture_output=True,
                text=True,
                check=False,
            )
            lines = [each for each in done.stdout.splitlines() if each.startswith("{")]
            if not lines:
                print(
                    f"| {question} | {case} | failed: {done.stderr.splitlines()[-1:]} |"
                )
                continue
            shown = " | ".join(map(str, json.loads(lines[-1]).values()))
            print(f"| {question} | {case} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
