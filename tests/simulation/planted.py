"""Faults to plant in the client, by name: what of which module becomes what
(`planted.txt`).
"""

import sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Final, NamedTuple


class Change(NamedTuple):
    """One place of a module, and what is to stand there."""

    module: str
    old: str
    new: str

    def source(self) -> str:
        """The source of the module with the change; raises `LookupError` without its
        place.
        """
        spec = find_spec(self.module)
        source = Path(str(spec and spec.origin)).read_text("utf-8")
        if source.count(self.old) != 1:
            raise LookupError(f"{self.module} has not one place with {self.old!r}")
        return source.replace(self.old, self.new)


_LINES: Final = Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
PLANTED: Final = {
    name: Change(
        f"ventureframe.{module}", *(text.replace(r"\n", "\n") for text in texts)
    )
    for name, module, *texts in (line.split(" | ") for line in _LINES)
}


def plant(name: str) -> None:
    """Put the changed module in the place of its own, in this process and before it
    is imported.
    """
    change = PLANTED[name]
    source, spec = change.source(), find_spec(change.module)
    assert spec is not None
    assert change.module not in sys.modules
    module = sys.modules[change.module] = module_from_spec(spec)
    exec(compile(source, str(spec.origin), "exec"), vars(module))
    folder, _, last = change.module.rpartition(".")
    setattr(sys.modules[folder], last, module)
