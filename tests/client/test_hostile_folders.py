"""A folder of kept replies that was damaged is requested again, or refused."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.client.stand_in import StandIn, collection, company, keeping
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, UnsupportedValue


@pytest.mark.parametrize(
    "at",
    [
        0,
        70,
        200,
        -3,
        *({"bytes": odd} for odd in (-1, 2**62, 2**80, 1e999)),
        {"reply": 5},
    ],
)
def test_a_kept_reply_that_was_changed_is_said_and_requested_again(
    stand_in: StandIn, service: Service, tmp_path: Path, at: int | dict[str, Any]
) -> None:
    stand_in.data = collection([company(number) for number in range(3)])
    fetched = keeping(service.companies, tmp_path).fetch()
    (kept,) = tmp_path.glob("*.reply")
    content = bytearray(kept.read_bytes())
    if isinstance(at, int):
        content[at] ^= 1
    else:
        _, head, packed = bytes(content).split(b"\n", 2)
        changed = json.dumps(json.loads(head) | at).encode() + b"\n" + packed
        content = bytearray(
            hashlib.sha256(changed).hexdigest().encode() + b"\n" + changed
        )
    kept.write_bytes(content)
    stand_in.asked.clear()
    with pytest.warns(
        EvidenceWarning, match="is not what was written: it is requested again"
    ):
        again = keeping(service.companies, tmp_path).fetch()
    assert again.to_polars().equals(fetched.to_polars())
    assert len(stand_in.data_asked) == 1


def test_a_kept_reply_of_another_question_is_not_an_answer_to_this_one(
    stand_in: StandIn, service: Service, tmp_path: Path
) -> None:
    stand_in.data = collection([company(number) for number in range(700)])
    fetched = keeping(service.companies, tmp_path).fetch()
    first, second = sorted(tmp_path.glob("*.reply"))
    first.write_bytes(second.read_bytes())
    with pytest.warns(EvidenceWarning, match="is requested again"):
        again = keeping(service.companies, tmp_path).fetch()
    assert again.to_polars().equals(fetched.to_polars())


@pytest.mark.parametrize(
    "text", ["[]", "[" * 100_000, '{"started": 5}', '{"started": "x"}']
)
def test_an_odd_question_is_refused(
    service: Service, tmp_path: Path, text: str
) -> None:
    (tmp_path / "question.json").write_text(text)
    with pytest.raises(UnsupportedValue, match=r"question\.json that cannot be read"):
        keeping(service.companies, tmp_path).fetch()
