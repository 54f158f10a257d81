"""What others read beside the manifest: `dataset.json`, and a Frictionless `datapackage.json`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import polars as pl

from ventureframe.bulk.tables import TABLES
from ventureframe.dataset.description import DESCRIPTION, Description
from ventureframe.dataset.manifest import Manifest, Pull
from ventureframe.interface.files import write_json

PACKAGE: Final = "datapackage.json"
_TYPES: Final = {
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.Float64: "number",
    pl.List: "array",
    pl.Struct: "object",
    pl.String: "string",
}
_KEYS: Final = {"company_founders": ["company_uuid", "founder_uuid"]}
_REFERS: Final = {
    "company_founders": {"company_uuid": "companies", "founder_uuid": "founders"},
    "company_tags": {"company_uuid": "companies"},
    "education": {"founder_uuid": "founders"},
    "prior_employers": {"founder_uuid": "founders"},
}
NOT_STATED: Final = "not stated by the service"


def describe(folder: Path, manifest: Manifest) -> None:
    """Writes both files for the pulls that are read."""
    about = description(manifest)
    write_json(folder / DESCRIPTION, about.to_json())
    write_json(folder / PACKAGE, _package(folder, manifest, about))


def description(manifest: Manifest) -> Description:
    """What the folder says of itself as a dataset."""
    source = manifest.source
    return Description(
        name=source.name,
        description=manifest.description,
        as_of=manifest.day,
        synthetic=bool(source.synthetic),
        licence=source.licence or NOT_STATED,
        attribution=source.attribution or (f"Source: {source.name}",),
    )


def _package(folder: Path, manifest: Manifest, about: Description) -> dict[str, Any]:
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": re.sub(r"[^a-z0-9._-]+", "-", about.name.lower()).strip("-") or "pull",
        "title": about.name,
        "description": about.description,
        "created": max(each.finished for each in manifest.current).isoformat(),
        "licenses": [{"name": "other", "title": about.licence}],
        "sources": [{"title": line} for line in about.attribution],
        "resources": [
            _resource(folder, pull, table, manifest)
            for pull in manifest.current
            for table in pull.tables
        ],
    }


def _resource(folder: Path, pull: Pull, table: str, manifest: Manifest) -> dict[str, Any]:
    parts = pull.tables[table]
    order = TABLES[pull.collection][table]
    whole = [order.key] if order.within is None else [order.key, order.within]
    keys = [
        {"fields": [column], "reference": {"resource": other, "fields": ["uuid"]}}
        for column, other in _REFERS.get(table, {}).items()
        if manifest.files(other)
    ]
    schema = pl.read_parquet_schema(folder / parts[0].file)
    return {
        "name": table,
        "path": [part.file for part in parts],
        "format": "parquet",
        "mediatype": "application/vnd.apache.parquet",
        "bytes": sum(part.size for part in parts),
        "schema": {
            "fields": [
                {"name": name, "type": _TYPES.get(kind.base_type(), "integer")}
                for name, kind in schema.items()
            ],
            "primaryKey": _KEYS.get(table, whole),
            **({"foreignKeys": keys} if keys else {}),
        },
    }
