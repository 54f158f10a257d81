"""Programs that a test starts and that end with it, whatever happens."""

import contextlib
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any


@contextlib.contextmanager
def running(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """The program; it is killed where the block fails, which would wait for its end
    for ever.
    """
    with subprocess.Popen(command, text=True, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
