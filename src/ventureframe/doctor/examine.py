"""Sends a service one small request per endpoint and says which choices of the wire hold.

Where the interface says "not shown" the wire profile chooses; a service that chose otherwise is
met by another profile. Nothing that a finding says holds a token, a secret or an address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from ventureframe import errors
from ventureframe.client.service import Service
from ventureframe.doctor.answer import Answer, Choice
from ventureframe.doctor.checks import ROWS, refused
from ventureframe.doctor.outline import Outline, outline
from ventureframe.doctor.probes import USUAL, NotKnown, Probe, probes

_HOPELESS: Final = (
    errors.CredentialsRejected,
    errors.TokenRejected,
    errors.CreditsExhausted,
)
"""If a request ends with one of these, no other can tell anything."""
_AT_ONCE: Final = (*_HOPELESS, errors.ServiceUnreachable)
"""The same for the first request; a later one can be lost alone."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one endpoint answered to one request, and the choices seen in the answer.

    `of` is what the wire's table calls the rows, `outline` the keys and types of the reply
    without a value, None where there is no reply. `credits` is None where none were stated,
    `is_last` true where no other request can tell anything.
    """

    endpoint: str
    request: str
    answer: str
    choices: tuple[Choice, ...]
    of: str = ""
    outline: Outline | None = None
    headers: frozenset[str] = frozenset()
    credits: float | None = None
    is_last: bool = False

    @property
    def holds(self) -> bool:
        """Whether no choice was contradicted."""
        return all(choice.holds is not False for choice in self.choices)

    def __str__(self) -> str:
        lines = [f"{self.endpoint}: {self.request}", f"  answered {self.answer}"]
        return "\n".join([*lines, *(f"  {choice}" for choice in self.choices)])


def examine(service: Service, *, rows: int = 2) -> Iterator[Finding]:
    """One finding per request, each as soon as it is known, the generation of the wire first.

    About 25 requests of a few rows each; `rows` asks for more of them where lists are read. It
    ends early where the key is refused or spent, and where the rows are of another wire.

    >>> import ventureframe as vf
    >>> from ventureframe import doctor
    >>> with vf.connect(environment={}) as svc:
    ...     print(next(doctor.examine(svc)).choices[0])
    holds: wire interface (companies are filtered by tag_id)
    """
    known: dict[str, Any] = {"first": {}, "rows": rows, "profile": service.profile}
    for probe in probes(service.profile):
        finding = _found(probe, service, known)
        yield finding
        if finding.is_last:
            return


def _found(probe: Probe, service: Service, known: dict[str, Any]) -> Finding:
    """What the answer to a probe shows; what it gives to later ones is added to what is known."""
    request = "not sent"
    try:
        path, asked = probe.filled({**USUAL, **known}, service)
        request = f"GET {path}" + (f"?{urlencode(asked, safe='[]:|,')}" if asked else "")
        answer = _asked(probe, service, path, asked, known)
        said = str(answer)
        choices = tuple(choice for check in probe.checks for choice in check(answer))
    except (NotKnown, errors.QueryError) as error:
        choice = Choice("it can be asked", None, str(error))
        return Finding(probe.name, request, "nothing", (choice,))
    except errors.ServiceError as error:
        is_last = isinstance(error, _HOPELESS if known["first"] else _AT_ONCE)
        choices = (refused(error, service.profile),)
        return Finding(probe.name, request, "with an error", choices, is_last=is_last)
    for name, values in probe.given(answer):
        if values and name not in known:
            known[name], known["first"][name] = "|".join(values), values[0]
    return Finding(
        probe.name,
        request,
        said,
        choices,
        answer.of,
        outline(answer.content),
        frozenset(map(str.lower, answer.reply.headers)),
        answer.reply.credits,
        any(choice.holds is False and choice.name.startswith(ROWS) for choice in choices),
    )


def _asked(
    probe: Probe, service: Service, path: str, asked: Mapping[str, str], known: Mapping[str, Any]
) -> Answer:
    reply = service.session.get(path, asked)
    return Answer(
        probe.of,
        probe.endpoint,
        probe.resource,
        asked,
        reply,
        reply.json(),
        service.profile,
        service.session.version,
        known,
    )
