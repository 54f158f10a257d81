"""Ask a saved question again, and compare the fetch with the last one kept in the same
folder.

The service has no change feed (interface, reading rule 7). An incomplete fetch is
kept separately and not compared. A fetch counts as the last one once its `.json` is
written.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ventureframe.client.result import extent, is_read, lead
from ventureframe.client.service import Service
from ventureframe.display.wording import NOT_RECORDED, money
from ventureframe.errors import ReportError, SaveError, visible
from ventureframe.evidence.claims import Caveat
from ventureframe.evidence.question import Question
from ventureframe.interface.files import locked, reason_of, write_json, write_whole
from ventureframe.report.build import build
from ventureframe.report.notebook import saved_question
from ventureframe.studies.changes.find import compare
from ventureframe.studies.changes.study import Study as Changes

NOTHING_NEW, FAILED, NEW = 0, 1, 10
"""The exit status of a run."""
_LINES = 10
"""Most lines of the text between its subject and the place of the report."""


def read(path: Path) -> Question[Any]:
    """Read a question that `Question.written` was saved as; raises `ReportError`.

    The file of a list is looked for beside the question first.
    """
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ReportError(
            f"{path} cannot be read as a saved question: {reason_of(error)}."
            " report --save-question writes one"
        ) from error
    listed = str(values.get("list", ""))
    with suppress(OSError):  # a pasted block is no name of a file
        if listed and (path.parent / listed).is_file():
            values["list"] = str((path.parent / listed).resolve())
    return saved_question(values.pop("question", None), values, file=str(path))


class Outcome(NamedTuple):
    """The exit status of a run, and the lines that it prints."""

    status: int
    lines: Sequence[str]


def watch(
    question: Question[Any], service: Service, keep: Path, **options: Any
) -> Outcome:
    """Ask the question again, keep the fetch in `keep`, and compare it with the last
    complete one.

    Writes `0002` (the fetch, as `study.save` does), `0002.html` (the report of what
    changed, built with the `options`), `0002.txt` and `0002.json`. Raises
    `SaveError` while another run writes into the folder, and where the folder keeps
    another question, currency or wire.
    """
    with locked(keep):
        question = question.starting_at(service)
        file = keep / "question.toml"
        wire = service.connection.profile.name
        text = f'{question.written}wire = "{wire}"\n'
        if file.exists():
            _refuse_other(keep, file.read_text("utf-8"), text)
        study = question.study(service)
        write_whole(file, text, durable=True)
        incomplete = keep / "incomplete"
        number = f"{1 + max([0, *_numbers(keep), *_numbers(incomplete)]):04}"
        partial = [result for result in study.fetched if not is_read(result)]
        if partial:
            folder = study.save(incomplete / number)
            why = "; ".join(
                f"{lead(result)} ({result.resource.name}, {extent(result)})"
                for result in partial
            )
            line = (
                f"The fetch is incomplete: it is kept in {folder} and not compared."
                f" {why}."
            )
            return Outcome(FAILED, [line])
        complete = [
            number for number in _numbers(keep) if (keep / f"{number:04}.json").exists()
        ]
        after = study.save(keep / number)
        if not complete:
            line = (
                f"{study.title}. This is the first fetch: the next run is compared"
                " with it."
            )
            return _write(after, Outcome(NOTHING_NEW, [line]), before=None, changes=[])
        before = keep / f"{max(complete):04}"
        compared = compare(before, study)
        rows = compared.largest.to_polars().to_dicts()
        facts: dict[str, Any] = {"before": before.name, "changes": rows}
        if not rows:
            nothing = visible(f"{compared.subject}: nothing new, {compared.day}.")
            texts = _texts(compared, compared.weighed)[:_LINES]
            return _write(after, Outcome(NOTHING_NEW, [nothing, "", *texts]), **facts)
        page = after.with_suffix(".html")
        parameters = {"before": str(before), "after": str(after)}
        build(
            "04_what_changed",
            out=page,
            parameters=parameters,
            progress=False,
            **options,
        )
        answer, *limits = _texts(compared, compared.answer.limits)
        remaining = _LINES - 1 - len(limits)
        largest = [_line(row, compared.currency) for row in rows[:remaining]]
        lines = [visible(compared.headline), "", answer, *largest, *limits]
        lines += ["", f"Report: {page}"]
        return _write(after, Outcome(NEW, lines), **facts, report=page.name)


def _texts(compared: Changes, limits: Sequence[Caveat]) -> list[str]:
    """Return the answer, and what the comparison cannot tell, as lines."""
    texts = (compared.answer.sentence, *(limit.text for limit in limits))
    return [visible(text) for text in texts]


def _refuse_other(keep: Path, old: str, new: str) -> None:
    """Raise `SaveError` where the text of the question in the folder is another one."""
    old_lines = {*map(_movable, old.splitlines())}
    new_lines = {*map(_movable, new.splitlines())}
    # a member that only later versions write is "none" where it is no condition
    different = sorted(
        line for line in old_lines ^ new_lines if not line.endswith(' = "none"')
    )
    if different:
        members = dict.fromkeys(line.partition(" = ")[0] for line in different)
        names = " and ".join(members)
        reason = f"keeps another question, which differs in {names}"
        raise SaveError(f"{reason}. Choose another folder", folder=str(keep))


def _movable(line: str) -> str:
    """Return a line of a question, with only the name of a list's file."""
    is_block = "\\n" in line
    return line if is_block else re.sub(r'^(list = ").*[/\\]', r"\1", line)


def _write(folder: Path, outcome: Outcome, **facts: Any) -> Outcome:
    """Write the outcome beside the fetch, as text and as JSON, which marks the fetch
    complete.
    """
    lines = [*outcome.lines]
    write_whole(folder.with_suffix(".txt"), "\n".join(lines) + "\n")
    content = {
        "fetch": folder.name,
        "is_new": outcome.status == NEW,
        **facts,
        "text": lines,
    }
    write_json(folder.with_suffix(".json"), content)
    return outcome


def _line(row: Mapping[str, Any], currency: str | None) -> str:
    """Return one change as a line of text."""
    values = [
        NOT_RECORDED if row[end] is None else row[end] for end in ("before", "after")
    ]
    parts = [" → ".join(filter(None, values))]
    is_of_record = not all(values)
    if row["amount"] is not None and is_of_record:
        parts.append(money(row["amount"], currency or ""))
    parts += [row["date"], row["investors"]]
    text = ", ".join(filter(None, parts))
    line = f"- {row['record']}: {row['what']}"
    return visible(f"{line}: {text}" if text else line)


def _numbers(folder: Path) -> list[int]:
    names = [path.name for path in folder.glob("[0-9]*")]
    return [int(name) for name in names if re.fullmatch(r"\d{4,}", name)]
