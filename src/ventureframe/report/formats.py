"""The files that a report is written as: a page, a PDF, a workbook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal, get_args

from ventureframe.errors import ReportError
from ventureframe.interface.files import write_whole

Format = Literal["html", "pdf", "xlsx"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


def formats(asked: str | None, out: Path | None) -> list[Format]:
    """The formats that are asked for with commas between them, else the one that `out` ends with.

    Raises `ReportError` for any other. HTML is the format where nothing says which.

    >>> formats("html, pdf", None), formats(None, Path("a.xlsx")), formats(None, Path("a"))
    (['html', 'pdf'], ['xlsx'], ['html'])
    """
    own = "" if out is None else out.suffix.removeprefix(".").lower()
    names = (asked or (own if own in FORMATS else "html")).lower().split(",")
    found = [each for name in names for each in FORMATS if each == name.strip()]
    if len(found) != len(names):
        raise ReportError(f"a report is written as {', '.join(FORMATS)}, not as {asked!r}")
    return list(dict.fromkeys(found))


def beside(out: Path, kind: Format) -> Path:
    """The file of a format: `out` with its ending, or with that of a format replaced by it.

    >>> [str(beside(Path(name), "pdf")) for name in ("a.html", "a.b", "a.pdf")]
    ['a.pdf', 'a.b.pdf', 'a.pdf']
    """
    stem = out.with_suffix("") if out.suffix.removeprefix(".").lower() in FORMATS else out
    return stem.with_name(f"{stem.name}.{kind}")


def checked(target: Path) -> Path:
    """The file, once its folder is there and has taken a draft of it; raises `ReportError`."""
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")  # said as any other
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target.with_name(f".{target.name}"), b"")
        target.with_name(f".{target.name}").unlink()
    except OSError as error:
        raise ReportError(f"{str(target)!r} cannot be written: {error.strerror}") from error
    return target


def write(targets: Sequence[Path], make: Callable[[Path], bytes]) -> None:
    """Each target with what `make` gives for it; none is written before all are made."""
    for target, content in [(target, make(target)) for target in targets]:
        try:
            write_whole(target, content)
        except OSError as error:
            raise ReportError(f"{str(target)!r} cannot be written: {error.strerror}") from error
