"""The keys of rows as they arrive, by a hash of each: which repeat, however many there are."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

_Hashes = np.ndarray[Any, np.dtype[np.void]]

_KIND: Final = np.dtype([("key", np.uint64), ("at", np.uint32)])
_TOGETHER: Final = 1 << 18
"""Hashes that are kept in memory where there is a folder for more: 3 MB."""
_LOTS: Final = 64
_SHIFT: Final = np.uint64(58)
"""What is left of a hash tells its lot: equal ones are in the same."""
_CHUNKS: Final = 16
"""Chunks whose stale keys are in one file."""


@dataclass
class Keys:
    """A hash of eight bytes of every key, and the number of the chunk that the key came in.

    Two keys with one hash are taken for one, which is one chance in forty million for a million
    keys. `folder` is where hashes lie in files once they are many; without one they all stay in
    memory.
    """

    folder: Path | None = None
    count: int = 0
    _held: list[_Hashes] = field(default_factory=list)
    _order: Any = field(default_factory=hashlib.blake2b)
    _is_spilled: bool = False

    def __post_init__(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, keys: pl.Series, at: int = 0) -> None:
        """Takes the keys of rows of the chunk with this number."""
        hashes = np.empty(len(keys), _KIND)
        hashes["key"], hashes["at"] = hashed(keys).to_numpy(), at
        self._order.update(hashes["key"].tobytes())
        self._held.append(hashes)
        self.count += len(hashes)
        if self.folder is not None and sum(map(len, self._held)) >= _TOGETHER:
            self._spill(self.folder)

    def distinct(self, *others: Keys) -> int:
        """How many keys these and the others have, each counted once.

        >>> one, two = Keys(), Keys()
        >>> one.add(pl.Series(["a", "b", "a"]))
        >>> two.add(pl.Series(["b", "c"]))
        >>> one.distinct(), one.distinct(two)
        (2, 3)
        """
        return sum(_distinct(lot["key"]) for lot in _lots([self, *others]))

    def is_same(self, other: Keys) -> bool:
        """Whether both have the same keys in the same order."""
        return bool(self._order.digest() == other._order.digest())

    def stale(self, first: int) -> Stale:
        """The keys of which a later chunk has the record again, of chunks from the `first` on."""
        found = Stale(None if self.folder is None else self.folder / "stale")
        for lot in _lots([self]):
            late = lot[lot["at"] >= first]
            late = late[np.lexsort((late["at"], late["key"]))]
            found.add(late[:-1][late["key"][:-1] == late["key"][1:]])
        return found

    def _spill(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        hashes = _joined(self._held)
        lots = hashes["key"] >> _SHIFT
        order = np.argsort(lots, kind="stable")
        ends = np.searchsorted(lots[order], np.arange(1, _LOTS, dtype=np.uint64))
        for number, lot in enumerate(np.split(hashes[order], ends)):
            _append(folder / f"{number:02}", lot)
        self._held, self._is_spilled = [], True

    def _lot(self, number: int) -> _Hashes:
        path = None if self.folder is None else self.folder / f"{number:02}"
        read = [np.fromfile(path, _KIND)] if path is not None and path.exists() else []
        held = _joined(self._held)
        return _joined([*read, held[held["key"] >> _SHIFT == number]])


@dataclass
class Stale:
    """Keys that a later chunk has again, by the chunk they came in; in files where these are."""

    folder: Path | None
    count: int = 0
    _held: list[_Hashes] = field(default_factory=list)

    def add(self, hashes: _Hashes) -> None:
        """Takes keys of any chunks."""
        self.count += len(hashes)
        if self.folder is None:
            self._held.append(hashes)
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        files = hashes["at"] // _CHUNKS
        for number in np.unique(files):
            _append(self.folder / str(number), hashes[files == number])

    def of(self, first: int, last: int) -> pl.DataFrame:
        """`key` (a hash) and `at` of the chunks from the first to the last."""
        found = _joined(self._held)
        if self.folder is not None:
            numbers = range(first // _CHUNKS, last // _CHUNKS + 1)
            files = [self.folder / str(number) for number in numbers]
            found = _joined([np.fromfile(file, _KIND) for file in files if file.exists()])
        return pl.DataFrame({name: found[name] for name in ("key", "at")})


def hashed(keys: pl.Series) -> pl.Series:
    """A hash of eight bytes of each key."""
    return keys.to_frame().hash_rows()  # `Series.hash` is a query, which costs six times as much


def _lots(every: Sequence[Keys]) -> Iterator[_Hashes]:
    """All hashes in lots, so that equal ones are in the same."""
    if not any(keys._is_spilled for keys in every):
        yield _joined([part for keys in every for part in keys._held])
        return
    for number in range(_LOTS):
        yield _joined([keys._lot(number) for keys in every])


def _distinct(values: Any) -> int:
    """How many different ones there are; sorted, which takes less memory than a table of them."""
    ordered = np.sort(values)
    return len(ordered) and 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def _joined(parts: Sequence[_Hashes]) -> _Hashes:
    return np.concatenate(parts) if parts else np.empty(0, _KIND)


def _append(path: Path, hashes: _Hashes) -> None:
    with path.open("ab") as file:
        file.write(hashes.tobytes())
