"""Faults to plant in the client, by name: what of which module becomes what (`planted.txt`).

`plant` changes the source of a module before it is imported, in this process only.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final, NamedTuple


class Change(NamedTuple):
    """One place of a module, and what is to stand there."""

    module: str
    old: str
    new: str


_LISTED: Final = Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
PLANTED: Final = {
    name: Change(f"ventureframe.{module}", *(text.replace(r"\n", "\n") for text in texts))
    for name, module, *texts in (line.split(" | ") for line in _LISTED)
}


class _Loader(SourceFileLoader):
    change: Change

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path).decode()
        if source.count(self.change.old) != 1:
            raise LookupError(f"{fullname} has not one place with {self.change.old!r}")
        return compile(source.replace(self.change.old, self.change.new), self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, change: Change) -> None:
        self.change = change

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.change.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        loader = _Loader(fullname, str(spec.origin))
        spec.loader, loader.change = loader, self.change
        return spec


def plant(name: str) -> None:
    """Plant a fault, before its module is imported."""
    assert PLANTED[name].module not in sys.modules
    sys.meta_path.insert(0, _Finder(PLANTED[name]))
