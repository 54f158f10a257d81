"""Whatever JSON a service writes in whatever place, the client reads it or names
what is wrong.
"""

import contextlib
import functools
import itertools
import json
import warnings
from collections.abc import Callable

import pytest

from tests.client.stand_in import Answer, Connect, StandIn, company
from ventureframe.client.retry import Retries
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.errors import UnsupportedValue, VentureframeError

ODD = (
    *("null", "true", "0", "-1", "1.5", "1e400", "9" * 5000, "NaN", "Infinity"),
    *('""', '"x"', '"\\ud800"', '"\\u0000"', '"\\u001b[31m\\u202e\\n"'),
    *(f'"{"x" * 100_000}"', f'"{"9" * 5000}"', "[]", "{}", "[null]", '["\\ud800"]'),
    *('{"\\ud800": 1}', '{"a": 1, "a": 2}'),
    *("[" * n + "]" * n for n in (50, 970, 990, 100_000)),
    *('{"a":' * n + "1" + "}" * n for n in (300, 990, 100_000)),
)
"""Values as JSON text: of every type, too long, too deep, half a character, no JSON
at all.
"""

ROW = json.dumps(company(1))
ONE_OF_A_TYPE = (
    *("uuid", "name", "launch_date", "total_funding", "is_startup", "tags"),
    "founders",
)
DATA = (
    "%s",
    '{"data": %s}',
    '{"data": [%s]}',
    '{"data": [], "page": %s}',
    f'{{"data": [{ROW}], "page": {{"next_cursor": %s}}}}',
    f'{{"data": [{ROW}], "page": {{"total": %s, "limit": %s, "offset": %s}}}}',
    f'{{"data": [{ROW}], "currency": %s, "error": %s}}',
    *(
        f'{{"data": [{json.dumps(company(1, **{name: "%s"}))}], "page": {{"total":'
        " 1}}"
        for name in ONE_OF_A_TYPE
    ),
)
ERRORS = (
    "%s",
    '{"error": %s}',
    '{"error": {"code": %s}}',
    '{"error": {"code": "X", "message": %s}}',
    '{"error": {"code": "X", "details": %s}}',
    (
        '{"error": {"code": "UNKNOWN_FILTER", "details": {"filter": %s, "replaced_by":'
        " %s}}}"
    ),
)
TOKENS = (
    "%s",
    '{"access_token": %s}',
    '{"access_token": "a", "token_type": %s}',
    '{"access_token": "a", "expires_in": %s}',
    '{"error": %s, "error_description": %s}',
)


def filled(shape: str, value: str) -> bytes:
    return shape.replace('"%s"', "%s").replace("%s", value).encode()


def assert_named(act: Callable[[], object]) -> None:
    """It succeeds, or with an error of ours, that a terminal can print and somebody
    can read.
    """
    said = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            act()
    except VentureframeError as error:
        said = str(error)
    assert all(line.isprintable() for line in said.split("\n"))


@pytest.fixture
def session(connect: Connect) -> Session:
    return connect(retries=Retries(attempts=1))


def test_an_odd_value_in_a_list_is_read_or_named(
    stand_in: StandIn, session: Session
) -> None:
    service = Service(session)
    for shape, value in itertools.product(DATA, ODD):
        body = filled(shape, value)
        stand_in.data = lambda _, body=body: Answer(body)  # type: ignore[misc]
        assert_named(service.companies.fetch)
        assert_named(lambda: service.university("A", domain="b.example"))


def test_an_odd_value_in_an_error_is_quoted_in_part_or_not_at_all(
    stand_in: StandIn, session: Session
) -> None:
    for shape, value in itertools.product(ERRORS, ODD):
        for status in (400, 429, 500):
            body = filled(shape, value)
            stand_in.data = lambda _, body=body, status=status: Answer(body, status)  # type: ignore[misc]
            with pytest.raises(VentureframeError) as caught:
                session.get("/data/companies")
            assert str(caught.value).isprintable()
            assert len(str(caught.value)) < 2000


def test_an_odd_value_in_a_token_reply_is_read_or_named(
    stand_in: StandIn, connect: Connect
) -> None:
    for shape, value in itertools.product(TOKENS, ODD):
        for status in (200, 400, 401):
            body = filled(shape, value)
            stand_in.token = lambda _, body=body, status=status: Answer(body, status)
            with contextlib.closing(connect(retries=Retries(attempts=1))) as session:
                assert_named(functools.partial(session.get, "/data/companies"))


def test_half_a_character_in_a_question_is_refused(session: Session) -> None:
    for parameters in ({"filter": "name[eq]:\ud800"}, {"\ud800": "x"}):
        with pytest.raises(
            UnsupportedValue, match="it contains an incomplete character"
        ):
            session.get("/data/companies", parameters)
    with pytest.raises(UnsupportedValue, match="an incomplete character"):
        session.get("/data/\udfff")
