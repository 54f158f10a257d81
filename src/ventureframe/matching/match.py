"""Her list held against the records: every row graded by what agrees, nothing guessed.

The domain is the registered one, by the public-suffix list: `https://www.acme.co.uk/team` and
`jo@acme.co.uk` are `acme.co.uk`. Names are compared without case, accents, punctuation, blanks and
legal forms at their end (Inc, Ltd, GmbH, …); places by their city. Grades:

- `domain`: the registered domains are equal, of one record and of one organisation of the list; not
  where the founding years are over three apart, or the names are other ones and so is the city or
  the founding year, because domains change hands; and not that of a platform.
- `name and place`: of the records of that name this alone is in that city, and no domain says
  otherwise (another domain, unless the founding years agree; one known domain that is not spelt as
  the name).
- `name only`: one record of that name, which nothing else confirms: a candidate, never used unless
  confirmed.
- `several`: more than one record of that name or domain, or the domain of a record that is told
  apart as above, or of several organisations of the list.
- `not found`: no record of that name or domain was found; never "does not exist".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

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
    from ventureframe.client.service import Service
    from ventureframe.client.walk import Progress

Kind = Literal["company", "university", "investor"]
_FRAMES: Final = {"company": "companies", "university": "universities", "investor": "investors"}
_FEW: Final = 50  # values of a column that the band is told by
_ANSWERS: Final = {
    **dict.fromkeys(("yes", "y", "x", "1", "true"), True),
    **dict.fromkeys(("no", "n", "0", "false"), False),
}
_BY: Final = {"domain": "by domain", "name and place": "by name and place"}


class Band(NamedTuple):
    """Of so many rows, at least and at most so many are in the records."""

    at_least: int
    at_most: int
    of: int

    def __str__(self) -> str:
        ends = f"at least {self.at_least:,}, at most {self.at_most:,}"
        return f"of {counted(self.of, 'row')} {ends} are in the records"


@dataclass(frozen=True, eq=False)
class Match:
    """What the records know of a list: see `match`.

    `graded` has a row per row of hers, `candidates` one per record that a person could mean.
    `requests` says what was asked of whom, and `notes` what she should know.
    """

    list: List
    kind: Kind
    source: Source
    graded: pl.DataFrame = field(repr=False)
    candidates: pl.DataFrame = field(repr=False)
    requests: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = [f"{count:,} {_BY.get(grade, grade)}" for grade, count in self.counts.items()]
        return f"{counted(self.graded.height, 'row')}: {' · '.join(counts)}"

    @property
    def counts(self) -> Mapping[str, int]:
        """Rows of each grade that has any; `decided by you` and `not asked` stand for themselves.

        >>> import ventureframe as vf
        >>> vf.match(vf.connect(environment={}), ["No Such Firm"]).counts
        {'not found': 1}
        """
        decided = pl.when(pl.col("decision").is_not_null()).then(pl.lit("decided by you"))
        grades = self.graded.select(pl.coalesce(decided, "grade", pl.lit("not asked")))
        found = dict(grades.to_series().value_counts().rows())
        every = (*GRADES, "decided by you", "not asked")
        return {grade: found[grade] for grade in every if grade in found}

    @property
    def uuids(self) -> tuple[str, ...]:
        """The records that are used, each once, in her order; hers where she decided."""
        return tuple(self.graded["record_uuid"].drop_nulls().unique(maintain_order=True))

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        """Name and UUID of each: how LPs and universities stand in a question."""
        used = self.graded.select("record_name", "record_uuid").drop_nulls("record_uuid")
        return tuple(used.unique("record_uuid", keep="first", maintain_order=True).rows())

    @property
    def band(self) -> Band:
        """How many rows are in the records: at least those by domain, at most with a candidate."""
        return Band(*self._bands().row(0))

    def by(self, column: str) -> Finding:
        """The band for each value of a column of hers that has few of them."""
        values = self.list.frame[column] if column in self.list.frame.columns else pl.Series()
        if not 0 < values.n_unique() <= _FEW:
            reason = f"give a column of the list with at most {_FEW} values"
            raise UnsupportedValue(column, field="column", reason=reason)
        rows = self._bands(values.cast(pl.String).alias("value")).sort("value", nulls_last=True)
        ends = columns("number", at_least="At least", at_most="At most", of="Of")
        title = f"On the list and in the records, by {column}"
        return self._finding(title, (Column("value", column), *ends), rows, "by")

    @cached_property
    def rows(self) -> Finding:
        """Every row of hers, in her order and with her columns first: its grade, record and why."""
        heads = (*_ADDED, Column("record_uuid", "Record UUID", "id", null="–"))
        return self._hers("The list, row by row", heads, self.graded, "list")

    @cached_property
    def to_check(self) -> Finding:
        """The rows that a person must decide, a line per candidate, with a column to fill in.

        Write yes or no under Decision, and give the file as `decided=`. A near miss is a record
        that shares a rare word of the name; it is never a match.
        """
        return self._hers("To be decided", _CANDIDATE, self.candidates, "to-check")

    def _hers(self, title: str, own: tuple[Column, ...], rows: pl.DataFrame, name: str) -> Finding:
        """The rows, her columns first; a heading of ours is made another where she has it."""
        hers, frame = self.list.frame, rows.select([one.name for one in own])
        other = {head: f"{head} (found)" for head in hers.columns}
        heads = [
            replace(c, name=other.get(c.name, c.name), label=other.get(c.label, c.label))
            for c in own
        ]
        frame.columns = [head.name for head in heads]
        shown = (*(Column(head, head, null="") for head in hers.columns), *heads)
        return self._finding(title, shown, hers[rows["row"].to_list()].hstack(frame), name)

    def _bands(self, *by: pl.Series) -> pl.DataFrame:
        is_used, is_decided = (pl.col(n).is_not_null() for n in ("record_uuid", "decision"))
        known = pl.when(is_decided).then(is_used).otherwise(pl.col("grade") == "domain")
        maybe = is_used | (~is_decided & (pl.col("grade") != "not found"))
        ends = {"at_least": known.fill_null(value=False), "at_most": maybe.fill_null(value=True)}
        sums = [end.sum().cast(pl.Int64).alias(name) for name, end in ends.items()]
        sums.append(pl.len().cast(pl.Int64).alias("of"))
        rows = self.graded.with_columns(*by)
        return rows.group_by("value").agg(*sums) if by else rows.select(*sums)

    def _finding(
        self, title: str, heads: tuple[Column, ...], rows: pl.DataFrame, name: str
    ) -> Finding:
        about = caption(repr(self), *self.notes)
        called = file_name(self.list.name, name, source=self.source)
        return Finding(title, about, heads, rows, self.source, None, called, self.requests)


_RECORD: Final = {"record_name": "Name in the records", "differs": "Differs"}
_ADDED: Final = columns("text", null="–", grade="Grade", **_RECORD, why="Why", decision="Decision")
_CANDIDATE: Final = (
    *columns("text", null="–", grade="Grade", found_by="Found by", **_RECORD),
    *columns("text", record_domain="Its domain", record_place="Its place"),
    *(Column("record_year", "Its year", "year"), Column("record_uuid", "Record UUID", "id")),
    Column("decision", "Decision", null=""),
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
    """Find her companies, universities or investors in the records, each row with a grade.

    Over a dataset folder or a pull all rows are compared at once and nothing is sent. Of a live
    service the search is asked, at most twice a row (companies: on the wire of 2026-10-02; where
    the list has years, the companies found are fetched for theirs); the older wire has no search
    for companies, so its whole collection is fetched. What is sent is said before, by a warning.

    Parameters
    ----------
    svc : Service or Frames
        The service, or what `vf.bulk.open(folder)` gives.
    given : path, text, list of names, or frame
        Her list: see `matching.lists.read`.
    kind : {"company", "university", "investor"}
        What it lists.
    name, domain, place, year, sheet : str, optional
        Her headings, where they are not recognised; the sheet of a workbook.
    decided : path or frame, optional
        `to_check` as she filled it in: yes or no under Decision, keyed by her own name and domain.
    at_most : int, optional
        Before more requests are sent, the rest of the rows is left as not asked.
    progress : bool or function, optional
        A bar, or what is told rows and total, while a collection is fetched.

    Raises `UnsupportedValue` where list or decisions cannot be read.

    Examples
    --------
    >>> import ventureframe as vf
    >>> svc = vf.connect(environment={})
    >>> vf.match(svc, "Company\\tCity\\nNo Such Firm\\tOslo")
    1 row: 1 not found
    """
    if kind not in _FRAMES:
        raise UnsupportedValue(kind, field="kind", reason=f"give one of {listed(_FRAMES)}")
    own = lists.read(given, name=name, domain=domain, place=place, year=year, sheet=sheet)
    mine = grades.keyed_list(
        pl.DataFrame([own.column(what) for what in lists.HEADINGS]).with_row_index("row")
    )
    folder = svc if isinstance(svc, bulk.Frames) else _folder_of(svc)
    if folder is None and not isinstance(svc, bulk.Frames):
        found = _asked(svc._within(at_most), own, mine, kind, progress)
    elif folder:
        records = folder[_FRAMES[kind]]
        if isinstance(records, NotThere):
            raise UnsupportedValue(records.name, field="frame", reason=records.reason)
        found = Found(records, folder.origin.source, ("the folder as a whole",))
    return _matched(own, mine, found, kind, decided)


class Found(NamedTuple):
    """Records that a list is held against, and which rows were not asked for."""

    records: pl.LazyFrame
    source: Source
    requests: tuple[str, ...]
    left: frozenset[int] = frozenset()


def _folder_of(svc: Service) -> Frames | None:
    """The folder behind an embedded service; None where it is served as of another day."""
    if not svc.source.is_embedded:
        return None
    opened = bulk.open(svc.data or FOLDER)
    return opened if opened.origin.source.as_of == svc.source.as_of else None


def _asked(
    svc: Service, own: List, mine: pl.DataFrame, kind: Kind, progress: bool | Progress | None
) -> Found:
    """What a service finds for the rows, said before it is asked."""
    connection = svc.connection
    if kind == "company" and not connection.profile.finds_companies:
        query = svc.companies
        _say(svc, f"all its companies are fetched, {query.cost()!r}; the list is not sent")
        result = query.fetch(progress)
        every = frozenset(range(own.frame.height if not result.is_complete else 0))
        return Found(result.to_polars().lazy(), svc.source, (result.line,), every)
    names, sites = own.column("name"), grades.registered(own.column("domain"))
    found, left, sent = dict[str, Mapping[str, Any]](), frozenset[int](), 0
    known = dict[str, set[str | None]]()
    many = counted(own.frame.height, "row")
    _say(svc, f"names and domains of {many} are sent, in at most {2 * own.frame.height:,} requests")
    for row, (name, site) in enumerate(zip(names, sites, strict=True)):
        texts = (name, site and site.partition(".")[0])
        try:
            for text in filter(None, texts):
                if text not in known:
                    hits, _ = connection.search(kind, text)
                    sent += 1
                    found |= {hit["uuid"]: hit for hit in hits}
                    hosts = pl.Series([hit["website_domain"] for hit in hits], dtype=pl.String)
                    known[text] = set(grades.registered(hosts))
                if site in known[text]:
                    break
        except FetchEnded as error:
            left = frozenset(range(row, own.frame.height))
            warn(f"{counted(len(left), 'row')} of the list not asked for: {error}")
            break
    records = pl.DataFrame([*found.values()], schema=grades.RECORD)
    requests = [f"search, {counted(sent, 'request')}"]
    if own.columns["year"] and kind == "company":
        pairs = grades.candidates(mine, grades.keyed_records(records.lazy(), mine))
        _say(svc, f"{counted(pairs['uuid'].n_unique(), 'company')} fetched for the founding year")
        result = svc.companies.by_id(pairs["uuid"].unique(maintain_order=True)).fetch(progress)
        years = result.to_polars().select("uuid", "launch_date")
        records = records.drop("launch_date").join(years, on="uuid", how="left")
        requests.append(result.line)
    return Found(records.lazy(), svc.source, tuple(requests), left)


def _say(svc: Service, what: str) -> None:
    """Say what a service is sent, before it is."""
    if not svc.source.is_embedded:
        warn(f"{svc.source.name}: {what}", VentureframeWarning)


def _matched(own: List, mine: pl.DataFrame, found: Found, kind: Kind, decided: Any) -> Match:
    records = grades.keyed_records(found.records, mine)
    yes, no, notes = _decisions(decided, own, mine, records)
    pairs = grades.candidates(mine, records).join(no, on=["row", "uuid"], how="anti")
    rows = grades.graded(mine, pairs, is_company=kind == "company")
    is_left = pl.col("row").is_in([*found.left]) & (pl.col("grade") == "not found")
    rows = rows.with_columns(
        grade=pl.when(~is_left).then("grade"),
        why=pl.when(is_left).then(pl.lit("not asked for")).otherwise("why"),
        decision=pl.lit(None, pl.String),
    )
    hers = yes.join(records, on="uuid").select(
        *("row", pl.lit("yes").alias("decision"), pl.lit("decided by you").alias("why")),
        *(pl.lit(None, pl.String).alias("differs"), pl.col("uuid").alias("record_uuid")),
        record_name="name",
    )
    left = no.select("row", decision=pl.lit("no")).unique().join(pairs, on="row", how="anti")
    rows = rows.update(hers, on="row", include_nulls=True).update(left, on="row")
    rows = rows.sort("row").select("row", *(one.name for one in _ADDED), "record_uuid")
    is_open = (pl.col("grade") == "not found") & pl.col("decision").is_null()
    near = grades.near_misses(mine.join(rows.filter(is_open), on="row", how="semi"), records)
    near = near.join(no, on=["row", "uuid"], how="anti")
    shown = _shown(pl.concat([pairs, near], how="diagonal"), rows)
    return Match(own, kind, found.source, rows, shown, found.requests, (*own.notes, *notes))


def _shown(pairs: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """The candidates of the rows that are not decided."""
    open_rows = rows.filter(pl.col("record_uuid").is_null()).select("row", "grade")
    by_site = pl.when("is_site").then(pl.lit("domain"))
    by_name = pl.when("is_name").then(pl.lit("name"))
    place = pl.concat_str("hq_city", "hq_country", separator=", ", ignore_nulls=True)
    return (
        pairs.join(open_rows, on="row")
        .sort("row", maintain_order=True)
        .select(
            *("row", "grade", "record_name", "differs"),
            found_by=pl.coalesce(by_site, by_name, pl.lit("near miss")),
            record_domain="website_domain",
            record_place=place.replace("", None),
            record_year="launch_date",
            record_uuid="uuid",
            decision=pl.lit(None, pl.String),
        )
    )


def _decisions(
    decided: Any, own: List, mine: pl.DataFrame, records: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, tuple[str, ...]]:
    """Her decisions for and against records, by row of the list, and which apply no longer."""
    if decided is None:
        none = pl.DataFrame(schema={"row": pl.UInt32, "uuid": pl.String})
        return none, none, ()
    given = lists.read(decided, name=own.columns["name"], domain=own.columns["domain"])
    heads = {lists.spaced(head): head for head in given.frame.columns}
    if missing := [head for head in ("decision", "record uuid") if head not in heads]:
        reason = f"it has no column {missing[0]!r}"
        raise UnsupportedValue(given.name, field="decided", reason=reason)
    parts = (_undone(pl.col(name)) for name in ("name", "domain"))
    keys = pl.concat_str(*parts, separator=", ", ignore_nulls=True)
    said, uuid = (
        given.frame[heads[head]].cast(pl.String).str.strip_chars().str.to_lowercase().alias(name)
        for head, name in (("decision", "said"), ("record uuid", "uuid"))
    )
    named = pl.DataFrame([given.column("name"), given.column("domain")]).select(key=keys)
    made = named.with_columns(said, uuid, line=pl.Series(given.lines))
    made = made.filter(pl.col("said").fill_null("") != "").with_columns(
        is_yes=pl.col("said").replace_strict(_ANSWERS, default=None, return_dtype=pl.Boolean)
    )
    made = made.unique(["key", "uuid", "is_yes"], keep="first", maintain_order=True)
    wrong = {
        "line {} has neither yes nor no under Decision": pl.col("is_yes").is_null(),
        "line {} is a second yes for this row: keep one": pl.col("is_yes")
        & (pl.col("is_yes").cum_sum().over("key") > 1),
    }
    for reason, holds in wrong.items():
        for line, key in made.filter(holds).select("line", "key").rows()[:1]:
            raise UnsupportedValue(key, field="decided", reason=reason.format(line))
    rows = made.join(mine.select("row", key=keys), on="key", how="left")
    gone = rows.filter(pl.col("row").is_null() | ~pl.col("uuid").is_in(records["uuid"].implode()))
    rows = rows.join(gone, on=["key", "uuid"], how="anti")
    names = "; ".join(gone["key"].unique(maintain_order=True))
    notes = (f"{counted(gone.height, 'decision')} no longer applied: {names}",) if names else ()
    yes, no = rows.filter("is_yes"), rows.filter(~pl.col("is_yes"))
    return yes.select("row", "uuid"), no.select("row", "uuid"), notes


def _undone(text: pl.Expr) -> pl.Expr:
    """The text as it was before a CSV kept it from being a formula, to be compared."""
    return text.str.replace(r"^'([=+\-@])", "$1").str.to_lowercase()
