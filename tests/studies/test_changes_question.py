"""The question about two fetches: what it compares, in which currency, and as a
form.
"""

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

import ventureframe as vf
from ventureframe.client.service import Service
from ventureframe.errors import QueryError, UnsupportedValue


@pytest.fixture(scope="module")
def now() -> Iterator[Service]:
    InteractiveShell.instance()
    with vf.connect(environment={}) as service:
        yield service
    InteractiveShell.clear_instance()


@pytest.fixture(scope="module")
def folders(now: Service, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The companies of two days, each saved in US dollars and in euros."""
    home = tmp_path_factory.mktemp("saves")
    with vf.connect(environment={}, sample_day="2026-03-31") as earlier:
        for name, svc in (("march", earlier), ("now", now)):
            query = svc.companies.where(vf.company.launch_date >= 2020)
            query.currency("USD").fetch().save(home / name)
    return str(home / "march"), str(home / "now")


def test_amounts_are_compared_in_the_currency_of_both(
    now: Service, folders: tuple[str, str]
) -> None:
    question = vf.changes.Question(before=folders[0], after=folders[1])
    assert question.study(now).counts == vf.changes.compare(*folders).counts
    assert question.set(currency="USD").study(now).currency == "USD"
    with pytest.raises(UnsupportedValue, match="amounts were fetched in USD"):
        question.set(currency="GBP").study(now)


def test_what_was_fetched_is_named_by_its_data_and_what_is_not_given_is_not_listed(
    now: Service,
) -> None:
    asked = vf.hiring.Question(tags=[("Robotics", "technology")], currency="EUR")
    sample = "SYNTHETIC sample data · Harrowmere sample, as of 2026-06-30"
    two = vf.changes.Question(
        before=asked.study(now), after=asked.study(now).fetched[0]
    )
    assert two.listed[:2] == (("First fetch", sample), ("Second fetch", sample))
    assert two.listed[2:] == (("Currency", "as fetched"),)
    saves = vf.changes.Question(before="runs/october", part="jobs").listed
    assert saves[:2] == (("First fetch", "october"), ("Kind of record", "jobs"))


def test_the_findings_are_about_the_part_that_is_named(now: Service) -> None:
    asked = vf.hiring.Question(tags=[("Robotics", "technology")], currency="EUR")
    study = asked.study(now)
    two = vf.changes.Question(before=study, after=study, part="jobs")
    assert two.study(now).pair.new.resource.name == "jobs"
    assert two.parameters == {
        "before": None,
        "after": None,
        "part": "jobs",
        "currency": None,
    }
    with pytest.raises(
        UnsupportedValue, match=r"'job': what was compared is companies, jobs"
    ):
        two.set(part="job").study(now)
    with pytest.raises(QueryError, match="give their folders as before and after"):
        vf.changes.Question(before=study).study(now)
