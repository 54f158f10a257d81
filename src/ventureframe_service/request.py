"""Reads the query parameters of a request; a `Problem` refuses one, as its reply."""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from ventureframe import errors
from ventureframe.errors import FilterSyntaxError, QueryError
from ventureframe.interface import filters
from ventureframe.interface.fields import Field, Resource
from ventureframe.interface.filters import Filter
from ventureframe.interface.wire.profile import Profile

MAX_FILTER = 32_768
MAX_VALUES = 500
MAX_TEXT = 400
MAX_SORT = 200
SCOPES = ("companies", "investors", "jobs", "news", "funds")
"""The collections that a reference endpoint names filters of."""
_ID = Field("id", "uuid", "a path's identifier")
_CODES: Final[Mapping[type[QueryError], str]] = {
    errors.UnknownField: "UNKNOWN_FILTER",
    errors.UnsupportedOperator: "UNSUPPORTED_OPERATOR",
    FilterSyntaxError: "FILTER_PARSE_ERROR",
    errors.UnsupportedValue: "VALIDATION_ERROR",
}

Made = TypeVar("Made")


class Problem(Exception):
    """A request that cannot be answered, as its reply says it."""

    def __init__(self, status: int, code: str, message: str, **details: object) -> None:
        super().__init__(message)
        self.status, self.code, self.details = status, code, details


def invalid(parameter: str, message: str, *, status: int = 400) -> Problem:
    """Return the problem of a parameter with a wrong value."""
    return Problem(status, "VALIDATION_ERROR", message, parameter=parameter)


def checked(parameter: str, read: Callable[..., Made], *arguments: object) -> Made:
    """Return what `read` makes of the arguments; its `ValueError` is a problem of the
    parameter.
    """
    try:
        return read(*arguments)
    except ValueError as error:
        raise invalid(parameter, str(error)) from error


def read_id(text: str) -> str:
    """Return the UUID in a path."""
    return str(checked("id", _ID.read, text))


@dataclass(frozen=True)
class Parameters:
    """The query parameters of a request, read and checked one by one."""

    query: Mapping[str, str]
    profile: Profile
    can_show: Callable[[str], bool]

    def whole(
        self, name: str, default: int = 0, *, least: int = 0, most: int | None = None
    ) -> int:
        """Return a whole number of at least `least`; one above `most` is refused with
        422.
        """
        text = self.query.get(name, str(default))
        if not (
            text.isascii() and text.isdigit() and len(text) <= 15 and int(text) >= least
        ):
            raise invalid(name, f"{name} needs a whole number of at least {least}")
        if most is not None and int(text) > most:
            raise invalid(name, f"{name} is at most {most}", status=422)
        return int(text)

    def limit(self, endpoint: str, name: str = "limit") -> int:
        """Return the page size; above the endpoint's maximum it is refused with 422."""
        bounds = self.profile.limits[endpoint]
        return self.whole(name, bounds.default, least=1, most=bounds.maximum)

    def choice(
        self, name: str, values: tuple[str, ...], default: str | None = None
    ) -> str | None:
        """Return the value, which is one of these `values`."""
        value = self.query.get(name, default)
        if value is not None and value not in values:
            raise invalid(name, f"{name} is one of {', '.join(values)}")
        return value

    def is_counted(self) -> bool:
        """Whether the reply says the total."""
        return self.choice("include_total", ("true", "false")) == "true"

    def currency(self) -> str:
        """Return the currency of the reply's amounts; one that no amount can be shown
        in is refused.
        """
        codes = self.profile.currencies
        able = [*filter(self.can_show, codes)]
        currency = self.choice("currency", codes)
        if currency is not None and currency not in able:
            choices = " or ".join(able) or f"none of {', '.join(codes)}"
            raise invalid(
                "currency", f"the dataset has no rate for {currency}; ask for {choices}"
            )
        return currency or next(iter(able), codes[0])

    def text(self, least: int) -> str:
        """Return the text that is searched for."""
        text = self.query.get("q", "")
        if not least <= len(text) <= MAX_TEXT:
            raise invalid("q", f"q needs {least} to {MAX_TEXT} characters")
        return text

    def filter(self, resource: Resource) -> Filter | None:
        """Return the filter, once the resource takes every clause of it."""
        text = self.query.get("filter")
        if text is None:
            return None
        if len(text) > MAX_FILTER:
            message = f"a filter has at most {MAX_FILTER} characters"
            raise Problem(400, _CODES[FilterSyntaxError], message)
        try:
            condition = filters.check(filters.parse(text), resource)
        except QueryError as error:
            details: dict[str, object] = {"parameter": "filter"}
            if isinstance(error, FilterSyntaxError):
                details["position"] = error.position
            raise Problem(400, _CODES[type(error)], str(error), **details) from error
        if values_in(condition) > MAX_VALUES:
            raise invalid(
                "filter", f"a filter has at most {MAX_VALUES} values", status=422
            )
        return condition

    def sort(self, resource: Resource) -> str:
        """Return the sort, once the resource sorts by every key of it."""
        sort = self.query.get("sort", "")
        if len(sort) > MAX_SORT:
            raise invalid("sort", f"sort has at most {MAX_SORT} characters")
        return sort and checked("sort", resource.check_sort, sort)

    def window(self, endpoint: str, digest: str) -> tuple[int, int]:
        """Return offset and limit of a page, from its cursor where the request has one.

        A cursor that was made for another `digest` is refused.
        """
        text = self.query.get(self.profile.cursor_parameter)
        if text is None or endpoint not in self.profile.cursor_endpoints:
            return self.whole("offset"), self.limit(endpoint)
        try:
            padded = text + "=" * (-len(text) % 4)
            made_for, offset, limit = json.loads(base64.urlsafe_b64decode(padded))
            maximum = self.profile.limits[endpoint].maximum
            is_sound = (
                type(offset) is type(limit) is int
                and offset >= 0
                and 1 <= limit <= maximum
            )
        except (ValueError, TypeError, RecursionError):
            is_sound = False
        if not is_sound:
            raise invalid("cursor", "cursor is not one this service gave")
        if made_for != digest:
            raise invalid(
                "cursor", "cursor belongs to another filter, sort or currency"
            )
        return offset, limit


def values_in(where: Filter | None) -> int:
    """Return how many values a filter holds."""
    return 0 if where is None else sum(len(clause.values) for clause in where.clauses())


def to_cursor(digest: str, offset: int, limit: int) -> str:
    """Return the opaque text for a page, from which `Parameters.window` reads its
    offset and limit.
    """
    content = json.dumps([digest, offset, limit]).encode()
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def digest_of(*parts: str) -> str:
    """Return what tells one filter, sort and currency from another, short enough for a
    cursor.
    """
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
