"""The wire profile: what this project does where the interface says "not shown", as data.

A service that differs is met by another profile, not by other code. Each attribute names the
hole it fills; none of these choices is written anywhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from ventureframe.interface.fields import Currency, Field
from ventureframe.interface.wire.shape import Shape
from ventureframe.interface.wire.terms import Terms


@dataclass(frozen=True, slots=True)
class Limit:
    """The page size an endpoint applies where a request names none, and the largest it accepts."""

    default: int
    maximum: int


_ENDPOINTS: Final[Mapping[str, tuple[str, Limit | None]]] = {
    "companies": ("/data/companies", Limit(25, 500)),
    "founders": ("/data/founders", Limit(25, 500)),
    "funds": ("/data/funds", Limit(25, 2000)),
    "news": ("/data/news", Limit(25, 2000)),
    "jobs": ("/data/jobs", Limit(25, 2000)),
    "search": ("/data/search", Limit(5, 20)),
    "entity": ("/data/entities/{id}", None),
    "funding-rounds": ("/data/companies/{id}/funding-rounds", Limit(25, 500)),
    "lp-funds": ("/data/investors/{id}/lp-funds", Limit(25, 500)),
    "manager-funds": ("/data/investors/{id}/funds", Limit(25, 500)),
    "tags": ("/reference/filters/search", Limit(20, 50)),
    "locations": ("/reference/filters/location/values", Limit(100, 1000)),
    "filters": ("/reference/filters", None),
    "aggregates": ("/analytics/aggregate/{source}", Limit(500, 500)),
    "dataset": ("/dataset", None),
}
_PATHS: Final = {name: path for name, (path, _) in _ENDPOINTS.items()}
_LIMITS: Final = {name: limit for name, (_, limit) in _ENDPOINTS.items() if limit}


@dataclass(frozen=True, slots=True)
class Profile:
    """Every choice a client and the embedded service share.

    `paths` and `limits` are keyed by endpoint: the resource's name where a resource has one
    endpoint, else `lp-funds` (an LP's managers), `manager-funds` (a manager's funds), `tags`,
    `locations`, `entity`, `aggregates`. `cursor_endpoints` page by cursor or offset, every other
    list by offset only.
    """

    name: str = "interface"
    paths: Mapping[str, str] = field(default_factory=lambda: _PATHS)
    limits: Mapping[str, Limit] = field(default_factory=lambda: _LIMITS)

    token_body: Literal["json", "form", "basic"] = "json"
    token_lifetime: int = 86_400
    client_id_header: str | None = "X-Client-Id"
    version_header: str = "API-Version"
    api_version: str | None = None
    credits_header: str = "X-Credits-Used"

    cursor_parameter: str = "cursor"
    next_cursor: str = "next_cursor"
    previous_cursor: str = "prev_cursor"
    cursor_endpoints: frozenset[str] = frozenset({"companies", "founders", "funds", "news", "jobs"})

    currencies: tuple[Currency, ...] = ("USD", "EUR", "GBP")
    rate: float | None = None
    """Requests a second that a key may send, where that is known."""
    batch: int = 50
    """Most UUIDs in one request (interface, "Limits")."""
    founders_filter: str = "id"
    """`/data/founders` takes its UUIDs as `filter=id[in_any]:…`."""
    search_minimum: int = 1
    tag_minimum: int = 3
    tag_scope: str = "companies"
    tags_per_row: int = 10
    """Most values a tag search gives for one filter; its small default can hide the exact label."""
    location_minimum: int = 2

    dataset_header: str = "X-Dataset"
    """Only the embedded service sends it: its dataset is described at `paths["dataset"]`."""

    shapes: Mapping[str, Shape] = field(default_factory=dict)
    """By endpoint, rows that are not written in the interface's fields."""
    fixed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By endpoint, parameters that every request has."""
    uncounted: frozenset[str] = frozenset()
    """Endpoints that report no total."""
    filters: Terms = field(default_factory=dict)
    """Fields that a filter names in other words."""
    own_filters: tuple[Field, ...] = ()
    """What companies can be filtered by beside the interface's fields."""
    sorts: Mapping[str, str] = field(default_factory=dict)
    """Fields that a sort names in other words."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Fields that groups are named after in other words."""
    sources: frozenset[str] | None = None
    """What can be aggregated; None where every source can."""
    tag_key: str = "tag_id"
    place_types: Mapping[str, str] = field(default_factory=dict)
    """Types of places in other words."""
    kind_key: str = "type"
    """The member of a record that says what it is."""


INTERFACE: Final = Profile()
"""The interface as its owner gives it, its holes filled by the choices beside it."""
