"""`ventureframe report`: the options of a notebook beside those of every report, carried out."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ventureframe.errors import ReportError, nearest
from ventureframe.report.build import build, build_all
from ventureframe.report.notebook import find, notebooks, read
from ventureframe.report.page import opening
from ventureframe.report.parameters import Parameter, parameters


def main(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """Carries out the command and prints the path of every file written.

    `parser` has the options of every report. Those of the notebook that is named, one for each of
    its parameters, are added to it.
    """
    named = next(filter(_is_notebook, arguments), None)
    own = [] if named is None else _add(parser, named)
    options, further = parser.parse_known_args(arguments)
    if options.notebook is not None:
        find(options.notebook)
    if further:
        near = nearest(further[0].partition("=")[0], [each.option for each in own], at_most=1)
        hint = "".join(f"; did you mean {option}?" for option in near)
        parser.error(f"unrecognized arguments: {' '.join(further)}{hint}")
    given = dict(options.set)
    for each in own:
        value = vars(options)[each.option]
        if value is not None and given.setdefault(each.name, value) != value:
            raise ReportError(f"parameter {each.name!r} is given by {each.option} and by --set")
    asked = {"out": options.out, "data": options.data, "currency": options.currency}
    if not options.all:
        print(build(options.notebook, parameters=given, **asked))  # noqa: T201  # the answer
        return
    if given:
        raise ReportError("--set goes with one notebook: name it instead of --all")
    for path in build_all(notebooks(), **asked):
        print(path)  # noqa: T201


def _is_notebook(text: str) -> bool:
    is_file = text.endswith(".ipynb") and Path(text).is_file()
    return is_file or any(path.stem == text for path in notebooks())


def _add(parser: argparse.ArgumentParser, notebook: str) -> list[Parameter]:
    """The parameters of the notebook that got an option; `--set` gives the others.

    A parameter with the name of an option of every report, such as `--currency`, has no other.
    """
    document = read(find(notebook))
    title, text = opening(document)
    parser.description = f"{title}{'' if title.endswith('?') else '.'} {text}"
    group = parser.add_argument_group(f"parameters of {Path(notebook).stem}")
    own = []
    for each in parameters(document).values():
        often = "; may be given several times" if each.is_repeatable else ""
        with suppress(argparse.ArgumentError):
            group.add_argument(
                each.option,
                dest=each.option,
                action="append" if each.is_repeatable else "store",
                metavar=each.option.removeprefix("--").replace("-", "_").upper(),
                help=f"{each.help}{often}".replace("%", "%%"),
            )
            own.append(each)
    return own
