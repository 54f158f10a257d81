"""What the service takes as an OpenAPI 3.1 document, made from the fields and the
routes.

It describes the generation of the wire that the service speaks; the shapes of
replies are others'. A filter is described by the clauses each field takes, alone or
joined by one `and(...)` or `or(...)`; the service reads nested groups and any text
as well.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any, Final, get_args

from ventureframe.interface import fields
from ventureframe.interface.fields import SEVERAL, Field, Resource, Scalar
from ventureframe.interface.wire.profile import Limit, Profile
from ventureframe_service.aggregate import COUNT, GROUPS, measurable
from ventureframe_service.endpoints import ENTRIES, Endpoints
from ventureframe_service.request import MAX_TEXT, SCOPES, filter_keys

Schema = dict[str, Any]

_UUID: Final = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_TEXT: Final[Schema] = {"type": "string"}
_OPEN_TEXT: Final[Schema] = {"type": ["string", "null"]}
_WHOLE: Final[Schema] = {"type": "integer"}
_NUMBER: Final[Schema] = {"type": "number"}
_FLAG: Final[Schema] = {"type": "boolean"}
_PATTERNS: Final[Mapping[Scalar, str]] = {
    "uuid": _UUID,
    "identifier": "[0-9]{1,18}",
    "text": "[A-Za-z][A-Za-z0-9 .&-]{0,60}",
    "integer": "-?[0-9]{1,18}",
    "number": r"-?[0-9]{1,300}(\.[0-9]{1,4})?",
    "flag": "(true|false)",
}
"""By kind of value, what a filter takes."""
_SCORE: Final = r"(100|[0-9]{1,2}(\.[0-9]{1,4})?)"
_RESOURCES: Final[Mapping[str, Resource]] = {
    **fields.RESOURCES,
    "lp-funds": fields.INVESTORS,
    "manager-funds": fields.FUNDS,
}
_PLAIN: Final[Mapping[str, Schema]] = {
    "offset": {**_WHOLE, "minimum": 0, "maximum": 10**15 - 1},
    "include_total": _FLAG,
    "cursor": {**_TEXT, "description": "page.next_cursor or prev_cursor of a reply"},
    "role": {"enum": ["founder", "executive", "partner"]},
    "include_counts": _FLAG,
    "is_past": _FLAG,
    "view": {"enum": ["full", "summary"]},
    "types": {
        **_TEXT,
        "pattern": "^(university|investor)(,(university|investor)){0,3}$",
    },
    "scope": {"enum": list(SCOPES)},
}


def document(profile: Profile, endpoints: Endpoints, token_path: str) -> Schema:
    """Describe what the endpoints take and answer."""
    paths: dict[str, Schema] = {}
    for name, (_, parameters) in endpoints.handlers.items():
        sources = sorted(profile.sources or GROUPS) if name == "aggregates" else (None,)
        for source in sources:
            path = profile.paths[name].replace("{source}", source or "")
            paths[path] = _operation(name, parameters, profile, source)
    details = {"type": ["array", "object", "null"] if profile.shapes else "object"}
    error = _object(error=_object(code=_TEXT, message=_TEXT, details=details))
    token = {"clientCredentials": {"tokenUrl": token_path, "scopes": {}}}
    client = {"type": "apiKey", "in": "header", "name": profile.client_id_header}
    version = profile.api_version or "1"
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Startup, founder and investor data service",
            "version": version,
        },
        "paths": paths,
        "components": {
            "schemas": {"error": error},
            "securitySchemes": {
                "token": {"type": "oauth2", "flows": token},
                "client": client,
            },
        },
        "security": [{"token": [], "client": []}],
    }


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


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
    errors = dict.fromkeys(
        ("400", "401", "404", "422", "429"),
        _content({"$ref": "#/components/schemas/error"}),
    )
    return {
        "get": {
            "operationId": name if source is None else f"{name}-{source}",
            "parameters": said,
            "responses": {"200": _content(_object(data={})), **errors},
        }
    }


def _content(schema: Schema) -> Schema:
    return {"description": "…", "content": {"application/json": {"schema": schema}}}


def _parameter(
    name: str, endpoint: str, profile: Profile, source: str | None
) -> Schema:
    resource = _RESOURCES.get(source or endpoint)
    schema = _PLAIN.get(name, {"enum": list(profile.currencies)})
    if name in ("limit", "limit_per_row"):
        bounds = profile.limits[endpoint]
        if name == "limit_per_row" and profile.shapes:
            bounds = Limit(3, profile.tags_per_row)
        schema = {**_WHOLE, "minimum": 1, "maximum": bounds.maximum}
    elif name == "type":
        places = [
            profile.place_types.get(kind, kind) for kind in get_args(fields.Place)
        ]
        schema = {"enum": places} if endpoint == "locations" else _TEXT
    elif name == "q":
        least = {"search": profile.search_minimum, "tags": profile.tag_minimum}
        shortest = least.get(endpoint, profile.location_minimum)
        schema = {**_TEXT, "minLength": shortest, "maxLength": MAX_TEXT}
    elif source and name == "group_by":
        by = [profile.groups.get(each, each) for each in GROUPS[source]]
        schema = {"enum": [*by, *map(",".join, permutations(by, 2))]}
    elif name == "sort":
        groups = {**_TEXT, "description": "columns of the groups, `-` descending"}
        schema = groups if source else _sort(endpoint, resource, profile)
    elif resource and name == "metric":
        measured = measurable(resource).items()
        words = [f"{word}:{field}" for word, names in measured for field in names]
        schema = _listed("|".join(map(re.escape, [COUNT, *words])))
    elif resource and name == "filter":
        schema = _filter(resource, profile)
    return schema


def _sort(endpoint: str, resource: Resource | None, profile: Profile) -> Schema:
    names: Iterable[str] = ENTRIES[endpoint][2] if endpoint in ENTRIES else ()
    if resource is not None:
        names = (profile.sorts.get(each, each) for each in resource.sortable)
    listed = "|".join(names)
    return _listed(listed, "-?") if listed else {**_TEXT, "maxLength": 0}


def _listed(one: str, sign: str = "") -> Schema:
    return {**_TEXT, "pattern": f"^{sign}({one})(,{sign}({one})){{0,3}}$"}


def _filter(resource: Resource, profile: Profile) -> Schema:
    known = filter_keys(resource, profile).items()
    clauses = "|".join(_clause(re.escape(key), field) for key, field in known)
    if not clauses:
        return {**_TEXT, "not": {}}
    group = rf"(and|or)\(({clauses})(,({clauses})){{0,3}}\)"
    return {**_TEXT, "pattern": f"^({clauses}|{group})$"}


def _clause(key: str, field: Field) -> str:
    value = _PATTERNS[field.scalar] if field.bounds is None else _SCORE
    several = "|".join(name for name in field.operators if name in SEVERAL)
    one = "|".join(name for name in field.operators if name not in SEVERAL)
    forms = [rf"{key}\[({one})\]:{value}"]
    if several:
        forms.append(rf"{key}\[({several})\]:{value}(\|{value}){{0,3}}")
    return "|".join(forms)
