"""Replies that a pull keeps are not requested again; a folder is of one question."""

from pathlib import Path

import pytest

from tests.client.stand_in import StandIn, collection, company, keeping
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, SaveError, UnsupportedValue

OLD = b"3f" * 32 + b'\n{"name": "x", "bytes": 9, "reply": {}}\npacked'


@pytest.mark.parametrize("content", [b"", b"{", b'{"path": 5}\n{}', b"[]\n{}", OLD])
def test_a_kept_reply_that_cannot_be_read_is_said_and_requested_again(
    stand_in: StandIn, service: Service, tmp_path: Path, content: bytes
) -> None:
    stand_in.data = collection([company(number) for number in range(3)])
    query = keeping(service.companies, tmp_path)
    fetched = query.fetch()
    (kept,) = tmp_path.glob("*.reply")
    kept.write_bytes(content)
    stand_in.asked.clear()
    with pytest.warns(EvidenceWarning, match="cannot be read: it is requested again"):
        again = query.fetch()
    assert again.to_polars().equals(fetched.to_polars())
    assert len(stand_in.data_asked) == 1


@pytest.mark.parametrize(
    "text", ["[]", "[" * 100_000, '{"started": 5}', '{"started": "x"}']
)
def test_an_odd_question_is_refused(
    service: Service, tmp_path: Path, text: str
) -> None:
    (tmp_path / "question.json").write_text(text)
    with pytest.raises(UnsupportedValue, match=r"question\.json that cannot be read"):
        keeping(service.companies, tmp_path)


def test_a_folder_that_cannot_be_written_is_one_sentence(
    stand_in: StandIn, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SaveError, match="cannot be written: "):
        keeping(service.companies, tmp_path / "file" / "replies")
    assert stand_in.asked == []
