"""A folder that a program writes: whole files, a sealed manifest, values as JSON,
one lock.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from cattrs.gen import make_dict_structure_fn
from cattrs.preconf.json import make_converter

from ventureframe.errors import SaveError, UnsupportedValue
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import RESOURCES, Resource
from ventureframe.interface.gaps import Doubt, Gap

MANIFEST: Final = "manifest.json"
_PART: Final = ".part"  # how the name of a file ends while it is being written
LOCK: Final = ".lock"  # the file that a process holds while it writes into a folder
_ELSEWHERE: Final = "Choose an empty folder, or a new one"
_T = TypeVar("_T")

_CONVERTER: Final = make_converter(detailed_validation=False, forbid_extra_keys=True)
_CONVERTER.register_unstructure_hook(Resource, lambda resource: resource.name)
_CONVERTER.register_structure_hook(Resource, lambda name, _: RESOURCES[name])
# saves of the version before also say whether the walk was repeated on request
_certificate = make_dict_structure_fn(
    Certificate, _CONVERTER, _cattrs_forbid_extra_keys=False
)
_CONVERTER.register_structure_hook(Certificate, _certificate)


def _read_recorded(kind: type[Gap] | type[Doubt]) -> None:
    """Read a gap or a doubt; the version before wrote each as a sentence."""
    read = make_dict_structure_fn(kind, _CONVERTER, _cattrs_forbid_extra_keys=True)

    def read_either(plain: Any, _: type) -> Gap | Doubt:
        if isinstance(plain, str):
            return kind("recorded", text=plain)
        return read(plain, kind)

    _CONVERTER.register_structure_hook(kind, read_either)


_read_recorded(Gap)
_read_recorded(Doubt)


def to_plain(value: object) -> Any:
    """Return the value as JSON types: a dataclass by its fields, a day as ISO 8601."""
    return _CONVERTER.unstructure(value)


def from_plain(plain: object, kind: type[_T]) -> _T:
    """Return the value of this type that `to_plain` converted; `ValueError` where it
    is not one.
    """
    try:
        return _CONVERTER.structure(plain, kind)
    except Exception as error:  # whatever a wrong value meets on its way through cattrs
        raise ValueError(str(error)) from error


def ending(path: str | Path, *kinds: str, what: str) -> str:
    """Return the ending of a path: `.csv`, or "" for a folder, even for `runs/2013.06`.

    Raises `UnsupportedValue` with the supported endings where it is none of `kinds`.
    """
    kind = Path(path).suffix.lower()
    kind = kind if kind[1:2].isalpha() else ""
    if kind in kinds:
        return kind
    *others, last = (kind or "a folder" for kind in kinds)
    reason = (
        f"{what} is saved as {' or '.join(filter(None, (', '.join(others), last)))}"
    )
    raise UnsupportedValue(Path(path).name, field="path", reason=reason)


def write_whole(path: Path, content: bytes | str, *, durable: bool = False) -> None:
    """Write a file so that it holds all of the content, or what it held before.

    Text is written as UTF-8. `durable` content is on the disk before the file has
    its name. Raises `OSError` where the folder cannot be written to.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}{_PART}")
    try:
        with draft.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_json(path: Path, content: object, *, durable: bool = False) -> None:
    """Write the content as a JSON file, as `write_whole` does; NaN is refused."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(path, text, durable=durable)


def read_json(path: Path) -> Any:
    """Read a JSON file; raises `FileNotFoundError`, and `ValueError` where it cannot
    be read.
    """
    try:
        content = json.loads(
            b"" if path.exists() and not path.is_file() else path.read_bytes()
        )
        json.dumps(content, allow_nan=False, ensure_ascii=False).encode()
    except (FileNotFoundError, NotADirectoryError):
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"cannot be read as JSON ({type(error).__name__})") from error
    return content


@dataclass(frozen=True, slots=True)
class Sealed:
    """The manifests of one format, in this version of it, each with a hash of its
    content.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Sealed("pets", 1).write(Path(folder), {"cats": 2})
    ...     Sealed("pets", 1).read(Path(folder))
    {'cats': 2}
    """

    format: str
    version: int

    def write(self, folder: Path, content: Mapping[str, Any]) -> None:
        """Write the manifest durably."""
        sealed = self.seal({"format": self.format, "version": self.version, **content})
        write_json(folder / MANIFEST, sealed, durable=True)

    def read(self, folder: Path) -> dict[str, Any]:
        """Return the content without format, version and seal; `ValueError` says
        what is wrong.
        """
        content = read_json(folder / MANIFEST)
        if not isinstance(content, dict) or content.get("format") != self.format:
            raise ValueError("is another program's")
        if (version := content.get("version")) != self.version:
            own = f"and this ventureframe reads version {self.version}"
            raise ValueError(f"is in version {version!r:.20} of the format, {own}")
        if self.seal(content) != content:
            raise ValueError("was changed after it was written")
        return {
            k: v for k, v in content.items() if k not in ("format", "version", "seal")
        }

    def is_in(self, folder: Path) -> bool:
        """Whether the folder has a manifest of this format, or one that cannot be
        read.
        """
        try:
            content = read_json(folder / MANIFEST)
        except (OSError, ValueError) as error:
            return isinstance(error, ValueError)
        return isinstance(content, dict) and content.get("format") == self.format

    def refuse_other(self, folder: Path, *, leftovers: re.Pattern[str]) -> None:
        """Raise `ValueError` unless the folder is new, empty, or of this format.

        Call it before anything is written. `leftovers` are the names of what a
        process that was killed leaves there before its first manifest.
        """
        try:
            self.read(folder)
        except ValueError as error:
            raise ValueError(f"has a {MANIFEST} that {error}. {_ELSEWHERE}") from error
        except OSError:
            for name in sorted(os.listdir(folder)) if folder.is_dir() else ():
                if (
                    name != LOCK
                    and not name.endswith(_PART)
                    and not leftovers.fullmatch(name)
                ):
                    raise ValueError(
                        f"holds other files ({name}). {_ELSEWHERE}"
                    ) from None

    @staticmethod
    def seal(content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the content with its seal."""
        rest = {name: value for name, value in content.items() if name != "seal"}
        text = json.dumps(rest, sort_keys=True, ensure_ascii=True, allow_nan=False)
        return {**rest, "seal": hashlib.sha256(text.encode()).hexdigest()}


def inside(folder: Path, name: object, layout: re.Pattern[str]) -> Path:
    """Return the path of a file in the folder; `ValueError` for other names and
    links out of it.
    """
    if isinstance(name, str) and layout.fullmatch(name):
        path = folder / name
        if path.resolve().is_relative_to(folder.resolve()):
            return path
    raise ValueError(f"{name!r:.200}")


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder exclusively while the block writes into it, creating it if
    needed.

    Raises `SaveError` at once where another process or thread holds it (the lock of
    a process that was killed is free), and where the folder, or a file of the block,
    cannot be written.
    """
    try:
        with _held(folder):
            yield
    except BlockingIOError as error:
        reason = (
            "is being written by another process. Wait for its end, or choose another"
            " folder"
        )
        raise SaveError(reason, folder=str(folder)) from error
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise SaveError(reason, folder=str(folder)) from error


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    path = folder / LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except ValueError as error:  # a character that no path has
        raise OSError(errno.EINVAL, str(error)) from error
    held = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        _lock(held)
        if not (path.exists() and os.path.samestat(os.fstat(held), path.stat())):
            raise BlockingIOError("whoever held it has removed it just now")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                path.unlink()
    finally:
        os.close(held)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(str(error)) from error

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
