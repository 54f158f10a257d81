"""The settings of the environment, completed by a `.env` file beside the notebook.

The environment wins. Address, credentials and dataset come from one of the two together: where the
environment names any of them, even as empty, the file's are left out. So no `.env` in a folder that
somebody sent can draw a secret of the environment to its address; for the same reason nothing in
the file is replaced by a variable's value, and only settings of this package are read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ventureframe.errors import ConfigurationError

FILE: Final = ".env"
_TOGETHER: Final = frozenset(
    f"VENTUREFRAME_{name}"
    for name in ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "AUDIENCE", "DATA")
)


class Settings(dict[str, str]):
    """Settings by name; the repr leaves out the values, because one of them is the secret."""

    def __repr__(self) -> str:
        return f"<settings {', '.join(sorted(self))}>"


def completed(environment: Mapping[str, str], folder: Path | None = None) -> tuple[Settings, bool]:
    """The environment with what it lacks of the folder's `.env`, and whether any of it is used.

    The folder is the current one, which for a notebook is the notebook's. Raises
    `ConfigurationError` where the file cannot be read.

    >>> completed({"VENTUREFRAME_CURRENCY": "EUR"}, Path("nowhere"))
    (<settings VENTUREFRAME_CURRENCY>, False)
    """
    own = Settings(environment)
    del environment  # a traceback with variables would show the secret
    decides = any(name in _TOGETHER for name in own)
    used = Settings(
        (name, value)
        for name, value in _read((folder or Path.cwd()) / FILE).items()
        if name not in own and not (decides and name in _TOGETHER)
    )
    return Settings({**used, **own}), bool(used)


def _read(path: Path) -> Settings:
    """This package's settings in a file; none where there is no file."""
    if not path.is_file():
        return Settings()
    from dotenv import dotenv_values  # noqa: PLC0415  # only where there is a file

    try:
        found = dotenv_values(path, interpolate=False).items()
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path.name} beside the notebook cannot be read.") from error
    return Settings(
        (name, value) for name, value in found if name.startswith("VENTUREFRAME_") and value
    )


def current() -> Settings:
    """The settings that hold for this program, those of a `.env` among them."""
    return completed(os.environ)[0]
