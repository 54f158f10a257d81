"""A saved question asked again: each fetch kept in one folder and compared with the last one.

The service has no change feed (interface, reading rule 7). A fetch that was not read to its end is
kept apart and compared with nothing. A fetch counts as the last one once its `.json` is written.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from ventureframe.client.result import extent, is_read, lead
from ventureframe.client.service import Service
from ventureframe.errors import ReportError, SaveError, visible
from ventureframe.evidence.question import Question
from ventureframe.interface.files import LOCK, locked, write_json, write_whole
from ventureframe.report.build import build
from ventureframe.report.notebook import asked
from ventureframe.studies import changes
from ventureframe.studies.changes.records import SEEN

NOTHING_NEW, FAILED, NEW = 0, 1, 10
"""The exit status of a run."""
_ASKED: Final = "question.toml"  # in the folder: what it keeps the fetches of


def read(path: Path) -> Question[Any]:
    """The question of a file as `Question.written` gives it; raises `ReportError`."""
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ReportError(f"{path} cannot be read as a saved question: {error}") from error
    return asked(values.pop("question", None), values, by=str(path))


class Seen(NamedTuple):
    """What one run found: its exit status, and the lines that say it."""

    status: int
    lines: Sequence[str]


def watch(question: Question[Any], service: Service, keep: Path, **beside: Any) -> Seen:
    """Ask the question again, keep the fetch in `keep`, and compare it with the last complete one.

    Writes `0002` (the fetch, as `study.save` does), `0002.html` (the report of what changed, with
    `beside` on its first page), `0002.txt` and `0002.json`. Raises `SaveError` where another run
    has the folder, and where the folder keeps another question, currency or wire.
    """
    with _held(keep):
        question = question.starting_at(service)
        whole = f'{question.written}wire = "{service.connection.profile.name}"\n'
        _refuse_other(keep, whole)
        study = question.study(service)
        write_whole(keep / _ASKED, whole, durable=True)
        apart = keep / "incomplete"
        number = f"{1 + max([0, *_numbers(keep), *_numbers(apart)]):04}"
        if partial := [result for result in study.fetched if not is_read(result)]:
            kept = study.save(apart / number)
            why = "; ".join(f"{lead(one)} ({one.resource.name}, {extent(one)})" for one in partial)
            return Seen(FAILED, [f"Compared with nothing, and kept in {kept}: {why}."])
        done = [one for one in _numbers(keep) if (keep / f"{one:04}.json").exists()]
        now = study.save(keep / number)
        if not done:
            said = f"{study.title}. This is the first fetch: the next run is compared with it."
            return _told(now, Seen(NOTHING_NEW, [said]), before=None, changes=[])
        before = keep / f"{max(done):04}"
        compared = changes.compare(before, study)
        rows, parts = compared.largest.to_polars().to_dicts(), map(compared.only, compared.pairs)
        lines = [*dict.fromkeys(str(part.answer) for part in parts), *map(_line, rows)]
        facts: dict[str, Any] = {"before": before.name, "changes": rows}
        if not rows:
            return _told(now, Seen(NOTHING_NEW, lines), **facts)
        page = now.with_suffix(".html")
        given = {"before": str(before), "after": str(now)}
        build("04_what_changed", out=page, parameters=given, progress=False, **beside)
        lines += [*(limit.text for limit in compared.answer.limits), f"Report: {page}"]
        return _told(now, Seen(NEW, lines), **facts, report=page.name)


def _told(folder: Path, seen: Seen, **facts: Any) -> Seen:
    """Write what was found beside the fetch, as text and as JSON, which makes it the last one."""
    write_whole(folder.with_suffix(".txt"), "\n".join(seen.lines) + "\n")
    verdict = {"fetch": folder.name, "is_new": seen.status == NEW, **facts, "text": [*seen.lines]}
    write_json(folder.with_suffix(".json"), verdict, durable=True)
    return seen


def _line(row: Mapping[str, str | None]) -> str:
    ends = [row["before"] or "nothing recorded", row["after"] or "nothing recorded"]
    is_seen = row["what"] in SEEN.values()
    moved = f": {row['before'] or row['after'] or ''}" if is_seen else f": {' → '.join(ends)}"
    return visible(f"- {row['record']} ({row['kind']}): {row['what']}{moved.removesuffix(': ')}")


def _numbers(folder: Path) -> list[int]:
    return [int(path.name) for path in folder.glob("[0-9]*") if re.fullmatch(r"\d{4,}", path.name)]


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    try:
        with locked(folder):
            yield
    except BlockingIOError as error:
        reason = "is being written by another run. Wait for its end, or choose another folder"
        raise SaveError(reason, folder=str(folder)) from error
    except OSError as error:
        raise SaveError(f"cannot be written: {error.strerror}", folder=str(folder)) from error


def _refuse_other(folder: Path, asked: str) -> None:
    """Raise `SaveError` unless the folder is new or keeps what is asked."""
    file = folder / _ASKED
    if not file.exists():
        if others := [path.name for path in folder.iterdir() if path.name != LOCK]:
            reason = f"holds other files ({others[0]}). Choose another folder"
            raise SaveError(reason, folder=str(folder))
        return
    kept, now = ({*text.splitlines()} for text in (file.read_text("utf-8"), asked))
    if differ := [line.partition(" = ")[0] for line in sorted(kept ^ now)]:
        reason = f"keeps another question, which differs in {' and '.join(dict.fromkeys(differ))}"
        raise SaveError(f"{reason}. Choose another folder", folder=str(folder))
