"""`ventureframe serve`: its options, carried out."""

import argparse
import datetime as dt
import ipaddress
import os
from collections.abc import Sequence
from functools import partial
from typing import Final

from ventureframe.errors import ConfigurationError
from ventureframe.interface.wire.generations import WIRES, named
from ventureframe_service import run
from ventureframe_service.dataset import Dataset, sample
from ventureframe_service.settings import Settings

_SECRET: Final = "VENTUREFRAME_SERVE_SECRET"  # noqa: S105  # the name of a variable
_SETTINGS: Final = ("host", "port", "client_id", "client_secret", "proxy", "rate", "tier")


def main(arguments: Sequence[str]) -> None:
    """Serve until it is stopped; raises `VentureframeError` where it cannot start."""
    options = _parser().parse_args(arguments)
    if options.data == "":
        raise ConfigurationError("--data is empty: is a variable of the shell not set?")
    if options.pulled and options.data is None:
        raise ConfigurationError("--pulled goes with --data: the sample is not a pull.")
    given = {name: value for name, value in vars(options).items() if name in _SETTINGS}
    settings = Settings(profile=named(options.wire), **given)
    opened = partial(Dataset.open, options.data, pulled=options.pulled)
    run.serve(sample if options.data is None else opened, settings, workers=options.workers)


def _parser() -> argparse.ArgumentParser:
    program = "ventureframe serve"
    about = f"Serve a dataset folder, a folder of pulls, or the sample: {program} --data folder"
    parser = argparse.ArgumentParser(prog=program, description=about)
    add = parser.add_argument
    day, secret = dt.date.fromisoformat, os.environ.get(_SECRET)
    add("--data", metavar="DIR", help="dataset folder; else the sample")
    add("--pulled", type=day, metavar="DAY", help="of pulls, not the latest")
    add("--host", default="127.0.0.1")
    add("--port", type=int, default=0, help="0 picks a free one")
    add("--client-id", default="ventureframe")
    secret_help = f"else that of {_SECRET}, else a random one, printed when it is ready"
    add("--client-secret", default=secret, help=secret_help)
    add("--workers", type=int, default=1, metavar="N", help="processes to serve, without --rate")
    forwarded = "of a proxy whose X-Forwarded-For is believed: wrong secrets count by address"
    add("--proxy", type=ipaddress.ip_network, metavar="ADDRESS", help=forwarded)
    add("--rate", type=float, metavar="N", help="requests a second, then 429")
    wires = f"the generation it speaks, {' or '.join(WIRES)}; interface unless told"
    add("--wire", default="interface", metavar="NAME", help=wires)
    blocks = "founders, education, career, alumni counts and a round's investors"
    sees = f"what a key sees of a row on today's wire: free withholds {blocks}"
    add("--tier", choices=("free", "premium"), default="premium", help=sees)
    return parser
