"""The folder that a pull writes: what it holds, what is unfinished in it, and the seal."""

import contextlib
import dataclasses
import datetime as dt
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ventureframe.client.saves import begun
from ventureframe.dataset import manifest
from ventureframe.dataset.manifest import DESCRIPTION, SEALED, Description, Manifest, Pull
from ventureframe.errors import SaveError, UnsupportedValue
from ventureframe.interface.files import inside, locked, write_json
from ventureframe.interface.source import Source

_UNFINISHED: Final = ".pull"
_PLACES: Final = re.compile(rf"{re.escape(_UNFINISHED)}|[a-z_]+/pulled=[\d-]+")


@dataclass
class Target:
    """A folder of the pulls of one service; `held` is its manifest, None before the first."""

    out: Path
    service: str
    held: Manifest | None = None

    @contextlib.contextmanager
    def opened(self, currencies: set[str]) -> Iterator[None]:
        """Hold the folder for one process; the pulls in it have amounts in these currencies.

        Raises `UnsupportedValue` before a byte is written where it holds something else.
        """
        try:
            self._refuse_strangers()
            with locked(self.out):
                if SEALED.is_in(self.out):
                    self.held = manifest.opened(self.out)
                    self._refuse_others(self.held, currencies)
                yield
        except BlockingIOError as error:
            reason = "another process is pulling into it: wait for its end, or give another"
            raise self._refusal(reason) from error
        except OSError as error:
            reason = f"cannot be written: {error.strerror or error}"
            raise SaveError(reason, folder=str(self.out)) from error

    def _refusal(self, reason: str) -> UnsupportedValue:
        return UnsupportedValue(str(self.out), field="out", reason=reason)

    def _refuse_strangers(self) -> None:
        try:
            if not SEALED.is_in(self.out):
                SEALED.refuse_other(self.out, leftovers=re.compile(re.escape(_UNFINISHED)))
        except ValueError as error:
            raise self._refusal(f"it {error}") from error

    def _refuse_others(self, held: Manifest, currencies: set[str]) -> None:
        if held.service != self.service:
            raise self._refusal(f"it holds pulls of {held.service}: give another")
        money = {pull.currency for pull in held.current if pull.currency}
        if money and currencies - money:
            raise self._refusal(f"it holds amounts in {' and '.join(sorted(money))}: give another")

    def begin(self, question: Mapping[str, object], now: dt.datetime) -> dt.datetime:
        """When the pull began: now, or when an unfinished one of the same question did."""
        folder = self.unfinished()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            started, held = begun(folder / "begun.json", question, now=now)
        except ValueError as error:
            reason = f"its unfinished pull cannot be read: delete {folder}"
            raise self._refusal(reason) from error
        if held != question:
            names = held.get("collections")
            names = ", ".join(names) if isinstance(names, dict) else "something else"
            raise self._refusal(
                f"it has an unfinished pull of {names}, begun on {started:%Y-%m-%d}: "
                f"ask the same again to finish it, or delete {folder}"
            )
        return started

    def unfinished(self, name: str = "") -> Path:
        """Where what arrived of a collection, or of all, is kept until its tables are sealed."""
        return self._place(_UNFINISHED) / name

    def drop(self, name: str = "") -> None:
        """Remove what is kept of a collection, or of all of them."""
        shutil.rmtree(self.unfinished(name), ignore_errors=True)

    def has_replies(self) -> bool:
        """Whether an unfinished pull can go on from what it received."""
        return any(self.unfinished().glob("*/replies/*.reply"))

    def _place(self, name: str) -> Path:
        """A folder of the pulls that may be emptied; `UnsupportedValue` where a link leads out."""
        try:
            return inside(self.out, name, _PLACES)
        except ValueError as error:
            raise self._refusal(f"{error} in it leads to another folder: give a new one") from error

    def pulled_on(self, name: str, day: dt.date, question: tuple[object, ...]) -> bool:
        """Whether the collection was pulled for the day; another question of it is refused."""
        pull = None if self.held is None else self.held.pull(name, day)
        if pull is not None:
            self.drop(name)
            if pull.question != question:
                reason = f"it holds another pull of {name} of {day}: give another folder"
                raise self._refusal(reason)
        return pull is not None

    def require_disk(self, size: int) -> None:
        """Raise `SaveError` where so many bytes do not fit."""
        free = shutil.disk_usage(self.out).free
        if size > free:
            needed, has = (f"{number / 1e9:,.1f} GB" for number in (size, free))
            reason = f"needs about {needed} of disk while it is pulled, and has {has}"
            raise SaveError(reason, folder=str(self.out))

    def put(self, tables: Iterable[str], draft: Path, within: str) -> None:
        """Move the written tables to their places."""
        for table in tables:
            place = self._place(f"{table}/{within}")
            shutil.rmtree(place, ignore_errors=True)
            place.parent.mkdir(parents=True, exist_ok=True)
            (draft / table).rename(place)

    def seal(self, pull: Pull, source: Source) -> Manifest:
        """Write the manifest with the pull, whose tables are in place; its replies go."""
        held = self.held or Manifest(self.service, source)
        self.held = held = dataclasses.replace(held, source=source).having(pull)
        held.write(self.out)
        description = Description(
            name=source.name,
            description=held.description,
            as_of=held.day,
            synthetic=bool(source.synthetic),
            licence=source.licence or "not stated by the service",
            attribution=source.attribution or (f"Source: {source.name}",),
        )
        write_json(self.out / DESCRIPTION, description.to_json())
        self.drop(pull.collection)
        return held
