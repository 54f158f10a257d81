"""Single records that an exact look-up gives, to build queries and studies with.

`named` is what names a record in a question, a notebook and on a command line. Such a name is read
with `said_of_place` or, where a UUID stands in it, by that UUID.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Self, get_args

from ventureframe.interface.fields import Place

_WITHIN: Final = re.compile(
    rf"(?P<parent_name>.*?)\s*(\((?P<parent_type>{'|'.join(get_args(Place))})\))?"
    r"\s*(\[(?P<id>[0-9]{1,18})\])?",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Institution:
    uuid: str
    name: str
    website_domain: str | None
    hq_city: str | None
    hq_country: str | None

    @property
    def named(self) -> tuple[str, str]:
        """Its name and website domain; its UUID where no domain is recorded."""
        return self.name, self.website_domain or self.uuid


@dataclass(frozen=True, slots=True)
class University(_Institution):
    """A university's canonical record; its two counts are different populations."""

    founder_alumni_total: int | None
    spinout_count: int | None


@dataclass(frozen=True, slots=True)
class Investor(_Institution):
    """The canonical record of an LP or a manager."""


@dataclass(frozen=True, slots=True)
class Tag:
    """A taxonomy tag, for `company.tag_id`."""

    id: int
    label: str
    type: str

    @property
    def named(self) -> tuple[str, str]:
        """Its label and type."""
        return self.label, self.type


@dataclass(frozen=True, slots=True)
class Location:
    """A place, for `company.hq_location`; `parent_name` and `parent_type` say where it lies.

    Both are None where the place lies in none, `parent_type` also where the service does not say.
    """

    id: int
    name: str
    type: str
    parent_name: str | None
    parent_type: str | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """The place of a row that a look-up returned."""
        return cls(**{field.name: row[field.name] for field in fields(cls)})

    @property
    def named(self) -> tuple[str, str, str]:
        """Its name, its type, and the place it is within with its own id.

        >>> ", ".join(Location(12, "Atlanta", "city", "Georgia", "region").named)
        'Atlanta, city, Georgia (region) [12]'
        """
        kind = f"({self.parent_type})" if self.parent_name and self.parent_type else None
        within = " ".join(filter(None, (self.parent_name, kind, f"[{self.id}]")))
        return self.name, self.type, within


def said_of_place(within: str) -> dict[str, str | int]:
    """What the third part of a place's name says of it.

    The place it is within, then its type in parentheses and the id of the place itself in square
    brackets; each can be left out.

    >>> said_of_place("Georgia (region) [12]")
    {'parent_name': 'Georgia', 'parent_type': 'region', 'id': 12}
    >>> said_of_place("Georgia"), said_of_place("[12]")
    ({'parent_name': 'Georgia'}, {'id': 12})
    """
    found = _WITHIN.fullmatch(within.strip())
    said = {} if found is None else {name: text for name, text in found.groupdict().items() if text}
    return {name: int(text) if name == "id" else text for name, text in said.items()}
