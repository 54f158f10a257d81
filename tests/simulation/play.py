"""One schedule: a question, what goes wrong while it is answered, and whether the
answer is true.

The property is one: the rows and the verdict are true, or an error names why;
nothing is lost, leaked or left running.
"""

import base64
import datetime as dt
import io
import logging
import shutil
import tempfile
import threading
import traceback
import warnings
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

import polars as pl

from tests.simulation.network import CHANGING, HARMLESS, PASSING, Disk, Network
from tests.simulation.schedule import Killed, Schedule
from tests.simulation.world import CLIENT_ID, QUESTIONS, SECRET, VERSIONS, Key, World
from ventureframe import errors
from ventureframe.client.auth import Credentials, Secret
from ventureframe.client.result import Result
from ventureframe.client.saves import Folder, Write
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.interface.wire.generations import WIRE_2026_10_02

_LIVES: Final = 4
_LOG: Final = logging.getLogger("ventureframe")


class Play:
    """A schedule that is played on a world."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.schedule = world, Schedule(seed)
        draw = self.draw = self.schedule.draw
        self.wire = draw.choice(sorted(world.profiles))
        self.name = draw.choice([*sorted(QUESTIONS), "companies", "whole companies"])
        ignores_offset = draw.random() < 0.12
        if ignores_offset:  # which only lists in rows are believed to do
            self.wire = WIRE_2026_10_02.name
            self.name = draw.choice(["founders", "whole companies"])
        self.question = QUESTIONS[self.name]
        self.workers = draw.choice([None, 1, 1, 2, 3, 8])
        self.by: Literal["offset", "cursor"] = draw.choice(
            ["offset", "offset", "cursor"]
        )
        kinds = draw.sample(PASSING, draw.choice([0, 1, 1, 2, 4]))
        kinds += draw.sample(HARMLESS, draw.choice([0, 0, 1]))
        chances = {kind: draw.choice([0.05, 0.15, 0.3]) for kind in kinds}
        chances |= {kind: 1.0 for kind in kinds if draw.random() < 0.04}
        if draw.random() < 0.4:
            chances[draw.choice(CHANGING)] = draw.choice([0.1, 0.3, 0.6])
        if ignores_offset:
            chances["same page"] = 0.6
        self.schedule.stops_in_sleep = draw.random() < 0.15
        self.network = Network(world, self.wire, self.schedule, chances)
        self.at_most = draw.randrange(1, 12) if draw.random() < 0.1 else None
        self.is_kept = draw.random() < 0.35
        self.disk = Disk(self.schedule)
        if self.is_kept and draw.random() < 0.2:
            self.disk.full_at = draw.randrange(1, 8)
        self.texts, self.broken, self.damaged = list[str](), list[str](), 0

    # --- what happens

    def _plan(self, *, is_last: bool) -> None:
        """Draw what happens at which step of a life."""
        draw, schedule, network = self.draw, self.schedule, self.network

        def move(version: int) -> None:
            schedule.note(f"the world moves to version {version}")
            network.version = version

        def jump(ahead: float, off: float) -> None:
            schedule.note(f"the clock jumps by {ahead + off:.0f} s")
            schedule.ahead, schedule.off = schedule.ahead + ahead, schedule.off + off

        schedule.at.clear()
        if is_last:
            return
        for _ in range(draw.choice([0, 0, 1, 1, 2])):
            version = draw.randrange(VERSIONS)
            schedule.plan(draw.randrange(2, 18), partial(move, version))
        if draw.random() < 0.15:
            ahead, off = draw.choice([0, 3, 3600]), draw.choice([0, -7200, 86400])
            schedule.plan(draw.randrange(2, 30), partial(jump, ahead, off))
        ends = [schedule.kill] * 4 * self.is_kept + [schedule.interrupt, schedule.stop]
        if draw.random() < (0.8 if self.is_kept else 0.15):
            schedule.plan(draw.randrange(2, 26), draw.choice(ends))

    def play(self) -> list[str]:
        """Ask until there is an answer, in several lives of the process; what it
        breaks.
        """
        logged = logging.StreamHandler(io.StringIO())
        level, threads = _LOG.level, threading.active_count()
        folder = Path(tempfile.mkdtemp()) if self.is_kept else None
        kept = folder and folder / "kept"
        self.schedule.note(f"{self.name} on {self.wire}: {self.network.chances}")
        _LOG.setLevel(logging.DEBUG)
        _LOG.addHandler(logged)
        try:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                for life in range(_LIVES):
                    self._plan(is_last=life == _LIVES - 1)
                    outcome = self._live(kept)
                    if not isinstance(outcome, Killed):
                        break
                    if folder:
                        self._damage(folder)
            told = [str(one.message) for one in warned]
            self.texts += [*told, logged.stream.getvalue()]
            again = sum("cannot be read: it is requested again" in one for one in told)
            self._hold(again <= self.damaged, "a damaged reply is left where it was")
            try:
                (
                    self._judge(outcome)
                    if isinstance(outcome, Result)
                    else self._excuse(outcome)
                )
            except AssertionError as error:
                self._hold(False, f"also where nothing happens: {error}")
            self._search(sorted(folder.glob("kept/*")) if folder else [])
            self._hold(threading.active_count() <= threads, "a thread is left running")
        finally:
            _LOG.removeHandler(logged)
            _LOG.setLevel(level)
            if folder:
                shutil.rmtree(folder)
        return list(dict.fromkeys(self.broken))

    def _live(self, folder: Path | None) -> Result | BaseException:
        """One life of the process: what it ends with."""
        schedule, network, disk = self.schedule, self.network, self.disk
        schedule.begin()
        network.begin()
        outcome: Result | BaseException
        before = disk.names.copy()
        options: dict[str, Any] = {
            "by": self.by,
            "workers": self.workers,
            "at_most": self.at_most,
        }
        options["cancel"] = schedule.cancel
        kept = None if folder is None else (folder, disk.write)
        try:
            outcome = asked(self.world, network, self.name, kept, **options)
            schedule.note(outcome.line)
            self.texts += [repr(outcome), *outcome.caveats]
        except BaseException as error:
            schedule.note(f"{type(error).__name__}: {error}")
            chain = traceback.TracebackException.from_exception(
                error, capture_locals=True
            )
            self.texts += [repr(error), str(vars(error)), *chain.format()]
            outcome = error
        if isinstance(outcome, Killed):
            return outcome
        for what in (*schedule.left(), *network.left()):
            self._hold(False, what)
        again = [name for name, count in disk.names.items() if count > before[name] > 0]
        self._hold(not again, f"what was kept is asked for again: {again}")
        self._hold(schedule.slept <= 1.0, "a cancel waits for a sleep to end")
        is_late = network.late > schedule.under_way
        self._hold(not is_late, "requests are begun after the end of the fetch")
        most = self.at_most or len(network.told)
        self._hold(
            len(network.told) - network.first <= most, "more is sent than at_most"
        )
        return outcome

    def _damage(self, folder: Path) -> None:
        """Sometimes let a file that was kept be another one when the process begins
        again.
        """
        files = sorted(folder.glob("kept/*.reply"))
        if files and not self.damaged and self.draw.random() < 0.4:
            file = self.draw.choice(files)
            del self.disk.names[file.name]
            file.write_bytes(file.read_bytes()[: self.draw.randrange(9)])
            self.damaged += 1
            self.schedule.note("a kept reply is damaged")

    # --- whether it is true

    def _hold(self, holds: bool, what: str) -> None:
        """Keep to what the property says, or say how it is broken."""
        if not holds:
            self.broken.append(what)

    def _excuse(self, error: BaseException) -> None:
        """An error is one of the package's own, and something that happened is its
        reason.
        """
        network, happened = self.network, self.network.happened
        if isinstance(error, KeyboardInterrupt):
            rows = [
                told
                for told in network.told[network.first :]
                if "limit=1" not in told.target
            ]
            self._hold(len(rows) < 2, "an interrupt loses the rows received")
            return
        is_refused = getattr(error, "status", None) == 400
        self._hold(not is_refused, "a refused offset loses the rows before")
        own = isinstance(error, errors.VentureframeError) and bool(str(error))
        self._hold(own, f"a raw error: {type(error).__name__}: {error}")
        is_few = network.worst <= 2 and happened["401"] < 2 and happened["token"] < 3
        is_full = self.disk.writes >= self.disk.full_at
        reasons: list[object] = [
            happened["silent"],
            self.schedule.ahead,
            not is_few,
            is_full,
        ]
        reasons += [*self._changes(), self.at_most, len(network.versions) > 1]
        self._hold(any(reasons), f"an error without a reason: {error}")

    def _changes(self) -> list[int]:
        return [self.network.happened[fault] for fault in CHANGING]

    def _judge(self, result: Result) -> None:
        """The rows and the verdict are those of the service, as it was meanwhile."""
        network, schedule, world = self.network, self.schedule, self.world
        frame, certificate = result.to_polars(), result.certificate
        rows = [*frame.select(self.question.columns).iter_rows()]
        truths = {at: world.keys(self.name, at) for at in sorted(network.versions)}
        every = frozenset().union(*truths.values())
        always = frozenset(every).intersection(*truths.values())
        self._hold(len(set(rows)) == len(rows), "a row is there twice")
        self._hold(set(rows) <= every, "a row is there that never was")
        self._hold(
            certificate.distinct == len(rows), "the certificate counts other rows"
        )
        others = pl.exclude(*self.question.columns, "withheld")
        bare = frame.select(pl.all_horizontal(others.is_null()).any()).item()
        self._hold(not bare, "a record of an id and nothing else is a row")
        is_ended = bool(schedule.interrupts or schedule.cancel.is_set() or self.at_most)
        is_changed = any(self._changes())
        is_quiet = len(truths) < 2 and not is_changed and not is_ended
        if result.is_complete:
            is_said = any("shared no row" in caveat for caveat in result.caveats)
            # an old empty reply to a batch of ids cannot be told from a new one
            has_stale = network.happened["stale"] > 0
            is_old = self.question.is_of_ids and has_stale
            is_whole = set(rows) >= always or is_said or is_old
            self._hold(is_whole, "it is called complete and lacks a row")
            self._hold(
                certificate.rows == len(rows) or self.question.is_of_ids,
                "it is called complete, and more than one pass was read",
            )
            if not self.question.is_of_ids and not is_changed:
                self._count(result, truths)
        if is_quiet:
            true = quiet(world, self.wire, self.name, *truths)
            self._hold(
                frame.equals(true.to_polars()),
                "the rows are not those of a quiet fetch",
            )
            self._hold(
                certificate.verdict == true.certificate.verdict,
                f"it is {certificate.verdict}",
            )
            self._hold(result.missing == true.missing, "other ids are missing")
            billed, least = certificate.credits or 0, true.certificate.credits or 0
            # by cursor, pages share no row and can be fewer
            least = min(least, certificate.pages)
            self._hold(least <= billed <= network.spent, "credits are lost")
        elif result.is_complete or not self.question.has_lists:
            self._value(frame, truths, {*result.details.absent_fields})
        is_left_out = network.happened["a key less"] > 0 and not is_ended
        if is_left_out and not (self.is_kept or self.question.has_lists):
            said = bool(result.details.absent_fields)
            self._hold(said, "a key that a row leaves out is not named")

    def _count(self, result: Result, truths: dict[int, frozenset[Key]]) -> None:
        """A list that is complete had so many rows at its first page and at its last
        one.
        """
        told = [one for one in self.network.told if one.is_counted]
        if not told:
            return
        last = max(reversed(told), key=lambda one: one.offset)
        number = len(truths[last.version])
        self._hold(
            number == len(result), f"complete with {len(result)} of {number} at the end"
        )
        first = next(one for one in reversed(told) if not one.offset)
        number = len(truths[first.version])
        self._hold(
            number == len(result), f"complete with {len(result)} of {number} at first"
        )

    def _value(
        self,
        frame: pl.DataFrame,
        truths: dict[int, frozenset[Key]],
        absent: Set[str],
    ) -> None:
        """Each value is that of the record at one of the times, or left out."""
        known = dict[Key, list[dict[str, Any]]]()
        for at in truths:
            true = quiet(self.world, self.wire, self.name, at).to_polars()
            for row in true.iter_rows(named=True):
                known.setdefault(
                    tuple(row[name] for name in self.question.columns), []
                ).append(row)
        for row in frame.iter_rows(named=True):
            others = known.get(tuple(row[name] for name in self.question.columns), [])
            for name, value in row.items():
                if value is None and name in absent:
                    continue
                if others and all(value != other.get(name) for other in others):
                    self._hold(False, f"a wrong {name}: {value!r}")

    def _search(self, kept: Sequence[Path]) -> None:
        """No secret is anywhere, and no file is left half."""
        for file in kept:
            content = file.read_bytes()
            self.texts.append(content.decode(errors="replace"))
            self._hold(
                not file.name.endswith(".part") or ".1-1." in file.name,
                "a draft is left",
            )
        text = "\n".join(self.texts)
        key = f"{quote(CLIENT_ID, '')}:{quote(SECRET, '')}"
        forms = [SECRET, quote(SECRET, ""), base64.b64encode(key.encode()).decode()]
        for form in (*forms, *self.network.tokens):
            self._hold(form not in text, "a secret or a token is told")


def asked(
    world: World,
    network: Network,
    name: str,
    kept: tuple[Path, Write] | None = None,
    **options: Any,
) -> Result:
    """The answer to a question, by a client of its own on this network.

    Replies are `kept` in a folder as a pull keeps them.
    """
    schedule = network.schedule
    session = Session(
        base_url="http://service.example/v1",
        auth_url="http://service.example/oauth/token",
        credentials=Credentials(CLIENT_ID, Secret(SECRET)),
        user_agent="simulated/1",
        profile=world.profiles[network.wire],
        trust_environment=False,
        sleep=schedule.sleep,
        clock=schedule.clock,
        now=schedule.now,
        random=schedule.draw.random,
        pool=schedule.pool,
    )
    session.http.mount("http://", network)
    today = lambda: dt.datetime.fromtimestamp(schedule.now(), dt.UTC)  # noqa: E731
    with Service(session, now=today) as service:
        query = QUESTIONS[name].ask(service, world.ids)
        if kept is not None:
            path, write = kept
            question = query.listing.question()
            started = dt.datetime.fromtimestamp(schedule.now(), dt.UTC)
            folder = Folder(path, question, started=started, write=write)
            query = replace(query, listing=replace(query.listing, folder=folder))
        return query.fetch(**options)


def quiet(world: World, wire: str, name: str, version: int) -> Result:
    """The answer of a version where nothing happens; its rows are those of the
    tables.
    """
    key = (wire, version, name)
    if key not in world.results:
        network = Network(world, wire, Schedule(0), {})
        network.version = version
        result = asked(world, network, name, workers=1)
        rows = result.to_polars().select(QUESTIONS[name].columns).iter_rows()
        expected = ["complete"] + ["short"] * bool(result.missing)
        expected += ["total_not_reported"] * (name == "rounds")
        assert set(rows) == world.keys(name, version), "other rows"
        assert result.certificate.verdict in expected, result.certificate.verdict
        assert result.certificate.credits == network.spent, "other credits"
        world.results[key] = result
    return world.results[key]


def broken_by(seeds: Iterable[int]) -> Iterator[tuple[int, list[str]]]:
    """The schedules that break the property, each with how."""
    world = World()
    for seed in seeds:
        if broken := Play(world, seed).play():
            yield seed, broken


def all_broken_by(seeds: Iterable[int]) -> list[tuple[int, list[str]]]:
    """The same as a list, which another process can give back."""
    return list(broken_by(seeds))
