"""The command line of the service: what `ventureframe serve` starts as well."""

import argparse
import datetime as dt
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import Final

from ventureframe.errors import ConfigurationError, VentureframeError
from ventureframe.interface.wire.generations import WIRES, named
from ventureframe_service import run
from ventureframe_service.dataset import Dataset
from ventureframe_service.sample import sample
from ventureframe_service.settings import Settings

_SECRET: Final = "VENTUREFRAME_SERVE_SECRET"  # noqa: S105  # the name of a variable


def main(
    arguments: Sequence[str] | None = None, *, program: str = "python -m ventureframe_service"
) -> int:
    """Serve until it is stopped; 1 with one message on stderr where it cannot start."""
    options = _parser(program).parse_args(arguments)
    try:
        _serve(options)
    except VentureframeError as error:
        sys.stderr.write(f"ventureframe: {error}\n")
        return 1
    return 0


def _serve(options: argparse.Namespace) -> None:
    if options.data == "":
        raise ConfigurationError("--data is empty: is a variable of the shell not set?")
    if options.pulled and options.data is None:
        raise ConfigurationError("--pulled goes with --data: the sample is not a pull.")
    settings = Settings(
        host=options.host,
        port=options.port,
        client_id=options.client_id,
        client_secret=options.client_secret,
        rate=options.rate,
        profile=named(options.wire),
        tier=options.tier,
    )
    is_sample = options.data is None
    source = sample if is_sample else partial(Dataset.open, options.data, pulled=options.pulled)
    run.serve(source, settings, workers=options.workers)


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program, description="Serve a dataset folder, a folder of pulls, or the sample."
    )
    parser.add_argument("--data", metavar="DIR", help="dataset folder; else the sample")
    parser.add_argument(
        "--pulled", type=dt.date.fromisoformat, metavar="DAY", help="of pulls, not the latest"
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--client-id", default="ventureframe")
    parser.add_argument(
        "--client-secret",
        default=os.environ.get(_SECRET),
        help=f"else that of {_SECRET}, else a random one, printed when it is ready",
    )
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes to serve, without --rate"
    )
    parser.add_argument("--rate", type=float, metavar="N", help="requests a second, then 429")
    parser.add_argument(
        "--wire",
        default="interface",
        metavar="NAME",
        help=f"the generation it speaks, {' or '.join(WIRES)}; interface unless told",
    )
    parser.add_argument(
        "--tier",
        choices=("free", "premium"),
        default="premium",
        help="what a key sees of a row on today's wire: free withholds founders, education, "
        "career, alumni counts and a round's investors",
    )
    return parser
