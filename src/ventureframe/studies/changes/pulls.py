"""A pulled folder as results, so that two pulls are compared as two fetches are."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import polars as pl

from ventureframe import bulk
from ventureframe.bulk.open import Frames
from ventureframe.client import saves
from ventureframe.client.result import Details, Result, Saved
from ventureframe.dataset import manifest
from ventureframe.dataset.manifest import Pull
from ventureframe.interface.fields import RESOURCES
from ventureframe.interface.source import Provenance, Source

_COLLECTIONS = ("companies", "founders", "funds", "news", "jobs")
_LISTS: Final[Mapping[str, Mapping[str, str]]] = {
    "companies": {"tags": "company_tags", "founders": "company_founders"},
    "founders": {"education": "education"},
    "news": {"entity_ids": "news_companies"},
}
"""By collection its lists, each with the frame of their entries; the first column of
that frame is the key of the row.
"""


def is_pull(folder: Path) -> bool:
    """Whether a folder holds a pull, and not a save."""
    return manifest.PULLS.is_in(folder) and not saves.SAVES.is_in(folder)


def opened(folder: Path) -> Saved:
    """Open each pulled collection as a result, companies first.

    Raises `DatasetError` where the folder is not what was pulled.
    """
    frames = bulk.open(folder)
    dataset = manifest.opened(folder)
    pulls = {pull.collection: pull for pull in dataset.pulls}
    results = {
        name: _result(pulls[name], frames, dataset.source)
        for name in _COLLECTIONS
        if name in pulls
    }
    since = {
        f"first day of {name}": str(pull.since)
        for name, pull in pulls.items()
        if pull.since is not None
    }
    return Saved(results, parameters=since)


def _result(pull: Pull, frames: Frames, source: Source) -> Result:
    provenance = Provenance(
        endpoint=pull.endpoint,
        filter=pull.filter,
        sort=None,
        currency=pull.currency,
        profile=pull.profile,
        source=replace(source, as_of=pull.day),
        fetched_at=pull.finished,
        version=pull.version,
        served=pull.api_version,
    )
    partial = dict.fromkeys(pull.cut, 1) | dict(pull.partial)
    return Result(
        resource=RESOURCES[pull.collection],
        certificate=pull.certificate,
        provenance=provenance,
        _frame=_rows(pull, frames),
        details=Details(partial=tuple(partial.items())),
    )


def _rows(pull: Pull, frames: Frames) -> pl.DataFrame:
    """Read the rows with the columns of a fetch, and their lists within them."""
    resource = RESOURCES[pull.collection]
    rows: pl.LazyFrame = frames[pull.collection]
    for name, table in _LISTS.get(pull.collection, {}).items():
        entries: pl.LazyFrame = frames[table].drop("position", "is_past", strict=False)
        owner, *members = entries.collect_schema().names()
        entry = pl.struct(members) if len(members) > 1 else pl.col(*members)
        lists = entries.group_by(owner).agg(entry.alias(name))
        rows = rows.join(lists, left_on=resource.key, right_on=owner, how="left")
    if pull.collection == "funds":
        rows = rows.rename({f"amount_in_{pull.currency}": "amount"}, strict=False)
        manager = pl.struct(uuid="manager_uuid", name="manager_name")
        rows = rows.with_columns(manager=manager)
    fields = {field.name for field in resource.returned}
    names = [name for name in rows.collect_schema().names() if name in fields]
    return rows.select(names).sort(resource.key).collect()
