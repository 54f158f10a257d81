"""A finding is one object: its frame, how its columns are read, its caption and its figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from ventureframe.client.frames import to_pandas
from ventureframe.display.table import Column, Table
from ventureframe.display.wording import caption, file_name, incomplete, shown
from ventureframe.errors import FindingNotDrawn
from ventureframe.interface.source import Source

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from ventureframe.display.figure import Drawing, Figure


@dataclass(frozen=True, repr=False, eq=False)
class Finding:
    """What a study found: it shows itself as a table, draws itself, and is a frame.

    `columns` are those of the table; the frame may have more. In both, null means that nothing is
    recorded, never "no" and never zero. Files made of it are called `name`. `requests` are those
    that returned its records.
    """

    title: str
    caption: str
    columns: tuple[Column, ...]
    frame: pl.DataFrame
    source: Source | None = None
    drawing: Callable[[], Drawing] | None = None
    name: str = "table"
    requests: tuple[str, ...] = ()

    def to_polars(self) -> pl.DataFrame:
        """The frame, with every column it has."""
        return self.frame

    def to_pandas(self) -> pd.DataFrame:
        """The frame in pandas on Arrow types: nulls and whole numbers stay what they are."""
        return to_pandas(self.to_polars())

    def to_csv(self) -> str:
        """The rows of the table as CSV; see `Table.to_csv`."""
        return self.table.to_csv()

    def plot(self) -> Figure:
        """The figure of this finding; raises `FindingNotDrawn` where it has none."""
        return self.drawn_by().figure(self.title, self.source)

    def drawn_by(self) -> Drawing:
        """What draws this finding; raises `FindingNotDrawn` where nothing does."""
        if self.drawing is None:
            raise FindingNotDrawn(self.title)
        return self.drawing()

    @property
    def table(self) -> Table:
        """The rows under the table's columns."""
        values = (column.values(self.frame) for column in self.columns)
        rows = tuple(zip(*values, strict=True))
        named = self.title, self.caption
        return Table(*named, self.columns, rows, self.source, self.name, self.requests)

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        table = self.table
        return shown(repr(table), table._repr_html_(), self.source)


S = TypeVar("S")


@dataclass(eq=False)
class Listing(Generic[S]):
    """How one frame of a study is shown: as an attribute of a study's class it gives the finding.

    The study has a `subject`, a `currency`, a `source`, `frames` by the names of its findings, and
    the `requests` that returned the records of the ids in some columns.

    `title` may name the `{subject}`, or more of the `{study}`; money columns get the study's
    currency as their unit. `columns` may depend on the study. `notes` are the parts of the caption,
    `drawing` what its figure draws. The frame is what `rows` gives, else the study's frame of the
    same name as the attribute.

    >>> from ventureframe.studies.spinouts.find import Study
    >>> Study.funnel.title
    'From pool to evidence: {subject}'
    """

    title: str
    columns: Sequence[Column] | Callable[[S], Sequence[Column]]
    notes: Callable[[S], Iterable[str | None]] = lambda _: ()
    drawing: Callable[[S], Drawing] | None = None
    rows: Callable[[S], pl.DataFrame] | None = None
    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, study: None, owner: type) -> Self: ...
    @overload
    def __get__(self, study: S, owner: type) -> Finding: ...
    def __get__(self, study: S | None, owner: type) -> Self | Finding:
        return self if study is None else self.finding(study)

    def finding(self, study: Any) -> Finding:
        """The finding of a study."""
        draw = self.drawing
        columns = self.columns(study) if callable(self.columns) else self.columns
        return Finding(
            title=self.title.format(subject=study.subject, study=study),
            caption=caption(*incomplete(study.source), *self.notes(study)),
            columns=tuple(column.counted_in(study.currency) for column in columns),
            frame=study.frames[self.name] if self.rows is None else self.rows(study),
            source=study.source,
            drawing=None if draw is None else lambda: draw(study),
            name=file_name(study.subject, self.name, study.currency, source=study.source),
            requests=study.requests([each.name for each in columns if each.kind == "id"]),
        )
