"""`ventureframe report`: the options of a notebook beside those of every report,
carried out.
"""

import argparse
import math
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ventureframe.display.wording import listed
from ventureframe.errors import ReportError, nearest
from ventureframe.evidence.members import Member
from ventureframe.report.build import (
    Format,
    build,
    build_all,
    file_in,
    formats,
    in_format,
)
from ventureframe.report.notebook import (
    find,
    notebooks,
    parameters,
    read,
    reports,
    worded,
)
from ventureframe.report.page import opening


def main(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    """Carry out the command and print the path of every file written; 1 where one was
    not.

    The parameters of the notebook that is named are added to `parser` as options.
    """
    named = next(filter(None, map(_named, arguments)), None)
    members = _add(parser, named) if named else []
    if not arguments:
        print(*map(_listed, notebooks()), sep="\n\n")  # noqa: T201  # the answer
        return 0
    options, further = parser.parse_known_args(arguments)
    wrong = further[0].partition("=")[0] if further else ""
    if wrong and not named:
        _refuse_unnamed(parser, wrong)
    if options.notebook is not None:
        find(options.notebook)
    if wrong:
        near = nearest(wrong, [member.option for member in members], at_most=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        parser.error(f"unrecognized arguments: {' '.join(further)}{hint}")
    if options.notebook is None and not options.all:
        parser.error("name a notebook, such as 01, or give --all")
    values = _values(options, members)
    if options.all and (values or options.save_question):
        raise ReportError(
            "parameters and --save-question go with one notebook: name it instead of"
            " --all"
        )
    most, most_credits = options.at_most, options.at_most_credits
    if most or most_credits:
        os.environ["VENTUREFRAME_AT_MOST"] = (
            f"{most or math.inf} {most_credits or math.inf}"
        )
    signed = {name: vars(options)[name] for name in ("by", "date", "note")}
    how = {"data": options.data, "currency": options.currency, "signed": signed}
    kinds = formats(options.format or "html")
    if options.all:
        return _build_all(options.out or "reports", kinds, how)
    _build(options, kinds, values, how)
    return 0


def _refuse_unnamed(parser: argparse.ArgumentParser, option: str) -> None:
    """End with an error if the option is one of notebooks and none was named."""
    takes = [
        notebook.stem.partition("_")[0]
        for notebook in reports()
        if option in {member.option for member in parameters(read(notebook)).values()}
    ]
    if takes:
        first = f"name it first, as in ventureframe report {takes[0]} {option} …"
        notebooks = "notebooks" if len(takes) > 1 else "notebook"
        parser.error(f"{option} is an option of {notebooks} {listed(takes)}: {first}")


def _values(
    options: argparse.Namespace, members: Sequence[Member]
) -> dict[str, object]:
    """Collect the parameters from their own options and from --set."""
    values: dict[str, object] = dict(options.set)
    for member in members:
        value, name = vars(options)[member.option], member.name
        if value is not None and values.setdefault(name, value) != value:
            ways = f"by {member.option} and by --set"
            raise ReportError(f"parameter {name!r} is given {ways}")
    return values


def _build(
    options: argparse.Namespace,
    kinds: Sequence[Format],
    values: dict[str, object],
    how: dict[str, Any],
) -> None:
    notebook = find(options.notebook)
    kind, *also = kinds
    target = file_in(options.out or ".", f"{notebook.stem}.html")
    if options.format:
        target = in_format(target, kind)
    say = partial(print, file=sys.stderr)
    how["question"] = options.save_question
    build(notebook, out=target, also=also, parameters=values, said=say, **how)
    # the answer
    print(target, *(in_format(target, kind) for kind in also), sep="\n")  # noqa: T201


def _build_all(out: str, kinds: Sequence[Format], how: dict[str, Any]) -> int:
    failed = list[str]()
    if "html" not in kinds:
        raise ReportError(
            "the index of several reports links to HTML files: add html to --format"
        )
    for path in build_all(reports(), out=out, formats=kinds, failed=failed, **how):
        print(path, flush=True)  # noqa: T201
    for reason in failed:
        print(f"ventureframe: {reason}", file=sys.stderr)  # noqa: T201
    return 1 if failed else 0


def _listed(path: Path) -> str:
    title, text = opening(document := read(path))
    members = parameters(document).values()
    options = [f"{member.option} ({worded(member)})" for member in members]
    takes = "; ".join(options) or "takes no parameters"
    return f"{path.stem}: {title}\n  {text}\n  {takes}"


def _named(text: str) -> Path | None:
    is_file = Path(text).is_file() and not text.endswith(".ipynb")
    with suppress(ReportError):
        return None if is_file or text.startswith("-") else find(text)
    return None


def _add(parser: argparse.ArgumentParser, notebook: Path) -> list[Member]:
    """The parameters that got an option of their own; `--currency` is one of every
    report.
    """
    title, text = opening(document := read(notebook))
    parser.description = f"{title}{'' if title.endswith('?') else '.'} {text}"
    group, members = parser.add_argument_group(f"parameters of {notebook.stem}"), []
    for member in parameters(document).values():
        option, kind = member.option, member.kind
        often = "; may be given several times" if kind.is_list else ""
        meaning = f"{member.help}; " if member.help else ""
        text = f"{meaning}takes {kind.takes} (default: {worded(member)}){often}"
        name = option.removeprefix("--").replace("-", "_").upper()
        text, action = text.replace("%", "%%"), "append" if kind.is_list else "store"
        with suppress(argparse.ArgumentError):
            group.add_argument(
                option, dest=option, metavar=name, help=text, action=action
            )
            members.append(member)
    parser.epilog = f"example: ventureframe report {_example(notebook, members)}"
    return members


def _example(notebook: Path, members: Sequence[Member]) -> str:
    """A notebook's number or name, with its first parameter that has a value."""
    number = notebook.stem.partition("_")[0]
    name = number if number.isdigit() else notebook.name
    for member in members:
        if member.default not in (None, (), []):
            is_list = member.kind.name == "list"
            value = "list.csv" if is_list else member.kind.written(member.default)
            return f"{name} {member.option} {shlex.quote(value)}"
    return name
