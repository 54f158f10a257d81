"""Frames of small worlds as text: what each shows, its name, its columns, a line per
row.
"""

from collections.abc import Mapping
from pathlib import Path

from ventureframe.evidence import Study

_FOLDER = Path(__file__).parent


def cases(file: str) -> Mapping[str, str]:
    """By what is seen in it the text of a frame: after a line `# what is seen`, in a
    file here.
    """
    blocks = _FOLDER.joinpath(file).read_text("utf-8").split("# ")[1:]
    return {
        what: text.strip()
        for what, _, text in (block.partition("\n") for block in blocks)
    }


def shown(study: Study, text: str) -> str:
    """The frame and the columns that the text names, as the study has them."""
    name, columns, *_ = text.splitlines()
    frame = (
        study.frames[name] if name in study.frames else getattr(study, name).to_polars()
    )
    frame = frame.select(columns.split("|"))
    return f"{name}\n{frame.write_csv(separator='|', null_value='–')}".strip()
