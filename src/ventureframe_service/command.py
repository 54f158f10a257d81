"""`ventureframe serve`: its options, and what they start."""

import argparse
import os
from collections.abc import Sequence

from ventureframe.errors import ConfigurationError
from ventureframe_service import run
from ventureframe_service.dataset import Dataset, sample
from ventureframe_service.settings import Settings

_SECRET = "VENTUREFRAME_SERVE_SECRET"  # noqa: S105  # the name of a variable


def main(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """Serve until it is stopped; raises `VentureframeError` where it cannot start."""
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="dataset folder, or folder of pulls; by default the sample",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on; by default %(default)s",
    )
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="port; by default a free one"
    )
    parser.add_argument(
        "--client-id",
        default="ventureframe",
        metavar="ID",
        help="by default %(default)s",
    )
    parser.add_argument(
        "--client-secret",
        default=os.environ.get(_SECRET),
        metavar="SECRET",
        help=f"by default the variable {_SECRET}, or else a random secret, which is"
        " printed",
    )
    parser.add_argument(
        "--rate",
        type=float,
        metavar="N",
        help="requests per second; further ones are answered with status 429",
    )
    options = parser.parse_args(arguments)
    for name, value in vars(options).items():
        if value == "":
            option = f"--{name.replace('_', '-')}"
            raise ConfigurationError(
                f"{option} is empty: is a variable of the shell not set?"
            )
    settings = Settings(
        host=options.host,
        port=options.port,
        client_id=options.client_id,
        client_secret=options.client_secret,
        rate=options.rate,
    )
    dataset = sample() if options.data is None else Dataset.open(options.data)
    run.serve(dataset, settings)
