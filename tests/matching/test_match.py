"""A list against the records: graded, never guessed; on a folder and over both wires
alike.
"""

import shutil
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.fake import start_on
from tests.faults import connected
from ventureframe.bulk import Frames
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.source import Origin, Source
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE
from ventureframe.matching.match import Match
from ventureframe_service.dataset import FOLDER, Dataset, sample

RECORDS = [  # uuid, name, domain, city, country, year
    ("a", "Acme, Inc.", "acme.com", "Oslo", "Norway", 2010),
    ("b", "Beta", "beta.io", "Paris", "France", 2012),
    ("c", "Beta", "beta.fr", "Lyon", "France", 2015),
    ("d", "Gamma Ltd", None, "Bonn", "Germany", None),
    ("e", "Delta One", "shared.com", None, None, None),
    ("f", "Delta Two", "shared.com", None, None, None),
    ("g", "Old Name", "moved.com", "Rome", "Italy", 1999),
    ("h", "Société Épsilon", "epsilon.co.uk", "London", "United Kingdom", 2001),
    ("i", "Facebook", "facebook.com", "Menlo Park", "United States", 2004),
    ("j", "Zeta Robotics", "zeta.ai", "Oslo", "Norway", 2020),
    ("k", "Everest", None, "Oslo", "Norway", None),
    ("l", "Thermal Spa", None, "Bonn", "Germany", None),
    ("m", "Nova AG", None, "Bonn", "Germany", None),
    ("n", "Ørsund", None, "Oslo", "Norway", None),
    ("o", "Łódź Foods™", None, "Oslo", "Norway", None),
    ("p", "Codeport", "github.com", "Oslo", "Norway", None),
    ("q", "Strassenbau Nord", "strasse.example", None, None, None),
    ("r", "Arkeia Software", "arkeia.example", "Oslo", "Norway", None),
    ("t", "Kühnbau Nord", None, "Bonn", "Germany", None),
    ("u", "Schoenfeld Labs", None, "Köln", "Germany", None),
    ("v", "Blu Horizon", None, "Bonn", "Germany", None),
    ("s", "Openplace", "openplace.example", "Oslo", "Norway", None),
]
GRADES: dict[str, tuple[tuple[Any, ...], str, str | None]] = {
    "the domain, however it is written": (
        ("acme", "https://WWW.acme.com:80/en?q=1"),
        "domain",
        "a",
    ),
    "a mail address": (("Société", "jo@mail.epsilon.co.uk"), "domain", "h"),
    "a similar name": (
        ("ACME Holding", "acme.com"),
        "domain",
        "a",
    ),
    "name and year say otherwise": (
        ("New Name", "moved.com", None, "2019"),
        "several",
        None,
    ),
    "name and place say otherwise": (
        ("New Name", "moved.com", "Oslo"),
        "several",
        None,
    ),
    "the year alone, by far": (
        ("Old Name", "moved.com", None, "2010"),
        "several",
        None,
    ),
    "the year alone, by little": (
        ("Old Name", "moved.com", None, "2001"),
        "domain",
        "g",
    ),
    "another name, and the city": (("New Name", "moved.com", "Rome"), "domain", "g"),
    "another name, and the year": (
        ("New Name", "moved.com", None, "1999"),
        "domain",
        "g",
    ),
    "another name, and nothing else": (("New Name", "moved.com"), "domain", None),
    "a domain without a name": ((None, "moved.com"), "domain", "g"),
    "a mailbox, another name, and the city": (
        ("New Name", "jo@openplace.example", "Oslo"),
        "domain",
        None,
    ),
    "a host of pages itself": (("Facebook", "facebook.com"), "domain", "i"),
    "a host of pages without a name": ((None, "facebook.com"), "domain", "i"),
    "a page on a host": (("New Name", "github.com/new", "Oslo"), "not found", None),
    "a page of a place that no table knows": (
        ("Acme", "openplace.example/acme", "Oslo"),
        "name and place",
        "a",
    ),
    "a page elsewhere contradicts nothing": (
        ("Acme", "https://users.unknown.com/~acme", "Oslo"),
        "name and place",
        "a",
    ),
    "a domain of two records": (("Delta", "shared.com"), "several", None),
    "a platform is no domain": (
        ("Acme", "facebook.com/acme", "Oslo"),
        "name and place",
        "a",
    ),
    "legal form, case and accent": (
        ("GÁMMA Pvt. Ltd.", None, "bonn, Germany"),
        "name and place",
        "d",
    ),
    "a form where the record has none": (
        ("Zeta Robotics A/S", "zeta.ai"),
        "domain",
        "j",
    ),
    "another form": (("Nova SA", None, "Bonn"), "name only", None),
    "capitals": (("EVEREST",), "name only", None),
    "one word in capitals, and the place": (
        ("GAMMA", None, "Bonn"),
        "name and place",
        "d",
    ),
    "the same form": (("NOVA Aktiengesellschaft", None, "Bonn"), "name and place", "m"),
    "a last word that is a word": (("Thermal", None, "Bonn"), "name only", None),
    "the same last word": (("thermal spa", None, "Bonn"), "name and place", "l"),
    "letters as they are typed": (("Orsund", None, "Oslo"), "name and place", "n"),
    "an umlaut as it is typed": (
        ("KUEHNBAU NORD GMBH", None, "Bonn"),
        "name and place",
        "t",
    ),
    "an umlaut without its dots": (
        ("Kuhnbau Nord", None, "Bonn"),
        "name and place",
        "t",
    ),
    "an umlaut where the record is typed": (
        ("Schönfeld Labs", None, "Köln"),
        "name and place",
        "u",
    ),
    "two vowels that are no umlaut": (
        ("Blue Horizon", None, "Bonn"),
        "not found",
        None,
    ),
    "a trademark": (("LODZ FOODS (R)", None, "Oslo"), "name and place", "o"),
    "an eszett is no double s": (
        ("Strassenbau", "https://straße.example"),
        "not found",
        None,
    ),
    "a long name, not spelt by its domain": (
        ("Arkeia Software", None, "Oslo"),
        "name and place",
        "r",
    ),
    "the place decides between two": (("beta", None, "Lyon"), "name and place", "c"),
    "two of the name": (("beta",), "several", None),
    "one of the name": (("societe epsilon",), "name only", None),
    "another place": (("Acme", None, "Bonn"), "name only", None),
    "another domain": (("Acme", "acme.io", "Oslo"), "name only", None),
    "another domain of the same year": (
        ("Acme", "acme.io", "Oslo", "2011"),
        "name and place",
        "a",
    ),
    "a domain not spelt as the name": (
        ("Everest", "everestai.com", "Oslo"),
        "name only",
        None,
    ),
    "a country is no place": (("Acme", None, "Norway"), "name only", None),
    "near is no match": (("Zeta Robots",), "not found", None),
    "nothing": ((None,), "not found", None),
}


@pytest.fixture(scope="module")
def frames() -> Frames:
    columns = ("uuid", "name", "website_domain", "hq_city", "hq_country", "launch_date")
    rows = pl.DataFrame(RECORDS, columns, orient="row").cast({"launch_date": pl.Int32})
    return Frames(companies=rows.lazy(), origin=Origin(Source("records"), {}))


def listed(*rows: tuple[Any, ...]) -> pl.DataFrame:
    heads = ("Company", "Website", "City", "Founded")
    filled = [(*row, *[None] * (len(heads) - len(row))) for row in rows]
    return pl.DataFrame(filled, dict.fromkeys(heads, pl.String), orient="row")


@pytest.mark.parametrize("case", GRADES)
def test_a_row_has_the_grade_that_its_evidence_bears(case: str, frames: Frames) -> None:
    row, grade, uuid = GRADES[case]
    found = vf.match(frames, listed(row))
    assert found.graded.select("grade", "record_uuid").rows() == [(grade, uuid)]
    assert found.uuids == ((uuid,) if uuid else ())
    assert found.rows.frame.columns[:4] == ["Company", "Website", "City", "Founded"]
    assert sum(found.counts.values()) == 1


def test_a_folder_gives_the_same_grades_on_another_engine() -> None:
    rows = "Company\tWebsite\nHalquil\twww.halquil.example/\nCalbit\t"
    one, other = (
        vf.match(vf.bulk.open(engine=engine), rows).graded
        for engine in ("polars", "duckdb")
    )
    assert one["grade"].to_list() == ["domain", "name only"]
    assert other.equals(one)


def test_what_is_to_be_decided_stands_with_its_candidates_and_near_misses(
    frames: Frames,
) -> None:
    found = vf.match(frames, listed(("Beta",), ("Zeta Robots",), ("Acme", "acme.com")))
    check = found.to_check.frame.select("Company", "found_by", "record_uuid").rows()
    assert check == [
        ("Beta", "name", "b"),
        ("Beta", "name", "c"),
        ("Zeta Robots", "near miss", "j"),
    ]
    summary, read_as = repr(found).splitlines()
    assert summary == "3 rows: 1 matched · 1 to decide · 1 not found"
    assert (
        read_as == "Name = Company · website = Website · city = City · year = Founded"
    )


def test_a_domain_of_several_organisations_of_the_list_is_no_proof(
    frames: Frames,
) -> None:
    two = vf.match(frames, listed(("Acme", "acme.com"), ("Acme Labs", "acme.com")))
    assert two.graded["grade"].to_list() == ["several", "several"]
    again = vf.match(frames, listed(("Acme", "acme.com"), ("ACME", "www.acme.com")))
    assert again.graded["grade"].to_list() == ["domain", "domain"]
    assert again.uuids == ("a",)


def test_decisions_are_kept_by_the_name_and_domain_of_the_list(
    frames: Frames, tmp_path: Path
) -> None:
    rows = (
        ("=Beta", None),
        ("Beta",),
        ("Acme", "acme.com"),
        ("Gamma",),
        ("Gone", "gone.com"),
    )
    first = vf.match(frames, listed(*rows))
    path = first.to_check.to_csv(tmp_path / "check.csv")
    said = {"b": "no", "c": "Yes", "d": "x"}
    filled = pl.read_csv(path, infer_schema=False).with_columns(
        Decision=pl.col("Record UUID").replace_strict(said, default="")
    )
    assert filled["Company"].to_list()[0] == "'=Beta"
    late = {"Company": "Late", "Record UUID": "z", "Decision": "yes"}
    pl.concat([filled, pl.DataFrame([late])], how="diagonal").write_csv(
        tmp_path / "decided.csv"
    )
    again = vf.match(frames, listed(*rows[::-1]), decided=tmp_path / "decided.csv")
    assert again.graded["record_uuid"].to_list() == [None, "d", "a", "c", "c"]
    assert again.counts["confirmed by you"] == 3
    assert again.states["matched"] == 4
    assert sum(again.states.values()) == len(rows)
    assert again.rows.frame["decision"].to_list() == [None, "yes", None, "yes", "yes"]
    assert again.notes[1:] == (
        "6 decisions read from decided.csv",
        "1 decision no longer applied: late",
    )


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["maybe", ""], "line 1 has neither yes nor no"),
        (["yes", "yes"], "line 2 is a second yes for this row"),
    ],
)
def test_a_decision_that_cannot_be_read_is_refused(
    answers: list[str], said: str, frames: Frames
) -> None:
    check = vf.match(frames, listed(("Beta",))).to_check.frame
    with pytest.raises(UnsupportedValue, match=said):
        vf.match(
            frames,
            listed(("Beta",)),
            decided=check.with_columns(decision=pl.Series(answers)),
        )


def test_columns_of_the_list_come_back_unchanged_even_under_the_same_headings(
    frames: Frames,
) -> None:
    own = pl.DataFrame(
        {"Grade": ["A+"], "Company": ["Acme"], "grade": ["=1"], "Why": [None]}
    )
    found = vf.match(frames, own).rows
    assert found.frame.select(own.columns).equals(own)
    heads, row = found.to_csv().splitlines()
    assert heads.startswith("Grade,Company,grade,Why,Grade (found),")
    assert row.startswith("A+,Acme,'=1,,name only,")


@pytest.fixture(
    scope="module", params=[WIRE_2026_10_02, INTERFACE], ids=["today", "older"]
)
def live(request: pytest.FixtureRequest) -> Iterator[Any]:
    with (
        start_on(request.param.name, sample()) as running,
        connected(running, profile=request.param) as service,
    ):
        yield service


def of_the_sample() -> pl.DataFrame:
    companies = sample().tables["companies"].head(30)
    heads = {"name": "Company", "website_domain": "Website", "launch_date": "Founded"}
    rows = companies.select(*heads).rename(heads).with_row_index("n")
    domain = pl.when(pl.col("n") % 3 > 0).then("Website")
    return rows.with_columns(domain, pl.col("Founded").cast(pl.String)).drop("n")


@pytest.mark.parametrize("kind", ["company", "university", "investor"])
@pytest.mark.filterwarnings("ignore::ventureframe.errors.VentureframeWarning")
def test_a_service_gives_the_grades_that_its_folder_gives(live: Any, kind: Any) -> None:
    names = {"university": "universities", "investor": "investors"}
    given = of_the_sample()
    if kind in names:
        rows = sample().tables[names[kind]].head(12)
        given = rows.select(Name="name", Website="website_domain")
    whole = vf.match(vf.connect(environment={}), given, kind=kind)
    asked = vf.match(live, given, kind=kind)
    assert whole.counts["domain"] > 5
    assert asked.graded.select("grade", "record_uuid").equals(
        whole.graded.select("grade", "record_uuid")
    )


@pytest.mark.filterwarnings("ignore::ventureframe.errors.VentureframeWarning")
def test_what_is_sent_is_said_before_and_what_was_not_asked_is_told(live: Any) -> None:
    rows, has_search = of_the_sample(), live.connection.profile.finds_companies
    with pytest.warns(vf.errors.VentureframeWarning) as said:
        found = vf.match(live, rows, at_most=8 if has_search else 2)
    if not has_search:
        assert "all its companies are fetched" in str(said[0].message)
        assert any("ended early" in str(one.message) for one in said)
        assert "not found" not in found.counts
        assert sum(found.states.values()) == rows.height
        return
    assert "names and domains of 30 rows are sent, in at most 60 requests" in str(
        said[0].message
    )
    assert any("of the list not looked up" in str(one.message) for one in said)
    assert found.counts["not looked up"] > 15
    assert found.requests[0] == "search, 8 requests"


def namesakes(many: int) -> Dataset:
    """The sample, with so many companies of one name, each in a place of its own."""
    is_apart = pl.col("hq_location").is_first_distinct()
    is_one = is_apart & (is_apart.cum_sum() <= many)
    companies = (
        sample()
        .tables["companies"]
        .with_columns(
            name=pl.when(is_one).then(pl.lit("Quorvex Systems")).otherwise("name"),
            website_domain=pl.when(~is_one).then("website_domain"),
        )
    )
    return replace(sample(), tables={**sample().tables, "companies": companies})


@pytest.mark.filterwarnings("ignore::ventureframe.errors.VentureframeWarning")
@pytest.mark.parametrize("many", [1, 3, 25])
def test_of_more_records_than_the_search_returns_none_is_the_only_one(
    many: int,
) -> None:
    wire = WIRE_2026_10_02
    with (
        start_on(wire.name, namesakes(many)) as running,
        connected(running, profile=wire) as service,
    ):
        hits, is_cut = service.connection.search("company", "Quorvex Systems")
        row = ("Quorvex Systems", None, hits[0]["hq_city"])
        found = vf.match(service, listed(row))
    is_cut = is_cut and hits[-1]["name"] == "Quorvex Systems"
    assert is_cut == (many == 25)
    right = ("name and place", hits[0]["uuid"])
    said = found.graded.select("grade", "record_uuid").row(0)
    assert said == (("several", None) if is_cut else right)


def test_a_yes_counts_where_other_records_of_the_row_are_refused(
    frames: Frames,
) -> None:
    found = vf.match(frames, listed(("Zeta Robots",), ("Beta",)))
    rows = {"Company": ["Zeta Robots"] * 2, "Website": [None] * 2}
    given = {**rows, "Record UUID": ["j", "b"], "Decision": ["yes", "no"]}
    decided = vf.match(frames, found.list.frame, decided=pl.DataFrame(given))
    row = decided.graded.select("grade", "record_uuid", "decision").row(0)
    assert row == ("confirmed by you", "j", "yes")


def test_what_connecting_warned_of_is_not_warned_of_again(tmp_path: Path) -> None:
    for name in ("companies.parquet", "locations.parquet", "dataset.json"):
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / "notes.pq").touch()
    with pytest.warns(vf.errors.VentureframeWarning, match="notes.pq"):
        svc = vf.connect(data=tmp_path, environment={})
    with svc, warnings.catch_warnings():
        warnings.simplefilter("error")
        assert vf.match(svc, ["No Such Firm"]).counts == {"not found": 1}


@pytest.mark.parametrize("svc", [None, "live", pl.DataFrame()])
def test_what_is_no_service_is_refused_in_a_sentence(svc: Any) -> None:
    with pytest.raises(
        UnsupportedValue, match=r"(?s)'svc' cannot be .*: give what vf.conn"
    ):
        vf.match(svc, ["Acme"])


WRONG: list[dict[str, Any]] = [
    {"kind": "lp"},
    {"decided": 5},
    {"name": 1},
    {"at_most": "9"},
    {"at_most": 0},
    {"at_most": True},
    {"at_most": 2.0},
    {"at_most_credits": -1},
]


@pytest.mark.parametrize("wrong", WRONG)
def test_an_argument_of_a_wrong_type_is_refused_by_its_name(
    wrong: dict[str, Any], frames: Frames
) -> None:
    (name,) = wrong
    named = f"'{name if name.startswith('at_most') else ''}.* cannot be .*: give"
    for data in (frames, vf.connect(environment={})):
        with pytest.raises(UnsupportedValue, match=named):
            vf.match(data, ["Acme"], **wrong)


MISSES = {  # judged not to be the same company, and why the rule cannot tell
    "Ravn": "ravn.com changed hands; the names are equal and the list has no year",
    "Pickle": "pickle.com changed hands; the names are equal and the list has no year",
}


@pytest.fixture(scope="module")
def pipeline(real_data: Path) -> Match:
    columns = {"name": "Company", "website_domain": "Website", "hq_city": "City"}
    companies = vf.bulk.open(real_data / "startups-2026")["companies"].collect()
    given = companies.select("uuid", *columns, Founded="launch_date").rename(columns)
    return vf.match(vf.bulk.open(real_data / "venture-2013"), given)


def test_three_hundred_judged_pairs_of_real_companies(pipeline: Match) -> None:
    judged = pl.read_csv(Path(__file__).with_name("judged.csv"))
    used = pipeline.rows.frame.drop_nulls("record_uuid")
    both = used.join(
        judged, left_on=["uuid", "record_uuid"], right_on=["list_uuid", "record_uuid"]
    )
    assert len(judged) >= 300
    assert both.height == used.height >= 325
    undecided = pipeline.to_check.frame.filter(grade="domain", found_by="domain")
    pairs = undecided.select(list_uuid="uuid", record_uuid="record_uuid")
    alone = pairs.join(judged, on=["list_uuid", "record_uuid"])
    assert alone.height + used.height == judged.height
    assert {*both.filter(same=0)["Company"]} == {*MISSES}
    of_all = both.group_by("grade").agg(pl.col("same").mean())
    assert of_all.filter(pl.col("same") < 0.99).is_empty()


def test_decisions_are_taken_and_taken_back_without_another_search(
    frames: Frames,
) -> None:
    found = vf.match(frames, listed(("Beta",), ("Acme", "acme.com")))
    check = found.to_check.frame
    answers = pl.Series(["no", "yes"])
    decided = found.decide(check.with_columns(decision=answers))
    assert decided.graded["record_uuid"].to_list() == ["c", "a"]
    assert decided.decided.rows() == [(0, "b", False), (0, "c", True)]
    assert not len(decided.to_check)
    assert decided.decide(None).to_check.frame.equals(check)


def test_her_name_stands_beside_the_record_and_her_further_columns_at_the_end(
    frames: Frames,
) -> None:
    own = pl.DataFrame({"Owner": ["Ada"], "Company": ["Beta"], "Ticket": ["1m"]})
    heads = [column.label for column in vf.match(frames, own).to_check.columns]
    assert heads[:3] == ["Company", "Name in the records", "Decision"]
    assert heads[-2:] == ["Owner", "Ticket"]
