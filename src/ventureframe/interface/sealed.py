"""A manifest: a JSON file that names its format, sealed with a hash of everything else in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ventureframe.interface.files import read_json, write_json

NAME: Final = "manifest.json"


@dataclass(frozen=True, slots=True)
class Sealed:
    """The manifests of one format, in this version of it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Sealed("pets", 1).write(Path(folder), {"cats": 2})
    ...     Sealed("pets", 1).read(Path(folder))
    {'cats': 2}
    """

    format: str
    version: int

    def write(self, folder: Path, content: Mapping[str, Any]) -> None:
        """Puts the manifest in its place, durably."""
        sealed = self.seal({"format": self.format, "version": self.version, **content})
        write_json(folder / NAME, sealed, durable=True)

    def read(self, folder: Path) -> dict[str, Any]:
        """The content without format, version and seal.

        Raises `FileNotFoundError`, and `ValueError` with the reason where the file cannot be read
        as JSON, is of another format or version, or was changed.
        """
        content = read_json(folder / NAME)
        if not isinstance(content, dict) or content.get("format") != self.format:
            raise ValueError("is another program's")
        if (version := content.get("version")) != self.version:
            raise ValueError(
                f"is in version {version!r:.20} of the format, and this ventureframe reads "
                f"version {self.version}"
            )
        if self.seal(content) != content:
            raise ValueError("was changed after it was written")
        return {k: v for k, v in content.items() if k not in ("format", "version", "seal")}

    def is_in(self, folder: Path) -> bool:
        """Whether the folder has a manifest of this format, or one that cannot be read."""
        try:
            content = read_json(folder / NAME)
        except OSError:
            return False
        except ValueError:
            return True
        return isinstance(content, dict) and content.get("format") == self.format

    @staticmethod
    def seal(content: Mapping[str, Any]) -> dict[str, Any]:
        """The content with the seal that belongs to it."""
        rest = {name: value for name, value in content.items() if name != "seal"}
        text = json.dumps(rest, sort_keys=True, ensure_ascii=True, allow_nan=False)
        return {**rest, "seal": hashlib.sha256(text.encode()).hexdigest()}
