"""Single records that an exact look-up gives, to build queries and studies with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class University:
    """A university's canonical record; its two counts are different populations."""

    uuid: str
    name: str
    website_domain: str | None
    hq_city: str | None
    hq_country: str | None
    founder_alumni_total: int | None
    spinout_count: int | None


@dataclass(frozen=True, slots=True)
class Investor:
    """The canonical record of an LP or a manager."""

    uuid: str
    name: str
    website_domain: str | None
    hq_city: str | None
    hq_country: str | None


@dataclass(frozen=True, slots=True)
class Tag:
    """A taxonomy tag, for `company.tag_id`."""

    id: int
    label: str
    type: str


@dataclass(frozen=True, slots=True)
class Location:
    """A place, for `company.hq_location`."""

    id: int
    name: str
    type: str
    parent_name: str | None
