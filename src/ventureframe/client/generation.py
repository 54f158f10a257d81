"""Finds out which generation of the wire a service speaks, with one request that costs nothing."""

from __future__ import annotations

from typing import Final

from ventureframe.client.envelope import rows_of
from ventureframe.client.session import Session
from ventureframe.errors import (
    CreditsExhausted,
    RequestRejected,
    ServiceFailed,
    UnreadableReply,
)
from ventureframe.interface.wire.profile import INTERFACE, Profile
from ventureframe.interface.wire.y2026_10_02 import WIRE_2026_10_02

_ROW_KEYS: Final = {"taxonomy", "classifications"}
"""Keys that only rows of companies on today's wire have."""


def filter_keys(session: Session) -> frozenset[str]:
    """The keys by which the service filters companies; raises as `Session.get` does."""
    reply = session.get(session.profile.paths["filters"], {"scope": "companies"})
    rows = rows_of(reply, reply.json())
    return frozenset(str(row.get("filter_key") or row.get("key")) for row in rows)


def found(session: Session) -> Profile:
    """The generation that the service speaks.

    Its filters tell: `taxonomy_id` is one of today's, `tag_id` one of the interface's. Where they
    are refused or say neither, the first company does; where there is none, it is the interface.
    Raises as `Session.get` does where the key is refused or the service cannot be reached.
    """
    try:
        known = filter_keys(session)
    except (RequestRejected, ServiceFailed, UnreadableReply):
        known = frozenset()
    if "taxonomy_id" in known or "tag_id" in known:
        return WIRE_2026_10_02 if "taxonomy_id" in known else INTERFACE
    try:
        reply = session.get(INTERFACE.paths["companies"], {"limit": "1"})
        row = next(iter(rows_of(reply, reply.json())), {})
    except CreditsExhausted:
        raise
    except RequestRejected:
        row = {}
    return WIRE_2026_10_02 if row.keys() & _ROW_KEYS else INTERFACE
