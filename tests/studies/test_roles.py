"""Role families found in titles, against families that were judged by reading real
titles.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

from ventureframe.client.frames import empty
from ventureframe.errors import UnsupportedValue
from ventureframe.interface import fields
from ventureframe.interface.fields import Resource
from ventureframe.studies.hiring.find import find
from ventureframe.studies.hiring.question import Question
from ventureframe.studies.hiring.roles import ROLES, keywords, pattern, wider
from ventureframe.studies.hiring.study import Study

JUDGED: Final = Path(__file__).with_name("role_families.csv")
"""Job ids of startups-2026, drawn at random, and the families of their titles (no
family: "").

Each title was judged by itself, before the code was seen to read it. The keywords
were chosen with the first sample, and mended with the second: precision 0.94 and
recall 0.97 before that. The hold-out was judged and measured after that (0.976 and
0.972); four keywords were added for what it had shown, so for later changes it is a
third sample.

The fresh titles and their hold-out were judged and committed before any rule was
changed for them: startups-2026, and titles written in the style of other boards, which
stand in the column of titles. Precision and recall were 0.951 and 0.912 of the fresh
ones and 0.966 and 0.908 of the hold-out. The rules were mended with the fresh ones (0.997
and 0.996), then the hold-out was measured: 0.986 and 0.980. "Post-doc", "CPO" and
lecturers were added for what it had shown.
"""


def study(
    titles: Sequence[str], *, company: str = "Some Company", roles: Sequence[str] = ()
) -> Study:
    """The study of one hiring company with postings of these titles."""
    jobs = {"id": range(len(titles)), "title": titles, "entity_id": ["a"] * len(titles)}
    return find(
        companies=_filled(fields.COMPANIES, {"uuid": ["a"], "name": [company]}),
        jobs=_filled(fields.JOBS, jobs),
        news=empty(fields.NEWS),
        news_companies=pl.DataFrame(
            schema={"news_item_id": pl.Int64, "entity_id": pl.String}
        ),
        rounds=empty(fields.FUNDING_ROUNDS).with_columns(
            company_uuid=pl.lit(None, pl.String)
        ),
        currency="USD",
        roles=roles,
    )


def families(
    titles: Sequence[str], *, company: str = "Some Company", roles: Sequence[str] = ()
) -> list[set[str]]:
    """The families of titles, as a study of one hiring company shows them."""
    made = study(titles, company=company, roles=roles)
    found = made.frames["postings"].sort("job_id")["families"]
    return [set(each.split("; ")) if each else set() for each in found]


def _filled(resource: Resource, columns: Mapping[str, Any]) -> pl.DataFrame:
    return pl.concat([empty(resource), pl.DataFrame(columns)], how="diagonal_relaxed")


TITLES: Final[list[tuple[str, str]]] = [
    ("Acme AI | Full-time | Berlin (in-office)", ""),
    ("Acme AI | Senior Backend Engineer | $40/hr", "software; engineering, any"),
    ("Acme | Python Developer | 40 USD / hr", "software; engineering, any"),
    ("Acme | HR / Talent", "people"),
    ("Acme | interns/co-ops | Legal to work in the US", ""),
    ("Acme | ops@data.ai | https://legal.example/design | sales.io", ""),
    ("Acme Design | Node.js Developer", "software; engineering, any"),
    ("Data Labs (YC W25) Is Hiring a Founding Engineer", "engineering, any; founding"),
    ("Acme is hiring ML, Design, and more | Paris", "data and AI; design"),
    ("Data Engineer | Acme | Remote", "data and AI; engineering, any"),
    ("Sales | Remote", "sales"),
    ("Operations | Remote", "operations"),
    ("Acme | Operations Manager", "operations"),
    ("Acme | Head of Operations", "operations; leadership"),
    ("Acme | We streamline operations with data", ""),
    ("Acme | Account Execs, AEs and SDRs", "sales"),
    ("Acme | Account Executive", "sales"),
    ("Acme | Founding AE", "sales; founding"),
    ("Acme | Engineers & PMs", "engineering, any; product"),
    ("Acme | Product Engineer", "software; engineering, any"),
    ("Acme | Product Designer", "design"),
    ("Acme | Product Manager", "product"),
    ("Acme | Office Hours", ""),
    # a rank of craft leads nobody; a lead does
    ("Acme | Lead Backend Engineer", "software; engineering, any"),
    ("Acme | Lead/Senior Engineers", "engineering, any"),
    (
        "Acme | Staff or Lead Designer, Lead Rust Developer",
        "design; software; engineering, any",
    ),
    ("Acme | Engineering Lead (Payments)", "engineering, any; leadership"),
    (
        "Acme | SRE Lead / Sales Leads",
        "infrastructure; engineering, any; leadership; sales",
    ),
    ("Acme | Tech Lead Backend", "software; engineering, any; leadership"),
    # a platform is run
    ("Acme | Lead Platform Engineer", "infrastructure; engineering, any"),
    ("Acme | Platform Engineering", "infrastructure; engineering, any"),
    (
        "Acme | Director of Product Engineering",
        "software; engineering, any; leadership",
    ),
    ("Acme | VP of Product", "product; leadership"),
    # what a company is, and for whom
    ("Acme | Berlin Acme is a platform for developers and sales", ""),
    ("Acme | Developer Advocates", "marketing"),
    ("Acme | Designer, Developer Tools", "design"),
    ("Field Application Engineer", "engineering, any; hardware and engineering"),
    ("Acme | Technical Co-founder", "founding"),
    ("Acme | AI Industry", ""),
    ("Acme | AI/ML Software Engineer", "data and AI; software; engineering, any"),
    ("Acme | Düsseldorf | VP Sales", "sales; leadership"),
    ("Acme | ÄAI Architekt, aië", ""),
    ("Acme | C++ / C# / .NET Engineer", "software; engineering, any"),
    # an abbreviation that means a radio and a salesman alike
    ("Acme | RF / SDR Engineer", "engineering, any; hardware and engineering"),
    ("Acme | SDR/DSP Engineers", "engineering, any; hardware and engineering"),
    ("Acme | SDR, French speaking", "sales"),
    # what the hired will do
    ("Acme (YC S21) is hiring to redefine software dev", ""),
    ("Acme is hiring SDRs to sell software | Recruiter", "sales; people"),
    # the employer's field beside a role
    ("Acme | healthcare, sleep, machine learning | Paris | Product Manager", "product"),
    ("Acme | Data, Design | Product Manager", "data and AI; design; product"),
    # what something is made for, or what it is about
    (
        "Acme | ML Research Tooling & Data Platform Engineer",
        "data and AI; engineering, any",
    ),
    ("Acme | FPGA Design Engineer", "engineering, any; hardware and engineering"),
    ("Acme | Product Operations Manager", "product"),
    ("Acme | Product Manager, Growth", "product"),
    ("Acme | AI-native Software Engineer", "software; engineering, any"),
    # research at universities
    ("PhD position in Soft Matter", "science and research"),
    ("Software Engineer, PhD, University Graduate", "software; engineering, any"),
    ("Acme University | Faculty in AI", "data and AI; science and research"),
    ("Faculty/Professors in AI | Acme", "data and AI; science and research"),
    # a product alone, and who serves a chief
    ("Acme | Product | Remote", "product"),
    ("Acme | Chief of Staff to the CEO", "operations"),
    # letters, spaces and ends of words that regular expressions take differently
    ("Ingénieur logiciel", ""),
    ("ÜBER-Sales", ""),
    ("İOS Developer", "engineering, any; software"),
    ("iOS\u00a0developer", "engineering, any; software"),
    ("SALEſ", "sales"),
    ("Straße | Data\u2003Engineer", "data and AI; engineering, any"),
    ("ΟΔΟΣ | Head of Data", "data and AI; leadership"),
    ("a\nML", "data and AI"),
]


def test_only_the_words_about_roles_count() -> None:
    titles, wanted = zip(*TITLES, strict=True)
    assert families(titles) == [
        set(names.split("; ")) if names else set() for names in wanted
    ]


def test_the_companys_own_name_is_not_a_keyword_of_its_postings() -> None:
    titles = [
        "Data Robotics: Sales Manager",
        "Sales Manager at DATA ROBOTICS",
        "Data Robotics",
    ]
    assert families(titles, company="Data Robotics") == [{"sales"}, {"sales"}, set()]


@pytest.mark.parametrize(
    ("role", "title", "matches"),
    [
        ("rust engineer", "Acme | Senior Rust Engineers", True),
        ("rust engineer", "Acme | Rust-Engineer", True),
        ("rust engineer", "Acme | Rust and Go Engineer", False),
        ("rust", "Acme | Trust Officer", False),
        ("rust", "Rust Labs | Designer", False),
        ("full-stack", "Acme | full stack developer", True),
        ("C++", "Acme | C++/C# Developer", True),
        ("[data…", "Acme | Chief of Data.", True),
        ("Design", "Acme | Product Designer", True),
        ("business development", "Acme | Business Development Manager", True),
        ("developer relations", "Acme | Head of Developer Relations", True),
    ],
)
def test_own_words_match_by_the_rule_of_role_families(
    role: str, title: str, matches: bool
) -> None:
    assert bool(families([title], roles=[role])[0]) is matches


def test_a_role_with_the_mark_between_families_stays_one_role() -> None:
    assert families(["Acme | C; D Expert"], roles=["C; D"]) == [{"C, D"}]


def test_a_role_without_a_word_is_refused() -> None:
    with pytest.raises(UnsupportedValue, match="give a role family, or words"):
        Question(roles=["rust", "[…]"])


def test_a_companys_own_address_is_no_role() -> None:
    titles = [
        "Acme | https://acme.dev/sales | Recruiter",
        "Acme | x@acme.sales, Acme.design/dev",
    ]
    assert families(titles, company="Acme") == [{"people"}, set()]


def test_a_name_that_is_an_expression_is_read_as_text() -> None:
    titles = ["C++ (AI)* Labs: Recruiter", "Recruiter"]
    assert families(titles, company="C++ (AI)* Labs") == [{"people"}, {"people"}]


def test_the_patterns_are_for_any_engine() -> None:
    for words in ROLES.values():
        assert r"\b" not in pattern(words)
        assert r"\w" not in pattern(words)
        assert not any(each in pattern(words) for each in ("(?=", "(?!", "(?<"))


@pytest.mark.real
@pytest.mark.parametrize(
    ("sample", "size"),
    [
        ("first", 500),
        ("second", 260),
        ("hold-out", 120),
        ("fresh", 466),
        ("fresh hold-out", 298),
    ],
)
def test_families_agree_with_those_judged_by_hand(
    sample: str, size: int, real_data: Path
) -> None:
    judged = pl.read_csv(JUDGED).filter(sample=sample)
    jobs = pl.read_parquet(real_data / "startups-2026" / "jobs.parquet")
    jobs = jobs.select(job_id="id", job_title="title")
    judged = judged.join(jobs, on="job_id", how="left")
    titles = judged.select(pl.coalesce("title", "job_title")).to_series()
    assert titles.len() - titles.null_count() == size
    wanted = [
        set(each.split("; ")) if each else set()
        for each in judged["families"].fill_null("")
    ]
    found = families(titles.to_list())
    right = Counter(
        family
        for one, other in zip(wanted, found, strict=True)
        for family in one & other
    )
    meant = Counter(family for each in wanted for family in each)
    named = Counter(family for each in found for family in each)
    assert right.total() >= 0.95 * named.total(), (
        f"precision {right.total() / named.total():.2f}"
    )
    assert right.total() >= 0.95 * meant.total(), (
        f"recall {right.total() / meant.total():.2f}"
    )
    for family, cases in meant.items():
        precision, recall = right[family] / max(named[family], 1), right[family] / cases
        if cases >= 10:
            assert precision >= 0.80, f"{family}: precision {precision:.2f}"
            assert recall >= 0.80, f"{family}: recall {recall:.2f}"


@pytest.mark.parametrize(
    ("role", "family"),
    [
        ("SALES", "sales"),
        ("Sale", "sales"),
        ("designs", "design"),
        ("Data & AI", "data and AI"),
        ("data-and-ai", "data and AI"),
        ("Engineering (any)", "engineering, any"),
        ("finance, legal and regulatory", "finance, legal, regulatory"),
    ],
)
def test_a_family_can_be_named_in_another_form(role: str, family: str) -> None:
    assert [*keywords([role, family])] == [family]
    assert wider(family) is None


@pytest.mark.parametrize(
    ("role", "says"),
    [
        (
            "engineer",
            "“engineer” is one word; the role family “engineering, any” has",
        ),
        (
            "learning",
            "the role family “data and AI” has 60 keywords, among them “data”",
        ),
        ("software engineer", "“software engineer” is one phrase; the role family"),
        ("gardener", None),
        ("sales", None),
    ],
)
def test_own_words_that_a_family_has_are_answered_with_the_family(
    role: str, says: str | None
) -> None:
    limits = [limit.text for limit in study(["Engineer"], roles=[role]).limits]
    hints = [text for text in limits if text.startswith(f"“{role}” is one ")]
    assert len(hints) == (says is not None)
    if says:
        assert says in hints[0]


def test_a_page_says_which_roles_are_families_and_which_are_words() -> None:
    found = study(["Engineer", "Sales Manager"], roles=["engineer", "Sales"])
    table = dict(found.roles.to_polars()["family", "keywords"].rows())
    assert table["engineer"] == "own words, as they stand"
    assert table["sales"].startswith("[sales], sales engineer")
    looked_for = "the word “engineer” or the role family “sales”"
    assert f"Both postings match {looked_for}" in found.answer.sentence
