"""Match a user's list to the records: every row graded by what agrees, nothing guessed.

Domains are registered ones by the public-suffix list: `https://www.acme.co.uk/team` and
`jo@acme.co.uk` are `acme.co.uk`. A page on a host of others (a code host, a directory,
a mailbox) says nothing of the company, and contradicts nothing. Names are compared
without case, accents, punctuation, blanks and legal forms (Inc, Ltd, GmbH, …), but
are not equal where two forms differ; places by their city. Grades:

- `domain`: the registered domains are equal, of one record and of one organisation of
  the list, and one more thing agrees: the name, a similar name, the city, or the
  founding year. Where nothing else does, the row is to decide. A domain does not count
  that seems to have changed hands: the founding years are over three apart, or the
  names differ and so does the city or the founding year.
- `name and place`: of the records with that name only this one is in that city, and
  nothing contradicts it: another domain (unless the founding years agree), or, for a
  name of up to ten letters, a single known domain that is not spelt as the name.
- `name only`: one record has that name, and nothing else confirms it, or not every
  record of it was read, since a search shows only so many: a candidate, never used
  unless confirmed.
- `several`: more than one record has that name or domain, the domain seems to have
  changed hands, or several organisations of the list have it.
- `not found`: no record with that name or domain was found; never "does not exist".
- `confirmed by you`, `refused by you`: the decision was yes; it was no, and no other
  record of that name or domain was found.
- `not looked up`: the fetch ended before, and nothing was found by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from warnings import catch_warnings

import narwhals as nw
from polars import (
    DataFrame,
    LazyFrame,
    Series,
    String,
    col,
    concat,
    concat_str,
    lit,
    select,
    when,
)

from ventureframe import bulk
from ventureframe.client.paging import check_positive
from ventureframe.display.finding import Finding
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import Count, caption, counted, file_name, listed
from ventureframe.errors import FetchEnded, UnsupportedValue, VentureframeWarning, warn
from ventureframe.interface.gone import Renamed
from ventureframe.interface.source import NotThere, Source
from ventureframe.matching import decisions, domains, grades, lists
from ventureframe.matching.grades import GRADES
from ventureframe.matching.lists import List
from ventureframe.matching.names import name_key
from ventureframe_service.dataset import FOLDER

if TYPE_CHECKING:
    from ventureframe.bulk.open import Frames
    from ventureframe.client.service import Service

Kind = Literal["company", "university", "investor"]
_FRAMES = {
    "company": "companies",
    "university": "universities",
    "investor": "investors",
}
_GRADED = (
    Column("grade", "Grade", "state", null=""),
    *columns(
        "text",
        null="",
        record_name="Name in the records",
        differs="Differs",
        why="Why",
        decision="Decision",
    ),
    Column("record_uuid", "Record UUID", "id", null=""),
)
_CANDIDATE = (
    *columns("text", null="", record_name="Name in the records", decision="Decision"),
    *columns("text", record_domain="Its domain", record_place="Its place"),
    Column("record_year", "Its year", "year"),
    *columns("text", null="", why="Why", differs="Differs"),
    *columns("state", null="", found_by="Found by", grade="Grade"),
    Column("record_uuid", "Record UUID", "id"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Match(Renamed):
    """What the records know of a list: see `match`.

    `graded` has a row per row of the list, `candidates` one per record that is left
    to decide, `decided` the decisions by `row` and `uuid`. `requests` says what was
    asked of which source, and `notes` what the user should know. `decide` takes a file
    of decisions, or a frame, in place of those taken before; nothing is sent.
    """

    list: List
    kind: Kind  # a question of companies takes no other
    source: Source
    graded: DataFrame
    candidates: DataFrame
    decided: DataFrame
    requests: tuple[str, ...]
    notes: tuple[str, ...]
    decide: Callable[[Any], Match]

    def __repr__(self) -> str:
        return f"{self.summary}\n{self.list.read_as}"

    @property
    def summary(self) -> str:
        """How many rows are in each state."""
        states = [
            f"{number} {state}" for state, number in self.states.items() if number
        ]
        return f"{counted(self.graded.height, 'row')}: {' · '.join(states)}"

    @property
    def counts(self) -> Mapping[str, int]:
        """Rows of each grade that has any.

        >>> import ventureframe as vf
        >>> vf.match(vf.connect(environment={}), ["No Such Firm"]).counts
        {'not found': 1}
        """
        counts = Counter(self.graded["grade"])
        return {grade: counts[grade] for grade in GRADES if counts[grade]}

    @property
    def states(self) -> Mapping[str, Count]:
        """Rows that are matched, to decide, not found, and not looked up: each row
        once.

        >>> import ventureframe as vf
        >>> vf.match(vf.connect(environment={}), ["No Such Firm"]).states
        {'matched': 0, 'to decide': 0, 'not found': 1, 'not looked up': 0}
        """
        counts = Counter(self.graded["state"])
        return {state: Count(counts[state]) for state in GRADES.values()}

    @property
    def uuids(self) -> tuple[str, ...]:
        """The UUIDs of the records that are used, each once, in the order of the
        list.
        """
        return tuple(uuid for _, uuid in self.entries)

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        """Their names and UUIDs, as a question takes LPs and universities."""
        used = self.graded.drop_nulls("record_uuid")
        used = used.unique("record_uuid", keep="first", maintain_order=True)
        return tuple(used.select("record_name", "record_uuid").rows())

    @cached_property
    def rows(self) -> Finding:
        """Every row of the list, in its order and with its columns first: grade,
        record and why.
        """
        return self._with_list("The list, row by row", _GRADED, self.graded, "list")

    @cached_property
    def to_check(self) -> Finding:
        """The rows that a person must decide, a line per candidate, with a column to
        fill in; the list's name stands beside the record's, its other columns last.

        Write yes or no under Decision, and give the file as `decided=`. Rows of one
        reason have the same words under Why: filter them, and answer them at once. A
        near miss is a record that shares a rare word of the name; it is never a match.
        """
        first = self.list.columns["name"] or self.list.columns["domain"]
        title = "To be decided"
        return self._with_list(title, _CANDIDATE, self.candidates, "to-check", first)

    def _with_list(
        self,
        title: str,
        added: tuple[Column, ...],
        rows: DataFrame,
        name: str,
        first: str | None = None,
    ) -> Finding:
        """Show the columns of the answer after the `first` one of the list, or after
        all; one with a heading that the list has gets another.
        """
        users = self.list.frame
        used = {head.lower() for head in users.columns}
        heads, further = list[Column](), list[Column]()
        for head in users.columns:
            column = Column(head, head, null="", meaning="As in the list.")
            (heads if first in (None, head) else further).append(column)
        frame = users[rows["row"].to_list()]
        for column in added:
            suffix = " (found)" if used & {column.name, column.label.lower()} else ""
            head, label = f"{column.name}{suffix}", f"{column.label}{suffix}"
            heads.append(replace(column, name=head, label=label))
            frame = frame.with_columns(rows[column.name].alias(head))
        name = file_name(self.list.name, name, source=self.source)
        return Finding(
            title,
            caption(self.summary, *self.notes),
            (*heads, *further),
            frame,
            self.source,
            name=name,
            requests=self.requests,
        )


def match(
    svc: Service | Frames,
    given: Any,
    *,
    kind: Kind = "company",
    name: str | None = None,
    domain: str | None = None,
    place: str | None = None,
    year: str | None = None,
    sheet: str | None = None,
    decided: Any = None,
    at_most: int | None = None,
    at_most_credits: int | None = None,
) -> Match:
    """Find the user's companies, universities or investors in the records, and grade
    each row.

    Over a dataset folder or a pull all rows are compared at once and nothing is sent. A
    live service is searched with at most two requests a row (companies: on the wire of
    2026-10-02; if the list has years, the companies found are fetched for theirs); the
    older wire has no search for companies, so the whole collection is fetched. A
    warning says beforehand what is sent.

    Parameters
    ----------
    svc : Service or Frames
        The service, or what `vf.bulk.open(folder)` gives.
    given : path, text, names, (name, website) pairs, dictionaries, or frame
        The list: see `matching.lists.read`.
    kind : {"company", "university", "investor"}
        What it lists.
    name, domain, place, year, sheet : str, optional
        The headings of these columns, where they are not recognised; the sheet of a
        workbook.
    decided : path or frame, optional
        `to_check` filled in, as CSV or workbook: yes or no under Decision, keyed by the
        list's own name and domain.
    at_most, at_most_credits : int, optional
        Before more requests are sent, or more credits can be spent, the rest of the
        rows is not looked up. See `Query.fetch`.

    Raises
    ------
    UnsupportedValue
        Where the list or the decisions cannot be read.

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> vf.match(svc, "Company\\tCity\\nNo Such Firm\\tOslo")
    1 row: 1 not found
    Name = Company · website: none · city = City · year: none
    """
    if kind not in _FRAMES:
        raise UnsupportedValue(
            kind, field="kind", reason=f"give one of {listed(_FRAMES)}"
        )
    check_positive(at_most=at_most, at_most_credits=at_most_credits)
    list_ = lists.read(
        given, name=name, domain=domain, place=place, year=year, sheet=sheet
    )
    rows = grades.keyed_list(list_.texts.with_row_index("row"))
    if isinstance(svc, bulk.Frames):
        answer = _in_folder(svc, kind)
    elif not hasattr(svc, "connection"):
        reason = "give what vf.connect() or vf.bulk.open(folder) returns"
        raise UnsupportedValue(svc, field="svc", reason=reason)
    elif folder := _folder(svc):
        answer = _in_folder(folder, kind)
    else:
        svc = svc._within(at_most, at_most_credits)
        is_searched = kind != "company" or svc.connection.profile.finds_companies
        answer = _searched(svc, rows, kind) if is_searched else _fetched(svc, rows)
    return _matched(list_, rows, answer, kind, decided)


class Answer(NamedTuple):
    """The records to compare a list with, and the rows that were not looked up."""

    records: LazyFrame
    source: Source
    requests: tuple[str, ...]
    unasked: Collection[int] = ()
    cut: Collection[int] = ()  # other rows of which not every record was read


def _folder(svc: Service) -> Frames | None:
    """Open the folder behind an embedded service; None where it is served as of
    another day.
    """
    if not svc.source.is_embedded:
        return None
    with catch_warnings(action="ignore", category=VentureframeWarning):
        opened = bulk.open(svc.data or FOLDER)  # `connect` has warned of it
    return opened if opened.origin.source.as_of == svc.source.as_of else None


def _in_folder(frames: Frames, kind: Kind) -> Answer:
    records = frames[_FRAMES[kind]]
    if isinstance(records, NotThere):
        raise UnsupportedValue(records.name, field="frame", reason=records.reason)
    if not isinstance(records, LazyFrame):  # of another engine
        rows = nw.from_native(records).lazy().collect(backend="polars")
        records = rows.to_native().lazy()
    return Answer(records, frames.origin.source, ("the folder as a whole",))


def _fetched(svc: Service, rows: DataFrame) -> Answer:
    """Fetch all companies of a service that has no search for them."""
    query = svc.companies
    _announce(
        svc, f"all its companies are fetched, {query.cost()!r}; the list is not sent"
    )
    result = query.fetch()
    unasked = range(0 if result.is_complete else rows.height)
    records = result.to_polars().lazy()
    return Answer(records, svc.source, (result.line,), unasked)


def _searched(svc: Service, rows: DataFrame, kind: Kind) -> Answer:
    """Search a service for the name of each row, then for its domain if that is not
    found.
    """
    listed_rows, most = counted(rows.height, "row"), f"{2 * rows.height:,} requests"
    _announce(svc, f"names and domains of {listed_rows} are sent, in at most {most}")
    search = cache(partial(svc.connection.search, kind))
    records = list[Mapping[str, Any]]()
    cut, unasked = set[int](), range(0)
    texts = rows.select("row", "key", "name", "site")
    for row, key, name, site in texts.iter_rows():
        label = site and site.partition(".")[0]
        try:
            for text in filter(None, (name, label)):
                hits, is_cut = search(text)
                records += hits
                last = hits[-1]["name"] if is_cut and hits else None
                is_same = select(name_key(lit(last, String)) == key).item()
                if text == name and is_same:
                    cut.add(row)  # the likest come first, and all are of this name
                hosts = [hit["website_domain"] for hit in hits]
                if site in domains.registered(Series(hosts, dtype=String)):
                    break
        except FetchEnded as error:
            unasked = range(row, rows.height)
            warn(f"{counted(len(unasked), 'row')} of the list not looked up: {error}")
            break
    frame = DataFrame(records, schema=grades.RECORD).unique("uuid")
    requests = [f"search, {counted(search.cache_info().currsize, 'request')}"]
    if rows["year"].count() and kind == "company":
        pairs = grades.candidates(rows, grades.keyed_records(frame.lazy()))
        uuids = pairs["uuid"].unique(maintain_order=True)
        companies = counted(len(uuids), "company")
        _announce(svc, f"{companies} fetched for the founding year")
        result = svc.companies.by_id(uuids).without("founders").fetch()
        years = result.to_polars().select("uuid", "launch_date")
        frame = frame.drop("launch_date").join(years, on="uuid", how="left")
        requests.append(result.line)
    return Answer(frame.lazy(), svc.source, tuple(requests), unasked, cut)


def _announce(svc: Service, message: str) -> None:
    """Warn of what a live service is sent, before it is sent."""
    if not svc.source.is_embedded:
        warn(f"{svc.source.name}: {message}", VentureframeWarning)


def _matched(
    list_: List, rows: DataFrame, answer: Answer, kind: Kind, decided: Any
) -> Match:
    is_cut, is_unasked = col.row.is_in(answer.cut), col.row.is_in(answer.unasked)
    rows = rows.with_columns(is_cut=is_cut | is_unasked, is_unasked=is_unasked)
    records = grades.keyed_records(answer.records)
    made, notes = decisions.read(decided, list_, rows, records)
    named = made.join(records.select("uuid", record_name="name"), on="uuid")
    pairs = grades.candidates(rows, records)
    pairs = pairs.join(made.filter(~col.is_yes), on=["row", "uuid"], how="anti")
    graded = grades.graded(rows, pairs, named, is_company=kind == "company")
    near = grades.near_misses(graded.filter(grade="not found"), records)
    candidates = _undecided(concat([pairs, near], how="diagonal"), graded)
    graded = graded.select("row", "state", *(column.name for column in _GRADED))
    return Match(
        list_,
        kind,
        answer.source,
        graded,
        candidates,
        made,
        answer.requests,
        (*list_.notes, *notes),
        decide=partial(_matched, list_, rows, answer, kind),
    )


def _undecided(pairs: DataFrame, graded: DataFrame) -> DataFrame:
    """The candidates of the rows that are left to decide."""
    rows = graded.filter(col.record_uuid.is_null()).select("row", "grade", "why")
    by_name = when("is_name").then(lit("name")).otherwise(lit("near miss"))
    found_by = when("is_site").then(lit("domain")).otherwise(by_name)
    place = concat_str("hq_city", "hq_country", separator=", ", ignore_nulls=True)
    pairs = pairs.join(rows, on="row").sort("row", maintain_order=True)
    pairs = pairs.with_columns(
        found_by=found_by,
        record_uuid="uuid",
        record_domain="website_domain",
        record_place=place.replace("", None),
        record_year="launch_date",
        decision=lit(None, String),
    )
    return pairs.select("row", *(column.name for column in _CANDIDATE))
