"""Reads the environment and connects: to the live service, or to the embedded one."""

from __future__ import annotations

import datetime as dt
import os
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ventureframe.errors import (
    ConfigurationError,
    CreditsExhausted,
    RequestRejected,
    ServiceFailed,
    UnreadableReply,
    UnsupportedValue,
)
from ventureframe.interface.secret import Secret
from ventureframe.interface.wire.generations import named
from ventureframe.interface.wire.profile import INTERFACE, Profile

if TYPE_CHECKING:
    from ventureframe.client.service import Service
    from ventureframe.client.session import Session
    from ventureframe_service.dataset import Dataset

PREFIX: Final = "VENTUREFRAME_"
LIVE: Final = ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "USER_AGENT")
FILE: Final = ".env"
_TOGETHER: Final = frozenset(
    PREFIX + name
    for name in ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "AUDIENCE", "DATA")
)
_TODAY_KEYS: Final = {"taxonomy", "classifications"}
"""Keys that only rows of companies on the wire of 2026-10-02 have."""


class Settings(dict[str, str]):
    """Settings by name; the repr leaves out the values, because one of them is the secret."""

    def __repr__(self) -> str:
        return f"<settings {', '.join(sorted(self))}>"


def completed(environment: Mapping[str, str], folder: Path | None = None) -> tuple[Settings, bool]:
    """The environment with what it lacks of the folder's `.env`, and whether any of it is used.

    The folder is the current one, which for a notebook is the notebook's. The environment wins.
    Address, credentials and dataset come from one of the two together: where the environment names
    any of them, even as empty, the file's are left out. So no `.env` in a folder that somebody sent
    can draw a secret of the environment to its address; for the same reason nothing in the file is
    replaced by a variable's value, and only settings of this package are read. Raises
    `ConfigurationError` where the file cannot be read.

    >>> completed({"VENTUREFRAME_CURRENCY": "EUR"}, Path("nowhere"))
    (<settings VENTUREFRAME_CURRENCY>, False)
    """
    own = Settings(environment)
    del environment  # a traceback with variables would show the secret
    path = (folder or Path.cwd()) / FILE
    if not path.is_file():
        return own, False
    from dotenv import dotenv_values  # noqa: PLC0415  # only where there is a file

    left_out = {*own, *(_TOGETHER if _TOGETHER & own.keys() else ())}
    try:
        used = Settings(
            (name, value)
            for name, value in dotenv_values(path, interpolate=False).items()
            if name.startswith(PREFIX) and value and name not in left_out
        )
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path.name} beside the notebook cannot be read.") from error
    return Settings({**used, **own}), bool(used)


def current() -> Settings:
    """The settings that hold for this program, those of a `.env` among them."""
    return completed(os.environ)[0]


def connect(
    *,
    data: str | Path | None = None,
    currency: str | None = None,
    wire: str | Profile | None = None,
    timeout: float | None = None,
    rate: float | None = None,
    environment: Mapping[str, str] | None = None,
    sample_day: dt.date | str | None = None,
    pulled: dt.date | str | None = None,
) -> Service:
    """The service that the environment names, else the embedded one on synthetic sample data.

    A dataset folder, given as `data` or in VENTUREFRAME_DATA, is served by the embedded service
    and takes precedence. Otherwise VENTUREFRAME_BASE_URL, _AUTH_URL, _CLIENT_ID, _CLIENT_SECRET
    and _USER_AGENT name a live service, with _AUDIENCE where the service needs one. _CURRENCY is
    the default for amounts, USD where it is not set. What the environment does not set is read
    from a `.env` in the current folder, which is the notebook's, and the repr then says so; see
    `completed`. `sample_day` of 2026-03-31 gives the sample as it was on that
    day, to compare two fetches; no other data has earlier days. Of a folder of pulls,
    `pulled` chooses the day, the latest of each table where it is not given; the default for
    amounts is the currency they were pulled in, and no other is shown.

    `wire`, or VENTUREFRAME_WIRE, is the generation of the wire to speak: "interface" or
    "2026-10-02". Of a live service one request that costs nothing finds it out where neither is
    given. `timeout`, or VENTUREFRAME_TIMEOUT, is the seconds that one attempt of a request may take
    as a whole, from connecting to the last byte: 60 unless given. `rate`, or VENTUREFRAME_RATE, is
    the most requests a second, where your plan has another rate than the service's usual one; what
    the service announces is never exceeded.

    Raises `ConfigurationError` where the live settings are incomplete and `DatasetError` where
    the folder breaks its format.

    >>> import ventureframe as vf
    >>> vf.connect(environment={}, currency="EUR")
    embedded service · SYNTHETIC "Harrowmere sample" · as of 2026-06-30
    """
    is_from_file = False
    if environment is None:
        environment, is_from_file = completed(os.environ)
    settings = Settings(
        (name.removeprefix(PREFIX), value.strip())
        for name, value in environment.items()
        if name.startswith(PREFIX) and value.strip()
    )
    del environment  # a traceback with variables would show the secret
    currency = currency or settings.get("CURRENCY")
    folder = data or settings.get("DATA")
    is_live = folder is None and any(name in settings for name in LIVE)
    if sample_day is not None and (folder or is_live):
        raise ConfigurationError("Only the sample has earlier days: compare two saves instead.")
    dataset = None if is_live else _dataset(folder, sample_day, pulled, currency)
    from ventureframe.client.service import Service  # noqa: PLC0415  # HTTP only where it is used
    from ventureframe.client.session import Session  # noqa: PLC0415

    wire = wire or settings.get("WIRE") or (None if is_live else INTERFACE)
    profile = named(wire) if wire else None
    limits: dict[str, Any] = {
        name: settings.get(name.upper()) if value is None else value
        for name, value in (("timeout", timeout), ("rate", rate))
    }
    close = None
    if dataset is None:
        address = _live(settings)
    else:
        currency = currency or dataset.converted_to
        address, close = _embedded(dataset, profile or INTERFACE)
    session = Session(
        **address, **{name: limit for name, limit in limits.items() if limit is not None}
    )
    session.profile = profile or spoken(session)
    try:
        service = Service(session, currency=currency or "USD", is_embedded=not is_live, close=close)
    except UnsupportedValue as error:
        raise ConfigurationError(
            f"The currency {currency!r} is not one the service converts to. "
            f"Set {PREFIX}CURRENCY to one of {', '.join(INTERFACE.currencies)}.",
            settings=(f"{PREFIX}CURRENCY",),
        ) from error
    if close is not None:
        weakref.finalize(service.connection, close)  # which queries hold
    service._settings_file = FILE if is_from_file else None
    service.data = None if folder is None else str(folder)
    return service


def _live(settings: Mapping[str, str]) -> dict[str, Any]:
    """Address and credentials of a live service."""
    from ventureframe.client.auth import Credentials  # noqa: PLC0415  # HTTP only where it is used

    missing = [PREFIX + name for name in LIVE if name not in settings]
    if missing:
        raise ConfigurationError(
            f"A live service needs {', '.join(missing)} as well. "
            "Set them, or unset the others to use the embedded sample.",
            settings=tuple(missing),
        )
    secret = Secret(settings["CLIENT_SECRET"])
    return {
        "base_url": settings["BASE_URL"],
        "auth_url": settings["AUTH_URL"],
        "credentials": Credentials(settings["CLIENT_ID"], secret, settings.get("AUDIENCE")),
        "user_agent": settings["USER_AGENT"],
    }


def _embedded(dataset: Dataset, profile: Profile) -> tuple[dict[str, Any], Callable[[], None]]:
    """Address and credentials of a service started over the dataset, and what ends it."""
    from ventureframe.client.auth import Credentials  # noqa: PLC0415
    from ventureframe_service import run  # noqa: PLC0415  # a live service needs nothing of it
    from ventureframe_service.settings import Settings  # noqa: PLC0415

    running = run.start(dataset, Settings(profile=profile))
    address = {
        "base_url": running.base_url,
        "auth_url": running.auth_url,
        "credentials": Credentials(running.client_id, Secret(running.client_secret)),
        "user_agent": "ventureframe (embedded service)",
        "trust_environment": False,
    }
    return address, running.close


def spoken(session: Session) -> Profile:
    """The generation of the wire that the service speaks, found out at no cost.

    Its filters tell: `taxonomy_id` is one of today's, `tag_id` one of the interface's. Where they
    are refused or say neither, the first company does; where there is none, it is the interface.
    Raises as `Session.get` does where the key is refused or the service cannot be reached.
    """
    from ventureframe.client.listing import filter_keys  # noqa: PLC0415
    from ventureframe.interface.reply import rows_of  # noqa: PLC0415
    from ventureframe.interface.wire.generations import WIRE_2026_10_02  # noqa: PLC0415

    try:
        keys = filter_keys(session)
    except (RequestRejected, ServiceFailed, UnreadableReply):
        keys = frozenset()
    if "taxonomy_id" in keys or "tag_id" in keys:
        return WIRE_2026_10_02 if "taxonomy_id" in keys else INTERFACE
    try:
        reply = session.get(INTERFACE.paths["companies"], {"limit": "1"})
        row = next(iter(rows_of(reply, reply.json())), {})
    except CreditsExhausted:
        raise
    except RequestRejected:
        row = {}
    return WIRE_2026_10_02 if row.keys() & _TODAY_KEYS else INTERFACE


def _dataset(
    folder: str | Path | None,
    day: dt.date | str | None,
    pulled: dt.date | str | None,
    currency: str | None,
) -> Dataset:
    """The dataset in the folder, else the sample, as it was on the day where one is given.

    Raises `ConfigurationError` where its amounts were pulled in another currency.
    """
    from ventureframe_service.dataset import (  # noqa: PLC0415
        DAY,
        Dataset,
        sample,
    )

    if folder is None:
        return sample(_day(day) or DAY)
    dataset = Dataset.open(folder, pulled=_day(pulled))
    if currency is None or dataset.converted_to in (None, currency):
        return dataset
    raise ConfigurationError(
        f"The amounts of {dataset.description.name!r} were converted to {dataset.converted_to} by "
        f"the service that gave them, and the day of its rates is not known: they cannot be shown "
        f"in {currency}. Connect with {dataset.converted_to}, or pull in {currency} to another "
        "folder.",
        settings=(f"{PREFIX}CURRENCY",),
    )


def _day(day: dt.date | str | None) -> dt.date | None:
    try:
        return dt.date.fromisoformat(day) if isinstance(day, str) else day
    except ValueError as error:
        raise ConfigurationError(f"{day!r} is not a day. Write it as 2026-03-31.") from error
