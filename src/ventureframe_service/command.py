"""`ventureframe serve`: its options, and what they start."""

import argparse
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
_SETTINGS: Final = (
    "host",
    "port",
    "client_id",
    "client_secret",
    "proxy",
    "rate",
    "tier",
)


def main(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """Serve until it is stopped; raises `VentureframeError` where it cannot start."""
    _add_options(parser)
    options = parser.parse_args(arguments)
    for name, value in vars(options).items():
        if value == "":
            option = f"--{name.replace('_', '-')}"
            raise ConfigurationError(
                f"{option} is empty: is a variable of the shell not set?"
            )
    values = {name: value for name, value in vars(options).items() if name in _SETTINGS}
    settings = Settings(profile=named(options.wire), **values)
    opened = partial(Dataset.open, options.data)
    run.serve(
        sample if options.data is None else opened, settings, workers=options.workers
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--data",
        metavar="DIR",
        help="dataset folder, or folder of pulls; by default the sample",
    )
    add(
        "--host",
        default="127.0.0.1",
        help="address to listen on; by default %(default)s",
    )
    add("--port", type=int, default=0, metavar="N", help="port; by default a free one")
    add(
        "--client-id",
        default="ventureframe",
        metavar="ID",
        help="by default %(default)s",
    )
    secret = (
        f"by default the variable {_SECRET}, or else a random secret, which is printed"
    )
    add(
        "--client-secret",
        default=os.environ.get(_SECRET),
        metavar="SECRET",
        help=secret,
    )
    add(
        "--workers", type=int, default=1, metavar="N", help="processes; not with --rate"
    )
    proxy = "proxy, or its network, whose X-Forwarded-For header names the client"
    add("--proxy", type=ipaddress.ip_network, metavar="ADDRESS", help=proxy)
    rate = "requests per second; further ones are answered with status 429"
    add("--rate", type=float, metavar="N", help=rate)
    wire = f"generation of the wire, {' or '.join(WIRES)}; by default %(default)s"
    add("--wire", default="interface", metavar="NAME", help=wire)
    blocks = "founders, education, career, alumni counts and the investors of a round"
    tier = (
        f"plan of the key on wire 2026-10-02: free withholds {blocks}; by default"
        " %(default)s"
    )
    add("--tier", choices=("free", "premium"), default="premium", help=tier)
