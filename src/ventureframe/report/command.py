"""`ventureframe report`: the options of a notebook beside those of every report, carried out."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ventureframe.errors import ReportError, nearest
from ventureframe.evidence.members import Member
from ventureframe.report.build import beside, build, build_all, formats, keep
from ventureframe.report.notebook import find, notebooks, read, reports
from ventureframe.report.page import opening
from ventureframe.report.parameters import parameters, worded


def main(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    """Carries out the command and prints the path of every file written; 1 where one was not.

    `parser` has the options of every report. Those of the notebook that is named, one for each of
    its parameters, are added to it.
    """
    named = next(filter(None, map(_found, arguments)), None)
    own = [] if named is None else _add(parser, named)
    options, further = parser.parse_known_args(arguments)
    if options.notebook is not None:
        find(options.notebook)
    if further:
        near = nearest(further[0].partition("=")[0], [each.option for each in own], at_most=1)
        hint = "".join(f"; did you mean {option}?" for option in near)
        parser.error(f"unrecognized arguments: {' '.join(further)}{hint}")
    if options.list:
        print(*map(_listed, notebooks()), sep="\n\n")  # noqa: T201  # the answer
        return 0
    given = dict(options.set)
    for each in own:
        value = vars(options)[each.option]
        if value is not None and given.setdefault(each.name, value) != value:
            raise ReportError(f"parameter {each.name!r} is given by {each.option} and by --set")
    asked = {"data": options.data, "currency": options.currency}
    if options.keep:
        if options.notebook is None:
            raise ReportError("--keep goes with one notebook: name it instead of --all")
        print(keep(options.notebook, given))  # noqa: T201  # the answer
        return 0
    if options.all:
        if given:
            raise ReportError("--set goes with one notebook: name it instead of --all")
        return _all(options, asked)
    return _one(options, given, asked)


def _one(options: argparse.Namespace, given: dict[str, object], asked: dict[str, Any]) -> int:
    out = options.out or Path()
    if out.is_dir():
        out /= f"{find(options.notebook).stem}.html"
    kind, *also = formats(options.format, out)
    target = beside(out, kind) if options.format else out
    say = partial(print, file=sys.stderr)
    try:
        build(options.notebook, out=target, also=also, parameters=given, said=say, **asked)
    except ReportError as error:
        raise ReportError(f"{error}{of_default(error, find(options.notebook), given)}") from error
    print(target, *(beside(target, each) for each in also), sep="\n")  # noqa: T201  # the answer
    return 0


def of_default(error: ReportError, notebook: Path, given: Mapping[str, object]) -> str:
    """What to give where an error is about a name that the notebook has, and nobody gave."""
    for each in parameters(read(notebook)).values():
        if each.name not in given and each.picks:
            entries = each.default if isinstance(each.default, list) else [each.default]
            for entry in entries:
                named = entry[0] if isinstance(entry, tuple) else entry
                if named and repr(named) in str(error):
                    return f" {named!r} is what the notebook has: give another by {each.option}."
    return ""


def _all(options: argparse.Namespace, asked: dict[str, Any]) -> int:
    """Every report: the path of each that is made, and the reason of each that is not."""
    failed: list[str] = []
    out, kinds = options.out or Path("reports"), formats(options.format, None)
    if "html" not in kinds:
        raise ReportError("--all writes HTML, which its list leads to: add html to --format")
    for path in build_all(reports(), out=out, formats=kinds, failed=failed, **asked):
        print(path, flush=True)  # noqa: T201
    for reason in failed:
        print(f"ventureframe: {reason}", file=sys.stderr)  # noqa: T201
    return 1 if failed else 0


def _listed(path: Path) -> str:
    """A notebook with the text it opens with and its parameters with their defaults."""
    document = read(path)
    title, text = opening(document)
    members = parameters(document).values()
    values = (value for _, value in worded(members))
    takes = "; ".join(f"{each.option} ({v})" for each, v in zip(members, values, strict=True))
    return f"{path.stem}: {title}\n  {text}\n  {takes or 'takes no parameters'}"


def _found(text: str) -> Path | None:
    """The notebook that an argument names, if it names one."""
    if text.startswith("-") or (Path(text).is_file() and not text.endswith(".ipynb")):
        return None
    with suppress(ReportError):
        return find(text)
    return None


def _add(parser: argparse.ArgumentParser, notebook: Path) -> list[Member]:
    """The parameters of the notebook that got an option; `--set` gives the others.

    A parameter with the name of an option of every report, such as `--currency`, has no other.
    """
    document = read(notebook)
    title, text = opening(document)
    parser.description = f"{title}{'' if title.endswith('?') else '.'} {text}"
    group = parser.add_argument_group(f"parameters of {notebook.stem}")
    own = []
    for each in parameters(document).values():
        ((_, default),) = worded([each])
        often = "; may be given several times" if each.kind.is_list else ""
        meaning = f"{each.help}; " if each.help else ""
        text = f"{meaning}takes {each.kind.takes} (default: {default}){often}"
        with suppress(argparse.ArgumentError):
            group.add_argument(
                each.option,
                dest=each.option,
                action="append" if each.kind.is_list else "store",
                metavar=each.option.removeprefix("--").replace("-", "_").upper(),
                help=text.replace("%", "%%"),
            )
            own.append(each)
    return own
