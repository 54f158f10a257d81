"""What every resource's fields are called, what they hold, and what may be asked of them.

The one source for frames, filters, the embedded service and the documentation. Names are the
interface's ("Resources and their fields"); where it gives none, those of the choices beside it.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from ventureframe.errors import UnknownField, UnsupportedValue

Scalar = Literal["uuid", "identifier", "text", "integer", "number", "flag", "date"]
"""What one value is: `identifier` a whole number that only names, `date` a day or less precise."""

Operator = Literal["eq", "neq", "gt", "gte", "lt", "lte", "in_any", "in_all", "nin_any", "nin_all"]
Currency = Literal["USD", "EUR", "GBP"]
Place = Literal["continent", "country", "region", "city"]

SEVERAL: Final = frozenset({"in_any", "in_all", "nin_any", "nin_all"})
"""The operators that take more than one value."""

_FLAG: Final[tuple[Operator, ...]] = ("eq", "neq")
_NAMED: Final[tuple[Operator, ...]] = ("eq", "neq", "in_any", "nin_any")
_ORDERED: Final[tuple[Operator, ...]] = (*_NAMED, "gt", "gte", "lt", "lte")
_MEMBERS: Final[tuple[Operator, ...]] = (*_NAMED, "in_all", "nin_all")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a resource: its type, its null, and its uses.

    `type` is a scalar, a `Record` or `Many` of either. `operators` is empty for a field that
    cannot be filtered by. `returned` is false for a field that only filters: it is in no row.
    `bounds` are inclusive limits on a filter value. `alias_of` names the field it filters like.
    """

    name: str
    type: Type
    doc: str
    nullable: bool = True
    key: bool = False
    returned: bool = True
    operators: tuple[Operator, ...] = ()
    sorts: bool = False
    bounds: tuple[float, float] | None = None
    alias_of: str | None = None

    @property
    def scalar(self) -> Scalar:
        """The type of one filter value: that of the members where the field is a list."""
        kind = self.type.of if isinstance(self.type, Many) else self.type
        if isinstance(kind, str):
            return kind
        raise TypeError(f"{self.name} holds records, which no filter value can equal")

    def write(self, value: object) -> str:
        """The value as a filter writes it; `UnsupportedValue` where its type or range is wrong."""
        try:
            text = _WRITERS[self.scalar](value)
        except ValueError as error:
            raise UnsupportedValue(value, field=self.name, reason=str(error)) from None
        self.read(text)
        return text

    def read(self, text: str) -> str | int | float | bool:
        """The typed value of a filter's text; `UnsupportedValue` where it cannot be one."""
        try:
            value = _READERS[self.scalar](text)
        except ValueError as error:
            raise UnsupportedValue(text, field=self.name, reason=str(error)) from None
        if self.bounds is not None and not self.bounds[0] <= float(value) <= self.bounds[1]:
            low, high = self.bounds
            raise UnsupportedValue(text, field=self.name, reason=f"not within {low:g} to {high:g}")
        return value


@dataclass(frozen=True, slots=True)
class Record:
    """A value with named members."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Many:
    """A list of values of one type, null where nothing is recorded.

    `each` names the column of one value in the child table of a list of scalars.
    """

    of: Scalar | Record
    each: str = ""


Type = Scalar | Record | Many


@dataclass(frozen=True, slots=True)
class Resource(Mapping[str, Field]):
    """The fields of one resource by name, in the order in which they are shown."""

    name: str
    singular: str
    fields: tuple[Field, ...]

    def __getitem__(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (field.name for field in self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    @property
    def key(self) -> str:
        """The field that identifies a row."""
        return next(field.name for field in self.fields if field.key)

    @property
    def returned(self) -> tuple[Field, ...]:
        """The fields of a row: no field that only filters is among them."""
        return tuple(field for field in self.fields if field.returned)

    @property
    def sortable(self) -> tuple[str, ...]:
        """The names a sort may use."""
        return tuple(field.name for field in self.fields if field.sorts)

    def filterable(self, name: str) -> Field:
        """The field of this name to filter by; `UnknownField` with the nearest names otherwise."""
        field = self.get(name)
        if field is None or not field.operators:
            known = [field.name for field in self.fields if field.operators]
            raise UnknownField(name, resource=self.name, known=known)
        return field

    def check_sort(self, sort: str) -> str:
        """The sort unchanged: sortable names, comma-separated, `-` before a descending one."""
        for part in sort.split(","):
            if part.removeprefix("-") not in self.sortable:
                name = part.removeprefix("-")
                raise UnknownField(name, resource=self.name, known=self.sortable, use="sort by")
        return sort


def _write_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("needs text")
    return value


def _whole(value: object, reason: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, numbers.Integral)):
        raise ValueError(reason)
    return str(int(value))


def _write_integer(value: object) -> str:
    return _whole(value, "needs a whole number")


def _write_identifier(value: object) -> str:
    if isinstance(value, str):
        return value
    return _whole(value, "needs an identifier: a whole number or its digits")


def _write_number(value: object) -> str:
    if isinstance(value, (int, numbers.Integral)):
        return _whole(value, "needs a number")
    if not isinstance(value, (float, numbers.Real)):
        raise ValueError("needs a number")
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def _write_flag(value: object) -> str:
    if not isinstance(value, bool):
        raise ValueError("needs True or False")
    return "true" if value else "false"


_WRITERS: Final[Mapping[str, Callable[[object], str]]] = {
    "uuid": _write_text,
    "identifier": _write_identifier,
    "text": _write_text,
    "integer": _write_integer,
    "number": _write_number,
    "flag": _write_flag,
}

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", re.ASCII)


def _read_text(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    return text


def _read_uuid(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise ValueError("needs a UUID such as 5240d97e-07f4-515b-aef2-314586dabea8")
    return text.lower()


def _read_integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError("needs a whole number")
    return int(text)


def _read_number(text: str) -> float:
    number = float(text) if _NUMBER.fullmatch(text) else math.inf
    if not math.isfinite(number):
        raise ValueError("needs a finite number")
    return number


def _read_flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("needs true or false")
    return text == "true"


_READERS: Final[Mapping[str, Callable[[str], str | float | bool]]] = {
    "uuid": _read_uuid,
    "identifier": _read_integer,
    "text": _read_text,
    "integer": _read_integer,
    "number": _read_number,
    "flag": _read_flag,
}


def _uuid_key() -> Field:
    return Field("uuid", "uuid", "canonical identifier", nullable=False, key=True, operators=_NAMED)


def _id_key(doc: str) -> Field:
    return Field("id", "identifier", doc, nullable=False, key=True, sorts=True)


_NATIVE: Final = Record(
    (
        Field("amount", "number", "as announced, in its own currency"),
        Field("currency", "text", "ISO 4217 code of the announced amount"),
    )
)
_FIRM: Final = Record(
    (Field("uuid", "uuid", "the investor", nullable=False), Field("name", "text", "its name"))
)

COMPANIES: Final = Resource(
    "companies",
    "company",
    (
        _uuid_key(),
        Field("id", "uuid", "the same as uuid", returned=False, operators=_NAMED, alias_of="uuid"),
        Field("name", "text", "company name", nullable=False, sorts=True),
        Field("tagline", "text", "what it does, in its own words"),
        Field("website_domain", "text", "domain of its website"),
        Field("hq_city", "text", "headquarters: city"),
        Field("hq_country", "text", "headquarters: country"),
        Field("hq_continent", "text", "headquarters: continent"),
        Field("launch_date", "integer", "founding year", operators=_ORDERED, sorts=True),
        Field("team_size", "integer", "number of people", sorts=True),
        Field(
            "tags",
            Many(
                Record(
                    (
                        Field("id", "identifier", "tag identifier", nullable=False),
                        Field("name", "text", "label", nullable=False),
                        Field("type", "text", "sector, technology, industry, …"),
                    )
                )
            ),
            "taxonomy tags",
        ),
        Field(
            "total_funding",
            "number",
            "all recorded funding, in the requested currency",
            operators=_ORDERED,
            sorts=True,
        ),
        Field("company_status", "text", "operational, …", operators=_NAMED, sorts=True),
        Field("is_startup", "flag", "counted as a startup", operators=_FLAG),
        Field("is_spinout", "flag", "spinout flag; names no institution", operators=_FLAG),
        Field("is_hiring", "flag", "hiring flag", operators=_FLAG),
        Field("open_jobs_count", "integer", "number of open roles", sorts=True),
        Field("founders", Many("uuid", each="founder_uuid"), "founders recorded for the company"),
        Field("signal_rating", "number", "overall signal score", operators=_ORDERED, sorts=True),
        Field("has_founder", "flag", "a founder is recorded", returned=False, operators=_FLAG),
        Field(
            "hq_location",
            "identifier",
            "headquarters in this place or below it",
            returned=False,
            operators=_NAMED,
        ),
        Field(
            "tag_id",
            Many("identifier"),
            "tag identifiers of the company",
            returned=False,
            operators=_MEMBERS,
        ),
        Field(
            "founder_university_name",
            "text",
            "an education entry of a founder names this university: a candidate, not a link",
            returned=False,
            operators=_NAMED,
        ),
        Field(
            "signal_timing",
            "number",
            "signal component, 0 to 100",
            returned=False,
            operators=_ORDERED,
            bounds=(0, 100),
        ),
        Field(
            "signal_team",
            "number",
            "signal component, 0 to 100",
            returned=False,
            operators=_ORDERED,
            bounds=(0, 100),
        ),
    ),
)

FOUNDERS: Final = Resource(
    "founders",
    "founder",
    (
        _uuid_key(),
        Field("id", "uuid", "the same as uuid", returned=False, operators=_NAMED, alias_of="uuid"),
        Field("name", "text", "the founder's name"),
        Field(
            "education",
            Many(
                Record(
                    (
                        Field("university_uuid", "uuid", "the institution, where resolved"),
                        Field("university_name", "text", "the institution as named"),
                        Field("degree", "text", "degree"),
                        Field("major", "text", "field of study"),
                        Field("start_year", "integer", "first year of study"),
                        Field("end_year", "integer", "last year of study"),
                    )
                )
            ),
            "education entries; can be incomplete",
        ),
        Field(
            "prior_employers",
            Many(
                Record(
                    (
                        Field("company_uuid", "uuid", "the employer, where it is a company here"),
                        Field("name", "text", "the employer's name"),
                        Field("title", "text", "role"),
                    )
                )
            ),
            "earlier employers; can be incomplete",
        ),
        Field(
            "profile_links",
            Record(
                (
                    Field("linkedin", "text", "profile address"),
                    Field("twitter", "text", "profile address"),
                    Field("website", "text", "profile address"),
                )
            ),
            "public profiles",
        ),
    ),
)

_FIRM_FIELDS: Final = (
    Field("uuid", "uuid", "canonical identifier", nullable=False, key=True),
    Field("name", "text", "its name", nullable=False),
    Field("website_domain", "text", "domain of its website"),
    Field("hq_city", "text", "headquarters: city"),
    Field("hq_country", "text", "headquarters: country"),
)

UNIVERSITIES: Final = Resource(
    "universities",
    "university",
    (
        *_FIRM_FIELDS,
        Field(
            "founder_alumni_total", "integer", "founders among its alumni, as the service counts"
        ),
        Field("spinout_count", "integer", "the university's own count of spinouts"),
    ),
)

INVESTORS: Final = Resource("investors", "investor", _FIRM_FIELDS)
"""LPs and managers; rows of an LP's `lp-funds` are managers, not funds."""

FUNDS: Final = Resource(
    "funds",
    "fund",
    (
        _id_key("fund id, a number"),
        Field("name", "text", "fund vehicle", sorts=True),
        Field("fund_date", "date", "announcement date", sorts=True),
        Field("fund_type", "text", "Venture Capital, Private Equity, Other", sorts=True),
        Field(
            "amount",
            "number",
            "fund size in the requested currency; its filter acts on the native amount",
            operators=_ORDERED,
            sorts=True,
        ),
        Field("amount_source", _NATIVE, "fund size as announced"),
        Field("is_closed", "flag", "closed status"),
        Field("source_url", "text", "link to the announcement"),
        Field("manager", _FIRM, "managing investor; on the list across managers only"),
        Field("year", "integer", "year of fund_date", returned=False, operators=_ORDERED),
        Field("investor_id", "uuid", "the managing investor", returned=False, operators=_NAMED),
    ),
)

FUNDING_ROUNDS: Final = Resource(
    "funding-rounds",
    "funding_round",
    (
        Field("id", "identifier", "round id", nullable=False, key=True),
        Field("year", "integer", "year of the round"),
        Field("month", "integer", "month of the round, 1 to 12"),
        Field("round_type", "text", "Seed, Series A, …"),
        Field("amount", "number", "round size in the requested currency"),
        Field("amount_source", _NATIVE, "round size as announced"),
        Field("investors", Many(_FIRM), "investors recorded for the round"),
    ),
)

NEWS: Final = Resource(
    "news",
    "news_item",
    (
        _id_key("article id"),
        Field("title", "text", "headline", sorts=True),
        Field("publish_date", "date", "day of publication", sorts=True),
        Field("entity_id", "uuid", "first linked company", operators=_NAMED),
        Field("entity_ids", Many("uuid", each="entity_id"), "all linked companies"),
        Field("url", "text", "address of the article"),
        Field("source", "text", "publisher"),
    ),
)

JOBS: Final = Resource(
    "jobs",
    "job",
    (
        _id_key("job id"),
        Field("title", "text", "job title", sorts=True),
        Field("date_posted", "date", "day of posting", sorts=True),
        Field("entity_id", "uuid", "the company", operators=_NAMED),
        Field("url", "text", "address of the posting"),
        Field("location", "text", "place as posted"),
    ),
)

SEARCH: Final = Resource(
    "search",
    "search_row",
    (
        Field("uuid", "uuid", "canonical identifier", nullable=False, key=True),
        Field("type", "text", "university or investor", nullable=False),
        *_FIRM_FIELDS[1:],
    ),
)

TAGS: Final = Resource(
    "tags",
    "tag",
    (
        Field("kind", "text", "value for a tag"),
        Field("filter_key", "text", "the filter that takes the value"),
        Field("label", "text", "what a person reads", nullable=False),
        Field("value", "identifier", "tag identifier", nullable=False, key=True),
        Field("source_type", "text", "sector, technology, industry, …"),
    ),
)

LOCATIONS: Final = Resource(
    "locations",
    "location",
    (
        Field("id", "identifier", "location identifier", nullable=False, key=True),
        Field("name", "text", "place name; names repeat", nullable=False),
        Field("type", "text", "continent, country, region, city"),
        Field("parent_name", "text", "the place it lies in"),
    ),
)

RESOURCES: Final[Mapping[str, Resource]] = {
    resource.name: resource
    for resource in (
        COMPANIES,
        FOUNDERS,
        UNIVERSITIES,
        INVESTORS,
        FUNDS,
        FUNDING_ROUNDS,
        NEWS,
        JOBS,
        SEARCH,
        TAGS,
        LOCATIONS,
    )
}
"""Every resource by the name its endpoint uses."""
