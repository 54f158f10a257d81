"""A finding listed: typed columns with units, a caption, null as "not reported"."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from typing import Any, Final, Literal

import narwhals as nw

from ventureframe.evidence import STATES
from ventureframe.spinouts import Frame, Study
from ventureframe.wording import NOT_REPORTED, caption, counted, money_exact, number

Kind = Literal["text", "number", "money", "year", "date", "flag"]
"""What a column holds; it decides how a value is shown and how a reader may sort by it."""

SHOWN_AS_HTML: Final = 500
"""Most rows of one table in HTML: a report stays small. The caption counts the rest."""
SHOWN_AS_TEXT: Final = 10
_WIDEST: Final = 48


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the frame's name for it, the reader's, what it holds, and its unit.

    `null` is how a null is shown: "not reported" unless the value cannot apply to the row.
    """

    name: str
    label: str
    kind: Kind = "text"
    unit: str = ""
    null: str = NOT_REPORTED

    @property
    def heading(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def shown(self, value: object) -> str:
        """The value as a reader sees it."""
        return self.null if value is None else _SHOWN[self.kind](value)


def _number(value: Any) -> str:
    return number(value)


def _flag(value: Any) -> str:
    return "true" if value else "false"


_SHOWN: Final[Mapping[Kind, Callable[[object], str]]] = {
    "text": str,
    "number": _number,
    "money": _number,
    "year": str,
    "date": str,
    "flag": _flag,
}
_SORTED_AS: Final[Mapping[Kind, str]] = {
    "text": "text",
    "number": "number",
    "money": "number",
    "year": "number",
    "date": "date",
    "flag": "text",
}


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """A finding as rows under typed columns; every row is in `rows` and in `to_csv()`.

    The text form shows the first ten rows, the HTML form the first five hundred; both say how
    many there are. The same table gives the same bytes.
    """

    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[object, ...], ...]

    @classmethod
    def of(cls, frame: Frame, *columns: Column, title: str, caption: str) -> Table:
        """The table of these columns of a polars or a pandas frame."""
        names = [column.name for column in columns]
        arrow = nw.from_native(frame, eager_only=True).select(names).to_arrow()
        rows = zip(*(arrow[name].to_pylist() for name in names), strict=True)
        return cls(title, caption, columns, tuple(rows))

    def to_csv(self) -> str:
        """All rows with the columns' headings; values unformatted, null as nothing."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(column.heading for column in self.columns)
        writer.writerows(map(_raw, row) for row in self.rows)
        return text.getvalue()

    def __repr__(self) -> str:
        shown = self._shown(SHOWN_AS_TEXT)
        headings = [column.heading for column in self.columns]
        widths = [
            min(_WIDEST, max(map(len, (heading, *cells))))
            for heading, *cells in zip(headings, *shown, strict=True)
        ]
        lines = [self.title, self.caption, self._line(headings, widths)]
        lines += [self._line(row, widths) for row in shown]
        if len(self.rows) > len(shown):
            lines.append(f"… {counted(len(self.rows) - len(shown), 'more row')}")
        return "\n".join(line for line in lines if line)

    def _line(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        parts = []
        for column, cell, width in zip(self.columns, cells, widths, strict=True):
            text = cell if len(cell) <= width else cell[: width - 1] + "…"
            is_number = _SORTED_AS[column.kind] == "number"
            parts.append(text.rjust(width) if is_number else text.ljust(width))
        return "  ".join(parts).rstrip()

    def _shown(self, most: int) -> list[list[str]]:
        return [
            [column.shown(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows[:most]
        ]

    def _repr_html_(self) -> str:
        heads = "".join(
            f'<th scope="col" data-type="{_SORTED_AS[column.kind]}">{escape(column.heading)}</th>'
            for column in self.columns
        )
        rows = "\n".join(
            "<tr>" + "".join(map(self._cell, self.columns, row)) + "</tr>"
            for row in self.rows[:SHOWN_AS_HTML]
        )
        return (
            f'<figure class="vf-table"><figcaption><strong>{escape(self.title)}</strong> '
            f"{escape(self.caption)}{self._left_out()}</figcaption>\n"
            f"<table><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></figure>"
        )

    def _left_out(self) -> str:
        if not self.rows:
            return " · 0 rows"
        if len(self.rows) <= SHOWN_AS_HTML:
            return ""
        return (
            f" · the first {number(SHOWN_AS_HTML)} of {number(len(self.rows))} rows are shown; "
            "to_csv() in the notebook has all"
        )

    @staticmethod
    def _cell(column: Column, value: object) -> str:
        if value is None:
            return f'<td data-value="" class="vf-null">{escape(column.null)}</td>'
        kind = ' class="vf-number"' if _SORTED_AS[column.kind] == "number" else ""
        return f'<td data-value="{escape(_raw(value))}"{kind}>{escape(column.shown(value))}</td>'


def _raw(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return _flag(value)
    return value.isoformat() if isinstance(value, date) else str(value)


def funnel(study: Study) -> Table:
    """From the candidate pool to evidence; companies and founders are counted apart."""
    return Table.of(
        study.funnel,
        Column("step", "Step"),
        Column("unit", "Counted"),
        Column("count", "Count", "number"),
        Column("lost", "Left behind", "number", null="–"),
        Column("lost_because", "What was observed of those", null="–"),
        title=f"From pool to evidence: {study.university.name}",
        caption=caption("a candidate is not a link", source=study.source),
    )


def states(study: Study) -> Table:
    """How many founders were observed in each state; a state nobody is in is listed too."""
    rows = tuple((state, STATES[state], count) for state, count in study.observed.items())
    columns = (
        Column("state", "State"),
        Column("meaning", "What was observed"),
        Column("founders", "Founders", "number"),
    )
    about = caption(
        f"{counted(study.counts.founders_asked, 'founder')} asked, each in one state",
        f"{number(study.counts.founders_candidate)} of them have an entry that names the "
        "university without its UUID: candidates",
        source=study.source,
    )
    return Table(f"Observation states: {study.university.name}", about, columns, rows)


def populations(study: Study) -> Table:
    """The three populations side by side, each with its definition; they are not comparable."""
    rows = tuple(
        (each.kind, each.count, each.definition, each.source, each.note or None)
        for each in study.populations
    )
    columns = (
        Column("population", "Population"),
        Column("count", "Count", "number"),
        Column("definition", "Definition"),
        Column("source", "Source"),
        Column("note", "Note", null="–"),
    )
    about = caption("never summed, divided or ranked", source=study.source)
    return Table(f"Three populations: {study.university.name}", about, columns, rows)


def companies(study: Study) -> Table:
    """The companies with an evidenced founder, highest known funding first."""
    c = study.counts
    return Table.of(
        study.companies,
        Column("company_name", "Company"),
        Column("launch_date", "Founded", "year"),
        Column("company_status", "Status"),
        Column("hq_country", "Country"),
        Column(study.funding, "Total funding", "money", study.currency),
        Column("founders_evidenced", "Founders evidenced", "number"),
        Column("founders_recorded", "Founders recorded", "number"),
        Column("company_uuid", "Company UUID"),
        title=f"Companies with a founder evidenced at {study.university.name}",
        caption=caption(
            f"total funding in {study.currency} known for {number(c.funding_known)} of "
            f"{counted(c.companies_evidenced, 'company', 'companies')}",
            f"sum of the known {money_exact(c.funding_total, study.currency)}",
            source=study.source,
        ),
    )


_ENTRY: Final = (
    Column("position", "Entry", "number"),
    Column("university_name", "University as recorded"),
    Column("degree", "Degree"),
    Column("major", "Major"),
    Column("start_year", "From", "year"),
    Column("end_year", "To", "year"),
)


def links(study: Study) -> Table:
    """The evidence: a row per company, founder and education entry with the university's UUID."""
    c = study.counts
    return Table.of(
        study.links,
        Column("company_name", "Company"),
        Column("founder_name", "Founder"),
        *_ENTRY,
        Column("company_uuid", "Company UUID"),
        Column("founder_uuid", "Founder UUID"),
        title=f"Education entries that carry the UUID of {study.university.name}",
        caption=caption(
            f"{counted(c.founders_evidenced, 'founder')} of {number(c.founders_asked)} asked",
            counted(c.companies_evidenced, "company", "companies"),
            f"university_uuid {study.university.uuid}",
            "entries are counted from 0",
            source=study.source,
        ),
    )


def candidates(study: Study) -> Table:
    """Entries that name the university and carry no UUID: to verify, counted nowhere as links."""
    return Table.of(
        study.candidates,
        Column("founder_name", "Founder"),
        *_ENTRY,
        Column("founder_uuid", "Founder UUID"),
        title=f"Candidates: entries that name {study.university.name} without its UUID",
        caption=caption("candidates, not links", source=study.source),
    )


def years(study: Study) -> Table:
    """Years from study to founding for each evidenced company and founder."""
    c = study.counts
    return Table.of(
        study.years,
        Column("company_name", "Company"),
        Column("founder_name", "Founder"),
        Column("end_year", "End of study", "year"),
        Column("launch_date", "Founded", "year"),
        Column("years", "From study to founding", "number", "years"),
        Column("company_uuid", "Company UUID"),
        Column("founder_uuid", "Founder UUID"),
        title=f"Years from study at {study.university.name} to founding",
        caption=caption(
            f"known for {number(c.years_known)} of {counted(c.years_of, 'pair')} of company and "
            "founder",
            "founding year minus the latest recorded end of study there; negative: founded before",
            source=study.source,
        ),
    )


def coverage(study: Study) -> Table:
    """How many records have each field, of how many."""
    return Table.of(
        study.coverage,
        Column("record", "Record"),
        Column("field", "Field"),
        Column("known", "Known", "number"),
        Column("of", "Of", "number"),
        title=f"Coverage: {study.university.name}",
        caption=caption("a field not recorded says nothing of the world", source=study.source),
    )


def claims(study: Study) -> Table:
    """What the study states, how far records carry it, and which."""
    columns = (Column("claim", "Claim"), Column("status", "Status"), Column("basis", "Basis"))
    rows = tuple((each.statement, each.status, each.basis) for each in study.claims)
    about = caption(source=study.source)
    return Table(f"Claims and their basis: {study.university.name}", about, columns, rows)


def caveats(study: Study) -> Table:
    """What the study cannot tell, with the rule of the interface behind each."""
    columns = (Column("caveat", "What this cannot tell"), Column("rule", "Interface"))
    rows = tuple((each.text, each.rule) for each in study.caveats)
    about = caption(source=study.source)
    return Table(f"Caveats: {study.university.name}", about, columns, rows)


def sources(study: Study) -> Table:
    """Where the records come from, what was asked and answered, whose data it is, and the clock."""
    rows = [row for row in _sources(study) if row[1]]
    columns = (Column("what", "What"), Column("value", "Value"))
    return Table("Sources and clocks", caption(source=study.source), columns, tuple(rows))


def _sources(study: Study) -> Iterator[tuple[str, str]]:
    named = dict.fromkeys(each.source for each in study.provenance)
    for source in named:
        yield "Dataset" if source.is_embedded else "Service", source.name
        yield "Description", source.description
        yield "As of", str(source.as_of or "")
    for result in study.fetched:
        asked = result.provenance
        if asked.fetched_at is not None:
            yield "Fetched", f"{asked.fetched_at:%Y-%m-%d %H:%M:%S} UTC"
        terms = {"filter": asked.filter, "sort": asked.sort, "currency": asked.currency}
        if result.asked is not None:
            terms["filter"] = f"the ids of {counted(len(result.asked), 'record')}"
        said = [f"{name} {value}" for name, value in terms.items() if value]
        yield "Request", " · ".join([f"GET {asked.endpoint}", *said])
        yield "Answer", repr(result)
    for source in named:
        yield "Licence", source.licence or ""
        yield from (("Attribution", line) for line in source.attribution)
    for made in sorted({(each.version, each.profile) for each in study.provenance}):
        yield "Made with", f"ventureframe {made[0]}, wire profile {made[1]!r}"
