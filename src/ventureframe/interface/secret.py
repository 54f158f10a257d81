"""A text that is sent and never shown: the client secret, a token, what holds one of them."""

from __future__ import annotations

from typing import NoReturn, Self


class Secret:
    """A text that no repr, message, pickle or JSON shows; `reveal` gives it to what sends it.

    >>> f"{Secret('hunter2')}", Secret("hunter2") == Secret("hunter2")
    ('[hidden]', True)
    """

    __slots__ = ("_text",)

    def __init__(self, text: str | Secret) -> None:
        self._text = text.reveal() if isinstance(text, Secret) else text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return "[hidden]"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written down: pass the settings on instead")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self
