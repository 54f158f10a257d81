"""A finding is one object: its frame, how its columns are read, its caption and its
figure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import cleandoc
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Self, overload

import polars as pl

from ventureframe.client.frames import to_pandas
from ventureframe.display.table import NOTHING, Column, Table
from ventureframe.display.wording import (
    capital,
    caption,
    file_name,
    incomplete,
    mime_bundle,
    read_words,
)
from ventureframe.display.workbook import workbook
from ventureframe.errors import FindingNotDrawn, UnsupportedValue
from ventureframe.interface.fields import RESOURCES
from ventureframe.interface.files import ending, home, write_whole
from ventureframe.interface.gone import Renamed

if TYPE_CHECKING:
    import pandas as pd

    from ventureframe.display.figure import Drawing, Figure

MEANINGS = {
    field.name: f"{capital(field.doc)}."
    for resource in RESOURCES.values()
    for field in resource.fields
}
"""What the columns of findings say, by their names: a field of the interface has its
words there, and `studies/meanings.toml` comes before it.
"""
MEANINGS |= read_words("studies/meanings.toml")
_LEAD = 10  # rows


@dataclass(frozen=True, repr=False, eq=False)
class Finding(Table, Renamed):
    """What a study found: it shows itself as a table, draws itself, and is a frame.

    Files made of it are called `name`, and `requests` are those that returned its
    records. `order` is the label of the column that they are ordered by. `withheld`
    says what the service does not show, where the finding rests on it: then it has no
    rows. `nothing` is shown in place of rows where there are none. `leads` is how many
    of its columns its `lead` has, and `foremost` says which of the rows that is of.
    """

    leads: int | None = None
    foremost: tuple[str, pl.Expr] | None = None
    drawing: Callable[[], Drawing] | None = None
    order: str = ""
    withheld: str = ""

    def __getitem__(self, rows: slice) -> Finding:
        """Keep some of the rows, in a finding whose caption says which ones:
        `study.companies[:10]`. Raises `UnsupportedValue` for what is no range.
        """
        if getattr(rows, "step", self) is not None:  # no slice, or every second row
            raise UnsupportedValue(
                rows,
                field="rows",
                reason="give a range such as [:10]; to_polars() has columns and rows",
            )
        begin, end, _ = rows.indices(len(self))
        if end - begin == len(self):
            return self
        first = f"rows {begin + 1:,} to {end:,}" if begin else f"the first {end:,}"
        about = f"{first} of {len(self):,}"
        if self.order:
            about = f"{about} by {self.order}"
        labels = [column.label.lower() for column in self.columns]
        if self.order in labels and 0 < end < len(self):
            values = self.values[labels.index(self.order)]
            if values[end - 1] == values[end]:
                about = f"{about}; others tie with the last"
        return replace(
            self,
            caption=caption(*incomplete(self.source), about),
            frame=self.frame[rows],
        )

    @property
    def lead(self) -> Finding:
        """What a report begins with: the first ten rows that matter, under the columns
        that matter most.
        """
        first = self[:_LEAD]
        if self.foremost:
            heading, are_foremost = self.foremost
            rows = self.frame.filter(are_foremost)
            if 0 < len(rows) < len(self):
                about = f"{len(rows):,} of {len(self):,}"
                first = replace(self, frame=rows, caption=about)[:_LEAD]
                first = replace(first, caption=caption(heading, first.caption))
        ids, leading = list[Column](), list[Column]()
        for column in self.columns:
            values = first.frame[column.name].count()
            # where most nulls are blank, a column says too little
            least = 1 if column.null else len(first) / 4
            if column.kind == "id":
                ids.append(column)
            elif values and values >= least:
                leading.append(column)
        columns = (*leading[: self.leads], *ids)
        return replace(first, columns=columns or self.columns)

    def to_polars(self) -> pl.DataFrame:
        """The frame, with every column it has."""
        return self.frame

    def to_pandas(self) -> pd.DataFrame:
        """The frame in pandas on Arrow types: nulls and whole numbers stay what they
        are.
        """
        return to_pandas(self.to_polars())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The frame for a library that takes an Arrow stream, such as DuckDB."""
        return self.frame.__arrow_c_stream__(requested_schema)

    @overload
    def to_csv(self) -> str: ...
    @overload
    def to_csv(self, path: str | Path) -> Path: ...
    def to_csv(self, path: str | Path | None = None) -> str | Path:
        """The rows as CSV, see `Table.to_csv`; with a path, as a file whose accents
        Excel reads.

        Raises `UnsupportedValue` for a path with another ending than .csv, and
        `SaveError`.
        """
        if path is None:
            return super().to_csv()
        ending(path, ".csv", subject="a finding")
        return write_whole(home(path), f"\ufeff{self.to_csv()}")

    def to_excel(self, path: str | Path) -> Path:
        """Write the rows as a workbook; raises as `to_csv` does."""
        ending(path, ".xlsx", subject="a finding")
        return write_whole(home(path), workbook({"table": self}))

    def plot(self) -> Figure:
        """The figure of this finding; raises `FindingNotDrawn` where it has none."""
        return self.drawn_by().figure(self.title, self.source)

    def drawn_by(self) -> Drawing:
        """What draws this finding; raises `FindingNotDrawn` where nothing does."""
        if self.drawing is None:
            raise FindingNotDrawn(
                f"{self.title!r} has no figure; show it as a table, or draw its"
                " to_polars()."
            )
        drawing = self.drawing()
        return replace(drawing, empty=self.withheld.rstrip(".") or drawing.empty)

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        facts = {} if len(self) else {"empty": True}
        return mime_bundle(repr(self), self._repr_html_(), self.source, **facts)


@dataclass(eq=False)
class Exhibit:
    """How one finding of every study is shown, declared once as an attribute of the
    study's class.

    On the class the attribute is this declaration; on a study it is the `Finding`. Its
    part of `help(Study)` and its rows of `glossary(Study)` are made from it.

    Parameters
    ----------
    title : str
        It may name the `{subject}`, or more of the `{study}`; so may `order` and
        `nothing`.
    columns : sequence of Column, or a function of the study
        Amounts have the study's currency as their unit; `hidden` gives the names of
        those that are not shown of a study, and `headings` labels of its own by name.
    notes, rows : function of the study
        The parts of the caption, and the frame: else the study's frame of the
        attribute's name.
    figure : str
        Module and name of the function of a study that draws it, `package.module:name`,
        imported when the figure is drawn, so that declaring a study loads no plotting
        library.
    lead : int
        How many of its columns a report begins with: the first with a value, because
        they stand in the order of worth.
    foremost : tuple of str and expression
        Which of its rows a report begins with where there are any, in words.
    meaning, order, nothing : str
        What a row stands for, where the title does not say it; the label of the column
        that the rows are ordered by; and what is shown where there are none.

    Examples
    --------
    >>> import ventureframe as vf
    >>> vf.spinouts.Study.funnel.title
    'From companies found to companies counted: {subject}'
    """

    title: str
    columns: Sequence[Column] | Callable[[Any], Sequence[Column]]
    notes: Callable[[Any], Iterable[str | None]] = lambda _: ()
    figure: str = ""
    rows: Callable[[Any], pl.DataFrame] | None = None
    hidden: Callable[[Any], Collection[str]] = lambda _: ()
    headings: Callable[[Any], Mapping[str, str]] = lambda _: {}
    lead: int = 7
    foremost: tuple[str, pl.Expr] | None = None
    meaning: str = ""
    order: str = ""
    nothing: str = NOTHING
    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, study: None, owner: type) -> Self: ...
    @overload
    def __get__(self, study: object, owner: type) -> Finding: ...
    def __get__(self, study: object | None, owner: type) -> Self | Finding:
        return self if study is None else self.finding(study)

    def finding(self, study: Any) -> Finding:
        """Make the finding of a study."""
        columns = self.columns(study) if callable(self.columns) else self.columns
        hidden, source, currency = self.hidden(study), study.source, study.currency
        frame = study.frames[self.name] if self.rows is None else self.rows(study)
        chosen = list[Column]()
        for column in map(self.explained, columns):
            unit = column.unit or (currency if column.kind == "money" else "")
            if column.name not in hidden:
                label = self.headings(study).get(column.name, column.label)
                chosen.append(replace(column, label=label, unit=unit or ""))
        withheld = "" if self.name in study.stands else study.withheld
        keys = [column.name for column in chosen if column.kind == "id"]
        return Finding(
            title=self.title.format(subject=study.subject, study=study),
            caption=caption(*incomplete(source), *self.notes(study)),
            columns=tuple(chosen),
            leads=self.lead,
            foremost=self.foremost,
            frame=frame.clear() if withheld else frame,
            source=source,
            # loads the plotting library when it is drawn
            drawing=(lambda: resolve_name(self.figure)(study)) if self.figure else None,
            name=file_name(study.subject, self.name, currency, source=source),
            requests=study.requests(keys),
            order=self.order.format(study=study),
            withheld=withheld,
            nothing=withheld or self.nothing.format(study=study),
        )

    def explained(self, column: Column) -> Column:
        """The column with what it says: its own words, those for this finding, or
        those for every one.
        """
        shared = MEANINGS.get(column.name, "")
        here = MEANINGS.get(f"{self.name}.{column.name}", shared)
        return replace(column, meaning=column.meaning or here)

    @property
    def listed(self) -> Sequence[Column]:
        """Its columns, none where they are other ones for each study."""
        return () if callable(self.columns) else [*map(self.explained, self.columns)]


def documented(doc: str | None, exhibits: Iterable[Exhibit]) -> str:
    """Add findings to the docstring of a study, before its examples: each with what its
    rows are, and its columns.
    """
    text, *examples = re.split("(?=Examples\n---)", cleandoc(doc or ""), maxsplit=1)
    lines = [text.rstrip(), "", "Attributes", "----------"]
    for exhibit in exhibits:
        lines.append(f"{exhibit.name} : Finding")
        lines.append(f"    {exhibit.meaning or exhibit.title}")
        lines += [f"    {column.described}" for column in exhibit.listed]
    lines += [f"\n{part}" for part in examples]
    return "\n".join(lines)
