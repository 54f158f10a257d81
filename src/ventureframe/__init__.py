"""Research notebooks and a helper for a startup, founder and investor data service."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ventureframe.connect import connect
from ventureframe.interface.filters import (
    all_of,
    any_of,
    company,
    founder,
    fund,
    job,
    news_item,
)

if TYPE_CHECKING:
    from ventureframe import bulk, errors, evidence, report
    from ventureframe.client.result import load
    from ventureframe.display.glossary import glossary
    from ventureframe.matching.match import match
    from ventureframe.panel.panel import form
    from ventureframe.studies import (
        changes,
        exposure,
        founders,
        hiring,
        institutions,
        mine,
        spinouts,
        universities,
    )

__all__ = [
    "all_of",
    "any_of",
    "bulk",
    "changes",
    "company",
    "connect",
    "errors",
    "evidence",
    "exposure",
    "form",
    "founder",
    "founders",
    "fund",
    "glossary",
    "hiring",
    "institutions",
    "job",
    "load",
    "match",
    "mine",
    "news_item",
    "report",
    "spinouts",
    "universities",
]

_STUDIES = ("changes", "exposure", "founders", "hiring", "institutions", "mine")
_MODULES = dict.fromkeys((*_STUDIES, "spinouts", "universities"), "studies.") | {
    "form": "panel.panel",
    "glossary": "display.glossary",
    "load": "client.result",
    "match": "matching.match",
}
"""Where names are, in this package, that are loaded when they are first used."""


def __getattr__(name: str) -> Any:
    """Load a module when it is first used, so that importing the package loads none."""
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    where = _MODULES.get(name, "")
    value: Any
    with import_module(f"{__name__}.errors").of_lab(f"vf.{name}"):
        if where and not where.endswith("."):
            value = getattr(import_module(f"{__name__}.{where}"), name)
        else:
            value = import_module(f"{__name__}.{where}{name}")
    globals()[name] = value  # the next time it is found there
    return value


def __dir__() -> list[str]:
    return __all__
