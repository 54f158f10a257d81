"""The service's contract as an OpenAPI 3.1 document, made from the fields and the routes.

A filter is described by the clauses each field takes, alone or joined by one `and(...)` or
`or(...)`; the service reads nested groups and any text as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any, Final

from ventureframe.embedded.aggregate import COUNT, GROUPS, measurable
from ventureframe.embedded.request import MAX_TEXT
from ventureframe.interface import fields
from ventureframe.interface.fields import SEVERAL, Field, Many, Record, Resource
from ventureframe.interface.values import Scalar
from ventureframe.interface.wire.profile import Profile

Schema = dict[str, Any]

_UUID: Final = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_TEXT: Final[Schema] = {"type": "string"}
_WHOLE: Final[Schema] = {"type": "integer"}
_VALUES: Final[Mapping[Scalar, tuple[Schema, str]]] = {
    "uuid": ({**_TEXT, "format": "uuid"}, _UUID),
    "identifier": (_WHOLE, "[0-9]{1,15}"),
    "text": (_TEXT, "[A-Za-z][A-Za-z0-9 .&-]{0,60}"),
    "integer": (_WHOLE, "-?[0-9]{1,9}"),
    "number": ({"type": "number"}, r"-?[0-9]{1,12}(\.[0-9]{1,4})?"),
    "flag": ({"type": "boolean"}, "(true|false)"),
    "date": ({**_TEXT, "format": "date"}, ""),
}
"""By kind of value: its schema in a row, and its pattern in a filter."""
_SCORE: Final = r"(100|[0-9]{1,2}(\.[0-9]{1,4})?)"
_RESOURCES: Final[Mapping[str, Resource]] = {
    **fields.RESOURCES,
    "lp-funds": fields.INVESTORS,
    "manager-funds": fields.FUNDS,
}
_PLAIN: Final[Mapping[str, Schema]] = {
    "offset": {**_WHOLE, "minimum": 0, "maximum": 10**15 - 1},
    "include_total": {"type": "boolean"},
    "cursor": {**_TEXT, "description": "page.next_cursor or prev_cursor of a reply"},
    "types": {**_TEXT, "pattern": "^(university|investor)(,(university|investor)){0,3}$"},
    "scope": {"enum": ["companies", "investors", "jobs", "news", "funds"]},
    "type": {"enum": ["continent", "country", "region", "city"]},
}


def document(profile: Profile, *, routes: Mapping[str, Sequence[str]], token_path: str) -> Schema:
    """The document; `routes` are the query parameters that each endpoint of the profile knows."""
    paths: dict[str, Schema] = {}
    for name, parameters in routes.items():
        for source in GROUPS if name == "aggregates" else (None,):
            path = profile.paths[name].replace("{source}", source or "")
            paths[path] = _operation(name, parameters, profile, source)
    error = _object(error=_object(code=_TEXT, message=_TEXT, details={"type": "object"}))
    rows = {resource.singular: _row(resource) for resource in fields.RESOURCES.values()}
    token = {"clientCredentials": {"tokenUrl": token_path, "scopes": {}}}
    client = {"type": "apiKey", "in": "header", "name": profile.client_id_header}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Startup, founder and investor data service", "version": "1"},
        "paths": paths,
        "components": {
            "schemas": {**rows, "error": error, "page": _page(profile)},
            "securitySchemes": {"token": {"type": "oauth2", "flows": token}, "client": client},
        },
        "security": [{"token": [], "client": []}],
    }


def _row(resource: Resource) -> Schema:
    """The schema of a row: every key is there, null where nothing is recorded."""
    schema = _record(resource.returned)
    if resource is fields.TAGS:
        schema["properties"]["value"] = {**_TEXT, "pattern": "^[0-9]+$"}
    if resource is fields.FUNDS:
        schema["required"].remove("manager")
    return schema


def _entity(resource: Resource) -> Schema:
    """The schema of a row on its own, which says what it is."""
    row, kind = _row(resource), {"const": resource.singular}
    required = ["type", *row["required"]]
    return {**row, "properties": {"type": kind, **row["properties"]}, "required": required}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _record(shown: Iterable[Field]) -> Schema:
    return {**_object(**{each.name: _field(each) for each in shown}), "additionalProperties": False}


def _field(field: Field) -> Schema:
    schema = _type(field.type)
    if field.nullable:
        schema["type"] = [schema["type"], "null"]
    return {**schema, "description": field.doc}


def _type(kind: fields.Type) -> Schema:
    if isinstance(kind, Many):
        return {"type": "array", "items": _type(kind.of)}
    return _record(kind.fields) if isinstance(kind, Record) else dict(_VALUES[kind][0])


def _page(profile: Profile) -> Schema:
    cursor = {"type": ["string", "null"]}
    cursors = {profile.next_cursor: cursor, profile.previous_cursor: cursor}
    total = {"type": ["integer", "null"]}
    return _object(limit=_WHOLE, offset=_WHOLE, total=total, **cursors)


def _operation(
    name: str, parameters: Sequence[str], profile: Profile, source: str | None
) -> Schema:
    said: list[Schema] = [
        {"name": each, "in": "query", "schema": _parameter(each, name, profile, source)}
        | ({"required": True} if each in ("q", "group_by") else {})
        for each in parameters
    ]
    if "{id}" in profile.paths[name]:
        uuid = {**_TEXT, "pattern": f"^{_UUID}$"}
        said.append({"name": "id", "in": "path", "required": True, "schema": uuid})
    errors = dict.fromkeys(("400", "401", "404", "422", "429"), _content(_ref("error")))
    return {
        "get": {
            "operationId": name if source is None else f"{name}-{source}",
            "parameters": said,
            "responses": {"200": _content(_answer(name, profile)), **errors},
        }
    }


def _content(schema: Schema) -> Schema:
    return {"description": "…", "content": {"application/json": {"schema": schema}}}


def _answer(name: str, profile: Profile) -> Schema:
    """The schema of a good reply."""
    currency, data = {"enum": list(profile.currencies)}, {"type": "object"}
    if name == "aggregates":
        return _object(data={"type": "array", "items": data}, query_info=data, currency=currency)
    if name == "entity":
        kinds = (fields.UNIVERSITIES, fields.INVESTORS, fields.COMPANIES, fields.FOUNDERS)
        return _object(data={"anyOf": [_entity(kind) for kind in kinds]}, currency=currency)
    if name not in _RESOURCES:
        return _object(data=data)
    rows = {"type": "array", "items": _ref(_RESOURCES[name].singular)}
    if name == "locations":
        page = {"type": "object", "required": ["limit", "offset", "has_more"]}
        return _object(data=rows, page=page)
    if name in ("search", "tags"):
        return _object(data=rows)
    return _object(data=rows, page=_ref("page"), currency=currency)


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _parameter(name: str, endpoint: str, profile: Profile, source: str | None) -> Schema:
    resource = _RESOURCES.get(source or endpoint)
    schema = _PLAIN.get(name, {"enum": list(profile.currencies)})
    if name in ("limit", "limit_per_row"):
        schema = {**_WHOLE, "minimum": 1, "maximum": profile.limits[endpoint].maximum}
    elif name == "q":
        least = {"search": profile.search_minimum, "tags": profile.tag_minimum}
        shortest = least.get(endpoint, profile.location_minimum)
        schema = {**_TEXT, "minLength": shortest, "maxLength": MAX_TEXT}
    elif source and name == "group_by":
        schema = {"enum": [*GROUPS[source], *map(",".join, permutations(GROUPS[source], 2))]}
    elif source and name == "sort":
        schema = {**_TEXT, "description": "columns of the groups, `-` descending"}
    elif resource and name == "metric":
        measured = measurable(resource).items()
        words = [f"{word}:{field}" for word, names in measured for field in names]
        schema = _listed("|".join(map(re.escape, [COUNT, *words])))
    elif resource and name == "sort":
        names = "|".join(resource.sortable)
        schema = _listed(names, "-?") if names else {**_TEXT, "maxLength": 0}
    elif resource and name == "filter":
        schema = _filter(resource)
    return schema


def _listed(one: str, sign: str = "") -> Schema:
    return {**_TEXT, "pattern": f"^{sign}({one})(,{sign}({one})){{0,3}}$"}


def _filter(resource: Resource) -> Schema:
    clauses = "|".join(_clause(field) for field in resource.fields if field.operators)
    if not clauses:
        return {**_TEXT, "not": {}}
    group = rf"(and|or)\(({clauses})(,({clauses})){{0,3}}\)"
    return {**_TEXT, "pattern": f"^({clauses}|{group})$"}


def _clause(field: Field) -> str:
    value = _VALUES[field.scalar][1] if field.bounds is None else _SCORE
    several = "|".join(name for name in field.operators if name in SEVERAL)
    one = "|".join(name for name in field.operators if name not in SEVERAL)
    forms = [rf"{field.name}\[({one})\]:{value}"]
    if several:
        forms.append(rf"{field.name}\[({several})\]:{value}(\|{value}){{0,3}}")
    return "|".join(forms)
