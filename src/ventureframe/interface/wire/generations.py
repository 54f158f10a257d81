"""The generations of the wire by name."""

from collections.abc import Mapping
from typing import Final

from ventureframe.errors import ConfigurationError
from ventureframe.interface.wire.profile import INTERFACE, Profile
from ventureframe.interface.wire.y2026_10_02 import WIRE_2026_10_02

WIRES: Final[Mapping[str, Profile]] = {wire.name: wire for wire in (INTERFACE, WIRE_2026_10_02)}
"""The generations by name, the oldest first."""


def named(name: str | Profile) -> Profile:
    """Return the generation with this name; `ConfigurationError` lists what there is."""
    if isinstance(name, Profile):
        return name
    if name not in WIRES:
        raise ConfigurationError(
            f"There is no wire {name!r}. The generations are {' and '.join(WIRES)}.",
            settings=("wire",),
        )
    return WIRES[name]
