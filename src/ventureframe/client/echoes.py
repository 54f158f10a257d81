"""The words of a service in our messages: without our secrets and without control characters."""

from __future__ import annotations

import base64
import html
import re
from collections import deque
from typing import Final
from urllib.parse import quote, unquote_plus

from ventureframe.errors import shortened, visible
from ventureframe.interface.secret import Secret

HIDDEN: Final = "[hidden]"
_TOKENS: Final = 8
"""Tokens that are still looked for; a service may repeat one that it has replaced."""
_READ: Final = 50_000
"""Characters of a text that are looked at; what is shown is far shorter."""
_LAYERS: Final = 4
_DEEPEST: Final = 8
_SHORTEST: Final = 8
"""Letters and digits that a secret needs to be found where it is encoded or split."""
_LONG: Final = 12
_ESCAPE: Final = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_ASCII: Final = re.compile(rb"\\u00[2-7]")
_FILLING: Final = re.compile(r"[\W_]+")


class Echoes:
    """The secrets that a service has seen, and what it says without them."""

    def __init__(self, secret: Secret) -> None:
        self._secret, self._tokens = secret, deque[Secret](maxlen=_TOKENS)

    def add(self, token: Secret) -> None:
        """From now on this token is hidden as well."""
        self._tokens.append(token)

    def words(self, text: str, *, at_most: int = 500) -> str:
        """The text as a message may quote it; `TypeError` where it is none.

        A secret as it stands is replaced; a text that holds one encoded or in pieces is left out
        as a whole. Control characters, line ends too, are written as escapes.
        """
        if not isinstance(text, str):
            raise TypeError("not a text")
        text = text[:_READ]
        for secret in self._secrets():
            text = text.replace(secret, HIDDEN)
        if self._is_told(text):
            return HIDDEN
        return shortened(visible(text), at_most)

    def plain(self, value: object, *, depth: int = 0) -> object:
        """A decoded JSON value with `words` in place of every text; what lies deep is left out."""
        if isinstance(value, str):
            return self.words(value)
        if isinstance(value, (list, dict)) and depth == _DEEPEST:
            return "…"
        if isinstance(value, list):
            return [self.plain(each, depth=depth + 1) for each in value[:100]]
        if isinstance(value, dict):
            pairs = list(value.items())[:100]
            return {self.words(k): self.plain(v, depth=depth + 1) for k, v in pairs}
        return value

    def body(self, body: bytes) -> bytes:
        """The body of a reply without the tokens, plain or with letters as JSON escapes.

        A token so short that data may hold it by chance stays.
        """
        told = [token.reveal().encode() for token in self._tokens]
        told = [each for each in told if len(each) >= _LONG]
        is_escaped = b"\\" in body and _ASCII.search(body)  # the first is found at once
        for token in told:
            body = body.replace(token, HIDDEN.encode())
            if is_escaped:
                body = _escaped(token).sub(HIDDEN.encode(), body)
        return body

    def _secrets(self) -> list[str]:
        """Every secret, the longest first."""
        every = {each.reveal() for each in (self._secret, *self._tokens)} - {""}
        return sorted(every, key=len, reverse=True)

    def _is_told(self, text: str) -> bool:
        """Whether a secret is in the text under escapes, encoded, or with something in between."""
        needles = {needle for secret in self._secrets() for needle in _needles(secret)}
        for _ in range(_LAYERS):
            bare = _squeezed(text)
            if any(needle in bare for needle in needles):
                return True
            text = unquote_plus(html.unescape(_ESCAPE.sub(_character, text)), errors="replace")
        return False


def _needles(secret: str) -> set[str]:
    """What is left of the secret in each of its encodings, without filling."""
    found = {secret, secret.encode().hex()}
    for each in (secret, quote(secret, "")):
        for shift in range(3):  # where in a group of three bytes it begins
            whole = base64.b64encode(b"." * shift + each.encode()).decode().rstrip("=")
            found.add(whole[(shift * 8 + 5) // 6 : -1])
    return {each for each in map(_squeezed, found) if len(each) >= _SHORTEST}


def _squeezed(text: str) -> str:
    return _FILLING.sub("", text).lower()


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1] or escape[2], 16))


def _escaped(token: bytes) -> re.Pattern[bytes]:
    """Finds a token of which any letter can be written as an escape of JSON."""
    letters = (rb"(?:%b|\\u00(?i:%02x))" % (re.escape(bytes([each])), each) for each in token)
    return re.compile(b"".join(letters))
