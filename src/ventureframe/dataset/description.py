"""What a dataset folder says of itself in `dataset.json`."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from ventureframe.dataset.manifest import Manifest
from ventureframe.errors import DatasetError
from ventureframe.interface.files import read_json, to_plain

DESCRIPTION: Final = "dataset.json"
FORMAT: Final = 1
_KINDS: Final = {"as_of": str, "synthetic": bool, "attribution": list}
"""What `dataset.json` holds for each member that is not text there."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a dataset says of itself in `dataset.json`."""

    name: str
    description: str
    as_of: dt.date
    synthetic: bool
    licence: str
    attribution: tuple[str, ...]
    incomplete: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The content of `dataset.json`; what is incomplete stands in the manifest of a pull."""
        content = {"format": FORMAT, **to_plain(self)}
        del content["incomplete"]
        return content

    @classmethod
    def from_json(cls, content: object) -> Description:
        """Read this content of `dataset.json`; `DatasetError` names the wrong member."""
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise DatasetError(f"needs an object with format {FORMAT}", file=DESCRIPTION)
        members = dict[str, Any]()
        for key in (field.name for field in fields(cls) if field.name != "incomplete"):
            members[key] = content.get(key)
            if not isinstance(members[key], kind := _KINDS.get(key, str)):
                raise DatasetError(f"needs a {kind.__name__}", file=DESCRIPTION, column=key)
        attribution = tuple(content["attribution"])
        if not all(isinstance(line, str) for line in attribution):
            raise DatasetError("needs lines of text", file=DESCRIPTION, column="attribution")
        try:
            as_of = dt.date.fromisoformat(content["as_of"])
        except ValueError:
            reason = "needs a day as YYYY-MM-DD"
            raise DatasetError(reason, file=DESCRIPTION, column="as_of") from None
        return cls(**members | {"as_of": as_of, "attribution": attribution})


def read_description(folder: Path, read: Manifest | None = None) -> Description:
    """Read what a folder says of itself and of its pulls; `DatasetError` if it is no dataset."""
    if not folder.is_dir():
        raise DatasetError("is not a folder; check the path", file=str(folder))
    try:
        about = Description.from_json(read_json(folder / DESCRIPTION))
    except FileNotFoundError:
        reason = f"missing, so {str(folder)!r} is not a dataset folder"
        raise DatasetError(reason, file=DESCRIPTION) from None
    except ValueError as error:
        raise DatasetError(str(error), file=DESCRIPTION) from error
    if read is None:
        return about
    return replace(about, description=read.description, as_of=read.day, incomplete=read.incomplete)
