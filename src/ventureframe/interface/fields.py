"""What every resource's fields are called, what they hold, and what a query can do with
them.

The one source for frames, filters, the embedded service, its datasets and the
documentation: each field is one line of the tables at the end. Names are the
interface's, or those of the choices.
"""

from __future__ import annotations

import math
import numbers
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, cast

from ventureframe.errors import UnknownField, UnsupportedValue

Scalar = Literal[
    "uuid", "identifier", "text", "integer", "number", "flag", "date", "partial date"
]
"""The type of one value: an `identifier` is a whole number that only names, a `date`
a day or less precise.
"""
Operator = Literal[
    "eq", "neq", "gt", "gte", "lt", "lte", "in_any", "in_all", "nin_any", "nin_all"
]
Currency = Literal["USD", "EUR", "GBP"]
Place = Literal["continent", "country", "region", "city"]
Use = Literal["key", "required", "optional", "filter", "filter only", "sort"]
"""`required`: never null. `optional`: a row may leave it out, which is no doubt.

`filter only`: a filter takes the field, and no row shows it.
"""

SEVERAL = frozenset({"in_any", "in_all", "nin_any", "nin_all"})
"""The operators that take more than one value."""

_NAMED: tuple[Operator, ...] = ("eq", "neq", "in_any", "nin_any")
_ORDERED: tuple[Operator, ...] = (*_NAMED, "gt", "gte", "lt", "lte")

_UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}"
_EXACT = 2**53 - 1  # above it, whole numbers may differ from the nearest float
_WHOLE = "-?[0-9]{1,18}"


def canonical(uuid: str) -> str:
    """Return the UUID in lower case with its hyphens.

    >>> canonical("8087033A4DCA518DA4C3473381B589DE")
    '8087033a-4dca-518d-a4c3-473381b589de'
    """
    return re.sub(
        "(.{8})(.{4})(.{4})(.{4})(.{12})",
        r"\1-\2-\3-\4-\5",
        uuid.lower().replace("-", ""),
    )


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID.

    >>> is_uuid("80870339-4DCA-518d-a4c3-473381b589de"), is_uuid("amitim.com")
    (True, False)
    """
    return re.fullmatch(_UUID, text) is not None


def fold(text: str) -> str:
    """Return the text as it is compared where case does not count, in every program
    alike.

    >>> fold("NorthEastern University"), fold("STRASSE") == fold("Straße")
    ('northeastern university', True)
    """
    return text.casefold()


def plain(text: str) -> str:
    """Return the text without case, accents and repeated spaces, as names are searched.

    >>> plain("École  Supérieure")
    'ecole superieure'
    """
    folded = fold(unicodedata.normalize("NFKD", text))
    letters = "".join(
        character for character in folded if not unicodedata.combining(character)
    )
    return " ".join(letters.split())


_KINDS: Mapping[Scalar, tuple[str, Callable[[str], str | float], Any, str]] = {
    "uuid": (
        _UUID,
        canonical,
        str,
        "a UUID such as 5240d97e-07f4-515b-aef2-314586dabea8",
    ),
    "identifier": (
        _WHOLE,
        int,
        (str, numbers.Integral),
        "a whole number or its digits",
    ),
    "text": ("(?s:.+)", str, str, "text"),
    "integer": (_WHOLE, int, numbers.Integral, "a whole number"),
    "number": (
        r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?",
        float,
        numbers.Real,
        "a finite number",
    ),
    "flag": ("true|false", "true".__eq__, bool, "True or False"),
}
"""By kind: a pattern of texts, how one is read, the types that can be written, and
what an error says that a field needs.
"""


_HOW: Mapping[str, str] = {
    "hq_location": (
        'the id of a place: svc.location("United States", type="country").id'
    ),
    "tag_id": 'the id of a tag: svc.tag("Robotics", type="technology").id',
}
"""What a filter needs instead of the name that people give it."""


@dataclass(frozen=True)
class Record:
    """A value with named members."""

    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Many:
    """A list of values of one type; `column` is where a child table has them."""

    of: Scalar | Record
    column: str = ""


Type = Scalar | Record | Many


@dataclass(frozen=True)
class Field:
    """One field of a resource: its type, its null, and its uses.

    `returned` is false for a field that only filters: no row has it. `bounds` are
    inclusive limits on a filter value, `within` on a value of a row. `folds` says
    that a filter ignores case. `alias_of` names the field it filters like. A row may
    leave out one that `is_optional`. `unit` is what its number counts, in words.
    """

    name: str
    type: Type
    doc: str = ""
    nullable: bool = True
    key: bool = False
    returned: bool = True
    filters: bool = False
    sorts: bool = False
    bounds: tuple[float, float] | None = None
    within: tuple[float, float] | None = None
    folds: bool = False
    alias_of: str | None = None
    is_optional: bool = False
    unit: str = ""

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        """What a filter can do with the field, by its type; empty where nothing
        filters by it.
        """
        if not self.filters:
            return ()
        if isinstance(self.type, Many):
            return (*_NAMED, "in_all", "nin_all")
        if self.type == "flag":
            return ("eq", "neq")
        return _ORDERED if self.type in ("integer", "number", "date") else _NAMED

    @cached_property
    def scalar(self) -> Scalar:
        """The type of one filter value: that of the members where the field is a
        list.
        """
        kind = self.type.of if isinstance(self.type, Many) else self.type
        return cast("Scalar", kind)  # nothing filters by records

    def write(self, value: Any) -> str:
        """Return the value as a filter writes it; `UnsupportedValue` where its type or
        range is wrong.

        >>> COMPANIES["total_funding"].write(5e6)
        '5000000'
        """
        kind = self.scalar
        *_, types, needs = _KINDS[kind]
        if not isinstance(value, types) or isinstance(value, bool) != (kind == "flag"):
            raise UnsupportedValue(value, field=self.name, reason=f"it needs {needs}")
        text = str(value).lower() if kind == "flag" else str(value)
        if not isinstance(value, str | numbers.Integral):
            text = repr(float(value)).removesuffix(".0")
        read = self.read(text)
        return str(read) if kind == "uuid" else text

    def read(self, text: str) -> str | float:
        """Return the typed value of a filter's text, folded if it `folds`; else
        `UnsupportedValue`.
        """
        pattern, convert, _, needs = _KINDS[self.scalar]
        value = convert(text) if re.fullmatch(pattern, text) else math.inf
        if value in (math.inf, -math.inf):
            raise UnsupportedValue(
                text, field=self.name, reason=f"it needs {_HOW.get(self.name, needs)}"
            )
        if self.bounds is not None:
            least, most = self.bounds
            if not least <= float(value) <= most:
                raise UnsupportedValue(
                    text, field=self.name, reason=f"not within {least:g} to {most:g}"
                )
        return fold(text) if self.folds else value


@dataclass(frozen=True)
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

    @cached_property
    def key(self) -> str:
        """The field that identifies a row; empty where none does."""
        return next((field.name for field in self.fields if field.key), "")

    @cached_property
    def returned(self) -> tuple[Field, ...]:
        """The fields of a row: no field that only filters is among them."""
        return tuple(field for field in self.fields if field.returned)

    @cached_property
    def sortable(self) -> tuple[str, ...]:
        """The names a sort may use."""
        return tuple(field.name for field in self.fields if field.sorts)

    def filterable(self, name: str) -> Field:
        """Return the field of this name to filter by; `UnknownField` with the nearest
        names otherwise.
        """
        field = self.get(name)
        if field is None or not field.filters:
            names = [field.name for field in self.fields if field.filters]
            raise UnknownField(name, resource=self.name, known=names)
        return field

    def check_sort(self, sort: str) -> str:
        """Return the sort unchanged: sortable names, comma-separated, `-` before a
        descending one.
        """
        if not isinstance(sort, str):
            raise UnsupportedValue(
                sort, field="sort", reason="give the name of a field"
            )
        for part in sort.split(","):
            name = part.removeprefix("-")
            if name not in self.sortable:
                raise UnknownField(
                    name, resource=self.name, known=self.sortable, use="sort by"
                )
        return sort


def _resource(name: str, singular: str, *fields: Field) -> Resource:
    return Resource(name, singular, fields)


def _field(kind: Type, name: str, doc: str, *uses: Use, **more: Any) -> Field:
    return Field(
        name,
        kind,
        doc,
        nullable="key" not in uses and "required" not in uses,
        key="key" in uses,
        returned="filter only" not in uses,
        filters="filter" in uses or "filter only" in uses,
        sorts="sort" in uses,
        is_optional="optional" in uses,
        **more,
    )


_uuid = partial(_field, "uuid")
_id = partial(_field, "identifier")
_text = partial(_field, "text")
_count = partial(_field, "integer", within=(0, math.inf))
_year = partial(_field, "integer", within=(1, 9999), unit="year")
_number = partial(_field, "number", within=(-_EXACT, _EXACT))
_amount = partial(_field, "number", within=(0, _EXACT), unit="the currency asked for")
_score = partial(_number, bounds=(0, 100))
_flag = partial(_field, "flag")
_date = partial(_field, "date")

_IDS = (
    _uuid("uuid", "canonical identifier", "key", "filter"),
    _uuid("id", "the same as uuid", "filter only", alias_of="uuid"),
)
_FIRM = Record((_uuid("uuid", "the investor", "required"), _text("name", "its name")))
_NATIVE = Record(
    (
        _amount("amount", "as announced, in its own currency", unit="its own currency"),
        _text("currency", "ISO 4217 code of the announced amount"),
    )
)
_LINKS = Record(
    (
        _text("linkedin", "profile address"),
        _text("twitter", "profile address"),
        _text("website", "profile address"),
    )
)
_TAG = Record(
    (
        _id("id", "tag identifier", "required"),
        _text("name", "label", "required"),
        _text("type", "sector, technology, industry, …"),
    )
)
_INSTITUTION = (
    _uuid("uuid", "canonical identifier", "key"),
    _text("name", "its name", "required"),
    _text("website_domain", "the domain of its website"),
    _text("hq_city", "the city of its headquarters"),
    _text("hq_country", "the country of its headquarters"),
)

COMPANIES = _resource(
    "companies",
    "company",
    *_IDS,
    _text("name", "company name", "required", "sort"),
    _text("tagline", "what it does, in its own words"),
    *_INSTITUTION[2:],
    _text("hq_continent", "the continent of its headquarters"),
    _year("launch_date", "the year in which the company was founded", "filter", "sort"),
    _count("team_size", "the number of people who work at the company", "sort"),
    _field(Many(_TAG), "tags", "taxonomy tags"),
    _amount(
        "total_funding",
        "all recorded funding, in the requested currency",
        "filter",
        "sort",
    ),
    _text("company_status", "operational, …", "filter", "sort"),
    _flag("is_startup", "counted as a startup", "filter"),
    _flag(
        "is_spinout",
        "whether the company is flagged as a spinout; of which institution is not said",
        "filter",
    ),
    _flag("is_hiring", "hiring flag", "filter"),
    _count("open_jobs_count", "number of open roles", "sort"),
    _field(
        Many("uuid", column="founder_uuid"),
        "founders",
        "founders recorded for the company",
    ),
    _number(
        "signal_rating",
        "the overall signal score that the service gives the company",
        "filter",
        "sort",
    ),
    _flag("has_founder", "a founder is recorded", "filter only"),
    _id("hq_location", "headquarters in this place or below it", "filter only"),
    _field(
        Many("identifier"), "tag_id", "tag identifiers of the company", "filter only"
    ),
    _text(
        "founder_university_name",
        "an education entry of a founder names this university, case ignored: a"
        " candidate, not a link",
        "filter only",
        folds=True,
    ),
    _score("signal_timing", "signal component, 0 to 100", "filter only"),
    _score("signal_team", "signal component, 0 to 100", "filter only"),
)

EDUCATION = _resource(
    "education",
    "education",
    _uuid("university_uuid", "the institution, where resolved"),
    _text("university_name", "the institution as named"),
    _text("degree", "degree"),
    _text("major", "field of study"),
    _year("start_year", "first year of study"),
    _year("end_year", "last year of study"),
)

CAREER = _resource(
    "career",
    "career",
    _uuid("company_uuid", "the employer, where it is a company here"),
    _text("name", "the employer's name"),
    _text("title", "role"),
    _year("start_year", "first year of the post, where the wire has it"),
    _year("end_year", "last year of the post, where the wire has it"),
)

FOUNDERS = _resource(
    "founders",
    "founder",
    *_IDS,
    _text("name", "the founder's name"),
    _field(
        Many(Record(EDUCATION.fields)),
        "education",
        "education entries; can be incomplete",
    ),
    _field(
        Many(Record(CAREER.fields)),
        "prior_employers",
        "earlier employers; can be incomplete",
    ),
    _field(_LINKS, "profile_links", "public profiles"),
)

UNIVERSITIES = _resource(
    "universities",
    "university",
    *_INSTITUTION,
    _count(
        "founder_alumni_total",
        "the founders among its alumni, as the service counts them",
    ),
    _count(
        "spinout_count",
        "the spinouts of the university, as a number alone: no company is named",
    ),
)

INVESTORS = _resource("investors", "investor", *_INSTITUTION)
"""LPs and managers; rows of an LP's `lp-funds` are managers, not funds."""

FUNDS = _resource(
    "funds",
    "fund",
    _id("id", "fund id, a number", "key", "sort"),
    _text("name", "fund vehicle", "sort"),
    _date("fund_date", "the day on which the fund was announced", "sort"),
    _text(
        "fund_type",
        "the type of the fund: Venture Capital, Private Equity or Other",
        "sort",
    ),
    _amount(
        "amount",
        "fund size in the requested currency; its filter acts on the native amount",
        "filter",
        "sort",
    ),
    _field(_NATIVE, "amount_source", "fund size as announced"),
    _flag("is_closed", "closed status"),
    _text("source_url", "the address of the announcement"),
    _field(_FIRM, "manager", "managing investor; on the list across managers only"),
    _field("integer", "year", "year of fund_date", "filter only", unit="year"),
    _uuid("investor_id", "the managing investor", "filter only"),
)

FUNDING_ROUNDS = _resource(
    "funding-rounds",
    "funding_round",
    _id("id", "round id", "key"),
    _year("year", "year of the round"),
    _count("month", "month of the round, 1 to 12", within=(1, 12)),
    _text("round_type", "Seed, Series A, …"),
    _amount("amount", "round size in the requested currency"),
    _field(_NATIVE, "amount_source", "round size as announced"),
    _field(Many(_FIRM), "investors", "investors recorded for the round"),
)

NEWS = _resource(
    "news",
    "news_item",
    _id("id", "article id", "key", "sort"),
    _text("title", "headline", "sort"),
    _date("publish_date", "the day on which the article was published", "sort"),
    _uuid("entity_id", "first linked company", "filter"),
    _field(Many("uuid", column="entity_id"), "entity_ids", "all linked companies"),
    _text("url", "address of the article"),
    _text("source", "the publisher of the article"),
)

JOBS = _resource(
    "jobs",
    "job",
    _id("id", "job id", "key", "sort"),
    _text("title", "job title", "sort"),
    _date("date_posted", "the day on which the job was posted", "sort"),
    _uuid("entity_id", "the company", "filter"),
    _text("url", "address of the posting"),
    _text("location", "place as posted"),
)

SEARCH = _resource(
    "search",
    "search_row",
    _INSTITUTION[0],
    _text("type", "university or investor", "required"),
    *_INSTITUTION[1:],
)

_COMPANIES_OF = _count(
    "entities_count", "its companies, where it is counted", "optional"
)

TAGS = _resource(
    "tags",
    "tag",
    _text("kind", "value for a tag"),
    _text("filter_key", "the filter that takes the value"),
    _text("label", "what a person reads", "required"),
    _id("value", "tag identifier", "key"),
    _text("source_type", "sector, technology, industry, …", "optional"),
    _COMPANIES_OF,
)

LOCATIONS = _resource(
    "locations",
    "location",
    _id("id", "location identifier", "key"),
    _text("name", "place name; names repeat", "required"),
    _text("type", "continent, country, region, city", "optional"),
    _text("parent_name", "the place it lies in", "optional"),
    _text(
        "parent_type",
        "what that place is: a country and a state can have one name",
        "optional",
    ),
    _COMPANIES_OF,
)

RESOURCES: Mapping[str, Resource] = {
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
