"""What is asked of founders: conditions, cost, a list, and both wires."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.fake import connected_on
from tests.service.sample.sample import sample
from tests.studies.founding import WHOLE, frames, study
from tests.studies.worlds import Uni, key, service
from ventureframe.errors import UnsupportedValue

WIRES = ("interface", "2026-10-02")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(companies=60).write(tmp_path_factory.mktemp("sample"))


@pytest.mark.parametrize("wire", WIRES)
def test_the_cost_is_said_before_and_is_what_is_sent_at_most(
    folder: Path, wire: str
) -> None:
    fifty = pl.read_parquet(folder / "companies.parquet")["uuid"].sort()[:50]
    with connected_on(wire, folder) as svc:
        question = vf.founders.Question(companies=fifty.to_list())
        plan = question.count(vf.evidence.Records(svc))
        made = question.study(svc)
    lists = 50 if wire == WIRES[1] else 0
    assert plan.text.startswith("50 companies, then their founders")
    assert plan.cost is not None
    assert plan.cost.most is not None
    sent = sum(result.certificate.pages for result in made.fetched)
    founders = made.fetched[1].certificate.pages
    assert sent - founders == 1 + lists < plan.cost.requests
    assert sent <= plan.cost.most.requests


def test_both_wires_find_the_same_founders_posts_and_companies(folder: Path) -> None:
    studies = []
    for wire in WIRES:
        with connected_on(wire, folder) as svc:
            studies.append(vf.founders.study(svc, currency="EUR"))
    old, new = studies
    # today's wire has posts and education with an organisation's record alone
    for name in ("founders", "companies", "founders_listed_again", "founders_missing"):
        assert getattr(old.counts, name) == getattr(new.counts, name), name
    has_id = pl.col("organisation_uuid").is_not_null()
    first, second = (
        set(
            made.frames["posts"]
            .filter(has_id)["founder_uuid", "organisation_uuid"]
            .rows()
        )
        for made in studies
    )
    assert first <= second  # which also has posts that only today's wire tells
    assert old.counts.founders_identified > 3


def test_years_of_posts_are_shown_where_the_wire_has_them() -> None:
    own = study("A 2005: ana; B 2001: bo", "ana: Google*, Cook, 2003; bo: Bolt*, 2004")
    years = own.frames["founders"].sort("founder_uuid")["years_from_post"]
    assert years.to_list() == [2, -3]
    links = own.links.to_polars().select("organisation", "end_year", "launch_date")
    assert links.rows() == [("Google", 2003, 2005), ("Bolt", 2004, 2001)]


def test_the_company_itself_is_no_earlier_employer_by_identifier_or_name() -> None:
    own = study(
        "A 2005: ana; B 2009: ana bo",
        "ana: A*, Founder; ana: B Inc.; bo: A*; ana: C*",
    )
    posts = own.frames["links"].filter(kind="earlier post")
    rows = posts.select("company_name", "founder_uuid", "organisation").rows()
    assert rows == [
        ("A", "ana", "B Inc."),
        ("A", "ana", "C"),
        ("B", "ana", "A"),
        ("B", "ana", "C"),
        ("B", "bo", "A"),
    ]
    (ana, bo) = own.frames["founders"].sort("founder_uuid")["employers"]
    assert (ana, bo) == ("C", "A")


@pytest.mark.parametrize(
    ("title", "is_founder"),
    [
        ("Founder", True),
        ("Co-Founder & CEO", True),
        ("CEO, Cofounder", True),
        ("Founder/CTO", True),
        ("CEO and co founder", True),
        ("Assistant to the Founder", False),
        ("Founder's Associate", False),
        ("Founders Fund partner", False),
        ("Founding engineer", False),
    ],
)
def test_a_founder_before_is_known_by_the_title_itself(
    title: str, *, is_founder: bool
) -> None:
    own = study(
        "A 2005: ana", f"ana: Bolt*, {title.replace(',', ' ,')}".replace(" ,", "/")
    )
    assert bool(own.counts.founders_repeated) is is_founder
    assert own.counts.founders_listed_again == 0


def test_what_was_not_looked_up_of_a_further_company_is_not_known() -> None:
    own = study("A 2005: ana", "ana: Bolt*, Founder")
    shown = repr(own.repeat)
    assert "not known" in shown
    assert "not recorded" not in shown.replace("no earlier company is recorded", "")


def test_order_and_repeated_rows_change_nothing() -> None:
    own = frames(
        "A 2005: ana bo; B: bo di; C 2001: ed",
        "ana: Google*; bo: Google*; di: Bolt; ed: Bolt Inc.",
        "ana: Harrow*, BSc/Law, 1999; bo: Harrow; ed: Harrow",
    )
    made = vf.founders.find(**own, currency="EUR")
    again = {name: pl.concat([part, part]).reverse() for name, part in own.items()}
    other = vf.founders.find(**again, currency="EUR")
    for name, frame in made.frames.items():
        assert frame.equals(other.frames[name]), name


def test_an_employer_takes_whole_collections_and_one_organisation() -> None:
    two = "ana: Bolt*; bo: Bolt"
    with pytest.raises(UnsupportedValue, match="no service lists founders by their"):
        study("A: ana", two, employer="Bolt")
    one: Any = {"origin": WHOLE}
    assert study("A: ana; B: bo", two, employer="bolt inc", **one).counts.founders == 1
    by_name = "ana: Cog Ltd; bo: COG"
    assert study("A: ana; B: bo", by_name, employer="Cog", **one).counts.founders == 2
    with pytest.raises(
        UnsupportedValue, match="no earlier post that was read is there"
    ):
        study("A: ana", two, employer="Nowhere", **one)
    several = "ana: Bolt Inc*; bo: Bolt AG*"
    with pytest.raises(
        UnsupportedValue,
        match=r"give the UUID of Bolt AG \(uuid Bolt AG\) and Bolt Inc \(uuid Bolt Inc\)",
    ):
        study("A: ana; B: bo", several, employer="Bolt", **one)
    spelt = study("A: ana; B: bo", several, employer="Bolt AG", **one)
    assert spelt.frames["founders"]["founder_uuid"].to_list() == ["bo"]


def test_an_employer_without_a_recorded_name_is_called_by_its_identifier() -> None:
    own = frames("A: ana; B: bo", "ana: Bolt*; bo: Cog*")
    no_name = pl.lit(None, pl.String).alias("name")
    own["prior_employers"] = own["prior_employers"].with_columns(no_name)
    made = vf.founders.find(**own, currency="EUR", employer="uuid Bolt", origin=WHOLE)
    assert made.frames["founders"]["founder_uuid"].to_list() == ["ana"]
    assert made.title.startswith("Founders with an earlier post at uuid Bolt")


def test_alumni_are_those_with_the_identifier() -> None:
    own = study(
        "A: ana; B: bo",
        studies="ana: Harrow*; ana: Tarn*; bo: Harrow",
        university=Uni("uuid Harrow", "Harrow"),
    )
    assert own.frames["founders"]["founder_uuid"].to_list() == ["ana"]
    assert own.counts.companies == 1


def test_neither_what_founders_were_chosen_by_nor_its_name_is_a_finding() -> None:
    one: Any = {"university": Uni("uuid Harrow", "Harrow")}
    alumni = study("A: ana", studies="ana: Harrow*; ana: HARROW", **one)
    assert alumni.answer.sentence.endswith(
        "Besides Harrow, education is recorded for no founder."
    )
    posts = "ana: Google*; ana: Google Inc.; bo: Google"
    staff = study("A: ana; B: bo", posts, employer="Google", origin=WHOLE)
    assert "Besides Google, earlier posts are recorded for no founder" in staff.answer


def test_a_degree_that_is_not_recorded_leaves_nothing_between_others() -> None:
    own = study("A: ana", studies="ana: Harrow*; ana: Tarn*, MBA")
    assert own.frames["founders"]["degrees"].to_list() == ["MBA"]


@pytest.mark.parametrize("withheld", [["uuid B"], ["uuid B", "uuid C"]])
def test_companies_whose_founders_are_withheld_are_none_of_those_chosen(
    withheld: list[str],
) -> None:
    """However many they are: as many as were chosen, or more."""
    about: dict[str, Any] = {
        "studies": "ana: Harrow*",
        "companies_withheld": withheld,
    }
    made = study("A: ana; B; C", **about, university=Uni("uuid Harrow", "Harrow"))
    assert "does not show the founders" not in made.answer
    assert (made.counts.companies, made.counts.companies_withheld) == (1, 0)
    many = "1 company" if len(withheld) == 1 else "2 companies"
    said = " ".join(map(str, made.limits))
    assert f"The service does not show the founders of {many}: whether" in said
    assert "no founder is recorded" not in said
    none = study("A: ana; B; C", **about, university=Uni("uuid Tarn", "Tarn"))
    assert none.answer.sentence == "No founder who studied at Tarn was read."
    whole = study("B; C; D", companies_withheld=withheld)
    silent = "2" if len(withheld) == 1 else "1"
    assert whole.answer.sentence == (
        f"No founder is recorded for {silent} of the 3 companies."
    )


def test_a_question_goes_through_its_text_and_takes_no_unknown_status() -> None:
    svc = service()
    uni = svc.university("Dunmere University", domain="dunmere.example")
    question = vf.founders.Question(
        university=uni, founded=(2010, None), currency="EUR"
    )
    assert 'university = "Dunmere University"' in question.written
    assert question.parameters["domain"] == "dunmere.example"
    assert vf.founders.Question(**question.parameters).study(svc).counts == (
        question.study(svc).counts
    )
    with pytest.raises(UnsupportedValue, match="no company has it; recorded are"):
        vf.founders.study(svc, status="asleep")
    with pytest.raises(UnsupportedValue, match="leave the condition out"):
        vf.founders.Question(companies=[key("Acorn")], tags=[("Pair", "technology")])
