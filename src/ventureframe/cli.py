"""The command line: `ventureframe report, watch, serve, snapshot, pull, compare, doctor, lab`."""

import argparse
import datetime as dt
import io
import os
import re
import sys
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NoReturn, get_args

from ventureframe.errors import ConfigurationError, VentureframeError, of_lab
from ventureframe.interface.fields import Currency

_FIRST: Final = "00_start_here.ipynb"
_FILTER: Final = "as the service reads it, such as total_funding[gte]:1000000"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with the message and where to read on."""
        self.exit(2, f"{self.prog}: {message}. {self.prog} --help lists what it takes.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it did what was asked, 1 with one message on stderr otherwise.

    A letter that the encoding of stdout lacks is written as an escape.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            with of_lab("This command"):
                return _run(arguments)
        finally:
            print(end="", flush=True)  # noqa: T201  # what is left of the answer
    except VentureframeError as error:
        print(f"ventureframe: {error}", file=sys.stderr)  # noqa: T201  # the command's one answer
        return 1
    except KeyboardInterrupt:
        print("ventureframe: interrupted", file=sys.stderr)  # noqa: T201
        return 130
    except OSError as error:  # of stdout: a file's is a `VentureframeError`
        _stop(error)


def _say(line: str) -> None:
    try:
        print(line, flush=True)  # noqa: T201  # as soon as it is known
    except OSError as error:
        _stop(error)


def _stop(error: OSError) -> NoReturn:
    """Ends the program, with 141 where what reads the answer, such as head, has read enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left of it
    if not isinstance(error, BrokenPipeError):
        what = error.filename or "the answer is not written"
        sys.exit(f"ventureframe: {what}: {error.strerror}")
    sys.exit(141)


def _run(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    options, further = parser.parse_known_args(arguments)
    if further and options.run not in (_lab, _report, _serve):
        parser.error(f"unrecognized arguments: {' '.join(further)}")
    options.further = further
    return int(options.run(options) or 0)


def _path(text: str) -> Path:
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty: is a variable of the shell not set?")
    return Path(text)


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day, as 2026-03-31") from None


def _whole(text: str) -> int:
    if not re.fullmatch("0*[1-9][0-9]{0,17}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


Option = tuple[str, dict[str, Any]]  # its name, and what argparse is told of it


def _option(name: str, help: str | None = None, **more: Any) -> Option:  # noqa: A002
    return name, {"help": help, **more}


_COLLECTIONS: Final = ("companies", "founders", "funds", "news", "jobs")
_DATA: Final = _option("--data", "a dataset folder, embedded", type=_path, metavar="DIR")
_CURRENCY: Final = _option("--currency", "currency of all amounts", choices=get_args(Currency))
_SNAPSHOT: Final = (
    *(_option("collection", choices=_COLLECTIONS), _option("--filter", _FILTER, metavar="TEXT")),
    *(_CURRENCY, _option("--also", argparse.SUPPRESS, action="append", dest="gone"), _DATA),
    _option("--out", "the folder; an older save is kept", type=_path, required=True),
)
_OF_ONE: Final = f"{_FILTER}; of several collections, name the one it is for"
_PULL: Final = (
    _option("collections", nargs="+", choices=_COLLECTIONS),
    _option("--out", "the folder", type=_path, required=True, metavar="DIR"),
    _option("--filter", _OF_ONE, action="append", default=[], metavar="[COLLECTION=]TEXT"),
    _option("--since", "of news, jobs and funds", type=_day, metavar="DAY"),
    _CURRENCY,
    _option("--complete", "fetch shortened lists in full", action="store_true"),
    _option("--at-most", "stop if more requests are needed", type=_whole, metavar="REQUESTS"),
    *(_option("--workers", "requests at a time", type=_whole, metavar="N"), _DATA),
)
_COMPARE: Final = (
    _option("old", "the folder of the first save", type=_path),
    _option("new", "the folder of the second", type=_path),
)
_SIGNED: Final = (
    *(_option("--by", "who made the report, on page one"), _option("--date", "when, likewise")),
    _option("--note", "what to say of it there"),
)
_WATCH: Final = (
    _option("question", "a saved question: report --save-question", type=_path, metavar="TOML"),
    _option("--keep", "the folder of its fetches", type=_path, required=True, metavar="DIR"),
    *(_DATA, *_SIGNED),
)
_WATCHES: Final = (
    "ask a saved question again and say what changed. Keeps the fetch, compares it with the last "
    "complete one, and writes a report, a text and JSON. Exit 0: nothing new, 10: something new, "
    "1: failed or not complete"
)
_DOCTOR: Final = (
    *(_DATA, _option("--wire", "the generation; else it is found out", metavar="NAME")),
    *(_option(n, argparse.SUPPRESS, nargs="*", dest="gone") for n in ("--record", "--compare")),
)
_PULLS: Final = (
    "write whole collections as Parquet parts, which serve and connect open. Says first what it "
    "costs; a pull that was stopped goes on when asked again"
)
_ASKS: Final = (
    "check that a service answers as expected. Sends the service that the environment names one "
    "small question per endpoint, and says which generation of the wire it speaks and what differs "
    "from it. Exit 1 where something does"
)
_LABS: Final = (
    "open JupyterLab on the notebooks, without a checkout on copies of them in the folder "
    "notebooks; further arguments go to JupyterLab"
)
_EXAMPLE: Final = "example: ventureframe {} {}"
_SET: Final = (
    "any parameter of the notebook, as its own option takes it: since=2021, "
    'lps="Name, domain; Name, domain", status=none; may be given several times'
)
_AS: Final = "what to write, several with commas between them; else what --out ends with, or html"
_OUT: Final = "file or folder; else the notebook's name here, with --all the folder reports"
_EACH: Final = "a CSV file or workbook: a report per row, whose headings are parameters, and a list"
_REPORT: Final = (
    _option("--set", _SET, action="append", default=[], type=_assignment, metavar="NAME=VALUE"),
    *(_CURRENCY, _option("--data", "a dataset folder to run on", type=_path, metavar="DIR")),
    _option("--for", _EACH, type=_path, metavar="FILE", dest="each"),
    _option(
        "--save-question", "also write the question, which watch asks", type=_path, metavar="TOML"
    ),
    *_SIGNED,
    *(_option("--format", _AS, metavar="html,pdf,xlsx"), _option("--out", _OUT, type=_path)),
)


def _with(parser: argparse.ArgumentParser, options: Iterable[Option]) -> argparse.ArgumentParser:
    for name, told in options:
        parser.add_argument(name, **told)
    return parser


def _parser() -> argparse.ArgumentParser:
    about = "Research notebooks over a startup, founder and investor data service."
    parser = _Parser(prog="ventureframe", description=about)
    made = f"ventureframe {metadata.version('ventureframe')}"
    parser.add_argument("--version", action="version", version=made)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, what, example, options in (
        ("report", _report, "run a notebook and write its report", "", None),
        ("watch", _watch, _WATCHES, "stanford.toml --keep stanford", _WATCH),
        ("serve", _serve, "serve a dataset folder, or the sample", "", None),
        ("snapshot", _snapshot, "fetch a collection and save it", "jobs --out june", _SNAPSHOT),
        ("pull", _pull, _PULLS, "companies founders --out data", _PULL),
        ("compare", _compare, "compare two snapshots", "june october", _COMPARE),
        ("doctor", _doctor, _ASKS, "--data folder", _DOCTOR),
        ("lab", _lab, _LABS, "--port 8889", ()),
    ):
        is_ours = options is not None  # else it has a parser of its own
        command = commands.add_parser(
            name,
            add_help=is_ours,
            help=what.partition(". ")[0],
            description=f"{what[0].upper()}{what[1:]}.",
            epilog=_EXAMPLE.format(name, example),
        )
        _with(command, options or ()).set_defaults(run=run)
    return parser


def _report(options: argparse.Namespace) -> int:
    from ventureframe.report import command  # noqa: PLC0415  # nbclient only when it is needed

    about = "Run a notebook and write its report. NAME --help lists its parameters."
    example = _EXAMPLE.format("report", "03 --set 'tags=AI, technology'")
    parser = _Parser(prog="ventureframe report", description=about, epilog=example)
    which = parser.add_mutually_exclusive_group()
    name = "name or number of a curated notebook, such as 01, or the path of any"
    which.add_argument("notebook", nargs="?", metavar="NAME", help=name)
    which.add_argument("--all", action="store_true", help="every notebook that makes a report")
    lists = "list notebooks and their parameters; with 08, the file of your list"
    parser.add_argument("--list", nargs="?", const=True, metavar="FILE", help=lists)
    return command.main(_with(parser, _REPORT), options.further)


def _serve(options: argparse.Namespace) -> None:
    from ventureframe_service import command  # noqa: PLC0415  # only when it is served

    command.main(options.further)


def _snapshot(options: argparse.Namespace) -> None:
    from ventureframe.connect import connect  # noqa: PLC0415
    from ventureframe.interface import filters  # noqa: PLC0415

    if options.gone:
        raise ConfigurationError("--also is gone: fetch each currency into a folder of its own.")
    with connect(data=options.data, currency=options.currency) as service:
        where = [] if options.filter is None else [filters.parse(options.filter)]
        result = getattr(service, options.collection).where(*where).fetch()
    print(f"{result.save(options.out)}: {result}")  # noqa: T201  # what a command is for


def _pull(options: argparse.Namespace) -> None:
    from ventureframe.connect import connect  # noqa: PLC0415

    if options.since and not {"news", "jobs", "funds"} & set(options.collections):
        raise ConfigurationError("--since goes with news, jobs and funds: leave it out.")
    where = {}
    for text in options.filter:
        name, equals, rest = text.partition("=")
        if not equals or name not in options.collections:
            name, rest = options.collections[0], text
            if len(options.collections) > 1:
                advice = f"Say which collection the filter is for: --filter '{name}={text}'."
                raise ConfigurationError(advice)
        where[name] = rest
    as_given = ("out", "since", "complete", "at_most", "workers")
    given = {name: getattr(options, name) for name in as_given}
    with connect(data=options.data, currency=options.currency) as service:
        progress = sys.stderr.isatty()
        service.pull(*options.collections, where=where, progress=progress, say=_say, **given)


def _compare(options: argparse.Namespace) -> None:
    from ventureframe.studies import changes  # noqa: PLC0415

    study = changes.compare(options.old, options.new)
    for part in map(study.only, study.pairs):
        caveats = "\n".join(f"- {caveat}" for caveat in part.limits)
        print(part.answer, part.changes, part.largest, caveats, sep="\n\n")  # noqa: T201


def _watch(options: argparse.Namespace) -> int:
    from ventureframe.connect import connect  # noqa: PLC0415
    from ventureframe.watch import read, watch  # noqa: PLC0415

    question = read(options.question)
    with connect(data=options.data) as service:
        signed = {name: vars(options)[name] for name in ("by", "date", "note")}
        seen = watch(question, service, options.keep, signed=signed)
    print(*seen.lines, sep="\n")  # noqa: T201  # the answer
    return seen.status


def _doctor(options: argparse.Namespace) -> int:
    from ventureframe import doctor  # noqa: PLC0415  # frames are loaded only when it asks
    from ventureframe.connect import connect  # noqa: PLC0415

    if options.gone is not None:
        raise ConfigurationError(
            "--record and --compare are gone: run `ventureframe doctor`, which says in what the "
            "replies differ from the table of their wire."
        )
    with connect(data=options.data, wire=options.wire) as service:
        print(f"{service}\nTo be sent: {doctor.cost(service)}.", flush=True)  # noqa: T201
        examination = doctor.examine(service)
        print(examination)  # noqa: T201  # what a command is for
    return min(len(examination.wrong), 1)


def _lab(options: argparse.Namespace) -> None:
    from ventureframe.report import opened_in  # noqa: PLC0415

    program = Path(sys.executable).with_name("jupyter-lab")
    if not program.exists():
        raise ConfigurationError("JupyterLab is not installed beside this Python: install it.")
    folder = opened_in(Path("notebooks")).resolve()
    own = ["--expose-app-in-browser", f"--ServerApp.root_dir={folder}"]  # for the form's script
    own.append(f"--LabApp.default_url=/lab/tree/{_FIRST}")
    os.execv(program, [str(program), *own, *options.further])  # noqa: S606


if __name__ == "__main__":
    sys.exit(main())
