"""Reads the environment and connects: to the live service, or to the embedded one."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ventureframe import errors
from ventureframe.errors import ConfigurationError
from ventureframe.interface.wire.generations import WIRE_2026_10_02, WIRES, named
from ventureframe.interface.wire.profile import INTERFACE, Profile

if TYPE_CHECKING:
    from ventureframe.client.budget import Budget
    from ventureframe.client.service import Service
    from ventureframe.client.session import Session
    from ventureframe_service.dataset import Dataset

PREFIX = "VENTUREFRAME_"
LIVE = ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "USER_AGENT")
FILE = ".env"
_TOGETHER = frozenset(PREFIX + name for name in (*LIVE[:-1], "AUDIENCE", "DATA"))


class Settings(dict[str, str]):
    """Settings by name; the repr leaves out the values, because one of them is the
    secret.
    """

    def __repr__(self) -> str:
        return f"<settings {', '.join(sorted(self))}>"


def completed(environment: Mapping[str, str]) -> tuple[Settings, bool]:
    """Return the environment, completed by the `.env` of the current folder, and
    whether that was used.

    For a notebook that is the notebook's folder. The environment wins. Address,
    credentials and dataset all come from one of the two, and no variable within a value
    is filled in: so a `.env` that somebody sent cannot draw a secret of the environment
    to its address. Raises `ConfigurationError` where the file cannot be read.

    >>> completed({"VENTUREFRAME_CURRENCY": "EUR"})
    (<settings VENTUREFRAME_CURRENCY>, False)
    """
    settings = Settings(environment)
    del environment  # a traceback with variables would show the secret
    path = Path(FILE)
    if not path.is_file():
        return settings, False
    with errors.of_lab(f"Reading {FILE}"):
        from dotenv import dotenv_values  # noqa: PLC0415  # only where there is a file

    left_out = set(settings)
    if _TOGETHER & left_out:
        left_out |= _TOGETHER
    try:
        used = Settings(
            (name, value)
            for name, value in dotenv_values(path, interpolate=False).items()
            if name.startswith(PREFIX) and value and name not in left_out
        )
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"{FILE} beside the notebook cannot be read."
        ) from error
    return Settings({**used, **settings}), bool(used)


def connect(
    *,
    data: str | Path | None = None,
    currency: str | None = None,
    wire: str | Profile | None = None,
    timeout: float | None = None,
    rate: float | None = None,
    environment: Mapping[str, str] | None = None,
    sample_day: dt.date | str | None = None,
) -> Service:
    """Connect to the service that the environment names, else to the embedded one.

    The embedded service has synthetic sample data. A dataset folder, given as `data` or
    in VENTUREFRAME_DATA, is served by the embedded service and takes precedence.
    Otherwise VENTUREFRAME_BASE_URL, _AUTH_URL, _CLIENT_ID, _CLIENT_SECRET and
    _USER_AGENT name a live service, with _AUDIENCE if the service needs one. _CURRENCY
    is the default for amounts: where it is not set USD, or the currency that the
    amounts of a folder can be shown in. Variables that the environment does not set are
    read from a `.env` in the current folder (for a notebook its own folder), and the
    repr then says so; see `completed`. `sample_day` of 2026-03-31 gives the
    sample as it was on that day, to compare two fetches; no other data has earlier
    days. Amounts of a pull are in the currency they were pulled in.

    `wire`, or VENTUREFRAME_WIRE, is the generation of the wire that a live service
    speaks: "interface" or "2026-10-02". If neither is given, one free request finds it
    out. `timeout`, or VENTUREFRAME_TIMEOUT, is the seconds that one attempt of a
    request may take: 60 unless given. `rate`, or VENTUREFRAME_RATE, is the most
    requests a second, if your plan has another rate than usual; the rate that the
    service announces is never exceeded. VENTUREFRAME_AT_MOST is the most requests and
    credits that the live service may take, such as "100 1000" or "inf 1000": what
    needs more ends with a `ConfigurationError`.

    Raises `ConfigurationError` if the settings of a live service are incomplete or a
    wire is chosen without one, or `DatasetError`.

    >>> import ventureframe as vf
    >>> vf.connect(environment={}, currency="EUR")
    embedded service · SYNTHETIC "Harrowmere sample" · as of 2026-06-30
    """
    is_from_file = False
    if environment is None:
        environment, is_from_file = completed(os.environ)
    if not isinstance(environment, Mapping):
        raise ConfigurationError(
            "environment= takes variables with their values, such as os.environ."
        )
    settings = Settings(
        (name.removeprefix(PREFIX), str(value).strip())
        for name, value in environment.items()
        if name.startswith(PREFIX) and str(value or "").strip()
    )
    del environment  # a traceback with variables would show the secret
    currency = currency or settings.get("CURRENCY")
    folder = data or settings.get("DATA")
    is_live = folder is None and any(name in settings for name in LIVE)
    if sample_day is not None and (folder or is_live):
        raise ConfigurationError(
            "Only the sample has earlier days: compare two saves instead."
        )
    dataset = None if is_live else _dataset(folder, sample_day, currency)
    currency = currency or (dataset and dataset.currency) or "USD"
    # HTTP only where it is used
    from ventureframe.client.service import Service  # noqa: PLC0415

    profile = _profile(wire, settings, is_live=is_live)
    if currency not in INTERFACE.currencies:
        codes = ", ".join(INTERFACE.currencies)
        raise ConfigurationError(
            f"Set {PREFIX}CURRENCY to one of {codes}, not {currency!r}."
        )
    close = None
    with contextlib.ExitStack() as opened:  # which is closed where anything fails
        if dataset is not None:
            settings, close = _serve(dataset, settings)
            opened.callback(close)
        session = _session(settings, timeout, rate, is_live=is_live)
        opened.callback(session.close)
        session.speak(profile or spoken(session))
        opened.pop_all()
    if close is not None:
        # queries hold the session; any thread may collect it, also one of the service
        weakref.finalize(session, close, wait=False)
    service = Service(
        session,
        currency=currency,
        is_embedded=not is_live,
        absent=dataset.absent if dataset else (),
        close=close,
    )
    service._settings_file = FILE if is_from_file else None
    service.data = None if folder is None else str(folder)
    if is_live and "AT_MOST" in settings:
        service.connection.budgets = (_budget(settings["AT_MOST"]),)
    return service


def _budget(at_most: str) -> Budget:
    """Read what a session may take: what needs more ends with an error."""
    from ventureframe.client.budget import Budget  # noqa: PLC0415

    try:
        requests, most = map(float, at_most.split())
    except ValueError as error:
        raise ConfigurationError(
            f"Set {PREFIX}AT_MOST to requests and credits, such as '100 inf'."
        ) from error
    return Budget(requests, most, ConfigurationError)


def _profile(
    wire: str | Profile | None, settings: Settings, *, is_live: bool
) -> Profile | None:
    """Return the chosen generation of the wire, None where it is to be found out."""
    if is_live:
        wire = wire or settings.get("WIRE")
        return named(wire) if wire else None
    if wire or ("WIRE" in settings and "BASE_URL" not in settings):
        raise ConfigurationError(
            "A wire can only be chosen for a live service: the embedded one has its"
            f" own. Set {PREFIX}BASE_URL as well, or leave out wire= and {PREFIX}WIRE."
        )
    return INTERFACE


def _session(
    settings: Settings, timeout: float | None, rate: float | None, *, is_live: bool
) -> Session:
    """Return a session with the service that the settings name in full."""
    from ventureframe.client.auth import Credentials, Secret  # noqa: PLC0415
    from ventureframe.client.session import Session  # noqa: PLC0415

    missing = [PREFIX + name for name in LIVE if name not in settings]
    if missing:
        raise ConfigurationError(
            f"A live service needs {', '.join(missing)} as well. Set them, or unset the"
            " others to use the embedded sample.",
            settings=tuple(missing),
        )
    session = Session(
        base_url=settings["BASE_URL"],
        auth_url=settings["AUTH_URL"],
        credentials=Credentials(
            settings["CLIENT_ID"],
            Secret(settings["CLIENT_SECRET"]),
            settings.get("AUDIENCE"),
        ),
        user_agent=settings["USER_AGENT"],
        timeout=settings.get("TIMEOUT", 60.0) if timeout is None else timeout,
        rate=settings.get("RATE") if rate is None else rate,
        trust_environment=is_live,
    )
    at = urlsplit(session.base_url)
    if at.scheme == "http" and at.hostname not in ("localhost", "127.0.0.1", "::1"):
        errors.warn(
            "The base address is plain http: others on the network can read the token."
        )
    return session


def _serve(
    dataset: Dataset, settings: Settings
) -> tuple[Settings, Callable[..., None]]:
    """Start an embedded service; return settings that reach it, and what ends it."""
    from ventureframe_service import run  # noqa: PLC0415  # not where it is live

    running = run.start(dataset)
    settings = Settings(settings, USER_AGENT="ventureframe (embedded service)")
    for name in LIVE[:-1]:
        settings[name] = getattr(running, name.lower())
    settings.pop("AUDIENCE", None)
    return settings, running.close


def spoken(session: Session) -> Profile:
    """Return the generation of the wire that the service speaks, found out at no cost.

    The name of its filter by tags tells; of several generations with that name it is
    the version that the service names, else the newest. Without such a filter the first
    company tells; else it is the interface. Raises as `Session.get` does where the key
    is refused or the service cannot be reached.
    """
    from ventureframe.client.connection import filter_keys  # noqa: PLC0415

    began = session.clock()
    keys = frozenset[str]()
    with contextlib.suppress(
        errors.RequestRejected, errors.ServiceFailed, errors.UnreadableReply
    ):
        keys = filter_keys(session, began=began)
    wires = [wire for wire in WIRES.values() if wire.tag_key in keys]
    wires.sort(key=lambda wire: wire.name == session.version)  # the others as they are
    if wires:
        return wires[-1]
    reply = session.get(INTERFACE.paths["companies"], {"limit": "1"}, began=began)
    for row in reply.rows():
        if {"taxonomy", "classifications"} & row.keys():
            return WIRE_2026_10_02
    return INTERFACE


def _dataset(
    folder: str | Path | None, day: dt.date | str | None, currency: str | None
) -> Dataset:
    """Return the dataset in the folder, or the sample of that day where none is named.

    A pull with amounts in another currency is refused.
    """
    from ventureframe_service.dataset import DAY, Dataset, sample  # noqa: PLC0415

    if folder is None:
        try:
            return sample(dt.date.fromisoformat(str(day or DAY)))
        except ValueError as error:
            raise ConfigurationError(
                f"{day!r} is not a day. Write it as 2026-03-31."
            ) from error
    dataset = Dataset.open(folder)
    if currency is None or dataset.converted_to in (None, currency):
        return dataset
    raise ConfigurationError(
        f"The amounts of {dataset.description.name!r} were converted to"
        f" {dataset.converted_to} by the service that gave them, and the day of its"
        f" rates is not known: they cannot be shown in {currency}. Connect with"
        f" {dataset.converted_to}, or pull in {currency} to another folder."
    )
