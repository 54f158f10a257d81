"""Match a user's list to the records: every row graded by what agrees, nothing guessed.

Domains are registered ones by the public-suffix list: `https://www.acme.co.uk/team` and
`jo@acme.co.uk` are `acme.co.uk`. Names are compared without case, accents, punctuation,
blanks and legal forms at their end (Inc, Ltd, GmbH, …), places by their city. Grades:

- `domain`: the registered domains are equal, of one record and of one organisation of
the list. A
  platform's domain does not count, nor one that seems to have changed hands: the
  founding years are over three apart, or the names differ and so does the city or the
  founding year.
- `name and place`: of the records with that name only this one is in that city, and no
domain
  contradicts it: another domain (unless the founding years agree), or a single known
  domain that is not spelt as the name.
- `name only`: one record has that name, and nothing else confirms it: a candidate,
never used
  unless confirmed.
- `several`: more than one record has that name or domain, the domain seems to have
changed hands,
  or several organisations of the list have it.
- `not found`: no record with that name or domain was found; never "does not exist".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import narwhals as nw
import polars as pl

from ventureframe import bulk
from ventureframe.display.finding import Finding
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import caption, counted, file_name, listed
from ventureframe.errors import FetchEnded, UnsupportedValue, VentureframeWarning, warn
from ventureframe.interface.source import NotThere, Source
from ventureframe.matching import grades, lists
from ventureframe.matching.grades import GRADES
from ventureframe.matching.lists import List
from ventureframe_service.dataset import FOLDER

if TYPE_CHECKING:
    from ventureframe.bulk.open import Frames
    from ventureframe.client.paging import Progress
    from ventureframe.client.service import Service

Kind = Literal["company", "university", "investor"]
_FRAMES: Final = {
    "company": "companies",
    "university": "universities",
    "investor": "investors",
}
_KEY: Final = ("name", "domain")  # columns that a decision is found by
_FEW: Final = 50  # values of a column by which the band is shown
_ANSWERS: Final = {
    **dict.fromkeys(("yes", "y", "x", "1", "true"), True),
    **dict.fromkeys(("no", "n", "0", "false"), False),
}
_IN_WORDS: Final = {"domain": "by domain", "name and place": "by name and place"}
_RECORD: Final = {"record_name": "Name in the records", "differs": "Differs"}
_GRADED: Final = columns(
    "text", null="–", grade="Grade", **_RECORD, why="Why", decision="Decision"
)
_CANDIDATE: Final = (
    *columns("text", null="–", grade="Grade", found_by="Found by", **_RECORD),
    *columns("text", record_domain="Its domain", record_place="Its place"),
    *(
        Column("record_year", "Its year", "year"),
        Column("record_uuid", "Record UUID", "id"),
    ),
    Column("decision", "Decision", null=""),
)


class Band(NamedTuple):
    """How many of the rows are in the records, at least and at most."""

    at_least: int
    at_most: int
    of: int

    def __str__(self) -> str:
        is_one = self.at_least == self.at_most
        ends = (
            f"{self.at_most:,}"
            if is_one
            else f"at least {self.at_least:,}, at most {self.at_most:,}"
        )
        return f"of {counted(self.of, 'row')} {ends} are in the records"


@dataclass(frozen=True, eq=False, repr=False)
class Match:
    """What the records know of a list: see `match`.

    `graded` has a row per row of the list, `candidates` one per record that is left
    to decide. `requests` says what was asked of which source, and `notes` what the
    user should know.
    """

    list: List
    kind: Kind
    source: Source
    graded: pl.DataFrame
    candidates: pl.DataFrame
    requests: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = [
            f"{many:,} {_IN_WORDS.get(grade, grade)}"
            for grade, many in self.counts.items()
        ]
        return f"{counted(self.graded.height, 'row')}: {' · '.join(counts)}"

    @property
    def counts(self) -> Mapping[str, int]:
        """Rows of each grade that has any; `decided by you` and `not asked` are counted
        apart.

        >>> import ventureframe as vf
        >>> vf.match(vf.connect(environment={}), ["No Such Firm"]).counts
        {'not found': 1}
        """
        decided = pl.when(pl.col("decision").is_not_null()).then(
            pl.lit("decided by you")
        )
        rows = self.graded.select(
            pl.coalesce(decided, "grade", pl.lit("not asked"))
        ).to_series()
        counts = dict(rows.value_counts().rows())
        order = (*GRADES, "decided by you", "not asked")
        return {grade: counts[grade] for grade in order if grade in counts}

    @property
    def uuids(self) -> tuple[str, ...]:
        """The UUIDs of the records that are used, each once, in the order of the
        list.
        """
        return tuple(
            self.graded["record_uuid"].drop_nulls().unique(maintain_order=True)
        )

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        """Their names and UUIDs, as a question takes LPs and universities."""
        used = self.graded.select("record_name", "record_uuid").drop_nulls(
            "record_uuid"
        )
        return tuple(
            used.unique("record_uuid", keep="first", maintain_order=True).rows()
        )

    @property
    def band(self) -> Band:
        """How many rows are in the records: at least those by domain, at most with a
        candidate.
        """
        return Band(*self._bands().row(0))

    def by(self, column: str) -> Finding:
        """Show the band for each value of a column of the list that has few of them."""
        values = (
            self.list.frame[column]
            if column in self.list.frame.columns
            else pl.Series()
        )
        if not 0 < values.n_unique() <= _FEW:
            reason = f"give a column of the list with at most {_FEW} values"
            raise UnsupportedValue(column, field="column", reason=reason)
        rows = self._bands(values.cast(pl.String).alias("value")).sort(
            "value", nulls_last=True
        )
        ends = columns("number", at_least="At least", at_most="At most", of="Of")
        title = f"On the list and in the records, by {column}"
        return self._finding(title, (Column("value", column), *ends), rows, "by")

    @cached_property
    def rows(self) -> Finding:
        """Every row of the list, in its order and with its columns first: grade,
        record and why.
        """
        own = (*_GRADED, Column("record_uuid", "Record UUID", "id", null="–"))
        return self._beside_list("The list, row by row", own, self.graded, "list")

    @cached_property
    def to_check(self) -> Finding:
        """The rows that a person must decide, a line per candidate, with a column to
        fill in.

        Write yes or no under Decision, and give the file as `decided=`. A near miss
        is a record that shares a rare word of the name; it is never a match.
        """
        return self._beside_list(
            "To be decided", _CANDIDATE, self.candidates, "to-check"
        )

    def _beside_list(
        self, title: str, own: tuple[Column, ...], rows: pl.DataFrame, name: str
    ) -> Finding:
        """Show the columns of the list first; an own heading that the list has is
        changed.
        """
        users, frame = self.list.frame, rows.select([column.name for column in own])
        apart = {head: f"{head} (found)" for head in users.columns}
        heads = [
            replace(
                c, name=apart.get(c.name, c.name), label=apart.get(c.label, c.label)
            )
            for c in own
        ]
        frame.columns = [head.name for head in heads]
        every = (*(Column(head, head, null="") for head in users.columns), *heads)
        return self._finding(
            title, every, users[rows["row"].to_list()].hstack(frame), name
        )

    def _bands(self, *by: pl.Series) -> pl.DataFrame:
        is_used, is_decided = (
            pl.col(n).is_not_null() for n in ("record_uuid", "decision")
        )
        known = pl.when(is_decided).then(is_used).otherwise(pl.col("grade") == "domain")
        maybe = is_used | (~is_decided & (pl.col("grade") != "not found"))
        ends = {
            "at_least": known.fill_null(value=False),
            "at_most": maybe.fill_null(value=True),
        }
        sums = [end.sum().cast(pl.Int64).alias(name) for name, end in ends.items()]
        sums.append(pl.len().cast(pl.Int64).alias("of"))
        rows = self.graded.with_columns(*by)
        return rows.group_by("value").agg(*sums) if by else rows.select(*sums)

    def _finding(
        self, title: str, heads: tuple[Column, ...], rows: pl.DataFrame, name: str
    ) -> Finding:
        about = caption(repr(self), *self.notes)
        file = file_name(self.list.name, name, source=self.source)
        return Finding(
            title, about, heads, rows, self.source, None, file, self.requests
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
    progress: bool | Progress | None = None,
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
    given : path, text, list of names, or frame
        The list: see `matching.lists.read`.
    kind : {"company", "university", "investor"}
        What it lists.
    name, domain, place, year, sheet : str, optional
        The headings of these columns, where they are not recognised; the sheet of a
        workbook.
    decided : path or frame, optional
        `to_check` filled in: yes or no under Decision, keyed by the list's own name and
        domain.
    at_most : int, optional
        Before more requests are sent, the rest of the rows is left as not asked.
    progress : bool or function, optional
        A bar, or a function of rows and total, while a collection is fetched.

    Raises `UnsupportedValue` where list or decisions cannot be read.

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> vf.match(svc, "Company\\tCity\\nNo Such Firm\\tOslo")
    1 row: 1 not found
    """
    if kind not in _FRAMES:
        raise UnsupportedValue(
            kind, field="kind", reason=f"give one of {listed(_FRAMES)}"
        )
    list_ = lists.read(
        given, name=name, domain=domain, place=place, year=year, sheet=sheet
    )
    texts = pl.DataFrame([list_.column(meaning) for meaning in lists.HEADINGS])
    rows = grades.keyed_list(texts.with_row_index("row"))
    if isinstance(svc, bulk.Frames):
        answer = _in_folder(svc, kind)
    elif folder := _folder(svc):
        answer = _in_folder(folder, kind)
    elif kind == "company" and not svc.connection.profile.finds_companies:
        answer = _fetched(svc._within(at_most), rows, progress)
    else:
        answer = _searched(svc._within(at_most), rows, kind, progress)
    return _matched(list_, rows, answer, kind, decided)


class Answer(NamedTuple):
    """The records to compare a list with, and the rows that were not asked for."""

    records: pl.LazyFrame
    source: Source
    requests: tuple[str, ...]
    unasked: frozenset[int] = frozenset()


def _folder(svc: Service) -> Frames | None:
    """Open the folder behind an embedded service; None where it is served as of
    another day.
    """
    opened = bulk.open(svc.data or FOLDER) if svc.source.is_embedded else None
    return opened if opened and opened.origin.source.as_of == svc.source.as_of else None


def _in_folder(frames: Frames, kind: Kind) -> Answer:
    records = frames[_FRAMES[kind]]
    if isinstance(records, NotThere):
        raise UnsupportedValue(records.name, field="frame", reason=records.reason)
    if not isinstance(records, pl.LazyFrame):  # of another engine
        records = (
            nw.from_native(records).lazy().collect(backend="polars").to_native().lazy()
        )
    return Answer(records, frames.origin.source, ("the folder as a whole",))


def _fetched(
    svc: Service, rows: pl.DataFrame, progress: bool | Progress | None
) -> Answer:
    """Fetch all companies of a service that has no search for them."""
    query = svc.companies
    _announce(
        svc, f"all its companies are fetched, {query.cost()!r}; the list is not sent"
    )
    result = query.fetch(progress)
    unasked = frozenset[int]() if result.is_complete else frozenset(rows["row"])
    return Answer(result.to_polars().lazy(), svc.source, (result.line,), unasked)


def _searched(
    svc: Service, rows: pl.DataFrame, kind: Kind, progress: bool | Progress | None
) -> Answer:
    """Search a service for the name of each row, then for its domain if that is not
    found.
    """
    records, sites, unasked = (
        dict[str, Mapping[str, Any]](),
        dict[str, set[str]](),
        frozenset[int](),
    )
    most = f"in at most {2 * rows.height:,} requests"
    _announce(
        svc, f"names and domains of {counted(rows.height, 'row')} are sent, {most}"
    )
    for row, name, site in rows.select("row", "name", "site").iter_rows():
        try:
            for text in filter(None, (name, site and site.partition(".")[0])):
                if text not in sites:
                    hits, _ = svc.connection.search(kind, text)
                    records |= {hit["uuid"]: hit for hit in hits}
                    hosts = pl.Series(
                        [hit["website_domain"] for hit in hits], dtype=pl.String
                    )
                    sites[text] = set(grades.registered(hosts))
                if site in sites[text]:
                    break
        except FetchEnded as error:
            unasked = frozenset(range(row, rows.height))
            warn(f"{counted(len(unasked), 'row')} of the list not asked for: {error}")
            break
    frame = pl.DataFrame([*records.values()], schema=grades.RECORD)
    requests = [f"search, {counted(len(sites), 'request')}"]
    if rows["year"].count() and kind == "company":
        pairs = grades.candidates(rows, grades.keyed_records(frame.lazy(), rows))
        uuids = pairs["uuid"].unique(maintain_order=True)
        _announce(
            svc, f"{counted(len(uuids), 'company')} fetched for the founding year"
        )
        result = svc.companies.by_id(uuids).fetch(progress)
        years = result.to_polars().select("uuid", "launch_date")
        frame = frame.drop("launch_date").join(years, on="uuid", how="left")
        requests.append(result.line)
    return Answer(frame.lazy(), svc.source, tuple(requests), unasked)


def _announce(svc: Service, what: str) -> None:
    """Warn of what a live service is sent, before it is sent."""
    if not svc.source.is_embedded:
        warn(f"{svc.source.name}: {what}", VentureframeWarning)


def _matched(
    list_: List, rows: pl.DataFrame, answer: Answer, kind: Kind, decided: Any
) -> Match:
    records = grades.keyed_records(answer.records, rows)
    yes, no, notes = _decisions(decided, list_, rows, records)
    pairs = grades.candidates(rows, records).join(no, on=["row", "uuid"], how="anti")
    graded = grades.graded(rows, pairs, is_company=kind == "company")
    is_unasked = pl.col("row").is_in([*answer.unasked]) & (
        pl.col("grade") == "not found"
    )
    graded = graded.with_columns(
        grade=pl.when(~is_unasked).then("grade"),
        why=pl.when(is_unasked).then(pl.lit("not asked for")).otherwise("why"),
        decision=pl.lit(None, pl.String),
    )
    confirmed = yes.join(records, on="uuid").select(
        *(
            "row",
            pl.lit("yes").alias("decision"),
            pl.lit("decided by you").alias("why"),
        ),
        *(
            pl.lit(None, pl.String).alias("differs"),
            pl.col("uuid").alias("record_uuid"),
        ),
        record_name="name",
    )
    refused = (
        no.select("row", decision=pl.lit("no"))
        .unique()
        .join(pairs, on="row", how="anti")
    )
    graded = graded.update(confirmed, on="row", include_nulls=True).update(
        refused, on="row"
    )
    graded = graded.sort("row").select("row", *(c.name for c in _GRADED), "record_uuid")
    is_open = (pl.col("grade") == "not found") & pl.col("decision").is_null()
    near = grades.near_misses(
        rows.join(graded.filter(is_open), on="row", how="semi"), records
    )
    near = near.join(no, on=["row", "uuid"], how="anti")
    candidates = _undecided(pl.concat([pairs, near], how="diagonal"), graded)
    notes = (*list_.notes, *notes)
    return Match(list_, kind, answer.source, graded, candidates, answer.requests, notes)


def _undecided(pairs: pl.DataFrame, graded: pl.DataFrame) -> pl.DataFrame:
    """The candidates of the rows that are left to decide."""
    rows = graded.filter(pl.col("record_uuid").is_null()).select("row", "grade")
    by_site = pl.when("is_site").then(pl.lit("domain"))
    by_name = pl.when("is_name").then(pl.lit("name"))
    place = pl.concat_str("hq_city", "hq_country", separator=", ", ignore_nulls=True)
    pairs = pairs.join(rows, on="row").sort("row", maintain_order=True)
    return pairs.select(
        *("row", "grade", "record_name", "differs"),
        found_by=pl.coalesce(by_site, by_name, pl.lit("near miss")),
        record_domain="website_domain",
        record_place=place.replace("", None),
        record_year="launch_date",
        record_uuid="uuid",
        decision=pl.lit(None, pl.String),
    )


def _decisions(
    decided: Any, list_: List, rows: pl.DataFrame, records: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, tuple[str, ...]]:
    """Read the decisions for and against records, by row, and note those that no
    longer apply.
    """
    if decided is None:
        none = pl.DataFrame(schema={"row": pl.UInt32, "uuid": pl.String})
        return none, none, ()
    table = lists.read(
        decided, name=list_.columns["name"], domain=list_.columns["domain"]
    )
    heads = {lists.spaced(head): head for head in table.frame.columns}
    if missing := [head for head in ("decision", "record uuid") if head not in heads]:
        reason = f"it has no column {missing[0]!r}"
        raise UnsupportedValue(table.name, field="decided", reason=reason)
    # as they were before a CSV kept them from being formulas
    texts = (
        pl.col(n).str.replace(r"^'([=+\-@])", "$1").str.to_lowercase() for n in _KEY
    )
    key = pl.concat_str(*texts, separator=", ", ignore_nulls=True)
    text, uuid = (
        table.frame[heads[head]].cast(pl.String).str.strip_chars().str.to_lowercase()
        for head in ("decision", "record uuid")
    )
    is_yes = text.replace_strict(_ANSWERS, default=None, return_dtype=pl.Boolean)
    made = pl.DataFrame([table.column(name) for name in _KEY]).select(key=key)
    made = made.with_columns(uuid=uuid, is_yes=is_yes, line=pl.Series(table.lines))
    made = made.filter(text.fill_null("") != "")
    made = made.unique(["key", "uuid", "is_yes"], keep="first", maintain_order=True)
    is_second = pl.col("is_yes") & (pl.col("is_yes").cum_sum().over("key") > 1)
    for reason, is_wrong in (
        ("line {} has neither yes nor no under Decision", pl.col("is_yes").is_null()),
        ("line {} is a second yes for this row: keep one", is_second),
    ):
        for line, entry in made.filter(is_wrong).select("line", "key").rows()[:1]:
            raise UnsupportedValue(entry, field="decided", reason=reason.format(line))
    made = made.join(rows.select("row", key=key), on="key", how="left")
    gone = made.filter(
        pl.col("row").is_null() | ~pl.col("uuid").is_in(records["uuid"].implode())
    )
    made = made.join(gone, on=["key", "uuid"], how="anti").select(
        "row", "uuid", "is_yes"
    )
    names = "; ".join(gone["key"].unique(maintain_order=True))
    notes = (
        (f"{counted(gone.height, 'decision')} no longer applied: {names}",)
        if names
        else ()
    )
    return made.filter("is_yes"), made.filter(~pl.col("is_yes")), notes
