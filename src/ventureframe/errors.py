"""Every error and warning a user can meet, each with its facts and the next step.

VentureframeError
├── ConfigurationError           settings are missing or contradict each other
├── QueryError                   the query itself is wrong; nothing was sent
│   └── UnknownField, UnsupportedOperator, UnsupportedValue, FilterSyntaxError
├── LookupFailed                 no record, or several, match what is looked up
│   └── Unclear                  an entry of a question is not exactly one record
├── ServiceError                 a request was sent and was not answered as it should be
│   ├── ServiceUnreachable, CredentialsRejected, TokenRejected (401), UnreadableReply
│   ├── RequestRejected          another 4xx
│   │   └── NotFound (404), RateLimited (429),
│   │       FetchEnded: CreditsExhausted (402), EnoughSent
│   └── ServiceFailed            5xx after all retries
├── FindingNotDrawn              a finding without a figure was asked to draw itself
├── EvidenceError                a conclusion that the records do not support
│   └── PopulationsNotComparable, FetchesNotComparable
├── DatasetError                 a dataset folder breaks its format: file, column, row
├── SaveError                    a folder cannot be written, is no save, or was damaged
└── ReportError                  a report could not be made; no file was written

VentureframeWarning              root of EvidenceWarning and WireWarning
"""

import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)  # what steers a terminal or turns text around, and halves of characters

_MOST_PROBLEMS = 20  # of a folder, in one message


class VentureframeError(Exception):
    """Root of every error raised here: its facts are attributes."""

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(_lines(message))
        vars(self).update(facts)

    def __reduce__(self) -> tuple[Any, ...]:
        # without __init__, whose arguments are not stored
        return Exception.__new__, (type(self), *self.args), vars(self)


class ConfigurationError(VentureframeError):
    """Settings are missing or contradict each other; `settings` names them, never
    their values.
    """

    settings: tuple[str, ...] = ()


class QueryError(VentureframeError, ValueError):
    """The query itself is wrong, so nothing was sent."""


class UnknownField(QueryError, AttributeError):
    """The resource has no such field for this use; `near` holds the closest names."""

    def __init__(
        self, name: str, *, resource: str, known: Iterable[str], use: str = "filter"
    ) -> None:
        names = tuple(known)
        self.field, self.near = name, nearest(name, names)
        hint = f"known: {', '.join(names)}"
        if self.near:
            hint = f"did you mean {' or '.join(map(repr, self.near))}?"
        super().__init__(f"{resource} has no field {name!r} to {use}; {hint}")


class UnsupportedOperator(QueryError):
    """The field exists but the operator does not apply to it."""

    def __init__(
        self, operator: str, *, field: str, resource: str, known: Iterable[str]
    ) -> None:
        self.operator, self.field = operator, field
        operators = ", ".join(known) or "no filter at all"
        subject = f"{resource} field {field!r}".strip()
        super().__init__(f"{subject} does not take {operator!r}; it takes {operators}")


class UnsupportedValue(QueryError, TypeError):
    """A filter value has the wrong type, range or form; `reason` says which.

    `choices` are the headings of a list in which the column of names was not found.
    """

    def __init__(
        self, value: object, *, field: str, reason: str, choices: Sequence[str] = ()
    ) -> None:
        self.value, self.field, self.reason = value, field, reason
        self.choices = choices
        super().__init__(f"{field!r} cannot be {shortened(repr(value))}: {reason}")


class FilterSyntaxError(QueryError):
    """A filter text that cannot be read; `position` counts characters from 0."""

    def __init__(self, text: str, *, position: int, expected: str) -> None:
        self.position = position
        next_text = text[position : position + 20]
        actual = repr(next_text) if next_text else "the end"
        where = f"filter text cannot be read at character {position}"
        super().__init__(f"{where}: expected {expected}, found {actual}")


class LookupFailed(VentureframeError, LookupError):
    """No record, or more than one, matches exactly (interface, rules per endpoint 3 and
    4).

    `candidates` are the rows that were returned, as mappings: `differs` has the fields
    that do not match, `named` what names this row and no other in a question.
    """

    candidates: tuple[Mapping[str, object], ...] = ()


class Unclear(LookupFailed):
    """An entry of a question that is not exactly one record; `entry` is what was
    asked for.
    """

    entry: Any = ()


class ServiceError(VentureframeError):
    """A request was not answered as it should be; `code` is the service's own."""

    method: str = "GET"
    path: str = ""
    status: int | None = None
    code: str | None = None
    details: object = None


class ServiceUnreachable(ServiceError):
    """No connection, or no answer in time."""


class CredentialsRejected(ServiceError):
    """The token address gave no token for the client id and secret."""


class TokenRejected(ServiceError):
    """A fresh token was refused as well (interface, authentication 4): the key no
    longer works.
    """


class UnreadableReply(ServiceError):
    """The reply is not JSON, is cut short, or does not have the shape the interface
    states; `kind` is that of `interface.gaps.Doubt`, where it is known.
    """

    kind: str = ""


class RequestRejected(ServiceError):
    """The service refused the request; repeating it unchanged cannot help."""


class FetchEnded(RequestRejected):
    """A fetch cannot go on; it ends with the rows it has."""


class EnoughSent(FetchEnded):
    """A bound is reached: `at_most` or `at_most_credits`."""


class CreditsExhausted(FetchEnded):
    """The credits of the key are used up."""


class NotFound(RequestRejected):
    """The service has no record under this id or path."""


class RateLimited(RequestRejected):
    """Too many requests, and the wait asked for is longer than the caller allows."""


class ServiceFailed(ServiceError):
    """The service failed on every attempt."""


class FindingNotDrawn(VentureframeError):
    """The finding has no figure."""


class EvidenceError(VentureframeError):
    """A conclusion that the records do not support."""


class PopulationsNotComparable(EvidenceError, TypeError):
    """Three populations are never summed, divided or ordered (interface, reading
    rule 4).
    """


class FetchesNotComparable(EvidenceError):
    """Two fetches in the wrong order, of other data, or of another question, for a
    `reason`.
    """

    def __init__(self, reason: str, *, first: str, second: str, advice: str) -> None:
        message = f"These cannot be compared, {first} and {second}: {reason}. {advice}."
        super().__init__(message, reason=reason)


class DatasetError(VentureframeError):
    """A dataset folder breaks its format; `file`, `column` and `row` say where.

    `row` counts from 0, as frames do; the message counts from 1, as people do.

    `others` are the further problems of the folder, which the message lists as well.
    """

    others: tuple["DatasetError", ...] = ()

    def __init__(
        self,
        message: str,
        *,
        file: str,
        column: str | None = None,
        row: int | None = None,
    ) -> None:
        column_of = "" if column is None else f", column {column!r}"
        row_of = "" if row is None else f", row {row + 1}"
        super().__init__(f"{file}{column_of}{row_of}: {message}")
        self.file, self.column, self.row = file, column, row

    @classmethod
    def of(cls, problems: "Sequence[DatasetError]") -> "DatasetError":
        """Make one error of all problems of a folder: the first lists the others.

        >>> wrong = [DatasetError("is null", file=f"{name}.parquet") for name in "ab"]
        >>> print(DatasetError.of(wrong))
        a.parquet: is null
        b.parquet: is null
        """
        first, *further = problems
        lines = [str(problem) for problem in problems[:_MOST_PROBLEMS]]
        if len(problems) > _MOST_PROBLEMS:
            lines.append(f"and {len(problems) - _MOST_PROBLEMS} more problems")
        first.args = ("\n".join(lines),)
        first.others = tuple(further)
        return first


class SaveError(VentureframeError):
    """A `folder` that cannot be written, is not a save, or was damaged."""

    def __init__(self, message: str, *, folder: str) -> None:
        super().__init__(f"{folder}: {message}.", folder=folder)


class ReportError(VentureframeError):
    """A report could not be made; no file was written."""


class VentureframeWarning(UserWarning):
    """Root of every warning given here; no control character is in its message."""

    def __init__(self, message: str) -> None:
        super().__init__(_lines(message))


class EvidenceWarning(VentureframeWarning):
    """Doubt about what a result can show."""


class WireWarning(VentureframeWarning):
    """The service announces when this generation of its wire ends."""


@contextmanager
def of_lab(subject: str) -> Iterator[None]:
    """Turn a missing package into a `ConfigurationError` that names the extra
    `[lab]`.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if str(error.name).startswith(__package__):
            raise
        message = (
            f"{subject} needs {error.name}, which comes with the extra [lab]: install "
            "'ventureframe[lab]', or of a wheel its file name followed by [lab]."
        )
        raise ConfigurationError(message) from error


def warn(message: str, kind: type[VentureframeWarning] = EvidenceWarning) -> None:
    """Warn at the line that called this package."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(
        str(__package__)  # and the service that is embedded
    ):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, kind, stacklevel=level)


def visible(text: str) -> str:
    """Return the text in one line, with its control characters written as escapes.

    >>> visible("red: \\x1b[31m")
    'red: \\\\x1b[31m'
    """
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def shortened(text: str, at_most: int = 80) -> str:
    """Return the text, cut where it is longer.

    >>> shortened("Stanford University", 9)
    'Stanford…'
    """
    return text if len(text) <= at_most else text[: at_most - 1] + "…"


def nearest(name: str, names: Iterable[str], *, at_most: int = 3) -> tuple[str, ...]:
    """Return the names that are closest to `name`, best first; none where none is
    close.

    >>> nearest("fonder_name", ["name", "founder_name", "team_size"])
    ('founder_name',)
    """
    # only once something is misspelt
    from rapidfuzz import fuzz, process  # noqa: PLC0415

    near = process.extract(
        str(name), list(names), scorer=fuzz.ratio, limit=at_most, score_cutoff=60
    )
    return tuple(match for match, _, _ in near)


def _lines(message: str) -> str:
    """Return the message with its control characters escaped, except line ends."""
    return "\n".join(map(visible, message.split("\n")))
