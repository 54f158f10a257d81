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


def completed(
    environment: Mapping[str, str], folder: Path | None = None
) -> tuple[dict[str, str], bool]:
    """The environment with what it lacks of the folder's `.env`, and whether any of it is used.

    The folder is the current one, which for a notebook is the notebook's. Raises
    `ConfigurationError` where the file cannot be read.

    >>> completed({"VENTUREFRAME_CURRENCY": "EUR"}, Path("nowhere"))
    ({'VENTUREFRAME_CURRENCY': 'EUR'}, False)
    """
    decides = any(name in _TOGETHER for name in environment)
    used = {
        name: value
        for name, value in _read((folder or Path.cwd()) / FILE).items()
        if name not in environment and not (decides and name in _TOGETHER)
    }
    return {**used, **environment}, bool(used)


def _read(path: Path) -> dict[str, str]:
    """This package's settings in a file; none where there is no file."""
    if not path.is_file():
        return {}
    from dotenv import dotenv_values  # noqa: PLC0415  # only where there is a file

    try:
        found = dotenv_values(path, interpolate=False)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path.name} beside the notebook cannot be read.") from error
    names = [name for name in found if name.startswith("VENTUREFRAME_")]
    return {name: value for name in names if (value := found[name])}


def current() -> dict[str, str]:
    """The settings that hold for this program, those of a `.env` among them."""
    return completed(os.environ)[0]
