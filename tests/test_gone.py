"""An attribute that is gone says what to use instead; any other is plainly missing."""

import pytest

import ventureframe as vf


def test_what_is_gone_says_what_to_use_instead() -> None:
    with vf.connect(environment={}) as svc:
        tags = [svc.tag("Robotics", type="technology")]
        study = vf.hiring.study(svc, tags=tags)
        gone = [
            (svc.companies, "sink", "svc.pull"),
            (study, "months", "group_by"),
            (study.postings, "to_crm", "write_csv"),
        ]
    for value, name, instead in gone:
        with pytest.raises(AttributeError, match=f"{name}' is gone: use .*{instead}"):
            getattr(value, name)
    with pytest.raises(AttributeError, match="has no attribute 'postngs'"):
        getattr(study, "postngs")  # noqa: B009
