"""The command line: `ventureframe report, watch, serve, snapshot, pull, import,
compare, doctor, lab`.
"""

import argparse
import datetime as dt
import inspect
import io
import os
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NoReturn, get_args

from ventureframe.connect import connect
from ventureframe.errors import ConfigurationError, VentureframeError, of_lab
from ventureframe.interface import filters
from ventureframe.interface.fields import Currency
from ventureframe.interface.files import home


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        """End the program with the message and where to read on."""
        self.exit(
            2, f"{self.prog}: {message}. {self.prog} --help lists what it takes.\n"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 on success, 1 after one error message on stderr.

    A letter that the encoding of stdout lacks is written as an escape, and a warning
    is one line on stderr.
    """
    warnings.formatwarning = "ventureframe: {}\n".format
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            with of_lab("This command"):
                parser = _parser()
                options, further = parser.parse_known_args(arguments)
                if further and options.run not in (_lab, _report, _serve):
                    parser.error(f"unrecognized arguments: {' '.join(further)}")
                options.further = further
                return int(options.run(options) or 0)
        finally:
            print(end="", flush=True)  # noqa: T201  # what is still in the buffer
    except VentureframeError as error:
        print(f"ventureframe: {error}", file=sys.stderr)  # noqa: T201
        return 1
    except KeyboardInterrupt:
        print("ventureframe: interrupted", file=sys.stderr)  # noqa: T201
        return 130
    except OSError as error:  # of stdout: a file's is a `VentureframeError`
        # takes what is still in the buffer
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141  # the reader of the answer, such as head, has read enough
        subject = error.filename or "the answer is not written"
        message = f"ventureframe: {subject}: {error.strerror}"
        print(message, file=sys.stderr)  # noqa: T201
        return 1


def _filled(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError(
            "it is empty: is a variable of the shell not set?"
        )
    return text


def _path(text: str) -> Path:
    return home(_filled(text))


def _whole(text: str) -> int:
    if not re.fullmatch("0*[1-9][0-9]{0,17}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def _option(text: str, metavar: str | None = None, **more: Any) -> dict[str, Any]:
    return {"help": text, "metavar": metavar, **more}


_COLLECTIONS = ("companies", "founders", "funds", "news", "jobs")
_REPEATED: Final[Mapping[str, Any]] = {"action": "append", "default": []}
_OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "--data": _option(
        "use this dataset folder instead of a live service", "DIR", type=_path
    ),
    "--currency": _option("currency of all amounts", choices=get_args(Currency)),
    "--by": _option("author, shown on the first page of the report", "NAME"),
    "--date": _option("date, shown on the first page of the report", "TEXT"),
    "--note": _option("note, shown on the first page of the report", "TEXT"),
    "--set": _option(
        'parameter of the notebook, such as since=2021, lps="Name, domain; Name,'
        ' domain" or status=none; may be repeated',
        "NAME=VALUE",
        type=_assignment,
        **_REPEATED,
    ),
    "--save-question": _option("also save the question, for watch", "FILE", type=_path),
    "--format": _option(
        "formats, separated by commas; by default that of --out, or html",
        "html,pdf,xlsx",
    ),
    "question": _option(
        "a question saved by report --save-question", "FILE", type=_path
    ),
    "--keep": _option(
        "folder that keeps the fetches", "DIR", type=_path, required=True
    ),
    "collection": {"choices": _COLLECTIONS},
    "collections": {"choices": _COLLECTIONS, "nargs": "+"},
    "--filter": _option(
        "filter of the service, such as total_funding[gte]:1000000; with several"
        " collections, begin with the name of the one it is for:"
        " companies=total_funding[gte]:1000000",
        "[COLLECTION=]TEXT",
        **_REPEATED,
    ),
    "--out": _option("folder to write", "DIR", type=_path, required=True),
    "files": _option("a CSV file or a workbook", "FILE", type=_path, nargs="+"),
    "--yes": {"help": "write without a question", "action": "store_true"},
    "--complete": {
        "help": "also read the other entries of lists that rows show only in part",
        "action": "store_true",
    },
    "--at-most": _option("stop after this number of requests", "REQUESTS", type=_whole),
    "--at-most-credits": _option(
        "stop before more credits can be spent", "CREDITS", type=_whole
    ),
    "--workers": _option("number of simultaneous requests", "N", type=_whole),
    "old": _option("the earlier folder", type=_path),
    "new": _option("the later folder", type=_path),
    "--wire": _option("generation of the wire; detected by default", "NAME"),
}
"""The arguments of the commands, as argparse takes them."""
_SIGNED = "--by --date --note"


def _add(parser: argparse.ArgumentParser, arguments: str) -> argparse.ArgumentParser:
    for argument in arguments.split():
        parser.add_argument(argument, **_OPTIONS[argument])
    return parser


def _parser() -> argparse.ArgumentParser:
    about = "Research notebooks over a startup, founder and investor data service."
    parser = _Parser(prog="ventureframe", description=about)
    version = f"ventureframe {metadata.version('ventureframe')}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    pull = (
        "--out --filter --currency --complete --at-most --at-most-credits --workers"
        " --data"
    )
    for run, arguments, example in (
        (_report, None, ""),
        (_watch, f"question --keep --data {_SIGNED}", "stanford.toml --keep stanford"),
        (_serve, None, ""),
        (_snapshot, "collection --filter --currency --data --out", "jobs --out june"),
        (_pull, f"collections {pull}", "companies founders --out data"),
        (_import, "files --out --yes", "companies.csv --out mine"),
        (_compare, "old new", "june october"),
        (_doctor, "--data --wire", "--data folder"),
        (_lab, "--data", "--data folder --port 8889"),
    ):
        name = run.__name__.removeprefix("_")
        about = inspect.getdoc(run) or name
        command = commands.add_parser(
            name,
            add_help=arguments is not None,  # else the command has a parser of its own
            help=about.partition(".")[0],
            description=about,
            epilog=f"example: ventureframe {name} {example}",
        )
        _add(command, arguments or "").set_defaults(run=run)
    return parser


def _report(options: argparse.Namespace) -> int:
    """Run a notebook and write its report. NAME --help lists its parameters.

    Without a name it lists the notebooks.
    """
    # nbclient only when it is needed
    from ventureframe.report import command  # noqa: PLC0415

    parser = _Parser(
        prog="ventureframe report",
        description=inspect.getdoc(_report),
        epilog="example: ventureframe report 03 --tag 'AI, technology'",
    )
    notebooks = parser.add_mutually_exclusive_group()
    notebooks.add_argument(
        "notebook",
        nargs="?",
        metavar="NAME",
        help="name or number of a notebook of this package, such as 01, or the path of"
        " another",
    )
    notebooks.add_argument(
        "--all", action="store_true", help="every notebook that makes a report"
    )
    _add(
        parser,
        f"--set --currency --data --save-question {_SIGNED} --format"
        " --at-most --at-most-credits",
    )
    parser.add_argument(
        "--out",
        type=_filled,
        help="file to write, or a folder, such as reports/; by default a file named"
        " after the notebook; with --all, the folder reports",
    )
    return command.main(parser, options.further)


def _serve(options: argparse.Namespace) -> None:
    """Serve a dataset folder, a folder of pulls, or the sample data, until it is
    stopped.
    """
    from ventureframe_service import command  # noqa: PLC0415

    example = "example: ventureframe serve --data folder --port 8000"
    parser = _Parser(
        "ventureframe serve", description=inspect.getdoc(_serve), epilog=example
    )
    command.main(parser, options.further)


def _conditions(texts: Sequence[str], collections: Sequence[str]) -> dict[str, Any]:
    """Return the filter of each collection; several of one are joined by and."""
    conditions = dict[str, filters.Filter]()
    for text in texts:
        name, _, condition = text.partition("=")
        if name not in collections:
            name, condition = collections[0], text
            if len(collections) > 1:
                raise ConfigurationError(
                    f"Say which collection the filter is for: --filter '{name}={text}'."
                )
        earlier = [conditions[name]] if name in conditions else []
        conditions[name] = filters.all_of(*earlier, filters.parse(condition))
    return conditions


def _snapshot(options: argparse.Namespace) -> None:
    """Fetch a collection and save it. A folder that already holds a save is refused."""
    with connect(data=options.data, currency=options.currency) as service:
        conditions = _conditions(options.filter, [options.collection])
        query = getattr(service, options.collection)
        result = query.where(*conditions.values()).fetch()
    print(f"{result.save(options.out)}: {result}")  # noqa: T201


def _pull(options: argparse.Namespace) -> None:
    """Write whole collections as Parquet files, for serve and --data.

    States the cost first. To resume a pull that was stopped, run the same command
    again.
    """
    names = ("out", "complete", "at_most", "at_most_credits", "workers")
    with connect(data=options.data, currency=options.currency) as service:
        service.pull(
            *options.collections,
            where=_conditions(options.filter, options.collections),
            progress=sys.stderr.isatty(),
            say=partial(print, flush=True),
            **{name: vars(options)[name] for name in names},
        )


def _import(options: argparse.Namespace) -> None:
    """Write tables of your own as a dataset folder, for serve and --data.

    Takes CSV files and workbooks of companies, founders and funding rounds. States
    which column is taken for what, and what is left out, and asks before it writes.
    """
    from ventureframe.importing import read  # noqa: PLC0415

    day = dt.datetime.now().astimezone().date()
    dataset, notes = read.read(options.files, options.out.name, day=day)
    print(*notes, sep="\n")  # noqa: T201
    is_agreed = options.yes
    if not is_agreed and sys.stdin.isatty():
        is_agreed = input("Write this? [y/N] ").lower() in ("y", "yes")
    if not is_agreed:
        raise ConfigurationError("Nothing is written: agree with --yes.")
    print(read.write(dataset, options.out))  # noqa: T201


def _compare(options: argparse.Namespace) -> None:
    """Compare two folders that snapshot, watch or a study saved at two times."""
    from ventureframe.studies import changes  # noqa: PLC0415

    study = changes.compare(options.old, options.new)
    caveats = "\n".join(f"- {caveat}" for caveat in study.limits)
    print(study.answer, study.largest, caveats, sep="\n\n")  # noqa: T201


def _watch(options: argparse.Namespace) -> int:
    """Run a saved question again and say what changed.

    Keeps the fetch, compares it with the last complete one, and writes a report, a
    text file and a JSON file. Exit status: 0 nothing new, 10 something new, 1 failed
    or incomplete.
    """
    from ventureframe.watch import read, watch  # noqa: PLC0415

    question = read(options.question)
    signed = {name: vars(options)[name] for name in ("by", "date", "note")}
    with connect(data=options.data) as service:
        outcome = watch(question, service, options.keep, signed=signed)
    print(*outcome.lines, sep="\n")  # noqa: T201
    return outcome.status


def _doctor(options: argparse.Namespace) -> int:
    """Check that a service answers as expected.

    Sends a few small requests to each endpoint of the service that the environment
    names, and reports every difference from its wire. Exit status: 0 all is well, 1
    something differs.
    """
    from ventureframe import doctor  # noqa: PLC0415

    with connect(data=options.data, wire=options.wire) as service:
        introduction = f"{service}\nTo be sent: {doctor.cost(service)}."
        print(introduction, flush=True)  # noqa: T201
        examination = doctor.examine(service)
        print(examination)  # noqa: T201
    return min(len(examination.wrong), 1)


def _lab(options: argparse.Namespace) -> None:
    """Open JupyterLab on the notebooks.

    Without a checkout it opens copies of them, in the folder notebooks. Other
    arguments are passed on to JupyterLab.
    """
    from ventureframe.report import opened_in  # noqa: PLC0415

    program = Path(sys.executable).with_name("jupyter-lab")
    if not program.exists():
        raise ConfigurationError(
            "JupyterLab is not installed beside this Python: install it."
        )
    if options.data is not None:
        connect(data=options.data).close()  # refused here, and not in a notebook
        os.environ["VENTUREFRAME_DATA"] = str(options.data.resolve())
    folder = opened_in(Path("notebooks")).resolve()
    root = f"--ServerApp.root_dir={folder}"
    first = "--LabApp.default_url=/lab/tree/00_start_here.ipynb"
    saving = (
        "--FileContentsManager.pre_save_hook=ventureframe.report.notebook.before_save"
    )
    os.execv(  # noqa: S606
        program, [str(program), root, first, saving, *options.further]
    )


if __name__ == "__main__":
    sys.exit(main())
