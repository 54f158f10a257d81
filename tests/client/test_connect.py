"""The environment decides which service is asked, and a half-set one is refused."""

import gc
import itertools
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.client.stand_in import (
    SECRET,
    Answer,
    StandIn,
    Time,
    collection,
    company,
    live,
)
from ventureframe.client.session import Session
from ventureframe.connect import connect, spoken
from ventureframe.errors import (
    ConfigurationError,
    RateLimited,
    ServiceFailed,
)


def test_five_settings_name_a_live_service(stand_in: StandIn) -> None:
    stand_in.data = collection([company(1)])
    extra = {"VENTUREFRAME_AUDIENCE": "https://api", "VENTUREFRAME_CURRENCY": "GBP"}
    with connect(environment={**live(stand_in), **extra}) as service:
        assert service.connection.currency == "GBP"
        assert len(service.companies.fetch()) == 1
    assert b'"audience": "https://api"' in stand_in.asked[0].body
    assert not service.source.is_embedded


def test_a_half_set_live_service_is_refused_with_what_is_missing(
    stand_in: StandIn,
) -> None:
    for name in live(stand_in):
        with pytest.raises(
            ConfigurationError, match=f"A live service needs {name} as w"
        ) as caught:
            connect(environment={**live(stand_in), name: " "})
        assert caught.value.settings == (name,)
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("argument", "setting", "kept"), [(3.0, "", 3.0), (None, "3", 3.0), (3.0, "7", 3.0)]
)
def test_rate_and_timeout_of_the_caller_or_of_the_environment_are_kept(
    stand_in: StandIn, argument: float | None, setting: str, kept: float
) -> None:
    given = {"VENTUREFRAME_RATE": setting, "VENTUREFRAME_TIMEOUT": setting}
    settings = {**live(stand_in), **given}
    options: Any = {"rate": argument, "timeout": argument, "wire": "2026-10-02"}
    with connect(environment=settings, **options) as service:
        session = service.connection.session
        assert (session.pace.rate, session._seconds) == (kept, kept)


@pytest.mark.parametrize(
    ("argument", "environment"),
    [("2026-10-02", {}), ("interface", {}), (None, {"VENTUREFRAME_WIRE": "interface"})],
)
def test_a_wire_is_chosen_for_a_live_service_only(
    argument: str | None, environment: dict[str, str]
) -> None:
    with pytest.raises(
        ConfigurationError, match="can only be chosen for a live service"
    ):
        connect(environment=environment, wire=argument)


@pytest.mark.parametrize("environment", ["prod", ["VENTUREFRAME_DATA"], 5])
def test_an_environment_without_names_is_refused_and_not_quoted(
    environment: Any,
) -> None:
    refusal = r"^environment= takes variables with their values, such as os.environ\.$"
    with pytest.raises(ConfigurationError, match=refusal):
        connect(environment=environment)


@pytest.mark.parametrize("currency", ["JPY", "usd"])
def test_a_currency_without_a_rate_is_refused(stand_in: StandIn, currency: str) -> None:
    settings = {**live(stand_in), "VENTUREFRAME_CURRENCY": currency}
    with pytest.raises(ConfigurationError, match="to one of USD, EUR, GBP"):
        connect(environment=settings)


def test_without_settings_the_embedded_sample_answers_and_says_it_is_synthetic() -> (
    None
):
    with connect(environment={}, currency="EUR") as service:
        assert service.source.is_embedded
        assert service.source.synthetic
        assert repr(service).startswith('embedded service · SYNTHETIC "')
        assert service.connection.currency == "EUR"
        assert "SYNTHETIC" in repr(service.companies.fetch())


def test_a_folder_is_served_whatever_else_is_set(
    stand_in: StandIn, real_data: Path
) -> None:
    settings = {**live(stand_in), "VENTUREFRAME_DATA": str(real_data / "venture-2013")}
    with connect(environment=settings) as service:
        assert repr(service) == 'embedded service · "venture-2013" · as of 2013-06-17'
    assert stand_in.asked == []


@pytest.mark.parametrize(
    ("host", "is_open"), [("127.0.0.1", False), ("data.example", True)]
)
def test_plain_http_to_another_machine_is_warned_of(
    stand_in: StandIn, host: str, is_open: bool
) -> None:
    settings = {
        **live(stand_in),
        "VENTUREFRAME_BASE_URL": f"http://{host}:9/v1",
        "VENTUREFRAME_AUTH_URL": f"http://{host}:9/token",
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        connect(environment=settings, wire="interface").close()
    said = [str(each.message) for each in caught]
    assert (
        said
        == ["The base address is plain http: others on the network can read the token."]
        * is_open
    )


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("refused", ["data", "token"])
def test_refusals_that_ask_for_less_than_the_bound_end_within_it(
    stand_in: StandIn,
    request: pytest.FixtureRequest,
    time: Time,
    refused: str,
    status: int,
) -> None:
    """When connecting the filters and the first company are asked for, in one bound
    of time.
    """
    for wait, send in itertools.product((30, 50, 59, 60), (spoken, asking)):
        refusal = Answer({}, status, headers={"Retry-After": str(wait)})
        setattr(stand_in, refused, lambda _, refusal=refusal: refusal)
        time.seconds = 0.0
        with pytest.raises((RateLimited, ServiceFailed)):
            send(request.getfixturevalue("connect")())
        assert 59 <= time.seconds <= 120


def test_a_token_that_is_renewed_late_is_asked_for_within_the_bound_of_its_request(
    stand_in: StandIn, request: pytest.FixtureRequest, time: Time
) -> None:
    refusal = Answer({}, 503, headers={"Retry-After": "59"})
    stand_in.data = lambda _: Answer({}, 401) if time.seconds else refusal
    stand_in.token = lambda _: refusal if time.seconds else stand_in.fresh()
    with pytest.raises(ServiceFailed, match="POST /oauth/token"):
        asking(request.getfixturevalue("connect")())
    assert 59 <= time.seconds <= 120


def asking(session: Session) -> None:
    session.get("/data/companies")


def test_a_service_that_nobody_holds_ends_and_no_thread_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The collector of garbage runs in any thread, also in one of this service."""
    waited, before = list[threading.Thread](), {*threading.enumerate()}
    service = connect(environment={})
    (serving,) = {*threading.enumerate()} - before

    def join(thread: threading.Thread) -> None:
        waited.append(thread)

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "join", join)
        del service
        gc.collect()
    assert not waited
    serving.join(60)
    assert not serving.is_alive()
