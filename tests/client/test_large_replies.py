"""A reply that is too large, packed or not, ends in time and in a named error."""

import gzip

import pytest

from tests.client.raw import playing
from tests.client.stand_in import Answer, Connect, StandIn
from ventureframe.client.retry import Retries
from ventureframe.errors import ServiceUnreachable, UnreadableReply


def test_a_reply_beyond_every_size_is_named_at_once(
    stand_in: StandIn, connect: Connect
) -> None:
    packed = gzip.compress(b"{" + b" " * 5_000_000 + b"}")
    for body, headers in (
        (b"{" + b" " * 5000 + b"}", {}),
        (packed, {"Content-Encoding": "gzip"}),
    ):
        stand_in.data = lambda _, b=body, h=headers: Answer(b, headers=h)  # type: ignore[misc]
        stand_in.asked.clear()
        with pytest.raises(UnreadableReply, match="a reply that is too large"):
            connect(largest_reply=4000).get("/data/companies")
        assert len(stand_in.data_asked) == 1


def test_unpacking_a_reply_keeps_the_deadline(connect: Connect) -> None:
    packed = gzip.compress(b" " * 1_000_000, 1) * 500
    head = (
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length:"
        f" {len(packed)}\r\n\r\n"
    )
    with playing(lambda _: iter([head.encode() + packed])) as raw:
        session = connect(
            base_url=raw.address,
            timeout=0.1,
            retries=Retries(attempts=1),
            largest_reply=1_000_000_000,
        )
        with pytest.raises(ServiceUnreachable, match="did not answer in time"):
            session.get("/data/companies")
