"""A filter is a value: what is built is what is written, read back and refused."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ventureframe.errors import (
    FilterSyntaxError,
    QueryError,
    UnknownField,
    UnsupportedOperator,
    UnsupportedValue,
)
from ventureframe.interface.fields import COMPANIES, RESOURCES, SEVERAL, Field
from ventureframe.interface.filters import (
    MAX_DEPTH,
    Clause,
    Filter,
    all_of,
    any_of,
    check,
    company,
    news_item,
    parse,
)

AWKWARD = st.text(alphabet="ab ,()|[]:\n\"'$<é中and", min_size=1, max_size=24)
TEXT = st.one_of(
    st.text(min_size=1), AWKWARD, st.just("x,name[eq]:y"), st.just("a,and(b")
)


def typed_values(field: Field) -> st.SearchStrategy[object]:
    """Values of a field's own type, within its bounds."""
    low, high = field.bounds or (None, None)
    return {
        "uuid": st.uuids().map(str),
        "identifier": st.integers(0, 10**17) | st.integers(0, 10**17).map(str),
        "text": TEXT,
        "integer": st.integers(-(10**17), 10**17),
        "number": (
            st.floats(low, high, allow_nan=False, allow_infinity=False)
            | st.integers(int(low or -(10**15)), int(high or 10**15))
        ),
        "flag": st.booleans(),
    }[field.scalar]


@st.composite
def clauses(draw: st.DrawFn) -> Clause:
    """Any clause that a column of any resource can build."""
    resource = draw(
        st.sampled_from([r for r in RESOURCES.values() if any(_filterable(r))])
    )
    field = draw(st.sampled_from(_filterable(resource)))
    operator = draw(st.sampled_from(field.operators))
    most = 4 if operator in SEVERAL else 1
    values = draw(st.lists(typed_values(field), min_size=1, max_size=most))
    try:
        return Clause(field.name, operator, tuple(map(field.write, values)))
    except UnsupportedValue:
        return Clause(field.name, operator, ("1",))


def _filterable(resource: object) -> list[Field]:
    return [field for field in getattr(resource, "fields", ()) if field.operators]


FILTERS: st.SearchStrategy[Filter] = st.recursive(
    clauses(),
    lambda inner: st.builds(
        lambda join, parts: join(*parts),
        st.sampled_from([all_of, any_of]),
        st.lists(inner, min_size=1, max_size=4),
    ),
    max_leaves=12,
)


@given(FILTERS)
def test_what_is_written_reads_back_as_the_same_filter(f: Filter) -> None:
    assert parse(str(f)) == f
    assert str(parse(str(f))) == str(f)


@given(TEXT)
def test_a_value_is_refused_exactly_where_it_would_be_read_as_something_else(
    value: str,
) -> None:
    beside = "launch_date[gte]:2005"
    written = f"and(name[eq]:{value},{beside})"
    try:
        built = Clause("name", "eq", (value,))
    except UnsupportedValue:
        with pytest.raises(QueryError):
            assert parse(written) == all_of(
                Clause("name", "eq", (value,)), parse(beside)
            )
    else:
        assert parse(written) == all_of(built, parse(beside))


@given(st.text() | st.from_regex(r"(and|or|[a-z_]+\[[a-z_]+\]|[(),|:x]){1,9}"))
def test_any_text_is_read_or_refused_with_a_query_error(text: str) -> None:
    try:
        parse(text)
    except QueryError:
        return
    assert parse(str(parse(text))) == parse(text)


BUILT: list[tuple[Filter, str]] = [
    (company.launch_date >= 2005, "launch_date[gte]:2005"),
    (company.total_funding <= 1e6, "total_funding[lte]:1000000"),
    # builds a filter
    (company.is_startup == True, "is_startup[eq]:true"),  # noqa: E712
    (company.company_status != "closed", "company_status[neq]:closed"),
    (company.tag_id.in_all([7, "8"]), "tag_id[in_all]:7|8"),
    (
        company.founder_university_name == "University of California, Davis (UC)",
        "founder_university_name[eq]:University of California, Davis (UC)",
    ),
    (
        (company.signal_team >= 60)
        & (company.signal_rating >= 3.5)
        & (company.launch_date < 9),
        "and(signal_team[gte]:60,signal_rating[gte]:3.5,launch_date[lt]:9)",
    ),
    (
        (company.is_hiring == True) | (company.tag_id.nin_any([1])),  # noqa: E712
        "or(is_hiring[eq]:true,tag_id[nin_any]:1)",
    ),
    (
        news_item.entity_id.in_any(["5240d97e-07f4-515b-aef2-314586dabea8"]),
        "entity_id[in_any]:5240d97e-07f4-515b-aef2-314586dabea8",
    ),
]


def test_columns_build_the_interfaces_text(subtests: pytest.Subtests) -> None:
    for built, text in BUILT:
        with subtests.test(text):
            assert str(built) == text
            assert parse(text) == built


UNREADABLE = [
    ("", 0, "field"),
    ("launch_date>=2005", 0, "field"),
    ("and(launch_date[gte]:2005", 25, "',' or '\\)'"),
    ("and()", 4, "field"),
]


def test_unreadable_text_names_the_character(subtests: pytest.Subtests) -> None:
    for text, position, expected in UNREADABLE:
        with subtests.test(text):
            with pytest.raises(FilterSyntaxError, match=expected) as caught:
                parse(text)
            assert caught.value.position == position


def test_nesting_deeper_than_the_bound_is_refused_not_recursed() -> None:
    with pytest.raises(FilterSyntaxError, match=f"at most {MAX_DEPTH}"):
        parse("and(" * 100_000)


REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: company.lunch_date, UnknownField, "did you mean 'launch_date'"),
    (lambda: company.tagline, UnknownField, "no field 'tagline' to filter"),
    (lambda: company.is_startup >= 1, UnsupportedOperator, "takes eq, neq"),
    (
        lambda: company.launch_date.in_all([1]),
        UnsupportedOperator,
        "does not take 'in_all'",
    ),
    (lambda: company.launch_date >= "2005", UnsupportedValue, "needs a whole number"),
    (
        lambda: company.launch_date == True,  # noqa: E712
        UnsupportedValue,
        "whole number",
    ),
    (lambda: company.signal_timing >= 101, UnsupportedValue, "not within 0 to 100"),
    (lambda: company.total_funding >= -math.inf, UnsupportedValue, "finite"),
    (lambda: company.uuid == "5240", UnsupportedValue, "needs a UUID"),
    (lambda: parse("name[eq]:"), UnsupportedValue, "it is empty"),
    (lambda: parse("name[eq]:a|b"), UnsupportedValue, "separates values"),
    (lambda: company.tag_id.in_any([]), UnsupportedValue, "it is empty"),
    (lambda: company.tag_id.in_any("12"), UnsupportedValue, "list of values"),
    (lambda: company.tag_id.in_all(12), UnsupportedValue, "list of values"),  # type: ignore[arg-type]
    (lambda: company.tag_id.in_any(["a1"]), UnsupportedValue, "needs the id of a tag"),
    (lambda: company.founder_university_name == "A)", UnsupportedValue, "do not pair"),
    (lambda: company.founder_university_name == "A\ud800", UnsupportedValue, "UTF-8"),
]


def test_wrong_fields_operators_and_values_are_refused_when_built(
    subtests: pytest.Subtests,
) -> None:
    for build, error, message in REFUSED:
        with subtests.test(message), pytest.raises(error, match=message):
            build()


def test_a_filter_read_from_text_is_checked_against_its_resource() -> None:
    assert check(parse("launch_date[gte]:2005"), COMPANIES) == (
        company.launch_date >= 2005
    )
    with pytest.raises(UnknownField, match="did you mean 'launch_date'"):
        check(parse("and(has_founder[eq]:true,launch_dat[gte]:2005)"), COMPANIES)
    with pytest.raises(
        UnsupportedOperator, match="field 'is_startup' does not take 'foo'"
    ):
        check(parse("is_startup[foo]:true"), COMPANIES)
    with pytest.raises(UnsupportedValue, match="whole number"):
        check(parse("launch_date[gte]:soon"), COMPANIES)


def test_a_chained_comparison_is_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(TypeError, match="join filters with & and"):
        2000 <= company.launch_date <= 2010  # noqa: B015


def test_completion_lists_just_what_can_be_filtered() -> None:
    assert "signal_team" in dir(company)
    assert "tagline" not in dir(company)
    assert "launch_date" in repr(company)
    assert "in which the company was founded" in repr(company.launch_date)


def test_groups_of_one_word_are_one_group() -> None:
    a, b, c = (
        company.launch_date >= 1,
        company.launch_date >= 2,
        company.launch_date >= 3,
    )
    assert (a & b) & c == a & (b & c) == all_of(a, b, c)
    assert (a | b) | c == any_of(a, b, c)
    assert all_of(a) == a
    assert (a & b) | c != a & (b | c)
