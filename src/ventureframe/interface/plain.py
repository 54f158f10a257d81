"""Values as JSON can hold them, and back: one converter for saves, kept replies and manifests."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from cattrs.gen import make_dict_structure_fn
from cattrs.preconf.json import make_converter

from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import RESOURCES, Resource

_T = TypeVar("_T")

CONVERTER: Final = make_converter(detailed_validation=False, forbid_extra_keys=True)
"""Dataclasses by their annotations; dates as ISO 8601; a `Resource` by its name."""

CONVERTER.register_unstructure_hook(Resource, lambda resource: resource.name)
CONVERTER.register_structure_hook(Resource, lambda name, _: RESOURCES[name])
# saves of the version before also say whether the walk was repeated on request
_certificate = make_dict_structure_fn(Certificate, CONVERTER, _cattrs_forbid_extra_keys=False)
CONVERTER.register_structure_hook(Certificate, _certificate)


def to_plain(value: object) -> Any:
    """The value as dicts, lists, text and numbers.

    >>> from ventureframe.interface.source import Source
    >>> to_plain(Source("oak", attribution=("a",)))["attribution"]
    ['a']
    """
    return CONVERTER.unstructure(value)


def from_plain(plain: object, kind: type[_T]) -> _T:
    """The value of this type that `to_plain` made plain.

    Raises `ValueError` where it is not one.
    """
    try:
        return CONVERTER.structure(plain, kind)
    except Exception as error:  # whatever a wrong value meets on its way through cattrs
        raise ValueError(str(error)) from error
