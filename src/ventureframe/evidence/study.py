"""What every study carries: its answer, its findings, what it rests on and what it
cannot tell.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import astuple, dataclass, replace
from itertools import starmap
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from ventureframe.client.result import (
    Result,
    Saved,
    doubts,
    extent,
    is_read,
    lead,
    limited,
    save,
)
from ventureframe.display.finding import Exhibit, documented
from ventureframe.display.statement import has_value
from ventureframe.display.table import SHAPES, Column, columns
from ventureframe.display.wording import (
    NULLS,
    condition,
    counted,
    day_in_words,
    listed,
    origin,
    unwrap,
)
from ventureframe.display.workbook import workbook
from ventureframe.errors import SaveError, visible
from ventureframe.evidence import scope
from ventureframe.evidence.answer import Answer, Limits
from ventureframe.evidence.claims import (
    RULES,
    Caveat,
    Claim,
    KeyFigure,
    limit,
    material,
)
from ventureframe.interface.files import ending, home, write_whole
from ventureframe.interface.filters import parse
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.gone import Renamed
from ventureframe.interface.source import Provenance, Source

TOP_LIMITS = 3


def _texts(rows: Iterable[Sequence[str | None]], *names: str) -> pl.DataFrame:
    return pl.DataFrame(list(rows), dict.fromkeys(names, pl.String), orient="row")


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(Renamed):
    """What every study carries; the findings of each stand beside these.

    Attributes
    ----------
    frames : mapping of str to frame
        The polars frame of each finding, by its name.
    subject, sentence, key_figures : str, str, tuple of KeyFigure
        What the study is about, what its counts say, and the numbers beside that.
    statements, limits : tuple of Claim, tuple of Caveat
        What is stated, how far records carry it and which; what the study cannot tell,
        and by which rule. `claims` and `caveats` list them.
    currency : {"USD", "EUR", "GBP"} or None
        The currency of converted amounts; None where the study has none.
    source, fetched : Source or None, tuple of Result
        Where the records come from, marked where a fetch was not read to its end, and
        the results as the service gave them; empty where `find` was called with frames.
    question : evidence.Question or None
        What was asked; None where `find` was called with frames.
    chosen, conditions : tuple of str
        Its tags and places, and its conditions, in words.
    """

    name: ClassVar[str] = ""
    """What a study of this kind is called: its folder, its notebook, and in a save."""
    about: ClassVar[str] = ""
    """What a study of this kind shows of its subject, for the title."""
    lead: ClassVar[tuple[str, ...]] = ()
    """What a report begins with: the finding of its `table`, that of its `figure`, and
    the columns of that one's labels and lengths.
    """
    lists: ClassVar[tuple[str, ...]] = ()
    """The lists of records that the study reads: only a gap in one of these is a main
    limit.
    """
    population: ClassVar[str] = ""
    """The records that are counted, in words that may name the `{study.subject}`."""
    measures: ClassVar[tuple[str, ...]] = ()
    """What it counts of its records, the most important first: `total_funding`,
    `rounds`; `groups` that overlap, and `years`.
    """
    stands: ClassVar[Set[str]] = {
        "claims",
        "caveats",
        "coverage",
        "glossary",
        "sources",
    }
    """The findings that rest on nothing that a service may withhold."""

    frames: Mapping[str, pl.DataFrame]
    subject: str
    sentence: str
    key_figures: tuple[KeyFigure, ...]
    limits: tuple[Caveat, ...]
    statements: tuple[Claim, ...] = ()
    currency: str | None = None
    source: Source | None = None
    fetched: tuple[Result, ...] = ()
    question: Any = None
    chosen: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()

    claims = Exhibit(
        "Claims and their basis: {subject}",
        (
            Column("claim", "Claim"),
            Column("status", "Status", "state"),
            Column("basis", "Basis"),
        ),
        rows=lambda study: _texts(
            map(astuple, study.statements), "claim", "status", "basis"
        ),
        nothing="No claim is made.",
    )
    caveats = Exhibit(
        "Limits: {subject}",
        columns("text", because="Because", caveat="What this cannot tell"),
        rows=lambda study: _texts(_limits(study.weighed), "because", "caveat", "rule"),
        nothing="No further limits.",
    )
    coverage = Exhibit(
        "Coverage: {subject}",
        columns("text", record="Record", field="Field")
        + columns("number", known="Known", of="Of"),
        lambda _: ["a field that is not recorded may still have a value"],
        meaning="How many records have each field used.",
    )
    glossary = Exhibit(
        "Columns of this report: {subject}",
        columns(
            "text",
            null="",
            column="Column",
            meaning="Meaning",
            holds="Holds",
            known="Recorded",
            ends="From – to",
        ),
        lambda _: [NULLS],
        rows=lambda study: _texts(
            _columns(study), "column", "meaning", "holds", "known", "ends"
        ),
        meaning=(
            "Each column, in how many rows it is recorded, its first and last date or"
            " year."
        ),
    )
    sources = Exhibit(
        "Sources and dates",
        columns("text", what="What", value="Value"),
        rows=lambda study: _texts(
            (row for row in _sources(study) if row[1]), "what", "value"
        ),
    )

    def __post_init__(self) -> None:
        gaps = self.source.incomplete if self.source else ()
        requested = [gap.filter for gap in gaps]
        pulled = [gap.filter for gap in gaps if gap.collection == "companies"]
        words = [condition(parse(text), self.currency or "") for text in pulled if text]
        conditions = dict.fromkeys((*words, *self.conditions))
        object.__setattr__(self, "conditions", tuple(conditions))
        for request in self.provenance:
            requested += (request.filter, request.sort)
        measures = () if self.is_empty else self.measures
        notices = [*scope.notices(filter(None, requested), measures)]
        first = [notice for notice in notices if notice.is_material]
        limits = dict.fromkeys((*first, *self.limits, *notices))
        object.__setattr__(self, "limits", tuple(limits))

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        exhibits = [getattr(cls, name) for name in cls.findings()]
        cls.__doc__ = documented(cls.__doc__, exhibits)

    @classmethod
    def from_words(
        cls, words: Any, *counts: Any, source: Source | None, **further: Any
    ) -> Self:
        """Make the study with what the functions of a module of words say of its
        counts.

        `key_figures` and `claims` give arguments of `KeyFigure` and `Claim`, a
        claim's after its number of records: one about none is left out, and so is a
        figure without a value. The first caveats name what `source` lacks.
        """
        claims = list[Claim]()
        if hasattr(words, "claims"):
            for count, says, how, why in words.claims(*counts):
                if count:
                    claims.append(Claim(unwrap(says), how, unwrap(why)))
        figures = starmap(KeyFigure, words.key_figures(*counts))
        source, limits = (None, []) if source is None else _gaps(source, cls.lists)
        texts: dict[str, Any] = {
            "source": source,
            "sentence": unwrap(words.answer(*counts)),
            "key_figures": tuple(filter(has_value, figures)),
            "statements": tuple(claims),
            "limits": (*limits, *words.caveats(*counts)),
        }
        return cls(**texts | further)

    @property
    def title(self) -> str:
        """Subject, question, day and currency, as a report is named."""
        subject = f"{self.subject}: {self.about}" if self.about else self.subject
        parts = (subject, listed(self.conditions), self.day, self.currency)
        return " · ".join(filter(None, parts))

    @property
    def counted(self) -> str:
        """What is counted: population, conditions, measures and day, in one line."""
        if not self.population:
            return ""
        dated = [f"data of {self.day}"] if self.day else []
        if self.currency and "total_funding" in self.measures:
            rate = "at the rate of a day not stated"
            if self.source is not None and self.source.is_embedded:
                rate = "at that day's rate"
            dated.append(f"{self.currency} {rate}")
        return scope.line(
            self.population.format(study=self),
            (*self.chosen, *self.conditions),
            self.measures,
            ", ".join(dated),
        )

    @property
    def withheld(self) -> str:
        """What the service does not show, said in place of the findings that rest on
        it.
        """
        return ""

    @property
    def as_of(self) -> dt.date | None:
        """The day of the data, else of the first request."""
        if self.source and self.source.as_of:
            return self.source.as_of
        days = [request.day for request in self.provenance]
        return next(filter(None, days), None)

    @property
    def day(self) -> str:
        """That day in words: `17 June 2013`; empty where it is not known."""
        return day_in_words(self.as_of)

    @property
    def answer(self) -> Answer:
        """The bottom line; where a fetch was not read to the end, it says what it rests
        on.

        Records asked for by their id and not returned are counted in the study and
        named in its caveats.
        """
        unread = dict.fromkeys(
            f"{lead(result)} ({result.resource.name} {extent(result)})"
            for result in self.fetched
            if not is_read(result)
        )
        sentences = [self.sentence]
        if unread:
            sentences.append(
                f"{'. '.join(unread)}: the counts are of the records read, and there"
                " may be more."
            )
        for result in self.fetched:
            if absent := result.details.absent_fields:
                fields = f"{listed(absent)} of {result.resource.name}"
                sentences.append(f"The service leaves out {fields}, wholly or in part.")
        return Answer(
            " ".join(dict.fromkeys(sentences)),
            self.source,
            heading=self.title,
            counted=self.counted,
            figures=[figure for figure in self.key_figures if not figure.is_said],
            limits=Limits(self.weighed[:TOP_LIMITS]),
        )

    @property
    def table(self) -> Any:
        """The finding a report begins with: its rows and columns that matter most."""
        return getattr(self, self.lead[0]).lead

    @property
    def figure(self) -> Any:
        """The figure that a report begins with."""
        return getattr(self, self.lead[1]).plot()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to answer with."""
        return False

    @property
    def weighed(self) -> list[Caveat]:
        """The limits, first those that change how the answer is read."""
        return sorted(self.limits, key=lambda caveat: not caveat.is_material)

    @property
    def provenance(self) -> tuple[Provenance, ...]:
        """What was requested, of whom and when, for each fetch the study rests on."""
        return tuple(result.provenance for result in self.fetched)

    def requests(self, names: Collection[str]) -> tuple[str, ...]:
        """The requests that returned the records whose ids are columns of these names.

        All requests of the study where none of the names is an id, as of a count.
        """
        results = list[Result]()
        for result in self.fetched:
            kind = result.resource
            ids = {f"{kind.singular}_{kind.key}"}
            if kind.name == "investors":
                ids = {"lp_uuid", "other_lp_uuid", "manager_uuid"}
            if not ids.isdisjoint(names):
                results.append(result)
        return tuple(dict.fromkeys(map(_request, results or self.fetched)))

    def resting_on(self, source: Source, *fetched: Result, **question: Any) -> Self:
        """The study with what it was made from, and the `question`; its first caveats
        name incomplete fetches.
        """
        limits, every = list[Caveat](), list[Doubt]()
        for result in fetched:
            if first := lead(result):
                text = f"{first}: {result.resource.name}, {extent(result)}."
                limits.append(material(1)(text))
            every += doubts(result, self.lists)
        main = [doubt.text for doubt in every if doubt.is_main]
        limits += map(material(3), main)
        source, gaps = _gaps(source, self.lists)
        limits += [*gaps, *self.limits]
        limits += (limit(3)(doubt.text) for doubt in every if doubt.text not in main)
        return replace(
            self,
            source=limited(source, fetched),
            fetched=fetched,
            **question,
            limits=tuple(limits),
        )

    @property
    def saved(self) -> Saved:
        """The study as a save of it holds it: every result, each under its resource's
        name.

        A second one of the same resource is `companies-2`, and so on.
        """
        results = dict[str, Result]()
        for result in self.fetched:
            name = result.resource.name
            times = 1 + sum(
                earlier.resource.name == name for earlier in results.values()
            )
            results[name if times == 1 else f"{name}-{times}"] = result
        parameters = {} if self.question is None else self.question.parameters
        return Saved(results, self.name, {"subject": self.subject, **parameters})

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Save the study as a workbook where the path ends in `.xlsx`, else every
        fetched result into a folder.

        A workbook has answer, filters, limits and sources, then the findings.
        `vf.load(folder, "companies")` reads a result back. Raises `SaveError`, and
        `UnsupportedValue` for another ending.
        """
        if not ending(path, ".xlsx", "", subject="a study"):
            return save(self.saved, path, overwrite=overwrite)
        path = home(path)
        if path.exists() and not overwrite:
            raise SaveError(
                "is there already; overwrite=True replaces it", folder=str(path)
            )
        return write_whole(path, self.workbook())

    def workbook(self) -> bytes:
        """The study as an XLSX file: its answer with a chart, then each finding that
        has rows.
        """
        tables = {}
        for name in (self.lead[0], *self.findings()):
            if name not in ("caveats", "sources"):  # they stand beside the answer
                tables[name] = getattr(self, name)
        figure = getattr(self, self.lead[1])
        title = figure.drawn_by().headline if figure.drawing else figure.title
        return workbook(
            tables, summary=[*self._summary()], chart=[title, *self.lead[1:]]
        )

    def _summary(self) -> Iterator[tuple[str, str]]:
        """The lines of a workbook's first sheet: headings have no value."""
        yield "Subject", self.subject
        yield "Answer", self.answer.sentence
        yield "What is counted", self.counted
        for figure in self.key_figures:
            yield figure.label, figure.counted
        yield "Data", origin(self.source)
        if self.question is not None:
            yield from (("", ""), ("Filters", ""), *self.question.listed)
        yield from (("", ""), ("What this cannot tell", ""))
        yield from ((" ", caveat.text) for caveat in self.weighed)
        yield from (("", ""), ("Sources", ""), *self.sources.to_polars().iter_rows())

    @classmethod
    def findings(cls) -> tuple[str, ...]:
        """The names of the findings, those of the question before those of every
        study.
        """
        members = [item for owner in cls.__mro__ for item in vars(owner).items()]
        return tuple(name for name, value in members if isinstance(value, Exhibit))

    def __dir__(self) -> list[str]:
        further = ("answer", "fetched", "key_figures", "question", "save", "title")
        return [*self.findings(), *further]

    def __repr__(self) -> str:
        return visible(f"<study of {self.subject}: {self.answer.sentence}>")


def _request(result: Result) -> str:
    request = result.provenance
    conditions = [request.filter] if request.filter else []
    if result.asked is not None:
        conditions.append(f"the ids of {counted(len(result.asked), 'record')}")
    parts = [f"GET {request.endpoint}"]
    if conditions:
        parts.append(f"filter {' and '.join(conditions)}")
    if request.sort:
        parts.append(f"sort {request.sort}")
    if request.currency:
        parts.append(f"currency {request.currency}")
    return " · ".join(parts)


def _gaps(source: Source, lists: Collection[str]) -> tuple[Source, list[Caveat]]:
    """The source without the gaps of lists that a study does not read, and what it
    says of each gap: a main limit, unless it is of such a list.
    """
    main = tuple(gap for gap in source.incomplete if gap.concerns(lists))
    limits = [
        limit(3, is_material=gap in main)(f"The dataset is not whole: {gap}.")
        for gap in source.incomplete
    ]
    return replace(source, incomplete=main), limits


def _limits(limits: Sequence[Caveat]) -> Iterator[tuple[str, str, str]]:
    """The main limits, then the others; of each part a rule is said once, beside the
    first.
    """
    for part in (limits[:TOP_LIMITS], limits[TOP_LIMITS:]):
        for rule in dict.fromkeys(caveat.rule for caveat in part):
            because = RULES[rule]
            for caveat in part:
                if caveat.rule == rule:
                    yield because, caveat.text, rule
                    because = ""


def _columns(study: Study) -> Iterator[tuple[str | None, ...]]:
    """Each column of the study's own findings by its heading and meaning, as the first
    finding with rows holds it.
    """
    listed = set[tuple[str, str]]()
    for name in study.findings():
        if name in vars(Study):
            continue
        finding = getattr(study, name)
        if not len(finding):
            continue
        for column in finding.columns:
            described = (column.heading, column.meaning)
            if column.kind == "id" or described in listed:
                continue
            listed.add(described)
            values = finding.frame[column.name]
            recorded = values.count()
            ends = None
            if column.kind in ("date", "month", "year") and recorded:
                ends = f"{values.min()} – {values.max()}"
            yield (
                *described,
                SHAPES[column.kind].holds,
                f"{recorded:,} of {len(values):,}",
                ends,
            )


def _sources(study: Study) -> Iterator[tuple[str, str]]:
    """Where the records come from, what was requested and answered, whose data it
    is, the clock.
    """
    sources = list(dict.fromkeys(request.source for request in study.provenance))
    if not sources and study.source is not None:
        sources = [study.source]
    for source in sources:
        yield "Dataset" if source.is_embedded else "Service", source.name
        yield "Description", source.description
        yield "As of", str(source.as_of or "")
    for result in study.fetched:
        fetched_at = result.provenance.fetched_at
        if fetched_at is not None:
            yield "Fetched", f"{fetched_at:%Y-%m-%d %H:%M:%S} UTC"
        yield "Request", _request(result)
        yield "Result of the request", result.line
    for source in sources:
        yield "Licence", source.licence or ""
        for line in source.attribution:
            yield "Attribution", line
    makers = set[str]()
    for request in study.provenance:
        makers.add(f"ventureframe {request.version}, wire profile {request.profile!r}")
    for maker in sorted(makers):
        yield "Made with", maker
