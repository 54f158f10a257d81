"""A folder that a program writes: whole files, a manifest, values as JSON, one lock."""

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from cattrs.gen import make_dict_structure_fn
from cattrs.preconf.json import make_converter

from ventureframe.errors import SaveError, UnsupportedValue
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import RESOURCES, Resource
from ventureframe.interface.gaps import Doubt, Gap

if sys.platform != "win32":
    import fcntl

MANIFEST = "manifest.json"
_VERSIONS = (1, 2)  # of manifests that are read; the last one is written
_T = TypeVar("_T")

_CONVERTER = make_converter(detailed_validation=False, forbid_extra_keys=True)
_CONVERTER.register_unstructure_hook(Resource, lambda resource: resource.name)
_CONVERTER.register_structure_hook(Resource, lambda name, _: RESOURCES[name])


def _read_or_recorded(read: Callable[..., _T], plain: object, kind: type[_T]) -> _T:
    """Read a gap or a doubt; an earlier version wrote each as a sentence."""
    if isinstance(plain, str):
        return kind("recorded", text=plain)  # type: ignore[call-arg]
    return read(plain, kind)


def ignore_unknown(kind: type) -> None:
    """Ignore members of a value that only earlier versions wrote."""
    read: Callable[..., Any] = make_dict_structure_fn(
        kind, _CONVERTER, _cattrs_forbid_extra_keys=False
    )
    _CONVERTER.register_structure_hook(kind, read)


ignore_unknown(Certificate)
for _kind in (Gap, Doubt):
    _read = partial(_read_or_recorded, make_dict_structure_fn(_kind, _CONVERTER))
    _CONVERTER.register_structure_hook(_kind, _read)


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


def home(path: str | Path) -> Path:
    """Return a path that somebody gave, a leading `~` as the home folder.

    Raises `UnsupportedValue` for what no path can be.

    >>> home("~/data") == Path.home() / "data", home("data")
    (True, PosixPath('data'))
    """
    try:
        if b"\0" in str(path).encode():
            raise ValueError  # noqa: TRY301  # refused as another text is
        # unlike Path.expanduser, it leaves an unknown user's name as it is
        return Path(os.path.expanduser(path))
    except (TypeError, ValueError):
        raise UnsupportedValue(
            path, field="path", reason="give a path as text without null characters"
        ) from None


def ending(path: str | Path, *kinds: str, subject: str) -> str:
    """Return the ending of a path: `.csv`, or "" for a folder, even for `runs/2013.06`.

    Raises `UnsupportedValue` with the supported endings where it is none of `kinds`.
    """
    kind = home(path).suffix.lower()
    kind = kind if kind[1:2].isalpha() else ""
    if kind in kinds:
        return kind
    endings = ", ".join(kind or "a folder" for kind in kinds)
    raise UnsupportedValue(
        Path(path).name, field="path", reason=f"{subject} is saved as {endings}"
    )


def write_whole(path: Path, content: bytes | str, *, durable: bool = False) -> Path:
    """Write a file, so that it holds all of the content or what it held before.

    Returns its path. Text is written as UTF-8, and folders are made. `durable` content
    is on the disk before the file has its name. Raises `SaveError` where that fails.
    """
    draft = path.parent / f".{path.name}.{os.getpid()}-{threading.get_ident()}.part"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise not_written(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
    return path


def not_written(path: Path, error: Exception) -> SaveError:
    """Return the error for a path that cannot be written."""
    return SaveError(f"cannot be written: {reason_of(error)}", folder=str(path))


def reason_of(error: object) -> str:
    """Say why a path cannot be read or written.

    >>> reason_of(FileExistsError(17, "File exists"))
    'a part of the path is a file, not a folder'
    """
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "a part of the path is a file, not a folder"
    return getattr(error, "strerror", None) or str(error)


def write_json(path: Path, content: object) -> None:
    """Write the content as a JSON file, as `write_whole` does; NaN is refused."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(path, text, durable=True)


def read_json(path: Path) -> Any:
    """Read a JSON file; `FileNotFoundError` where there is none, else `ValueError`."""
    try:
        if not path.is_fifo():
            return json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"cannot be read as JSON ({type(error).__name__})") from error
    raise ValueError("is a pipe, not a file")


@dataclass(frozen=True)
class Format:
    """The manifests of one kind of folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Format("pets").write(Path(folder), {"cats": 2})
    ...     Format("pets").read(Path(folder))
    {'cats': 2}
    """

    name: str

    def write(self, folder: Path, content: Mapping[str, Any]) -> None:
        """Write the manifest, the last file of the folder."""
        about = {"format": self.name, "version": _VERSIONS[-1], **content}
        write_json(folder / MANIFEST, about)

    def read(self, folder: Path) -> dict[str, Any]:
        """Return the content of the manifest.

        Raises `FileNotFoundError` where there is none, and `ValueError` for another.
        Manifests of version 1 have a seal, which is not read.
        """
        content = read_json(folder / MANIFEST)
        if not isinstance(content, dict) or content.pop("format", None) != self.name:
            raise ValueError("was written by another program")
        version = content.pop("version", None)
        if version not in _VERSIONS:
            raise ValueError(
                f"is in version {version!r:.20} of the format, and this ventureframe"
                f" reads version {_VERSIONS[-1]}"
            )
        content.pop("seal", None)
        return content

    def is_in(self, folder: Path) -> bool:
        """Whether the folder has such a manifest, or one that cannot be read."""
        try:
            content = read_json(folder / MANIFEST)
        except OSError:
            return False
        except ValueError:
            return True
        return isinstance(content, dict) and content.get("format") == self.name

    def refuse_other(self, folder: Path) -> None:
        """Raise `ValueError` unless the folder is new, empty, or of this format.

        Hidden files, such as those of a process that was killed, do not count.
        """
        advice = "Choose an empty folder, or a new one"
        try:
            self.read(folder)
        except ValueError as error:
            raise ValueError(f"has a {MANIFEST} that {error}. {advice}") from error
        except OSError:
            paths = sorted(folder.glob("[!.]*"))
            if paths:
                raise ValueError(
                    f"holds other files ({paths[0].name}). {advice}"
                ) from None


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder while the block writes into it, creating it if needed.

    Raises `SaveError` at once where another process or thread holds it, and where it
    cannot be written to. The lock of a process that was killed is free; Windows has
    none.
    """
    lock = folder / ".lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with lock.open("a") as file:
            if sys.platform != "win32":
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)
    except BlockingIOError as error:
        raise SaveError(
            "is being written by another process. Wait, or choose another folder",
            folder=str(folder),
        ) from error
    except OSError as error:
        raise not_written(folder, error) from error
