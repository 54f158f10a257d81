"""Errors to plant in the package: what of which module becomes what."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType


@dataclass(frozen=True)
class Change(InspectLoader, MetaPathFinder):
    """One place of a module, and what is to stand there."""

    module: str
    old: str
    new: str

    def source(self) -> str:
        """The source of the module with the change; raises `LookupError` without its
        place.
        """
        package = find_spec("ventureframe")
        path = Path(str(package and package.origin)).parents[1]
        source = path.joinpath(*self.module.split(".")).with_suffix(".py").read_text()
        if source.count(self.old) != 1:
            raise LookupError(f"{self.module} has not one place with {self.old!r}")
        return source.replace(self.old, self.new)

    def plant(self) -> None:
        """Let the module be imported as changed, in this process and before it is."""
        self.source()
        assert self.module not in sys.modules
        sys.meta_path.insert(0, self)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname != self.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        spec.loader = self
        return spec

    def get_source(self, fullname: str) -> str:
        assert fullname == self.module
        return self.source()


def read(path: Path) -> dict[str, Change]:
    """The changes of a file by name: `name | module | old | new`."""
    changes = dict[str, Change]()
    for line in path.read_text("utf-8").splitlines():
        name, module, *texts = line.split(" | ")
        old, new = (text.replace(r"\n", "\n") for text in texts)
        changes[name] = Change(f"ventureframe.{module}", old, new)
    return changes
