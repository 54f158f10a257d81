"""What a comparison of universities says, computed from its counts."""

from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

from ventureframe.display.wording import Count, money, within
from ventureframe.evidence.claims import Caveat, material
from ventureframe.studies.spinouts.words import ALUMNI, LABEL
from ventureframe.studies.universities.study import Counts

# universities in the answer, those of most companies; the table has all
_NAMED = 3


def answer(c: Counts) -> str:
    """The bottom line: companies and known funding of the largest; and what they
    share.
    """
    if len(c.studies) == 1:
        return str(c.studies[0].sentence)
    studies = c.studies
    # to name one more is as short as to count it
    named = _NAMED if len(studies) > _NAMED + 1 else len(studies)
    remaining = Count(len(studies) - named)
    parts = "; ".join(map(_part, studies[:named]))
    sentences = [f"{LABEL}, and their total funding: {parts}."]
    if remaining > 0:
        sentences.append(
            f"The table has {remaining:more university}, with no larger count."
        )
    if studies[1].counts.companies_evidenced:
        shared = within(c.shared, c.companies, "company")
        sentences.append(f"Two or more of the universities share {shared}.")
    return " ".join(sentences)


def _part(study: Any) -> str:
    """A university's companies and what is known of their funding, or why none is
    counted.
    """
    c, name, currency = study.counts, study.university.name, study.currency
    companies, funded, named = c.companies_evidenced, c.funding_known, c.companies_named
    if companies and not funded:
        return f"{name} {companies} (not known in {currency})"
    total = money(c.funding_total, currency)
    if companies and funded == companies:
        return f"{name} {companies} ({total})"
    if companies:
        return f"{name} {companies} ({total}, known for {funded} of them)"
    if c.silence:
        return f"{name} not known ({c.silence})"
    if named:
        return f"{name} none counted ({named:candidate} by name alone)"
    return f"{name} none counted ({c.nothing})"


def key_figures(c: Counts) -> Iterator[tuple[Any, ...]]:
    """Companies, and the known funding of all together; of one university, those of
    its study.
    """
    if len(c.studies) == 1:
        yield from map(astuple, c.studies[0].key_figures)
    elif c.companies:
        of = f"at any of {len(c.studies)} universities"
        yield LABEL, f"{c.companies}", of, True
        total = money(c.funding_total, c.studies[0].currency)
        note = f"known for {within(c.funding_known, c.companies, 'company')}"
        if c.funding_known:
            yield "Known total funding", total, note


def caveats(c: Counts) -> Iterator[Caveat]:
    """What setting universities side by side cannot tell; what changes its reading
    first.
    """
    questions = [study.question for study in c.studies if study.question]
    if len({question.conditions for question in questions}) > 1:
        text = "The companies of the universities were chosen by different conditions."
        yield Caveat(text, "filter conventions", is_material=True)
    if len(c.studies) > 1:
        yield material(3)(
            """The records of some universities are more complete than those of others:
            a smaller number can mean fewer records."""
        )
    if c.shared:
        yield material(2)(
            """A company that universities share counts at each of them, so the columns
            are not added up."""
        )
    yield ALUMNI
