"""Reads the environment and connects: to the live service, or to the embedded one."""

from __future__ import annotations

import datetime as dt
import os
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ventureframe.dotenv import FILE, Settings, completed
from ventureframe.errors import ConfigurationError, UnsupportedValue
from ventureframe.interface.secret import Secret
from ventureframe.interface.wire.generations import named
from ventureframe.interface.wire.profile import INTERFACE, Profile

if TYPE_CHECKING:
    from ventureframe.client.service import Service
    from ventureframe_service.dataset import Dataset

PREFIX: Final = "VENTUREFRAME_"
LIVE: Final = ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "USER_AGENT")
EMBEDDED_USER_AGENT: Final = "ventureframe (embedded service)"


def connect(
    *,
    data: str | Path | None = None,
    currency: str | None = None,
    wire: str | Profile | None = None,
    timeout: float | None = None,
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
    `ventureframe.dotenv`. `sample_day` of 2026-03-31 gives the sample as it was on that
    day, to compare two fetches; no other data has earlier days. Of a folder of pulls,
    `pulled` chooses the day, the latest of each table where it is not given; the default for
    amounts is the currency they were pulled in, and no other is shown.

    `wire`, or VENTUREFRAME_WIRE, is the generation of the wire to speak: "interface" or
    "2026-10-02". Of a live service one request that costs nothing finds it out where neither is
    given. `timeout`, or VENTUREFRAME_TIMEOUT, is the seconds that one attempt of a request may take
    as a whole, from connecting to the last byte: 60 unless given.

    Raises `ConfigurationError` where the live settings are incomplete and `DatasetError` where
    the folder breaks its format.

    >>> import ventureframe as vf
    >>> vf.connect(environment={}, currency="EUR")
    embedded service · SYNTHETIC "Harrowmere sample" · as of 2026-06-30
    """
    is_from_file = False
    if environment is None:
        environment, is_from_file = completed(os.environ)
    settings = _settings(environment)
    del environment  # a traceback with variables would show the secret
    chosen = currency or settings.get("CURRENCY")
    money = chosen or "USD"
    how: dict[str, Any] = {"wire": wire or settings.get("WIRE")}
    if timeout is not None or "TIMEOUT" in settings:
        how["timeout"] = settings["TIMEOUT"] if timeout is None else timeout
    folder = data or settings.get("DATA")
    is_live = folder is None and any(name in settings for name in LIVE)
    if sample_day is not None and (folder or is_live):
        raise ConfigurationError("Only the sample has earlier days: compare two saves instead.")
    try:
        if is_live:
            service = _live(settings, currency=money, **how)
        else:
            dataset = _dataset(folder, sample_day, pulled)
            money = chosen or dataset.converted_to or "USD"
            _refuse_other_currency(dataset, money)
            service = _embedded(dataset, currency=money, **how)
    except UnsupportedValue as error:
        raise ConfigurationError(
            f"The currency {money!r} is not one the service converts to. "
            f"Set {PREFIX}CURRENCY to one of {', '.join(INTERFACE.currencies)}.",
            settings=(f"{PREFIX}CURRENCY",),
        ) from error
    service._settings_file = FILE if is_from_file else None
    service.data = None if folder is None else str(folder)
    return service


def _settings(environment: Mapping[str, str]) -> Settings:
    """The settings with a value, without their prefix."""
    return Settings(
        (name.removeprefix(PREFIX), value.strip())
        for name, value in environment.items()
        if name.startswith(PREFIX) and value.strip()
    )


def _live(settings: Mapping[str, str], *, currency: str, **how: Any) -> Service:
    missing = [PREFIX + name for name in LIVE if name not in settings]
    if missing:
        raise ConfigurationError(
            f"A live service needs {', '.join(missing)} as well. "
            "Set them, or unset the others to use the embedded sample.",
            settings=tuple(missing),
        )
    return _joined(
        (settings["CLIENT_ID"], Secret(settings["CLIENT_SECRET"]), settings.get("AUDIENCE")),
        currency=currency,
        close=None,
        base_url=settings["BASE_URL"],
        auth_url=settings["AUTH_URL"],
        user_agent=settings["USER_AGENT"],
        **how,
    )


def _embedded(
    dataset: Dataset, *, currency: str, wire: str | Profile | None, **how: Any
) -> Service:
    from ventureframe_service import run  # noqa: PLC0415  # a live service needs nothing of it
    from ventureframe_service.settings import Settings  # noqa: PLC0415

    profile = named(wire or INTERFACE.name)
    running = run.start(dataset, Settings(profile=profile))
    service = _joined(
        (running.client_id, Secret(running.client_secret), None),
        currency=currency,
        close=running.close,
        base_url=running.base_url,
        auth_url=running.auth_url,
        user_agent=EMBEDDED_USER_AGENT,
        wire=profile,
        trust_environment=False,
        **how,
    )
    weakref.finalize(service.connection, running.close)  # which queries hold
    return service


def _joined(
    key: tuple[str, Secret, str | None],
    *,
    currency: str,
    close: Callable[[], None] | None,
    wire: str | Profile | None,
    **settings: Any,
) -> Service:
    """The service behind a session with these settings; embedded where there is a `close`."""
    from ventureframe.client import generation  # noqa: PLC0415  # requests only where it is used
    from ventureframe.client.auth import Credentials  # noqa: PLC0415
    from ventureframe.client.service import Service  # noqa: PLC0415
    from ventureframe.client.session import Session  # noqa: PLC0415

    session = Session(credentials=Credentials(*key), **settings)
    session.profile = generation.found(session) if wire is None else named(wire)
    return Service(session, currency=currency, is_embedded=close is not None, close=close)


def _refuse_other_currency(dataset: Dataset, money: str) -> None:
    """Raises `ConfigurationError` where amounts were pulled in another currency."""
    if dataset.converted_to in (None, money):
        return
    raise ConfigurationError(
        f"The amounts of {dataset.description.name!r} were converted to {dataset.converted_to} by "
        f"the service that gave them, and the day of its rates is not known: they cannot be shown "
        f"in {money}. Connect with {dataset.converted_to}, or pull in {money} to another folder.",
        settings=(f"{PREFIX}CURRENCY",),
    )


def _dataset(
    folder: str | Path | None, day: dt.date | str | None, pulled: dt.date | str | None
) -> Dataset:
    """The dataset in the folder, else the sample, as it was on the day where one is given."""
    from ventureframe_service.dataset import Dataset  # noqa: PLC0415
    from ventureframe_service.sample import DAY, sample  # noqa: PLC0415

    if folder is not None:
        return Dataset.open(folder, pulled=_day(pulled))
    return sample(_day(day) or DAY)


def _day(day: dt.date | str | None) -> dt.date | None:
    try:
        return dt.date.fromisoformat(day) if isinstance(day, str) else day
    except ValueError as error:
        raise ConfigurationError(f"{day!r} is not a day. Write it as 2026-03-31.") from error
