"""Write what the site has from the code: the reference, figures, reports, answers.

`make docs` runs this, then builds the site. What it writes is not committed.
"""

import argparse
import contextlib
import inspect
import io
import json
import os
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from unittest import mock

import ventureframe as vf
from ventureframe import cli, errors
from ventureframe.dataset.schema import TABLES
from ventureframe.display.table import SHAPES
from ventureframe.evidence.question import EXAMPLES
from ventureframe.matching.headings import HEADINGS
from ventureframe.report import find
from ventureframe.report.notebook import lacks_key, read

HERE: Final = Path(__file__).parents[1] / "docs"
TUTORIALS: Final = (
    "00",
    "01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "07",
    "08",
    "09",
)
COMMANDS: Final = (
    "report",
    "watch",
    "serve",
    "snapshot",
    "pull",
    "import",
    "compare",
    "doctor",
    "lab",
)
QUESTIONS: Final = (
    "spinouts",
    "universities",
    "exposure",
    "hiring",
    "founders",
    "changes",
    "mine",
)
STUDIES: Final = (*QUESTIONS, "institutions")
# parameters of every question, which stand last
_ALIKE: Final = ("currency", "at_most")
CURES: Final = {
    "VentureframeError": "Catch this one to catch all of them.",
    "ConfigurationError": (
        "Set or unset the variables that the message and `settings` name."
    ),
    "QueryError": "Change the query. Nothing was sent and nothing was spent.",
    "UnknownField": "Take one of `near`, or one of `known`.",
    "UnsupportedOperator": "Take one of the operators in `known`.",
    "UnsupportedValue": "Give a value as `reason` asks for it.",
    "FilterSyntaxError": "Correct the text at `position`, counted from 0.",
    "LookupFailed": (
        "Add the website domain or the type, or choose one of `candidates`."
    ),
    "Unclear": (
        "Change the entry in `entry`: the message lists the records to choose from."
    ),
    "ServiceError": (
        "Read `status`, `code` and `details`; try again later or ask the service."
    ),
    "ServiceUnreachable": (
        "Check the address, the network and the proxy; then try again."
    ),
    "CredentialsRejected": (
        "Check client id and client secret with whoever gave you the key."
    ),
    "TokenRejected": "The key was revoked or has expired: ask for another one.",
    "UnreadableReply": (
        "Run `ventureframe doctor` and send its last line to the maintainers."
    ),
    "RequestRejected": "Narrow or change the question as the message says.",
    "FetchEnded": "Use the rows received: the result says `short`, and of how many.",
    "EnoughSent": "Raise `at_most`, or narrow the question.",
    "CreditsExhausted": "Wait until credits are renewed, or narrow the question.",
    "NotFound": "Check the UUID: the service has no record of it.",
    "RateLimited": (
        "Wait as long as the message says, or set `VENTUREFRAME_RATE` lower."
    ),
    "ServiceFailed": (
        "Try again later; after a 504 narrow the question or leave out the total."
    ),
    "FindingNotDrawn": "Show the finding as a table: it has no figure.",
    "EvidenceError": (
        "Read the rule that the message names: the records do not support it."
    ),
    "PopulationsNotComparable": (
        "Show the populations side by side, each with its definition."
    ),
    "FetchesNotComparable": "Compare fetches of one question, currency and service.",
    "DatasetError": "Correct the file, column and row that the message names.",
    "SaveError": "Choose another folder, or fetch again where a save was damaged.",
    "ReportError": "Change the parameter or notebook that the message names.",
    "VentureframeWarning": "Filter this one to silence all of them.",
    "EvidenceWarning": (
        "Read it before you use the numbers: rows or values may be missing."
    ),
    "WireWarning": ("Update ventureframe before the day that the message names."),
}
"""What to do about each error and warning; what causes it is its docstring."""


def rows(heads: Iterable[str], lines: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""

    def row(cells: Iterable[object]) -> str:
        texts = ("–" if cell in (None, "") else str(cell) for cell in cells)
        return f"| {' | '.join(' '.join(text.split()).replace('|', '∣') for text in texts)} |"

    heads = list(heads)
    return "\n".join([row(heads), row("---" for _ in heads), *map(row, lines)])


def questions() -> Iterator[str]:
    """Each question with its parameters: in Python, on the command line and in a
    form.
    """
    yield "# Questions and their parameters"
    yield (
        "A question is a frozen value. The same value is a form, the parameters of a"
        " notebook, the options of a report and a file that `watch` reads. `None` removes"
        " a condition."
    )
    for name in QUESTIONS:
        question = getattr(vf, name).Question
        yield f"## vf.{name}.Question"
        yield inspect.getdoc(question).partition("\n")[0]
        of_form = {member.name: member for member in question.members()}
        names = sorted(inspect.signature(question).parameters, key=_ALIKE.__contains__)
        told = ((each, of_form.get(each)) for each in names)
        yield rows(
            ("parameter", "in a form", "what", "takes", "when left out", "option"),
            (
                (
                    (
                        f"`{each}`",
                        m.label,
                        m.help,
                        m.kind.takes,
                        m.kind.nothing,
                        f"`{m.option}`",
                    )
                    if m is not None
                    else (
                        f"`{each}`",
                        "",
                        _argument(question, each),
                        "in code only",
                        "",
                        "",
                    )
                )
                for each, m in told
            ),
        )


def _argument(question: Any, name: str) -> str:
    return str(question.__dataclass_fields__[name].metadata.get("help", ""))


def findings() -> Iterator[str]:
    """The findings of every study, and where those of each are."""
    yield "# Findings and their columns"
    yield (
        "A study lists its findings on Tab. Each is a table, a frame (`to_polars`,"
        " `to_pandas`, an Arrow stream), a file (`to_csv`, `to_excel`) and,"
        " where it says so, a figure."
    )
    yield rows(
        ("study", "its findings"),
        (
            (
                f"[vf.{name}](findings/{name}.md)",
                " · ".join(getattr(vf, name).Study.findings()[: -len(EVERY)]),
            )
            for name in STUDIES
        ),
    )
    yield "Every study has these as well."
    for finding in EVERY:
        yield from _finding(f"study.{finding}", getattr(vf.evidence.Study, finding))


EVERY: Final = tuple(vf.evidence.Study.findings())
"""The findings that every study has; they come last."""


def of_study(name: str) -> Iterator[str]:
    """Each finding of a study that is its own, with its columns."""
    study = getattr(vf, name).Study
    yield f"# Findings of vf.{name}"
    yield (
        f"What `vf.{name}` finds. [Every study](../findings.md)"
        f" has {', '.join(f'`{one}`' for one in EVERY)} as well."
    )
    for finding in study.findings():
        if finding not in EVERY:
            yield from _finding(f"{name}.{finding}", getattr(study, finding))


def _finding(name: str, told: Any) -> Iterator[str]:
    yield f"## {name}"
    drawn = " It has a figure: `.plot()`." if told.figure else ""
    yield f"{(told.meaning or told.title).partition(':')[0].rstrip('.')}.{drawn}"
    if told.listed:
        heads = ("column", "heading", "meaning", "type", "unit")
        yield rows(
            heads,
            (
                (f"`{c.name}`", c.label, c.meaning, SHAPES[c.kind].holds, c.unit)
                for c in told.listed
            ),
        )


def headings() -> Iterator[str]:
    """The headings by which the columns of a list and of imported tables are known."""
    yield "# Headings of a list, and of imported tables"
    yield (
        "Headings by which a column is recognised. Case, accents and punctuation do not"
        " count: `Website_Domain*` is `website domain`. Where several"
        " columns fit, the heading that stands first here wins, and of websites the"
        " column that holds addresses. Any other heading can be named:"
        " [what is read of a list](../how-to/my-list.md#headings-of-a-list)."
    )
    for meaning, (title, text) in LISTED.items():
        yield f"## {title}"
        yield text
        yield " · ".join(HEADINGS[meaning])
    yield "## Imported tables"
    yield (
        "`ventureframe import` reads [tables of your own](../start/own-data.md). A"
        " column with the name of the field is always taken first, then these, in this"
        " order. The headings of names, websites, cities and founding years are those"
        " above."
    )
    for kind, fields in IMPORTED.items():
        yield f"### Columns of {kind.replace('_', ' ')}"
        of_list = {
            f"@{own}": f"*as of {title.lower()} above*"
            for own, (title, _) in LISTED.items()
        }
        yield rows(
            ("field", "headings"),
            (
                (
                    f"`{field}`",
                    " · ".join(of_list.get(one, one) for one in target["heads"]),
                )
                for field, target in fields.items()
            ),
        )


LISTED: Final = {
    "name": ("Names", "Of companies, universities or LPs:"),
    "domain": ("Websites", "Last comes an address for mail:"),
    "place": ("Cities", "Last comes a country alone:"),
    "year": ("Founding years", "A date counts as its year:"),
}
"""What each meaning of a column of a list is called here."""
IMPORTED: Final = tomllib.loads(
    files("ventureframe.importing").joinpath("columns.toml").read_text("utf-8")
)["columns"]
"""By table the columns that an import reads."""


def glossary() -> Iterator[str]:
    """Every column of every record."""
    yield "# Glossary of records"
    yield (
        "What `vf.glossary()` gives. A dot leads to a member of a record, `[]` to each"
        " entry."
    )
    frame = vf.glossary().to_polars()
    for (record,), part in frame.group_by("record", maintain_order=True):
        yield f"## {record}"
        yield rows(
            ("column", "meaning", "type", "unit", "a null says", "can be"),
            ((f"`{column}`", *rest) for column, *rest in part.drop("record").rows()),
        )


def classes() -> list[type]:
    """The errors and warnings in the order of their module."""
    own = vars(errors).values()
    return [
        one
        for one in own
        if isinstance(one, type) and issubclass(one, Exception | Warning)
    ]


def failures() -> Iterator[str]:
    """Each error and warning: its cause and its cure."""
    yield "# Errors and warnings"
    tree = inspect.getdoc(errors).partition("\n\n")[2]
    yield f"```text\n{tree}\n```"
    for one in classes():
        facts = list(one.__annotations__) if "__annotations__" in vars(one) else []
        yield f"## {one.__name__}"
        yield inspect.getdoc(one)
        yield f"**What to do.** {CURES[one.__name__]}"
        if facts:
            yield (
                f"Facts beside the message: {', '.join(f'`{name}`' for name in facts)}."
            )


def helped(*arguments: str) -> str:
    """What a command says of itself."""
    said, width = io.StringIO(), mock.patch.dict(os.environ, COLUMNS="88")
    with width, contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        cli.main([*arguments, "--help"])
    return said.getvalue().rstrip()


def commands() -> Iterator[str]:
    """What each command says of itself, and report with the parameters of each
    notebook.
    """
    yield "# Command line"
    yield f"```text\n{helped()}\n```"
    for name in COMMANDS:
        yield f"## ventureframe {name}"
        yield f"```text\n{helped(name)}\n```"
    for path in vf.report.notebooks():
        yield f"## ventureframe report {path.stem[:2]}"
        own, _, _ = (
            helped("report", path.stem).partition("parameters of ")[2].partition("\n\n")
        )
        yield f"```text\n{own}\n```"


def names() -> Iterator[str]:
    """Each public name, by its docstring."""
    yield "# Public names"
    yield (
        "What `import ventureframe as vf` gives; below, what Tab shows of a service, a"
        " query, …"
    )
    for name in vf.__all__:
        value = getattr(vf, name)
        yield f"## vf.{name}"
        if isinstance(value, ModuleType):
            yield inspect.getdoc(value)
            yield from (
                _entry(f"ventureframe.{name}.{own}", getattr(value, own))
                for own in getattr(value, "__all__", ())
            )
        elif inspect.isfunction(value):
            yield _entry(f"{value.__module__}.{value.__qualname__}", value)
        else:
            yield inspect.getdoc(value)
            fields = ", ".join(f"`{field}`" for field in dir(value))
            yield f"Fields: {fields}."
    yield "## What Tab shows"
    for owner in shown():
        yield _entry(f"{owner.__module__}.{owner.__qualname__}", owner)


@cache
def shown() -> Mapping[type, list[str]]:
    """The classes whose names an analyst meets on Tab: their methods and properties
    there.
    """
    with vf.connect(environment={}) as svc:
        query = svc.companies.where(vf.company.launch_date >= 2026)
        study = vf.mine.study(svc, list="Company\nHalquil")
        values = {type(one): one for one in (svc, query, query.fetch(), study.grades)}
    values[vf.evidence.Study] = study
    return {owner: [*_methods(owner, dir(one))] for owner, one in values.items()}


def _methods(owner: type, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        value = inspect.getattr_static(owner, name, None)
        if not name.startswith("_") and (
            inspect.isfunction(value) or isinstance(value, property)
        ):
            yield name


def _entry(path: str, value: Any) -> str:
    if inspect.isclass(value) and value in shown():
        members = json.dumps(shown()[value])
        return (
            f"::: {path}\n    options:\n      members: {members}\n     "
            " inherited_members: true"
        )
    if inspect.isfunction(value) or inspect.isclass(value):
        return f"::: {path}\n    options:\n      members: []"
    return f"### {path.replace('ventureframe', 'vf', 1)}\n\n{_constant(value)}"


def _constant(value: Any) -> str:
    if isinstance(value, dict):
        return rows(
            ("value", "meaning"), ((f"`{key}`", text) for key, text in value.items())
        )
    return f"`{value}`"


def dataset() -> Iterator[str]:
    """The tables of a dataset folder and their columns, as the schema has them."""
    yield "# Dataset folder"
    yield (
        "A folder holds `dataset.json` (`format` 1, `name`, `description`, `as_of`,"
        " `synthetic`, `licence`, `attribution`) and a Parquet file for each of these"
        " tables that there is. [With your own data](../start/own-data.md) says how to"
        " make one, and which other types are read."
    )
    for name, table in TABLES.items():
        yield f"## {name}"
        yield f"Key: {' and '.join(f'`{column}`' for column in table.key)}."
        yield rows(
            ("column", "type", "can be null", "refers to", "meaning"),
            (
                (
                    f"`{field.name}`",
                    str(table.columns[field.name]),
                    "yes" if field.nullable else "no",
                    " ".join(
                        f"{path.partition('.')[2]} {target}".strip()
                        for path, target in table.references.items()
                        if path.partition(".")[0] == field.name
                    ),
                    field.doc,
                )
                for field in table.fields
            ),
        )


PAGES: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "questions": questions,
    "findings": findings,
    **{f"findings/{name}": partial(of_study, name) for name in STUDIES},
    "headings": headings,
    "glossary": glossary,
    "errors": failures,
    "dataset": dataset,
    "command-line": commands,
    "python": names,
}


def figures() -> Iterator[tuple[str, Any]]:
    """The figures of the pages that explain how to read the numbers: name and
    finding.
    """
    with vf.connect(environment={}, currency="EUR") as svc:
        studies = {
            name: getattr(vf, name).Question(**EXAMPLES[name]).study(svc)
            for name in ("spinouts", "universities", "exposure", "hiring")
        }
    yield "funnel", studies["spinouts"].funnel
    yield "founded", studies["spinouts"].founded
    yield "companies", studies["spinouts"].companies
    yield "funds", studies["exposure"].funds
    yield "lps", studies["exposure"].lps
    yield "countries", studies["spinouts"].places
    yield "spread", studies["spinouts"].sectors
    yield "shared", studies["universities"].universities
    yield "scores", studies["hiring"].ranking
    yield "places", vf.institutions.find(**vf.bulk.open(), currency="EUR").institutions


def tutorials(folder: Path) -> None:
    """What the tutorials show: each notebook, its report, and the answer in it."""
    answers = folder / "figures" / "answers"
    answers.mkdir(parents=True, exist_ok=True)
    for number in TUTORIALS:
        path = find(number)
        shutil.copy(path, folder / "tutorials" / path.name)
        if lacks_key(read(path), None):
            continue
        said = list[str]()
        out = folder / "tutorials" / f"{path.stem}.html"
        vf.report.build(path, out=out, said=said.append)
        text = "".join(f"> {answer}\n" for answer in said)
        (answers / f"{number}.md").write_text(text, "utf-8")


def reference(folder: Path) -> None:
    """The pages made from the code, without running a notebook."""
    (folder / "reference" / "findings").mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / "reference" / f"{name}.md").write_text(
            "\n\n".join(page()) + "\n", "utf-8"
        )


def drawn(folder: Path) -> None:
    """The figures, and the picture of a report."""
    (folder / "figures").mkdir(exist_ok=True)
    for name, finding in figures():
        finding.plot().save(folder / "figures" / f"{name}.svg")
    shutil.copy(
        HERE.parent / "notebooks/pictures/report.png", folder / "figures/report.png"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=HERE, help="the folder with the other pages"
    )
    folder = parser.parse_args().out
    reference(folder)
    drawn(folder)
    tutorials(folder)
