"""`ventureframe report`: the options of a notebook beside those of every report,
carried out.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ventureframe.errors import ReportError, nearest
from ventureframe.evidence.members import Member
from ventureframe.interface.files import write_whole
from ventureframe.report.build import beside, build, build_all, formats
from ventureframe.report.formats import chromium
from ventureframe.report.notebook import (
    find,
    notebooks,
    parameters,
    question_of,
    read,
    replace,
    reports,
    source,
    worded,
)
from ventureframe.report.page import opening


def main(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> int:
    """Carry out the command and print the path of every file written; 1 where one was
    not.

    The parameters of the notebook that is named are added to `parser` as options.
    Where a PDF is one of several formats and nothing prints it, that is said first
    and the others are written.
    """
    named = next(filter(None, map(_named, arguments)), None)
    own = [] if named is None else _add(parser, named)
    options, further = parser.parse_known_args(arguments)
    if options.notebook is not None:
        find(options.notebook)
    if further:
        near = nearest(
            further[0].partition("=")[0], [member.option for member in own], at_most=1
        )
        hint = "".join(f"; did you mean {option}?" for option in near)
        parser.error(f"unrecognized arguments: {' '.join(further)}{hint}")
    if options.notebook is None and not (options.all or options.list):
        parser.error("a notebook is required, or --all or --list")
    if options.list is True:
        print(*map(_listed, notebooks()), sep="\n\n")  # noqa: T201  # the answer
        return 0
    given = dict(options.set) | ({} if options.list is None else {"list": options.list})
    for member in own:
        value, name = vars(options)[member.option], member.name
        if value is not None and given.setdefault(name, value) != value:
            raise ReportError(
                f"parameter {name!r} is given by {member.option} and by --set"
            )
    alone = {"--set": given, "--save-question": options.save_question}
    for option, value in alone.items():
        if options.all and value:
            raise ReportError(
                f"{option} goes with one notebook: name it instead of --all"
            )
    signed = {name: vars(options)[name] for name in ("by", "date", "note")}
    how = {"data": options.data, "currency": options.currency, "signed": signed}
    options.kinds, short = (
        formats(options.format, None if options.all else options.out),
        0,
    )
    if "pdf" in options.kinds and len(options.kinds) > 1:
        try:
            chromium()
        except ReportError as error:
            print(f"ventureframe: no PDF is written: {error}", file=sys.stderr)  # noqa: T201
            options.kinds, short = [kind for kind in options.kinds if kind != "pdf"], 1
    if options.all:
        return _all(options, how) or short
    return _one(options, given, how) or short


def _one(
    options: argparse.Namespace, given: dict[str, object], how: dict[str, Any]
) -> int:
    notebook, out = find(options.notebook), options.out or Path()
    if out.is_dir():
        out /= f"{notebook.stem}.html"
    kind, *also = options.kinds
    target = beside(out, kind) if options.format else out
    say, saved = partial(print, file=sys.stderr), options.save_question
    written = _question(notebook, given, how) if saved else ""
    build(notebook, out=target, also=also, parameters=given, said=say, **how)
    if saved:
        write_whole(saved, written)
    # the answer
    print(target, *(beside(target, kind) for kind in also), sep="\n")  # noqa: T201
    return 0


def _question(notebook: Path, given: dict[str, object], how: dict[str, Any]) -> str:
    """The question of the notebook as the file that `watch` asks."""
    document = read(notebook)
    if how["currency"]:
        given = given | {"currency": how["currency"]}
    values = replace(document, given, runs_on=source(how["data"]))
    question = question_of(document, values)
    if question is None:
        raise ReportError(f"{notebook.stem} names no question, so none can be saved")
    return question.written


def _all(options: argparse.Namespace, how: dict[str, Any]) -> int:
    failed = list[str]()
    out, kinds = options.out or Path("reports"), options.kinds
    if "html" not in kinds:
        raise ReportError(
            "several reports have a list that leads to HTML: add html to --format"
        )
    for path in build_all(reports(), out=out, formats=kinds, failed=failed, **how):
        print(path, flush=True)  # noqa: T201
    for reason in failed:
        print(f"ventureframe: {reason}", file=sys.stderr)  # noqa: T201
    return 1 if failed else 0


def _listed(path: Path) -> str:
    title, text = opening(document := read(path))
    members = parameters(document).values()
    options = (f"{member.option} ({worded([member])[0][1]})" for member in members)
    return (
        f"{path.stem}: {title}\n  {text}\n "
        f" {'; '.join(options) or 'takes no parameters'}"
    )


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
    group, own = parser.add_argument_group(f"parameters of {notebook.stem}"), []
    for member in parameters(document).values():
        option, kind = member.option, member.kind
        often = "; may be given several times" if kind.is_list else ""
        meaning = f"{member.help}; " if member.help else ""
        text = f"{meaning}takes {kind.takes} (default: {worded([member])[0][1]}){often}"
        name = option.removeprefix("--").replace("-", "_").upper()
        text, action = text.replace("%", "%%"), "append" if kind.is_list else "store"
        with suppress(argparse.ArgumentError):
            group.add_argument(
                option, dest=option, metavar=name, help=text, action=action
            )
            own.append(member)
    return own
