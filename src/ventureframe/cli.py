"""The command line: `ventureframe report, serve, snapshot, pull, compare, doctor, lab`."""

import argparse
import datetime as dt
import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, NoReturn, get_args

from ventureframe.errors import ConfigurationError, VentureframeError
from ventureframe.interface.fields import Currency

_FILTER: Final = "as the service reads it, such as total_funding[gte]:1000000"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with the message and where to read on."""
        self.exit(2, f"{self.prog}: {message}. {self.prog} --help lists what it takes.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it did what was asked, 1 with one message on stderr otherwise."""
    parser = _parser()
    options, further = parser.parse_known_args(arguments)
    if further and options.run not in (_lab, _report, _serve):
        parser.error(f"unrecognized arguments: {' '.join(further)}")
    options.further = further
    try:
        outcome: int | None = options.run(options)
    except VentureframeError as error:
        print(f"ventureframe: {error}", file=sys.stderr)  # noqa: T201  # the command's one answer
        return 1
    except KeyboardInterrupt:
        print("ventureframe: interrupted", file=sys.stderr)  # noqa: T201
        return 130
    except BrokenPipeError:  # what reads the answer, such as head, has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return outcome or 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ventureframe",
        description="Research notebooks over a startup, founder and investor data service.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    report = commands.add_parser(
        "report", add_help=False, help="run a notebook and write its report"
    )
    report.set_defaults(run=_report)
    serve = commands.add_parser(
        "serve", add_help=False, help="serve a dataset folder, or the sample"
    )
    serve.set_defaults(run=_serve)
    _add_snapshot(commands.add_parser("snapshot", help="fetch a collection and save it"))
    _add_pull(commands.add_parser("pull", help="write whole collections as Parquet parts"))
    _add_compare(commands.add_parser("compare", help="say what two saves differ in"))
    _add_doctor(commands.add_parser("doctor", help="ask a service which choices hold"))
    lab = commands.add_parser(
        "lab",
        description="Open JupyterLab on the notebooks; further arguments go to JupyterLab.",
        help="open JupyterLab on the notebooks, without a checkout on copies of them in the folder "
        "notebooks; further arguments go to JupyterLab",
    )
    lab.set_defaults(run=_lab)
    return parser


def _report_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ventureframe report",
        description="Run a notebook and write its report. NAME --help lists its parameters.",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "notebook",
        nargs="?",
        metavar="NAME",
        help="name or number of a curated notebook, such as 01, or the path of any",
    )
    which.add_argument("--all", action="store_true", help="every notebook that makes a report")
    which.add_argument("--list", action="store_true", help="list notebooks and their parameters")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=_assignment,
        metavar="NAME=VALUE",
        help="any parameter of the notebook, as its own option takes it: since=2021, "
        'lps="Name, domain; Name, domain", status=none; may be given several times',
    )
    parser.add_argument(
        "--keep", action="store_true", help="write the values into the notebook, and run nothing"
    )
    parser.add_argument("--currency", choices=get_args(Currency), help="currency of all amounts")
    parser.add_argument("--data", type=_path, metavar="DIR", help="a dataset folder to run on")
    parser.add_argument(
        "--format",
        metavar="html,pdf,xlsx",
        help="what to write, several with commas between them; else what --out ends with, or html",
    )
    parser.add_argument(
        "--out",
        type=_path,
        help="file or folder; else the notebook's name here, with --all the folder reports",
    )
    return parser


def _add_snapshot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("collection", choices=("companies", "founders", "funds", "news", "jobs"))
    parser.add_argument("--filter", metavar="TEXT", help=_FILTER)
    parser.add_argument("--currency", choices=get_args(Currency), help="currency of all amounts")
    parser.add_argument("--also", action="append", dest="gone", help=argparse.SUPPRESS)
    parser.add_argument("--data", type=_path, metavar="DIR", help="a dataset folder, embedded")
    parser.add_argument(
        "--out", type=_path, required=True, help="the folder; an older save is kept"
    )
    parser.set_defaults(run=_snapshot)


def _add_pull(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Walk whole collections into a folder of sorted Parquet parts, which serve and connect "
        "open. Says first what it costs; a pull that was stopped goes on when asked again."
    )
    parser.add_argument(
        "collections", nargs="+", choices=("companies", "founders", "funds", "news", "jobs")
    )
    parser.add_argument("--out", type=_path, required=True, metavar="DIR", help="the folder")
    parser.add_argument(
        "--filter",
        action="append",
        default=[],
        metavar="[COLLECTION=]TEXT",
        help=f"{_FILTER}; of several collections, name the one it is for",
    )
    parser.add_argument("--since", type=_day, metavar="DAY", help="of news, jobs and funds")
    parser.add_argument("--currency", choices=get_args(Currency), help="currency of all amounts")
    parser.add_argument(
        "--complete", action="store_true", help="read lists cut short, record by record"
    )
    parser.add_argument("--at-most", type=_whole, metavar="REQUESTS", help="refuse a pull of more")
    parser.add_argument("--workers", type=_whole, metavar="N", help="requests at a time")
    parser.add_argument("--data", type=_path, metavar="DIR", help="a dataset folder, embedded")
    parser.set_defaults(run=_pull)


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", type=_path, help="the folder of the first save")
    parser.add_argument("new", type=_path, help="the folder of the second")
    parser.set_defaults(run=_compare)


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Ask the service that the environment names one small question per endpoint, and say "
        "which generation of the wire it speaks, which choices hold, and what to change where one "
        "does not. Exit 1 where one does not."
    )
    parser.add_argument("--data", type=_path, metavar="DIR", help="a dataset folder, embedded")
    parser.add_argument("--wire", metavar="NAME", help="the generation; else it is found out")
    for option in ("--record", "--compare"):
        parser.add_argument(option, nargs="*", dest="gone", help=argparse.SUPPRESS)
    parser.set_defaults(run=_doctor)


def _text(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty: is a variable of the shell not set?")
    return text


def _path(text: str) -> Path:
    return Path(_text(text))


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day, as 2026-03-31") from None


def _whole(text: str, least: int = 1, most: int | None = None) -> int:
    number = int(text) if re.fullmatch("[0-9]{1,18}", text, re.ASCII) else -1
    if number < least or (most is not None and number > most):
        ends = f"from {least} on" if most is None else f"from {least} to {most:,}"
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {ends}")
    return number


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def _report(options: argparse.Namespace) -> int:
    from ventureframe.report import command  # noqa: PLC0415  # nbclient only when it is needed

    return command.main(_report_parser(), options.further)


def _serve(options: argparse.Namespace) -> int:
    from ventureframe_service import command  # noqa: PLC0415  # only when it is served

    return command.main(options.further, program="ventureframe serve")


def _snapshot(options: argparse.Namespace) -> None:
    from ventureframe.connect import connect  # noqa: PLC0415
    from ventureframe.interface import filters  # noqa: PLC0415

    if options.gone:
        raise ConfigurationError("--also is gone: fetch each currency into a folder of its own.")
    with connect(data=options.data, currency=options.currency) as service:
        query = getattr(service, options.collection)
        if options.filter is not None:
            query = query.where(filters.parse(options.filter))
        result = query.fetch()
    folder = result.save(options.out)
    print(f"{folder}: {result}")  # noqa: T201  # what a command is for


def _pull(options: argparse.Namespace) -> None:
    from ventureframe.connect import connect  # noqa: PLC0415

    if options.since and not {"news", "jobs", "funds"} & set(options.collections):
        raise ConfigurationError("--since goes with news, jobs and funds: leave it out.")
    where = {}
    for text in options.filter:
        name, equals, rest = text.partition("=")
        if not equals or name not in options.collections:
            if len(options.collections) > 1:
                raise ConfigurationError(
                    f"Say which collection the filter is for: --filter "
                    f"'{options.collections[0]}={text}'."
                )
            name, rest = options.collections[0], text
        where[name] = rest
    with connect(data=options.data, currency=options.currency) as service:
        service.pull(
            *options.collections,
            out=options.out,
            where=where,
            since=options.since,
            complete=options.complete,
            at_most=options.at_most,
            workers=options.workers,
            progress=sys.stderr.isatty(),
            say=partial(print, flush=True),
        )


def _compare(options: argparse.Namespace) -> None:
    from ventureframe.studies import changes  # noqa: PLC0415

    found = changes.compare(options.old, options.new)
    for name in found.pairs:
        part = found.only(name)
        caveats = "\n".join(f"- {caveat}" for caveat in part.limits)
        print(part.answer, part.changes, caveats, sep="\n\n")  # noqa: T201


def _doctor(options: argparse.Namespace) -> int:
    from ventureframe import doctor  # noqa: PLC0415  # frames are loaded only when it asks
    from ventureframe.connect import connect  # noqa: PLC0415

    if options.gone is not None:
        raise ConfigurationError(
            "--record and --compare are gone: run `ventureframe doctor`, which says in what the "
            "replies differ from the table of their wire."
        )
    answers = []
    with connect(data=options.data, wire=options.wire) as service:
        print(service)  # noqa: T201  # what a command is for
        for answer in doctor.examine(service):
            print(answer, flush=True)  # noqa: T201  # as soon as it is known
            answers.append(answer)
    wrong = sum(finding.holds is False for answer in answers for finding in answer.findings)
    verdict = "1 finding does not hold" if wrong == 1 else f"{wrong} findings do not hold"
    spent = sum(answer.credits for answer in answers)
    credits = f" · {spent:,g} credits" if spent else ""  # noqa: A001
    sent = sum(answer.request.startswith("GET") for answer in answers)
    print(f"{sent} requests: {verdict if wrong else 'nothing is contradicted'}{credits}")  # noqa: T201
    return 1 if wrong else 0


def _lab(options: argparse.Namespace) -> None:
    from ventureframe.report import opened_in  # noqa: PLC0415

    program = Path(sys.executable).with_name("jupyter-lab")
    if not program.exists():
        raise ConfigurationError(
            "JupyterLab is not installed beside this Python; install jupyterlab."
        )
    folder = opened_in(Path("notebooks")).resolve()
    os.execv(program, [str(program), f"--ServerApp.root_dir={folder}", *options.further])  # noqa: S606


if __name__ == "__main__":
    sys.exit(main())
