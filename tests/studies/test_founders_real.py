"""What a study of founders says of the real records of 2013, held against plain polars
over the files.
"""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import DataFrame, col

from ventureframe import bulk
from ventureframe.connect import connect
from ventureframe.studies import founders
from ventureframe.studies.founders.study import Study

pytestmark = pytest.mark.real

STANFORD = "5240d97e-07f4-515b-aef2-314586dabea8"
Files = dict[str, DataFrame]


@pytest.fixture(scope="module")
def files(real_data: Path) -> Files:
    """The flat lists of the files: founders, pairs, posts and degrees."""
    folder = real_data / "venture-2013"
    people = pl.read_parquet(folder / "founders.parquet")
    firms = pl.read_parquet(folder / "companies.parquet")

    def entries(column: str) -> DataFrame:
        rows = people.select(person="uuid", entry=column).explode("entry")
        return rows.drop_nulls("entry").unnest("entry")

    pairs = firms.select("launch_date", firm="uuid", person="founders")
    return {
        "people": people,
        "firms": firms,
        "pairs": pairs.explode("person").drop_nulls("person"),
        "posts": entries("prior_employers"),
        "degrees": entries("education"),
    }


@pytest.fixture(scope="module")
def study(real_data: Path) -> Study:
    """The study of every founder."""
    return founders.find(**bulk.open(real_data / "venture-2013"), currency="USD")


def elsewhere(files: Files) -> DataFrame:
    """The posts beside each company of their person, but for those at it."""
    every = files["pairs"].join(files["posts"], on="person")
    return every.filter(col("firm") != col("company_uuid"))


def top(rows: DataFrame, key: str, name: str, many: int) -> list[tuple[Any, ...]]:
    """Companies and people of the organisations of several people, most companies first."""
    groups = (
        rows.drop_nulls(key)
        .group_by(key)
        .agg(
            name=col(name).mode().sort().first(),
            firms=col("firm").n_unique(),
            people=col("person").n_unique(),
        )
    )
    shared = groups.filter(col("people") > 1)
    first = shared.sort("firms", "people", descending=True).head(many)
    return first.select("name", "firms", "people").rows()


def test_the_figures_that_the_question_was_asked_with(study: Study) -> None:
    c = study.counts
    assert (c.founders_with_posts, c.founders) == (11_070, 41_932)
    assert c.founders_listed_again == 5_539
    first = study.employers.to_polars().select("organisation", "companies").head(3)
    assert first.rows() == [("Google", 229), ("Microsoft", 211), ("Yahoo!", 183)]
    assert "11,070 of the 41,932 founders" in study.sentence
    assert "5,539 of the 41,932 founders" in study.sentence
    assert "Google (229 companies), Microsoft (211 companies)" in study.sentence


def test_every_count_is_that_of_the_files(study: Study, files: Files) -> None:
    pairs, posts, degrees = files["pairs"], files["posts"], files["degrees"]
    away = elsewhere(files)
    listed = pairs.group_by("person").agg(firms=col("firm").n_unique())
    first = pairs.group_by("person").agg(col("launch_date").min())
    last = degrees.group_by("person").agg(col("end_year").max())
    years = first.join(last, on="person").select(
        years=col("launch_date").cast(int) - col("end_year").cast(int)
    )
    studied = pairs.join(degrees, on="person")
    named = studied.filter(
        col("university_uuid").is_not_null() | col("university_name").is_not_null()
    )
    wanted = {
        "companies": files["firms"].height,
        "companies_with_founder": pairs["firm"].n_unique(),
        "companies_with_employer": away["firm"].n_unique(),
        "companies_with_university": named["firm"].n_unique(),
        "founders": pairs["person"].n_unique(),
        "founders_missing": 0,
        "founders_with_posts": posts["person"].n_unique(),
        "founders_silent": 41_932 - posts["person"].n_unique(),
        "founders_with_education": degrees["person"].n_unique(),
        "founders_with_employer": away["person"].n_unique(),
        "founders_identified": away["person"].n_unique(),
        "founders_listed_again": listed.filter(col("firms") > 1).height,
        "employers": away.group_by("company_uuid")
        .agg(people=col("person").n_unique())
        .filter(col("people") > 1)
        .height,
        "employers_named": posts["company_uuid"].null_count(),
        "years_known": years.drop_nulls().height,
        "years": years["years"].median(),
    }
    counts = {name: getattr(study.counts, name) for name in wanted}
    assert counts == wanted


def test_the_first_employers_and_universities_are_those_of_the_files(
    study: Study, files: Files
) -> None:
    columns = ("organisation", "companies", "founders")
    employers = study.employers.to_polars().select(columns).head(8).rows()
    assert employers == top(elsewhere(files), "company_uuid", "name", 8)
    studied = files["pairs"].join(files["degrees"], on="person")
    universities = study.studies.to_polars().filter(
        col("kind") == "university", col("organisation_uuid").is_not_null()
    )
    wanted = top(studied, "university_uuid", "university_name", 8)
    assert universities.select(columns).head(8).rows() == wanted
    assert wanted[0] == ("Stanford University", 322, 239)


def test_founders_of_an_employer_are_those_of_the_files(
    real_data: Path, files: Files
) -> None:
    frames = bulk.open(real_data / "venture-2013")
    study = founders.find(**frames, currency="USD", employer="Google")
    there = elsewhere(files).filter(col("name") == "Google")
    pairs = there.select("firm", "person").unique()
    others = elsewhere(files).join(pairs, on=["firm", "person"], how="semi")
    others = others.filter(col("company_uuid") != there["company_uuid"][0])
    assert study.counts.companies == pairs["firm"].n_unique() == 229
    assert study.counts.founders == pairs["person"].n_unique() == 181
    assert study.counts.founders_with_employer == others["person"].n_unique()
    assert "Google" not in set(study.employers.to_polars()["organisation"])
    columns = ("organisation", "companies", "founders")
    first = study.employers.to_polars().select(columns).head(2).rows()
    assert first == top(others, "company_uuid", "name", 2)


def test_a_list_of_fifty_and_alumni_are_those_of_the_files(
    real_data: Path, files: Files
) -> None:
    with connect(data=real_data / "venture-2013", environment={}) as svc:
        fifty = files["pairs"]["firm"].unique().sort()[:50].to_list()
        question = founders.Question(companies=fifty)
        study = question.study(svc)
        uni = svc.university("Stanford University", domain="stanford.edu")
        alumni = founders.study(svc, university=uni, founded=(2005, None))
    pairs = files["pairs"].filter(col("firm").is_in(fifty))
    posts = files["posts"].join(pairs, on="person", how="semi")
    degrees = files["degrees"].join(pairs, on="person", how="semi")
    c = study.counts
    assert (c.companies, c.founders) == (50, pairs["person"].n_unique())
    assert c.founders_with_posts == posts["person"].n_unique()
    assert c.founders_with_education == degrees["person"].n_unique()
    here = files["degrees"].filter(university_uuid=STANFORD)
    own = files["pairs"].filter(col("launch_date") >= 2005)
    own = own.join(here, on="person", how="semi")
    assert alumni.counts.companies == own["firm"].n_unique() == 170
    assert alumni.counts.founders == own["person"].n_unique() == 160
    assert "Stanford University" not in set(alumni.studies.to_polars()["organisation"])
