"""My list as a question, and the list in other questions."""

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.panel.test_form import run
from ventureframe import cli
from ventureframe.client.service import Service
from ventureframe.errors import UnsupportedValue
from ventureframe.evidence.question import EXAMPLES
from ventureframe.matching.match import Match
from ventureframe.panel.decider import Decider
from ventureframe.panel.form import Form
from ventureframe_service.dataset import sample

LIST = EXAMPLES["mine"]["list"]
"""The pipeline that ships with the package, over the sample."""


@pytest.fixture(scope="module")
def svc() -> Any:
    with vf.connect(environment={}) as service:
        yield service


@pytest.fixture(scope="module")
def matched(svc: Service) -> Match:
    return vf.match(svc, LIST)


@pytest.fixture(scope="module")
def study(svc: Service) -> vf.mine.Study:
    return vf.mine.study(svc, list=LIST, currency="USD")


def test_the_answer_says_what_was_matched_what_is_left_and_what_is_known(
    study: vf.mine.Study,
) -> None:
    assert (
        study.answer.sentence
        == "10 of the 15 rows of your list match 10 companies (8 by website, 2 by name"
        " and city). 2 rows need your decision. 3 rows were not found. 3 of the 10"
        " companies with a recorded flag are flagged as hiring. A founder's university is"
        " identified for all 10 companies."
    )
    assert study.grades.frame.select("grade", "rows", "is_used").rows() == [
        ("domain", 8, True),
        ("name and place", 2, True),
        ("name only", 2, False),
        ("not found", 3, False),
    ]
    (total,) = study.key_figures
    assert str(total) == "Total funding: USD 159m (recorded for 7 of the 10 companies)"


def test_of_a_long_list_it_is_said_whose_rounds_were_looked_up(svc: Service) -> None:
    part = vf.mine.study(svc, list=LIST, currency="USD", rounds_of=4)
    read = "Funding rounds were looked up for 4 of the 10 companies:"
    assert f"{read} of the others none is shown." in [one.text for one in part.limits]
    again = vf.mine.study(svc, list=LIST, currency="USD", rounds_of=4)
    limits = [one.text for one in vf.changes.compare(part, again).limits]
    assert f"{read} others may have newer ones." in limits


def test_a_yes_is_matched_and_a_no_is_not_found(svc: Service, matched: Match) -> None:
    named = matched.to_check.frame.filter(found_by="name")
    decided = named.with_columns(decision=pl.Series(["yes", "no"]))
    heads = {"decision": "Decision", "record_uuid": "Record UUID"}
    found = vf.match(svc, LIST, decided=decided.rename(heads))
    counts = vf.mine.study(svc, list=found, currency="USD").counts
    assert (counts.matched, counts.to_decide, counts.not_found) == (11, 0, 4)
    assert counts.list_rows == 15
    why = dict(found.graded.select("decision", "why").drop_nulls().rows())
    assert why == {
        "yes": "you said yes",
        "no": "you said no, and no other record of this name or domain was found",
    }


def test_a_record_of_another_name_is_said_to_have_one(svc: Service) -> None:
    firms = vf.bulk.open()["companies"].collect()
    firms = firms.drop_nulls(["website_domain", "hq_city"]).head(60)
    given = pl.select(
        Company=pl.format("Renamed {}", pl.int_range(60)),
        Website=firms["website_domain"],
        City=firms["hq_city"],
    )
    said = vf.mine.study(svc, list=given, currency="USD")
    assert "All 60 rows of your list match 60 companies (60 by website)" in said.answer
    another = "Another name is recorded for all 60 rows matched by website."
    assert another in said.answer
    assert [claim.status for claim in said.statements][:1] == ["candidate"]
    alone = vf.mine.study(svc, list=given.drop("City"), currency="USD")
    assert alone.answer.sentence == (
        "No row of your list is matched to a company. 60 rows need your"
        " decision. Only the website is equal, under another name, for all 60 rows to"
        " decide."
    )
    table = alone.grades.frame.select("grade", "rows", "is_used")
    assert table.rows() == [("domain", 60, False)]
    (reason,) = alone.to_check.frame["why"].unique()
    assert reason == "only the domain is equal, and the record has another name"


def test_each_company_has_what_the_records_know(
    study: vf.mine.Study, svc: Service
) -> None:
    frames = vf.bulk.open()
    table = study.companies.frame
    founders = frames["company_founders"].join(
        frames["founders"].rename({"uuid": "founder_uuid"}), on="founder_uuid"
    )
    named = founders.group_by("company_uuid").agg(
        pl.col("name").unique().sort().str.join("; ")
    )
    known = dict(named.collect().rows())
    assert dict(table.select("company_uuid", "founders").rows()) == {
        uuid: known.get(uuid) for uuid in table["company_uuid"]
    }
    whole = vf.hiring.study(svc, companies=study.match, currency="USD").ranking.frame
    both = ["company_uuid", "total_funding", "open_jobs_count", "postings"]
    one, other = (each[both].sort(both) for each in (table, whole))
    assert one.equals(other)
    assert {*study.hiring.frame["company_uuid"]} == {
        row["company_uuid"]
        for row in whole.iter_rows(named=True)
        if row["is_hiring"] or row["open_jobs_count"] or row["postings"]
    }


def test_a_matched_list_goes_into_the_other_questions(
    matched: Match, svc: Service
) -> None:
    uuids = {*matched.uuids}
    assert {
        *vf.hiring.study(svc, companies=matched).ranking.frame["company_uuid"]
    } == uuids
    university = svc.university("Harrowmere University", domain="harrowmere.example")
    every = vf.spinouts.study(svc, university=university).companies.frame
    own = vf.spinouts.study(svc, university=university, companies=matched)
    assert {*own.companies.frame["company_uuid"]} == {*every["company_uuid"]} & uuids
    assert "found by the list that is given" in str(own.caveats)
    with vf.connect(sample_day="2026-03-31", environment={}) as march:
        before, after = (
            vf.hiring.Question(currency="USD").study(one) for one in (march, svc)
        )
    two = vf.changes.study(svc, before=before, after=after, companies=matched)
    assert two.counts.in_both + (two.counts.newly_seen or 0) == len(uuids)
    changed = {*two.field_changes.frame["uuid"]}
    assert changed <= uuids


@pytest.mark.parametrize(
    ("kind", "table", "member"),
    [("university", "universities", "universities"), ("investor", "investors", "lps")],
)
def test_lists_of_universities_and_lps_are_those_of_a_question(
    kind: Any, table: str, member: str, svc: Service
) -> None:
    rows = sample().tables[table].filter(pl.col("website_domain").is_not_null())
    rows = rows.filter(is_lp=True) if kind == "investor" else rows
    found = vf.match(
        svc, rows.head(2).select(Name="name", Website="website_domain"), kind=kind
    )
    area: Any = vf.exposure if member == "lps" else vf.universities
    question = area.Question
    assert getattr(question(**{member: found}), member) == found.entries
    assert [uuid for _, uuid in found.entries] == rows["uuid"].head(2).to_list()
    with pytest.raises(
        UnsupportedValue, match="what vf.match gives of companies".replace(".", r"\.")
    ):
        vf.hiring.Question(companies=found)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"companies": "x"}, "give what vf.match gives of companies"),
        ({"companies": ["x"]}, "give what vf.match gives of companies"),
        ({"companies": [], "founded": (2000, None)}, "leave the condition out"),
    ],
)
def test_what_is_no_list_of_companies_is_refused(
    given: dict[str, Any], said: str
) -> None:
    with pytest.raises(UnsupportedValue, match=said):
        vf.hiring.Question(**given)


def test_a_list_in_which_nothing_is_found_and_none_at_all(svc: Service) -> None:
    none = vf.mine.study(svc, list=["No Such Firm"])
    assert (
        none.answer.sentence
        == "No row of your list is matched to a company. 1 row was not found."
    )
    assert none.companies.frame.is_empty()
    with pytest.raises(UnsupportedValue, match="paste a list, or name its file"):
        vf.mine.study(svc)


def test_the_form_has_a_box_for_a_block_and_takes_a_file(svc: Service) -> None:
    panel = vf.form(svc, vf.mine.Question(list=LIST, currency="USD"))
    form = Form(panel)
    own = form.controls["list"]
    assert own.read() == LIST == form.read().parameters["list"]
    field, upload = own.fields
    upload.value = [_uploaded("b.csv", b"Company;City\nAcme;Oslo\n")]
    assert field.value == own.read() == "Company\tCity\nAcme\tOslo"
    upload.value = [_uploaded("c.csv", b"")]
    assert own.read() is None
    assert said(form) == "it holds no rows"


def said(form: Form[Any]) -> str:
    """How the form says that it read the list."""
    text: str = form.controls["list"].box.children[-1].value
    return text


def offered(form: Form[Any], member: str) -> list[str]:
    """What the choice of a column offers."""
    return [label for label, _ in form.controls[member].fields[0].options]


UNKNOWN = b"Code,Q,HQ,Since\nA1,Acme,Oslo,2001\nA2,Beta,Bergen,2002\n"


def test_a_column_that_is_not_recognised_is_chosen_in_the_form(svc: Service) -> None:
    form = Form(vf.form(svc, vf.mine.Question(currency="USD")))
    form.controls["list"].fields[1].value = [_uploaded("d.csv", UNKNOWN)]
    assert said(form).startswith("The column of names is not recognised: choose it")
    assert offered(form, "name") == ["as recognised", "Code", "Q", "HQ", "Since"]
    assert offered(form, "city")[0] == "HQ (recognised)"
    form.controls["name"].fields[0].value = "Q"
    form.controls["year"].fields[0].value = "Since"
    assert said(form) == "Name = Q · website: none · city = HQ · year = Since"
    assert offered(form, "name")[0] == "as recognised"
    question = form.read()
    chosen = [question.parameters[name] for name in ("name", "city", "year")]
    assert chosen == ["Q", None, "Since"]
    assert Form(vf.form(svc, question)).read() == question
    form.controls["list"].fields[0].value = "Company\tCity\nAcme\tOslo"
    assert said(form) == "Name = Company · website: none · city = City · year: none"
    assert form.read().parameters["name"] is None, "a choice is of its list"


def test_a_list_that_cannot_be_read_is_said_beneath_its_box(svc: Service) -> None:
    form = Form(vf.form(svc, vf.mine.Question(currency="USD")))
    form.controls["list"].fields[0].value = "/nowhere/list.csv"
    assert "there is no such file" in said(form)
    form.controls["list"].fields[0].value = "Company\tCity\nA\tB\tC\nD\tE"
    assert "line 2 has 3 cells" in said(form)


def _uploaded(name: str, content: bytes) -> dict[str, Any]:
    about = {"name": name, "type": "text/csv", "size": len(content)}
    return {
        **about,
        "content": memoryview(content),
        "last_modified": dt.datetime.now(dt.UTC),
    }


@pytest.mark.slow
def test_a_report_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "list.tsv").write_text(LIST, "utf-8")
    assert (
        cli.main(
            [
                "report",
                "08",
                "--list",
                str(tmp_path / "list.tsv"),
                "--out",
                str(tmp_path),
            ]
        )
        == 0
    )
    assert "list.tsv" in (tmp_path / "08_my_list.html").read_text("utf-8")


async def pressed(decider: Decider, line: int, answer: str) -> list[str]:
    """The answers that are shown once a press is followed."""
    rows: Any = decider.rows
    cells, (name, domain, _) = rows[line]
    decider.keep([[name, domain, cells[1], cells[10], answer]])
    await decider._latest
    decider.shown(None, decider._form.study)
    rows = decider.rows
    return [{True: "yes", False: "no"}.get(made[2], "") for _, made in rows]


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The notebook that runs, as Jupyter tells it a kernel."""
    path = tmp_path / "deals.ipynb"
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    return path


PIPELINE = "Firm X\tOwner\nGrevlis Dynamics\tAda\nDoruvex\t=Bo\nNo Such Firm\tBo"


def test_a_decision_is_kept_beside_the_notebook_and_followed_at_once(
    svc: Service, notebook: Path
) -> None:
    question = vf.mine.Question(list=PIPELINE, name="Firm X", currency="USD")
    form = vf.form(svc, question)
    decider = Decider(form)
    assert decider.shown(None, form.study).title == "To be decided: My list"
    assert decider.heads[:3] == ["Firm X", "Name in the records", "Decision"]
    assert run(pressed(decider, 0, "yes")) == ["yes", ""]
    assert form.study.answer.sentence.startswith("1 of the 3 rows of your list")
    assert run(pressed(decider, 1, "no")) == ["yes", "no"]
    assert len(form.study.to_check) == 0
    assert run(pressed(decider, 0, "taken back")) == ["", "no"]
    kept = notebook.with_name("deals.decided.csv")
    assert str(kept) in decider.message
    assert form.question == question
    assert kept.read_text("utf-8-sig").splitlines()[1].startswith("Grevlis Dynamics,,")
    again = question.study(svc)
    assert again.counts.by_grade["refused by you"] == 1
    assert "2 decisions read from deals.decided.csv" not in again.match.notes
    assert "1 decision read from deals.decided.csv" in again.match.notes
    assert str(kept) in question.written
    other = vf.mine.study(svc, list="Company\nDoruvex")
    assert other.counts.by_grade["refused by you"] == 1, "under another heading, too"


def test_lines_of_other_lists_and_columns_of_her_own_stay_in_the_file(
    svc: Service, notebook: Path
) -> None:
    kept = notebook.with_name("deals.decided.csv")
    text = "Name;Website;Record UUID;Decision;By\nElsewhere;x.example;u-1;yes;Ada\n"
    kept.write_text(text, "utf-8")
    form = vf.form(svc, vf.mine.Question(list=PIPELINE, name="Firm X", currency="USD"))
    assert "1 decision no longer applied" in " ".join(form.study.match.notes)
    decider = Decider(form)
    decider.shown(None, form.study)
    run(pressed(decider, 1, "no"))
    first, elsewhere, line = kept.read_text("utf-8-sig").splitlines()
    assert first == "Name,Website,Record UUID,Decision,By,Name in the records"
    assert elsewhere.startswith("Elsewhere,x.example,u-1,yes,Ada,")
    assert line.startswith("Doruvex,,")


def test_our_own_workbook_and_csv_are_taken_as_decided(
    svc: Service, tmp_path: Path
) -> None:
    study = vf.mine.study(svc, list=LIST)
    check = study.to_check.to_polars().with_columns(decision=pl.lit("no"))
    named = replace(study.to_check, frame=check)
    table = named.to_csv(tmp_path / "check.csv")
    named.to_excel(tmp_path / "check.xlsx")
    for path in (table, tmp_path / "check.xlsx"):
        decided = vf.mine.study(svc, list=LIST, decided=str(path))
        assert decided.counts.to_decide == 0


def test_the_whole_workbook_of_a_study_is_taken_as_decided(
    svc: Service, tmp_path: Path
) -> None:
    book = vf.mine.study(svc, list=LIST).save(tmp_path / "book.xlsx")
    decided = vf.mine.study(svc, list=LIST, decided=str(book))
    assert "0 decisions read from book.xlsx" in decided.match.notes
