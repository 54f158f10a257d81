"""Holds the sentences and tables of a page against what the oracle computes.

A line of `sentences/*.txt` is a sentence as a page says it; one of several clauses
can stand as a line a clause. `{fact}` stands for a fact of the oracle, `{*}` for what
is checked elsewhere (`{**}` over several clauses), `{fact noun}` for a number with its noun, and
`{part/whole noun}` for `3 of the 7 nouns`, `none of the 7 nouns`, `both nouns`, `all 7
nouns`, `the only noun` or `no noun`. `{each.fact}` is a fact of one record of the list
`each`. Words of which one stands there are written `(is|are)`, what is left out where its
fact is null stands in brackets, and what must hold after `::`.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from tests.pages.facts import agrees, amount, plural, share_of
from tests.pages.oracle import truth_of
from tests.pages.page import Page, Table
from tests.pages.questions import Question
from tests.pages.worlds import World
from ventureframe.display.table import DRAWN

FOLDER: Final = Path(__file__).parent / "sentences"
_PLACE: Final = re.compile(r"\{([^}]*)\}|\(([^()|]*(?:\|[^()|]*)+)\)")
_N_OF_M: Final = re.compile(
    r"(?<!since )\b(\d[\d,]*) of (?:the |your |its |these )?(\d[\d,]*)\b"
)
_QUANTIFIER: Final = re.compile(
    r"\b(?:no|none|nothing|nobody|all|both|every|each|only|most|largest|newest|first"
    r"|latest|earliest|least|one|two|three|half|several|any)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Pattern:
    """A sentence of a page, with the names of the facts in it."""

    line: str
    regex: re.Pattern[str]
    names: tuple[str, ...]
    condition: str

    @classmethod
    def of(cls, line: str) -> "Pattern":
        text, _, condition = line.partition(" :: ")
        regex, names, end = "", list[str](), 0
        for place in _PLACE.finditer(text):
            regex += _literal(text[end : place.start()])
            end = place.end()
            if place[1] is None:
                words = "|".join(map(re.escape, place[2].split("|")))
                regex += f"(?:{words})"
            else:
                names.append(place[1])
                regex += f"({_shape(place[1])})"
        regex += _literal(text[end:])
        return cls(line, re.compile(regex), tuple(names), condition.strip())

    def wrong(
        self, texts: Sequence[str | None], truth: Mapping[str, Any]
    ) -> list[str] | None:
        """What is wrong with these texts of the facts; of lists, for the best records.

        None where no record of a list has the first text, so that it is another line.
        """
        of_lists = [at for at, name in enumerate(self.names) if "." in name]
        lists = list(dict.fromkeys(self.names[at].split(".")[0] for at in of_lists))
        tries = list[list[str]]()
        for records in product(*(truth.get(name, ()) for name in lists)):
            each = [SimpleNamespace(**record) for record in records]
            own = {**truth, **dict(zip(lists, each, strict=True))}
            first = [[*_differs(self.names[at], texts[at], own)] for at in of_lists[:1]]
            if not any(first):
                tries.append(self._wrong(texts, own))
        return min(tries, key=len, default=None)

    def _wrong(
        self, texts: Sequence[str | None], truth: Mapping[str, Any]
    ) -> list[str]:
        wrong = list[str]()
        for name, text in zip(self.names, texts, strict=True):
            wrong += _differs(name, text, truth)
        if self.condition and not eval(self.condition, {}, dict(truth)):
            wrong.append(f"it is not so that {self.condition}")
        return wrong


def _literal(text: str) -> str:
    """The text itself; what can be left out stands in brackets."""
    return re.escape(text).replace(r"\[", "(?:").replace(r"\]", ")?")


def _shape(name: str) -> str:
    """What a fact can look like in a sentence."""
    fact, _, noun = name.partition(" ")
    if not noun:
        free = {"*": "[^;]+", "**": ".+", "subject": ".+?", "counted": ".+?"}
        return free.get(fact, r"[^;:·\s](?:[^;:·]*[^;:·.])?")
    one, several = re.escape(noun), re.escape(plural(noun))
    if "/" not in fact:
        return rf"[\d,]+ {several}|(?:1|[Oo]ne) {one}"
    return (
        rf"[Tt]he only {one}|[Nn]o {one}|[Bb]oth (?:the )?{several}"
        rf"|[Aa]ll (?:the )?[\d,]+ {several}"
        rf"|(?:[\d,]+|[Nn]one) of (?:the )?[\d,]+ {several}"
    )


def _value(name: str, truth: Mapping[str, Any]) -> Any:
    owner, _, member = name.partition(".")
    value = truth[owner]
    return getattr(value, member) if member else value


def _differs(name: str, text: str | None, truth: Mapping[str, Any]) -> Iterator[str]:
    fact, _, noun = name.partition(" ")
    if fact in ("*", "**"):
        return
    if text is None:
        if _value(fact.split("/")[0], truth):
            yield f"{fact} is not said"
        return
    if "/" in fact:
        part, whole = (_value(each, truth) for each in fact.split("/"))
        if share_of(text, whole) != (part, whole):
            yield f"{text!r}: {fact} is {part} of {whole}"
        return
    value = _value(fact, truth)
    if noun:
        text = text.split(" ", maxsplit=1)[0].lower().replace("one", "1")
    if not agrees(text, value):
        yield f"{text!r}: {fact} is {value!r}"


@cache
def patterns(kind: str) -> tuple[Pattern, ...]:
    """The sentences of a kind of study, and those of every one."""
    lines = list[str]()
    for name in (kind, "every"):
        path = FOLDER / f"{name}.txt"
        lines += path.read_text("utf-8").splitlines() if path.exists() else []
    return tuple(Pattern.of(line) for line in lines if line and line[0] != "#")


@cache
def _unparsed() -> tuple[Pattern, ...]:
    lines = Path(__file__).with_name("unparsed.txt").read_text("utf-8").splitlines()
    return tuple(Pattern.of(line) for line in lines if line and line[0] != "#")


@dataclass
class Findings:
    """What is wrong with a page, and how many of its sentences no pattern reads."""

    complaints: list[str]
    sentences: int = 0
    unparsed: int = 0
    unknown: int = 0


def examined(page: Page, world: World, question: Question) -> Findings:
    """Compare a page with what is true of its world."""
    truth = truth_of(world, question)
    found = Findings([*_of_tables(page, truth), *_of_summary(page)])
    found.complaints += [*_of_conditions(page, truth), *_of_first(page)]
    for place, text in page.sentences:
        found.sentences += 1
        wrong = _judged(text, question.kind, {**truth, "where": place})
        if wrong is None:
            if any(pattern.regex.fullmatch(text) for pattern in _unparsed()):
                found.unparsed += 1
            elif _says(place, text, world):
                found.unknown += 1
                found.complaints.append(f"{place}: no pattern reads: {text}")
            continue
        found.complaints += (f"{place}: {text}\n    {each}" for each in wrong)
    return found


def check(page: Page, world: World, question: Question) -> list[str]:
    """What is wrong with a page; nothing where it is true."""
    return examined(page, world, question).complaints


def _says(place: str, text: str, world: World) -> bool:
    """Whether a sentence can be untrue: a note with a number, a quantifier or a name,
    and any sentence of the answer, the limits and the claims.
    """
    if ", " not in place:
        return True
    is_counted = bool(re.search(r"\d", text) or _QUANTIFIER.search(text))
    return is_counted or any(name in text for name in world.names)


def _judged(text: str, kind: str, truth: Mapping[str, Any]) -> list[str] | None:
    """What is wrong with a sentence; None where no pattern reads it."""
    wrong = list[str]()
    for part, whole in _N_OF_M.findall(text):
        if int(part.replace(",", "")) > int(whole.replace(",", "")):
            wrong.append(f"{part} of {whole}")
    best = _best(text, kind, truth)
    if best != [] and "; " in text:
        each = [_best(part, kind, truth) for part in text.rstrip(".").split("; ")]
        if None not in each:
            parts = [one for found in each for one in found or ()]
            best = min(best or parts, parts, key=len)
    if best is None:
        return wrong or None
    return wrong + best


def _best(text: str, kind: str, truth: Mapping[str, Any]) -> list[str] | None:
    """What is wrong by the pattern that fits best; None where none reads it.

    A study of several universities says of each what a study of it says.
    """
    tries = _tries(text, kind, truth)
    for facts in truth.get("uni", ()) if kind == "universities" else ():
        own = text.removeprefix(f"{facts.get('called')}: ")
        tries += _tries(own, "spinouts", {**truth, **facts})
    return min(tries, key=len, default=None)


def _tries(text: str, kind: str, truth: Mapping[str, Any]) -> list[list[str]]:
    """What is wrong by each pattern that reads the text."""
    tries = list[list[str]]()
    text = text.removeprefix(f"{truth.get('university')}: ")
    for pattern in patterns(kind):
        match = pattern.regex.fullmatch(text)
        wrong = pattern.wrong(match.groups(), truth) if match else None
        if wrong is not None:
            tries.append([f"{each}   [{pattern.line}]" for each in wrong])
    return tries


def _of_conditions(page: Page, truth: Mapping[str, Any]) -> Iterator[str]:
    """Title and the line of what is counted name each condition, and no other; for each
    it is said how many companies have no value.
    """
    counted = [text for place, text in page.sentences if place == "counted"]
    for text in (page.title, *counted):
        for condition in truth["conditions"]:
            if condition not in text:
                yield f"it is not said that the companies are {condition}: {text}"
        named = _CONDITION.findall(text.partition(";")[0])
        if len(named) > len(truth["conditions"]):
            yield f"a condition too many: {text}"
    every = " ".join(text for _, text in page.sentences)
    answer = " ".join(text for place, text in page.sentences if place == "answer")
    for drop in truth.get("drop", ()):
        said = f"no recorded {drop['label']}"
        if drop["is_counted"] and drop["unrecorded"] and said not in every:
            yield f"it is not said that {drop['unrecorded']} have {said}"
        is_said = said in answer or drop["words"] in answer
        is_found = "No company was found." not in answer
        if drop["before"] and drop["left_out"] and not (is_found or is_said):
            yield f"it is not said that “{drop['words']}” leaves out {drop['left_out']}"
        quoted = f"“{drop['words']}”"
        if not drop["is_counted"] and drop["unrecorded"] and quoted not in every:
            yield f"it is not said what “{drop['words']}” leaves out"


_CONDITION: Final = re.compile(
    "founded (?:since|until)|flagged as|whose status|of at (?:least|most)"
)


def _of_summary(page: Page) -> Iterator[str]:
    """The workbook's first sheet says what the page says."""
    told = {line[0]: line[1] for line in reversed(page.summary) if len(line) > 1}
    answer = [text for place, text in page.sentences if place == "answer"]
    if told.get("Answer") != " ".join(answer):
        yield f"workbook: another answer: {told.get('Answer')}"
    shown = {text for place, text in page.sentences if place == "tile"}
    sheet = {text for place, text in page.sentences if place == "workbook"}
    yield from (f"tile: not so in the workbook: {text}" for text in shown - sheet)


def _of_tables(page: Page, truth: Mapping[str, Any]) -> Iterator[str]:
    for table in page.tables:
        yield from (f"{table.name}: {wrong}" for wrong in _of_table(table))
        if table.name == "largest":
            yield from _of_moves(table)
        rows = truth.get("tables", {}).get(table.name)
        if rows is not None:
            yield from (f"{table.name}: {wrong}" for wrong in _of_rows(table, rows))
        lines = truth.get("lines", {}).get(table.name)
        if lines is not None:
            yield from (f"{table.name}: {wrong}" for wrong in _of_lines(table, lines))


def _of_moves(table: Table) -> Iterator[str]:
    """Of totals that differ the larger move stands first, up or down."""
    at = {heading: place for place, heading in enumerate(table.csv[0])}
    if not {"What", "Before", "After"} <= at.keys():
        return
    last = math.inf
    for row in table.csv[1:]:
        what, before, after = (row[at[name]] for name in ("What", "Before", "After"))
        if not what.casefold().startswith("total funding") or not (before and after):
            continue
        moved = abs(amount(after) - amount(before))
        if moved > last * 1.02:
            yield f"{what} of {after} stands after a smaller one"
        last = moved


_FIRST: Final = re.compile(
    r"(?:INCOMPLETE.* · )?(?P<which>[^·]+ · )?(?:the first (?P<shown>10) of|\d+ of)"
    r" (?P<all>[\d,]+)(?: by (?P<order>[^;]+?))?(?P<tie>; others tie with the last)?"
)
_MOST: Final = 7


def _of_first(page: Page) -> Iterator[str]:
    """The rows of page one are the first of the table, in the order that is said."""
    first = page.first
    if first is None:
        return
    (every,) = (table for table in page.tables if table.name == first.name)
    places = [every.headings.index(heading) for heading in first.headings]
    rows = [[row[at] for at in places] for row in every.exact]
    shown = [heading for heading in first.headings if not heading.endswith(_IDS)]
    if len(shown) > _MOST:
        yield f"{len(shown)} columns on page one: {shown}"
    for at, heading in enumerate(first.headings):
        is_known = any(row[at] for row in rows) or first.name == "largest"
        if heading in shown and not is_known:
            yield f"nothing is known under {heading} on page one"
    said = _FIRST.fullmatch(first.caption)
    if said and said["which"]:
        rows = [row for row in rows if row in first.exact or len(rows) > DRAWN]
    if first.exact != rows[:10] and len(every.exact) < DRAWN:
        yield "the first rows are not those of the table"
    if len(rows) <= 10:
        return
    if said is None or (
        not said["which"] and _number(said["all"]) != len(every.csv) - 1
    ):
        yield f"of {len(every.csv) - 1} rows it is said: {first.caption}"
        return
    headings = [re.sub(r" \(\w+\)$", "", head).lower() for head in first.headings]
    if said["order"] not in headings:
        return
    cells = [row[headings.index(said["order"])] for row in rows]
    amounts = [_sorted_by(cell) for cell in cells]
    if amounts != sorted(amounts, reverse=True):
        yield f"the rows are not in the order of {said['order']}"
    if (amounts[9] == amounts[10]) != bool(said["tie"]):
        yield f"the tenth row is {cells[9]}, the next {cells[10]}: {first.caption}"


_IDS: Final = ("UUID", " id")


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _sorted_by(cell: str) -> tuple[float, str]:
    """What orders a cell: its number, or its day; none comes last."""
    is_number = re.fullmatch(r"-?[\d.]+(?:e\+?\d+)?", cell)
    return (float(cell), "") if is_number else (float("-inf"), cell)


def _of_table(table: Table) -> Iterator[str]:
    """The rows of a page are those of its CSV and of its sheet, and of its caption."""
    heads, *lines = table.csv
    if heads != table.headings:
        yield f"CSV has other columns: {heads}"
    for at, (row, line) in enumerate(zip(table.exact, lines, strict=False)):
        if not all(map(_alike, row, line)):
            yield f"row {at} is {row}, in CSV {line}"
    if len(table.exact) != min(len(lines), DRAWN):
        yield f"{len(table.exact)} rows, {len(lines)} in CSV"
    counted = re.search(r"(?:^|· )([\d,]+) rows$", table.caption)
    if counted and int(counted[1].replace(",", "")) != len(lines):
        yield f"{len(lines)} rows, {counted[0]} by the caption"
    if table.sheet is not None:
        yield from _of_sheet(table, lines)


def _of_sheet(table: Table, lines: list[list[str]]) -> Iterator[str]:
    begin = next(
        (at for at, row in enumerate(table.sheet or ()) if row == table.headings), None
    )
    if begin is None:
        yield "the sheet has other columns"
        return
    rows = (table.sheet or [])[begin + 1 :]
    if len(rows) != len(lines):
        yield f"{len(lines)} rows, {len(rows)} in the sheet"
    for at, (row, line) in enumerate(zip(rows, lines, strict=False)):
        padded = row + [""] * (len(line) - len(row))
        names_nothing = not line[0] and padded[0] in ("not recorded", "not known")
        if not all(map(_alike, padded[names_nothing:], line[names_nothing:])):
            yield f"row {at} is {line}, in the sheet {padded}"


def _alike(one: str, other: str) -> bool:
    """Whether two cells hold the same: a number, a flag, a day in either form."""
    one, other = one.lstrip("'"), other.lstrip("'")
    if one.lower() == other.lower():
        return True
    day = re.fullmatch(r"\d{4}-\d\d-\d\d", other)
    if day or other.lower() in ("true", "false"):
        return agrees(one, _serial(other) if day else int(other.lower() == "true"))
    try:
        return abs(float(one) - float(other)) <= 1e-6 * max(1.0, abs(float(other)))
    except ValueError:
        return False


def _serial(day: str) -> int:
    """The number by which a workbook knows a day."""
    import datetime as dt

    return (dt.date.fromisoformat(day) - dt.date(1899, 12, 30)).days


def _of_rows(table: Table, rows: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The records of a table are those that are true, with their values."""
    heads, *lines = table.csv
    seen = set[str]()
    for line in lines:
        cells = dict(zip(heads, line, strict=False))
        key = next((line[at] for at in range(len(line)) if line[at] in rows), None)
        if key is None:
            yield f"a row too many: {line}"
            continue
        seen.add(key)
        for name, value in rows[key].items():
            heading = next((head for head in heads if _is_named(head, name)), None)
            if heading is not None and not agrees(cells[heading], value):
                yield f"{name} is {value!r}, shown as {cells[heading]!r} for {key}"
    yield from (f"a row is missing: {key}" for key in rows.keys() - seen)


def _of_lines(table: Table, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The lines of a table are these rows in any order, though several share a key."""
    heads, *lines = table.csv
    missing = list(rows)
    for line in lines:
        cells = dict(zip(heads, line, strict=False))
        alike = [row for row in missing if _is_row(cells, row)]
        if alike:
            missing.remove(alike[0])
        else:
            yield f"a row too many or untrue: {line}"
    yield from (f"a row is missing: {row}" for row in missing)


def _is_row(cells: Mapping[str, str], row: Mapping[str, Any]) -> bool:
    """Whether the cells say what the row has, under the headings that both have."""
    return all(
        agrees(cell, row[name])
        for heading, cell in cells.items()
        for name in row
        if _is_named(heading, name)
    )


def _is_named(heading: str, name: str) -> bool:
    """Whether a heading is this name, with or without a unit."""
    return re.sub(r" \(\w+\)$", "", heading) == name
