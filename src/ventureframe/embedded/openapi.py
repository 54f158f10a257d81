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
from ventureframe.interface.wire.profile import Limit, Profile

Schema = dict[str, Any]

_UUID: Final = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_SCHEMAS: Final[Mapping[Scalar, Schema]] = {
    "uuid": {"type": "string", "format": "uuid"},
    "identifier": {"type": "integer"},
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
}
_VALUES: Final[Mapping[Scalar, str]] = {
    "uuid": _UUID,
    "identifier": "[0-9]{1,15}",
    "text": "[A-Za-z][A-Za-z0-9 .&-]{0,60}",
    "integer": "-?[0-9]{1,9}",
    "number": r"-?[0-9]{1,12}(\.[0-9]{1,4})?",
    "flag": "(true|false)",
}
_SCORE: Final = r"(100|[0-9]{1,2}(\.[0-9]{1,4})?)"
_RESOURCES: Final[Mapping[str, Resource]] = {
    **fields.RESOURCES,
    "lp-funds": fields.INVESTORS,
    "manager-funds": fields.FUNDS,
}


def document(profile: Profile, *, routes: Mapping[str, Sequence[str]], token_path: str) -> Schema:
    """The document; `routes` are the query parameters that each endpoint of the profile knows."""
    paths: dict[str, Schema] = {}
    for name, parameters in routes.items():
        if name == "aggregates":
            for source in GROUPS:
                path = profile.paths[name].replace("{source}", source)
                paths[path] = _operation(f"{name}-{source}", parameters, profile, source=source)
        else:
            paths[profile.paths[name]] = _operation(name, parameters, profile)
    shown = {resource.singular: resource for resource in fields.RESOURCES.values()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Startup, founder and investor data service", "version": "1"},
        "paths": paths,
        "components": {
            "schemas": {name: row(resource) for name, resource in shown.items()}
            | {"error": _ERROR, "page": _page(profile)},
            "securitySchemes": {
                "token": {
                    "type": "oauth2",
                    "flows": {"clientCredentials": {"tokenUrl": token_path, "scopes": {}}},
                },
                "client": {"type": "apiKey", "in": "header", "name": profile.client_id_header},
            },
        },
        "security": [{"token": [], "client": []}],
    }


def row(resource: Resource) -> Schema:
    """The schema of a row: every key is there, null where nothing is recorded."""
    schema = _record(resource.returned)
    if resource is fields.TAGS:
        schema["properties"]["value"] = {"type": "string", "pattern": "^[0-9]+$"}
    if resource is fields.FUNDS:
        schema["required"].remove("manager")
    return schema


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _record(shown: Iterable[Field]) -> Schema:
    properties = {field.name: _field(field) for field in shown}
    return _object(**properties) | {"additionalProperties": False}


def _field(field: Field) -> Schema:
    schema = _type(field.type)
    if field.nullable:
        schema["type"] = [schema["type"], "null"]
    return {**schema, "description": field.doc}


def _type(kind: fields.Type) -> Schema:
    if isinstance(kind, Many):
        return {"type": "array", "items": _type(kind.of)}
    return _record(kind.fields) if isinstance(kind, Record) else dict(_SCHEMAS[kind])


_TEXT: Final[Schema] = {"type": "string"}
_ERROR: Final = _object(error=_object(code=_TEXT, message=_TEXT, details={"type": "object"}))


def _page(profile: Profile) -> Schema:
    cursor = {"type": ["string", "null"]}
    cursors = {profile.next_cursor: cursor, profile.previous_cursor: cursor}
    whole = {"type": "integer"}
    return _object(limit=whole, offset=whole, total={"type": ["integer", "null"]}, **cursors)


def _operation(
    name: str, parameters: Sequence[str], profile: Profile, *, source: str | None = None
) -> Schema:
    error = _content({"$ref": "#/components/schemas/error"})
    said: Schema = {
        "operationId": name,
        "parameters": [
            {"name": each, "in": "query", "schema": _parameter(each, name, profile, source)}
            | ({"required": True} if each in ("q", "group_by") else {})
            for each in parameters
        ],
        "responses": {"200": _content(_answer(name, profile, source))}
        | dict.fromkeys(("400", "401", "404", "422", "429"), error),
    }
    if "{id}" in profile.paths.get(name, ""):
        uuid = {"type": "string", "pattern": f"^{_UUID}$"}
        path = {"name": "id", "in": "path", "required": True, "schema": uuid}
        said["parameters"].append(path)
    return {"get": said}


def _content(schema: Schema) -> Schema:
    return {"description": "…", "content": {"application/json": {"schema": schema}}}


def _answer(name: str, profile: Profile, source: str | None) -> Schema:
    """The schema of a good reply."""
    currency = _currency(profile)
    if source is not None:
        rows: Schema = {"type": "array", "items": {"type": "object"}}
        return _object(data=rows, query_info={"type": "object"}, currency=currency)
    if name == "entity":
        kinds = ("university", "investor", "company", "founder")
        return _object(data={"anyOf": [_ref(kind) for kind in kinds]}, currency=currency)
    if name not in _RESOURCES:
        return _object(data={"type": "object"})
    rows = {"type": "array", "items": _ref(_RESOURCES[name].singular)}
    if name == "locations":
        page = {"type": "object", "required": ["limit", "offset", "has_more"]}
        return _object(data=rows, page=page)
    if name in ("search", "tags"):
        return _object(data=rows)
    return _object(data=rows, page=_ref("page"), currency=currency)


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _currency(profile: Profile) -> Schema:
    return {"enum": list(profile.currencies)}


def _parameter(name: str, endpoint: str, profile: Profile, source: str | None) -> Schema:
    resource = _RESOURCES.get(source or endpoint)
    limits = profile.limits.get("aggregates" if source else endpoint, Limit(1, 1))
    if name in ("limit", "limit_per_row"):
        return {"type": "integer", "minimum": 1, "maximum": limits.maximum}
    if name == "q":
        least = {"search": profile.search_minimum, "tags": profile.tag_minimum}
        shortest = least.get(endpoint, profile.location_minimum)
        return {"type": "string", "minLength": shortest, "maxLength": MAX_TEXT}
    if source is not None and name in ("metric", "group_by", "sort"):
        return _aggregate_parameter(name, source)
    if resource is not None and name in ("filter", "sort"):
        return _filter(resource) if name == "filter" else _sort(resource)
    return _PLAIN.get(name) or _currency(profile)


_PLAIN: Final[Mapping[str, Schema]] = {
    "offset": {"type": "integer", "minimum": 0, "maximum": 10**15 - 1},
    "include_total": {"type": "boolean"},
    "cursor": {"type": "string", "description": "page.next_cursor or prev_cursor of a reply"},
    "types": {"type": "string", "pattern": "^(university|investor)(,(university|investor)){0,3}$"},
    "scope": {"enum": ["companies", "investors", "jobs", "news", "funds"]},
    "type": {"enum": ["continent", "country", "region", "city"]},
}


def _sort(resource: Resource) -> Schema:
    if not resource.sortable:
        return {"type": "string", "maxLength": 0}
    names = "|".join(resource.sortable)
    return {"type": "string", "pattern": f"^-?({names})(,-?({names})){{0,3}}$"}


def _filter(resource: Resource) -> Schema:
    clauses = "|".join(_clause(field) for field in resource.fields if field.operators)
    if not clauses:
        return {"type": "string", "not": {}}
    group = rf"(and|or)\(({clauses})(,({clauses})){{0,3}}\)"
    return {"type": "string", "pattern": f"^({clauses}|{group})$"}


def _clause(field: Field) -> str:
    value = _VALUES[field.scalar] if field.bounds is None else _SCORE
    one = [name for name in field.operators if name not in SEVERAL]
    several = [name for name in field.operators if name in SEVERAL]
    forms = [rf"{field.name}\[({'|'.join(one)})\]:{value}"]
    if several:
        forms.append(rf"{field.name}\[({'|'.join(several)})\]:{value}(\|{value}){{0,3}}")
    return "|".join(forms)


def _aggregate_parameter(name: str, source: str) -> Schema:
    if name == "sort":
        return {"type": "string", "description": "columns of the groups, `-` descending"}
    if name == "group_by":
        groups = GROUPS[source]
        both = (",".join(pair) for pair in permutations(groups, 2))
        return {"enum": [*groups, *both]}
    measured = measurable(_RESOURCES[source])
    words = [COUNT, *(f"{word}:{name}" for word, names in measured.items() for name in names)]
    one = "|".join(map(re.escape, words))
    return {"type": "string", "pattern": f"^({one})(,({one})){{0,3}}$"}
