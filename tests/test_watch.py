"""A saved question is asked again: what is kept, compared and said, and what is
refused.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ventureframe as vf
from tests.faults import Fault, Faults, connected, totalled
from tests.service.sample.sample import sample
from ventureframe import cli
from ventureframe import watch as watching
from ventureframe.client.result import Saved
from ventureframe.client.service import Service
from ventureframe.errors import ReportError, SaveError
from ventureframe.interface.files import locked
from ventureframe.studies.changes import edits as changes_edits
from ventureframe.watch import read, watch
from ventureframe_service import run
from ventureframe_service.settings import Settings

QUESTIONS: dict[str, Any] = {
    "spinouts": vf.spinouts.Question(
        university="Harrowmere University", domain="harrowmere.example"
    ),
    "universities": vf.universities.Question(
        universities=[("Harrowmere University", "harrowmere.example")], currency="GBP"
    ),
    "exposure": vf.exposure.Question(
        lps=[("Ostrander Institute Endowment", "endowment.ostrander.example")],
        since=2021,
    ),
    "hiring": vf.hiring.Question(tags=[("Robotics", "technology")], currency="EUR"),
}


@pytest.fixture(scope="module")
def march() -> Iterator[Service]:
    with vf.connect(environment={}, sample_day="2026-03-31") as service:
        yield service


@pytest.fixture(scope="module")
def june() -> Iterator[Service]:
    with vf.connect(environment={}) as service:
        yield service


def test_the_first_run_says_so_the_same_data_say_nothing_and_later_ones_can_be_mailed(
    march: Service, june: Service, tmp_path: Path
) -> None:
    keep, question = tmp_path / "keep", QUESTIONS["hiring"]
    first, same, later = (
        watch(question, service, keep) for service in (march, march, june)
    )
    assert [first.status, same.status, later.status] == [0, 0, 10]
    assert "the first fetch" in first.lines[0]
    assert same.lines[0].startswith("Hiring signals in Robotics: nothing new, both of")
    assert "companies in both fetches changed." in same.lines[2]
    changes = [line for line in later.lines if line.startswith("- ")]
    assert changes[0].startswith("- Dorequil Motion: funding round newly seen: ")
    assert len(later.lines[2:-2]) <= 10
    assert later.lines[-1].startswith("Report: ")
    assert any("ewly seen is not newly happened" in line for line in later.lines)
    kept = json.loads((keep / "0003.json").read_text())
    assert (kept["before"], kept["is_new"], len(kept["changes"])) == ("0002", True, 10)
    assert "Dorequil Motion" in (keep / kept["report"]).read_text("utf-8")
    assert (keep / "0003.txt").read_text("utf-8").splitlines() == kept["text"]
    assert not (keep / "0002.html").exists(), "nothing new makes no report"


def moved(content: dict[str, Any], _: object) -> dict[str, Any]:
    """The page with a row twice, as where a record moved while it was read."""
    return {**content, "data": [*content["data"], content["data"][0]]}


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault(route="lp-funds", lie=totalled(3)), "Not every record was read"),
        (Fault(route="lp-funds", lie=moved), "Records changed while they were read"),
        (Fault(route="lp-funds", lie=totalled(None)), "No total is reported"),
    ],
    ids=["short", "drifted", "without a total"],
)
def test_a_fetch_that_is_not_whole_says_so_is_kept_apart_and_is_no_change(
    fault: Fault, reason: str, tmp_path: Path
) -> None:
    faults, keep = Faults(), tmp_path / "keep"
    settings, question = Settings(around=faults.around), QUESTIONS["exposure"]
    with run.start(sample(), settings) as running, connected(running) as service:
        watch(question, service, keep)
        faults.play([fault])
        cut = watch(question, service, keep)
        faults.play([])
        whole = watch(question, service, keep)
    assert (cut.status, whole.status) == (1, 0)
    (line,) = cut.lines
    assert line.startswith("The fetch is incomplete: it is kept in")
    assert f"and not compared. {reason}" in line
    assert re.search(r"\(investors, [\d,]+( of [\d,]+)?\)", line), "with its rows"
    assert sorted(path.name for path in keep.iterdir() if path.is_dir()) == [
        *("0001", "0003", "incomplete")
    ]
    assert json.loads((keep / "0003.json").read_text())["before"] == "0001"


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_is_written_read_back_and_watched(
    name: str, march: Service, tmp_path: Path
) -> None:
    file = tmp_path / "question.toml"
    file.write_text(QUESTIONS[name].written, "utf-8")
    question = read(file)
    assert question == QUESTIONS[name]
    assert watch(question, march, tmp_path / "keep").status == 0
    assert watch(question, march, tmp_path / "keep").status == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question = ", "cannot be read as a saved question"),
        (
            'since = "2005"',
            "names no question: there are exposure, founders, hiring, mine, spinouts",
        ),
        ('question = "os"', "names no question: 'os'"),
        (
            'question = "spinouts"\nuniversty = "A"',
            "has no parameter 'universty'; did you mean 'university'\\? it takes",
        ),
        (
            'question = "spinouts"\nsince = "soon"',
            "parameter 'since' of .* takes a year such as 2005, not 'soon'",
        ),
    ],
)
def test_a_file_that_is_no_saved_question_is_refused(
    text: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "question.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(ReportError, match=message):
        read(file)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("absent.toml", "No such file or directory"),
        ("folder", "Is a directory"),
        ("file/q.toml", "a part of the path is a file, not a folder"),
    ],
)
def test_a_question_that_is_not_there_is_named_with_what_writes_one(
    path: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(ReportError) as caught:
        read(tmp_path / path)
    what = f"{tmp_path / path} cannot be read as a saved question: {reason}"
    assert str(caught.value) == f"{what}. report --save-question writes one"


def test_a_folder_is_of_one_question_one_currency_and_one_run(
    march: Service, tmp_path: Path
) -> None:
    keep, question = tmp_path / "keep", QUESTIONS["hiring"]
    watch(question, march, keep)
    for changed, differs in (({"currency": "USD"}, "currency"), ({"tags": ()}, "tags")):
        with pytest.raises(
            SaveError, match=f"another question, which differs in {differs}"
        ):
            watch(replace(question, **changed), march, keep)
    kept = (keep / "question.toml").read_text("utf-8")
    older = kept.replace('any_tags = "none"\n', "")
    (keep / "question.toml").write_text(older, "utf-8")
    assert older != kept
    assert watch(question, march, keep).status == watching.NOTHING_NEW
    (keep / "question.toml").write_text(
        kept.replace('wire = "', 'wire = "other-'), "utf-8"
    )
    with pytest.raises(SaveError, match="differs in wire"):
        watch(question, march, keep)
    with locked(keep), pytest.raises(SaveError, match="by another process"):
        watch(question, march, keep)


@pytest.mark.slow
def test_a_report_writes_its_question_and_the_command_exits_with_what_it_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked, data = tmp_path / "question.toml", tmp_path / "data"
    sample(companies=60).write(data)
    options = ["--keep", str(tmp_path / "keep"), "--data", str(data)]
    assert cli.main(["watch", str(asked), *options]) == 1
    assert "cannot be read as a saved question" in capsys.readouterr().err
    saving = [
        "--save-question",
        str(asked),
        "--data",
        str(data),
        "--out",
        str(tmp_path),
    ]
    assert cli.main(["report", "04", *saving]) == 1
    assert "04_what_changed names no question, so none" in capsys.readouterr().err
    lp = "Ostrander Institute Endowment, endowment.ostrander.example"
    assert cli.main(["report", "02", "--currency", "GBP", "--lp", lp, *saving]) == 0
    assert {"currency": "GBP", "since": None}.items() <= read(asked).parameters.items()
    assert cli.main(["watch", str(asked), *options]) == 0
    assert "This is the first fetch" in capsys.readouterr().out


@pytest.fixture(scope="module")
def firms(march: Service, june: Service) -> dict[str, Any]:
    """Companies by name and website: some on both days, some in June alone."""
    before, after = (
        service.companies.fetch().to_polars().drop_nulls("website_domain")
        for service in (march, june)
    )
    names = ["name", "website_domain"]
    after = after.unique("name", keep="none", maintain_order=True)
    after = after.unique("website_domain", keep="none", maintain_order=True)
    is_new = ~after["uuid"].is_in(before["uuid"].implode())
    return {
        "old": after.filter(~is_new).select(names).rows()[:6],
        "new": after.filter(is_new).select(names).rows()[:2],
    }


def written(file: Path, rows: list[tuple[str, str]]) -> Path:
    lines = ["Company\tWebsite", *("\t".join(row) for row in rows)]
    file.write_text("\n".join(lines), "utf-8")
    return file


@pytest.mark.slow
def test_a_listed_company_that_enters_the_records_is_a_change(
    march: Service, june: Service, firms: dict[str, Any], tmp_path: Path
) -> None:
    rows = [*firms["old"][:2], firms["new"][0], ("No Such Firm", "no-such.example")]
    question = vf.mine.Question(list=str(written(tmp_path / "mine.tsv", rows)))
    keep = tmp_path / "keep"
    statuses = [watch(question, one, keep).status for one in (march, march, june)]
    assert statuses == [0, 0, 10]
    kept = json.loads((keep / "0003.json").read_text())
    what = {(row["record"], row["what"]) for row in kept["changes"]}
    assert (firms["new"][0][0], "company newly seen") in what
    assert any("for your list since 31 March 2026" in line for line in kept["text"])


def test_a_listed_company_that_leaves_the_records_is_told_from_an_edited_list(
    march: Service, june: Service, firms: dict[str, Any]
) -> None:
    """June is taken for the earlier fetch."""
    question = vf.mine.Question(list=[*firms["old"][:2], firms["new"][0]])
    later, earlier = (question.study(one).saved for one in (march, june))
    edits = changes_edits.read(earlier, later)
    assert edits is not None
    assert (len(edits.moved), edits.apart, edits.restated) == (1, {}, [])
    same = changes_edits.read(earlier, earlier)
    assert same is not None
    assert not any(same)


def test_what_the_owner_of_a_list_edits_is_no_change_of_the_records(
    march: Service, june: Service, firms: dict[str, Any], tmp_path: Path
) -> None:
    old, new = firms["old"], firms["new"]
    file, keep = tmp_path / "mine.tsv", tmp_path / "keep"
    question = vf.mine.Question(list=str(written(file, old[:3])))
    watch(question, june, keep)
    written(file, [*old[1:5], (new[0][0].upper(), new[0][1])])
    edited = watch(question, june, keep)
    assert edited.status == 0
    text = " ".join(edited.lines)
    assert "Rows of your list that are not compared: 3 added and 1 removed." in text
    assert "which only one of the two fetches looked up" in text
    assert "companies in both fetches changed." in text
    written(file, [(old[1][0].upper(), old[1][1]), *old[2:5], new[0]])
    assert "Rows of your list" not in " ".join(watch(question, june, keep).lines)


GRADED = [
    # grade and record before, after; moved, edited, restated
    (("not found", None), ("domain", "a"), 1, 0, 0),
    (("domain", "a"), ("not found", None), 1, 0, 0),
    (("domain", "a"), ("several", None), 1, 0, 0),
    (("domain", "a"), ("domain", "b"), 2, 0, 0),
    (("domain", "a"), ("name and place", "a"), 0, 0, 0),
    (("name only", None), ("confirmed by you", "a"), 0, 1, 0),
    (("name only", None), ("refused by you", None), 0, 1, 0),
    (("confirmed by you", "a"), ("name only", None), 0, 1, 0),
    (("confirmed by you", "a"), ("not found", None), 1, 0, 0),
    (("domain", "a"), ("confirmed by you", "a"), 0, 0, 0),
    (("not found", None), ("several", None), 0, 0, 1),
    (("name only", None), ("not found", None), 0, 0, 1),
    (("not looked up", None), ("domain", "a"), 0, 1, 0),
    (("not found", None), ("not found", None), 0, 0, 0),
]


@pytest.mark.parametrize(("before", "after", "moved", "apart", "restated"), GRADED)
def test_what_the_records_changed_is_told_apart_from_decisions(
    before: tuple[str, Any],
    after: tuple[str, Any],
    moved: int,
    apart: int,
    restated: int,
) -> None:
    sides = [
        Saved({}, "mine", {"rows": [("Oak, oak.example", *side)]})
        for side in (before, after)
    ]
    edits = changes_edits.read(*sides)
    assert edits is not None
    assert (len(edits.moved), sum(edits.apart.values()), len(edits.restated)) == (
        moved,
        apart,
        restated,
    )


def test_no_name_of_a_record_steers_the_terminal() -> None:
    row = {
        "record": "Evil\x1b[31m\nReport: x",
        "what": "company newly seen",
        "before": "",
        "after": "",
        "amount": 2e6,
        "date": "2013",
        "investors": None,
    }
    line = watching._line(row, "EUR")
    assert line.isprintable()
    assert line.endswith("company newly seen: EUR 2m, 2013")
