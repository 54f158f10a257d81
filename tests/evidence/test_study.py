"""What a study rests on: sources, requests and answers; a fetch not read to its end
is said.
"""

import dataclasses
from html import unescape
from urllib.parse import unquote

import pytest

from ventureframe.client.service import Service
from ventureframe.studies.spinouts import Study


@pytest.fixture(scope="module")
def partial(study: Study, svc: Service) -> Study:
    pool, people = study.fetched
    certificate = dataclasses.replace(
        pool.certificate, verdict="short", reported_last=999
    )
    short = dataclasses.replace(pool, certificate=certificate)
    return study.resting_on(svc.source, short, people)


def test_the_dataset_its_day_its_licence_and_every_line_to_show_are_listed(
    study: Study, svc: Service
) -> None:
    rows = study.sources.to_polars().rows()
    names = [what for what, _ in rows]
    assert names[:3] == ["Dataset", "Description", "As of"]
    assert ("As of", "2026-06-30") in rows
    assert {"Licence", "Attribution", "Made with"} <= set(names)
    assert "Fetched" not in names, "a dataset of a day needs no other clock"
    assert svc.connection.session.base_url not in str(rows)


def test_every_request_stands_before_its_answer(study: Study) -> None:
    rows = study.sources.to_polars().rows()
    said = [
        value for what, value in rows if what in ("Request", "Result of the request")
    ]
    assert (
        said[0]
        == "GET /data/companies · filter founder_university_name[eq]:Tarnvik Technical"
        " University · currency EUR"
    )
    assert " distinct · complete · as of 2026-06-30 · EUR · SYNTHETIC" in said[1]
    assert said[2].startswith("GET /data/founders · filter the ids of ")
    assert " asked · " in said[3]


def test_every_finding_of_an_incomplete_study_says_so(
    study: Study, partial: Study
) -> None:
    said = f"INCOMPLETE: companies {len(partial.fetched[0]):,} of 999"
    for name in Study.findings():
        finding = getattr(partial, name)
        for shown in (finding, *([finding.plot()] if finding.drawing else [])):
            assert said in repr(shown)
            html = shown._repr_mimebundle_()[0]["text/html"]
            assert said in unescape(html)
        if (
            finding.drawing and "svg+xml," in html
        ):  # not a line that nothing is recorded
            for address in html.split("svg+xml,")[1:]:
                assert said in unescape(unquote(address.split('"')[0]))
        complete = repr(getattr(study, name))
        assert "INCOMPLETE" not in complete, (
            "a founder who was not returned was asked for"
        )


def test_the_bottom_line_says_what_it_rests_on(study: Study, partial: Study) -> None:
    said = (
        f" Not every record was read (companies {len(partial.fetched[0]):,} of 999):"
        " the counts are of the records read, and there may be more."
    )
    assert partial.answer.sentence == study.answer.sentence + said
    assert study.answer.sentence == study.sentence, (
        "a founder who was not returned was asked for"
    )
    assert partial.limits[0].text.startswith("Not every record was read")


def test_the_answer_is_a_paragraph_whose_facts_are_data(study: Study) -> None:
    data, metadata = study.answer._repr_mimebundle_()
    assert data["text/plain"].startswith(f"{study.answer}\n")
    assert data["text/html"].startswith('<p class="vf-answer">')
    facts = metadata["ventureframe"]
    assert facts["answer"] == study.answer.sentence
    assert f"What is counted: {study.counted}" in data["text/plain"]
    assert study.counted in unescape(data["text/html"])
    assert len(study.counted.split()) <= 37
    assert (facts["as_of"], facts["synthetic"]) == ("2026-06-30", True)


def test_a_save_holds_every_result_and_the_question(study: Study) -> None:
    saved = study.saved
    assert list(saved.results) == ["companies", "founders"]
    assert saved.study == "spinouts"
    assert saved.parameters["university"] == "Tarnvik Technical University"
    assert saved.parameters["currency"] == "EUR"


def test_the_answer_says_which_fields_the_service_left_out(study: Study) -> None:
    companies, *others = study.fetched
    lacking = dataclasses.replace(
        companies.details, absent_fields=("launch_date", "total_funding")
    )
    cut = dataclasses.replace(companies, details=lacking)
    said = dataclasses.replace(study, fetched=(cut, *others)).answer
    assert said.startswith(study.answer.sentence)
    assert "The service leaves out launch_date and total_funding of companies" in said
