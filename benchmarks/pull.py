"""Pulls a million companies from a server of prepared pages: seconds, peak memory,
bytes.

python benchmarks/pull.py ROWS --folder DIR
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

from ventureframe.client.auth import Credentials, Secret
from ventureframe.client.service import Service
from ventureframe.client.session import Session

HERE = Path(__file__).parent


def pulled(port: int, out: Path) -> dict[str, object]:
    """One pull in this process, and what it took."""
    address = f"http://127.0.0.1:{port}"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    session = Session(
        base_url=address,
        auth_url=f"{address}/oauth/token",
        credentials=Credentials("benchmark", Secret("none")),
        user_agent="benchmark/1",
    )
    began = time.perf_counter()
    found = Service(session).pull("companies", out=out, say=print)
    seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_SELF)
    (pull,) = found.pulls
    return {
        "rows": pull.rows,
        "verdict": pull.certificate.verdict,
        "pages": pull.certificate.pages,
        "seconds": round(seconds, 1),
        "cpu": round(used.ru_utime + used.ru_stime, 1),
        "MiB before": before // 1024,
        "MiB at most": used.ru_maxrss // 1024,
        "parts": {name: len(parts) for name, parts in pull.tables.items()},
        "rows of tables": {
            name: sum(part.rows for part in parts)
            for name, parts in pull.tables.items()
        },
        "MB on disk": (
            sum(path.stat().st_size for path in out.rglob("*.parquet")) // 10**6
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    out = options.folder / "out"
    if options.port is not None:
        print(json.dumps(pulled(options.port, out), indent=1))
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(out, ignore_errors=True)
    command = [
        sys.executable,
        str(HERE / "pages.py"),
        str(options.folder),
        str(options.rows),
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        try:
            print(f"load {os.getloadavg()[0]:.1f}")
            again = [
                sys.executable,
                __file__,
                "--folder",
                str(options.folder),
                "--port",
                port,
            ]
            subprocess.run(again, check=True)
        finally:
            server.kill()


if __name__ == "__main__":
    main()
